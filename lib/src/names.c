// SPDX-License-Identifier: MIT
/* Names of numbers, as tables. An unknown number is called unknown, never guessed (FL-2). */
#include <stdio.h>

#include <drm/tessera_accel.h>
#include <drm/tessera_grid.h>
#include <tessera/device.h>
#include <tessera/names.h>
#include <tessera/operation.h>
#include <tessera/status.h>

#include "util.h"

struct code {
	const char *name;
	uint32_t failure_class;
	const char *description;
	const char *hint;
};

static const struct code codes[] = {
	[DRM_TESSERA_CODE_OK] = { "ok", TSR_CLASS_NONE, "The run succeeded.", "" },
	[DRM_TESSERA_CODE_FAULT] = { "fault", TSR_CLASS_LOCAL,
		"A kernel did what a processor must not do.",
		"Look at cause, processor and pc; disassemble the kernel around that pc." },
	[DRM_TESSERA_CODE_NO_PROGRESS] = { "no-progress", TSR_CLASS_LOCAL,
		"No kernel ended, no semaphore changed and no transfer finished for too long.",
		"Look at the stall record: a semaphore that nobody raises, a circular buffer that "
		"nobody fills or empties, or a loop without an end." },
	[DRM_TESSERA_CODE_STOPPED] = { "stopped", TSR_CLASS_LOCAL,
		"The run was cancelled while it was executing.", "" },
	[DRM_TESSERA_CODE_CANCELLED] = { "cancelled", TSR_CLASS_LOCAL,
		"The run was cancelled before it was launched.", "" },
	[DRM_TESSERA_CODE_CONTEXT_GONE] = { "context-gone", TSR_CLASS_LOCAL,
		"The context of the run was destroyed before it was launched.",
		"Wait for runs before the file of their context is closed." },
	[DRM_TESSERA_CODE_DEPENDENCY] = { "dependency", TSR_CLASS_LOCAL,
		"A fence that the run waited for carried an error.",
		"Look at what should have signalled the in-fence." },
	[DRM_TESSERA_CODE_NO_RECORD] = { "no-record", TSR_CLASS_DEVICE,
		"The device completed the run without writing its status record.",
		"The device is reset; submit again. If it comes back the device is broken." },
	[DRM_TESSERA_CODE_STAGE] = { "stage", TSR_CLASS_LOCAL,
		"The run could not be staged into a bank; it did not start.",
		"Submit it again; memory may be short." },
	[DRM_TESSERA_CODE_LAUNCH] = { "launch", TSR_CLASS_LOCAL,
		"The run could not be launched; it did not start.", "Submit it again." },
	[DRM_TESSERA_CODE_LAUNCH_PARTIAL] = { "launch-partial", TSR_CLASS_DEVICE,
		"The launch failed half-way; some cores may have started.",
		"The device is reset; its buffers have undefined content." },
	[DRM_TESSERA_CODE_STOP_UNPROVEN] = { "stop-unproven", TSR_CLASS_DEVICE,
		"The cores did not stop when they were asked to.",
		"The memory of the run stays quarantined until a reset is confirmed." },
	[DRM_TESSERA_CODE_DEVICE_GONE] = { "device-gone", TSR_CLASS_DEVICE,
		"The device was unplugged or its driver unbound.", "Open the device again." },
};

static const char *const faults[TSR_FAULTS][2] = {
	[TSR_FAULT_NONE] = { "none", "No fault." },
	[TSR_FAULT_ILLEGAL_INSN] = { "illegal-instruction",
		"It met a word that is no instruction; the address is that word." },
	[TSR_FAULT_BREAKPOINT] = { "breakpoint", "It met ebreak: an assertion of the kernel failed." },
	[TSR_FAULT_ECALL] = { "ecall", "It made an environment call, and there is no environment." },
	[TSR_FAULT_FETCH] = { "fetch", "It jumped outside its L1, or to a misaligned address." },
	[TSR_FAULT_LOAD_MISALIGNED] = { "load-misaligned", "It loaded from a misaligned address." },
	[TSR_FAULT_STORE_MISALIGNED] = { "store-misaligned", "It stored to a misaligned address." },
	[TSR_FAULT_LOAD_RANGE] = { "load-range", "It loaded from where nothing is mapped." },
	[TSR_FAULT_STORE_RANGE] = { "store-range",
		"It stored to where nothing is mapped, or to a read-only register." },
	[TSR_FAULT_NOC_COMMAND] = { "noc-command",
		"It issued an unknown or empty transfer, or one outside its own L1." },
	[TSR_FAULT_NOC_TARGET] = { "noc-target",
		"It issued a transfer to a core that is not there, or outside that core." },
	[TSR_FAULT_BUFFER_UNBOUND] = { "buffer-unbound",
		"It used a tensor index that is not bound to the run." },
	[TSR_FAULT_BUFFER_RANGE] = { "buffer-range", "It reached beyond the end of a tensor." },
	[TSR_FAULT_BUFFER_READ] = { "buffer-read", "It read a tensor that is bound for output." },
	[TSR_FAULT_BUFFER_WRITE] = { "buffer-write", "It wrote a tensor that is bound for input." },
	[TSR_FAULT_SEMAPHORE] = { "semaphore", "It used a semaphore that is not there." },
	[TSR_FAULT_CB] = { "circular-buffer",
		"It used a circular buffer that is not configured, or more pages than it has." },
	[TSR_FAULT_TILE] = { "tile", "It gave the tile unit a bad operation, format or address." },
	[TSR_FAULT_KERNEL] = { "kernel", "It ended with a failure; the address is its status." },
};

static const char *const stalls[] = { "none", "running-stalled", "ready-but-idle", "deadlock",
				      "dispatch-starved", "unknown" };
static const char *const phases[] = { NULL, "queued", "staged", "launched", "complete", "retired",
				      "cancelled", "quarantined" };
static const char *const classes[] = { "none", "local", "queue", "device" };
static const char *const processors[] = { "dm0", "dm1", "compute" };
static const char *const elements[] = { "raw", "int8", "int32", "bf16", "fp32" };
static const char *const healths[] = { "good", "resetting", "wedged", "gone" };

static const char *unknown(const char *what, uint32_t number)
{
	static _Thread_local char text[48];

	snprintf(text, sizeof(text), "unknown %s %u", what, number);
	return text;
}

static const char *look_up(const char *const *table, size_t n, const char *what, uint32_t number)
{
	return number < n && table[number] ? table[number] : unknown(what, number);
}

TSR_API const char *tsr_code_name(uint32_t code)
{
	return code < ARRAY_SIZE(codes) ? codes[code].name : unknown("code", code);
}

TSR_API const char *tsr_code_description(uint32_t code)
{
	return code < ARRAY_SIZE(codes) ? codes[code].description : unknown("code", code);
}

TSR_API const char *tsr_code_hint(uint32_t code)
{
	return code < ARRAY_SIZE(codes) ? codes[code].hint :
	       "The driver is newer than this library; update it to know more.";
}

TSR_API uint32_t tsr_code_class(uint32_t code)
{
	return code < ARRAY_SIZE(codes) ? codes[code].failure_class : TSR_CLASS_DEVICE;
}

TSR_API const char *tsr_fault_name(uint32_t cause)
{
	return cause < TSR_FAULTS ? faults[cause][0] : unknown("fault", cause);
}

TSR_API const char *tsr_fault_description(uint32_t cause)
{
	return cause < TSR_FAULTS ? faults[cause][1] : unknown("fault", cause);
}

TSR_API const char *tsr_stall_name(uint32_t stall_class)
{
	return look_up(stalls, ARRAY_SIZE(stalls), "stall class", stall_class);
}

TSR_API const char *tsr_phase_name(uint32_t phase)
{
	return look_up(phases, ARRAY_SIZE(phases), "phase", phase);
}

TSR_API const char *tsr_class_name(uint32_t failure_class)
{
	return look_up(classes, ARRAY_SIZE(classes), "class", failure_class);
}

TSR_API const char *tsr_processor_name(uint32_t processor)
{
	return look_up(processors, ARRAY_SIZE(processors), "processor", processor);
}

TSR_API const char *tsr_element_name(uint32_t element)
{
	return look_up(elements, ARRAY_SIZE(elements), "element", element);
}

TSR_API const char *tsr_health_name(uint32_t health)
{
	return look_up(healths, ARRAY_SIZE(healths), "health", health);
}
