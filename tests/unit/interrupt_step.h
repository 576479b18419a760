/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interrupt_step.h - run code that is interrupted behind one of its instructions by other code, in the same thread. */
#ifndef KTRACE_INTERRUPT_STEP_H
#define KTRACE_INTERRUPT_STEP_H

#include <signal.h>

#include "single_step.h"

static struct {
	u32 at;			/* number of the instruction */
	u32 steps;
	bool met;		/* the code has so many instructions */
	void (*nested)(void);	/* what interrupts it */
} plan;

static void plan_trapped(int signal, siginfo_t *info, void *context)
{
	if (plan.steps++ != plan.at)
		return;
	plan.met = true;
	plan.nested();
	single_step_end(context);
}

/* For cmocka_run_group_tests(). */
static int plan_setup(void **state)
{
	const struct sigaction action = { .sa_sigaction = plan_trapped, .sa_flags = SA_SIGINFO | SA_NODEFER };

	return sigaction(SIGTRAP, &action, NULL);
}

static inline __attribute__((always_inline)) void plan_run(void (*outer)(void))
{
	plan.steps = 0;
	plan.met = false;
	single_step_on();
	outer();
	single_step_off();
}

#endif
