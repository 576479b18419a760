// SPDX-License-Identifier: GPL-2.0-only
/*
 * literal.c - see literal.h.
 *
 * A bitmap has one bit for each word of a text.  The bit is set if a load reads the word relative to its own address.
 * ktrace makes a bitmap once for the kernel, and once for each traced module.  It treats each word as code, so it
 * may take an instruction for a literal, but never misses a literal.
 */
#include <linux/bitmap.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "kmod/base/ktrace.h"
#include "encode.h"
#include "kmod/base/ksym.h"
#include "kmod/compat/compat.h"
#include "kmod/table/text.h"
#include "kmod/text/change.h"
#include "literal.h"

struct literals {
	struct list_head list;
	const struct module *mod;	/* NULL: the kernel */
	unsigned long base, size;
	unsigned long bits[];
};

static LIST_HEAD(all);	/* under kt_change_lock */

static struct literals *literals_find(const struct module *mod)
{
	struct literals *l;

	list_for_each_entry(l, &all, list)
		if (l->mod == mod)
			return l;
	return NULL;
}

/*
 * How many bytes an instruction loads relative to its own address.  General registers: 4, 8, 4, and 0 for a prefetch;
 * vector registers: 4, 8, 16.
 */
static unsigned int literal_bytes(u32 insn)
{
	static const u8 general[] = { 4, 8, 4, 0 }, vector[] = { 4, 8, 16, 0 };

	if ((insn & 0x3b000000) != 0x18000000)
		return 0;
	return (insn >> 26 & 1 ? vector : general)[insn >> 30];
}

static void mark(struct literals *l, u32 insn, unsigned long addr)
{
	unsigned int bytes = literal_bytes(insn);
	unsigned long at = addr + kt_signed_field(insn, 5, 19) * KT_INSN_BYTES - l->base;

	for (; bytes; bytes -= KT_INSN_BYTES, at += KT_INSN_BYTES)
		if (at < l->size)
			__set_bit(at / KT_INSN_BYTES, l->bits);
}

/* The original instruction, if `insn` is a breakpoint of ktrace or of a kprobe. */
static u32 original(u32 insn, unsigned long addr)
{
	const struct kprobe *probe;

	if (!kt_is_brk(insn))
		return insn;
	kt_text_live(addr, (u8 *)&insn, sizeof(insn));
	preempt_disable();
	probe = kt_have(get_kprobe) ? kt_get_kprobe((void *)addr) : NULL;
	if (probe)
		insn = probe->opcode;
	preempt_enable();
	return insn;
}

static void mark_all(struct literals *l)
{
	u32 insns[128];
	unsigned long at, i, n;

	for (at = 0; at < l->size; at += sizeof(insns)) {
		n = min(sizeof(insns), (size_t)(l->size - at));
		if (copy_from_kernel_nofault(insns, (void *)(l->base + at), n))
			continue;
		for (i = 0; i < n / KT_INSN_BYTES; i++)
			mark(l, original(insns[i], l->base + at + i * KT_INSN_BYTES), l->base + at + i * KT_INSN_BYTES);
		cond_resched();
	}
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

static const struct module *module_of(unsigned long addr)
{
	const struct module *mod;

	preempt_disable();
	mod = kt___module_text_address(addr);
	preempt_enable();
	return mod;
}

static struct literals *literals_create(const struct module *mod)
{
	unsigned long base, size;
	struct literals *l;

	text_of(mod, &base, &size);
	l = vzalloc(sizeof(*l) + BITS_TO_LONGS(size / KT_INSN_BYTES) * sizeof(long));
	if (!l)
		return NULL;
	l->mod = mod;
	l->base = base;
	l->size = size;
	mark_all(l);
	list_add_tail(&l->list, &all);
	return l;
}

enum kt_refusal kt_literal_check(unsigned long addr)
{
	const struct module *mod = module_of(addr);
	const struct literals *l = literals_find(mod) ?: literals_create(mod);

	lockdep_assert_held(&kt_change_lock);
	if (!l)
		return KT_REFUSE_NOMEM;
	/* Refuse text outside of the bitmap: nothing is known about its literals. */
	if (addr - l->base >= l->size)
		return KT_REFUSE_NOT_TEXT;
	return test_bit((addr - l->base) / KT_INSN_BYTES, l->bits) ? KT_REFUSE_NOT_TEXT : KT_REFUSE_NONE;
}

void kt_literal_forget(const struct module *mod)
{
	struct literals *l, *next;

	lockdep_assert_held(&kt_change_lock);
	list_for_each_entry_safe(l, next, &all, list) {
		if (l->mod != mod)
			continue;
		list_del(&l->list);
		vfree(l);
	}
}

void kt_literal_exit(void)
{
	struct literals *l, *next;

	list_for_each_entry_safe(l, next, &all, list) {
		list_del(&l->list);
		vfree(l);
	}
}
