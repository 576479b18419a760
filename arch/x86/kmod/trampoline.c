// SPDX-License-Identifier: GPL-2.0-only
/*
 * trampoline.c - see trampoline.h.
 *
 *	push the scratch registers, in the order of struct pt_regs; interrupts off
 *	desc = site->desc; if it needs all registers or has code for its hits, go to (*)
 *	kt_hit_jump(site, regs, desc)
 * (1)	pop the scratch registers
 *	the displaced instructions
 *	jmp to the instruction after them
 *
 * (*)	kt_x86_jump_special(site, regs, desc), see entry.S
 *	go to (1)
 *
 * A direct trampoline, for descriptors with code that saves the registers that it uses:
 *
 *	push the flags; interrupts off; push rax
 *	rax = site->direct
 *	call rax; or kt_x86_direct_enter (entry.S), where the kernel wants its thunks for that
 *	pop rax, the flags; the rest as above
 *
 * popfq takes more time than all the rest (docs/cost.md).  So the code and the functions of entry.S that call C leave all flags but
 * the six arithmetic ones as they were.  If these hold nothing (flags.h), only interrupts are put back; else sahf puts back five of
 * them, and an addition the sixth: the carry into its highest bit is the overflow flag.  That takes more instructions than popfq,
 * but less time.
 *
 * The lower end of regs lies below the stack pointer.  That memory is free, because the kernel is built
 * without a red zone, and the hit does not read it.  An update may replace the descriptor at any time, so the
 * trampoline reads it once and passes it on.
 */
#include <linux/errno.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "arch/x86/kmod/entry.h"
#include "kmod/base/ktrace.h"
#include "displaced.h"
#include "frame.h"
#include "insn.h"
#include "kmod/base/site.h"
#include "kmod/hit/hit.h"
#include "kmod/records/desc.h"
#include "trampoline.h"

#define PRESERVED	offsetof(struct pt_regs, r11)	/* bytes of r15 .. rbx, which come first */
#define ABOVE		(sizeof(struct pt_regs) - offsetof(struct pt_regs, ip))

static const u8 save[] = {
	0x48, 0x8d, 0x64, 0x24, (u8)-ABOVE,			/* lea -40(%rsp),%rsp: ss, sp, flags, cs, ip */
	0x9c,						/* pushfq: as orig_ax */
	0x57, 0x56, 0x52, 0x51, 0x50,			/* push %rdi .. %rax */
	0x41, 0x50, 0x41, 0x51, 0x41, 0x52, 0x41, 0x53,	/* push %r8 .. %r11 */
	0xfa, 0xfc,					/* cli; cld */
	0x48, 0x8d, 0x74, 0x24, (u8)-PRESERVED,		/* lea -48(%rsp),%rsi */
};

static const u8 set_site[] = { 0x48, 0xbf };		/* mov $imm64,%rdi */

static const u8 look[] = {
	0x48, 0x8b, 0x57, offsetof(struct kt_site, desc),	/* mov desc(%rdi),%rdx */
	0x66, 0x83, 0x7a, offsetof(struct kt_desc, all_regs), 0,	/* cmpw $0,all_regs(%rdx): and has_hit */
	0x0f, 0x85,						/* jne */
};

static const u8 restore[] = {
	0x41, 0x5b, 0x41, 0x5a, 0x41, 0x59, 0x41, 0x58,	/* pop %r11 .. %r8 */
	0x58, 0x59, 0x5a, 0x5e, 0x5f,			/* pop %rax .. %rdi */
	0x9d,						/* popfq: interrupts as before */
	0x48, 0x8d, 0x64, 0x24, ABOVE,			/* lea 40(%rsp),%rsp */
};

static const u8 direct_save[] = {
	0x9c, 0xfa, 0x50,				/* pushfq; cli; push %rax */
	0x48, 0xa1,					/* mov imm64,%rax: its operand is an address */
};

static const u8 direct_restore[] = {
	0x58, 0x9d,					/* pop %rax; popfq: interrupts as before */
};

/* Without popfq: interrupts first, then the arithmetic flags, if they hold anything. */
static const u8 direct_enable[] = {
	0xf6, 0x44, 0x24, 0x09, KT_FLAGS_IF >> 8,	/* testb: were interrupts on? */
	0x74, 0x01,					/* je */
	0xfb,						/* sti */
};

static const u8 direct_flags[] = {
	0x8b, 0x44, 0x24, 0x08,				/* mov 8(%rsp),%eax: the flags */
	0x66, 0xc1, 0xc0, 0x08,				/* rol $8,%ax: the lower byte to ah */
	0x24, KT_FLAGS_OF >> 8,				/* and: the overflow flag alone in al */
	0x04, 0x80 - (KT_FLAGS_OF >> 8),		/* add: it overflows if the flag was set */
	0x9e,						/* sahf: the five others */
};

static const u8 direct_drop[] = {
	0x58,						/* pop %rax */
	0x48, 0x8d, 0x64, 0x24, 0x08,			/* lea 8(%rsp),%rsp: the flags */
};

/* call *%rax.  Prefixes that have no effect (cs) make it as long as a call of kt_x86_direct_enter. */
static const u8 call_rax[] = { 0x2e, 0x2e, 0x2e, 0xff, 0xd0 };

/* Bytes before and after the displaced instructions, and the offset of part (*). */
#define CALL_BYTES	5
#define COMMON_BYTES	(sizeof(save) + sizeof(set_site) + 8 + sizeof(look) + 4 + CALL_BYTES + sizeof(restore))
#define SPECIAL_BYTES	(2 * CALL_BYTES)
#define SPECIAL_AT	(KT_TRAMPOLINE_BYTES - SPECIAL_BYTES)

static u8 *put(u8 *to, const void *bytes, size_t n)
{
	memcpy(to, bytes, n);
	return to + n;
}

/* Write a displacement to `to`.  CPUs execute it at the address `at`. */
static u8 *put_rel32(u8 *to, unsigned long at, unsigned long target)
{
	s32 rel = target - (at + sizeof(rel));

	return put(to, &rel, sizeof(rel));
}

/* Part (*).  It lies behind the displaced instructions. */
static void put_special(u8 *to, unsigned long at, unsigned long back)
{
	*to++ = 0xe8;
	to = put_rel32(to, at + 1, (unsigned long)kt_x86_jump_special);
	*to++ = 0xe9;
	put_rel32(to, at + CALL_BYTES + 1, back);
}

static u8 *put_call(u8 *to, unsigned long at, unsigned long function)
{
	*to++ = 0xe8;
	return put_rel32(to, at + 1, function);
}

/*
 * Call the function whose address is in rax.  kt_x86_direct_enter is an indirect jump that the kernel patches when it loads
 * the module: to a jump to its thunk, or to a plain jump.  The trampoline calls that thunk, or calls rax plainly.
 */
static u8 *put_direct_call(u8 *to, unsigned long at)
{
	if (kt_x86_calls_plainly())
		return put(to, call_rax, sizeof(call_rax));
	return put_call(to, at, kt_x86_thunk_of(kt_x86_direct_enter));
}

/* Returns where the displaced instructions begin. */
static u8 *put_direct(const struct kt_site *site, enum kt_x86_form form, u8 *out, unsigned long at)
{
	const void *direct = &site->direct;
	u8 *to = put(out, direct_save, sizeof(direct_save));

	BUILD_BUG_ON(sizeof(direct) + CALL_BYTES != KT_DIRECT_SITE || sizeof(call_rax) != CALL_BYTES);
	to = put(to, &direct, sizeof(direct));
	to = put_direct_call(to, at + (to - out));
	if (form == KT_X86_DIRECT)
		return put(to, direct_restore, sizeof(direct_restore));
	to = put(to, direct_enable, sizeof(direct_enable));
	if (form == KT_X86_DIRECT_FLAGS)
		to = put(to, direct_flags, sizeof(direct_flags));
	return put(to, direct_drop, sizeof(direct_drop));
}

static u8 *put_usual(const struct kt_site *site, u8 *out, unsigned long at)
{
	u8 *to = out;

	BUILD_BUG_ON(COMMON_BYTES + KT_DISPLACED_CODE + SPECIAL_BYTES > KT_TRAMPOLINE_BYTES);
	/* The code has these offsets as signed bytes. */
	BUILD_BUG_ON(offsetof(struct kt_site, desc) >= 128 || offsetof(struct kt_desc, all_regs) >= 128 ||
		     offsetof(struct kt_desc, has_hit) != offsetof(struct kt_desc, all_regs) + 1);
	to = put(to, save, sizeof(save));
	to = put(to, set_site, sizeof(set_site));
	to = put(to, &site, sizeof(site));
	to = put(to, look, sizeof(look));
	to = put_rel32(to, at + (to - out), at + SPECIAL_AT);
	to = put_call(to, at + (to - out), (unsigned long)kt_hit_jump);
	put_special(out + SPECIAL_AT, at + SPECIAL_AT, at + (to - out));
	return put(to, restore, sizeof(restore));
}

int kt_x86_trampoline(const struct kt_site *site, enum kt_x86_form form, u8 *out)
{
	const unsigned long at = (unsigned long)site->trampoline;
	u8 *to;

	memset(out, 0xcc, KT_TRAMPOLINE_BYTES);
	to = form == KT_X86_USUAL ? put_usual(site, out, at) : put_direct(site, form, out, at);
	if (kt_x86_relocate_displaced(site->displaced, site->displaced_len, site->addr, at + (to - out), to,
				      SPECIAL_AT - (to - out)))
		return -EINVAL;
	return to - out;
}

/*
 * Prefixes that have no effect on a jump (cs) fill it up at the front.  So it is one instruction: others who decode the
 * function see no instruction boundary inside.
 */
void kt_x86_jump(const struct kt_site *site, u8 *out)
{
	const u8 pad = site->displaced_len - KT_JUMP_BYTES;

	memset(out, 0x2e, pad);
	out[pad] = 0xe9;
	put_rel32(out + pad + 1, site->addr + pad + 1, (unsigned long)site->trampoline);
}
