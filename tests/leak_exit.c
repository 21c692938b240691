// SPDX-License-Identifier: MIT
/*
 * The kselftest harness runs each test in a child that ends by _exit(), where the leak checker
 * does not look. Linked with --wrap=_exit, native tests look there: a leak fails its test.
 */
#include <sanitizer/lsan_interface.h>
#include <stdlib.h>
#include <unistd.h>

void __real__exit(int code) __attribute__((noreturn));
void __wrap__exit(int code) __attribute__((noreturn));

void __wrap__exit(int code)
{
	if (code == 0 && __lsan_do_recoverable_leak_check())
		code = 1;
	__real__exit(code);
}
