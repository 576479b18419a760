// SPDX-License-Identifier: GPL-2.0-only
/*
 * generate_text.c - machine code for hits of static tracepoints that record texts.  See generate_hit.c.
 *
 * The length is known only when the payload is complete: the code makes it in the draft of the CPU, reserves as much, and copies it.
 * So it can give up without a trace until the exchange.  A text that cannot be read is usual, because a program's page may
 * not be there yet: the code marks it, as the interpreter does.
 * Registers:
 *	r15	the draft
 *	r12	where the next item is in it
 *	rbx	the stack of the task or an argument, later the units of the payload, later the bytes before its last eight
 *	r13, r14	arguments that the program reads, its registers, the current task
 *	r8, r9	the ring; the sub-buffer, later the record
 *	r10	the commit count
 *	stack	the arguments that the program reads, for the C path
 */
#include "code_hit.h"

#define SAVED		(BIT_OF(BX) | BIT_OF(R12) | BIT_OF(R13) | BIT_OF(R14) | BIT_OF(R15))
#define JE		0x84
#define LEAST_UNITS	4	/* the copy is of eight bytes at least */

/* False: there are not enough. */
static bool assign_registers(struct hit *h)
{
	struct code *c = &h->c;
	u8 reg;

	c->is_hit = c->varies = true;
	c->regs_at = NO_REG;
	c->second = NO_REG;
	c->out = R12;
	kt_x86_find_call(h);
	c->preserved = BIT_OF(R13) | BIT_OF(R14);
	c->pool = c->preserved | (h->what->is_case ? 0 : BIT_OF(BX));
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
	put_long(c, R15, h->what->draft);
	percpu_op(c, true, 0x03, R15, h->at.cpu_offset);	/* add %gs:cpu_offset, %r15 */
	if (h->what->is_case) {
		move(c, c->call, BX);
		c->call = BX;
	}
	move(c, R15, R12);
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

/* ebx = the units of the payload; an odd byte gets a 0 behind it. */
static void measure(struct hit *h)
{
	struct code *c = &h->c;

	memory_op(c, false, MOV_BYTE, 0, R12, c->offset);
	put8(c, 0);
	memory_op(c, true, LEA, BX, R12, c->offset + 1);
	regs_op(c, SUB, R15, BX);
	regs_op(c, SHIFT_IMM, 5, BX);
	put8(c, kt_unit_shift(true));
	regs_op(c, GROUP_IMM, 7, BX);
	put_number(c, LEAST_UNITS, 4);
	jump_if(c, JC, c->at + h->undo);
}

/* As kt_ring_reserve().  The accesses to the ring and their order are those of generate_hit.c. */
static void reserve_draft(struct hit *h)
{
	struct code *c = &h->c;

	kt_x86_find_ring(h);
	kt_x86_ring_op(h, true, MOV_LOAD, R11, offsetof(struct kt_ring, ctl));
	memory_op(c, true, MOV_LOAD, DI, R11, offsetof(struct kt_ring_ctl, word));
	kt_x86_ring_op(h, true, MOV_LOAD, R10, offsetof(struct kt_ring, count));
	kt_x86_ring_op(h, true, MOV_LOAD, R9, offsetof(struct kt_ring, sub));
	put_number(c, 0xb70f41, 3);		/* movzwl 2(%r11), %eax: the first free unit */
	put_memory(c, AX, R11, offsetof(struct kt_ring_ctl, word) + 2);
	put_number(c, 0x410c8d4d, 4);		/* lea (%r9,%rax,2), %r9 */
	put_number(c, 0x03448d, 3);		/* lea 3(%rbx,%rax), %eax */
	put8(c, kt_compact_units(true));
	kt_x86_ring_op(h, false, CMP_REGS, AX, offsetof(struct kt_ring, sub_units));
	jump_if(c, JC, c->at + h->undo);
	kt_x86_put_time(h, R11, KT_WIDE_TS_BITS);
	move(c, BX, CX);
	regs_op(c, SHIFT_IMM, 4, CX);
	put8(c, 16);
	put_number(c, 0x0fbc8d48, 4);		/* lea imm(%rdi,%rcx), %rdi */
	put_number(c, (kt_compact_units(true) << 16) + 1, 4);
	kt_x86_put_exchange(h, R11);
}

/* Eight bytes at a time; the last ones may overlap those before. */
static void copy_draft(struct code *c)
{
	u32 loop;

	put_number(c, 0xf81b5c8d, 4);		/* lea -8(%rbx,%rbx), %ebx */
	put_number(c, 0xc931, 2);		/* xor %ecx, %ecx */
	loop = c->n;
	put_number(c, 0x0f048b49, 4);		/* mov (%r15,%rcx), %rax */
	put_number(c, 0x09448949, 4);		/* mov %rax, 6(%r9,%rcx) */
	put8(c, HEADER_BYTES);
	put_number(c, 0x08c183, 3);		/* add $8, %ecx */
	put_number(c, 0xd939, 2);		/* cmp %ebx, %ecx */
	jump_if(c, JC, c->at + loop);
	put_number(c, 0x1f048b49, 4);		/* mov (%r15,%rbx), %rax */
	put_number(c, 0x19448949, 4);		/* mov %rax, 6(%r9,%rbx) */
	put8(c, HEADER_BYTES);
}

/* As kt_ring_commit(). */
static void commit_draft(struct code *c)
{
	memory_op(c, true, LEA, AX, BX, 8 + HEADER_BYTES);
	memory_op(c, true, ADD, AX, R10, 0);
}

/* Mark an unreadable text; where it is not known whether it can be read, the C path finds out. */
static void mark_texts(struct hit *h)
{
	struct code *c = &h->c;
	u32 i;

	for (i = 0; i < c->texts; i++) {
		c->text_far[i] = c->n;
		jump_if(c, JE, c->at + h->undo);
		percpu_op(c, true, INC_DEC, 0, h->at.faults);
		if (c->mask_at) {
			memory_op(c, false, CMP_BYTE, 1, R15, c->mask_at - 1 + c->text_bits[i] / 8);	/* or */
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
	pop_all(c, SAVED);
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
	push_all(c, SAVED);
	arguments = push_all(c, c->live);
	good = make_draft(h);
	measure(h);
	reserve_draft(h);
	kt_x86_put_header(h);
	copy_draft(c);
	commit_draft(c);
	if (c->live)
		memory_op(c, true, LEA, SP, SP, arguments);
	pop_all(c, SAVED);
	kt_x86_put_leave(h);
	mark_texts(h);
	give_up(h);
	return good;
}
