/* SPDX-License-Identifier: GPL-2.0-or-later */
/* saved_runners.h - which task ran at each record of a saved trace. */
#ifndef KTRACE_SAVED_RUNNERS_H
#define KTRACE_SAVED_RUNNERS_H

#include "ctl/trace/print/runner.h"
#include "ctl/trace/saved/saved.h"

struct saved_runners;

/* The trace, which it rewinds, must outlive the result.  NULL: it has no switches of the scheduler.  Free it with saved_runners_free(). */
struct saved_runners *saved_runners_create(struct saved *saved);
/* NULL is allowed. */
void saved_runners_free(struct saved_runners *runners);

/* The trace begins again, by saved_rewind(). */
void saved_runners_rewind(struct saved_runners *runners);
/* The task for each record of the next snapshot, in its order; valid until the next call.  Its names stay valid. */
const struct runner *saved_runners_next(struct saved_runners *runners, const struct snapshot *snap);

#endif
