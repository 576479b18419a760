// SPDX-License-Identifier: GPL-2.0-only
/* gate.c - FREEZE, LATEFREEZE and UNFREEZE.  See gate.h. */
#include <linux/kprobes.h>

#include "ktrace.h"
#include "gate.h"

atomic64_t kt_gate = ATOMIC64_INIT(0);

/* One of the records that a pending LATEFREEZE still allows; the last one shuts the gate. */
static bool take_one(void)
{
	s64 was = atomic64_read(&kt_gate);

	do {
		if (was <= 0)
			return was == 0;
	} while (!atomic64_try_cmpxchg(&kt_gate, &was, was == 1 ? KT_GATE_SHUT : was - 1));
	return true;
}
NOKPROBE_SYMBOL(take_one);

/* One store for all that a descriptor asks for: nobody finds the gate as only half of it would leave it. */
bool kt_gate_pass(u32 flags, u64 late)
{
	if (!(flags & KT_DESC_UNFREEZE) && !take_one())
		return false;
	if (flags & KT_DESC_FREEZE)
		atomic64_set(&kt_gate, KT_GATE_SHUT);
	else if (flags & KT_DESC_LATEFREEZE)
		atomic64_set(&kt_gate, late ? (s64)late : KT_GATE_SHUT);
	else if (flags & KT_DESC_UNFREEZE)
		atomic64_set(&kt_gate, 0);
	return true;
}
NOKPROBE_SYMBOL(kt_gate_pass);

int kt_gate_control(struct kt_gate *arg)
{
	static const s64 words[KT_NR_GATE_OPS] = {
		[KT_GATE_FREEZE] = KT_GATE_SHUT,
		[KT_GATE_UNFREEZE] = 0,
	};

	if (arg->op >= KT_NR_GATE_OPS)
		return -EINVAL;
	atomic64_set(&kt_gate, words[arg->op]);
	return 0;
}
