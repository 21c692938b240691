// SPDX-License-Identifier: MIT
/*
 * The one way into the kernel. drmIoctl() also repeats on EAGAIN, which would turn a full queue
 * that refuses into a busy loop, so it is not used.
 */
#include <sys/ioctl.h>

#include "device_int.h"

int tsr_ioctl_once(const struct tsr_device *dev, unsigned long request, void *arg)
{
	if (dev->fd < 0)
		return -ENODEV;
	return ioctl(dev->fd, request, arg) < 0 ? -errno : 0;
}

int tsr_ioctl(const struct tsr_device *dev, unsigned long request, void *arg)
{
	int err;

	do {
		err = tsr_ioctl_once(dev, request, arg);
	} while (err == -EINTR);
	return err;
}
