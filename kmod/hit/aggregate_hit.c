// SPDX-License-Identifier: GPL-2.0-only
/* aggregate_hit.c - see aggregate_hit.h. */
#include <linux/kprobes.h>
#include <linux/rcupdate.h>

#include "kmod/base/ktrace.h"
#include "kmod/hit/aggregate_hit.h"
#include "kmod/hit/hit_step.h"
#include "kmod/measure/aggregate.h"

static_assert(KT_AGGREGATE_NEST == KT_MAX_NEST);

/* The value is behind the key. */
static __always_inline u64 value_of(const u64 *draft, u32 key_bytes)
{
	u64 value;

	__builtin_memcpy(&value, (const u8 *)draft + key_bytes, sizeof(value));
	return value;
}

/* Fill up the last word of the key with zeros, which overwrites half of the value. */
static __always_inline void fill_up(u64 *draft, u32 key_bytes)
{
	if (key_bytes % 8)
		((u32 *)draft)[key_bytes / 4] = 0;
}

/* Is the key a constant, and nothing else: the probe point of `lines --counts`? */
static __always_inline bool is_constant(const struct kt_insn *in)
{
	return in->op == KT_OP_IMM && in[1].op == KT_OP_EMIT && in[1].aux == sizeof(u64) && in[1].src == in->dst &&
	       in[2].op == KT_OP_END;
}

/* Tables by a constant, or by the name of the task, are frequent: spare them the interpreter. */
static __always_inline void emit(const struct kt_desc *desc, const struct pt_regs *regs, kt_item *draft)
{
	const struct kt_insn *in = desc->record;

	if (is_constant(in)) {
		*(u64 *)draft = (s64)in->imm;
		return;
	}
	if (in->op == KT_OP_EMITCOMM) {
		kt_current_comm((char *)draft);
		draft += KT_COMM_BYTES / 4;
		in++;
	}
	kt_capture_run(in, regs, draft);
}

/* NULL: the value is counted; else the counter of the reason why not. */
static __always_inline u64 *count(struct kt_desc *desc, const struct pt_regs *regs)
{
	const struct kt_aggregate *aggregate = desc->aggregate;
	const struct kt_aggregate_table *table = rcu_dereference_raw(aggregate->table);
	struct kt_aggregate_cpu *mine = this_cpu_ptr(table->cpu);
	u64 *draft = mine->drafts + (kt_cpu_read(kt_cpus.nest) - 1) * aggregate->draft_words;
	u64 value = 0;
	u32 at;

	emit(desc, regs, (kt_item *)draft);
	if (aggregate->has_value) {
		value = value_of(draft, aggregate->key_bytes);
		if (aggregate->value_bit < 32 && unlikely(draft[0] >> aggregate->value_bit & 1))
			return &mine->unreadable;
	}
	fill_up(draft, aggregate->key_bytes);
	at = kt_agg_find(&table->keys, draft);
	if (unlikely(at == KT_AGG_NONE))
		return &mine->lost;
	kt_agg_add(&table->keys, mine->values, at, value);
	return NULL;
}

/* There is little to examine if the descriptor has no filter and no other flag, and recording is on. */
static __always_inline u64 *examine(struct kt_ring_ctl *ctl, struct kt_desc *desc, const struct pt_regs *regs,
				    enum kt_method method)
{
	if (likely(desc->flags == KT_DESC_AGGREGATE && !atomic64_read(&kt_prompt_rings.recording)))
		return kt_hit_is_own(desc, method) ? &ctl->filtered : NULL;
	return kt_hit_examine(ctl, desc, regs, method);
}

static __always_inline u64 *examine_and_count(struct kt_desc *desc, const struct pt_regs *regs, enum kt_method method)
{
	struct kt_ring_ctl *ctl = kt_cpu_read(kt_cpus.prompt.ring.ctl);
	u64 *missed = examine(ctl, desc, regs, method);

	if (unlikely(missed))
		return missed;
	missed = count(desc, regs);
	if (unlikely(missed)) {
		kt_add_local(missed, 1);
		kt_desc_give_back(desc);
		return &ctl->measured;
	}
	kt_add_local(&ctl->measured, 1);
	return NULL;
}

u64 *kt_hit_aggregate_examined(struct kt_desc *desc, const struct pt_regs *regs, enum kt_method method)
{
	return examine_and_count(desc, regs, method);
}
NOKPROBE_SYMBOL(kt_hit_aggregate_examined);

void kt_hit_aggregate(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc, enum kt_method method)
{
	struct kt_cpu *cpu = this_cpu_ptr(&kt_cpus);
	u64 *missed;

	if (likely(kt_hit_enter(cpu, method))) {
		missed = examine_and_count(desc, regs, method);
		kt_hit_leave();
	} else {
		missed = kt_hit_turned_away(cpu, desc);
	}
	if (unlikely(missed))
		kt_hit_missed(desc, missed);
	else
		kt_cpu_inc(desc->counts->recorded);
}
NOKPROBE_SYMBOL(kt_hit_aggregate);
