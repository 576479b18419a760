/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * samples.h - durations counted on one CPU: struct kt_samples of ktrace_abi.h, and a histogram.
 *
 * The contexts of that CPU write, and may interrupt each other: each word changes by one instruction,
 * independently of the others.  Readers on other CPUs see each word correct by itself; all words fit together
 * only when no context writes.
 *
 * Also compiled in user space (unit tests).
 */
#ifndef KTRACE_SAMPLES_H
#define KTRACE_SAMPLES_H

#include "core/histogram.h"
#include "core/ktrace_abi.h"
#include "core/env.h"

static inline void kt_samples_clear(struct kt_samples *s)
{
	memset(s, 0, sizeof(*s));
	s->min = ~0ULL;
}

static __always_inline void kt_least(u64 *least, u64 value)
{
	u64 was = READ_ONCE(*least);

	while (unlikely(value < was))
		was = kt_cmpxchg_local(least, was, value);
}

static __always_inline void kt_most(u64 *most, u64 value)
{
	u64 was = READ_ONCE(*most);

	while (unlikely(value > was))
		was = kt_cmpxchg_local(most, was, value);
}

/*
 * Add the 128-bit square of value.  The adder that wraps the low word adds the carry, so the order of nested
 * adders does not matter.  Two 64-bit halves, because a 128-bit number would need stack alignment.
 */
static __always_inline void kt_square(struct kt_samples *s, u64 value)
{
	const u64 top = value >> 32, low = (u32)value, cross = top * low;
	u64 square = low * low, high = 0;

	if (unlikely(top)) {
		square += cross << 33;
		high = top * top + (cross >> 31) + (square < low * low);
	}
	if (unlikely(kt_add_return_local(&s->square_low, square) < square))
		high++;
	if (unlikely(high))
		kt_add_local(&s->square_high, high);
}

/* Count a duration; the caller has subtracted `off` from it.  The caller also updates the histogram. */
static __always_inline void kt_samples_add(struct kt_samples *s, u64 value, u64 off)
{
	kt_add_local(&s->count, 1);
	kt_add_local(&s->sum, value);
	kt_add_local(&s->taken_off, off);
	kt_square(s, value);
	kt_least(&s->min, value);
	kt_most(&s->max, value);
}

static inline void kt_samples_merge(struct kt_samples *to, const struct kt_samples *from)
{
	const u64 low = READ_ONCE(from->square_low);

	to->count += READ_ONCE(from->count);
	to->sum += READ_ONCE(from->sum);
	to->taken_off += READ_ONCE(from->taken_off);
	to->clamped += READ_ONCE(from->clamped);
	to->square_low += low;
	to->square_high += READ_ONCE(from->square_high) + (to->square_low < low);
	kt_least(&to->min, READ_ONCE(from->min));
	kt_most(&to->max, READ_ONCE(from->max));
}

static inline void kt_buckets_merge(u64 *to, const u64 *from)
{
	u32 i;

	for (i = 0; i < KT_HIST_BUCKETS; i++)
		to[i] += READ_ONCE(from[i]);
}

#endif
