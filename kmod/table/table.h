/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - the control table: sites by address, O(1) for the hit path, and
 * the calls that set, update, remove and list them.
 */
#ifndef KTRACE_TABLE_H
#define KTRACE_TABLE_H

#include <linux/hash.h>
#include <linux/rculist.h>

#include "core/ktrace_abi.h"
#include "kmod/base/site.h"

struct kt_client;

#define KT_HASH_BITS	14

extern struct hlist_head kt_site_hash[1 << KT_HASH_BITS];

/* The site at addr, NULL when there is none.  Any context with interrupts off. */
static __always_inline struct kt_site *kt_site_find(unsigned long addr)
{
	struct kt_site *site;

	hlist_for_each_entry_rcu_notrace(site, &kt_site_hash[hash_long(addr, KT_HASH_BITS)], hash)
		if (site->addr == addr)
			return site;
	return NULL;
}

int kt_table_init(void);
/* Removes every site and waits until nothing of them is in use.  No controller is left. */
void kt_table_exit(void);

/* The ioctls of the same name.  Errors: see ktrace_abi.h, and -EFAULT, -ENOMEM.  Sleepable. */
int kt_table_trace(struct kt_trace *arg, struct kt_client *client);
int kt_table_delete(struct kt_delete *arg, const struct kt_client *client);
int kt_table_list(struct kt_list *arg);

/* Remove what belongs to an open file; what cannot be now, as soon as it can.  Sleepable. */
void kt_table_client_gone(struct kt_client *client);

u32 kt_table_count(void);

/* Some descriptor is spent: its site is disarmed in a moment, and stays in the table.  Any context but NMI. */
void kt_table_disarm(void);
void kt_table_disarm_exit(void);	/* there are no hits any more; sleepable */

#endif
