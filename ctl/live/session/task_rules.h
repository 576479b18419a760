/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task_rules.h - the options that choose the tasks of a recording: --pid, --uid, --cgroup ... */
#ifndef KTRACE_TASK_RULES_H
#define KTRACE_TASK_RULES_H

#include "core/ktrace_abi.h"
#include "ctl/base/device/device.h"
#include "ctl/live/session/flag.h"

struct task_rules {
	struct kt_task_rule *v;
	size_t n;
	bool children;		/* --children */
	char *text;		/* the options as typed, for people; NULL: none */
};

/* Sets a struct task_rules from an option of this name; the argument is a number or a name. */
flag_fn task_rules_add;

/* Tell the module.  False: err says which one is not there.  Nothing happens without rules. */
bool task_rules_send(struct task_rules *rules, struct device *dev, struct error *err);
/* Close the directories of cgroups, and free the contents. */
void task_rules_free(struct task_rules *rules);

#endif
