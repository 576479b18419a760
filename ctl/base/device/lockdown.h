/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lockdown.h - is the kernel locked down, and what that forbids to ktrace: lockdown(7). */
#ifndef KTRACE_LOCKDOWN_H
#define KTRACE_LOCKDOWN_H

/* What locked down kernels refuse; "integrity" refuses modules that are not signed, "confidentiality" tracing, too. */
#define LOCKDOWN_SENTENCE "the kernel is locked down (confidentiality), and then allows neither tracing nor reading its memory: " \
	"boot it without lockdown=confidentiality"

enum lockdown {
	LOCKDOWN_UNSEEN,	/* the kernel does not tell, or securityfs is not mounted */
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY,
};

/* root: prefix of the paths, for tests; else "". */
enum lockdown lockdown_now(const char *root);
/* "integrity"; "not seen". */
const char *lockdown_name(enum lockdown level);

#endif
