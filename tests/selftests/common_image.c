// SPDX-License-Identifier: MIT
/* Images: device kernels compiled by clang, or made of instruction words. */
#include "common_dev.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ELF_MAX		(1 << 20)
/*
 * A compile takes seconds in an emulated machine, so that each source is linked once, for a small
 * slot somewhere, and put into the slots of all processors of all devices: the code finds
 * everything relative to the pc.
 */
#define LINK_BASE	0x00108000u
#define LINK_SIZE	0x2000u

/* ---- The compiler --------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, const void *from, size_t size)
{
	const uint8_t *p = from;

	while (size--)
		hash = (hash ^ *p++) * 0x100000001b3ull;
	return hash;
}

/* Name, size and time of every file of a folder: what changes when a source is edited. */
static uint64_t mix_folder(uint64_t hash, const char *folder)
{
	struct dirent **list;
	struct stat st;
	char path[PATH_MAX];
	int n = scandir(folder, &list, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, list[i]->d_name);
		if (!stat(path, &st) && S_ISREG(st.st_mode)) {
			hash = mix(hash, list[i]->d_name, strlen(list[i]->d_name));
			hash = mix(hash, &st.st_size, sizeof(st.st_size));
			hash = mix(hash, &st.st_mtim, sizeof(st.st_mtim));
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return hash;
}

static void elf_path(char *path, size_t size, const char *source, const char *define)
{
	uint64_t hash = mix(0xcbf29ce484222325ull, source, strlen(source) + 1);
	char *folder = strdup(source);

	*strrchr(folder, '/') = '\0';
	if (define)
		hash = mix(hash, define, strlen(define) + 1);
	hash = mix_folder(hash, folder);
	hash = mix_folder(hash, TSR_SRCDIR "/lib/device");
	hash = mix_folder(hash, TSR_SRCDIR "/uapi/drm");
	free(folder);
	snprintf(path, size, "/tmp/tessera-selftests-%u-%016llx.elf", getuid(),
		 (unsigned long long)hash);
}

static int run_clang(const char *source, const char *define, const char *to)
{
	char where[64], room[64], name[256];
	const char *argv[] = {
		"clang", "--target=riscv32-unknown-elf", "-march=rv32im", "-mabi=ilp32",
		"-mcmodel=medany", "-ffreestanding", "-nostdlib", "-std=gnu11", "-O2",
		"-fno-jump-tables", "-ffunction-sections", "-fdata-sections",
		"-I" TSR_SRCDIR "/lib/device", "-I" TSR_SRCDIR "/uapi", "-fuse-ld=lld",
		"-Wl,-T," TSR_SRCDIR "/lib/device/tessera.ld",
		"-Wl,--gc-sections,--emit-relocs", where, room, name, "-o", to, source,
		TSR_SRCDIR "/lib/device/crt0.c", NULL,
	};
	int status;
	pid_t pid;

	snprintf(where, sizeof(where), "-Wl,--defsym=__image_base=%#x", LINK_BASE);
	snprintf(room, sizeof(room), "-Wl,--defsym=__image_size=%#x", LINK_SIZE);
	snprintf(name, sizeof(name), "-D%s", define ? define : "TSR_SELFTEST=1");
	pid = fork();
	if (!pid) {
		execvp("clang", (char *const *)argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -errno;
	if (status)
		fprintf(stderr, "# clang: status %#x for %s\n", status, source);
	return status ? -ENOEXEC : 0;
}

/* ---- The ELF file --------------------------------------------------------------------------- */

static int read_file(const char *path, uint8_t **ret_bytes, size_t *ret_size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = 0, n;

	if (fd < 0)
		return -errno;
	*ret_bytes = malloc(ELF_MAX);
	while ((n = read(fd, *ret_bytes + got, ELF_MAX - got)) > 0)
		got += n;
	close(fd);
	*ret_size = got;
	return got > (ssize_t)sizeof(Elf32_Ehdr) ? 0 : -ENOEXEC;
}

uint32_t dev_symbol(const struct dev_image *image, const char *name)
{
	const Elf32_Ehdr *eh = (const void *)image->elf;
	const Elf32_Shdr *sh;

	if (!image->elf)
		return 0;
	sh = (const void *)(image->elf + eh->e_shoff);
	for (uint32_t i = 0; i < eh->e_shnum; i++) {
		const Elf32_Sym *sym = (const void *)(image->elf + sh[i].sh_offset);
		const char *strings;

		if (sh[i].sh_type != SHT_SYMTAB)
			continue;
		strings = (const char *)image->elf + sh[sh[i].sh_link].sh_offset;
		for (uint32_t k = 0; k < sh[i].sh_size / sizeof(*sym); k++)
			if (!strcmp(strings + sym[k].st_name, name))
				return sym[k].st_value + image->moved;
	}
	return 0;
}

/* Does anything that is loaded hold an absolute address? */
static bool is_tied(const struct dev_image *image)
{
	const Elf32_Ehdr *eh = (const void *)image->elf;
	const Elf32_Shdr *sh = (const void *)(image->elf + eh->e_shoff);

	for (uint32_t i = 0; i < eh->e_shnum; i++) {
		const Elf32_Rela *rela = (const void *)(image->elf + sh[i].sh_offset);

		if (sh[i].sh_type != SHT_RELA || !(sh[sh[i].sh_info].sh_flags & SHF_ALLOC))
			continue;
		for (uint32_t k = 0; k < sh[i].sh_size / sizeof(*rela); k++) {
			uint32_t type = ELF32_R_TYPE(rela[k].r_info);

			if (type == R_RISCV_32 || type == R_RISCV_HI20)
				return true;
		}
	}
	return false;
}

static int load_segments(struct dev_image *image, uint32_t end)
{
	const Elf32_Ehdr *eh = (const void *)image->elf;
	const Elf32_Phdr *ph = (const void *)(image->elf + eh->e_phoff);

	for (uint32_t i = 0; i < eh->e_phnum; i++) {
		if (ph[i].p_type != PT_LOAD || !ph[i].p_filesz)
			continue;
		if (ph[i].p_vaddr < LINK_BASE || ph[i].p_vaddr + ph[i].p_filesz > end)
			return -ENOEXEC;
		memcpy(image->data + (ph[i].p_vaddr - LINK_BASE), image->elf + ph[i].p_offset,
		       ph[i].p_filesz);
	}
	return 0;
}

static int load_elf(struct dev_image *image, uint32_t processor, uint32_t base)
{
	uint32_t end = dev_symbol(image, "__data_end"), text = dev_symbol(image, "__text_end");

	if (end <= LINK_BASE || end - LINK_BASE > LINK_SIZE || is_tied(image))
		return -ENOEXEC;
	image->data = calloc(1, end - LINK_BASE);
	image->rec = (struct tessera_image){
		.data_size = end - LINK_BASE,
		.mem_size = LINK_SIZE,
		.text_size = text - LINK_BASE,
		.entry = base + dev_symbol(image, "_start") - LINK_BASE,
		.processor = processor,
	};
	image->moved = base - LINK_BASE;
	return load_segments(image, end);
}

int dev_compile(const struct dev *d, const char *source, const char *define, uint32_t processor,
		struct dev_image *ret)
{
	char from[PATH_MAX], path[PATH_MAX], fresh[PATH_MAX + 16];
	int err = d->info.limits.image_slot < LINK_SIZE ? -E2BIG : 0;

	memset(ret, 0, sizeof(*ret));
	snprintf(from, sizeof(from), TSR_SRCDIR "/%s", source);
	elf_path(path, sizeof(path), from, define);
	if (!err && access(path, R_OK)) {
		snprintf(fresh, sizeof(fresh), "%s.%d", path, getpid());
		err = run_clang(from, define, fresh);
		if (!err && rename(fresh, path))
			err = -errno;
	}
	if (!err)
		err = read_file(path, &ret->elf, &ret->elf_size);
	if (!err)
		err = load_elf(ret, processor, d->info.limits.image_base[processor]);
	if (err)
		fprintf(stderr, "# %s: %s\n", source, strerror(-err));
	return err;
}

const struct dev_image *dev_script(const struct dev *d, uint32_t processor)
{
	static struct dev_image images[TSR_PROCS_PER_CORE];
	struct dev_image *image = &images[processor];

	if (image->data && image->rec.entry == d->info.limits.image_base[processor])
		return image;
	/* None yet, or of a device with another layout. */
	dev_image_free(image);
	if (dev_compile(d, "tests/selftests/kernels/script.c", NULL, processor, image))
		return NULL;
	return image;
}

int dev_words_image(const struct dev *d, uint32_t processor, const uint32_t *words, uint32_t count,
		    struct dev_image *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->rec = (struct tessera_image){
		.data_size = count * 4,
		.mem_size = d->info.limits.image_slot,
		.text_size = count * 4,
		.entry = d->info.limits.image_base[processor],
		.processor = processor,
	};
	ret->data = malloc(count * 4);
	if (!ret->data)
		return -ENOMEM;
	memcpy(ret->data, words, count * 4);
	return 0;
}

void dev_image_free(struct dev_image *image)
{
	free(image->data);
	free(image->elf);
	memset(image, 0, sizeof(*image));
}
