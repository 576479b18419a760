/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flag.h - options that begin with a dash, of ktrace itself and of its commands, one row each.  Parsing, help,
 * completion and the test of the manual use these rows.  option.h has the options of a tracepoint.
 */
#ifndef KTRACE_FLAG_H
#define KTRACE_FLAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/base/error.h"
#include "ctl/base/lex.h"

struct flag;
struct session;

/* to: the member at offset `at` of the structure to fill. */
typedef bool flag_fn(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err);

struct flag {
	const char *name;	/* "--for", "-o" */
	const char *metavar;	/* NULL: no argument */
	unsigned int takers;	/* see struct flags */
	flag_fn *set;
	size_t at;		/* offset of the member to set */
	const char *summary;	/* one line; NULL: it is neither documented nor completed */
	char letter;		/* short form of ktrace's own options: "-q" is "--quiet" */
	uint64_t most;		/* largest number for flag_set_number() */
	const char *values;	/* possible arguments, or one of the FLAG_* below; NULL: unknown */
	bool two_words;		/* its argument has two words: set() gets one after the other, for neighbours in an array */
};

#define FLAG_FILES	":files"
#define FLAG_FIGURES	":figures"	/* of a measurement, as in --fail-if */
#define FLAG_KEYS	":keys"		/* as in --by */
#define FLAG_EVENTS	":events"	/* as in --events */
#define FLAG_PROCESSES	":processes"

/* The options of one command. */
struct flags {
	const struct flag *rows;	/* the last row has name NULL */
	unsigned int taker;		/* the command takes the rows that have this bit */
};

/* The next row; row NULL: the first.  Returns NULL behind the last row. */
const struct flag *flags_next(const struct flags *flags, const struct flag *row);
/* Find a row by the first len bytes of name.  NULL: there is none. */
const struct flag *flags_find(const struct flags *flags, const char *name, size_t len);

flag_fn flag_set_text;		/* const char * */
flag_fn flag_set_choice;	/* the same, one of `values` */
flag_fn flag_set_page;		/* const char *, a file that can be written */
flag_fn flag_set_true;		/* bool */
flag_fn flag_set_number;	/* uint64_t, 1 to `most` */
flag_fn flag_set_format;	/* the session's format; from the argument, or from the name as for --json */

typedef bool flag_word_fn(void *to, const char *word, struct error *err);

/*
 * Parse the words behind the command and set members of `to`.  `word` is called for words that are not options.
 * With rest, parsing ends behind "--", and *rest is the index of the next word.
 */
bool flags_parse(struct session *s, const struct words *words, const struct flags *flags, void *to,
		 flag_word_fn *word, size_t *rest, struct error *err);

#endif
