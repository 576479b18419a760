/* SPDX-License-Identifier: GPL-2.0-only */
/* task_rule.h - the rules of a set of tasks: their form for hits. */
#ifndef KTRACE_TASK_RULE_H
#define KTRACE_TASK_RULE_H

#include "kmod/measure/task_set.h"

/*
 * Copy and translate the rules of the argument; the caller owns *out, arg->nr rules.  The errors of KT_IOC_TASKS, and
 * -ENOMEM.  Sleepable.
 */
int kt_rules_copy(const struct kt_tasks *arg, struct kt_rule **out);
/* NULL is allowed, with nr 0.  Sleepable. */
void kt_rules_free(struct kt_rule *rules, u32 nr);

#endif
