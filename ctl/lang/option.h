/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option.h - the options of a tracepoint, one row each: help, completion,
 * the man page's test and the encoding of descriptors are made from it.
 */
#ifndef KTRACE_OPTION_H
#define KTRACE_OPTION_H

#include <stdbool.h>

#include "ctl/base/error.h"
#include "ctl/lang/compile.h"
#include "symbols/symtab/symbols.h"

enum option_arg {
	ARG_NONE,
	ARG_REGISTER,
	ARG_CONST,		/* decimal, or hexadecimal with 0x */
	ARG_OFFSET,		/* hexadecimal, signed */
	ARG_ADDRESS,		/* as in address.h */
	ARG_COUNT,		/* decimal, or hexadecimal with 0x */
	ARG_PID,
	ARG_METHOD,		/* breakpoint, jump */
	ARG_EXPRESSION,		/* as in expr.h, of several words */
	ARG_DEPTH,		/* a small decimal number, or nothing */
	ARG_WORD,
};

/* Where an option of a call that is measured belongs. */
enum option_measured {
	AT_ENTRY,
	AT_RETURN,
	FILTERS_ENTRY,		/* which calls are measured */
	FILTERS_BOTH,		/* it is asked at the return again */
	NOT_MEASURED,		/* it is about records, of which a measurement has none */
};

struct option_row {
	const char *name;
	enum option_arg arg;
	const char *metavar;	/* of the argument, NULL without */
	const char *summary;	/* one line */
	const char *help;	/* what is more to say, or NULL */
	const char *example;
	bool (*encode)(struct compiler *c, const struct option_row *row, const char *arg,
		       const struct symtab *tab, struct error *err);
	uint32_t flags;		/* KT_DESC_*, DESC_* that it sets; KT_CUR_*, ONLY_* that it is about */
	enum option_measured measured;
};

extern const struct option_row option_rows[];	/* ends with name NULL */

/* The row of exactly that name, NULL when there is none. */
const struct option_row *option_find(const char *name);

/* Is it ENTRY?  Does it need a tracepoint at the function's entry, which opens the call? */
bool option_is_entry(const struct option_row *option);
bool option_needs_entry(const struct option_row *option, const char *arg);

/* How much of the text is the argument of an option that takes an expression. */
bool option_expression_length(const struct option_row *option, const char *text, size_t *used,
			      struct error *err);

/* Would people take word for an option: upper case, and no hexadecimal number? */
bool option_looks_like(const char *word);
/* Fills err with "unknown option" and the near ones; returns false. */
bool option_unknown(const char *word, struct error *err);

#endif
