/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arch.h - what an architecture gives to the module: one const struct, filled
 * in by arch/<cpu>/kmod/arch.c.
 */
#ifndef KTRACE_KMOD_ARCH_H
#define KTRACE_KMOD_ARCH_H

#include <linux/types.h>

struct kt_site;

struct kt_arch_ops {
	u16 elf_machine;	/* published to controllers */
	u32 nr_slots;		/* out-of-line slots there are */

	/*
	 * Hook breakpoints / leave them.  After exit() no CPU is in the hook.
	 * Negative errno; the reason is logged.  Sleepable.
	 */
	int (*init)(void);
	void (*exit)(void);

	/*
	 * Decode from the symbol's start (`start`) to addr.  KT_REFUSE_NONE with
	 * the original bytes and length of the instruction, or why not;
	 * *nearest is then a boundary before addr, or 0.
	 * Called under text_mutex.
	 */
	enum kt_refusal (*decode)(unsigned long start, unsigned long addr, u8 *insn, u8 *len,
				  unsigned long *nearest);

	/*
	 * Give a site (addr, insn and insn_len are set) what executes its
	 * instruction elsewhere; nothing is executed from there yet.  Called
	 * under text_mutex.
	 */
	enum kt_refusal (*prepare)(struct kt_site *site);
	/* Give it back.  No CPU or task can be in it any more.  Any task context. */
	void (*release)(struct kt_site *site);

	/*
	 * Put a breakpoint on a prepared site / the original byte back.  Takes
	 * effect on all CPUs with the next sync().  Called under text_mutex
	 * and with CPU hotplug held off.
	 */
	void (*arm)(struct kt_site *site);
	void (*disarm)(struct kt_site *site);
	void (*sync)(void);

	/* Do these bytes begin with the architecture's breakpoint? */
	bool (*is_breakpoint)(const u8 *text);

	/* Wait until no task can be running or preempted in a slot.  Sleepable. */
	void (*quiesce)(void);

	u32 (*slots_used)(void);
	/* Breakpoints that were met just after their removal. */
	u64 (*stray)(void);
};

extern const struct kt_arch_ops kt_arch;

#endif
