/* SPDX-License-Identifier: GPL-2.0-or-later */
/* args.h - the option ARGS: what a function, or an event of the kernel, gets. */
#ifndef KTRACE_ARGS_H
#define KTRACE_ARGS_H

#include "ctl/ask/events/events.h"
#include "ctl/ask/lang/compile.h"
#include "ctl/ask/resolve/probe_point.h"
#include "symbols/symtab/symbols.h"

/*
 * Record all parameters of the function, or of the inlined copy, that contains the probe point.  At a static
 * tracepoint: the fields of its row, if it has one; else its parameters.  `what` stands before messages.
 */
bool args_compile(struct compiler *c, const char *what, const struct symtab *tab, struct error *err);

/*
 * The first of a field's alternatives that can be evaluated at the probe point, as an argument of VAR, or of STR if
 * it is a text: "name = expression".  NULL: there is none.  The caller frees it.
 */
char *args_field(const struct event_field *field, struct vars *vars, const struct symtab *tab, bool *is_text);

/* The C type of an expression at the probe point.  Returns buf; "": it cannot be evaluated. */
const char *args_type(const char *expression, struct vars *vars, const struct symtab *tab, char *buf, size_t size);

#endif
