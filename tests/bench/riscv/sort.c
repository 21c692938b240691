// SPDX-License-Identifier: MIT
/* Heap sort: loads, stores and comparisons that no one can predict. */
#include "start.h"

#define N	20000u

static uint32_t heap[N];

static void sift(uint32_t root, uint32_t end)
{
	uint32_t value = heap[root], child;

	while ((child = 2 * root + 1) < end) {
		if (child + 1 < end && heap[child + 1] > heap[child])
			child++;
		if (heap[child] <= value)
			break;
		heap[root] = heap[child];
		root = child;
	}
	heap[root] = value;
}

static void sort(void)
{
	for (uint32_t i = N / 2; i-- > 0;)
		sift(i, N);
	for (uint32_t end = N - 1; end > 0; end--) {
		uint32_t most = heap[0];

		heap[0] = heap[end];
		heap[end] = most;
		sift(0, end);
	}
}

uint32_t work(void)
{
	uint32_t state = 1, sum = 0;

	for (int round = 0; round < 25; round++) {
		for (uint32_t i = 0; i < N; i++)
			heap[i] = next_random(&state);
		sort();
		for (uint32_t i = 1; i < N; i++)
			sum += heap[i - 1] <= heap[i];
		sum += heap[N / 2];
	}
	return sum;
}
