/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bring_in.h - bring in the pages that a hit will read, where the hit comes from a context that may fault: an instruction of a
 * program, or a static tracepoint of system calls in kernels that allow it (since 6.13).
 */
#ifndef KTRACE_BRING_IN_H
#define KTRACE_BRING_IN_H

struct kt_desc;
struct kt_site;
struct pt_regs;

/* From now on kt_bring_in_sync() has to wait.  Before the first kt_bring_in() of a site. */
void kt_bring_in_begins(void);

/*
 * Run the programs of the site as the hit will, but with faults allowed, and forget what they emit.  regs: those of the hit.
 * Task context that may sleep.
 */
void kt_bring_in(struct kt_site *site, const struct pt_regs *regs);

/*
 * The same for the hit of a static tracepoint under this descriptor, then the hit itself.  Called with interrupts off, as for a hit; they
 * are on meanwhile, where the task may sleep.
 */
void kt_bring_in_event(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
		       void (*hit)(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc));

/* Wait until no task uses a descriptor that kt_bring_in() has read before.  Sleepable. */
void kt_bring_in_sync(void);

#endif
