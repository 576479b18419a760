// SPDX-License-Identifier: GPL-2.0-or-later
/* frames.c - see frames.h. */
#include "ctl/ask/resolve/frames.h"

#include <fnmatch.h>
#include <string.h>

/* The way to another thread, or from a wake-up to the scheduler.  The names are those of kernel/sched, kernel/locking and kernel/time. */
static const char *const plumbing[] = {
	"__schedule", "schedule", "schedule_preempt_disabled", "schedule_idle", "preempt_schedule*", "__cond_resched",
	"dynamic_cond_resched", "dynamic_preempt_schedule*", "preempt_schedule_irq", "io_schedule", "io_schedule_timeout",
	"schedule_timeout*", "schedule_hrtimeout*", "__traceiter_*", "__bpf_trace_*",
	"try_to_wake_up", "ttwu_*", "wake_up_process", "wake_up_state", "wake_up_q", "default_wake_function", "autoremove_wake_function",
	"woken_wake_function", "__wake_up*", "wake_up_bit", "wake_up_var", "swake_up*", "rcuwait_wake_up", "complete", "complete_all",
	"complete_with_flags", "__complete*",
	"mutex_unlock", "__mutex_unlock_slowpath*", "up", "__up", "up_read", "up_write", "__up_read", "__up_write", "rwsem_wake*",
	NULL,
};

/* These run only in an interrupt, or in the work that follows it before the thread goes on. */
static const char *const interrupts[] = {
	"hrtimer_interrupt", "handle_irq_event", "__handle_irq_event_percpu", "generic_handle_irq*", "generic_handle_domain_irq*",
	"handle_percpu_devid_irq", "irq_exit_rcu", "__irq_exit_rcu", "irq_work_run", "generic_smp_call_function_single_interrupt",
	NULL,
};

/* An address behind a call may be that of the next function. */
static const struct sym *sym_of(const struct symtab *tab, uint64_t addr)
{
	return symtab_by_addr(tab, addr - 1);
}

static bool is_in(const struct symtab *tab, uint64_t addr, const char *const *names)
{
	const struct sym *sym = sym_of(tab, addr);

	for (; sym && *names; names++)
		if (!fnmatch(*names, sym->name, 0))
			return true;
	return false;
}

static bool is_part_of(const struct sym *sym, const struct sym *function)
{
	const size_t len = strcspn(function->name, ".");

	return sym == function || (sym && !strncmp(sym->name, function->name, len) && sym->name[len] == '.' &&
				   !strcmp(sym->module, function->module));
}

uint64_t frames_of(const struct symtab *tab, const uint64_t *addrs, size_t n, const struct sym *function)
{
	for (size_t i = 0; i < n; i++)
		if (is_part_of(sym_of(tab, addrs[i]), function))
			return addrs[i];
	return 0;
}

uint64_t frames_telling(const struct symtab *tab, const uint64_t *addrs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_in(tab, addrs[i], plumbing))
			return addrs[i];
	return 0;
}

bool frames_interrupt(const struct symtab *tab, const uint64_t *addrs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_in(tab, addrs[i], interrupts))
			return true;
	return false;
}
