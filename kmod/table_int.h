/* SPDX-License-Identifier: GPL-2.0-only */
/* table_int.h - shared by table.c and set.c only. */
#ifndef KTRACE_TABLE_INT_H
#define KTRACE_TABLE_INT_H

#include <linux/list.h>
#include <linux/mutex.h>

struct kt_desc;
struct kt_site;

extern struct mutex kt_table_lock;
extern struct list_head kt_sites;

/* A site that nobody knows yet; NULL without memory. */
struct kt_site *kt_site_alloc(unsigned long addr);
void kt_site_free(struct kt_site *site);

/* KT_METHOD_* that it has, or will have in a moment. */
u8 kt_site_method(const struct kt_site *site);

/* Where the breakpoint hook finds it.  Under kt_table_lock. */
void kt_site_hash_add(struct kt_site *site);

/* Into the table; it can be hit from now on.  Under kt_table_lock. */
void kt_site_publish(struct kt_site *site);

/*
 * Disarm a list of published sites and take them out of the table; they are freed later.
 * Returns the cross-CPU synchronisations it took.  Under kt_table_lock.
 */
u32 kt_sites_remove(struct list_head *going);

/* Does it open calls for tracepoints at their returns, KT_ROLE_HIDDEN?  Under kt_table_lock. */
bool kt_site_is_hidden(const struct kt_site *site);
/* Those that nothing is left for are removed; returns the synchronisations it took.  Under kt_table_lock. */
u32 kt_openers_remove(void);

/* Publish a descriptor; the one that it replaces is returned (NULL: there was none).  Under kt_table_lock. */
struct kt_desc *kt_site_describe(struct kt_site *site, struct kt_desc *desc);

/*
 * Before a spent site has a new descriptor: arm it again, if it is as safe as it was.  If none comes it is
 * disarmed again.  Under kt_table_lock and the text lock.
 */
enum kt_refusal kt_site_rearm(struct kt_site *site);

/* A descriptor that no site points to any more: retire it when the last hit is over. */
void kt_limbo_desc(struct kt_desc *desc);

/* Wait until all that was removed is free.  Not under kt_table_lock's dependants: sleepable. */
void kt_limbo_flush(void);

#endif
