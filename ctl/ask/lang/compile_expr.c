// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compile_expr.c - compile expressions to capture instructions.
 *
 * A value is computed in register r with the help of the registers above r.  Narrower types are extended to all
 * 64 bits.  A condition becomes jumps: it jumps if the condition is true, and falls through if it is false or
 * unreadable.
 */
#include "ctl/ask/lang/compile_int.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

struct gen {
	struct code *code;
	const struct arch_ops *arch;
	struct error *err;
};

/* Jumps to a place that is not compiled yet. */
struct label {
	size_t *from;
	size_t n;
};

static bool gen_value(struct gen *g, const struct expr *e, uint8_t r);
static bool gen_condition(struct gen *g, const struct expr *e, bool negated, struct label *to);

static bool too_complicated(struct gen *g)
{
	return error_set(g->err, STATUS_USAGE,
			 "the expression is too complex: split it");
}

static enum kt_size size_of(struct expr_type type)
{
	static const enum kt_size sizes[2][9] = {
		{ [1] = KT_SIZE_U8, [2] = KT_SIZE_U16, [4] = KT_SIZE_U32, [8] = KT_SIZE_U64 },
		{ [1] = KT_SIZE_S8, [2] = KT_SIZE_S16, [4] = KT_SIZE_S32, [8] = KT_SIZE_U64 },
	};

	return sizes[expr_is_signed(type)][expr_bytes(type)];
}

static void put_extend(struct code *code, uint8_t r, struct expr_type type)
{
	code_put(code, (struct kt_insn){ .op = KT_OP_EXT, .dst = r, .aux = size_of(type) });
}

/* --------------------------------------------------------------- addresses */

static bool is_word(struct expr_type type)
{
	return expr_bytes(type) == 8;
}

/* The base of a pointer computation; the constants added to it go to *displacement. */
static const struct expr *peel(const struct expr *e, int32_t *displacement)
{
	uint64_t sum = 0, step;

	for (;;) {
		if (e->kind == EXPR_CAST && is_word(e->type) && is_word(e->a->type)) {
			e = e->a;
			continue;
		}
		if (e->kind == EXPR_ADDRESS && e->a->kind == EXPR_LOAD) {
			e = e->a->a;
			continue;
		}
		if (e->kind != EXPR_BINARY || (e->op != OP_ADD && e->op != OP_SUB) ||
		    !is_word(e->type) || e->b->kind != EXPR_NUMBER)
			break;
		step = e->op == OP_ADD ? e->b->value : -e->b->value;
		if (!code_fits(sum + step))
			break;
		sum += step;
		e = e->a;
	}
	*displacement = (int32_t)sum;
	return e;
}

static bool gen_load(struct gen *g, const struct expr *e, uint8_t r)
{
	int32_t displacement;
	const struct expr *base = peel(e->a, &displacement);

	if (!gen_value(g, base, r))
		return false;
	code_put(g->code, (struct kt_insn){ .op = KT_OP_LOAD, .dst = r, .src = r,
					    .aux = size_of(e->type), .imm = displacement });
	return true;
}

static bool gen_address(struct gen *g, const struct expr *e, uint8_t r)
{
	const struct expr *a = e->a;

	if (a->kind == EXPR_LOAD)
		return gen_value(g, a->a, r);
	code_put_const(g->code, r, a->value);
	if (a->kind != EXPR_THIS_CPU)
		return true;
	if (r + 1 >= KT_NR_REGS)
		return too_complicated(g);
	code_put(g->code, (struct kt_insn){ .op = KT_OP_CUR, .dst = r + 1, .imm = KT_CUR_PERCPU });
	code_put(g->code, (struct kt_insn){ .op = KT_OP_ALU, .dst = r, .src = r + 1,
					    .aux = KT_ALU_ADD });
	return true;
}

/* --------------------------------------------------------------- operators */

static uint8_t alu_of(enum expr_op op, bool is_signed)
{
	static const uint8_t alus[2][OP_MOD + 1] = {
		{ [OP_OR] = KT_ALU_OR, [OP_XOR] = KT_ALU_XOR, [OP_AND] = KT_ALU_AND,
		  [OP_SHL] = KT_ALU_SHL, [OP_SHR] = KT_ALU_SHR, [OP_ADD] = KT_ALU_ADD,
		  [OP_SUB] = KT_ALU_SUB, [OP_MUL] = KT_ALU_MUL, [OP_DIV] = KT_ALU_DIV,
		  [OP_MOD] = KT_ALU_MOD },
		{ [OP_OR] = KT_ALU_OR, [OP_XOR] = KT_ALU_XOR, [OP_AND] = KT_ALU_AND,
		  [OP_SHL] = KT_ALU_SHL, [OP_SHR] = KT_ALU_SAR, [OP_ADD] = KT_ALU_ADD,
		  [OP_SUB] = KT_ALU_SUB, [OP_MUL] = KT_ALU_MUL, [OP_DIV] = KT_ALU_SDIV,
		  [OP_MOD] = KT_ALU_SMOD },
	};

	return alus[is_signed][op];
}

static uint8_t cmp_of(enum expr_op op, bool is_signed)
{
	static const uint8_t cmps[2][OP_GT + 1] = {
		{ [OP_EQ] = KT_CMP_EQ, [OP_NE] = KT_CMP_NE, [OP_LT] = KT_CMP_LT,
		  [OP_LE] = KT_CMP_LE, [OP_GT] = KT_CMP_GT, [OP_GE] = KT_CMP_GE },
		{ [OP_EQ] = KT_CMP_EQ, [OP_NE] = KT_CMP_NE, [OP_LT] = KT_CMP_SLT,
		  [OP_LE] = KT_CMP_SLE, [OP_GT] = KT_CMP_SGT, [OP_GE] = KT_CMP_SGE },
	};

	return cmps[is_signed][op];
}

static enum expr_op opposite(enum expr_op op)
{
	static const enum expr_op opposites[OP_GT + 1] = {
		[OP_EQ] = OP_NE, [OP_NE] = OP_EQ, [OP_LT] = OP_GE,
		[OP_GE] = OP_LT, [OP_GT] = OP_LE, [OP_LE] = OP_GT,
	};

	return opposites[op];
}

/* Both operands: a in r, and b in r + 1 or as a constant in the instruction. */
static bool gen_sides(struct gen *g, const struct expr *e, uint8_t r, bool *constant)
{
	*constant = e->b->kind == EXPR_NUMBER && code_fits(e->b->value);
	if (!gen_value(g, e->a, r))
		return false;
	return *constant || gen_value(g, e->b, r + 1);
}

/* Can the result exceed the range of its type? */
static bool overflows(enum expr_op op)
{
	return op == OP_ADD || op == OP_SUB || op == OP_MUL || op == OP_SHL || op == OP_DIV;
}

static bool gen_arithmetic(struct gen *g, const struct expr *e, uint8_t r)
{
	const uint8_t alu = alu_of(e->op, expr_is_signed(e->type));
	bool constant;

	if (!gen_sides(g, e, r, &constant))
		return false;
	if (constant)
		code_put(g->code, (struct kt_insn){ .op = KT_OP_ALUI, .dst = r, .aux = alu,
						    .imm = (int32_t)e->b->value });
	else
		code_put(g->code, (struct kt_insn){ .op = KT_OP_ALU, .dst = r, .src = r + 1,
						    .aux = alu });
	if (expr_bytes(e->type) < 8 && overflows(e->op))
		put_extend(g->code, r, e->type);
	return true;
}

static void put_set(struct gen *g, uint8_t r, uint8_t cmp)
{
	code_put(g->code, (struct kt_insn){ .op = KT_OP_SET, .dst = r, .src = r + 1, .aux = cmp });
}

static bool gen_comparison(struct gen *g, const struct expr *e, uint8_t r)
{
	if (!gen_value(g, e->a, r) || !gen_value(g, e->b, r + 1))
		return false;
	put_set(g, r, cmp_of(e->op, expr_is_signed(e->a->type)));
	return true;
}

/* Set r to 1 or 0: compare e with 0. */
static bool gen_truth(struct gen *g, const struct expr *e, uint8_t r, uint8_t cmp)
{
	if (!gen_value(g, e, r))
		return false;
	if (r + 1 >= KT_NR_REGS)
		return too_complicated(g);
	code_put_const(g->code, r + 1, 0);
	put_set(g, r, cmp);
	return true;
}

/* a && b: evaluate b only if a is true, because a may guard a load in b. */
static bool gen_logical(struct gen *g, const struct expr *e, uint8_t r)
{
	const bool both = e->op == OP_LAND;
	size_t jump;

	if (!gen_truth(g, e->a, r, KT_CMP_NE))
		return false;
	jump = g->code->n;
	code_put(g->code, (struct kt_insn){ .op = KT_OP_CMPI, .dst = r, .aux = KT_CMP_EQ,
					    .imm = !both });
	if (!gen_truth(g, e->b, r + 1, KT_CMP_NE))
		return false;
	code_put(g->code, (struct kt_insn){ .op = KT_OP_ALU, .dst = r, .src = r + 1,
					    .aux = both ? KT_ALU_AND : KT_ALU_OR });
	g->code->v[jump].src = g->code->n - jump - 1;
	return g->code->n - jump <= UINT8_MAX || too_complicated(g);
}

static bool gen_binary(struct gen *g, const struct expr *e, uint8_t r)
{
	if (e->op == OP_LAND || e->op == OP_LOR)
		return gen_logical(g, e, r);
	return expr_is_comparison(e->op) ? gen_comparison(g, e, r) : gen_arithmetic(g, e, r);
}

static bool gen_unary(struct gen *g, const struct expr *e, uint8_t r)
{
	if (e->op == OP_NOT)
		return gen_truth(g, e->a, r, KT_CMP_EQ);
	if (!gen_value(g, e->a, r))
		return false;
	/* -a is ~a + 1 */
	code_put(g->code, (struct kt_insn){ .op = KT_OP_ALUI, .dst = r, .aux = KT_ALU_XOR,
					    .imm = -1 });
	if (e->op == OP_MINUS)
		code_put(g->code, (struct kt_insn){ .op = KT_OP_ADDI, .dst = r, .imm = 1 });
	if (expr_bytes(e->type) < 8)
		put_extend(g->code, r, e->type);
	return true;
}

/* Is every value of type `from` extended in the same way for type `to`? */
static bool is_kept(struct expr_type from, struct expr_type to)
{
	if (expr_bytes(to) == 8)
		return true;
	if (expr_bytes(to) == expr_bytes(from))
		return expr_is_signed(to) == expr_is_signed(from);
	return expr_bytes(to) > expr_bytes(from) && (!expr_is_signed(from) || expr_is_signed(to));
}

static bool gen_cast(struct gen *g, const struct expr *e, uint8_t r)
{
	if (!gen_value(g, e->a, r))
		return false;
	if (!is_kept(e->a->type, e->type))
		put_extend(g->code, r, e->type);
	return true;
}

/* Jump if register r, which is 0 or 1, has this value.  The distance is set later. */
static size_t put_jump(struct gen *g, uint8_t r, bool value)
{
	code_put(g->code, (struct kt_insn){ .op = KT_OP_CMPI, .dst = r, .aux = KT_CMP_EQ, .imm = value });
	return g->code->n - 1;
}

static size_t put_jump_always(struct gen *g)
{
	code_put(g->code, (struct kt_insn){ .op = KT_OP_CMP, .aux = KT_CMP_ALWAYS });
	return g->code->n - 1;
}

/* An unreadable condition matches neither jump: r stays unreadable. */
static bool gen_choice(struct gen *g, const struct expr *e, uint8_t r)
{
	size_t yes, no, neither, end;

	if (!gen_truth(g, e->a, r, KT_CMP_NE))
		return false;
	yes = put_jump(g, r, true);
	no = put_jump(g, r, false);
	neither = put_jump_always(g);
	g->code->v[yes].src = g->code->n - yes - 1;
	if (!gen_value(g, e->b->a, r))
		return false;
	end = put_jump_always(g);
	if (g->code->n - no - 1 > UINT8_MAX)
		return too_complicated(g);
	g->code->v[no].src = g->code->n - no - 1;
	if (!gen_value(g, e->b->b, r))
		return false;
	g->code->v[neither].imm = g->code->n - neither - 1;
	g->code->v[end].imm = g->code->n - end - 1;
	return true;
}

/* A 0 ends a pattern that does not fill its last word. */
static bool gen_match(struct gen *g, const struct expr *e, uint8_t r)
{
	const size_t len = strlen(e->name), words = len ? (len + 3) / 4 : 1;

	if (!gen_value(g, e->a, r))
		return false;
	code_put(g->code, (struct kt_insn){ .op = KT_OP_MATCH, .dst = r, .src = r, .aux = words | e->match,
					    .imm = (int32_t)e->value });
	for (size_t i = 0; i < words; i++) {
		uint32_t word = 0;

		for (size_t at = 4 * i; at < len && at < 4 * i + 4; at++)
			word |= (uint32_t)(unsigned char)e->name[at] << 8 * (at % 4);
		code_put(g->code, (struct kt_insn){ .op = KT_OP_PATTERN, .imm = (int32_t)word });
	}
	return true;
}

static bool gen_value(struct gen *g, const struct expr *e, uint8_t r)
{
	if (r >= KT_NR_REGS)
		return too_complicated(g);
	switch (e->kind) {
	case EXPR_NUMBER:
		code_put_const(g->code, r, e->value);
		return true;
	case EXPR_REG:
		code_put_reg(g->code, g->arch, e->reg, r);
		return true;
	case EXPR_CUR:
		code_put(g->code, (struct kt_insn){ .op = KT_OP_CUR, .dst = r, .imm = e->cur });
		/* The interpreter reads words of the task without sign extension. */
		if (expr_is_signed(e->type))
			put_extend(g->code, r, e->type);
		return true;
	case EXPR_SYSARG:
		code_put(g->code, (struct kt_insn){ .op = KT_OP_ARG, .dst = r, .imm = (int32_t)e->value });
		return true;
	case EXPR_ELAPSED:
		code_put(g->code, (struct kt_insn){ .op = KT_OP_ELAPSED, .dst = r });
		return true;
	case EXPR_UNARY:	return gen_unary(g, e, r);
	case EXPR_BINARY:	return gen_binary(g, e, r);
	case EXPR_CAST:		return gen_cast(g, e, r);
	case EXPR_CHOICE:	return gen_choice(g, e, r);
	case EXPR_MATCH:	return gen_match(g, e, r);
	case EXPR_LOAD:		return gen_load(g, e, r);
	default:		return gen_address(g, e, r);
	}
}

/* -------------------------------------------------------------- conditions */

static void label_jump(struct gen *g, struct label *to, struct kt_insn insn)
{
	to->from = MEM_MORE(to->from, to->n);
	to->from[to->n++] = g->code->n;
	code_put(g->code, insn);
}

/* Patch all jumps to the label to lead here. */
static bool label_here(struct gen *g, struct label *label)
{
	bool ok = true;

	for (size_t i = 0; i < label->n; i++) {
		struct kt_insn *jump = &g->code->v[label->from[i]];
		size_t skip = g->code->n - label->from[i] - 1;

		if (jump->op == KT_OP_CMP)
			jump->imm = skip;
		else
			jump->src = skip;
		ok &= skip <= UINT8_MAX;
	}
	free(label->from);
	*label = (struct label){ 0 };
	return ok || too_complicated(g);
}

static bool gen_test(struct gen *g, const struct expr *e, bool negated, struct label *to)
{
	const enum expr_op op = negated ? opposite(e->op) : e->op;
	const uint8_t cmp = cmp_of(op, expr_is_signed(e->a->type));
	bool constant;

	if (!gen_sides(g, e, 0, &constant))
		return false;
	if (constant)
		label_jump(g, to, (struct kt_insn){ .op = KT_OP_CMPI, .aux = cmp,
						    .imm = (int32_t)e->b->value });
	else
		label_jump(g, to, (struct kt_insn){ .op = KT_OP_CMP, .src = 1, .aux = cmp });
	return true;
}

/* a && b: test b only if a is true. */
static bool gen_both(struct gen *g, const struct expr *e, bool negated, struct label *to)
{
	struct label first = { 0 }, neither = { 0 };
	bool ok = gen_condition(g, e->a, negated, &first);

	label_jump(g, &neither, (struct kt_insn){ .op = KT_OP_CMP, .aux = KT_CMP_ALWAYS });
	ok = label_here(g, &first) && ok;
	ok = ok && gen_condition(g, e->b, negated, to);
	return label_here(g, &neither) && ok;
}

static bool gen_condition(struct gen *g, const struct expr *e, bool negated, struct label *to)
{
	if (e->kind == EXPR_UNARY && e->op == OP_NOT)
		return gen_condition(g, e->a, !negated, to);
	if (e->kind == EXPR_BINARY && expr_is_comparison(e->op))
		return gen_test(g, e, negated, to);
	if (e->kind == EXPR_BINARY && (e->op == OP_LAND || e->op == OP_LOR)) {
		if ((e->op == OP_LAND) != negated)
			return gen_both(g, e, negated, to);
		return gen_condition(g, e->a, negated, to) && gen_condition(g, e->b, negated, to);
	}
	if (!gen_value(g, e, 0))
		return false;
	label_jump(g, to, (struct kt_insn){ .op = KT_OP_CMPI,
					    .aux = negated ? KT_CMP_EQ : KT_CMP_NE });
	return true;
}

/* For terms joined by &&, each term drops the hit itself: shorter than a jump. */
static bool gen_filter(struct gen *g, const struct expr *e)
{
	struct label record = { 0 };
	bool ok;

	if (e->kind == EXPR_BINARY && e->op == OP_LAND)
		return gen_filter(g, e->a) && gen_filter(g, e->b);
	ok = gen_condition(g, e, false, &record);
	code_put(g->code, (struct kt_insn){ .op = KT_OP_DROP });
	return label_here(g, &record) && ok;
}

bool code_filter(struct code *code, const struct arch_ops *arch, const struct expr *e,
		 struct error *err)
{
	struct gen g = { .code = code, .arch = arch, .err = err };

	return gen_filter(&g, e);
}

bool code_value(struct code *code, const struct arch_ops *arch, const struct expr *e,
		struct error *err)
{
	struct gen g = { .code = code, .arch = arch, .err = err };

	return gen_value(&g, e, 0);
}

bool code_values(struct code *code, const struct arch_ops *arch, const struct expr *a, const struct expr *b, struct error *err)
{
	struct gen g = { .code = code, .arch = arch, .err = err };

	return gen_value(&g, a, 0) && gen_value(&g, b, 1);
}

/* ------------------------------------------------------------------ chains */

/* The links of a chain from the last to the first, and its register.  Returns their number; 0: not a chain. */
static size_t links_of(const struct expr *e, int32_t links[KT_MAX_LINKS],
		       const struct arch_reg **reg)
{
	size_t n = 0;

	while (e->kind == EXPR_LOAD && n < KT_MAX_LINKS && (!n || is_word(e->type)))
		e = peel(e->a, &links[n++]);
	*reg = e->reg;
	return e->kind == EXPR_REG && e->reg->bytes == 8 ? n : 0;
}

bool code_chain(struct code *code, const struct arch_ops *arch, const struct expr *e)
{
	int32_t links[KT_MAX_LINKS];
	const struct arch_reg *reg;
	size_t n = links_of(e, links, &reg);

	if (!n || reg->dwarf == arch->dwarf_psr)
		return false;
	code_put(code, (struct kt_insn){ .op = KT_OP_EMITCHAIN, .src = n, .aux = size_of(e->type),
					 .imm = reg->dwarf });
	while (n--)
		code_put(code, (struct kt_insn){ .op = KT_OP_LINK, .imm = links[n] });
	return true;
}

/* Behind casts that keep the low bytes. */
static const struct expr *uncast(const struct expr *e, unsigned int bytes)
{
	while (e->kind == EXPR_CAST && expr_bytes(e->type) >= bytes)
		e = e->a;
	return e;
}

bool code_direct(struct code *code, const struct arch_ops *arch, const struct expr *e, unsigned int bytes)
{
	/* A narrower value is extended first. */
	if (expr_bytes(e->type) != bytes)
		return false;
	e = uncast(e, bytes);
	if (e->kind == EXPR_SYSARG)
		code_put(code, (struct kt_insn){ .op = KT_OP_EMITARG, .aux = bytes, .imm = (int32_t)e->value });
	else if (e->kind == EXPR_REG && bytes == 8 && e->reg->bytes == 8 && e->reg->dwarf != arch->dwarf_psr)
		code_put(code, (struct kt_insn){ .op = KT_OP_EMITREG, .imm = e->reg->dwarf });
	else
		return false;
	return true;
}

bool expr_can_fault(const struct expr *e, bool in_call)
{
	if (!e)
		return false;
	if (e->kind == EXPR_ADDRESS && e->a->kind == EXPR_LOAD)
		return expr_can_fault(e->a->a, in_call);
	if (e->kind == EXPR_LOAD || e->kind == EXPR_MATCH || (e->kind == EXPR_SYSARG && !in_call) || e->kind == EXPR_ELAPSED ||
	    (e->kind == EXPR_BINARY && (e->op == OP_DIV || e->op == OP_MOD) &&
	     e->b->kind != EXPR_NUMBER))
		return true;
	return expr_can_fault(e->a, in_call) || expr_can_fault(e->b, in_call);
}
