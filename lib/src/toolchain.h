/* SPDX-License-Identifier: MIT */
/* What device kernels are compiled with: the compiler, and the set-up that is installed (JIT-4). */
#ifndef TSR_TOOLCHAIN_H
#define TSR_TOOLCHAIN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/** struct tsr_toolchain - found at first use, then fixed for the life of a device */
struct tsr_toolchain {
	pthread_mutex_t lock;	/* everything below, until @ready */
	bool ready;
	bool known;		/* @identity is valid */
	bool clang;
	char *compiler;		/* program to start */
	char *version;		/* what --version says; NULL: it cannot be started */
	char *device_dir;	/* header, linker script, start-up code */
	char *include_dir;	/* where drm/tessera_grid.h is */
	uint8_t identity[16];	/* of compiler and set-up (FP-3) */
	uint8_t tools[16];	/* of compiler, assembler, linker as files: for disk (JIT-3) */
};

void tsr_toolchain_init(struct tsr_toolchain *tc);
void tsr_toolchain_fini(struct tsr_toolchain *tc);

/** tsr_toolchain_find() - fill it in, once. Return: 0, -ENOMEM; what is missing stays NULL. */
int tsr_toolchain_find(struct tsr_toolchain *tc);

#endif
