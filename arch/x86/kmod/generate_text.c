// SPDX-License-Identifier: GPL-2.0-only
/*
 * generate_text.c - machine code for hits of static tracepoints that record texts.  See generate_hit.c.
 *
 * The length is known only when the payload is complete: the code makes it in the draft of the CPU, reserves as much, and copies it.
 * So it can give up without a trace until the exchange.  A text that cannot be read is usual, because a program's page may
 * not be there yet: the code marks it, as the interpreter does.
 * Registers, besides those of struct text_regs:
 *	r13, r14	arguments that the program reads, its registers, the current task
 *	r8, r9	the ring; the sub-buffer, later the record
 *	r10	the commit count
 *	stack	the arguments that the program reads, for the C path
 */
#include "code_hit.h"

#define SAVED		(BIT_OF(BX) | BIT_OF(R12) | BIT_OF(R13) | BIT_OF(R14) | BIT_OF(R15))
#define LEAST_UNITS	4U	/* the copy is of eight bytes at least */

struct text_regs {
	u8 draft;
	u8 out;			/* where the next item is in it */
	u8 call;		/* the registers of the system call: where they are, or their stack */
	u8 ctl;			/* the control structure of the ring */
	u8 units;		/* the number of units of the payload */
	u8 shifted;		/* the same number, where the word of the ring has it */
	u8 bytes;		/* bytes of the payload before its last eight */
	u32 saved;
};

static const struct text_regs usual = {
	.draft = R15, .out = R12, .call = BX, .ctl = R11, .units = BX, .shifted = CX, .bytes = BX, .saved = SAVED,
};
/* For kt_x86_call_text(). */
static const struct text_regs given = {
	.draft = R15, .out = R10, .call = BX, .ctl = R11, .units = BX, .shifted = CX, .bytes = BX, .saved = SAVED,
};
/* The same where no register of the program has to outlive a text: it needs rsi alone, and nothing has to be saved. */
static const struct text_regs lean = {
	.draft = R11, .out = R10, .call = DI, .ctl = SI, .units = CX, .shifted = R8, .bytes = DX,
};

/* A payload of nothing but arguments of the system call, with one register for the addresses of texts. */
static bool is_lean(const struct code *c)
{
	const struct kt_insn *in = c->insns, *const end = in + c->len;

	for (; in < end; in++) {
		const bool loads = in->op == KT_OP_ARG && !in->dst && in + 1 < end && in[1].op == KT_OP_EMITTEXT && !in[1].src;

		if (!loads && in->op != KT_OP_EMITARG && in->op != KT_OP_FAULTS && in->op != KT_OP_FAULTS2 && in->op != KT_OP_END)
			return false;
		in += loads;
	}
	return c->call_given;
}

/* False: there are not enough. */
static bool assign_registers(struct hit *h)
{
	struct code *c = &h->c;
	u8 reg;

	c->is_hit = c->varies = true;
	c->regs_at = NO_REG;
	c->second = NO_REG;
	h->regs = is_lean(c) ? &lean : c->call_given ? &given : &usual;
	c->out = h->regs->out;
	kt_x86_find_call(h);
	c->preserved = h->regs->saved ? BIT_OF(R13) | BIT_OF(R14) : 0;
	c->pool = h->regs->saved ? c->preserved | (h->what->is_case ? 0 : BIT_OF(BX)) : BIT_OF(SI);
	h->ring = R8;
	h->record = R9;
	for (reg = 0; reg < NO_REG; reg++)
		if (c->live & BIT_OF(reg))
			c->moved[reg] = take(c, ~0U);
	if (h->needs & NEEDS_TASK)
		c->task = take(c, ~0U);
	return c->task != NO_REG && c->pool;
}

/* Returns the bytes on the stack. */
static u32 push_all(struct code *c, u32 saved)
{
	u32 bytes = 0;
	u8 reg;

	for (reg = 0; reg < NO_REG; reg++)
		if (saved & BIT_OF(reg)) {
			push_or_pop(c, reg, 0x50);
			bytes += 8;
		}
	return bytes;
}

static void pop_all(struct code *c, u32 saved)
{
	int reg;

	for (reg = NO_REG - 1; reg >= 0; reg--)
		if (saved & BIT_OF(reg))
			push_or_pop(c, reg, 0x58);
}

/* False: there is no code for the payload. */
static bool make_draft(struct hit *h)
{
	struct code *c = &h->c;
	bool good;
	u8 reg;

	for (reg = 0; reg < NO_REG; reg++)
		if (c->live & BIT_OF(reg))
			move(c, reg, c->moved[reg]);
	put_long(c, h->regs->draft, h->what->draft);
	percpu_op(c, true, 0x03, h->regs->draft, h->at.cpu_offset);	/* add %gs:cpu_offset, draft */
	if (h->what->is_case) {
		move(c, c->call, h->regs->call);
		c->call = h->regs->call;
	}
	move(c, h->regs->draft, c->out);
	if (h->needs & NEEDS_TASK)
		percpu_op(c, true, MOV_LOAD, c->task, h->at.current_task);
	good = kt_x86_payload(c, 0);
	if (c->any_load) {
		percpu_op(c, false, CMP_BYTE, 7, h->at.failed);
		put8(c, 0);
		jump_if(c, JNE, c->at + h->failed);
	}
	return good;
}

/* The units of the payload; an odd byte gets a 0 behind it. */
static void measure(struct hit *h)
{
	const u8 units = h->regs->units;
	struct code *c = &h->c;

	memory_op(c, false, MOV_BYTE, 0, c->out, c->offset);
	put8(c, 0);
	memory_op(c, true, LEA, units, c->out, c->offset + 1);
	regs_op(c, SUB, h->regs->draft, units);
	regs_op(c, SHIFT_IMM, 5, units);
	put8(c, kt_unit_shift(true));
	if (c->fixed + c->offset >= LEAST_UNITS << kt_unit_shift(true))
		return;
	regs_op(c, GROUP_IMM, 7, units);
	put_number(c, LEAST_UNITS, 4);
	jump_if(c, JC, c->at + h->undo);
}

/* A load, a store or a LEA of a register, with the address base + index + offset. */
static void indexed_op(struct code *c, bool wide, u8 opcode, u8 reg, u8 base, u8 index, u8 offset)
{
	put8(c, 0x40 | wide << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3);
	put8(c, opcode);
	put8(c, 0x44 | (reg & 7) << 3);
	put8(c, (index & 7) << 3 | (base & 7));
	put8(c, offset);
}

/* As kt_ring_reserve().  The accesses to the ring and their order are those of generate_hit.c. */
static void reserve_draft(struct hit *h)
{
	const struct text_regs *regs = h->regs;
	struct code *c = &h->c;

	kt_x86_find_ring(h);
	kt_x86_ring_op(h, true, MOV_LOAD, regs->ctl, offsetof(struct kt_ring, ctl));
	memory_op(c, true, MOV_LOAD, DI, regs->ctl, offsetof(struct kt_ring_ctl, word));
	kt_x86_ring_op(h, true, MOV_LOAD, R10, offsetof(struct kt_ring, count));
	kt_x86_ring_op(h, true, MOV_LOAD, R9, offsetof(struct kt_ring, sub));
	put_rex(c, false, AX, regs->ctl);	/* movzwl word + 2, %eax: the first free unit */
	put_number(c, 0xb70f, 2);
	put_memory(c, AX, regs->ctl, offsetof(struct kt_ring_ctl, word) + 2);
	put_number(c, 0x410c8d4d, 4);		/* lea (%r9,%rax,2), %r9 */
	indexed_op(c, false, LEA, AX, regs->units, AX, kt_compact_units(true));
	kt_x86_ring_op(h, false, CMP_REGS, AX, offsetof(struct kt_ring, sub_units));
	jump_if(c, JC, c->at + h->undo);
	kt_x86_put_time(h, regs->ctl, KT_WIDE_TS_BITS);
	move(c, regs->units, regs->shifted);
	regs_op(c, SHIFT_IMM, 4, regs->shifted);
	put8(c, 16);
	put8(c, 0x48 | (regs->shifted >> 3) << 1);	/* lea imm(%rdi,shifted), %rdi */
	put_number(c, 0xbc8d, 2);
	put8(c, (regs->shifted & 7) << 3 | DI);
	put_number(c, (kt_compact_units(true) << 16) + 1, 4);
	kt_x86_put_exchange(h, regs->ctl);
}

/* Eight bytes at a time; the last ones may overlap those before. */
static void copy_draft(struct hit *h)
{
	const u8 draft = h->regs->draft, bytes = h->regs->bytes;
	struct code *c = &h->c;
	u32 loop;

	indexed_op(c, false, LEA, bytes, h->regs->units, h->regs->units, (u8)-8);
	put_number(c, 0xc931, 2);		/* xor %ecx, %ecx */
	loop = c->n;
	indexed_op(c, true, MOV_LOAD, AX, draft, CX, 0);
	indexed_op(c, true, MOV_STORE, AX, R9, CX, HEADER_BYTES);
	put_number(c, 0x08c183, 3);		/* add $8, %ecx */
	put8(c, CMP_REGS);			/* cmp bytes, %ecx */
	put8(c, 0xc0 | bytes << 3 | CX);
	jump_if(c, JC, c->at + loop);
	indexed_op(c, true, MOV_LOAD, AX, draft, bytes, 0);
	indexed_op(c, true, MOV_STORE, AX, R9, bytes, HEADER_BYTES);
}

/* As kt_ring_commit(). */
static void commit_draft(struct hit *h)
{
	memory_op(&h->c, true, LEA, AX, h->regs->bytes, 8 + HEADER_BYTES);
	memory_op(&h->c, true, ADD, AX, R10, 0);
}

/* Mark an unreadable text; where it is not known whether it can be read, the C path finds out. */
static void mark_texts(struct hit *h)
{
	struct code *c = &h->c;
	u32 i;

	for (i = 0; i < c->texts; i++) {
		c->text_far[i] = c->n;
		put_number(c, 0x01f883, 3);	/* cmp $KT_TEXT_GOES_ON, %eax */
		jump_if(c, JE, c->at + h->undo);
		percpu_op(c, true, INC_DEC, 0, h->at.faults);
		if (c->mask_at) {
			memory_op(c, false, CMP_BYTE, 1, h->regs->draft, c->mask_at - 1 + c->text_bits[i] / 8);	/* or */
			put8(c, 1 << c->text_bits[i] % 8);
		}
		jump_to(c, c->at + c->text_back[i]);
	}
}

static void give_up(struct hit *h)
{
	struct code *c = &h->c;

	h->undo = h->failed = c->give_up = c->n;
	percpu_op(c, false, MOV_BYTE, 0, h->at.failed);
	put8(c, 0);
	pop_all(c, c->live);
	pop_all(c, h->regs->saved);
	percpu_op(c, false, INC_DEC, 1, h->at.nest);
	kt_x86_put_slow(h);
}

bool kt_x86_make_text_hit(struct hit *h)
{
	struct code *c = &h->c;
	u32 arguments;
	bool good;

	c->n = c->live = 0;
	c->lacks_regs = false;
	if (!kt_x86_find_live(c) || !assign_registers(h) || 2 * h->what->units >= KT_MAX_PAYLOAD)
		return false;
	put_branch_target(h);
	kt_x86_put_enter(h);
	push_all(c, h->regs->saved);
	arguments = push_all(c, c->live);
	good = make_draft(h);
	measure(h);
	reserve_draft(h);
	kt_x86_put_header(h);
	copy_draft(h);
	commit_draft(h);
	if (c->live)
		memory_op(c, true, LEA, SP, SP, arguments);
	pop_all(c, h->regs->saved);
	kt_x86_put_leave(h);
	mark_texts(h);
	give_up(h);
	return good;
}
