// SPDX-License-Identifier: MIT
#include "check.h"

void kernel_main(void)
{
	dprint_str("plain ");
	dprint_u32(4294967295u);
	dprint_char(' ');
	dprint_i32(-2147483647 - 1);
	dprint_char(' ');
	dprint_hex(0xbeef);
	dprint_char(' ');
	dprint_u64(18446744073709551615ull);
	dprint_newline();
	device_print("%d %i %u %x %s %c %%\n", -5, 0, 7u, 0xau, "text", 'z');
	device_print("[%5d] [%05d] [%08x] [%2u]\n", -42, -42, 0x1fu, 12345u);
	device_print("%llu %lld %llx %lu %p\n", 1234567890123ull, -1234567890123ll,
		     0x123456789abcull, 3ul, (void *)0x100);
	DPRINT("no newline at the end");
}
