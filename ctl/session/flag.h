/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flag.h - options that begin with a dash: of ktrace itself and of its commands, one row each.  Parsing, help,
 * completion and the test of the manual are made from the rows.  The options of a tracepoint are in option.h.
 */
#ifndef KTRACE_FLAG_H
#define KTRACE_FLAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/base/error.h"
#include "ctl/lang/lex.h"

struct flag;
struct session;

/* to: what the row's `at` says of the structure that is filled. */
typedef bool flag_fn(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err);

struct flag {
	const char *name;	/* "--for", "-o" */
	const char *metavar;	/* NULL: it takes no argument */
	unsigned int takers;	/* see struct flags */
	flag_fn *set;
	size_t at;		/* of the member that is set */
	const char *summary;	/* one line; NULL: it is neither explained nor completed */
	char letter;		/* of ktrace's own: "-q" is "--quiet" */
	uint64_t most;		/* flag_set_number() */
	const char *values;	/* words that may be its argument, or one of these; NULL: that is not known */
};

#define FLAG_FILES	":files"
#define FLAG_FIGURES	":figures"	/* of a measurement, as in --fail-if */
#define FLAG_KEYS	":keys"		/* as in --by */

/* The options of one command. */
struct flags {
	const struct flag *rows;	/* end with name NULL */
	unsigned int taker;		/* takes the rows that have this bit */
};

/* The one behind that row, NULL: the first; NULL behind the last. */
const struct flag *flags_next(const struct flags *flags, const struct flag *row);
/* Of the first len bytes; NULL: there is none such. */
const struct flag *flags_find(const struct flags *flags, const char *name, size_t len);

flag_fn flag_set_text;		/* const char * */
flag_fn flag_set_true;		/* bool */
flag_fn flag_set_number;	/* uint64_t, 1 to most */
flag_fn flag_set_format;	/* that of the session, from the argument or, as --json, from the name */

typedef bool flag_word_fn(void *to, const char *word, struct error *err);

/*
 * Sets the members of `to` as the words behind the first, which is the command, say; word is called for those that are
 * no options.  Where rest is not NULL it ends behind "--", and the index of what follows is put there.
 */
bool flags_parse(struct session *s, const struct words *words, const struct flags *flags, void *to,
		 flag_word_fn *word, size_t *rest, struct error *err);

#endif
