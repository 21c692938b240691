// SPDX-License-Identifier: MIT
/* The kernels of the examples on the grid engine, without library and driver. */
#include "kselftest_harness.h"

#include "common_device.h"

#define CORES	16

static u32 random_word(u32 *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state;
}

static void run(struct __test_metadata *_metadata, struct device *d)
{
	enum tsr_grid_state state = device_run(d);

	EXPECT_EQ(state, TSR_GRID_DONE) {
		if (state == TSR_GRID_FAULT)
			TH_LOG("%s", device_fault_text(d));
		else
			TH_LOG("stuck at core (%u,%u) processor %u pc 0x%x", d->stall.stuck_x,
			       d->stall.stuck_y, d->stall.stuck_proc, d->stall.stuck_pc);
	}
}

static struct device_kernel *kernel(struct device *d, const char *path, u32 processor)
{
	return device_kernel(d, path, processor, device_range(d), NULL);
}

/* ---- collective --------------------------------------------------------------------------- */

#define CHUNK	8
#define VECTOR	(CHUNK * CORES)

static void ring_words(struct device_kernel *k)
{
	static const u32 common[] = { CORES, CHUNK * 4 };
	u32 rank;

	device_common(k, common, 2);
	for (rank = 0; rank < CORES; rank++) {
		u32 next = (rank + 1) % CORES;
		u32 words[] = { 2, rank, next % 4, next / 4 };

		device_words(k, rank % 4, rank / 4, words, 4);
	}
}

static s32 reduced(const u32 (*in)[VECTOR], u32 i, bool sum)
{
	s32 v = in[0][i];
	u32 rank;

	for (rank = 1; rank < CORES; rank++) {
		if (sum)
			v = (u32)v + in[rank][i];
		else if ((s32)in[rank][i] > v)
			v = in[rank][i];
	}
	return v;
}

static void collective(struct __test_metadata *_metadata, const char *op, bool sum)
{
	static u32 in[CORES][VECTOR], out[CORES][VECTOR];
	const char *flags[] = { op, NULL };
	struct device *d = device_new(4, 4);
	struct device_kernel *k;
	u32 seed = 1, rank, i;

	ASSERT_NE(d, NULL);
	for (rank = 0; rank < CORES; rank++)
		for (i = 0; i < VECTOR; i++)
			in[rank][i] = random_word(&seed);
	device_bind(d, in, sizeof(in), TESSERA_ACCESS_IN);
	device_bind(d, out, sizeof(out), TESSERA_ACCESS_OUT);
	device_cb(d, 0, VECTOR * 4, 1, TSR_FORMAT_RAW);
	device_cb(d, 1, VECTOR * 4, 1, TSR_FORMAT_RAW);
	device_semaphore(d, 2, 0);
	k = device_kernel(d, "examples/collective/kernels/ring.c", TSR_PROC_DM0, device_range(d),
			  flags);
	ASSERT_NE(k, NULL);
	ring_words(k);
	run(_metadata, d);
	for (rank = 0; rank < CORES; rank++)
		for (i = 0; i < VECTOR; i++)
			ASSERT_EQ((s32)out[rank][i], reduced((const u32 (*)[VECTOR])in, i, sum));
	device_free(d);
}

TEST(collective_sum)
{
	collective(_metadata, "-DREDUCE_OP=REDUCE_SUM", true);
}

TEST(collective_max)
{
	collective(_metadata, "-DREDUCE_OP=REDUCE_MAX", false);
}

/* ---- matmul: 3 x 7 x 2 tiles of small whole numbers, so that the result is exact ---------------- */

#define M	3
#define N	7
#define K	2
#define TILE	1024

static u16 bf16(s32 v)
{
	float f = v;
	u32 bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits >> 16;
}

/* Element (row, column) of a matrix of tiles with @tiles columns of tiles. */
static u32 at(u32 tiles, u32 row, u32 column)
{
	return (row / 32 * tiles + column / 32) * TILE + row % 32 * 32 + column % 32;
}

static s32 a_at(u32 row, u32 column)
{
	return (s32)((row * 5 + column * 3) % 11) - 5;
}

static s32 b_at(u32 row, u32 column)
{
	return (s32)((row * 7 + column * 2) % 13) - 6;
}

static void matmul_kernels(struct __test_metadata *_metadata, struct device *d)
{
	static const char *const paths[] = {
		"examples/matmul/kernels/reader.c", "examples/matmul/kernels/writer.c",
		"examples/matmul/kernels/compute.c",
	};
	static const u32 common[] = { K, N };
	u32 i, core;

	for (i = 0; i < 3; i++) {
		struct device_kernel *k = kernel(d, paths[i], i);

		ASSERT_NE(k, NULL);
		device_common(k, common, 2);
		for (core = 0; core < CORES; core++) {
			u32 first = M * N * core / CORES, end = M * N * (core + 1) / CORES;
			u32 words[] = { first, end - first };

			device_words(k, core % 4, core / 4, words, 2);
		}
	}
}

TEST(matmul)
{
	static u16 a[M * K * TILE], b[K * N * TILE];
	static float c[M * N * TILE];
	struct device *d = device_new(4, 4);
	u32 i, j, k;

	ASSERT_NE(d, NULL);
	for (i = 0; i < M * 32; i++)
		for (k = 0; k < K * 32; k++)
			a[at(K, i, k)] = bf16(a_at(i, k));
	for (k = 0; k < K * 32; k++)
		for (j = 0; j < N * 32; j++)
			b[at(N, k, j)] = bf16(b_at(k, j));
	device_bind(d, a, sizeof(a), TESSERA_ACCESS_IN);
	device_bind(d, b, sizeof(b), TESSERA_ACCESS_IN);
	device_bind(d, c, sizeof(c), TESSERA_ACCESS_OUT);
	device_cb(d, 0, 2048, 2, TSR_FORMAT_BF16);
	device_cb(d, 1, 2048, 2, TSR_FORMAT_BF16);
	device_cb(d, 2, 4096, 2, TSR_FORMAT_FP32);
	matmul_kernels(_metadata, d);
	run(_metadata, d);
	for (i = 0; i < M * 32; i++)
		for (j = 0; j < N * 32; j++) {
			s32 sum = 0;

			for (k = 0; k < K * 32; k++)
				sum += a_at(i, k) * b_at(k, j);
			ASSERT_EQ((s32)c[at(N, i, j)], sum);
		}
	device_free(d);
}

/* ---- filter ------------------------------------------------------------------------------- */

#define PITCH	64

static const s32 coefficients[9] = { -1, 2, -3, 4, 5, -6, 7, -8, -1 };

struct picture {
	u32 width, height, channels;
	u8 in[40][PITCH], out[40][PITCH];
};

static s32 sample(const struct picture *p, s32 x, s32 y, u32 channel)
{
	x = x < 0 ? 0 : x >= (s32)p->width ? (s32)p->width - 1 : x;
	y = y < 0 ? 0 : y >= (s32)p->height ? (s32)p->height - 1 : y;
	return p->in[y][x * p->channels + channel];
}

static u8 expected(const struct picture *p, u32 x, u32 y, u32 channel)
{
	s32 sum = 0, i;

	for (i = 0; i < 9; i++)
		sum += coefficients[i] * sample(p, (s32)x + i % 3 - 1, (s32)y + i / 3 - 1, channel);
	sum = (abs(sum) >> 2) - 3;
	return sum < 0 ? 0 : sum > 255 ? 255 : sum;
}

static u32 first_row(const struct picture *p, u32 band)
{
	u32 bands = p->height < CORES ? p->height : CORES;

	return band < bands ? p->height * band / bands : p->height;
}

static u32 rows(const struct picture *p, u32 band)
{
	return band < CORES ? first_row(p, band + 1) - first_row(p, band) : 0;
}

static void filter_words(const struct picture *p, struct device_kernel *k[3])
{
	u32 common[13] = { p->width, p->channels, 2, -3u };
	u32 i;

	memcpy(common + 4, coefficients, sizeof(coefficients));
	device_common(k[2], common, 13);
	for (i = 0; i < CORES; i++) {
		u32 up = i - 1, down = i + 1;
		u32 reader[] = {
			0, first_row(p, i), rows(p, i), up % 4, up / 4 % 4, rows(p, up),
			down % 4, down / 4 % 4, rows(p, down),
		};
		u32 writer[] = { first_row(p, i), rows(p, i) };

		device_words(k[0], i % 4, i / 4, reader, 9);
		device_words(k[1], i % 4, i / 4, writer, 2);
		device_words(k[2], i % 4, i / 4, writer + 1, 1);
	}
}

static void filter(struct __test_metadata *_metadata, u32 width, u32 height, u32 channels)
{
	struct picture p = { width, height, channels, { { 0 } }, { { 0 } } };
	struct device *d = device_new(4, 4);
	struct device_kernel *k[3];
	u32 seed = 3, x, y, i;

	ASSERT_NE(d, NULL);
	for (y = 0; y < height; y++)
		for (x = 0; x < width * channels; x++)
			p.in[y][x] = random_word(&seed) >> 24;
	device_bind(d, p.in, height * PITCH, TESSERA_ACCESS_IN);
	device_bind(d, p.out, height * PITCH, TESSERA_ACCESS_OUT);
	device_cb(d, 0, PITCH, (height + CORES - 1) / CORES + 2, TSR_FORMAT_RAW);
	device_cb(d, 1, PITCH, 4, TSR_FORMAT_RAW);
	device_semaphore(d, 0, 0);
	k[0] = kernel(d, "examples/filter/kernels/reader.c", TSR_PROC_DM0);
	k[1] = kernel(d, "examples/filter/kernels/writer.c", TSR_PROC_DM1);
	k[2] = kernel(d, "examples/filter/kernels/compute.c", TSR_PROC_COMPUTE);
	ASSERT_TRUE(k[0] && k[1] && k[2]);
	filter_words(&p, k);
	run(_metadata, d);
	for (y = 0; y < height; y++)
		for (x = 0; x < width; x++)
			for (i = 0; i < channels; i++)
				ASSERT_EQ(p.out[y][x * channels + i], expected(&p, x, y, i)) {
					TH_LOG("at %u %u %u", x, y, i);
				}
	device_free(d);
}

TEST(filter_greys)
{
	filter(_metadata, 61, 37, 1);
}

TEST(filter_colours)
{
	filter(_metadata, 21, 33, 3);
}

TEST(filter_fewer_rows_than_cores)
{
	filter(_metadata, 30, 9, 1);
}

TEST(filter_one_pixel)
{
	filter(_metadata, 1, 1, 1);
}

TEST_HARNESS_MAIN
