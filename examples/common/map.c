// SPDX-License-Identifier: MIT
#include <common/session.h>

#include <inttypes.h>
#include <stdio.h>

/* "1,234,567" into @buf, which has room for 27 bytes. */
static const char *grouped(uint64_t v, char *buf)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v), o = 0;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			buf[o++] = ',';
		buf[o++] = digits[i];
	}
	buf[o] = '\0';
	return buf;
}

/* Cycles of a core: those of its slowest processor. 0 when it took no part. */
static uint64_t cycles_of(const struct tsr_processor_stats *stats, size_t count, uint32_t x,
			  uint32_t y)
{
	uint64_t most = 0;

	for (size_t i = 0; i < count; i++)
		if (stats[i].x == x && stats[i].y == y && stats[i].cycles > most)
			most = stats[i].cycles;
	return most;
}

static int column_width(const struct tsr_processor_stats *stats, size_t count)
{
	uint64_t most = 0;
	char buf[27];

	for (size_t i = 0; i < count; i++)
		if (stats[i].cycles > most)
			most = stats[i].cycles;
	return snprintf(NULL, 0, "%s", grouped(most, buf)) + 2;
}

void map_print(const struct session *s, const struct tsr_processor_stats *stats, size_t count,
	       const char *indent)
{
	int width = column_width(stats, count);
	char buf[27];

	printf("%scycles y\\x", indent);
	for (uint32_t x = 0; x < s->limits.grid_width; x++)
		printf("%*u", x ? width : width - 4, x);
	printf("\n");
	for (uint32_t y = 0; y < s->limits.grid_height; y++) {
		printf("%s%6u", indent, y);
		for (uint32_t x = 0; x < s->limits.grid_width; x++) {
			uint64_t cycles = cycles_of(stats, count, x, y);
			bool works = tsr_coreset_contains(s->cores, (uint16_t)x, (uint16_t)y);

			printf("%*s", width, !works ? "x" : cycles ? grouped(cycles, buf) : "-");
		}
		printf("\n");
	}
}
