// SPDX-License-Identifier: GPL-2.0-or-later
/* test_trace_flow.c - from a saved trace to what a thread did and what it waited for; and a trace in intervals. */
#include "trace_script.h"

static void test_flow(void **state)
{
	char *text;

	write_trace(*state, dd);
	text = print_flow(21, PRINT_TEXT);
	assert_string_equal(text,
			    "     begins (s)       takes   cpu\n"
			    "    0.000020000     15.0 us     -  waits for a CPU\n"
			    "    0.000035000     10.0 us     1  user or kernel\n"
			    "    0.000045000     20.0 us     1  user\n"
			    "    0.000065000     40.0 us     1    system call execve\n"
			    "    0.000105000     10.0 us     1  user\n"
			    "    0.000115000     5.00 us     1    system call openat\n"
			    "    0.000120000     1.00 us     1  user\n"
			    "    0.000121000     1.00 us     1    system call openat\n"
			    "    0.000122000     8.00 us     1  user\n"
			    "    0.000130000     15.0 us     1    system call read\n"
			    "    0.000145000      160 us     -  waits for I/O  (next: idle, CPU 1)\n"
			    "    0.000305000     15.0 us     -  waits for a CPU  (woken by irq virtio0, CPU 0)\n"
			    "    0.000320000     10.0 us     1    system call read\n"
			    "    0.000330000     70.0 us     1  user\n"
			    "    0.000400000     20.0 us     1    softirq TIMER\n"
			    "    0.000420000      180 us     1  user\n"
			    "    0.000600000     10.0 us     1    system call exit_group\n"
			    "    0.000610000     30.0 us     1  kernel\n"
			    "    0.000640000     10.0 us     -  dead  (next: idle, CPU 1)\n");
	free(text);
	text = print_flow(21, PRINT_JSON);
	assert_contains(text, "{\"type\":\"flow\",\"v\":1,\"at_ns\":130000.000,\"for_ns\":15000.000,"
			      "\"cpu\":1,\"depth\":1,"
			      "\"doing\":\"syscall\",\"name\":\"read\",\"next\":null,\"woken_by\":null}\n");
	free(text);
	text = print_flow(21, PRINT_CSV);
	assert_contains(text, "at_ns,for_ns,cpu,depth,doing,name,woken_by\n"
			      "20000.000,15000.000,,0,wait_cpu,\"\",\"\"\n");
	free(text);
	text = print_flow(4711, PRINT_TEXT);
	assert_string_equal(text, "");
	free(text);
}

static void check_critical(int tid, uint64_t from, uint64_t to, const char *wanted)
{
	AUTO_FREE char *text = print_critical(tid, from, to);

	assert_string_equal(text, wanted);
}

#define CRITICAL	"who,doing,time_ns,count,max_ns\n"

static void test_critical(void **state)
{
	write_trace(*state, dd);
	check_critical(21, 0, UINT64_MAX,
		       CRITICAL
		       "\"dd (21)\",\"running\",430000.000,2,320000.000\n"
		       "\"irq virtio0\",\"wait_io\",160000.000,1,160000.000\n"
		       "\"dd (21)\",\"wait_cpu\",30000.000,2,15000.000\n"
		       "\"dd (21)\",\"dead\",10000.000,1,10000.000\n");
	/* bash waits for its child: what that did counts, and what that waited for. */
	check_critical(20, 0, UINT64_MAX,
		       CRITICAL
		       "\"bash (20)\",\"running\",430000.000,2,370000.000\n"
		       "\"dd (21)\",\"running\",385000.000,2,300000.000\n"
		       "\"irq virtio0\",\"wait_io\",160000.000,1,160000.000\n"
		       "\"dd (21)\",\"wait_cpu\",15000.000,1,15000.000\n"
		       "\"bash (20)\",\"wait_cpu\",10000.000,1,10000.000\n");
	/* What woke it is behind the window. */
	check_critical(20, 200000, 400000, CRITICAL "\"bash (20)\",\"sleep\",200000.000,1,200000.000\n");
}

/* Thread 5 waits for 6, which waits for 7, which waits for a timer and for the disk.  Nobody wakes 8. */
static const char chain[] =
	"2000 0 sched_switch prev_tid=0 prev_state=0 prev_iowait=0 next_comm=five next_tid=5\n"
	"2000 1 sched_switch prev_tid=0 prev_state=0 prev_iowait=0 next_comm=six next_tid=6\n"
	"2100 1 sched_switch prev_tid=6 prev_state=1 prev_iowait=0 next_comm=seven next_tid=7\n"
	"2200 0 sched_switch prev_tid=5 prev_state=1 prev_iowait=0 next_comm=eight next_tid=8\n"
	"2250 0 sched_switch prev_tid=8 prev_state=1 prev_iowait=0 next_tid=0\n"
	"2300 1 sched_switch prev_tid=7 prev_state=1 prev_iowait=0 next_tid=0\n"
	"2400 1 x86_irq_vectors_local_timer_entry vector=236\n"
	"2401 1 timer_hrtimer_expire_entry hrtimer=1\n"
	"2402 1 sched_waking tid=7 target_cpu=1\n"
	"2403 1 timer_hrtimer_expire_exit hrtimer=1\n"
	"2404 1 x86_irq_vectors_local_timer_exit vector=236\n"
	"2410 1 sched_switch prev_tid=0 prev_state=0 prev_iowait=0 next_comm=seven next_tid=7\n"
	"2500 1 sched_switch prev_tid=7 prev_state=2 prev_iowait=1 next_tid=0\n"
	"2600 0 irq_handler_entry irq=9 name=disk\n"
	"2601 0 sched_waking tid=7 target_cpu=1\n"
	"2602 0 irq_handler_exit irq=9 ret=1\n"
	"2610 1 sched_switch prev_tid=0 prev_state=0 prev_iowait=0 next_comm=seven next_tid=7\n"
	"2700 1 sched_waking tid=6 target_cpu=0\n"
	"2720 0 sched_switch prev_tid=0 prev_state=0 prev_iowait=0 next_comm=six next_tid=6\n"
	"2800 0 sched_waking tid=5 target_cpu=1\n"
	"2850 1 sched_switch prev_tid=7 prev_state=1 prev_iowait=0 next_comm=five next_tid=5\n"
	"3000 0 sched_switch prev_tid=6 prev_state=1 prev_iowait=0 next_tid=0\n";

static void test_chain(void **state)
{
	write_trace(*state, chain);
	check_critical(5, 0, UINT64_MAX,
		       CRITICAL
		       "\"five (5)\",\"running\",350.000,2,200.000\n"
		       "\"seven (7)\",\"running\",280.000,3,100.000\n"
		       "\"timer hrtimer\",\"sleep\",102.000,1,102.000\n"
		       "\"irq disk\",\"wait_io\",101.000,1,101.000\n"
		       "\"six (6)\",\"running\",80.000,1,80.000\n"
		       "\"five (5)\",\"wait_cpu\",50.000,1,50.000\n"
		       "\"six (6)\",\"wait_cpu\",20.000,1,20.000\n"
		       "\"seven (7)\",\"wait_cpu\",17.000,2,9.000\n");
	check_critical(8, 0, UINT64_MAX,
		       CRITICAL
		       "\"eight (8)\",\"sleep\",750.000,1,750.000\n"
		       "\"eight (8)\",\"unknown\",200.000,1,200.000\n"
		       "\"eight (8)\",\"running\",50.000,1,50.000\n");
}

/* A switch was not recorded: that thread 5 ran is taken back. */
static void test_missing_switch(void **state)
{
	write_trace(*state,
		    "2000 0 sched_switch prev_tid=0 prev_state=0 prev_iowait=0 next_comm=five next_tid=5\n"
		    "2100 0 sched_switch prev_tid=6 prev_state=1 prev_iowait=0 next_comm=five next_tid=5\n"
		    "2300 0 sched_switch prev_tid=5 prev_state=1 prev_iowait=0 next_tid=0\n");
	check_critical(5, 0, UINT64_MAX,
		       CRITICAL
		       "\"five (5)\",\"running\",200.000,1,200.000\n"
		       "\"five (5)\",\"unknown\",100.000,1,100.000\n");
}

/* ------------------------------------------------------------------- intervals */

struct sums {
	struct analysis *a;
	unsigned int events, intervals;
	uint64_t length, time[32][NR_DOINGS], calls[32], lifetime[32], requests, read;
};

static void add_interval(struct sums *sums)
{
	const struct analysis *a = sums->a;

	analysis_check(a);
	sums->intervals++;
	sums->length += analysis_length(a);
	for (size_t i = 0; i < a->nr_tasks; i++) {
		const struct task *task = a->tasks[i];

		sums->calls[task->tid] += task->calls;
		sums->lifetime[task->tid] += analysis_lifetime(a, task);
		for (int n = 0; n < NR_DOINGS; n++)
			sums->time[task->tid][n] += task->time[n];
	}
	for (size_t i = 0; i < a->nr_disks; i++)
		sums->requests += a->disks[i].time.count;
	for (size_t i = 0; i < a->nr_files; i++)
		sums->read += a->files[i].read;
}

static void cut_often(void *arg, const struct analysis_event *e)
{
	struct sums *sums = arg;

	if (++sums->events % 3)
		return;
	analysis_finish(sums->a);
	add_interval(sums);
	analysis_forget_names(sums->a);
	analysis_restart(sums->a);
}

/* A saved trace in intervals of three events: together they have the figures of the whole. */
static void test_intervals(void **state)
{
	struct sums sums = { .a = analysis_create(0, UINT64_MAX) };
	struct analysis *whole;
	struct saved *saved;

	write_trace(*state, dd);
	whole = analyse(0, UINT64_MAX, true);
	saved = saved_open(dir, &err);
	analysis_all_calls(sums.a);
	if (!saved || !feed_saved(sums.a, saved, cut_often, &sums, &err))
		fail_msg("%s", err.text);
	add_interval(&sums);
	assert_true(sums.intervals > 12);
	assert_int_equal(sums.length, analysis_length(whole));
	for (size_t i = 0; i < whole->nr_tasks; i++) {
		const struct task *task = whole->tasks[i];

		assert_int_equal(sums.calls[task->tid], task->calls);
		assert_int_equal(sums.lifetime[task->tid], analysis_lifetime(whole, task));
		assert_memory_equal(sums.time[task->tid], task->time, sizeof(task->time));
	}
	assert_int_equal(sums.requests, 1);
	assert_int_equal(sums.read, 4096);
	saved_close(saved);
	analysis_free(whole);
	analysis_free(sums.a);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_flow), TEST(test_critical), TEST(test_chain), TEST(test_missing_switch),
		TEST(test_intervals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
