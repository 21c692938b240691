// SPDX-License-Identifier: MIT
/* The memo's table: buckets by digest, and a list by use. All under the memo's lock. */
#include <errno.h>
#include <stdlib.h>

#include "memo_int.h"

static struct tsr_memo_entry **bucket_of(struct tsr_memo *memo, const struct tsr_digest *digest)
{
	uint64_t low;

	memcpy(&low, digest->bytes, sizeof(low));
	return &memo->buckets[low & (memo->bucket_count - 1)];
}

struct tsr_memo_entry *tsr_memo_find(struct tsr_memo *memo, const struct tsr_key *key,
				     const struct tsr_digest *digest)
{
	struct tsr_memo_entry *entry = *bucket_of(memo, digest);

	for (; entry; entry = entry->chain) {
		if (memcmp(&entry->digest, digest, sizeof(*digest)))
			continue;
		if (entry->size == key->size && !memcmp(entry->bytes, key->bytes, key->size))
			return entry;
		memo->stats.collisions++;
	}
	return NULL;
}

/* Without memory for it the chains become longer, nothing else. */
static void widen(struct tsr_memo *memo)
{
	size_t old_count = memo->bucket_count;
	struct tsr_memo_entry **old = memo->buckets, **wide;

	wide = calloc(old_count * 2, sizeof(*wide));
	if (!wide)
		return;
	memo->buckets = wide;
	memo->bucket_count = old_count * 2;
	for (size_t i = 0; i < old_count; i++)
		while (old[i]) {
			struct tsr_memo_entry *entry = old[i], **bucket;

			old[i] = entry->chain;
			bucket = bucket_of(memo, &entry->digest);
			entry->chain = *bucket;
			*bucket = entry;
		}
	free(old);
}

void tsr_memo_link(struct tsr_memo *memo, struct tsr_memo_entry *entry)
{
	struct tsr_memo_entry **bucket;

	if (memo->linked >= memo->bucket_count)
		widen(memo);
	bucket = bucket_of(memo, &entry->digest);
	entry->chain = *bucket;
	*bucket = entry;
	entry->in_table = true;
	memo->linked++;
}

static void forget_use(struct tsr_memo *memo, struct tsr_memo_entry *entry)
{
	if (entry->newer)
		entry->newer->older = entry->older;
	else
		memo->newest = entry->older;
	if (entry->older)
		entry->older->newer = entry->newer;
	else
		memo->oldest = entry->newer;
	entry->newer = entry->older = NULL;
}

static void make_newest(struct tsr_memo *memo, struct tsr_memo_entry *entry)
{
	entry->older = memo->newest;
	if (entry->older)
		entry->older->newer = entry;
	else
		memo->oldest = entry;
	memo->newest = entry;
}

void tsr_memo_unlink(struct tsr_memo *memo, struct tsr_memo_entry *entry,
		     struct tsr_memo_entry **dead)
{
	struct tsr_memo_entry **p = bucket_of(memo, &entry->digest);

	while (*p != entry)
		p = &(*p)->chain;
	*p = entry->chain;
	entry->in_table = false;
	memo->linked--;
	if (entry->state != TSR_MEMO_BUILDING) {
		forget_use(memo, entry);
		memo->stats.entries--;
		memo->stats.bytes -= entry->weight;
	}
	if (!entry->users) {
		entry->chain = *dead;
		*dead = entry;
	}
}

void tsr_memo_keep(struct tsr_memo *memo, struct tsr_memo_entry *entry,
		   struct tsr_memo_entry **dead)
{
	make_newest(memo, entry);
	memo->stats.entries++;
	memo->stats.bytes += entry->weight;
	tsr_memo_evict(memo, dead);
}

void tsr_memo_touch(struct tsr_memo *memo, struct tsr_memo_entry *entry)
{
	if (memo->newest == entry)
		return;
	forget_use(memo, entry);
	make_newest(memo, entry);
}

void tsr_memo_evict(struct tsr_memo *memo, struct tsr_memo_entry **dead)
{
	while (memo->oldest && (memo->stats.entries > memo->limits.entries ||
				memo->stats.bytes > memo->limits.bytes)) {
		tsr_memo_unlink(memo, memo->oldest, dead);
		memo->stats.evictions++;
	}
}

void tsr_memo_bury(struct tsr_memo *memo, struct tsr_memo_entry *dead)
{
	while (dead) {
		struct tsr_memo_entry *entry = dead;

		dead = entry->chain;
		if (entry->built.value)
			memo->ops->unref(entry->built.value);
		tsr_diag_free(entry->built.diag);
		free(entry);
	}
}
