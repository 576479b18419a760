/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jump.h - from breakpoints to jumps and back.
 *
 * A site is always armed with a breakpoint first.  Where a jump can be had, a
 * worker then leads hits into a copy of the whole region, waits until no task
 * is between its instructions, and writes the jump behind the breakpoint
 * before it takes the breakpoint away, all sites that are ready at once.
 */
#ifndef KTRACE_JUMP_H
#define KTRACE_JUMP_H

#include <linux/types.h>

struct kt_site;
struct list_head;

/* All but kt_jump_promote() and _exit() under kt_change_lock, kt_table_lock and kt_text_lock(). */

/* Find out, once, whether a jump can be had (site->region_len). */
void kt_jump_analyse(struct kt_site *site);

/*
 * What that needs to know of the text around addr takes long to find out the first time: beforehand, under
 * kt_change_lock alone.
 */
void kt_jump_look_around(unsigned long addr);

/* Will it have a jump: wanted, to be had, and no other site in its way?  Either lock of the table is enough. */
bool kt_jump_planned(const struct kt_site *site);

/* Is it not known yet whether it will?  The worker finds out. */
bool kt_jump_is_open(const struct kt_site *site);

/* Jumps (by ->jump) become breakpoints again, other sites in READY too.  Returns the synchronisations it took. */
u32 kt_jumps_demote(struct list_head *sites);

/*
 * The same in steps, for many at once (remove.c): a breakpoint over the head of a jump; its tail (KT_POKE_REGION_TAIL)
 * when every CPU sees that; it is a breakpoint when every CPU sees that, too.  Others in READY become one at once.
 */
void kt_jump_break(struct kt_site *site);
void kt_jump_back(struct kt_site *site);
/* A jump whose text goes with it. */
void kt_jump_forget(struct kt_site *site);

/* A site whose jump covers addr, not at its first byte; NULL when there is none. */
struct kt_site *kt_jump_covering(unsigned long addr);

/* May what we wrote there be changed: is it as we left it?  kt_change_lock is enough; the text lock keeps the answer true. */
bool kt_jump_movable(const struct kt_site *site);

/* How many there are: no text needs to be searched for them when there is none. */
u32 kt_jump_count(void);

/* Sites were set or removed: see which can have a jump now.  Any task context. */
void kt_jump_promote(void);

void kt_jump_exit(void);

#endif
