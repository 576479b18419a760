/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregate.h - the options that count hits in a table instead of recording them: COUNT, SUM, AVG, MIN, MAX, HIST, LHIST,
 * and with them BY and KEYS.
 *
 * The options only leave their arguments in the compiler.  aggregate_finish() compiles them behind all filters: the
 * program emits the keys, then the value.
 */
#ifndef KTRACE_LANG_AGGREGATE_H
#define KTRACE_LANG_AGGREGATE_H

#include "ctl/ask/lang/option.h"

#define AGGREGATE_KEYS	4	/* keys of one BY */

/* Of the rows of these options. */
bool aggregate_encode_kind(struct compiler *c, const struct option_row *row, const char *arg, const struct symtab *tab,
			   struct error *err);
bool aggregate_encode_by(struct compiler *c, const struct option_row *row, const char *arg, const struct symtab *tab,
			 struct error *err);
bool aggregate_encode_keys(struct compiler *c, const struct option_row *row, const char *arg, const struct symtab *tab,
			   struct error *err);

/* Compile what the options said; nothing if there were none.  False: err is set. */
bool aggregate_finish(struct compiler *c, const struct symtab *tab, struct error *err);

/* May BY have that option as a key? */
bool aggregate_is_key(const struct option_row *option);
/* Length of the list of keys at the start of text.  False: it is none, err is set. */
bool aggregate_keys_length(const char *text, size_t *used, struct error *err);
/* Do the three words say where the buckets of LHIST begin, end, and how wide they are? */
bool aggregate_is_range(const char *const words[3]);

#endif
