// SPDX-License-Identifier: GPL-2.0-only
/*
 * emit_hit.c - the parts of a hit that depend on the registers and the frame.  See kmod/code/plan.h.
 *
 * The entry of the hit (entry.S) goes on there with interrupts masked, the frame of frame.h on the stack, and
 *	x8	PSTATE as it was: for jumps the flags, and what is masked
 *	x9	the kt_cpus of this CPU
 *	x10	the current task
 *	x11	the offset of per-CPU variables
 *	x16, x17, x30	free; the frame has what a jump found in them, and in x8 .. x11
 * All other registers have what the hit found there.  Of a static tracepoint only x1 .. x7 have a meaning, its arguments.  The code
 * uses
 *	x12	the control structure of the ring
 *	x13	the word of the ring that the exchange expects
 *	x14	the sub-buffer, later the record; of texts x3, because x14 has the draft
 *	x15	the commit count
 *	x0	the word after the exchange
 *	x16, x17	scratch, the time
 * The programs, filter and payload, have x0 .. x7 as registers, x12 and x13, and the two for loads (emit_program.c).  Those that the
 * code changes are put into the frame before, as far as they are needed again: by a program, by a jump at its end, or by the C
 * path.  A program reads a register where it still is, else from the frame.
 *
 * An exception in the code returns by eret, which makes an exchange fail that it has interrupted, as an NMI does.
 */
#include "core/capture_run.h"
#include "emit_arm64.h"
#include "entry.h"

#define ARGUMENTS	0xfeU		/* x1 .. x7 */
#define CHANGED		0xf000U		/* x12 .. x15, which the code of each hit changes */
/* Registers of a jump that are in the frame before the code begins: x8 .. x11, x16, x17, x30. */
#define IN_FRAME	(0xfULL << PSTATE | 3ULL << KT_IP0 | 1ULL << KT_LR)
#define MOST_UNITS	4000		/* of a record: an instruction that adds has 12 bits for the number */

/* ---------------------------------------------------------------------- the frame */

#define LDP	0xa9400000U
#define STP	0xa9000000U

/* Store these registers into the frame, or load them. */
static void put_frame(struct code *c, bool load, u32 regs)
{
	u32 reg;

	for (reg = 0; reg < KT_ZERO; reg++) {
		if (!(regs & BIT_OF(reg)))
			continue;
		if (reg + 1 < KT_ZERO && regs & BIT_OF(reg + 1)) {
			put(c, (load ? LDP : STP) | KT_REGS_X(reg) / 8 << 15 | (reg + 1) << 10 | SP << 5 | reg);
			reg++;
		} else {
			put_memory(c, load ? OP_LOAD : OP_STORE, reg, SP, KT_REGS_X(reg), 8, KT_ZERO);
		}
	}
}

/* Can the code leave the hit to the C path after a program has changed registers? */
static bool leaves_late(const struct hit *h)
{
	return h->filter.len || h->what->table || h->needs & NEEDS_TEXT;
}

/* What the pass before this one has found: which registers the code changes, and which it reads. */
static void choose_registers(struct hit *h)
{
	const bool measures = h->what->measure && !h->closes;
	struct code *c = &h->c;
	const u32 changes = c->a.used | (measures ? 0 : BIT_OF(NEW)) | (h->needs & NEEDS_TEXT ? 0x1f : 0);

	if (h->is_event) {
		c->a.live = ARGUMENTS & ~changes;
		h->a.kept = ARGUMENTS & changes & (leaves_late(h) ? ~0U : c->a.read);
	} else {
		h->a.kept = (changes & 0xff) | CHANGED;
		c->a.live = 0x3ffc00ffU & ~changes;
	}
	c->a.in_memory = h->a.kept | (h->is_event ? 0 : IN_FRAME);
}

bool kt_emit_begin(struct hit *h)
{
	struct code *c = &h->c;

	c->a.first = 0;
	c->a.is_hit = true;
	c->a.is_direct = !h->is_wide;
	c->a.scratch = TEMP2;
	c->a.atomics = h->at.atomics;
	c->a.lacks = false;
	c->regs_at = SP;
	c->task = ME;
	c->varies = h->needs & NEEDS_TEXT;
	h->a.text = &kt_arm64_texts;
	h->a.record = c->varies ? TEXT_RECORD : RECORD;
	c->out = h->what->table ? SP : c->varies ? COUNT : RECORD;
	choose_registers(h);
	put(c, BTI_C);
	return true;
}

bool kt_emit_save(struct hit *h)
{
	put_frame(&h->c, false, h->a.kept);
	return true;
}

bool kt_emit_save_timed(struct hit *h)
{
	kt_emit_clock(h, TIME);
	kt_emit_save(h);
	put_move(&h->c, WORK2, TIME);
	return true;
}

/* Nobody needs the registers of a static tracepoint again. */
void kt_emit_restore(struct hit *h)
{
	if (!h->is_event)
		put_frame(&h->c, true, h->a.kept);
}

/* ----------------------------------------------------------------- what is examined */

#define LOAD_ID		0x78607800U	/* ldrh w, [base, x, lsl #1] */

/* TIME = 0 if the process of a task is surely not ktrace. */
static void put_own(struct hit *h)
{
	struct code *c = &h->c;

	put_memory(c, OP_LOAD, TEMP, ME, h->at.tgid, 1, TIME);
	put_constant(c, TIME, (unsigned long)h->what->own_ids);
	put_op(c, LOAD_ID, TIME, TIME, TEMP);
}

static void load_busy(struct hit *h, u8 to)
{
	put_memory(&h->c, OP_LOAD, to, CPU, h->at.busy, 8, KT_ZERO);
}

void kt_emit_branch_if_busy(struct hit *h, u32 target)
{
	load_busy(h, TEMP);
	put_branch_unless_zero(&h->c, TEMP, target);
}

void kt_emit_branch_if_own(struct hit *h, u32 target)
{
	put_own(h);
	load_busy(h, TEMP);
	put_op(&h->c, ORR, TIME, TIME, TEMP);
	put_branch_unless_zero(&h->c, TIME, target);
}

void kt_emit_branch_unless_frozen(struct hit *h, u32 target)
{
	put_variable(&h->c, TIME, h->what->recording, 8);
	put_compare_number(&h->c, TIME, 0);
	put_branch(&h->c, IF_NOT_LESS, target);
}

#define LDARB	0x08dffc00U

/* As kt_fast_running(): before the loads behind it. */
void kt_emit_branch_unless_running(struct hit *h, const void *running, u32 target)
{
	struct code *c = &h->c;

	put_constant(c, WORK3, (unsigned long)running);
	put_one(c, LDARB, TEMP, WORK3);
	put_branch_by(c, CBZ | TEMP, target);
}

/*
 * The CPU is in another hit, or turns hits away; recording is frozen or will be; the process may be ktrace itself.  Each has a number
 * that is usually 0.
 */
bool kt_emit_examine(struct hit *h)
{
	const u32 target = h->is_wide ? h->slow : h->look;
	struct code *c = &h->c;

	put_variable(c, TIME, h->what->recording, 8);
	load_busy(h, TEMP);
	put_op(c, ORR, TIME, TIME, TEMP);
	if (h->what->own_ids) {
		put_branch_unless_zero(c, TIME, target);
		put_own(h);
	}
	put_branch_unless_zero(c, TIME, target);
	return true;
}

/* ---------------------------------------------------------------------- programs */

void kt_emit_begin_loads(struct hit *h)
{
	struct code *c = &h->c;

	put_sum(c, SCRATCH, SP, 0);
	put_memory(c, OP_STORE, SCRATCH, CPU, h->at.loads_at, 4, KT_ZERO);
	kt_arm64_begin_loads(c);
}

void kt_emit_end_loads(struct hit *h)
{
	put_memory(&h->c, OP_STORE, KT_ZERO, CPU, h->at.loads_at, 4, KT_ZERO);
}

bool kt_emit_filter(struct hit *h)
{
	const bool loads = h->filter_needs & NEEDS_LOADS;
	bool good;

	if (loads)
		kt_emit_begin_loads(h);
	good = kt_code_program(&h->c, &h->filter, 0);
	if (loads)
		kt_emit_end_loads(h);
	return good;
}

void kt_arm64_find_call(struct hit *h)
{
	struct code *c = &h->c;

	c->call = OFFSET;
	put_word(c, OP_STORE, OFFSET, KT_FRAME_KEEP);
	if (h->what->call_given)
		return put_move(c, OFFSET, 1);
	put_memory(c, OP_LOAD, OFFSET, ME, h->at.stack, 8, KT_ZERO);
	put_sum(c, OFFSET, OFFSET, h->at.call);
}

void kt_arm64_forget_call(struct hit *h)
{
	if (h->needs & NEEDS_CALL)
		put_word(&h->c, OP_LOAD, OFFSET, KT_FRAME_KEEP);
}

void kt_emit_begin_payload(struct hit *h)
{
	if (h->needs & NEEDS_CALL)
		kt_arm64_find_call(h);
	if (h->needs & NEEDS_LOADS)
		kt_emit_begin_loads(h);
}

void kt_emit_end_payload(struct hit *h)
{
	h->recorded = h->c.n;
	if (h->needs & NEEDS_LOADS)
		kt_emit_end_loads(h);
	kt_arm64_forget_call(h);
}

#define FREE_FOR_C	(0xffU | BIT_OF(18))	/* functions may change these, too: x0 .. x7, x18 */

/* kt_capture_rest(insns, regs, out, NULL), for which the frame has all registers that the program reads. */
bool kt_emit_interpret(struct hit *h)
{
	static const u8 keep[] = { PSTATE, CPU, OFFSET, RECORD, COUNT };
	struct code *c = &h->c;
	u32 i;

	h->record.give_up = c->n;
	put_frame(c, false, c->a.live & (c->a.read | FREE_FOR_C));
	for (i = 0; i < sizeof(keep); i++)
		put_word(c, OP_STORE, keep[i], KT_FRAME_KEEP + 8 * (i + 1));
	put_sum(c, 0, SP, KT_FRAME_BYTES);
	put_word(c, OP_STORE, 0, KT_REGS_X(SP));
	put_constant(c, 0, (unsigned long)h->record.insns);
	put_sum(c, 1, SP, 0);
	put_sum(c, 2, RECORD, header_bytes(h));
	put_move(c, 3, KT_ZERO);
	put_call(c, kt_capture_rest, AND_RETURN);
	for (i = 0; i < sizeof(keep); i++)
		put_word(c, OP_LOAD, keep[i], KT_FRAME_KEEP + 8 * (i + 1));
	put_frame(c, true, c->a.live & FREE_FOR_C);
	put_jump(c, h->recorded);
	return true;
}

bool kt_emit_data(struct hit *h)
{
	if (h->what->text)
		*h->what->text = h->c.n;
	return true;
}

/* ----------------------------------------------------------------- key and value */

void kt_emit_draft_begin(struct hit *h)
{
}

void kt_emit_draft_end(struct hit *h)
{
}

void kt_emit_undo_draft(struct hit *h)
{
	put_frame(&h->c, true, h->a.kept);
	put_jump(&h->c, h->slow);
}

/* ------------------------------------------------------------------ counts, the end */

void kt_emit_count_others(struct hit *h)
{
	add_to_cpu(h, h->at.others, 1);
}

/* As kt_wake_check(). */
void kt_emit_branch_if_waiting(struct hit *h)
{
	put_variable(&h->c, TEMP, h->what->wake_next, 1);
	put_branch_unless_zero(&h->c, TEMP, h->wake);
}

void kt_emit_return(struct hit *h)
{
	put_call(&h->c, h->is_event ? kt_arm64_event_end : kt_arm64_jump_end, LEAVE);
}

/* A reader waits for the record. */
bool kt_emit_wake(struct hit *h)
{
	struct code *c = &h->c;

	h->wake = c->n;
	put_constant(c, TEMP, (unsigned long)h->what->rings);
	put_call(c, h->is_event ? kt_arm64_event_wake : kt_arm64_jump_wake, LEAVE);
	return true;
}

bool kt_emit_leave(struct hit *h)
{
	const bool loads = h->filter_needs & NEEDS_LOADS;
	struct code *c = &h->c;

	h->filter.give_up = c->n;
	if (loads)
		kt_emit_end_loads(h);
	if (!h->what->table)
		h->undo = c->n;
	if (c->varies) {
		h->record.give_up = c->n;
		kt_arm64_forget_call(h);
		add_to_cpu(h, h->at.busy, -1);
	}
	if (leaves_late(h) || !h->is_event)
		put_frame(c, true, h->a.kept);
	h->slow = c->n;
	put_constant(c, TEMP, (unsigned long)h->what->desc);
	put_call(c, h->is_event ? kt_arm64_event_again : kt_arm64_jump_again, LEAVE);
	return true;
}

/* ---------------------------------------------------------------------- possible? */

bool kt_emit_possible(const struct hit *h)
{
	const struct kt_hit_code *what = h->what;

	if (h->needs & NEEDS_TEXT)
		return 2 * what->units < KT_MAX_PAYLOAD;
	return what->table || what->measure || record_units(h) < MOST_UNITS;
}
