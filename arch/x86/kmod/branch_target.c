// SPDX-License-Identifier: GPL-2.0-only
/*
 * branch_target.c - see branch_target.h.
 *
 * A bitmap has one bit for each byte of a text.  A bit is set if the byte may be a branch target:
 * - the target of any 32-bit displacement that could belong to a call or a branch.  The search looks at each byte, not
 *   only at instruction boundaries, so it may find a target that is none, but it misses none;
 * - the fixups of the exception table;
 * - the targets of jump labels, which are branches in one of their two states.
 *
 * ktrace makes a bitmap once for the kernel, and once for each traced module.  It stays valid, because only jump labels
 * change such a displacement at run time.  Short branches are not in it: the caller decodes the surrounding code.
 */
#include <linux/bitmap.h>
#include <linux/extable.h>
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "kmod/base/ktrace.h"
#include "branch_target.h"
#include "kmod/base/ksym.h"
#include "kmod/compat/compat.h"
#include "kmod/text/change.h"
#include "kmod/text/jump_label.h"

struct branch_targets {
	struct list_head list;
	const struct module *mod;	/* NULL: the kernel */
	unsigned long base, size;
	unsigned long bits[];
};

static LIST_HEAD(all_targets);	/* under kt_change_lock */

static struct branch_targets *targets_find(unsigned long addr)
{
	struct branch_targets *l;

	list_for_each_entry(l, &all_targets, list)
		if (addr - l->base < l->size)
			return l;
	return NULL;
}

static void mark(struct branch_targets *l, unsigned long target)
{
	if (target - l->base < l->size)
		__set_bit(target - l->base, l->bits);
}

/*
 * e8 call, e9 jmp, 0f 80 .. 0f 8f jcc.  A breakpoint (cc) may replace the first byte of any of them.  The caller
 * guarantees that p[0] .. p[5] can be read.
 */
static void mark_displacement(struct branch_targets *l, const u8 *p, unsigned long addr)
{
	s32 rel;

	if (p[0] == 0xe8 || p[0] == 0xe9 || p[0] == 0xcc) {
		memcpy(&rel, p + 1, sizeof(rel));
		mark(l, addr + 5 + rel);
	}
	if ((p[0] == 0x0f || p[0] == 0xcc) && (p[1] & 0xf0) == 0x80) {
		memcpy(&rel, p + 2, sizeof(rel));
		mark(l, addr + 6 + rel);
	}
}

#define EACH(byte)	(~0UL / 255 * (byte))	/* a word of such bytes */

/*
 * Which bytes of a word may be the first of such an instruction, by their highest bit.  Most bytes of a text are none, so eight
 * at a time are looked at.  A byte after one that is right may be wrong: mark_displacement() looks again.
 */
static unsigned long may_begin(unsigned long word)
{
	const unsigned long call = (word | EACH(1)) ^ EACH(0xe9), jcc = word ^ EACH(0x0f), trap = word ^ EACH(0xcc);

	return (((call - EACH(1)) & ~call) | ((jcc - EACH(1)) & ~jcc) | ((trap - EACH(1)) & ~trap)) & EACH(0x80);
}

#define LONGEST	6	/* bytes of the longest branch that the search finds */
#define PIECE	512

/*
 * Megabytes of int3 fill the text up to the aligned text of entries.  A displacement of such bytes leads out of any text: nothing
 * begins in the first of two such words.
 */
static bool is_filling(const unsigned long *word)
{
	return word[0] == EACH(0xcc) && word[1] == EACH(0xcc);
}

/* Branches that begin in the piece at addr, of which n bytes were read. */
static void mark_piece(struct branch_targets *l, const unsigned long *piece, size_t n, unsigned long addr)
{
	const u8 *bytes = (const u8 *)piece;
	unsigned long found;
	size_t at, i;

	for (at = 0; at < min_t(size_t, n, PIECE); at += sizeof(found), piece++)
		for (found = is_filling(piece) ? 0 : may_begin(*piece); found; found &= found - 1) {
			i = at + __ffs(found) / 8;
			mark_displacement(l, bytes + i, addr + i);
		}
}

/* The last bytes of the text begin no branch that could be complete: behind the text, zeros stand for what is there. */
static int mark_displacements(struct branch_targets *l)
{
	unsigned long piece[PIECE / sizeof(long) + 1], at;
	size_t n;

	for (at = 0; at < l->size; at += PIECE) {
		n = min(sizeof(piece), l->size - at);
		memset((u8 *)piece + n, 0, sizeof(piece) - n);
		if (copy_from_kernel_nofault(piece, (void *)(l->base + at), n))
			return -EFAULT;
		mark_piece(l, piece, n, l->base + at);
		cond_resched();
	}
	return 0;
}

static void mark_fixups(struct branch_targets *l, const struct exception_table_entry *first,
			const struct exception_table_entry *end)
{
	for (; first < end; first++)
		mark(l, (unsigned long)&first->fixup + first->fixup);
}

static void mark_jump_labels(struct branch_targets *l, const struct jump_entry *first,
			     const struct jump_entry *end)
{
	for (; first < end; first++)
		mark(l, jump_entry_target(first));
}

static int mark_kernel(struct branch_targets *l)
{
	const void *extable = (void *)kt_ksym_find("__start___ex_table");
	const void *extable_end = (void *)kt_ksym_find("__stop___ex_table");
	const struct jump_entry *jumps, *jumps_end;

	if (!extable || !extable_end || !kt_jump_labels(&jumps, &jumps_end))
		return -ENOENT;
	mark_fixups(l, extable, extable_end);
	mark_jump_labels(l, jumps, jumps_end);
	return mark_displacements(l);
}

static int mark_module(struct branch_targets *l)
{
	const struct module *mod = l->mod;

	mark_fixups(l, mod->extable, mod->extable + mod->num_exentries);
	mark_jump_labels(l, mod->jump_entries, mod->jump_entries + mod->num_jump_entries);
	return mark_displacements(l);
}

static void text_of(const struct module *mod, unsigned long *base, unsigned long *size)
{
	if (mod) {
		*base = (unsigned long)kt_module_text_base(mod);
		*size = kt_module_text_size(mod);
	} else {
		*base = kt_ksym_find("_stext");
		*size = kt_ksym_find("_etext") - *base;
	}
}

int kt_branch_targets_prepare(unsigned long addr, const struct module *mod)
{
	unsigned long base, size;
	struct branch_targets *l;
	int err;

	lockdep_assert_held(&kt_change_lock);
	if (targets_find(addr))
		return 0;
	text_of(mod, &base, &size);
	if (addr - base >= size)
		return -ENOENT;
	l = vzalloc(sizeof(*l) + BITS_TO_LONGS(size) * sizeof(long));
	if (!l)
		return -ENOMEM;
	l->mod = mod;
	l->base = base;
	l->size = size;
	err = mod ? mark_module(l) : mark_kernel(l);
	if (err) {
		vfree(l);
		return err;
	}
	list_add_tail(&l->list, &all_targets);
	return 0;
}

bool kt_branch_targets_within(unsigned long first, unsigned long last)
{
	const struct branch_targets *l = targets_find(first);

	lockdep_assert_held(&kt_change_lock);
	return !l || last - l->base >= l->size ||
	       find_next_bit(l->bits, last - l->base + 1, first - l->base) <= last - l->base;
}

void kt_branch_targets_forget(const struct module *mod)
{
	struct branch_targets *l, *next;

	lockdep_assert_held(&kt_change_lock);
	list_for_each_entry_safe(l, next, &all_targets, list) {
		if (l->mod != mod)
			continue;
		list_del(&l->list);
		vfree(l);
	}
}

void kt_branch_targets_exit(void)
{
	struct branch_targets *l, *next;

	list_for_each_entry_safe(l, next, &all_targets, list) {
		list_del(&l->list);
		vfree(l);
	}
}
