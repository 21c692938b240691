// SPDX-License-Identifier: MIT
/* tessera program and tessera cache, on files that the library wrote. */
#include <errno.h>
#include <unistd.h>

#include "common_saved.h"
#include "kselftest_harness.h"

FIXTURE(tool) {
	struct saved_op s;
	char dir[64];
	char *text;
};

static void put(const char *dir, const char *name, const void *data, size_t size)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		abort();
}

FIXTURE_SETUP(tool)
{
	uint8_t *file;
	size_t size;

	strcpy(self->dir, "/tmp/tsr-tool-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	unsetenv("TESSERA_IMAGE_CACHE");
	setenv("XDG_CACHE_HOME", self->dir, 1);
	saved_op_new(&self->s);
	self->s.rig->dev->disk = true;
	file = saved_op_file(&self->s, &size);
	put(self->dir, "a", file, size);
	put(self->dir, "short", file, size - 9);
	free(file);
	self->s.scale = "4";
	file = saved_op_file(&self->s, &size);
	put(self->dir, "b", file, size);
	free(file);
}

FIXTURE_TEARDOWN(tool)
{
	char command[128];

	free(self->text);
	saved_op_free(&self->s);
	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	ASSERT_EQ(0, system(command));
}

/* In the folder of the files; its output is in self->text, its status is returned. */
static int tool(struct _test_data_tool *self, const char *arguments)
{
	char command[512], block[4096];
	size_t n, size = 0;
	FILE *out;

	snprintf(command, sizeof(command), "cd %s && %s/tessera %s 2>&1", self->dir, TSR_BUILDDIR,
		 arguments);
	out = popen(command, "r");
	free(self->text);
	self->text = calloc(1, 1);
	while ((n = fread(block, 1, sizeof(block), out))) {
		self->text = realloc(self->text, size + n + 1);
		memcpy(self->text + size, block, n);
		size += n;
		self->text[size] = '\0';
	}
	return WEXITSTATUS(pclose(out));
}

#define SAYS(what) EXPECT_NE(NULL, strstr(self->text, what)) { TH_LOG("%s", self->text); }

TEST_F(tool, show)
{
	EXPECT_EQ(0, tool(self, "program show a"));
	SAYS("operation              saved\n");
	SAYS("SCALE            3\n");
	EXPECT_EQ(0, tool(self, "program show --json a"));
	SAYS("\"needs factory\": true");
}

TEST_F(tool, hash_is_the_fingerprint_of_the_program)
{
	char hex[34] = "";

	self->s.scale = "3";
	ASSERT_EQ(0, rig_prepare(self->s.rig));
	for (int i = 0; i < 16; i++)
		sprintf(hex + 2 * i, "%02x", self->s.rig->program->digest.bytes[i]);
	strcat(hex, "\n");
	EXPECT_EQ(0, tool(self, "program hash a"));
	EXPECT_STREQ(hex, self->text);
}

TEST_F(tool, diff)
{
	EXPECT_EQ(0, tool(self, "program diff a a"));
	EXPECT_STREQ("", self->text);
	EXPECT_EQ(1, tool(self, "program diff a b"));
	SAYS("descriptors/0/supplied definitions/SCALE: 3 -> 4\n");
	SAYS("fingerprint: ");
	EXPECT_EQ(1, tool(self, "program diff --json a b"));
	SAYS("\"path\": \"descriptors/0/supplied definitions/SCALE\"");
	EXPECT_EQ(1, tool(self, "program diff a short"));
}

TEST_F(tool, check)
{
	EXPECT_EQ(0, tool(self, "program check a"));
	EXPECT_STREQ("", self->text);
	EXPECT_EQ(1, tool(self, "program check short"));
	SAYS("RN-3");
	EXPECT_EQ(1, tool(self, "program check --json short"));
	SAYS("\"good\": false");
	EXPECT_EQ(1, tool(self, "program check absent"));
	EXPECT_EQ(1, tool(self, "program check --device /dev/null a"));
	EXPECT_EQ(2, tool(self, "program check"));
	EXPECT_EQ(2, tool(self, "program burn a"));
}

TEST_F(tool, cache)
{
	EXPECT_EQ(0, tool(self, "cache stat"));
	/* Two descriptors with two values of SCALE, and the explicit mover. */
	SAYS("5 entries");
	EXPECT_EQ(0, tool(self, "cache stat --json"));
	SAYS("\"entries\": 5");
	EXPECT_EQ(0, tool(self, "cache show"));
	SAYS("compute math\n");
	SAYS("dm1     second\n");
	EXPECT_EQ(0, tool(self, "cache show --json"));
	SAYS("\"kernel\": \"second\"");
	EXPECT_EQ(2, tool(self, "cache limit many"));
	EXPECT_EQ(2, tool(self, "cache limit 99999999999G"));
	EXPECT_EQ(0, tool(self, "cache limit 1K"));
	EXPECT_EQ(0, tool(self, "cache stat --json"));
	SAYS("\"limit\": 1024");
	EXPECT_EQ(0, tool(self, "cache clear --json"));
	SAYS("\"removed\": ");
	EXPECT_EQ(0, tool(self, "cache clear"));
	SAYS("0 entries removed");
	setenv("TESSERA_IMAGE_CACHE", "off", 1);
	EXPECT_EQ(1, tool(self, "cache stat"));
	SAYS("there is no cache");
}

TEST_HARNESS_MAIN
