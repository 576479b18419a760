// SPDX-License-Identifier: GPL-2.0-or-later
/* test_analysis_interval.c - the figures of one interval after the other, and what is forgotten between them. */
#include "unit.h"

#include "analysis_play.h"
#include "ctl/base/memory.h"

static struct analysis *begin(void)
{
	struct analysis *a = analysis_create(0, UINT64_MAX);

	analysis_all_calls(a);
	return a;
}

static void end_interval(struct analysis *a, uint64_t t)
{
	analysis_advance(a, t);
	analysis_finish(a);
	analysis_check(a);
}

/* A sleep and a system call that last over the end of an interval. */
static void test_over_the_end(void **state)
{
	struct analysis *a = begin();
	const struct task *reader, *sleeper;

	analysis_play(a,
		      "100 0 sched_switch prev_tid=8 prev_state=1 prev_iowait=0 next_tid=7 next_comm=cat\n"
		      "110 0 syscall_entry_read fd=3\n"
		      "120 0 sched_switch prev_tid=7 prev_state=2 prev_iowait=1 next_tid=0\n");
	end_interval(a, 200);
	reader = analysis_task(a, 7);
	assert_int_equal(analysis_length(a), 100);
	assert_int_equal(reader->time[DOING_WAIT_IO], 80);
	assert_int_equal(reader->time[DOING_CALL], 10);
	assert_int_equal(analysis_task(a, 8)->time[DOING_SLEEP], 100);
	assert_int_equal(reader->calls, 0);
	analysis_restart(a);

	/* No event at all: the states go on. */
	end_interval(a, 300);
	assert_int_equal(analysis_length(a), 100);
	assert_int_equal(analysis_task(a, 7)->time[DOING_WAIT_IO], 100);
	assert_int_equal(a->cpus[0]->time[DOING_IDLE], 100);
	assert_int_equal(a->events, 0);
	analysis_restart(a);

	analysis_play(a,
		      "310 0 sched_waking tid=7 target_cpu=0\n"
		      "330 0 sched_switch prev_tid=0 prev_state=0 next_tid=7\n"
		      "340 0 syscall_exit_read ret=5\n");
	end_interval(a, 400);
	reader = analysis_task(a, 7);
	sleeper = analysis_task(a, 8);
	assert_int_equal(reader->time[DOING_WAIT_IO], 10);
	assert_int_equal(reader->time[DOING_WAIT_CPU], 20);
	assert_int_equal(reader->time[DOING_CALL], 10);
	assert_int_equal(reader->time[DOING_USER], 60);
	assert_int_equal(reader->latency.sum, 20);
	assert_int_equal(sleeper->time[DOING_SLEEP], 100);
	/* A call counts where it ends, with all of its time. */
	assert_int_equal(reader->calls, 1);
	assert_int_equal(a->nr_uses, 1);
	assert_int_equal(a->uses[0].time.sum, 230);
	assert_int_equal(a->events, 3);
	analysis_free(a);
}

/* A task that has ended is in the figures of that interval, and then forgotten, also as a parent. */
static void test_ended(void **state)
{
	struct analysis *a = begin();

	analysis_play(a,
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=7 next_comm=sh\n"
		      "110 0 sched_process_fork parent_tid=7 parent_pid=7 child_tid=8 child_pid=8 child_comm=sh\n"
		      "120 0 sched_process_fork parent_tid=8 parent_pid=8 child_tid=9 child_pid=9 child_comm=sh\n"
		      "130 0 sched_switch prev_tid=7 prev_state=1 prev_iowait=0 next_tid=8\n"
		      "150 0 sched_switch prev_tid=8 prev_state=32 prev_iowait=0 next_tid=0\n"
		      "160 0 sched_process_free tid=8 comm=sh\n");
	end_interval(a, 200);
	assert_int_equal(a->nr_tasks, 3);
	assert_int_equal(analysis_task(a, 8)->time[DOING_EITHER], 20);
	assert_int_equal(analysis_lifetime(a, analysis_task(a, 8)), 50);
	analysis_restart(a);
	assert_int_equal(a->nr_tasks, 2);
	assert_int_equal(a->nr_processes, 2);
	assert_null(analysis_task(a, 9)->process->parent);

	/* The others are found by their numbers, and a new task may have the tid. */
	analysis_play(a,
		      "210 0 sched_waking tid=9 target_cpu=0\n"
		      "220 0 sched_switch prev_tid=0 prev_state=0 next_tid=9\n"
		      "230 0 sched_process_fork parent_tid=9 parent_pid=9 child_tid=8 child_pid=8 child_comm=sh\n");
	end_interval(a, 300);
	assert_int_equal(a->nr_tasks, 3);
	assert_int_equal(analysis_task(a, 9)->time[DOING_WAIT_CPU], 20);
	assert_int_equal(analysis_lifetime(a, analysis_task(a, 8)), 70);
	assert_int_equal(analysis_task(a, 8)->process->parent->pid, 9);
	assert_int_equal(a->contradictions, 0);
	analysis_free(a);
}

/* As many processes and names of files as one likes: memory stays as it is. */
static void test_memory(void **state)
{
	struct analysis *a = begin();
	uint32_t most = 0;

	analysis_play(a,
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=7 next_comm=sh\n"
		      "101 0 sched_process_fork parent_tid=7 parent_pid=7 child_tid=6 child_pid=7 child_comm=sh\n"
		      "102 0 syscall_entry_openat dfd=-100 filename=/kept flags=0\n"
		      "103 0 syscall_exit_openat ret=3\n");
	for (unsigned long long i = 1; i <= 20000; i++) {
		AUTO_FREE char *events = mem_printf(
			"%llu 0 sched_process_fork parent_tid=7 parent_pid=7 child_tid=%llu child_pid=%llu child_comm=c%llu\n"
			"%llu 1 sched_switch prev_tid=0 prev_state=0 next_tid=%llu\n"
			"%llu 1 sched_switch prev_tid=%llu prev_state=32 next_tid=0\n"
			"%llu 0 sched_process_free tid=%llu comm=sh\n"
			"%llu 0 syscall_entry_openat dfd=-100 filename=/file/%llu flags=0\n"
			"%llu 0 syscall_exit_openat ret=-2\n",
			i * 10 + 100, i + 10, i + 10, i, i * 10 + 101, i + 10, i * 10 + 101, i + 10, i * 10 + 101, i + 10,
			i * 10 + 102, i, i * 10 + 103);

		analysis_play(a, events);
		if (i % 100)
			continue;
		end_interval(a, i * 10 + 105);
		analysis_forget_names(a);
		analysis_restart(a);
		assert_true(a->nr_tasks < 250);
		most = a->names.nr > most ? a->names.nr : most;
	}
	assert_true(most < 4000);
	assert_true(a->nr_processes < 250);
	analysis_play(a, "300000 0 syscall_entry_read fd=3 count=1\n300001 0 syscall_exit_read ret=1\n");
	assert_int_equal(a->nr_files, 1);
	assert_string_equal(names_text(&a->names, a->files[0].name), "/kept");
	assert_string_equal(names_text(&a->names, analysis_task(a, 7)->name), "sh");
	analysis_free(a);
}

/* The end of a task may be among lost records. */
static void test_missing(void **state)
{
	struct keymap alive = { 0 };
	struct analysis *a = begin();

	analysis_play(a,
		      "100 0 sched_switch prev_tid=8 prev_state=1 prev_iowait=0 next_tid=7\n"
		      "110 0 sched_switch prev_tid=7 prev_state=1 prev_iowait=0 next_tid=9\n"
		      "120 0 gap\n"
		      "130 0 end-gap lost=5\n"
		      "140 0 sched_switch prev_tid=0 prev_state=0 next_tid=9\n"
		      "145 0 sched_waking tid=6 target_cpu=0\n");
	keymap_set(&alive, 7, 1);
	analysis_forget_missing(a, &alive, 150);
	end_interval(a, 200);
	assert_int_equal(analysis_task(a, 8)->died, 145);
	analysis_restart(a);
	assert_int_equal(a->nr_tasks, 3);
	assert_int_equal(analysis_task(a, 7)->doing, DOING_UNKNOWN);
	assert_non_null(analysis_task(a, 9)->cpu);
	assert_int_equal(analysis_task(a, 6)->doing, DOING_WAIT_CPU);
	keymap_free(&alive);
	analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_over_the_end), cmocka_unit_test(test_ended), cmocka_unit_test(test_memory),
		cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
