// SPDX-License-Identifier: GPL-2.0-only
/*
 * branch_target.c - see branch_target.h.
 *
 * A bitmap has one bit for each byte of a text.  A bit is set if the byte may be a branch target:
 * - the target of any 32-bit displacement that could belong to a call or a branch.  The search looks at each byte, not
 *   only at instruction boundaries, so it may find a target that is none, but it misses none;
 * - the fixups of the exception table;
 * - the targets of jump labels, which are branches in one of their two states;
 * - the target of any pointer in the data.  The table of a switch, or of labels as values (GNU C's &&label), consists of such
 *   pointers, and an indirect jump reads them.  The search looks at each byte, since a structure may be packed.  Most pointers
 *   that it finds lead to the first byte of a function.
 *
 * ktrace makes a bitmap once for the kernel, and once for each traced module.  It stays valid, because only jump labels
 * change such a displacement at run time, and tables of labels are complete when the text is loaded.  Short branches are not in it: the caller decodes the surrounding code.
 */
#include <linux/bitmap.h>
#include <linux/extable.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "kmod/base/ktrace.h"
#include "branch_target.h"
#include "words.h"
#include "kmod/base/ksym.h"
#include "kmod/compat/compat.h"
#include "kmod/text/change.h"
#include "kmod/text/jump_label.h"

#define KERNEL_DATA	3		/* extents of the kernel's data: see kernel_data() */
#define MAX_DATA	(KERNEL_DATA > KT_MODULE_DATA ? KERNEL_DATA : KT_MODULE_DATA)

struct extent {
	unsigned long base, size;
};

struct branch_targets {
	struct list_head list;
	const struct module *mod;	/* NULL: the kernel */
	unsigned long base, size;	/* of the text */
	struct extent data[MAX_DATA];
	bool knows_data;
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

static __always_inline void mark(struct branch_targets *l, unsigned long target)
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

/*
 * The high bit of each byte that may be the first byte of such an instruction: e8 or e9, 0f, cc.  Other bytes may be found,
 * too; mark_displacement() checks each byte itself.
 */
static unsigned long first_bytes(unsigned long word)
{
	return kt_x86_find_byte(word | REPEAT_BYTE(1), 0xe9) | kt_x86_find_byte(word, 0x0f) | kt_x86_find_byte(word, 0xcc);
}

/*
 * Two words that contain only int3.  The kernel fills the text before its entry code with megabytes of int3.  As a displacement,
 * these bytes point outside of every text.  So no branch begins in the first of the two words.
 */
static bool is_filling(const unsigned long *word)
{
	return word[0] == REPEAT_BYTE(0xcc) && word[1] == REPEAT_BYTE(0xcc);
}

/* Mark the targets of the branches that begin in this word.  A branch may continue in the next word. */
static void mark_word(struct branch_targets *l, const unsigned long *word, unsigned long addr)
{
	unsigned long found = is_filling(word) ? 0 : first_bytes(*word);

	for (; found; found &= found - 1) {
		const size_t i = __ffs(found) / 8;

		mark_displacement(l, (const u8 *)word + i, addr + i);
	}
}

/*
 * May a pointer to a text begin behind the first byte of word[0]?  All texts are in the last 4 GiB, so four bytes of it are ff.
 * One of them is the first or the fourth byte of word[1].
 */
static __always_inline bool may_be_unaligned(const unsigned long *word)
{
	const u8 *next = (const u8 *)&word[1];

	return next[0] == 0xff || next[3] == 0xff;
}

/* Mark the targets of the pointers that begin in this word.  A pointer may continue in the next word. */
static __always_inline void mark_pointers(struct branch_targets *l, const unsigned long *word, unsigned long addr)
{
	unsigned int bits;

	mark(l, word[0]);
	if (likely(!may_be_unaligned(word)))
		return;
	for (bits = BITS_PER_BYTE; bits < BITS_PER_LONG; bits += BITS_PER_BYTE)
		mark(l, word[0] >> bits | word[1] << (BITS_PER_LONG - bits));
}

#define WORDS	64	/* words to read at once */

/* Each piece is read with the word that follows it.  After the end there are zeros instead. */
static __always_inline int mark_all(struct branch_targets *l, const struct extent *in,
				    void (*mark_one)(struct branch_targets *, const unsigned long *, unsigned long))
{
	unsigned long piece[WORDS + 1], at, i;
	size_t n;

	for (at = 0; at < in->size; at += WORDS * sizeof(long)) {
		n = min(sizeof(piece), in->size - at);
		memset((u8 *)piece + n, 0, sizeof(piece) - n);
		if (copy_from_kernel_nofault(piece, (void *)(in->base + at), n))
			return -EFAULT;
		for (i = 0; i < WORDS; i++)
			mark_one(l, &piece[i], in->base + at + i * sizeof(long));
		cond_resched();
	}
	return 0;
}

static int mark_displacements(struct branch_targets *l)
{
	const struct extent text = { l->base, l->size };

	return mark_all(l, &text, mark_word);
}

static int mark_data(struct branch_targets *l)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(l->data); i++)
		err = mark_all(l, &l->data[i], mark_pointers);
	return err;
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

static bool extent_between(struct extent *out, unsigned long first, unsigned long end)
{
	*out = (struct extent){ first, end - first };
	return first && first <= end;
}

/*
 * The read-only data without the types for BPF, which are the larger half of it and have no pointers, and the other data.
 * What the kernel frees after its start and the variables of each CPU are not searched: no table of labels can be there.
 */
static bool kernel_data(struct extent data[KERNEL_DATA])
{
	const unsigned long first = kt_ksym_find("__start_rodata"), end = kt_ksym_find("__end_rodata");
	unsigned long types = kt_ksym_find("__start_BTF"), types_end = kt_ksym_find("__stop_BTF");

	if (types < first || types_end < types || end < types_end)
		types = types_end = first;
	return extent_between(&data[0], first, types) && extent_between(&data[1], types_end, end) &&
	       extent_between(&data[2], kt_ksym_find("_sdata"), kt_ksym_find("_edata"));
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
	l->knows_data = kernel_data(l->data);
	if (!l->knows_data)
		memset(l->data, 0, sizeof(l->data));
	return mark_data(l) ?: mark_displacements(l);
}

static int mark_module(struct branch_targets *l)
{
	const struct module *mod = l->mod;
	size_t i;

	for (i = 0; i < KT_MODULE_DATA; i++)
		l->data[i] = (struct extent){ (unsigned long)kt_module_data_base(mod, i), kt_module_data_size(mod, i) };
	l->knows_data = true;
	mark_fixups(l, mod->extable, mod->extable + mod->num_exentries);
	mark_jump_labels(l, mod->jump_entries, mod->jump_entries + mod->num_jump_entries);
	return mark_data(l) ?: mark_displacements(l);
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

bool kt_branch_targets_know_pointers(unsigned long text)
{
	const struct branch_targets *l = targets_find(text);

	lockdep_assert_held(&kt_change_lock);
	return l && l->knows_data;
}

bool kt_branch_targets_same_text(unsigned long text, unsigned long addr)
{
	const struct branch_targets *l = targets_find(text);

	lockdep_assert_held(&kt_change_lock);
	return l && addr - l->base < l->size;
}

bool kt_branch_targets_same_data(unsigned long text, unsigned long addr)
{
	const struct branch_targets *l = targets_find(text);
	size_t i;

	lockdep_assert_held(&kt_change_lock);
	for (i = 0; l && i < ARRAY_SIZE(l->data); i++)
		if (addr - l->data[i].base < l->data[i].size)
			return true;
	return false;
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
