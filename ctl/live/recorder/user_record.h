/* SPDX-License-Identifier: GPL-2.0-or-later */
/* user_record.h - `record --events user:...`: switch events of registered processes on, and write what they recorded. */
#ifndef KTRACE_USER_RECORD_H
#define KTRACE_USER_RECORD_H

#include "ctl/live/measure/oneshot.h"

/* Are these the events of such a recording? */
bool user_record_is(const struct oneshot *o);
/* Into that directory, which is made.  False: err is set. */
bool user_record_run(struct session *s, struct oneshot *o, const char *dir, struct error *err);

#endif
