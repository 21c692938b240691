/* SPDX-License-Identifier: GPL-2.0-only */
/* sysfs and debugfs of a device. */
#ifndef TSR_WATCH_H
#define TSR_WATCH_H

struct tsr_device;

/* tsr_watch_register() - once it is registered. 0, or -errno: it works all the same. */
int tsr_watch_register(struct tsr_device *tdev);
/* tsr_watch_unregister() - before it is unplugged; nobody is reading afterwards */
void tsr_watch_unregister(struct tsr_device *tdev);

#endif
