// SPDX-License-Identifier: GPL-2.0-only
/*
 * generate_table.c - machine code for hits that count in a table (COUNT, SUM, HIST ...).  See generate_hit.c.
 *
 * The code does what kmod/hit/aggregate_hit.c and core/aggregate.h do in the usual case: the key is in the table, at its home
 * or one of the next KT_CODE_PROBES places, and all values can be read.  Before it changes anything it leaves any other hit to
 * the C path.  The program emits the key and the value to the frame, not to a draft of the CPU, which belongs to a hit that is
 * counted in kt_cpu.nest.  Registers behind the program:
 *	x12	the number of the entry
 *	x13	its tag; then the value
 *	x14	the entry; then the values of this CPU
 *	x15	the table
 *	x16, x17	scratch
 */
#include "code_hit.h"

enum { NUMBER = VALUE, TAG, ENTRY, TABLE };

_Static_assert(8 * (KT_CODE_KEY_WORDS + 1) <= KT_FRAME_RETURN - KT_FRAME_KEEP, "no room for key and value");

#define FOLD		0xca408000U	/* to = a ^ b >> 32 */
#define ORR_READY	0xb2400400U	/* to = a | KT_AGG_READY */
#define MADD		0x9b000000U	/* to = a * b + the register in bits 10 .. 14 */
#define LOAD_ACQUIRE	0xc8dffc00U
#define ADDS		0xab000000U
#define ADC		0x9a000000U
#define ASR_63		0x937ffc00U
#define CLZ		0xdac01000U
#define LDADD		0xf8200000U	/* the register in bits 16 .. 20 is added; to = what was there */

static const struct kt_agg_table *plan_of(const struct hit *h)
{
	return &h->what->table->plan;
}

/* reg = a word of the key; the last one may have only four bytes */
static void load_key(struct hit *h, u8 reg, u32 word)
{
	put_memory(&h->c, OP_LOAD, reg, SP, KT_FRAME_KEEP + 8 * word, 8 * (word + 1) <= h->what->table->key_bytes ? 8 : 4, KT_ZERO);
}

/* The tag of the key, and its home: kt_agg_tag() */
static void put_tag(struct hit *h)
{
	struct code *c = &h->c;
	u32 word;

	load_key(h, TAG, 0);
	put_constant(c, TEMP, KT_AGG_HASH);
	for (word = 0; word < plan_of(h)->key_words; word++) {
		if (word) {
			load_key(h, NUMBER, word);
			put_op(c, EOR, TAG, TAG, NUMBER);
		}
		put_op(c, MUL, TAG, TAG, TEMP);
		put_op(c, FOLD, TAG, TAG, TAG);
	}
	put(c, ORR_READY | TAG << 5 | TAG);
	put_bits(c, UBFM_BITS(32, 32), NUMBER, TAG);
}

/* Find the entry, and compare its tag.  Pairs with the release in kt_agg_claim(), as kt_agg_find() does. */
static void look_at_entry(struct hit *h)
{
	struct code *c = &h->c;

	put_bits(c, UBFM_BITS(0, __builtin_ctz(plan_of(h)->mask + 1)), NUMBER, NUMBER);
	put_constant(c, TEMP, 8 * (1 + plan_of(h)->key_words));
	put_memory(c, OP_LOAD, ENTRY, TABLE, h->what->table->slots, 8, KT_ZERO);
	put_op(c, MADD | ENTRY << 10, ENTRY, NUMBER, TEMP);
	put(c, LOAD_ACQUIRE | ENTRY << 5 | TEMP);
	put_compare(c, TEMP, TAG);
}

/* As kt_agg_find(). */
static void find_entry(struct hit *h)
{
	struct code *c = &h->c;
	u32 word;

	put_tag(h);
	load_variable(c, TABLE, h->what->table->at, 8);
	look_at_entry(h);
	put_branch(c, B_COND | (EQ ^ 1), h->far_key);
	h->same_key = c->n;
	for (word = 0; word < plan_of(h)->key_words; word++) {
		load_key(h, TEMP, word);
		put_memory(c, OP_LOAD, TIME, ENTRY, 8 * (word + 1), 8, KT_ZERO);
		put_compare(c, TEMP, TIME);
		put_branch(c, B_COND | (EQ ^ 1), h->undo);
	}
}

/* ENTRY = where the values that this CPU has for that entry begin */
static void put_values(struct hit *h)
{
	struct code *c = &h->c;

	put_memory(c, OP_LOAD, ENTRY, TABLE, h->what->table->cpu, 8, KT_ZERO);
	put_op(c, ADD, ENTRY, ENTRY, OFFSET);
	put_memory(c, OP_LOAD, ENTRY, ENTRY, h->what->table->values, 8, KT_ZERO);
	if (!plan_of(h)->key_words)
		return;
	put_constant(c, TEMP, 8 * plan_of(h)->value_words);
	put_op(c, MADD | ENTRY << 10, ENTRY, NUMBER, TEMP);
}

/*
 * TAG = the bucket of the value, as in kt_agg_bucket(): the number of the highest bit that is set in 2 * value + 1.  There always is
 * one, since that number is odd.
 */
static void add_to_histogram(struct hit *h)
{
	struct code *c = &h->c;

	put_compare(c, TAG, KT_ZERO);
	put_branch(c, B_COND | LT, h->large);
	put_op(c, ADD, TAG, TAG, TAG);
	put_sum(c, TAG, TAG, 1, KT_ZERO);
	put(c, CLZ | TAG << 5 | TAG);
	put_constant(c, TEMP, 63);
	put_op(c, SUB, TAG, TEMP, TAG);
	h->counted = c->n;
	put_op(c, ADD | 3 << 10, ENTRY, ENTRY, TAG);
	put_sum(c, ENTRY, ENTRY, 8, KT_ZERO);
	put_add(h, ENTRY, 1);
}

/* TEMP = the sum after TAG was added to the word at NUMBER. */
static void add_and_get(struct hit *h)
{
	struct code *c = &h->c;
	u32 again;

	if (h->at.atomics) {
		put(c, LDADD | TAG << 16 | NUMBER << 5 | TEMP);
		return put_op(c, ADDS, TEMP, TEMP, TAG);
	}
	again = c->n;
	load_exclusive(c, TIME, NUMBER);
	put_op(c, ADDS, TIME, TIME, TAG);
	store_exclusive(c, TIME, NUMBER);
	put_branch(c, CBNZ | TEMP, again);
}

/* As kt_agg_add_value() and add_sum(): whoever wraps the low half adds the carry. */
static void add_to_sum(struct hit *h)
{
	struct code *c = &h->c;

	put_sum(c, NUMBER, ENTRY, 8 * KT_AGG_BEGUN, KT_ZERO);
	put_add(h, NUMBER, 1);
	put(c, DMB_ISHST);
	put_sum(c, NUMBER, ENTRY, 8 * KT_AGG_LOW, KT_ZERO);
	add_and_get(h);
	if (plan_of(h)->is_signed)
		put_bits(c, ASR_63, TAG, TAG);
	else
		move(c, TAG, KT_ZERO);
	put_op(c, ADC, TAG, TAG, KT_ZERO);
	put_sum(c, NUMBER, ENTRY, 8 * KT_AGG_HIGH, KT_ZERO);
	add_and_get(h);
	put(c, DMB_ISHST);
	put_sum(c, NUMBER, ENTRY, 8 * KT_AGG_DONE, KT_ZERO);
	put_add(h, NUMBER, 1);
}

/* As kt_agg_add(). */
static void add_value(struct hit *h)
{
	put_values(h);
	if (!kt_hit_table_has_value(h->what->table))
		return put_add(h, ENTRY, 1);
	put_memory(&h->c, OP_LOAD, TAG, SP, KT_FRAME_KEEP + h->what->table->key_bytes, 8, TEMP);
	if (plan_of(h)->kind == KT_AGG_HIST)
		add_to_histogram(h);
	else
		add_to_sum(h);
}

bool kt_arm64_count(struct hit *h)
{
	struct code *c = &h->c;
	bool good;

	if (h->needs & NEEDS_LOADS)
		kt_arm64_begin_hit_loads(h);
	c->out = SP;
	good = kt_arm64_program(c, &h->record, KT_FRAME_KEEP);
	if (h->needs & NEEDS_LOADS)
		kt_arm64_end_hit_loads(h);
	if (plan_of(h)->key_words)
		find_entry(h);
	else
		load_variable(c, TABLE, h->what->table->at, 8);
	add_value(h);
	return good;
}

/* Triangular probing, as kt_agg_find() does.  An entry that is free is claimed by the C path. */
static void probe_further(struct hit *h)
{
	struct code *c = &h->c;
	u32 n;

	h->far_key = c->n;
	for (n = 1; n <= KT_CODE_PROBES; n++) {
		put_branch(c, CBZ | TEMP, h->undo);
		put_sum(c, NUMBER, NUMBER, n, KT_ZERO);
		look_at_entry(h);
		put_branch(c, B_COND | EQ, h->same_key);
	}
	jump_to(c, h->undo);
}

/* Bucket 0 is for negative values; without a sign, such a value is one of the largest. */
static void count_large(struct hit *h)
{
	h->large = h->c.n;
	put_constant(&h->c, TAG, plan_of(h)->is_signed ? ~0ULL : 64);
	jump_to(&h->c, h->counted);
}

void kt_arm64_count_rare(struct hit *h)
{
	if (plan_of(h)->key_words)
		probe_further(h);
	if (plan_of(h)->kind == KT_AGG_HIST)
		count_large(h);
}
