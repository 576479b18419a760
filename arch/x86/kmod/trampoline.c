// SPDX-License-Identifier: GPL-2.0-only
/*
 * trampoline.c - see trampoline.h.
 *
 *	lay out struct pt_regs on the stack; interrupts off
 *	kt_hit_jump(site, regs)
 *	restore what a function may change
 *	the displaced instructions
 *	jmp behind them
 *
 * The kernel is built without a red zone, so what is below the stack pointer
 * is free.  cs, ss and orig_ax of the pt_regs are left as they are: captures cannot ask for them.
 */
#include <linux/errno.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "ktrace.h"
#include "hit.h"
#include "insn.h"
#include "region.h"
#include "site.h"
#include "trampoline.h"

#define AT(member)	offsetof(struct pt_regs, member)

static const u8 save[] = {
	0x48, 0x8d, 0x64, 0x24, 0xf0,			/* lea -16(%rsp),%rsp: ss, sp */
	0x9c,						/* pushfq */
	0x48, 0x8d, 0x64, 0x24, 0xe8,			/* lea -24(%rsp),%rsp: cs, ip, orig_ax */
	0x57, 0x56, 0x52, 0x51, 0x50,			/* push %rdi .. %rax */
	0x41, 0x50, 0x41, 0x51, 0x41, 0x52, 0x41, 0x53,	/* push %r8 .. %r11 */
	0x53, 0x55,					/* push %rbx, %rbp */
	0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57,	/* push %r12 .. %r15 */
	0xfa, 0xfc,					/* cli; cld */
	0x48, 0x8d, 0x84, 0x24,				/* lea sizeof(struct pt_regs)(%rsp),%rax */
	(u8)sizeof(struct pt_regs), 0, 0, 0,
	0x48, 0x89, 0x84, 0x24, AT(sp), 0, 0, 0,	/* mov %rax,sp(%rsp) */
	0x48, 0x89, 0xe6,				/* mov %rsp,%rsi */
};

static const u8 set_ip[] = { 0x48, 0xc7, 0x84, 0x24, AT(ip), 0, 0, 0 };	/* movq $imm32,ip(%rsp) */
static const u8 set_site[] = { 0x48, 0xbf };				/* mov $imm64,%rdi */

static const u8 restore[] = {
	0x48, 0x83, 0xc4, AT(r11),			/* add: what functions preserve */
	0x41, 0x5b, 0x41, 0x5a, 0x41, 0x59, 0x41, 0x58,	/* pop %r11 .. %r8 */
	0x58, 0x59, 0x5a, 0x5e, 0x5f,			/* pop %rax .. %rdi */
	0x48, 0x83, 0xc4, 0x18,				/* add $24,%rsp */
	0x9d,						/* popfq: interrupts as before */
	0x48, 0x8d, 0x64, 0x24, 0x10,			/* lea 16(%rsp),%rsp */
};

static u8 *put(u8 *to, const void *bytes, size_t n)
{
	memcpy(to, bytes, n);
	return to + n;
}

/* The displacement at `to`, which is executed at `at`. */
static u8 *put_rel32(u8 *to, unsigned long at, unsigned long target)
{
	s32 rel = target - (at + sizeof(rel));

	return put(to, &rel, sizeof(rel));
}

int kt_x86_trampoline(const struct kt_site *site, u8 *out)
{
	const unsigned long at = (unsigned long)site->trampoline, addr = site->addr;
	u8 *to = out;

	memset(out, 0xcc, KT_TRAMPOLINE_BYTES);
	to = put(to, save, sizeof(save));
	to = put(to, set_ip, sizeof(set_ip));
	to = put(to, &addr, sizeof(s32));	/* sign-extended: kernel text is in the top 2 GiB */
	to = put(to, set_site, sizeof(set_site));
	to = put(to, &site, sizeof(site));
	*to++ = 0xe8;
	to = put_rel32(to, at + (to - out), (unsigned long)kt_hit_jump);
	to = put(to, restore, sizeof(restore));
	BUILD_BUG_ON(sizeof(save) + sizeof(set_ip) + 4 + sizeof(set_site) + 8 + 5 + sizeof(restore) +
		     KT_REGION_CODE > KT_TRAMPOLINE_BYTES);
	if (kt_x86_relocate_region(site->region, site->region_len, addr, at + (to - out), to,
				   KT_TRAMPOLINE_BYTES - (to - out)))
		return -EINVAL;
	return to - out;
}

/*
 * Filled up in front, by a prefix that means nothing to a jump (cs): others who decode the
 * function see no instruction boundary inside.
 */
void kt_x86_jump(const struct kt_site *site, u8 *out)
{
	const u8 pad = site->region_len - KT_JUMP_BYTES;

	memset(out, 0x2e, pad);
	out[pad] = 0xe9;
	put_rel32(out + pad + 1, site->addr + pad + 1, (unsigned long)site->trampoline);
}
