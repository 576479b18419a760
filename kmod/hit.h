/* SPDX-License-Identifier: GPL-2.0-only */
/* hit.h - what happens when a traced instruction is reached. */
#ifndef KTRACE_HIT_H
#define KTRACE_HIT_H

#include <linux/types.h>
#include <linux/wait.h>

struct kt_cpu;
struct kt_desc;
struct kt_site;
struct pt_regs;

/*
 * Record a hit.  regs are those of the traced instruction, with the
 * instruction pointer at it.  `own` is what the way here added to
 * preempt_count(): NMI_OFFSET + HARDIRQ_OFFSET in a breakpoint handler.
 * Context: any, NMI included, interrupts off (which is also what makes it an
 * RCU reader).  Takes no lock, allocates nothing.
 */
void kt_hit(struct kt_site *site, const struct pt_regs *regs, unsigned int own);

/*
 * The same when a function has returned.  regs: as its caller has them then; sp: what the stack pointer was when
 * it was entered.  Interrupts off; nothing added to preempt_count().
 */
void kt_hit_return(struct kt_site *site, const struct pt_regs *regs, u64 sp);

/*
 * The same for trampolines, which add nothing to preempt_count() and have looked at the site's descriptor: where it
 * does not need all registers, regs has the scratch registers only; where it does, kt_hit_jump_all()
 * fills in what is not pushed.
 */
void kt_hit_jump(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc);
void kt_hit_jump_all(struct kt_site *site, struct pt_regs *regs, struct kt_desc *desc);

/*
 * Followers sleep on kt_hit_wait.  After kt_hit_arm_wakeup() they are woken by the next hit on a CPU
 * that has so many complete packets unseen; of several followers the least counts.
 */
extern wait_queue_head_t kt_hit_wait;
void kt_hit_arm_wakeup(u32 packets);

/*
 * A hit in a measurement, the long way: meter.h.  how: what `own` is above, and in KT_HOW_METHOD KT_METHOD_*;
 * now: ticks when it began.
 */
#define KT_HOW_METHOD	0xffU
void kt_hit_measured(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc, u64 sp,
		     unsigned int how, u64 now);

/* The brake turns it away: what accounts for that, besides the counter that is returned. */
u64 *kt_hit_braked(struct kt_cpu *cpu, struct kt_desc *desc);

/* Wake them all: a measurement is over.  Any context. */
void kt_hit_wake(void);

void kt_hit_init(void);
void kt_hit_exit(void);

#endif
