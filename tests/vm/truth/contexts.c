// SPDX-License-Identifier: GPL-2.0-only
/* Functions that take a known time, that sleep, or that run in an interrupt. */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>

#include "truth.h"
#include "truth_arch.h"

static struct hrtimer timer;
static struct irq_work work;
static DECLARE_COMPLETION(done);
/* One caller at a time may wait for the timer or the work. */
static DEFINE_MUTEX(busy);

TRUTH long ktruth_delay(unsigned int microseconds)
{
	udelay(microseconds);
	return microseconds;
}

TRUTH long ktruth_sleeper(unsigned int microseconds)
{
	usleep_range(microseconds, microseconds + 10);
	return microseconds;
}

static TRUTH enum hrtimer_restart ktruth_in_timer(struct hrtimer *unused)
{
	complete(&done);
	return HRTIMER_NORESTART;
}

static TRUTH void ktruth_in_irq_work(struct irq_work *unused)
{
	complete(&done);
}

TRUTH long ktruth_timer(void)
{
	mutex_lock(&busy);
	hrtimer_start(&timer, ns_to_ktime(10000), HRTIMER_MODE_REL);
	wait_for_completion(&done);
	mutex_unlock(&busy);
	return 0;
}

TRUTH long ktruth_irq_work(void)
{
	mutex_lock(&busy);
	irq_work_queue(&work);
	wait_for_completion(&done);
	mutex_unlock(&busy);
	return 0;
}

DEFINE_PER_CPU(u64, ktruth_nmis);

/* Without NMIs for modules, this function is only there to be traced. */
TRUTH long ktruth_in_nmi(long number)
{
	barrier();
	return number * 5 + 1;
}

int ktruth_contexts_init(void)
{
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(&timer, ktruth_in_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
#else
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	timer.function = ktruth_in_timer;
#endif
	init_irq_work(&work, ktruth_in_irq_work);
	return truth_nmi_init();
}

void ktruth_contexts_exit(void)
{
	truth_nmi_exit();
	hrtimer_cancel(&timer);
	irq_work_sync(&work);
}
