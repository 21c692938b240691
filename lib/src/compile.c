// SPDX-License-Identifier: MIT
/* Compiling a kernel: one command, an argument vector, no shell (JIT-1). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "image.h"
#include "process.h"
#include "verdict.h"

#define MAX_ELF		(64u << 20)

struct command {
	struct tsr_arena arena;
	struct tsr_vec argv;		/* char * */
	bool short_of_memory;
};

static void add(struct command *cmd, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct command *cmd, const char *format, ...)
{
	char **slot = tsr_vec_add(&cmd->argv, sizeof(char *), 1);
	char *text = NULL;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (slot && n >= 0)
		text = tsr_arena_get(&cmd->arena, (size_t)n + 1);
	if (slot)
		*slot = text;
	if (!text) {
		cmd->short_of_memory = true;
		return;
	}
	va_start(args, format);
	vsnprintf(text, (size_t)n + 1, format, args);
	va_end(args);
}

static void add_definitions(struct command *cmd, const struct tsr_image_job *job)
{
	const uint8_t *p;
	uint32_t n = tsr_key_definitions(&job->key, &p);

	for (uint32_t i = 0; i < n; i++) {
		struct tsr_definition_view d;

		p = tsr_key_definition(p, &d);
		add(cmd, "-D%.*s=%.*s", (int)d.name_size, d.name, (int)d.value_size, d.value);
	}
	/* Last, so that it is what it says. */
	add(cmd, "-DTSR_KERNEL_PROC=%u", job->kernel->processor);
}

static void add_link(struct command *cmd, const struct tsr_image_job *job)
{
	const struct tessera_limits *limits = &job->dev->limits;

	if (job->dev->toolchain.clang)
		add(cmd, "-fuse-ld=lld");
	add(cmd, "-nostdlib");
	add(cmd, "-static");
	add(cmd, "-Wl,-T,%s/tessera.ld", job->dev->toolchain.device_dir);
	add(cmd, "-Wl,--gc-sections");
	add(cmd, "-Wl,--defsym=__image_base=0x%x", limits->image_base[job->kernel->processor]);
	add(cmd, "-Wl,--defsym=__image_size=0x%x", limits->image_slot);
}

static void fill(struct command *cmd, const struct tsr_image_job *job, const char *dir)
{
	const struct tsr_toolchain *tc = &job->dev->toolchain;
	const struct tsr_source *source = job->kernel->source;

	add(cmd, "%s", tc->compiler);
	if (tc->clang)
		add(cmd, "--target=riscv32-unknown-elf");
	add(cmd, "-march=%s", job->dev->isa);
	add(cmd, "-mabi=ilp32");
	add(cmd, "-mcmodel=medany");
	add(cmd, "-std=gnu11");
	add(cmd, "-O2");
	add(cmd, "-ffreestanding");
	add(cmd, "-ffunction-sections");
	add(cmd, "-fdata-sections");
	add(cmd, "-Werror=implicit-function-declaration");
	add(cmd, "-Werror=int-conversion");
	add(cmd, "-Werror=format");
	add(cmd, "-I%s", tc->device_dir);
	add(cmd, "-I%s", tc->include_dir);
	if (source->dir)
		add(cmd, "-iquote%s", source->dir);
	for (size_t i = 0; i < source->flag_count; i++)
		add(cmd, "%s", source->flags[i]);
	add_definitions(cmd, job);
	add_link(cmd, job);
	add(cmd, "-o");
	add(cmd, "%s/kernel.elf", dir);
	add(cmd, "%s/kernel.c", dir);
	add(cmd, "%s/crt0.c", tc->device_dir);
	if (!tsr_vec_add(&cmd->argv, sizeof(char *), 1))
		cmd->short_of_memory = true;
	else
		((char **)cmd->argv.data)[cmd->argv.count - 1] = NULL;
}

/* The command as one could type it. */
static char *command_text(const struct command *cmd)
{
	char *const *argv = cmd->argv.data, *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; argv[i]; i++) {
		bool plain = argv[i][strspn(argv[i], "abcdefghijklmnopqrstuvwxyz0123456789_-+=,./:"
						     "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '\0';

		fputs(i ? " " : "", out);
		if (plain) {
			fputs(argv[i], out);
			continue;
		}
		fputc('\'', out);
		for (const char *p = argv[i]; *p; p++)
			fputs(*p == '\'' ? "'\\''" : (char[]){ *p, '\0' }, out);
		fputc('\'', out);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* JIT-2; or V22, when the linker says that it does not fit. */
static void note_failure(const struct tsr_image_job *job, const struct command *cmd, char *output,
			 char *message, struct tsr_diag *diag)
{
	bool too_large = output && strstr(output, TSR_DOES_NOT_FIT);
	struct tsr_note note = {
		.rule = too_large ? TSR_V22 : TSR_JIT2,
		.path = tsr_text("operation/kernel %s", job->kernel->name),
		.message = message,
	};

	if (too_large) {
		note.field = "image bytes";
		note.value = tsr_text("too many");
		note.allowed = tsr_text("%u for code, data, bss and at least 1024 of stack",
					job->dev->limits.image_slot);
	}
	tsr_diag_note(diag, note);
	tsr_diag_compile(diag, output, cmd->argv.count ? command_text(cmd) : NULL,
			 tsr_text("%s", job->kernel->source->name), tsr_key_definitions_text(&job->key));
}

/* The text as it was declared, under its own name for messages. */
static int write_source(const struct tsr_source *source, const char *dir)
{
	char *path = tsr_text("%s/kernel.c", dir);
	FILE *out = path ? fopen(path, "wxe") : NULL;

	free(path);
	if (!out)
		return path ? -errno : -ENOMEM;
	fchmod(fileno(out), 0600);
	fputs("#line 1 \"", out);
	for (const char *p = source->name; *p; p++)
		fprintf(out, "%s%c", *p == '"' || *p == '\\' ? "\\" : "", *p == '\n' ? ' ' : *p);
	fputs("\"\n", out);
	fwrite(source->data, 1, source->size, out);
	fputc('\n', out);
	if (ferror(out)) {
		fclose(out);
		return -EIO;
	}
	return fclose(out) ? -errno : 0;
}

static int cannot_start(const struct tsr_image_job *job, const struct command *cmd, int err,
			struct tsr_diag *diag)
{
	if (!tsr_spawn_cannot(err))
		return err;
	note_failure(job, cmd, NULL, tsr_text("the compiler %s cannot be started (%s)",
					      job->dev->toolchain.compiler, strerrorname_np(-err)),
		     diag);
	return -ENOEXEC;
}

static int run_compiler(struct tsr_image_job *job, const struct command *cmd, const char *dir,
			char **ret_elf, size_t *ret_size, struct tsr_diag *diag)
{
	const struct tsr_process process = { .argv = cmd->argv.data, .tmp = dir };
	struct tsr_ending ending;
	char *elf;
	int err;

	tsr_count(&job->dev->tally.compiles);
	err = tsr_spawn(&process, &ending);
	if (err)
		return cannot_start(job, cmd, err, diag);
	if (!ending.status) {
		elf = tsr_text("%s/kernel.elf", dir);
		err = elf ? tsr_read_file(elf, MAX_ELF, ret_elf, ret_size) : -ENOMEM;
		free(elf);
		free(ending.output);
		return err;
	}
	job->lasting = tsr_verdict_lasts(&ending);
	note_failure(job, cmd, ending.output, ending.status < 0 ?
		     tsr_text("the compiler was ended by signal %d", -ending.status) :
		     tsr_text(job->lasting ? "the kernel does not compile" :
					     "the compiler failed"), diag);
	return -ENOEXEC;
}

/* What is always there without memory; then what a compiler that was killed left in its TMPDIR. */
static void remove_dir(const char *dir)
{
	static const char *const files[] = { "kernel.c", "kernel.elf" };
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *entry;
	DIR *list;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		unlinkat(fd, files[i], 0);
	list = fd < 0 || !rmdir(dir) ? NULL : fdopendir(fd);
	while (list && (entry = readdir(list)))
		unlinkat(fd, entry->d_name, 0);
	if (list)
		closedir(list);
	else if (fd >= 0)
		close(fd);
	rmdir(dir);
}

static int compile_in(struct tsr_image_job *job, const char *dir, char **ret_elf,
		      size_t *ret_size, struct tsr_diag *diag)
{
	struct command cmd = { 0 };
	int err = write_source(job->kernel->source, dir);

	if (!err) {
		fill(&cmd, job, dir);
		err = cmd.short_of_memory ? -ENOMEM :
		      run_compiler(job, &cmd, dir, ret_elf, ret_size, diag);
	}
	tsr_vec_free(&cmd.argv);
	tsr_arena_fini(&cmd.arena);
	return err;
}

static int make_dir_in(const char *where, char **ret)
{
	char *dir = tsr_text("%s/tessera-XXXXXX", where);
	int err;

	if (!dir)
		return -ENOMEM;
	if (mkdtemp(dir)) {
		*ret = dir;
		return 0;
	}
	err = -errno;
	free(dir);
	return err;
}

/* A TMPDIR in which nothing can be made is as none: /tmp is there, as for the compiler itself. */
static int make_dir(char **ret)
{
	const char *tmp = secure_getenv("TMPDIR");
	int err = tmp && tmp[0] ? make_dir_in(tmp, ret) : -ENOENT;

	if (err == -ENOENT || err == -ENOTDIR || err == -EACCES || err == -EROFS)
		err = make_dir_in("/tmp", ret);
	return err;
}

int tsr_compile(struct tsr_image_job *job, char **ret_elf, size_t *ret_size,
		struct tsr_diag *diag)
{
	const struct tsr_toolchain *tc = &job->dev->toolchain;
	const struct command none = { 0 };
	char *dir = NULL;
	int err;

	if (!tc->device_dir || !tc->include_dir) {
		note_failure(job, &none, NULL,
			     tsr_text("the device header, linker script and start-up code are not "
				      "installed; set TESSERA_DEVICE_DIR"), diag);
		return -ENOEXEC;
	}
	err = make_dir(&dir);
	if (err)
		return err;
	/* Whatever the umask of the host is. */
	err = chmod(dir, 0700) ? -errno : compile_in(job, dir, ret_elf, ret_size, diag);
	remove_dir(dir);
	free(dir);
	return err;
}
