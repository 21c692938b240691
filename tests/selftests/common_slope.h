/* SPDX-License-Identifier: MIT */
/* Whether something grows: a straight line through samples, and how sure one may be of it. */
#ifndef TSR_TESTS_COMMON_SLOPE_H
#define TSR_TESTS_COMMON_SLOPE_H

#include <stddef.h>

/** struct slope - of y over x; with 95 % confidence it is between @low and @high */
struct slope {
	double slope, low, high;
};

/**
 * slope_of() - by least squares
 *
 * Samples taken one after the other are not independent: what one residual tells of the next makes
 * the interval wider. Fewer than 4 samples, or one x: anything is possible.
 */
struct slope slope_of(const double *x, const double *y, size_t n);

/** slope_median() - of n values; reorders them */
double slope_median(double *values, size_t n);

#endif
