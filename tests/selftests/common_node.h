/* SPDX-License-Identifier: MIT */
/* Directories of virtual devices in configfs, attribute by attribute. Functions return -errno. */
#ifndef TSR_TESTS_COMMON_NODE_H
#define TSR_TESTS_COMMON_NODE_H

#include "common_uapi.h"

int node_make(const char *node);
int node_remove(const char *node);
/** node_open() - open the device that the attribute node names; a descriptor */
int node_open(const char *node);

int attr_write(const char *node, const char *attr, const char *value);
/** attr_read() - without the newline */
int attr_read(const char *node, const char *attr, char *ret, size_t size);
/** attr_is() - reads as that; says what it is if not */
bool attr_is(const char *node, const char *attr, const char *value);

/** struct node_pair - two names, and a directory of the first; nothing may be left of both */
struct node_pair {
	char a[32], b[32];
	unsigned int nodes;		/* that there were before */
};

int node_pair_make(struct node_pair *ret);
/** node_pair_remove() - 0: there are as many nodes as before */
int node_pair_remove(const struct node_pair *pair);

/** count_nodes() - accel devices of the machine */
unsigned int count_nodes(void);

#endif
