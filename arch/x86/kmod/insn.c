// SPDX-License-Identifier: GPL-2.0-only
/*
 * insn.c - decode at an address, as kernel code at rest: breakpoints of ours
 * and of kprobes taken out.  See insn.h.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/insn.h>

#include "ktrace.h"
#include "insn.h"
#include "ksym.h"
#include "table.h"

#define INT3	0xcc
#define JMP32	0xe9

/*
 * The bytes at addr as they were before anybody's probe.  `patched`: somebody else's
 * is there.  until: up to there a jump probe may have overwritten more.
 */
static size_t read_original(unsigned long addr, u8 *to, bool *patched, unsigned long *until)
{
	u8 buf[MAX_INSN_SIZE];
	unsigned long from;
	size_t n;

	*patched = false;
	n = kt_table_text_locked(addr, to, MAX_INSN_SIZE);
	if (!n || !kt_have(recover_probed_instruction))
		return n;
	if (to[0] != INT3 && to[0] != JMP32 && addr >= *until)
		return n;
	preempt_disable();	/* keeps the kprobe that may be there */
	from = kt_recover_probed_instruction(buf, addr);
	preempt_enable();
	if (from == (unsigned long)buf && memcmp(buf, to, min(n, sizeof(buf)))) {
		*patched = true;
		if (to[0] == JMP32)
			*until = addr + 5;
		memcpy(to, buf, sizeof(buf));
	}
	return n;
}

static int decode_one(unsigned long addr, u8 *bytes, struct insn *insn, bool *patched,
		      unsigned long *until)
{
	size_t n = read_original(addr, bytes, patched, until);

	return n ? kt_insn_decode(insn, bytes, n, INSN_MODE_KERN) : -EFAULT;
}

static bool has_alternative(unsigned long addr, u8 len)
{
	return kt_have(alternatives_text_reserved) &&
	       kt_alternatives_text_reserved((void *)addr, (void *)(addr + len - 1));
}

enum kt_refusal kt_x86_decode(unsigned long start, unsigned long addr, u8 *out, u8 *len,
			      unsigned long *nearest)
{
	unsigned long at = start, until = 0;
	u8 bytes[MAX_INSN_SIZE];
	struct insn insn;
	bool patched;

	*nearest = 0;
	for (;; at += insn.length) {
		if (decode_one(at, bytes, &insn, &patched, &until) < 0)
			return KT_REFUSE_UNDECODABLE;
		if (at == addr)
			break;
		if (at + insn.length > addr) {
			*nearest = at;
			return KT_REFUSE_BOUNDARY;
		}
	}
	if (patched)
		return KT_REFUSE_BREAKPOINT;
	if (has_alternative(addr, insn.length))
		return KT_REFUSE_ALTERNATIVE;
	memset(out, 0, KT_MAX_INSN);
	memcpy(out, bytes, insn.length);
	*len = insn.length;
	return KT_REFUSE_NONE;
}
