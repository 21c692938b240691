// SPDX-License-Identifier: MIT
#include "common_alloc.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/socket.h>

static atomic_ulong count, fail_at;
static atomic_bool persistent, failed;

void alloc_fail(unsigned long nth, bool and_all_after)
{
	atomic_store(&fail_at, 0);
	atomic_store(&count, 0);
	atomic_store(&failed, false);
	atomic_store(&persistent, and_all_after);
	atomic_store(&fail_at, nth);
}

unsigned long alloc_count(void)
{
	return atomic_load(&count);
}

bool alloc_failed(void)
{
	return atomic_load(&failed);
}

static bool refuse(void)
{
	unsigned long n = atomic_fetch_add(&count, 1) + 1, at = atomic_load(&fail_at);

	if (!at || n < at || (n > at && !atomic_load(&persistent)))
		return false;
	atomic_store(&failed, true);
	errno = ENOMEM;
	return true;
}

#define WRAP(type, name, params, args)			\
	type __real_##name params;			\
	type __wrap_##name params;			\
	type __wrap_##name params			\
	{						\
		return refuse() ? NULL : __real_##name args;	\
	}

WRAP(void *, malloc, (size_t size), (size))
WRAP(void *, calloc, (size_t n, size_t size), (n, size))
WRAP(void *, realloc, (void *p, size_t size), (p, size))
WRAP(char *, strdup, (const char *text), (text))
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode))
WRAP(FILE *, fdopen, (int fd, const char *mode), (fd, mode))
WRAP(FILE *, open_memstream, (char **text, size_t *size), (text, size))
WRAP(DIR *, opendir, (const char *path), (path))

WRAP(struct nl_sock *, nl_socket_alloc, (void), ())
WRAP(struct nl_msg *, nlmsg_alloc, (void), ())
WRAP(struct nl_cb *, nl_cb_alloc, (enum nl_cb_kind kind), (kind))

int __real_vasprintf(char **text, const char *format, va_list args);
int __wrap_vasprintf(char **text, const char *format, va_list args);

int __wrap_vasprintf(char **text, const char *format, va_list args)
{
	return refuse() ? -1 : __real_vasprintf(text, format, args);
}

int __real_scandir(const char *path, struct dirent ***list,
		   int (*filter)(const struct dirent *),
		   int (*compare)(const struct dirent **, const struct dirent **));
int __wrap_scandir(const char *path, struct dirent ***list,
		   int (*filter)(const struct dirent *),
		   int (*compare)(const struct dirent **, const struct dirent **));

int __wrap_scandir(const char *path, struct dirent ***list,
		   int (*filter)(const struct dirent *),
		   int (*compare)(const struct dirent **, const struct dirent **))
{
	return refuse() ? -1 : __real_scandir(path, list, filter, compare);
}
