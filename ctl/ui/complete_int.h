/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete_int.h - internals of complete.c and complete_source.c. */
#ifndef KTRACE_COMPLETE_INT_H
#define KTRACE_COMPLETE_INT_H

#include "ctl/base/lex.h"
#include "ctl/ui/complete.h"

struct offer {
	struct session *s;
	const char *word;
	complete_fn *each;
	void *arg;
	bool text_only;			/* only symbols of code */
};

void offer_one(const struct offer *o, const char *name);

/* In an expression at the end of words: offer variables, and members behind -> or `.`. */
void offer_source(const struct offer *o, const struct words *words);
/* Offer source files that are known without building an index. */
void offer_files(const struct offer *o);

#endif
