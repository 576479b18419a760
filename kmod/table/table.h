/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - the control table: sites by address, with O(1) lookup for the hit path, and the calls that set, update,
 * remove and list tracepoints.
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

/*
 * The site at addr; NULL: there is none.  Any context with interrupts off, which makes the caller an RCU reader, or
 * under either lock of change.h.
 */
static __always_inline struct kt_site *kt_site_find(unsigned long addr)
{
	struct kt_site *site;

	hlist_for_each_entry_rcu_notrace(site, &kt_site_hash[hash_long(addr, KT_HASH_BITS)], hash)
		if (site->addr == addr)
			return site;
	return NULL;
}

/* Returns the error of register_module_notifier().  Sleepable. */
int kt_table_init(void);
/* Remove all sites and wait until they are not in use any more.  No controller has the device open.  Sleepable. */
void kt_table_exit(void);

/* The ioctls of the same name.  Errors of ktrace_abi.h, and -EFAULT, -ENOMEM, -EINTR.  Sleepable. */
int kt_table_trace(struct kt_trace *arg, struct kt_client *client);
int kt_table_delete(struct kt_delete *arg, const struct kt_client *client);
int kt_table_list(struct kt_list *arg);
int kt_table_code(struct kt_code_get *arg);

/*
 * The client's file is closed: remove its tracepoints.  A worker removes later those that a foreign kprobe keeps in the
 * text now.  Sleepable.
 */
void kt_table_client_gone(struct kt_client *client);

/* The number of tracepoints, hidden ones included.  Any context. */
u32 kt_table_count(void);

/* A descriptor is spent: let a worker disarm its site, which stays in the table.  Any context except NMI. */
void kt_table_disarm(void);
void kt_table_disarm_exit(void);	/* no hits are possible any more; sleepable */

#endif
