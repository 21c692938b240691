// SPDX-License-Identifier: MIT
/*
 * Fuzzer of the ioctls: lists of calls, most of them right, by one thread or several, guided by
 * coverage where the kernel has KCOV. As root, in the test VM. It makes a device of its own.
 *
 * What a thread generates follows from the seed alone, and with KCOV from the seed and the numbers
 * of the inputs that it accepted (OUT/accepted-THREAD). Every EPOCH inputs it closes all and begins
 * anew; with one thread nothing may be left on the device then. So what goes wrong is a matter of
 * one epoch:
 *
 *   ioctl --seed S --from N --until N [--accepted FILE]
 *
 * executes the epoch of input N, up to N. Prints TAP.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include "corpus.h"
#include "cover.h"
#include "device.h"
#include "ops.h"
#include "watch.h"

#define THREADS		8
#define EPOCH		8
#define FEW_CALLS	5000	/* with fewer shares say nothing */

static struct {
	uint64_t calls, seed, from, until;
	uint32_t threads, seconds;
	const char *corpus, *out, *accepted;
} opt = { .calls = 100000, .seed = 1, .threads = 1, .until = UINT64_MAX };

static struct world world;
static struct worker workers[THREADS];
static pthread_mutex_t failure_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t failures, left;
static int64_t end_time;

/* --- One thread ------------------------------------------------------------------------------- */

/* Everything since the epoch began: that is what it takes to see it again. */
static void tell(const struct worker *w, uint64_t first, uint64_t last, const struct input *inputs)
{
	char path[512];

	fprintf(stderr, "# seed %llu, thread %u, input %llu, call %llu\n",
		(unsigned long long)opt.seed, w->thread, (unsigned long long)last,
		(unsigned long long)w->total);
	fprintf(stderr, "# last input, of %llu since all was closed:\n",
		(unsigned long long)(last - first + 1));
	input_print(&inputs[last % EPOCH]);
	for (uint64_t n = first; n <= last && opt.out; n++) {
		snprintf(path, sizeof(path), "%s/failed-%u-%06llu", opt.out, w->thread,
			 (unsigned long long)n);
		input_write(path, &inputs[n % EPOCH]);
	}
}

static void check(struct worker *w, uint64_t number, const struct input *inputs)
{
	uint32_t bad;

	pthread_mutex_lock(&failure_lock);
	bad = klog_complaints();
	if (bad) {
		tell(w, number / EPOCH * EPOCH, number, inputs);
		failures += bad;
		world.stop = true;
	}
	pthread_mutex_unlock(&failure_lock);
}

static void end_epoch(struct worker *w, uint64_t number, const struct input *inputs)
{
	worker_drop(w);
	if (opt.threads == 1 && device_left(&world)) {
		tell(w, number / EPOCH * EPOCH, number, inputs);
		left++;
		world.stop = true;
	}
	for (uint32_t i = 0; i < 2; i++)
		if (file_open(w, &w->own[i]))
			world.stop = true;
}

static bool more(const struct worker *w, uint64_t number)
{
	return !world.stop && number <= opt.until && w->total * opt.threads < opt.calls &&
	       uapi_now() < end_time;
}

static void run_inputs(struct worker *w, struct corpus *corpus)
{
	struct input inputs[EPOCH], *in;
	char name[16];

	for (uint64_t number = 0; more(w, number); number++) {
		struct random r = random_for(opt.seed, w->thread, number);
		const struct input *seed = corpus_seed(corpus, number);

		in = &inputs[number % EPOCH];
		if (seed)
			*in = *seed;
		else
			corpus_next(corpus, &r, in);
		if (number >= opt.from / EPOCH * EPOCH) {
			/* It is what a report of the kernel calls the task. */
			snprintf(name, sizeof(name), "f%u.%llu", w->thread,
				 (unsigned long long)number);
			prctl(PR_SET_NAME, name);
			worker_execute(w, in);
			check(w, number, inputs);
			if (number % EPOCH == EPOCH - 1 || number == opt.until)
				end_epoch(w, number, inputs);
		}
		corpus_offer(corpus, number, in, cover_new(w->cover));
	}
}

static void *thread_main(void *arg)
{
	struct worker *w = arg;
	struct corpus *corpus = corpus_open(opt.corpus, opt.out, opt.accepted, w->thread);
	uint32_t accepted;

	w->self = pthread_self();
	if (!corpus) {
		failures++;
		return NULL;
	}
	w->cover = cover_open();
	run_inputs(w, corpus);
	corpus_size(corpus, &accepted);
	printf("# thread %u: %llu calls, %llu interrupted, %u inputs accepted\n", w->thread,
	       (unsigned long long)w->total, (unsigned long long)w->interrupted, accepted);
	if (w->cover)
		w->cover = cover_close(w->cover);
	else
		printf("# no KCOV: not guided by coverage\n");
	corpus_close(corpus);
	return NULL;
}

/* --- The report ------------------------------------------------------------------------------- */

static void result(uint32_t number, bool good, const char *what)
{
	printf("%s %u %s\n", good ? "ok" : "not ok", number, what);
}

/* Return: ioctls of ours that succeed too seldom. */
static uint32_t report_ops(uint64_t *ret_total)
{
	uint64_t calls[OPS] = { 0 }, good[OPS] = { 0 }, total = 0;
	uint32_t rare = 0;

	for (uint32_t t = 0; t < opt.threads; t++) {
		total += workers[t].total;
		for (uint32_t i = 0; i < OPS; i++) {
			calls[i] += workers[t].calls[i];
			good[i] += workers[t].good[i];
		}
	}
	printf("# %-16s %9s %9s   share of all %llu calls\n", "call", "made", "good",
	       (unsigned long long)total);
	for (uint32_t i = 0; i < OPS; i++) {
		bool bad = ops[i].ours && good[i] * 100 < total;

		printf("# %-16s %9llu %9llu  %5.2f %%%s\n", ops[i].name,
		       (unsigned long long)calls[i], (unsigned long long)good[i],
		       100.0 * good[i] / (total ? total : 1), bad ? "  TOO FEW" : "");
		rare += bad;
	}
	printf("# %u edges\n", cover_total());
	*ret_total = total;
	return total < FEW_CALLS ? 0 : rare;
}

static void usage(void)
{
	fprintf(stderr, "usage: ioctl [--calls N] [--seconds N] [--seed S] [--threads N]\n"
		"             [--corpus DIR] [--out DIR] [--accepted FILE] [--from N] [--until N]\n");
	exit(2);
}

static void options(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "calls", 1, NULL, 'c' }, { "seconds", 1, NULL, 't' }, { "seed", 1, NULL, 's' },
		{ "threads", 1, NULL, 'j' }, { "corpus", 1, NULL, 'C' }, { "out", 1, NULL, 'o' },
		{ "accepted", 1, NULL, 'a' }, { "from", 1, NULL, 'f' }, { "until", 1, NULL, 'u' },
		{ 0 }
	};
	int what;

	while ((what = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		uint64_t number = optarg ? strtoull(optarg, NULL, 0) : 0;

		switch (what) {
		case 'c':
			opt.calls = number;
			break;
		case 't':
			opt.seconds = number;
			break;
		case 's':
			opt.seed = number;
			break;
		case 'j':
			opt.threads = number;
			break;
		case 'C':
			opt.corpus = optarg;
			break;
		case 'o':
			opt.out = optarg;
			break;
		case 'a':
			opt.accepted = optarg;
			break;
		case 'f':
			opt.from = number;
			break;
		case 'u':
			opt.until = number;
			break;
		default:
			usage();
		}
	}
	if (optind != argc || !opt.threads || opt.threads > THREADS)
		usage();
}

static int start(void)
{
	int err = klog_open();

	if (!err)
		err = device_make(&world, opt.threads == 1);
	for (uint32_t i = 0; i < opt.threads && !err; i++)
		err = worker_open(&workers[i], &world, i);
	if (!err && opt.threads > 1)
		err = file_open(&workers[0], &world.shared);
	return err;
}

static void run_threads(void)
{
	pthread_t threads[THREADS];

	if (watch_start(workers, opt.threads))
		exit(2);
	for (uint32_t i = 0; i < opt.threads; i++)
		if (pthread_create(&threads[i], NULL, thread_main, &workers[i]))
			exit(2);
	for (uint32_t i = 0; i < opt.threads; i++)
		pthread_join(threads[i], NULL);
	watch_stop();
	for (uint32_t i = 0; i < opt.threads; i++)
		worker_close(&workers[i]);
	if (world.shared.fd >= 0)
		file_close(&world.shared);
}

int main(int argc, char **argv)
{
	int64_t begin = uapi_now();
	uint64_t total = 0;
	uint32_t rare;
	int err;

	options(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..4\n");
	end_time = opt.seconds ? begin + opt.seconds * 1000000000ll : INT64_MAX;
	err = start();
	if (err) {
		fprintf(stderr, "# no device to fuzz: %s\n", strerror(-err));
		return 2;
	}
	run_threads();
	rare = report_ops(&total);
	left += device_left(&world);
	err = device_remove(&world);
	failures += klog_complaints();
	printf("# seed %llu\n", (unsigned long long)opt.seed);
	result(1, !failures, "the kernel does not complain");
	result(2, !rare, "every ioctl succeeds in 1 % of all calls");
	result(3, !left, "nothing is left on the device");
	result(4, !err, "the device can be removed");
	/* As libFuzzer says it, for tests/long. */
	printf("Done %llu runs in %.0f second(s)\n", (unsigned long long)total,
	       (uapi_now() - begin) / 1e9);
	return failures || rare || left || err;
}
