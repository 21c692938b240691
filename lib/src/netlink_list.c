// SPDX-License-Identifier: MIT
/* Lists of devices and contexts, and the reset of a device. */
#include <errno.h>

#include <drm/tessera_accel.h>
#include <tessera/context.h>

#include "netlink.h"
#include "util.h"

/* Attribute n + 2 is field n. */
#define FIELDS	(offsetof(struct tsr_counters, reserved) / sizeof(uint64_t))
_Static_assert(FIELDS <= 64, "bits of counters_known");
_Static_assert(offsetof(struct tsr_counters, contexts) / 8 + 2 == TESSERA_A_COUNTERS_CONTEXTS,
	       "first counter");
_Static_assert(offsetof(struct tsr_counters, inline_runs) / 8 + 2 == TESSERA_A_COUNTERS_INLINE_RUNS,
	       "same order");

static const char *const counter_names[] = {
#define NAME(field)	[offsetof(struct tsr_counters, field) / sizeof(uint64_t)] = #field
	NAME(contexts), NAME(buffers), NAME(programs), NAME(images), NAME(runs), NAME(fences),
	NAME(program_creates), NAME(image_loads), NAME(image_unloads), NAME(runs_accepted),
	NAME(runs_refused), NAME(runs_staged), NAME(runs_launched), NAME(runs_completed),
	NAME(runs_failed_local), NAME(runs_failed_queue), NAME(runs_failed_device),
	NAME(runs_cancelled), NAME(runs_quarantined), NAME(runs_retired), NAME(leases_taken),
	NAME(leases_returned), NAME(claims_taken), NAME(claims_released), NAME(resets),
	NAME(scrubs), NAME(timeouts), NAME(queue_depth), NAME(queue_peak), NAME(inline_runs),
	NAME(poisonings), NAME(holds_granted), NAME(holds_revoked), NAME(resets_failed),
	NAME(images_abandoned),
#undef NAME
};
_Static_assert(ARRAY_SIZE(counter_names) == FIELDS, "every counter has a name");

TSR_API const char *tsr_counter_name(size_t index)
{
	return index < ARRAY_SIZE(counter_names) ? counter_names[index] : NULL;
}

static int parse_counters(struct nlattr *nest, struct tsr_counters *ret, uint64_t *ret_known)
{
	struct nlattr *attrs[TESSERA_A_COUNTERS_MAX + 1];
	uint64_t *field = (uint64_t *)ret;

	if (!nest)
		return 0;
	if (nla_parse_nested(attrs, TESSERA_A_COUNTERS_MAX, nest, NULL))
		return -EPROTO;
	for (size_t i = 0; i < FIELDS && i + 2 <= TESSERA_A_COUNTERS_MAX; i++) {
		if (!attrs[i + 2])
			continue;
		if (nla_len(attrs[i + 2]) != sizeof(uint64_t))
			return -EPROTO;
		field[i] = nla_get_u64(attrs[i + 2]);
		*ret_known |= UINT64_C(1) << i;
	}
	return 0;
}

static int parse_limits(struct nlattr *nest, struct tsr_device_entry *ret)
{
	static const struct nla_policy policy[TESSERA_A_LIMITS_MAX + 1] = {
		[1 ... TESSERA_A_LIMITS_MAX] = { .type = NLA_U32 },
	};
	struct nlattr *attrs[TESSERA_A_LIMITS_MAX + 1];

	if (!nest)
		return 0;
	if (nla_parse_nested(attrs, TESSERA_A_LIMITS_MAX, nest, (struct nla_policy *)policy))
		return -EPROTO;
	tsr_attr_u32(attrs[TESSERA_A_LIMITS_GRID_WIDTH], &ret->grid_width);
	tsr_attr_u32(attrs[TESSERA_A_LIMITS_GRID_HEIGHT], &ret->grid_height);
	tsr_attr_u32(attrs[TESSERA_A_LIMITS_CORES], &ret->cores);
	tsr_attr_u32(attrs[TESSERA_A_LIMITS_L1_SIZE], &ret->l1_size);
	tsr_attr_u32(attrs[TESSERA_A_LIMITS_QUEUE_CAPACITY], &ret->queue_capacity);
	tsr_attr_u32(attrs[TESSERA_A_LIMITS_STAGED_DEPTH], &ret->staged_depth);
	tsr_attr_u32(attrs[TESSERA_A_LIMITS_PARALLELISM], &ret->parallelism);
	tsr_attr_u32(attrs[TESSERA_A_LIMITS_NO_PROGRESS_MS], &ret->no_progress_ms);
	return 0;
}

/* --- devices -------------------------------------------------------------------------------- */

static const struct nla_policy device_policy[TESSERA_A_DEVICE_MAX + 1] = {
	[TESSERA_A_DEVICE_MINOR] = { .type = NLA_U32 },
	[TESSERA_A_DEVICE_INSTANCE] = { .type = NLA_U64 },
	[TESSERA_A_DEVICE_NAME] = { .type = NLA_STRING },
	[TESSERA_A_DEVICE_HEALTH] = { .type = NLA_U32 },
	[TESSERA_A_DEVICE_RESET_GENERATION] = { .type = NLA_U64 },
	[TESSERA_A_DEVICE_EVENT_SEQUENCE] = { .type = NLA_U64 },
	[TESSERA_A_DEVICE_LIMITS] = { .type = NLA_NESTED },
	[TESSERA_A_DEVICE_COUNTERS] = { .type = NLA_NESTED },
};

static int parse_device(struct nlattr **attrs, void *arg)
{
	struct tsr_device_entry *entry = tsr_vec_add(arg, sizeof(*entry), 1);
	int err;

	if (!entry)
		return -ENOMEM;
	memset(entry, 0, sizeof(*entry));
	if (!attrs[TESSERA_A_DEVICE_MINOR] || !attrs[TESSERA_A_DEVICE_INSTANCE])
		return -EPROTO;
	tsr_attr_u32(attrs[TESSERA_A_DEVICE_MINOR], &entry->minor);
	tsr_attr_u64(attrs[TESSERA_A_DEVICE_INSTANCE], &entry->instance);
	tsr_attr_text(attrs[TESSERA_A_DEVICE_NAME], entry->name, sizeof(entry->name));
	tsr_attr_u32(attrs[TESSERA_A_DEVICE_HEALTH], &entry->health);
	tsr_attr_u64(attrs[TESSERA_A_DEVICE_RESET_GENERATION], &entry->reset_generation);
	tsr_attr_u64(attrs[TESSERA_A_DEVICE_EVENT_SEQUENCE], &entry->event_sequence);
	err = parse_limits(attrs[TESSERA_A_DEVICE_LIMITS], entry);
	if (err)
		return err;
	return parse_counters(attrs[TESSERA_A_DEVICE_COUNTERS], &entry->counters,
			      &entry->counters_known);
}

TSR_API int tsr_device_list(struct tsr_device_entry **ret_devices, size_t *ret_count)
{
	struct tsr_request request = {
		.command = TESSERA_CMD_DEVICE_GET,
		.parse = parse_device,
		.max_attr = TESSERA_A_DEVICE_MAX,
		.policy = device_policy,
	};
	void *list;
	int err = tsr_netlink_list(&request, &list, ret_count);

	if (!err)
		*ret_devices = list;
	return err;
}

static int parse_reset(struct nlattr **attrs, void *arg)
{
	tsr_attr_u64(attrs[TESSERA_A_DEVICE_RESET_GENERATION], arg);
	return 0;
}

TSR_API int tsr_minor_reset(uint32_t minor, uint64_t *ret_generation)
{
	uint64_t generation = 0;
	const struct tsr_request request = {
		.command = TESSERA_CMD_DEVICE_RESET,
		.minor_attr = TESSERA_A_DEVICE_MINOR,
		.minor = minor,
		.parse = parse_reset,
		.max_attr = TESSERA_A_DEVICE_MAX,
		.policy = device_policy,
		.arg = &generation,
	};
	int err = tsr_netlink_request(&request);

	if (!err && ret_generation)
		*ret_generation = generation;
	return err;
}

/* --- contexts ------------------------------------------------------------------------------- */

static const struct nla_policy context_policy[TESSERA_A_CONTEXT_MAX + 1] = {
	[TESSERA_A_CONTEXT_MINOR] = { .type = NLA_U32 },
	[TESSERA_A_CONTEXT_ID] = { .type = NLA_U64 },
	[TESSERA_A_CONTEXT_PID] = { .type = NLA_U32 },
	[TESSERA_A_CONTEXT_UID] = { .type = NLA_U32 },
	[TESSERA_A_CONTEXT_PRIORITY] = { .type = NLA_U32 },
	[TESSERA_A_CONTEXT_QUEUE_CAPACITY] = { .type = NLA_U32 },
	[TESSERA_A_CONTEXT_DEPTH] = { .type = NLA_U32 },
	[TESSERA_A_CONTEXT_COUNTERS] = { .type = NLA_NESTED },
};

static int parse_context(struct nlattr **attrs, void *arg)
{
	struct tsr_context_entry *entry = tsr_vec_add(arg, sizeof(*entry), 1);
	uint32_t priority = DRM_TESSERA_PRIORITY_NORMAL;

	if (!entry)
		return -ENOMEM;
	memset(entry, 0, sizeof(*entry));
	if (!attrs[TESSERA_A_CONTEXT_MINOR] || !attrs[TESSERA_A_CONTEXT_ID])
		return -EPROTO;
	tsr_attr_u32(attrs[TESSERA_A_CONTEXT_MINOR], &entry->minor);
	tsr_attr_u64(attrs[TESSERA_A_CONTEXT_ID], &entry->id);
	tsr_attr_u32(attrs[TESSERA_A_CONTEXT_PID], &entry->pid);
	tsr_attr_u32(attrs[TESSERA_A_CONTEXT_UID], &entry->uid);
	tsr_attr_u32(attrs[TESSERA_A_CONTEXT_PRIORITY], &priority);
	entry->priority = tsr_attr_priority(priority);
	tsr_attr_u32(attrs[TESSERA_A_CONTEXT_QUEUE_CAPACITY], &entry->queue_capacity);
	tsr_attr_u32(attrs[TESSERA_A_CONTEXT_DEPTH], &entry->depth);
	return parse_counters(attrs[TESSERA_A_CONTEXT_COUNTERS], &entry->counters,
			      &entry->counters_known);
}

TSR_API int tsr_context_list(uint32_t minor, struct tsr_context_entry **ret_contexts,
			     size_t *ret_count)
{
	struct tsr_request request = {
		.command = TESSERA_CMD_CONTEXT_GET,
		.minor_attr = minor == TSR_ALL_DEVICES ? 0 : TESSERA_A_CONTEXT_MINOR,
		.minor = minor,
		.parse = parse_context,
		.max_attr = TESSERA_A_CONTEXT_MAX,
		.policy = context_policy,
	};
	void *list;
	int err = tsr_netlink_list(&request, &list, ret_count);

	if (!err)
		*ret_contexts = list;
	return err;
}
