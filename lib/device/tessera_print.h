/* SPDX-License-Identifier: MIT */
/*
 * Device print. Characters go to a line of this processor; a newline hands the
 * line, tagged with run, core and processor, to whoever reads the run's prints.
 * Part of tessera.h.
 */
#ifndef TESSERA_DEVICE_PRINT_H
#define TESSERA_DEVICE_PRINT_H

#include <stdarg.h>

#include "tessera_core.h"

FORCE_INLINE void dprint_char(char c)
{
	tsr_reg_write(TSR_REG_CORE + TSR_CORE_PRINT, (uint8_t)c);
}

static inline void dprint_str(const char *s)
{
	while (*s)
		dprint_char(*s++);
}

/* The digits of @v in @base, at least @width characters wide, filled with @fill. */
static inline void tsr_print_number(uint64_t v, uint32_t base, uint32_t width, char fill,
				    bool minus)
{
	char digits[24];
	uint32_t n = 0;

	while (v >> 32) {
		digits[n++] = "0123456789abcdef"[v % base];
		v /= base;
	}
	for (uint32_t low = (uint32_t)v; low || !n; low /= base)
		digits[n++] = "0123456789abcdef"[low % base];
	if (minus && fill == '0')
		dprint_char('-');
	for (uint32_t used = n + minus; used < width; used++)
		dprint_char(fill);
	if (minus && fill != '0')
		dprint_char('-');
	while (n)
		dprint_char(digits[--n]);
}

static inline void dprint_u32(uint32_t v)
{
	tsr_print_number(v, 10, 0, ' ', false);
}

static inline void dprint_i32(int32_t v)
{
	tsr_print_number(v < 0 ? 0u - (uint32_t)v : (uint32_t)v, 10, 0, ' ', v < 0);
}

static inline void dprint_u64(uint64_t v)
{
	tsr_print_number(v, 10, 0, ' ', false);
}

/* With 0x in front. */
static inline void dprint_hex(uint32_t v)
{
	dprint_str("0x");
	tsr_print_number(v, 16, 0, ' ', false);
}

FORCE_INLINE void dprint_newline(void)
{
	dprint_char('\n');
}

/* One conversion of device_print(): flag 0, width, l and ll are understood. */
static inline const char *tsr_print_one(const char *fmt, va_list *args)
{
	uint32_t width = 0, longs = 0;
	char fill = ' ';
	uint64_t v;

	if (*fmt == '0')
		fill = *fmt++;
	while (*fmt >= '0' && *fmt <= '9')
		width = 10 * width + (uint32_t)(*fmt++ - '0');
	for (; *fmt == 'l'; fmt++)
		longs++;
	switch (*fmt) {
	case 'd':
	case 'i':
		v = longs > 1 ? va_arg(*args, uint64_t) : (uint64_t)(int64_t)va_arg(*args, int32_t);
		if ((int64_t)v < 0)
			tsr_print_number(0 - v, 10, width, fill, true);
		else
			tsr_print_number(v, 10, width, fill, false);
		break;
	case 'u':
	case 'x':
		v = longs > 1 ? va_arg(*args, uint64_t) : va_arg(*args, uint32_t);
		tsr_print_number(v, *fmt == 'u' ? 10 : 16, width, fill, false);
		break;
	case 'p':
		dprint_hex((uint32_t)va_arg(*args, void *));
		break;
	case 's':
		dprint_str(va_arg(*args, const char *));
		break;
	case 'c':
		dprint_char((char)va_arg(*args, int));
		break;
	default:
		dprint_char('%');
		return *fmt == '%' ? fmt + 1 : fmt;
	}
	return fmt + 1;
}

/* A small printf: %d %i %u %x %p %s %c %%, with flag 0, width, l and ll. */
static inline __attribute__((format(printf, 1, 2))) void device_print(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	while (*fmt) {
		if (*fmt == '%')
			fmt = tsr_print_one(fmt + 1, &args);
		else
			dprint_char(*fmt++);
	}
	va_end(args);
}

#endif
