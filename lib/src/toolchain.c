// SPDX-License-Identifier: MIT
/* Finding the compiler and the installed set-up, and telling them from others (FP-3, JIT-4). */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hash.h"
#include "source.h"
#include "process.h"
#include "toolchain.h"

#ifndef TSR_DEVICE_DIR
#define TSR_DEVICE_DIR ""
#endif
/* The same relative to where the library is, so that an installed tree can be moved. */
#ifndef TSR_DEVICE_BESIDE
#define TSR_DEVICE_BESIDE ""
#endif

#define MAX_SETUP_FILE	(4u << 20)

void tsr_toolchain_init(struct tsr_toolchain *tc)
{
	pthread_mutex_init(&tc->lock, NULL);
}

/* Nothing was found yet. */
static void forget(struct tsr_toolchain *tc)
{
	free(tc->compiler);
	free(tc->version);
	free(tc->device_dir);
	free(tc->include_dir);
	tc->compiler = NULL;
	tc->version = NULL;
	tc->device_dir = NULL;
	tc->include_dir = NULL;
	tc->known = false;
}

void tsr_toolchain_fini(struct tsr_toolchain *tc)
{
	pthread_mutex_destroy(&tc->lock);
	forget(tc);
}

/* The first of @dirs that holds @file, as new text; NULL for none. 0, -ENOMEM. */
static int find_dir(const char *const *dirs, size_t n, const char *base, const char *file,
		    char **ret_dir)
{
	for (size_t i = 0; i < n; i++) {
		char *dir, *path;
		bool there;

		if (!dirs[i] || (!base && !dirs[i][0]))
			continue;
		dir = tsr_text("%s%s", base ? base : "", dirs[i]);
		path = dir ? tsr_text("%s/%s", dir, file) : NULL;
		if (!path) {
			free(dir);
			return -ENOMEM;
		}
		there = !access(path, R_OK);
		free(path);
		if (there) {
			*ret_dir = dir;
			return 0;
		}
		free(dir);
	}
	*ret_dir = NULL;
	return 0;
}

/* Where this library is, as the loader says, and from there; NULL: unknown. 0, -ENOMEM. */
static int beside_library(const char *relative, char **ret_dir)
{
	static const char here;
	char *path, *slash;
	Dl_info info;

	*ret_dir = NULL;
	if (!relative[0] || !dladdr(&here, &info) || !info.dli_fname)
		return 0;
	path = realpath(info.dli_fname, NULL);
	if (!path)
		return errno == ENOMEM ? -ENOMEM : 0;
	slash = strrchr(path, '/');
	*slash = '\0';
	*ret_dir = tsr_text("%s/%s", path, relative);
	free(path);
	return *ret_dir ? 0 : -ENOMEM;
}

static int find_dirs(struct tsr_toolchain *tc)
{
	/* Of an installation, whose device directory is complete; of a source tree. */
	static const char *const include[] = { "", "/../../uapi" };
	char *beside;
	int err = beside_library(TSR_DEVICE_BESIDE, &beside);
	const char *const device[] = { secure_getenv("TESSERA_DEVICE_DIR"), beside,
				       TSR_DEVICE_DIR };

	if (!err)
		err = find_dir(device, ARRAY_SIZE(device), NULL, "crt0.c", &tc->device_dir);
	free(beside);
	if (!err && tc->device_dir)
		err = find_dir(include, ARRAY_SIZE(include), tc->device_dir,
			       "drm/tessera_grid.h", &tc->include_dir);
	return err;
}

/*
 * All that the compiler answers to one option; NULL when there is no such compiler, or it says
 * nothing. Whatever else keeps it from answering passes, and is the error of this call (T24).
 */
static int ask(const char *compiler, const char *option, char **ret_answer)
{
	char *const argv[] = { (char *)compiler, (char *)option, NULL };
	struct tsr_ending ending;
	int err = tsr_spawn(&(struct tsr_process){ .argv = argv }, &ending);

	*ret_answer = NULL;
	if (err)
		return tsr_spawn_cannot(err) ? 0 : err;
	if (ending.status < 0)
		err = -ECHILD;
	if (ending.status || !ending.output[0] || ending.output[0] == '\n')
		free(ending.output);
	else
		*ret_answer = ending.output;
	return err;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_setup(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && (!strcmp(dot, ".h") || !strcmp(dot, ".c") || !strcmp(dot, ".ld"));
}

static void write_file(struct tsr_writer *w, const char *dir, const char *name)
{
	char *path = tsr_text("%s/%s", dir, name), *data = NULL;
	size_t size;
	int err = path ? tsr_read_file(path, MAX_SETUP_FILE, &data, &size) : -ENOMEM;

	if (err) {
		w->err = err == -ENOMEM ? err : -EIO;
	} else {
		tsr_write_string(w, name);
		tsr_write_bytes(w, data, size);
	}
	free(data);
	free(path);
}

static void write_setup(struct tsr_writer *w, const struct tsr_toolchain *tc)
{
	struct dirent **list;
	int n = scandir(tc->device_dir, &list, is_setup, by_name);

	if (n < 0) {
		w->err = errno == ENOMEM ? -ENOMEM : -EIO;
		return;
	}
	for (int i = 0; i < n; i++) {
		if (!w->err)
			write_file(w, tc->device_dir, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	if (!w->err)
		write_file(w, tc->include_dir, "drm/tessera_grid.h");
}

/* A program as the file that would be started: where, how large and how old it is. */
static void write_tool(struct tsr_writer *w, const char *name)
{
	const char *path = strchr(name, '/') ? "" : getenv("PATH");
	struct stat st = { 0 };
	char *real = NULL;

	while (path && !real) {
		size_t n = strcspn(path, ":");
		char *file = n ? tsr_text("%.*s/%s", (int)n, path, name) : tsr_text("%s", name);

		if (!file)
			w->err = -ENOMEM;
		else if (!access(file, X_OK))
			real = realpath(file, NULL);
		free(file);
		path = path[n] ? path + n + 1 : NULL;
	}
	if (real && stat(real, &st))
		st = (struct stat){ 0 };
	tsr_write_string(w, real ? real : "");
	tsr_write64(w, (uint64_t)st.st_size);
	tsr_write64(w, (uint64_t)st.st_mtim.tv_sec);
	tsr_write32(w, (uint32_t)st.st_mtim.tv_nsec);
	free(real);
}

/* What the compiler starts under the name of @option: the first line of its answer, or the name. */
static void write_subtool(struct tsr_writer *w, const struct tsr_toolchain *tc, const char *option)
{
	char *path;
	int err = ask(tc->compiler, option, &path);

	if (err)
		w->err = err;
	if (path)
		path[strcspn(path, "\n")] = '\0';
	write_tool(w, path ? path : strchr(option, '=') + 1);
	free(path);
}

/*
 * More than the identity has, which must be the same on every host (FP-4): images on disk must be
 * those that this very compiler would make, with the assembler and linker that it would start.
 */
static int identify_tools(struct tsr_toolchain *tc)
{
	static const char *const clang[] = { "-print-prog-name=ld.lld", NULL };
	static const char *const gcc[] = { "-print-prog-name=cc1", "-print-prog-name=as",
					   "-print-prog-name=ld", NULL };
	struct tsr_writer w = { 0 };
	struct tsr_digest digest;

	tsr_write_string(&w, tc->version);
	write_tool(&w, tc->compiler);
	for (const char *const *option = tc->clang ? clang : gcc; *option && !w.err; option++)
		write_subtool(&w, tc, *option);
	if (!w.err) {
		digest = tsr_hash(w.bytes.data, w.bytes.count);
		memcpy(tc->tools, digest.bytes, sizeof(tc->tools));
	}
	tsr_vec_free(&w.bytes);
	return w.err;
}

/* How images are compiled is part of it too: change this when the command line changes. */
#define COMMAND_REVISION	2

/* A set-up that cannot be read is unknown; only being out of memory is an error. */
static int identify(struct tsr_toolchain *tc)
{
	struct tsr_writer w = { 0 };

	if (!tc->version || !tc->device_dir || !tc->include_dir)
		return 0;
	tsr_write32(&w, COMMAND_REVISION);
	/* The first line; the others say where it is installed. */
	tsr_write_bytes(&w, tc->version, strcspn(tc->version, "\n"));
	write_setup(&w, tc);
	if (!w.err) {
		struct tsr_digest digest = tsr_hash(w.bytes.data, w.bytes.count);

		memcpy(tc->identity, digest.bytes, sizeof(tc->identity));
		tc->known = true;
	}
	tsr_vec_free(&w.bytes);
	return w.err == -ENOMEM ? w.err : 0;
}

static int find(struct tsr_toolchain *tc)
{
	const char *compiler = secure_getenv("TESSERA_CC");
	int err;

	tc->compiler = strdup(compiler && compiler[0] ? compiler : "clang");
	if (!tc->compiler)
		return -ENOMEM;
	err = ask(tc->compiler, "--version", &tc->version);
	tc->clang = tc->version ? strstr(tc->version, "clang") != NULL : true;
	if (!err)
		err = find_dirs(tc);
	if (!err)
		err = identify(tc);
	if (!err && tc->known)
		err = identify_tools(tc);
	return err;
}

int tsr_toolchain_find(struct tsr_toolchain *tc)
{
	int err = 0;

	pthread_mutex_lock(&tc->lock);
	if (!tc->ready)
		err = find(tc);
	if (err)
		forget(tc);
	tc->ready = !err;
	pthread_mutex_unlock(&tc->lock);
	return err;
}
