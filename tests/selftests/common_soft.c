// SPDX-License-Identifier: MIT
#include "common_soft.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROOT	"/sys/kernel/config/tessera"

int soft_write(const char *name, const char *attribute, const char *value)
{
	char path[256];
	ssize_t n;
	int fd, err;

	snprintf(path, sizeof(path), ROOT "/%s/%s", name, attribute);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = write(fd, value, strlen(value));
	err = n < 0 ? -errno : 0;
	close(fd);
	return err;
}

static int write_all(const char *name, const char *attributes)
{
	char *text = strdup(attributes), *rest = text, *word;
	int err = 0;

	while (!err && (word = strsep(&rest, " ")) != NULL) {
		char *value = strchr(word, '=');

		if (!*word)
			continue;
		if (!value)
			err = -EINVAL;
		if (err)
			break;
		*value++ = '\0';
		for (char *c = value; *c; c++)
			if (*c == ';')
				*c = ' ';
		err = soft_write(name, word, value);
		if (err)
			fprintf(stderr, "# %s/%s = %s: %s\n", name, word, value, strerror(-err));
	}
	free(text);
	return err;
}

int soft_remove(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), ROOT "/%s", name);
	return rmdir(path) && errno != ENOENT ? -errno : 0;
}

void soft_remove_all(void)
{
	struct dirent *entry;
	DIR *root = opendir(ROOT);

	while (root && (entry = readdir(root)))
		if (entry->d_name[0] != '.')
			soft_remove(entry->d_name);
	if (root)
		closedir(root);
}

int soft_create(const char *name, const char *attributes)
{
	char path[256];
	int err;

	soft_remove(name);
	snprintf(path, sizeof(path), ROOT "/%s", name);
	if (mkdir(path, 0755))
		return -errno;
	err = write_all(name, attributes);
	if (!err)
		err = soft_write(name, "enable", "1");
	if (err)
		soft_remove(name);
	return err;
}

int soft_node(const char *name, char *path, size_t size)
{
	char attribute[256], node[32] = "";
	ssize_t n;
	int fd;

	snprintf(attribute, sizeof(attribute), ROOT "/%s/node", name);
	fd = open(attribute, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, node, sizeof(node) - 1);
	close(fd);
	if (n <= 0)
		return -ENODEV;
	node[strcspn(node, "\n")] = '\0';
	snprintf(path, size, "/dev/accel/%s", node);
	return 0;
}

int soft_open(struct dev *d, const char *name, const char *attributes)
{
	int err = soft_create(name, attributes);

	if (!err)
		err = dev_open(d, name);
	return err;
}

void soft_close(struct dev *d, const char *name)
{
	dev_close(d);
	soft_remove(name);
}

/* ---- The module ------------------------------------------------------------------------------ */

int soft_load(const char *params)
{
	const char *path = getenv("TSR_MODULE");
	int fd, err;

	fd = open(path ? path : TSR_BUILDDIR "/tessera.ko", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = syscall(SYS_finit_module, fd, params, 0) ? -errno : 0;
	close(fd);
	return err;
}

int soft_load_back(const struct stat *node)
{
	int fd, err;

	soft_load("");
	fd = uapi_open(NULL);
	if (fd < 0)
		return fd;
	err = fchown(fd, node->st_uid, node->st_gid) || fchmod(fd, node->st_mode & 0777) ?
		-errno : 0;
	close(fd);
	return err;
}

int soft_unload(void)
{
	/* In use is EWOULDBLOCK to the system call, and EBUSY to everybody else. */
	if (syscall(SYS_delete_module, "tessera", O_NONBLOCK))
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	return 0;
}

int soft_unload_soon(void)
{
	int64_t until = uapi_soon();
	int err;

	while ((err = soft_unload()) == -EBUSY && uapi_now() < until)
		uapi_sleep_ms(5);
	return err;
}
