// SPDX-License-Identifier: GPL-2.0-or-later
/* match.c - see match.h. */
#include "ctl/trace/print/match.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/duration.h"
#include "ctl/base/memory.h"
#include "ctl/base/number.h"
#include "ctl/trace/print/print_int.h"

#define MAX_DEPTH	64	/* nested brackets and negations */

enum op { OP_EQ, OP_NE, OP_LE, OP_GE, OP_LIKE, OP_UNLIKE, OP_LT, OP_GT, OP_BITS, OP_SET };

/* Longer ones before their beginnings. */
static const char *const operators[] = { "==", "!=", "<=", ">=", "=~", "!~", "<", ">", "&" };

enum kind { KIND_TEST, KIND_NOT, KIND_AND, KIND_OR };

struct node {
	enum kind kind;
	struct node *a, *b;
	/* KIND_TEST */
	char *name;
	enum op op;
	char *text;		/* the value as typed */
	bool is_number;
	long double number;	/* of a time: ns; it holds every integer of 64 bits */
	uint64_t bits;
	bool found;		/* some record has a field of that name */
	bool fits;		/* and some of these fields can have such a value */
};

struct match {
	struct node *root;
	bool tested;
};

static void node_free(struct node *node)
{
	if (!node)
		return;
	node_free(node->a);
	node_free(node->b);
	free(node->name);
	free(node->text);
	free(node);
}

void match_free(struct match *match)
{
	if (match)
		node_free(match->root);
	free(match);
}

/* ----------------------------------------------------------------- parsing */

struct parser {
	const char *text, *at;
	unsigned int depth;
	struct error *err;
};

static struct node *parse_or(struct parser *p);

static struct node *wrong(const struct parser *p, const char *what)
{
	error_set(p->err, STATUS_USAGE, "print IF%s%s: at column %zu: %s", *p->text ? " " : "", p->text, (size_t)(p->at - p->text) + 1, what);
	return NULL;
}

static void skip(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static bool take(struct parser *p, const char *token)
{
	const size_t len = strlen(token);

	skip(p);
	if (strncmp(p->at, token, len))
		return false;
	p->at += len;
	return true;
}

static struct node *node_of(enum kind kind, struct node *a, struct node *b)
{
	struct node *node = mem_zalloc(1, sizeof(*node));

	*node = (struct node){ .kind = kind, .a = a, .b = b };
	return node;
}

static bool ends(const char *at)
{
	return !*at || *at == ')' || !strncmp(at, "&&", 2) || !strncmp(at, "||", 2);
}

/* The operator at this place of a text, where a name ends.  `->`, `<<` and `>>` belong to names.  OP_SET: there is none. */
static enum op operator_at(const char *start, const char *at)
{
	if ((*at == '<' || *at == '>') && (at[0] == at[1] || (at > start && (at[-1] == at[0] || at[-1] == '-'))))
		return OP_SET;
	for (enum op op = OP_EQ; op < OP_SET; op++)
		if (!strncmp(at, operators[op], strlen(operators[op])) && !(op == OP_BITS && at == start))
			return op;
	return OP_SET;
}

/* A name as it is printed: `file->f_flags`, `*(u64*)(file+0x18)`. */
static char *take_name(struct parser *p)
{
	const char *start, *end;
	int depth = 0;

	skip(p);
	start = end = p->at;
	for (; *end; end++) {
		if (!depth && (ends(end) || operator_at(start, end) != OP_SET))
			break;
		depth += (*end == '(' || *end == '[') - (*end == ')' || *end == ']');
	}
	p->at = end;
	while (end > start && isspace((unsigned char)end[-1]))
		end--;
	return end > start ? mem_strndup(start, end - start) : NULL;
}

static char *take_quoted(struct parser *p)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (p->at++; out && *p->at && *p->at != '"'; p->at++) {
		if (*p->at == '\\' && p->at[1])
			p->at++;
		fputc(*p->at, out);
	}
	if (out)
		fclose(out);
	if (*p->at++ == '"')
		return text;
	p->at--;
	free(text);
	return NULL;
}

static char *take_text(struct parser *p)
{
	const char *start;

	skip(p);
	if (*p->at == '"')
		return take_quoted(p);
	for (start = p->at; !ends(p->at) && !isspace((unsigned char)*p->at); p->at++)
		;
	return p->at > start ? mem_strndup(start, p->at - start) : NULL;
}

/* Is it a number, -5 or 0x10, or a time, 1.5ms? */
static void read_number(struct node *node)
{
	const bool minus = node->text[0] == '-';
	struct quantity q;
	const char *end;
	uint64_t number;

	node->is_number = true;
	if (number_c(node->text + minus, &number) == NUMBER_OK)
		node->number = number;
	else if (quantity_parse(node->text + minus, "", &q, &end))
		node->number = q.ns;
	else
		node->is_number = false;
	if (minus)
		node->number = -node->number;
	if (node->number > INT64_MIN && node->number < 2.0L * INT64_MAX)
		node->bits = minus ? (uint64_t)(int64_t)node->number : (uint64_t)node->number;
}

static struct node *finish_test(struct parser *p, struct node *node)
{
	const char *equals = strchr(node->name, '=');

	node->op = operator_at(p->at - 1, p->at);
	if (node->op == OP_SET && equals) {
		p->at -= strlen(equals);
		return wrong(p, "to compare write ==");
	}
	if (node->op == OP_SET)
		return node;
	p->at += strlen(operators[node->op]);
	skip(p);
	if (!(node->text = take_text(p)))
		return wrong(p, "a value is expected");
	if (node->op != OP_LIKE && node->op != OP_UNLIKE)
		read_number(node);
	if (!node->is_number && (node->op == OP_LE || node->op == OP_GE || node->op == OP_LT || node->op == OP_GT ||
				 node->op == OP_BITS))
		return wrong(p, isdigit((unsigned char)*node->text) ? "a number or a time is expected: 5, 1.5ms, 2s"
								    : "a number is expected: texts compare by == != =~ !~");
	skip(p);
	return ends(p->at) ? node : wrong(p, "&& or || is expected; quote a text with blanks");
}

static struct node *parse_test(struct parser *p)
{
	struct node *node = node_of(KIND_TEST, NULL, NULL);

	node->name = take_name(p);
	if (node->name && finish_test(p, node))
		return node;
	if (!node->name)
		wrong(p, "the name of a field is expected, as it is printed");
	node_free(node);
	return NULL;
}

/* A bracket may begin a condition, or a name such as `(u32)count`: what stands behind its end tells. */
static bool at_condition(const struct parser *p)
{
	const char *at = p->at;
	int depth = 0;

	if (*at != '(')
		return false;
	do
		depth += (*at == '(') - (*at == ')');
	while (*++at && depth);
	while (isspace((unsigned char)*at))
		at++;
	return ends(at);
}

static struct node *parse_inner(struct parser *p)
{
	struct node *node;

	if (take(p, "!")) {
		node = parse_inner(p);
		return node ? node_of(KIND_NOT, node, NULL) : NULL;
	}
	if (!at_condition(p))
		return parse_test(p);
	p->at++;
	node = parse_or(p);
	if (!node || take(p, ")"))
		return node;
	node_free(node);
	return wrong(p, "a closing bracket is expected");
}

static struct node *parse_not(struct parser *p)
{
	struct node *node;

	if (p->depth++ == MAX_DEPTH)
		return wrong(p, "too many brackets");
	node = parse_inner(p);
	p->depth--;
	return node;
}

static struct node *parse_joined(struct parser *p, const char *joint, enum kind kind, struct node *(*part)(struct parser *p))
{
	struct node *node = part(p), *next;

	while (node && take(p, joint)) {
		next = part(p);
		if (!next) {
			node_free(node);
			return NULL;
		}
		node = node_of(kind, node, next);
	}
	return node;
}

static struct node *parse_and(struct parser *p)
{
	return parse_joined(p, "&&", KIND_AND, parse_not);
}

static struct node *parse_or(struct parser *p)
{
	return parse_joined(p, "||", KIND_OR, parse_and);
}

struct match *match_parse(const char *text, struct error *err)
{
	struct parser p = { .text = text, .at = text, .err = err };
	struct node *root = parse_or(&p);
	struct match *match;

	skip(&p);
	if (root && *p.at) {
		wrong(&p, "the condition ends here: && or || is expected");
		node_free(root);
		root = NULL;
	}
	if (!root)
		return NULL;
	match = mem_zalloc(1, sizeof(*match));
	match->root = root;
	return match;
}

/* -------------------------------------------------------------- evaluation */

static bool text_is(const struct node *node, const char *text)
{
	if (node->op == OP_LIKE || node->op == OP_UNLIKE)
		return !fnmatch(node->text, text, 0);
	return !strcmp(node->text, text);
}

/* "vmlinux:init_task+0x10" as it is, and as a name alone. */
static bool symbol_is(const struct node *node, const char *symbol)
{
	char name[SYMBOL_SIZE];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(symbol, "+"), symbol);
	return text_is(node, symbol) || text_is(node, name);
}

static bool caller_is(const struct node *node, const struct printer *printer, const struct item *item)
{
	char symbol[SYMBOL_SIZE];

	for (size_t i = 0; i < item->length; i++) {
		item_caller(printer, item, i, symbol);
		if (symbol_is(node, symbol))
			return true;
	}
	return false;
}

static bool compare_numbers(enum op op, long double a, long double b)
{
	switch (op) {
	case OP_EQ:	return a == b;
	case OP_NE:	return a != b;
	case OP_LE:	return a <= b;
	case OP_GE:	return a >= b;
	case OP_LT:	return a < b;
	case OP_GT:	return a > b;
	default:	return false;
	}
}

static long double number_of(const struct item *item)
{
	if (item->kind == FIELD_FLOAT)
		return item_float(item);
	return item->is_signed ? (long double)(int64_t)item->value : (long double)item->value;
}

/* The number to compare with.  0.1 is that of the item's width, as it is printed. */
static long double number_for(const struct node *node, const struct item *item)
{
	return item->kind == FIELD_FLOAT && item->bytes == 4 ? (float)node->number : node->number;
}

/* Is the value one of the texts that it is shown as? */
static bool item_is(const struct node *node, const struct printer *printer, const struct item *item)
{
	AUTO_FREE char *text = item->kind == FIELD_STRING ? mem_strndup((const char *)item->raw, item->length) : NULL;
	char number[NUMBER_SIZE];

	if (item->kind == FIELD_FLOAT) {
		format_float(number, item);
		return text_is(node, number);
	}
	if (item->kind == FIELD_BACKTRACE)
		return caller_is(node, printer, item);
	return (text && text_is(node, text)) || (item->word && text_is(node, item->word)) ||
	       (*item->symbol && symbol_is(node, item->symbol));
}

static bool test_item(const struct node *node, const struct printer *printer, const struct item *item)
{
	const bool is_text = item->kind == FIELD_STRING || item->kind == FIELD_BACKTRACE || item_is_object(item);

	if (item->unreadable)
		return false;
	if (node->op == OP_SET)
		return is_text ? item->length : number_of(item) != 0;
	if (node->op == OP_BITS)
		return !is_text && item->kind != FIELD_FLOAT && item->value & node->bits;
	if (node->is_number && !is_text)
		return compare_numbers(node->op, number_of(item), number_for(node, item));
	if (node->op == OP_NE || node->op == OP_UNLIKE)
		return !item_is(node, printer, item);
	return (node->op == OP_EQ || node->op == OP_LIKE) && item_is(node, printer, item);
}

/* A number that is shown as a number is never equal to a text. */
static bool can_be(const struct node *node, const struct item *item)
{
	const bool is_plain = (item->kind == FIELD_NUMBER || item->kind == FIELD_INT) && !item->word && !*item->symbol;

	return node->is_number || node->op == OP_SET || !is_plain;
}

struct test {
	const struct node *node;
	bool found, fits, holds;
};

static void try_item(struct printer *printer, const struct item *item, void *arg)
{
	struct test *test = arg;

	if (strcmp(item->name, test->node->name))
		return;
	test->found = true;
	test->fits |= can_be(test->node, item);
	test->holds |= test_item(test->node, printer, item);
}

/* What every record has, and the task that ran. */
static void try_own(struct printer *printer, const struct record *record, struct test *test)
{
	char buf[RECORD_NAME];
	const char *name = record_name(record->desc, buf);
	const struct item own[] = {
		{ .kind = FIELD_STRING, .name = "name", .raw = (const uint8_t *)name, .length = strlen(name) },
		{ .kind = FIELD_NUMBER, .name = "cpu", .value = record->cpu },
	};

	struct item runner[RUNNER_ITEMS];

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		try_item(printer, &own[i], test);
	if (!printer->has_runners)
		return;
	runner_items(printer->runner, record->cpu, runner);
	for (size_t i = 1; i < RUNNER_ITEMS; i++)
		try_item(printer, &runner[i], test);
}

static bool test_holds(struct node *node, struct printer *printer, const struct record *record)
{
	struct test test = { .node = node };

	record_items(printer, record, try_item, &test);
	if (!test.found)
		try_own(printer, record, &test);
	node->found |= test.found;
	node->fits |= test.fits;
	return test.holds;
}

/* Both sides are evaluated, so that a misspelt name is found on any. */
static bool node_holds(struct node *node, struct printer *printer, const struct record *record)
{
	const bool a = node->kind == KIND_TEST ? test_holds(node, printer, record) : node_holds(node->a, printer, record);
	const bool b = node->b && node_holds(node->b, printer, record);

	switch (node->kind) {
	case KIND_NOT:	return !a;
	case KIND_AND:	return a && b;
	case KIND_OR:	return a || b;
	default:	return a;
	}
}

bool match_holds(struct match *match, struct printer *printer, const struct record *record)
{
	match->tested = true;
	return node_holds(match->root, printer, record);
}

/* The first test for which `is` holds. */
static const struct node *first(const struct node *node, bool (*is)(const struct node *node))
{
	const struct node *found;

	if (!node || (node->kind == KIND_TEST && is(node)))
		return node;
	found = first(node->a, is);
	return found ? found : first(node->b, is);
}

static bool is_unknown(const struct node *node)
{
	return !node->found;
}

static bool is_unfit(const struct node *node)
{
	return node->found && !node->fits;
}

const char *match_unknown(const struct match *match)
{
	const struct node *node = match->tested ? first(match->root, is_unknown) : NULL;

	return node ? node->name : NULL;
}

bool match_check(const struct match *match, struct error *err)
{
	const char *name = match_unknown(match);
	const struct node *unfit = match->tested ? first(match->root, is_unfit) : NULL;

	if (name)
		return error_set(err, STATUS_FAILURE, "print IF: no record has '%s': name a field as it is printed", name);
	return !unfit || error_set(err, STATUS_FAILURE, "print IF: %s is a number in all records, '%s' is none: give a number",
				   unfit->name, unfit->text);
}
