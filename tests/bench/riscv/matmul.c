// SPDX-License-Identifier: MIT
/* Integer matrices: loads, multiplications, additions. */
#include "start.h"

#define N	64

static int32_t a[N][N], b[N][N], c[N][N];

static void multiply(void)
{
	for (int i = 0; i < N; i++) {
		for (int j = 0; j < N; j++) {
			int32_t sum = 0;

			for (int k = 0; k < N; k++)
				sum += a[i][k] * b[k][j];
			c[i][j] = sum;
		}
	}
}

uint32_t work(void)
{
	uint32_t state = 1, sum = 0;

	for (int i = 0; i < N * N; i++) {
		a[0][i] = next_random(&state) & 1023;
		b[0][i] = next_random(&state) & 1023;
	}
	for (int round = 0; round < 100; round++) {
		multiply();
		a[round % N][0] = c[0][round % N];
	}
	for (int i = 0; i < N * N; i++)
		sum += c[0][i];
	return sum ^ sum >> 6;
}
