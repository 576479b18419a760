// SPDX-License-Identifier: GPL-2.0-only
/*
 * insn.c - decode the original instruction at an address, without the patches of ktrace and kprobes.  See insn.h.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/insn.h>
#include <asm/text-patching.h>

#include "kmod/base/ktrace.h"
#include "insn.h"
#include "patched.h"
#include "kmod/base/ksym.h"
#include "kmod/table/text.h"
#include "kmod/text/safety.h"

/* The length of the jump of an optimised kprobe (arch/x86/kernel/kprobes/opt.c). */
#define KPROBE_JUMP	5

bool kt_x86_has_kprobe(unsigned long addr)
{
	bool there;

	if (!kt_have(get_kprobe))
		return false;
	preempt_disable();
	there = kt_get_kprobe((void *)addr);
	preempt_enable();
	return there;
}

bool kt_x86_beside_kprobe(unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < KPROBE_JUMP; i++)
		if (kt_x86_has_kprobe(addr - i))
			return true;
	return false;
}

/*
 * Read the original bytes at addr, without any probe.  Returns their number.  *patched: a probe of others is there.
 */
static size_t read_original(unsigned long addr, u8 *to, bool *patched)
{
	u8 buf[MAX_INSN_SIZE];
	unsigned long from;
	size_t n;

	*patched = false;
	n = kt_text_live(addr, to, MAX_INSN_SIZE);
	if (!n || !kt_x86_beside_kprobe(addr) || !kt_have(recover_probed_instruction))
		return n;
	preempt_disable();	/* the kernel cannot free a kprobe meanwhile */
	from = kt_recover_probed_instruction(buf, addr);
	preempt_enable();
	*patched = kt_x86_has_kprobe(addr);
	if (from == (unsigned long)buf && memcmp(buf, to, min(n, sizeof(buf)))) {
		*patched = true;
		memcpy(to, buf, sizeof(buf));
	}
	return n;
}

int kt_x86_decode_one(unsigned long addr, struct kt_decoded *one)
{
	size_t n = read_original(addr, one->bytes, &one->patched);

	return n ? kt_insn_decode(&one->insn, one->bytes, n, INSN_MODE_KERN) : -EFAULT;
}

/* Bytes.  Functions are aligned to at most 64 bytes, so the filling between them is shorter. */
#define LONGEST_FILLING	128

bool kt_x86_in_hole(const struct kt_decoded *one, u32 *run)
{
	*run = one->bytes[0] == INT3_INSN_OPCODE ? *run + 1 : 0;
	return *run > LONGEST_FILLING;
}

static bool has_alternative(unsigned long addr, u8 len)
{
	return kt_have(alternatives_text_reserved) &&
	       kt_alternatives_text_reserved((void *)addr, (void *)(addr + len - 1));
}

/* `until`: the jump of a kprobe before addr, if it is optimised later, may overwrite bytes up to there. */
static bool is_probed(unsigned long addr, const struct kt_decoded *one, unsigned long until)
{
	return one->patched || addr < until;
}

/*
 * Where the last decoding of a function stopped.  Sites mostly come in the order of their addresses, so the next call
 * continues there and a function is decoded once for all its sites.  Valid while the text lock is held.
 */
static struct {
	u64 lock;		/* kt_text_lock_count() */
	unsigned long start, at, until;
} last;

static void resume(unsigned long start, unsigned long addr, unsigned long *at, unsigned long *until)
{
	bool usable = last.lock == kt_text_lock_count() && last.start == start && last.at <= addr;

	*at = usable ? last.at : start;
	*until = usable ? last.until : 0;
}

static void remember(unsigned long start, unsigned long at, unsigned long until)
{
	last.lock = kt_text_lock_count();
	last.start = start;
	last.at = at;
	last.until = until;
}

enum kt_refusal kt_x86_decode(unsigned long start, unsigned long addr, u8 *out, u8 *len,
			      unsigned long *nearest)
{
	unsigned long at, until;
	struct kt_decoded one;
	u32 run = 0;

	*nearest = 0;
	for (resume(start, addr, &at, &until);; at += one.insn.length) {
		if (kt_x86_decode_one(at, &one) < 0 || kt_x86_in_hole(&one, &run))
			return KT_REFUSE_UNDECODABLE;
		if (at + one.insn.length > addr)
			break;
		if (kt_x86_has_kprobe(at))
			until = at + KPROBE_JUMP;
	}
	remember(start, at, until);
	if (at != addr) {
		*nearest = at;
		return KT_REFUSE_BOUNDARY;
	}
	if (is_probed(addr, &one, until))
		return KT_REFUSE_BREAKPOINT;
	if (has_alternative(addr, one.insn.length))
		return KT_REFUSE_ALTERNATIVE;
	memset(out, 0, KT_MAX_INSN);
	memcpy(out, one.bytes, one.insn.length);
	*len = one.insn.length;
	return KT_REFUSE_NONE;
}

/* A jump label is a nop or a jump, of 2 or 5 bytes (arch/x86/kernel/jump_label.c). */
bool kt_x86_may_be_jump_label(const u8 *insn, u8 len)
{
	const u8 last = insn[len - 1];

	return (len == 2 && (insn[0] == JMP8_INSN_OPCODE || last == 0x90)) ||
	       (len == 5 && (insn[0] == JMP32_INSN_OPCODE ||
			     (insn[0] == 0x0f && insn[1] == 0x1f) || last == 0x90));
}

/*
 * A static call is one of these instructions (arch/x86/kernel/static_call.c): a call, a jump, a nop or an xor that clears eax, of
 * 5 bytes; a conditional jump of 6 bytes; a return with int3 after it.  The nop and the xor may begin with prefixes, which are
 * those of a segment or of the size of operands, but no REX prefix.
 */
static bool may_be_call(const u8 *insn, u8 len)
{
	static const u8 first[] = { CALL_INSN_OPCODE, JMP32_INSN_OPCODE, 0x0f, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x90 };

	if (insn[0] == RET_INSN_OPCODE || insn[0] == INT3_INSN_OPCODE)
		return true;
	if ((len != 5 && len != 6) || !memchr(first, insn[0], sizeof(first)))
		return false;
	return insn[0] != 0x0f || insn[1] == 0x1f || (insn[1] & 0xf0) == 0x80;
}

bool kt_x86_may_be_static_call(unsigned long addr, const u8 *insn, u8 len)
{
	return may_be_call(insn, len) && kt_x86_beside_static_call(addr, len);
}

/* ud2, ud1 or ud0, at any position in the instruction (arch/x86/include/asm/bug.h). */
bool kt_x86_may_be_bug(const u8 *insn, u8 len)
{
	u8 i;

	for (i = 1; i < len; i++)
		if (insn[i - 1] == 0x0f && (insn[i] == 0x0b || insn[i] == 0xb9 || insn[i] == 0xff))
			return true;
	return false;
}
