/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete_int.h - shared by complete.c and complete_source.c only. */
#ifndef KTRACE_COMPLETE_INT_H
#define KTRACE_COMPLETE_INT_H

#include "ctl/lang/lex.h"
#include "ctl/ui/complete.h"

struct offer {
	struct session *s;
	const char *word;
	complete_fn *each;
	void *arg;
	bool text_only;			/* symbols: code only */
};

void offer_one(const struct offer *o, const char *name);

/* In an expression at the place that words end with: variables, and members behind -> or . */
void offer_source(const struct offer *o, const struct words *words);
/* Source files, as far as they are known without building an index. */
void offer_files(const struct offer *o);

#endif
