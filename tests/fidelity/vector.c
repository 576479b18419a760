// SPDX-License-Identifier: GPL-2.0-or-later
/* vector.c - XSAVE areas. See vector.h. */
#include <cpuid.h>
#include <linux/kernel.h>
#include <stdio.h>
#include <string.h>

#include "state.h"
#include "vector.h"

#define X87		0
#define SSE		1
#define XSAVE_LEAF	0xd
#define OSXSAVE		(1u << 27)
#define FCW_INITIAL	0x37f

/* PKRU, AMX tiles and supervisor components are not touched. */
struct vector_part vector_parts[] = {
	{ X87, "x87", 0, VECTOR_XMM },
	{ SSE, "xmm", VECTOR_XMM, VECTOR_RESERVED - VECTOR_XMM },
	{ 2, "ymm-high", 0, 0 },
	{ 5, "k", 0, 0 },
	{ 6, "zmm-high", 0, 0 },
	{ 7, "zmm16-31", 0, 0 },
};
unsigned int vector_nr_parts;
u32 vector_size = VECTOR_EXTENDED;

static u64 xcr0(void)
{
	u32 low, high;

	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (u64)high << 32 | low;
}

static bool has_xsave(void)
{
	u32 a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & OSXSAVE);
}

/* Ask the CPU for the offset of an extended component. */
static void locate(struct vector_part *part)
{
	u32 a, b, c, d;

	if (part->bit <= SSE)
		return;
	__cpuid_count(XSAVE_LEAF, part->bit, a, b, c, d);
	part->at = b;
	part->size = a;
}

u64 vector_init(void)
{
	u64 enabled, mask = 0;
	unsigned int i;

	if (!has_xsave())
		return 0;
	enabled = xcr0();
	vector_nr_parts = 0;
	for (i = 0; i < ARRAY_SIZE(vector_parts); i++) {
		struct vector_part part = vector_parts[i];

		if (!(enabled & 1ull << part.bit))
			continue;
		locate(&part);
		if (part.at + part.size > VECTOR_BYTES)
			continue;
		if (part.at + part.size > vector_size)
			vector_size = part.at + part.size;
		vector_parts[vector_nr_parts++] = part;
		mask |= 1ull << part.bit;
	}
	return mask;
}

static void put16(u8 *at, u16 value)
{
	memcpy(at, &value, sizeof(value));
}

static void put32(u8 *at, u32 value)
{
	memcpy(at, &value, sizeof(value));
}

static void put64(u8 *at, u64 value)
{
	memcpy(at, &value, sizeof(value));
}

static u64 get64(const u8 *at)
{
	u64 value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Elements with which vector instructions do something: gathers use small integers as indices. */
static void random_elements(struct rng *rng, u8 *to, size_t n)
{
	u32 kind = rng_below(rng, 4);
	size_t i;

	for (i = 0; i + 8 <= n; i += 8) {
		u64 value = rng_next(rng);

		if (kind == 1)
			value &= 0x3f;
		else if (kind == 2)
			value &= 0x0000003f0000003f;
		else if (kind == 3)
			value = (value & 0x807fffff807fffff) | 0x3f8000003f800000;
		put64(to + i, value);
	}
}

/* Mostly mask exceptions: otherwise every other instruction would only raise one. */
static void random_control(struct rng *rng, u8 *area)
{
	bool masked = rng_percent(rng, 90);

	put16(area + VECTOR_FCW, (rng_next(rng) & 0xf00) | 0x40 | (masked ? 0x3f : rng_below(rng, 64)));
	put16(area + VECTOR_FSW, rng_next(rng) & (masked ? 0x7f7f : 0x7f00));
	area[VECTOR_FTW] = rng_percent(rng, 50) ? 0xff : rng_next(rng);
	put32(area + VECTOR_MXCSR, (rng_next(rng) & 0xe07f) | (masked ? 0x1f80 : rng_next(rng) & 0x1f80));
	put16(area + VECTOR_FOP, rng_next(rng) & 0x7ff);
	put64(area + VECTOR_FIP, rng_next(rng) >> 17);
	put64(area + VECTOR_FDP, rng_next(rng) >> 17);
}

void vector_random(struct rng *rng, u8 *area)
{
	unsigned int i;
	u64 bitmap = 0;

	memset(area, 0, VECTOR_BYTES);
	random_control(rng, area);
	for (i = 0; i < 8; i++) {
		random_elements(rng, area + VECTOR_ST + 16 * i, 8);
		put16(area + VECTOR_ST + 16 * i + 8, rng_next(rng));
	}
	for (i = 1; i < vector_nr_parts; i++)
		random_elements(rng, area + vector_parts[i].at, vector_parts[i].size);
	for (i = 0; i < vector_nr_parts; i++)
		if (vector_parts[i].bit <= SSE || rng_percent(rng, 80))
			bitmap |= 1ull << vector_parts[i].bit;
	put64(area + VECTOR_BITMAP, bitmap);
}

static void settle_x87(u8 *area)
{
	memset(area, 0, VECTOR_MXCSR);
	put16(area + VECTOR_FCW, FCW_INITIAL);
	memset(area + VECTOR_ST, 0, VECTOR_XMM - VECTOR_ST);
}

/* The 6 bytes behind each 10-byte x87 register are unused. */
static void clear_gaps(u8 *area)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		memset(area + VECTOR_ST + 16 * i + 10, 0, 6);
}

void vector_settle(u8 *area)
{
	u64 bitmap = get64(area + VECTOR_BITMAP);
	unsigned int i;

	clear_gaps(area);
	for (i = 0; i < vector_nr_parts; i++) {
		if (bitmap & 1ull << vector_parts[i].bit)
			continue;
		if (vector_parts[i].bit == X87)
			settle_x87(area);
		else
			memset(area + vector_parts[i].at, 0, vector_parts[i].size);
	}
	put32(area + VECTOR_MXCSR_MASK, 0);
	memset(area + VECTOR_RESERVED, 0, VECTOR_EXTENDED - VECTOR_RESERVED);	/* with the header */
}

u64 vector_fip(const u8 *area)
{
	return get64(area + VECTOR_FIP);
}

void vector_set_fip(u8 *area, u64 fip)
{
	put64(area + VECTOR_FIP, fip);
}

const u8 *vector_reload(u8 *to, const u8 *settled)
{
	u64 bitmap = 0;
	unsigned int i;

	memset(to, 0, VECTOR_BYTES);
	memcpy(to, settled, vector_size);
	for (i = 0; i < vector_nr_parts; i++)
		bitmap |= 1ull << vector_parts[i].bit;
	put64(to + VECTOR_BITMAP, bitmap);
	return to;
}

int vector_compare(const u8 *a, const u8 *b)
{
	u32 i = 0;

	if (!memcmp(a, b, vector_size))
		return -1;
	while (a[i] == b[i])
		i++;
	return i;
}

void vector_name(int offset, char *text, size_t size)
{
	unsigned int i;

	snprintf(text, size, "vector state +%d", offset);
	if (offset >= VECTOR_MXCSR && offset < VECTOR_MXCSR + 4)
		snprintf(text, size, "mxcsr");
	else if (offset < VECTOR_ST)
		snprintf(text, size, "x87 control +%d", offset);
	else if (offset < VECTOR_XMM)
		snprintf(text, size, "st%d", (offset - VECTOR_ST) / 16);
	else if (offset < VECTOR_RESERVED)
		snprintf(text, size, "xmm%d", (offset - VECTOR_XMM) / 16);
	for (i = 2; i < vector_nr_parts; i++)
		if ((u32)offset >= vector_parts[i].at && (u32)offset < vector_parts[i].at + vector_parts[i].size)
			snprintf(text, size, "%s +%d", vector_parts[i].name, offset - (int)vector_parts[i].at);
}
