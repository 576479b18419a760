/* SPDX-License-Identifier: GPL-2.0-only */
/* brake_cost.h - what hits cost on this machine, as the brake charges them. */
#ifndef KTRACE_BRAKE_COST_H
#define KTRACE_BRAKE_COST_H

#include "core/brake_rule.h"
#include "core/ktrace_abi.h"

/* Measures it, and how many ticks `us` microseconds are.  -ENOMEM.  Sleepable; nothing is traced yet. */
int kt_brake_calibrate(struct kt_brake_cost *cost, u32 us, u64 *ticks);

/* Of a hit by that method, KT_METHOD_*, without what it records. */
u64 kt_brake_cost_of(const struct kt_brake_cost *cost, u8 method);

#endif
