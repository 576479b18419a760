// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_analysis_random.c - a machine that does things at random, and knows what it did: the analysis of its events
 * must find the same times.  With lost records the analysis may know less, but nothing that is wrong.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis_play.h"
#include "ctl/base/memory.h"
#include "sample.h"

#define CPUS	4
#define TASKS	24
#define STEPS	20000
#define DEPTH	4

/* What a task really does. */
struct actor {
	int tid;
	int cpu;		/* -1: not running */
	enum doing off;		/* while it is not running */
	bool in_call;
	uint64_t time[NR_DOINGS];
};

struct machine {
	struct analysis *a;
	uint64_t now, random, state;
	struct actor actors[TASKS];
	int runs[CPUS];		/* index of its task; -1: idle */
	int nested[CPUS][DEPTH], depth[CPUS];
	uint64_t cpu_time[CPUS][NR_DOINGS];
	uint64_t lost_until[CPUS];	/* its records are lost until then */
	uint64_t lost[CPUS];
	uint64_t waked[TASKS], latency, latencies;
};

static uint64_t draw(struct machine *m, uint64_t below)
{
	return sample_random(&m->random) % below;
}

static void emit(struct machine *m, int cpu, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void emit(struct machine *m, int cpu, const char *fmt, ...)
{
	char line[256];
	int at = snprintf(line, sizeof(line), "%llu %d ", (unsigned long long)m->now, cpu);
	va_list args;

	if (m->lost_until[cpu]) {
		m->lost[cpu]++;
		return;
	}
	va_start(args, fmt);
	vsnprintf(line + at, sizeof(line) - at, fmt, args);
	va_end(args);
	analysis_play(m->a, line);
}

static enum doing cpu_does(const struct machine *m, int cpu)
{
	if (m->depth[cpu])
		return m->nested[cpu][m->depth[cpu] - 1] ? DOING_SOFTIRQ : DOING_IRQ;
	if (m->runs[cpu] < 0)
		return DOING_IDLE;
	return m->actors[m->runs[cpu]].in_call ? DOING_CALL : DOING_USER;
}

static void pass(struct machine *m, uint64_t ticks)
{
	m->now += ticks;
	for (int cpu = 0; cpu < CPUS; cpu++)
		m->cpu_time[cpu][cpu_does(m, cpu)] += ticks;
	for (int i = 0; i < TASKS; i++) {
		struct actor *actor = &m->actors[i];

		actor->time[actor->cpu < 0 ? actor->off : cpu_does(m, actor->cpu)] += ticks;
	}
}

static void do_switch(struct machine *m, int cpu)
{
	static const struct {
		enum doing doing;
		int state, iowait;
	} ends[] = { { DOING_WAIT_CPU, 0, 0 }, { DOING_WAIT_CPU, 256, 1 }, { DOING_SLEEP, 1, 0 },
		     { DOING_WAIT_IO, 2, 1 }, { DOING_SLEEP, 2, 0 }, { DOING_STOPPED, 4, 0 } };
	const size_t how = draw(m, ARRAY_SIZE(ends));
	const int prev = m->runs[cpu], next = (int)draw(m, TASKS + TASKS / 3);
	const bool runs = next < TASKS && m->actors[next].cpu < 0 && m->actors[next].off == DOING_WAIT_CPU;

	if (m->depth[cpu] || (prev < 0 && !runs))
		return;
	emit(m, cpu, "sched_switch prev_tid=%d prev_state=%d prev_iowait=%d next_tid=%d", prev < 0 ? 0 : m->actors[prev].tid,
	     prev < 0 ? 0 : ends[how].state, ends[how].iowait, runs ? m->actors[next].tid : 0);
	if (prev >= 0) {
		m->actors[prev].cpu = -1;
		m->actors[prev].off = ends[how].doing;
	}
	m->runs[cpu] = runs ? next : -1;
	if (!runs)
		return;
	m->actors[next].cpu = cpu;
	m->latencies += !!m->waked[next];
	m->latency += m->waked[next] ? m->now - m->waked[next] : 0;
	m->waked[next] = 0;
}

static void do_wake(struct machine *m, int cpu)
{
	const int i = draw(m, TASKS);
	struct actor *actor = &m->actors[i];

	if (actor->cpu >= 0 || actor->off == DOING_WAIT_CPU)
		return;
	emit(m, cpu, "sched_waking tid=%d target_cpu=0", actor->tid);
	if (draw(m, 2))
		emit(m, cpu, "sched_wakeup tid=%d target_cpu=0", actor->tid);
	actor->off = DOING_WAIT_CPU;
	m->waked[i] = m->now;
}

static void do_call(struct machine *m, int cpu)
{
	struct actor *actor = m->runs[cpu] < 0 ? NULL : &m->actors[m->runs[cpu]];

	if (!actor || m->depth[cpu])
		return;
	emit(m, cpu, actor->in_call ? "syscall_exit_read ret=0" : "syscall_entry_read fd=3");
	actor->in_call = !actor->in_call;
}

static void do_interrupt(struct machine *m, int cpu)
{
	int *depth = &m->depth[cpu];

	if (*depth < DEPTH && draw(m, 2)) {
		const int soft = m->nested[cpu][*depth] = draw(m, 2);

		(*depth)++;
		emit(m, cpu, soft ? "irq_softirq_entry vec=%d" : "irq_handler_entry irq=%d name=x", *depth);
	} else if (*depth) {
		emit(m, cpu, m->nested[cpu][*depth - 1] ? "irq_softirq_exit vec=%d" : "irq_handler_exit irq=%d", *depth);
		(*depth)--;
	}
}

static void step(struct machine *m)
{
	static void (*const things[])(struct machine *m, int cpu) = {
		do_switch, do_switch, do_wake, do_wake, do_call, do_interrupt, do_interrupt,
	};

	pass(m, draw(m, 50));
	things[draw(m, ARRAY_SIZE(things))](m, draw(m, CPUS));
}

/* All is known from the first moment on: nothing runs, and the dump tells what each task does. */
static void start(struct machine *m, uint64_t seed)
{
	*m = (struct machine){ .a = analysis_create(0, UINT64_MAX), .now = 1000, .random = seed };
	analysis_all_calls(m->a);
	analysis_type(m->a, "sched_waking");
	for (int cpu = 0; cpu < CPUS; cpu++) {
		m->runs[cpu] = -1;
		emit(m, cpu, "sched_switch prev_tid=%d prev_state=32 next_tid=0", 900 + cpu);
	}
	for (int i = 0; i < TASKS; i++) {
		m->actors[i] = (struct actor){ .tid = 100 + i, .cpu = -1, .off = DOING_WAIT_CPU };
		emit(m, 0, "lttng_statedump_process_state tid=%d pid=%d ppid=1 name=t type=0 mode=0 status=2", 100 + i, 100 + i / 3);
	}
}

static void compare(const uint64_t *got, const uint64_t *want, const char *what, int number)
{
	for (int i = 0; i < NR_DOINGS; i++)
		if (got[i] != want[i])
			fail_msg("%s %d: state %d has %llu ticks, not %llu", what, number, i, (unsigned long long)got[i],
				 (unsigned long long)want[i]);
}

static void test_exact(void **state)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct machine m;

		start(&m, seed);
		for (int i = 0; i < STEPS; i++)
			step(&m);
		emit(&m, 0, "unheard_of");
		analysis_finish(m.a);
		analysis_check(m.a);
		for (int i = 0; i < TASKS; i++)
			compare(analysis_task(m.a, 100 + i)->time, m.actors[i].time, "task", i);
		for (int cpu = 0; cpu < CPUS; cpu++)
			compare(m.a->cpus[cpu]->time, m.cpu_time[cpu], "CPU", cpu);
		assert_int_equal(m.a->latency.sum, m.latency);
		assert_int_equal(m.a->latency.count, m.latencies);
		assert_int_equal(m.a->contradictions, 0);
		analysis_free(m.a);
	}
}

/* ------------------------------------------------------------------- intervals */

/* End an interval; its times are added to the sums of all. */
static void cut(struct machine *m, uint64_t (*tasks)[NR_DOINGS], uint64_t (*cpus)[NR_DOINGS], uint64_t *calls)
{
	analysis_advance(m->a, m->now);
	analysis_finish(m->a);
	analysis_check(m->a);
	for (int i = 0; i < TASKS; i++)
		for (int n = 0; n < NR_DOINGS; n++)
			tasks[i][n] += analysis_task(m->a, 100 + i)->time[n];
	for (int i = 0; i < CPUS; i++)
		for (int n = 0; n < NR_DOINGS; n++)
			cpus[i][n] += m->a->cpus[i]->time[n];
	for (int i = 0; i < TASKS; i++)
		*calls += analysis_task(m->a, 100 + i)->calls;
	analysis_forget_names(m->a);
	analysis_restart(m->a);
	assert_int_equal(m->a->nr_tasks, TASKS + CPUS);
	assert_int_equal(m->a->nr_uses, 0);
}

/* The intervals together have the same times as the whole: no moment is missing, and none is in two of them. */
static void test_intervals(void **state)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		uint64_t tasks[TASKS][NR_DOINGS] = { 0 }, cpus[CPUS][NR_DOINGS] = { 0 };
		uint64_t latency = 0, latencies = 0, calls = 0, reads = 0;
		struct machine m;

		start(&m, seed);
		for (int i = 0; i <= STEPS; i++) {
			step(&m);
			if (i != STEPS && draw(&m, 200))
				continue;
			latency += m.a->latency.sum;
			latencies += m.a->latency.count;
			for (size_t n = 0; n < m.a->nr_calls; n++)
				reads += m.a->calls[n].time.count;
			cut(&m, tasks, cpus, &calls);
		}
		for (int i = 0; i < TASKS; i++)
			compare(tasks[i], m.actors[i].time, "task", i);
		for (int cpu = 0; cpu < CPUS; cpu++)
			compare(cpus[cpu], m.cpu_time[cpu], "CPU", cpu);
		assert_int_equal(latency, m.latency);
		assert_int_equal(latencies, m.latencies);
		assert_int_equal(calls, reads);
		assert_true(calls > 100);
		assert_int_equal(m.a->contradictions, 0);
		analysis_free(m.a);
	}
}

/* ------------------------------------------------------------------------ loss */

static void lose(struct machine *m)
{
	const int cpu = draw(m, CPUS);

	if (m->lost_until[cpu] || draw(m, 100))
		return;
	m->lost_until[cpu] = m->now + 1 + draw(m, 3000);
	analysis_gap_begin(m->a, cpu, m->now);
}

static void find_again(struct machine *m)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		if (!m->lost_until[cpu] || m->lost_until[cpu] > m->now)
			continue;
		analysis_gap_end(m->a, cpu, m->now, m->lost[cpu]);
		m->lost_until[cpu] = m->lost[cpu] = 0;
	}
}

/* No state has more time than it really had. */
static void compare_less(const uint64_t *got, const uint64_t *want, const char *what, int number)
{
	uint64_t running = 0, wanted = 0;

	for (int i = 0; i < NR_DOINGS; i++) {
		running += i < NR_RUNNING ? got[i] : 0;
		wanted += i < NR_RUNNING ? want[i] : 0;
		if (i != DOING_UNKNOWN && i != DOING_EITHER && got[i] > want[i])
			fail_msg("%s %d: state %d has %llu ticks, but only %llu are true", what, number, i,
				 (unsigned long long)got[i], (unsigned long long)want[i]);
	}
	if (running > wanted)
		fail_msg("%s %d: runs %llu ticks, but only %llu are true", what, number, (unsigned long long)running,
			 (unsigned long long)wanted);
}

static void test_lost(void **state)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct machine m;
		uint64_t known = 0;

		start(&m, seed);
		for (int i = 0; i < STEPS; i++) {
			step(&m);
			find_again(&m);
			lose(&m);
		}
		for (int cpu = 0; cpu < CPUS; cpu++)
			m.lost_until[cpu] = m.lost_until[cpu] ? 1 : 0;
		find_again(&m);
		analysis_finish(m.a);
		analysis_check(m.a);
		assert_true(m.a->lost > 0);
		assert_int_equal(m.a->contradictions, 0);
		for (int i = 0; i < TASKS; i++)
			compare_less(analysis_task(m.a, 100 + i)->time, m.actors[i].time, "task", i);
		for (int cpu = 0; cpu < CPUS; cpu++) {
			compare_less(m.a->cpus[cpu]->time, m.cpu_time[cpu], "CPU", cpu);
			known += analysis_length(m.a) - m.a->cpus[cpu]->time[DOING_UNKNOWN];
		}
		/* It is not lazy, either. */
		assert_true(known > analysis_length(m.a) * CPUS / 4);
		analysis_free(m.a);
	}
}

/* --------------------------------------------------------------------- nonsense */

static const char *const names[] = {
	"sched_switch", "sched_switch", "sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new",
	"sched_process_fork", "sched_process_exec", "sched_process_exit", "sched_process_free",
	"irq_handler_entry", "irq_handler_exit", "irq_softirq_entry", "irq_softirq_exit",
	"x86_irq_vectors_local_timer_entry", "x86_irq_vectors_local_timer_exit", "ipi_entry", "ipi_exit",
	"timer_hrtimer_expire_entry", "timer_hrtimer_expire_exit", "x86_exceptions_page_fault_user",
	"x86_exceptions_page_fault_kernel", "x86_exceptions_page_fault_exit", "syscall_entry_openat",
	"syscall_exit_openat", "syscall_entry_close", "syscall_exit_close", "syscall_entry_fcntl", "syscall_exit_fcntl",
	"syscall_entry_dup3", "syscall_exit_dup3", "syscall_entry_close_range", "syscall_exit_close_range",
	"block_rq_insert", "block_rq_issue", "block_rq_complete", "net_dev_queue", "net_if_receive_skb",
	"lttng_statedump_process_state", "lttng_statedump_file_descriptor", "lttng_statedump_block_device", "nonsense",
};

/* Small numbers meet again; large ones must do no harm. */
static int64_t any_number(uint64_t *random)
{
	static const int64_t odd[] = { -1, INT64_MIN, INT64_MAX, INT32_MAX, INT32_MIN, UINT32_MAX, 1 << 20, -4095 };

	if (sample_random(random) % 8)
		return sample_random(random) % 6;
	return odd[sample_random(random) % ARRAY_SIZE(odd)];
}

static void any_event(struct analysis *a, uint64_t *random, uint64_t *ticks)
{
	struct analysis_event e = {
		.type = analysis_type(a, names[sample_random(random) % ARRAY_SIZE(names)]),
		.cpu = sample_random(random) % 3, .ticks = *ticks += sample_random(random) % 20,
	};

	for (int i = 0; i < EVENT_SLOTS; i++) {
		e.known |= (sample_random(random) % 8 != 0) << i;
		e.value[i].number = any_number(random);
		if (sample_random(random) % 4 == 0)
			e.value[i] = (struct event_value){ .text = (const uint8_t *)"/a/b",
							   .length = sample_random(random) % 5,
							   .is_cut = sample_random(random) % 2 };
	}
	analysis_event(a, &e);
}

static void restart(struct analysis *a, uint64_t ticks)
{
	analysis_advance(a, ticks);
	analysis_finish(a);
	analysis_check(a);
	analysis_forget_names(a);
	analysis_restart(a);
}

/* Whatever a trace contains: no crash, and all sums balance. */
static void test_nonsense(void **state)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct analysis *a = analysis_create(seed % 3 ? 0 : 5000, seed % 5 ? UINT64_MAX : 20000);
		uint64_t random = seed, ticks = 0;

		if (seed % 2)
			analysis_all_calls(a);
		for (int i = 0; i < 3000; i++) {
			any_event(a, &random, &ticks);
			if (i % 100 == 50)
				analysis_gap_begin(a, i / 100 % 3, ticks - sample_random(&random) % 50);
			if (i % 100 == 60)
				analysis_gap_end(a, i / 100 % 3, ticks, 1);
			if (seed % 4 == 0 && sample_random(&random) % 30 == 0)
				restart(a, ticks);
		}
		analysis_finish(a);
		analysis_check(a);
		analysis_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact), cmocka_unit_test(test_intervals), cmocka_unit_test(test_lost),
		cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
