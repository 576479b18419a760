/* SPDX-License-Identifier: GPL-2.0-only */
/* table_int.h - shared by table.c and set.c only. */
#ifndef KTRACE_TABLE_INT_H
#define KTRACE_TABLE_INT_H

#include <linux/list.h>
#include <linux/mutex.h>

struct kt_consumer;
struct kt_desc;
struct kt_site;

extern struct mutex kt_table_lock;
extern struct list_head kt_sites;	/* by order */

/* A site that nobody knows yet; NULL without memory. */
struct kt_site *kt_site_alloc(unsigned long addr);
void kt_site_free(struct kt_site *site);

/* KT_METHOD_* that it has, or will have in a moment. */
u8 kt_site_method(const struct kt_site *site);

/* Where the breakpoint hook finds it.  Under kt_table_lock. */
void kt_site_hash_add(struct kt_site *site);

/* Into the table; it can be hit from now on.  Under kt_table_lock. */
void kt_site_publish(struct kt_site *site);

/* A consumer of a published site, the newest in the order of list.  Under kt_table_lock. */
void kt_consumer_publish(struct kt_site *site, struct kt_consumer *consumer);

/*
 * Remove a list of consumers, and the sites that none is left for: these are disarmed and taken out of the
 * table.  All are freed later.  Returns the cross-CPU synchronisations it took.  Under kt_table_lock.
 */
u32 kt_consumers_remove(struct list_head *going);

/* Hidden ones that nothing is left for are removed; returns the synchronisations it took.  Under kt_table_lock. */
u32 kt_openers_remove(void);

/*
 * Before a spent site has a new descriptor: arm it again, if it is as safe as it was.  If none comes it is
 * disarmed again.  Under kt_table_lock and the text lock.
 */
enum kt_refusal kt_site_rearm(struct kt_site *site);

#endif
