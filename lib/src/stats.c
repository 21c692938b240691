// SPDX-License-Identifier: MIT
/* The program cache and the library's counters, as the public interface shows them. */
#include "device_int.h"
#include "memo.h"

TSR_API void tsr_cache_stats(struct tsr_device *dev, struct tsr_cache_stats *ret_stats)
{
	*ret_stats = (struct tsr_cache_stats){ 0 };
	if (!tsr_device_check(dev))
		tsr_memo_stats(dev->programs, ret_stats);
}

TSR_API void tsr_cache_limits(struct tsr_device *dev, struct tsr_cache_limits *ret_limits)
{
	*ret_limits = (struct tsr_cache_limits){ 0 };
	if (!tsr_device_check(dev))
		tsr_memo_limits(dev->programs, ret_limits);
}

TSR_API int tsr_cache_set_limits(struct tsr_device *dev, const struct tsr_cache_limits *limits)
{
	int err = tsr_device_check(dev);

	return err ? err : tsr_memo_set_limits(dev->programs, limits);
}

TSR_API void tsr_cache_clear(struct tsr_device *dev)
{
	if (tsr_device_check(dev))
		return;
	tsr_memo_clear(dev->programs);
	tsr_memo_clear(dev->images);
}

TSR_API void tsr_library_stats(struct tsr_device *dev, struct tsr_library_stats *ret_stats)
{
	struct tsr_tally *t = &dev->tally;
	struct tsr_cache_stats images;

	*ret_stats = (struct tsr_library_stats){ 0 };
	if (tsr_device_check(dev))
		return;
	tsr_memo_stats(dev->images, &images);
	*ret_stats = (struct tsr_library_stats){
		.factory_calls = t->factory_calls,
		.factory_failures = t->factory_failures,
		.plans = t->plans,
		.refused = t->refused,
		.findings = t->findings,
		.programs = t->programs,
		.compiles = t->compiles,
		.compile_failures = t->compile_failures,
		.image_hits = images.hits + images.waits,
		.submits = t->submits,
		.submit_refusals = t->submit_refusals,
		.retired = t->retired,
		.owners_retained = t->owners_retained,
		.owners_released = t->owners_released,
		.bytes_to_device = t->bytes_to_device,
		.bytes_from_device = t->bytes_from_device,
		.staging_made = t->staging_made,
		.staging_reused = t->staging_reused,
		.waits_page = t->waits_page,
		.waits_kernel = t->waits_kernel,
	};
}
