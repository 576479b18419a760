// SPDX-License-Identifier: GPL-2.0-only
/*
 * generate_table.c - machine code for hits of direct jumps that count in a table (COUNT, SUM, HIST ...).  See generate_direct.c.
 *
 * The code does what kmod/hit/aggregate_hit.c and core/aggregate.h do in the usual case: the key is in the table, at its home
 * or one of the next KT_CODE_PROBES places, and all values can be read.  Before it changes anything it leaves any other hit to
 * the C path.  The program emits the key and the value to the stack, not to a draft of the CPU, which belongs to a hit that is
 * counted in kt_cpu.nest.  Registers behind the program:
 *	rax	the number of the entry
 *	rcx	its tag; then scratch
 *	rdx	the entry; then the values
 *	rdi	the table
 *	rsi	scratch
 */
#include "code_hit.h"


#define IMUL_IMM	0x69
#define XOR_REGS	0x31
#define ADD_LOAD	0x03
#define ADC		0x11	/* adc reg, rm */
#define CMP_STORE	0x39	/* cmp reg, [...] */

static const struct kt_agg_table *plan_of(const struct hit *h)
{
	return &h->what->table->plan;
}

/* Bytes of the stack for the key and the value, which begins behind the key's last byte. */
static u32 draft_bytes(const struct hit *h)
{
	return 8 * (plan_of(h)->key_words + kt_hit_table_has_value(h->what->table));
}

/* imul $by, from, to */
static void multiply(struct code *c, u8 from, u8 to, u32 by)
{
	regs_op(c, IMUL_IMM, to, from);
	put_number(c, by, 4);
}

/* reg = a word of the key; the last one may have only four bytes */
static void load_key(struct hit *h, u8 reg, u32 word)
{
	memory_op(&h->c, 8 * (word + 1) <= h->what->table->key_bytes, MOV_LOAD, reg, SP, 8 * word);
}

/* rcx = the tag of the key, rax = its home: kt_agg_tag() */
static void put_tag(struct hit *h)
{
	struct code *c = &h->c;
	u32 word;

	load_key(h, CX, 0);
	put_long(c, DI, KT_AGG_HASH);
	for (word = 0; word < plan_of(h)->key_words; word++) {
		if (word) {
			load_key(h, AX, word);
			regs_op(c, XOR_REGS, AX, CX);
		}
		put_number(c, 0xcfaf0f48, 4);		/* imul %rdi, %rcx */
		move(c, CX, AX);
		regs_op(c, SHIFT_IMM, 5, AX);
		put8(c, 32);
		regs_op(c, XOR_REGS, AX, CX);
	}
	put_number(c, 0xc98348, 3);			/* or $KT_AGG_READY, %rcx */
	put8(c, KT_AGG_READY);
}

/* rdx = the entry, and compare its tag. */
static void look_at_entry(struct hit *h)
{
	struct code *c = &h->c;

	put_number(c, 0xe081, 2);			/* and $mask, %eax */
	put_number(c, plan_of(h)->mask, 4);
	multiply(c, AX, DX, 8 * (1 + plan_of(h)->key_words));
	memory_op(c, true, ADD_LOAD, DX, DI, h->what->table->slots);
	memory_op(c, true, CMP_STORE, CX, DX, 0);
}

static void put_table(struct hit *h, u8 reg)
{
	put_long(&h->c, reg, (unsigned long)h->what->table->at);
	memory_op(&h->c, true, MOV_LOAD, reg, reg, 0);
}

/* As kt_agg_find().  The CPU keeps the order of loads, so a final tag comes with its key. */
static void find_entry(struct hit *h)
{
	struct code *c = &h->c;
	u32 word;

	put_tag(h);
	put_table(h, DI);
	look_at_entry(h);
	jump_if(c, JNE, c->at + h->far_key);
	h->same_key = c->n;
	for (word = 0; word < plan_of(h)->key_words; word++) {
		load_key(h, SI, word);
		memory_op(c, true, CMP_STORE, SI, DX, 8 * (word + 1));
		jump_if(c, JNE, c->at + h->undo);
	}
}

/* reg = the values of this CPU, of the table in `from` */
static void put_values(struct hit *h, u8 from, u8 reg)
{
	memory_op(&h->c, true, MOV_LOAD, reg, from, h->what->table->cpu);
	percpu_at(&h->c, true, MOV_LOAD, reg, reg, h->what->table->values);
}

/* The words of the entry are at rdx; rsi = the value: as kt_agg_bucket().  2 * value + 1 is not 0, so bsr has a result. */
static void add_to_histogram(struct hit *h)
{
	struct code *c = &h->c;

	regs_op(c, TEST, SI, SI);
	jump_if(c, JS, c->at + h->large);
	put_number(c, 0x0136748d48, 5);			/* lea 1(%rsi,%rsi), %rsi */
	put_number(c, 0xcebd0f48, 4);			/* bsr %rsi, %rcx */
	h->counted = c->n;
	put_number(c, 0x08ca44ff48, 5);			/* incq 8(%rdx,%rcx,8) */
}

/* As kt_agg_add_value() and add_sum(): whoever interrupts between the additions keeps the carry flag. */
static void add_to_sum(struct hit *h)
{
	struct code *c = &h->c;

	memory_op(c, true, INC_DEC, 0, DX, 8 * KT_AGG_BEGUN);
	if (plan_of(h)->is_signed) {
		move(c, SI, CX);
		regs_op(c, SHIFT_IMM, 7, CX);
		put8(c, 63);
	} else {
		put_number(c, 0xc931, 2);		/* xor %ecx, %ecx */
	}
	memory_op(c, true, ADD, SI, DX, 8 * KT_AGG_LOW);
	memory_op(c, true, ADC, CX, DX, 8 * KT_AGG_HIGH);
	memory_op(c, true, INC_DEC, 0, DX, 8 * KT_AGG_DONE);
}

/* As kt_agg_add(). */
static void add_value(struct hit *h)
{
	struct code *c = &h->c;

	put_values(h, DI, DX);
	if (plan_of(h)->key_words) {
		multiply(c, AX, AX, 8 * plan_of(h)->value_words);
		regs_op(c, ADD, AX, DX);
	}
	if (!kt_hit_table_has_value(h->what->table))
		return memory_op(c, true, INC_DEC, 0, DX, 0);
	memory_op(c, true, MOV_LOAD, SI, SP, h->what->table->key_bytes);
	if (plan_of(h)->kind == KT_AGG_HIST)
		add_to_histogram(h);
	else
		add_to_sum(h);
}

/* kt_agg_add() to the only entry of a table that counts: rax is enough. */
static void count_only(struct hit *h)
{
	put_number(&h->c, 0xa148, 2);			/* mov at, %rax */
	put_number(&h->c, (unsigned long)h->what->table->at, 8);
	put_values(h, AX, AX);
	memory_op(&h->c, true, INC_DEC, 0, AX, 0);
}

static void leave_draft(struct hit *h, u32 saved)
{
	memory_op(&h->c, true, LEA, SP, SP, draft_bytes(h));
	kt_x86_pop_saved(&h->c, saved);
}

/* Registers are saved as the pass before this one has found necessary (c->saved). */
static bool count_value(struct hit *h)
{
	struct code *c = &h->c;
	const u32 saved = c->saved;
	bool good;

	if (!h->closing)
		kt_x86_push_fixed(c);
	kt_x86_push_saved(c, saved);
	memory_op(c, true, LEA, SP, SP, -(s32)draft_bytes(h));
	kt_x86_note_stacked(c, saved, draft_bytes(h) / 8, h->closing ? KT_X86_CLOSING : 0);
	if (h->needs & NEEDS_TASK)
		percpu_op(c, true, MOV_LOAD, c->task, h->at.current_task);
	c->saved = c->nr_chains = 0;
	if (h->needs & NEEDS_INTERPRETER)
		kt_x86_begin_loads(h);
	good = kt_x86_payload(c, 0);
	if (h->needs & NEEDS_INTERPRETER)
		kt_x86_end_loads(h);
	if (plan_of(h)->key_words)
		find_entry(h);
	else
		put_table(h, DI);
	if (h->closing)
		kt_x86_closing_end(h);
	add_value(h);
	leave_draft(h, saved);
	if (h->closing)
		kt_x86_closing_leave(h);
	kt_x86_pop_fixed(c);
	h->saved = saved;
	return good;
}

bool kt_x86_count(struct hit *h)
{
	bool good = true;

	if (draft_bytes(h))
		good = count_value(h);
	else
		count_only(h);
	kt_x86_put_ctl(h);
	memory_op(&h->c, true, INC_DEC, 0, AX, offsetof(struct kt_ring_ctl, measured));
	kt_x86_put_counts(h);
	percpu_at(&h->c, true, INC_DEC, 0, AX, 0);
	return good;
}

/* Triangular probing, as kt_agg_find() does.  An entry that is free is claimed by the C path. */
static void probe_further(struct hit *h)
{
	struct code *c = &h->c;
	u32 n;

	h->far_key = c->n;
	for (n = 1; n <= KT_CODE_PROBES; n++) {
		memory_op(c, true, CMP_IMM8, 7, DX, 0);
		put8(c, 0);
		jump_if(c, JE, c->at + h->undo);
		put_number(c, 0xc083, 2);		/* add $n, %eax */
		put8(c, n);
		look_at_entry(h);
		jump_if(c, JE, c->at + h->same_key);
	}
	jump_to(c, c->at + h->undo);
}

/* Bucket 0 is for negative values; without a sign, such a value is one of the largest. */
static void count_large(struct hit *h)
{
	struct code *c = &h->c;

	h->large = c->n;
	regs_op(c, MOV_IMM, 0, CX);
	put_number(c, plan_of(h)->is_signed ? -1 : 64, 4);
	jump_to(c, c->at + h->counted);
}

void kt_x86_count_rare(struct hit *h)
{
	struct code *c = &h->c;

	if (!draft_bytes(h))
		return;
	c->give_up = c->n;
	kt_x86_end_loads(h);
	h->undo = c->n;
	leave_draft(h, h->saved);
	if (h->closing)
		memory_op(c, true, LEA, SP, SP, 8 * KT_X86_CLOSING);
	kt_x86_pop_fixed(c);
	jump_to(c, c->at + h->slow);
	if (plan_of(h)->key_words)
		probe_further(h);
	if (plan_of(h)->kind == KT_AGG_HIST)
		count_large(h);
}
