/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jump.h - replace breakpoints by jumps, and jumps by breakpoints.
 *
 * ktrace always arms a site with a breakpoint first.  Where a jump is possible, a worker then does the following, for
 * all sites that are ready at once: it leads hits into a copy of the whole displaced instructions, waits until no task is between
 * the instructions of the displaced instructions, writes the jump behind the breakpoint, and takes the breakpoint away.
 */
#ifndef KTRACE_JUMP_H
#define KTRACE_JUMP_H

#include <linux/types.h>

struct kt_site;
struct list_head;

/* All but kt_jump_arm() and _exit() under kt_change_lock, kt_table_lock and kt_text_lock(). */

/* Find out, once, whether a jump is possible there (site->displaced_len). */
void kt_jump_analyse(struct kt_site *site);

/*
 * Read what kt_jump_analyse() needs to know of the text around addr.  The first time takes long, so call it before,
 * under kt_change_lock alone.
 */
void kt_jump_look_around(unsigned long addr);

/* Will it have a jump: wanted, to be had, and no other site in its way?  Either lock of the table is enough. */
bool kt_jump_planned(const struct kt_site *site);

/* Is it not known yet whether it will?  The worker finds out. */
bool kt_jump_is_open(const struct kt_site *site);

/* Jumps (by ->jump) become breakpoints again, other sites in READY too.  Returns the synchronisations it took. */
u32 kt_jumps_disarm(struct list_head *sites);

/*
 * The same in steps, for many at once (remove.c): a breakpoint over the head of a jump; its tail (KT_POKE_DISPLACED_TAIL)
 * when every CPU sees that; it is a breakpoint when every CPU sees that, too.  Others in READY become one at once.
 */
void kt_jump_break(struct kt_site *site);
void kt_jump_back(struct kt_site *site);
/* A jump whose text goes with it. */
void kt_jump_forget(struct kt_site *site);

/* A site whose jump covers addr, not at its first byte; NULL when there is none. */
struct kt_site *kt_jump_covering(unsigned long addr);

/*
 * Is the text there as ktrace left it, so that ktrace may change it?  kt_change_lock is enough; the text lock keeps the
 * answer true.
 */
bool kt_jump_movable(const struct kt_site *site);

/* The number of jumps.  With none, no text needs to be searched for them. */
u32 kt_jump_count(void);

/* After sites were set or removed: see which of them can get a jump now.  Any task context. */
void kt_jump_arm(void);

void kt_jump_exit(void);

#endif
