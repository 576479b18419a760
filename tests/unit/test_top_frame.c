// SPDX-License-Identifier: GPL-2.0-or-later
/* test_top_frame.c - what `top` shows of an interval, and what it does not claim to know. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis_play.h"
#include "ctl/base/memory.h"
#include "ctl/show/report/top_frame.h"

#define SECOND	"1000000000"

static struct analysis *begin(const char *script)
{
	struct analysis *a = analysis_create(0, UINT64_MAX);

	analysis_all_calls(a);
	analysis_type(a, "sched_waking");
	analysis_type(a, "irq_handler_entry");
	analysis_type(a, "irq_softirq_entry");
	analysis_play(a, script);
	analysis_advance(a, 1000000000);
	analysis_finish(a);
	return a;
}

static struct trace_report report_of(const struct analysis *a)
{
	return (struct trace_report){ .a = a, .ns_per_tick = 1, .dir = "12:04:31", .host = "box", .kernel = "6.1",
				      .live = true };
}

static char *print(struct top_frame *frame, enum report_by by, char sort, size_t rows)
{
	const struct top_view view = { .by = by, .sort = sort, .rows = rows };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	top_frame_print(frame, &view, out);
	fclose(out);
	return text;
}

static void check(struct top_frame *frame, enum report_by by, char sort, size_t rows, const char *wanted)
{
	AUTO_FREE char *text = print(frame, by, sort, rows);

	assert_string_equal(text, wanted);
}

/* Two seconds of CPU: 7 runs all the time and makes two calls, 8 waits for the disk, 9 has slept before. */
static const char script[] =
	"0 0 lttng_statedump_process_state tid=9 pid=9 ppid=1 name=nine type=0 mode=5 status=5 iowait=0\n"
	"0 1 sched_switch prev_tid=8 prev_state=2 prev_iowait=1 prev_comm=eight next_tid=0\n"
	"0 0 sched_switch prev_tid=0 prev_state=0 next_tid=7 next_comm=seven\n"
	"0 0 lttng_statedump_process_state tid=7 pid=7 ppid=1 name=seven type=0 mode=5 status=2\n"
	"0 0 lttng_statedump_process_state tid=8 pid=8 ppid=1 name=eight type=0 mode=5 status=2\n"
	"100 0 syscall_exit_read ret=1\n"
	"200000000 0 syscall_entry_read fd=3\n"
	"300000000 0 syscall_exit_read ret=1\n"
	"400000000 0 syscall_entry_read fd=3\n"
	"500000000 0 syscall_exit_read ret=-11\n";

#define HEAD \
	"12:04:31  1.00 s on 2 CPUs, 10 events  (box, Linux 6.1)\n" \
	"whole system   idle 50.0 %   user 40.0 %   kernel 10.0 %   user or kernel 0.0 %\n"
#define HEADINGS	"pid  process    run  user  kernel  irqs  wait    i/o  sleep  calls/s  latency  longest\n"
#define SEVEN		"  7  seven    100.0  80.0    20.0     -     -      -      -      2.0        ?        ?\n"
#define EIGHT		"  8  eight        -     -       -     -     -  100.0      -        0        ?        ?\n"
#define NINE		"  9  nine         -     -       -     -     -      -  100.0        0        ?        ?\n"

/* Without the widest row. */
#define HEADINGS_TWO	"pid  process  run  user  kernel  irqs  wait    i/o  sleep  calls/s  latency  longest\n"
#define EIGHT_TWO	"  8  eight      -     -       -     -     -  100.0      -        0        ?        ?\n"
#define NINE_TWO	"  9  nine       -     -       -     -     -      -  100.0        0        ?        ?\n"

static void test_text(void **state)
{
	struct analysis *a = begin(script);
	struct trace_report r = report_of(a);
	struct top_frame frame = top_frame_take(&r, BY_NOTHING);

	check(&frame, BY_PROCESS, 0, 0,
	      HEAD "Processes, in % of 1.00 s\n" HEADINGS SEVEN NINE EIGHT
	      "note  for 100 ns of running time it is not known whether it is user or kernel: no event told it yet\n"
	      "note  user time includes the handling of page faults: their ends were not recorded\n");
	/* By a key; cut to the screen, where the notes are left out. */
	check(&frame, BY_PROCESS, 'I', 6,
	      HEAD "Processes, in % of 1.00 s, by waiting for I/O   (h: help)\n" HEADINGS_TWO EIGHT_TWO NINE_TWO);
	/* A table without that column keeps its order. */
	check(&frame, BY_SYSCALL, 'I', 24,
	      HEAD "System calls   (h: help)\n"
	      "system call  count  errors  mostly   total    mean  p50  p99     max\n"
	      "read             2       1  EAGAIN  200 ms  100 ms    -    -  100 ms\n");
	top_frame_free(&frame);
	/* Only one process. */
	r.pid = 8;
	frame = top_frame_take(&r, BY_PROCESS);
	check(&frame, BY_PROCESS, 'P', 24,
	      HEAD "Processes, in % of 1.00 s, by time on a CPU   (h: help)\n"
	      HEADINGS_TWO EIGHT_TWO);
	top_frame_free(&frame);
	analysis_free(a);
}

/* A frame is shown again after the analysis has gone on. */
static void test_keeps(void **state)
{
	struct analysis *a = begin(script);
	struct trace_report r = report_of(a);
	struct top_frame frame = top_frame_take(&r, BY_NOTHING);

	analysis_restart(a);
	analysis_play(a, SECOND " 0 sched_switch prev_tid=7 prev_state=32 prev_iowait=0 next_tid=0\n"
			 "1000000001 0 sched_process_free tid=7 comm=seven\n");
	analysis_restart(a);
	check(&frame, BY_PROCESS, 'I', 6,
	      HEAD "Processes, in % of 1.00 s, by waiting for I/O   (h: help)\n" HEADINGS_TWO EIGHT_TWO NINE_TWO);
	top_frame_free(&frame);
	analysis_free(a);
}

/* Records of CPU 0 were lost: of 7, which ran there, only a part is known, and no count is. */
static void test_lost(void **state)
{
	struct analysis *a = begin(script);
	struct trace_report r = report_of(a);
	struct top_frame frame;

	analysis_gap_begin(a, 0, 1000000000);
	analysis_gap_end(a, 0, 1500000000, 12);
	analysis_play(a, "1500000000 1 sched_waking tid=9 target_cpu=1\n");
	analysis_advance(a, 2000000000);
	analysis_finish(a);
	frame = top_frame_take(&r, BY_NOTHING);
	check(&frame, BY_PROCESS, 0, 24,
	      "12:04:31  2.00 s on 2 CPUs, 11 events, 12 lost  (box, Linux 6.1)\n"
	      "whole system   idle ?   user ?   kernel ?   user or kernel ?   not known 25.0 %\n"
	      "Processes, in % of 2.00 s   (h: help)\n"
	      "pid  process  run  user  kernel  irqs  wait  i/o  sleep  unknown  calls/s  latency  longest\n"
	      "  9  nine       ?     ?       ?     ?     ?    ?      ?     25.0        ?        ?        ?\n"
	      "  8  eight      ?     ?       ?     ?     ?    ?      ?     50.0        ?        ?        ?\n"
	      "  7  seven      ?     ?       ?     ?     ?    ?      ?     50.0        ?        ?        ?\n");
	check(&frame, BY_SYSCALL, 0, 24,
	      "12:04:31  2.00 s on 2 CPUs, 11 events, 12 lost  (box, Linux 6.1)\n"
	      "whole system   idle ?   user ?   kernel ?   user or kernel ?   not known 25.0 %\n"
	      "System calls   (h: help)\n"
	      "system call  count  errors  mostly  total  mean  p50  p99  max\n"
	      "read             ?       ?  ?           ?     ?    ?    ?    ?\n");
	top_frame_free(&frame);
	analysis_free(a);
}

/* Hits that the brake turned away have left no trace at all: nothing is known. */
static void test_braked(void **state)
{
	struct analysis *a = begin(script);
	struct trace_report r = report_of(a);
	struct top_frame frame;

	r.braked = 5;
	frame = top_frame_take(&r, BY_CPU);
	check(&frame, BY_CPU, 0, 24,
	      "12:04:31  1.00 s on 2 CPUs, 10 events  (box, Linux 6.1)\n"
	      "whole system   idle ?   user ?   kernel ?   user or kernel ?\n"
	      "CPUs, in % of 1.00 s   (h: help)\n"
	      "cpu  idle  user  kernel  irqs  softirqs  user or kernel  events  lost\n"
	      "  0     ?     ?       ?     ?         ?               ?       9     0\n"
	      "  1     ?     ?       ?     ?         ?               ?       1     0\n");
	assert_non_null(strstr(frame.notes, "the brake turned away 5 hits in this interval"));
	top_frame_free(&frame);
	analysis_free(a);
}

static void test_json(void **state)
{
	struct analysis *a = begin(script);
	struct trace_report r = report_of(a);
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	r.by = BY_PROCESS;
	trace_report_json(&r, out);
	fclose(out);
	assert_null(strstr(text, "directory"));
	assert_ptr_equal(strstr(text, "{\"type\":\"top\",\"v\":1,\"host\":\"box\""), text);
	assert_non_null(strstr(text, "\"lost\":0,\"braked\":0,"));
	assert_non_null(strstr(text, "\"syscalls\":2,"));
	free(text);
	analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text), cmocka_unit_test(test_keeps), cmocka_unit_test(test_lost),
		cmocka_unit_test(test_braked), cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
