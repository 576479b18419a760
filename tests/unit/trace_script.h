/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_script.h - a saved trace from a script, and what the analysis makes of it. */
#ifndef TRACE_SCRIPT_H
#define TRACE_SCRIPT_H

#include "saving_device.h"

#include <stdio.h>

#include "analysis_play.h"
#include "ctl/trace/analysis/feed.h"
#include "ctl/base/memory.h"
#include "ctl/trace/saved/save.h"
#include "ctl/show/report/trace_report.h"
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
		if (!strcmp(word, CALLER_FIELD))
			field->kind = FIELD_WORD;
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

static inline struct analysis *analyse(uint64_t from, uint64_t to, bool all_calls)
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

static inline char *print_flow(int tid, enum print_format format)
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

/* The critical path of the last thread with this tid; its parts add up to its lifetime. */
static inline char *print_critical(int tid, uint64_t from, uint64_t to)
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

#endif
