// SPDX-License-Identifier: GPL-2.0-or-later
/* location.c - convert DWARF expressions (DWARF 5, section 2.5) to steps.  See location.h. */
#include "symbols/index/location.h"

#include <libdwarf/dwarf.h>
#include <stdarg.h>
#include <stdio.h>


#define STACK	16

struct eval {
	const struct loc_context *context;
	struct cursor c;
	struct loc_value stack[STACK];
	size_t depth;
	struct location *out;
	struct loc_refusal *refusal;
	bool refused;
	unsigned int nested;		/* nesting of entry values and frame bases */

	/* Of the present piece. */
	enum loc_kind kind;
	uint16_t reg;
	const uint8_t *bytes;
	uint64_t len;
};

static void refuse(struct eval *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void refuse(struct eval *e, const char *fmt, ...)
{
	va_list args;

	if (e->refused)
		return;
	e->refused = true;
	va_start(args, fmt);
	vsnprintf(e->refusal->why, sizeof(e->refusal->why), fmt, args);
	va_end(args);
}

static const char *reg_name(const struct eval *e, uint64_t reg, char buf[16])
{
	const char *name = e->context->name && reg < 0xffff ? e->context->name(reg) : NULL;

	if (name)
		snprintf(buf, 16, "%%%s", name);
	else
		snprintf(buf, 16, "register %u", (unsigned int)(reg & 0xffff));
	return buf;
}

/* ------------------------------------------------------------------- stack */

static void push(struct eval *e, struct loc_value value)
{
	if (e->depth == STACK)
		refuse(e, "its expression is too deep");
	else
		e->stack[e->depth++] = value;
}

static struct loc_value pop(struct eval *e)
{
	if (e->depth)
		return e->stack[--e->depth];
	refuse(e, "its expression is damaged");
	return (struct loc_value){ 0 };
}

static bool is_constant(const struct loc_value *value)
{
	return !value->has_reg && !value->is_linked &&
	       (!value->nr || (value->nr == 1 && value->steps[0].op == LOC_ADD));
}

static int64_t constant_of(const struct loc_value *value)
{
	return value->nr ? value->steps[0].n : 0;
}

static struct loc_value make_reg(uint16_t reg, int64_t offset)
{
	return (struct loc_value){ .has_reg = true, .reg = reg, .steps = { { LOC_ADD, offset } },
				   .nr = offset ? 1 : 0 };
}

static int64_t fold(enum loc_op op, int64_t a, int64_t n)
{
	switch (op) {
	case LOC_ADD:
		return (uint64_t)a + n;
	case LOC_AND:
		return a & n;
	case LOC_OR:
		return a | n;
	case LOC_XOR:
		return a ^ n;
	case LOC_SHL:
		return (uint64_t)n > 63 ? 0 : (uint64_t)a << n;
	case LOC_SHR:
		return (uint64_t)n > 63 ? 0 : (uint64_t)a >> n;
	case LOC_SHRA:
		return a >> ((uint64_t)n > 63 ? 63 : n);
	case LOC_MUL:
		return (uint64_t)a * n;
	case LOC_NEG:
		return -(uint64_t)a;
	case LOC_NOT:
		return ~a;
	case LOC_LOAD:
		break;
	}
	return a;
}

static void step(struct eval *e, struct loc_value *value, enum loc_op op, int64_t n)
{
	struct loc_step *last = value->nr ? &value->steps[value->nr - 1] : NULL;

	if (is_constant(value) && op != LOC_LOAD)
		*value = loc_constant(fold(op, constant_of(value), n));
	else if (op == LOC_ADD && last && last->op == LOC_ADD)
		last->n = (uint64_t)last->n + n;
	else if (op == LOC_ADD && !n)
		return;
	else if (value->nr == LOC_STEPS)
		refuse(e, "its expression is too long");
	else
		value->steps[value->nr++] = (struct loc_step){ op, n };
}

/* ---------------------------------------------------------------- operands */

/* One operand must be a constant; if the operation commutes, either one. */
static void binary(struct eval *e, enum loc_op op, bool commutes)
{
	struct loc_value b = pop(e), a = pop(e);

	if (commutes && is_constant(&a) && !is_constant(&b)) {
		struct loc_value swap = a;

		a = b;
		b = swap;
	}
	if (!is_constant(&b))
		refuse(e, "it is computed from two registers at once");
	step(e, &a, op, constant_of(&b));
	push(e, a);
}

static void minus(struct eval *e)
{
	struct loc_value b = pop(e), a = pop(e);

	if (is_constant(&b)) {
		step(e, &a, LOC_ADD, -(uint64_t)constant_of(&b));
		push(e, a);
		return;
	}
	if (!is_constant(&a))
		refuse(e, "it is computed from two registers at once");
	step(e, &b, LOC_NEG, 0);
	step(e, &b, LOC_ADD, constant_of(&a));
	push(e, b);
}

static void unary(struct eval *e, enum loc_op op, int64_t n)
{
	struct loc_value a = pop(e);

	step(e, &a, op, n);
	push(e, a);
}

static void pick(struct eval *e, uint64_t index)
{
	if (index >= e->depth)
		refuse(e, "its expression is damaged");
	else
		push(e, e->stack[e->depth - 1 - index]);
}

static void rotate(struct eval *e, size_t n)
{
	struct loc_value top;

	if (e->depth < n) {
		refuse(e, "its expression is damaged");
		return;
	}
	top = e->stack[e->depth - 1];
	memmove(&e->stack[e->depth - n + 1], &e->stack[e->depth - n], (n - 1) * sizeof(top));
	e->stack[e->depth - n] = top;
}

/* -------------------------------------------------------------------- bases */

static void run(struct eval *e);

static struct loc_value cfa_of(struct eval *e)
{
	const struct ix_cfa *cfa = e->context->cfa;
	struct loc_value value;

	if (!cfa) {
		refuse(e, "where the stack frame begins is not known there");
		return (struct loc_value){ 0 };
	}
	value = make_reg(cfa->reg, cfa->offset);
	value.is_cfa = true;
	return value;
}

/* If a register holds the frame base, the base is the register's value. */
static struct loc_value frame_of(struct eval *e)
{
	struct location unused = { .nr = 0 };
	struct eval frame = {
		.context = e->context, .out = &unused, .refusal = e->refusal, .nested = e->nested + 1,
		.c = cursor_of(e->context->frame, e->context->frame_len), .kind = LOC_MEMORY,
	};

	if (!e->context->frame_len || frame.nested > 2) {
		refuse(e, "its function says nothing of its frame");
		return (struct loc_value){ 0 };
	}
	run(&frame);
	e->refused |= frame.refused;
	if (frame.kind == LOC_REGISTER)
		return make_reg(frame.reg, 0);
	return frame.depth ? frame.stack[frame.depth - 1] : (struct loc_value){ 0 };
}

/* The value of a register at entry.  At the entry it is the register itself; later no place keeps it. */
static void entry_value(struct eval *e)
{
	uint64_t len = cursor_uleb(&e->c);
	struct location unused = { .nr = 0 };
	struct eval inner = {
		.context = e->context, .out = &unused, .refusal = e->refusal, .nested = e->nested + 1,
		.kind = LOC_MEMORY,
	};
	const uint8_t *expr = cursor_take(&e->c, len);
	char name[16];

	if (!expr || inner.nested > 2) {
		refuse(e, "its expression is damaged");
		return;
	}
	inner.c = cursor_of(expr, len);
	run(&inner);
	e->refused |= inner.refused;
	if (inner.kind != LOC_REGISTER)
		refuse(e, "it needs the contents of memory at the function's entry");
	else if (!e->context->is_entry)
		refuse(e, "it is the value that %s had at the entry, which is not kept",
		       reg_name(e, inner.reg, name));
	push(e, make_reg(inner.reg, 0));
}

/* ------------------------------------------------------------------ pieces */

static void end_piece(struct eval *e, uint64_t bits, uint64_t from)
{
	struct loc_piece piece = { .kind = e->kind, .bits = bits, .from = from };

	if (e->out->nr == LOC_PIECES) {
		refuse(e, "it is in too many pieces");
		return;
	}
	if (e->kind == LOC_REGISTER) {
		piece.value = make_reg(e->reg, 0);
	} else if (e->kind == LOC_BYTES) {
		piece.bytes = e->bytes;
		piece.len = e->len;
	} else if (e->depth) {
		piece.value = pop(e);
	} else {
		piece.kind = LOC_NOWHERE;
	}
	e->out->pieces[e->out->nr++] = piece;
	e->kind = LOC_MEMORY;
	e->depth = 0;
}

static void in_register(struct eval *e, uint64_t reg)
{
	e->kind = LOC_REGISTER;
	e->reg = reg;
}

static void implicit(struct eval *e)
{
	e->len = cursor_uleb(&e->c);
	e->bytes = cursor_take(&e->c, e->len);
	e->kind = LOC_BYTES;
}

static void breg(struct eval *e, uint64_t reg)
{
	push(e, make_reg(reg, cursor_sleb(&e->c)));
}

static void fbreg(struct eval *e)
{
	int64_t offset = cursor_sleb(&e->c);
	struct loc_value value = frame_of(e);

	step(e, &value, LOC_ADD, offset);
	push(e, value);
}

static void bit_piece(struct eval *e)
{
	uint64_t bits = cursor_uleb(&e->c);

	end_piece(e, bits, cursor_uleb(&e->c));
}

/* -------------------------------------------------------------- operations */

/* Operations that push an operand of fixed form. */
static const struct number {
	uint8_t op;
	uint8_t bytes;
	char form;		/* u(nsigned), s(igned), U(leb), S(leb) */
} numbers[] = {
	{ DW_OP_const1u, 1, 'u' }, { DW_OP_const1s, 1, 's' }, { DW_OP_const2u, 2, 'u' },
	{ DW_OP_const2s, 2, 's' }, { DW_OP_const4u, 4, 'u' }, { DW_OP_const4s, 4, 's' }, { DW_OP_const8u, 8, 'u' },
	{ DW_OP_const8s, 8, 's' }, { DW_OP_constu, 0, 'U' }, { DW_OP_consts, 0, 'S' },
};

static void linked(struct eval *e)
{
	struct loc_value value = loc_constant(cursor_uint(&e->c, 8));

	value.is_linked = true;
	push(e, value);
}

static int64_t read_number(struct cursor *c, const struct number *n)
{
	if (n->form == 'u')
		return cursor_uint(c, n->bytes);
	if (n->form == 's')
		return cursor_sint(c, n->bytes);
	return n->form == 'U' ? (int64_t)cursor_uleb(c) : cursor_sleb(c);
}

static bool number(struct eval *e, uint8_t op)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const struct number *n = &numbers[i];

		if (n->op != op)
			continue;
		push(e, loc_constant(read_number(&e->c, n)));
		return true;
	}
	return false;
}

/* Operators on the stack. */
static const struct operation {
	uint8_t op;
	uint8_t loc;
	bool is_binary, commutes;
	int8_t n;
} operations[] = {
	{ DW_OP_plus, LOC_ADD, true, true, 0 }, { DW_OP_and, LOC_AND, true, true, 0 },
	{ DW_OP_or, LOC_OR, true, true, 0 }, { DW_OP_xor, LOC_XOR, true, true, 0 },
	{ DW_OP_shl, LOC_SHL, true, false, 0 }, { DW_OP_shr, LOC_SHR, true, false, 0 },
	{ DW_OP_shra, LOC_SHRA, true, false, 0 }, { DW_OP_mul, LOC_MUL, true, true, 0 },
	{ DW_OP_neg, LOC_NEG, false, false, 0 }, { DW_OP_not, LOC_NOT, false, false, 0 },
	{ DW_OP_deref, LOC_LOAD, false, false, 8 },
};

static bool operate(struct eval *e, uint8_t op)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		if (operations[i].op != op)
			continue;
		if (operations[i].is_binary)
			binary(e, operations[i].loc, operations[i].commutes);
		else
			unary(e, operations[i].loc, operations[i].n);
		return true;
	}
	return false;
}

/* Operations that are understood but cannot be recorded. */
static const struct refused {
	uint8_t op;
	const char *why;
} refusals[] = {
	{ DW_OP_bra, "it is computed with a branch" }, { DW_OP_skip, "it is computed with a branch" },
	{ DW_OP_eq, "it is computed by a comparison" }, { DW_OP_ne, "it is computed by a comparison" },
	{ DW_OP_lt, "it is computed by a comparison" }, { DW_OP_le, "it is computed by a comparison" },
	{ DW_OP_gt, "it is computed by a comparison" }, { DW_OP_ge, "it is computed by a comparison" },
	{ DW_OP_div, "it is computed by a division" }, { DW_OP_mod, "it is computed by a division" },
	{ DW_OP_abs, "it is computed as an absolute value" },
	{ DW_OP_implicit_pointer, "the pointer was optimised away, but its target was not" },
	{ DW_OP_GNU_implicit_pointer, "the pointer was optimised away, but its target was not" },
	{ DW_OP_convert, "it is computed in another type" }, { DW_OP_GNU_convert, "it is computed in another type" },
	{ DW_OP_reinterpret, "it is computed in another type" },
	{ DW_OP_GNU_reinterpret, "it is computed in another type" },
	{ DW_OP_regval_type, "it is computed in another type" },
	{ DW_OP_GNU_regval_type, "it is computed in another type" },
	{ DW_OP_deref_type, "it is computed in another type" },
	{ DW_OP_GNU_deref_type, "it is computed in another type" },
	{ DW_OP_const_type, "it is computed in another type" },
	{ DW_OP_GNU_const_type, "it is computed in another type" },
	{ DW_OP_GNU_parameter_ref, "it is a parameter that the caller left out" },
	{ DW_OP_GNU_variable_value, "it depends on a variable that has no place" },
	{ DW_OP_call2, "it is computed by a shared procedure" }, { DW_OP_call4, "it is computed by a shared procedure" },
	{ DW_OP_call_ref, "it is computed by a shared procedure" },
	{ DW_OP_form_tls_address, "it is thread-local: each thread has its own" },
	{ DW_OP_GNU_push_tls_address, "it is thread-local: each thread has its own" },
	{ DW_OP_addrx, "its address is in another file" }, { DW_OP_constx, "its address is in another file" },
	{ DW_OP_push_object_address, "it has no object to begin with" },
	{ DW_OP_xderef, "it is in another address space" }, { DW_OP_xderef_size, "it is in another address space" },
};

static void give_up(struct eval *e, uint8_t op)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (refusals[i].op == op)
			refuse(e, "%s", refusals[i].why);
	refuse(e, "its expression has an operation that is not known (0x%02x)", op);
}

static void swap(struct eval *e)
{
	rotate(e, 2);
}

/* All other operations. */
static bool special(struct eval *e, uint8_t op)
{
	switch (op) {
	case DW_OP_nop:
		return true;
	case DW_OP_addr:
		linked(e);
		return true;
	case DW_OP_plus_uconst:
		unary(e, LOC_ADD, cursor_uleb(&e->c));
		return true;
	case DW_OP_minus:
		minus(e);
		return true;
	case DW_OP_deref_size:
		unary(e, LOC_LOAD, cursor_uint(&e->c, 1));
		return true;
	case DW_OP_dup:
		pick(e, 0);
		return true;
	case DW_OP_over:
		pick(e, 1);
		return true;
	case DW_OP_pick:
		pick(e, cursor_uint(&e->c, 1));
		return true;
	case DW_OP_drop:
		pop(e);
		return true;
	case DW_OP_swap:
		swap(e);
		return true;
	case DW_OP_rot:
		rotate(e, 3);
		return true;
	case DW_OP_regx:
		in_register(e, cursor_uleb(&e->c));
		return true;
	case DW_OP_bregx:
		breg(e, cursor_uleb(&e->c));
		return true;
	case DW_OP_fbreg:
		fbreg(e);
		return true;
	case DW_OP_call_frame_cfa:
		push(e, cfa_of(e));
		return true;
	case DW_OP_stack_value:
		e->kind = LOC_COMPUTED;
		return true;
	case DW_OP_implicit_value:
		implicit(e);
		return true;
	case DW_OP_piece:
		end_piece(e, cursor_uleb(&e->c) * 8, 0);
		return true;
	case DW_OP_bit_piece:
		bit_piece(e);
		return true;
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		entry_value(e);
		return true;
	}
	return false;
}

static void one(struct eval *e)
{
	uint8_t op = cursor_uint(&e->c, 1);

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
		push(e, loc_constant(op - DW_OP_lit0));
	else if (op >= DW_OP_reg0 && op <= DW_OP_reg31)
		in_register(e, op - DW_OP_reg0);
	else if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		breg(e, op - DW_OP_breg0);
	else if (!number(e, op) && !operate(e, op) && !special(e, op))
		give_up(e, op);
}

static void run(struct eval *e)
{
	while (cursor_left(&e->c) && !e->refused)
		one(e);
	if (e->c.bad)
		refuse(e, "its expression is damaged");
}

static bool is_nowhere(const struct location *location)
{
	for (size_t i = 0; i < location->nr; i++)
		if (location->pieces[i].kind != LOC_NOWHERE)
			return false;
	return true;
}

enum loc_status location_evaluate(const struct loc_context *context, const uint8_t *expr, uint32_t len,
				  struct location *out, struct loc_refusal *refusal)
{
	struct eval e = {
		.context = context, .c = cursor_of(expr, len), .out = out, .refusal = refusal, .kind = LOC_MEMORY,
	};

	*out = (struct location){ 0 };
	refusal->why[0] = '\0';
	run(&e);
	if (!e.refused && !out->nr)
		end_piece(&e, 0, 0);
	if (e.refused)
		return LOC_REFUSED;
	return is_nowhere(out) ? LOC_NONE : LOC_OK;
}
