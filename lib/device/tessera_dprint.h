/* SPDX-License-Identifier: MIT */
/*
 * DPRINT(): device print with brace formats, as today's tt-metal has it. Part of
 * tessera.h.
 *
 *	DPRINT("core ({},{}): {:#x} of {}\n", my_x(), my_y(), address, name);
 *
 * The format is a string literal. "{}" prints the next argument as its type says:
 * integers in decimal, float with six decimals, bool as true or false, char as a
 * character, char pointers as text, other pointers in hexadecimal. In C the constants
 * true, false and 'x' are of type int. "{:SPEC}" is for integers:
 *
 *	SPEC = [#] [0] [WIDTH] [d | x]
 *
 * "{{" and "}}" print a brace. Mistakes do not compile: a number of arguments that
 * is not the number of placeholders, anything else between braces, a type that
 * cannot be printed, a format that is no literal or longer than 128 characters. A
 * SPEC with letters that are not understood, or for an argument that is no integer,
 * fails an assertion; so does every mistake when the compiler does not optimise.
 */
#ifndef TESSERA_DEVICE_DPRINT_H
#define TESSERA_DEVICE_DPRINT_H

#include "tessera_print.h"

#define TSR_DPRINT_MAX		128

/* What stands between '{' and '}'. */
struct tsr_print_spec {
	uint32_t width, base;
	char fill;
	bool prefix, given;
};

/* struct tsr_print_arg - one argument of DPRINT(), and what prints its type */
struct tsr_print_arg {
	uint64_t value;
	void (*print)(uint64_t value, const struct tsr_print_spec *spec);
};

static inline void tsr_print_integer(uint64_t size, const struct tsr_print_spec *spec, bool minus)
{
	if (spec->prefix && spec->base == 16)
		dprint_str("0x");
	tsr_print_number(size, spec->base, spec->width, spec->fill, minus);
}

static inline void tsr_print_unsigned(uint64_t value, const struct tsr_print_spec *spec)
{
	tsr_print_integer(value, spec, false);
}

static inline void tsr_print_signed(uint64_t value, const struct tsr_print_spec *spec)
{
	bool minus = (int64_t)value < 0;

	tsr_print_integer(minus ? 0 - value : value, spec, minus);
}

static inline void tsr_print_bool(uint64_t value, const struct tsr_print_spec *spec)
{
	ASSERT(!spec->given);
	dprint_str(value ? "true" : "false");
}

static inline void tsr_print_character(uint64_t value, const struct tsr_print_spec *spec)
{
	ASSERT(!spec->given);
	dprint_char((char)value);
}

static inline void tsr_print_text(uint64_t value, const struct tsr_print_spec *spec)
{
	ASSERT(!spec->given);
	dprint_str((const char *)(uintptr_t)value);
}

static inline void tsr_print_pointer(uint64_t value, const struct tsr_print_spec *spec)
{
	ASSERT(!spec->given);
	dprint_hex((uint32_t)value);
}

/* Six decimals; from 2^63 on, the bits. */
static inline void tsr_print_float(uint64_t value, const struct tsr_print_spec *spec)
{
	union {
		uint32_t bits;
		float number;
	} size = { .bits = (uint32_t)value & 0x7fffffff };
	uint64_t whole;
	uint32_t millionths;

	ASSERT(!spec->given);
	if (size.bits > 0x7f800000) {
		dprint_str("nan");
		return;
	}
	if (value >> 31)
		dprint_char('-');
	if (size.number >= 0x1p63f) {
		dprint_str(size.bits == 0x7f800000 ? "inf" : "float:");
		if (size.bits != 0x7f800000)
			dprint_hex(size.bits);
		return;
	}
	whole = (uint64_t)size.number;
	millionths = (uint32_t)((size.number - (float)whole) * 1e6f + 0.5f);
	dprint_u64(whole + millionths / 1000000);
	dprint_char('.');
	tsr_print_number(millionths % 1000000, 10, 6, '0', false);
}

FORCE_INLINE struct tsr_print_arg tsr_arg_signed(int64_t v)
{
	return (struct tsr_print_arg){ (uint64_t)v, tsr_print_signed };
}

FORCE_INLINE struct tsr_print_arg tsr_arg_unsigned(uint64_t v)
{
	return (struct tsr_print_arg){ v, tsr_print_unsigned };
}

FORCE_INLINE struct tsr_print_arg tsr_arg_bool(bool v)
{
	return (struct tsr_print_arg){ v, tsr_print_bool };
}

FORCE_INLINE struct tsr_print_arg tsr_arg_character(char v)
{
	return (struct tsr_print_arg){ (uint8_t)v, tsr_print_character };
}

FORCE_INLINE struct tsr_print_arg tsr_arg_text(const char *v)
{
	return (struct tsr_print_arg){ (uintptr_t)v, tsr_print_text };
}

FORCE_INLINE struct tsr_print_arg tsr_arg_pointer(const volatile void *v)
{
	return (struct tsr_print_arg){ (uintptr_t)v, tsr_print_pointer };
}

FORCE_INLINE struct tsr_print_arg tsr_arg_float(float v)
{
	union {
		float number;
		uint32_t bits;
	} u = { .number = v };

	return (struct tsr_print_arg){ u.bits, tsr_print_float };
}

#define TSR_PRINT_ARG(x)								\
	_Generic((x),									\
		 bool: tsr_arg_bool,							\
		 char: tsr_arg_character,						\
		 signed char: tsr_arg_signed,						\
		 short: tsr_arg_signed,							\
		 int: tsr_arg_signed,							\
		 long: tsr_arg_signed,							\
		 long long: tsr_arg_signed,						\
		 unsigned char: tsr_arg_unsigned,					\
		 unsigned short: tsr_arg_unsigned,					\
		 unsigned int: tsr_arg_unsigned,					\
		 unsigned long: tsr_arg_unsigned,					\
		 unsigned long long: tsr_arg_unsigned,					\
		 float: tsr_arg_float,							\
		 char *: tsr_arg_text,							\
		 const char *: tsr_arg_text,						\
		 void *: tsr_arg_pointer,						\
		 const void *: tsr_arg_pointer,						\
		 volatile void *: tsr_arg_pointer,					\
		 uint32_t *: tsr_arg_pointer,						\
		 const uint32_t *: tsr_arg_pointer,					\
		 volatile uint32_t *: tsr_arg_pointer)(x),

/* From behind '{' to behind '}'. */
static inline const char *tsr_print_spec(const char *fmt, struct tsr_print_spec *ret)
{
	*ret = (struct tsr_print_spec){ .base = 10, .fill = ' ' };
	if (*fmt == ':') {
		ret->given = true;
		fmt++;
		ret->prefix = *fmt == '#';
		fmt += ret->prefix;
		if (*fmt == '0')
			ret->fill = *fmt++;
		while (*fmt >= '0' && *fmt <= '9')
			ret->width = 10 * ret->width + (uint32_t)(*fmt++ - '0');
		if (*fmt == 'x')
			ret->base = 16;
		fmt += *fmt == 'x' || *fmt == 'd';
	}
	ASSERT(*fmt == '}');
	return fmt + 1;
}

static inline void tsr_print_braces(const char *fmt, const struct tsr_print_arg *args, uint32_t n)
{
	struct tsr_print_spec spec;

	while (*fmt) {
		if (fmt[0] == fmt[1] && (*fmt == '{' || *fmt == '}')) {
			dprint_char(*fmt);
			fmt += 2;
		} else if (*fmt == '{') {
			ASSERT(n > 0);
			fmt = tsr_print_spec(fmt + 1, &spec);
			args->print(args->value, &spec);
			args++;
			n--;
		} else {
			dprint_char(*fmt++);
		}
	}
	ASSERT(!n);
}

/*
 * What is looked at while compiling, character by character of @f, an array of
 * TSR_DPRINT_MAX + 4 characters with three zeros in front: a placeholder begins at the
 * last of one or three braces in a row.
 */
#define TSR_FMT_OPENS(f, i)								\
	((f)[i] == '{' && (f)[(i) + 1] != '{' &&					\
	 ((f)[(i) - 1] != '{' || ((f)[(i) - 2] == '{' && (f)[(i) - 3] != '{')))
#define TSR_FMT_BAD(f, i)								\
	(TSR_FMT_OPENS(f, i) && (f)[(i) + 1] != '}' && (f)[(i) + 1] != ':')

#define TSR_SUM_4(m, f, i)	(m(f, i) + m(f, (i) + 1) + m(f, (i) + 2) + m(f, (i) + 3))
#define TSR_SUM_16(m, f, i)								\
	(TSR_SUM_4(m, f, i) + TSR_SUM_4(m, f, (i) + 4) +				\
	 TSR_SUM_4(m, f, (i) + 8) + TSR_SUM_4(m, f, (i) + 12))
#define TSR_SUM_64(m, f, i)								\
	(TSR_SUM_16(m, f, i) + TSR_SUM_16(m, f, (i) + 16) +				\
	 TSR_SUM_16(m, f, (i) + 32) + TSR_SUM_16(m, f, (i) + 48))
#define TSR_SUM_ALL(m, f)	(TSR_SUM_64(m, f, 3) + TSR_SUM_64(m, f, 67))

#ifdef __OPTIMIZE__
void tsr_dprint_arguments(void)
	__attribute__((error("DPRINT: the format has more or fewer {} than there are arguments")));
void tsr_dprint_braces(void)
	__attribute__((error("DPRINT: a placeholder is {} or {:SPEC}; a brace is {{ or }}")));
#else
#define tsr_dprint_arguments()	ASSERT(!"DPRINT: as many {} as arguments")
#define tsr_dprint_braces()	ASSERT(!"DPRINT: a placeholder is {} or {:SPEC}")
#endif

/* TSR_PRINT_ARG() of each argument. */
#define TSR_EACH_0(m, ...)
#define TSR_EACH_1(m, x, ...)	m(x)
#define TSR_EACH_2(m, x, ...)	m(x) TSR_EACH_1(m, __VA_ARGS__)
#define TSR_EACH_3(m, x, ...)	m(x) TSR_EACH_2(m, __VA_ARGS__)
#define TSR_EACH_4(m, x, ...)	m(x) TSR_EACH_3(m, __VA_ARGS__)
#define TSR_EACH_5(m, x, ...)	m(x) TSR_EACH_4(m, __VA_ARGS__)
#define TSR_EACH_6(m, x, ...)	m(x) TSR_EACH_5(m, __VA_ARGS__)
#define TSR_EACH_7(m, x, ...)	m(x) TSR_EACH_6(m, __VA_ARGS__)
#define TSR_EACH_8(m, x, ...)	m(x) TSR_EACH_7(m, __VA_ARGS__)
#define TSR_EACH_9(m, x, ...)	m(x) TSR_EACH_8(m, __VA_ARGS__)
#define TSR_EACH_10(m, x, ...)	m(x) TSR_EACH_9(m, __VA_ARGS__)
#define TSR_EACH_11(m, x, ...)	m(x) TSR_EACH_10(m, __VA_ARGS__)
#define TSR_EACH_12(m, x, ...)	m(x) TSR_EACH_11(m, __VA_ARGS__)
#define TSR_EACH_N(a, b, c, d, e, f, g, h, i, j, k, l, m, each, ...)	each
/* The first of __VA_ARGS__ is the format. */
#define TSR_EACH_PICK(...)								\
	TSR_EACH_N(__VA_ARGS__, TSR_EACH_12, TSR_EACH_11, TSR_EACH_10, TSR_EACH_9,	\
		   TSR_EACH_8, TSR_EACH_7, TSR_EACH_6, TSR_EACH_5, TSR_EACH_4, TSR_EACH_3, \
		   TSR_EACH_2, TSR_EACH_1, TSR_EACH_0, 0)
#define TSR_FMT_FIRST(fmt, ...)	"" fmt
#define TSR_FMT_REST(m, each, fmt, ...)	each(m, __VA_ARGS__)

/* At most 12 arguments. */
#define DPRINT(...)									\
	do {										\
		static const char tsr_fmt_[TSR_DPRINT_MAX + 8] =			\
			"\0\0" "\0" TSR_FMT_FIRST(__VA_ARGS__, 0);			\
		const struct tsr_print_arg tsr_args_[] = {				\
			TSR_FMT_REST(TSR_PRINT_ARG, TSR_EACH_PICK(__VA_ARGS__), __VA_ARGS__, 0) \
			{ 0, 0 },					\
		};									\
		const uint32_t tsr_n_ = sizeof(tsr_args_) / sizeof(tsr_args_[0]) - 1;	\
											\
		_Static_assert(sizeof(TSR_FMT_FIRST(__VA_ARGS__, 0)) <= TSR_DPRINT_MAX + 1, \
			       "DPRINT: a format has 128 characters at most");		\
		if (TSR_SUM_ALL(TSR_FMT_BAD, tsr_fmt_))					\
			tsr_dprint_braces();						\
		if (TSR_SUM_ALL(TSR_FMT_OPENS, tsr_fmt_) != tsr_n_)			\
			tsr_dprint_arguments();						\
		tsr_print_braces(tsr_fmt_ + 3, tsr_args_, tsr_n_);			\
	} while (0)

#endif
