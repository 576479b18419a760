// SPDX-License-Identifier: GPL-2.0-only
/*
 * callers.c - walk the stack.  See kmod/base/load.h.
 *
 * For each return address the kernel's unwinder searches its table (ORC) for what the frame looks like, which takes hundreds of
 * instructions.  The entry of the table depends on the address alone.  So `steps` keeps, by address, the entries that walks have met:
 * most walks then only read the stack.
 *
 * A step is kept only if it leads where the unwinder has gone: to the same caller, stack pointer and frame pointer.  Entries of other
 * forms are kept as STEP_ODD: there the unwinder does the whole walk.  A walk by steps emits only callers that have a step.  So it
 * never emits what ftrace's graph tracer or a kretprobe has written over a return address: the unwinder knows the caller that stood
 * there.  It reads the stack of the current task alone, and only upwards.
 *
 * A step is one word, so any context may read and write it while others do.  The kernel's own text stays.  When a module
 * goes, all steps are forgotten: its text may become that of another one.
 */
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched/task_stack.h>
#include <asm/unwind.h>

#include "kmod/base/ksym.h"
#include "kmod/base/load.h"
#include "load_arch.h"

struct callers {
	u64 *to;
	u32 n, most;
};

/* WALK_IS_NEW: the unwinder may tell more steps. */
enum walked { WALKED, WALK_IS_NEW, WALK_IS_ODD };

#ifdef CONFIG_UNWINDER_ORC
#include <asm/orc_types.h>

/* ----------------------------------------------------------------------- steps */

struct frame {
	u64 ip, sp, bp;
};

/*
 * What is so far above the stack pointer or the frame pointer: the word behind the address of the caller, or the registers of a
 * program; or the walk ends here.
 */
enum step_kind { STEP_FREE, STEP_CALLER, STEP_REGS, STEP_END, STEP_ODD };

/*
 * A step, from the lowest bit on: the low half of the address, which is in the top 2 GiB; STEP_AT_HIT; the kind; STEP_BY_BP;
 * STEP_HAS_BP; two signed numbers of words: how far it is, and how far from there the frame pointer has been saved.
 */
#define STEP_AT_HIT	(1ULL << 32)	/* a hit is there, so the address is not one behind a call */
#define STEP_KEY	(STEP_AT_HIT | 0xffffffffULL)
#define STEP_KIND	33
#define STEP_BY_BP	(1ULL << 36)
#define STEP_HAS_BP	(1ULL << 37)
#define STEP_BP		40
#define STEP_FAR	52
#define STEP_WORDS	2047	/* at most */

#define TABLE_BITS	12
#define TABLE_SPREAD	0x9e3779b1U

static u64 steps[1 << TABLE_BITS];

static __always_inline u64 key_of(u64 ip, bool at_hit)
{
	return (u32)ip | (at_hit ? STEP_AT_HIT : 0);
}

/* The first of two slots. */
static __always_inline u64 *slot_of(u64 key)
{
	return &steps[((u32)key * TABLE_SPREAD >> (32 - TABLE_BITS)) & ~1U];
}

static __always_inline enum step_kind kind_of(u64 step)
{
	return step >> STEP_KIND & 7;
}

/* STEP_FREE: nothing is known. */
static __always_inline u64 step_at(u64 ip, bool at_hit)
{
	const u64 key = key_of(ip, at_hit), *slot = slot_of(key);
	u64 step = READ_ONCE(slot[0]);

	if (unlikely(ip < __START_KERNEL_map))
		return 0;
	if (likely((step & STEP_KEY) == key))
		return step;
	step = READ_ONCE(slot[1]);
	return (step & STEP_KEY) == key ? step : 0;
}

static void keep(u64 step)
{
	u64 *slot = slot_of(step);

	if ((READ_ONCE(slot[0]) ^ step) & STEP_KEY)
		WRITE_ONCE(slot[1], READ_ONCE(slot[0]));
	WRITE_ONCE(slot[0], step);
}
NOKPROBE_SYMBOL(keep);

void kt_callers_forget(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(steps); i++)
		WRITE_ONCE(steps[i], 0);
}

/* ------------------------------------------------------------------- by steps */

/* Has the current task's stack a word there? */
static __always_inline bool is_on_stack(u64 at)
{
	return at - (unsigned long)task_stack_page(current) <= THREAD_SIZE - sizeof(u64);
}

static __always_inline u64 far_end(u64 step, const struct frame *f)
{
	return (step & STEP_BY_BP ? f->bp : f->sp) + ((s64)step >> STEP_FAR) * 8;
}

/* Go to the caller.  False: it cannot be there. */
static __always_inline bool go(u64 step, struct frame *f)
{
	const u64 sp = far_end(step, f), saved = sp + ((s64)(step << (64 - STEP_FAR)) >> (64 - STEP_FAR + STEP_BP)) * 8;

	if (unlikely(sp <= f->sp || !is_on_stack(sp - 8) || (step & STEP_HAS_BP && !is_on_stack(saved))))
		return false;
	f->ip = READ_ONCE(*(u64 *)(sp - 8));
	f->sp = sp;
	if (step & STEP_HAS_BP)
		f->bp = READ_ONCE(*(u64 *)saved);
	return true;
}

/* Are these the registers of the program?  An exception in the kernel has others, elsewhere. */
static __always_inline bool is_program(u64 regs)
{
	return regs == (unsigned long)task_pt_regs(current) && user_mode(task_pt_regs(current));
}

static enum walked walk_by_steps(const struct pt_regs *regs, struct callers *c)
{
	struct frame f = { .ip = regs->ip, .sp = regs->sp, .bp = regs->bp };
	u64 step = step_at(f.ip, true);

	if (unlikely(!is_on_stack(f.sp)))
		return WALK_IS_ODD;
	while (c->n < c->most && likely(kind_of(step) == STEP_CALLER)) {
		if (unlikely(!go(step, &f)))
			return WALK_IS_ODD;
		step = step_at(f.ip, false);
		if (unlikely(!step))
			return WALK_IS_NEW;
		c->to[c->n++] = f.ip;
	}
	if (c->n == c->most || kind_of(step) == STEP_END || (kind_of(step) == STEP_REGS && is_program(far_end(step, &f))))
		return WALKED;
	return step ? WALK_IS_ODD : WALK_IS_NEW;
}
NOKPROBE_SYMBOL(walk_by_steps);

/* ----------------------------------------------------------------------- learn */

struct orc {
	const int *ips;		/* each entry is the distance of an address from it */
	const struct orc_entry *entries;
	u32 nr;
};

static struct orc kernel_orc __ro_after_init;

void __init kt_callers_init(void)
{
	const unsigned long ips = kt_ksym_find("__start_orc_unwind_ip"), end = kt_ksym_find("__stop_orc_unwind_ip");
	const unsigned long entries = kt_ksym_find("__start_orc_unwind");

	if (ips && end && entries)
		kernel_orc = (struct orc){ (void *)ips, (void *)entries, (end - ips) / sizeof(int) };
}

/* The table for text that stays until kt_callers_forget().  False: there is none. */
static bool find_orc(u64 ip, struct orc *orc)
{
	const struct module *module;

	if (ip < __START_KERNEL_map || system_state < SYSTEM_RUNNING)
		return false;
	*orc = kernel_orc;
	if (kt_core_kernel_text(ip))
		return orc->nr;
	module = kt___module_text_address(ip);
	if (!module || module->state != MODULE_STATE_LIVE || !within_module_core(ip, module))
		return false;
	*orc = (struct orc){ module->arch.orc_unwind_ip, module->arch.orc_unwind, module->arch.num_orcs };
	return orc->nr;
}
NOKPROBE_SYMBOL(find_orc);

/* The last entry that is not behind the address. */
static const struct orc_entry *entry_of(const struct orc *orc, u64 ip)
{
	u32 low = 0, high = orc->nr;

	while (high - low > 1) {
		const u32 middle = low + (high - low) / 2;

		if ((unsigned long)&orc->ips[middle] + orc->ips[middle] <= ip)
			low = middle;
		else
			high = middle;
	}
	return &orc->entries[low];
}
NOKPROBE_SYMBOL(entry_of);

static bool fits(s32 bytes)
{
	return !(bytes % 8) && bytes >= -8 * STEP_WORDS && bytes <= 8 * STEP_WORDS;
}
NOKPROBE_SYMBOL(fits);

static u64 step_from(const struct orc_entry *entry, enum step_kind kind)
{
	const bool by_bp = entry->sp_reg == ORC_REG_BP, has_bp = entry->bp_reg == ORC_REG_PREV_SP;

	if (kind == STEP_END)
		return (u64)kind << STEP_KIND;
	if ((!by_bp && entry->sp_reg != ORC_REG_SP) || (!has_bp && entry->bp_reg != ORC_REG_UNDEFINED) || !fits(entry->sp_offset) ||
	    (has_bp && !fits(entry->bp_offset)))
		return (u64)STEP_ODD << STEP_KIND;
	return (u64)kind << STEP_KIND | (by_bp ? STEP_BY_BP : 0) | (has_bp ? STEP_HAS_BP : 0) | (u64)(entry->sp_offset / 8) << STEP_FAR |
	       (has_bp ? ((u64)(entry->bp_offset / 8) & 0xfff) << STEP_BP : 0);
}
NOKPROBE_SYMBOL(step_from);

/* Does the step lead to where the unwinder has gone? */
static bool leads_to(u64 step, struct frame f, const struct unwind_state *state)
{
	if (kind_of(step) == STEP_REGS)
		return far_end(step, &f) == (unsigned long)state->regs;
	return kind_of(step) == STEP_END || (go(step, &f) && f.sp == state->sp && f.bp == state->bp);
}
NOKPROBE_SYMBOL(leads_to);

static bool is_replaced(const struct unwind_state *state)
{
	return is_on_stack(state->sp - 8) && READ_ONCE(*(u64 *)(state->sp - 8)) != state->ip;
}
NOKPROBE_SYMBOL(is_replaced);

/* The unwinder has gone from the frame to `state`. */
static void learn(const struct frame *from, bool at_hit, struct unwind_state *state)
{
	const enum step_kind kind = state->error ? STEP_ODD : unwind_done(state) ? STEP_END : state->regs ? STEP_REGS : STEP_CALLER;
	struct orc orc;
	u64 step;

	if (!is_on_stack(from->sp) || !find_orc(from->ip, &orc) || (kind == STEP_CALLER && is_replaced(state)))
		return;
	step = step_from(entry_of(&orc, at_hit ? from->ip : from->ip - 1), kind);
	if (!leads_to(step, *from, state))
		step = (u64)STEP_ODD << STEP_KIND;
	keep(step | key_of(from->ip, at_hit));
}
NOKPROBE_SYMBOL(learn);

/* What an exception has interrupted is not behind a call: of that, nothing is learned. */
static void walk_and_learn(struct pt_regs *regs, struct callers *c)
{
	struct frame from = { .ip = regs->ip, .sp = regs->sp, .bp = regs->bp };
	struct unwind_state state;
	bool is_behind_call;

	unwind_start(&state, current, regs, NULL);
	learn(&from, true, &state);
	while (c->n < c->most && !unwind_done(&state)) {
		from.ip = unwind_get_return_address(&state);
		if (!from.ip)
			break;
		c->to[c->n++] = from.ip;
		from.sp = state.sp;
		from.bp = state.bp;
		is_behind_call = !state.signal && !state.regs && !state.prev_regs;
		unwind_next_frame(&state);
		if (is_behind_call)
			learn(&from, false, &state);
	}
}
NOKPROBE_SYMBOL(walk_and_learn);

#else

void __init kt_callers_init(void)
{
}

void kt_callers_forget(void)
{
}

static enum walked walk_by_steps(const struct pt_regs *regs, struct callers *c)
{
	return WALK_IS_ODD;
}

static void walk_and_learn(struct pt_regs *regs, struct callers *c)
{
}

#endif

/* ------------------------------------------------------------------------ walk */

static void walk(struct pt_regs *regs, struct callers *c)
{
	struct unwind_state state;
	unsigned long addr;

	unwind_start(&state, current, regs, NULL);
	for (; c->n < c->most && !unwind_done(&state); unwind_next_frame(&state)) {
		addr = unwind_get_return_address(&state);
		if (!addr)
			break;
		c->to[c->n++] = addr;
	}
}
NOKPROBE_SYMBOL(walk);

/*
 * The registers of a trampoline have no valid cs, so set it: otherwise the unwinder takes them for registers of user
 * mode.
 */
static noinline u32 walk_by_unwinder(const struct pt_regs *regs, struct callers *c, bool learns)
{
	struct pt_regs here = *regs;

	here.cs = __KERNEL_CS;
	c->n = 0;
	if (learns)
		walk_and_learn(&here, c);
	else
		walk(&here, c);
	return c->n;
}
NOKPROBE_SYMBOL(walk_by_unwinder);

u32 kt_callers(const struct pt_regs *regs, u64 *to, u32 most)
{
	struct callers c = { .to = to, .most = most };
	const enum walked walked = walk_by_steps(regs, &c);

	/* Only with interrupts off do modules stay while their addresses are looked up. */
	return likely(walked == WALKED) ? c.n : walk_by_unwinder(regs, &c, walked == WALK_IS_NEW && irqs_disabled());
}
NOKPROBE_SYMBOL(kt_callers);
