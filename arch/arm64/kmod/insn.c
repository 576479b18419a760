// SPDX-License-Identifier: GPL-2.0-only
/* insn.c - the original instruction at an address, without the patches of ktrace and kprobes.  See insn.h. */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/brk-imm.h>

#include "kmod/base/ktrace.h"
#include "encode.h"
#include "insn.h"
#include "kmod/base/ksym.h"
#include "kmod/table/text.h"
#include "kmod/text/jump_label.h"
#include "kmod/text/safety.h"
#include "literal.h"
#include "patch.h"

int kt_arm64_read(unsigned long addr, u32 *insn)
{
	return kt_text_live(addr, (u8 *)insn, sizeof(*insn)) == sizeof(*insn) ? 0 : -EFAULT;
}

bool kt_arm64_has_kprobe(unsigned long addr)
{
	bool there;

	if (!kt_have(get_kprobe))
		return false;
	preempt_disable();
	there = kt_get_kprobe((void *)addr);
	preempt_enable();
	return there;
}

/* Is it a breakpoint of kprobes, of the kernel debugger, or one of ktrace that has no site any more? */
static bool is_probe(u32 insn)
{
	static const u16 imms[] = { KPROBES_BRK_IMM, KGDB_DYN_DBG_BRK_IMM, KT_BRK_IMM };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(imms); i++)
		if (insn == KT_BRK(imms[i]))
			return true;
	return false;
}

/* Bytes.  Kprobes searches backwards as far (arch/arm64/kernel/probes/decode-insn.c). */
#define LONGEST_SEQUENCE	(32 * KT_INSN_BYTES)

/* Is the nearest exclusive access before addr a load? */
static bool load_before(unsigned long start, unsigned long addr)
{
	unsigned long at = addr, stop = max(start, addr - LONGEST_SEQUENCE);
	u32 insn;

	while (at > stop) {
		at -= KT_INSN_BYTES;
		if (kt_arm64_read(at, &insn) || kt_arm64_is_store_exclusive(insn))
			return false;
		if (kt_arm64_is_load_exclusive(insn))
			return true;
	}
	return false;
}

/* Is the nearest exclusive access from addr on a store?  Code that waits for a change has a load without a store. */
static bool store_behind(unsigned long addr)
{
	unsigned long at;
	u32 insn;

	for (at = addr; at < addr + LONGEST_SEQUENCE; at += KT_INSN_BYTES) {
		if (kt_arm64_read(at, &insn) || kt_arm64_is_load_exclusive(insn))
			return false;
		if (kt_arm64_is_store_exclusive(insn))
			return true;
	}
	return false;
}

/*
 * Refuse probes between a load-exclusive and its store: a trap clears the exclusive monitor, so the store would fail
 * each time.  Such sequences are hand-written straight-line code without branches into the middle, so a linear search
 * finds them.
 */
static bool in_exclusive_sequence(unsigned long start, unsigned long addr)
{
	return load_before(start, addr) && store_behind(addr);
}

/*
 * Is it the literal that ftrace keeps before the entry of a function: the address of its ops
 * (CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS)?  It belongs to the symbol before that function.
 */
static bool is_ftrace_literal(unsigned long addr)
{
	unsigned long size, offset, next;

	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS) || !kt_have(ftrace_text_reserved) ||
	    !kt_kallsyms_lookup_size_offset(addr, &size, &offset))
		return false;
	next = addr - offset + size;
	return next - addr <= 2 * KT_INSN_BYTES &&
	       kt_ftrace_text_reserved((void *)next, (void *)(next + 3 * KT_INSN_BYTES - 1));
}

enum kt_refusal kt_arm64_decode(unsigned long start, unsigned long addr, u8 *out, u8 *len,
				unsigned long *nearest)
{
	enum kt_refusal refusal;
	u32 insn;

	*nearest = 0;
	if (addr % KT_INSN_BYTES) {
		*nearest = addr - addr % KT_INSN_BYTES;
		return KT_REFUSE_BOUNDARY;
	}
	if (kt_arm64_read(addr, &insn))
		return KT_REFUSE_UNDECODABLE;
	if (is_probe(insn) || kt_arm64_has_kprobe(addr))
		return KT_REFUSE_BREAKPOINT;
	if (in_exclusive_sequence(start, addr))
		return KT_REFUSE_EXCLUSIVE;
	if (is_ftrace_literal(addr))
		return KT_REFUSE_PADDING;
	refusal = kt_literal_check(addr);
	if (refusal)
		return refusal;
	memset(out, 0, KT_MAX_INSN);
	memcpy(out, &insn, sizeof(insn));
	*len = sizeof(insn);
	return KT_REFUSE_NONE;
}

static u32 word(const u8 *insn)
{
	u32 w;

	memcpy(&w, insn, sizeof(w));
	return w;
}

bool kt_arm64_may_be_jump_label(const u8 *insn, u8 len)
{
	return word(insn) == KT_NOP || kt_is_b(word(insn));
}

/* arm64 has no patched static calls: they are calls through pointers. */
bool kt_arm64_may_be_static_call(unsigned long addr, const u8 *insn, u8 len)
{
	return false;
}

bool kt_arm64_may_be_bug(const u8 *insn, u8 len)
{
	return word(insn) == KT_BRK(BUG_BRK_IMM);
}

/* --------------------------------------------------------- patches of others */

u8 kt_arm64_unprobe(unsigned long addr, u8 *out)
{
	const struct kprobe *probe;
	u32 was = 0;
	u8 len = 0;

	if (addr % KT_INSN_BYTES || !kt_have(get_kprobe) || kt_arm64_live(addr) != KT_BRK(KPROBES_BRK_IMM))
		return 0;
	preempt_disable();	/* the kernel cannot free the kprobe meanwhile */
	probe = kt_get_kprobe((void *)addr);
	if (probe) {
		was = probe->opcode;
		len = KT_INSN_BYTES;
	}
	preempt_enable();
	memcpy(out, &was, len);
	return len;
}

/* Ask the kernel for each instruction: without data symbols ktrace cannot find the table of jump labels. */
static bool is_jump_label(unsigned long addr)
{
	u32 insn = kt_arm64_live(addr);

	return kt_arm64_may_be_jump_label((u8 *)&insn, KT_INSN_BYTES) &&
	       kt_jump_label_has(addr, addr + KT_INSN_BYTES - 1);
}

static bool is_patched(unsigned long addr)
{
	u32 insn;

	return !copy_from_kernel_nofault(&insn, (void *)addr, sizeof(insn)) &&
	       (is_jump_label(addr) || is_ftrace_literal(addr));
}

void kt_arm64_mark_patched(unsigned long addr, size_t n, unsigned long *bits)
{
	unsigned long at;
	bool patched = false;

	for (at = addr; at < addr + n; at++) {
		if (at == addr || at % KT_INSN_BYTES == 0)
			patched = is_patched(ALIGN_DOWN(at, KT_INSN_BYTES));
		if (patched)
			__set_bit(at - addr, bits);
	}
}
