// SPDX-License-Identifier: MIT
/* What a run left behind for those who want to know: figures and print (DX-2). */
#include <errno.h>
#include <stdlib.h>

#include "run_int.h"

/* Read one kind of record, whatever its size; a NUL is added. */
static int read_diag(struct tsr_run *run, uint32_t what, void **ret_data, size_t *ret_size)
{
	struct drm_tessera_run_diag arg = { .handle = run->handle, .what = what };
	int err = tsr_device_check(run->context->dev);
	char *data;
	size_t room;

	if (!err)
		err = tsr_ioctl(run->context->dev, DRM_IOCTL_TESSERA_RUN_DIAG, &arg);
	if (err)
		return err;
	room = arg.size;
	data = malloc(room + 1);
	if (!data)
		return -ENOMEM;
	arg = (struct drm_tessera_run_diag){
		.handle = run->handle,
		.what = what,
		.size = (uint32_t)room,
		.data = (uintptr_t)data,
	};
	err = tsr_ioctl(run->context->dev, DRM_IOCTL_TESSERA_RUN_DIAG, &arg);
	if (err) {
		free(data);
		return err;
	}
	if (arg.size < room)
		room = arg.size;
	data[room] = '\0';
	*ret_data = data;
	*ret_size = room;
	return 0;
}

TSR_API int tsr_run_processors(struct tsr_run *run, struct tsr_processor_stats **ret_stats,
			       size_t *ret_count)
{
	struct drm_tessera_proc_stats *from;
	struct tsr_processor_stats *to;
	size_t size, n;
	void *data;
	int err = read_diag(run, DRM_TESSERA_DIAG_PROCS, &data, &size);

	if (err)
		return err;
	from = data;
	n = size / sizeof(*from);
	to = calloc(n + 1, sizeof(*to));
	if (!to) {
		free(data);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		to[i] = (struct tsr_processor_stats){
			.x = from[i].x,
			.y = from[i].y,
			.processor = from[i].processor,
			.cycles = from[i].cycles,
			.instructions = from[i].instructions,
			.wait_cycles = from[i].wait_cycles,
			.noc_read = from[i].noc_read,
			.noc_written = from[i].noc_written,
		};
	free(data);
	*ret_stats = to;
	*ret_count = n;
	return 0;
}

TSR_API int tsr_run_print(struct tsr_run *run, char **ret_text)
{
	size_t size;
	void *data;
	int err = read_diag(run, DRM_TESSERA_DIAG_PRINT, &data, &size);

	if (!err)
		*ret_text = data;
	return err;
}
