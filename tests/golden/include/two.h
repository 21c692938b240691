/* SPDX-License-Identifier: MIT */
#define TWO 2
