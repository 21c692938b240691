// SPDX-License-Identifier: MIT
/* Names of numbers, as tables. An unknown number is called unknown, never guessed (FL-2). */
#include <stdio.h>

#include <drm/tessera_accel.h>
#include <drm/tessera_grid.h>
#include <tessera/device.h>
#include <tessera/names.h>
#include <tessera/operation.h>
#include <tessera/run_list.h>
#include <tessera/status.h>

#include "codes.h"
#include "util.h"

static const char *const faults[TSR_FAULTS][2] = {
	[TSR_FAULT_NONE] = { "none", "No fault." },
	[TSR_FAULT_ILLEGAL_INSN] = { "illegal-instruction",
		"It met a word that is no instruction; the address is that word." },
	[TSR_FAULT_BREAKPOINT] = { "breakpoint",
		"It met ebreak: an assertion of the kernel failed." },
	[TSR_FAULT_ECALL] = { "ecall",
		"It made an environment call, and there is no environment." },
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
static const char *const run_waits[] = {
	[TSR_WAITS_NONE] = "none", [TSR_WAITS_ORDER] = "order", [TSR_WAITS_FENCES] = "fences",
	[TSR_WAITS_DEVICE] = "device", [TSR_WAITS_CLAIM] = "claim", [TSR_WAITS_BANK] = "bank",
	[TSR_WAITS_LAUNCH] = "launch", [TSR_WAITS_CORES] = "cores", [TSR_WAITS_PROOF] = "proof",
};

static const char *const phases[] = { NULL, "queued", "staged", "launched", "complete", "retired",
				      "cancelled", "quarantined" };
static const char *const classes[] = { "none", "local", "queue", "device" };
static const char *const processors[] = { "dm0", "dm1", "compute" };
static const char *const elements[] = { "raw", "int8", "int32", "bf16", "fp32" };
static const char *const healths[] = { "good", "resetting", "wedged", "gone" };

static const char *unknown(const char *what, uint32_t number)
{
	/* Several may stand in one line. */
	static _Thread_local char texts[TSR_NAMES_KEPT][48];
	static _Thread_local unsigned int next;
	char *text = texts[next++ % TSR_NAMES_KEPT];

	snprintf(text, sizeof(texts[0]), "unknown %s %u", what, number);
	return text;
}

static const char *look_up(const char *const *table, size_t n, const char *what, uint32_t number)
{
	return number < n && table[number] ? table[number] : unknown(what, number);
}

TSR_API const char *tsr_code_name(uint32_t code)
{
	const struct tsr_code_info *info = tsr_code_info(code);

	return info ? info->name : unknown("code", code);
}

TSR_API const char *tsr_code_description(uint32_t code)
{
	const struct tsr_code_info *info = tsr_code_info(code);

	return info ? info->description : unknown("code", code);
}

TSR_API const char *tsr_code_hint(uint32_t code)
{
	const struct tsr_code_info *info = tsr_code_info(code);

	return info ? info->hint : "The driver is newer than this library; update it to know more.";
}

TSR_API uint32_t tsr_code_class(uint32_t code)
{
	const struct tsr_code_info *info = tsr_code_info(code);

	return info ? info->failure_class : TSR_CLASS_DEVICE;
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

TSR_API const char *tsr_waits_name(uint32_t waits)
{
	return look_up(run_waits, ARRAY_SIZE(run_waits), "wait", waits);
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
