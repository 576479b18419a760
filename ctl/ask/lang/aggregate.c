// SPDX-License-Identifier: GPL-2.0-or-later
/* aggregate.c - see aggregate.h. */
#include "ctl/ask/lang/aggregate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/expr/expr.h"
#include "ctl/ask/resolve/vars.h"
#include "ctl/base/device/aggregate.h"
#include "ctl/base/device/device.h"
#include "ctl/base/memory.h"
#include "ctl/base/number.h"

#define KEYS		4096	/* room, by default */
#define HIST_KEYS	512	/* the same for histograms, which take more memory */
#define BIGGEST_KEY	768	/* bytes of all keys together */

typedef const struct option_row row_t;

/* ------------------------------------------------------------ the list of keys */

/* One key of BY: an option such as COMM, or an expression. */
struct key {
	const struct option_row *option;	/* NULL: an expression */
	char *text;			/* the expression, or the argument of the option; NULL: it has none */
};

struct keys {
	struct key v[AGGREGATE_KEYS];
	size_t n;
};

static void keys_free(struct keys *keys)
{
	for (size_t i = 0; i < keys->n; i++)
		free(keys->v[i].text);
}

static size_t blanks(const char *text)
{
	return strspn(text, " ");
}

static char *trimmed(const char *text, size_t len)
{
	while (len && text[len - 1] == ' ')
		len--;
	return mem_strndup(text, len);
}

/* The option at the start of text; NULL: there is none.  RETVAL is an expression, too. */
static const struct option_row *option_at(const char *text, size_t *len)
{
	AUTO_FREE char *word = NULL;

	*len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	if (!*len || isalnum((unsigned char)text[*len]) || text[*len] == '_')
		return NULL;
	word = mem_strndup(text, *len);
	return expr_is_word(word) ? NULL : option_find(word);
}

static bool no_key(const char *name, struct error *err)
{
	return error_set(err, STATUS_USAGE, "BY %s: that is no key: give COMM, PID, BACKTRACE or another property, STR, or an expression",
			 name);
}

/* Take the option's argument, if it has one: behind a blank. */
static bool take_argument(const char *text, struct key *key, size_t *used, struct error *err)
{
	const size_t before = blanks(text);
	size_t len = 0;

	if (key->option->arg == ARG_DEPTH)
		len = strspn(text + before, "0123456789");
	else if (key->option->arg == ARG_EXPRESSION && !option_expression_length(key->option, text + before, &len, err))
		return false;
	if (len)
		key->text = trimmed(text + before, len);
	*used += len ? before + len : 0;
	return true;
}

bool aggregate_is_key(const struct option_row *option)
{
	const enum option_arg arg = option->arg;

	return option->measured != NOT_MEASURED && option->measured != FILTERS_ENTRY && option->measured != FILTERS_BOTH &&
	       (arg == ARG_NONE || arg == ARG_DEPTH || !strcmp(option->name, "STR"));
}

static bool take_key(const char *text, struct key *key, size_t *used, struct error *err)
{
	struct expr *e;

	*key = (struct key){ .option = option_at(text, used) };
	if (key->option) {
		if (!aggregate_is_key(key->option))
			return no_key(key->option->name, err);
		return take_argument(text + *used, key, used, err);
	}
	e = expr_parse("BY", text, used, err);
	if (e)
		key->text = trimmed(text, *used);
	expr_free(e);
	return e;
}

/* Split "COMM, file->f_flags".  The caller frees the keys, also if this returns false. */
static bool split(const char *text, struct keys *keys, size_t *used, struct error *err)
{
	size_t len;

	*used = blanks(text);
	for (;;) {
		if (keys->n == AGGREGATE_KEYS)
			return error_set(err, STATUS_USAGE, "BY %s: at most %d keys: leave some out", text, AGGREGATE_KEYS);
		if (!take_key(text + *used, &keys->v[keys->n], &len, err))
			return false;
		keys->n++;
		*used += len;
		if (text[*used + blanks(text + *used)] != ',')
			return true;
		*used += blanks(text + *used) + 1;
		*used += blanks(text + *used);
	}
}

bool aggregate_keys_length(const char *text, size_t *used, struct error *err)
{
	struct keys keys = { .n = 0 };
	const bool ok = split(text, &keys, used, err);

	keys_free(&keys);
	return ok;
}

/* ------------------------------------------------------------------- options */

bool aggregate_encode_kind(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab, struct error *err)
{
	if (c->counts)
		return error_set(err, STATUS_USAGE, "%s and %s: a tracepoint counts one thing: choose one of them", c->counts->name,
				 row->name);
	c->counts = row;
	c->counted = arg;
	return true;
}

bool aggregate_encode_by(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab, struct error *err)
{
	if (c->by)
		return error_set(err, STATUS_USAGE, "BY: given twice: list all keys behind one of them: BY COMM, PID");
	c->by = arg;
	return true;
}

bool aggregate_encode_keys(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab, struct error *err)
{
	uint64_t keys;

	if (number_count(arg, &keys) != NUMBER_OK || !keys || keys > KT_AGG_MAX_KEYS)
		return error_set(err, STATUS_USAGE, "KEYS %s: a number from 1 to %u is needed", arg, KT_AGG_MAX_KEYS);
	c->room = keys;
	return true;
}

/* -------------------------------------------------------------------- range */

static bool signed_number(const char *word, int64_t *out)
{
	const bool negative = *word == '-';
	uint64_t value;

	if (number_count(word + negative, &value) != NUMBER_OK || value > INT64_MAX)
		return false;
	*out = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

bool aggregate_is_range(const char *const words[3])
{
	int64_t number;

	for (size_t i = 0; i < 3; i++)
		if (!signed_number(words[i], &number))
			return false;
	return true;
}

static bool bad_range(const char *arg, const char *why, struct error *err)
{
	return error_set(err, STATUS_USAGE, "LHIST %s: %s: the limits are LOW HIGH STEP, for example LHIST count 0 1000 100", arg, why);
}

/* Split "count 0 1000 100".  *expression is the caller's. */
static bool take_range(const char *arg, struct desc_aggregate *out, char **expression, struct error *err)
{
	const char *at[4];
	int64_t n[3], span;
	size_t len = strlen(arg);

	for (size_t i = 4; i-- > 1;) {
		while (len && arg[len - 1] == ' ')
			len--;
		while (len && arg[len - 1] != ' ')
			len--;
		at[i] = arg + len;
	}
	*expression = trimmed(arg, len);
	for (size_t i = 0; i < 3; i++) {
		AUTO_FREE char *word = mem_strndup(at[i + 1], strcspn(at[i + 1], " "));

		if (!signed_number(word, &n[i]))
			return bad_range(arg, "three numbers are missing", err);
	}
	if (__builtin_sub_overflow(n[1], n[0], &span) || span <= 0)
		return bad_range(arg, "HIGH is not above LOW", err);
	if (n[2] <= 0 || span % n[2])
		return bad_range(arg, "STEP does not divide HIGH - LOW", err);
	if (span / n[2] > KT_AGG_MAX_BUCKETS)
		return error_set(err, STATUS_USAGE, "LHIST %s: more than %d buckets: choose a larger STEP", arg, KT_AGG_MAX_BUCKETS);
	out->low = n[0];
	out->step = n[2];
	out->buckets = span / n[2];
	return true;
}

/* -------------------------------------------------------------------- value */

static struct expr *node(enum expr_kind kind, struct expr_type type, struct expr *a, struct expr *b)
{
	struct expr *e = mem_zalloc(1, sizeof(*e));

	*e = (struct expr){ .kind = kind, .type = type, .a = a, .b = b };
	return e;
}

static struct expr *number(uint64_t value)
{
	struct expr *e = node(EXPR_NUMBER, (struct expr_type){ .bytes = 8 }, NULL, NULL);

	e->value = value;
	return e;
}

#define SCALE	20	/* bits behind the point of the factor from ticks to ns */

/* The time of the call in ns.  Up to an hour it is exact to a millionth. */
static struct expr *elapsed(struct compiler *c, struct error *err)
{
	const struct expr_type type = { .bytes = 8 };
	struct kt_anchor *anchors;
	struct kt_clock clock;
	struct expr *e;

	if (!c->closes) {
		error_set(err, STATUS_USAGE, "%s ELAPSED: known only where a function returns: trace vfs_write%%return %s ELAPSED",
			  c->counts->name, c->counts->name);
		return NULL;
	}
	if (!c->vars || !c->vars->target || !device_clock(c->vars->target->dev, &clock, &anchors, err))
		return NULL;
	free(anchors);
	e = node(EXPR_BINARY, type, node(EXPR_ELAPSED, type, NULL, NULL),
		 number((double)clock.ns_num / clock.ns_den * (1 << SCALE) + 0.5));
	e->op = OP_MUL;
	e = node(EXPR_BINARY, type, e, number(SCALE));
	e->op = OP_SHR;
	return e;
}

static struct expr *resolved(struct compiler *c, const char *what, const char *text, const struct symtab *tab, struct error *err)
{
	const struct expr_names names = { .arch = c->arch, .tab = tab, .vars = c->vars };
	size_t used;
	struct expr *e = expr_parse(what, text, &used, err);

	if (e && expr_resolve(e, what, text, &names, err))
		return e;
	expr_free(e);
	return NULL;
}

static bool compile_counted(struct compiler *c, const char *text, const struct symtab *tab, struct error *err)
{
	const char *name = c->counts->name;
	AUTO_EXPR struct expr *e = NULL;

	c->desc->aggregate->is_time = !strcmp(text, "ELAPSED");
	e = c->desc->aggregate->is_time ? elapsed(c, err) : resolved(c, name, text, tab, err);
	if (!e)
		return false;
	if (e->type.stars || e->type.shape != SHAPE_NUMBER || !expr_bytes(e->type))
		return error_set(err, STATUS_USAGE, "%s %s: the value is not a number", name, text);
	if (expr_is_float(e->type))
		return error_set(err, STATUS_USAGE, "%s %s: floating-point numbers are not added or compared: record them by VAR", name, text);
	if (c->desc->aggregate->kind == KT_AGG_LHIST && c->desc->aggregate->low < 0 && !expr_is_signed(e->type))
		return error_set(err, STATUS_USAGE, "%s %s: it is never negative: begin at 0 or above", name, text);
	e = node(EXPR_CAST, (struct expr_type){ .bytes = 8, .is_signed = expr_is_signed(e->type) }, e, NULL);
	return compile_value(c, c->desc->aggregate->is_time ? "elapsed" : text, e, err);
}

/* --------------------------------------------------------------------- keys */

/* A key is one item that has a value at this place. */
static bool is_key(const struct compiler *c, size_t before, const char *text, struct error *err)
{
	const struct field *field = &c->desc->fields[before];

	if (c->desc->nr_fields != before + 1 || field->kind == FIELD_ALLREGS)
		return error_set(err, STATUS_USAGE, "BY %s: it has several values: give one of them as the key", text);
	if (field->kind == FIELD_TEXT)
		return error_set(err, STATUS_USAGE, "BY %s: it has no value here", text);
	return true;
}

static bool compile_key(struct compiler *c, const struct key *key, const struct symtab *tab, struct error *err)
{
	const size_t before = c->desc->nr_fields;
	AUTO_EXPR struct expr *e = NULL;

	/* STR as VAR of text alone: its address would be part of the key. */
	if (key->option && key->option->arg == ARG_EXPRESSION) {
		AUTO_FREE char *labelled = mem_printf("string=%s", key->text);

		return key->option->encode(c, key->option, labelled, tab, err) && is_key(c, before, key->text, err);
	}
	if (key->option)
		return key->option->encode(c, key->option, key->text, tab, err) && is_key(c, before, key->option->name, err);
	e = resolved(c, "BY", key->text, tab, err);
	return e && compile_labelled(c, key->text, e, err) && is_key(c, before, key->text, err);
}

/* Where a pattern names many functions, the function is a key of its own, the first one. */
static bool compile_point(struct compiler *c, struct error *err)
{
	AUTO_EXPR struct expr *e = number(c->point);

	struct field *field;

	e->type.stars = 1;
	if (!c->point)
		return true;
	if (!compile_value(c, "function", e, err))
		return false;
	field = &c->desc->fields[c->desc->nr_fields - 1];
	field->is_code = field->is_linked = c->vars && c->vars->target->program;
	return true;
}

static bool compile_keys(struct compiler *c, const struct symtab *tab, struct error *err)
{
	struct keys keys = { .n = 0 };
	size_t used;
	bool ok = compile_point(c, err) && (!c->by || split(c->by, &keys, &used, err));

	for (size_t i = 0; ok && i < keys.n; i++)
		ok = compile_key(c, &keys.v[i], tab, err);
	keys_free(&keys);
	if (ok && c->payload > BIGGEST_KEY)
		return error_set(err, STATUS_USAGE, "BY %s: the keys have %zu bytes, at most %d are possible: give a smaller depth or length",
				 c->by, c->payload, BIGGEST_KEY);
	return ok;
}

static bool is_alone(const struct compiler *c, struct error *err)
{
	const char *name = c->counts ? c->counts->name : c->by ? "BY" : "KEYS";

	if (!c->counts)
		return error_set(err, STATUS_USAGE, "%s: only with COUNT, SUM, AVG, MIN, MAX, HIST or LHIST: trace vfs_write COUNT BY COMM", name);
	if (c->desc->nr_fields || c->desc->timing)
		return error_set(err, STATUS_USAGE, "%s: nothing is recorded with it: leave out the other data, or give it behind BY", name);
	if (c->desc->is_packed)
		return error_set(err, STATUS_USAGE, "%s: not in a recording: set it by 'trace'", name);
	return true;
}

bool aggregate_finish(struct compiler *c, const struct symtab *tab, struct error *err)
{
	struct desc_aggregate *aggregate;
	AUTO_FREE char *expression = NULL;

	if (!c->counts && !c->by && !c->room)
		return true;
	if (!is_alone(c, err))
		return false;
	aggregate = c->desc->aggregate = mem_zalloc(1, sizeof(*aggregate));
	aggregate->kind = c->counts->flags;
	aggregate->keys = c->room ? c->room : aggregate_is_histogram(aggregate) ? HIST_KEYS : KEYS;
	if (aggregate->kind == KT_AGG_LHIST && !take_range(c->counted, aggregate, &expression, err))
		return false;
	return compile_keys(c, tab, err) &&
	       (!aggregate_has_value(aggregate) || compile_counted(c, expression ? expression : c->counted, tab, err));
}
