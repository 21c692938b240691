// SPDX-License-Identifier: MIT
#include "common_event.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

uint32_t event_minor(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? TSR_ALL_DEVICES : minor(st.st_rdev);
}

int event_device(uint32_t minor, struct tsr_device_entry *ret)
{
	struct tsr_device_entry *list;
	int err, found = -ENODEV;
	size_t count;

	err = tsr_device_list(&list, &count);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		if (list[i].minor != minor)
			continue;
		*ret = list[i];
		found = 0;
	}
	free(list);
	return found;
}

int event_context(uint32_t minor, uint64_t id, struct tsr_context_entry *ret)
{
	struct tsr_context_entry *list;
	int err, found = -ENOENT;
	size_t count;

	err = tsr_context_list(minor, &list, &count);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		if (list[i].id != id || list[i].minor != minor)
			continue;
		*ret = list[i];
		found = 0;
	}
	free(list);
	return found;
}

int event_wrong_counters(const struct tsr_counters *got, uint64_t known,
			 const struct drm_tessera_counters *want)
{
	const uint64_t *a = (const uint64_t *)got;
	const __u64 *b = (const __u64 *)want;
	int wrong = 0;

	for (unsigned int i = 0; i < UAPI_COUNTERS; i++) {
		if (!(known >> i & 1) || a[i] == b[i])
			continue;
		fprintf(stderr, "# counter %s: netlink %llu, ioctl %llu\n", uapi_counter_name(i),
			(unsigned long long)a[i], b[i]);
		wrong++;
	}
	return wrong;
}

int event_next(struct tsr_listener *l, uint32_t minor, struct tsr_event *ret)
{
	int err;

	do {
		err = tsr_listener_next(l, 10000000000, ret);
	} while (!err && ret->minor != minor);
	return err;
}

bool event_none(struct tsr_listener *l, uint32_t minor)
{
	struct tsr_event event;
	int err;

	do {
		err = tsr_listener_next(l, 200000000, &event);
	} while (!err && event.minor != minor);
	if (!err)
		fprintf(stderr, "# unexpected event %s, run %llu\n", tsr_event_name(event.type),
			(unsigned long long)event.run);
	return err == -ETIME;
}
