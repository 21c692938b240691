/* SPDX-License-Identifier: MIT */
/* Starting a program and waiting for its end, whatever process this library is part of (JIT-1). */
#ifndef TSR_PROCESS_H
#define TSR_PROCESS_H

#include <stddef.h>

/** struct tsr_process - what to start */
struct tsr_process {
	char *const *argv;	/* program, found in PATH, and arguments; ends with NULL */
	const char *dir;	/* its working folder; NULL: that of this process */
	const char *tmp;	/* its TMPDIR; NULL: none */
};

/** struct tsr_ending - how it went */
struct tsr_ending {
	int status;	/* exit status; negative: the signal that ended it */
	char *output;	/* its standard output and error, at most the first 256 KiB; free() it */
};

/**
 * tsr_spawn() - start a program, without a shell, and wait for its end (JIT-1)
 * @process: the program
 * @ret_ending: how it went
 *
 * It waits for the program alone, not for what that leaves running. The program inherits no signal
 * disposition, no mask and no descriptor of this process, and few of its variables; it is in a
 * process group of its own. What this process does with SIGCHLD does not matter. Messages come in
 * English.
 *
 * Return: 0; -errno when it was not started; -ECHILD when nobody knows how it ended.
 */
int tsr_spawn(const struct tsr_process *process, struct tsr_ending *ret_ending);

/** tsr_spawn_cannot() - whether an error of tsr_spawn() says that there is no such program */
int tsr_spawn_cannot(int err);

#endif
