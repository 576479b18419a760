// SPDX-License-Identifier: GPL-2.0-only
/* hit_step.c - see hit_step.h. */
#include <linux/irq_work.h>
#include <linux/kprobes.h>

#include "kmod/base/ktrace.h"
#include "kmod/hit/hit.h"
#include "kmod/hit/hit_step.h"
#include "kmod/hit/recording.h"
#include "kmod/measure/measurement.h"
#include "kmod/measure/task_set.h"

static struct irq_work limit_reached;
static void (*on_limit)(void);

static void disarm_spent(struct irq_work *work)
{
	on_limit();
}

void kt_hit_init(void (*spent)(void))
{
	on_limit = spent;
	kt_wake_init();
	init_irq_work(&limit_reached, disarm_spent);
}

void kt_hit_exit(void)
{
	kt_wake_exit();
	irq_work_sync(&limit_reached);
}

/*
 * Direct code (KT_METHOD_JUMP) that reads memory is not counted in `nest`, which would take longer.  Interrupts are off there,
 * so another context is an NMI or the like, which has a stack of its own.  What the exception of a load executes has the
 * stack of the load.
 */
static __always_inline bool on_stack_of_load(const struct kt_cpu *cpu)
{
	const u32 loads_at = READ_ONCE(cpu->loads_at);

	return loads_at && !((loads_at ^ (u32)(unsigned long)__builtin_frame_address(0)) / THREAD_SIZE);
}

/* KT_NEST_BRAKED is larger than KT_MAX_NEST. */
noinline bool kt_hit_may_nest(const struct kt_cpu *cpu, u32 nest, u32 context)
{
	if (nest >= KT_MAX_NEST || (nest && !((cpu->context[nest - 1] ^ context) & CONTEXT_BITS)))
		return false;
	return !on_stack_of_load(cpu);
}
NOKPROBE_SYMBOL(kt_hit_may_nest);

/* The filter has accepted the hit.  NULL: record it; else the counter of the reason why not. */
static noinline u64 *examine_counts(struct kt_ring_ctl *ctl, struct kt_desc *desc)
{
	if (!kt_desc_take(desc))
		return &ctl->filtered;
	if (!kt_recording_on(desc)) {
		kt_desc_give_back(desc);
		return &ctl->frozen;
	}
	if (kt_desc_spent(desc))
		irq_work_queue(&limit_reached);
	return NULL;
}
NOKPROBE_SYMBOL(examine_counts);

bool kt_hit_leaves_out(const struct kt_desc *desc, enum kt_method method)
{
	return desc->others && !((preempt_count() - added_by(method)) & CONTEXT_BITS) && kt_own_is_current();
}
NOKPROBE_SYMBOL(kt_hit_leaves_out);

/* Is the hit in one of the descriptor's tasks, or about one? */
static bool concerns(const struct kt_desc *desc, const struct pt_regs *regs)
{
	if (kt_task_set_has_current(desc->tasks))
		return true;
	return desc->about && kt_task_set_has(desc->tasks, (const void *)(unsigned long)kt_regs_get(regs, desc->about));
}
NOKPROBE_SYMBOL(concerns);

u64 *kt_hit_examine(struct kt_ring_ctl *ctl, struct kt_desc *desc, const struct pt_regs *regs, enum kt_method method)
{
	struct kt_rings *rings = desc->rings;

	if (kt_recording_frozen(rings) && !(desc->flags & KT_DESC_UNFREEZE))
		return &ctl->frozen;
	if (desc->flags & KT_DESC_TASKS && !concerns(desc, regs))
		return &ctl->filtered;
	if (desc->flags & KT_DESC_FILTERED && !kt_capture_wants(desc->program, regs))
		return &ctl->filtered;
	if (kt_hit_is_own(desc, method))
		return &ctl->filtered;
	if (desc->flags & KT_DESC_COUNTED)
		return examine_counts(ctl, desc);
	if (!kt_recording_on(desc))
		return &ctl->frozen;
	return NULL;
}
NOKPROBE_SYMBOL(kt_hit_examine);

u64 *kt_hit_no_room(struct kt_ring_cpu *here, struct kt_desc *desc)
{
	kt_desc_give_back(desc);
	return &here->no_room;
}
NOKPROBE_SYMBOL(kt_hit_no_room);

/* Make the payload in the draft.  Returns its bytes, an even number. */
static u32 draft_payload(u8 *draft, const struct kt_desc *desc, const struct pt_regs *regs, const struct pt_regs *call)
{
	u8 *end = call && desc->code.run ? desc->code.run(regs, draft, current, call) : NULL;

	if (!end) {
		if (call && desc->code.run)
			kt_load_failed();
		return kt_capture_varying(desc->record, regs, draft);
	}
	if ((end - draft) % 2)
		*end++ = 0;
	return end - draft;
}

/* Copy an even number of bytes.  memcpy() takes long to begin, and payloads are short. */
static __always_inline void copy_payload(u8 *to, const u8 *from, u32 bytes)
{
	for (; bytes >= 8; bytes -= 8, to += 8, from += 8)
		__builtin_memcpy(to, from, 8);
	for (; bytes; bytes -= 2, to += 2, from += 2)
		__builtin_memcpy(to, from, 2);
}

/* The length is known only when the record is complete: make it in the draft of this hit, then copy it. */
u64 *kt_hit_record_varying(struct kt_ring_cpu *here, struct kt_desc *desc, const struct pt_regs *regs,
			   const struct pt_regs *call)
{
	u8 *draft = this_cpu_ptr(desc->rings->drafts)->of[kt_cpu_read(kt_cpus.nest) - 1];
	const u32 bytes = draft_payload(draft, desc, regs, call);
	struct kt_room room = kt_ring_reserve(&here->ring, true, desc->id, bytes >> kt_unit_shift(true));

	if (unlikely(!room.at))
		return kt_hit_no_room(here, desc);
	copy_payload(room.at, draft, bytes);
	kt_ring_commit(room, true, bytes >> kt_unit_shift(true));
	return NULL;
}
NOKPROBE_SYMBOL(kt_hit_record_varying);

u64 *kt_hit_turned_away(struct kt_cpu *cpu, struct kt_desc *desc)
{
	return kt_brake_is_on(cpu) ? kt_measurement_turn_away(desc) : &this_cpu_ptr(desc->rings->cpu)->ring.ctl->recursed;
}
NOKPROBE_SYMBOL(kt_hit_turned_away);

void kt_hit_missed(struct kt_desc *desc, u64 *missed)
{
	kt_add_local(missed, 1);
	kt_cpu_inc(desc->counts->missed);
	if (desc->flags & KT_DESC_RECORDING)
		kt_cpu_inc(kt_cpus.others);
}
NOKPROBE_SYMBOL(kt_hit_missed);

void kt_hit_charge(struct kt_desc *desc, u64 took)
{
	kt_cpu_add(desc->counts->spent, took);
	kt_brake_charge(took);
}
NOKPROBE_SYMBOL(kt_hit_charge);
