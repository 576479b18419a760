/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * state.h - the state of the system before a recording starts.
 *
 * A controller pulls it in small parts; no record is written, and no tracepoint is needed.  Nothing is kept between two
 * calls: the cursor, which the controller holds, is all.
 */
#ifndef KTRACE_STATE_H
#define KTRACE_STATE_H

#include "core/ktrace_abi.h"

/* KT_IOC_STATE.  -EOPNOTSUPP, -EINVAL, -ENOMEM, -EFAULT; -EINTR: the caller was killed.  Sleepable. */
int kt_state_get(struct kt_state *arg);

#endif
