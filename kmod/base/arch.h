/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arch.h - the interface between the module and an architecture: one const struct, defined in arch/<cpu>/kmod/arch.c.
 */
#ifndef KTRACE_KMOD_ARCH_H
#define KTRACE_KMOD_ARCH_H

#include <linux/types.h>

struct kt_hit_code;
struct kt_insn;
struct kt_site;
struct module;

/* What poke() writes at a site.  It takes effect on all CPUs with the next sync(). */
enum kt_poke {
	KT_POKE_BREAKPOINT,	/* a breakpoint over the first byte (or word) of the instruction */
	KT_POKE_ORIGINAL,	/* the original first byte (or word) */
	KT_POKE_JUMP_TAIL,	/* the jump without its first byte, behind a breakpoint */
	KT_POKE_JUMP_HEAD,	/* the first byte of the jump */
	KT_POKE_DISPLACED_TAIL,	/* the original bytes under the tail of the jump */
	KT_NR_POKES,
};

struct kt_arch_ops {
	u16 elf_machine;	/* published to controllers */
	/*
	 * Names of the static tracepoints on the breakpoint entry path; NULL ends the list.  A kernel may lack some of
	 * them.
	 */
	const char *const *entry_path;
	/*
	 * ktrace's patches differ from those of kprobes.  So neither patches over the other, or takes the other's
	 * patch for the original instruction.  Then a kernel that hides its text_mutex is supported: the module uses
	 * its own mutex.
	 */
	bool patches_differ;

	/*
	 * init() registers the breakpoint hook; exit() removes it, and on its return no CPU is in the hook.  init()
	 * returns a negative errno and logs the reason; the caller then has nothing to undo.  Sleepable, no lock
	 * held.
	 */
	int (*init)(void);
	void (*exit)(void);

	/*
	 * Decode from the start of the symbol (`start`) to addr.  KT_REFUSE_NONE: insn[KT_MAX_INSN] has the original
	 * bytes of the instruction at addr, and *len is its length.  Otherwise the reason; *nearest is then an
	 * instruction boundary before addr, or 0.  Under kt_table_lock and the text lock; may sleep.
	 */
	enum kt_refusal (*decode)(unsigned long start, unsigned long addr, u8 *insn, u8 *len,
				  unsigned long *nearest);

	/*
	 * Can the instruction insn[len] (at addr) be a jump label, a static call, a BUG() or WARN()?  If not, the caller skips
	 * the kernel's query, which searches a whole table.  Under the text lock.
	 */
	bool (*may_be_jump_label)(const u8 *insn, u8 len);
	bool (*may_be_static_call)(unsigned long addr, const u8 *insn, u8 len);
	bool (*may_be_bug)(const u8 *insn, u8 len);

	/*
	 * Allocate memory for the next turn of sites close to addr: for prepare(), or with `jumps` for
	 * prepare_jump().  It reports no error: without memory those two fail later.  Sleepable, under kt_change_lock
	 * alone.
	 */
	void (*reserve)(unsigned long addr, bool jumps);

	/*
	 * Write an out-of-line copy of the site's instruction (addr, insn, insn_len) that has the same effect, and
	 * set plain and slot to it.  The site owns the copy until release().  No CPU executes it yet.  If refused,
	 * the site is unchanged.  Under the text lock; may sleep.
	 */
	enum kt_refusal (*prepare)(struct kt_site *site);
	/*
	 * May a jump replace the instructions at this site, in a function of `size` bytes at `start`?  The caller has
	 * called prepare() and branch_targets_prepare().  KT_NO_JUMP_NONE: displaced and displaced_len are filled in;
	 * otherwise the reason, and displaced_len is 0.  Under kt_change_lock, kt_table_lock and the text lock.
	 */
	enum kt_no_jump (*displace)(struct kt_site *site, unsigned long start, unsigned long size);
	/*
	 * Are the displaced instructions unchanged behind ktrace's breakpoint, without a probe of others on them?
	 * Same locks.
	 */
	bool (*displaced_intact)(const struct kt_site *site);
	/*
	 * Write a trampoline for the site.  Sets trampoline, and displaced_slot: the copy of the displaced
	 * instructions in the trampoline, to which hits by the breakpoint go.  The site owns it until release().
	 * -ENOSPC: no room; -EINVAL: a jump does not reach the trampoline, or the displaced instructions what they need
	 * from there; the site is then unchanged.  Same locks.
	 */
	int (*prepare_jump)(struct kt_site *site);
	/*
	 * Does the trampoline have the form for the site's present descriptor?  If not, prepare_jump() replaces it; the caller
	 * then owns the old one, and frees it by release_jump() under the rule of release().  A measurement is calibrated for a
	 * trampoline of the right form.  NULL: all trampolines have the same form.  Under kt_table_lock.
	 */
	bool (*jump_fits)(const struct kt_site *site);
	void (*release_jump)(void *trampoline);
	/*
	 * Is the jump as ktrace wrote it, without a probe of others on it?  Under kt_change_lock.  The answer stays
	 * true as long as the caller also holds the text lock.
	 */
	bool (*jump_intact)(const struct kt_site *site);

	/* Free the site's slot and trampoline.  No CPU or task can be in them any more.  Sleepable. */
	void (*release)(struct kt_site *site);

	/*
	 * poke() writes at a site, or queues the write.  When sync() returns, all writes are done and each CPU
	 * executes the new text.  Both under the text lock, which keeps CPUs from going online or offline; may sleep.
	 */
	void (*poke)(struct kt_site *site, enum kt_poke what);
	void (*sync)(void);
	/* Do the writes that prepare() and poke() have queued.  Call it before releasing the text lock.  May sleep. */
	void (*flush)(void);

	/*
	 * The probe for static tracepoints: the kernel calls it with the site and then the arguments of the static
	 * tracepoint.  It calls kt_hit_event() or kt_hit_event_all() with interrupts off.  This returns always the same.
	 */
	void *(*event_probe)(void);

	/*
	 * text[n] was read at addr.  Returns the first of its bytes from text[from] on that can begin a patch of ktrace or of a
	 * kprobe of others; n: none can.  Any context.
	 */
	size_t (*next_patch)(const u8 *text, size_t from, size_t n, unsigned long addr);
	/*
	 * Copy the original bytes that a kprobe of others at addr has replaced to out[KT_MAX_INSN].  Returns their
	 * number, at most probe_bytes; 0: there is no kprobe.  Under the text lock.
	 */
	u8 (*unprobe)(unsigned long addr, u8 *out);
	u8 probe_bytes;
	/*
	 * Is a kprobe of others registered at addr, armed or not, or one before addr whose jump may reach it?  Under the
	 * text lock.
	 */
	bool (*is_probed)(unsigned long addr);
	/*
	 * `bits` has one bit for each of the n bytes at addr.  Set the bits of bytes that the kernel itself patches
	 * while it runs (jump labels, static calls); leave the other bits alone.  Under kt_table_lock and the text
	 * lock.
	 */
	void (*mark_patched)(unsigned long addr, size_t n, unsigned long *bits);

	/*
	 * branch_targets_prepare() collects the branch targets in the text around addr for displace() (mod: its
	 * module, or NULL), and keeps them.  The first call for a text takes long.  -ENOMEM, -ENOENT: no jumps there.
	 * branch_targets_forget() frees them when a module is unloaded.  Both sleepable, under kt_change_lock.
	 */
	int (*branch_targets_prepare)(unsigned long addr, const struct module *mod);
	void (*branch_targets_forget)(const struct module *mod);

	/*
	 * Wait until no task runs, or is preempted, in a slot that no text leads to any more.  Sleepable, under no
	 * lock.
	 */
	void (*quiesce)(void);

	/*
	 * Generate machine code for a capture program: see kmod/text/code.h.  Writes the code for `len` instructions, to be
	 * executed at the address `at`, to out[room].  Returns its bytes, also if there is not so much room; -EOPNOTSUPP,
	 * -ENOMEM.  Sleepable.  NULL: the architecture has no generator.
	 */
	int (*generate)(const struct kt_insn *insns, u32 len, u8 *out, u32 room, unsigned long at);
	/*
	 * The same for whole hits of static tracepoints, and for those that choose a case: the code of system call n is
	 * hits[n].  event_slow is the code of a descriptor that has no code of its own.  NULL: event_probe knows no such code.
	 */
	int (*generate_hit)(const struct kt_hit_code *what, u8 *out, u32 room, unsigned long at);
	int (*generate_cases)(const struct kt_hit_code *what, void *const *hits, u32 nr, u8 *out, u32 room,
			      unsigned long at);
	const void *event_slow;

	/* Slots that the architecture code itself uses.  Any context. */
	u32 (*own_slots)(void);
	/* How many breakpoints reached the hook just after their removal.  Any context. */
	u64 (*stray)(void);
	/* Bytes of a trampoline, and how many of them are instructions; 0: not the same for all. */
	u32 trampoline_bytes, trampoline_text;
	/* As event_slow, for the jumps of direct trampolines.  NULL: there are none. */
	const void *direct_slow;
	/* All trampolines go on by way of site->direct, those of recordings, too. */
	bool all_jumps_direct;
};

extern const struct kt_arch_ops kt_arch;

#endif
