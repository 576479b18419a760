/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rights.h - the rights of this process that the kernel looks at: those in its first user namespace. */
#ifndef KTRACE_RIGHTS_H
#define KTRACE_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>

struct rights {
	bool is_known;		/* /proc/self/status could be read */
	bool is_inside;		/* in another user namespace than the first: even its root may not change the kernel */
	bool is_root;
	uint64_t caps;		/* effective; those of an inner namespace count for nothing here */
};

/* root: prefix of the paths, for tests; else "". */
struct rights rights_now(const char *root);
bool rights_have(const struct rights *rights, unsigned int cap);

/* A device could not be opened, with EACCES or EPERM: "cause: remedy". */
const char *rights_refused(const struct rights *rights, int no);

#endif
