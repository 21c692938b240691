/* SPDX-License-Identifier: MIT */
/*
 * What the three kernels of filter agree on. The picture is cut into bands of
 * rows, one for each core. A band in L1 has one more row above and below: the
 * halo, which comes from the neighbours.
 */
#ifndef FILTER_KERNELS_H
#define FILTER_KERNELS_H

#define CB_BAND		0	/* rows with halo, reader -> compute; a page is a row */
#define CB_OUT		1	/* filtered rows, compute -> writer */

#define BIND_IN		0	/* rows of the pitch of a page of CB_BAND */
#define BIND_OUT	1

/* Words of the reader. No neighbour: its number of rows is 0. */
enum { SEMAPHORE, FIRST_ROW, ROWS, UP_X, UP_Y, UP_ROWS, DOWN_X, DOWN_Y, DOWN_ROWS, READER_WORDS };
/* Words of compute: own, and shared by all cores. */
enum { COMPUTE_ROWS };
enum { WIDTH, CHANNELS, SHIFT, BIAS, COEFFICIENTS, COMPUTE_COMMON = COEFFICIENTS + 9 };
/* Words of the writer. */
enum { WRITER_FIRST_ROW, WRITER_ROWS };

#endif
