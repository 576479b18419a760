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
#include <string.h>
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

/* The first event of a thread in a packet has a mark, and is left to C code. */
static bool is_usual(void)
{
	if (sim.fast < SIM_THREADS * SIM_EVENTS / 2)
		return false;
	return sim.group == SIM_WORD ? sim.fast_word : sim.group == SIM_WORDS || sim.fast_parts || !KTU_HAS_PARTS;
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
		if (!is_usual()) {
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

/* The groups that are tried. */
static uint32_t first_group, end_group = SIM_GROUPS;

static unsigned long interrupt_at_random(unsigned int nr, enum sim_looks looks)
{
	const uint32_t groups = end_group - first_group;

	for (unsigned int i = 0; i < nr; i++) {
		sim.plan = (struct sim_plan){ .at_random = true, .left = 2 + rand() % 8, .turn = 1 + rand() % 40, .looks = looks };
		sim.gaps = i % 2 ? 5 : 0;
		sim.group = first_group + i / 2 % groups;
		ktrace_clock_is_ordered = i / 2 / groups % machine_texts.clocks;
		ktrace_has_wide = rand() % 2;
		if (!sim_run())
			return 0;
	}
	sim.gaps = 0;
	return nr;
}

/* With each clock, and each group of events. */
static unsigned long interrupt_each_clock(void)
{
	unsigned long count, all = 0;

	for (ktrace_clock_is_ordered = 0; ktrace_clock_is_ordered < machine_texts.clocks; ktrace_clock_is_ordered++) {
		for (sim.group = first_group; sim.group < end_group; sim.group++) {
			ktrace_has_wide = sim.group != SIM_BYTES;
			count = interrupt_each();
			if (!count)
				return 0;
			all += count;
		}
	}
	sim.group = ktrace_clock_is_ordered = 0;
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

/* The functions, with the bounds of their sequences, in the order in which they are in section.S. */
static struct section {
	const char *name;
	const void *begin;	/* of the code */
	uint64_t from, to;
} sections[] = {
	{ "ktrace_write_word", ktrace_write_word, 0, 0 }, { "ktrace_write", ktrace_write, 0, 0 },
#if KTU_HAS_PARTS
	{ "ktrace_write_parts", ktrace_write_parts, 0, 0 },
#endif
	{ "ktrace_commit", ktrace_commit, 0, 0 },
};

#define NR_SECTIONS	(sizeof(sections) / sizeof(*sections))

/* The table for the kernel has them in the same order. */
static void find_sections(void)
{
	extern const uint64_t __start___rseq_cs_ptr_array[];

	for (size_t i = 0; i < NR_SECTIONS; i++) {
		const struct sequence *s = (const struct sequence *)__start___rseq_cs_ptr_array[i];

		sections[i].from = s->start;
		sections[i].to = s->start + s->length;
		assert_true(sections[i].from > (uint64_t)sections[i].begin);
		assert_true(!i || sections[i - 1].to < (uint64_t)sections[i].begin);
	}
}

/* What finds most mutants comes first. */
static bool run_all(void)
{
	const unsigned int nr = schedules() / 10 < RARE ? RARE : schedules() / 10;

	return interrupt_at_random(200, SIM_AT_END) && interrupt_at_random(100, SIM_MEANWHILE) && interrupt_each_clock() &&
	       interrupt_at_random(nr, SIM_AT_END) && interrupt_at_random(BARRIER, SIM_MEANWHILE);
}

/* The groups whose events that function writes.  NULL: all. */
static void choose_groups(const char *function)
{
	first_group = SIM_WORD;
	end_group = SIM_GROUPS;
	if (function && !strcmp(function, "ktrace_write_parts"))
		first_group = SIM_BYTES;
	else if (function && !strcmp(function, "ktrace_write_word"))
		end_group = SIM_WORDS;
	else if (function) {
		first_group = SIM_WORDS;
		end_group = SIM_BYTES;
	}
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

static bool is_unnoticed(const struct section *section, uint64_t ip)
{
	for (int i = 0; machine_texts.unnoticed[i].text; i++) {
		const uint64_t at = machine_find(section->from, section->to, machine_texts.unnoticed[i].text);

		if (!at)
			continue;
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
	for (size_t i = 0; i < NR_SECTIONS; i++) {
		choose_groups(sections[i].name);
		for (uint64_t ip = sections[i].from; ip < sections[i].to; ip = machine_next(ip)) {
			if (is_unnoticed(&sections[i], ip))
				continue;
			machine_skipped = ip;
			if (!is_found())
				fail_msg("nobody misses the instruction at %s+0x%lx", sections[i].name,
					 (unsigned long)(ip - (uint64_t)sections[i].begin));
			nr++;
		}
	}
	machine_skipped = 0;
	choose_groups(NULL);
	print_message("# %u mutants\n", nr);
}

/* One of the sequences begins or ends elsewhere. */
static void must_find(uint64_t from, uint64_t to)
{
	sim.mutant_start = from;
	sim.mutant_end = to;
	if (!is_found())
		fail_msg("nobody misses what is not in a sequence from ktrace_write_word+0x%lx to +0x%lx",
			 (unsigned long)(from - (uint64_t)sections[0].begin), (unsigned long)(to - (uint64_t)sections[0].begin));
	sim.mutant_start = sim.mutant_end = 0;
}

/* The last instruction of the sequence: the store that ends it. */
static uint64_t last_of(const struct section *section)
{
	uint64_t ip = section->from;

	while (machine_next(ip) < section->to)
		ip = machine_next(ip);
	return ip;
}

/* The sequence begins behind any instruction before the ring's word is read; or it ends before its last store. */
static void test_wrong_bounds(void **state)
{
	const struct section *commit = &sections[NR_SECTIONS - 1];
	const uint64_t compared = machine_find(commit->from, commit->to, machine_texts.compared);

	for (const struct section *write = sections; write < commit; write++) {
		const uint64_t word = machine_find(write->from, write->to, machine_texts.read);

		choose_groups(write->name);
		assert_true(word);
		/* The first instruction compares the CPUs: they may change before it. */
		for (uint64_t ip = machine_next(write->from); ip <= word; ip = machine_next(ip))
			must_find(machine_next(ip), write->to);
		must_find(write->from, last_of(write));
	}
	assert_true(compared);
	choose_groups(commit->name);
	must_find(compared, commit->to);
	must_find(commit->from, last_of(commit));
	choose_groups(NULL);
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
