// SPDX-License-Identifier: MIT
#include "common_slope.h"

#include <math.h>
#include <stdlib.h>

static double mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

struct slope slope_of(const double *x, const double *y, size_t n)
{
	double mx = mean(x, n), my = mean(y, n), sxx = 0, sxy = 0, see = 0, lag = 0, last = 0;
	double slope, error, tie;

	for (size_t i = 0; i < n; i++) {
		sxx += (x[i] - mx) * (x[i] - mx);
		sxy += (x[i] - mx) * (y[i] - my);
	}
	if (n < 4 || sxx <= 0)
		return (struct slope){ 0, -INFINITY, INFINITY };
	slope = sxy / sxx;
	for (size_t i = 0; i < n; i++) {
		double e = y[i] - my - slope * (x[i] - mx);

		see += e * e;
		lag += e * last;
		last = e;
	}
	/* As many independent samples as n (1 - tie) / (1 + tie). */
	tie = see > 0 ? fmin(fmax(lag / see, 0), 0.98) : 0;
	/* Few samples tell less of their own spread, too: Student's t, about. */
	error = (1.96 + 2.4 / (double)(n - 2)) * sqrt(see / (double)(n - 2) / sxx * (1 + tie) / (1 - tie));
	return (struct slope){ slope, slope - error, slope + error };
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double slope_median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), ascending);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}
