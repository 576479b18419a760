// SPDX-License-Identifier: GPL-2.0-only
/* bring_in.c - see bring_in.h. */
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/srcu.h>

#include "core/capture_run.h"
#include "kmod/base/ktrace.h"
#include "kmod/base/fault_in.h"
#include "kmod/base/site.h"
#include "kmod/hit/bring_in.h"
#include "kmod/hit/consumer.h"
#include "kmod/hit/recording.h"
#include "kmod/hit/recording_hit.h"
#include "kmod/records/desc.h"

/* Descriptors that are in use while a task sleeps in kt_bring_in(). */
DEFINE_STATIC_SRCU(sleepers);

static bool ever;

void kt_bring_in_begins(void)
{
	WRITE_ONCE(ever, true);
}

static void bring_in_goroutine(const struct kt_desc *desc, const struct pt_regs *regs)
{
	const u64 goroutine = kt_regs_get(regs, desc->key_reg);

	if (kt_is_user(goroutine))
		kt_fault_in(goroutine, 2 * sizeof(u64));
}

static void bring_in(const struct kt_desc *desc, const struct pt_regs *regs)
{
	u8 draft[KT_MAX_PAYLOAD + sizeof(u16)] KT_UNINITIALIZED;

	if (desc->role & KT_ROLE_GOROUTINE)
		bring_in_goroutine(desc, regs);
	if (kt_recording_frozen(desc->rings) && !(desc->flags & KT_DESC_UNFREEZE))
		return;
	if (desc->flags & KT_DESC_FILTERED && !kt_capture_wants(desc->program, regs))
		return;
	kt_capture_varying((desc->flags & KT_DESC_CASES ? kt_hit_case_now(desc) : desc)->record, regs, draft);
}

void kt_bring_in(struct kt_site *site, const struct pt_regs *regs)
{
	const int reading = srcu_read_lock(&sleepers);
	struct kt_consumer *at;

	list_for_each_entry_lockless(at, &site->consumers, peers) {
		const struct kt_desc *desc = rcu_dereference_raw(at->desc);

		if (desc && (desc->brings_in || desc->role & KT_ROLE_GOROUTINE))
			bring_in(desc, regs);
	}
	srcu_read_unlock(&sleepers, reading);
}

/* Of several consumers, some probably read texts. */
static bool reads_texts(const struct kt_desc *desc)
{
	if (desc->flags & KT_DESC_CASES)
		desc = kt_hit_case_now(desc);
	return desc->reads_texts || desc->flags & KT_DESC_SHARED;
}

/*
 * The descriptor stays until the hit is over, because kt_bring_in_sync() waits for it: the registers of this hit are those that
 * it needs, which need not be enough for another one.
 */
void kt_bring_in_event(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
		       void (*hit)(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc))
{
	struct kt_consumer *at;
	int reading;

	if (preempt_count() || !current->mm || !reads_texts(desc))
		return hit(site, regs, desc);
	reading = srcu_read_lock(&sleepers);
	raw_local_irq_enable();
	list_for_each_entry_lockless(at, &site->consumers, peers) {
		const struct kt_desc *one = rcu_dereference_raw(at->desc);

		if (one && reads_texts(one))
			bring_in(one, regs);
	}
	raw_local_irq_disable();
	hit(site, regs, desc);
	srcu_read_unlock(&sleepers, reading);
}

void kt_bring_in_sync(void)
{
	if (READ_ONCE(ever))
		synchronize_srcu(&sleepers);
}
