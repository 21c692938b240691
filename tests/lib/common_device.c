// SPDX-License-Identifier: MIT
#include "common_device.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Compile ------------------------------------------------------------------------------ */

#define DEVICE_DIR	TSR_SRCDIR "/lib/device"

static const char *const compiler[] = {
	"clang", "--target=riscv32-unknown-elf", "-march=rv32im", "-mabi=ilp32", "-mcmodel=medany",
	"-ffreestanding", "-nostdlib", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror",
	"-Wstrict-prototypes", "-Wmissing-prototypes", "-ffunction-sections", "-fdata-sections",
	"-fuse-ld=lld", "-I" DEVICE_DIR, "-I" TSR_SRCDIR "/uapi", "-I" TSR_SRCDIR "/tests/lib/device",
	"-Wl,-T," DEVICE_DIR "/tessera.ld", "-Wl,--gc-sections", "-Wl,--fatal-warnings",
	DEVICE_DIR "/crt0.c",
};

static int run_compiler(const char **argv, char *ret_text)
{
	int fds[2], status, size = 0;
	ssize_t n;
	pid_t pid;

	if (pipe(fds))
		return -1;
	pid = fork();
	if (pid == 0) {
		dup2(fds[1], 1);
		dup2(fds[1], 2);
		close(fds[0]);
		close(fds[1]);
		execvp(argv[0], (char **)argv);
		perror(argv[0]);
		_exit(127);
	}
	close(fds[1]);
	while ((n = read(fds[0], ret_text + size, DEVICE_TEXT - 1 - size)) > 0)
		size += n;
	ret_text[size] = '\0';
	close(fds[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int device_compile(const char *source, u32 base, u32 size, const char *const *flags,
		   const char *elf, char *ret_text)
{
	char path[512], base_arg[64], size_arg[64];
	const char *argv[ARRAY_SIZE(compiler) + 32];
	u32 n = ARRAY_SIZE(compiler), i;

	snprintf(path, sizeof(path), "%s/%s", TSR_SRCDIR, source);
	snprintf(base_arg, sizeof(base_arg), "-Wl,--defsym=__image_base=0x%x", base);
	snprintf(size_arg, sizeof(size_arg), "-Wl,--defsym=__image_size=0x%x", size);
	memcpy(argv, compiler, sizeof(compiler));
	argv[n++] = path;
	argv[n++] = base_arg;
	argv[n++] = size_arg;
	argv[n++] = "-o";
	argv[n++] = elf;
	for (i = 0; flags && flags[i] && n < ARRAY_SIZE(argv) - 1; i++)
		argv[n++] = flags[i];
	argv[n] = NULL;
	return run_compiler(argv, ret_text);
}

/* ---- ELF to image ------------------------------------------------------------------------- */

static u8 *read_file(const char *path, size_t *ret_size)
{
	FILE *f = fopen(path, "rb");
	u8 *data = NULL;
	long size;

	if (!f)
		return NULL;
	if (!fseek(f, 0, SEEK_END) && (size = ftell(f)) > 0 && !fseek(f, 0, SEEK_SET)) {
		data = malloc(size);
		if (data && fread(data, 1, size, f) != (size_t)size) {
			free(data);
			data = NULL;
		}
		*ret_size = size;
	}
	fclose(f);
	return data;
}

/* The value of a symbol; 0 when there is none. The file is our own linker's: trusted. */
static u32 symbol(const u8 *elf, const char *name)
{
	const Elf32_Ehdr *eh = (const void *)elf;
	const Elf32_Shdr *sh = (const void *)(elf + eh->e_shoff);
	u32 i, j;

	for (i = 0; i < eh->e_shnum; i++) {
		const Elf32_Sym *syms = (const void *)(elf + sh[i].sh_offset);
		const char *strings = (const char *)elf + sh[sh[i].sh_link].sh_offset;

		if (sh[i].sh_type != SHT_SYMTAB)
			continue;
		for (j = 0; j < sh[i].sh_size / sizeof(*syms); j++)
			if (strcmp(strings + syms[j].st_name, name) == 0)
				return syms[j].st_value;
	}
	return 0;
}

/* Append the image's bytes to the data of the program. */
static void load(struct device *d, const u8 *elf, u32 processor)
{
	const Elf32_Ehdr *eh = (const void *)elf;
	const Elf32_Phdr *ph = (const void *)(elf + eh->e_phoff);
	u32 base = symbol(elf, "__image_base"), i;
	struct tessera_image image = {
		.data_offset = d->data_size,
		.data_size = symbol(elf, "__data_end") - base,
		.mem_size = symbol(elf, "__stack_top") - base,
		.text_size = symbol(elf, "__text_end") - base,
		.entry = eh->e_entry,
		.processor = processor,
	};

	d->data = realloc(d->data, d->data_size + image.data_size);
	memset(d->data + d->data_size, 0, image.data_size);
	for (i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD)
			memcpy(d->data + d->data_size + ph[i].p_vaddr - base,
			       elf + ph[i].p_offset, ph[i].p_filesz);
	d->texts[d->n_kernels] = tsr_text_new(&d->cfg.timing, base, d->data + d->data_size,
					      image.text_size);
	d->images[d->n_kernels] = image;
	d->data_size += image.data_size;
}

struct device_kernel *device_kernel(struct device *d, const char *source, u32 processor,
				    struct tessera_range range, const char *const *flags)
{
	char path[] = "/tmp/tessera-kernel-XXXXXX", text[DEVICE_TEXT];
	struct device_kernel *k = &d->kernels[d->n_kernels];
	size_t size;
	u8 *elf;
	int fd, status;

	fd = mkstemp(path);
	if (fd < 0)
		return NULL;
	close(fd);
	status = device_compile(source, d->limits.image_base[processor], d->limits.image_slot,
				flags, path, text);
	elf = status ? NULL : read_file(path, &size);
	unlink(path);
	if (!elf) {
		printf("# %s: compiler ended with %d\n%s", source, status, text);
		return NULL;
	}
	load(d, elf, processor);
	free(elf);
	k->range = range;
	d->n_kernels++;
	return k;
}

/* ---- The program -------------------------------------------------------------------------- */

static void on_print(void *ctx, u16 x, u16 y, u8 proc, const char *line, u32 len)
{
	struct device *d = ctx;
	int n;

	n = snprintf(d->prints + d->prints_size, sizeof(d->prints) - d->prints_size,
		     "%u,%u %u: %.*s\n", x, y, proc, (int)len, line);
	if (n > 0 && d->prints_size + n < sizeof(d->prints))
		d->prints_size += n;
}

struct device *device_new(u16 width, u16 height)
{
	struct device *d = calloc(1, sizeof(*d));
	struct tsr_grid_env env = { .ctx = d, .print = on_print };

	if (!d)
		return NULL;
	tsr_grid_config_default(&d->cfg);
	d->cfg.width = width;
	d->cfg.height = height;
	d->cfg.seed = 0x5eed;
	d->cfg.deterministic = true;
	tsr_grid_limits(&d->cfg, &d->limits);
	d->cb_next = d->limits.cb_base;
	d->grid = tsr_grid_new(&d->cfg, &env);
	return d->grid ? d : device_free(d);
}

struct device *device_free(struct device *d)
{
	u32 i;

	if (!d)
		return NULL;
	tsr_grid_free(d->grid);
	for (i = 0; i < d->n_kernels; i++)
		tsr_text_free(d->texts[i]);
	free(d->data);
	free(d);
	return NULL;
}

struct tessera_range device_range(const struct device *d)
{
	return (struct tessera_range){ 0, 0, d->cfg.width - 1, d->cfg.height - 1 };
}

void device_words(struct device_kernel *k, u16 x, u16 y, const u32 *words, u32 count)
{
	k->core[k->cores].x = x;
	k->core[k->cores].y = y;
	k->core[k->cores].count = count;
	memcpy(k->core[k->cores].words, words, count * sizeof(*words));
	k->cores++;
}

void device_common(struct device_kernel *k, const u32 *words, u32 count)
{
	memcpy(k->common, words, count * sizeof(*words));
	k->n_common = count;
}

void device_semaphore(struct device *d, u32 id, u32 initial)
{
	d->semaphores[d->n_semaphores++] = (struct tessera_semaphore){
		.id = id, .initial = initial, .range_first = 0, .range_count = 1,
	};
}

u32 device_cb(struct device *d, u32 id, u32 page_size, u32 page_count, u32 format)
{
	u32 address = d->cb_next;

	d->cbs[d->n_cbs++] = (struct tessera_cb){
		.id = id, .page_size = page_size, .page_count = page_count, .address = address,
		.format = format, .range_first = 0, .range_count = 1,
	};
	d->cb_next += page_size * page_count;
	return address;
}

void device_bind(struct device *d, void *mem, u64 size, u32 access)
{
	d->bound[d->n_bound++] = (struct tsr_bound){ .mem = mem, .size = size, .access = access };
}

/* ---- Run ---------------------------------------------------------------------------------- */

/** struct assembled - the tables that a launch needs */
struct assembled {
	struct tessera_program_header header;
	struct tessera_range ranges[DEVICE_KERNELS + 1];
	struct tessera_descriptor descriptors[DEVICE_KERNELS];
	struct tessera_binding bindings[DEVICE_BUFFERS];
	struct tessera_arg args[DEVICE_KERNELS * DEVICE_CORES];
	u32 words[DEVICE_KERNELS * (DEVICE_CORES + 1) * DEVICE_WORDS];
	struct tsr_blob prog;
};

static void put_words(struct assembled *a, const u32 *words, u32 count)
{
	memcpy(a->words + a->prog.words, words, count * sizeof(*words));
	a->prog.words += count;
}

static void put_kernel(struct assembled *a, const struct device_kernel *k, u32 index)
{
	u32 i;

	a->ranges[index + 1] = k->range;
	a->descriptors[index] = (struct tessera_descriptor){
		.image = index, .range_first = index + 1, .range_count = 1,
		.arg_first = a->prog.n_args, .common_words = k->n_common,
	};
	put_words(a, k->common, k->n_common);
	for (i = 0; i < k->cores; i++) {
		if (!k->core[i].count)
			continue;
		a->args[a->prog.n_args++] = (struct tessera_arg){
			.x = k->core[i].x, .y = k->core[i].y, .words = k->core[i].count,
		};
		a->descriptors[index].arg_count++;
		put_words(a, k->core[i].words, k->core[i].count);
	}
}

static struct assembled *assemble(const struct device *d)
{
	struct assembled *a = calloc(1, sizeof(*a));
	u32 i;

	a->ranges[0] = device_range(d);
	a->header.range_count = 1;
	for (i = 0; i < d->n_bound; i++)
		a->bindings[i] = (struct tessera_binding){
			.min_size = d->bound[i].size, .access = d->bound[i].access,
		};
	for (i = 0; i < d->n_kernels; i++)
		put_kernel(a, &d->kernels[i], i);
	a->prog = (struct tsr_blob){
		.header = &a->header, .ranges = a->ranges, .images = d->images,
		.descriptors = a->descriptors, .args = a->args, .semaphores = d->semaphores,
		.cbs = d->cbs, .bindings = a->bindings, .strings = "", .data = d->data,
		.n_ranges = d->n_kernels + 1, .n_images = d->n_kernels,
		.n_descriptors = d->n_kernels, .n_args = a->prog.n_args,
		.n_semaphores = d->n_semaphores, .n_cbs = d->n_cbs, .n_bindings = d->n_bound,
		.strings_size = 1, .data_size = d->data_size, .words = a->prog.words,
		.cores = d->limits.cores,
	};
	return a;
}

enum tsr_grid_state device_run(struct device *d)
{
	struct assembled *a = assemble(d);
	struct tsr_launch launch = {
		.prog = &a->prog, .texts = d->texts, .words = a->words, .bound = d->bound,
		.run_id = 0x100000002ull,
	};
	enum tsr_grid_state state;

	tsr_grid_launch(d->grid, &launch);
	do
		state = tsr_grid_run(d->grid, 1000000);
	while (state == TSR_GRID_MORE);
	if (state == TSR_GRID_WAIT) {
		tsr_grid_stop(d->grid);
		while (state == TSR_GRID_WAIT || state == TSR_GRID_MORE)
			state = tsr_grid_run(d->grid, 1000000);
		tsr_grid_stall(d->grid, &d->stall);
	}
	if (state == TSR_GRID_FAULT)
		tsr_grid_fault(d->grid, &d->fault);
	free(a);
	return state;
}

const char *device_fault_text(const struct device *d)
{
	static char text[160];

	snprintf(text, sizeof(text), "fault %u on core (%u,%u) processor %u pc 0x%x address %llu",
		 d->fault.cause, d->fault.x, d->fault.y, d->fault.proc, d->fault.pc,
		 (unsigned long long)d->fault.address);
	return text;
}
