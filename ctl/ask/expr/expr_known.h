/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expr_known.h - resolved expressions of one probe point by their text.
 *
 * A thousand system calls are cases of one tracepoint, and most of their fields have the same few expressions.
 */
#ifndef KTRACE_EXPR_KNOWN_H
#define KTRACE_EXPR_KNOWN_H

#include "ctl/ask/expr/expr.h"

struct expr_known;

struct expr_known *expr_known_create(void);
void expr_known_free(struct expr_known *known);

/*
 * Parse and resolve the longest expression at the start of text; *used and what: see expr_parse().  If names->vars has an
 * expr_known, what has been resolved there is copied.  NULL: err is set; it may be NULL.  The caller frees the tree.
 */
struct expr *expr_resolved(const char *what, const char *text, size_t *used, const struct expr_names *names, struct error *err);

/* Has that text been resolved there?  Then *used is as above. */
bool expr_is_known(const char *text, const struct expr_names *names, size_t *used);

#endif
