/* SPDX-License-Identifier: GPL-2.0-only */
/* trampoline.h - the code that a branch of ours leads to. */
#ifndef KTRACE_ARM64_TRAMPOLINE_H
#define KTRACE_ARM64_TRAMPOLINE_H

#include <linux/types.h>

struct kt_site;

#define KT_TRAMPOLINE_BYTES	96

/*
 * Write to out[KT_TRAMPOLINE_BYTES] the trampoline of a site, to be executed at site->trampoline.  Returns the offset
 * of the displaced instruction in it, negative when it cannot be executed there.  Any context; nobody else changes the
 * site.
 */
int kt_arm64_trampoline(const struct kt_site *site, u8 *out);

#endif
