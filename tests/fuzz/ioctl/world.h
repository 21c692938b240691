/* SPDX-License-Identifier: MIT */
/*
 * What calls work on: open files and the objects in them. A worker is a thread with two files of
 * its own; with several threads there is a third, which they all use at once.
 */
#ifndef TSR_FUZZ_WORLD_H
#define TSR_FUZZ_WORLD_H

#include "input.h"
#include <pthread.h>
#include "common_uapi.h"

enum kind {
	KIND_BO, KIND_CONTEXT, KIND_PROGRAM, KIND_RUN, KIND_SYNCOBJ,
	KIND_FD,		/* descriptors: sync_files, dma-bufs, copies of the file */
	KINDS
};

#define POOL	16

/** struct pool - live objects of one kind; several threads may use it, without a lock */
struct pool {
	uint32_t slots[POOL];	/* 0: empty */
	uint32_t next;		/* where the next one goes; what was there is destroyed */
};

/** struct shape - what a run of a program must bring */
struct shape {
	uint32_t words, n_bindings;
	struct tessera_binding bindings[4];
};

#define BO_MOST	(256u << 10)	/* bigger buffers are closed at once */

/** struct file - an open file of the device */
struct file {
	int fd;
	struct pool pools[KINDS];
	struct shape shapes[POOL];	/* of the programs */
	uint64_t bo_sizes[POOL];
};

#define FILES	3
#define MAPS	4

/** struct world - the same for all threads */
struct world {
	char node[64];			/* path of the device */
	struct tessera_limits limits;
	int control;			/* a file that nothing else uses */
	struct file shared;		/* fd -1 with one thread */
	uint16_t family;		/* of netlink */
	uint32_t minor;
	volatile bool stop;
};

struct cover;

/** struct worker - one thread */
struct worker {
	struct world *world;
	uint32_t thread;
	struct file own[2];
	struct file *file;		/* of the call that is executed */
	const struct input *input;
	uint32_t at;			/* the call in the input */
	char *arena;			/* what calls hand over; see arena_*() */
	size_t arena_used;
	struct { char *p; size_t size; } maps[MAPS];
	int netlink;
	struct cover *cover;		/* NULL: none */
	struct uapi_prog *prog;		/* scratch */
	/* Read by the watchdog. */
	pthread_t self;
	volatile int64_t since;		/* when the call began; 0: none */
	volatile uint32_t op;
	/* The report. */
	uint64_t calls[64], good[64], total, interrupted;
	bool child;
};

/** worker_open() - files, memory, socket; worker_close() - all of it */
int worker_open(struct worker *w, struct world *world, uint32_t thread);
void worker_close(struct worker *w);
/** worker_drop() - files and what is mapped only */
void worker_drop(struct worker *w);
/** worker_execute() - the calls of a list, one after the other */
void worker_execute(struct worker *w, const struct input *in);

int file_open(struct worker *w, struct file *file);
void file_close(struct file *file);

/** pool_pick() - an object by the byte of a call; one that is none for WRONG_OBJECT and above */
uint32_t pool_pick(const struct pool *pool, uint8_t object);
/** pool_add() - Return: the object that had to go, or 0 */
uint32_t pool_add(struct pool *pool, uint32_t handle);
/** pool_remove() - whoever destroys it; nothing happens when it is not in there */
void pool_remove(struct pool *pool, uint32_t handle);
/** pool_last() - what was added last, if it is still there */
uint32_t pool_last(const struct pool *pool);
/** pool_slot() - where an object is; POOL: nowhere */
uint32_t pool_slot(const struct pool *pool, uint32_t handle);

/** arena_put() - a copy of @size bytes at an address that nothing else of ours is near */
void *arena_put(struct worker *w, const void *from, size_t size);

/**
 * call_ioctl() - one ioctl: counted, watched, with its coverage
 * @op: for the report
 * @args: right; damaged here as @c asks, and read back
 */
int call_ioctl(struct worker *w, uint32_t op, unsigned long request, void *args, size_t size,
	       const struct call *c);
/** call_begin(), call_end() - around any other call. Return of call_end(): @ret */
void call_begin(struct worker *w, uint32_t op);
int call_end(struct worker *w, uint32_t op, int ret);

#endif
