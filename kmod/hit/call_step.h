/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * call_step.h - of hits in a measurement: which call a hit is about, which call encloses that one.  Part of
 * measured_hit.c, whose comment tells about times.
 *
 * A call of the kernel has its stack pointer as key; the thread must be the same.  KT_MEASURE_PROCESS: a call of a program
 * is known by its stack pointer in its process.  The program may do with its stacks and threads what it wants, so a hit
 * takes the open interval from the table before it writes to it (kt_interval_take()), and publishes it again.
 */
#ifndef KTRACE_CALL_STEP_H
#define KTRACE_CALL_STEP_H

#include <linux/kprobes.h>
#include <linux/sched.h>

#include "kmod/base/clock.h"
#include "kmod/base/load.h"
#include "kmod/measure/measurement.h"
#include "kmod/records/buffer.h"
#include "kmod/records/desc.h"

/* An odd number without a pattern: multiples of it differ in the high bits, too. */
#define KT_KEY_SPREAD	0x9e3779b97f4a7c15ULL

/* One hit in progress. */
struct hit_context {
	struct kt_cpu *cpu;
	struct kt_measurement *measurement;
	struct kt_measurement_cpu *mine;
	const struct kt_desc *desc;
	const struct pt_regs *regs;
	u64 now;		/* ticks when the hit began */
	u64 key, thread;
	enum kt_method method;
};

/* The goroutine: see KT_ROLE_GOROUTINE.  0: it cannot be read. */
static noinline u64 key_of_goroutine(const struct kt_desc *desc, const struct pt_regs *regs)
{
	const u64 goroutine = kt_regs_get(regs, desc->key_reg);
	u64 end;

	if (!kt_is_user(goroutine) || !kt_load(&end, goroutine + sizeof(end), sizeof(end)))
		return 0;
	return max(kt_regs_get(regs, kt_reg_offset(KT_REG_SP)) + desc->key_bias - end + goroutine * KT_KEY_SPREAD, KT_INTERVAL_MIN_KEY);
}
NOKPROBE_SYMBOL(key_of_goroutine);

/*
 * KT_MEASURE_PROCESS.  Processes with the same stack pointer get different keys, and calls of one thread keep their
 * distance.  Another process can make its keys collide with these, so `thread` counts as well.
 */
static noinline u64 key_in_process(const struct kt_desc *desc, const struct pt_regs *regs)
{
	if (desc->role & KT_ROLE_GOROUTINE)
		return key_of_goroutine(desc, regs);
	return max(kt_regs_get(regs, desc->key_reg) + desc->key_bias + (u64)current->tgid * KT_KEY_SPREAD, KT_INTERVAL_MIN_KEY);
}
NOKPROBE_SYMBOL(key_in_process);

/* Clamp: the register may hold 0 instead of a stack address, and key 0 marks a free slot. */
static __always_inline u64 key_of(const struct kt_desc *desc, const struct pt_regs *regs, u64 sp)
{
	if (desc->role & KT_ROLE_THREAD)
		return (unsigned long)current;
	if (desc->key_is_sp)
		return sp + desc->key_bias;
	if (desc->measurement->process)
		return key_in_process(desc, regs);
	return max(kt_regs_get(regs, desc->key_reg) + desc->key_bias, KT_INTERVAL_MIN_KEY);
}

/* The thread, or for calls of programs the process, that a call of now belongs to. */
static __always_inline u64 thread_of(const struct kt_measurement *measurement)
{
	return unlikely(measurement->process) ? current->group_leader->start_time : current->start_time;
}

/* The call opened last on this CPU, or in this thread of a process, in this measurement or its team. */
static __always_inline struct kt_interval **inner_of(const struct kt_measurement *measurement, struct kt_measurement_cpu *mine)
{
	if (unlikely(measurement->threads))
		return &measurement->threads[current->pid % KT_NR_THREADS];
	return measurement->team ? this_cpu_ptr(measurement->team->inner) : &mine->inner;
}

/* A function of the team jumped to this one: both calls have the same stack pointer.  Within a measurement keys differ. */
static __always_inline bool jumped_here(const struct hit_context *s, const struct kt_interval *outer)
{
	return s->measurement->team && outer && READ_ONCE(outer->key) == s->key && outer->thread == s->thread;
}

/* A larger distance than between any two places of a user's memory, and smaller than between most keys of two processes. */
#define KT_USER_SPAN	(1ULL << 56)
/* Calls that an exception ended may be in the way. */
#define KT_MAX_ENDED	16

/* The nearest call of this thread that encloses the one at `key`, from `at` on.  NULL: none, or it is too far away. */
static __always_inline struct kt_interval *enclosing_in_process(struct kt_interval *at, u64 key, u64 thread)
{
	u32 i;

	for (i = 0; at && i < KT_MAX_ENDED; i++, at = READ_ONCE(at->outer))
		if (kt_interval_encloses(at, key, thread, KT_USER_SPAN) && READ_ONCE(at->pid) == current->pid)
			return at;
	return NULL;
}

static __always_inline void charge_in_process(struct kt_interval *outer, u64 key, u64 thread, u64 ticks)
{
	outer = enclosing_in_process(outer, key, thread);
	if (!outer || !kt_interval_take(outer, thread))
		return;
	outer->off += ticks;
	kt_interval_publish(outer, thread);
}

/* Take the time of this hit, and `more`, from the enclosing call. */
static __always_inline void charge(const struct hit_context *s, struct kt_interval *outer, u64 more, bool closes)
{
	if (unlikely(s->measurement->process))
		return charge_in_process(outer, s->key, s->thread,
					 kt_clock_read() - s->now + s->measurement->nested[closes][s->method] + more);
	if (likely(!kt_interval_encloses(outer, s->key, s->thread, THREAD_SIZE)) && likely(!jumped_here(s, outer)))
		return;
	outer->off += kt_clock_read() - s->now + s->measurement->nested[closes][s->method] + more;
}

static __always_inline struct kt_interval *find_interval(const struct hit_context *s)
{
	if (unlikely(s->measurement->process))
		return kt_interval_find_among(&s->measurement->intervals, s->key, s->thread);
	return kt_interval_find(&s->measurement->intervals, s->key, s->measurement->intervals.size_shift);
}

/* hit.c reads the clock when all else is done, and writes it to *time.  Until then *time is when the hit began. */
static __always_inline void begins(const struct hit_context *s, u64 *time)
{
	s->cpu->call[s->cpu->nest - 1].begins = time;
}

/* `group` of a call of a program is the function that it is in, and 1 + the one to which it is jumping. */
static __always_inline u32 in_body(const struct kt_interval *interval)
{
	return interval->group & 0xff;
}

static __always_inline bool has_jumped_to(const struct kt_interval *interval, u32 body)
{
	return interval->group >> 8 == body + 1;
}

static __always_inline u16 jumping(u32 body, u32 to)
{
	return body | (to + 1) << 8;
}

/* Take the time of this hit from the outer call, which has the same key. */
static __always_inline void charge_same(const struct hit_context *s, struct kt_interval *interval, bool closes)
{
	interval->off += kt_clock_read() - s->now + s->measurement->nested[closes][s->method];
}

/* The open interval of this key and thread; NULL: there is none.  That of a process is taken: release() it, or free it. */
static __always_inline struct kt_interval *find_own(const struct hit_context *s)
{
	struct kt_interval *interval = find_interval(s);

	if (unlikely(s->measurement->process))
		return interval && kt_interval_take(interval, s->thread) ? interval : NULL;
	if (likely(!interval || READ_ONCE(interval->thread) == s->thread))
		return interval;
	return kt_interval_find_own(&s->measurement->intervals, s->key, s->thread, &s->mine->abandoned);
}

/* The call goes on. */
static __always_inline void release(const struct hit_context *s, struct kt_interval *interval)
{
	if (unlikely(s->measurement->process))
		kt_interval_publish(interval, s->thread);
}

/* Forget a call that has ended unseen.  It is taken. */
static __always_inline void abandon(const struct hit_context *s, struct kt_interval *interval)
{
	struct kt_interval *outer = interval->outer;
	const u64 inside = interval->off;

	*inner_of(s->measurement, s->mine) = outer;
	kt_interval_free(interval);
	kt_add_local(&s->mine->abandoned, 1);
	charge(s, outer, inside, false);
}

/* The call has not arrived in the function of this tracepoint: it is not the one that returns there. */
static __always_inline bool is_in_other(const struct hit_context *s, const struct kt_interval *interval)
{
	return unlikely(s->measurement->process) && !s->measurement->lines && in_body(interval) != s->desc->body;
}

#endif
