// SPDX-License-Identifier: GPL-2.0-only
/* uprobe.c - see uprobe.h. */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/srcu.h>

#include "kmod/base/ktrace.h"
#include "kmod/hit/bring_in.h"
#include "kmod/base/load.h"
#include "kmod/base/site.h"
#include "kmod/compat/compat.h"
#include "kmod/hit/consumer.h"
#include "kmod/hit/hit.h"
#include "kmod/hit/recording.h"
#include "kmod/hit/uprobe.h"
#include "kmod/records/buffer.h"
#include "kmod/records/desc.h"
#include "kmod/records/user_stack.h"
#include "kmod/text/change.h"
#include "kmod/uprobe/file.h"
#include "core/capture_run.h"
#include "percpu_arch.h"
#include "regs_arch.h"

/* One of the kernel's consumers of a uprobe. */
struct registration {
	struct uprobe_consumer consumer;
	struct uprobe *probe;
	bool on;
};

/*
 * The kernel asks the filter of a consumer only when it writes breakpoints, but calls the handlers of all consumers at
 * each hit.  So a second consumer, whose handler does nothing, extends the site to all processes without a gap.
 */
struct kt_uprobe {
	struct registration hits;	/* in `process`, or everywhere if that is NULL */
	struct registration everywhere;	/* for other tracepoints at the site */
	bool wide;			/* `everywhere` is needed, too */
	struct kt_site *site;
	struct kt_user_file *file;
	loff_t semaphore;		/* 0: none */
	struct pid *process;
	atomic_t compat;
	u8 method;		/* KT_METHOD_UPROBE or KT_METHOD_STEPPED */
};

/* --------------------------------------------------------------------- hits */

/* The function has read its goroutine a moment ago, so it is there nearly always. */
static bool lacks_goroutine(const struct kt_desc *desc, const struct pt_regs *regs)
{
	u64 goroutine, end;

	if (likely(!(desc->role & KT_ROLE_GOROUTINE)))
		return false;
	goroutine = kt_regs_get(regs, desc->key_reg);
	return kt_is_user(goroutine) && !kt_load(&end, goroutine + sizeof(end), sizeof(end));
}

/* Does a program of the site read memory that may have to be brought in?  Of several, some probably do. */
static bool reads_memory(const struct kt_site *site, const struct pt_regs *regs)
{
	const struct kt_desc *desc;
	bool reads;

	rcu_read_lock();
	desc = rcu_dereference(site->desc);
	reads = desc->flags & KT_DESC_SHARED || desc->brings_in || lacks_goroutine(desc, regs);
	rcu_read_unlock();
	return reads;
}

static bool is_in(const struct task_struct *process, const struct mm_struct *mm)
{
	const struct task_struct *at;

	for_each_thread(process, at)
		if (READ_ONCE(at->mm))
			return at->mm == mm;
	return false;
}

static bool has_breakpoint(const struct kt_uprobe *uprobe, const struct mm_struct *mm)
{
	const struct task_struct *process;
	bool yes;

	if (!uprobe->process || READ_ONCE(uprobe->wide))
		return true;
	rcu_read_lock();
	process = pid_task(uprobe->process, PIDTYPE_TGID);
	yes = process && is_in(process, mm);
	rcu_read_unlock();
	return yes;
}

static void hit(struct kt_uprobe *uprobe, const struct pt_regs *regs, const struct kt_user_stack *stack)
{
	unsigned long flags;

	local_irq_save(flags);
	kt_cpu_write(kt_cpus.user_stack, stack);
	kt_hit_user(uprobe->site, regs, kt_regs_of_64bit(regs) ? uprobe->method : KT_METHOD_AUTO);
	kt_cpu_write(kt_cpus.user_stack, NULL);
	local_irq_restore(flags);
}

static noinline void hit_brought_in(struct kt_uprobe *uprobe, const struct pt_regs *regs)
{
	struct kt_user_stack stack KT_UNINITIALIZED;

	kt_user_stack_begin(&stack, regs);
	kt_bring_in(uprobe->site, &stack.regs);
	hit(uprobe, regs, &stack);
	kt_user_stack_end(&stack);
}

static int on_hit(struct uprobe_consumer *consumer, struct pt_regs *regs KT_UPROBE_DATA)
{
	struct kt_uprobe *uprobe = container_of(consumer, struct kt_uprobe, hits.consumer);
	struct kt_site *site = uprobe->site;

	if (!kt_regs_of_64bit(regs))
		atomic_add_unless(&uprobe->compat, 1, -1);
	if (kt_regs_of_64bit(regs) && reads_memory(site, regs))
		hit_brought_in(uprobe, regs);
	else
		hit(uprobe, regs, &kt_user_stack_none);
	/* A child inherits the breakpoint with its parent's memory. */
	return has_breakpoint(uprobe, current->mm) ? 0 : UPROBE_HANDLER_REMOVE;
}

static int on_other_hit(struct uprobe_consumer *consumer, struct pt_regs *regs KT_UPROBE_DATA)
{
	return 0;
}

static bool wants_breakpoint(struct uprobe_consumer *consumer KT_UPROBE_CONTEXT, struct mm_struct *mm)
{
	return has_breakpoint(container_of(consumer, struct kt_uprobe, hits.consumer), mm);
}

/* ---------------------------------------------------------------- arm, disarm */

static struct pid *process_get(u32 id)
{
	struct pid *pid;

	rcu_read_lock();
	pid = get_pid(find_pid_ns(id, &init_pid_ns));
	rcu_read_unlock();
	return pid;
}

enum kt_refusal kt_uprobe_prepare(struct kt_site *site, const struct kt_site_req *req)
{
	struct kt_uprobe *uprobe = kzalloc(sizeof(*uprobe), GFP_KERNEL);

	if (!uprobe)
		return KT_REFUSE_NOMEM;
	site->uprobe = uprobe;
	uprobe->site = site;
	uprobe->file = kt_file_get(site->addr);
	if (!uprobe->file)
		return KT_REFUSE_NO_FILE;
	if (req->process) {
		uprobe->process = process_get(req->process);
		if (!uprobe->process)
			return KT_REFUSE_NO_PROCESS;
	}
	uprobe->semaphore = req->semaphore;
	site->insn_len = req->insn_len;
	memcpy(site->insn, req->insn, req->insn_len);
	uprobe->method = kt_file_is_stepped(req) ? KT_METHOD_STEPPED : KT_METHOD_UPROBE;
	return KT_REFUSE_NONE;
}

bool kt_uprobe_fits(const struct kt_site *site, const struct kt_site_req *req)
{
	return !req->semaphore || req->semaphore == site->uprobe->semaphore;
}

bool kt_uprobe_lacks(const struct kt_site *site, u32 process)
{
	const struct kt_uprobe *uprobe = site->uprobe;

	return uprobe->process && !uprobe->wide && process != pid_nr(uprobe->process);
}

static int switch_on(struct kt_uprobe *uprobe, struct registration *reg, const struct uprobe_consumer *how)
{
	int err;

	if (reg->on)
		return 0;
	reg->consumer = *how;
	err = kt_uprobe_register(kt_file_inode(uprobe->file), KT_FILE_OFFSET(uprobe->site->addr), uprobe->semaphore,
				 &reg->consumer, &reg->probe);
	reg->on = !err;
	return err;
}

static void switch_off(struct kt_uprobe *uprobe, struct registration *reg)
{
	if (reg->on)
		kt_uprobe_unregister(kt_file_inode(uprobe->file), KT_FILE_OFFSET(uprobe->site->addr), &reg->consumer,
				     reg->probe);
	reg->on = false;
}

int kt_uprobe_arm(struct kt_site *site, bool widen)
{
	static const struct uprobe_consumer hits = { .handler = on_hit, .filter = wants_breakpoint };
	static const struct uprobe_consumer others = { .handler = on_other_hit };
	struct kt_uprobe *uprobe = site->uprobe;
	int err;

	lockdep_assert_held(&kt_change_lock);
	kt_bring_in_begins();
	err = switch_on(uprobe, &uprobe->hits, &hits);
	if (!err && (widen || uprobe->wide))
		err = switch_on(uprobe, &uprobe->everywhere, &others);
	if (!err && widen)
		WRITE_ONCE(uprobe->wide, true);
	site->called = uprobe->hits.on;
	return err;
}

void kt_uprobes_disarm(struct list_head *sites)
{
	struct kt_site *site;
	bool any = false;

	lockdep_assert_held(&kt_change_lock);
	list_for_each_entry(site, sites, leaving) {
		if (!site->uprobe)
			continue;
		any |= site->uprobe->hits.on;
		switch_off(site->uprobe, &site->uprobe->everywhere);
		switch_off(site->uprobe, &site->uprobe->hits);
		site->called = false;
		cond_resched();
	}
	if (any)
		kt_uprobe_unregistered();
}

enum kt_method kt_uprobe_method(const struct kt_site *site)
{
	return site->uprobe->method;
}

u32 kt_uprobe_compat(const struct kt_site *site)
{
	return site->uprobe ? atomic_read(&site->uprobe->compat) : 0;
}

void kt_uprobe_free(struct kt_site *site)
{
	if (!site->uprobe)
		return;
	put_pid(site->uprobe->process);
	kt_file_put(site->uprobe->file);
	kfree(site->uprobe);
}
