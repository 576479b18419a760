// SPDX-License-Identifier: GPL-2.0-only
/* window.c - see window.h. */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/platform_device.h>
#include <linux/pm.h>
#include <linux/rculist.h>
#include <linux/reboot.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/base/ksym.h"
#include "kmod/base/site.h"
#include "kmod/hit/consumer.h"
#include "kmod/hit/wake.h"
#include "kmod/measure/measurement.h"
#include "kmod/records/buffer.h"
#include "kmod/records/desc.h"
#include "kmod/records/own_desc.h"
#include "kmod/table/jump.h"
#include "kmod/table/window.h"
#include "kmod/text/safety.h"

/* All of these under the text lock. */
static LIST_HEAD(sites);		/* windowed sites that are not KT_SITE_OFF, by ->window */
static cpumask_t starting;		/* CPUs that are starting, and those that were started and never came */
static bool sleeping, going_down;
static u32 nr_windows;			/* that disarmed a site */
static u64 round;			/* rings that have the present record: struct kt_rings.round */

static bool is_open(void)
{
	return !cpumask_empty(&starting) || sleeping || going_down;
}

/* ------------------------------------------------------------ one site */

void kt_window_arm(struct kt_site *site)
{
	lockdep_assert_held(kt_text_mutex());
	site->lifted = site->windowed && is_open();
	if (site->windowed)
		list_add_tail(&site->window, &sites);
	if (!site->lifted)
		kt_arch.poke(site, KT_POKE_BREAKPOINT);
	site->state = KT_SITE_BREAKPOINT;
}

void kt_window_disarm(struct kt_site *site)
{
	lockdep_assert_held(kt_text_mutex());
	if (!site->lifted)
		kt_arch.poke(site, KT_POKE_ORIGINAL);
	if (site->windowed)
		list_del_init(&site->window);
	site->lifted = false;
	site->state = KT_SITE_OFF;
}

/* ---------------------------------------------------- records, measurements */

static bool records(const struct kt_desc *desc)
{
	return !(desc->flags & KT_DESC_AGGREGATE) && !(desc->flags & KT_DESC_MEASURED && desc->role & KT_ROLE_SILENT);
}

/* Each of the rings in which a consumer of the site records gets the record once. */
static void tell_site(const struct kt_site *site, const struct kt_window_record *record)
{
	const struct kt_consumer *at;

	rcu_read_lock();
	list_for_each_entry_rcu(at, &site->consumers, peers) {
		const struct kt_desc *desc = rcu_dereference(at->desc);

		if (!desc || !records(desc) || desc->rings->round == round)
			continue;
		desc->rings->round = round;
		kt_own_desc_record(desc->rings, KT_OWN_DESC_WINDOW, record);
	}
	rcu_read_unlock();
}

/* The sites whose text is to change: those that are lifted, or those that are not. */
static u32 count(bool lifted)
{
	const struct kt_site *site;
	u32 n = 0;

	list_for_each_entry(site, &sites, window)
		n += site->lifted == lifted;
	return n;
}

static void tell(bool lifted, struct kt_window_record record)
{
	const struct kt_site *site;

	round++;
	list_for_each_entry(site, &sites, window)
		if (site->lifted == lifted)
			tell_site(site, &record);
	kt_wake_all();
}

/* Let the measurements with a tracepoint at a site wait: they might miss one of the two ends of a call. */
static void hold_measurements(void)
{
	const struct kt_consumer *at;
	const struct kt_site *site;

	rcu_read_lock();
	list_for_each_entry(site, &sites, window)
		list_for_each_entry_rcu(at, &site->consumers, peers) {
			const struct kt_desc *desc = rcu_dereference(at->desc);

			if (desc && desc->measurement)
				kt_measurement_hold(desc->measurement);
		}
	rcu_read_unlock();
	/* They are held before the first site changes. */
	smp_mb();
}

static void let_measure(struct work_struct *work)
{
	kt_measurements_resume();
}

static DECLARE_WORK(measure_work, let_measure);

/* ----------------------------------------------------------- begin and end */

static bool jump_is_kept(const struct kt_site *site)
{
	return site->state == KT_SITE_JUMP && !kt_arch.jump_intact(site);
}

static int check_jumps(void)
{
	const struct kt_site *site;

	list_for_each_entry(site, &sites, window) {
		if (!jump_is_kept(site))
			continue;
		pr_warn("a kprobe sits on the jump at %pS, which would kill a CPU that starts or wakes up: remove the kprobe or the tracepoint\n",
			(void *)site->addr);
		return -EBUSY;
	}
	return 0;
}

/* The same steps as in kt_sites_disarm(), which may have come as far as KT_SITE_BROKEN. */
static void break_jumps(void)
{
	struct kt_site *site;
	bool any = false;

	list_for_each_entry(site, &sites, window) {
		if (site->state == KT_SITE_JUMP)
			kt_jump_break(site);
		any |= site->state == KT_SITE_BROKEN;
	}
	if (any) {
		kt_arch.sync();
		list_for_each_entry(site, &sites, window)
			if (site->state == KT_SITE_BROKEN)
				kt_arch.poke(site, KT_POKE_DISPLACED_TAIL);
		kt_arch.sync();
	}
	list_for_each_entry(site, &sites, window)
		kt_jump_back(site);
}

static void lift_all(void)
{
	struct kt_site *site;

	break_jumps();
	list_for_each_entry(site, &sites, window) {
		if (!site->lifted)
			kt_arch.poke(site, KT_POKE_ORIGINAL);
		site->lifted = true;
	}
	kt_arch.sync();
	kt_arch.flush();
}

/*
 * A window begins.  When this returns 0, every CPU executes the original text.  -EBUSY: a foreign kprobe keeps a site
 * armed, and nothing has changed.
 */
static int begin(enum kt_window_why why, s32 cpu)
{
	const u32 n = count(false);
	int err;

	lockdep_assert_held(kt_text_mutex());
	if (is_open() || !n)
		return 0;
	err = check_jumps();
	if (err)
		return err;
	tell(false, (struct kt_window_record){ .why = why, .cpu = cpu, .sites = n });
	hold_measurements();
	lift_all();
	WRITE_ONCE(nr_windows, nr_windows + 1);
	return 0;
}

/* Is the text the original one, without a probe that somebody has set in the window? */
static bool is_free(const struct kt_site *site)
{
	u8 now[KT_MAX_INSN];

	return !kt_arch.unprobe(site->addr, now) &&
	       !copy_from_kernel_nofault(now, (void *)site->addr, site->insn_len) &&
	       !memcmp(now, site->insn, site->insn_len);
}

static void end_later(struct work_struct *work);
static DECLARE_DELAYED_WORK(end_work, end_later);

/* The sites on which a foreign kprobe sits now stay lifted, and end_work tries again. */
static u32 keep_taken(struct list_head *taken)
{
	struct kt_site *site, *next;
	u32 n = 0;

	list_for_each_entry_safe(site, next, &sites, window) {
		if (!site->lifted || is_free(site))
			continue;
		list_move_tail(&site->window, taken);
		n++;
	}
	return n;
}

static void arm_all(void)
{
	struct kt_site *site;

	list_for_each_entry(site, &sites, window) {
		if (site->lifted)
			kt_arch.poke(site, KT_POKE_BREAKPOINT);
	}
	kt_arch.sync();
	kt_arch.flush();
}

static void settle(void)
{
	struct kt_site *site;

	list_for_each_entry(site, &sites, window)
		site->lifted = false;
}

/* Call this when a reason for a window has ended. */
static void end(enum kt_window_why why, s32 cpu)
{
	LIST_HEAD(taken);
	u32 n;

	lockdep_assert_held(kt_text_mutex());
	if (is_open() || !count(true))
		return;
	if (keep_taken(&taken))
		schedule_delayed_work(&end_work, HZ);
	n = count(true);
	if (n) {
		hold_measurements();
		arm_all();
		tell(true, (struct kt_window_record){ .ends = 1, .why = why, .cpu = cpu, .sites = n });
		settle();
		kt_measurements_release();
		schedule_work(&measure_work);
		kt_jump_arm();
	}
	list_splice_tail(&taken, &sites);
}

static void end_later(struct work_struct *work)
{
	kt_text_lock();
	end(KT_WINDOW_CPU, -1);
	kt_text_unlock();
}

/* ------------------------------------------------------------------- CPUs */

/* Runs before the CPU is started, in the task that starts it. */
static int cpu_starts(unsigned int cpu)
{
	int err;

	kt_text_lock_cpuslocked();
	err = begin(KT_WINDOW_CPU, cpu);
	if (!err)
		cpumask_set_cpu(cpu, &starting);
	kt_text_unlock_cpuslocked();
	return err;
}

/*
 * Runs on the CPU when it is online.  There is no callback for a start that fails before: the CPU may have been woken
 * and come much later, when nobody waits for it any more.  So the window stays open until the next start succeeds.  A
 * CPU that goes down needs no window: it keeps its interrupt table.
 */
static int cpu_runs(unsigned int cpu)
{
	kt_text_lock_cpuslocked();
	cpumask_clear_cpu(cpu, &starting);
	end(KT_WINDOW_CPU, cpu);
	kt_text_unlock_cpuslocked();
	return 0;
}

/* ---------------------------------------------------------- sleep, reboot */

/*
 * Every kind of sleep prepares all devices, while user space stands still: suspend, hibernation, the return of an
 * image, and a kexec that comes back.  So ktrace has a device.
 */
static int sleep_begins(struct device *dev)
{
	int err;

	kt_text_lock();
	err = begin(KT_WINDOW_SLEEP, -1);
	if (!err)
		sleeping = true;
	kt_text_unlock();
	return err;
}

static void sleep_ends(struct device *dev)
{
	kt_text_lock();
	sleeping = false;
	end(KT_WINDOW_SLEEP, -1);
	kt_text_unlock();
}

static const struct dev_pm_ops sleep_ops = { .prepare = sleep_begins, .complete = sleep_ends };
static const struct device_type sleep_type = { .name = "ktrace", .pm = &sleep_ops };
static struct platform_device *sleeper;

static int sleeper_add(void)
{
	int err;

	sleeper = platform_device_alloc("ktrace", PLATFORM_DEVID_NONE);
	if (!sleeper)
		return -ENOMEM;
	sleeper->dev.type = &sleep_type;
	err = platform_device_add(sleeper);
	if (err)
		platform_device_put(sleeper);
	return err;
}

/* The way down may lead through code without an interrupt table, too.  It cannot be stopped here. */
static int on_reboot(struct notifier_block *nb, unsigned long action, void *data)
{
	kt_text_lock();
	begin(KT_WINDOW_REBOOT, -1);
	going_down = true;
	kt_text_unlock();
	return NOTIFY_DONE;
}

static struct notifier_block reboot_nb = { .notifier_call = on_reboot };

/* -------------------------------------------------------------- init and exit */

void kt_window_status(struct kt_status *status)
{
	status->windows = READ_ONCE(nr_windows);
	status->window_id = kt_own_desc_id(KT_OWN_DESC_WINDOW);
	status->window_open = is_open();	/* without the lock: it may be over when the caller learns of it */
}

static int starts, runs;		/* state numbers of CPU hotplug */

int kt_window_init(void)
{
	int err = sleeper_add();

	if (err)
		return err;
	err = register_reboot_notifier(&reboot_nb);
	if (err)
		goto remove_sleeper;
	/* The end first: a CPU that starts between the two calls has no window, and there are no sites yet. */
	runs = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "ktrace:runs", cpu_runs, NULL);
	if (runs < 0) {
		err = runs;
		goto remove_notifier;
	}
	starts = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "ktrace:starts", cpu_starts, NULL);
	if (starts < 0) {
		err = starts;
		goto remove_runs;
	}
	return 0;

remove_runs:
	cpuhp_remove_state_nocalls(runs);
remove_notifier:
	unregister_reboot_notifier(&reboot_nb);
remove_sleeper:
	platform_device_unregister(sleeper);
	return err;
}

void kt_window_exit(void)
{
	cpuhp_remove_state_nocalls(starts);
	cpuhp_remove_state_nocalls(runs);
	unregister_reboot_notifier(&reboot_nb);
	platform_device_unregister(sleeper);
	cancel_delayed_work_sync(&end_work);
	cancel_work_sync(&measure_work);
}
