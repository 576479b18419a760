/* SPDX-License-Identifier: GPL-2.0-only */
/* trampoline.h - the code that a jump leads to. */
#ifndef KTRACE_X86_TRAMPOLINE_H
#define KTRACE_X86_TRAMPOLINE_H

#include <linux/types.h>

struct kt_site;

#define KT_TRAMPOLINE_BYTES	160

/*
 * Write to out[KT_TRAMPOLINE_BYTES] the trampoline of a site whose region is known, to be
 * executed at site->trampoline.  Returns the offset in it at which the displaced
 * instructions begin, negative when they cannot be executed there.
 */
int kt_x86_trampoline(const struct kt_site *site, u8 *out);

/* The jump to it, site->region_len bytes: one instruction, whatever their number. */
void kt_x86_jump(const struct kt_site *site, u8 *out);

#endif
