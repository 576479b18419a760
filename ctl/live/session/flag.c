// SPDX-License-Identifier: GPL-2.0-or-later
/* flag.c - options that begin with a dash.  See flag.h. */
#include "ctl/live/session/flag.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/base/number.h"
#include "ctl/base/suggestion.h"
#include "ctl/live/session/session.h"

const struct flag *flags_next(const struct flags *flags, const struct flag *row)
{
	for (row = row ? row + 1 : flags->rows; row->name; row++)
		if (row->takers & flags->taker)
			return row;
	return NULL;
}

const struct flag *flags_find(const struct flags *flags, const char *name, size_t len)
{
	for (const struct flag *row = flags_next(flags, NULL); row; row = flags_next(flags, row))
		if ((strlen(row->name) == len && !strncmp(row->name, name, len)) ||
		    (row->letter && len == 2 && name[0] == '-' && name[1] == row->letter))
			return row;
	return NULL;
}

/* ----------------------------------------------------------------- setting */

bool flag_set_text(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	*(const char **)to = arg;
	return true;
}

bool flag_set_true(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	*(bool *)to = true;
	return true;
}

bool flag_set_choice(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	AUTO_FREE char *values = mem_strdup(flag->values), *listed = mem_strdup("");
	struct suggestions similar = { .word = arg };
	char *save = NULL, buf[256];

	for (char *value = strtok_r(values, " ", &save), *next; value; value = next) {
		AUTO_FREE char *before = listed;

		next = strtok_r(NULL, " ", &save);
		listed = mem_printf("%s%s%s", before, !*before ? "" : next ? ", " : " or ", value);
		if (!strcmp(value, arg)) {
			*(const char **)to = arg;
			return true;
		}
		suggestion_offer(&similar, value);
	}
	return error_set(err, STATUS_USAGE, "%s %s: %s%s", flag->name, arg, similar.n ? "" : "choose ",
			 suggestion_say(similar.names, similar.n, listed, buf, sizeof(buf)));
}

bool flag_set_number(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	uint64_t *out = to;
	const enum number_status status = number_count(arg, out);

	if (status == NUMBER_TOO_LARGE || (status == NUMBER_OK && *out > flag->most))
		return error_set(err, STATUS_USAGE, "%s %s: number too large: at most %" PRIu64, flag->name, arg, flag->most);
	if (status == NUMBER_NONE || !*out)
		return error_set(err, STATUS_USAGE, "%s %s: not a number: give a decimal one from 1 on", flag->name, arg);
	return true;
}

bool flag_set_format(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	static const char *const names[] = {
		[PRINT_TEXT] = "text", [PRINT_JSON] = "json", [PRINT_CSV] = "csv",
		[PRINT_METRICS] = "openmetrics",
	};
	/* --json means --format=json. */
	const char *name = arg ? arg : flag->name + 2;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], name))
			continue;
		s->format = i;
		return true;
	}
	return error_set(err, STATUS_USAGE, "--format=%s: unknown format: text, json, csv or openmetrics", name);
}

/* Check before the work that the file can be written. */
bool flag_set_page(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	AUTO_FREE char *copy = mem_strdup(arg);
	struct stat st;
	int error = 0;

	*(const char **)to = arg;
	if (stat(arg, &st) == 0)
		error = S_ISDIR(st.st_mode) ? EISDIR : access(arg, W_OK) ? errno : 0;
	else if (errno != ENOENT || access(dirname(copy), W_OK | X_OK))
		error = errno;
	return !error || error_set(err, STATUS_FAILURE, "%s: %s: choose another file for %s", arg, strerror(error), flag->name);
}

/* ----------------------------------------------------------------- parsing */

static bool unknown(const struct flags *flags, const char *command, const char *word, struct error *err)
{
	struct suggestions similar = { .word = word };
	char buf[256], otherwise[64];

	for (const struct flag *row = flags_next(flags, NULL); row; row = flags_next(flags, row))
		suggestion_offer(&similar, row->name);
	snprintf(otherwise, sizeof(otherwise), "'help %s' lists them", command);
	return error_set(err, STATUS_USAGE, "%s: unknown option %s: %s", command, word,
			 suggestion_say(similar.names, similar.n, otherwise, buf, sizeof(buf)));
}

/* `report -i DIR`: an option of ktrace itself behind a command. */
static const struct flag *own(const struct session *s, const char *text)
{
	return *text == '-' && s->own_flags ? flags_find(s->own_flags, text, strcspn(text, "=")) : NULL;
}

static bool misplaced(const char *command, const struct flag *row, struct error *err)
{
	return error_set(err, STATUS_USAGE, "%s: %s belongs before the command: ktrace %s%s%s %s", command, row->name, row->name,
			 row->metavar ? " " : "", row->metavar ? row->metavar : "", command);
}

/* The word behind words[*i], to which *i moves.  NULL: there is none. */
static const char *next_word(const struct words *words, size_t *i)
{
	return *i + 1 < words->n && strcmp(words->v[*i + 1], "--") ? words->v[++*i] : NULL;
}

/* Take "--name", "--name value" or "--name=value"; *i moves to its last word. */
static bool take(struct session *s, const struct words *words, size_t *i, const struct flag *row, void *to,
		 struct error *err)
{
	const char *command = words->v[0], *equals = strchr(words->v[*i], '='), *arg = NULL, *second = NULL;

	if (equals && !row->metavar)
		return error_set(err, STATUS_USAGE, "%s: %s takes no argument", command, row->name);
	if (row->metavar)
		arg = equals ? equals + 1 : next_word(words, i);
	if (arg && row->two_words)
		second = next_word(words, i);
	if (row->metavar && (!arg || !*arg || (row->two_words && !second)))
		return error_set(err, STATUS_USAGE, "%s %s needs its %s (%s)", command, row->name, row->metavar, row->summary);
	return row->set(s, (char *)to + row->at, row, arg, err) &&
	       (!second || row->set(s, (char *)to + row->at + sizeof(arg), row, second, err));
}

bool flags_parse(struct session *s, const struct words *words, const struct flags *flags, void *to,
		 flag_word_fn *word, size_t *rest, struct error *err)
{
	for (size_t i = 1; i < words->n; i++) {
		const char *text = words->v[i];
		const struct flag *row = flags_find(flags, text, strcspn(text, "="));
		bool ok;

		if (rest && !strcmp(text, "--")) {
			*rest = i + 1;
			return true;
		}
		if (row)
			ok = take(s, words, &i, row, to, err);
		else if (own(s, text))
			ok = misplaced(words->v[0], own(s, text), err);
		else if (!strncmp(text, "--", 2))
			ok = unknown(flags, words->v[0], text, err);
		else
			ok = word(to, text, err);
		if (!ok)
			return false;
	}
	return true;
}
