// SPDX-License-Identifier: GPL-2.0-only
/*
 * emit_hit.c - the parts of a hit that depend on the registers and the stack.  See kmod/code/plan.h.
 *
 * Direct jumps.  The trampoline (trampoline.c) leads to the code with interrupts off.  It has saved rax, which is free; the stack has
 *	the return address, rax, the flags
 * and all other registers have what the hit found there.  The code saves those that it uses:
 *	rcx	the control structure of the ring
 *	rdi	the word of the ring that the exchange expects, then the new one
 *	rsi	the sub-buffer, later the record
 *	rdx	the time
 *	stack	the address of the commit count
 * The payload may use rcx, rdi and rdx, which hold nothing any more, and saves further ones that it needs.  Code that counts in a
 * table has key and value below the saved registers.
 *
 * Static tracepoints, and jumps of recordings.  kt_x86_event_probe (entry.S) jumps to the code with interrupts off, the descriptor in
 * rax and the arguments of the static tracepoint where the kernel has passed them: rsi, rdx, rcx, r8, r9.  The arguments that the
 * program reads stay there, but rdtsc overwrites rdx, so that one moves.  Other registers:
 *	rdi	as above
 *	r11	the control structure of the ring, then scratch of the payload
 *	spare	two more that hold no argument: for the ring, later rdx; and for the sub-buffer, later the record; a third one, if
 *		there is one and nothing can fail, for the address of the commit count
 *	stack	that address, if it has no register
 * Trampolines call the code of a jump (kt_x86_jump_special) with rdi = the site, rsi = the registers that it has saved, rdx = the
 * descriptor.  There rsi stays, and no other register holds anything.
 * The payload has all others, and those that functions preserve: it saves these first.
 *
 * The compiler reorders nothing here; the CPU keeps the order of stores, and its own interrupts see its own accesses in order.
 */
#include "calls.h"
#include "emit_x86.h"
#include "entry.h"
#include "frame.h"

#define ANY_ARGUMENT	(BIT_OF(SI) | BIT_OF(DX) | BIT_OF(CX) | BIT_OF(R8) | BIT_OF(R9))
#define PRESERVED	(BIT_OF(BX) | BIT_OF(R12) | BIT_OF(R13) | BIT_OF(R14) | BIT_OF(R15))
#define DIRECT_POOL	(PRESERVED | BIT_OF(R8) | BIT_OF(R9) | BIT_OF(R10) | BIT_OF(R11))

#define EVENT_WORDS	2	/* of the stack: a static tracepoint pushes no return address and no rax: the code leaves as much room for them */

/* ------------------------------------------------------------------ registers, stack */

bool kt_x86_find_live(struct hit *h)
{
	const struct part *part = &h->record;
	u32 i, k;

	for (i = 0; i < part->len; i++) {
		const struct kt_insn *in = &part->insns[i];

		if (in->op != KT_OP_REG && in->op != KT_OP_EMITREG && in->op != KT_OP_EMITCHAIN)
			continue;
		for (k = 0; k < NR_ARGUMENTS && kt_reg_offset(kt_x86_arguments[k][0]) != in->imm; k++)
			;
		if (k == NR_ARGUMENTS)
			return false;
		h->c.a.live |= BIT_OF(kt_x86_arguments[k][1]);
	}
	return true;
}

static bool direct_registers(struct hit *h)
{
	const bool counts = h->what->table;
	struct code *c = &h->c;

	h->a.ctl = CX;
	h->a.record = SI;
	h->a.commit = NO_REG;
	c->regs_at = NO_REG;
	c->out = counts ? SP : SI;
	c->a.preserved = DIRECT_POOL;
	c->a.pool = DIRECT_POOL | BIT_OF(DX) | (counts ? BIT_OF(SI) : 0) | (h->needs & NEEDS_CHAIN ? 0 : BIT_OF(DI)) |
		    (h->needs & (NEEDS_COUNT | NEEDS_CHAIN) ? 0 : BIT_OF(CX));
	if (h->needs & NEEDS_TASK)
		c->task = take(c, ~DIRECT_POOL);
	return c->task != NO_REG;
}

/* False: the program reads so many arguments that there are not enough others. */
static bool choose_registers(struct hit *h)
{
	struct code *c = &h->c;

	if (!h->what->is_jump && !kt_x86_find_live(h))
		return false;
	c->regs_at = h->what->is_jump ? SI : NO_REG;
	c->a.pool = BIT_OF(R10) | (ANY_ARGUMENT & ~c->a.live & ~BIT_OF(DX));
	if (h->what->is_jump)
		c->a.pool &= ~BIT_OF(SI);
	if (h->what->is_case)
		kt_x86_find_call(h);
	/* Only the payload may use rcx for itself. */
	if (h->needs & NEEDS_COUNT) {
		if (c->a.live & BIT_OF(CX))
			return false;
		c->a.pool &= ~BIT_OF(CX);
	}
	h->a.ctl = R11;
	h->a.ring = take(c, ~0U);
	h->a.record = take(c, ~0U);
	if (h->a.ring == NO_REG || h->a.record == NO_REG)
		return false;
	c->out = h->a.record;
	c->a.second = h->a.ring;
	/* The first question loads the task, too. */
	h->a.early_task = h->needs & NEEDS_TASK && h->what->own_ids && c->a.pool;
	if (h->a.early_task)
		c->task = take(c, ~0U);
	h->a.commit = h->needs & NEEDS_LOADS ? NO_REG : take(c, ~0U);
	c->a.preserved = PRESERVED;
	c->a.pool |= BIT_OF(DI) | BIT_OF(DX) | PRESERVED | (c->a.live & BIT_OF(DX) ? 0 : BIT_OF(h->a.ring));
	if (h->needs & NEEDS_TASK && !h->a.early_task)
		c->task = take(c, ~PRESERVED);
	return c->task != NO_REG;
}

/* The arguments from which the pass before this one has found two loads or more. */
static void choose_checked(struct code *c)
{
	u8 reg;

	for (reg = 0; reg < NO_REG; reg++)
		c->a.checked |= c->a.loads[reg] > 1 ? BIT_OF(reg) : 0;
}

bool kt_emit_begin(struct hit *h)
{
	struct code *c = &h->c;

	choose_checked(c);
	h->a.saved = c->a.saved;		/* as the pass before this one has found necessary */
	c->a.is_hit = true;
	c->a.is_direct = h->is_direct;
	c->a.call_given = h->what->call_given;
	c->a.pool = c->a.live = 0;
	c->a.lacks_regs = false;
	if (!(h->is_direct ? direct_registers(h) : h->needs & NEEDS_TEXT ? kt_x86_text_registers(h) : choose_registers(h)))
		return false;
	if (h->at.checks_branches)
		put_endbr(c);
	if (h->is_direct && h->is_event)
		put_sum(c, SP, SP, -8 * EVENT_WORDS);
	return true;
}

/* Where the hit's registers are while the payload is written; `words` of the stack are below the saved ones, `between` above. */
static void note_stacked(struct hit *h, u32 words, u32 between)
{
	static const u8 always[KT_X86_ALWAYS] = { DI, SI, CX, DX, NO_REG, AX };	/* NO_REG: the return address */
	struct code_regs *a = &h->c.a;
	s32 at = words;
	int reg;
	u32 i;

	memset(a->stacked, 0, sizeof(a->stacked));
	for (reg = NO_REG - 1; reg >= 0; reg--)
		if (h->a.saved & BIT_OF(reg))
			a->stacked[reg] = 8 * at++ + 1;
	at += between;
	for (i = 0; i < KT_X86_ALWAYS; i++, at++)
		if (always[i] != NO_REG)
			a->stacked[always[i]] = 8 * at + 1;
	a->stack_at = 8 * (at + 1);	/* behind the flags */
}

void kt_x86_push_saved(struct code *c, u32 saved)
{
	u8 reg;

	for (reg = 0; reg < NO_REG; reg++)
		if (saved & BIT_OF(reg))
			put_push(c, reg);
}

void kt_x86_pop_saved(struct code *c, u32 saved)
{
	int reg;

	for (reg = NO_REG - 1; reg >= 0; reg--)
		if (saved & BIT_OF(reg))
			put_pop(c, reg);
}

/* Does the code push the fixed registers: rdx, rcx, rsi unless it only measures, rdi? */
static bool saves_fixed(const struct hit *h)
{
	return h->is_direct && (!h->what->table || draft_bytes(h));
}

bool kt_emit_save(struct hit *h)
{
	struct code *c = &h->c;

	if (!saves_fixed(h))
		return true;
	put_push(c, DX);
	put_push(c, CX);
	if (kt_x86_saves_si(h))
		put_push(c, SI);
	put_push(c, DI);
	return true;
}

bool kt_emit_save_timed(struct hit *h)
{
	struct code *c = &h->c;

	put_push(c, DX);
	kt_emit_clock(h, DX);
	put_push(c, CX);
	if (kt_x86_saves_si(h))
		put_push(c, SI);
	put_push(c, DI);
	return true;
}

void kt_emit_restore(struct hit *h)
{
	struct code *c = &h->c;

	if (!saves_fixed(h))
		return;
	put_pop(c, DI);
	if (kt_x86_saves_si(h))
		put_pop(c, SI);
	put_pop(c, CX);
	put_pop(c, DX);
}

/* ----------------------------------------------------------------- what is examined */

/* An operation with a register or /n, and a variable of the module.  `behind`: bytes of a constant that follows. */
static void module_op(struct code *c, bool wide, u8 opcode, u8 reg, const void *variable, u32 behind)
{
	put_rex(c, wide, reg, 0);
	put8(c, opcode);
	put8(c, (reg & 7) << 3 | 5);
	put_distance(c, (unsigned long)variable - behind);
}

bool kt_x86_reaches(const struct hit *h, const void *variable)
{
	const s64 distance = (unsigned long)variable - h->c.at;

	return distance == (s32)distance && distance + (1 << 16) == (s32)(distance + (1 << 16)) &&
	       distance - (1 << 16) == (s32)(distance - (1 << 16));
}

/* Leave in rax 0 only if the process is surely not ktrace itself and the CPU is in no other hit.  task: a register with the task. */
static void put_own(struct hit *h, u8 task)
{
	struct code *c = &h->c;

	put_load(c, AX, task, h->at.tgid, 1);
	put_bytes(c, 0x4504b70f, 4);			/* movzwl own_ids(,%rax,2), %eax */
	put_bytes(c, (unsigned long)h->what->own_ids, 4);
	percpu_op(c, true, OR_LOAD, AX, h->at.nest);	/* and loads_at */
}

void kt_emit_branch_if_own(struct hit *h, u32 target)
{
	put_own(h, WORK2);
	put_branch(&h->c, IF_NOT_EQUAL, target);
}

void kt_emit_branch_if_busy(struct hit *h, u32 target)
{
	percpu_op(&h->c, true, CMP_IMM8, 7, h->at.nest);	/* and loads_at */
	put8(&h->c, 0);
	put_branch(&h->c, IF_NOT_EQUAL, target);
}

void kt_emit_branch_unless_frozen(struct hit *h, u32 target)
{
	module_op(&h->c, true, CMP_IMM8, 7, h->what->recording, 1);
	put8(&h->c, 0);
	put_branch(&h->c, IF_NOT_NEGATIVE, target);
}

/* The processor keeps the order of loads, as kt_fast_running() wants it. */
void kt_emit_branch_unless_running(struct hit *h, const void *running, u32 target)
{
	put_constant(&h->c, WORK3, (unsigned long)running);
	put_compare_at(&h->c, WORK3, 0, 1, 0);
	put_branch(&h->c, IF_EQUAL, target);
}

/*
 * The CPU is in another hit, or turns hits away; recording is frozen or will be; the process may be ktrace itself.  One comparison for
 * all: each has a number that is usually 0.
 */
bool kt_emit_examine(struct hit *h)
{
	const u8 task = h->a.early_task ? h->c.task : AX;
	struct code *c = &h->c;

	if (h->is_wide) {
		put_variable(c, AX, h->what->recording, 8);
		percpu_op(c, true, OR_LOAD, AX, h->at.nest);	/* and loads_at */
		put_branch(c, IF_NOT_EQUAL, h->slow);
		return true;
	}
	if (h->what->own_ids) {
		kt_emit_task(h, task);
		put_own(h, task);
	} else {
		percpu_op(c, true, MOV_LOAD, AX, h->at.nest);
	}
	module_op(c, true, OR_LOAD, AX, h->what->recording, 0);
	put_branch(c, IF_NOT_EQUAL, h->look);
	return true;
}

/* --------------------------------------------------------------------- the payload */

void kt_emit_begin_loads(struct hit *h)
{
	percpu_op(&h->c, false, MOV_STORE, SP, h->at.loads_at);
}

void kt_emit_end_loads(struct hit *h)
{
	percpu_op(&h->c, false, MOV_IMM, 0, h->at.loads_at);
	put_bytes(&h->c, 0, 4);
}

/*
 * Most loads are from tasks and the like, to which arguments point.  Check such an argument once, if at least two loads on all
 * paths are from there: it is in the direct map; or else in the kernel's image, as the first idle task, or on the stack, as registers.
 */
static void check_direct(struct hit *h, u8 reg)
{
	struct code *c = &h->c;

	put_move(c, AX, reg);
	put_bytes(c, 0x050348, 3);		/* add kt_direct_shift(%rip), %rax */
	put_distance(c, (unsigned long)&kt_direct_shift);
	put_bytes(c, 0x053b48, 3);		/* cmp kt_direct_checked(%rip), %rax */
	put_distance(c, (unsigned long)&kt_direct_checked);
	put_branch(c, IF_NO_CARRY, h->a.far[reg]);
	h->a.back[reg] = c->n;
}

static void check_others(struct hit *h, u8 reg)
{
	struct code *c = &h->c;

	h->a.far[reg] = c->n;
	put_move(c, AX, reg);
	call(c, kt_x86_hit_image);
	put_branch(c, IF_CARRY, h->a.back[reg]);
	call(c, kt_x86_hit_stack);
	put_branch(c, IF_NO_CARRY, h->record.give_up);
	put_sum(c, AX, reg, c->a.last[reg]);
	call(c, kt_x86_hit_stack);
	put_branch(c, IF_CARRY, h->a.back[reg]);
	put_jump(c, h->record.give_up);
}

static void for_each_checked(struct hit *h, void (*make)(struct hit *h, u8 reg))
{
	u8 reg;

	for (reg = 0; reg < NO_REG; reg++)
		if (h->c.a.checked & BIT_OF(reg))
			make(h, reg);
}

/* Must it look whether a load failed?  Then it notes that it loads. */
static bool notes_loads(const struct hit *h)
{
	return h->is_direct ? h->needs & NEEDS_LOADS : h->a.loads;
}

void kt_emit_begin_payload(struct hit *h)
{
	struct code *c = &h->c;

	h->a.loads = c->a.any_load;		/* as the pass before this one has found */
	kt_x86_push_saved(c, h->a.saved);
	note_stacked(h, 0, 1);			/* 1: the commit count */
	if (h->needs & NEEDS_TASK && !h->a.early_task)
		kt_emit_task(h, c->task);
	if (notes_loads(h))
		kt_emit_begin_loads(h);
	for_each_checked(h, check_direct);
	c->a.saved = 0;
}

void kt_emit_end_payload(struct hit *h)
{
	if (h->a.loads && !h->is_direct)
		kt_x86_branch_if_failed(h);
	if (!h->is_direct)
		h->recorded = h->c.n;
	if (notes_loads(h))
		kt_emit_end_loads(h);
	kt_x86_pop_saved(&h->c, h->a.saved);
	if (h->is_direct)
		h->recorded = h->c.n;
}

/* The interpreter needs the arguments where they were. */
static void interpret_hit(struct hit *h)
{
	const bool is_jump = h->what->is_jump;
	struct code *c = &h->c;

	h->a.failed = c->n;
	percpu_op(c, false, MOV_BYTE, 0, h->at.failed);
	put8(c, 0);
	h->record.give_up = c->n;
	if (c->a.live & BIT_OF(DX))
		put_move(c, DX, c->a.second);
	put_sum(c, is_jump ? DX : DI, h->a.record, header_bytes(h));
	put_constant(c, is_jump ? DI : AX, (unsigned long)h->record.insns);
	call(c, is_jump ? kt_x86_jump_rest : kt_x86_event_rest);
	put_jump(c, h->recorded);
	for_each_checked(h, check_others);
}

bool kt_emit_interpret(struct hit *h)
{
	struct code *c = &h->c;

	if (!h->is_direct) {
		interpret_hit(h);
		return true;
	}
	h->record.give_up = c->n;
	kt_x86_pop_saved(c, h->a.saved);
	put_constant(c, DI, (unsigned long)h->record.insns);
	put_sum(c, DX, SI, header_bytes(h));
	call(c, kt_x86_direct_rest);
	kt_emit_end_loads(h);
	put_jump(c, h->recorded);
	return true;
}

bool kt_emit_data(struct hit *h)
{
	if (h->what->text)
		*h->what->text = h->c.n;
	h->c.part = &h->record;
	kt_x86_chain_tables(&h->c);
	return true;
}

/* ----------------------------------------------------------------- key and value */

void kt_emit_draft_begin(struct hit *h)
{
	struct code *c = &h->c;

	kt_x86_push_saved(c, h->a.saved);
	put_sum(c, SP, SP, -(s32)draft_bytes(h));
	note_stacked(h, draft_bytes(h) / 8, h->closes ? NR_KEPT : 0);
	if (h->needs & NEEDS_TASK)
		kt_emit_task(h, c->task);
	c->a.saved = 0;
}

void kt_emit_draft_end(struct hit *h)
{
	put_sum(&h->c, SP, SP, draft_bytes(h));
	kt_x86_pop_saved(&h->c, h->a.saved);
}

void kt_emit_undo_draft(struct hit *h)
{
	kt_emit_draft_end(h);
	if (h->closes)
		put_sum(&h->c, SP, SP, 8 * NR_KEPT);
	kt_emit_restore(h);
	put_jump(&h->c, h->slow);
}

/* ------------------------------------------------------------------ counts, the end */

/* As kt_wake_check(). */
void kt_emit_branch_if_waiting(struct hit *h)
{
	struct code *c = &h->c;

	if (kt_x86_reaches(h, h->what->wake_next)) {
		module_op(c, false, CMP_BYTE, 7, h->what->wake_next, 1);
		put8(c, 0);
	} else {
		put_variable(c, AX, h->what->wake_next, 1);
		put_bytes(c, 0xc084, 2);	/* test %al, %al */
	}
	put_branch(c, IF_NOT_EQUAL, h->wake);
}

/*
 * Interrupts as before the probe of a static tracepoint.  They are on at the begin and the end of a system call (call_given).
 * Behind sti the CPU executes one more instruction before it takes an interrupt, and that one leaves the code, which may be freed
 * then.
 */
static void put_interrupts(struct code *c)
{
	put_pop(c, AX);
	if (!c->a.call_given) {
		put8(c, 0xa9);			/* test $imm, %eax */
		put_bytes(c, KT_FLAGS_IF, 4);
		put_bytes(c, 0x0174, 2);	/* je over sti */
	}
	put8(c, 0xfb);				/* sti */
}

/* As the kernel has patched the return of a function: to a thunk where the processor needs it, else plain. */
void kt_emit_return(struct hit *h)
{
	const u8 *volatile const end = (const u8 *)kt_x86_code_end;	/* volatile: see put_distance() */
	struct code *c = &h->c;
	const u8 ret = 0xc3;

	if (h->is_event && h->is_direct)
		put_sum(c, SP, SP, 8 * EVENT_WORDS);
	if (!h->what->is_jump && (h->is_event || !h->is_direct))
		put_interrupts(c);
	if (*end != ret)
		return jump_to(c, (const void *)end);
	put8(c, ret);
	put8(c, 0xcc);				/* int3: nothing is to be executed behind it by a wrong guess */
}

bool kt_emit_wake(struct hit *h)
{
	struct code *c = &h->c;

	h->wake = c->n;
	put_constant(c, h->is_direct ? AX : DI, (unsigned long)h->what->rings);
	jump_to(c, !h->is_direct ? kt_x86_event_wake : h->is_event ? kt_x86_event_direct_wake : kt_x86_direct_wake);
	return true;
}

/* A direct jump is left to the C path where its trampoline would go without the code. */
static void leave_direct(struct hit *h)
{
	struct code *c = &h->c;

	if (!h->what->table && !h->what->measure) {
		h->undo = c->n;
		put_sum(c, SP, SP, 8);		/* the commit count */
		kt_emit_restore(h);
	}
	h->slow = c->n;
	jump_to(c, h->is_event ? kt_x86_event_direct_slow : kt_x86_direct_slow);
	if (!(h->filter_needs & NEEDS_LOADS))
		return;
	h->filter.give_up = c->n;
	kt_emit_end_loads(h);
	put_jump(c, h->slow);
}

bool kt_emit_leave(struct hit *h)
{
	struct code *c = &h->c;

	if (h->is_direct) {
		leave_direct(h);
		return true;
	}
	h->undo = c->n;
	if (c->varies)
		kt_x86_leave_text(h);
	else if (h->a.commit == NO_REG)
		put_sum(c, SP, SP, 8);
	if (c->a.live & BIT_OF(DX) && !c->varies)
		put_move(c, DX, c->a.second);
	h->slow = c->n;
	put_constant(c, AX, (unsigned long)h->what->desc);
	jump_to(c, h->what->is_jump ? kt_x86_jump_again : kt_x86_event_again);
	return true;
}
