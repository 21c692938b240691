/* SPDX-License-Identifier: MIT */
#ifndef TSR_PROCESS_H
#define TSR_PROCESS_H

#include <stddef.h>

/**
 * tsr_spawn() - start a program, without a shell, and wait for its end (JIT-1)
 * @argv: program, found in PATH, and arguments; ends with NULL
 * @ret_output: what it wrote to standard output and error, at most the first 256 KiB; free() it
 * @ret_status: its exit status; 128 + the signal that ended it; -1 when nobody can know, because
 *              the process ignores SIGCHLD
 *
 * Messages come in English, whatever the locale is. Return: 0, -errno when it cannot be started.
 */
int tsr_spawn(char *const argv[], char **ret_output, int *ret_status);

#endif
