/* SPDX-License-Identifier: MIT */
/*
 * Names of numbers. What is not known is called so ("unknown code 99"), never guessed (FL-2). Such
 * a text belongs to the calling thread and lasts for its next TSR_NAMES_KEPT - 1 calls here; all
 * others are static.
 */
#ifndef TESSERA_NAMES_H
#define TESSERA_NAMES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TSR_NAMES_KEPT	16	/* texts of unknown numbers that a thread can use at a time */

/**
 * tsr_code_name() - of tsr_status.code: "no-progress"
 * @code: a number from a status record
 *
 * Return: the name.
 */
const char *tsr_code_name(uint32_t code);

/**
 * tsr_code_description() - what happened, as a sentence
 * @code: a number from a status record
 *
 * Return: the sentence.
 */
const char *tsr_code_description(uint32_t code);

/**
 * tsr_code_hint() - what to look at, as a sentence
 * @code: a number from a status record
 *
 * Return: the sentence; "" when there is nothing to say.
 */
const char *tsr_code_hint(uint32_t code);

/**
 * tsr_code_class() - class of a code
 * @code: a number from a status record
 *
 * Return: enum tsr_class; an unknown code is TSR_CLASS_DEVICE (FL-1).
 */
uint32_t tsr_code_class(uint32_t code);

/**
 * tsr_fault_name() - of tsr_run_fault.cause: "illegal-instruction"
 * @cause: a number from a status record
 *
 * Return: the name.
 */
const char *tsr_fault_name(uint32_t cause);

/**
 * tsr_fault_description() - what the processor did, as a sentence
 * @cause: a number from a status record
 *
 * Return: the sentence.
 */
const char *tsr_fault_description(uint32_t cause);

/**
 * tsr_stall_name() - of tsr_run_stall.stall_class: "deadlock"
 * @stall_class: a number from a status record
 *
 * Return: the name.
 */
const char *tsr_stall_name(uint32_t stall_class);

/**
 * tsr_phase_name() - of enum tsr_phase: "retired"
 * @phase: a number
 *
 * Return: the name.
 */
const char *tsr_phase_name(uint32_t phase);

/**
 * tsr_class_name() - of enum tsr_class: "local"
 * @failure_class: a number
 *
 * Return: the name.
 */
const char *tsr_class_name(uint32_t failure_class);

/**
 * tsr_processor_name() - of enum tsr_processor: "dm0"
 * @processor: a number
 *
 * Return: the name.
 */
const char *tsr_processor_name(uint32_t processor);

/**
 * tsr_element_name() - of enum tsr_element: "bf16"
 * @element: a number
 *
 * Return: the name.
 */
const char *tsr_element_name(uint32_t element);

/**
 * tsr_health_name() - of enum tsr_health: "good"
 * @health: a number
 *
 * Return: the name.
 */
const char *tsr_health_name(uint32_t health);

/**
 * struct tsr_rule - a rule of validation
 */
struct tsr_rule {
	/** @id: "V9" */
	const char *id;
	/** @refuses: what it refuses, as in the specification */
	const char *refuses;
};

/**
 * tsr_rules() - all rules, in order
 * @ret_count: number of them
 *
 * Return: the table, static.
 */
const struct tsr_rule *tsr_rules(size_t *ret_count);

#ifdef __cplusplus
}
#endif

#endif
