// SPDX-License-Identifier: MIT
/*
 * Golden vectors (FP-4): canonical bytes and digests of the structures in tests/golden/structures
 * are those in tests/golden/vectors. tests/lib/golden_recompute.sh has a second implementation say
 * the same, and "make check-cross" runs this program on other machines.
 */
#include "common_golden.h"
#include "kselftest_harness.h"

/* A line of the vectors: name, digest, bytes. */
static void print_vector(const struct golden *golden, FILE *out)
{
	const struct tsr_vec *bytes = &golden->call->plan.bytes.bytes;

	fprintf(out, "%s ", golden->name);
	for (size_t i = 0; i < sizeof(golden->digest.bytes); i++)
		fprintf(out, "%02x", golden->digest.bytes[i]);
	fputc(' ', out);
	for (size_t i = 0; i < bytes->count; i++)
		fprintf(out, "%02x", ((const uint8_t *)bytes->data)[i]);
	fputc('\n', out);
}

static char *next_line(FILE *in)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, in) >= 0)
		if (line[0] != '#')
			return line;
	free(line);
	return NULL;
}

TEST(bytes_and_digests_of_all_structures)
{
	FILE *structures = golden_open("structures"), *vectors = golden_open("vectors");
	struct golden golden;
	int count = 0;

	while (golden_read(structures, &golden)) {
		char *want = next_line(vectors), *have = NULL;
		size_t size;
		FILE *out = open_memstream(&have, &size);

		golden_make(&golden);
		print_vector(&golden, out);
		fclose(out);
		EXPECT_STREQ(want ? want : "", have);
		free(want);
		free(have);
		golden_free(&golden);
		count++;
	}
	EXPECT_EQ(NULL, next_line(vectors));
	EXPECT_GE(count, 30);
	fclose(structures);
	fclose(vectors);
}

static void read_all(struct golden *list, size_t *ret_count)
{
	FILE *structures = golden_open("structures");

	*ret_count = 0;
	while (golden_read(structures, &list[*ret_count]))
		golden_make(&list[(*ret_count)++]);
	fclose(structures);
}

/* Structures named "NAME.same" differ in words and order only from NAME; all others differ. */
TEST(only_what_is_named_the_same_is_the_same)
{
	static struct golden list[100];
	size_t n;

	read_all(list, &n);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			size_t stem = strcspn(list[i].name, "."), other = strcspn(list[k].name, ".");
			bool same = stem == other && !memcmp(list[i].name, list[k].name, stem);

			EXPECT_EQ(same, !memcmp(&list[i].digest, &list[k].digest,
						sizeof(list[i].digest))) {
				TH_LOG("%s %s", list[i].name, list[k].name);
			}
		}
	for (size_t i = 0; i < n; i++)
		golden_free(&list[i]);
}

/* TSR_GOLDEN_WRITE=FILE writes the vectors, for a new schema. */
int main(int argc, char **argv)
{
	const char *path = getenv("TSR_GOLDEN_WRITE");
	FILE *structures, *out;
	struct golden golden;

	if (!path)
		return test_harness_run(argc, argv);
	structures = golden_open("structures");
	out = fopen(path, "w");
	fputs("# SPDX-License-Identifier: MIT\n"
	      "# Of each structure: name, XXH3-128 in canonical form, canonical bytes.\n", out);
	while (golden_read(structures, &golden)) {
		golden_make(&golden);
		print_vector(&golden, out);
		golden_free(&golden);
	}
	fclose(structures);
	return fclose(out);
}
