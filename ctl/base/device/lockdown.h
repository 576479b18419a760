/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lockdown.h - is the kernel locked down, what does that forbid to ktrace (lockdown(7)); was it booted by Secure Boot? */
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

enum secure_boot {
	SECURE_BOOT_NONE,	/* the firmware does not have it */
	SECURE_BOOT_UNREADABLE,
	SECURE_BOOT_OFF,
	SECURE_BOOT_ON,
};

enum secure_boot secure_boot_now(const char *root);

#endif
