// SPDX-License-Identifier: GPL-2.0-only
/* table.c - the control table: add, remove and list sites and consumers.  See table.h. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/hit/consumer.h"
#include "kmod/hit/retprobe.h"
#include "kmod/hit/uprobe.h"
#include "kmod/measure/aggregate.h"
#include "kmod/measure/measurement.h"
#include "kmod/records/desc.h"
#include "kmod/table/jump.h"
#include "kmod/table/table.h"
#include "kmod/table/table_int.h"
#include "kmod/text/change.h"

struct hlist_head kt_site_hash[1 << KT_HASH_BITS];

LIST_HEAD(kt_sites);
LIST_HEAD(kt_consumers);
static u32 nr_consumers, nr_hidden;
static u64 last_order;

/* ------------------------------------------------------------ one site */

struct kt_site *kt_site_alloc(unsigned long addr)
{
	struct kt_site *site = kzalloc(sizeof(*site), GFP_KERNEL);

	if (!site)
		return NULL;
	site->addr = addr;
	/* Hits do what each live consumer asks for, so they do nothing before the first one is live. */
	RCU_INIT_POINTER(site->desc, &kt_shared_desc);
	site->direct = kt_shared_desc.direct.hit;
	INIT_LIST_HEAD(&site->consumers);
	INIT_LIST_HEAD(&site->list);
	INIT_LIST_HEAD(&site->leaving);
	INIT_LIST_HEAD(&site->jump);
	INIT_LIST_HEAD(&site->window);
	INIT_HLIST_NODE(&site->hash);
	return site;
}

void kt_site_free(struct kt_site *site)
{
	kt_retprobe_free(site);
	kt_uprobe_free(site);
	kfree(site);
}

void kt_site_hash_add(struct kt_site *site)
{
	hlist_add_head_rcu(&site->hash, &kt_site_hash[hash_long(site->addr, KT_HASH_BITS)]);
}

void kt_site_publish(struct kt_site *site)
{
	lockdep_assert_held(&kt_change_lock);
	lockdep_assert_held(&kt_table_lock);
	site->order = ++last_order;
	list_add_tail(&site->list, &kt_sites);
	kt_site_hash_add(site);
}

void kt_site_withdraw(struct kt_site *site)
{
	lockdep_assert_held(&kt_change_lock);
	lockdep_assert_held(&kt_table_lock);
	kt_walk_leave(&site->list);
	hlist_del_rcu(&site->hash);
}

void kt_consumer_publish(struct kt_site *site, struct kt_consumer *consumer)
{
	lockdep_assert_held(&kt_change_lock);
	lockdep_assert_held(&kt_table_lock);
	kt_consumer_join(site, consumer);
	consumer->order = ++last_order;
	list_add_tail(&consumer->list, &kt_consumers);
	nr_consumers++;
	nr_hidden += kt_consumer_is_hidden(consumer);
}

void kt_consumer_withdraw(struct kt_consumer *consumer)
{
	lockdep_assert_held(&kt_change_lock);
	lockdep_assert_held(&kt_table_lock);
	kt_walk_leave(&consumer->list);
	nr_consumers--;
	nr_hidden -= kt_consumer_is_hidden(consumer);
}

u32 kt_table_count(void)
{
	return READ_ONCE(nr_consumers);
}

bool kt_table_has_hidden(void)
{
	kt_assert_change_or_table();
	return nr_hidden;
}

/* ---------------------------------------------------------------- listing */

/* The KT_METHOD_* that the site has.  planned: the one that it will have when the worker of jump.c is done. */
static u8 method_of(const struct kt_site *site, bool planned)
{
	if (site->event)
		return KT_METHOD_EVENT;
	if (site->retprobe)
		return KT_METHOD_RETURN;
	if (site->uprobe)
		return kt_uprobe_method(site);
	if (planned ? kt_jump_planned(site) : site->state == KT_SITE_JUMP)
		return KT_METHOD_JUMP;
	return KT_METHOD_BREAKPOINT;
}

u8 kt_site_method(const struct kt_site *site)
{
	return method_of(site, true);
}

u8 kt_site_method_now(const struct kt_site *site)
{
	return method_of(site, false);
}

static void describe(const struct kt_consumer *consumer, struct kt_list_entry *out)
{
	const struct kt_desc *desc = kt_consumer_desc(consumer);
	const struct kt_counts counts = kt_consumer_counts(consumer);
	const struct kt_site *site = consumer->site;
	const u64 unseen = kt_retprobe_missed(site);

	memset(out, 0, sizeof(*out));
	out->addr = site->addr;
	out->id = desc->id;
	out->planned = kt_jump_is_open(site) ? KT_METHOD_AUTO : method_of(site, true);
	out->method = method_of(site, false);
	out->spent = kt_desc_spent(desc);
	out->insn_len = site->insn_len;
	memcpy(out->insn, site->insn, sizeof(out->insn));
	out->missed = counts.missed + unseen;
	out->hits = counts.recorded + counts.missed + unseen;
	out->unseen = unseen;
	out->braked = counts.braked;
	out->off = site->braked;
	out->compat = kt_uprobe_compat(site);
	out->aggregate = desc->aggregate ? desc->aggregate->req.id : 0;
	out->no_jump = kt_jump_obstacle(site);
	out->windowed = site->windowed + site->lifted;
	out->no_code = desc->no_code;
	out->code_bytes = desc->direct.hit_bytes + desc->code.hit_bytes + desc->code.run_bytes;
	out->misfit = kt_jump_is_misfit(site);
	out->shared = site->shared;
	out->slow_path = desc->flags & KT_DESC_MEASURED && desc->path == KT_PATH_SLOW;
}

/* A consumer that is not live yet is not listed: the call that sets it may still fail. */
static bool is_listed(const struct kt_consumer *consumer, u64 cursor)
{
	return consumer->order > cursor && !kt_consumer_is_hidden(consumer) && kt_consumer_desc(consumer);
}

/* List up to KT_TURN consumers, as far as there is room.  False: this was the last turn. */
static bool list_turn(struct kt_walk *walk, struct kt_list *arg, struct kt_list_entry *to, u32 room)
{
	struct kt_consumer *at;
	u32 n;

	for (n = 0; n < KT_TURN && arg->nr < room && walk->at != &kt_consumers; n++) {
		at = list_entry(walk->at, struct kt_consumer, list);
		walk->at = at->list.next;
		if (!is_listed(at, arg->cursor))
			continue;
		describe(at, &to[arg->nr++]);
		arg->cursor = at->order;
	}
	return n == KT_TURN;
}

static void list_some(struct kt_list *arg, struct kt_list_entry *to, u32 room)
{
	struct kt_walk walk;

	mutex_lock(&kt_table_lock);
	kt_walk_begin(&walk, &kt_consumers);
	while (list_turn(&walk, arg, to, room)) {
		mutex_unlock(&kt_table_lock);
		cond_resched();
		mutex_lock(&kt_table_lock);
	}
	kt_walk_end(&walk);
	mutex_unlock(&kt_table_lock);
}

/* Writing to the caller's memory may sleep for long: do it without the lock. */
int kt_table_list(struct kt_list *arg)
{
	const u32 room = min(arg->nr, kt_table_count());
	struct kt_list_entry *entries = kvcalloc(max(room, 1U), sizeof(*entries), GFP_KERNEL);
	int err = 0;

	arg->nr = 0;
	if (!entries)
		return -ENOMEM;
	list_some(arg, entries, room);
	if (copy_to_user(u64_to_user_ptr(arg->entries), entries, arg->nr * sizeof(*entries)))
		err = -EFAULT;
	kvfree(entries);
	return err;
}

/* ------------------------------------------------------------------- code */

static const struct kt_consumer *listed_at(u64 addr, u32 id)
{
	const struct kt_site *site = kt_site_find(addr);
	const struct kt_consumer *at;

	if (!site)
		return NULL;
	list_for_each_entry(at, &site->consumers, peers)
		if (is_listed(at, 0) && kt_consumer_desc(at)->id == id)
			return at;
	return NULL;
}

static const struct kt_code *code_of(const struct kt_desc *desc)
{
	return desc->direct.hit_bytes ? &desc->direct : &desc->code;
}

/* A copy of both parts.  A site keeps its trampoline while the table lock is held, a live descriptor its code. */
static u8 *copy_code(const struct kt_consumer *consumer, struct kt_code_get *arg)
{
	const struct kt_site *site = consumer->site;
	const struct kt_code *code = code_of(kt_consumer_desc(consumer));
	u8 *copy;

	if (site->trampoline && kt_arch.trampoline_bytes) {
		arg->trampoline = (unsigned long)site->trampoline;
		arg->trampoline_bytes = kt_arch.trampoline_bytes;
		arg->trampoline_text = kt_arch.trampoline_text;
		arg->displaced = site->displaced_slot - site->trampoline;
	}
	if (code->hit_bytes || code->run) {
		arg->code = code->hit_bytes ? (unsigned long)code->hit : (unsigned long)code->run;
		arg->code_bytes = code->hit_bytes ?: code->run_bytes;
		arg->text_bytes = code->hit_text && code->hit_bytes ? code->hit_text : arg->code_bytes;
	}
	if (arg->room < arg->trampoline_bytes + arg->code_bytes)
		return ERR_PTR(-ENOSPC);
	copy = kmalloc(arg->trampoline_bytes + arg->code_bytes + 1, GFP_KERNEL);
	if (!copy)
		return ERR_PTR(-ENOMEM);
	memcpy(copy, (const void *)(unsigned long)arg->trampoline, arg->trampoline_bytes);
	memcpy(copy + arg->trampoline_bytes, (const void *)(unsigned long)arg->code, arg->code_bytes);
	return copy;
}

int kt_table_code(struct kt_code_get *arg)
{
	const struct kt_consumer *consumer;
	u8 *copy = ERR_PTR(-ENOENT);
	int err = 0;

	arg->trampoline = arg->code = 0;
	arg->trampoline_bytes = arg->trampoline_text = arg->displaced = arg->code_bytes = arg->text_bytes = 0;
	mutex_lock(&kt_table_lock);
	consumer = listed_at(arg->addr, arg->id);
	if (consumer)
		copy = copy_code(consumer, arg);
	mutex_unlock(&kt_table_lock);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	if (copy_to_user(u64_to_user_ptr(arg->buf), copy, arg->trampoline_bytes + arg->code_bytes))
		err = -EFAULT;
	kfree(copy);
	return err;
}
