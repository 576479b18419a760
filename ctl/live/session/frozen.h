/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frozen.h - since when recording is stopped, and by what. */
#ifndef KTRACE_CTL_FROZEN_H
#define KTRACE_CTL_FROZEN_H

#include "ctl/live/session/session.h"

/* The name of the tracepoint with whose hit recording stopped; the caller frees it.  NULL: a command did it, or it was deleted. */
char *frozen_by(struct session *s, const struct kt_status *status);

/* When recording stopped, in ns since 1970.  0: it did not, or the module cannot be asked. */
int64_t frozen_wall_ns(struct session *s, const struct kt_status *status);

/*
 * "since 14:03:11.482913207 by vfs_write" or "since 14:03:11.482913207 by 'freeze'", of a status with `frozen`; the day, too, if it
 * is not today.  "" if the module cannot be asked.  The caller frees it.
 */
char *frozen_since(struct session *s, const struct kt_status *status);

#endif
