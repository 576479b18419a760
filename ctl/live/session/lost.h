/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lost.h - tracepoints that this ktrace has set, and that have lost their place: their kernel module was unloaded, or the
 * file of their program was replaced, as an upgrade does.
 *
 * The module forgets tracepoints of an unloaded module, and knows files by inode only.  So only the ktrace that has set
 * them can tell, for as long as it runs.
 */
#ifndef KTRACE_CTL_LOST_H
#define KTRACE_CTL_LOST_H

#include "ctl/ask/plan/plan.h"
#include "ctl/live/session/session.h"

/* Remember tracepoints that were set. */
void lost_watch(struct session *s, const struct plans *plans, const struct kt_site_req *reqs);
/* Say what was lost; again: also what was said before. */
void lost_tell(struct session *s, bool again);
/* Tracepoints were deleted, by this ktrace or others: forget them.  everything: those of unloaded modules, too. */
void lost_forget(struct session *s, bool everything);
void lost_free(struct session *s);

/* Tells one time of a module's being loaded from another; 0: it is not loaded. */
uint64_t module_inode(const char *module);
/*
 * Can the code not be reached any more?  home: a program; it is gone when another file, or none, has its name.  home NULL: a
 * module; it is gone when it is unloaded, or was loaded again since module_inode() returned this inode.
 */
bool code_is_gone(const struct target *home, const char *module, uint64_t inode);

#endif
