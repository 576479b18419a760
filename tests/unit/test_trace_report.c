// SPDX-License-Identifier: GPL-2.0-or-later
/* test_trace_report.c - from a saved trace to the report of where its time went. */
#include "saving_device.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "analysis_play.h"
#include "ctl/analysis/feed.h"
#include "ctl/base/memory.h"
#include "ctl/saved/save.h"
#include "ctl/saved/save_dir.h"
#include "ctl/report/trace_report.h"
#include "fake_kernel.h"
#include "unit.h"

#define TEXT	24		/* bytes of a text */

static char base[64], dir[80];
static struct error err;

/* ------------------------------------------------------- a trace from a script */

/* Records of a script: "TIME CPU NAME FIELD=VALUE...", as in analysis_play.h. */
struct scribe {
	struct module *module;
	struct reader *reader;
	struct save *save;
	struct device dev;
	char *shapes[400];	/* name and fields of the descriptors that exist */
	uint32_t nr;
};

struct line {
	struct field fields[8];
	char *values[8];
	size_t nr;
	char shape[256];
};

/* The first fields of a line, in the mask of what cannot be read: "FIELD=?". */
static bool is_unreadable(const struct line *line, size_t i)
{
	return !strcmp(line->values[i], "?");
}

static bool is_text(const char *value)
{
	return *value != '?' && !strchr("-0123456789", *value);
}

static void read_line(char *words, const char *name, struct line *line)
{
	char *save = NULL;
	int at = snprintf(line->shape, sizeof(line->shape), "%s", name);

	line->nr = 0;
	for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		struct field *field = &line->fields[line->nr];
		char *equals = strchr(word, '=');

		*equals = '\0';
		line->values[line->nr] = equals + 1;
		*field = (struct field){ .kind = is_text(equals + 1) ? FIELD_STRING : FIELD_INT, .bytes = 8,
					 .is_signed = true, .fault_bit = line->nr };
		field->length = field->kind == FIELD_STRING ? TEXT : 0;
		snprintf(field->name, sizeof(field->name), "%s", word);
		at += snprintf(line->shape + at, sizeof(line->shape) - at, " %s%d", word, field->kind);
		line->nr++;
	}
}

static void describe_event(struct module *module, uint32_t id, const char *name, const struct line *line)
{
	struct kt_insn prog[8 * TEXT / 8 + 2] = { 0 };
	struct field fields[8];
	struct desc desc = { .name = (char *)name, .typed = (char *)name, .options = "", .fields = fields,
			     .nr_fields = line->nr, .has_faults = line->nr, .prog = prog };

	memcpy(fields, line->fields, sizeof(fields));
	if (line->nr)
		prog[desc.prog_len++] = (struct kt_insn){ .op = KT_OP_EMIT, .aux = 4 };
	for (size_t i = 0; i < line->nr; i++)
		for (size_t n = 0; n < field_payload(&fields[i]); n += 8)
			prog[desc.prog_len++] = (struct kt_insn){ .op = KT_OP_EMIT, .aux = 8 };
	prog[desc.prog_len++].op = KT_OP_END;
	if (!desc_encode(&desc, &module->descs[id].blob, &module->descs[id].len, &err))
		fail_msg("%s", err.text);
}

static uint32_t find_event(struct scribe *scribe, const char *name, const struct line *line)
{
	for (uint32_t i = 0; i < scribe->nr; i++)
		if (!strcmp(scribe->shapes[i], line->shape))
			return i + 2;
	scribe->shapes[scribe->nr] = mem_strdup(line->shape);
	describe_event(scribe->module, scribe->nr + 2, name, line);
	return scribe->nr++ + 2;
}

static void write_line(struct scribe *scribe, char *text)
{
	uint32_t payload[(4 + 8 * TEXT) / 4] = { 0 }, cpu;
	char name[64];
	struct line line;
	size_t at = 1;
	int words;

	if (sscanf(text, "%llu %u %63s%n", &ticks, &cpu, name, &words) < 3)
		return;
	read_line(text + words, name, &line);
	for (size_t i = 0; i < line.nr; i++) {
		const int64_t number = strtoll(line.values[i], NULL, 0);

		payload[0] |= (uint32_t)is_unreadable(&line, i) << i;
		if (line.fields[i].kind == FIELD_STRING)
			strncpy((char *)&payload[at], line.values[i], TEXT);
		else
			memcpy(&payload[at], &number, 8);
		at += field_payload(&line.fields[i]) / 4;
	}
	kt_ring_write(&scribe->module->rings[cpu], find_event(scribe, name, &line), payload, line.nr ? at : 0);
}

static void keep(struct scribe *scribe)
{
	struct snapshot *snap = take(scribe->reader);

	if (!save_snapshot(scribe->save, snap, &err) || !save_describe(scribe->save, &err))
		fail_msg("%s", err.text);
	assert_true(snapshot_clear(scribe->reader, snap, &err));
	save_keep(scribe->save);
	snapshot_free(snap);
}

/* Write the records, and save them where the script says "keep", and after each `every` records (0: never). */
static void write_kept(struct module *module, const char *script, int every)
{
	struct scribe scribe = { .module = module, .reader = open_reader(module), .dev = saving_device(module) };
	AUTO_FREE char *copy = mem_strdup(script);
	char *next = copy, *text;
	int n = 0;

	snprintf(dir, sizeof(dir), "%s/trace", base);
	scribe.save = save_create(dir, &scribe.dev, &err);
	if (!scribe.save)
		fail_msg("%s", err.text);
	while ((text = strsep(&next, "\n"))) {
		if (!strcmp(text, "keep") || (every && ++n % every == 0))
			keep(&scribe);
		write_line(&scribe, text);
	}
	ticks++;
	keep(&scribe);
	if (!save_finish(scribe.save, NULL, false, &err))
		fail_msg("%s", err.text);
	reader_destroy(scribe.reader);
	for (uint32_t i = 0; i < scribe.nr; i++)
		free(scribe.shapes[i]);
}

static void write_trace(struct module *module, const char *script)
{
	write_kept(module, script, 20);
}

/* ----------------------------------------------------------------- the reports */

static struct analysis *analyse(uint64_t from, uint64_t to, bool all_calls)
{
	struct analysis *a = analysis_create(from, to);
	struct saved *saved = saved_open(dir, &err);

	if (all_calls)
		analysis_all_calls(a);
	if (!saved || !feed_saved(a, saved, NULL, NULL, &err))
		fail_msg("%s", err.text);
	saved_close(saved);
	analysis_check(a);
	return a;
}

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

/* A shell starts dd, which reads from a file, writes it to a disk with an interrupt, and computes. */
static const char dd[] =
	"100000 0 lttng_statedump_process_state tid=1 pid=1 ppid=0 name=init type=0 mode=5 status=5\n"
	"100000 0 lttng_statedump_process_state tid=20 pid=20 ppid=1 name=bash type=0 mode=5 status=5\n"
	"100000 0 lttng_statedump_block_device dev=8388608 diskname=vda\n"
	"100000 1 sched_switch prev_comm=swapper/1 prev_tid=0 prev_state=0 prev_iowait=0 next_comm=swapper/1 next_tid=0\n"
	"100000 0 sched_switch prev_comm=swapper/0 prev_tid=0 prev_state=0 prev_iowait=0 next_comm=bash next_tid=20\n"
	"110000 0 syscall_entry_clone flags=17\n"
	"120000 0 sched_process_fork parent_tid=20 parent_pid=20 child_tid=21 child_pid=21 child_comm=bash\n"
	"130000 0 sched_wakeup_new comm=bash tid=21 target_cpu=1\n"
	"135000 1 sched_switch prev_comm=swapper/1 prev_tid=0 prev_state=0 prev_iowait=0 next_comm=bash next_tid=21\n"
	"140000 0 syscall_exit_clone ret=21\n"
	"145000 1 syscall_exit_clone ret=0\n"
	"150000 0 syscall_entry_wait4 upid=21\n"
	"160000 0 sched_switch prev_comm=bash prev_tid=20 prev_state=1 prev_iowait=0 next_comm=swapper/0 next_tid=0\n"
	"165000 1 syscall_entry_execve filename=/usr/bin/dd\n"
	"195000 1 sched_process_exec filename=/usr/bin/dd tid=21\n"
	"205000 1 syscall_exit_execve ret=0\n"
	"215000 1 syscall_entry_openat dfd=-100 filename=/etc/passwd flags=0\n"
	"220000 1 syscall_exit_openat ret=3\n"
	"221000 1 syscall_entry_openat dfd=-100 filename=? flags=0\n"
	"222000 1 syscall_exit_openat ret=-2\n"
	"230000 1 syscall_entry_read fd=3 count=4096\n"
	"240000 1 block_rq_issue dev=8388608 sector=64 nr_sector=8 rwbs=4\n"
	"245000 1 sched_switch prev_comm=dd prev_tid=21 prev_state=2 prev_iowait=1 next_comm=swapper/1 next_tid=0\n"
	"400000 0 irq_handler_entry irq=11 name=virtio0\n"
	"402000 0 block_rq_complete dev=8388608 sector=64 nr_sector=8 rwbs=4\n"
	"405000 0 sched_waking comm=dd tid=21 target_cpu=1\n"
	"410000 0 irq_handler_exit irq=11 ret=1\n"
	"420000 1 sched_switch prev_comm=swapper/1 prev_tid=0 prev_state=0 prev_iowait=0 next_comm=dd next_tid=21\n"
	"430000 1 syscall_exit_read ret=4096\n"
	"500000 1 irq_softirq_entry vec=1\n"
	"520000 1 irq_softirq_exit vec=1\n"
	"600000 1 net_dev_queue skbaddr=1 len=1500 name=eth0\n"
	"700000 1 syscall_entry_exit_group error_code=0\n"
	"710000 1 sched_process_exit comm=dd tid=21\n"
	"720000 1 sched_waking comm=bash tid=20 target_cpu=0\n"
	"730000 0 sched_switch prev_comm=swapper/0 prev_tid=0 prev_state=0 prev_iowait=0 next_comm=bash next_tid=20\n"
	"740000 1 sched_switch prev_comm=dd prev_tid=21 prev_state=32 prev_iowait=0 next_comm=swapper/1 next_tid=0\n"
	"750000 0 sched_process_free comm=dd tid=21\n"
	"760000 0 syscall_exit_wait4 ret=21\n"
	"1100000 0 syscall_entry_read fd=0 count=1\n";

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
		"pid  process  running  user  kernel  irqs  wait cpu  wait i/o  asleep  unknown\n"
		" 21  dd          43.0  28.9    11.1   2.0       3.0      16.0       -        -\n"
		" 20  bash        43.0  35.0     7.0     -       1.0         -    56.0        -\n"
		"  1  init           -     -       -     -         -         -   100.0        -\n"
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

static char *print_flow(int tid, enum print_format format)
{
	struct analysis *a = analysis_create(0, UINT64_MAX);
	const struct trace_report r = { .a = a, .ns_per_tick = 1 };
	struct saved *saved = saved_open(dir, &err);
	struct flow_printer printer = { .r = &r, .format = format };
	struct flow *flow = flow_create(a, tid, flow_print, &printer);
	char *text = NULL;
	size_t len;

	printer.out = open_memstream(&text, &len);
	analysis_all_calls(a);
	if (!saved || !feed_saved(a, saved, flow_event, flow, &err))
		fail_msg("%s", err.text);
	flow_finish(flow);
	fclose(printer.out);
	saved_close(saved);
	analysis_free(a);
	return text;
}

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

/* The critical path of the last thread with this tid; its parts add up to its lifetime. */
static char *print_critical(int tid, uint64_t from, uint64_t to)
{
	struct analysis *a = analysis_create(from, to);
	struct saved *saved = saved_open(dir, &err);
	struct critical *critical = critical_create(a, &err);
	struct trace_report r = { .a = a, .ns_per_tick = 1, .by = BY_CRITICAL };
	uint64_t sum = 0;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	analysis_all_calls(a);
	if (!saved || !critical || !feed_saved(a, saved, critical_event, critical, &err))
		fail_msg("%s", err.text);
	r.waiter = analysis_task(a, tid);
	if (!critical_find(critical, r.waiter, &r.parts, &r.nr_parts, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < r.nr_parts; i++)
		sum += r.parts[i].time.sum;
	assert_int_equal(sum, analysis_lifetime(a, r.waiter));
	trace_report_csv(&r, out);
	fclose(out);
	critical_free(critical);
	saved_close(saved);
	analysis_free(a);
	return text;
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
	assert_contains(text, "\n21,\"dd\",1,630000.000,430000.000,");
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

/* The packets of an exported trace fill it; returns their number. */
static size_t count_packets(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t n = 0;
	int c;

	assert_non_null(file);
	for (; (c = fgetc(file)) != EOF; n++) {
		long length = 0;

		assert_int_equal(c, 0x0a);
		for (int shift = 0; (c = fgetc(file)) != EOF; shift += 7) {
			length |= (long)(c & 0x7f) << shift;
			if (!(c & 0x80))
				break;
		}
		for (; length; length--)
			assert_int_not_equal(fgetc(file), EOF);
	}
	fclose(file);
	return n;
}

/* A copy tells the same numbers; one of a series, those of all parts. */
static void check_copy(struct fake_kernel *fake, const char *told)
{
	AUTO_FREE char *series = mem_printf("%s/series", base), *part = mem_printf("%s/0002", series);
	AUTO_FREE char *copy = mem_printf("%s/copy", base), *copied = mem_printf("%s/0002", copy);
	AUTO_FREE char *begun = mem_printf("%s/0003", series), *line = mem_printf("export %s --ctf 2 -o %s", series, copy);

	/* The oldest part was removed; the newest was begun by a recorder that was killed. */
	assert_int_equal(mkdir(series, 0700) | rename(dir, part) | mkdir(begun, 0700), 0);
	assert_int_equal(fake_run(fake, line), STATUS_OK);
	assert_contains(fake->out, told);
	assert_contains(fake->out, ",\"parts\":1}");
	assert_contains(fake->messages, "/0003: left out: it has no description");
	save_dir_remove(copied);
	assert_int_equal(rename(part, dir) | rmdir(copy) | rmdir(begun) | rmdir(series), 0);
}

/* All records, those of the state apart, are told; the case export-perfetto reads what is in the packets. */
static size_t check_export(uint64_t records, uint64_t lost)
{
	struct fake_kernel *fake = fake_create();
	AUTO_FREE char *path = mem_printf("%s/pftrace", base);
	AUTO_FREE char *line = mem_printf("export %s --perfetto -o %s", dir, path);
	AUTO_FREE char *told = mem_printf("\"records\":%llu,\"lost\":%llu,\"bytes\":", (unsigned long long)records,
					  (unsigned long long)lost);
	size_t packets;

	fake->session.format = PRINT_JSON;
	assert_int_equal(fake_run(fake, line), STATUS_OK);
	assert_contains(fake->out, told);
	packets = count_packets(path);
	assert_int_equal(fake_run(fake, line), STATUS_FAILURE);
	assert_contains(fake_error(), "exists");
	check_copy(fake, told);
	fake_free(fake);
	return packets;
}

static void describe_brake(uint64_t braked, uint32_t off, bool is_open)
{
	AUTO_FREE char *path = mem_printf("%s/" SAVE_INFO, dir);
	struct trace_info *info = trace_info_read(path, &err);

	assert_non_null(info);
	assert_int_equal(info->braked | info->off, 0);
	info->braked = braked;
	info->off = off;
	info->is_open = is_open;
	assert_true(save_dir_describe(dir, info, &err));
	trace_info_free(info);
}

/* What the brake turned away is not among the lost records: the description of the trace tells it. */
static void test_braked(void **state)
{
	struct fake_kernel *fake = fake_create();
	AUTO_FREE char *copy = mem_printf("%s/copy", base), *line = mem_printf("report %s/trace", base);
	AUTO_FREE char *export = mem_printf("export %s/trace --ctf 1.8 -o %s", base, copy);
	AUTO_FREE char *show = mem_printf("grep -q 'ktrace_braked = 12345;' %s/metadata", copy);

	write_trace(*state, dd);
	describe_brake(0, 0, true);
	assert_int_equal(fake_run(fake, line), STATUS_OK);
	assert_contains(fake->out, "the recorder was killed, or is still at work: what came last is missing");
	assert_null(strstr(fake->out, "the brake turned away"));
	describe_brake(12345, 1, false);
	assert_int_equal(fake_run(fake, line), STATUS_OK);
	assert_contains(fake->out, "the brake turned away 12,345 hits since the recording began: the figures do not count them");
	assert_contains(fake->out, "the brake switched 1 tracepoint off");
	assert_contains(fake->out, "wake to run");
	assert_int_equal(fake_run(fake, export), STATUS_OK);
	assert_int_equal(system(show), 0);
	fake->session.format = PRINT_JSON;
	assert_int_equal(fake_run(fake, line), STATUS_OK);
	assert_contains(fake->out, "\"lost\":0,\"braked\":12345,\"off\":1,");
	save_dir_remove(copy);
	fake_free(fake);
}

static void test_export(void **state)
{
	size_t lines = 0;

	write_trace(*state, dd);
	for (const char *at = dd; (at = strchr(at, '\n')); at++)
		lines++;
	assert_true(check_export(lines, 0) > 10);
}

/* The ring of CPU 1 is full for a while: what was on that CPU then is not known, and all sums balance. */
static void test_lost(void **state)
{
	struct module *module = *state;
	uint64_t recorded, lost;
	char *script = NULL;
	struct analysis *a;
	size_t len;
	FILE *out = open_memstream(&script, &len);

	for (int i = 0; i < 3000; i++) {
		fprintf(out, "%d 1 sched_switch prev_tid=%d prev_state=0 next_tid=%d\n", 1000 + 20 * i, 7 + i % 2,
			8 - i % 2);
		if (i % 4 == 0)
			fprintf(out, "%d 0 sched_switch prev_tid=%d prev_state=0 next_tid=%d\n", 1005 + 20 * i,
				i % 8 ? 9 : 0, i % 8 ? 0 : 9);
		if (i % 300 == 0 && i % 900)
			fputs("keep\n", out);
	}
	fclose(out);
	module->rings[1].discard = true;
	write_kept(module, script, 0);
	free(script);
	a = analyse(0, UINT64_MAX, false);
	assert_true(a->lost > 100 && !a->cpus[0]->lost);
	assert_int_equal(a->lost + a->events, 3750);
	assert_int_equal(a->contradictions, 0);
	assert_true(a->cpus[1]->time[DOING_UNKNOWN] > 1000 && a->cpus[1]->time[DOING_UNKNOWN] < analysis_length(a) / 2);
	assert_int_equal(a->cpus[0]->time[DOING_UNKNOWN], 5);
	for (int tid = 7; tid <= 9; tid++)
		free(print_critical(tid, 0, UINT64_MAX));
	free(print_flow(7, PRINT_TEXT));
	lost = a->lost;
	recorded = a->events;
	analysis_free(a);
	check_export(recorded, lost);
}

static int begin(void **state)
{
	snprintf(base, sizeof(base), "/tmp/test_trace_report.XXXXXX");
	assert_non_null(mkdtemp(base));
	return setup(state);
}

static int finish(void **state)
{
	AUTO_FREE char *command = mem_printf("rm -r %s", base);

	assert_int_equal(system(command), 0);
	return teardown(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_text, begin, finish),
		cmocka_unit_test_setup_teardown(test_flow, begin, finish),
		cmocka_unit_test_setup_teardown(test_critical, begin, finish),
		cmocka_unit_test_setup_teardown(test_chain, begin, finish),
		cmocka_unit_test_setup_teardown(test_missing_switch, begin, finish),
		cmocka_unit_test_setup_teardown(test_intervals, begin, finish),
		cmocka_unit_test_setup_teardown(test_json, begin, finish),
		cmocka_unit_test_setup_teardown(test_some_calls, begin, finish),
		cmocka_unit_test_setup_teardown(test_csv, begin, finish),
		cmocka_unit_test_setup_teardown(test_names, begin, finish),
		cmocka_unit_test_setup_teardown(test_window, begin, finish),
		cmocka_unit_test_setup_teardown(test_command, begin, finish),
		cmocka_unit_test_setup_teardown(test_export, begin, finish),
		cmocka_unit_test_setup_teardown(test_braked, begin, finish),
		cmocka_unit_test_setup_teardown(test_lost, begin, finish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
