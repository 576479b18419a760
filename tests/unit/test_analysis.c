// SPDX-License-Identifier: GPL-2.0-or-later
/* test_analysis.c - times of tasks and CPUs, from events written by hand. */
#include "unit.h"

#include "analysis_play.h"
#include "ctl/base/memory.h"

static struct analysis *begin(void)
{
	struct analysis *a = analysis_create(0, UINT64_MAX);

	analysis_all_calls(a);
	return a;
}

/* Compare the times of a task: pairs of a state and its ticks; the other states are 0. */
static void check_times(const uint64_t *time, const char *what, const uint64_t (*wanted)[2], size_t n)
{
	uint64_t all[NR_DOINGS] = { 0 };

	for (size_t i = 0; i < n; i++)
		all[wanted[i][0]] = wanted[i][1];
	for (size_t i = 0; i < NR_DOINGS; i++)
		if (time[i] != all[i])
			fail_msg("%s: state %zu has %llu ticks, not %llu", what, i, (unsigned long long)time[i],
				 (unsigned long long)all[i]);
}

#define CHECK(time, ...) \
	do { \
		static const uint64_t wanted[][2] = { __VA_ARGS__ }; \
		check_times(time, #time, wanted, ARRAY_SIZE(wanted)); \
	} while (0)

/* A task computes, reads from a disk with an interrupt meanwhile, and sleeps. */
static void test_states(void **state)
{
	struct analysis *a = begin();

	analysis_play(a,
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=7 next_comm=cat\n"
		      "110 0 syscall_exit_write ret=5\n"
		      "140 0 syscall_entry_read fd=3\n"
		      "150 0 irq_handler_entry irq=9 name=eth0\n"
		      "153 0 irq_softirq_entry vec=3\n"
		      "155 0 irq_softirq_exit vec=3\n"
		      "157 0 irq_handler_exit irq=9 ret=1\n"
		      "160 0 sched_switch prev_tid=7 prev_state=2 prev_iowait=1 next_tid=0\n"
		      "180 0 irq_handler_entry irq=10 name=disk\n"
		      "182 0 sched_waking tid=7 target_cpu=0\n"
		      "184 0 irq_handler_exit irq=10 ret=1\n"
		      "190 0 sched_switch prev_tid=0 prev_state=0 next_tid=7\n"
		      "195 0 syscall_exit_read ret=4096\n"
		      "205 0 sched_switch prev_tid=7 prev_state=0 next_tid=8\n"
		      "215 0 sched_switch prev_tid=8 prev_state=1 prev_iowait=0 next_tid=7\n"
		      "216 0 syscall_entry_pause\n"
		      "220 0 sched_switch prev_tid=7 prev_state=1 prev_iowait=0 next_tid=0\n"
		      "230 0 sched_waking tid=8\n");
	analysis_finish(a);
	analysis_check(a);
	assert_int_equal(analysis_length(a), 130);
	CHECK(analysis_task(a, 7)->time, { DOING_EITHER, 10 }, { DOING_USER, 30 + 10 + 1 },
	      { DOING_CALL, 10 + 3 + 5 + 4 }, { DOING_IRQ, 5 }, { DOING_SOFTIRQ, 2 }, { DOING_WAIT_IO, 22 },
	      { DOING_WAIT_CPU, 8 + 10 }, { DOING_SLEEP, 10 });
	CHECK(analysis_task(a, 8)->time, { DOING_UNKNOWN, 105 }, { DOING_EITHER, 10 }, { DOING_SLEEP, 15 });
	CHECK(a->cpus[0]->time, { DOING_IDLE, 20 + 6 + 10 }, { DOING_IRQ, 5 + 4 }, { DOING_SOFTIRQ, 2 },
	      { DOING_EITHER, 20 }, { DOING_USER, 41 }, { DOING_CALL, 22 });
	assert_int_equal(a->cpus[0]->idle, 40);
	assert_string_equal(names_text(&a->names, analysis_task(a, 7)->name), "cat");
	assert_int_equal(analysis_task(a, 7)->latency.count, 1);
	assert_int_equal(analysis_task(a, 7)->latency.sum, 8);
	assert_int_equal(a->contradictions, 0);
	analysis_free(a);
}

/* The time of an interrupt does not contain that of those in it. */
static void test_interrupts(void **state)
{
	struct analysis *a = begin();

	analysis_play(a,
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=7\n"
		      "110 0 irq_softirq_entry vec=1\n"
		      "120 0 x86_irq_vectors_local_timer_entry\n"
		      "121 0 timer_hrtimer_expire_entry\n"
		      "124 0 timer_hrtimer_expire_exit\n"
		      "126 0 x86_irq_vectors_local_timer_exit\n"
		      "130 0 irq_softirq_exit vec=1\n"
		      /* The end of the vector in it was not seen. */
		      "140 0 irq_handler_entry irq=1 name=keyboard\n"
		      "141 0 x86_irq_vectors_reschedule_entry\n"
		      "145 0 irq_handler_exit irq=1 ret=1\n"
		      /* The beginning was not seen. */
		      "150 0 irq_handler_exit irq=2 ret=1\n"
		      "160 0 sched_switch prev_tid=7 prev_state=0 next_tid=0\n");
	analysis_finish(a);
	analysis_check(a);
	CHECK(analysis_task(a, 7)->time, { DOING_EITHER, 10 + 10 + 15 }, { DOING_SOFTIRQ, 14 }, { DOING_IRQ, 6 + 5 });
	for (size_t i = 0; i < a->nr_works; i++) {
		static const uint64_t net[] = {
			[WORK_SOFTIRQ] = 14, [WORK_VECTOR] = 3, [WORK_TIMER] = 3, [WORK_IRQ] = 5,
		};

		if (a->works[i].time.count)
			assert_int_equal(a->works[i].time.sum, net[a->works[i].kind]);
		else
			assert_true(a->works[i].number == 2 || a->works[i].kind == WORK_VECTOR);
	}
	analysis_free(a);
}

/* Without system calls in the recording, nobody knows what is the task's own code. */
static void test_without_calls(void **state)
{
	struct analysis *a = analysis_create(0, UINT64_MAX);

	assert_int_equal(analysis_calls(a), CALLS_NONE);
	analysis_play(a,
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=7\n"
		      "105 0 x86_exceptions_page_fault_user\n"
		      "120 0 sched_switch prev_tid=7 prev_state=1 next_tid=0\n");
	analysis_finish(a);
	CHECK(analysis_task(a, 7)->time, { DOING_EITHER, 20 });
	analysis_free(a);

	a = analysis_create(0, UINT64_MAX);
	analysis_play(a,
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=7\n"
		      "105 0 syscall_entry_read\n"
		      "115 0 syscall_exit_read ret=0\n"
		      "120 0 sched_switch prev_tid=7 prev_state=1 next_tid=0\n"
		      "130 0 sched_waking tid=9\n");
	analysis_finish(a);
	analysis_check(a);
	assert_int_equal(analysis_calls(a), CALLS_SOME);
	CHECK(analysis_task(a, 7)->time, { DOING_EITHER, 10 }, { DOING_CALL, 10 }, { DOING_BLOCKED, 10 });
	assert_int_equal(a->no_iowait, 1);
	analysis_free(a);
}

/* A page fault tells that the task executes its own code; where its end is recorded, it has its own time. */
static void test_faults(void **state)
{
	struct analysis *a = begin();

	analysis_play(a,
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=7\n"
		      "105 0 x86_exceptions_page_fault_user\n"
		      "120 0 sched_switch prev_tid=7 prev_state=1 next_tid=0\n");
	analysis_finish(a);
	CHECK(analysis_task(a, 7)->time, { DOING_EITHER, 5 }, { DOING_USER, 15 });
	analysis_free(a);

	a = begin();
	analysis_type(a, "x86_exceptions_page_fault_exit");
	analysis_play(a,
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=7\n"
		      "105 0 x86_exceptions_page_fault_user\n"
		      "108 0 sched_switch prev_tid=7 prev_state=2 prev_iowait=1 next_tid=0\n"
		      "118 0 sched_switch prev_tid=0 prev_state=0 next_tid=7\n"
		      "120 0 x86_exceptions_page_fault_exit\n"
		      "130 0 syscall_entry_read\n"
		      "132 0 x86_exceptions_page_fault_kernel\n"
		      "133 0 x86_exceptions_page_fault_kernel\n"
		      "136 0 x86_exceptions_page_fault_exit\n"
		      "140 0 syscall_exit_read ret=-14\n"
		      "141 0 sched_switch prev_tid=7 prev_state=1 next_tid=0\n");
	analysis_finish(a);
	analysis_check(a);
	CHECK(analysis_task(a, 7)->time, { DOING_EITHER, 5 }, { DOING_FAULT, 3 + 2 + 4 }, { DOING_WAIT_IO, 10 },
	      { DOING_USER, 10 + 1 }, { DOING_CALL, 2 + 4 });
	analysis_free(a);
}

/* Fork, a thread, exec, exit and the removal; a tid is used again. */
static void test_processes(void **state)
{
	struct analysis *a = begin();
	struct task *child, *thread, *again;

	analysis_play(a,
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=10 next_comm=sh\n"
		      "101 0 syscall_entry_clone\n"
		      "102 0 sched_process_fork parent_tid=10 parent_pid=10 child_tid=11 child_pid=11 child_comm=sh\n"
		      "104 0 sched_wakeup_new tid=11\n"
		      "105 0 sched_switch prev_tid=10 prev_state=1 prev_iowait=0 next_tid=11\n"
		      "106 0 syscall_exit_clone ret=0\n"
		      "110 0 syscall_entry_execve filename=/usr/bin/wc\n"
		      "115 0 sched_process_exec filename=/usr/bin/wc tid=11\n"
		      "116 0 syscall_exit_execve ret=0\n"
		      "120 0 syscall_entry_clone3\n"
		      "121 0 sched_process_fork parent_tid=11 parent_pid=11 child_tid=12 child_pid=11 child_comm=wc\n"
		      "122 0 syscall_exit_clone3 ret=12\n"
		      "125 0 syscall_entry_exit_group\n"
		      "127 0 sched_process_exit tid=11\n"
		      "130 0 sched_switch prev_tid=11 prev_state=32 next_tid=0\n"
		      "140 0 sched_process_free tid=11\n"
		      "145 0 sched_process_fork parent_tid=10 parent_pid=10 child_tid=11 child_pid=11\n"
		      "150 0 sched_process_free tid=11\n"
		      "160 0 irq_softirq_entry vec=9\n");
	analysis_finish(a);
	analysis_check(a);
	assert_int_equal(a->nr_tasks, 4);
	child = a->tasks[1];
	thread = analysis_task(a, 12);
	again = analysis_task(a, 11);
	assert_int_equal(child->tid, 11);
	assert_true(child->process == thread->process && child->process != again->process);
	assert_int_equal(child->process->parent->pid, 10);
	assert_string_equal(names_text(&a->names, child->process->name), "wc");
	assert_int_equal(analysis_lifetime(a, child), 38);
	CHECK(child->time, { DOING_WAIT_CPU, 3 }, { DOING_EITHER, 1 }, { DOING_USER, 4 + 4 + 3 },
	      { DOING_CALL, 6 + 2 + 2 }, { DOING_KERNEL, 3 }, { DOING_DEAD, 10 });
	/* The removal of the older task does not end the newer one with its tid. */
	assert_int_equal(analysis_lifetime(a, again), 15);
	assert_int_equal(analysis_lifetime(a, thread), 39);
	analysis_free(a);
}

/* A thread that executes a program gets the tid of its process. */
static void test_exec_of_thread(void **state)
{
	struct analysis *a = begin();

	analysis_play(a,
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=20\n"
		      "101 0 sched_process_fork parent_tid=20 parent_pid=20 child_tid=21 child_pid=20\n"
		      "110 0 sched_switch prev_tid=20 prev_state=1 prev_iowait=0 next_tid=21\n"
		      "120 0 sched_process_exec filename=/bin/true tid=20\n"
		      "130 0 sched_switch prev_tid=20 prev_state=0 next_tid=0\n"
		      "140 0 sched_waking tid=20\n");
	analysis_finish(a);
	analysis_check(a);
	assert_int_equal(a->contradictions, 0);
	assert_int_equal(analysis_lifetime(a, a->tasks[0]), 20);
	assert_int_equal(analysis_lifetime(a, a->tasks[1]), 39);
	assert_string_equal(names_text(&a->names, a->tasks[1]->process->name), "true");
	analysis_free(a);
}

/* The state at the start; events know better. */
static void test_statedump(void **state)
{
	struct analysis *a = begin();

	analysis_play(a,
		      "100 0 lttng_statedump_start\n"
		      "110 0 sched_waking tid=31\n"
		      "120 0 lttng_statedump_process_state tid=30 pid=30 ppid=1 name=cron type=0 mode=5 status=5 cpu=0\n"
		      "120 0 lttng_statedump_process_state tid=31 pid=30 ppid=1 name=cron type=0 mode=5 status=5 cpu=0\n"
		      "120 0 lttng_statedump_process_state tid=32 pid=32 ppid=2 name=kworker type=1 mode=5 status=2 cpu=0\n"
		      "120 0 lttng_statedump_process_state tid=33 pid=33 ppid=1 name=old type=0 mode=5 status=4 cpu=0\n"
		      "130 0 sched_switch prev_tid=0 prev_state=0 next_tid=32\n"
		      "140 0 lttng_statedump_end\n");
	analysis_finish(a);
	analysis_check(a);
	CHECK(analysis_task(a, 30)->time, { DOING_UNKNOWN, 20 }, { DOING_BLOCKED, 20 });
	CHECK(analysis_task(a, 31)->time, { DOING_UNKNOWN, 10 }, { DOING_WAIT_CPU, 30 });
	CHECK(analysis_task(a, 32)->time, { DOING_UNKNOWN, 20 }, { DOING_WAIT_CPU, 10 }, { DOING_KERNEL, 10 });
	CHECK(analysis_task(a, 33)->time, { DOING_UNKNOWN, 20 }, { DOING_DEAD, 20 });
	assert_ptr_equal(analysis_task(a, 30)->process, analysis_task(a, 31)->process);
	assert_int_equal(analysis_task(a, 32)->process->parent->pid, 2);
	analysis_free(a);
}

/* A wake-up before the task has left the CPU: whether it ended this sleep is not known. */
static void test_early_wakeup(void **state)
{
	struct analysis *a = begin();

	analysis_play(a,
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=7\n"
		      "105 1 sched_waking tid=7\n"
		      "110 0 sched_switch prev_tid=7 prev_state=1 prev_iowait=0 next_tid=0\n"
		      "112 1 sched_wakeup tid=7\n"
		      "120 0 sched_switch prev_tid=0 prev_state=0 next_tid=7\n"
		      "121 1 sched_waking tid=7\n"
		      "122 1 sched_wakeup tid=7\n"
		      "130 0 sched_switch prev_tid=7 prev_state=1 prev_iowait=0 next_tid=0\n"
		      "140 0 sched_waking tid=9\n");
	analysis_finish(a);
	analysis_check(a);
	CHECK(analysis_task(a, 7)->time, { DOING_EITHER, 20 }, { DOING_UNKNOWN, 2 }, { DOING_WAIT_CPU, 8 },
	      { DOING_SLEEP, 10 });
	analysis_free(a);
}

/* Lost records: the CPU, its task and all that is not running are not known until events determine them. */
static void test_gap(void **state)
{
	struct analysis *a = begin();

	analysis_play(a,
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=7\n"
		      "100 1 sched_switch prev_tid=0 prev_state=0 next_tid=8\n"
		      "105 0 syscall_exit_read ret=0\n"
		      "105 1 syscall_exit_read ret=0\n"
		      "110 0 sched_switch prev_tid=7 prev_state=1 prev_iowait=0 next_tid=9\n"
		      "120 0 gap\n"
		      /* Task 8 runs on; what it wakes may already run elsewhere. */
		      "125 1 sched_waking tid=7\n"
		      "130 1 sched_switch prev_tid=8 prev_state=1 prev_iowait=0 next_tid=7\n"
		      "140 0 end-gap lost=50\n"
		      "150 0 sched_waking tid=8\n"
		      "160 0 sched_switch prev_tid=9 prev_state=0 next_tid=8\n"
		      "170 1 syscall_entry_read\n");
	analysis_finish(a);
	analysis_check(a);
	CHECK(analysis_task(a, 7)->time, { DOING_EITHER, 5 + 40 }, { DOING_USER, 5 }, { DOING_SLEEP, 10 },
	      { DOING_UNKNOWN, 10 });
	CHECK(analysis_task(a, 8)->time, { DOING_EITHER, 5 + 10 }, { DOING_USER, 25 }, { DOING_UNKNOWN, 20 },
	      { DOING_WAIT_CPU, 10 });
	CHECK(analysis_task(a, 9)->time, { DOING_UNKNOWN, 10 + 40 }, { DOING_EITHER, 10 }, { DOING_WAIT_CPU, 10 });
	CHECK(a->cpus[0]->time, { DOING_EITHER, 5 + 10 + 10 }, { DOING_USER, 5 }, { DOING_UNKNOWN, 40 });
	assert_int_equal(a->lost, 50);
	assert_int_equal(a->cpus[0]->lost, 50);
	assert_int_equal(analysis_task(a, 7)->latency.count, 0);
	assert_int_equal(a->contradictions, 0);
	analysis_free(a);
}

/* Events that disagree: others between them were not recorded. */
/* Only the events of task 7, and those about it, were recorded. */
static void test_confined(void **state)
{
	struct analysis *a = begin();

	a->confined = true;
	analysis_play(a,
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=7 next_comm=cat\n"
		      "110 0 syscall_entry_read fd=3\n"
		      "120 0 syscall_exit_read ret=5\n"
		      "130 0 sched_switch prev_tid=7 prev_state=0 next_tid=8\n"
		      "150 0 sched_switch prev_tid=9 prev_state=0 next_tid=7\n"
		      "160 0 sched_switch prev_tid=7 prev_state=1 prev_iowait=0 next_tid=0\n"
		      "190 0 sched_waking tid=7\n"
		      "200 0 sched_switch prev_tid=8 prev_state=1 prev_iowait=0 next_tid=7\n"
		      "210 0 syscall_entry_pause\n");
	analysis_finish(a);
	CHECK(analysis_task(a, 7)->time, { DOING_EITHER, 10 }, { DOING_CALL, 10 }, { DOING_USER, 10 + 10 + 10 },
	      { DOING_WAIT_CPU, 20 + 10 }, { DOING_SLEEP, 30 });
	assert_int_equal(a->contradictions, 0);
	assert_true(analysis_knows(a, analysis_task(a, 7)));
	assert_false(analysis_knows(a, analysis_task(a, 8)));
	assert_false(analysis_knows(a, analysis_task(a, 9)));
	assert_int_equal(a->cpus[0]->idle, 0);
	analysis_free(a);
}

static void test_contradiction(void **state)
{
	struct analysis *a = begin();

	analysis_play(a,
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=7\n"
		      "110 0 sched_switch prev_tid=8 prev_state=1 prev_iowait=0 next_tid=0\n"
		      "120 0 sched_switch prev_tid=0 prev_state=0 next_tid=7\n"
		      "130 1 sched_switch prev_tid=0 prev_state=0 next_tid=7\n"
		      "140 1 sched_switch prev_tid=7 prev_state=0\n"
		      "150 1 sched_waking tid=9\n");
	analysis_finish(a);
	analysis_check(a);
	assert_int_equal(a->contradictions, 2);
	/* What ran before such an event is not known, either. */
	CHECK(analysis_task(a, 7)->time, { DOING_EITHER, 10 }, { DOING_UNKNOWN, 10 + 10 + 10 }, { DOING_WAIT_CPU, 10 });
	CHECK(a->cpus[0]->time, { DOING_UNKNOWN, 10 + 10 + 20 }, { DOING_IDLE, 10 });
	CHECK(a->cpus[1]->time, { DOING_UNKNOWN, 30 + 10 }, { DOING_EITHER, 10 });
	analysis_free(a);
}

/* Events outside the window only determine states. */
static void test_window(void **state)
{
	struct analysis *a = analysis_create(15, 45);

	analysis_all_calls(a);
	analysis_play(a,
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=7\n"
		      "110 0 syscall_entry_read\n"
		      "120 0 syscall_exit_read ret=1\n"
		      "130 0 sched_switch prev_tid=7 prev_state=1 prev_iowait=0 next_tid=0\n"
		      "140 0 sched_switch prev_tid=0 prev_state=0 next_tid=7\n"
		      "150 0 syscall_entry_read\n"
		      "155 0 syscall_exit_read ret=1\n");
	analysis_finish(a);
	analysis_check(a);
	assert_int_equal(analysis_length(a), 30);
	assert_int_equal(a->events, 3);
	assert_int_equal(a->calls[0].time.count, 1);
	CHECK(analysis_task(a, 7)->time, { DOING_CALL, 5 }, { DOING_USER, 10 + 5 }, { DOING_SLEEP, 10 });
	analysis_free(a);
}

static void test_nothing(void **state)
{
	struct analysis *a = analysis_create(0, UINT64_MAX);

	analysis_finish(a);
	analysis_check(a);
	assert_int_equal(analysis_length(a), 0);
	/* Fields that are missing determine nothing. */
	analysis_play(a,
		      "100 0 sched_switch\n"
		      "101 0 sched_waking\n"
		      "102 0 sched_process_fork\n"
		      "103 0 sched_process_exec\n"
		      "104 0 sched_process_free\n"
		      "105 0 irq_handler_entry\n"
		      "106 0 irq_handler_exit\n"
		      "107 0 syscall_exit_read\n"
		      "108 0 lttng_statedump_process_state\n"
		      "109 0 block_rq_complete\n"
		      "110 0 net_dev_queue\n"
		      "111 5 unheard_of\n");
	analysis_finish(a);
	analysis_check(a);
	assert_int_equal(a->nr_tasks, 0);
	assert_int_equal(a->events, 12);
	CHECK(a->cpus[5]->time, { DOING_UNKNOWN, 11 });
	analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states), cmocka_unit_test(test_interrupts), cmocka_unit_test(test_without_calls),
		cmocka_unit_test(test_faults), cmocka_unit_test(test_processes), cmocka_unit_test(test_exec_of_thread),
		cmocka_unit_test(test_statedump), cmocka_unit_test(test_early_wakeup), cmocka_unit_test(test_gap),
		cmocka_unit_test(test_contradiction), cmocka_unit_test(test_confined), cmocka_unit_test(test_window), cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
