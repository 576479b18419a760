// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls.c - machine code for hits that begin or end a call in a measurement.
 *
 * The code does what kmod/hit/fast_path.h does, with the same accesses to the table of open calls (core/interval.h) in the same
 * order.  Before it changes anything it leaves each other hit to the C path: one inside another hit, or while the
 * measurement does not run; the begin of a call in another task than those that are measured, or whose key is open already, or for
 * which there is no room so close to its home; the end of a call that this thread has not begun, that the filter has rejected,
 * or that meets the quota.
 *
 * It reads the clock after nearly all that the begin of a call takes, and before nearly all that the end takes.  A call that
 * no other encloses needs the clock once at each end.
 */
#include "core/histogram.h"
#include "core/samples.h"
#include "kmod/code/plan.h"

enum {
	TEMP = VALUE,		/* scratch; end: what is taken off */
	KEY = WORK1,
	MINE = WORK1,		/* what the measurement keeps for this CPU */
	TASK = WORK2,
	TIME = WORK2,		/* of the hit; then how long the call took */
	CALL = WORK3,		/* the open call; then the samples of this CPU */
	OUTER = WORK4,		/* the enclosing call, if there is one: only then the register is free */
};

#define AT(member)	((s32)offsetof(struct kt_interval, member))
#define OF(member)	((s32)offsetof(struct kt_samples, member))

_Static_assert(AT(method) == AT(group) + 2 && AT(unwanted) == AT(group) + 3, "one store fills all three");
_Static_assert(sizeof(struct kt_samples) < 128, "the buckets are behind so many bytes");

static const struct kt_hit_measure *measure_of(const struct hit *h)
{
	return h->what->measure;
}

static s32 slot_bytes(const struct hit *h)
{
	return 1 << measure_of(h)->intervals->size_shift;
}

/* The key, and CALL = its home in the table. */
static void find_home(struct hit *h, u32 state)
{
	const struct kt_intervals *intervals = measure_of(h)->intervals;
	struct code *c = &h->c;

	kt_emit_stack(h, KEY, measure_of(h)->bias, state);
	put_constant(c, CALL, KT_INTERVAL_SPREAD);
	put_multiply(c, CALL, KEY);
	put_shift_right(c, CALL, intervals->hash_shift);
	put_shift_left(c, CALL, intervals->size_shift);
	put_constant(c, TEMP, (unsigned long)intervals->slots);
	put_add(c, CALL, TEMP);
}

static void load_start_time(struct hit *h, u8 to, u8 task)
{
	put_load(&h->c, to, task, h->at.start_time, 8);
}

static void find_mine(struct hit *h)
{
	put_constant(&h->c, MINE, measure_of(h)->cpu);
	put_cpu_base(&h->c, MINE);
}

/* As kt_fast_counted(). */
static void count_hit(struct hit *h)
{
	kt_emit_count_ring(h, offsetof(struct kt_ring_ctl, measured));
	kt_emit_count(h, KT_COUNTS_MISSED);
}

/* As kt_fast_charge(), of OUTER, from the time that is kept.  Changes TEMP and MINE. */
void kt_call_charge(struct hit *h, u32 copy)
{
	const u32 skip = h->call.skip[copy];
	struct code *c = &h->c;

	kt_emit_stack(h, TEMP, measure_of(h)->bias, CALL_ENCLOSED);
	put_load(c, WORK1, OUTER, AT(key), 8);
	put_sub(c, WORK1, TEMP);
	put_add_number(c, WORK1, -1);
	put_compare_number(c, WORK1, h->at.thread_size - 1);
	put_branch(c, IF_NOT_BELOW, skip);
	kt_emit_task(h, TEMP);
	load_start_time(h, TEMP, TEMP);
	put_compare_memory(c, TEMP, OUTER, AT(thread));
	put_branch(c, IF_NOT_EQUAL, skip);
	kt_emit_clock(h, TEMP);
	kt_emit_sub_from(h, TEMP);
	put_constant(c, WORK1, (unsigned long)measure_of(h)->nested);
	put_add_from(c, TEMP, WORK1, 0);
	put_add_to(c, OUTER, AT(off), TEMP);
	h->call.skip[copy] = c->n;
}

/* ----------------------------------------------------------------------- begin */

/* From `running` to the `reach` of the table. */
static s64 reach_at(const struct kt_hit_measure *measure)
{
	return (const u8 *)&measure->intervals->reach - (const u8 *)measure->running;
}

/* Is the call of a task that is measured?  TASK = the current task. */
static void check_task(struct hit *h, u32 slow)
{
	struct code *c = &h->c;

	kt_emit_task(h, TASK);
	if (measure_of(h)->members) {
		put_constant(c, WORK1, (unsigned long)measure_of(h)->members);
		put_load(c, TEMP, TASK, h->at.pid, 4);
		put_branch_unless_bit(c, WORK1, TEMP, slow);
		kt_emit_branch_if_busy(h, slow);
	} else if (h->what->own_ids) {
		kt_emit_branch_if_own(h, slow);
	} else {
		kt_emit_branch_if_busy(h, slow);
	}
}

/* As kt_fast_open(): the open call, and the current task. */
static void open_call(struct hit *h, struct begin_labels *p, u32 state)
{
	struct code *c = &h->c;

	check_task(h, p->slow);
	kt_emit_branch_unless_running(h, measure_of(h)->running, p->slow);
	put_compare_at(c, WORK3, reach_at(measure_of(h)), 4, 1);
	put_branch(c, IF_NOT_EQUAL, p->far);
	find_home(h, state);
	p->found = c->n;
	put_claim(c, KEY, CALL, AT(key), p->taken);
	p->claimed = c->n;
}

/* As kt_fast_fill() up to the enclosing call, if there may be one. */
static void fill(struct hit *h, u32 state)
{
	struct code *c = &h->c;

	find_mine(h);
	put_cpu_store(c, CALL, MINE, measure_of(h)->inner);
	if (state == CALL_ENCLOSED)
		put_store(c, OUTER, CALL, AT(outer), 8);
	else
		put_store_number(c, CALL, AT(outer), 8, 0);
	put_load(c, TEMP, TASK, h->at.pid, 4);
	put_store(c, TEMP, CALL, AT(pid), 4);
	put_store_number(c, CALL, AT(off), 8, 0);
	put_store_number(c, CALL, AT(group), 4, KT_METHOD_JUMP << 16);	/* and method, unwanted */
	load_start_time(h, TEMP, TASK);
	put_release(c, TEMP, CALL, AT(thread));
	put_cpu_count(c, MINE, measure_of(h)->entered);
	count_hit(h);
}

/* Some calls are in the table behind the home of their key.  Leave the hit to the C path if one with this key is open already. */
static void search_begin(struct hit *h, struct begin_labels *p, u32 state)
{
	struct code *c = &h->c;
	u32 again;

	p->far = c->n;
	find_home(h, state);
	put_move(c, WORK2, CALL);
	put_variable(c, TEMP, &measure_of(h)->intervals->reach, 4);
	again = c->n;
	put_compare_memory(c, KEY, WORK2, AT(key));
	put_branch(c, IF_EQUAL, p->slow);
	put_add_number(c, WORK2, slot_bytes(h));
	put_count_down(c, TEMP, IF_NOT_EQUAL, again);
	kt_emit_task(h, TASK);
	put_jump(c, p->found);
}

/*
 * The home is not free: claim an entry behind it.  The C path makes the table reach further.  If it did not reach further than the
 * home when the code looked at `reach`, a call of this key can only be there, in TEMP.
 */
static void claim_behind(struct hit *h, struct begin_labels *p)
{
	struct code *c = &h->c;
	u32 again;

	p->taken = c->n;
	put_compare(c, TEMP, KEY);
	put_branch(c, IF_EQUAL, p->slow);
	put_variable(c, TEMP, &measure_of(h)->intervals->reach, 4);
	put_move(c, WORK2, TEMP);
	again = c->n;
	put_count_down(c, WORK2, IF_EQUAL, p->slow);
	put_add_number(c, CALL, slot_bytes(h));
	put_claim(c, KEY, CALL, AT(key), again);
	kt_emit_task(h, TASK);
	put_jump(c, p->claimed);
}

static void leave_measured(struct hit *h, u32 *slow)
{
	*slow = h->c.n;
	kt_emit_restore(h);
	put_jump(&h->c, h->slow);
}

/*
 * A call was opened before on this CPU: it may enclose this one, and then does not count the time from here on.  What comes before is
 * the same for each hit, so that it can be calibrated: `nested`.
 */
static void begin_enclosed(struct hit *h)
{
	struct call_labels *p = &h->call;
	struct code *c = &h->c;

	p->enclosed = c->n;
	kt_emit_free_work4(h);
	put_cpu_load(c, OUTER, MINE, measure_of(h)->inner);
	kt_emit_clock(h, TEMP);
	kt_emit_keep_from(h, TEMP);
	open_call(h, &p->begin[1], CALL_ENCLOSED);
	fill(h, CALL_ENCLOSED);
	kt_call_charge(h, 0);
	kt_emit_drop_from(h);
	put_jump(c, p->end);
	search_begin(h, &p->begin[1], CALL_ENCLOSED);
	claim_behind(h, &p->begin[1]);
	p->begin[1].slow = c->n;
	kt_emit_drop_from(h);
	leave_measured(h, &p->slow);
}

bool kt_call_begin(struct hit *h)
{
	struct call_labels *p = &h->call;
	struct code *c = &h->c;

	kt_emit_save(h);
	find_mine(h);
	put_cpu_branch_unless_zero(c, MINE, measure_of(h)->inner, p->enclosed);
	open_call(h, &p->begin[0], CALL_ALONE);
	fill(h, CALL_ALONE);
	p->end = c->n;
	kt_emit_clock(h, TIME);
	put_store(c, TIME, CALL, AT(start), 8);
	kt_emit_restore(h);
	kt_emit_return(h);
	search_begin(h, &p->begin[0], CALL_ALONE);
	claim_behind(h, &p->begin[0]);
	leave_measured(h, &p->begin[0].slow);
	begin_enclosed(h);
	return reach_at(measure_of(h)) == (s32)reach_at(measure_of(h));
}

/* ------------------------------------------------------------------------- end */

static void find_ended_far(struct hit *h)
{
	struct call_labels *p = &h->call;
	struct code *c = &h->c;
	u32 again;

	p->far = c->n;
	put_variable(c, TEMP, &measure_of(h)->intervals->reach, 4);
	again = c->n;
	put_count_down(c, TEMP, IF_EQUAL, p->slow);
	put_add_number(c, CALL, slot_bytes(h));
	put_compare_memory(c, KEY, CALL, AT(key));
	put_branch(c, IF_NOT_EQUAL, again);
	put_jump(c, p->found);
}

/* As kt_measurement_quota_take(), unless it is the last sample. */
static void take_of_quota(struct hit *h)
{
	struct call_labels *p = &h->call;
	struct code *c = &h->c;

	p->limited = c->n;
	put_compare_at(c, CALL, AT(unwanted), 1, 0);
	put_branch(c, IF_NOT_EQUAL, p->slow);
	put_constant(c, WORK1, (unsigned long)measure_of(h)->left);
	put_take(c, WORK1, p->slow);
	put_jump(c, p->unlimited);
}

/* The call has begun by another method, or the filter has rejected it. */
static void other_method(struct hit *h)
{
	struct call_labels *p = &h->call;
	struct code *c = &h->c;

	p->other = c->n;
	put_compare_at(c, CALL, AT(unwanted), 1, 0);
	put_branch(c, IF_NOT_EQUAL, p->slow);
	put_load(c, TEMP, CALL, AT(method), 1);
	put_shift_left(c, TEMP, measure_of(h)->cost_shift);
	put_constant(c, WORK1, (unsigned long)measure_of(h)->cost);
	put_load_indexed(c, TEMP, WORK1, TEMP, 0);
	put_jump(c, p->costed);
}

/* As kt_fast_less(): there is less than what is to be taken off.  A hit that counts in a table counts nothing else. */
static void clamp_sample(struct hit *h)
{
	struct call_labels *p = &h->call;
	struct code *c = &h->c;

	p->clamped = c->n;
	put_add(c, TEMP, TIME);
	put_small(c, TIME, 0);
	if (!h->closes) {
		find_mine(h);
		put_cpu_load(c, WORK1, MINE, measure_of(h)->samples);
		put_count(c, WORK1, OF(clamped));
	}
	put_jump(c, p->less);
}

void kt_call_end_rare(struct hit *h)
{
	find_ended_far(h);
	other_method(h);
	clamp_sample(h);
}

/*
 * As kt_fast_empty() behind kt_interval_free(), with WORK3 = the samples, WORK2 = how long the call took, TEMP = what is taken off it.
 */
static void add_sample(struct hit *h, u32 copy)
{
	struct call_labels *p = &h->call;
	struct code *c = &h->c;

	put_count(c, WORK3, OF(count));
	put_add_to(c, WORK3, OF(sum), WORK2);
	put_add_to(c, WORK3, OF(taken_off), TEMP);
	put_compare_memory(c, WORK2, WORK3, OF(min));
	put_branch(c, IF_BELOW, p->least[copy]);
	p->after_least[copy] = c->n;
	put_compare_memory(c, WORK2, WORK3, OF(max));
	put_branch(c, IF_ABOVE, p->most[copy]);
	p->after_most[copy] = c->n;
	/* kt_hist_index() */
	put_move(c, TEMP, WORK2);
	put_log2(c, WORK1, WORK2);
	put_add_number(c, WORK1, -KT_HIST_SUB_BITS);
	put_compare_number(c, WORK1, KT_HIST_BITS - KT_HIST_SUB_BITS - 1);
	put_branch(c, IF_ABOVE, p->odd[copy]);
	put_shift_right_by(c, TEMP);
	put_shift_left(c, WORK1, KT_HIST_SUB_BITS);
	put_add(c, TEMP, WORK1);
	p->bucket[copy] = c->n;
	put_count_at(c, WORK3, TEMP, sizeof(struct kt_samples));
	/* kt_square() */
	put_square(c);
	put_add_wide(c, WORK3, OF(square_low), OF(square_high), VALUE, WORK2);
	count_hit(h);
}

/* A new least or largest duration; one that has a bucket of its own, or has none. */
static void rare_samples(struct hit *h, u32 copy)
{
	struct call_labels *p = &h->call;
	struct code *c = &h->c;

	p->least[copy] = c->n;
	put_limit(c, WORK2, WORK3, OF(min), IF_NOT_BELOW, p->after_least[copy]);
	p->most[copy] = c->n;
	put_limit(c, WORK2, WORK3, OF(max), IF_NOT_ABOVE, p->after_most[copy]);
	p->odd[copy] = c->n;
	put_compare_number(c, TEMP, 2 * KT_HIST_SUBS);
	put_branch(c, IF_BELOW, p->bucket[copy]);
	put_small(c, TEMP, KT_HIST_OVER);
	put_jump(c, p->bucket[copy]);
}

/* As kt_interval_free(); then WORK3 = the samples of this CPU. */
static void free_call(struct hit *h)
{
	struct code *c = &h->c;

	put_store_number(c, CALL, AT(thread), 8, 0);
	put_release_zero(c, CALL, AT(key));
	put_cpu_store(c, TIME, MINE, measure_of(h)->value);
	put_cpu_load(c, CALL, MINE, measure_of(h)->samples);
}

/* WORK1 = the time from which the enclosing call is charged: that of the hit, less what is charged for this call's inside. */
void kt_call_charged_from(struct hit *h)
{
	struct code *c = &h->c;

	put_sum_of(c, WORK1, TIME, TEMP, 0);
	put_add_from(c, WORK1, CALL, AT(start));
	put_sub_from(c, WORK1, CALL, AT(off));
}

/* Another call, in WORK1, was open on this CPU when the call began. */
static void end_enclosed(struct hit *h)
{
	struct call_labels *p = &h->call;
	struct code *c = &h->c;

	p->enclosed = c->n;
	kt_emit_free_work4(h);
	put_move(c, OUTER, WORK1);
	kt_call_charged_from(h);
	kt_emit_keep_from(h, WORK1);
	find_mine(h);
	put_cpu_store(c, OUTER, MINE, measure_of(h)->inner);
	free_call(h);
	add_sample(h, 1);
	kt_call_charge(h, 1);
	kt_emit_drop_from(h);
	put_jump(c, p->end);
}

/* The call of this thread, from TIME = that of the hit. */
void kt_call_find_ended(struct hit *h)
{
	struct call_labels *p = &h->call;
	struct code *c = &h->c;

	kt_emit_branch_unless_running(h, measure_of(h)->running, p->slow);
	find_home(h, CALL_ALONE);
	put_compare_memory(c, KEY, CALL, AT(key));
	put_branch(c, IF_NOT_EQUAL, p->far);
	p->found = c->n;
	kt_emit_task(h, TEMP);
	load_start_time(h, TEMP, TEMP);
	put_compare_memory(c, TEMP, CALL, AT(thread));
	put_branch(c, IF_NOT_EQUAL, p->slow);
}

/* TIME = how long the call took, TEMP = what is taken off. */
void kt_call_take_off(struct hit *h)
{
	const struct kt_hit_measure *measure = measure_of(h);
	struct call_labels *p = &h->call;
	struct code *c = &h->c;

	put_compare_at(c, CALL, AT(method), 2, KT_METHOD_JUMP);		/* and unwanted */
	put_branch(c, IF_NOT_EQUAL, p->other);
	put_variable(c, TEMP, (const u8 *)measure->cost + (KT_METHOD_JUMP << measure->cost_shift), 8);
	p->costed = c->n;
	put_add_from(c, TEMP, CALL, AT(off));
	put_sub_from(c, TIME, CALL, AT(start));
	put_sub_or_branch(c, TIME, TEMP, p->clamped);
	p->less = c->n;
}

bool kt_call_end(struct hit *h)
{
	const struct kt_hit_measure *measure = measure_of(h);
	struct call_labels *p = &h->call;
	struct code *c = &h->c;

	kt_emit_save_timed(h);
	kt_emit_branch_if_busy(h, p->slow);
	kt_call_find_ended(h);
	put_variable(c, TEMP, measure->quota, 8);
	put_branch_unless_zero(c, TEMP, p->limited);
	p->unlimited = c->n;
	kt_call_take_off(h);
	put_load(c, WORK1, CALL, AT(outer), 8);
	put_branch_unless_zero(c, WORK1, p->enclosed);
	find_mine(h);
	put_cpu_store_zero(c, MINE, measure->inner);
	free_call(h);
	add_sample(h, 0);
	p->end = c->n;
	kt_emit_restore(h);
	kt_emit_return(h);
	kt_call_end_rare(h);
	take_of_quota(h);
	end_enclosed(h);
	rare_samples(h, 0);
	rare_samples(h, 1);
	leave_measured(h, &p->slow);
	return true;
}
