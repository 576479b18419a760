// SPDX-License-Identifier: GPL-2.0-or-later
/* oneshot_option.c - the options of `run`, `latency` and `lines`.  See oneshot.h. */
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/condition.h"
#include "ctl/duration.h"
#include "ctl/memory.h"
#include "ctl/near.h"
#include "ctl/number.h"
#include "ctl/oneshot.h"

#define LONGEST_MS	(INT64_C(1) << 53)

static bool set_for(struct session *s, struct oneshot *o, const char *arg, struct error *err)
{
	struct quantity q;
	const char *end;
	double ms;

	if (!quantity_parse(arg, "", &q, &end))
		return error_set(err, STATUS_USAGE, "--for %s: not a time: give seconds, or a unit: 5s, 250ms", arg);
	ms = (*q.unit ? q.ns / 1e9 : q.value) * 1e3;
	if (ms > LONGEST_MS)
		return error_set(err, STATUS_USAGE, "--for %s: that is too long: give less, or leave it out", arg);
	o->for_ms = (int64_t)ms;
	return true;
}

static bool number_of(const char *name, const char *arg, uint64_t most, uint64_t *out, struct error *err)
{
	const enum number_status status = number_count(arg, out);

	if (status == NUMBER_TOO_LARGE || (status == NUMBER_OK && *out > most))
		return error_set(err, STATUS_USAGE, "%s %s: number too large: at most %" PRIu64, name, arg, most);
	if (status == NUMBER_NONE || !*out)
		return error_set(err, STATUS_USAGE, "%s %s: not a number from 1 on: give a decimal one", name, arg);
	return true;
}

static bool set_count(struct session *s, struct oneshot *o, const char *arg, struct error *err)
{
	return number_of("--count", arg, INT64_MAX, &o->count, err);
}

static bool set_pid(struct session *s, struct oneshot *o, const char *arg, struct error *err)
{
	return number_of("--pid", arg, INT32_MAX, &o->pid, err);
}

static bool set_top(struct session *s, struct oneshot *o, const char *arg, struct error *err)
{
	return number_of("--top", arg, 1000, &o->top, err);
}

static bool set_fail_if(struct session *s, struct oneshot *o, const char *arg, struct error *err)
{
	condition_free(o->fail_if);
	o->fail_if = condition_parse(arg, err);
	return o->fail_if;
}

/* What cannot be written is said before anything is measured. */
static bool set_html(struct session *s, struct oneshot *o, const char *arg, struct error *err)
{
	AUTO_FREE char *copy = mem_strdup(arg);
	struct stat st;
	int error = 0;

	o->html = arg;
	if (stat(arg, &st) == 0)
		error = S_ISDIR(st.st_mode) ? EISDIR : access(arg, W_OK) ? errno : 0;
	else if (errno != ENOENT || access(dirname(copy), W_OK | X_OK))
		error = errno;
	return !error || error_set(err, STATUS_FAILURE, "%s: %s: choose another file for --html", arg, strerror(error));
}

static bool set_by(struct session *s, struct oneshot *o, const char *arg, struct error *err)
{
	o->by = arg;
	return true;
}

static bool set_source(struct session *s, struct oneshot *o, const char *arg, struct error *err)
{
	o->source = arg;
	return true;
}

static bool set_across(struct session *s, struct oneshot *o, const char *arg, struct error *err)
{
	o->across = true;
	return true;
}

static bool set_raw(struct session *s, struct oneshot *o, const char *arg, struct error *err)
{
	o->raw = true;
	return true;
}

static bool set_json(struct session *s, struct oneshot *o, const char *arg, struct error *err)
{
	s->format = PRINT_JSON;
	return true;
}

static bool set_csv(struct session *s, struct oneshot *o, const char *arg, struct error *err)
{
	s->format = PRINT_CSV;
	return true;
}

const struct oneshot_option oneshot_options[] = {
	{ "--for", "TIME", ONESHOT_ALL, set_for, "measure so long: 5s, 250ms" },
	{ "--count", "N", ONESHOT_ALL, set_count, "measure so many calls (run: records)" },
	{ "--pid", "PID", ONESHOT_ALL, set_pid, "only in that process" },
	{ "--by", "KEY", ONESHOT_LATENCY, set_by, "for each comm, pid or 'VAR expression' by itself" },
	{ "--across", NULL, ONESHOT_LATENCY, set_across, "from A to B in any thread" },
	{ "--top", "N", ONESHOT_LATENCY, set_top, "show the N slowest calls, with what ARGS and BACKTRACE record" },
	{ "--raw", NULL, ONESHOT_LATENCY | ONESHOT_LINES, set_raw, "do not take off what the tracepoints cost" },
	{ "--source", "DIR", ONESHOT_LINES, set_source, "show the text of lines, from the kernel's sources there" },
	{ "--json", NULL, ONESHOT_ALL, set_json, "print JSON lines (ktrace --json does the same)" },
	{ "--csv", NULL, ONESHOT_ALL, set_csv, "print comma-separated values" },
	{ "--html", "FILE", ONESHOT_ALL, set_html, "write a page for a browser, too" },
	{ "--fail-if", "CONDITION", ONESHOT_ALL, set_fail_if, "exit status 4 where it holds: 'p99>50us'" },
	{ .name = NULL },
};

/* ---------------------------------------------------------------- parsing */

/* The row of "--name" or "--name=value". */
static const struct oneshot_option *find(const char *word, unsigned int taker)
{
	const size_t len = strcspn(word, "=");

	for (const struct oneshot_option *row = oneshot_options; row->name; row++)
		if (row->takers & taker && strlen(row->name) == len && !strncmp(row->name, word, len))
			return row;
	return NULL;
}

static bool unknown(const struct oneshot *o, const char *word, unsigned int taker, struct error *err)
{
	struct near near = { .word = word };
	char buf[256], otherwise[64];

	for (const struct oneshot_option *row = oneshot_options; row->name; row++)
		if (row->takers & taker)
			near_offer(&near, row->name);
	snprintf(otherwise, sizeof(otherwise), "'help %s' lists them", o->name);
	return error_set(err, STATUS_USAGE, "%s: unknown option %s: %s", o->name, word,
			 near_say(near.names, near.n, otherwise, buf, sizeof(buf)));
}

static bool take_option(struct session *s, struct oneshot *o, const struct words *words, size_t *i,
			unsigned int taker, struct error *err)
{
	const char *word = words->v[*i], *equals = strchr(word, '='), *arg = NULL;
	const struct oneshot_option *row = find(word, taker);

	if (!row)
		return unknown(o, word, taker, err);
	if (equals && !row->metavar)
		return error_set(err, STATUS_USAGE, "%s: %s takes no argument", o->name, row->name);
	if (equals)
		arg = equals + 1;
	else if (row->metavar && *i + 1 < words->n && strcmp(words->v[*i + 1], "--"))
		arg = words->v[++*i];
	if (row->metavar && (!arg || !*arg))
		return error_set(err, STATUS_USAGE, "%s: %s needs its %s: %s", o->name, row->name, row->metavar,
				 row->summary);
	return row->set(s, o, arg, err);
}

static bool take_command(const struct words *words, size_t first, struct oneshot *o, struct error *err)
{
	if (first == words->n)
		return error_set(err, STATUS_USAGE, "%s: a command is to follow --: %s ... -- ls /tmp", o->name, o->name);
	o->command = mem_zalloc(words->n - first + 1, sizeof(*o->command));
	for (size_t i = first; i < words->n; i++)
		o->command[i - first] = words->v[i];
	return true;
}

bool oneshot_parse(struct session *s, const struct words *words, unsigned int taker,
		   struct oneshot *out, struct error *err)
{
	*out = (struct oneshot){
		.name = words->v[0], .for_ms = -1, .child = { .fd = -1, .gate = -1, .answer = -1 },
	};
	out->subjects = mem_zalloc(words->n, sizeof(*out->subjects));
	for (size_t i = 1; i < words->n; i++) {
		if (!strcmp(words->v[i], "--"))
			return take_command(words, i + 1, out, err);
		if (strncmp(words->v[i], "--", 2))
			out->subjects[out->nr_subjects++] = words->v[i];
		else if (!take_option(s, out, words, &i, taker, err))
			return false;
	}
	return true;
}

void oneshot_free(struct oneshot *o)
{
	child_drop(&o->child);
	condition_free(o->fail_if);
	free(o->subjects);
	free(o->command);
	*o = (struct oneshot){ .child = { .fd = -1, .gate = -1, .answer = -1 } };
}
