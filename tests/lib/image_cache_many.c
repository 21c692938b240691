// SPDX-License-Identifier: MIT
/* Images on disk (JIT-3): many threads and processes at once, and some that are killed. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common_images.h"
#include "image_store.h"
#include "kselftest_harness.h"

FIXTURE(image_cache_many) {
	char dir[64];
};

FIXTURE_SETUP(image_cache_many)
{
	ASSERT_EQ(0, images_begin(self->dir));
}

FIXTURE_TEARDOWN(image_cache_many)
{
	ASSERT_EQ(0, images_end(self->dir));
}

/* ---- Many at once ------------------------------------------------------------------------- */

#define PROCESSES	8
#define THREADS		8

struct racer {
	struct rig *rig;
	pthread_barrier_t *start;
	int err;
};

static void *race(void *arg)
{
	struct racer *r = arg;
	struct tsr_run *run;

	pthread_barrier_wait(r->start);
	r->err = tsr_submit(r->rig->op, r->rig->ctx, NULL, 0, NULL, &run, NULL);
	return NULL;
}

/* In a process of its own: 0, or what went wrong. */
static int race_threads(int go)
{
	struct rig *rig = images_rig("k", IMAGES_EMPTY "int racing;\n");
	struct tsr_library_stats stats;
	pthread_t threads[THREADS];
	struct racer racers[THREADS];
	pthread_barrier_t start;
	char byte;
	int bad = 0;

	pthread_barrier_init(&start, NULL, THREADS);
	rig->fill = NULL;
	if (read(go, &byte, 1) < 0)
		return 2;
	for (int i = 0; i < THREADS; i++) {
		racers[i] = (struct racer){ rig, &start, 0 };
		pthread_create(&threads[i], NULL, race, &racers[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		bad |= racers[i].err != -ENODEV;
	}
	tsr_library_stats(rig->dev, &stats);
	pthread_barrier_destroy(&start);
	rig_free(rig);
	/* More than one would mean that threads did not share. */
	return bad || stats.compiles > 1;
}

TEST_F_TIMEOUT(image_cache_many, eight_processes_of_eight_threads_want_one_new_image, 120)
{
	int go[2], status;

	ASSERT_EQ(0, pipe(go));
	for (int i = 0; i < PROCESSES; i++)
		if (!fork()) {
			close(go[1]);
			_exit(race_threads(go[0]));
		}
	close(go[0]);
	close(go[1]);
	for (int i = 0; i < PROCESSES; i++) {
		ASSERT_LT(0, wait(&status));
		EXPECT_EQ(0, status);
	}
	EXPECT_EQ(1, images_stats().entries);
	EXPECT_EQ(0, images_compiles(IMAGES_EMPTY "int racing;\n"));
}

static void fill_for_ever(unsigned int seed)
{
	struct tsr_image *image = calloc(1, sizeof(*image) + 20000);
	struct tsr_writer key = { 0 }, file = { 0 };
	struct tsr_store store;

	image->data_size = image->mem_size = image->text_size = 20000;
	tsr_store_open(&store, true);
	for (;; seed++) {
		uint64_t evicted = 0;
		char name[40];

		key.bytes.count = file.bytes.count = 0;
		tsr_write32(&key, seed % 50);
		snprintf(name, sizeof(name), "%032x.img", seed % 50);
		tsr_entry_write(&file, &key, "killed", image);
		tsr_store_write(&store, name, file.bytes.data, file.bytes.count, &evicted);
	}
}

TEST_F_TIMEOUT(image_cache_many, processes_killed_while_they_write_leave_only_whole_entries, 60)
{
	struct tsr_image_cache_entry *entries;
	size_t n;

	ASSERT_EQ(0, tsr_image_cache_set_limit(600000));
	for (unsigned int i = 0; i < 60; i++) {
		pid_t pid = fork();

		if (!pid)
			fill_for_ever(i * 7);
		usleep(2000 + i * 173 % 3000);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		ASSERT_EQ(0, tsr_image_cache_entries(&entries, &n));
		for (size_t k = 0; k < n; k++)
			ASSERT_EQ(1, entries[k].intact);
		free(entries);
		ASSERT_GE(600000, images_stats().bytes);
	}
	EXPECT_LT(0, images_stats().entries);
	/* Nobody holds the lock, and the sum is right once it has been worked out. */
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	EXPECT_EQ(0, images_compiles(IMAGES_EMPTY));
	EXPECT_EQ(0, tsr_image_cache_clear());
	EXPECT_EQ(0, images_stats().bytes);
}

TEST_HARNESS_MAIN
