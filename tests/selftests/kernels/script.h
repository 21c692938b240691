/* SPDX-License-Identifier: MIT */
/*
 * A kernel that does what its words say, one step after the other: the tests write down what a
 * processor shall do, and know by a symbol which instruction does it. For script.c and the tests.
 */
#ifndef TSR_TESTS_SCRIPT_H
#define TSR_TESTS_SCRIPT_H

/* Each step is its number and so many words after it. The last one need not be STEP_END. */
#define STEP_END	0	/* -			success */
#define STEP_LOAD	1	/* address		symbol at_load */
#define STEP_STORE	2	/* address, value	symbol at_store */
#define STEP_LOAD_BYTE	3	/* address		symbol at_load_byte */
#define STEP_STORE_BYTE	4	/* address, value	symbol at_store_byte */
#define STEP_LOAD_HALF	5	/* address		symbol at_load_half */
#define STEP_STORE_HALF	6	/* address, value	symbol at_store_half */
#define STEP_JUMP	7	/* address		symbol at_jump */
#define STEP_ILLEGAL	8	/* -			symbol at_illegal, word ffffffff */
#define STEP_EBREAK	9	/* -			symbol at_ebreak */
#define STEP_ECALL	10	/* -			symbol at_ecall */
#define STEP_NOC	11	/* hi, lo, local, size, command: the last by at_store */
#define STEP_SPIN	12	/* -			for ever, between at_spin and at_spin_end */
#define STEP_WORK	13	/* n			a loop of n turns, no progress */
#define STEP_BEAT	14	/* n, m			n times: heartbeat, and a loop of m turns */
#define STEP_FILL	15	/* address, value, n	n words of L1: value, value + 1, ... */
#define STEP_FAIL_IF	16	/* address, value	exit with 1 unless it is there */
#define STEP_PRINT	17	/* id, n		n lines: who prints, and which line */
#define STEP_CYCLES	18	/* address		cycle count, 64 bits, into L1 */
#define STEP_DIRTY	19	/* address, n		exit with 1 + i if word i is not 0 */
#define STEP_REGS	20	/* address, n, stride, to	n registers, copied into L1 */

#define SCRIPT_ILLEGAL	0xffffffffu

#endif
