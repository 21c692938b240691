// SPDX-License-Identifier: MIT
/* The list of runs. */
#include <errno.h>

#include <drm/tessera_accel.h>
#include <tessera/run_list.h>

#include "netlink.h"
#include "util.h"

_Static_assert((int)TSR_WAITS_PROOF == (int)TESSERA_RUN_WAIT_PROOF, "same order");
_Static_assert((int)TSR_WAITS_CLAIM == (int)TESSERA_RUN_WAIT_CLAIM, "same order");

static const struct nla_policy run_policy[TESSERA_A_RUN_MAX + 1] = {
	[TESSERA_A_RUN_MINOR] = { .type = NLA_U32 },
	[TESSERA_A_RUN_CONTEXT] = { .type = NLA_U64 },
	[TESSERA_A_RUN_ID] = { .type = NLA_U64 },
	[TESSERA_A_RUN_PID] = { .type = NLA_U32 },
	[TESSERA_A_RUN_UID] = { .type = NLA_U32 },
	[TESSERA_A_RUN_PRIORITY] = { .type = NLA_U32 },
	[TESSERA_A_RUN_PHASE] = { .type = NLA_U32 },
	[TESSERA_A_RUN_WAITS] = { .type = NLA_U32 },
	[TESSERA_A_RUN_FENCES] = { .type = NLA_U32 },
	[TESSERA_A_RUN_CORES] = { .type = NLA_U32 },
	[TESSERA_A_RUN_PROGRAM] = { .type = NLA_STRING },
	[TESSERA_A_RUN_FINGERPRINT] = { .minlen = 16 },
	[TESSERA_A_RUN_USER_DATA] = { .type = NLA_U64 },
	[TESSERA_A_RUN_QUEUED] = { .type = NLA_U64 },
	[TESSERA_A_RUN_STAGED] = { .type = NLA_U64 },
	[TESSERA_A_RUN_LAUNCHED] = { .type = NLA_U64 },
	[TESSERA_A_RUN_COMPLETED] = { .type = NLA_U64 },
};

static void parse_numbers(struct nlattr **attrs, struct tsr_run_entry *entry)
{
	tsr_attr_u32(attrs[TESSERA_A_RUN_MINOR], &entry->minor);
	tsr_attr_u32(attrs[TESSERA_A_RUN_PID], &entry->pid);
	tsr_attr_u32(attrs[TESSERA_A_RUN_UID], &entry->uid);
	tsr_attr_u32(attrs[TESSERA_A_RUN_PHASE], &entry->phase);
	tsr_attr_u32(attrs[TESSERA_A_RUN_WAITS], &entry->waits);
	tsr_attr_u32(attrs[TESSERA_A_RUN_FENCES], &entry->fences);
	tsr_attr_u32(attrs[TESSERA_A_RUN_CORES], &entry->cores);
	tsr_attr_u64(attrs[TESSERA_A_RUN_CONTEXT], &entry->context);
	tsr_attr_u64(attrs[TESSERA_A_RUN_ID], &entry->id);
	tsr_attr_u64(attrs[TESSERA_A_RUN_USER_DATA], &entry->user_data);
	tsr_attr_u64(attrs[TESSERA_A_RUN_QUEUED], &entry->queued_ns);
	tsr_attr_u64(attrs[TESSERA_A_RUN_STAGED], &entry->staged_ns);
	tsr_attr_u64(attrs[TESSERA_A_RUN_LAUNCHED], &entry->launched_ns);
	tsr_attr_u64(attrs[TESSERA_A_RUN_COMPLETED], &entry->completed_ns);
}

static int parse_run(struct nlattr **attrs, void *arg)
{
	struct tsr_run_entry *entry = tsr_vec_add(arg, sizeof(*entry), 1);
	uint32_t priority = DRM_TESSERA_PRIORITY_NORMAL;

	if (!entry)
		return -ENOMEM;
	memset(entry, 0, sizeof(*entry));
	if (!attrs[TESSERA_A_RUN_MINOR] || !attrs[TESSERA_A_RUN_CONTEXT] ||
	    !attrs[TESSERA_A_RUN_ID])
		return -EPROTO;
	parse_numbers(attrs, entry);
	tsr_attr_u32(attrs[TESSERA_A_RUN_PRIORITY], &priority);
	entry->priority = tsr_attr_priority(priority);
	tsr_attr_text(attrs[TESSERA_A_RUN_PROGRAM], entry->program, sizeof(entry->program));
	if (attrs[TESSERA_A_RUN_FINGERPRINT])
		memcpy(entry->fingerprint, nla_data(attrs[TESSERA_A_RUN_FINGERPRINT]),
		       sizeof(entry->fingerprint));
	return 0;
}

TSR_API int tsr_run_list(uint32_t minor, uint64_t context, struct tsr_run_entry **ret_runs,
			 size_t *ret_count)
{
	struct tsr_request request = {
		.command = TESSERA_CMD_RUN_GET,
		.minor_attr = minor == TSR_ALL_DEVICES ? 0 : TESSERA_A_RUN_MINOR,
		.minor = minor,
		.id_attr = context ? TESSERA_A_RUN_CONTEXT : 0,
		.id = context,
		.parse = parse_run,
		.max_attr = TESSERA_A_RUN_MAX,
		.policy = run_policy,
	};
	void *list;
	int err = tsr_netlink_list(&request, &list, ret_count);

	if (!err)
		*ret_runs = list;
	return err;
}
