// SPDX-License-Identifier: MIT
/* Memory of the core that faulted or is stuck, as a dump shows it. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"

#define ROW	32u	/* bytes of a line of text */

static void print_row(uint32_t address, const uint8_t *bytes)
{
	printf("  %08x ", address);
	for (uint32_t i = 0; i < ROW; i += 4) {
		uint32_t word = (uint32_t)bytes[i] | (uint32_t)bytes[i + 1] << 8 |
				(uint32_t)bytes[i + 2] << 16 | (uint32_t)bytes[i + 3] << 24;

		printf(" %08x", word);
	}
	printf("  ");
	for (uint32_t i = 0; i < ROW; i++)
		putchar(bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '.');
	putchar('\n');
}

static bool is_zero(const uint8_t *bytes)
{
	static const uint8_t zero[ROW];

	return !memcmp(bytes, zero, ROW);
}

/* Rows of zeroes are left out: addresses tell. */
static void print_piece(const struct dump_memory *m)
{
	for (uint32_t at = 0; at < m->head.size; at += ROW)
		if (!is_zero(m->bytes + at))
			print_row(m->head.address + at, m->bytes + at);
}

void dump_print_memory(const struct dump *dump)
{
	const struct tessera_dump *head = &dump->head;

	if (!head->memory_end)
		return;
	if (dump->memory_count)
		printf("\nmemory of core (%u,%u), words; what is not shown is zero\n",
		       dump->memories[0].head.x, dump->memories[0].head.y);
	for (uint32_t i = 0; i < dump->memory_count; i++)
		print_piece(&dump->memories[i]);
	if (head->memory_end < head->memory_limit)
		printf("  %08x .. %08x are not in the dump\n", head->memory_end,
		       head->memory_limit - 1);
}

static json_t *hex(const uint8_t *bytes, uint32_t size)
{
	char *text = malloc((size_t)size * 2 + 1);
	json_t *ret;

	if (!text)
		return NULL;
	for (uint32_t i = 0; i < size; i++)
		sprintf(text + (size_t)i * 2, "%02x", bytes[i]);
	ret = json_string(text);
	free(text);
	return ret;
}

json_t *dump_memory_json(const struct dump *dump)
{
	json_t *pieces;

	if (!dump->head.memory_end)
		return NULL;
	pieces = json_array();
	for (uint32_t i = 0; i < dump->memory_count; i++) {
		const struct dump_memory *m = &dump->memories[i];

		json_array_append_new(pieces, json_pack("{si si sI so}", "x", m->head.x,
							"y", m->head.y, "address",
							(json_int_t)m->head.address, "bytes",
							hex(m->bytes, m->head.size)));
	}
	return json_pack("{sI sI so}", "end", (json_int_t)dump->head.memory_end, "limit",
			 (json_int_t)dump->head.memory_limit, "pieces", pieces);
}
