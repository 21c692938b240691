// SPDX-License-Identifier: MIT
/*
 * The frozen interface: sizes, offsets, ioctl numbers and values that programs were built with.
 * A line here is never changed; new fields of growing structs get new lines.
 *
 * The asserts hold when the file compiles; the 32-bit half is the same file compiled by -m32
 * without libc (TSR_LAYOUT_ONLY), as a program of 32 bits sees the header.
 */
#include <drm/tessera_accel.h>
#include <stddef.h>

/* SIZE(struct, size), FIELD(struct, field, offset, size), in order */
#define LAYOUT									\
	SIZE(tessera_limits, 232)						\
	FIELD(tessera_limits, grid_width, 0, 2)					\
	FIELD(tessera_limits, grid_height, 2, 2)				\
	FIELD(tessera_limits, cores, 4, 4)					\
	FIELD(tessera_limits, l1_size, 8, 4)					\
	FIELD(tessera_limits, arg_base, 12, 4)					\
	FIELD(tessera_limits, image_base, 16, 12)				\
	FIELD(tessera_limits, image_slot, 28, 4)				\
	FIELD(tessera_limits, cb_base, 32, 4)					\
	FIELD(tessera_limits, words, 36, 4)					\
	FIELD(tessera_limits, semaphores, 40, 4)				\
	FIELD(tessera_limits, circular_buffers, 44, 4)				\
	FIELD(tessera_limits, bindings, 48, 4)					\
	FIELD(tessera_limits, images, 52, 4)					\
	FIELD(tessera_limits, descriptors, 56, 4)				\
	FIELD(tessera_limits, ranges, 60, 4)					\
	FIELD(tessera_limits, program_size, 64, 4)				\
	FIELD(tessera_limits, queue_capacity, 68, 4)				\
	FIELD(tessera_limits, staged_depth, 72, 4)				\
	FIELD(tessera_limits, parallelism, 76, 4)				\
	FIELD(tessera_limits, batch, 80, 4)					\
	FIELD(tessera_limits, syncs, 84, 4)					\
	FIELD(tessera_limits, no_progress_ms, 88, 4)				\
	FIELD(tessera_limits, claim_hold_ms, 92, 4)				\
	FIELD(tessera_limits, run_limit_ms, 96, 4)				\
	FIELD(tessera_limits, pad, 100, 4)					\
	FIELD(tessera_limits, harvested, 104, 128)				\
										\
	SIZE(tessera_section_entry, 8)						\
	FIELD(tessera_section_entry, offset, 0, 4)				\
	FIELD(tessera_section_entry, count, 4, 4)				\
										\
	SIZE(tessera_program_header, 120)					\
	FIELD(tessera_program_header, magic, 0, 4)				\
	FIELD(tessera_program_header, version, 4, 4)				\
	FIELD(tessera_program_header, size, 8, 4)				\
	FIELD(tessera_program_header, flags, 12, 4)				\
	FIELD(tessera_program_header, fingerprint, 16, 16)			\
	FIELD(tessera_program_header, name, 32, 4)				\
	FIELD(tessera_program_header, range_first, 36, 4)			\
	FIELD(tessera_program_header, range_count, 40, 4)			\
	FIELD(tessera_program_header, pad, 44, 4)				\
	FIELD(tessera_program_header, sections, 48, 72)				\
										\
	SIZE(tessera_range, 8)							\
	FIELD(tessera_range, x0, 0, 2)						\
	FIELD(tessera_range, y0, 2, 2)						\
	FIELD(tessera_range, x1, 4, 2)						\
	FIELD(tessera_range, y1, 6, 2)						\
										\
	SIZE(tessera_image, 24)							\
	FIELD(tessera_image, data_offset, 0, 4)					\
	FIELD(tessera_image, data_size, 4, 4)					\
	FIELD(tessera_image, mem_size, 8, 4)					\
	FIELD(tessera_image, text_size, 12, 4)					\
	FIELD(tessera_image, entry, 16, 4)					\
	FIELD(tessera_image, processor, 20, 4)					\
										\
	SIZE(tessera_descriptor, 32)						\
	FIELD(tessera_descriptor, image, 0, 4)					\
	FIELD(tessera_descriptor, name, 4, 4)					\
	FIELD(tessera_descriptor, range_first, 8, 4)				\
	FIELD(tessera_descriptor, range_count, 12, 4)				\
	FIELD(tessera_descriptor, arg_first, 16, 4)				\
	FIELD(tessera_descriptor, arg_count, 20, 4)				\
	FIELD(tessera_descriptor, common_words, 24, 4)				\
	FIELD(tessera_descriptor, pad, 28, 4)					\
										\
	SIZE(tessera_arg, 8)							\
	FIELD(tessera_arg, x, 0, 2)						\
	FIELD(tessera_arg, y, 2, 2)						\
	FIELD(tessera_arg, words, 4, 4)						\
										\
	SIZE(tessera_semaphore, 24)						\
	FIELD(tessera_semaphore, id, 0, 4)					\
	FIELD(tessera_semaphore, initial, 4, 4)					\
	FIELD(tessera_semaphore, core_type, 8, 4)				\
	FIELD(tessera_semaphore, range_first, 12, 4)				\
	FIELD(tessera_semaphore, range_count, 16, 4)				\
	FIELD(tessera_semaphore, pad, 20, 4)					\
										\
	SIZE(tessera_cb, 32)							\
	FIELD(tessera_cb, id, 0, 4)						\
	FIELD(tessera_cb, page_size, 4, 4)					\
	FIELD(tessera_cb, page_count, 8, 4)					\
	FIELD(tessera_cb, address, 12, 4)					\
	FIELD(tessera_cb, format, 16, 4)					\
	FIELD(tessera_cb, range_first, 20, 4)					\
	FIELD(tessera_cb, range_count, 24, 4)					\
	FIELD(tessera_cb, pad, 28, 4)						\
										\
	SIZE(tessera_binding, 16)						\
	FIELD(tessera_binding, min_size, 0, 8)					\
	FIELD(tessera_binding, access, 8, 4)					\
	FIELD(tessera_binding, pad, 12, 4)					\
										\
	SIZE(tessera_dispatch_header, 24)					\
	FIELD(tessera_dispatch_header, magic, 0, 4)				\
	FIELD(tessera_dispatch_header, version, 4, 4)				\
	FIELD(tessera_dispatch_header, size, 8, 4)				\
	FIELD(tessera_dispatch_header, bindings, 12, 4)				\
	FIELD(tessera_dispatch_header, words, 16, 4)				\
	FIELD(tessera_dispatch_header, pad, 20, 4)				\
										\
	SIZE(tessera_bind, 24)							\
	FIELD(tessera_bind, offset, 0, 8)					\
	FIELD(tessera_bind, size, 8, 8)						\
	FIELD(tessera_bind, handle, 16, 4)					\
	FIELD(tessera_bind, access, 20, 4)					\
										\
	SIZE(drm_tessera_query, 24)						\
	FIELD(drm_tessera_query, what, 0, 4)					\
	FIELD(drm_tessera_query, index, 4, 4)					\
	FIELD(drm_tessera_query, size, 8, 4)					\
	FIELD(drm_tessera_query, pad, 12, 4)					\
	FIELD(drm_tessera_query, data, 16, 8)					\
										\
	SIZE(drm_tessera_device_info, 320)					\
	FIELD(drm_tessera_device_info, limits, 0, 232)				\
	FIELD(drm_tessera_device_info, caps, 232, 8)				\
	FIELD(drm_tessera_device_info, reset_generation, 240, 8)		\
	FIELD(drm_tessera_device_info, health, 248, 4)				\
	FIELD(drm_tessera_device_info, seed, 252, 4)				\
	FIELD(drm_tessera_device_info, isa, 256, 32)				\
	FIELD(drm_tessera_device_info, name, 288, 32)				\
										\
	SIZE(drm_tessera_counters, 280)						\
	FIELD(drm_tessera_counters, contexts, 0, 8)				\
	FIELD(drm_tessera_counters, buffers, 8, 8)				\
	FIELD(drm_tessera_counters, programs, 16, 8)				\
	FIELD(drm_tessera_counters, images, 24, 8)				\
	FIELD(drm_tessera_counters, runs, 32, 8)				\
	FIELD(drm_tessera_counters, fences, 40, 8)				\
	FIELD(drm_tessera_counters, program_creates, 48, 8)			\
	FIELD(drm_tessera_counters, image_loads, 56, 8)				\
	FIELD(drm_tessera_counters, image_unloads, 64, 8)			\
	FIELD(drm_tessera_counters, runs_accepted, 72, 8)			\
	FIELD(drm_tessera_counters, runs_refused, 80, 8)			\
	FIELD(drm_tessera_counters, runs_staged, 88, 8)				\
	FIELD(drm_tessera_counters, runs_launched, 96, 8)			\
	FIELD(drm_tessera_counters, runs_completed, 104, 8)			\
	FIELD(drm_tessera_counters, runs_failed_local, 112, 8)			\
	FIELD(drm_tessera_counters, runs_failed_queue, 120, 8)			\
	FIELD(drm_tessera_counters, runs_failed_device, 128, 8)			\
	FIELD(drm_tessera_counters, runs_cancelled, 136, 8)			\
	FIELD(drm_tessera_counters, runs_quarantined, 144, 8)			\
	FIELD(drm_tessera_counters, runs_retired, 152, 8)			\
	FIELD(drm_tessera_counters, leases_taken, 160, 8)			\
	FIELD(drm_tessera_counters, leases_returned, 168, 8)			\
	FIELD(drm_tessera_counters, claims_taken, 176, 8)			\
	FIELD(drm_tessera_counters, claims_released, 184, 8)			\
	FIELD(drm_tessera_counters, resets, 192, 8)				\
	FIELD(drm_tessera_counters, scrubs, 200, 8)				\
	FIELD(drm_tessera_counters, timeouts, 208, 8)				\
	FIELD(drm_tessera_counters, queue_depth, 216, 8)			\
	FIELD(drm_tessera_counters, queue_peak, 224, 8)				\
	FIELD(drm_tessera_counters, inline_runs, 232, 8)			\
	FIELD(drm_tessera_counters, poisonings, 240, 8)				\
	FIELD(drm_tessera_counters, holds_granted, 248, 8)			\
	FIELD(drm_tessera_counters, holds_revoked, 256, 8)			\
	FIELD(drm_tessera_counters, resets_failed, 264, 8)			\
	FIELD(drm_tessera_counters, images_abandoned, 272, 8)			\
										\
	SIZE(drm_tessera_bo_create, 16)						\
	FIELD(drm_tessera_bo_create, size, 0, 8)				\
	FIELD(drm_tessera_bo_create, flags, 8, 4)				\
	FIELD(drm_tessera_bo_create, handle, 12, 4)				\
										\
	SIZE(drm_tessera_bo_mmap_offset, 24)					\
	FIELD(drm_tessera_bo_mmap_offset, handle, 0, 4)				\
	FIELD(drm_tessera_bo_mmap_offset, flags, 4, 4)				\
	FIELD(drm_tessera_bo_mmap_offset, offset, 8, 8)				\
	FIELD(drm_tessera_bo_mmap_offset, size, 16, 8)				\
										\
	SIZE(drm_tessera_context_create, 24)					\
	FIELD(drm_tessera_context_create, flags, 0, 4)				\
	FIELD(drm_tessera_context_create, priority, 4, 4)			\
	FIELD(drm_tessera_context_create, queue_capacity, 8, 4)			\
	FIELD(drm_tessera_context_create, handle, 12, 4)			\
	FIELD(drm_tessera_context_create, id, 16, 8)				\
										\
	SIZE(drm_tessera_context_destroy, 8)					\
	FIELD(drm_tessera_context_destroy, handle, 0, 4)			\
	FIELD(drm_tessera_context_destroy, pad, 4, 4)				\
										\
	SIZE(drm_tessera_program_create, 24)					\
	FIELD(drm_tessera_program_create, blob, 0, 8)				\
	FIELD(drm_tessera_program_create, size, 8, 4)				\
	FIELD(drm_tessera_program_create, flags, 12, 4)				\
	FIELD(drm_tessera_program_create, handle, 16, 4)			\
	FIELD(drm_tessera_program_create, pad, 20, 4)				\
										\
	SIZE(drm_tessera_program_destroy, 8)					\
	FIELD(drm_tessera_program_destroy, handle, 0, 4)			\
	FIELD(drm_tessera_program_destroy, pad, 4, 4)				\
										\
	SIZE(drm_tessera_sync, 16)						\
	FIELD(drm_tessera_sync, handle, 0, 4)					\
	FIELD(drm_tessera_sync, flags, 4, 4)					\
	FIELD(drm_tessera_sync, point, 8, 8)					\
										\
	SIZE(drm_tessera_run, 72)						\
	FIELD(drm_tessera_run, program, 0, 4)					\
	FIELD(drm_tessera_run, flags, 4, 4)					\
	FIELD(drm_tessera_run, dispatch, 8, 8)					\
	FIELD(drm_tessera_run, dispatch_size, 16, 4)				\
	FIELD(drm_tessera_run, in_sync_count, 20, 4)				\
	FIELD(drm_tessera_run, out_sync_count, 24, 4)				\
	FIELD(drm_tessera_run, handle, 28, 4)					\
	FIELD(drm_tessera_run, in_syncs, 32, 8)					\
	FIELD(drm_tessera_run, out_syncs, 40, 8)				\
	FIELD(drm_tessera_run, id, 48, 8)					\
	FIELD(drm_tessera_run, user_data, 56, 8)				\
	FIELD(drm_tessera_run, time_limit_ms, 64, 4)				\
	FIELD(drm_tessera_run, pad, 68, 4)					\
										\
	SIZE(drm_tessera_run_submit, 32)					\
	FIELD(drm_tessera_run_submit, context, 0, 4)				\
	FIELD(drm_tessera_run_submit, flags, 4, 4)				\
	FIELD(drm_tessera_run_submit, runs, 8, 8)				\
	FIELD(drm_tessera_run_submit, run_count, 16, 4)				\
	FIELD(drm_tessera_run_submit, run_stride, 20, 4)			\
	FIELD(drm_tessera_run_submit, accepted, 24, 4)				\
	FIELD(drm_tessera_run_submit, error, 28, 4)				\
										\
	SIZE(drm_tessera_run_wait, 16)						\
	FIELD(drm_tessera_run_wait, handle, 0, 4)				\
	FIELD(drm_tessera_run_wait, flags, 4, 4)				\
	FIELD(drm_tessera_run_wait, timeout_ns, 8, 8)				\
										\
	SIZE(drm_tessera_status, 232)						\
	FIELD(drm_tessera_status, version, 0, 4)				\
	FIELD(drm_tessera_status, phase, 4, 4)					\
	FIELD(drm_tessera_status, run_id, 8, 8)					\
	FIELD(drm_tessera_status, context_id, 16, 8)				\
	FIELD(drm_tessera_status, epoch, 24, 8)					\
	FIELD(drm_tessera_status, reset_generation, 32, 8)			\
	FIELD(drm_tessera_status, user_data, 40, 8)				\
	FIELD(drm_tessera_status, code, 48, 4)					\
	FIELD(drm_tessera_status, failure_class, 52, 4)				\
	FIELD(drm_tessera_status, poison_code, 56, 4)				\
	FIELD(drm_tessera_status, verdict_source, 60, 4)			\
	FIELD(drm_tessera_status, poison_run, 64, 8)				\
	FIELD(drm_tessera_status, flags, 72, 4)					\
	FIELD(drm_tessera_status, pad, 76, 4)					\
	FIELD(drm_tessera_status, queued_ns, 80, 8)				\
	FIELD(drm_tessera_status, staged_ns, 88, 8)				\
	FIELD(drm_tessera_status, launched_ns, 96, 8)				\
	FIELD(drm_tessera_status, completed_ns, 104, 8)				\
	FIELD(drm_tessera_status, retired_ns, 112, 8)				\
	FIELD(drm_tessera_status, fault.cause, 120, 4)				\
	FIELD(drm_tessera_status, fault.x, 124, 2)				\
	FIELD(drm_tessera_status, fault.y, 126, 2)				\
	FIELD(drm_tessera_status, fault.processor, 128, 4)			\
	FIELD(drm_tessera_status, fault.pc, 132, 4)				\
	FIELD(drm_tessera_status, fault.address, 136, 8)			\
	FIELD(drm_tessera_status, fault.kernel, 144, 4)				\
	FIELD(drm_tessera_status, fault.pad, 148, 4)				\
	FIELD(drm_tessera_status, stall.stall_class, 152, 4)			\
	FIELD(drm_tessera_status, stall.cores_completed, 156, 4)		\
	FIELD(drm_tessera_status, stall.cores_total, 160, 4)			\
	FIELD(drm_tessera_status, stall.running, 164, 4)			\
	FIELD(drm_tessera_status, stall.ready, 168, 4)				\
	FIELD(drm_tessera_status, stall.waiting, 172, 4)			\
	FIELD(drm_tessera_status, stall.dispatch_done, 176, 4)			\
	FIELD(drm_tessera_status, stall.stuck_processor, 180, 4)		\
	FIELD(drm_tessera_status, stall.stuck_x, 184, 2)			\
	FIELD(drm_tessera_status, stall.stuck_y, 186, 2)			\
	FIELD(drm_tessera_status, stall.stuck_pc, 188, 4)			\
	FIELD(drm_tessera_status, stall.stuck_address, 192, 4)			\
	FIELD(drm_tessera_status, stall.stuck_kernel, 196, 4)			\
	FIELD(drm_tessera_status, detail.known, 200, 4)				\
	FIELD(drm_tessera_status, detail.object, 204, 4)			\
	FIELD(drm_tessera_status, detail.size, 208, 8)				\
	FIELD(drm_tessera_status, detail.amount, 216, 4)			\
	FIELD(drm_tessera_status, detail.wanted, 220, 4)			\
	FIELD(drm_tessera_status, detail.present, 224, 4)			\
	FIELD(drm_tessera_status, detail.pad, 228, 4)				\
										\
	SIZE(drm_tessera_run_status, 16)					\
	FIELD(drm_tessera_run_status, handle, 0, 4)				\
	FIELD(drm_tessera_run_status, size, 4, 4)				\
	FIELD(drm_tessera_run_status, status, 8, 8)				\
										\
	SIZE(drm_tessera_run_cancel, 8)						\
	FIELD(drm_tessera_run_cancel, handle, 0, 4)				\
	FIELD(drm_tessera_run_cancel, flags, 4, 4)				\
										\
	SIZE(drm_tessera_run_close, 8)						\
	FIELD(drm_tessera_run_close, handle, 0, 4)				\
	FIELD(drm_tessera_run_close, pad, 4, 4)					\
										\
	SIZE(drm_tessera_run_fd, 16)						\
	FIELD(drm_tessera_run_fd, handle, 0, 4)					\
	FIELD(drm_tessera_run_fd, flags, 4, 4)					\
	FIELD(drm_tessera_run_fd, fd, 8, 4)					\
	FIELD(drm_tessera_run_fd, pad, 12, 4)					\
										\
	SIZE(drm_tessera_proc_stats, 48)					\
	FIELD(drm_tessera_proc_stats, x, 0, 2)					\
	FIELD(drm_tessera_proc_stats, y, 2, 2)					\
	FIELD(drm_tessera_proc_stats, processor, 4, 4)				\
	FIELD(drm_tessera_proc_stats, cycles, 8, 8)				\
	FIELD(drm_tessera_proc_stats, instructions, 16, 8)			\
	FIELD(drm_tessera_proc_stats, wait_cycles, 24, 8)			\
	FIELD(drm_tessera_proc_stats, noc_read, 32, 8)				\
	FIELD(drm_tessera_proc_stats, noc_written, 40, 8)			\
										\
	SIZE(drm_tessera_run_diag, 24)						\
	FIELD(drm_tessera_run_diag, handle, 0, 4)				\
	FIELD(drm_tessera_run_diag, what, 4, 4)					\
	FIELD(drm_tessera_run_diag, size, 8, 4)					\
	FIELD(drm_tessera_run_diag, pad, 12, 4)					\
	FIELD(drm_tessera_run_diag, data, 16, 8)				\
	SIZE(drm_tessera_context_reset, 8)					\
	FIELD(drm_tessera_context_reset, handle, 0, 4)				\
	FIELD(drm_tessera_context_reset, pad, 4, 4)				\
	SIZE(drm_tessera_context_page, 8)					\
	FIELD(drm_tessera_context_page, handle, 0, 4)				\
	FIELD(drm_tessera_context_page, bo, 4, 4)				\
	SIZE(drm_tessera_context_progress, 32)					\
	FIELD(drm_tessera_context_progress, ended_through, 0, 8)		\
	FIELD(drm_tessera_context_progress, failed, 8, 8)			\
	FIELD(drm_tessera_context_progress, ended, 16, 8)			\
	FIELD(drm_tessera_context_progress, result_count, 24, 4)		\
	FIELD(drm_tessera_context_progress, result_offset, 28, 4)		\
	SIZE(drm_tessera_context_result, 32)					\
	FIELD(drm_tessera_context_result, run_id, 0, 8)				\
	FIELD(drm_tessera_context_result, user_data, 8, 8)			\
	FIELD(drm_tessera_context_result, code, 16, 4)				\
	FIELD(drm_tessera_context_result, poison_code, 20, 4)			\
	FIELD(drm_tessera_context_result, phase, 24, 4)				\
	FIELD(drm_tessera_context_result, flags, 28, 4)				\
	SIZE(drm_tessera_claim_acquire, 16)					\
	FIELD(drm_tessera_claim_acquire, context, 0, 4)				\
	FIELD(drm_tessera_claim_acquire, flags, 4, 4)				\
	FIELD(drm_tessera_claim_acquire, timeout_ns, 8, 8)			\
	SIZE(drm_tessera_claim_release, 8)					\
	FIELD(drm_tessera_claim_release, context, 0, 4)				\
	FIELD(drm_tessera_claim_release, pad, 4, 4)				\
	SIZE(drm_tessera_device_reset, 16)					\
	FIELD(drm_tessera_device_reset, flags, 0, 4)				\
	FIELD(drm_tessera_device_reset, pad, 4, 4)				\
	FIELD(drm_tessera_device_reset, generation, 8, 8)

#define IOCTLS									\
	IOCTL(QUERY, 0xc0186440)						\
	IOCTL(BO_CREATE, 0xc0106441)						\
	IOCTL(BO_MMAP_OFFSET, 0xc0186442)					\
	IOCTL(CONTEXT_CREATE, 0xc0186443)					\
	IOCTL(CONTEXT_DESTROY, 0x40086444)					\
	IOCTL(PROGRAM_CREATE, 0xc0186445)					\
	IOCTL(PROGRAM_DESTROY, 0x40086446)					\
	IOCTL(RUN_SUBMIT, 0xc0206447)						\
	IOCTL(RUN_WAIT, 0x40106448)						\
	IOCTL(RUN_STATUS, 0xc0106449)						\
	IOCTL(RUN_CANCEL, 0x4008644a)						\
	IOCTL(RUN_CLOSE, 0x4008644b)						\
	IOCTL(RUN_FD, 0xc010644c)						\
	IOCTL(RUN_DIAG, 0xc018644d)						\
	IOCTL(CONTEXT_RESET, 0x4008644e)					\
	IOCTL(CONTEXT_PAGE, 0xc008644f)						\
	IOCTL(CLAIM_ACQUIRE, 0x40106450)					\
	IOCTL(CLAIM_RELEASE, 0x40086451)					\
	IOCTL(DEVICE_RESET, 0xc0106452)

#define VALUES									\
	VALUE(DRM_TESSERA_QUERY_DEVICE, 0)					\
	VALUE(DRM_TESSERA_QUERY_COUNTERS, 0x1)					\
	VALUE(DRM_TESSERA_QUERY_CONTEXT, 0x2)					\
	VALUE(DRM_TESSERA_HEALTH_GOOD, 0)					\
	VALUE(DRM_TESSERA_HEALTH_RESETTING, 0x1)				\
	VALUE(DRM_TESSERA_HEALTH_WEDGED, 0x2)					\
	VALUE(DRM_TESSERA_HEALTH_GONE, 0x3)					\
	VALUE(DRM_TESSERA_CAP_PROFILE, 0x1)					\
	VALUE(DRM_TESSERA_CAP_PRINT, 0x2)					\
	VALUE(DRM_TESSERA_CAP_DETERMINISTIC, 0x4)				\
	VALUE(DRM_TESSERA_PRIORITY_LOW, 0)					\
	VALUE(DRM_TESSERA_PRIORITY_NORMAL, 0x1)					\
	VALUE(DRM_TESSERA_PRIORITY_HIGH, 0x2)					\
	VALUE(DRM_TESSERA_RUN_PROFILE, 0x1)					\
	VALUE(DRM_TESSERA_RUN_PRINT, 0x2)					\
	VALUE(DRM_TESSERA_RUN_RECORDS, 0x3)					\
	VALUE(DRM_TESSERA_RUN_NO_HANDLE, 0x4)					\
	VALUE(DRM_TESSERA_RUN_FLAGS, 0x7)					\
	VALUE(DRM_TESSERA_SUBMIT_NONBLOCK, 0x1)					\
	VALUE(DRM_TESSERA_SUBMIT_FLAGS, 0x3)					\
	VALUE(DRM_TESSERA_PHASE_QUEUED, 0x1)					\
	VALUE(DRM_TESSERA_PHASE_STAGED, 0x2)					\
	VALUE(DRM_TESSERA_PHASE_LAUNCHED, 0x3)					\
	VALUE(DRM_TESSERA_PHASE_COMPLETE, 0x4)					\
	VALUE(DRM_TESSERA_PHASE_RETIRED, 0x5)					\
	VALUE(DRM_TESSERA_PHASE_CANCELLED, 0x6)					\
	VALUE(DRM_TESSERA_PHASE_QUARANTINED, 0x7)				\
	VALUE(DRM_TESSERA_CODE_OK, 0)						\
	VALUE(DRM_TESSERA_CODE_FAULT, 0x1)					\
	VALUE(DRM_TESSERA_CODE_NO_PROGRESS, 0x2)				\
	VALUE(DRM_TESSERA_CODE_STOPPED, 0x3)					\
	VALUE(DRM_TESSERA_CODE_CANCELLED, 0x4)					\
	VALUE(DRM_TESSERA_CODE_CONTEXT_GONE, 0x5)				\
	VALUE(DRM_TESSERA_CODE_DEPENDENCY, 0x6)					\
	VALUE(DRM_TESSERA_CODE_NO_RECORD, 0x7)					\
	VALUE(DRM_TESSERA_CODE_STAGE, 0x8)					\
	VALUE(DRM_TESSERA_CODE_LAUNCH, 0x9)					\
	VALUE(DRM_TESSERA_CODE_LAUNCH_PARTIAL, 0xa)				\
	VALUE(DRM_TESSERA_CODE_STOP_UNPROVEN, 0xb)				\
	VALUE(DRM_TESSERA_CODE_DEVICE_GONE, 0xc)				\
	VALUE(DRM_TESSERA_CODE_WEDGED, 0xd)					\
	VALUE(DRM_TESSERA_CODE_BAD_RECORD, 0xe)					\
	VALUE(DRM_TESSERA_CODE_RESET, 0xf)						\
	VALUE(DRM_TESSERA_CODE_TIME_LIMIT, 0x10)					\
	VALUE(DRM_TESSERA_CLASS_NONE, 0)					\
	VALUE(DRM_TESSERA_CLASS_LOCAL, 0x1)					\
	VALUE(DRM_TESSERA_CLASS_QUEUE, 0x2)					\
	VALUE(DRM_TESSERA_CLASS_DEVICE, 0x3)					\
	VALUE(DRM_TESSERA_VERDICT_NONE, 0)					\
	VALUE(DRM_TESSERA_VERDICT_RECORD, 0x1)					\
	VALUE(DRM_TESSERA_VERDICT_DRIVER, 0x2)					\
	VALUE(DRM_TESSERA_STATUS_OUTPUTS_UNDEFINED, 0x1)			\
	VALUE(DRM_TESSERA_STATUS_DIAG_INCOMPLETE, 0x2)				\
	VALUE(DRM_TESSERA_STATUS_INLINE, 0x4)					\
	VALUE(DRM_TESSERA_STATUS_VERSION, 0x1)					\
	VALUE(DRM_TESSERA_DIAG_PROCS, 0)					\
	VALUE(DRM_TESSERA_DIAG_PRINT, 0x1)					\
	VALUE(TESSERA_MAX_CORES, 0x400)						\
	VALUE(TESSERA_MAX_DIM, 0x40)						\
	VALUE(TESSERA_PROGRAM_MAGIC, 0x50525354)				\
	VALUE(TESSERA_DISPATCH_MAGIC, 0x44525354)				\
	VALUE(TESSERA_BLOB_VERSION, 0x1)					\
	VALUE(TESSERA_SECTION_RANGES, 0)					\
	VALUE(TESSERA_SECTION_IMAGES, 0x1)					\
	VALUE(TESSERA_SECTION_DESCRIPTORS, 0x2)					\
	VALUE(TESSERA_SECTION_ARGS, 0x3)					\
	VALUE(TESSERA_SECTION_SEMAPHORES, 0x4)					\
	VALUE(TESSERA_SECTION_CBS, 0x5)						\
	VALUE(TESSERA_SECTION_BINDINGS, 0x6)					\
	VALUE(TESSERA_SECTION_STRINGS, 0x7)					\
	VALUE(TESSERA_SECTION_DATA, 0x8)					\
	VALUE(TESSERA_CORE_TYPE_WORKER, 0)					\
	VALUE(TESSERA_ACCESS_IN, 0x1)						\
	VALUE(TESSERA_ACCESS_OUT, 0x2)						\
	VALUE(TESSERA_ACCESS_INOUT, 0x3)


#define SIZE(type, size) _Static_assert(sizeof(struct type) == (size), #type);
#define FIELD(type, field, offset, size)							\
	_Static_assert(offsetof(struct type, field) == (offset), #type "." #field);		\
	_Static_assert(sizeof(((struct type *)0)->field) == (size), "size of " #type "." #field);
#define IOCTL(name, number) _Static_assert(DRM_IOCTL_TESSERA_##name == (number), #name);
#define VALUE(name, value) _Static_assert((name) == (value), #name);
LAYOUT IOCTLS VALUES
#undef SIZE
#undef FIELD
#undef IOCTL
#undef VALUE

#ifndef TSR_LAYOUT_ONLY
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include "kselftest_harness.h"

extern char **environ;

struct row {
	const char *type, *field;	/* no field: the size of the struct */
	size_t offset, size;
};

static const struct row rows[] = {
#define SIZE(type, size) { #type, NULL, 0, size },
#define FIELD(type, field, offset, size) { #type, #field, offset, size },
	LAYOUT
};

#define ROWS	(sizeof(rows) / sizeof(rows[0]))

/* A hole would carry kernel memory out, and differ between compilers. */
TEST(structs_have_no_holes)
{
	size_t end = 0, size = 0;

	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].field) {
			EXPECT_EQ(end, rows[i].offset) {
				TH_LOG("before %s.%s", rows[i].type, rows[i].field);
			}
			end = rows[i].offset + rows[i].size;
			continue;
		}
		EXPECT_EQ(size, end);
		end = 0;
		size = rows[i].size;
	}
	EXPECT_EQ(size, end);
}

/* Arguments of ioctls are a multiple of 8, so that 32 and 64 bit agree on their size. */
TEST(ioctls_have_distinct_numbers_and_whole_sizes)
{
	static const unsigned long numbers[] = {
#define IOCTL(name, number) DRM_IOCTL_TESSERA_##name,
		IOCTLS
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		EXPECT_EQ(DRM_COMMAND_BASE + i, _IOC_NR(numbers[i]));
		EXPECT_EQ(0, _IOC_SIZE(numbers[i]) % 8);
		EXPECT_NE(0, _IOC_DIR(numbers[i]) & _IOC_WRITE);
	}
}

static int compile(const char *const argv[])
{
	int status;
	pid_t pid;

	if (posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)argv, environ))
		return -1;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Only gcc's own and the kernel's headers are needed, so no 32-bit libc has to be there. */
#define GCC32	"gcc", "-m32", "-std=gnu11", "-fsyntax-only", "-DTSR_LAYOUT_ONLY",		\
		"-I" TSR_SRCDIR "/uapi", "-isystem", "/usr/include/libdrm",			\
		"-isystem", "/usr/include/x86_64-linux-gnu"

TEST(layout_is_the_same_on_32_bit)
{
	static const char *const possible[] = { GCC32, "-x", "c", "/dev/null", NULL };
	static const char *const layout[] = { GCC32, TSR_SRCDIR "/tests/core/uapi_layout.c", NULL };

	if (compile(possible))
		SKIP(return, "gcc has no -m32 here");
	EXPECT_EQ(0, compile(layout));
}

TEST_HARNESS_MAIN
#endif
