// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_generate_direct.c - generated code for whole hits of jumps and static tracepoints of the prompt: on the CPU of this
 * machine, compared with ring.h and the interpreter, with all registers and the flags.
 */
#include "unit.h"

#ifdef __x86_64__

#include "direct_code.h"
#include "capture_insns.h"

static void assert_direct_recorded(const struct machine *m, const void *code)
{
	struct scene *scene;
	const u64 before = kt_clock_read();

	/* A record of the usual form follows within 2^24 ticks. */
	hit_ctl.last_ts = before;
	scene = scene_take();
	run_direct(m, code);
	if (hit_left && kt_clock_read() - before >= 1 << KT_TS_BITS) {	/* this process did not run for so long */
		free(scene);
		return assert_direct_recorded(m, code);
	}
	assert_int_equal(hit_left, 0);
	assert_true(before < hit_ctl.last_ts && hit_ctl.last_ts <= kt_clock_read());
	scene_write(scene, (const u8 *)m->out, m->payload, hit_ctl.last_ts);
	scene->cpu.recorded++;
	assert_scene(scene);
	free(scene);
}

/* The hit is not recorded; the counter of the reason is this member of the control structure. */
static void assert_missed(const struct machine *m, const void *code, u32 counter)
{
	assert_missed_by(run_direct, m, code, counter);
}

/* The code leaves the hit to C, and has changed nothing. */
static void assert_direct_left(const struct machine *m, const void *code)
{
	struct scene *scene = scene_take();

	run_direct(m, code);
	assert_int_equal(hit_left, 1);
	assert_scene(scene);
	free(scene);
}

/* rcx is saved, r8 is not; r8 becomes a register of the program. */
static const struct kt_insn some[] = {
	PID, I(EMITREG, .imm = 2), I(EMITREG, .imm = 8), I(REG, .dst = 0, .imm = 8), I(REG, .dst = 1, .imm = 0),
	I(REG, .dst = 2, .imm = 3), I(REG, .dst = 3, .imm = 7), ALU(ADD, 0, 1), ALU(SUB, 0, 2), ALU(ADD, 0, 3), EMIT(0, 8), END
};

static const void *some_code(struct machine *m, struct kt_program **program)
{
	machine_reset(m);
	srand(3);
	machine_dice(m);
	m->current[KT_CUR_TGID] = 0x12345;
	direct_reset();
	memset(own_ids, 0, 256 * sizeof(*own_ids));
	*program = loaded(m, some, ARRAY_SIZE(some));
	return make_code(*program, true);
}

static void test_unusual(void **state)
{
	struct kt_program *program;
	struct machine m;
	const void *code = some_code(&m, &program);

	assert_non_null(code);
	assert_direct_recorded(&m, code);
	hit_rings.recording = 1ULL << 40;
	assert_direct_left(&m, code);
	hit_rings.recording = ~0ULL;
	assert_missed(&m, code, offsetof(struct kt_ring_ctl, frozen));
	own_ids[0x45] = 1;
	assert_missed(&m, code, offsetof(struct kt_ring_ctl, frozen));
	own_ids[0x45] = 0;
	hit_cpu.nest = 1;
	assert_direct_left(&m, code);
	hit_rings.recording = 0;
	assert_direct_left(&m, code);
	hit_cpu.nest = 1U << 31;
	assert_direct_left(&m, code);
	hit_cpu.nest = 0;
	own_ids[0x45] = 0x100;
	assert_direct_left(&m, code);
	own_ids[0x45] = 0;
	own_ids[0x44] = own_ids[0x46] = 1;
	assert_direct_recorded(&m, code);
	hit_ctl.last_ts = kt_clock_read() - (1ULL << 24);
	assert_direct_left(&m, code);
	hit_ctl.last_ts = kt_clock_read() + (1ULL << 33);
	assert_direct_left(&m, code);
	hit_ctl.last_ts = kt_clock_read();
	hit_ctl.word |= KT_WORD_CLOSED << 16;
	assert_direct_left(&m, code);
	direct_reset();
	hit_rings.wake_next = 1;
	assert_direct_recorded(&m, code);
	assert_int_equal(hit_woken, (u64)(uintptr_t)&hit_rings);
	hit_rings.recording = ~0ULL;
	assert_missed(&m, code, offsetof(struct kt_ring_ctl, frozen));
	assert_int_equal(hit_woken, (u64)(uintptr_t)&hit_rings);
	hit_rings.recording = hit_rings.wake_next = 0;
	/* SELF: hits in ktrace are recorded. */
	own_ids[0x45] = 1;
	code = make_code(program, false);
	assert_direct_recorded(&m, code);
	hit_cpu.nest = 1;
	assert_direct_left(&m, code);
	free(program);
}

/* Fill packets to the last unit with records of all sizes. */
static void test_room(void **state)
{
	struct kt_program *program;
	struct machine m;
	const void *code = some_code(&m, &program);
	u32 left = 0;

	for (u32 i = 0; i < 3000; i++) {
		if (kt_word_off(hit_ctl.word) + 1 + (u32)program->bytes / 4 <= HIT_SUB / 4) {
			assert_direct_recorded(&m, code);
		} else {
			assert_direct_left(&m, code);
			left++;
			kt_ring_write(&hit_cpu.ring, 5, m.out, (u32)rand() % 8);
		}
	}
	assert_true(left > 10);
	free(program);
}

static void test_interrupted(void **state)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	struct kt_program *program;
	struct machine m;
	const void *code = some_code(&m, &program);
	u32 left = 0;

	trap.end = (u64)(uintptr_t)direct_returned;
	assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
	for (trap.at = 0, trap.met = true; trap.met; trap.at++) {
		const u64 before = kt_clock_read();

		direct_reset();
		hit_ctl.last_ts = before;
		trap.steps = 0;
		trap.met = false;
		hit_trap = 1;
		run_direct(&m, code);
		hit_trap = 0;
		if (kt_clock_read() - before >= 1 << KT_TS_BITS) {
			trap_again();
			continue;
		}
		left += !!hit_left;
		assert_interrupted(HIT_NARROW_ID, m.payload);
	}
	assert_steps(45, 75, left);
	free(program);
}

/* Instructions of the code that one hit executes.  recorded: the hit must be. */
static u32 steps_of(const struct machine *m, const void *code, bool frozen, bool recorded)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	trap.end = (u64)(uintptr_t)direct_returned;
	assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
	do {
		direct_reset();
		hit_rings.recording = frozen ? ~0ULL : 0;
		hit_ctl.last_ts = kt_clock_read();
		trap.at = ~0U;
		trap.steps = 0;
		hit_trap = 1;
		run_direct(m, code);
		hit_trap = 0;
	} while (hit_left);	/* this process did not run for some time */
	signal(SIGTRAP, SIG_DFL);
	assert_int_equal(hit_cpu.recorded, recorded);
	assert_int_equal(hit_cpu.missed, !recorded);
	return trap.steps;
}

/* docs/cost.md has these, and 10 of the jump and its trampoline; two more where the kernel has its thunk for indirect jumps. */
static void test_length(void **state)
{
	static const struct {
		struct kt_insn insns[6];
		u32 len, steps;
		bool frozen, recorded;
	} tries[] = {
		{ { PID, END }, 2, 48, false, true },
		{ { PID, END }, 2, 17, true, false },
		{ { I(REG, .imm = 1), CMPI(EQ, 0, 5, 1), DROP, PID, END }, 5, 15, false, false },
		{ { I(CUR, .imm = KT_CUR_PID), CMPI(EQ, 0, 12345, 1), DROP, PID, END }, 5, 17, false, false },
		{ { PID, I(EMITREG, .imm = 8), END }, 3, 49, false, true },
		{ { I(FAULTS), CHAIN(U64, 4, 3), LINK(0), LINK(0), LINK(0), END }, 6, 53, false, true },
		{ { I(REG, .imm = 4), LOAD(U32, 0, 0, 0), CMPI(EQ, 0, 5, 1), DROP, PID, END }, 6, 20, false, false },
	};

	for (u32 i = 0; i < ARRAY_SIZE(tries); i++) {
		struct kt_program *program;
		struct machine m;
		int payload;

		machine_reset(&m);
		memset(own_ids, 0, 256 * sizeof(*own_ids));
		m.regs.general[1] = 6;
		m.regs.general[4] = MACHINE_MEMORY;
		memcpy(m.memory, &m.regs.general[4], 8);
		move_in(&m);
		program = machine_load(tries[i].insns, tries[i].len, &payload);
		assert_non_null(program);
		assert_int_equal(steps_of(&m, make_code(program, true), tries[i].frozen, tries[i].recorded), tries[i].steps);
		free(program);
	}
}

/* A term: a register or a property of the task, or what it points to, compared with a constant. */
static u32 term(const struct machine *m, struct kt_insn *in, u32 skip, bool loads)
{
	const u32 reg = (u32)rand() % 18;
	u64 value = reg < 16 ? m->regs.general[reg] : m->current[reg - 16];
	u32 len = 1;

	in[0] = reg < 16 ? (struct kt_insn)I(REG, .imm = (s32)reg) : (struct kt_insn)I(CUR, .imm = (s32)reg - 16);
	while (loads && len < 4 && rand() % (value - MACHINE_MEMORY < MACHINE_BYTES ? 2 : 20) == 1) {
		in[len] = (struct kt_insn)I(LOAD, .aux = rand() % 2 ? KT_SIZE_U64 : (u32)rand() % KT_NR_SIZES,
					    .imm = rand() % 3 ? 8 * (rand() % 8) : rand() % 80 - 8);
		value = value - MACHINE_MEMORY + (u64)(s64)in[len].imm;
		if (value <= MACHINE_BYTES - 8)
			memcpy(&value, m->memory + value, 8);
		len++;
	}
	in[len] = (struct kt_insn)I(CMPI, .aux = (u32)rand() % KT_NR_CMPS, .src = skip,
				    .imm = rand() % 3 ? (s32)(u32)(value + (u64)(rand() % 3) - 1) : rand() - rand());
	if (in[len].aux == KT_CMP_ALWAYS)
		in[len].aux = KT_CMP_EQ;
	return len + 1;
}

/* (a || b) && c && ...: a jumps over b and its drop. */
static u32 random_filter(const struct machine *m, struct kt_insn *in, bool loads)
{
	const u32 terms = 1 + (u32)rand() % 3;
	u32 len = 0;

	for (u32 i = 0; i < terms; i++) {
		struct kt_insn *first = NULL;
		u32 n;

		if (rand() % 2) {
			n = term(m, in + len, 0, loads);
			len += n;
			first = in + len - 1;
		}
		n = term(m, in + len, 1, loads);
		len += n;
		in[len++] = (struct kt_insn)DROP;
		if (first)
			first->src = n + 1;
	}
	return len;
}

/* As assert_direct_recorded() or assert_missed(), unless the filter has read what is unreadable. */
static void assert_filtered(const struct machine *m, const void *code, bool accepts, u32 *left)
{
	struct scene *scene = scene_take();
	const u32 before = machine_unreadable;

	hit_ctl.last_ts = kt_clock_read();
	scene->ctl.last_ts = hit_ctl.last_ts;
	run_direct(m, code);
	if (machine_unreadable != before) {
		assert_int_equal(hit_left, 1);
		assert_scene(scene);
		++*left;
	} else if (accepts) {
		assert_int_equal(hit_cpu.loads_at, 0);
		hit_cpu = scene->cpu;
		hit_ctl = scene->ctl;
		memcpy(hit_commit, scene->commit, sizeof(hit_commit));
		memcpy(hit_data, scene->data, sizeof(hit_data));
		assert_direct_recorded(m, code);
	} else {
		assert_int_equal(hit_left, 0);
		scene->ctl.filtered++;
		scene->cpu.missed++;
		assert_scene(scene);
	}
	free(scene);
}

static void filters(bool loads)
{
	u32 refused = 0, accepted = 0, left = 0;

	unit_random();
	direct_reset();
	memset(own_ids, 0, 256 * sizeof(*own_ids));
	for (u32 i = 0; i < unit_rounds(40000); i++) {
		struct kt_insn insns[64];
		struct kt_program *program;
		enum machine_end end;
		struct machine m;
		const void *code;
		int payload;
		u32 len;

		machine_reset(&m);
		machine_dice(&m);
		for (u32 reg = 0; reg < 16; reg++)
			if (rand() % 2)
				m.regs.general[reg] = loads ? MACHINE_MEMORY + (u64)(rand() % 32) : (u64)(s64)(rand() - rand());
		for (u32 at = 0; loads && at < MACHINE_BYTES; at += 8)
			if (rand() % 3)
				memcpy(m.memory + at, &(u64){ MACHINE_MEMORY + (u64)(rand() % 16) }, 8);
		move_in(&m);
		len = random_filter(&m, insns, loads);
		insns[len++] = (struct kt_insn)PID;
		insns[len++] = (struct kt_insn)I(EMITREG, .imm = rand() % 16);
		insns[len++] = (struct kt_insn)END;
		end = machine_run(&m, insns, len);
		assert_int_not_equal(end, MACHINE_REFUSED);
		program = machine_load(insns, len, &payload);
		code = make_code(program, rand() % 2);
		assert_non_null(code);
		if (kt_word_off(hit_ctl.word) + m.payload / 4 + 1 > HIT_SUB / 4)
			direct_reset();
		assert_filtered(&m, code, end == MACHINE_RECORDED, &left);
		accepted += end == MACHINE_RECORDED;
		refused += end != MACHINE_RECORDED;
		free(program);
	}
	print_message("%u hits were refused, %u accepted, %u left to C\n", refused, accepted, left);
	assert_true(refused > unit_rounds(5000) && accepted > unit_rounds(5000));
	assert_int_equal(left > unit_rounds(2000), loads);
}

static void test_filters(void **state)
{
	filters(false);
	filters(true);
}

/* A filter that the code does not know: memory into another register, another register of the program, a jump into a term. */
static void test_other_filters(void **state)
{
	const struct kt_insn filters[][6] = {
		{ I(REG, .imm = 4), LOAD(U64, 1, 0, 0), CMPI(EQ, 1, 1, 1), DROP, PID, END },
		{ I(REG, .dst = 1, .imm = 4), CMPI(EQ, 1, 1, 1), DROP, PID, END, END },
		{ I(REG, .imm = 4), CMPI(EQ, 0, 1, 1), CMPI(EQ, 0, 2, 1), DROP, PID, END },
		{ I(REG, .imm = 16), CMPI(EQ, 0, 1, 1), DROP, PID, END, END },
	};

	for (u32 i = 0; i < ARRAY_SIZE(filters); i++) {
		const u32 len = filters[i][4].op == KT_OP_END ? 5 : 6;
		struct kt_program *program;
		int payload;

		program = machine_load(filters[i], len, &payload);
		assert_non_null(program);
		assert_null(make_code(program, true));
		free(program);
	}
}

/* What has no code, and sources in any register. */
static void to_direct(struct kt_insn *insns, u32 len)
{
	for (u32 at = 0; at < len; at++) {
		struct kt_insn *in = &insns[at];

		switch (in->op) {
		case KT_OP_PSR: case KT_OP_ELAPSED: case KT_OP_CALLER: case KT_OP_SAVED: case KT_OP_MATCH:
		case KT_OP_ARG:
			*in = (struct kt_insn)I(REG, .dst = in->dst);
			break;
		case KT_OP_CALLERIN: case KT_OP_PATTERN:
			*in = (struct kt_insn)I(ADDI, .dst = in->dst, .imm = 3);
			break;
		case KT_OP_EMITARG:
			*in = (struct kt_insn)I(EMITREG);
			break;
		}
		if (in->op == KT_OP_CUR && in->imm > KT_CUR_TGID)
			in->imm = KT_CUR_TGID;
		if ((in->op == KT_OP_ALU || in->op == KT_OP_ALUI) && in->aux >= KT_ALU_DIV)
			in->aux = KT_ALU_XOR;
		if (in->op == KT_OP_REG || in->op == KT_OP_EMITREG)
			in->imm = rand() % 16;
	}
}

static void test_random(void **state)
{
	u32 made = 0, total = 0, given_up = code_given_up;

	unit_random();
	direct_reset();
	memset(own_ids, 0, 256 * sizeof(*own_ids));
	for (u32 i = 0; i < unit_rounds(100000); i++) {
		struct kt_insn insns[KT_MAX_PROG];
		struct kt_program *program;
		struct machine m;
		const void *code;
		u32 len;

		dice_registers = 1 + rand() % 7;
		len = random_program(insns);
		to_direct(insns, len);
		machine_reset(&m);
		machine_dice(&m);
		move_in(&m);
		if (machine_run(&m, insns, len) != MACHINE_RECORDED)
			continue;
		total++;
		program = loaded(&m, insns, len);
		code = program->filter || program->varies || program->bytes % 4 ? NULL : make_code(program, rand() % 2);
		if (code && m.payload < 2000) {
			made++;
			if (kt_word_off(hit_ctl.word) + m.payload / 4 + 1 > HIT_SUB / 4)
				direct_reset();
			assert_direct_recorded(&m, code);
		}
		free(program);
	}
	given_up = code_given_up - given_up;
	print_message("%u of %u programs have code, %u gave up\n", made, total, given_up);
	assert_true(made > unit_rounds(10000) && given_up > unit_rounds(2000) && given_up < made - unit_rounds(5000));
}

/* An id of the extended header; an address out of reach; a guest where the clock is an exception. */
static void test_no_code(void **state)
{
	struct kt_program *program;
	struct kt_hit_code what;
	struct machine m;

	assert_non_null(some_code(&m, &program));
	what = direct_what(program, true);
	what.id = KT_ID_EXT;
	assert_null(hit_make_what(what));
	what.id = KT_ID_EXT - 1;
	assert_non_null(hit_make_what(what));
	what.own_ids = (const u16 *)(1ULL << 31);
	assert_null(hit_make_what(what));
	what = direct_what(program, true);
	what.ring = 1ULL << 31;
	assert_null(hit_make_what(what));
	what = direct_what(program, true);
	what.recording = code_memory + (1ULL << 31);
	assert_null(hit_make_what(what));
	what = direct_what(program, true);
	what.wake_next = code_memory - (1ULL << 31);
	assert_null(hit_make_what(what));
	hit_clock_traps = true;
	assert_null(hit_make_what(direct_what(program, true)));
	hit_clock_traps = false;
	free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		both_forms(test_unusual), both_forms(test_room), both_forms(test_interrupted),
		cmocka_unit_test(test_length), both_forms(test_filters), both_forms(test_other_filters),
		both_forms(test_random), both_forms(test_no_code),
	};

	return cmocka_run_group_tests_name("generate_direct", tests, make_own_ids, NULL);
}

#else

/* The generator of this architecture: there is none. */
int main(void)
{
	return 0;
}

#endif
