/* SPDX-License-Identifier: MIT */
/* Virtual devices through configfs, and the module itself. For tests that run as root. */
#ifndef TSR_TESTS_COMMON_SOFT_H
#define TSR_TESTS_COMMON_SOFT_H

#include <sys/stat.h>

#include "common_dev.h"

/**
 * soft_create() - make a virtual device and enable it
 * @name: of the directory and the device; one that a dead test left behind is removed first
 * @attributes: "no_progress_ms=200 timing/div=30"; harvested cores are separated by ";"
 *
 * Return: 0, or the errno of the step that was refused.
 */
int soft_create(const char *name, const char *attributes);
/** soft_remove() - unplug it and remove the directory; nothing happens if it is not there */
int soft_remove(const char *name);
/** soft_remove_all() - what dead tests left would keep the module */
void soft_remove_all(void);
/** soft_write() - one attribute of a directory */
int soft_write(const char *name, const char *attribute, const char *value);
/** soft_node() - path of the node of an enabled one */
int soft_node(const char *name, char *path, size_t size);
/** soft_open() - create, then dev_open() */
int soft_open(struct dev *d, const char *name, const char *attributes);
/** soft_close() - close, then remove */
void soft_close(struct dev *d, const char *name);

/** soft_load() - insert the module under test; @params as for insmod */
int soft_load(const char *params);
/**
 * soft_load_back() - insert it, unless it is there, with its default device
 * @node: owner and mode of that device's node before, as udev had made it
 */
int soft_load_back(const struct stat *node);
/** soft_unload() - remove the module, without waiting; -EBUSY in use, -ENOENT not loaded */
int soft_unload(void);
/** soft_unload_soon() - the same, but what is being released may take some seconds */
int soft_unload_soon(void);

#endif
