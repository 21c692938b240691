// SPDX-License-Identifier: MIT
/* DPRINT() with every type and placeholder; with MISTAKE, what must not compile or must fail. */
#include "check.h"

static volatile int no = 0;

void kernel_main(void)
{
	const char *text = "text";
	uint8_t byte = 200;
	int16_t small = -300;
	volatile uint32_t *l1 = (volatile uint32_t *)0x100;
	bool yes = true;
	float tenth = 0.1f, huge = 0x1p100f, nothing = (float)no / (float)no;

#if defined(MISTAKE)
	(void)small;
	(void)yes;
	(void)text;
	DPRINT(MISTAKE);
	CHECK(0);
#endif
	DPRINT("nothing\n");
	DPRINT("{} {} {} {} {}\n", byte, small, -2147483647 - 1, 4294967295u, (signed char)-1);
	DPRINT("{} {} {}\n", 18446744073709551615ull, -9223372036854775807ll, 3ul);
	DPRINT("{} {} {} {} {}\n", text, (char)120, yes, (bool)(no != 0), "literal");
	DPRINT("{} {}\n", (void *)0xbeef, l1);
	DPRINT("[{:5}] [{:05}] [{:x}] [{:#x}] [{:08x}] [{:#06x}] [{:d}]\n", -42, -42, 0xabcu, 0xabcu,
	       0x1fu, 0x1fu, 7);
	DPRINT("{{}} {{{}}} }} 100%\n", 1);
	DPRINT("{} {} {} {} {} {}\n", tenth, -1.5f, 3e9f, 0.9999999f, huge, nothing);
	DPRINT("{} {}\n", 1.0f / (float)no, -0.0f);
	DPRINT("{} {} {} {} {} {} {} {} {} {} {} {}\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
	DPRINT("no newline at the end");
}
