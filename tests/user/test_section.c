// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_section.c - section.S, executed by the simulator.
 *
 * First every instruction is interrupted, by each means; then at random, SCHEDULES times.  Mutants, of the code, of the
 * kernel and of the processor, must be found.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"
#include "simulator.h"
#include "tests/unit/unit.h"
#include "user/internal.h"

#define USUAL	50000	/* schedules at random */
#define RARE	40000	/* of which some notice a thread that goes to another CPU between two certain instructions */
#define BARRIER	800	/* of which one in a hundred notices that the barrier between copies is missing */

/* ------------------------------------------------------------------------ tests */

static unsigned int schedules(void)
{
	const char *text = getenv("SCHEDULES");

	return text ? (unsigned int)atoi(text) : USUAL;
}

/* Interrupt at every step, by every means.  Returns the number of schedules, or 0: sim.problem. */
static unsigned long interrupt_each(void)
{
	unsigned long total, count = 0;

	sim.gaps = 0;
	for (uint32_t cpu = SIM_CPUS; cpu-- > 0;) {
		sim.plan = (struct sim_plan){ .cpu = cpu };
		if (!sim_run())
			return 0;
		/* The first event of a thread in a packet has a mark. */
		if (sim.fast < SIM_THREADS * SIM_EVENTS / 2) {
			snprintf(sim.problem, sizeof(sim.problem), "events do not take the usual path");
			return 0;
		}
	}
	total = sim.steps;
	for (unsigned long first = 1; first <= total; first++) {
		for (int means = 1; means < SIM_NR_MEANS; means++) {
			/* The longer turn is for a sequence that overlaps with the end of a long one. */
			for (unsigned int turn = 5; turn <= (means == SIM_BESIDE ? 25 : 5); turn += 20, count++) {
				sim.plan = (struct sim_plan){ .means = means, .first = first, .turn = turn };
				if (!sim_run())
					return 0;
			}
		}
	}
	return count;
}

static unsigned long interrupt_at_random(unsigned int nr, enum sim_looks looks)
{
	for (unsigned int i = 0; i < nr; i++) {
		sim.plan = (struct sim_plan){ .at_random = true, .left = 2 + rand() % 8, .turn = 1 + rand() % 40, .looks = looks };
		sim.gaps = i % 2 ? 5 : 0;
		ktrace_clock_is_ordered = i / 2 % machine_texts.clocks;
		if (!sim_run())
			return 0;
	}
	sim.gaps = 0;
	return nr;
}

/* With each clock. */
static unsigned long interrupt_each_clock(void)
{
	unsigned long count, all = 0;

	for (ktrace_clock_is_ordered = 0; ktrace_clock_is_ordered < machine_texts.clocks; ktrace_clock_is_ordered++) {
		count = interrupt_each();
		if (!count)
			return 0;
		all += count;
	}
	ktrace_clock_is_ordered = 0;
	return all;
}

static void test_each(void **state)
{
	const unsigned long count = interrupt_each_clock();

	if (!count)
		fail_msg("%s at step %lu", sim.problem, sim.plan.first);
	print_message("# %lu schedules\n", count);
}

/* The process ends at any step. */
static void test_end(void **state)
{
	sim.plan = (struct sim_plan){ .looks = SIM_AS_IF_IT_ENDED };
	if (!sim_run())
		fail_msg("%s", sim.problem);
	for (unsigned long first = 1; first < 200; first++) {
		sim.plan = (struct sim_plan){ .looks = SIM_AS_IF_IT_ENDED, .means = SIM_OTHER_THREAD, .first = first, .second = first % 37 };
		if (!sim_run())
			fail_msg("%s at step %lu", sim.problem, first);
	}
}

/* Two threads lose the CPU: the first to the second, and that to the third. */
static void test_two(void **state)
{
	for (unsigned long first = 1; first < 160; first++) {
		for (unsigned long second = 1; second < 160; second++) {
			sim.plan = (struct sim_plan){ .means = SIM_OTHER_THREAD, .first = first, .second = second };
			if (!sim_run())
				fail_msg("%s at steps %lu and %lu", sim.problem, first, second);
		}
	}
}

static void test_random(void **state)
{
	const unsigned int seed = getenv("SEED") ? (unsigned int)atoi(getenv("SEED")) : (unsigned int)time(NULL);
	const unsigned int nr = schedules();

	print_message("# SEED=%u\n", seed);
	srand(seed);
	if (!interrupt_at_random(nr, SIM_AT_END))
		fail_msg("%s", sim.problem);
	if (!interrupt_at_random(nr / 50 + 1, SIM_MEANWHILE))
		fail_msg("a reader on another CPU: %s", sim.problem);
}

/* ------------------------------------------------------------------------ mutants */

/* The two functions, with the bounds of their sequences. */
static struct section {
	const char *name;
	const void *begin, *end;	/* of the code */
	uint64_t from, to;
} sections[] = {
	{ "ktrace_write", ktrace_write, ktrace_commit, 0, 0 }, { "ktrace_commit", ktrace_commit, ktrace_probe, 0, 0 },
};

/* From the table for the kernel. */
static void find_sections(void)
{
	extern const uint64_t __start___rseq_cs_ptr_array[], __stop___rseq_cs_ptr_array[];

	for (const uint64_t *at = __start___rseq_cs_ptr_array; at < __stop___rseq_cs_ptr_array; at++) {
		const struct sequence *s = (const struct sequence *)*at;

		for (size_t i = 0; i < 2; i++) {
			if (s->start > (uint64_t)sections[i].begin && s->start < (uint64_t)sections[i].end) {
				sections[i].from = s->start;
				sections[i].to = s->start + s->length;
			}
		}
	}
	assert_true(sections[0].from && sections[1].from);
}

/* What finds most mutants comes first. */
static bool run_all(void)
{
	const unsigned int nr = schedules() / 10 < RARE ? RARE : schedules() / 10;

	return interrupt_at_random(200, SIM_AT_END) && interrupt_at_random(100, SIM_MEANWHILE) && interrupt_each_clock() &&
	       interrupt_at_random(nr, SIM_AT_END) && interrupt_at_random(BARRIER, SIM_MEANWHILE);
}

/* In a process of its own: a mutant may write anywhere, or crash, which is noticed, too. */
static bool is_found(void)
{
	const pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		signal(SIGILL, SIG_DFL);
		_exit(!run_all());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static bool is_unnoticed(uint64_t ip)
{
	for (int i = 0; machine_texts.unnoticed[i].text; i++) {
		const uint64_t at = machine_find(sections[0].from, machine_texts.unnoticed[i].text);

		assert_true(at);
		if ((machine_texts.unnoticed[i].itself && ip == at) || (machine_texts.unnoticed[i].next && ip == machine_next(at)))
			return true;
	}
	return false;
}

/* Leave out each instruction of the sequences in turn. */
static void test_missing_instruction(void **state)
{
	unsigned int nr = 0;

	assert_false(is_found());
	for (size_t i = 0; i < 2; i++) {
		for (uint64_t ip = sections[i].from; ip < sections[i].to; ip = machine_next(ip)) {
			if (is_unnoticed(ip))
				continue;
			machine_skipped = ip;
			if (!is_found())
				fail_msg("nobody misses the instruction at %s+0x%lx", sections[i].name,
					 (unsigned long)(ip - (uint64_t)sections[i].begin));
			nr++;
		}
	}
	machine_skipped = 0;
	print_message("# %u mutants\n", nr);
}

/* One of the sequences begins or ends elsewhere. */
static void must_find(uint64_t from, uint64_t to)
{
	sim.mutant_start = from;
	sim.mutant_end = to;
	if (!is_found())
		fail_msg("nobody misses what is not in a sequence from ktrace_write+0x%lx to +0x%lx",
			 (unsigned long)(from - (uint64_t)ktrace_write), (unsigned long)(to - (uint64_t)ktrace_write));
	sim.mutant_start = sim.mutant_end = 0;
}

/* The sequence begins behind any instruction before the ring's word is read; or it ends before its last store. */
static void test_wrong_bounds(void **state)
{
	const struct section *write = &sections[0], *commit = &sections[1];
	const uint64_t word = machine_find(write->from, machine_texts.read),
		       write_store = machine_find(write->from, machine_texts.store),
		       compared = machine_find(commit->from, machine_texts.compared),
		       commit_store = machine_find(commit->from, machine_texts.last_store);

	assert_true(word && write_store && compared && commit_store);
	/* The first instruction compares the CPUs: they may change before it. */
	for (uint64_t ip = machine_next(write->from); ip <= word; ip = machine_next(ip))
		must_find(machine_next(ip), write->to);
	must_find(write->from, write_store);
	must_find(compared, commit->to);
	must_find(commit->from, commit_store);
}

static void test_kernel_that_forgets(void **state)
{
	sim.kernel_restarts = false;
	assert_true(is_found());
	sim.kernel_restarts = true;
}

/* Another CPU must not see an event before its payload, nor a packet before the mark that its place was used again. */
static void test_processor_that_forgets(void **state)
{
	machine_forgets_order = true;
	assert_true(is_found());
	machine_forgets_order = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each), cmocka_unit_test(test_end), cmocka_unit_test(test_two), cmocka_unit_test(test_random),
		cmocka_unit_test(test_missing_instruction), cmocka_unit_test(test_wrong_bounds),
		cmocka_unit_test(test_kernel_that_forgets), cmocka_unit_test(test_processor_that_forgets),
	};

	find_sections();
	return cmocka_run_group_tests(tests, sim_make, sim_drop);
}
