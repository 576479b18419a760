// SPDX-License-Identifier: GPL-2.0-only
/*
 * table.c - machine code for hits that count in a table (COUNT, SUM, HIST ...).
 *
 * The code does what kmod/hit/aggregate_hit.c and core/aggregate.h do in the usual case: the key is in the table, at its home
 * or one of the next KT_CODE_PROBES entries, and all values can be read.  Before it changes anything it leaves any other hit to
 * the C path.  The program emits the key and the value to the stack, not to a draft of the CPU, which belongs to a hit that is
 * counted in kt_cpu.nest.
 */
#include "kmod/code/plan.h"

enum {
	NUMBER = VALUE,		/* of the entry */
	TAG = WORK1,		/* its tag; then scratch */
	ENTRY = WORK2,		/* the entry; then the values of this CPU */
	TABLE = WORK3,
	TEMP = WORK4,
};

static const struct kt_agg_table *plan_of(const struct hit *h)
{
	return &h->what->table->plan;
}

/* reg = a word of the key; the last one may have only four bytes */
static void load_key(struct hit *h, u8 reg, u32 word)
{
	put_load(&h->c, reg, STACK, DRAFT_AT + 8 * word, 8 * (word + 1) <= h->what->table->key_bytes ? 8 : 4);
}

/* The tag of the key, and its home: kt_agg_tag() */
static void put_tag(struct hit *h)
{
	struct code *c = &h->c;
	u32 word;

	load_key(h, TAG, 0);
	put_constant(c, TABLE, KT_AGG_HASH);
	for (word = 0; word < plan_of(h)->key_words; word++) {
		if (word) {
			load_key(h, NUMBER, word);
			put_xor(c, TAG, NUMBER);
		}
		put_multiply(c, TAG, TABLE);
		put_fold(c, TAG, word + 1 == plan_of(h)->key_words);
	}
	put_or_number(c, TAG, KT_AGG_READY);
}

/* Find the entry, and compare its tag.  A final tag comes with its key: see kt_agg_claim(). */
static void look_at_entry(struct hit *h)
{
	struct code *c = &h->c;

	put_mask(c, NUMBER, plan_of(h)->mask);
	put_element(c, ENTRY, NUMBER, 8 * (1 + plan_of(h)->key_words), TABLE, h->what->table->slots);
	put_compare_first(c, TAG, ENTRY, 0);
}

/* As kt_agg_find(). */
static void find_entry(struct hit *h)
{
	struct code *c = &h->c;
	u32 word;

	put_tag(h);
	put_variable(c, TABLE, h->what->table->at, 8);
	look_at_entry(h);
	put_branch(c, IF_NOT_EQUAL, h->far_key);
	h->same_key = c->n;
	for (word = 0; word < plan_of(h)->key_words; word++) {
		load_key(h, TEMP, word);
		put_compare_memory(c, TEMP, ENTRY, 8 * (word + 1));
		put_branch(c, IF_NOT_EQUAL, h->undo);
	}
}

/* to = the values of this CPU, of the table in `from` */
static void put_values(struct hit *h, u8 to, u8 from)
{
	put_load(&h->c, to, from, h->what->table->cpu, 8);
	put_cpu_base(&h->c, to);
	put_cpu_load(&h->c, to, to, h->what->table->values);
}

/* As kt_agg_bucket(), of the value in TEMP. */
static void add_to_histogram(struct hit *h)
{
	struct code *c = &h->c;

	put_branch_negative(c, TEMP, h->large);
	put_bits(c, TAG, TEMP);
	h->counted = c->n;
	put_count_at(c, ENTRY, TAG, 8);
}

/* As kt_agg_add_value() and add_sum(). */
static void add_to_sum(struct hit *h)
{
	struct code *c = &h->c;

	put_count(c, ENTRY, 8 * KT_AGG_BEGUN);
	put_order(c);
	if (plan_of(h)->is_signed) {
		put_move(c, TAG, TEMP);
		put_sign(c, TAG);
	} else {
		put_small(c, TAG, 0);
	}
	put_add_wide(c, ENTRY, 8 * KT_AGG_LOW, 8 * KT_AGG_HIGH, TEMP, TAG);
	put_order(c);
	put_count(c, ENTRY, 8 * KT_AGG_DONE);
}

/* As kt_agg_add(). */
static void add_value(struct hit *h)
{
	struct code *c = &h->c;

	put_values(h, ENTRY, TABLE);
	if (plan_of(h)->key_words)
		put_advance(c, ENTRY, NUMBER, 8 * plan_of(h)->value_words);
	if (!kt_hit_table_has_value(h->what->table))
		return put_count(c, ENTRY, 0);
	put_load(c, TEMP, STACK, DRAFT_AT + h->what->table->key_bytes, 8);
	if (plan_of(h)->kind == KT_AGG_HIST)
		add_to_histogram(h);
	else
		add_to_sum(h);
}

/* kt_agg_add() to the only entry of a table that counts: VALUE is enough. */
static void count_only(struct hit *h)
{
	put_variable(&h->c, VALUE, h->what->table->at, 8);
	put_values(h, VALUE, VALUE);
	put_count(&h->c, VALUE, 0);
}

/* As the C path does behind kt_agg_add(). */
static void count_hit(struct hit *h)
{
	kt_emit_count_ring(h, offsetof(struct kt_ring_ctl, measured));
	kt_emit_count(h, 0);
}

static bool count_value(struct hit *h)
{
	bool good;

	kt_emit_draft_begin(h);
	if (h->needs & NEEDS_LOADS)
		kt_emit_begin_loads(h);
	good = kt_code_program(&h->c, &h->record, DRAFT_AT);
	if (h->needs & NEEDS_LOADS)
		kt_emit_end_loads(h);
	if (plan_of(h)->key_words)
		find_entry(h);
	else
		put_variable(&h->c, TABLE, h->what->table->at, 8);
	if (h->closes)
		kt_closing_end(h);
	add_value(h);
	kt_emit_draft_end(h);
	count_hit(h);
	/* Last, as calls.c does it: what follows is calibrated (nested). */
	if (h->closes)
		kt_closing_charge(h);
	return good;
}

bool kt_code_table(struct hit *h)
{
	if (draft_bytes(h))
		return count_value(h);
	count_only(h);
	count_hit(h);
	return true;
}

/* Triangular probing, as kt_agg_find() does.  An entry that is free is claimed by the C path. */
static void probe_further(struct hit *h)
{
	struct code *c = &h->c;
	u32 n;

	h->far_key = c->n;
	for (n = 1; n <= KT_CODE_PROBES; n++) {
		put_compare_at(c, ENTRY, 0, 8, 0);
		put_branch(c, IF_EQUAL, h->undo);
		put_add_number(c, NUMBER, n);
		look_at_entry(h);
		put_branch(c, IF_EQUAL, h->same_key);
	}
	put_jump(c, h->undo);
}

/* Bucket 0 is for negative values; without a sign, such a value is one of the largest. */
static void count_large(struct hit *h)
{
	h->large = h->c.n;
	put_small(&h->c, TAG, plan_of(h)->is_signed ? -1 : 64);
	put_jump(&h->c, h->counted);
}

bool kt_code_table_rare(struct hit *h)
{
	if (!draft_bytes(h))
		return true;
	h->record.give_up = h->c.n;
	if (h->needs & NEEDS_LOADS)
		kt_emit_end_loads(h);
	h->undo = h->c.n;
	kt_emit_undo_draft(h);
	if (plan_of(h)->key_words)
		probe_further(h);
	if (plan_of(h)->kind == KT_AGG_HIST)
		count_large(h);
	return true;
}
