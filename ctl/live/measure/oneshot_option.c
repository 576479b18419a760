// SPDX-License-Identifier: GPL-2.0-or-later
/* oneshot_option.c - the options of `run`, `latency` and `lines`.  See oneshot.h. */
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/lang/request.h"
#include "ctl/base/duration.h"
#include "ctl/base/memory.h"
#include "ctl/base/number.h"
#include "ctl/live/measure/condition.h"
#include "ctl/live/measure/oneshot.h"

#define LONGEST_MS	(INT64_C(1) << 53)

static bool set_for(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	double ms;

	if (!duration_parse(arg, &ms))
		return error_set(err, STATUS_USAGE, "--for %s: not a time: give seconds, or a unit: 5s, 250ms", arg);
	if (ms < 1)
		return error_set(err, STATUS_USAGE, "--for %s: too short: give at least 1ms", arg);
	if (ms > LONGEST_MS)
		return error_set(err, STATUS_USAGE, "--for %s: that is too long: give less, or leave it out", arg);
	*(int64_t *)to = (int64_t)ms;
	return true;
}

static bool set_fail_if(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	struct condition **out = to;

	condition_free(*out);
	*out = condition_parse(arg, err);
	return *out;
}

static bool set_buffer(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	uint64_t *bytes = to;
	bool unit;

	if (!number_bytes(arg, bytes, &unit) || !unit)
		return error_set(err, STATUS_USAGE, "--buffer %s: not a size: give a number with its unit, such as 512K or 16M", arg);
	return (*bytes >= KT_BUFFER_MIN && *bytes <= KT_BUFFER_MAX) ||
	       error_set(err, STATUS_USAGE, "--buffer %s: out of range: from 8K to 1G for each CPU", arg);
}

/* Less than that is not worth a directory, a description and the state of the system. */
#define LEAST_PART	(1U << 20)
#define LEAST_PART_MS	1000

static bool set_rotate(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	struct rotate *rotate = to;
	struct quantity q;
	const char *end;
	bool unit;

	*rotate = (struct rotate){ 0 };
	if (number_bytes(arg, &rotate->bytes, &unit) && unit)
		return rotate->bytes >= LEAST_PART ||
		       error_set(err, STATUS_USAGE, "--rotate %s: too small: give at least 1M", arg);
	rotate->bytes = 0;
	if (!quantity_parse(arg, "", &q, &end) || !*q.unit || q.ns / 1e6 > LONGEST_MS)
		return error_set(err, STATUS_USAGE, "--rotate %s: neither a size nor a time: give one such as 100M or 60s", arg);
	rotate->ms = q.ns / 1e6;
	return rotate->ms >= LEAST_PART_MS || error_set(err, STATUS_USAGE, "--rotate %s: too short: give at least 1s", arg);
}

static bool set_max(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	uint64_t *bytes = to;
	bool unit;

	if (!number_bytes(arg, bytes, &unit) || !unit)
		return error_set(err, STATUS_USAGE, "--max-size %s: not a size: give a number with its unit, such as 100M or 2G", arg);
	return *bytes >= LEAST_PART || error_set(err, STATUS_USAGE, "--max-size %s: too small: give at least 1M", arg);
}

static bool set_ctf(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	*(bool *)to = !strcmp(arg, "2");
	return *(bool *)to || !strcmp(arg, "1.8") ||
	       error_set(err, STATUS_USAGE, "--ctf %s: not a version of CTF that ktrace writes: choose 1.8 or 2", arg);
}

static bool add_spec(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	struct oneshot *o = to;

	o->specs = MEM_MORE(o->specs, o->nr_specs);
	o->specs[o->nr_specs++] = arg;
	return true;
}

static bool add_key(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	struct oneshot *o = to;

	if (o->keys[0] && o->keys[1])
		return error_set(err, STATUS_USAGE, "%s %s: there are two already: give one for A and, if it differs, one for B", flag->name, arg);
	if (!o->keys[0])
		o->behind_key = o->nr_subjects;
	o->keys[o->keys[0] ? 1 : 0] = arg;
	return true;
}

#define RUN	(1U << 0)
#define LATENCY	(1U << 1)
#define LINES	(1U << 2)
#define RECORD	(1U << 3)
#define PAIRING	(1U << 4)
#define CALLS	(LATENCY | LINES)
#define ALL	(RUN | CALLS)

#define AT(member)	offsetof(struct oneshot, member)

static const struct flag rows[] = {
	{ "-o", "DIR", RECORD, flag_set_text, AT(dir), .summary = "write into this directory; otherwise ktrace-TIME",
	  .values = FLAG_FILES },
	{ "--events", "SETS", RECORD, flag_set_text, AT(events), .summary = "sets of events, with commas: core,net,-mm_fault_exit",
	  .values = FLAG_EVENTS },
	{ "--no-fields", "SETS", RECORD, flag_set_text, AT(bare), .summary = "of these sets only that they happened, and when",
	  .values = FLAG_EVENTS },
	{ "--caller", "WHO", RECORD, flag_set_text, AT(caller), .two_words = true, .values = "depth in",
	  .summary = "depth N or in RANGE: what made each system call" },
	{ "--trace", "SPEC", RECORD, add_spec, 0, .summary = "also a tracepoint, as for trace: 'vfs_write PID'" },
	{ "--for", "TIME", RECORD, set_for, AT(for_ms), .summary = "record for this time: 5s, 250ms" },
	{ "--pid", "PID", RECORD, task_rules_add, AT(tasks), .values = FLAG_PROCESSES,
	  .summary = "only events in that process; several may be given" },
	{ "--tid", "TID", RECORD, task_rules_add, AT(tasks), .summary = "only in that thread" },
	{ "--pgrp", "PGRP", RECORD, task_rules_add, AT(tasks), .summary = "only in that process group" },
	{ "--session", "SESSION", RECORD, task_rules_add, AT(tasks), .summary = "only in that session" },
	{ "--uid", "USER", RECORD, task_rules_add, AT(tasks), .summary = "only in tasks of that real user (name or id)" },
	{ "--gid", "GROUP", RECORD, task_rules_add, AT(tasks), .summary = "only in tasks of that real group" },
	{ "--comm", "NAME", RECORD, task_rules_add, AT(tasks), .summary = "only in tasks of that name" },
	{ "--cgroup", "DIR", RECORD, task_rules_add, AT(tasks), .summary = "only in that cgroup and those below it",
	  .values = FLAG_FILES },
	{ "--children", NULL, RECORD, flag_set_true, AT(tasks.children),
	  .summary = "also in what these create; alone: in the command" },
	{ "--mode", "MODE", RECORD, flag_set_choice, AT(mode), .values = "disk flight",
	  .summary = "flight: keep the newest in memory ('snapshot')" },
	{ "--buffer", "SIZE", RECORD, set_buffer, AT(buffer), .summary = "for each CPU: 512K, 16M; otherwise 4M" },
	{ "--max-size", "SIZE", RECORD, set_max, AT(max_bytes), .summary = "stop there; with --rotate, remove the oldest parts" },
	{ "--rotate", "SIZE|TIME", RECORD, set_rotate, AT(rotate), .summary = "DIR/0001, DIR/0002 ..., each a trace: 100M, 60s" },
	{ "--no-state", NULL, RECORD, flag_set_true, AT(no_state), .summary = "do not write the state of the system at the begin" },
	{ "--ctf", "VERSION", RECORD, set_ctf, AT(ctf2), .values = "1.8 2",
	  .summary = "of the metadata, for other readers; otherwise 1.8" },
	{ "--compress", NULL, RECORD, flag_set_true, AT(compress), .summary = "with zstd; for other readers 'export' expands it" },
	{ "--name", "NAME", RECORD, flag_set_text, AT(recording), .summary = "of the recording, in 'status'; otherwise that of DIR" },
	{ "--stop", "NAME", RECORD, flag_set_text, AT(stop), .summary = "end that recording, and do nothing else" },
	{ "--for", "TIME", RUN | LATENCY | PAIRING, set_for, AT(for_ms), .summary = "measure for this time: 5s, 250ms" },
	{ "--for", "TIME", LINES, set_for, AT(for_ms), .summary = "measure for this time: 5s, 250ms; without a command 10s" },
	{ "--count", "N", RUN, flag_set_number, AT(count), .summary = "stop after N records", .most = INT64_MAX },
	{ "--until-frozen", NULL, RUN, flag_set_true, AT(until_frozen),
	  .summary = "end when a tracepoint with FREEZE was hit" },
	{ "--last", "N", RUN, flag_set_number, AT(last), .summary = "print only the last N records", .most = INT64_MAX },
	{ "--by", "KEY", PAIRING, add_key, 0, .summary = "what A and B have in common; a second one for B" },
	{ "--if", "CONDITION", LINES, flag_set_text, AT(only_if),
	  .summary = "calls where it holds beside others: 'ELAPSED > 1ms'" },
	{ "--counts", NULL, LINES, flag_set_true, AT(counts), .summary = "only count how often each line is reached; far cheaper" },
	{ "--count", "N", CALLS, flag_set_number, AT(count), .summary = "measure exactly N calls", .most = INT64_MAX },
	{ "--pid", "PID", ALL | PAIRING, flag_set_number, AT(pid), .summary = "only in that process; COMMAND is the load", .most = INT32_MAX,
	  .values = FLAG_PROCESSES },
	{ "--by", "KEY", LATENCY, flag_set_text, AT(by), .summary = "for each comm, pid, RETVAL, EXIT, 'VAR expression'",
	  .values = FLAG_KEYS },
	{ "--key", "KEY", LATENCY, add_key, 0, .summary = "pair A and B by KEY, in any thread; a second word for B" },
	{ "--across", NULL, LATENCY, flag_set_true, AT(across), .summary = "from A to B in any thread" },
	{ "--off-cpu", NULL, LATENCY, flag_set_true, AT(off_cpu), .summary = "time off the CPU: where, how long, woken by whom" },
	{ "--top", "N", LATENCY, flag_set_number, AT(top), .summary = "show the N slowest, with their ARGS, BACKTRACE ...",
	  .most = 1000 },
	{ "--raw", NULL, CALLS, flag_set_true, AT(raw), .summary = "do not take off the cost of the tracepoints" },
	{ "--source", "DIR", LINES, flag_set_text, AT(source), .summary = "show source text from this directory",
	  .values = FLAG_FILES },
	{ "--json", NULL, ALL | PAIRING, flag_set_format, 0, .summary = "print JSON lines rather than text" },
	{ "--csv", NULL, ALL | PAIRING, flag_set_format, 0, .summary = "print comma-separated values" },
	{ "--openmetrics", NULL, LATENCY, flag_set_format, 0, .summary = "print metrics of Prometheus" },
	{ "--html", "FILE", RUN | CALLS, flag_set_page, AT(html), .summary = "also write an HTML page", .values = FLAG_FILES },
	{ "--fail-if", "CONDITION", RUN, set_fail_if, AT(fail_if), .summary = "exit status 4 where it holds: 'count>100', 'lost>0'",
	  .values = FLAG_FIGURES },
	{ "--fail-if", "CONDITION", LATENCY, set_fail_if, AT(fail_if),
	  .summary = "exit status 4 where it holds: 'p99>50us'", .values = FLAG_FIGURES },
	{ "--fail-if", "CONDITION", LINES, set_fail_if, AT(fail_if),
	  .summary = "exit status 4 where it holds: 'max>1ms'", .values = FLAG_FIGURES },
	{ .name = NULL },
};

const struct flags run_flags = { rows, RUN }, latency_flags = { rows, LATENCY }, lines_flags = { rows, LINES },
		   record_flags = { rows, RECORD }, pairing_flags = { rows, PAIRING };

bool oneshot_takes(const struct flags *flags)
{
	return flags->rows == rows;
}

const char *oneshot_given(const struct oneshot *o, unsigned int which)
{
	const struct {
		const char *name;
		bool is_given;
		enum oneshot_option which;
	} options[] = {
		{ "--by", o->by, GIVEN_BY }, { "--top", o->top, GIVEN_TOP }, { "--across", o->across, GIVEN_ACROSS },
		{ "--count", o->count, GIVEN_COUNT }, { "--if", o->only_if, GIVEN_IF }, { "--html", o->html, GIVEN_HTML },
		{ "--raw", o->raw, GIVEN_RAW }, { "--off-cpu", o->off_cpu, GIVEN_OFF_CPU },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].is_given && options[i].which & which)
			return options[i].name;
	return NULL;
}

/* ---------------------------------------------------------------- parsing */

static bool take_command(const struct words *words, size_t first, struct oneshot *o, struct error *err)
{
	if (first == words->n)
		return error_set(err, STATUS_USAGE, "%s: give a command after --: %s ... -- ls /tmp", o->name, o->name);
	o->command = mem_zalloc(words->n - first + 1, sizeof(*o->command));
	for (size_t i = first; i < words->n; i++)
		o->command[i - first] = words->v[i];
	return true;
}

static bool take_subject(void *to, const char *word, struct error *err)
{
	struct oneshot *o = to;

	o->subjects[o->nr_subjects++] = word;
	return true;
}

/* `--key K L` beside two places: L is the key at B. */
static void take_second_key(struct oneshot *o)
{
	const struct words words = { .v = (char **)o->subjects, .n = o->nr_subjects };
	const char *second = o->keys[0] && !o->keys[1] && o->behind_key < o->nr_subjects ? o->subjects[o->behind_key] : NULL;
	AUTO_REQUESTS struct requests typed = { 0 };
	struct error ignored;

	if (!second || !requests_parse(&words, 0, &typed, &ignored) || typed.n != ARRAY_SIZE(o->keys) + 1)
		return;
	for (size_t i = 0; i < typed.n; i++)
		if (typed.v[i].address == second && !typed.v[i].nr_uses)
			o->keys[1] = second;
	if (!o->keys[1])
		return;
	o->nr_subjects--;
	memmove(&o->subjects[o->behind_key], &o->subjects[o->behind_key + 1],
		(o->nr_subjects - o->behind_key) * sizeof(*o->subjects));
}

bool oneshot_parse(struct session *s, const struct words *words, const struct flags *flags, struct oneshot *out,
		   struct error *err)
{
	size_t rest = 0;

	*out = (struct oneshot){
		.name = words->v[0], .for_ms = -1, .child = { .fd = -1, .start = -1, .answer = -1 },
	};
	out->subjects = mem_zalloc(words->n, sizeof(*out->subjects));
	if (!flags_parse(s, words, flags, out, take_subject, &rest, err))
		return false;
	take_second_key(out);
	return !rest || take_command(words, rest, out, err);
}

void oneshot_free(struct oneshot *o)
{
	child_drop(&o->child);
	condition_free(o->fail_if);
	free(o->subjects);
	free(o->specs);
	free(o->command);
	task_rules_free(&o->tasks);
	*o = (struct oneshot){ .child = { .fd = -1, .start = -1, .answer = -1 } };
}
