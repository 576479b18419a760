/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whole_hit.h - run the generated code of a whole hit as a static tracepoint or a jump does: the hit is recorded, or
 * left to C; or it is interrupted at each instruction.  On x86-64 only.
 */
#ifndef WHOLE_HIT_H
#define WHOLE_HIT_H

#include "hit_scene.h"
#include "capture_insns.h"

/* The texts of the hit that cannot be read. */
static u32 texts_unreadable;

/* Run the code that exists; the hit must be recorded, as the machine says. */
static void assert_recorded_by(const struct machine *m, const void *code, bool is_jump)
{
	struct scene *scene;
	const u64 before = kt_clock_read();

	/* A record of the usual form follows within 2^32 ticks, or 2^24; this process may not have run for longer since the last one. */
	hit_ctl.last_ts = before;
	scene = scene_take();
	if (is_jump)
		hit_run_jump(m, code);
	else
		hit_run(m, code);
	if (hit_left && !hit_cpu.ring.wide && kt_clock_read() - before >= 1 << KT_TS_BITS) {
		free(scene);
		return assert_recorded_by(m, code, is_jump);
	}
	assert_int_equal(hit_left, 0);
	assert_true(before < hit_ctl.last_ts && hit_ctl.last_ts <= kt_clock_read());
	scene_record(scene, (const u8 *)m->out, m->payload, hit_ctl.last_ts);
	scene->cpu.faults += texts_unreadable;
	assert_scene(scene);
	free(scene);
}

/* The code of a static tracepoint of the prompt. */
static __attribute__((unused)) const void *narrow_make(const struct kt_program *program, bool others)
{
	struct kt_hit_code what = hit_what(program, false, false);

	what.units = (u32)program->bytes / 4;
	what.id = HIT_NARROW_ID;
	what.is_event = what.is_narrow = true;
	what.own_ids = others ? own_ids : NULL;
	return hit_make_what(what);
}

static __attribute__((unused)) void assert_recorded(const struct machine *m, const void *code)
{
	assert_recorded_by(m, code, false);
}

/* The arguments that the program reads are there for C. */
static void assert_arguments(const struct machine *m, u32 live)
{
	u64 args[NR_ARGUMENTS];

	hit_arguments(m, args);
	for (u32 i = 0; i < NR_ARGUMENTS; i++)
		if (live >> i & 1)
			assert_int_equal(args[i], hit_args[i]);
}

/* The code leaves the hit to C, has changed nothing, and the arguments that the program reads are there. */
static __attribute__((unused)) void assert_left(const struct machine *m, const void *code, u32 live)
{
	struct scene *scene = scene_take();

	hit_run(m, code);
	assert_int_equal(hit_left, (u64)(uintptr_t)&hit_cpu);
	scene->cpu.context = hit_cpu.context;
	assert_scene(scene);
	assert_arguments(m, live);
	free(scene);
}

#define ARG_REG(n)	(kt_x86_arguments[n][0])

static __attribute__((unused)) struct kt_program *loaded(struct machine *m, const struct kt_insn *insns, u32 len)
{
	int payload;

	assert_int_equal(machine_run(m, insns, len), MACHINE_RECORDED);
	return machine_load(insns, len, &payload);
}

/* Between `least` and `most` instructions. */
static __attribute__((unused)) void interrupt_everywhere(const struct machine *m, const void *code, u32 least, u32 most)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	const u32 id = hit_cpu.ring.wide ? HIT_ID : HIT_NARROW_ID;
	u32 left = 0;

	assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
	trap.end = (u64)(uintptr_t)hit_returned;
	for (trap.at = 0, trap.met = true; trap.met; trap.at++) {
		const void *task = hit_cpu.task;
		const u64 began = kt_clock_read();

		hit_reset_as(id == HIT_ID);
		hit_cpu.task = task;
		trap.steps = 0;
		trap.met = false;
		hit_trap = 1;
		hit_run(m, code);
		hit_trap = 0;
		/* A hit leaves the rest to C if the high half of the time has changed, perhaps before the instruction. */
		if ((kt_clock_read() ^ began) >> 32 || (id != HIT_ID && kt_clock_read() - hit_ctl.last_ts >= 1 << KT_TS_BITS)) {
			trap_again();
			continue;
		}
		left += !!hit_left;
		assert_interrupted(id, m->payload);
	}
	assert_steps(least, most, left);
}

#endif
