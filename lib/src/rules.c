// SPDX-License-Identifier: MIT
/* The rules of validation as a table: ids and words, in the order in which findings come. */
#include <tessera/names.h>

#include "diag_int.h"

static const struct tsr_rule rules[TSR_RULE_COUNT] = {
	[TSR_RR3] = { "RR-3", "compiler-managed semaphore ids that are not dense from 0" },
	[TSR_RR6] = { "RR-6", "a factory that failed" },
	[TSR_V1] = { "V1", "unknown kernel selector" },
	[TSR_V2] = { "V2", "explicit kernel handle never bound to an operation" },
	[TSR_V3] = { "V3", "handle bound to another operation, even one of the same name" },
	[TSR_V4] = { "V4", "logical kernel has no descriptor in this operation" },
	[TSR_V5] = { "V5", "two resource entries for one logical kernel" },
	[TSR_V6] = { "V6", "definition name empty, not a C identifier, or holding NUL" },
	[TSR_V7] = { "V7", "definition value NULL, or holding NUL or a newline" },
	[TSR_V8] = { "V8", "definition name twice in one entry, even with an equal value" },
	[TSR_V9] = { "V9", "argument coordinate outside the operation's range" },
	[TSR_V10] = { "V10", "argument coordinate twice for one logical kernel" },
	[TSR_V11] = { "V11",
		"coordinate inside the operation but in no descriptor of that kernel" },
	[TSR_V12] = { "V12", "word outside -2^31 .. 2^32-1" },
	[TSR_V13] = { "V13", "unique + common words above the device's per-kernel limit" },
	[TSR_V14] = { "V14", "semaphore id below first_free_semaphore_id" },
	[TSR_V15] = { "V15", "semaphore id at or above the device's limit" },
	[TSR_V16] = { "V16", "semaphore id twice in the program, even on disjoint ranges" },
	[TSR_V17] = { "V17", "range empty, reversed, or outside the operation or the device" },
	[TSR_V18] = { "V18", "initial value not representable in 32 bits" },
	[TSR_V19] = { "V19", "unknown core type" },
	[TSR_V20] = { "V20", "two descriptors of one logical kernel overlap" },
	[TSR_V21] = { "V21", "a compiler descriptor reaches outside the operation" },
	[TSR_V22] = { "V22", "circular buffers, semaphores, words and images exceed a core's L1" },
	[TSR_V23] = { "V23", "a lifetime entry that is NULL, or a buffer of another device" },
	[TSR_V24] = { "V24", "two kernels on one processor of one core" },
	[TSR_V25] = { "V25", "a circular buffer with a bad id, page, format, or twice on a core" },
	[TSR_V26] = { "V26", "a tensor missing, of another device, misaligned, or too small" },
	[TSR_V27] = { "V27", "more of something in one program than the device allows" },
	[TSR_JIT1] = { "JIT-1", "definitions on a prebuilt image, or an image of another shape" },
	[TSR_JIT2] = { "JIT-2", "a kernel that does not compile" },
	[TSR_PC4] = { "PC-4", "too many distinct programs waiting to be built" },
	[TSR_RR13] = { "RR-13", "a program that the device's own check refuses" },
	[TSR_RN1] = { "RN-1", "a runner for another device, or definitions it has no image for" },
	[TSR_RN2] = { "RN-2", "a runner without the factory it needs, or with one it does not" },
	[TSR_RN3] = { "RN-3", "a runner file that is damaged, or says what cannot be" },
	[TSR_EX1] = { "EX-1", "an operation with a factory on an engine without resources" },
};

TSR_API const struct tsr_rule *tsr_rules(size_t *ret_count)
{
	*ret_count = ARRAY_SIZE(rules);
	return rules;
}
