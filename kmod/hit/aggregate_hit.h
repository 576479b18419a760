/* SPDX-License-Identifier: GPL-2.0-only */
/* aggregate_hit.h - hits that count in an aggregate instead of writing a record: KT_DESC_AGGREGATE. */
#ifndef KTRACE_AGGREGATE_HIT_H
#define KTRACE_AGGREGATE_HIT_H

#include "core/ktrace_abi.h"

struct kt_desc;
struct kt_site;
struct pt_regs;

/* A whole hit.  Any context with interrupts off. */
void kt_hit_aggregate(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc, enum kt_method method);

/*
 * The part of it between enter and account: examine the hit and count it.  NULL: it is counted; else the counter to raise.
 * In a hit.
 */
u64 *kt_hit_aggregate_examined(struct kt_desc *desc, const struct pt_regs *regs, enum kt_method method);

#endif
