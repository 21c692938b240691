// SPDX-License-Identifier: MIT
#include "common_node.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOT	"/sys/kernel/config/tessera/"

int attr_write(const char *node, const char *attr, const char *value)
{
	char path[256];
	int fd, ret;

	snprintf(path, sizeof(path), ROOT "%s/%s", node, attr);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = write(fd, value, strlen(value)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

int attr_read(const char *node, const char *attr, char *ret, size_t size)
{
	char path[256];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), ROOT "%s/%s", node, attr);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, ret, size - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return n;
	ret[n] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
	return 0;
}

bool attr_is(const char *node, const char *attr, const char *value)
{
	char now[4096];

	if (attr_read(node, attr, now, sizeof(now)))
		return false;
	if (strcmp(now, value))
		fprintf(stderr, "# %s/%s is '%s', not '%s'\n", node, attr, now, value);
	return !strcmp(now, value);
}

int node_make(const char *node)
{
	char path[256];

	snprintf(path, sizeof(path), ROOT "%s", node);
	return mkdir(path, 0755) ? -errno : 0;
}

int node_remove(const char *node)
{
	char path[256];

	snprintf(path, sizeof(path), ROOT "%s", node);
	return rmdir(path) ? -errno : 0;
}

int node_open(const char *node)
{
	char name[32], path[64];
	int ret = attr_read(node, "node", name, sizeof(name));

	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/dev/accel/%s", name);
	/* The node in /dev comes from the kernel itself, but its name from udev. */
	for (int i = 0; i < 500 && access(path, R_OK | W_OK); i++)
		uapi_sleep_ms(10);
	ret = open(path, O_RDWR | O_CLOEXEC);
	return ret < 0 ? -errno : ret;
}

unsigned int count_nodes(void)
{
	unsigned int n = 0;
	char path[64];

	for (int i = 0; i < 64; i++) {
		snprintf(path, sizeof(path), "/sys/class/accel/accel%d", i);
		n += !access(path, F_OK);
	}
	return n;
}

int node_pair_make(struct node_pair *ret)
{
	snprintf(ret->a, sizeof(ret->a), "a%d", getpid());
	snprintf(ret->b, sizeof(ret->b), "b%d", getpid());
	ret->nodes = count_nodes();
	return node_make(ret->a);
}

int node_pair_remove(const struct node_pair *pair)
{
	node_remove(pair->a);
	node_remove(pair->b);
	return (int)count_nodes() - (int)pair->nodes;
}
