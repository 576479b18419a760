// SPDX-License-Identifier: GPL-2.0-or-later
/* complete.c - completions of the word being typed.  See complete.h. */
#include "ctl/ui/complete_int.h"

#include <string.h>

#include "ctl/ask/events/events.h"
#include "ctl/base/device/property.h"
#include "ctl/base/device/site.h"
#include "ctl/base/memory.h"
#include "ctl/cmd/help.h"
#include "ctl/live/measure/fields.h"
#include "ctl/live/measure/oneshot.h"
#include "ctl/trace/user/user_event.h"

void offer_one(const struct offer *o, const char *name)
{
	if (!strncmp(name, o->word, strlen(o->word)))
		o->each(name, o->arg);
}

static void offer_sets(struct offer *o, const struct words *words)
{
	offer_programs(o, words, true);
	offer_registered(o);
	for (enum event_set set = 0; set < NR_EVENT_SETS; set++)
		offer_one(o, events_set_name(set));
	if (!session_symbols(o->s, NULL))
		return;
	offer_systems(o);
	offer_calls(o);
}

/* ------------------------------------------------------------------- rows */

static void offer_commands(const struct offer *o)
{
	for (const struct command *c = commands; c->name; c++)
		offer_one(o, c->name);
}

static void offer_set(const struct offer *o)
{
	AUTO_SITES struct sites sites = { 0 };

	offer_one(o, "*");
	if (!session_connect(o->s, NULL) || !sites_load(&o->s->dev, &sites, NULL))
		return;
	for (size_t i = 0; i < sites.n; i++)
		offer_one(o, site_name(&sites, i));
}

/* ------------------------------------------------------------ measurements */

static void offer_fields(const struct offer *o)
{
	for (const struct measure_field *field = measure_fields; field->name; field++) {
		AUTO_FREE char *name = mem_printf("%s>", field->name);

		offer_one(o, name);
	}
}

void offer_words(const struct offer *o, const char *words)
{
	for (size_t len; *words; words += len + (words[len] == ' ')) {
		AUTO_FREE char *name = mem_strndup(words, len = strcspn(words, " "));

		offer_one(o, name);
	}
}

static void offer_keys(const struct offer *o)
{
	for (size_t i = 0; i < nr_properties; i++)
		if (properties[i].option)
			offer_one(o, properties[i].name);
	offer_words(o, "RETVAL EXIT VAR");
}

void offer_behind(const struct offer *o, int before, const char *name)
{
	AUTO_FREE char *text = mem_printf("%.*s%s", before, o->word, name);

	offer_one(o, text);
}

/* The last of the words of --events: `core,-irq`. */
static void offer_choice(const struct offer *o)
{
	const char *comma = strrchr(o->word, ','), *last = comma ? comma + 1 : o->word;
	const int before = last - o->word + (*last == '-');

	for (enum event_set set = 0; set < NR_EVENT_SETS; set++)
		offer_behind(o, before, events_set_name(set));
	offer_behind(o, before, "core");
	offer_behind(o, before, "all");
	offer_behind(o, before, USER_EVENT "*");
	for (const struct event_row *row = events_next(NULL); row && o->word[before]; row = events_next(row))
		offer_behind(o, before, row->name);
}

bool complete_flag(const struct flag *flag, const char *word, complete_fn *each, void *arg)
{
	const struct offer o = { .word = word, .each = each, .arg = arg };
	const char *values = flag->values ? flag->values : "";

	if (!strcmp(values, FLAG_FILES))
		return false;
	if (!strcmp(values, FLAG_FIGURES))
		offer_fields(&o);
	else if (!strcmp(values, FLAG_KEYS))
		offer_keys(&o);
	else if (!strcmp(values, FLAG_EVENTS))
		offer_choice(&o);
	else if (!strcmp(values, FLAG_PROCESSES))
		offer_processes(&o);
	else
		offer_words(&o, values);
	return true;
}

/* What a measurement pairs or filters by is an expression at its address. */
static bool is_expression(const struct flag *flag)
{
	return !flag->values && (!strcmp(flag->metavar, "KEY") || !strcmp(flag->metavar, "CONDITION"));
}

/* The address that the option, the last of the words, is about: the first one, or, if given before, the last. */
static const char *address_for(const struct command *command, const struct words *words, const struct flag *flag)
{
	size_t n = 0;

	for (size_t i = 1; i < words->n; i++)
		n += !strcmp(words->v[i], flag->name);
	return trace_address(command, words, n > 1);
}

static void offer_flag_expression(struct offer *o, const char *address, const struct flag *flag, const char *typed)
{
	offer_expression(o, address, typed);
	if (!strcmp(flag->metavar, "CONDITION"))
		offer_words(o, "ELAPSED RETVAL");
}

/* The argument of the option that is the last of the words; typed: what is there of it, in quotes. */
static bool offer_flag(struct offer *o, const struct command *command, const struct words *words,
		       const struct flag *flag, const char *typed)
{
	const bool is_key = flag->values && !strcmp(flag->values, FLAG_KEYS);

	if (is_key && !strncmp(typed, "VAR ", 4))
		offer_expression(o, trace_address(command, words, false), typed + 4);
	else if (is_expression(flag))
		offer_flag_expression(o, address_for(command, words, flag), flag, typed);
	else
		return complete_flag(flag, o->word, o->each, o->arg);
	return true;
}

/* `latency A B --key K L`: L is the key at B. */
static bool offer_second_key(struct offer *o, const struct command *command, const struct words *words)
{
	const char *option = words->n > 2 ? words->v[words->n - 2] : "", *address;
	const bool is_latency = command->run == cmd_latency;
	const struct flag *flag = is_latency ? flags_find(command->flags, option, strlen(option)) : NULL;
	const struct words before = { .v = words->v, .n = words->n - 1 };

	if (!flag || !flag->metavar || !is_expression(flag) || *o->word == '-')
		return false;
	address = trace_address(command, &before, true);
	if (address == trace_address(command, &before, false))
		return false;
	offer_expression(o, address, "");
	return true;
}

static void offer_flags(const struct offer *o, const struct flags *flags)
{
	for (const struct flag *row = flags_next(flags, NULL); row; row = flags_next(flags, row))
		offer_one(o, row->name);
	if (oneshot_takes(flags))
		offer_one(o, "--");
}

/* The last, incomplete command of the line. */
static void last_command(const char *before, struct words *words)
{
	struct words next;

	*words = (struct words){ 0 };
	while (lex_command(&before, &next, NULL) == LEX_COMMAND) {
		words_free(words);
		*words = next;
		if (*before == ';')
			words_free(words);
	}
}

/* False: complete the name of a file. */
static bool offer_by_command(struct offer *o, const struct command *command, const struct words *words)
{
	if (command->completes == COMPLETE_TRACE)
		offer_trace(o, command, words);
	else if (command->completes == COMPLETE_SET)
		offer_set(o);
	else if (command->completes == COMPLETE_EVENTS)
		offer_sets(o, words);
	else if (command->completes == COMPLETE_TOPICS)
		help_topics(o->word, o->each, o->arg);
	else if (command->completes == COMPLETE_BUFFER)
		offer_words(o, "overwrite discard");
	else if (command->completes == COMPLETE_PROCESSES)
		offer_processes(o);
	else if (command->completes == COMPLETE_VALUES)
		offer_show(o, command, words);
	else if (command->completes == COMPLETE_RECORDS)
		offer_records(o, words);
	if (command->completes == COMPLETE_RECORDS && words->n == 1 && !*o->word)
		offer_flags(o, command->flags);
	return command->completes != COMPLETE_FILES;
}

/* The option whose argument has two words, of which the last word here is the first.  NULL: there is none. */
static const struct flag *before_second(const struct command *command, const struct words *words)
{
	const char *option = words->n > 2 ? words->v[words->n - 2] : "";
	const struct flag *flag = flags_find(command->flags, option, strlen(option));

	return flag && flag->two_words ? flag : NULL;
}

/* The same, and behind -- a command with its words. */
static bool offer_arguments(struct offer *o, const struct command *command, const struct words *words)
{
	const char *before = words->v[words->n - 1];
	const struct flag *flag;

	if (!command->flags)
		return offer_by_command(o, command, words);
	for (size_t i = 1; i < words->n; i++)
		if (!strcmp(words->v[i], "--"))
			return false;
	flag = flags_find(command->flags, before, strlen(before));
	if (flag && flag->metavar)
		return offer_flag(o, command, words, flag, "");
	if (before_second(command, words))
		return strcmp(before, "in") != 0;
	if (offer_second_key(o, command, words))
		return true;
	if (*o->word != '-' && (*o->word || command->completes != COMPLETE_NOTHING))
		return offer_by_command(o, command, words);
	offer_flags(o, command->flags);
	return true;
}

/* The quote that is open at the end of the text.  NULL: none is. */
static const char *open_quote(const char *text)
{
	const char *open = NULL;

	for (; *text; text++) {
		if (*text == '\\' && text[1] && (!open || *open == '"'))
			text++;
		else if (!open && strchr("\"'", *text))
			open = text;
		else if (open && *text == *open)
			open = NULL;
	}
	return open;
}

static bool complete_line(struct offer *o, const char *before)
{
	AUTO_WORDS struct words words = { 0 };
	const struct command *command;

	last_command(before, &words);
	if (!words.n) {
		offer_commands(o);
		return true;
	}
	command = command_find(words.v[0], NULL);
	return !command || offer_arguments(o, command, &words);
}

/* In quotes: `run` takes whole commands there; in others a quote only holds words together. */
static bool complete_quoted(struct offer *o, const char *before, const char *quote)
{
	AUTO_FREE char *outside = mem_strndup(before, quote - before);
	AUTO_FREE char *joined = mem_printf("%s%s", outside, quote + 1);
	AUTO_WORDS struct words words = { 0 };
	const struct command *command;
	const struct flag *flag = NULL;

	last_command(outside, &words);
	command = words.n ? command_find(words.v[0], NULL) : NULL;
	if (command && command->flags)
		flag = flags_find(command->flags, words.v[words.n - 1], strlen(words.v[words.n - 1]));
	if (flag && flag->metavar)
		return offer_flag(o, command, &words, flag, quote + 1);
	return complete_line(o, command && command->run == cmd_run ? quote + 1 : joined);
}

bool complete(struct session *s, const char *before, const char *word, complete_fn *each, void *arg)
{
	struct offer o = { .s = s, .word = word, .each = each, .arg = arg };
	const char *quote = open_quote(before);
	const bool done = quote ? complete_quoted(&o, before, quote) : complete_line(&o, before);

	session_drop_old(s);
	if (s->debug)
		debug_hurry(s->debug, false);
	return done;
}
