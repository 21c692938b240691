// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

int tsr_vec_grow(struct tsr_vec *vec, size_t size, size_t n)
{
	size_t room, bytes;
	void *data;

	if (__builtin_add_overflow(vec->count, n, &room))
		return -ENOMEM;
	if (room < vec->room * 2)
		room = vec->room * 2;
	if (room < 8)
		room = 8;
	if (__builtin_mul_overflow(room, size, &bytes))
		return -ENOMEM;
	data = realloc(vec->data, bytes);
	if (!data)
		return -ENOMEM;
	vec->data = data;
	vec->room = room;
	return 0;
}

void tsr_vec_free(struct tsr_vec *vec)
{
	free(vec->data);
	*vec = (struct tsr_vec){ 0 };
}

char *tsr_text(const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	return n < 0 ? NULL : text;
}

bool tsr_name_ok(const char *name)
{
	size_t n = name ? strnlen(name, 64) : 0;

	if (n < 1 || n > 63)
		return false;
	for (size_t i = 0; i < n; i++)
		if (name[i] < 0x20 || name[i] > 0x7e)
			return false;
	return true;
}

int64_t tsr_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t tsr_deadline(int64_t timeout_ns)
{
	int64_t ns;

	if (timeout_ns <= 0)
		return timeout_ns ? -1 : 0;
	return __builtin_add_overflow(tsr_now(), timeout_ns, &ns) ? INT64_MAX : ns;
}

int tsr_write_all(int fd, const void *data, size_t size)
{
	const char *p = data;

	while (size) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		size -= (size_t)n;
	}
	return 0;
}
