/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option.h - the options of a tracepoint, one row each.  Help, completion, the test of the man page and the
 * encoding of descriptors use these rows.
 */
#ifndef KTRACE_OPTION_H
#define KTRACE_OPTION_H

#include <stdbool.h>

#include "ctl/ask/lang/compile.h"
#include "ctl/base/error.h"
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
	ARG_EXPRESSION,		/* an expression of one or more words, see expr.h */
	ARG_DEPTH,		/* a small decimal number; may be left out */
	ARG_WORD,
	ARG_CALLER,		/* two words, see ctl/ask/resolve/caller.h */
	ARG_KEYS,		/* expressions and names of options, with commas between; see aggregate.h */
	ARG_RANGE,		/* an expression and three numbers; see aggregate.h */
};

/* Does the argument begin with an expression, and have one word or more? */
static inline bool option_is_expression(enum option_arg arg)
{
	return arg == ARG_EXPRESSION || arg == ARG_KEYS || arg == ARG_RANGE;
}

/* How an option applies to a measured call. */
enum option_measured {
	AT_ENTRY,
	AT_RETURN,
	FILTERS_ENTRY,		/* selects the calls to measure */
	FILTERS_BOTH,		/* also evaluated at the return */
	NOT_MEASURED,		/* concerns records; a measurement has none */
};

struct option_row {
	const char *name;
	enum option_arg arg;
	const char *metavar;	/* of the argument; NULL: none */
	const char *summary;	/* one line */
	const char *help;	/* further explanation, or NULL */
	const char *example;
	bool (*encode)(struct compiler *c, const struct option_row *row, const char *arg,
		       const struct symtab *tab, struct error *err);
	uint32_t flags;		/* KT_DESC_*, DESC_* that it sets; KT_CUR_*, ONLY_* that it uses */
	enum option_measured measured;
};

extern const struct option_row option_rows[];	/* the last row has name NULL */

/* Find a row by its exact name.  NULL: there is none. */
const struct option_row *option_find(const char *name);

/*
 * option_is_entry(): is it ENTRY?  option_needs_entry(): does it need a tracepoint at the function's entry that
 * opens the call?
 */
bool option_is_entry(const struct option_row *option);
bool option_needs_entry(const struct option_row *option, const char *arg);

/* Length of the expression at the start of text, for an option that takes an expression. */
bool option_expression_length(const struct option_row *option, const char *text, size_t *used,
			      struct error *err);

/* Does word look like an option: upper case, and not a hexadecimal number? */
bool option_looks_like(const char *word);
/* Set err to "unknown option" with suggestions.  Returns false. */
bool option_unknown(const char *word, struct error *err);

#endif
