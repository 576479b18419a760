// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_generate_hit_text.c - generated code for whole hits that copy texts: on the CPU of this machine, compared with
 * ring.h and the interpreter.
 */
#include "unit.h"

#ifdef __x86_64__

#include "whole_hit.h"
#include "random_texts.h"

/* Memory with a text of that length, and one that is not there. */
static void text_scene(struct machine *m, u32 length)
{
	machine_reset(m);
	machine_dice(m);
	m->syscall = true;
	memset(m->memory, 'x', MACHINE_BYTES);
	m->memory[FAST - MACHINE_MEMORY + length] = 0;
	m->args[1] = FAST;
	m->args[2] = FAST - 3000;
	hit_reset();
}

static const struct kt_insn open_file[] = {
	I(FAULTS2), I(EMITARG, .aux = 4), I(ARG, .dst = 0, .imm = 1), I(EMITTEXT, .src = 0, .imm = 48), I(EMITARG, .aux = 4, .imm = 3),
	I(ARG, .dst = 0, .imm = 2), I(EMITTEXT, .src = 0, .imm = 48), END
};

static void test_text(void **state)
{
	for (u32 i = 0; i < 100; i++) {
		const u32 length = i / 2;
		struct kt_program *program;
		struct machine m;
		const void *code;

		hit_call_given = i & 1;
		text_scene(&m, length);
		program = loaded(&m, open_file, ARRAY_SIZE(open_file));
		code = hit_make(program, true, false);
		assert_non_null(code);
		texts_unreadable = 1;
		assert_int_equal(m.out[0] & 0xffff, 8);
		if (length < 40)
			assert_recorded(&m, code);
		else
			assert_left(&m, code, 0);
		texts_unreadable = 0;
		hit_rings.recording = 1;
		assert_left(&m, code, 0);
		free(program);
	}
	hit_call_given = false;
}

static void test_text_interrupted(void **state)
{
	struct kt_program *program;
	struct machine m;

	for (u32 given = 0; given < 2; given++) {
		hit_call_given = given;
		text_scene(&m, 20);
		program = loaded(&m, open_file, ARRAY_SIZE(open_file));
		interrupt_everywhere(&m, hit_make(program, true, false), 80, 160);
		free(program);
	}
	hit_call_given = false;
}

/* Does the code leave the hit to C?  Then it has changed nothing but counted the texts; otherwise take it back. */
static bool left_to_c(const struct machine *m, const void *code, u32 live)
{
	struct scene *scene = scene_take();

	hit_run(m, code);
	if (hit_left) {
		scene->cpu.context = hit_cpu.context;
		scene->cpu.faults = hit_cpu.faults;
		assert_scene(scene);
		assert_arguments(m, live);
	} else {
		hit_ctl = scene->ctl;
		memcpy(hit_commit, scene->commit, sizeof(hit_commit));
		memcpy(hit_data, scene->data, sizeof(hit_data));
		texts_unreadable = hit_cpu.faults - scene->cpu.faults;
		hit_cpu = scene->cpu;
	}
	free(scene);
	return hit_left;
}

static void random_text_hits(bool is_event)
{
	u32 made = 0, left = 0, unreadable = 0;

	unit_random();
	hit_reset();
	for (u32 i = 0; i < unit_rounds(20000); i++) {
		const u32 task[2] = { (u32)rand(), (u32)rand() };
		struct random_texts r = { .is_event = is_event };
		struct kt_program *program;
		struct machine m;
		const void *code;

		hit_call_given = !is_event && i % 2;
		random_texts(&r);
		machine_reset(&m);
		machine_dice(&m);
		m.syscall = true;
		m.current[KT_CUR_PID] = task[0];
		m.current[KT_CUR_TGID] = task[1];
		for (u32 at = 0; at < MACHINE_BYTES; at++)
			m.memory[at] = rand() % 20 ? 'a' + at % 26 : 0;
		for (u32 n = 0; n < KT_SYSCALL_ARGS; n++)
			random_argument(&m.args[n]);
		for (u32 n = 0; n < 2; n++)
			random_argument(&m.regs.general[ARG_REG(n)]);
		program = loaded(&m, r.insns, r.len);
		code = hit_make(program, !is_event, false);
		assert_int_equal(!!code, r.texts <= MOST_TEXTS && !r.too_short);
		if (kt_word_off(hit_ctl.word) + m.payload / 2 + 3 > HIT_SUB / 2)
			hit_reset();
		hit_cpu.task = task;
		made += !!code;
		if (code && left_to_c(&m, code, r.live)) {
			left++;
		} else if (code) {
			assert_recorded(&m, code);
			unreadable += texts_unreadable;
		}
		texts_unreadable = 0;
		free(program);
	}
	hit_call_given = false;
	print_message("%u programs have code, which left %u hits to C; %u texts were unreadable\n", made, left, unreadable);
	assert_true(made > unit_rounds(15000) && left > made / 10 && left < made * 9 / 10 && unreadable > unit_rounds(300));
}

static void test_random_texts(void **state)
{
	random_text_hits(false);
	random_text_hits(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text), cmocka_unit_test(test_text_interrupted),
		cmocka_unit_test(test_random_texts),
	};

	return cmocka_run_group_tests_name("generate_hit_text", tests, NULL, NULL);
}

#else

/* The generator of this architecture: there is none. */
int main(void)
{
	return 0;
}

#endif
