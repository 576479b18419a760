// SPDX-License-Identifier: GPL-2.0-only
/* recording_hit.c - see recording_hit.h. */
#include <linux/kprobes.h>

#include "kmod/base/ktrace.h"
#include "kmod/hit/hit_step.h"
#include "kmod/hit/recording_hit.h"
#include "kmod/records/capture_env.h"
#include "kmod/records/cases.h"

void kt_hit_wide(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
		 enum kt_method method)
{
	struct kt_cpu *cpu = this_cpu_ptr(&kt_cpus);
	u64 *missed;

	if (likely(kt_hit_enter(cpu, method))) {
		if (likely(kt_hit_is_plain(desc)))
			missed = kt_hit_record(this_cpu_ptr(desc->rings->cpu), true, desc, regs, NULL);
		else
			missed = kt_hit_record_examined(true, desc, regs, method);
		kt_hit_leave();
	} else {
		missed = kt_hit_turned_away(cpu, desc);
	}
	kt_hit_account_recording(desc, missed);
}
NOKPROBE_SYMBOL(kt_hit_wide);

/* Record a hit of a static tracepoint, which needs no examination.  chosen: the descriptor that says what to record. */
static __always_inline void hit_unexamined(struct kt_desc *desc, struct kt_desc *chosen, const struct pt_regs *regs,
					   const struct pt_regs *call)
{
	struct kt_cpu *cpu = this_cpu_ptr(&kt_cpus);
	u64 *missed;

	if (likely(kt_hit_enter(cpu, KT_METHOD_EVENT))) {
		missed = kt_hit_record(this_cpu_ptr(desc->rings->cpu), true, chosen, regs, call);
		kt_hit_leave();
	} else {
		missed = kt_hit_turned_away(cpu, desc);
	}
	kt_hit_account_recording(desc, missed);
}

void kt_hit_plain_wide(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc)
{
	hit_unexamined(desc, desc, regs, NULL);
}
NOKPROBE_SYMBOL(kt_hit_plain_wide);

/* The case for a call of a 32-bit program, or for one without a case of its own. */
static noinline struct kt_desc *compat_or_other_case(const struct kt_cases *cases)
{
	const u32 number = kt_compat_call_now();

	return number < cases->nr_compat && cases->compat[number] ? cases->compat[number] : cases->other;
}
NOKPROBE_SYMBOL(compat_or_other_case);

/* The case under which a hit in this system call records. */
static __always_inline struct kt_desc *case_of(const struct kt_desc *desc, u32 number)
{
	const struct kt_cases *cases = desc->cases;

	return likely(number < cases->nr && cases->by[number]) ? cases->by[number] : compat_or_other_case(cases);
}

const struct kt_desc *kt_hit_case_now(const struct kt_desc *desc)
{
	return case_of(desc, kt_syscall_now());
}

/* The registers of the system call with this number; NULL: the task is in none. */
static __always_inline const struct pt_regs *call_of(s32 number)
{
	return number < 0 ? NULL : task_pt_regs(current);
}

void kt_hit_cases(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
		  enum kt_method method)
{
	struct kt_cpu *cpu = this_cpu_ptr(&kt_cpus);
	const u64 faults = cpu->faults;
	u64 began = 0, took = 0, *missed;
	struct kt_desc *chosen;
	s32 number;

	if (likely(kt_hit_enter(cpu, method))) {
		struct kt_ring_cpu *here = this_cpu_ptr(desc->rings->cpu);

		missed = likely(kt_hit_is_plain(desc)) ? NULL : kt_hit_examine(here->ring.ctl, desc, regs, method);
		if (likely(!missed)) {
			number = kt_syscall_now();
			chosen = case_of(desc, number);
			if (chosen->flags & KT_DESC_DEAR)
				began = kt_clock_inside();
			missed = kt_hit_record(here, true, chosen, regs, call_of(number));
			if (began)
				took = kt_between(began, kt_clock_inside());
		}
		kt_hit_leave();
	} else {
		missed = kt_hit_turned_away(cpu, desc);
	}
	kt_hit_account_recording(desc, missed);
	if (began) {
		kt_cpu_write(kt_cpus.faults, faults);
		kt_hit_charge(desc, took);
	}
}
NOKPROBE_SYMBOL(kt_hit_cases);

void kt_hit_plain_cases(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc)
{
	const s32 number = kt_syscall_now();
	struct kt_desc *chosen = case_of(desc, number);

	if (unlikely(chosen->flags & KT_DESC_DEAR))
		return kt_hit_cases(site, regs, desc, KT_METHOD_EVENT);
	hit_unexamined(desc, chosen, regs, call_of(number));
}
NOKPROBE_SYMBOL(kt_hit_plain_cases);
