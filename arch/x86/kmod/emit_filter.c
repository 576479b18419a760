// SPDX-License-Identifier: GPL-2.0-only
/*
 * emit_filter.c - the filter of a direct jump, before the code saves any register.
 *
 * A filter of the form that kt_capture_wants() handles at once has code: each term compares a register of the hit, or a property of
 * the task, with constants, and jumps lead to the begin of a term or to the end.
 */
#include "emit_x86.h"

#define AX_AT	8	/* from the stack pointer to the rax of the hit */

struct term {	/* where its value is */
	bool begun;
	u8 reg;		/* still in this register of the hit; NO_REG: in rax */
};

static bool begin_term(struct hit *h, const struct kt_insn *in, struct term *term)
{
	struct code *c = &h->c;
	const bool is_reg = in->op == KT_OP_REG;

	*term = (struct term){ .begun = true, .reg = is_reg ? machine_at(in->imm) : NO_REG };
	if (in->dst || (is_reg ? term->reg == NO_REG : in->imm < 0))
		return false;
	if (!is_reg) {
		kt_emit_task(h, AX);
		put_load(c, AX, AX, in->imm, 4);
	} else if (term->reg == SP) {
		put_sum(c, AX, SP, KT_X86_SP_AT);
		term->reg = NO_REG;
	}
	return true;
}

static void put_comparison(struct code *c, const struct term *term, s32 with)
{
	if (term->reg == AX)
		memory_op(c, true, GROUP_IMM, 7, SP, AX_AT);
	else
		regs_op(c, GROUP_IMM, 7, term->reg == NO_REG ? AX : term->reg);
	put_bytes(c, with, 4);
}

static bool leads_to_term(const struct kt_hit_code *what, u32 at)
{
	return at < what->filter_len &&
	       (what->filter[at].op == KT_OP_REG || what->filter[at].op == KT_OP_CUR || what->filter[at].op == KT_OP_END);
}

/* Follow a pointer.  Its value is in rax. */
static bool load_term(struct hit *h, const struct kt_insn *in, struct term *term)
{
	struct code *c = &h->c;

	if (!term->begun || in->dst || in->src)
		return false;
	if (term->reg == AX)
		put_load(c, AX, SP, AX_AT, 8);
	kt_code_load(c, term->reg == NO_REG ? AX : term->reg, in->imm, in->aux);
	term->reg = NO_REG;
	return true;
}

/* Compare, and jump.  Over a KT_OP_DROP: jump to the drop in the opposite case.  False: there is no code. */
static bool compare_term(struct hit *h, u32 *at, const struct term *term)
{
	const struct kt_insn *in = &h->what->filter[*at];
	const u32 target = *at + 1 + in->src;
	struct code *c = &h->c;
	u8 condition;

	if (!term->begun || in->dst || in->aux >= KT_NR_CMPS || in->aux == KT_CMP_ALWAYS || !leads_to_term(h->what, target))
		return false;
	condition = kt_code_conditions[in->aux];
	put_comparison(c, term, in->imm);
	if (in->src == 1 && in[1].op == KT_OP_DROP) {
		put_branch(c, condition ^ 1, h->filter.drop);
		++*at;
	} else {
		put_branch(c, condition, h->filter.labels[target].start);
	}
	return true;
}

bool kt_emit_filter(struct hit *h)
{
	const struct kt_insn *in = h->what->filter;
	struct term term = { .begun = false };
	bool good = true;
	u32 at;

	h->c.part = &h->filter;
	if (h->filter_needs & NEEDS_LOADS)
		kt_emit_begin_loads(h);
	for (at = 0; good && at < h->what->filter_len; at++) {
		h->filter.labels[at].start = h->c.n;
		if (in[at].op == KT_OP_REG || in[at].op == KT_OP_CUR)
			good = begin_term(h, &in[at], &term);
		else if (in[at].op == KT_OP_CMPI)
			good = compare_term(h, &at, &term);
		else if (in[at].op == KT_OP_LOAD)
			good = load_term(h, &in[at], &term);
		else if (in[at].op == KT_OP_DROP)
			put_jump(&h->c, h->filter.drop);
		else
			good = in[at].op == KT_OP_END && at + 1 == h->what->filter_len;
	}
	if (h->filter_needs & NEEDS_LOADS)
		kt_emit_end_loads(h);
	return good;
}
