// SPDX-License-Identifier: GPL-2.0-or-later
/* test_trace_report.c - from a saved trace to the report of where its time went. */
#include "trace_script.h"

#include <unistd.h>

#include <json-c/json.h>

#include "fake_kernel.h"

static char *print(const struct analysis *a, enum report_by by, void (*format)(const struct trace_report *r, FILE *out))
{
	const struct trace_report r = {
		.a = a, .ns_per_tick = 1, .dir = "/tmp/trace", .host = "box", .kernel = "6.1", .by = by,
	};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	format(&r, out);
	fclose(out);
	return text;
}

#define HEAD \
	"/tmp/trace  1.00 ms on 2 CPUs, 40 events  (box, Linux 6.1)\n" \
	"whole system   idle 56.5 %   user 31.9 %   kernel 10.6 %   user or kernel 1.0 %\n"
#define FEW \
	"\n" \
	"note  -: too few for a percentile: p50 needs 20, p90 100, p99 1,000, p99.9 10,000\n" \
	TOLD
#define NOTES	"\n" TOLD
#define TOLD \
	"note  for 20.0 us of running time it is not known whether it is user or kernel: no event told it yet\n" \
	"note  user time includes the handling of page faults: their ends were not recorded\n" \
	"note  asleep includes 1.00 ms of tasks that were blocked when the recording began: they may have waited for I/O\n"

static void check_text(const struct analysis *a, enum report_by by, const char *wanted)
{
	AUTO_FREE char *text = print(a, by, trace_report_text);

	assert_string_equal(text, wanted);
}

static void test_text(void **state)
{
	struct analysis *a;

	write_trace(*state, dd);
	a = analyse(0, UINT64_MAX, true);
	assert_int_equal(a->contradictions, 0);
	check_text(a, BY_NOTHING,
		HEAD
		"wake to run    3 times   p50 -   p99 -   max 15.0 us\n"
		"\n"
		"Processes, in % of 1.00 ms\n"
		"pid  process    running  user  kernel  irqs  wait cpu  wait i/o  asleep  unknown\n"
		" 21  bash > dd     43.0  28.9    11.1   2.0       3.0      16.0       -        -\n"
		" 20  bash          43.0  35.0     7.0     -       1.0         -    56.0        -\n"
		"  1  init             -     -       -     -         -         -   100.0        -\n"
		"\n"
		"system call  count  errors  mostly    total     mean  p50  p99      max\n"
		"wait4            1       0           610 us   610 us    -    -   610 us\n"
		"read             1       0           200 us   200 us    -    -   200 us\n"
		"execve           1       0          40.0 us  40.0 us    -    -  40.0 us\n"
		"clone            1       0          30.0 us  30.0 us    -    -  30.0 us\n"
		"openat           2       1  ENOENT  6.00 us  3.00 us    -    -  5.00 us\n"
		FEW);
	check_text(a, BY_TREE,
		HEAD
		"\n"
		"Processes, in % of 1.00 ms\n"
		"pid  parent  threads  running    lived  process\n"
		"  1       ?        1        -  1.00 ms  init\n"
		" 20       1        1     43.0  1.00 ms    bash\n"
		" 21      20        1     43.0   630 us      dd\n"
		NOTES);
	check_text(a, BY_DISK,
		HEAD
		"\n"
		"disk  requests     read    mean  written  mean  p50  p99     max  queued\n"
		"vda          1  4.0 KiB  162 us      0 B     ?    -    -  162 us       ?\n"
		FEW);
	check_text(a, BY_CPU,
		HEAD
		"\n"
		"CPUs, in % of 1.00 ms\n"
		"cpu  idle  user  kernel  irqs  softirqs  user or kernel  unknown  events  lost\n"
		"  0  56.0  35.0     7.0   1.0         -             1.0        -      18     0\n"
		"  1  57.0  28.9    11.1     -       2.0             1.0        -      22     0\n"
		NOTES);
	analysis_free(a);
}

/* The figures of processes, by name, from the JSON report. */
static struct json_object *find_row(struct json_object *report, const char *sheet, const char *name)
{
	struct json_object *rows;

	assert_true(json_object_object_get_ex(report, sheet, &rows));
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (!strcmp(json_object_get_string(json_object_object_get(row, "name")), name))
			return row;
	}
	fail_msg("%s: no row %s", sheet, name);
	return NULL;
}

static double figure(struct json_object *row, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(row, key, &value))
		fail_msg("no %s", key);
	return value ? json_object_get_double(value) : -1;
}

static void test_json(void **state)
{
	struct json_object *report, *row;
	struct analysis *a;
	char *text;

	write_trace(*state, dd);
	a = analyse(0, UINT64_MAX, true);
	text = print(a, BY_NOTHING, trace_report_json);
	report = json_tokener_parse(text);
	assert_non_null(report);
	assert_true(figure(report, "length_ns") == 1000000);
	row = find_row(report, "processes", "dd");
	assert_true(figure(row, "running_ns") == 430000 && figure(row, "user_ns") == 289000);
	assert_true(figure(row, "wait_io_ns") == 160000 && figure(row, "lifetime_ns") == 630000);
	assert_true(figure(row, "fault_ns") == -1);
	row = find_row(report, "process_syscalls", "openat");
	assert_true(figure(row, "pid") == 21 && figure(row, "count") == 2 && figure(row, "errors") == 1);
	assert_true(figure(row, "total_ns") == 6000 && figure(row, "max_ns") == 5000);
	row = find_row(report, "files", "/etc/passwd");
	assert_true(figure(row, "read_bytes") == 4096 && figure(row, "calls") == 2);
	row = find_row(report, "disks", "vda");
	assert_true(figure(row, "read_bytes") == 4096 && figure(row, "max_ns") == 162000 && figure(row, "p50_ns") == -1);
	row = find_row(report, "networks", "eth0");
	assert_true(figure(row, "packets_out") == 1 && figure(row, "bytes_out") == 1500);
	row = find_row(report, "interrupts", "virtio0");
	assert_true(figure(row, "number") == 11 && figure(row, "total_ns") == 10000);
	json_object_put(report);
	free(text);
	analysis_free(a);
}

/* With a part of the system calls, neither user nor kernel time is known, except that of kernel threads. */
static void test_some_calls(void **state)
{
	struct json_object *report, *system;
	struct analysis *a;
	char *text;

	write_trace(*state, dd);
	a = analyse(0, UINT64_MAX, false);
	text = print(a, BY_NOTHING, trace_report_json);
	report = json_tokener_parse(text);
	assert_true(figure(find_row(report, "processes", "dd"), "user_ns") == -1);
	assert_true(figure(find_row(report, "processes", "dd"), "kernel_ns") == -1);
	assert_true(figure(find_row(report, "processes", "dd"), "syscall_ns") == 111000 - 30000);
	assert_true(figure(find_row(report, "processes", "init"), "kernel_ns") == 0);
	assert_true(json_object_object_get_ex(report, "system", &system));
	assert_true(figure(system, "user_ns") == -1 && figure(system, "idle_ns") > 0);
	json_object_put(report);
	free(text);
	analysis_free(a);
}

static void test_csv(void **state)
{
	struct analysis *a;
	char *text;

	write_trace(*state, dd);
	a = analyse(0, UINT64_MAX, true);
	text = print(a, BY_SYSCALL, trace_report_csv);
	assert_contains(text, "name,count,errors,commonest_error,total_ns,mean_ns,p50_ns,p99_ns,max_ns,unpaired,"
			      "errors_by_name\n");
	assert_contains(text, "\n\"openat\",2,1,\"ENOENT\",6000.000,3000.000,,,5000.000,0,\"ENOENT 1\"\n");
	free(text);
	text = print(a, BY_NOTHING, trace_report_csv);
	assert_contains(text, "\n21,\"dd\",\"bash > dd\",1,630000.000,430000.000,");
	free(text);
	analysis_free(a);
}

/* Names are from other programs: no page and no terminal obeys them. */
static void test_names(void **state)
{
	struct analysis *a;
	char *text;

	write_trace(*state,
		    "2000 0 sched_switch prev_tid=0 prev_state=0 next_comm=<b>\033[31m\",'x next_tid=7\n"
		    "3000 0 sched_switch prev_comm=<b>\033[31m\",'x prev_tid=7 prev_state=1 next_comm=idle next_tid=0\n");
	a = analyse(0, UINT64_MAX, false);
	text = print(a, BY_NOTHING, trace_report_html);
	assert_null(strstr(text, "<b>"));
	assert_contains(text, "&lt;b&gt;");
	free(text);
	text = print(a, BY_NOTHING, trace_report_text);
	assert_null(strchr(text, '\033'));
	assert_contains(text, "user time is not known: system calls were not recorded");
	assert_contains(text, "waits for I/O are not known");
	free(text);
	analysis_free(a);
}

static void keep_page(const char *name, const char *text)
{
	const char *to = getenv("KTRACE_REPORTS");
	AUTO_FREE char *path = to ? mem_printf("%s/%s", to, name) : NULL;
	AUTO_CLOSE FILE *file = path ? fopen(path, "w") : NULL;

	if (file)
		fputs(text, file);
}

/* Threads that only slept are one line of the page, and their bars are paler than those of work. */
static void test_idle(void **state)
{
	AUTO_FREE char *script = mem_strdup("");
	char *text, *folded;
	struct analysis *a;

	for (int tid = 100; tid < 105; tid++) {
		AUTO_FREE char *before = script;

		script = mem_printf("%s100000 0 lttng_statedump_process_state tid=%d pid=%d ppid=1 name=idler%d type=0 mode=5 status=5\n",
				    before, tid, tid, tid);
	}
	AUTO_FREE char *all = mem_printf("%s%s", script, dd);
	AUTO_FREE char *alone = mem_printf("%s900000 0 irq_handler_entry irq=1 name=eth0\n901000 0 irq_handler_exit irq=1 ret=1\n", script);

	write_trace(*state, all);
	a = analyse(0, UINT64_MAX, true);
	text = print(a, BY_NOTHING, trace_report_html);
	keep_page("recording.html", text);
	folded = strstr(text, "<details><summary>6 more, each below 0.1 % in all but asleep</summary>");
	assert_non_null(folded);
	assert_true(strstr(text, "bash &gt; dd") < folded);
	assert_true(strstr(text, "idler104") > folded);
	assert_contains(folded, "<td class=\"l\">init</td>");
	assert_contains(folded, "<td class=\"share rest\" style=\"--s:100.0%;");
	assert_contains(text, "<td class=\"share\" style=\"--s:43.0%;");
	free(text);
	analysis_free(a);
	/* Without others there is nothing beside which they are little. */
	finish(state);
	begin(state);
	write_trace(*state, alone);
	a = analyse(0, UINT64_MAX, true);
	text = print(a, BY_NOTHING, trace_report_html);
	assert_null(strstr(text, "<details>"));
	assert_contains(text, "idler104");
	free(text);
	analysis_free(a);
}

static bool lists(struct json_object *report, const char *array, const char *text)
{
	struct json_object *all;
	bool found = false;

	assert_true(json_object_object_get_ex(report, array, &all));
	for (size_t i = 0; i < json_object_array_length(all); i++)
		found |= !!strstr(json_object_get_string(json_object_array_get_idx(all, i)), text);
	return found;
}

/* A table without its events says so, in each format, and which events it needs; else that there was none. */
static void test_not_recorded(void **state)
{
	static const struct {
		enum report_by by;
		const char *key, *needs, *events;
	} tables[] = {
		{ BY_SYSCALL, "syscalls", "--events syscalls", "syscall_entry_number0\nsyscall_exit_number0" },
		{ BY_PROCESS_SYSCALL, "process_syscalls", "--events syscalls", "syscall_entry_number0\nsyscall_exit_number0" },
		{ BY_FILE, "files", "--events syscalls", "syscall_entry_number0\nsyscall_exit_number0" },
		{ BY_IRQ, "interrupts", "--events irq,softirq", "irq_softirq_entry" },
		{ BY_DISK, "disks", "--events block", "block_rq_issue\nblock_rq_complete" },
		{ BY_NETWORK, "networks", "--events net", "net_if_receive_skb" },
	};
	static void (*const formats[])(const struct trace_report *r, FILE *out) = {
		trace_report_text, trace_report_json, trace_report_html,
	};

	write_trace(*state,
		    "2000 0 sched_switch prev_tid=0 prev_state=0 next_comm=a next_tid=7\n"
		    "3000 0 sched_switch prev_comm=a prev_tid=7 prev_state=1 next_comm=idle next_tid=0\n");
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		struct analysis *a = analyse(0, UINT64_MAX, false);
		AUTO_FREE char *events = mem_strdup(tables[i].events), *all = print(a, BY_NOTHING, trace_report_json);
		struct json_object *report = json_tokener_parse(all);
		char *next = events, *event;

		assert_true(lists(report, "not_recorded", tables[i].key) && lists(report, "notes", tables[i].needs));
		assert_false(lists(report, "not_recorded", "processes"));
		json_object_put(report);
		for (size_t n = 0; n < ARRAY_SIZE(formats); n++) {
			AUTO_FREE char *text = print(a, tables[i].by, formats[n]);

			assert_contains(text, tables[i].needs);
		}
		while ((event = strsep(&next, "\n")))
			analysis_type(a, event);
		for (size_t n = 0; n < ARRAY_SIZE(formats); n++) {
			AUTO_FREE char *text = print(a, tables[i].by, formats[n]);

			assert_null(strstr(text, tables[i].needs));
			if (formats[n] == trace_report_json)
				assert_contains(text, "\"not_recorded\":[]");
			else
				assert_contains(text, "and there was none");
		}
		analysis_free(a);
	}
}

static void test_no_switches(void **state)
{
	struct analysis *a;
	struct json_object *report;
	char *text;

	write_trace(*state, "2000 0 net_if_receive_skb skbaddr=1 len=1500 name=lo\n");
	a = analyse(0, UINT64_MAX, false);
	text = print(a, BY_NOTHING, trace_report_json);
	report = json_tokener_parse(text);
	assert_true(lists(report, "not_recorded", "processes") && lists(report, "not_recorded", "cpus"));
	assert_true(lists(report, "notes", "sched_switch was not recorded"));
	assert_false(lists(report, "not_recorded", "networks"));
	json_object_put(report);
	free(text);
	analysis_free(a);
}

/* The events of the part that the figures are about, and those of the whole recording. */
static void test_counts(void **state)
{
	struct trace_report r = { .ns_per_tick = 1, .dir = "/tmp/trace", .recorded = 3 };
	struct analysis *a = analysis_create(0, UINT64_MAX);
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	a->complete = 200;
	analysis_play(a,
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=7\n"
		      "150 0 sched_switch prev_tid=7 prev_state=0 next_tid=8\n"
		      "300 0 sched_switch prev_tid=8 prev_state=0 next_tid=7\n");
	analysis_finish(a);
	r.a = a;
	trace_report_text(&r, out);
	trace_report_json(&r, out);
	fclose(out);
	assert_contains(text, "1 of 3 events");
	assert_contains(text, "note  2 events are in no figure: they came before the state of the system was known");
	assert_contains(text, "\"events_recorded\":1,\"events_in_all\":3,");
	analysis_free(a);
}

/* What a process did before exec counts for the name that it had then. */
static void test_earlier_names(void **state)
{
	struct analysis *a;
	char *text;

	write_trace(*state, dd);
	a = analyse(0, UINT64_MAX, true);
	text = print(a, BY_COMMAND, trace_report_csv);
	/* dd from 195 us until it is removed at 750 us; bash 1,000 us, and 75 us of the child, 60 of them on a CPU. */
	assert_contains(text, "\n\"dd\",1,555000.000,370000.000,");
	assert_contains(text, "\n\"bash\",2,1075000.000,490000.000,");
	free(text);
	text = print(a, BY_THREAD, trace_report_csv);
	assert_contains(text, "\n21,21,\"dd\",\"bash > dd\",1,630000.000,");
	free(text);
	analysis_free(a);
	/* Behind exec there is only one name. */
	a = analyse(300000, UINT64_MAX, true);
	text = print(a, BY_PROCESS, trace_report_csv);
	assert_contains(text, "\n21,\"dd\",\"dd\",1,");
	free(text);
	text = print(a, BY_COMMAND, trace_report_csv);
	assert_contains(text, "\n\"bash\",1,");
	free(text);
	analysis_free(a);
}

static void test_window(void **state)
{
	struct analysis *a;

	write_trace(*state, dd);
	a = analyse(300000, 400000, true);
	assert_int_equal(analysis_length(a), 100000);
	assert_int_equal(analysis_task(a, 21)->time[DOING_WAIT_IO], 5000);
	assert_int_equal(analysis_task(a, 21)->time[DOING_WAIT_CPU], 15000);
	analysis_free(a);
}

/* The command, with its options and refusals. */
static void test_command(void **state)
{
	struct fake_kernel *fake = fake_create();
	AUTO_FREE char *page = mem_printf("%s/page.html", base);
	AUTO_FREE char *html = mem_printf("report %s/trace --by thread --html %s", base, page);
	static const char *const good[][2] = {
		{ "", "Processes, in % of 1.00 ms" }, { "--by cpu", "CPUs, in % of 1.00 ms" }, { "--tree", "bash" },
		{ "--flow 21", "woken by irq virtio0" }, { "--critical 21", "irq virtio0  waits for I/O" },
		{ "--from 100us --to 0.5ms", "400 us on 2" },
	};
	static const char *const bad[][2] = {
		{ "--by colour", "--by colour" }, { "--by cpu --tree", "choose one" },
		{ "--flow 21 --html x", "leave out --html" },
		{ "--flow 4711", "thread 4711 was not there" },
		{ "--critical 4711", "thread 4711 was not there" },
		{ "--from 5", "not a time" }, { "--from 5s", "choose other times" },
		{ "--from 2us --to 1us", "not behind" },
		{ "another", "unexpected 'another'" }, { "--flow 0", "--flow 0" },
		{ "--html /nonexistent/x", "/nonexistent/x" },
	};

	write_trace(*state, dd);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		AUTO_FREE char *line = mem_printf("report %s/trace %s", base, good[i][0]);

		assert_int_equal(fake_run(fake, line), STATUS_OK);
		assert_contains(fake->out, good[i][1]);
	}
	assert_int_equal(fake_run(fake, html), STATUS_OK);
	assert_int_equal(access(page, R_OK), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		AUTO_FREE char *line = mem_printf("report %s/trace %s", base, bad[i][0]);

		assert_int_not_equal(fake_run(fake, line), STATUS_OK);
		assert_contains(fake_error(), bad[i][1]);
	}
	assert_int_not_equal(fake_run(fake, "report /nonexistent"), STATUS_OK);
	fake_free(fake);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_text), TEST(test_json), TEST(test_some_calls), TEST(test_csv), TEST(test_names), TEST(test_idle),
		TEST(test_window), TEST(test_command), TEST(test_not_recorded), TEST(test_no_switches),
		TEST(test_counts), TEST(test_earlier_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
