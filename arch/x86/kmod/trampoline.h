/* SPDX-License-Identifier: GPL-2.0-only */
/* trampoline.h - the code that a jump leads to. */
#ifndef KTRACE_X86_TRAMPOLINE_H
#define KTRACE_X86_TRAMPOLINE_H

#include <linux/types.h>

struct kt_site;

#define KT_TRAMPOLINE_BYTES	160

/*
 * Write to out[KT_TRAMPOLINE_BYTES] the trampoline of a site whose displaced instructions is known, to be executed at
 * site->trampoline.  Returns the offset of the displaced instructions in it, negative when they cannot be executed
 * there.  Any context; nobody else changes the site.
 */
int kt_x86_trampoline(const struct kt_site *site, u8 *out);

/* Write to out[KT_MAX_INSN] the jump to it: one instruction of site->displaced_len bytes.  Any context. */
void kt_x86_jump(const struct kt_site *site, u8 *out);

#endif
