/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arch.h - what an architecture gives to the module: one const struct, filled
 * in by arch/<cpu>/kmod/arch.c.
 */
#ifndef KTRACE_KMOD_ARCH_H
#define KTRACE_KMOD_ARCH_H

#include <linux/types.h>

struct kt_site;
struct module;

/* What can be written at a site; each takes effect on all CPUs with the next sync(). */
enum kt_poke {
	KT_POKE_BREAKPOINT,	/* over the first byte (or word) of the instruction */
	KT_POKE_ORIGINAL,	/* its own first byte back */
	KT_POKE_JUMP_TAIL,	/* the jump but for its first byte, behind a breakpoint */
	KT_POKE_JUMP_HEAD,	/* its first byte */
	KT_POKE_REGION_TAIL,	/* what the tail of the jump had replaced */
	KT_NR_POKES,
};

struct kt_arch_ops {
	u16 elf_machine;	/* published to controllers */
	/* Static tracepoints that a breakpoint passes before its hook, by name; where a kernel has them.  NULL ends them. */
	const char *const *way;
	/*
	 * Patches of ours and of others (kprobes) look different, and neither is put on the other or taken for
	 * the original: text_mutex is held where it can be found, but need not be.
	 */
	bool patches_differ;

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
	 * Does the kernel write instructions like this one where its jump labels, its static calls,
	 * its bugs and warnings are?  Its own queries look at every entry of their tables.
	 */
	bool (*may_be_jump_label)(const u8 *insn, u8 len);
	bool (*may_be_static_call)(const u8 *insn, u8 len);
	bool (*may_be_bug)(const u8 *insn, u8 len);

	/*
	 * Have memory ready for what prepare() / prepare_jump() need for the next turn of sites, near addr.  Sleepable, under
	 * kt_change_lock alone.
	 */
	void (*reserve)(unsigned long addr, bool jumps);

	/*
	 * Give a site (addr, insn and insn_len are set) what executes its
	 * instruction elsewhere; nothing is executed from there yet.  Called
	 * under text_mutex.
	 */
	enum kt_refusal (*prepare)(struct kt_site *site);
	/*
	 * May a jump replace the instructions at this site (prepare() was done), in a
	 * function of `size` bytes at `start`?  Fills in region and region_len, or
	 * KT_REFUSE_METHOD.  Under the table's and the text lock; landing_prepare() was called.
	 */
	enum kt_refusal (*region)(struct kt_site *site, unsigned long start, unsigned long size);
	/* Are they still as they were, behind our breakpoint?  Same locks. */
	bool (*region_intact)(const struct kt_site *site);
	/*
	 * Give it a trampoline, and in region_slot what executes the whole region for hits by the
	 * breakpoint.  -ENOSPC, -EINVAL.  Same locks.
	 */
	int (*prepare_jump)(struct kt_site *site);
	/*
	 * Is the jump as we wrote it, and nobody's probe on it?  Under kt_change_lock; the answer holds as long as the caller
	 * holds the text lock, too.
	 */
	bool (*jump_intact)(const struct kt_site *site);

	/* Give slot and trampoline back.  No CPU or task can be in them any more.  Any task context. */
	void (*release)(struct kt_site *site);

	/* Under text_mutex and with CPU hotplug held off. */
	void (*poke)(struct kt_site *site, enum kt_poke what);
	void (*sync)(void);
	/* What was prepared and poked so far is written: before the text lock is left. */
	void (*flush)(void);

	/*
	 * What static tracepoints call, with the site and then their arguments; it hits the site with
	 * the registers of the call, and its entry as instruction pointer.
	 */
	void *event_probe;

	/* Can this byte of live text, at addr, be the first of what we or a kprobe of others wrote? */
	bool (*may_be_patch)(const u8 *text, unsigned long addr);
	/*
	 * What a kprobe of others at addr replaces in the text, to out[KT_MAX_INSN]: so many bytes, at most probe_bytes,
	 * 0 where there is none.  Under the text lock.
	 */
	u8 (*unprobe)(unsigned long addr, u8 *out);
	u8 probe_bytes;
	/*
	 * Set the bits, one for each of the n bytes at addr, of what the kernel itself patches while it runs: jump
	 * labels, static calls.  Under the table's and the text lock.
	 */
	void (*mark_patched)(unsigned long addr, size_t n, unsigned long *bits);

	/*
	 * What region() needs to know of the text around addr / a module's text is going.
	 * Negative errno: no jumps there.  Sleepable, under kt_change_lock.
	 */
	int (*landing_prepare)(unsigned long addr, const struct module *mod);
	void (*landing_forget)(const struct module *mod);

	/* Wait until no task can be running or preempted in a slot.  Sleepable. */
	void (*quiesce)(void);

	/* Slots in use that are no tracepoint's. */
	u32 (*own_slots)(void);
	/* Breakpoints that were met just after their removal. */
	u64 (*stray)(void);
};

extern const struct kt_arch_ops kt_arch;

#endif
