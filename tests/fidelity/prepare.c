// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * prepare.c - random states, changed so that most instructions find what they need: operands in the window,
 * branch targets with a pad or an int3, counters that end. See prepare.h.
 */
#include <string.h>

#include <linux/kernel.h>

#include "cpu.h"
#include "directed.h"
#include "displace.h"
#include "machine.h"
#include "operand.h"
#include "prepare.h"
#include "window.h"

#define SLOT_ALIGN	32
#define CACHE_LINE	64
#define REACH		(1l << 31)
#define STACK_MIDDLE	(WINDOW_STACK + 2048)

/* ------------------------------------------------------------------ values */

/* A random address in the window; with `low`, one of 31 bits. */
static u64 pointer(struct trial *trial, bool low)
{
	struct rng *rng = &trial->rng;
	u64 base = machine_window[rng_below(rng, low ? NR_LOW_WINDOWS : NR_WINDOWS)];
	u32 kind = rng_below(rng, 100);

	if (kind < 60)
		return base + CACHE_LINE * rng_below(rng, WINDOW_STACK / CACHE_LINE);
	if (kind < 90)
		return base + rng_below(rng, WINDOW_BYTES);
	/* Across the edges of pages and of the window. */
	return base + MACHINE_PAGE * (1 + rng_below(rng, 3)) - rng_below(rng, 80);
}

static u64 value(struct trial *trial)
{
	struct rng *rng = &trial->rng;

	switch (rng_below(rng, 8)) {
	case 0:
		return rng_below(rng, 256);
	case 1:
		return -(u64)rng_below(rng, 256);
	case 2:
		return (1ull << rng_below(rng, 64)) - rng_below(rng, 2);
	case 3:
		return (u32)rng_next(rng);
	case 4:
	case 5:
		return pointer(trial, false);
	default:
		return rng_next(rng);
	}
}

static u64 stack_pointer(struct trial *trial)
{
	struct rng *rng = &trial->rng;
	u64 base = machine_window[rng_below(rng, NR_WINDOWS)] + STACK_MIDDLE;
	u32 kind = rng_below(rng, 100);

	if (kind < 90)
		return base + 8 * rng_below(rng, 64);
	return kind < 97 ? base + rng_below(rng, 512) : value(trial);
}

static u64 flags(struct rng *rng)
{
	u64 flags = FLAGS_FIXED | (rng_next(rng) & (FLAGS_STATUS | FLAG_ID));

	if (rng_percent(rng, 20))
		flags |= FLAG_DF;
	if (rng_percent(rng, 4))
		flags |= FLAG_AC;
	return flags;
}

static void random_state(struct trial *trial)
{
	struct state *state = &trial->state;
	unsigned int i;

	memset(state, 0, sizeof(*state));
	for (i = 0; i < NR_GPR; i++)
		state->gpr[i] = value(trial);
	state->gpr[RSP] = stack_pointer(trial);
	if (rng_percent(&trial->rng, 50))
		state->gpr[RBP] = stack_pointer(trial);
	state->flags = flags(&trial->rng);
	state->fs_base = pointer(trial, false);
	state->gs_base = pointer(trial, false);
	trial->vectors = cpu_vector(rng_below(&trial->rng, CPU_NR_VECTORS));
}

/* ------------------------------------------------------------ the operand */

/* See operand_splits_lock(). A bit offset in a register moves the operand by whole words. */
static u64 keep_in_line(const struct trial *trial, unsigned int which, u64 linear)
{
	return operand_is_locked(trial, which) ? linear & ~7ull : linear;
}

static bool is_canonical(u64 address)
{
	return (u64)((s64)(address << 16) >> 16) == address;
}

/* A RIP-relative per-CPU access: any displacement, with the base that makes it right. */
static bool aim_by_base(struct trial *trial, unsigned int which, u64 linear)
{
	bool gs = insn_has_prefix(&trial->subject.insn[which], 0x65);
	u64 *base = gs ? &trial->state.gs_base : &trial->state.fs_base;
	u64 moved = *base + linear - operand_linear(trial, which);

	if (operand_segment_base(trial, which) != *base || !is_canonical(moved))
		return false;
	*base = moved;
	return true;
}

/* Close to the limit of the slot's 32-bit displacement, on either side. */
static u64 edge(struct trial *trial)
{
	u64 limit = rng_percent(&trial->rng, 50) ? REACH : -REACH;

	return trial->slot + limit + rng_below(&trial->rng, 80) - 40;
}

static u64 operand_place(struct trial *trial, unsigned int which)
{
	u32 kind = rng_below(&trial->rng, 100);

	if (kind < 3 && insn_is_rip_relative(&trial->subject.insn[which]))
		return edge(trial);
	if (kind >= 97)
		return rng_next(&trial->rng);
	/* Not the word that the call pushes, nor what a trampoline leaves below the stack pointer. */
	if (insn_class(&trial->subject.insn[which]) == CLASS_CALL_INDIRECT)
		return machine_window[rng_below(&trial->rng, NR_LOW_WINDOWS)] +
		       rng_below(&trial->rng, WINDOW_STACK - 16);
	return pointer(trial, operand_is_low(trial, which));
}

static void aim_operand(struct trial *trial, unsigned int which)
{
	u64 linear = keep_in_line(trial, which, operand_place(trial, which));

	if (operand_segment_base(trial, which) && insn_is_rip_relative(&trial->subject.insn[which]) &&
	    rng_percent(&trial->rng, 50) && aim_by_base(trial, which, linear))
		return;
	operand_aim(trial, which, linear);
}

/* mov between the accumulator and an absolute address. */
static void aim_absolute(struct trial *trial, unsigned int which)
{
	struct insn *insn = &trial->subject.insn[which];
	u64 address = pointer(trial, insn->addr_bytes != 8) - operand_segment_base(trial, which);
	u8 *end = trial->subject.bytes + trial->subject.start[which] + insn->length;

	/* With a REX2 prefix the same opcode is another instruction. */
	if (insn->length > insn->addr_bytes)
		memcpy(end - insn->addr_bytes, &address, insn->addr_bytes);
}

/* ---------------------------------------------------------------- branches */

/* Execution must continue where the trial says: not inside the instructions, nor inside the pad behind them. */
static bool is_target(const struct trial *trial, u64 target)
{
	u64 behind = trial_behind(trial);

	if (target == behind)
		return true;
	if (target >= trial->at && target < behind + PAD_BYTES)
		return false;
	return machine_is_text(target, 1) || machine_is_land(target) ||
	       machine_is_pad(target) || target >= MACHINE_END;
}

static u64 near_target(struct trial *trial)
{
	return (trial->at & ~(TEXT_BYTES - 1)) + rng_below(&trial->rng, TEXT_BYTES);
}

static u64 far_target(struct trial *trial)
{
	u64 behind = trial_behind(trial);

	switch (rng_below(&trial->rng, 10)) {
	case 0:
	case 1:
		return machine_fixed_pad(rng_next(&trial->rng));
	case 2:
	case 3:
		return behind + (s32)rng_next(&trial->rng);
	case 4:
		return edge(trial);
	case 5:
		return behind;
	default:
		return near_target(trial);
	}
}

static bool reaches(u64 from, u64 target, unsigned int bytes)
{
	s64 distance = target - from;

	return bytes == 1 ? distance == (s8)distance : distance == (s32)distance;
}

static void aim_branch(struct trial *trial, unsigned int which)
{
	unsigned int size = trial->subject.insn[which].immediate.nbytes;
	u64 next = trial_next(trial, which), target;
	s64 distance;

	if (size != 1 && size != 4)
		return;
	do {
		target = size == 1 ? next + (s8)rng_next(&trial->rng) : far_target(trial);
	} while (!is_target(trial, target) || !reaches(next, target, size));
	if (trial->directed && trial->directed->itself)
		target = trial->at;
	distance = target - next;
	memcpy(trial->subject.bytes + (next - trial->at) - size, &distance, size);
	trial->target = target;
}

static void patch_pad(struct trial *trial, u64 linear)
{
	u64 pad = machine_fixed_pad(rng_next(&trial->rng));
	u32 offset;

	if (rng_percent(&trial->rng, 95) && window_offset(linear, sizeof(pad), &offset))
		window_patch(offset, &pad, sizeof(pad));
}

static void aim_indirect(struct trial *trial, unsigned int which)
{
	struct insn *insn = &trial->subject.insn[which];
	unsigned int reg = X86_MODRM_RM(insn->modrm.value) | (X86_REX_B(insn->rex_prefix.value) ? 8 : 0);

	if (insn_has_memory(insn))
		patch_pad(trial, operand_linear(trial, which));
	else if (rng_percent(&trial->rng, 90))
		trial->state.gpr[reg] = machine_fixed_pad(rng_next(&trial->rng));
}

/* ---------------------------------------------------------- one for a class */

static void prepare_return(struct trial *trial, unsigned int which)
{
	patch_pad(trial, trial->state.gpr[RSP]);
}

/* No TF: a single step would show the jump at the end of the slot; in a kernel TF is never set. */
static void prepare_stack(struct trial *trial, unsigned int which)
{
	static const struct pattern popf = { MAP_ONE, 0x9d, 0x9d };
	u64 popped;
	u32 offset;

	if (!pattern_matches(&popf, &trial->subject.insn[which]) ||
	    !window_offset(trial->state.gpr[RSP], sizeof(popped), &offset))
		return;
	memcpy(&popped, window_image() + offset, sizeof(popped));
	popped &= ~(u64)FLAG_TF;
	window_patch(offset, &popped, sizeof(popped));
}

/* Counters that end; some do not end before the window does. */
static void prepare_string(struct trial *trial, unsigned int which)
{
	bool low = trial->subject.insn[which].addr_bytes != 8;

	trial->state.gpr[RCX] = rng_below(&trial->rng, rng_percent(&trial->rng, 90) ? 20 : 5000);
	trial->state.gpr[RSI] = pointer(trial, low) - operand_segment_base(trial, which);
	trial->state.gpr[RDI] = pointer(trial, low);
}

static void prepare_loop(struct trial *trial, unsigned int which)
{
	if (rng_percent(&trial->rng, 70))
		trial->state.gpr[RCX] = rng_below(&trial->rng, 3);
	if (rng_percent(&trial->rng, 10))
		trial->state.gpr[RCX] |= rng_next(&trial->rng) << 32;
	aim_branch(trial, which);
}

static void prepare_one(struct trial *trial, unsigned int which)
{
	static const struct pattern absolute = { MAP_ONE, 0xa0, 0xa3 };

	if (pattern_matches(&absolute, &trial->subject.insn[which]))
		aim_absolute(trial, which);
}

static void (*const by_class[NR_CLASSES])(struct trial *trial, unsigned int which) = {
	[MAP_ONE] = prepare_one,	      [CLASS_CALL] = aim_branch,
	[CLASS_JMP] = aim_branch,	      [CLASS_JCC] = aim_branch,
	[CLASS_CALL_INDIRECT] = aim_indirect, [CLASS_JMP_INDIRECT] = aim_indirect,
	[CLASS_RET] = prepare_return,	      [CLASS_STACK] = prepare_stack,
	[CLASS_STRING] = prepare_string,      [CLASS_LOOP] = prepare_loop,
};

/* ----------------------------------------------------------------- the whole */

static u64 good_stack_pointer(struct trial *trial)
{
	u64 base = machine_window[rng_below(&trial->rng, NR_WINDOWS)];

	return base + STACK_MIDDLE + 8 * rng_below(&trial->rng, 64);
}

/* What the directed instruction and the method require. */
static void demand(struct trial *trial)
{
	const struct directed *directed = trial->directed;

	if (directed && directed->counts)
		trial->state.gpr[RCX] = directed->count;
	if (trial->method->stack)
		trial->state.flags &= ~(u64)FLAG_AC;
}

static void place(struct trial *trial)
{
	struct rng *rng = &trial->rng;

	trial->at = machine_text[rng_below(rng, NR_TEXTS)] + MACHINE_PAGE + rng_below(rng, 2 * MACHINE_PAGE);
	trial->slot = machine_slots[rng_below(rng, NR_SLOTS)] +
		      SLOT_ALIGN * rng_below(rng, TEXT_BYTES / 2 / SLOT_ALIGN);
	trial->class = insn_class(trial_last(trial));
	trial->target = 0;
}

static void prepare_insn(struct trial *trial, unsigned int which)
{
	const struct insn *insn = &trial->subject.insn[which];
	enum class class = insn_class(insn);

	if (insn_has_memory(insn))
		aim_operand(trial, which);
	if (by_class[class])
		by_class[class](trial, which);
}

void prepare(struct trial *trial)
{
	unsigned int i;

	place(trial);
	random_state(trial);
	if (trial->method->stack || (trial->directed && trial->directed->stack_good))
		trial->state.gpr[RSP] = good_stack_pointer(trial);
	demand(trial);
	for (i = 0; i < trial->subject.count; i++)
		prepare_insn(trial, i);
	demand(trial);
	/* Displacements and immediates were changed: update the decoded fields. */
	subject_decode(&trial->subject, trial->subject.count);
}
