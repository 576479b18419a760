// SPDX-License-Identifier: GPL-2.0-only
/* change.c - see change.h. */
#include <linux/sched.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/text/change.h"
#include "kmod/text/safety.h"

DEFINE_MUTEX(kt_change_lock);
DEFINE_MUTEX(kt_table_lock);

/* Written under kt_change_lock, read without a lock: the progress is only shown to users. */
static u32 sites_done, sites_expected;

void kt_change_expect(u32 of)
{
	lockdep_assert_held(&kt_change_lock);
	WRITE_ONCE(sites_done, 0);
	WRITE_ONCE(sites_expected, of);
}

void kt_change_done(u32 n)
{
	lockdep_assert_held(&kt_change_lock);
	WRITE_ONCE(sites_done, sites_done + n);
}

void kt_change_progress(u32 *done, u32 *of)
{
	*of = READ_ONCE(sites_expected);
	*done = min(READ_ONCE(sites_done), *of);
}

int kt_change_begin(void)
{
	return mutex_lock_killable(&kt_change_lock);
}

void kt_change_begin_now(void)
{
	mutex_lock(&kt_change_lock);
}

void kt_change_end(void)
{
	kt_change_expect(0);
	mutex_unlock(&kt_change_lock);
}

/* ------------------------------------------------------------------ turns */

static void take(const struct kt_turn *turn)
{
	mutex_lock(&kt_table_lock);
	if (turn->text)
		kt_text_lock();
}

struct kt_turn kt_turn_begin(bool text)
{
	const struct kt_turn turn = { .text = text };

	lockdep_assert_held(&kt_change_lock);
	take(&turn);
	return turn;
}

void kt_turn_end(const struct kt_turn *turn)
{
	lockdep_assert_held(&kt_table_lock);
	if (turn->text) {
		kt_arch.flush();
		kt_text_unlock();
	}
	mutex_unlock(&kt_table_lock);
}

void kt_turn_next(struct kt_turn *turn)
{
	if (++turn->n % KT_TURN)
		return;
	kt_turn_end(turn);
	cond_resched();
	take(turn);
}

/* ------------------------------------------------------------------ walks */

static LIST_HEAD(walks);	/* under kt_table_lock */

void kt_walk_begin(struct kt_walk *walk, struct list_head *list)
{
	lockdep_assert_held(&kt_table_lock);
	walk->at = list->next;
	list_add(&walk->walks, &walks);
}

void kt_walk_end(struct kt_walk *walk)
{
	lockdep_assert_held(&kt_table_lock);
	list_del(&walk->walks);
}

void kt_walk_leave(struct list_head *entry)
{
	struct kt_walk *walk;

	lockdep_assert_held(&kt_table_lock);
	list_for_each_entry(walk, &walks, walks)
		if (walk->at == entry)
			walk->at = entry->next;
	list_del(entry);
}
