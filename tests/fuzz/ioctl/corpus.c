// SPDX-License-Identifier: MIT
#include "corpus.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST	4096

struct corpus {
	struct input *inputs;
	uint32_t count, seeds;
	uint64_t *replay;	/* numbers to accept, ascending; NULL: by coverage */
	uint32_t n_replay, at;
	const char *out;
	FILE *journal;
	uint32_t thread;
};

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);	/* not by locale */
}

static int read_seeds(struct corpus *corpus, const char *dir)
{
	struct dirent **names;
	int n = scandir(dir, &names, NULL, by_name), err = 0;
	char path[512];

	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
		if (names[i]->d_name[0] != '.' && !err && corpus->count < MOST)
			err = input_read(path, &corpus->inputs[corpus->count++]);
		if (err)
			fprintf(stderr, "# %s is no input\n", path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	corpus->seeds = corpus->count;
	return n < 0 ? -1 : err;
}

static int read_accepted(struct corpus *corpus, const char *path)
{
	unsigned long long number;
	FILE *f = fopen(path, "re");

	corpus->replay = calloc(MOST, sizeof(*corpus->replay));
	if (!f || !corpus->replay)
		return -1;
	while (corpus->n_replay < MOST && fscanf(f, "%llu %*u", &number) == 1)
		corpus->replay[corpus->n_replay++] = number;
	fclose(f);
	return 0;
}

struct corpus *corpus_open(const char *seeds, const char *out, const char *accepted,
			   uint32_t thread)
{
	struct corpus *corpus = calloc(1, sizeof(*corpus));
	char path[512];
	int err = 0;

	corpus->inputs = calloc(MOST, sizeof(*corpus->inputs));
	corpus->out = out;
	corpus->thread = thread;
	if (!corpus->inputs)
		err = -1;
	if (!err && seeds)
		err = read_seeds(corpus, seeds);
	if (!err && accepted)
		err = read_accepted(corpus, accepted);
	if (!err && out) {
		snprintf(path, sizeof(path), "%s/accepted-%u", out, thread);
		corpus->journal = fopen(path, "we");
		err = corpus->journal ? 0 : -1;
	}
	if (!err)
		return corpus;
	corpus_close(corpus);
	return NULL;
}

void corpus_close(struct corpus *corpus)
{
	if (corpus->journal)
		fclose(corpus->journal);
	free(corpus->replay);
	free(corpus->inputs);
	free(corpus);
}

void corpus_next(const struct corpus *corpus, struct random *r, struct input *ret)
{
	/* As many new ones as changed ones: those keep every op at its share of the calls. */
	if (!corpus->count || below(r, 2)) {
		input_generate(r, ret);
		return;
	}
	*ret = corpus->inputs[below(r, corpus->count)];
	input_mutate(r, ret, &corpus->inputs[below(r, corpus->count)]);
}

static void accept(struct corpus *corpus, uint64_t number, const struct input *in, uint32_t fresh)
{
	char path[512];

	if (corpus->count == MOST)
		return;
	corpus->inputs[corpus->count++] = *in;
	if (!corpus->journal)
		return;
	fprintf(corpus->journal, "%llu %u\n", (unsigned long long)number, fresh);
	fflush(corpus->journal);
	snprintf(path, sizeof(path), "%s/%u-%06llu", corpus->out, corpus->thread,
		 (unsigned long long)number);
	input_write(path, in);
}

void corpus_offer(struct corpus *corpus, uint64_t number, const struct input *in, uint32_t fresh)
{
	if (!corpus->replay) {
		if (fresh)
			accept(corpus, number, in, fresh);
	} else if (corpus->at < corpus->n_replay && corpus->replay[corpus->at] == number) {
		corpus->at++;
		accept(corpus, number, in, fresh);
	}
}

uint32_t corpus_size(const struct corpus *corpus, uint32_t *ret_accepted)
{
	*ret_accepted = corpus->count - corpus->seeds;
	return corpus->count;
}

const struct input *corpus_seed(const struct corpus *corpus, uint32_t i)
{
	return i < corpus->seeds ? &corpus->inputs[i] : NULL;
}
