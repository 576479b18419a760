/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jump.h - replace breakpoints by jumps, and jumps by breakpoints.
 *
 * ktrace always arms a site with a breakpoint first.  If a jump is possible, a worker then replaces the breakpoint, in
 * these steps, each for many sites at once: it leads hits into a copy of all displaced instructions, waits until no
 * task runs or is preempted between them, writes the tail of the jump behind the breakpoint, and then its first byte
 * over the breakpoint.
 *
 * The form of a trampoline depends on the descriptor.  If that changes, the worker makes another one, and leads the jump there
 * by way of a breakpoint.
 */
#ifndef KTRACE_JUMP_H
#define KTRACE_JUMP_H

#include <linux/types.h>

#include "core/ktrace_abi.h"

struct kt_site;
struct list_head;

/* Call these under kt_change_lock, kt_table_lock and the text lock, unless their comment says otherwise. */

/*
 * Find out, once, whether a jump is possible at the site (site->displaced_len, no_jump).  Without memory, try again
 * later.
 */
void kt_jump_analyse(struct kt_site *site);

/*
 * Read what kt_jump_analyse() needs to know of the text around addr.  The first time takes long, so call this function
 * before, under kt_change_lock alone.
 */
void kt_jump_look_around(unsigned long addr);

/* Will the site get a jump: is one wanted, possible, and no other site in its way?  Either lock of change.h. */
bool kt_jump_planned(const struct kt_site *site);

/* Why will the site get no jump, although one is wanted?  Either lock of change.h. */
enum kt_no_jump kt_jump_obstacle(const struct kt_site *site);

/* Is it still unknown whether the site will get a jump?  The worker finds out.  Either lock of change.h. */
bool kt_jump_is_open(const struct kt_site *site);

/*
 * Turn the jumps in a list (by ->jump), and sites in KT_SITE_READY, back into breakpoints.  Empties the list.  Returns
 * the number of cross-CPU synchronisations.
 */
u32 kt_jumps_disarm(struct list_head *sites);

/*
 * The same in steps, for many sites at once (remove.c).  kt_jump_break() writes a breakpoint over the head of a jump.
 * After a kt_arch.sync() the caller writes KT_POKE_DISPLACED_TAIL.  After the next one kt_jump_back() makes the site a
 * breakpoint.  A site in KT_SITE_READY needs only kt_jump_back().
 */
void kt_jump_break(struct kt_site *site);
void kt_jump_back(struct kt_site *site);
/* A jump is gone together with the text of its module. */
void kt_jump_forget(struct kt_site *site);

/* The site whose jump covers addr behind its first byte; NULL: there is none.  Either lock of change.h. */
struct kt_site *kt_jump_covering(unsigned long addr);

/*
 * Is the jump still as ktrace wrote it, so that ktrace may change it?  True for a site without a jump.  kt_change_lock
 * is enough; the answer stays true only while the caller holds the text lock too.
 */
bool kt_jump_movable(const struct kt_site *site);

/* Will the site get another trampoline, because its descriptor has changed?  The worker does it.  Under kt_table_lock. */
bool kt_jump_is_misfit(const struct kt_site *site);

/* The number of jumps.  If it is 0, no text needs to be searched for jumps.  Any context. */
u32 kt_jump_count(void);

/* Sites were set or removed: let the worker arm the jumps that are possible now.  Any context but NMI. */
void kt_jump_arm(void);
/*
 * The same in half a second, for tracepoints of many functions: the worker itself would hit most of them, and the brake disarms
 * those first that are hit most.
 */
void kt_jump_arm_later(void);

/* Cancel the worker, or wait until it is done.  Sleepable, under no lock. */
void kt_jump_exit(void);

#endif
