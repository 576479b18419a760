// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_show.c - look at the running kernel without tracing: show a value, a type or a list. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/cmd/command.h"
#include "ctl/show/look/look.h"
#include "ctl/trace/print/print_int.h"

#define USUAL_MOST	1000

struct order {
	uint64_t pid, most;
	struct words words;
};

static const struct flag rows[] = {
	{ "--pid", "N", 1, flag_set_number, offsetof(struct order, pid), .summary = "`current` is the task of that thread", .most = INT32_MAX,
	  .values = FLAG_PROCESSES },
	{ "--most", "N", 1, flag_set_number, offsetof(struct order, most), .summary = "elements of a list to show (1000)",
	  .most = UINT32_MAX },
	{ .name = NULL },
};

const struct flags show_flags = { rows, 1 };

static bool take_word(void *to, const char *word, struct error *err)
{
	struct order *order = to;

	words_add(&order->words, word, strlen(word));
	return true;
}

static char *joined(const struct words *words)
{
	char *text = mem_strdup("");

	for (size_t i = 0; i < words->n; i++) {
		char *longer = mem_printf("%s%s%s", text, i ? " " : "", words->v[i]);

		free(text);
		text = longer;
	}
	return text;
}

/* Does it consist of letters, digits and the other characters? */
static bool is_made_of(const char *text, const char *others)
{
	if (!isalpha((unsigned char)*text) && *text != '_')
		return false;
	while (isalnum((unsigned char)*text) || (*text && strchr(others, *text)))
		text++;
	return !*text;
}

/* -------------------------------------------------------------------- values */

static void print_item(struct printer *printer, const struct item *item, void *arg)
{
	FILE *out = arg;

	if (item->absent)
		return;
	escape_csv(out, item->name);
	fputs(",\"", out);
	item_csv(printer, item);
	fprintf(out, "%s\"\n", item_cut(item));
}

static void show_json(struct session *s, struct printer *printer, const struct looked *values, const char *text)
{
	struct json j = json_typed(s->out, "value");

	json_text(&j, "expression", text);
	json_open_array(&j, "data");
	record_items(printer, &values->record, item_json, &j);
	json_close(&j);
	json_end(&j);
}

static bool show_value(struct look *look, const char *text, struct error *err)
{
	const struct look_item item = { text, text };
	struct session *s = look->s;
	struct printer *printer;
	struct looked values;

	if (!look_values(look, &item, 1, &values, err))
		return false;
	if (!look_same_task(look, err)) {
		looked_free(&values);
		return false;
	}
	printer = printer_create(s->out, s->format, s->colour);
	printer_symbols(printer, look->target.tab);
	if (s->format == PRINT_JSON)
		show_json(s, printer, &values, text);
	else if (s->format == PRINT_CSV)
		record_items(printer, &values.record, print_item, s->out);
	else
		printer_values(printer, &values.record, false);
	printer_free(printer);
	looked_free(&values);
	return true;
}

/* --------------------------------------------------------------------- types */

/* "struct file", or a name that is no variable. */
static bool is_type(const struct look *look, const char *text)
{
	const struct sym *const *first;

	if (!strncmp(text, "struct ", 7) || !strncmp(text, "union ", 6) || !strncmp(text, "enum ", 5))
		return is_made_of(text, "_ ");
	return is_made_of(text, "_ ") && !symtab_by_name(look->target.tab, text, NULL, &first);
}

/* *done: it was a type. */
static bool show_type(struct look *look, const char *text, bool *done, struct error *err)
{
	const struct dbindex *ix;
	char spelling[256];
	uint32_t number;

	*done = is_type(look, text) && look_type(look, text, &ix, &number, spelling, sizeof(spelling), NULL);
	if (*done)
		look_show_type(look->s, ix, number, spelling);
	else if (strchr(text, ' ') && is_type(look, text))
		return look_type(look, text, &ix, &number, spelling, sizeof(spelling), err);
	return true;
}

/* --------------------------------------------------------------------- lists */

/* HEAD NEXT MEMBER...: an expression may have blanks, too, but then no name stands behind a name. */
static bool is_list(const struct words *words)
{
	for (size_t i = 1; i < words->n; i++)
		if (!is_made_of(words->v[i], i == 1 ? "_." : "_.->[]"))
			return false;
	return words->n >= 3 && strcmp(words->v[0], "struct") && strcmp(words->v[0], "union") && strcmp(words->v[0], "unsigned");
}

static bool show_list(struct look *look, const struct order *order, struct error *err)
{
	const struct look_list list = {
		.head = order->words.v[0], .next = order->words.v[1], .members = order->words.v + 2,
		.nr_members = order->words.n - 2, .most = order->most,
	};

	return look_show_list(look, &list, err);
}

/* ----------------------------------------------------------------------- run */

static bool show(struct look *look, const struct order *order, struct error *err)
{
	AUTO_FREE char *text = joined(&order->words);
	bool done = false;

	if (is_list(&order->words))
		return show_list(look, order, err);
	if (!show_type(look, text, &done, err))
		return false;
	return done || show_value(look, text, err);
}

bool cmd_show(struct session *s, const struct words *words, struct error *err)
{
	struct order order = { .most = USUAL_MOST };
	struct look look;
	bool ok = flags_parse(s, words, &show_flags, &order, take_word, NULL, err);

	if (ok && !order.words.n)
		ok = error_set(err, STATUS_USAGE, "show: give an expression, a type, or HEAD NEXT MEMBER: see 'help show'");
	if (ok && session_symbols(s, err)) {
		look_open(&look, s, order.pid);
		ok = show(&look, &order, err);
		look_close(&look);
	} else {
		ok = false;
	}
	words_free(&order.words);
	return ok;
}
