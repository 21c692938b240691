/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies of a few words from user memory. */
#ifndef TSR_COPY_H
#define TSR_COPY_H

#include <linux/align.h>
#include <linux/uaccess.h>

/*
 * tsr_copy_words() - copy_from_user() for a few words, as a loop without calls
 * @to: aligned to 8, and known to have room: what object it lies in is not looked up again
 * @from: any address
 * @size: bytes, a multiple of 4
 *
 * Where failing copies are injected it is the ordinary one. Returns false for a fault.
 */
static inline bool tsr_copy_words(void *to, const void __user *from, size_t size)
{
	const u64 __user *in = from;
	u64 *out = to, word;
	u32 half;

	if (IS_ENABLED(CONFIG_FAULT_INJECTION_USERCOPY) ||
	    !IS_ALIGNED((uintptr_t)from, sizeof(word)))
		return !copy_from_user(to, from, size);
	if (!user_read_access_begin(from, size))
		return false;
	for (; size >= 4 * sizeof(word); size -= 4 * sizeof(word), in += 4, out += 4) {
		unsafe_get_user(out[0], &in[0], fault);
		unsafe_get_user(out[1], &in[1], fault);
		unsafe_get_user(out[2], &in[2], fault);
		unsafe_get_user(out[3], &in[3], fault);
	}
	for (; size >= sizeof(word); size -= sizeof(word)) {
		unsafe_get_user(word, in++, fault);
		*out++ = word;
	}
	if (size) {
		unsafe_get_user(half, (const u32 __user *)in, fault);
		*(u32 *)out = half;
	}
	user_read_access_end();
	return true;
fault:
	user_read_access_end();
	return false;
}

#endif
