/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording_hit.h - hits of recordings, whose rings are wide.  All in a hit, any context.  `site` is not used: it keeps
 * the other arguments in their registers.
 */
#ifndef KTRACE_RECORDING_HIT_H
#define KTRACE_RECORDING_HIT_H

#include <linux/atomic.h>

#include "core/ktrace_abi.h"
#include "kmod/records/buffer.h"
#include "kmod/records/desc.h"

struct kt_site;
struct pt_regs;

/* Is there nothing to examine, because every hit of this recording is recorded? */
static __always_inline bool kt_hit_is_plain(const struct kt_desc *desc)
{
	return (desc->flags & ~KT_DESC_CASES) == (KT_DESC_RECORDING | KT_DESC_WIDE) &&
	       !atomic64_read(&desc->rings->recording);
}

void kt_hit_wide(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc, enum kt_method method);

/* The same for a descriptor with cases.  It also charges the time of dear cases. */
void kt_hit_cases(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc, enum kt_method method);

/* The case under which a hit of this descriptor would record now.  In a hit, any context, or while the descriptor cannot go away. */
const struct kt_desc *kt_hit_case_now(const struct kt_desc *desc);

/* The same two for hits of static tracepoints while kt_hit_is_plain(). */
void kt_hit_plain_wide(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc);
void kt_hit_plain_cases(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc);

#endif
