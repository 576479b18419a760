// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_generate_hit_text.c - generated code for whole hits that copy texts, compared with ring.h and the interpreter.  QEMU's
 * user-mode emulation runs it.
 */
#include "unit.h"

#include "ctl/base/memory.h"
#include "hit_trap.h"
#include "hit_record.h"

#define ARG_REG(n)	(1 + (n))

static bool hit_call_given;

#include "random_texts.h"

#define CALL_AT		64	/* hit_machine.h: from the stack of the task to the registers of the call */

static struct {
	u32 words[8];
	const u8 *stack;
	u32 more[TASK_WORDS];
} task;

static u64 call_regs[64];

/* The code of a program, for a machine on which it has run. */
static u32 make_for(struct machine *m, const struct hit_kind *kind, const struct kt_insn *insns, u32 len, struct kt_program **program)
{
	struct kt_hit_code what;
	int payload;

	assert_int_equal(machine_run(m, insns, len), MACHINE_RECORDED);
	*program = machine_load(insns, len, &payload);
	what = hit_what(*program, kind);
	what.draft = offsetof(struct hit_cpu, draft);
	return hit_make(&what);
}

/* Run the code: returns whether it left the hit to C.  Then it has changed nothing but counted the texts. */
static bool run_hit(const struct machine *m, const struct hit_kind *kind)
{
	struct scene *scene = scene_take();
	bool left;

	for (u32 n = 0; n < KT_SYSCALL_ARGS; n++)
		memcpy((u8 *)call_regs + CALL_AT + kt_syscall_arg_offset(n), &m->args[n], 8);
	task.words[0] = m->current[KT_CUR_PID];
	task.words[1] = m->current[KT_CUR_TGID];
	task.stack = kind->call_given ? NULL : (const u8 *)call_regs;
	hit_ctl.last_ts = scene->ctl.last_ts = kt_clock_read();
	hit_run(m, kind, &task);
	assert_true(registers_are_back(kind));
	left = hit_after.end == EVENT_AGAIN;
	assert_true(left || hit_after.end == EVENT_END);
	scene->cpu.context = hit_cpu.context;
	/* Of a hit that is recorded, the mask at the begin has a bit for each unreadable text. */
	if (!left)
		assert_int_equal(hit_cpu.faults - scene->cpu.faults, __builtin_popcount(m->out[0] & 0xffff));
	scene->cpu.faults = hit_cpu.faults;
	scene->cpu.last_ticks = hit_cpu.last_ticks;
	memcpy(scene->cpu.draft, hit_cpu.draft, sizeof(hit_cpu.draft));
	if (!left) {
		scene_write(scene, (const u8 *)m->out, m->payload, hit_ctl.last_ts);
		scene->cpu.others++;
		scene->cpu.recorded++;
	}
	assert_scene(scene);
	free(scene);
	return left;
}

static void random_text_hits(bool is_event)
{
	u32 made = 0, left = 0, unreadable = 0;

	unit_random();
	hit_reset(true);
	for (u32 i = 0; i < 4000; i++) {
		const struct hit_kind kind = { .is_event = true, .is_wide = true, .is_case = !is_event, .call_given = !is_event && i % 2 };
		struct random_texts r = { .is_event = is_event };
		struct kt_program *program;
		struct machine m;
		u32 code;
		u64 faults;

		hit_has_atomics = i & 2;
		hit_is_coarse = i & 4;
		random_texts(&r);
		machine_reset(&m);
		machine_dice(&m);
		m.syscall = true;
		for (u32 at = 0; at < MACHINE_BYTES; at++)
			m.memory[at] = dice(20) ? 'a' + at % 26 : 0;
		for (u32 n = 0; n < KT_SYSCALL_ARGS; n++)
			random_argument(&m.args[n]);
		for (u32 n = 0; n < 2; n++)
			random_argument(&m.regs.general[ARG_REG(n)]);
		code = make_for(&m, &kind, r.insns, r.len, &program);
		assert_int_equal(!!code, r.texts <= MOST_TEXTS);
		if (kt_word_off(hit_ctl.word) + m.payload / 2 + 3 > HIT_SUB / 2)
			hit_reset(true);
		faults = hit_cpu.faults;
		made += !!code;
		if (code && run_hit(&m, &kind))
			left++;
		else if (code)
			unreadable += hit_cpu.faults - faults;
		free(program);
	}
	hit_has_atomics = hit_is_coarse = false;
	print_message("%u programs have code, which left %u hits to C; %u texts were unreadable\n", made, left, unreadable);
	assert_true(made > 3000 && left > made / 10 && left < made * 9 / 10 && unreadable > 60);
}

static void test_random(void **state)
{
	random_text_hits(false);
	random_text_hits(true);
}

static const struct kt_insn open_file[] = {
	I(FAULTS2), I(EMITARG, .aux = 4), I(ARG, .dst = 0, .imm = 1), I(EMITTEXT, .src = 0, .imm = 48), I(EMITARG, .aux = 4, .imm = 3), END
};

/* Nested in another hit, frozen, no room: the hit is left to C. */
static void test_unusual(void **state)
{
	const struct hit_kind kind = { .is_event = true, .is_wide = true, .is_case = true, .call_given = true };
	struct kt_program *program;
	struct machine m;

	hit_reset(true);
	machine_reset(&m);
	m.syscall = true;
	memcpy(m.memory + (FAST - MACHINE_MEMORY), "a name of a file", 17);
	m.args[1] = FAST;
	assert_true(make_for(&m, &kind, open_file, ARRAY_SIZE(open_file), &program));
	assert_false(run_hit(&m, &kind));
	hit_cpu.nest = 1;
	assert_true(run_hit(&m, &kind));
	hit_cpu.nest = 0;
	hit_rings.recording = 1;
	assert_true(run_hit(&m, &kind));
	hit_rings.recording = 0;
	hit_ctl.word |= KT_WORD_CLOSED << 16;
	assert_true(run_hit(&m, &kind));
	free(program);
}

/* Another hit records between any two instructions: the code records once, or leaves the hit to C. */
static void write_other(void)
{
	static const u32 other[2] = { 0x64636261 };

	while (kt_clock_read() <= hit_ctl.last_ts + 1)
		;
	kt_ring_write(&hit_cpu.ring, HIT_OTHER_ID, other, 2);
}

static void test_interrupted(void **state)
{
	const struct hit_kind kind = { .is_event = true, .is_wide = true, .is_case = true, .call_given = true };
	struct kt_program *program;
	struct machine m;
	u32 n = 0, left = 0, all;

	hit_reset(true);
	machine_reset(&m);
	m.syscall = true;
	memcpy(m.memory + (FAST - MACHINE_MEMORY), "a name of a file", 17);
	m.args[1] = FAST;
	assert_true(make_for(&m, &kind, open_file, ARRAY_SIZE(open_file), &program));
	assert_int_not_equal(signal(SIGTRAP, on_trap), SIG_ERR);
	trap.work = write_other;
	while (((const u32 *)(const void *)code_memory)[n])
		n++;
	for (u32 i = 0; i < n; i++) {
		hit_reset(true);
		hit_ctl.last_ts = kt_clock_read();
		plant(i);
		hit_run(&m, &kind, &task);
		if (!trap.met)
			write_other();
		assert_true(registers_are_back(&kind));
		assert_int_equal(hit_cpu.nest, 0);
		left += hit_after.end == EVENT_AGAIN;
		assert_int_equal(hit_cpu.recorded, hit_after.end == EVENT_END);
		assert_int_equal(records_of(HIT_ID, m.payload, &all), hit_cpu.recorded);
		assert_int_equal(all, hit_cpu.recorded + 1);
	}
	signal(SIGTRAP, SIG_DFL);
	print_message("%u instructions, the hit was left to C at %u\n", n, left);
	assert_in_range(left, 8, 40);
	free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unusual), cmocka_unit_test(test_interrupted), cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("generate_hit_text", tests, NULL, NULL);
}
