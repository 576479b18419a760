// SPDX-License-Identifier: GPL-2.0-only
/* patched.c - see patched.h. */
#include <linux/bitmap.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/static_call_types.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/text-patching.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/ksym.h"
#include "kmod/text/blocks.h"
#include "kmod/text/change.h"
#include "patched.h"

/* --------------------------------------------------------------------- kprobes */

#ifdef CONFIG_OPTPROBES
/* The flag says that the kprobe is a jump or will become one: then it is embedded in a struct optimized_kprobe. */
static u8 under_jump(const struct kprobe *probe, u8 *out)
{
	const struct optimized_kprobe *op = container_of(probe, struct optimized_kprobe, kp);

	if (!(probe->flags & KPROBE_FLAG_OPTIMIZED))
		return 0;
	out[0] = probe->opcode;
	memcpy(out + 1, op->optinsn.copied_insn, sizeof(op->optinsn.copied_insn));
	return 1 + sizeof(op->optinsn.copied_insn);
}
#else
static u8 under_jump(const struct kprobe *probe, u8 *out)
{
	return 0;
}
#endif

/* Read the text: a registered kprobe need not be armed. */
static u8 under_probe(const struct kprobe *probe, unsigned long addr, u8 *out)
{
	u8 now;

	if (probe->flags & KPROBE_FLAG_GONE || copy_from_kernel_nofault(&now, (void *)addr, 1))
		return 0;
	if (now == JMP32_INSN_OPCODE)
		return under_jump(probe, out);
	if (now != INT3_INSN_OPCODE)
		return 0;
	out[0] = probe->opcode;
	return 1;
}

u8 kt_x86_unprobe(unsigned long addr, u8 *out)
{
	const struct kprobe *probe;
	u8 len = 0;

	if (!kt_have(get_kprobe))
		return 0;
	preempt_disable();	/* the kernel cannot free the kprobe meanwhile */
	probe = kt_get_kprobe((void *)addr);
	if (probe)
		len = under_probe(probe, addr, out);
	preempt_enable();
	return len;
}

/* ------------------------------------------------------ jump labels, static calls */

/* A table of the kernel.  Its symbols are looked up once, because a look-up by name is slow. */
struct table {
	const char *first_name, *end_name;
	unsigned long first, end;
	bool known;
};

static struct table jump_labels = { "__start___jump_table", "__stop___jump_table" };
static struct table static_calls = { "__start_static_call_sites", "__stop_static_call_sites" };

static void find(struct table *table)
{
	if (table->known)
		return;
	table->first = kt_ksym_find(table->first_name);
	table->end = table->first ? kt_ksym_find(table->end_name) : 0;
	table->known = true;
}

/* The bitmap to fill: one bit for each of the n bytes from addr on. */
struct marks {
	unsigned long addr;
	size_t n;
	unsigned long *bits;
};

static bool is_beside(const struct marks *m, unsigned long at)
{
	return at + KT_PROBE_BYTES >= m->addr && at < m->addr + m->n;
}

static void mark(const struct marks *m, unsigned long at, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (at + i - m->addr < m->n)
			__set_bit(at + i - m->addr, m->bits);
}

/* The first two bytes tell the length, which is the same in each state of a jump label or static call. */
static bool begins_with(unsigned long at, u8 first, u8 second_mask, u8 second)
{
	u8 now[2];

	return !copy_from_kernel_nofault(now, (void *)at, sizeof(now)) && now[0] == first &&
	       (now[1] & second_mask) == second;
}

/* Two bytes for `jmp rel8` and the nop of two bytes, otherwise five (arch/x86/kernel/jump_label.c). */
static size_t label_bytes(unsigned long at)
{
	return begins_with(at, JMP8_INSN_OPCODE, 0, 0) || begins_with(at, 0x66, 0xff, 0x90) ? 2 : 5;
}

#define LONGEST_CALL	6

/* Six bytes for a conditional tail call, otherwise five (arch/x86/kernel/static_call.c). */
static size_t call_bytes(unsigned long at)
{
	return begins_with(at, 0x0f, 0xf0, 0x80) ? 6 : 5;
}

static void mark_labels(const struct marks *m, const struct jump_entry *first, const struct jump_entry *end)
{
	for (; first < end; first++)
		if (is_beside(m, jump_entry_code(first)))
			mark(m, jump_entry_code(first), label_bytes(jump_entry_code(first)));
}

static unsigned long address_of(const struct static_call_site *call)
{
	return (unsigned long)&call->addr + call->addr;
}

static struct kt_blocks call_blocks;

void kt_x86_static_calls_init(void)
{
	const struct static_call_site *at;

	find(&static_calls);
	if (!static_calls.first)
		return;
	kt_blocks_init(&call_blocks);
	for (at = (void *)static_calls.first; at < (const struct static_call_site *)static_calls.end; at++)
		kt_blocks_add(&call_blocks, address_of(at), LONGEST_CALL);
}

void kt_x86_static_calls_exit(void)
{
	kt_blocks_exit(&call_blocks);
}

static void mark_calls(const struct marks *m, const struct static_call_site *first, const struct static_call_site *end)
{
	for (; first < end; first++) {
		const unsigned long at = address_of(first);

		if (is_beside(m, at))
			mark(m, at, call_bytes(at));
	}
}

/*
 * The kernel's static_call_text_reserved() executes ten times as many instructions for each entry of its table.  True as well if
 * ktrace does not know: in a module, or without the table.
 */
bool kt_x86_beside_static_call(unsigned long addr, size_t len)
{
	const struct static_call_site *at, *end = (void *)static_calls.end;

	if (!static_calls.first || !kt_core_kernel_text(addr))
		return true;
	if (!kt_blocks_may_have(&call_blocks, addr, addr + len - 1))
		return false;
	for (at = (void *)static_calls.first; at < end; at++) {
		const unsigned long call = address_of(at);

		if (call < addr + len && call + LONGEST_CALL > addr)
			return true;
	}
	return false;
}

static void mark_kernel(const struct marks *m)
{
	find(&jump_labels);
	find(&static_calls);
	mark_labels(m, (void *)jump_labels.first, (void *)jump_labels.end);
	mark_calls(m, (void *)static_calls.first, (void *)static_calls.end);
}

static void mark_module(const struct marks *m, const struct module *mod)
{
	mark_labels(m, mod->jump_entries, mod->jump_entries + mod->num_jump_entries);
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	mark_calls(m, mod->static_call_sites, mod->static_call_sites + mod->num_static_call_sites);
#endif
}

/*
 * The module outlives preempt_enable(): its tables are freed behind the notifiers of MODULE_STATE_GOING, and that of
 * kmod/table/remove.c waits for kt_table_lock, which the caller holds.  A module that is going already may be past that
 * notifier: mark nothing then; its text goes, too.
 */
void kt_x86_mark_patched(unsigned long addr, size_t n, unsigned long *bits)
{
	const struct marks m = { addr, n, bits };
	const struct module *mod;
	bool going;

	lockdep_assert_held(&kt_table_lock);
	preempt_disable();
	mod = kt_core_kernel_text(addr) ? NULL : kt___module_text_address(addr);
	going = mod && READ_ONCE(mod->state) == MODULE_STATE_GOING;
	preempt_enable();
	if (going)
		return;
	if (mod)
		mark_module(&m, mod);
	else
		mark_kernel(&m);
}
