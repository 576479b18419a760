// SPDX-License-Identifier: GPL-2.0-only
/*
 * displaced.c - whole instructions that a jump of five bytes or more may
 * replace.  See displaced.h.
 *
 * Nothing may arrive inside: no branch, no fixup of the exception table, no
 * jump label (branch_target.c; short branches are decoded here), no return of a
 * call, no indirect jump of that function.  None of the instructions may be
 * patched by anybody else.  The conditions are those of optimised kprobes
 * (arch/x86/kernel/kprobes/opt.c, can_optimize()) and jump labels besides.
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
#include "insn.h"
#include "kmod/base/ksym.h"
#include "kmod/base/site.h"
#include "kmod/table/table.h"
#include "kmod/text/change.h"
#include "kmod/text/safety.h"

#define SHORT_REACH	(128 + MAX_INSN_SIZE)	/* bytes from where a short branch comes */

/*
 * A return is filled up to the length of the jump to a return thunk (arch/x86/kernel/alternative.c,
 * apply_returns()): nobody comes there, unless he jumps, which is looked for.
 */
static bool fills_return(const struct kt_decoded *one, const struct kt_decoded *before)
{
	return before->insn.length && before->bytes[0] == RET_INSN_OPCODE &&
	       one->bytes[0] == INT3_INSN_OPCODE;
}

static bool collect(struct kt_site *site, unsigned long end)
{
	unsigned long at = site->addr;
	struct kt_decoded one, before = { .insn.length = 0 };
	bool fills;

	for (; at - site->addr < KT_JUMP_BYTES; at += one.insn.length) {
		if (kt_x86_decode_one(at, &one) || one.patched)
			return false;
		if (at + one.insn.length > end ||
		    at + one.insn.length - site->addr > MAX_INSN_SIZE)
			return false;
		fills = fills_return(&one, &before);
		if (!fills && kt_safety_insn(at, one.bytes, one.insn.length))
			return false;
		if (!fills)
			before = one;
		memcpy(site->displaced + (at - site->addr), one.bytes, one.insn.length);
	}
	site->displaced_len = at - site->addr;
	return true;
}

/* Kprobes that are registered and not armed leave no trace in the text. */
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
 * ff /4 and ff /5, and branches out of the function to a thunk that does the same: range_arch.h has the beginnings of
 * their names. Some thunks are made while the kernel runs, and no symbol tells of them (arch/x86/kernel/alternative.c,
 * its_allocate_thunk()). Return thunks do what returns do.
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
 * What a piece of code jumps to.  Sites mostly come in order, and a function is then decoded
 * once for many of them.  Valid while the text lock is held.
 */
#define LONGEST		(128 * 1024)	/* bytes of a function; in longer ones there are no jumps of ours */

struct branches {
	u64 lock;			/* kt_text_lock_count() */
	unsigned long start, end;
	bool decodes, indirect;		/* all of it; has an indirect jump */
	DECLARE_BITMAP(to, LONGEST + 2 * SHORT_REACH);	/* from start - SHORT_REACH on */
};

static struct branches own, before, behind;	/* of the site's function, and of those around it */

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

/* May b tell of the code from start to end?  It is looked at where that is not known. */
static bool look_at(struct branches *b, unsigned long start, unsigned long end)
{
	if (b->lock == kt_text_lock_count() && b->start == start && b->end == end)
		return b->decodes;
	b->lock = kt_text_lock_count();
	b->start = start;
	b->end = end;
	b->decodes = false;
	b->indirect = false;
	if (end - start <= LONGEST)
		follow(b);
	return b->decodes;
}

/* Bytes where nothing may land. */
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

/* Does any of the code from start to end jump inside, or is that not to be known? */
static bool may_land(struct branches *b, unsigned long start, unsigned long end,
		     const struct inside *in)
{
	return !look_at(b, start, end) || lands(b, in);
}

/* Code before and behind the function, as far as a short branch reaches. */
static bool neighbours_may_land(const struct inside *in, unsigned long start, unsigned long end)
{
	unsigned long at = start, size, offset;

	while (at > in->first - SHORT_REACH) {
		if (!kt_is_text(at - 1) ||
		    !kt_kallsyms_lookup_size_offset(at - 1, &size, &offset))
			break;
		at -= offset + 1;
		if (may_land(&before, at, at + size, in))
			return true;
	}
	return end < in->last + SHORT_REACH && kt_is_text(end) &&
	       may_land(&behind, end, in->last + SHORT_REACH, in);
}

enum kt_refusal kt_x86_displace(struct kt_site *site, unsigned long start, unsigned long size)
{
	struct inside in;
	u8 code[KT_DISPLACED_CODE];

	lockdep_assert_held(&kt_table_lock);
	lockdep_assert_held(kt_text_mutex());
	if (!collect(site, start + size) || kprobe_inside(site->addr + 1, site->displaced_len - 1))
		goto no;
	in.first = site->addr + 1;
	in.last = site->addr + site->displaced_len - 1;
	if (kt_branch_targets_within(in.first, in.last))
		goto no;
	if (may_land(&own, start, start + size, &in) || own.indirect)
		goto no;
	if (neighbours_may_land(&in, start, start + size))
		goto no;
	/* Where it is to be executed is not known yet: from the first to the last place where an area can be. */
	if (kt_x86_relocate_displaced(site->displaced, site->displaced_len, site->addr, MODULES_VADDR, code, sizeof(code)) ||
	    kt_x86_relocate_displaced(site->displaced, site->displaced_len, site->addr, MODULES_END, code, sizeof(code)))
		goto no;
	return KT_REFUSE_NONE;
no:
	site->displaced_len = 0;
	return KT_REFUSE_METHOD;
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
