// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * displace.c - the methods. They call the code under test twice: for the address in user space, and for the
 * same address moved to the kernel's part. Only absolute addresses in the code may differ. See displace.h.
 */
#include <string.h>

#include <linux/kernel.h>

#include "displace.h"
#include "displaced.h"
#include "insn.h"
#include "kmod/base/site.h"
#include "kmod/records/desc.h"
#include "machine.h"
#include "text.h"
#include "trampoline.h"

#define KERNEL		0xffffffff80000000ul	/* address 0 of user space, moved to the top 2 GiB */
#define CANARY		0xa5
#define CANARY_BYTES	16
#define PUSH_IMM32	0x68
#define NOP		0x90
#define JCC_BYTES	6	/* with a displacement of 32 bits */

_Static_assert(REGION_MIN == KT_JUMP_BYTES, "what a jump replaces");

static const char *const refusals[KT_NR_REFUSALS] = {
	[KT_REFUSE_UNDECODABLE] = "undecodable",
	[KT_REFUSE_TRAP] = "raises an exception by itself",
	[KT_REFUSE_SYSTEM] = "changes the CPU's mode",
	[KT_REFUSE_SHADOW] = "holds back interrupts",
	[KT_REFUSE_RANGE] = "operand out of reach",
	[KT_REFUSE_UNKNOWN_INSN] = "not known to be safe elsewhere",
	[KT_REFUSE_ENDBR] = "landing pad of indirect branches",
	[KT_REFUSE_METHOD] = "not as one of several (it calls, jumps or returns)",
};

static enum kt_refusal displace_slot(const struct subject *subject, u64 at, u64 slot, u8 *code,
				     unsigned int *begin)
{
	return kt_x86_relocate(subject->bytes, subject->len, at, slot, code);
}

static enum kt_refusal displace_instructions(const struct subject *subject, u64 at, u64 slot, u8 *code,
				       unsigned int *begin)
{
	return kt_x86_relocate_displaced(subject->bytes, subject->len, at, slot, code, KT_DISPLACED_CODE);
}

/* Where user space may not execute an instruction. */
struct privileged {
	u8 around[3];
	unsigned int n, at;
};

static bool without(const struct privileged *insn, u8 *code, unsigned int n)
{
	u8 *at = memmem(code, n, insn->around, insn->n);

	if (at)
		at[insn->at] = NOP;
	return at;
}

/* User space can turn interrupts neither off nor on. */
static bool without_interrupts(enum kt_x86_form form, u8 *code, unsigned int n)
{
	static const struct privileged cli_cld = { { 0xfa, 0xfc }, 2, 0 }, pushf_cli_push = { { 0x9c, 0xfa, 0x50 }, 3, 1 },
				       je_sti = { { 0x74, 0x01, 0xfb }, 3, 2 };

	return without(form == KT_X86_USUAL ? &cli_cld : &pushf_cli_push, code, n) &&
	       (form != KT_X86_DIRECT_FLAGS || without(&je_sti, code, n));
}

static enum kt_refusal displace_hit(enum kt_x86_form form, struct kt_desc *desc, const struct subject *subject, u64 at, u64 slot,
				    u8 *code, unsigned int *begin)
{
	static struct kt_site site;	/* read by the trampoline */
	enum kt_refusal refusal;
	int displaced;

	/* The rules of kt_x86_displace() in displaced.c are applied before. */
	refusal = displace_instructions(subject, at, slot, code, begin);
	if (refusal)
		return refusal;
	site = (struct kt_site){
		.desc = desc, .addr = at, .trampoline = (void *)slot, .displaced_len = subject->len,
		.direct = (void *)machine_direct_slow(),
	};
	memcpy(site.displaced, subject->bytes, subject->len);
	displaced = kt_x86_trampoline(&site, form, code);
	if (displaced < 0)
		return KT_REFUSE_RANGE;
	*begin = displaced;
	return without_interrupts(form, code, displaced) ? KT_REFUSE_NONE : KT_REFUSE_BUG;
}

static enum kt_refusal displace_trampoline(const struct subject *subject, u64 at, u64 slot, u8 *code,
					   unsigned int *begin)
{
	static struct kt_desc desc;

	return displace_hit(KT_X86_USUAL, &desc, subject, at, slot, code, begin);
}

static enum kt_refusal displace_trampoline_all(const struct subject *subject, u64 at, u64 slot, u8 *code,
					       unsigned int *begin)
{
	static struct kt_desc desc = { .all_regs = true };

	return displace_hit(KT_X86_USUAL, &desc, subject, at, slot, code, begin);
}

static enum kt_refusal displace_direct(const struct subject *subject, u64 at, u64 slot, u8 *code, unsigned int *begin)
{
	static struct kt_desc desc;

	return displace_hit(KT_X86_DIRECT, &desc, subject, at, slot, code, begin);
}

static enum kt_refusal displace_direct_flags(const struct subject *subject, u64 at, u64 slot, u8 *code, unsigned int *begin)
{
	static struct kt_desc desc = { .all_regs = true };

	return displace_hit(KT_X86_DIRECT_FLAGS, &desc, subject, at, slot, code, begin);
}

const struct method displace_methods[NR_METHODS] = {
	[METHOD_SLOT] = {
		.name = "slot", .room = KT_SLOT_BYTES, .relocatable = true, .displace = displace_slot,
	},
	[METHOD_REGION] = {
		.name = "displaced", .room = KT_DISPLACED_CODE, .several = true, .relocatable = true,
		.displace = displace_instructions,
	},
	[METHOD_TRAMPOLINE] = {
		.name = "trampoline", .room = KT_TRAMPOLINE_BYTES, .several = true, .stack = 256,
		.displace = displace_trampoline,
	},
	[METHOD_TRAMPOLINE_ALL] = {
		.name = "trampoline, all registers", .room = KT_TRAMPOLINE_BYTES, .several = true, .stack = 256,
		.all_regs = true, .displace = displace_trampoline_all,
	},
	[METHOD_DIRECT] = {
		.name = "direct trampoline", .room = KT_TRAMPOLINE_BYTES, .several = true, .stack = 256,
		.displace = displace_direct,
	},
	[METHOD_DIRECT_FLAGS] = {
		.name = "direct trampoline with sahf, all registers", .room = KT_TRAMPOLINE_BYTES, .several = true,
		.stack = 256, .all_regs = true, .displace = displace_direct_flags,
	},
};

/* The module reads the text behind an sti through this, at either address. */
size_t kt_text_live(unsigned long addr, u8 *to, size_t n)
{
	if (addr >= KERNEL)
		addr -= KERNEL;
	if (!machine_is_text(addr, n))
		return 0;
	memcpy(to, (const void *)addr, n);
	return n;
}

static enum kt_refusal call(const struct trial *trial, u64 base, u8 *code, struct displaced *out)
{
	u8 *canary = code + trial->method->room;
	enum kt_refusal refusal;
	unsigned int i;

	memset(canary, CANARY, CANARY_BYTES);
	out->begin = 0;
	refusal = trial->method->displace(&trial->subject, trial->at + base, trial->slot + base, code,
					  &out->begin);
	for (i = 0; i < CANARY_BYTES; i++)
		out->overrun |= canary[i] != CANARY;
	return refusal;
}

/* Only a pushed address may differ, by the distance of the move. */
static bool same_in_kernel(const u8 *user, const u8 *kernel, unsigned int n)
{
	unsigned int i;
	u32 a, b;

	for (i = 0; i < n; i++) {
		if (user[i] == kernel[i])
			continue;
		/* A difference of 2 GiB changes only the highest byte of the immediate. */
		if (i < 4 || user[i - 4] != PUSH_IMM32)
			return false;
		memcpy(&a, user + i - 3, 4);
		memcpy(&b, kernel + i - 3, 4);
		if (b - a != (u32)KERNEL)
			return false;
	}
	return true;
}

static void call_in_kernel(const struct trial *trial, enum kt_refusal expected, struct displaced *out)
{
	u8 kernel[DISPLACED_BYTES + CANARY_BYTES];

	out->differs_in_kernel = call(trial, KERNEL, kernel, out) != expected ||
				 (!expected && memcmp(out->code, kernel, out->len) &&
				  !same_in_kernel(out->code, kernel, out->len));
}

unsigned int displace_moved_len(const struct insn *insn)
{
	return insn_class(insn) == CLASS_JCC ? JCC_BYTES : insn->length;
}

static void map(const struct subject *subject, struct displaced *out)
{
	unsigned int i, which = 0, end = out->begin + displace_moved_len(&subject->insn[0]);

	for (i = 0; i < out->len; i++) {
		if (which + 1 < subject->count && i >= end)
			end += displace_moved_len(&subject->insn[++which]);
		out->from[i] = subject->start[which];
	}
}

enum kt_refusal displace(const struct trial *trial, struct displaced *out)
{
	u8 code[DISPLACED_BYTES + CANARY_BYTES];
	enum kt_refusal refusal;

	out->overrun = out->differs_in_kernel = false;
	out->len = trial->method->room;
	refusal = call(trial, 0, code, out);
	memcpy(out->code, code, out->len);
	map(&trial->subject, out);
	if (trial->method->relocatable)
		call_in_kernel(trial, refusal, out);
	return refusal;
}

const char *displace_refusal(enum kt_refusal refusal)
{
	return refusal < KT_NR_REFUSALS && refusals[refusal] ? refusals[refusal] : "another reason";
}
