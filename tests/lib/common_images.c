// SPDX-License-Identifier: MIT
#include "common_images.h"

#include <sys/stat.h>

int images_begin(char *ret_dir)
{
	strcpy(ret_dir, "/tmp/tsr-cache-XXXXXX");
	if (!mkdtemp(ret_dir) || chmod(ret_dir, 0777))
		return -errno;
	unsetenv("TESSERA_IMAGE_CACHE");
	return setenv("XDG_CACHE_HOME", ret_dir, 1);
}

int images_end(const char *dir)
{
	char command[256];

	snprintf(command, sizeof(command), "chmod -R u+rwx %s && rm -rf %s", dir, dir);
	return system(command);
}

struct rig *images_rig(const char *name, const char *text)
{
	struct rig *rig = rig_new();

	rig->dev->disk = true;
	if (rig_add_source(rig, name, TSR_PROCESSOR_DM0, NULL, text))
		abort();
	return rig;
}

int images_compiles(const char *text)
{
	struct rig *rig = images_rig("k", text);
	struct tsr_library_stats stats;
	int err = rig_submit(rig);

	tsr_library_stats(rig->dev, &stats);
	rig_free(rig);
	return err == -ENODEV ? (int)stats.compiles : -1;
}

struct tsr_image_cache_stats images_stats(void)
{
	struct tsr_image_cache_stats s = { 0 };

	tsr_image_cache_stats(&s);
	return s;
}
