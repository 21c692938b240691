// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual devices through configfs: a directory is a configuration, enable makes it
 * a device. Documentation/configfs.rst describes every attribute.
 *
 * While a directory exists the module cannot be unloaded: configfs holds it.
 */
#include <linux/configfs.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include "soft.h"

/** struct tsr_soft_node - one directory */
struct tsr_soft_node {
	struct config_group group;
	struct config_group timing;
	struct mutex lock;			/* protects all below */
	struct tsr_soft_config config;
	struct platform_device *pdev;		/* NULL: not enabled */
	struct tsr_faults *faults;		/* constant; has its own lock */
};

static struct tsr_soft_node *to_node(struct config_item *item)
{
	return container_of(to_config_group(item), struct tsr_soft_node, group);
}

static struct tsr_soft_node *to_timing(struct config_item *item)
{
	return container_of(to_config_group(item), struct tsr_soft_node, timing);
}

static ssize_t tsr_soft_field_show(struct tsr_soft_node *node, enum tsr_soft_field field,
				   char *page)
{
	guard(mutex)(&node->lock);
	return sysfs_emit(page, "%u\n", tsr_soft_config_get(&node->config, field));
}

static ssize_t tsr_soft_field_store(struct tsr_soft_node *node, enum tsr_soft_field field,
				    const char *page, size_t count)
{
	int ret;

	guard(mutex)(&node->lock);
	if (node->pdev)
		return -EBUSY;
	ret = tsr_soft_config_set(&node->config, field, page);
	return ret ?: count;
}

/* One pair of functions and one attribute for each number: a pair is told the item only. */
#define TSR_SOFT_ATTR(_kind, _name, _field)						\
static ssize_t _kind##_##_name##_show(struct config_item *item, char *page)		\
{											\
	return tsr_soft_field_show(to_##_kind(item), TSR_SOFT_##_field, page);		\
}											\
											\
static ssize_t _kind##_##_name##_store(struct config_item *item, const char *page,	\
				       size_t count)					\
{											\
	return tsr_soft_field_store(to_##_kind(item), TSR_SOFT_##_field, page, count);	\
}											\
											\
CONFIGFS_ATTR(_kind##_, _name)

TSR_SOFT_ATTR(node, width, width);
TSR_SOFT_ATTR(node, height, height);
TSR_SOFT_ATTR(node, l1_size, l1_size);
TSR_SOFT_ATTR(node, image_slot, image_slot);
TSR_SOFT_ATTR(node, words, words);
TSR_SOFT_ATTR(node, bindings, bindings);
TSR_SOFT_ATTR(node, seed, seed);
TSR_SOFT_ATTR(node, deterministic, deterministic);
TSR_SOFT_ATTR(node, quantum, quantum);
TSR_SOFT_ATTR(node, workers, workers);
TSR_SOFT_ATTR(node, staged_depth, staged_depth);
TSR_SOFT_ATTR(node, queue_capacity, queue_capacity);
TSR_SOFT_ATTR(node, no_progress_ms, no_progress_ms);
TSR_SOFT_ATTR(node, claim_hold_ms, claim_hold_ms);
TSR_SOFT_ATTR(node, run_limit_ms, run_limit_ms);
TSR_SOFT_ATTR(node, inline_budget, inline_budget);

TSR_SOFT_ATTR(timing, alu, timing_alu);
TSR_SOFT_ATTR(timing, load, timing_load);
TSR_SOFT_ATTR(timing, store, timing_store);
TSR_SOFT_ATTR(timing, mul, timing_mul);
TSR_SOFT_ATTR(timing, div, timing_div);
TSR_SOFT_ATTR(timing, branch, timing_branch);
TSR_SOFT_ATTR(timing, reg, timing_reg);
TSR_SOFT_ATTR(timing, noc_latency, timing_noc_latency);
TSR_SOFT_ATTR(timing, noc_hop, timing_noc_hop);
TSR_SOFT_ATTR(timing, noc_bytes, timing_noc_bytes);
TSR_SOFT_ATTR(timing, tile_matmul, timing_tile_matmul);
TSR_SOFT_ATTR(timing, tile_op, timing_tile_op);

static ssize_t node_harvested_show(struct config_item *item, char *page)
{
	struct tsr_soft_node *node = to_node(item);

	guard(mutex)(&node->lock);
	return tsr_soft_harvest_print(&node->config, page);
}

static ssize_t node_harvested_store(struct config_item *item, const char *page, size_t count)
{
	struct tsr_soft_node *node = to_node(item);
	char *text;
	int ret;

	guard(mutex)(&node->lock);
	if (node->pdev)
		return -EBUSY;
	text = kstrndup(page, count, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	ret = tsr_soft_harvest_parse(&node->config, text);
	kfree(text);
	return ret ?: count;
}

CONFIGFS_ATTR(node_, harvested);

static ssize_t node_enable_show(struct config_item *item, char *page)
{
	struct tsr_soft_node *node = to_node(item);

	guard(mutex)(&node->lock);
	return sysfs_emit(page, "%d\n", node->pdev ? 1 : 0);
}

static int tsr_soft_node_enable(struct tsr_soft_node *node)
{
	struct tsr_grid_config grid;
	struct platform_device *pdev;
	const char *field;

	if (tsr_soft_config_grid(&node->config, &grid, &field)) {
		pr_debug("tessera: %s: bad %s\n", node->config.name, field);
		return -EINVAL;
	}
	pdev = tsr_soft_device_new(&node->config);
	if (IS_ERR(pdev))
		return PTR_ERR(pdev);
	node->pdev = pdev;
	return 0;
}

static ssize_t node_enable_store(struct config_item *item, const char *page, size_t count)
{
	struct tsr_soft_node *node = to_node(item);
	bool enable;
	int ret = 0;

	if (kstrtobool(page, &enable))
		return -EINVAL;
	guard(mutex)(&node->lock);
	if (enable && !node->pdev)
		ret = tsr_soft_node_enable(node);
	else if (!enable && node->pdev)
		node->pdev = tsr_soft_device_free(node->pdev);
	return ret ?: count;
}

CONFIGFS_ATTR(node_, enable);

static ssize_t node_node_show(struct config_item *item, char *page)
{
	struct tsr_soft_node *node = to_node(item);
	int minor = -ENODEV;

	guard(mutex)(&node->lock);
	if (node->pdev)
		minor = tsr_soft_device_minor(node->pdev);
	if (minor < 0)
		return minor;
	return sysfs_emit(page, "accel%d\n", minor);
}

CONFIGFS_ATTR_RO(node_, node);

/* The device's part of a suspend, without the machine's. */
static ssize_t node_suspend_store(struct config_item *item, const char *page, size_t count)
{
	struct tsr_soft_node *node = to_node(item);
	bool suspend;
	int ret;

	if (kstrtobool(page, &suspend))
		return -EINVAL;
	guard(mutex)(&node->lock);
	ret = node->pdev ? tsr_soft_device_power(node->pdev, !suspend) : -ENODEV;
	return ret ?: count;
}

CONFIGFS_ATTR_WO(node_, suspend);

static ssize_t node_fault_plan_show(struct config_item *item, char *page)
{
	return tsr_faults_print(to_node(item)->faults, false, page);
}

/* Takes effect at once, also while the device is enabled. */
static ssize_t node_fault_plan_store(struct config_item *item, const char *page, size_t count)
{
	struct tsr_fault_plan *plan = kzalloc(sizeof(*plan), GFP_KERNEL);
	char *text = kstrndup(page, count, GFP_KERNEL);
	int ret = -ENOMEM;

	if (plan && text)
		ret = tsr_fault_plan_parse(text, plan);
	if (!ret)
		tsr_faults_set(to_node(item)->faults, plan);
	kfree(text);
	kfree(plan);
	return ret ?: count;
}

CONFIGFS_ATTR(node_, fault_plan);

static ssize_t node_fault_hits_show(struct config_item *item, char *page)
{
	return tsr_faults_print(to_node(item)->faults, true, page);
}

CONFIGFS_ATTR_RO(node_, fault_hits);

static struct configfs_attribute *tsr_soft_timing_attrs[] = {
	&timing_attr_alu,
	&timing_attr_load,
	&timing_attr_store,
	&timing_attr_mul,
	&timing_attr_div,
	&timing_attr_branch,
	&timing_attr_reg,
	&timing_attr_noc_latency,
	&timing_attr_noc_hop,
	&timing_attr_noc_bytes,
	&timing_attr_tile_matmul,
	&timing_attr_tile_op,
	NULL,
};

static const struct config_item_type tsr_soft_timing_type = {
	.ct_attrs = tsr_soft_timing_attrs,
	.ct_owner = THIS_MODULE,
};

static struct configfs_attribute *tsr_soft_node_attrs[] = {
	&node_attr_width,
	&node_attr_height,
	&node_attr_l1_size,
	&node_attr_image_slot,
	&node_attr_words,
	&node_attr_bindings,
	&node_attr_seed,
	&node_attr_deterministic,
	&node_attr_quantum,
	&node_attr_workers,
	&node_attr_staged_depth,
	&node_attr_queue_capacity,
	&node_attr_no_progress_ms,
	&node_attr_claim_hold_ms,
	&node_attr_run_limit_ms,
	&node_attr_inline_budget,
	&node_attr_harvested,
	&node_attr_enable,
	&node_attr_suspend,
	&node_attr_node,
	&node_attr_fault_plan,
	&node_attr_fault_hits,
	NULL,
};

static void tsr_soft_node_release(struct config_item *item)
{
	struct tsr_soft_node *node = to_node(item);

	mutex_destroy(&node->lock);
	tsr_faults_put(node->faults);
	kfree(node);
}

static struct configfs_item_operations tsr_soft_node_ops = {
	.release = tsr_soft_node_release,
};

static const struct config_item_type tsr_soft_node_type = {
	.ct_item_ops = &tsr_soft_node_ops,
	.ct_attrs = tsr_soft_node_attrs,
	.ct_owner = THIS_MODULE,
};

static struct config_group *tsr_soft_make(struct config_group *group, const char *name)
{
	struct tsr_soft_node *node;

	if (strlen(name) >= sizeof(node->config.name))
		return ERR_PTR(-ENAMETOOLONG);
	node = kzalloc(sizeof(*node), GFP_KERNEL);
	if (!node)
		return ERR_PTR(-ENOMEM);
	node->faults = tsr_faults_new();
	if (!node->faults)
		goto err_free;
	config_group_init_type_name(&node->group, name, &tsr_soft_node_type);
	/* Long names are allocated, and nobody says when that fails. */
	if (!config_item_name(&node->group.cg_item))
		goto err_free;
	mutex_init(&node->lock);
	tsr_soft_config_default(&node->config, name);
	node->config.faults = node->faults;
	config_group_init_type_name(&node->timing, "timing", &tsr_soft_timing_type);
	configfs_add_default_group(&node->timing, &node->group);
	return &node->group;

err_free:
	tsr_faults_put(node->faults);
	kfree(node);
	return ERR_PTR(-ENOMEM);
}

/* rmdir: an enabled device is unplugged. No attribute is accessed any more. */
static void tsr_soft_drop(struct config_group *group, struct config_item *item)
{
	struct tsr_soft_node *node = to_node(item);

	scoped_guard(mutex, &node->lock) {
		if (node->pdev)
			node->pdev = tsr_soft_device_free(node->pdev);
	}
	config_item_put(item);
}

static struct configfs_group_operations tsr_soft_root_ops = {
	.make_group = tsr_soft_make,
	.drop_item = tsr_soft_drop,
};

static const struct config_item_type tsr_soft_root_type = {
	.ct_group_ops = &tsr_soft_root_ops,
	.ct_owner = THIS_MODULE,
};

static struct configfs_subsystem tsr_soft_subsys = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "tessera",
			.ci_type = &tsr_soft_root_type,
		},
	},
};

int tsr_soft_configfs_init(void)
{
	config_group_init(&tsr_soft_subsys.su_group);
	mutex_init(&tsr_soft_subsys.su_mutex);
	return configfs_register_subsystem(&tsr_soft_subsys);
}

void tsr_soft_configfs_exit(void)
{
	configfs_unregister_subsystem(&tsr_soft_subsys);
}
