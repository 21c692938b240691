// SPDX-License-Identifier: MIT
/* Every n-th failure of making, enabling, suspending and removing virtual devices. */
#include "common_nth.h"
#include "kselftest_harness.h"

/* Long enough to be allocated by itself. */
#define NODE		"nth-node-of-a-long-name"

NTH_FIXTURE

static int make(struct nth *n)
{
	int err = node_make(NODE);

	if (!err)
		n->node = NODE;
	return err;
}

static int set_number(struct nth *n)
{
	return attr_write(NODE, "width", "5");
}

static int set_harvested(struct nth *n)
{
	return attr_write(NODE, "harvested", "1,1 2,2");
}

static int set_plan(struct nth *n)
{
	return attr_write(NODE, "fault_plan", "stage fail nth=1000000\n");
}

static int read_plan(struct nth *n)
{
	char text[4096];

	return attr_read(NODE, "fault_plan", text, sizeof(text));
}

static int enable(struct nth *n)
{
	return attr_write(NODE, "enable", "1");
}

static int disable(struct nth *n)
{
	return attr_write(NODE, "enable", "0");
}

static int with_device(struct nth *n)
{
	int err = make(n);

	return err ? err : enable(n);
}

static int suspend(struct nth *n)
{
	return attr_write(NODE, "suspend", "1");
}

static int with_suspended(struct nth *n)
{
	int err = with_device(n);

	return err ? err : suspend(n);
}

static int resume(struct nth *n)
{
	return attr_write(NODE, "suspend", "0");
}

static int remove_node(struct nth *n)
{
	int err = node_remove(NODE);

	if (!err)
		n->node = NULL;
	return err;
}

NTH_CASE(configfs_make, .act = make);
NTH_CASE(configfs_number, .prepare = make, .act = set_number);
NTH_CASE(configfs_harvested, .prepare = make, .act = set_harvested);
NTH_CASE(configfs_plan, .prepare = make, .act = set_plan);
NTH_CASE(configfs_read, .prepare = make, .act = read_plan);
/* ENXIO: the driver core did not get as far as the driver. */
NTH_CASE(device_enable, .prepare = make, .act = enable, .also = { ENXIO });
NTH_CASE(device_disable, .prepare = with_device, .act = disable);
NTH_CASE(device_suspend, .prepare = with_device, .act = suspend);
NTH_CASE(device_resume, .prepare = with_suspended, .act = resume);
NTH_CASE(configfs_remove, .prepare = with_device, .act = remove_node);

NTH_TESTS
