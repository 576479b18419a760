// SPDX-License-Identifier: GPL-2.0-or-later
/* compile_filter.c - compile the filters: IF, and the ONLY... and NOT... options.  See compile.h. */
#include "ctl/ask/lang/compile_int.h"

#include <stdlib.h>

#include "ctl/base/memory.h"

bool compile_if(struct compiler *c, const struct expr *e, struct error *err)
{
	if (e->kind != EXPR_NUMBER)
		return code_filter(&c->filter, c->arch, e, err);
	return error_set(err, STATUS_USAGE, "IF: this is always %s: leave it out",
			 e->value ? "true" : "false, and nothing would ever be recorded");
}

void compile_only(struct compiler *c, enum compile_only kind, bool is_not, const uint64_t value[2])
{
	c->onlies = MEM_MORE(c->onlies, c->nr_onlies);
	c->onlies[c->nr_onlies++] = (struct only){ kind, is_not, { value[0], value[1] } };
}

/* Skip n instructions if register 0 has this value (KT_CMP_EQ), or another one (KT_CMP_NE). */
static void put_skip(struct code *code, enum kt_cmp how, uint64_t value, uint8_t n)
{
	if (code_fits(value)) {
		code_put(code, (struct kt_insn){ .op = KT_OP_CMPI, .src = n, .aux = how, .imm = (int32_t)value });
		return;
	}
	code_put_const(code, 1, value);
	code_put(code, (struct kt_insn){ .op = KT_OP_CMP, .src = 1, .aux = how, .imm = n });
}

static void put_skip_equal(struct code *code, uint64_t value, uint8_t n)
{
	put_skip(code, KT_CMP_EQ, value, n);
}

static void put_current(struct code *code, enum kt_cur property)
{
	code_put(code, (struct kt_insn){ .op = KT_OP_CUR, .imm = property });
}

/*
 * Load the property; compare it with each value.  A match jumps behind the KT_OP_DROP: put_drop() sets the
 * distances.
 */
static void put_any(struct compiler *c, enum compile_only kind, enum kt_cur property)
{
	put_current(&c->filter, property);
	for (size_t i = 0; i < c->nr_onlies; i++)
		if (c->onlies[i].kind == kind && !c->onlies[i].is_not)
			put_skip_equal(&c->filter, c->onlies[i].value[0], 0);
}

/* Compare half of the name.  Both sides have zeros behind the end of the name. */
static void put_half(struct code *code, enum kt_cur half, uint64_t value)
{
	put_current(code, half);
	put_skip_equal(code, value, 1);
}

static void put_comm(struct compiler *c)
{
	for (size_t i = 0; i < c->nr_onlies; i++) {
		if (c->onlies[i].kind != ONLY_COMM || c->onlies[i].is_not)
			continue;
		put_half(&c->filter, KT_CUR_COMM_LOW, c->onlies[i].value[0]);
		/* The first half differs: try the next name. */
		code_put(&c->filter, (struct kt_insn){ .op = KT_OP_CMP, .aux = KT_CMP_ALWAYS,
						       .imm = code_fits(c->onlies[i].value[1]) ? 2 : 4 });
		put_current(&c->filter, KT_CUR_COMM_HIGH);
		put_skip_equal(&c->filter, c->onlies[i].value[1], 0);
	}
}

static bool is_open(const struct kt_insn *insn)
{
	return (insn->op == KT_OP_CMPI && !insn->src) ||
	       (insn->op == KT_OP_CMP && insn->aux != KT_CMP_ALWAYS && !insn->imm);
}

/* Add KT_OP_DROP, and let the open jumps since `from` lead behind it. */
static bool put_drop(struct compiler *c, size_t from, struct error *err)
{
	struct code *code = &c->filter;

	for (size_t i = from; i < code->n; i++) {
		struct kt_insn *insn = &code->v[i];

		if (!is_open(insn))
			continue;
		if (code->n - i > UINT8_MAX)
			return error_set(err, STATUS_USAGE, "too many filters for one tracepoint: leave some out");
		if (insn->op == KT_OP_CMPI)
			insn->src = code->n - i;
		else
			insn->imm = code->n - i;
	}
	code_put(code, (struct kt_insn){ .op = KT_OP_DROP });
	return true;
}

static bool has_only(const struct compiler *c, enum compile_only kind)
{
	for (size_t i = 0; i < c->nr_onlies; i++)
		if (c->onlies[i].kind == kind && !c->onlies[i].is_not)
			return true;
	return false;
}

static const enum kt_cur properties[NR_ONLIES] = {
	[ONLY_PID] = KT_CUR_PID, [ONLY_TGID] = KT_CUR_TGID, [ONLY_PGRP] = KT_CUR_PGRP,
	[ONLY_UID] = KT_CUR_UID, [ONLY_GID] = KT_CUR_GID, [ONLY_CPU] = KT_CUR_CPU,
};

/* A term of its own for each value: the interpreter has a fast path for such. */
static void put_not(struct code *code, enum kt_cur property, uint64_t value)
{
	put_current(code, property);
	put_skip(code, KT_CMP_NE, value, 1);
	code_put(code, (struct kt_insn){ .op = KT_OP_DROP });
}

/* The number of instructions of put_not(). */
static uint8_t length_of_not(uint64_t value)
{
	struct code code = { 0 };

	put_not(&code, KT_CUR_COMM_HIGH, value);
	free(code.v);
	return code.n;
}

static void put_not_comm(struct code *code, const uint64_t name[2])
{
	put_current(code, KT_CUR_COMM_LOW);
	put_skip(code, KT_CMP_NE, name[0], length_of_not(name[1]));
	put_not(code, KT_CUR_COMM_HIGH, name[1]);
}

static void put_nots(struct compiler *c)
{
	for (size_t i = 0; i < c->nr_onlies; i++) {
		const struct only *only = &c->onlies[i];

		if (!only->is_not)
			continue;
		if (only->kind == ONLY_COMM)
			put_not_comm(&c->filter, only->value);
		else
			put_not(&c->filter, properties[only->kind], only->value[0]);
		if (only->kind == ONLY_PID)
			put_not(&c->filter, KT_CUR_TGID, only->value[0]);
	}
}

bool compile_onlies(struct compiler *c, struct error *err)
{
	for (enum compile_only kind = 0; kind < NR_ONLIES; kind++) {
		size_t from = c->filter.n;

		if (!has_only(c, kind))
			continue;
		if (kind == ONLY_COMM)
			put_comm(c);
		else
			put_any(c, kind, properties[kind]);
		/* The id of the thread or of its process. */
		if (kind == ONLY_PID)
			put_any(c, kind, KT_CUR_TGID);
		if (!put_drop(c, from, err))
			return false;
	}
	put_nots(c);
	return true;
}
