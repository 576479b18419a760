/* SPDX-License-Identifier: GPL-2.0-only */
/* trampoline.h - the trampoline of a site: the out-of-line code to which its jump (a b instruction) leads. */
#ifndef KTRACE_ARM64_TRAMPOLINE_H
#define KTRACE_ARM64_TRAMPOLINE_H

#include <linux/types.h>

struct kt_site;

#define KT_TRAMPOLINE_BYTES	96
#define KT_TRAMPOLINE_TEXT	(KT_TRAMPOLINE_BYTES - 16)	/* instructions; two literals follow */

/*
 * Write the trampoline of a site to out[KT_TRAMPOLINE_BYTES], to be executed at site->trampoline.  Returns the offset
 * of the displaced instruction in it; -EINVAL: it cannot be executed there.  Any context; no other context may change
 * the site meanwhile.
 */
int kt_arm64_trampoline(const struct kt_site *site, u8 *out);

#endif
