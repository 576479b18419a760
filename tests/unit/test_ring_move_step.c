// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring_move_step.c - a ring that moves, as the compiler made it: interrupted behind each of its
 * instructions.
 */
#include <signal.h>
#include <stdbool.h>

#include "single_step.h"

static void move_begins(void);
#define MOVE_BEGINS()	move_begins()
#define MOVE_ENDS()	single_step_off()
#include "ring_move.h"

static void trapped(int signal, siginfo_t *info, void *context)
{
	if (!READ_ONCE(m.in_clock))
		move_step();
	if (interruption.met)
		single_step_end(context);
}

/* Only once. */
static __attribute__((always_inline)) inline void move_begins(void)
{
	if (interruption.on && !interruption.met)
		single_step_on();
}

static int setup(void **state)
{
	const struct sigaction action = { .sa_sigaction = trapped,
					  .sa_flags = SA_SIGINFO | SA_NODEFER };

	return sigaction(SIGTRAP, &action, NULL);
}

static void test_interrupted(void **state)
{
	move_all_ways(22, unit_takes);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_interrupted) };

	return cmocka_run_group_tests_name("moving ring, instruction by instruction", tests, setup,
					   NULL);
}
