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
	KT_POKE_DISPLACED_TAIL,	/* what the tail of the jump had replaced */
	KT_NR_POKES,
};

struct kt_arch_ops {
	u16 elf_machine;	/* published to controllers */
	/* Static tracepoints that a breakpoint passes before its hook, by name; where a kernel has them.  NULL ends them. */
	const char *const *entry_path;
	/*
	 * Our patches and those of others (kprobes) look different.  Nobody puts one on the other, or takes one for the
	 * original.  So the module holds text_mutex where it finds it, and does without where it does not.
	 */
	bool patches_differ;

	/*
	 * init() has the kernel call us at breakpoints; exit() ends that.  After exit() no CPU is in the hook.
	 * init() returns a negative errno and logs the reason; nothing is to be undone then.  Sleepable, no lock held.
	 */
	int (*init)(void);
	void (*exit)(void);

	/*
	 * Decode from the symbol's start (`start`) to addr.  KT_REFUSE_NONE: insn[KT_MAX_INSN] has the original bytes of
	 * the instruction at addr, and *len how many they are.  Else why not; *nearest is then a boundary before addr, or 0.
	 * Under the table's and the text lock; may sleep.
	 */
	enum kt_refusal (*decode)(unsigned long start, unsigned long addr, u8 *insn, u8 *len,
				  unsigned long *nearest);

	/*
	 * Can the instruction insn[len] be a jump label, a static call, a BUG() or WARN()?  False saves the kernel's own
	 * query, which looks at every entry of a table.  Any context.
	 */
	bool (*may_be_jump_label)(const u8 *insn, u8 len);
	bool (*may_be_static_call)(const u8 *insn, u8 len);
	bool (*may_be_bug)(const u8 *insn, u8 len);

	/*
	 * Get memory for the next turn of sites near addr: what prepare() will take, or with `jumps` what prepare_jump()
	 * will.  Without memory nothing happens: those two fail then.  Sleepable, under kt_change_lock alone.
	 */
	void (*reserve)(unsigned long addr, bool jumps);

	/*
	 * Write a copy of the site's instruction (addr, insn, insn_len) that does the same elsewhere, and set plain and slot
	 * to it.  The site owns it until release().  No CPU executes it yet.  Refused: the site is as it was.
	 * Under the text lock; may sleep.
	 */
	enum kt_refusal (*prepare)(struct kt_site *site);
	/*
	 * May a jump replace the instructions at this site, in a function of `size` bytes at `start`?  The caller has done
	 * prepare() and branch_targets_prepare().  KT_REFUSE_NONE: displaced and displaced_len are filled in; else KT_REFUSE_METHOD.
	 * Under kt_change_lock, the table's and the text lock.
	 */
	enum kt_refusal (*displace)(struct kt_site *site, unsigned long start, unsigned long size);
	/* Are the bytes of the displaced instructions as they were, behind our breakpoint, and nobody's probe there?  Same locks. */
	bool (*displaced_intact)(const struct kt_site *site);
	/*
	 * Write a trampoline for the site.  Sets trampoline, and displaced_slot: a copy of the whole displaced instructions in it, for hits by
	 * the breakpoint.  The site owns it until release().  -ENOSPC: no room; -EINVAL: the displaced instructions cannot be executed
	 * elsewhere; the site is as it was.  Same locks.
	 */
	int (*prepare_jump)(struct kt_site *site);
	/*
	 * Is the jump as we wrote it, and nobody's probe on it?  Under kt_change_lock; the answer holds as long as the caller
	 * holds the text lock, too.
	 */
	bool (*jump_intact)(const struct kt_site *site);

	/* Free the site's slot and trampoline.  No CPU or task can be in them any more.  Sleepable. */
	void (*release)(struct kt_site *site);

	/*
	 * poke() writes at a site, or notes what to write.  When sync() returns all of it is written, and each CPU executes
	 * the new text.  Both under the text lock, which keeps CPUs from coming and going; may sleep.
	 */
	void (*poke)(struct kt_site *site, enum kt_poke what);
	void (*sync)(void);
	/* Write what prepare() and poke() have noted.  The caller does so before it gives the text lock back.  May sleep. */
	void (*flush)(void);

	/*
	 * The function that static tracepoints call, with the site and then their own arguments.  It calls kt_hit_event()
	 * with the registers of the call, and with site->entry as instruction pointer.
	 */
	void *event_probe;

	/* Can the byte *text, read at addr, be the first of a patch of ours, or of a kprobe of others?  Any context. */
	bool (*may_be_patch)(const u8 *text, unsigned long addr);
	/*
	 * Copy what a kprobe of others at addr has replaced to out[KT_MAX_INSN].  Returns the bytes, at most probe_bytes; 0
	 * where there is no kprobe.  Under the text lock.
	 */
	u8 (*unprobe)(unsigned long addr, u8 *out);
	u8 probe_bytes;
	/*
	 * bits has one bit for each of the n bytes at addr: set those of bytes that the kernel itself patches while it runs
	 * (jump labels, static calls).  The others stay as they are.  Under the table's and the text lock.
	 */
	void (*mark_patched)(unsigned long addr, size_t n, unsigned long *bits);

	/*
	 * branch_targets_prepare() finds out what displace() needs to know of the text around addr (mod: its module, or NULL), and
	 * remembers it.  The first time takes long.  -ENOMEM, -ENOENT: no jumps there.  branch_targets_forget(): the text of a
	 * module goes.  Both sleepable, under kt_change_lock.
	 */
	int (*branch_targets_prepare)(unsigned long addr, const struct module *mod);
	void (*branch_targets_forget)(const struct module *mod);

	/* Wait until no task runs, or is preempted, in a slot that nothing leads to any more.  Sleepable, under no lock. */
	void (*quiesce)(void);

	/* Slots that the architecture uses for itself.  Any context. */
	u32 (*own_slots)(void);
	/* How many breakpoints were met just after their removal.  Any context. */
	u64 (*stray)(void);
};

extern const struct kt_arch_ops kt_arch;

#endif
