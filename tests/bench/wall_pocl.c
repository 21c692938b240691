// SPDX-License-Identifier: MIT
/* PoCL: an empty kernel with one buffer, one work item, in an in-order queue. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

#include "wall.h"

static cl_command_queue queue;
static cl_kernel kernel;

static void set_up(void)
{
	static const char *source = "kernel void empty(global int *data) { }";
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_program program;
	cl_mem buffer;
	cl_int err;

	wall_must(clGetPlatformIDs(1, &platform, NULL), "OpenCL platform (package pocl-opencl-icd)");
	wall_must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "OpenCL device");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	wall_must(err, "OpenCL context");
	queue = clCreateCommandQueue(context, device, 0, &err);
	wall_must(err, "OpenCL queue");
	program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	wall_must(err || clBuildProgram(program, 1, &device, "", NULL, NULL), "OpenCL program");
	kernel = clCreateKernel(program, "empty", &err);
	wall_must(err, "OpenCL kernel");
	buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &err);
	wall_must(err, "OpenCL buffer");
	wall_must(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), "OpenCL argument");
}

static void enqueue(void)
{
	const size_t one = 1;

	wall_must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL),
		  "OpenCL enqueue");
}

static void finish(void)
{
	wall_must(clFinish(queue), "clFinish");
}

static void round_trip(void)
{
	enqueue();
	finish();
}

static void submit(void)
{
	for (int i = 0; i < WALL_BATCH; i++)
		enqueue();
	wall_must(clFlush(queue), "clFlush");
}

const struct wall_side wall_pocl = {
	.name = "pocl",
	.set_up = set_up,
	.round_trip = round_trip,
	.submit = submit,
	.finish = finish,
};
