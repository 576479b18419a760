/* SPDX-License-Identifier: GPL-2.0-only */
/* table_int.h - only for the files in kmod/table that change or search the table. */
#ifndef KTRACE_TABLE_INT_H
#define KTRACE_TABLE_INT_H

#include <linux/list.h>

struct kt_consumer;
struct kt_desc;
struct kt_site;

/* All sites and all consumers, by order.  Changed under both locks of change.h. */
extern struct list_head kt_sites, kt_consumers;

/* Allocate a site that is not in the table yet.  NULL: no memory.  Sleepable. */
struct kt_site *kt_site_alloc(unsigned long addr);
void kt_site_free(struct kt_site *site);

/* The KT_METHOD_* that the site has, or will have as soon as the worker of jump.c is done.  Either lock of change.h. */
u8 kt_site_method(const struct kt_site *site);

/* The KT_METHOD_* by which hits come now.  Either lock of change.h. */
u8 kt_site_method_now(const struct kt_site *site);

/* The functions below need both locks of change.h, unless their comment says otherwise. */

/* Add a site to the hash, where the breakpoint hook finds it. */
void kt_site_hash_add(struct kt_site *site);

/* Add a site to the table, so that it can be hit.  Remove it from the table. */
void kt_site_publish(struct kt_site *site);
void kt_site_withdraw(struct kt_site *site);

/* Add a consumer to its site, and as the newest to kt_consumers.  Remove it from kt_consumers. */
void kt_consumer_publish(struct kt_site *site, struct kt_consumer *consumer);
void kt_consumer_withdraw(struct kt_consumer *consumer);
/* Are there hidden consumers (KT_ROLE_HIDDEN)?  Either lock of change.h. */
bool kt_table_has_hidden(void);

/*
 * Remove ktrace's patches from the text of a list of sites (by ->leaving), in turns.  Sites that a foreign kprobe keeps
 * in the text move to `kept`.  Returns the number of cross-CPU synchronisations.  Under kt_change_lock alone.
 */
u32 kt_sites_disarm(struct list_head *sites, struct list_head *kept);

/*
 * Remove a list of consumers (by ->going).  Sites that have no consumer left are disarmed and removed from the table.
 * It works in turns; defer.h frees the objects.  Returns the number of cross-CPU synchronisations.  Under
 * kt_change_lock alone.
 */
u32 kt_consumers_remove(struct list_head *going);

/* Remove the hidden consumers whose measurement has no consumer left that closes calls.  Same rules. */
u32 kt_openers_remove(void);

/*
 * Disarm the sites whose consumers have all reached their limit, and those that the brake marked.  They stay in the
 * table.  In turns, under kt_change_lock alone.
 */
void kt_sites_disarm_off(void);

/*
 * A site that is off is about to get a new descriptor: arm it again, if this is still safe.  If no descriptor follows,
 * limit.c disarms it again.  A braked site stays marked until the descriptor is live.  Also under the text lock.
 */
enum kt_refusal kt_site_rearm(struct kt_site *site);

#endif
