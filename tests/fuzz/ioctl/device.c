// SPDX-License-Identifier: MIT
#include "device.h"
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/tessera_netlink.h>
#include "common_node.h"

#define NAME	"fuzz"

/* Programs have 2 x 2 cores: a wrong coordinate is a core that is there, harvested, or none. */
static const char *const attributes[][2] = {
	{ "width", "3" }, { "height", "2" }, { "harvested", "2,1" }, { "l1_size", "131072" },
	{ "image_slot", "8192" }, { "queue_capacity", "16" }, { "no_progress_ms", "20" },
	{ "claim_hold_ms", "10" }, { "run_limit_ms", "50" },
};

static uint16_t family(void)
{
	struct nl_sock *sock = nl_socket_alloc();
	int id = 0;

	if (sock && !genl_connect(sock))
		id = genl_ctrl_resolve(sock, TESSERA_FAMILY_NAME);
	nl_socket_free(sock);
	return id > 0 ? id : 0;
}

int device_make(struct world *ret, bool deterministic)
{
	struct drm_tessera_device_info info;
	char node[32];
	int err;

	*ret = (struct world){ .control = -1, .shared = { .fd = -1 }, .family = family() };
	node_remove(NAME);
	err = node_make(NAME);
	for (size_t i = 0; i < UAPI_ARRAY_SIZE(attributes) && !err; i++)
		err = attr_write(NAME, attributes[i][0], attributes[i][1]);
	if (!err)
		err = attr_write(NAME, "deterministic", deterministic ? "1" : "0");
	if (!err)
		err = attr_write(NAME, "enable", "1");
	if (!err)
		ret->control = node_open(NAME);
	if (!err && ret->control < 0)
		err = ret->control;
	if (!err)
		err = attr_read(NAME, "node", node, sizeof(node));
	if (!err)
		err = uapi_info(ret->control, &info);
	if (err)
		return err;
	snprintf(ret->node, sizeof(ret->node), "/dev/accel/%s", node);
	ret->minor = strtoul(node + strlen("accel"), NULL, 10);
	ret->limits = info.limits;
	return 0;
}

int device_remove(struct world *world)
{
	close(world->control);
	return node_remove(NAME);
}

/* What has to be 0 when nobody has anything. */
static uint32_t look(const struct drm_tessera_counters *c, bool print)
{
	const struct {
		const char *name;
		uint64_t value;
	} gauges[] = {
		{ "contexts", c->contexts }, { "buffers", c->buffers },
		{ "programs", c->programs }, { "images", c->images }, { "runs", c->runs },
		{ "fences", c->fences }, { "queue_depth", c->queue_depth },
		{ "leases", c->leases_taken - c->leases_returned },
		{ "claims", c->claims_taken - c->claims_released },
		{ "images loaded", c->image_loads - c->image_unloads },
		{ "runs that did not end", c->runs_accepted - c->runs_retired - c->runs_cancelled },
		{ "quarantined", c->runs_quarantined },
	};
	uint32_t left = 0;

	for (size_t i = 0; i < UAPI_ARRAY_SIZE(gauges); i++) {
		if (!gauges[i].value)
			continue;
		left++;
		if (print)
			fprintf(stderr, "# left on the device: %s %lld\n", gauges[i].name,
				(long long)gauges[i].value);
	}
	return left;
}

uint32_t device_left(struct world *world)
{
	int64_t until = uapi_in_ms(10000);
	struct drm_tessera_counters c;

	for (;;) {
		if (uapi_counters(world->control, &c))
			return 1;
		if (!look(&c, false) || uapi_now() > until)
			return look(&c, true);
		uapi_sleep_ms(1);
	}
}
