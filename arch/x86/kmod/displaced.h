/* SPDX-License-Identifier: GPL-2.0-only */
/* displaced.h - may a jump replace the instructions at a site? */
#ifndef KTRACE_X86_DISPLACED_H
#define KTRACE_X86_DISPLACED_H

#include "core/ktrace_abi.h"

struct kt_site;

#define KT_JUMP_BYTES	5
#define KT_DISPLACED_CODE	48	/* longest out-of-line code for a displaced instructions */

/*
 * Fill in displaced and displaced_len of a site that the rules accepted, in a
 * function of `size` bytes at `start`; KT_REFUSE_METHOD when a jump cannot be
 * had there.  Under the table's and the text lock.
 */
enum kt_refusal kt_x86_displace(struct kt_site *site, unsigned long start, unsigned long size);

/* Does the displaced instructions still hold what it held, behind our breakpoint, and is it nobody else's?  As above. */
bool kt_x86_displaced_intact(const struct kt_site *site);

#endif
