// SPDX-License-Identifier: GPL-2.0-only
/* brake.c - see brake.h. */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/clock.h"
#include "kmod/compat/compat.h"
#include "kmod/hit/turn_away.h"
#include "kmod/hit/wake.h"
#include "kmod/measure/measurement.h"
#include "kmod/table/brake.h"
#include "kmod/table/brake_cost.h"
#include "kmod/table/brake_disarm.h"
#include "kmod/table/table_int.h"
#include "kmod/text/change.h"

#define PERIOD_MS	10	/* of the timer */
#define LOOK_MS		50	/* how long the thread counts hits, to see where they come from */
/* Dear hits turn the brake on before the next tick if they took so many times the budget of a period. */
#define EARLY_BUDGETS	4
#define LONGEST_PART	5	/* a hit is charged at most 1/5 of a period */

struct brake {
	struct hrtimer timer;
	struct kt_brake_state state;
	struct kt_brake_load last;	/* totals at the last tick of the timer; .ticks: the time then */
	u64 each, faults;		/* from kt_brake_set_each(), for the next tick; each is 0: nothing to take over */
};

static DEFINE_PER_CPU(struct brake, brakes);

unsigned int kt_brake_percent = 30;
struct kt_brake_cost kt_brake_cost;

static u64 early;			/* ticks that dear hits may take until the next look, for each percent */
static atomic64_t events;
static bool ticking;			/* under kt_change_lock and cpus_read_lock(), or in CPU hotplug */
static struct task_struct *thread;
static bool called;			/* call_thread() asked the thread to run */

/* -------------------------------------------------------------- on and off */

static void call_thread(void)
{
	WRITE_ONCE(called, true);
	wake_up_process(thread);
}

static void turn_off(void)
{
	if (kt_brake_turn_off())
		call_thread();
}

u64 kt_brake_events(void)
{
	return atomic64_read(&events);
}

u64 kt_brake_faults(unsigned int cpu)
{
	const struct brake *brake = per_cpu_ptr(&brakes, cpu);

	return READ_ONCE(brake->state.on) ? READ_ONCE(brake->state.faults) : 0;
}

void kt_brake_set_each(unsigned int cpu, u64 each, u64 faults)
{
	struct brake *brake = per_cpu_ptr(&brakes, cpu);

	WRITE_ONCE(brake->faults, faults);
	/* Pairs with the xchg() of look(). */
	smp_store_release(&brake->each, each);
}

/* -------------------------------------------------------------------- ticks */

/* The totals of this CPU since the module was loaded.  False: its ring cannot tell its position now. */
static bool count(const struct kt_cpu *cpu, struct kt_brake_load *out)
{
	const struct kt_ring_ctl *ctl = cpu->prompt.ring.ctl;
	u64 recorded;

	if (!kt_ring_try_position(&cpu->prompt.ring, &recorded, NULL, NULL))
		return false;
	*out = (struct kt_brake_load){
		.ticks = kt_clock_read(), .braked = ctl->braked + cpu->others_braked,
		.hits = recorded + ctl->discarded + ctl->recursed + ctl->filtered + ctl->frozen + ctl->measured +
			ctl->braked + cpu->others,
		.traps = cpu->traps, .faults = cpu->faults, .spent = cpu->spent, .excused = cpu->excused,
	};
	return true;
}

/* The difference of two totals; 0 if it is negative, because calibration takes its hits out of the counters. */
static u64 since(u64 now, u64 before)
{
	return (s64)(now - before) > 0 ? now - before : 0;
}

static struct kt_brake_load load_since(const struct kt_brake_load *now, const struct kt_brake_load *before)
{
	const u64 braked = since(now->braked, before->braked), hits = since(now->hits, before->hits);

	return (struct kt_brake_load){
		.ticks = since(now->ticks, before->ticks), .hits = max(hits, braked), .braked = braked,
		.traps = since(now->traps, before->traps), .faults = since(now->faults, before->faults),
		.spent = since(now->spent, before->spent), .excused = since(now->excused, before->excused),
	};
}

static void look(struct brake *brake, struct kt_cpu *cpu)
{
	const unsigned int percent = READ_ONCE(kt_brake_percent);
	const bool was_on = brake->state.on, turned_away = kt_brake_is_on(cpu);
	const u64 each = xchg(&brake->each, 0);
	struct kt_brake_load now, load;
	bool on;

	if (!count(cpu, &now))
		return;
	load = load_since(&now, &brake->last);
	load.early = turned_away && !was_on;
	brake->last = now;
	if (each && was_on) {
		brake->state.each = each;
		WRITE_ONCE(brake->state.faults, READ_ONCE(brake->faults));
	}
	on = kt_brake_rule(&brake->state, &kt_brake_cost, &load, percent);
	cpu->spent_most = percent ? cpu->spent + early * percent : U64_MAX;
	if (on && !turned_away)
		kt_brake_turn_on();
	if (!on && turned_away)
		turn_off();
	if (on && !was_on)
		call_thread();
}

/* The name appears in /proc/timer_list. */
static enum hrtimer_restart kt_brake_tick(struct hrtimer *timer)
{
	look(container_of(timer, struct brake, timer), this_cpu_ptr(&kt_cpus));
	hrtimer_forward_now(timer, ms_to_ktime(PERIOD_MS));
	return HRTIMER_RESTART;
}

/* start_here() and stop_here() run on the CPU that they are for, with interrupts off. */
static void start_here(void *unused)
{
	struct brake *brake = this_cpu_ptr(&brakes);
	struct kt_cpu *cpu = this_cpu_ptr(&kt_cpus);

	brake->state = (struct kt_brake_state){ .on = false };
	/* Without totals now, take zeros: the first load is then averaged over a very long time. */
	if (!count(cpu, &brake->last))
		brake->last = (struct kt_brake_load){ .ticks = 0 };
	cpu->spent_most = cpu->spent + early * READ_ONCE(kt_brake_percent);
	hrtimer_start(&brake->timer, ms_to_ktime(PERIOD_MS), HRTIMER_MODE_REL_PINNED_HARD);
}

static void stop_here(void *unused)
{
	struct kt_cpu *cpu = this_cpu_ptr(&kt_cpus);

	hrtimer_cancel(&this_cpu_ptr(&brakes)->timer);
	cpu->spent_most = U64_MAX;
	if (kt_brake_is_on(cpu))
		turn_off();
}

static void let_tick(bool on)
{
	lockdep_assert_held(&kt_change_lock);
	if (on == ticking)
		return;
	cpus_read_lock();
	ticking = on;
	on_each_cpu(on ? start_here : stop_here, NULL, 1);
	cpus_read_unlock();
}

/* CPU hotplug: runs on the CPU that comes or goes, with interrupts off as under on_each_cpu(). */
static int if_ticking(smp_call_func_t set_here)
{
	unsigned long flags;

	local_irq_save(flags);
	if (ticking)
		set_here(NULL);
	local_irq_restore(flags);
	return 0;
}

static int cpu_on(unsigned int cpu)
{
	return if_ticking(start_here);
}

static int cpu_off(unsigned int cpu)
{
	return if_ticking(stop_here);
}

void kt_brake_start(void)
{
	if (READ_ONCE(kt_brake_percent))
		let_tick(true);
}

void kt_brake_follow(void)
{
	const unsigned int percent = READ_ONCE(kt_brake_percent);

	if (percent || ticking || kt_brake_nr_off())
		let_tick(kt_brake_is_anything_armed() && percent);
}

/* ------------------------------------------------------------------- thread */

static void tell(void)
{
	atomic64_inc(&events);
	kt_wake_all();
}

static void relieve(void)
{
	tell();
	while (kt_brake_nr_on() && !kthread_should_stop()) {
		kt_brake_note();
		schedule_timeout_idle(msecs_to_jiffies(LOOK_MS));
		if (kt_brake_disarm())
			tell();
	}
	kt_measurements_resume();
	tell();
}

static int run(void *unused)
{
	while (!kthread_should_stop()) {
		set_current_state(TASK_IDLE);
		if (!READ_ONCE(called) && !kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
		if (!xchg(&called, false))
			continue;
		relieve();
	}
	return 0;
}

/* -------------------------------------------------------------- init and exit */

static int set_percent(const char *text, const struct kernel_param *param)
{
	unsigned int percent;
	int err = kstrtouint(text, 0, &percent);

	if (err)
		return err;
	if (percent > 100)
		return -EINVAL;
	err = kt_change_begin();
	if (err)
		return err;
	WRITE_ONCE(kt_brake_percent, percent);
	kt_brake_follow();
	kt_change_end();
	return 0;
}

static const struct kernel_param_ops percent_ops = { .set = set_percent, .get = param_get_uint };
module_param_cb(brake, &percent_ops, &kt_brake_percent, 0644);
MODULE_PARM_DESC(brake, "percent of each CPU that tracepoints may take; beyond it hits are turned away there, and the most expensive tracepoints are disarmed (default 30; 0: no limit)");

void kt_brake_status(struct kt_status *status)
{
	status->brake_percent = READ_ONCE(kt_brake_percent);
	status->brake_cpus = kt_brake_nr_on();
	status->brake_off = kt_brake_nr_off();
	status->brakes = kt_brake_nr_ever();
}

static int online;			/* state number of CPU hotplug */

int kt_brake_init(void)
{
	unsigned int cpu;
	u64 period;
	int err;

	for_each_possible_cpu(cpu) {
		kt_hrtimer_setup(&per_cpu_ptr(&brakes, cpu)->timer, kt_brake_tick);
		per_cpu_ptr(&kt_cpus, cpu)->spent_most = U64_MAX;
	}
	err = kt_brake_calibrate(&kt_brake_cost, PERIOD_MS * USEC_PER_MSEC, &period);
	if (err)
		return err;
	early = EARLY_BUDGETS * period / 100;
	kt_brake_longest = period / LONGEST_PART;
	thread = kthread_run(run, NULL, "ktrace_brake");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	sched_set_fifo(thread);
	online = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "ktrace:online", cpu_on, cpu_off);
	if (online < 0) {
		kthread_stop(thread);
		return online;
	}
	return 0;
}

void kt_brake_exit(void)
{
	cpuhp_remove_state_nocalls(online);
	kthread_stop(thread);
}
