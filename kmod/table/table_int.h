/* SPDX-License-Identifier: GPL-2.0-only */
/* table_int.h - shared by what changes the table only: table.c, set.c, remove.c, limit.c, brake.c, jump.c. */
#ifndef KTRACE_TABLE_INT_H
#define KTRACE_TABLE_INT_H

#include <linux/list.h>

struct kt_consumer;
struct kt_desc;
struct kt_site;

/* By order.  Changed under both locks of change.h. */
extern struct list_head kt_sites, kt_consumers;

/* A site that nobody knows yet; NULL without memory. */
struct kt_site *kt_site_alloc(unsigned long addr);
void kt_site_free(struct kt_site *site);

/* KT_METHOD_* that it has, or will have in a moment. */
u8 kt_site_method(const struct kt_site *site);

/* KT_METHOD_* by which it is hit now. */
u8 kt_site_method_now(const struct kt_site *site);

/* Where the breakpoint hook finds it.  Under both locks, as all that follows where nothing else is said. */
void kt_site_hash_add(struct kt_site *site);

/* Into the table, where it can be hit from now on / out of it again. */
void kt_site_publish(struct kt_site *site);
void kt_site_withdraw(struct kt_site *site);

/* A consumer of a site, the newest in the order of list / one that goes. */
void kt_consumer_publish(struct kt_site *site, struct kt_consumer *consumer);
void kt_consumer_withdraw(struct kt_consumer *consumer);
/* Are some of them hidden? */
bool kt_table_has_hidden(void);

/*
 * Take what we wrote out of the text of a list of sites (by ->leaving), in turns.  Those that somebody's probe keeps
 * move to `kept`.  Returns the synchronisations it took.  Under kt_change_lock alone.
 */
u32 kt_sites_disarm(struct list_head *sites, struct list_head *kept);

/*
 * Remove a list of consumers (by ->going), and the sites that none is left for: these are disarmed and taken out of
 * the table, in turns.  All are freed later.  Returns the cross-CPU synchronisations it took.  Under kt_change_lock
 * alone.
 */
u32 kt_consumers_remove(struct list_head *going);

/* The same of hidden ones that nothing is left for. */
u32 kt_openers_remove(void);

/*
 * Disarm those that are off, or are to be: all limits reached, `braked`.  They stay in the table.  In turns, under
 * kt_change_lock alone.
 */
void kt_sites_disarm_off(void);

/*
 * Before a site that is off has a new descriptor: arm it again, if it is as safe as it was.  If none comes it is
 * disarmed again; one that is braked is so until that has come.  Under the text lock, too.
 */
enum kt_refusal kt_site_rearm(struct kt_site *site);

#endif
