/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - read the text of the running kernel, without the patches of ktrace and kprobes.
 *
 * Jump labels, static calls, ftrace and kprobes patch text under text_mutex, and write a breakpoint first.  So a reader
 * sees whole instructions only under that lock.
 */
#ifndef KTRACE_TEXT_H
#define KTRACE_TEXT_H

#include <linux/types.h>

#include "core/ktrace_abi.h"

/* The most bytes of text that one call reads or one scan covers. */
#define KT_MAX_TEXT	65536

/*
 * Copy n bytes of text at addr, without ktrace's patches but with those of others.  Returns how many bytes were
 * readable.  Under kt_table_lock and the text lock.
 */
size_t kt_text_live(unsigned long addr, u8 *to, size_t n);

/* KT_IOC_TEXT.  -EINVAL, -EOPNOTSUPP, -EACCES, -ENOMEM, -EFAULT, -EAGAIN, -EINTR.  Sleepable; takes these two locks. */
int kt_text_get(struct kt_text *arg);

/* Copy the scans of a request; NULL: it has none.  The caller frees them by kvfree().  -EINVAL, -EFAULT, -ENOMEM. */
int kt_text_scans_copy(const struct kt_trace *arg, struct kt_scan **scans);

/*
 * Is the text still the same as when it was scanned?  KT_REFUSE_CHANGED, _NOMEM, _INTERRUPTED.  Sleepable, under
 * kt_change_lock, which keeps modules from unloading; takes kt_table_lock and the text lock for one piece at a time.
 */
enum kt_refusal kt_text_scans_check(const struct kt_scan *scans, u32 nr);

#endif
