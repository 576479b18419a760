/* SPDX-License-Identifier: GPL-2.0-only */
/* trampoline.h - the trampoline of a site: the out-of-line code to which its jump leads. */
#ifndef KTRACE_X86_TRAMPOLINE_H
#define KTRACE_X86_TRAMPOLINE_H

#include <linux/types.h>

struct kt_site;

#define KT_TRAMPOLINE_BYTES	160

/* Each serves all descriptors, but takes more time for some of them. */
enum kt_x86_form {
	KT_X86_USUAL,
	KT_X86_DIRECT,		/* for descriptors with code that saves the registers that it uses */
	KT_X86_DIRECT_FLAGS,	/* the same, which puts the arithmetic flags back by sahf: more instructions, but less time; only if the CPU has it */
	KT_X86_DIRECT_BRIEF,	/* the same; it does not restore the arithmetic flags: for sites where flags_dead is set */
};

/*
 * Write the trampoline of a site to out[KT_TRAMPOLINE_BYTES], to be executed at site->trampoline.  site->displaced is
 * filled in.  Returns the offset of the displaced instructions in the trampoline; -EINVAL: they cannot be executed
 * there.  Any context; no other context may change the site meanwhile.
 */
int kt_x86_trampoline(const struct kt_site *site, enum kt_x86_form form, u8 *out);

/* Write the jump to the trampoline to out[KT_MAX_INSN]: one instruction of site->displaced_len bytes.  Any context. */
void kt_x86_jump(const struct kt_site *site, u8 *out);

#endif
