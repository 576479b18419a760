/* SPDX-License-Identifier: GPL-2.0-only */
/* hit.h - what happens when a traced instruction is reached. */
#ifndef KTRACE_HIT_H
#define KTRACE_HIT_H

#include <linux/types.h>

struct kt_desc;
struct kt_site;
struct pt_regs;

/*
 * A traced instruction is reached by a breakpoint: record the hit, or count why not.  regs are those of the traced
 * instruction, with the instruction pointer at it.  The handler of breakpoints has added KT_BREAKPOINT_CONTEXT
 * (regs_arch.h) to preempt_count().
 * Context: any, NMI included, with interrupts off: that makes a hit an RCU reader.  Takes no lock, allocates nothing,
 * cannot fail.  The same holds for all functions kt_hit_*() below that take a site.
 */
void kt_hit_breakpoint(struct kt_site *site, const struct pt_regs *regs);

/* The kernel calls a static tracepoint: regs are those of the call, with site->entry as instruction pointer. */
void kt_hit_event(struct kt_site *site, const struct pt_regs *regs);

/* A function has returned.  regs: those of its caller then; sp: the stack pointer when the function was entered. */
void kt_hit_return(struct kt_site *site, const struct pt_regs *regs, u64 sp);

/*
 * The trampoline of a jump calls one of these.  It has read the site's descriptor.  Where desc->all_regs is false,
 * regs has the scratch registers only.  Where it is true, kt_hit_jump_all() fills in what is not pushed.
 */
void kt_hit_jump(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc);
void kt_hit_jump_all(struct kt_site *site, struct pt_regs *regs, struct kt_desc *desc);

/* spent() is called when some descriptor has reached its limit.  Any context but NMI. */
void kt_hit_init(void (*spent)(void));
void kt_hit_exit(void);

#endif
