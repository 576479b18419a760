// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * generate.c - random instructions: every opcode map, with any prefixes. Most combinations are valid; an
 * invalid one must raise the same exception wherever it is executed.
 */
#include <linux/kernel.h>

#include "generate.h"

struct out {
	struct rng *rng;
	u8 *bytes;
	unsigned int n;
};

static void put(struct out *out, u8 byte)
{
	if (out->n < MAX_INSN_SIZE)
		out->bytes[out->n++] = byte;
}

static const struct {
	u8 byte, percent;
} prefixes[] = {
	{ 0x66, 14 }, { 0xf3, 7 }, { 0xf2, 5 }, { 0x65, 5 }, { 0x67, 4 }, { 0x64, 3 },
	{ 0xf0, 3 },  { 0x2e, 2 }, { 0x3e, 2 }, { 0x26, 1 }, { 0x36, 1 },
};

static void put_prefixes(struct out *out)
{
	unsigned int i, from = rng_below(out->rng, ARRAY_SIZE(prefixes));

	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
		unsigned int k = (from + i) % ARRAY_SIZE(prefixes);

		if (!rng_percent(out->rng, prefixes[k].percent))
			continue;
		put(out, prefixes[k].byte);
		while (rng_percent(out->rng, 3))
			put(out, prefixes[k].byte);
	}
	if (rng_percent(out->rng, 45))
		put(out, 0x40 | rng_below(out->rng, 16));
	/*
	 * A REX prefix in the wrong place has no effect; nor have prefixes before VEX that it does not allow.
	 */
	if (rng_percent(out->rng, 1))
		put(out, prefixes[rng_below(out->rng, ARRAY_SIZE(prefixes))].byte);
}

static void put_rest(struct out *out)
{
	u8 modrm = rng_next(out->rng);

	if (rng_percent(out->rng, 15))
		modrm = (modrm & 0x38) | 5;	/* RIP-relative */
	put(out, modrm);
	while (out->n < MAX_INSN_SIZE)
		put(out, rng_next(out->rng));
}

static void put_one(struct out *out)
{
	put_prefixes(out);
	put(out, rng_next(out->rng));
}

static void put_0f(struct out *out)
{
	put_prefixes(out);
	put(out, 0x0f);
	put(out, rng_next(out->rng));
}

static void put_0f38(struct out *out)
{
	put_prefixes(out);
	put(out, 0x0f);
	put(out, 0x38);
	put(out, rng_next(out->rng));
}

static void put_0f3a(struct out *out)
{
	put_prefixes(out);
	put(out, 0x0f);
	put(out, 0x3a);
	put(out, rng_next(out->rng));
}

/* Of the legacy prefixes VEX allows only segment and address size. */
static void put_vex_prefixes(struct out *out)
{
	if (rng_percent(out->rng, 8))
		put(out, rng_percent(out->rng, 50) ? 0x65 : 0x64);
	if (rng_percent(out->rng, 4))
		put(out, 0x67);
}

/* vvvv, inverted: many instructions require 1111. */
static u8 random_vvvv(struct rng *rng)
{
	return rng_percent(rng, 40) ? 0x78 : rng_next(rng) & 0x78;
}

static void put_vex(struct out *out)
{
	bool two = rng_percent(out->rng, 30);

	put_vex_prefixes(out);
	put(out, two ? 0xc5 : 0xc4);
	if (!two)
		put(out, (rng_next(out->rng) & 0xe0) | (1 + rng_below(out->rng, 3)));
	put(out, (rng_next(out->rng) & 0x87) | random_vvvv(out->rng));
	put(out, rng_next(out->rng));
}

static void put_evex(struct out *out)
{
	static const u8 maps[] = { 1, 2, 3, 1, 2, 3, 5, 6 };
	struct rng *rng = out->rng;

	put_vex_prefixes(out);
	put(out, 0x62);
	put(out, (rng_next(rng) & 0xf0) | maps[rng_below(rng, ARRAY_SIZE(maps))]);
	put(out, (rng_next(rng) & 0x83) | random_vvvv(rng) | 4);
	put(out, rng_percent(rng, 50) ? (rng_next(rng) & 0x60) | 8 : rng_next(rng));
	put(out, rng_next(rng));
}

static const struct {
	void (*put)(struct out *out);
	u8 percent;
} maps[] = {
	{ put_one, 30 }, { put_0f, 25 }, { put_0f38, 9 }, { put_0f3a, 6 }, { put_vex, 15 }, { put_evex, 15 },
};

void generate_any(struct rng *rng, u8 *bytes)
{
	struct out out = { .rng = rng, .bytes = bytes };
	unsigned int i = 0;
	u32 chance = rng_below(rng, 100);

	while (chance >= maps[i].percent)
		chance -= maps[i++].percent;
	maps[i].put(&out);
	put_rest(&out);
}

static void put_indirect(struct out *out)
{
	put(out, 0xff);
	put(out, (rng_next(out->rng) & 0xc7) | (rng_percent(out->rng, 50) ? 2 : 4) << 3);
}

static void put_short(struct out *out)
{
	static const u8 opcodes[] = { 0xe0, 0xe1, 0xe2, 0xe3, 0xeb };

	if (rng_percent(out->rng, 50))
		put(out, 0x70 | rng_below(out->rng, 16));
	else
		put(out, opcodes[rng_below(out->rng, ARRAY_SIZE(opcodes))]);
}

static void put_near(struct out *out)
{
	if (rng_percent(out->rng, 50)) {
		put(out, 0xe8 | rng_below(out->rng, 2));
		return;
	}
	put(out, 0x0f);
	put(out, 0x80 | rng_below(out->rng, 16));
}

static void put_ret(struct out *out)
{
	put(out, 0xc2 | rng_below(out->rng, 2));
}

void generate_branch(struct rng *rng, u8 *bytes)
{
	static void (*const kinds[])(struct out *out) = { put_indirect, put_short, put_near, put_ret };
	struct out out = { .rng = rng, .bytes = bytes };

	if (rng_percent(rng, 30))
		put_prefixes(&out);
	kinds[rng_below(rng, ARRAY_SIZE(kinds))](&out);
	while (out.n < MAX_INSN_SIZE)
		put(&out, rng_next(rng));
}
