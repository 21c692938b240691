// SPDX-License-Identifier: MIT
/*
 * The tile unit, against loops over integers. Floating point is checked with small
 * whole numbers, which it holds exactly. CBs: 0, 1 int8; 2 int32; 3 fp32; 4 bf16,
 * each of 2 pages of one tile.
 */
#include "check.h"

#define N	(TSR_TILE_DIM * TSR_TILE_DIM)
#define CB_A	0
#define CB_B	1
#define CB_I	2
#define CB_F	3
#define CB_H	4

static int32_t a_at(uint32_t tile, uint32_t i)
{
	return (int32_t)((i * 3 + tile) % 7) - 3;
}

static int32_t b_at(uint32_t i)
{
	return (int32_t)(i * 5 % 9) - 4;
}

static int32_t max(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

/* Element @i of A (tile @tile) x B. */
static int32_t product(uint32_t tile, uint32_t i)
{
	uint32_t row = i / TSR_TILE_DIM, column = i % TSR_TILE_DIM;
	int32_t sum = 0;

	for (uint32_t k = 0; k < TSR_TILE_DIM; k++)
		sum += a_at(tile, row * TSR_TILE_DIM + k) * b_at(k * TSR_TILE_DIM + column);
	return sum;
}

static void fill(void)
{
	volatile int8_t *a, *b;

	cb_reserve_back(CB_A, 2);
	cb_reserve_back(CB_B, 1);
	a = (volatile int8_t *)get_write_ptr(CB_A);
	b = (volatile int8_t *)get_write_ptr(CB_B);
	for (uint32_t i = 0; i < N; i++) {
		a[i] = (int8_t)a_at(0, i);
		a[N + i] = (int8_t)a_at(1, i);
		b[i] = (int8_t)b_at(i);
	}
	cb_push_back(CB_A, 2);
	cb_push_back(CB_B, 1);
	cb_wait_front(CB_A, 2);
	cb_wait_front(CB_B, 1);
}

/* Packs register @dst as int32 and gives the elements. */
static volatile int32_t *packed(uint32_t dst)
{
	uint32_t address = get_write_ptr(CB_I);

	cb_reserve_back(CB_I, 1);
	pack_tile(dst, CB_I);
	cb_push_back(CB_I, 1);
	cb_wait_front(CB_I, 1);
	CHECK(get_read_ptr(CB_I) == address);
	cb_pop_front(CB_I, 1);
	return (volatile int32_t *)address;
}

static void matmul(void)
{
	volatile int32_t *r;

	mm_init(CB_A, CB_B, CB_I);
	tile_regs_acquire();
	matmul_tiles(CB_A, CB_B, 0, 0, 3);
	matmul_tiles(CB_A, CB_B, 1, 0, 3);
	tile_regs_commit();
	tile_regs_wait();
	r = packed(3);
	for (uint32_t i = 0; i < N; i++)
		CHECK(r[i] == product(0, i) + product(1, i));
	tile_regs_release();
}

/* After acquire, registers are zero: for accumulation and for packing alike. */
static void acquire_zeroes(void)
{
	volatile int32_t *r;

	tile_regs_acquire();
	matmul_tiles(CB_A, CB_B, 0, 0, 3);
	r = packed(3);
	CHECK(r[5] == product(0, 5) && r[1023] == product(0, 1023));
	tile_regs_acquire();
	r = packed(3);
	CHECK(r[5] == 0 && r[1023] == 0);
	copy_tile(CB_A, 0, 4);
	zero_dst(4);
	r = packed(4);
	CHECK(r[5] == 0 && r[1023] == 0);
}

static void element_wise(void)
{
	binary_op_init_common(CB_A, CB_B, CB_I);
	add_tiles_init(CB_A, CB_B);
	sub_tiles_init(CB_A, CB_B);
	mul_tiles_init(CB_A, CB_B);
	add_tiles(CB_A, CB_B, 1, 0, 0);
	sub_tiles(CB_A, CB_B, 1, 0, 1);
	mul_tiles(CB_A, CB_B, 1, 0, 2);
	max_tiles(CB_A, CB_B, 1, 0, 3);
	for (uint32_t i = 0; i < N; i += 37) {
		int32_t a = a_at(1, i), b = b_at(i);

		CHECK(packed(0)[i] == a + b);
		CHECK(packed(1)[i] == a - b);
		CHECK(packed(2)[i] == a * b);
		CHECK(packed(3)[i] == max(a, b));
	}
}

static void onto_register(void)
{
	volatile int32_t *r;

	unary_op_init_common(CB_A, CB_I);
	copy_tile_init(CB_A);
	relu_tile_init();
	copy_tile(CB_A, 0, 15);
	add_tile_to_dst(CB_A, 1, 15);
	mul_tile_to_dst(CB_B, 0, 15);
	max_tile_to_dst(CB_A, 1, 15);
	r = packed(15);
	for (uint32_t i = 0; i < N; i++)
		CHECK(r[i] == max((a_at(0, i) + a_at(1, i)) * b_at(i), a_at(1, i)));
	relu_tile_int32(15);
	r = packed(15);
	for (uint32_t i = 0; i < N; i++)
		CHECK(r[i] == max(0, max((a_at(0, i) + a_at(1, i)) * b_at(i), a_at(1, i))));
}

/* pack_tile() goes on behind the tile before it; cb_push_back() starts anew. */
static void pack_in_order(void)
{
	uint32_t address = get_write_ptr(CB_A);
	volatile int8_t *r = (volatile int8_t *)address;

	cb_pop_front(CB_A, 2);
	copy_tile(CB_B, 0, 0);
	mul_tiles(CB_B, CB_B, 0, 0, 1);
	mul_tile_to_dst(CB_B, 0, 1);
	mul_tile_to_dst(CB_B, 0, 1);
	cb_reserve_back(CB_A, 2);
	pack_tile(0, CB_A);
	pack_tile(1, CB_A);
	for (uint32_t i = 0; i < N; i++) {
		int32_t b = b_at(i), power = b * b * b * b;

		CHECK(r[i] == b);
		CHECK(r[N + i] == (power > 127 ? 127 : power));
	}
	pack_tile_at(1, CB_A, 0);
	CHECK(r[1] == r[N + 1]);
	cb_push_back(CB_A, 2);
}

/* int8 -> fp32 -> bf16, a product in fp32, and back. */
static void floating_point(void)
{
	volatile uint32_t *f = l1_words(get_write_ptr(CB_F));
	volatile uint16_t *h = (volatile uint16_t *)get_write_ptr(CB_H);
	volatile int32_t *r;

	copy_tile(CB_B, 0, 6);
	typecast_tile_to_fp32(6);
	cb_reserve_back(CB_F, 1);
	pack_tile(6, CB_F);
	cb_reserve_back(CB_H, 1);
	pack_tile(6, CB_H);
	CHECK(f[0] == 0xc0800000 && f[1] == 0x3f800000);	/* -4, 1 */
	CHECK(h[0] == 0xc080 && h[1] == 0x3f80);
	cb_push_back(CB_H, 1);
	cb_push_back(CB_F, 1);
	cb_wait_front(CB_H, 1);
	cb_wait_front(CB_F, 1);

	tile_regs_acquire();
	matmul_tiles(CB_H, CB_H, 0, 0, 0);
	typecast_tile_to_int32(0);
	add_tiles(CB_F, CB_F, 0, 0, 1);
	relu_tile(1);
	typecast_tile_to_int32(1);
	r = packed(0);
	for (uint32_t i = 0; i < N; i++) {
		int32_t sum = 0;

		for (uint32_t k = 0; k < 32; k++)
			sum += b_at(i / 32 * 32 + k) * b_at(k * 32 + i % 32);
		CHECK(r[i] == sum);
	}
	r = packed(1);
	for (uint32_t i = 0; i < N; i++)
		CHECK(r[i] == max(0, 2 * b_at(i)));
}

void kernel_main(void)
{
	fill();
	matmul();
	acquire_zeroes();
	element_wise();
	onto_register();
	pack_in_order();
	floating_point();
}
