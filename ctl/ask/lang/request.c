// SPDX-License-Identifier: GPL-2.0-or-later
/* request.c - parse the words after `trace`.  See request.h. */
#include "ctl/ask/lang/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/expr/expr.h"
#include "ctl/ask/lang/aggregate.h"
#include "ctl/base/memory.h"
#include "ctl/base/put.h"
#include "ctl/base/scratch.h"

#define LETTERS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static void add_request(struct requests *out, const char *address)
{
	out->v = MEM_MORE(out->v, out->n);
	out->v[out->n++] = (struct request){ .address = address };
}

static void add_use(struct request *request, const struct option_row *option, const char *arg,
		    char *owned)
{
	request->uses = MEM_MORE(request->uses, request->nr_uses);
	request->uses[request->nr_uses++] = (struct use){ option, arg, owned };
}

static bool no_address(const struct option_row *option, struct error *err)
{
	return error_set(err, STATUS_USAGE,
			 "%s stands before any address: give the address first, then its options",
			 option->name);
}

static bool no_argument(const struct option_row *option, struct error *err)
{
	return error_set(err, STATUS_USAGE, "%s needs its %s: e.g. '%s'", option->name,
			 option->metavar, option->example);
}

/* ------------------------------------------------------------- expressions */

/*
 * Does the word begin an address, not a part of an expression?  A path does: "./..." and "../...", which no expression
 * has behind a blank, and "/..." with a colon.  So "a /b" is a quotient, and "a /b:c" a and the address /b:c.
 */
static bool begins_address(const char *word)
{
	return !strncmp(word, "./", 2) || !strncmp(word, "../", 3) || (*word == '/' && strchr(word, ':'));
}

/* The first word from `first` on that begins an address; words->n: none does. */
static size_t next_address(const struct words *words, size_t first)
{
	while (first < words->n && !begins_address(words->v[first]))
		first++;
	return first;
}

/* Join the words from `first` up to `end` with blanks. */
static char *join(const struct words *words, size_t first, size_t end)
{
	size_t len = 1;
	char *text, *to;

	for (size_t i = first; i < end; i++)
		len += strlen(words->v[i]) + 1;
	to = text = mem_zalloc(1, len);
	for (size_t i = first; i < end; i++)
		to = stpcpy(stpcpy(to, i > first ? " " : ""), words->v[i]);
	return text;
}

/*
 * An option stands where an expression is expected.  RETVAL and ELAPSED are both options and names in
 * expressions.
 */
static bool is_option(const char *word)
{
	return option_find(word) && !expr_is_word(word);
}

/*
 * Take words as long as they read as an expression, so that it needs no quotes.  It must end at the end of a
 * word.
 */
static bool take_expression(const struct words *words, size_t *i, const struct option_row *option,
			    struct request *request, struct error *err)
{
	const size_t stop = next_address(words, *i + 1);
	AUTO_FREE char *text = join(words, *i + 1, stop);
	const bool is_keys = option->arg == ARG_KEYS;
	size_t used, end = 0, last = *i;

	if (!*text || (!is_keys && is_option(words->v[*i + 1])))
		return no_argument(option, err);
	if (!(is_keys ? aggregate_keys_length(text, &used, err) : option_expression_length(option, text, &used, err)))
		return false;
	while (end < used && last + 1 < stop)
		end += strlen(words->v[++last]) + 1;
	if (end - 1 > used)
		return error_set(err, STATUS_USAGE, "%s %s: at column %zu: an operator is expected, not '%.*s'",
				 option->name, text, used + 1, (int)(end - 1 - used), text + used);
	text[end - 1] = '\0';
	*i = last;
	add_use(request, option, NULL, mem_strdup(text));
	request->uses[request->nr_uses - 1].arg = request->uses[request->nr_uses - 1].owned;
	return true;
}

/* LHIST: the argument is an expression and three numbers, which are all words up to the third number. */
static bool take_range(const struct words *words, size_t *i, const struct option_row *option, struct request *request,
		       struct error *err)
{
	AUTO_FREE char *text = join(words, *i + 1, words->n);
	size_t last = *i + 2, end = 0;

	while (last + 2 < words->n && !aggregate_is_range((const char *const *)&words->v[last]))
		last++;
	if (last + 2 >= words->n)
		return no_argument(option, err);
	for (size_t at = *i + 1; at <= last + 2; at++)
		end += strlen(words->v[at]) + 1;
	*i = last + 2;
	add_use(request, option, NULL, mem_strndup(text, end - 1));
	request->uses[request->nr_uses - 1].arg = request->uses[request->nr_uses - 1].owned;
	return true;
}

/* Take two words as one argument. */
static bool take_two(const struct words *words, size_t *i, const struct option_row *option, struct request *request,
		      struct error *err)
{
	if (*i + 2 >= words->n || option_find(words->v[*i + 1]) || option_find(words->v[*i + 2]))
		return no_argument(option, err);
	add_use(request, option, NULL, mem_printf("%s %s", words->v[*i + 1], words->v[*i + 2]));
	request->uses[request->nr_uses - 1].arg = request->uses[request->nr_uses - 1].owned;
	*i += 2;
	return true;
}

/* ----------------------------------------------------------------- options */

/* A depth is short; an address has more digits. */
static bool is_small_number(const char *word)
{
	return word && *word && strlen(word) <= 3 && strspn(word, "0123456789") == strlen(word);
}

/* Take the option at words[*i] with its argument; *i moves to its last word. */
static bool take_option(const struct words *words, size_t *i, const struct option_row *option,
			struct requests *out, struct error *err)
{
	const char *next = *i + 1 < words->n ? words->v[*i + 1] : NULL, *arg = NULL;

	if (!out->n)
		return no_address(option, err);
	if (option->arg == ARG_RANGE)
		return take_range(words, i, option, &out->v[out->n - 1], err);
	if (option->arg == ARG_EXPRESSION || option->arg == ARG_KEYS)
		return take_expression(words, i, option, &out->v[out->n - 1], err);
	if (option->arg == ARG_CALLER)
		return take_two(words, i, option, &out->v[out->n - 1], err);
	if (option->arg == ARG_DEPTH) {
		arg = is_small_number(next) ? next : NULL;
	} else if (option->arg != ARG_NONE) {
		arg = next;
		if (!arg || !*arg || option_find(arg))
			return no_argument(option, err);
	}
	*i += arg != NULL;
	add_use(&out->v[out->n - 1], option, arg, NULL);
	return true;
}

/* Operators as other languages write them. */
static const struct {
	const char *theirs, *ours;
} operators[] = {
	{ "=", "==" }, { "=>", ">=" }, { "=<", "<=" }, { "<>", "!=" }, { "and", "&&" }, { "or", "||" }, { "AND", "&&" }, { "OR", "||" },
};

/* Behind an expression, a word that looks like a part of it. */
static bool check_operator(const struct requests *requests, const char *word, struct error *err)
{
	const struct request *last = requests->n ? &requests->v[requests->n - 1] : NULL;
	const struct use *use = last && last->nr_uses ? &last->uses[last->nr_uses - 1] : NULL;

	for (size_t i = 0; use && option_is_expression(use->option->arg) && i < ARRAY_SIZE(operators); i++)
		if (!strcmp(operators[i].theirs, word))
			return error_set(err, STATUS_USAGE, "%s %s: '%s' is no operator: write %s", use->option->name, use->arg, word,
					 operators[i].ours);
	return true;
}

/* Names and numbers have letters or digits.  Of patterns and sums others judge. */
static bool check_address(const char *word, struct error *err)
{
	return strpbrk(word, LETTERS "*?+-") ||
	       error_set(err, STATUS_USAGE, "'%s' is not an address: 'help address' tells how they are written", word);
}

bool requests_parse(const struct words *words, size_t first, struct requests *out,
		    struct error *err)
{
	*out = (struct requests){ 0 };
	for (size_t i = first; i < words->n; i++) {
		const struct option_row *option = option_find(words->v[i]);

		if (!option && check_operator(out, words->v[i], err) && check_address(words->v[i], err)) {
			add_request(out, words->v[i]);
		} else if (!option || !take_option(words, &i, option, out, err)) {
			requests_free(out);
			return false;
		}
	}
	return true;
}

static void request_drop(struct request *request)
{
	for (size_t i = 0; i < request->nr_uses; i++)
		free(request->uses[i].owned);
	for (size_t i = 0; i < request->nr_cases; i++) {
		request_drop(&request->cases[i].request);
		free(request->cases[i].name);
	}
	free(request->uses);
	free(request->cases);
	free(request->owned);
}

void requests_free(struct requests *requests)
{
	for (size_t i = 0; i < requests->n; i++)
		request_drop(&requests->v[i]);
	free(requests->v);
	*requests = (struct requests){ 0 };
}

/* Only words with one blank between them, and no character that means something to lex.h: it reads them back as they are. */
static bool is_plain(const char *text)
{
	return *text && *text != ' ' && text[strlen(text) - 1] != ' ' && !strpbrk(text, "\"'\\;#!|\n\r\t") && !strstr(text, "  ");
}

/* Does lex.h read the words behind an option back as they are? */
static bool reads_back(const char *text)
{
	AUTO_FREE char *line = mem_printf("IF %s", text), *joined = NULL;
	AUTO_WORDS struct words words = { 0 };
	const char *p = line;
	struct error err;

	if (lex_command(&p, &words, &err) != LEX_COMMAND || *p)
		return false;
	joined = join(&words, 1, words.n);
	return !strcmp(joined, text);
}

/* Quote an argument so that lex.h reads it back; an expression may have several words. */
static void print_argument(FILE *out, const struct use *use)
{
	const bool has_words = option_is_expression(use->option->arg) || use->option->arg == ARG_CALLER;

	if (has_words ? is_plain(use->arg) || reads_back(use->arg) : !strpbrk(use->arg, "\"'\\;\n \t#")) {
		put_char(out, ' ');
		put_text(out, use->arg);
		return;
	}
	put_text(out, " \"");
	for (const char *p = use->arg; *p; p++) {
		put_text(out, *p == '"' || *p == '\\' ? "\\" : "");
		put_char(out, *p);
	}
	put_char(out, '"');
}

char *request_options(const struct request *request)
{
	FILE *out = scratch_open();

	for (size_t i = 0; i < request->nr_uses; i++) {
		const struct use *use = &request->uses[i];

		put_text(out, i ? " " : "");
		put_text(out, use->option->name);
		if (use->arg)
			print_argument(out, use);
	}
	return scratch_close(NULL);
}

void requests_append(struct requests *to, struct requests *more)
{
	for (size_t i = 0; i < more->n; i++) {
		to->v = MEM_MORE(to->v, to->n);
		to->v[to->n++] = more->v[i];
	}
	free(more->v);
	*more = (struct requests){ 0 };
}

void request_use(struct request *request, const char *option, char *arg)
{
	request->uses = MEM_MORE(request->uses, request->nr_uses);
	request->uses[request->nr_uses++] = (struct use){ option_find(option), arg, arg };
}

struct request *request_case(struct request *request, uint32_t number, char *name)
{
	struct request_case *one;

	request->cases = MEM_MORE(request->cases, request->nr_cases);
	one = &request->cases[request->nr_cases++];
	*one = (struct request_case){
		.number = number, .name = name,
		.request = { .address = request->address, .name = name, .in_call = number != KT_CASE_OTHER },
	};
	return &one->request;
}
