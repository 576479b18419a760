// SPDX-License-Identifier: GPL-2.0-only
/* turn_away.c - start and stop to turn hits away on a CPU.  See turn_away.h. */
#include <linux/atomic.h>
#include <linux/kprobes.h>

#include "kmod/base/ktrace.h"
#include "kmod/hit/consumer.h"
#include "kmod/hit/turn_away.h"
#include "kmod/measure/measurement.h"
#include "kmod/records/buffer.h"
#include "kmod/records/desc.h"

u64 kt_brake_longest = U64_MAX;

static atomic_t nr_on;			/* CPUs that turn hits away */
static atomic64_t nr_ever;

/* A hit may call this, so it calls no function of the kernel: that function may be traced. */
void kt_brake_turn_on(void)
{
	if (!kt_measurements_pause())
		return;
	atomic_inc(&nr_on);
	smp_mb__after_atomic();	/* nr_on before nr_ever: pairs with the smp_rmb() of kt_brake_moment() */
	atomic64_inc(&nr_ever);
	kt_cpu_or(kt_cpus.nest, KT_NEST_BRAKED);
}
NOKPROBE_SYMBOL(kt_brake_turn_on);

bool kt_brake_turn_off(void)
{
	kt_cpu_and(kt_cpus.nest, ~KT_NEST_BRAKED);
	kt_measurements_unpause();
	return atomic_dec_and_test(&nr_on);
}

void kt_brake_early(void)
{
	if (!kt_cpu_read(kt_cpus.nest))
		kt_brake_turn_on();
}
NOKPROBE_SYMBOL(kt_brake_early);

u32 kt_brake_nr_on(void)
{
	return atomic_read(&nr_on);
}

u64 kt_brake_nr_ever(void)
{
	return atomic64_read(&nr_ever);
}

u64 kt_brake_moment(void)
{
	const u64 ever = kt_brake_nr_ever();

	/* Read nr_ever before nr_on: kt_brake_turn_on() raises nr_on first.  Pairs with its barrier. */
	smp_rmb();
	return kt_brake_nr_on() ? 0 : ever + 1;
}

u64 *kt_measurement_turn_away(struct kt_desc *desc)
{
	kt_cpu_inc(desc->counts->braked);
	if (desc->flags & KT_DESC_RECORDING)
		kt_cpu_inc(kt_cpus.others_braked);
	if (desc->measurement)
		kt_cpu_inc(desc->measurement->cpu->braked);
	return &this_cpu_ptr(desc->rings->cpu)->ring.ctl->braked;
}
NOKPROBE_SYMBOL(kt_measurement_turn_away);

u64 *kt_measurement_stands(struct kt_desc *desc)
{
	if (READ_ONCE(desc->measurement->windowed))
		kt_cpu_inc(desc->measurement->cpu->unmeasured);
	else if (READ_ONCE(desc->measurement->paused))
		return kt_measurement_turn_away(desc);
	return &this_cpu_ptr(&kt_cpus)->prompt.ring.ctl->measured;
}
NOKPROBE_SYMBOL(kt_measurement_stands);
