/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - read the kernel's text while it runs, as it is when nobody probes it.
 *
 * Jump labels, static calls, ftrace and kprobes patch text under text_mutex, and write a breakpoint first: only under
 * that lock a reader sees whole instructions.
 */
#ifndef KTRACE_TEXT_H
#define KTRACE_TEXT_H

#include <linux/types.h>

#include "core/ktrace_abi.h"

/* Longest text that is read or scanned at once. */
#define KT_MAX_TEXT	65536

/*
 * Copy n bytes of text at addr, with our own patches taken out and those of others in.  Returns how many were
 * readable.  Under the table's and the text lock.
 */
size_t kt_text_live(unsigned long addr, u8 *to, size_t n);

/* KT_IOC_TEXT.  -EINVAL, -EOPNOTSUPP, -EACCES, -ENOMEM, -EFAULT, -EAGAIN, -EINTR.  Sleepable, takes both locks. */
int kt_text_get(struct kt_text *arg);

/* Copy the scans of a request, NULL where it has none; kvfree() them.  -EINVAL, -EFAULT, -ENOMEM.  Sleepable. */
int kt_text_scans_copy(const struct kt_trace *arg, struct kt_scan **scans);

/*
 * Does the text still say what it said when it was scanned?  KT_REFUSE_CHANGED, _NOMEM, _INTERRUPTED.  Under
 * kt_change_lock, which keeps modules from going; takes the others for a piece at a time.
 */
enum kt_refusal kt_text_scans_check(const struct kt_scan *scans, u32 nr);

#endif
