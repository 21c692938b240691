/* SPDX-License-Identifier: MIT */
/* finds: 32 bits:.*hole|differs: */
struct planted {
	unsigned char a;
	__u64 b;
};
