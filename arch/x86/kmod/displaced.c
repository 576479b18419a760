// SPDX-License-Identifier: GPL-2.0-only
/*
 * displaced.c - the whole instructions that a jump of five bytes or more may replace.  See displaced.h.
 *
 * No execution may arrive inside these instructions: no branch, no fixup of the exception table, no jump label, no pointer
 * in the data (branch_target.c; this file decodes short branches), no return of a call, no indirect jump of the function
 * (indirect.c).  Only ktrace may patch these instructions.  The conditions are those of optimised kprobes
 * (arch/x86/kernel/kprobes/opt.c, can_optimize()); this file also checks jump labels and pointers.  Unlike kprobes, ktrace also replaces branches: a quarter of all
 * sites have one within five bytes.  Their copies in the trampoline lead to the same targets.
 */
#include <linux/bitmap.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/insn.h>
#include <asm/pgtable.h>
#include <asm/text-patching.h>

#include "kmod/base/ktrace.h"
#include "branch_target.h"
#include "displaced.h"
#include "flags.h"
#include "guard.h"
#include "indirect.h"
#include "insn.h"
#include "kmod/base/ksym.h"
#include "kmod/base/site.h"
#include "kmod/table/table.h"
#include "kmod/text/change.h"
#include "kmod/text/safety.h"

#define SHORT_REACH	(128 + MAX_INSN_SIZE)	/* a short branch is at most so many bytes away from its target */

/*
 * The kernel replaces a jump to a return thunk by a return, and fills the rest with int3
 * (arch/x86/kernel/alternative.c, apply_returns()).  Execution cannot reach this filling, except by a jump, which
 * other checks find.
 */
static bool fills_return(const struct kt_decoded *one, const struct kt_decoded *before)
{
	return before->insn.length && before->bytes[0] == RET_INSN_OPCODE &&
	       one->bytes[0] == INT3_INSN_OPCODE;
}

static enum kt_no_jump collect(struct kt_site *site, unsigned long end)
{
	unsigned long at = site->addr;
	struct kt_decoded one, before = { .insn.length = 0 };
	bool fills;

	for (; at - site->addr < KT_JUMP_BYTES; at += one.insn.length) {
		if (kt_x86_decode_one(at, &one))
			return KT_NO_JUMP_FUNCTION;
		if (one.patched)
			return KT_NO_JUMP_KPROBE;
		if (at + one.insn.length > end ||
		    at + one.insn.length - site->addr > MAX_INSN_SIZE)
			return KT_NO_JUMP_END;
		fills = fills_return(&one, &before);
		if (!fills && kt_safety_insn(at, one.bytes, one.insn.length))
			return KT_NO_JUMP_FIXED;
		if (!fills)
			before = one;
		memcpy(site->displaced + (at - site->addr), one.bytes, one.insn.length);
	}
	site->displaced_len = at - site->addr;
	return KT_NO_JUMP_NONE;
}

/* Ask for registered kprobes: a kprobe that is not armed leaves no trace in the text. */
static bool kprobe_inside(unsigned long addr, unsigned int len)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		if (kt_x86_has_kprobe(addr + i))
			return true;
	return false;
}

static bool short_branch(const struct insn *insn)
{
	u8 op = insn->opcode.bytes[0];

	return insn->opcode.nbytes == 1 &&
	       ((op & 0xf0) == 0x70 || (op >= 0xe0 && op <= 0xe3) || op == 0xeb);
}

/*
 * ff /4 and ff /5, and branches out of the function to a thunk that jumps indirectly.  range_arch.h has the prefixes of
 * the names of thunks.  The kernel allocates some thunks at run time, without a symbol (arch/x86/kernel/alternative.c,
 * its_allocate_thunk()).  A jump to a return thunk counts as a return.
 */
static bool indirect_jump(const struct insn *insn, unsigned long target, bool is_inside)
{
	const u8 *op = insn->opcode.bytes;

	if (insn->opcode.nbytes == 1 && op[0] == 0xff)
		return (X86_MODRM_REG(insn->modrm.value) & 6) == 4;
	if (!((insn->opcode.nbytes == 1 && op[0] == 0xe9) ||
	      (insn->opcode.nbytes == 2 && op[0] == 0x0f && (op[1] & 0xf0) == 0x80)))
		return false;
	return !is_inside &&
	       (!kt_is_text(target) || kt_safety_prefix(target) == KT_REFUSE_BLACKLIST);
}

/*
 * The targets of the branches in a piece of code.  Sites mostly come in the order of their addresses, so ktrace decodes
 * a function once for many sites.  Valid while the text lock is held.
 */
#define LONGEST		(128 * 1024)	/* bytes of a function; ktrace writes no jumps in longer functions */

struct branches {
	u64 lock;			/* kt_text_lock_count() */
	unsigned long start, end;
	bool decodes, indirect;		/* all of it could be decoded; it has an indirect jump */
	bool inside;			/* an indirect jump may lead to another instruction of the function; only in `own` */
	DECLARE_BITMAP(to, LONGEST + 2 * SHORT_REACH);	/* branch targets; bit 0 is start - SHORT_REACH */
};

static struct branches own, before, behind;	/* the site's function, and the code before and after it */

static void follow(struct branches *b)
{
	unsigned long at, next, target;
	struct kt_decoded one;
	u32 run = 0;

	bitmap_zero(b->to, b->end - b->start + 2 * SHORT_REACH);
	for (at = b->start; at < b->end; at = next) {
		if (kt_x86_decode_one(at, &one) || kt_x86_in_hole(&one, &run))
			return;
		next = at + one.insn.length;
		target = next + one.insn.immediate.value;
		if (short_branch(&one.insn))
			__set_bit(target - (b->start - SHORT_REACH), b->to);
		b->indirect |= indirect_jump(&one.insn, target, target >= b->start && target < b->end);
	}
	b->decodes = true;
}

/* Make b describe the code from start to end.  False: it cannot be decoded, or it is too long. */
static bool look_at(struct branches *b, unsigned long start, unsigned long end)
{
	if (b->lock == kt_text_lock_count() && b->start == start && b->end == end)
		return b->decodes;
	b->lock = kt_text_lock_count();
	b->start = start;
	b->end = end;
	b->decodes = false;
	b->indirect = false;
	b->inside = false;
	if (end - start <= LONGEST)
		follow(b);
	return b->decodes;
}

/* The bytes that must not be branch targets. */
struct inside {
	unsigned long first, last;
};

static bool lands(const struct branches *b, const struct inside *in)
{
	unsigned long base = b->start - SHORT_REACH, size = b->end - b->start + 2 * SHORT_REACH;
	unsigned long limit;

	if (in->last < base || in->first >= base + size)
		return false;
	limit = min(in->last - base + 1, size);
	return find_next_bit(b->to, limit, in->first > base ? in->first - base : 0) < limit;
}

/* Does the code from start to end branch to these bytes? */
static enum kt_no_jump may_land(struct branches *b, unsigned long start, unsigned long end, const struct inside *in)
{
	if (!look_at(b, start, end))
		return KT_NO_JUMP_FUNCTION;
	return lands(b, in) ? KT_NO_JUMP_TARGET : KT_NO_JUMP_NONE;
}

/* The same for the code before and after the function, as far as a short branch reaches. */
static enum kt_no_jump neighbours_may_land(const struct inside *in, unsigned long start, unsigned long end)
{
	unsigned long at = start, size, offset;
	enum kt_no_jump why = KT_NO_JUMP_NONE;

	while (!why && at > in->first - SHORT_REACH) {
		if (!kt_is_text(at - 1) ||
		    !kt_kallsyms_lookup_size_offset(at - 1, &size, &offset))
			break;
		at -= offset + 1;
		why = may_land(&before, at, at + size, in);
	}
	if (!why && end < in->last + SHORT_REACH && kt_is_text(end))
		why = may_land(&behind, end, in->last + SHORT_REACH, in);
	return why;
}

/* Make `own` describe the function. */
static bool look_at_function(unsigned long start, unsigned long end)
{
	const bool is_known = own.lock == kt_text_lock_count() && own.start == start && own.end == end;

	if (look_at(&own, start, end) && !is_known && own.indirect)
		own.inside = kt_x86_indirect_inside(start, end);
	return own.decodes;
}

/* May execution arrive inside the displaced instructions? */
static enum kt_no_jump may_arrive(const struct kt_site *site, unsigned long start, unsigned long end)
{
	const struct inside in = { site->addr + 1, site->addr + site->displaced_len - 1 };

	if (kt_branch_targets_within(in.first, in.last))
		return KT_NO_JUMP_TARGET;
	if (!look_at_function(start, end))
		return KT_NO_JUMP_FUNCTION;
	if (lands(&own, &in))
		return KT_NO_JUMP_TARGET;
	if (own.inside)
		return KT_NO_JUMP_INDIRECT;
	return neighbours_may_land(&in, start, end);
}

/* Can the displaced instructions be executed in a trampoline at `at`? */
static enum kt_no_jump may_move(const struct kt_site *site, unsigned long at)
{
	u8 code[KT_DISPLACED_CODE];

	switch (kt_x86_relocate_displaced(site->displaced, site->displaced_len, site->addr, at, code, sizeof(code))) {
	case KT_REFUSE_NONE:
		return KT_NO_JUMP_NONE;
	case KT_REFUSE_METHOD:
		return KT_NO_JUMP_BRANCH;
	case KT_REFUSE_RANGE:
		return KT_NO_JUMP_RANGE;
	default:
		return KT_NO_JUMP_UNMOVABLE;
	}
}

/* From the moment the jump is armed, the guard must know the branches under it. */
static enum kt_no_jump tell_guard(struct kt_site *site)
{
	unsigned long targets[KT_MAX_BRANCHES];

	kt_x86_branch_targets(site->displaced, site->displaced_len, site->addr, targets);
	if (targets[0] && kt_guard_is_missing())
		return KT_NO_JUMP_BRANCH;
	memcpy(site->branch_targets, targets, sizeof(targets));
	return KT_NO_JUMP_NONE;
}

/* The address of the trampoline is not known yet, so try the lowest and the highest address of an area. */
enum kt_no_jump kt_x86_displace(struct kt_site *site, unsigned long start, unsigned long size)
{
	enum kt_no_jump why;

	lockdep_assert_held(&kt_table_lock);
	lockdep_assert_held(kt_text_mutex());
	why = collect(site, start + size);
	if (!why && kprobe_inside(site->addr + 1, site->displaced_len - 1))
		why = KT_NO_JUMP_KPROBE;
	why = why ?: may_arrive(site, start, start + size);
	why = why ?: may_move(site, MODULES_VADDR);
	why = why ?: may_move(site, MODULES_END);
	why = why ?: tell_guard(site);
	if (why)
		site->displaced_len = 0;
	else
		site->flags_dead = kt_x86_flags_dead(site->addr, start + size);
	return why;
}

bool kt_x86_displaced_intact(const struct kt_site *site)
{
	u8 now[KT_MAX_INSN];

	lockdep_assert_held(&kt_table_lock);
	lockdep_assert_held(kt_text_mutex());
	return !kprobe_inside(site->addr, site->displaced_len) &&
	       !copy_from_kernel_nofault(now, (void *)site->addr, site->displaced_len) &&
	       now[0] == 0xcc && !memcmp(now + 1, site->displaced + 1, site->displaced_len - 1);
}
