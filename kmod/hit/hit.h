/* SPDX-License-Identifier: GPL-2.0-only */
/* hit.h - the entry points of the hit path. */
#ifndef KTRACE_HIT_H
#define KTRACE_HIT_H

#include <linux/types.h>

struct kt_desc;
struct kt_site;
struct pt_regs;

/*
 * A CPU hits a breakpoint of ktrace: record the hit, or count why it is not recorded.  regs: the registers at the
 * traced instruction; the instruction pointer is its address.  The breakpoint handler has added KT_BREAKPOINT_CONTEXT
 * (regs_arch.h) to preempt_count().
 *
 * Context: any, NMI included, with interrupts off, which makes a hit an RCU reader.  The function takes no lock,
 * allocates nothing and cannot fail.  All of this also holds for the other kt_hit_*() functions that take a site.
 */
void kt_hit_breakpoint(struct kt_site *site, const struct pt_regs *regs);

/* A function has returned.  regs: the registers of its caller then; sp: the stack pointer at the function's entry. */
void kt_hit_return(struct kt_site *site, const struct pt_regs *regs, u64 sp);

/*
 * The trampoline of a jump calls one of these, with the descriptor that it has read from the site.  If desc->all_regs
 * is false, regs holds only the scratch registers.  If it is true, kt_hit_jump_all() fills in the fields that the
 * trampoline does not push.
 */
void kt_hit_jump(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc);
void kt_hit_jump_all(struct kt_site *site, struct pt_regs *regs, struct kt_desc *desc);

/*
 * The same, called by the probe of static tracepoints with the registers of the call; the instruction pointer is site->entry.
 * Generated code (kmod/text/code.h) handles most hits of recordings before: it calls these, and kt_hit_jump(), for the others.
 */
void kt_hit_event(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc);
void kt_hit_event_all(struct kt_site *site, struct pt_regs *regs, struct kt_desc *desc);

/*
 * A task is about to execute a traced instruction of its program.  regs: its registers there.  method: KT_METHOD_UPROBE or
 * KT_METHOD_STEPPED; KT_METHOD_AUTO: the program is a 32-bit one, so the hit is only counted, as filtered.  Called with
 * interrupts off.
 */
void kt_hit_user(struct kt_site *site, const struct pt_regs *regs, enum kt_method method);

/* spent: called after a descriptor has reached its limit, in any context except NMI. */
void kt_hit_init(void (*spent)(void));
/* Wait for queued calls of spent() and for queued wake-ups.  No hit can be in progress any more.  Sleepable. */
void kt_hit_exit(void);

#endif
