// SPDX-License-Identifier: GPL-2.0-only
/*
 * One object of every kind of type, with known values, and functions that take and return them.
 * tests/vm/hostcases/values has the expected values; it finds a source line by a comment that begins with "at".
 */
#include <linux/compiler.h>
#include <linux/percpu.h>

#include "truth.h"

/* The compiler assumes nothing about these functions in their callers, nor about the callers in them. */
#define OPAQUE __attribute__((__noipa__))

enum ktruth_mood { KTRUTH_SAD = -1, KTRUTH_CALM, KTRUTH_KEEN = 3, KTRUTH_WILD = 100 };

struct ktruth_point {
	short x, y;
};

struct ktruth_pair {
	long first;
	int second;
	bool third;
	u8 fourth;
};

struct ktruth_flags {
	u32 one : 1, two : 5;
	s32 three : 7;
	u32 four : 19;
	u64 five : 30;
	bool six : 1, seven : 1;
};

struct ktruth_bits {
	u64 a : 1, b : 12, c : 33;
	s64 d : 18;
	u8 e : 3, f : 5;
	bool g : 1, h : 1;
	s32 i : 31;
	enum ktruth_mood mood : 8;
};

union ktruth_any {
	u64 word;
	u32 halves[2];
	u8 bytes[8];
	struct ktruth_point points[2];
};

struct ktruth_every {
	struct ktruth_bits bits;
	struct {
		int unnamed;
		union {
			u32 whole;
			u16 parts[2];
		};
	};
	union ktruth_any any;
	int grid[3][4];
	char words[2][6];
	struct ktruth_point points[3];
	enum ktruth_mood mood, moods[2];
	bool yes, no;
	char text[12], full[4];
	const char *string;
	const char *strings[3];
	struct ktruth_every *self, **selves;
	void *nothing, *wrong;
	long (*function)(long number);
	u8 u8;
	s8 s8;
	u16 u16;
	s16 s16;
	u32 u32;
	s32 s32;
	u64 u64;
	s64 s64;
	unsigned char bytes[4];
};

static struct ktruth_every *ktruth_selves[2];

struct ktruth_every ktruth_every = {
	.bits = { .a = 1, .b = 0xabc, .c = 0x123456789, .d = -12345, .e = 5, .f = 19, .g = true, .i = -1000000000,
		  .mood = KTRUTH_KEEN },
	.unnamed = -17,
	.whole = 0x89abcdef,
	.any.bytes = { 1, 2, 3, 4, 5, 6, 7, 8 },
	.grid = { { 0, 1, 2, 3 }, { 10, 11, 12, 13 }, { 20, 21, 22, -23 } },
	.words = { "first", "next" },
	.points = { { 1, -1 }, { 2, -2 }, { 30000, -30000 } },
	.mood = KTRUTH_SAD,
	.moods = { KTRUTH_WILD, 2 },
	.yes = true,
	.text = "some text",
	.full = { 'f', 'u', 'l', 'l' },
	.string = "a string",
	.strings = { "zero", "one", NULL },
	.self = &ktruth_every,
	.selves = ktruth_selves,
	.wrong = (void *)0xffffc8ffdead0000,
	.function = ktruth_square,
	.u8 = 200, .s8 = -100, .u16 = 60000, .s16 = -30000, .u32 = 4000000000, .s32 = -2000000000,
	.u64 = 0xfedcba9876543210, .s64 = -5000000000,
	.bytes = { 0xde, 0xad, 0xbe, 0xef },
};
static struct ktruth_every *ktruth_selves[2] = { NULL, &ktruth_every };

DEFINE_PER_CPU(struct ktruth_pair, ktruth_pairs);

static OPAQUE long ktruth_none(void)
{
	barrier();
	return ktruth_word >> 60;
}

static OPAQUE long ktruth_takes(struct ktruth_every *every, struct ktruth_every **where, unsigned int index)
{
	return every->grid[1][index] + where[1]->u8;
}

/* In two registers, in one, and on the stack. */
static OPAQUE long ktruth_by_value(struct ktruth_pair pair, struct ktruth_point point, struct ktruth_flags flags)
{
	return pair.first + pair.second + pair.third + point.x + point.y + flags.three + flags.six;
}

static OPAQUE long ktruth_by_stack(struct ktruth_every every, int number)
{
	return every.s32 + number;
}

static OPAQUE long ktruth_arrays(int grid[3][4], const char *const names[], int count)
{
	return grid[2][1] + names[1][0] + count;
}

/* Inlined twice, with different values. */
static __always_inline long ktruth_inside(struct ktruth_every *every, long times)
{
	long product = every->s8 * times;

	product += ktruth_target(product); /* at inside */
	return product + every->u8; /* at inside-end */
}

static OPAQUE long ktruth_outside(struct ktruth_every *every, long number)
{
	long sum = ktruth_inside(every, number);

	return sum + ktruth_inside(every->selves[1], number + 1);
}

static OPAQUE long ktruth_locals(long count)
{
	struct ktruth_point points[4];
	struct ktruth_pair pair = { count, 7, true };
	long square = count * count;
	int grid[2][3];
	int i, j;

	for (i = 0; i < 4; i++)
		points[i] = (struct ktruth_point){ i, -10 * i };
	for (i = 0; i < 2; i++)
		for (j = 0; j < 3; j++)
			grid[i][j] = 100 * i + j;
	barrier_data(points);
	barrier_data(grid);
	barrier_data(&pair);
	square = ktruth_target(square); /* at locals */
	square += pair.first; /* at locals-end */
	return square + points[3].y + grid[1][2];
}

static OPAQUE __cold long ktruth_rare(long number)
{
	return number - 1;
}

/* The compiler puts the rare part elsewhere. */
static OPAQUE long ktruth_split(struct ktruth_every *every, long number)
{
	long limit = every->u8;

	if (number > limit) {
		number = ktruth_rare(number); /* at split */
		number += every->s8;
	}
	return number + limit;
}

static OPAQUE enum ktruth_mood ktruth_returns_mood(int number)
{
	return number - 2;
}

static OPAQUE bool ktruth_returns_bool(int number)
{
	return number > 5;
}

static OPAQUE s8 ktruth_returns_small(int number)
{
	return number - 100;
}

static OPAQUE struct ktruth_point ktruth_returns_point(int number)
{
	return (struct ktruth_point){ number, -number };
}

static OPAQUE const char *ktruth_returns_text(int number)
{
	return ktruth_every.strings[number];
}

static OPAQUE struct ktruth_every *ktruth_returns_every(int number)
{
	return ktruth_every.selves[number];
}

long ktruth_values(void)
{
	const struct ktruth_pair pair = { 5000000000, -6, true, 7 };
	const struct ktruth_flags flags = { .one = 1, .two = 21, .three = -3, .four = 345678, .five = 987654321,
					    .seven = true };
	long sum = ktruth_none();

	get_cpu_ptr(&ktruth_pairs)->second = 77;
	put_cpu_ptr(&ktruth_pairs);
	sum += ktruth_takes(&ktruth_every, ktruth_every.selves, 2);
	sum += ktruth_by_value(pair, (struct ktruth_point){ 8, -9 }, flags) - 5000000000;
	sum += ktruth_by_stack(ktruth_every, 10) + 2000000000;
	sum += ktruth_arrays(ktruth_every.grid, ktruth_every.strings, 3);
	sum += ktruth_outside(&ktruth_every, 6);
	sum += ktruth_locals(9);
	sum += ktruth_split(&ktruth_every, 1000) - ktruth_split(&ktruth_every, 100);
	sum += ktruth_unoptimised(-1, 10000, -300, 5000000000, 40, 700000000, -8, 9) - 5700010040;
	sum += ktruth_returns_mood(1) + ktruth_returns_bool(6) + ktruth_returns_small(3);
	sum += ktruth_returns_point(4).y + ktruth_returns_text(1)[0] + ktruth_returns_every(1)->s8;
	return sum;
}
