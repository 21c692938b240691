// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "util.h"
#include "verdict.h"

/* The process that the driver started did not end by itself, or the compiler is at fault. */
static const char *const troubles[] = {
	"due to signal", "terminated by signal", "unable to execute command", "Killed",
	"ended by signal", "PLEASE submit a bug report", "internal compiler error",
	"unable to make temporary file", "out of memory", "Out of memory", "virtual memory exhausted",
	"LLVM ERROR", "IO failure", "could not write", "error closing", "unexpected EOF",
};

/* Errors of system calls that have nothing to do with the source. */
static const int passing[] = {
	EINTR, EIO, EAGAIN, ENOMEM, EACCES, EPERM, EBUSY, ENFILE, EMFILE, ETXTBSY, EFBIG, ENOSPC,
	EROFS, EDQUOT, ESTALE, ETIMEDOUT, ENODEV, ENXIO, ENOTCONN,
};

/* What a linker says of the program itself. */
static const char *const link_errors[] = {
	TSR_DOES_NOT_FIT, "undefined symbol:", "undefined reference to", "duplicate symbol:",
	"multiple definition of", "will not fit in region", "relocation R_RISCV",
};

static bool mentions(const char *text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(text, list[i]))
			return true;
	return false;
}

static bool mentions_passing(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(passing); i++)
		if (strstr(text, strerrordesc_np(passing[i])))
			return true;
	return false;
}

/* "name:12:3: error: " or "name:12:3: fatal error: ", as clang and GCC write it. */
static bool names_a_place(const char *text)
{
	for (const char *p = text; (p = strstr(p, "error: ")); p++) {
		const char *at = p;

		if (at - text >= 6 && !strncmp(at - 6, "fatal ", 6))
			at -= 6;
		if (at - text >= 5 && at[-1] == ' ' && at[-2] == ':' &&
		    isdigit((unsigned char)at[-3]))
			return true;
	}
	return false;
}

bool tsr_verdict_lasts(const struct tsr_ending *ending)
{
	const char *text = ending->output;

	/* 70: a bug of clang's. 128 and above: a signal, as a shell or clang's driver tells it. */
	if (ending->status <= 0 || ending->status == 70 || ending->status >= 126)
		return false;
	if (mentions(text, troubles, ARRAY_SIZE(troubles)) || mentions_passing(text))
		return false;
	return names_a_place(text) || mentions(text, link_errors, ARRAY_SIZE(link_errors));
}
