// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* unwind_expression.c - see unwind_expression.h. */
#include "core/unwind_expression.h"

#include "core/unwind_read.h"

#define LONGEST		64	/* bytes of an expression */
#define STACK		8

enum operation {
	OP_DEREF = 0x06, OP_CONST1U = 0x08, OP_CONST1S, OP_CONST2U, OP_CONST2S, OP_CONST4U, OP_CONST4S, OP_CONST8U,
	OP_CONST8S, OP_CONSTU, OP_CONSTS, OP_DUP, OP_DROP, OP_OVER, OP_SWAP = 0x16, OP_AND = 0x1a, OP_MINUS = 0x1c,
	OP_MUL = 0x1e, OP_OR = 0x21, OP_PLUS, OP_PLUS_UCONST, OP_SHL, OP_SHR, OP_EQ = 0x29, OP_GE, OP_GT, OP_LE, OP_LT,
	OP_NE, OP_LIT0 = 0x30, OP_LIT31 = 0x4f, OP_BREG0 = 0x70, OP_BREG31 = 0x8f,
};

struct stack {
	u64 v[STACK];
	u32 n;
	bool bad;
};

static void push(struct stack *stack, u64 v)
{
	if (stack->n == STACK)
		stack->bad = true;
	else
		stack->v[stack->n++] = v;
}

static u64 pop(struct stack *stack)
{
	if (stack->n)
		return stack->v[--stack->n];
	stack->bad = true;
	return 0;
}

/* Comparisons are signed. */
static void calculate(struct stack *stack, u8 op)
{
	const u64 b = pop(stack), a = pop(stack);

	switch (op) {
	case OP_AND:	return push(stack, a & b);
	case OP_MINUS:	return push(stack, a - b);
	case OP_MUL:	return push(stack, a * b);
	case OP_OR:	return push(stack, a | b);
	case OP_PLUS:	return push(stack, a + b);
	case OP_SHL:	return push(stack, b < 64 ? a << b : 0);
	case OP_SHR:	return push(stack, b < 64 ? a >> b : 0);
	case OP_EQ:	return push(stack, a == b);
	case OP_GE:	return push(stack, (s64)a >= (s64)b);
	case OP_GT:	return push(stack, (s64)a > (s64)b);
	case OP_LE:	return push(stack, (s64)a <= (s64)b);
	case OP_LT:	return push(stack, (s64)a < (s64)b);
	case OP_NE:	return push(stack, a != b);
	default:	stack->bad = true;
	}
}

static void operate(struct stack *stack, struct kt_cursor *c, u8 op)
{
	u64 a, b;

	if (op >= OP_LIT0 && op <= OP_LIT31)
		return push(stack, op - OP_LIT0);
	if (op >= OP_BREG0 && op <= OP_BREG31) {
		if (!kt_unwind_reg(c->unwind, op - OP_BREG0, &a))
			stack->bad = true;
		else
			push(stack, a + (u64)kt_cursor_sleb(c));
		return;
	}
	switch (op) {
	case OP_DEREF:
		if (!kt_unwind_load(c->unwind, &a, pop(stack), 8))
			stack->bad = true;
		else
			push(stack, a);
		return;
	case OP_CONST1U:	return push(stack, kt_cursor_number(c, 1));
	case OP_CONST1S:	return push(stack, kt_cursor_signed(c, 1));
	case OP_CONST2U:	return push(stack, kt_cursor_number(c, 2));
	case OP_CONST2S:	return push(stack, kt_cursor_signed(c, 2));
	case OP_CONST4U:	return push(stack, kt_cursor_number(c, 4));
	case OP_CONST4S:	return push(stack, kt_cursor_signed(c, 4));
	case OP_CONST8U:
	case OP_CONST8S:	return push(stack, kt_cursor_number(c, 8));
	case OP_CONSTU:		return push(stack, kt_cursor_uleb(c));
	case OP_CONSTS:		return push(stack, kt_cursor_sleb(c));
	case OP_PLUS_UCONST:	return push(stack, pop(stack) + kt_cursor_uleb(c));
	case OP_DUP:
		a = pop(stack);
		push(stack, a);
		return push(stack, a);
	case OP_DROP:
		pop(stack);
		return;
	case OP_OVER:
		b = pop(stack);
		a = pop(stack);
		push(stack, a);
		push(stack, b);
		return push(stack, a);
	case OP_SWAP:
		b = pop(stack);
		a = pop(stack);
		push(stack, b);
		return push(stack, a);
	default:
		calculate(stack, op);
	}
}

/* No operation jumps, so its length bounds the work. */
bool kt_unwind_expression(struct kt_unwind *u, u64 addr, u64 first, u64 *to)
{
	struct stack stack = { .v = { first }, .n = 1 };
	struct kt_cursor c;
	u64 length;

	kt_cursor_set(&c, u, addr, addr + LONGEST);
	length = kt_cursor_uleb(&c);
	if (c.bad || length > c.end - c.at)
		return false;
	c.end = c.at + length;
	while (c.at < c.end && !c.bad && !stack.bad && kt_unwind_work(u))
		operate(&stack, &c, kt_cursor_byte(&c));
	if (c.at != c.end || c.bad || stack.bad || !stack.n)
		return false;
	*to = stack.v[stack.n - 1];
	return true;
}
