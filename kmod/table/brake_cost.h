/* SPDX-License-Identifier: GPL-2.0-only */
/* brake_cost.h - the cost of a hit on this machine, as the brake charges it. */
#ifndef KTRACE_BRAKE_COST_H
#define KTRACE_BRAKE_COST_H

#include "core/brake_rule.h"
#include "core/ktrace_abi.h"

/* Measure the cost, and how many ticks `us` microseconds are.  -ENOMEM.  Sleepable; nothing is traced yet. */
int kt_brake_calibrate(struct kt_brake_cost *cost, u32 us, u64 *ticks);

/* Ticks of a hit by this method (KT_METHOD_*), without the work of its program.  Any context. */
u64 kt_brake_cost_of(const struct kt_brake_cost *cost, u8 method);

#endif
