/* SPDX-License-Identifier: MIT */
/* Diagnostics: why a call failed, as a value. All that was found, not only the first (RR-7). */
#ifndef TESSERA_DIAGNOSTIC_H
#define TESSERA_DIAGNOSTIC_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * struct tsr_diag - findings of one failed call; belongs to one thread at a time
 */
struct tsr_diag;

/**
 * enum tsr_stage - how far an invocation came before it failed
 */
enum tsr_stage {
	/** @TSR_STAGE_DECLARE: checks before the factory */
	TSR_STAGE_DECLARE = 1,
	/** @TSR_STAGE_FACTORY: the factory failed */
	TSR_STAGE_FACTORY = 2,
	/** @TSR_STAGE_VALIDATE: resources against operation, device */
	TSR_STAGE_VALIDATE = 3,
	/** @TSR_STAGE_COMPILE: a kernel does not build */
	TSR_STAGE_COMPILE = 4,
	/** @TSR_STAGE_PROGRAM: the device refused the program */
	TSR_STAGE_PROGRAM = 5,
	/** @TSR_STAGE_SUBMIT: the device refused the run */
	TSR_STAGE_SUBMIT = 6
};

/**
 * struct tsr_finding - one thing that is wrong; strings are never NULL, "" when they do not apply
 *
 * All of it is borrowed from the diagnostic.
 */
struct tsr_finding {
	/** @rule: id as in the specification: "V9", "RR-3", "JIT-2" */
	const char *rule;
	/** @path: where: "operation/kernel reader/words 3" */
	const char *path;
	/** @field: of that object: "word[2]" */
	const char *field;
	/** @value: what it is, as text */
	const char *value;
	/** @allowed: what it may be, as text */
	const char *allowed;
	/** @message: the whole as a sentence */
	const char *message;
	/** @x: column of the core, or -1 */
	int32_t x;
	/** @y: row of the core, or -1 */
	int32_t y;
	/** @output: JIT-2: the compiler's own text */
	const char *output;
	/** @command: JIT-2: the command line */
	const char *command;
	/** @source: JIT-2: name of the source */
	const char *source;
	/** @definitions: JIT-2: "NAME=value" lines */
	const char *definitions;
};

/**
 * tsr_diag_free() - free a diagnostic; takes NULL
 * @diag: the diagnostic
 *
 * Return: NULL.
 */
struct tsr_diag *tsr_diag_free(struct tsr_diag *diag);

/**
 * tsr_diag_cause() - what the failed call returned; a factory's own error is kept
 * @diag: the diagnostic
 *
 * Return: a negative errno.
 */
int tsr_diag_cause(const struct tsr_diag *diag);

/**
 * tsr_diag_stage() - where it failed
 * @diag: the diagnostic
 *
 * Return: enum tsr_stage.
 */
uint32_t tsr_diag_stage(const struct tsr_diag *diag);

/**
 * tsr_diag_count() - number of findings
 * @diag: the diagnostic
 *
 * Return: the number; 0 when the errno says all there is.
 */
size_t tsr_diag_count(const struct tsr_diag *diag);

/**
 * tsr_diag_finding() - one finding, in the order of the rules
 * @diag: the diagnostic
 * @index: 0 and up
 *
 * Return: number @index, borrowed; NULL beyond the last.
 */
const struct tsr_finding *tsr_diag_finding(const struct tsr_diag *diag, size_t index);

/**
 * tsr_diag_print() - all of it for people; NULL prints nothing
 * @diag: the diagnostic
 * @out: where to print
 */
void tsr_diag_print(const struct tsr_diag *diag, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
