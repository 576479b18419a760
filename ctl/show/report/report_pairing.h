/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_pairing.h - the report of `pairs`. */
#ifndef KTRACE_REPORT_PAIRING_H
#define KTRACE_REPORT_PAIRING_H

#include "ctl/live/measure/pairing_run.h"

/* Print what was measured in the session's format, with the records of what was not ended.  False: err is set. */
bool report_pairing(struct session *s, const struct oneshot *o, struct pairing_run *p, struct error *err);

#endif
