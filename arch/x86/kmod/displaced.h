/* SPDX-License-Identifier: GPL-2.0-only */
/* displaced.h - may a jump replace the instructions at a site? */
#ifndef KTRACE_X86_DISPLACED_H
#define KTRACE_X86_DISPLACED_H

#include "core/ktrace_abi.h"

struct kt_site;

#define KT_JUMP_BYTES	5
#define KT_DISPLACED_CODE	48	/* longest out-of-line code for the displaced instructions of one site */

/* See struct kt_arch_ops. */
enum kt_no_jump kt_x86_displace(struct kt_site *site, unsigned long start, unsigned long size);
bool kt_x86_displaced_intact(const struct kt_site *site);

#endif
