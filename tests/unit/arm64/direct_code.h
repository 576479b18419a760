/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * direct_code.h - run the generated code of a hit by a jump of the prompt, with all registers: what measure_scene.h and its tests
 * need.  x86/direct_code.h has the same names.
 */
#ifndef DIRECT_CODE_H
#define DIRECT_CODE_H

#include "ctl/base/memory.h"
#include "hit_trap.h"
#include "hit_record.h"

#define DIRECT_TOP	((u64)(uintptr_t)FRAME_OF_HIT + KT_FRAME_BYTES)

static const struct hit_kind direct_kind = { .others = true };
static u16 *const own_ids = hit_own_ids;
static bool hit_left;	/* the hit was left to the C path */

/* Has a reading of the clock come before another?  It ticks more slowly than instructions. */
static __attribute__((unused)) bool is_before(u64 a, u64 b)
{
	return a <= b;
}

static u32 task[TASK_WORDS] __attribute__((aligned(8)));	/* its id, that of its process, when it began, .. its name */

static int make_own_ids(void **state)
{
	return 0;
}

static void direct_reset(void)
{
	hit_reset(false);
}

static __attribute__((unused)) struct kt_hit_code direct_what(const struct kt_program *program, bool others)
{
	const struct hit_kind kind = { .others = others };

	return hit_what(program, &kind);
}

/* NULL: there is no code. */
static const void *hit_make_what(struct kt_hit_code what)
{
	what.desc = &hit_cpu;
	return hit_make(&what) ? code_memory : NULL;
}

static void run_direct(const struct machine *m, const void *code)
{
	hit_run(m, &direct_kind, task);
	assert_true(registers_are_back(&direct_kind));
	hit_left = hit_after.end == JUMP_AGAIN;
	assert_true(hit_left || hit_after.end == JUMP_END);
	if (hit_left)
		assert_int_equal(hit_after.x[16], (u64)(uintptr_t)&hit_cpu);
}

/* What the code finds on this CPU rather than in the machine. */
static void move_in(struct machine *m)
{
	task[0] = m->current[KT_CUR_PID];
	task[1] = m->current[KT_CUR_TGID];
	hit_name(task, m);
	m->current[KT_CUR_TASK] = (u64)(uintptr_t)task;
	m->regs.general[31] = DIRECT_TOP;
}

/* Values of few kinds, so that keys of tables come again. */
static inline void dice_few_values(struct machine *m)
{
	machine_reset(m);
	machine_dice(m);
	for (u32 reg = 0; reg < 16; reg++)
		if (dice(2))
			m->regs.general[reg] = (u64)(s64)((s32)dice(3) - 1) << dice(64);
		else if (dice(2))
			m->regs.general[reg] = MACHINE_MEMORY + dice(32);
	m->current[KT_CUR_PID] = dice(4);
	m->current[KT_CUR_TGID] = dice(4);
	move_in(m);
}

/*
 * Run code once for each of its instructions, and do some work just before that one, if the code comes there.  steps.n: at how many
 * it came.
 */
static struct {
	u32 at, most, n;
} steps;

#define for_each_step()	for (steps.at = steps.n = 0, steps.most = 1; steps.at < steps.most; steps.at++)

static __attribute__((unused)) void steps_do(void (*work)(void))
{
	trap.work = work;
	assert_int_not_equal(signal(SIGTRAP, on_trap), SIG_ERR);
}

/* The code was made. */
static __attribute__((unused)) void steps_on(void)
{
	for (steps.most = 0; ((const u32 *)(const void *)code_memory)[steps.most]; steps.most++)
		;
	plant(steps.at);
}

static void do_nothing(void)
{
}

static __attribute__((unused)) void steps_off(void)
{
	const bool met = trap.met;
	void (*const work)(void) = trap.work;

	steps.n += met;
	if (met)
		return;
	trap.work = do_nothing;
	on_trap(SIGTRAP);
	trap.work = work;
	trap.met = false;
}

/* Has the code been interrupted? */
static __attribute__((unused)) bool steps_met(void)
{
	return trap.met;
}

/* Instructions: of the begin of a call, of its end, of one that counts in a table. */
enum { STEPS_BEGIN = 80, STEPS_END_LEAST = 130, STEPS_END = 149, STEPS_CLOSING = 146 };

static __attribute__((unused)) u32 steps_count(void)
{
	return steps.n;
}

#endif
