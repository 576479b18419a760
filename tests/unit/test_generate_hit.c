// SPDX-License-Identifier: GPL-2.0-or-later
/* test_generate_hit.c - generated code for whole hits: on the CPU of this machine, compared with ring.h and the interpreter. */
#include "unit.h"

#ifdef __x86_64__

#include "hit_code.h"
#include "arch/x86/kmod/generate_hit.c"
#include "arch/x86/kmod/generate_text.c"
#include "arch/x86/kmod/generate_direct.c"
#include "arch/x86/kmod/generate_measure.c"
#include "arch/x86/kmod/generate_measure_end.c"
#include "arch/x86/kmod/generate_table.c"
#include "capture_insns.h"
#include "ctl/base/memory.h"
#include "hit_scene.h"

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

static u16 *own_ids;	/* within 31 bits, as the module's are */

static int make_own_ids(void **state)
{
	own_ids = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	return own_ids == MAP_FAILED;
}

/* The code of a static tracepoint of the prompt. */
static const void *narrow_make(const struct kt_program *program, bool others)
{
	struct kt_hit_code what = hit_what(program, false, false);

	what.units = (u32)program->bytes / 4;
	what.id = HIT_NARROW_ID;
	what.is_event = what.is_narrow = true;
	what.own_ids = others ? own_ids : NULL;
	return hit_make_what(what);
}

static void assert_recorded(const struct machine *m, const void *code)
{
	assert_recorded_by(m, code, false);
}

/* The code leaves the hit to C, has changed nothing, and the arguments that the program reads are there. */
static void assert_left(const struct machine *m, const void *code, u32 live)
{
	struct scene *scene = scene_take();
	u64 args[NR_ARGUMENTS];

	hit_run(m, code);
	assert_int_equal(hit_left, (u64)(uintptr_t)&hit_cpu);
	scene->cpu.context = hit_cpu.context;
	assert_scene(scene);
	hit_arguments(m, args);
	for (u32 i = 0; i < NR_ARGUMENTS; i++)
		if (live >> i & 1)
			assert_int_equal(args[i], hit_args[i]);
	free(scene);
}

#define ARG_REG(n)	(kt_x86_arguments[n][0])

static struct kt_program *loaded(struct machine *m, const struct kt_insn *insns, u32 len)
{
	int payload;

	assert_int_equal(machine_run(m, insns, len), MACHINE_RECORDED);
	return machine_load(insns, len, &payload);
}

static const struct kt_insn three[] = {
	I(FAULTS2), I(EMITREG, .imm = 4), CHAIN(U64, 1, 1), LINK(8), I(REG, .dst = 0, .imm = 2), EMIT(0, 4), END
};

static void three_scene(struct machine *m)
{
	machine_reset(m);
	srand(3);
	machine_dice(m);
	m->regs.general[1] = MACHINE_MEMORY + 8;
	hit_reset();
}

static void test_unusual(void **state)
{
	struct machine m;
	struct kt_program *program;
	const void *code;

	three_scene(&m);
	program = loaded(&m, three, ARRAY_SIZE(three));
	code = hit_make(program, false, false);
	assert_non_null(code);
	assert_recorded(&m, code);

	hit_rings.recording = 1ULL << 40;
	assert_left(&m, code, 7);
	hit_rings.recording = 0;
	hit_cpu.nest = 1;
	assert_left(&m, code, 7);
	hit_cpu.nest = 1U << 31;
	assert_left(&m, code, 7);
	hit_cpu.nest = 0;
	hit_ctl.last_ts = kt_clock_read() - (1ULL << 33);
	assert_left(&m, code, 7);
	hit_ctl.last_ts = kt_clock_read() + (1ULL << 33);
	assert_left(&m, code, 7);
	hit_ctl.last_ts = kt_clock_read();
	hit_ctl.word |= KT_WORD_CLOSED << 16;
	assert_left(&m, code, 7);
	hit_reset();
	hit_rings.wake_next = 1;
	assert_recorded(&m, code);
	assert_int_equal(hit_woken, (u64)(uintptr_t)&hit_rings);
	free(program);
}

/* The same at the prompt, where the code knows that recording is frozen, and which processes are ktrace itself. */
static void assert_missed(const struct machine *m, const void *code, u32 counter)
{
	assert_missed_by(hit_run, m, code, counter);
}

static const struct kt_insn three_narrow[] = {
	PID, I(EMITREG, .imm = 4), I(EMITREG, .imm = 1), I(REG, .dst = 0, .imm = 2), EMIT(0, 4), END
};

static const void *narrow_scene(struct machine *m, struct kt_program **program, u32 *task)
{
	const void *code;

	three_scene(m);
	memset(own_ids, 0, 256 * sizeof(*own_ids));
	task[0] = m->current[KT_CUR_PID] = 7;
	task[1] = m->current[KT_CUR_TGID] = 0x12345;
	hit_reset_as(false);
	hit_cpu.task = task;
	*program = loaded(m, three_narrow, ARRAY_SIZE(three_narrow));
	code = narrow_make(*program, true);
	assert_non_null(code);
	return code;
}

static void test_narrow(void **state)
{
	struct kt_program *program;
	struct machine m;
	u32 task[2];
	const void *code = narrow_scene(&m, &program, task);

	assert_recorded(&m, code);
	hit_rings.recording = 1ULL << 40;
	assert_left(&m, code, 7);
	hit_rings.recording = ~0ULL;
	assert_missed(&m, code, offsetof(struct kt_ring_ctl, frozen));
	hit_cpu.nest = 1;
	assert_left(&m, code, 7);
	hit_rings.recording = 0;
	assert_left(&m, code, 7);
	hit_cpu.nest = 0;
	hit_cpu.loads_at = 8;
	assert_left(&m, code, 7);
	hit_cpu.loads_at = 0;
	own_ids[0x45] = 0x100;
	assert_left(&m, code, 7);
	own_ids[0x45] = 0;
	hit_ctl.last_ts = kt_clock_read() - (1ULL << 24);
	assert_left(&m, code, 7);
	hit_ctl.last_ts = kt_clock_read();
	hit_ctl.word |= KT_WORD_CLOSED << 16;
	assert_left(&m, code, 7);
	hit_reset_as(false);
	hit_cpu.task = task;
	hit_rings.wake_next = 1;
	assert_recorded(&m, code);
	assert_int_equal(hit_woken, (u64)(uintptr_t)&hit_rings);
	hit_rings.recording = ~0ULL;
	assert_missed(&m, code, offsetof(struct kt_ring_ctl, frozen));
	assert_int_equal(hit_woken, (u64)(uintptr_t)&hit_rings);
	hit_rings.recording = hit_rings.wake_next = 0;
	/* SELF: hits in ktrace are recorded. */
	own_ids[0x45] = 1;
	assert_recorded(&m, narrow_make(program, false));
	hit_clock_traps = true;
	assert_null(narrow_make(program, true));
	hit_clock_traps = false;
	free(program);
}

/* Fill packets to the last unit with records of all sizes. */
static void test_room(void **state)
{
	struct machine m;
	struct kt_program *program;
	const void *code;
	u32 left = 0;

	three_scene(&m);
	program = loaded(&m, three, ARRAY_SIZE(three));
	code = hit_make(program, false, false);
	for (u32 i = 0; i < 2000; i++) {
		const u32 units = 3 + (u32)program->bytes / 2;

		if (kt_word_off(hit_ctl.word) + units <= HIT_SUB / 2) {
			assert_recorded(&m, code);
		} else {
			assert_left(&m, code, 7);
			left++;
			kt_ring_write(&hit_cpu.ring, 5, m.out, (u32)rand() % 8);
		}
	}
	assert_true(left > 10);
	free(program);
}

/* Between `least` and `most` instructions. */
static void interrupt_everywhere(const struct machine *m, const void *code, u32 least, u32 most)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	const u32 id = hit_cpu.ring.wide ? HIT_ID : HIT_NARROW_ID;
	u32 all, left = 0;

	assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
	trap.end = (u64)(uintptr_t)hit_returned;
	for (trap.at = 0, trap.met = true; trap.met; trap.at++) {
		const void *task = hit_cpu.task;

		hit_reset_as(id == HIT_ID);
		hit_cpu.task = task;
		trap.steps = 0;
		trap.met = false;
		hit_trap = 1;
		hit_run(m, code);
		hit_trap = 0;
		if (id != HIT_ID && kt_clock_read() - hit_ctl.last_ts >= 1 << KT_TS_BITS) {	/* this process did not run for so long: once more */
			trap.at--;
			trap.met = true;
			continue;
		}
		left += !!hit_left;
		assert_int_equal(hit_cpu.nest, 0);
		assert_int_equal(hit_cpu.recorded, !hit_left);
		assert_int_equal(records_of(id, m->payload, &all), !hit_left);
		assert_int_equal(all, !hit_left + trap.met);
	}
	print_message("%u instructions, the hit was left to C at %u of them\n", trap.steps, left);
	assert_in_range(trap.at, least, most);
	assert_in_range(left, 8, 25);
	signal(SIGTRAP, SIG_DFL);
}

static void test_interrupted(void **state)
{
	struct kt_program *program;
	struct machine m;
	u32 task[2];

	three_scene(&m);
	program = loaded(&m, three, ARRAY_SIZE(three));
	assert_int_equal(program->bytes, 22);
	interrupt_everywhere(&m, hit_make(program, false, false), 40, 80);
	free(program);
	interrupt_everywhere(&m, narrow_scene(&m, &program, task), 40, 80);
	free(program);
}

/* ---------------------------------------------------------------------- texts */

/* kt_load_text() loads words there, and where a multiple of 3 is added. */
#define FAST	(MACHINE_MEMORY + (3 - MACHINE_MEMORY % 3) % 3)

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
	for (u32 length = 0; length < 50; length++) {
		struct kt_program *program;
		struct machine m;
		const void *code;

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
}

static void test_text_interrupted(void **state)
{
	struct kt_program *program;
	struct machine m;

	text_scene(&m, 20);
	program = loaded(&m, open_file, ARRAY_SIZE(open_file));
	interrupt_everywhere(&m, hit_make(program, true, false), 80, 160);
	free(program);
}

/* An argument is an address of a text, or behind the memory, or anything. */
static void random_argument(u64 *argument)
{
	const u32 what = (u32)rand() % 4;

	if (what < 2)
		*argument = FAST + (u32)rand() % (MACHINE_BYTES / 3) * 3;
	else if (what == 2)
		*argument = MACHINE_MEMORY + (u32)rand() % (2 * MACHINE_BYTES);
}

/* Items of a system call or of an event with two arguments, one or more of them texts. */
struct random_texts {
	struct kt_insn insns[KT_MAX_PROG];
	u32 len, texts;
	u32 live;	/* the arguments that it reads */
	bool is_event;
};

static void append(struct random_texts *r, struct kt_insn in)
{
	if (r->is_event && (in.op == KT_OP_ARG || in.op == KT_OP_EMITARG)) {
		r->live |= 1U << in.imm % 2;
		in.op = in.op == KT_OP_ARG ? KT_OP_REG : KT_OP_EMITREG;
		in.aux = 0;
		in.imm = ARG_REG(in.imm % 2);
	}
	r->texts += in.op == KT_OP_EMITTEXT;
	r->insns[r->len++] = in;
}

#define APPEND(...)	append(r, (struct kt_insn)__VA_ARGS__)

static void random_texts(struct random_texts *r)
{
	/* Besides arguments, the code has two registers for the program and the current task. */
	const u32 regs = r->is_event ? 1 : 1 + rand() % 2, items = 1 + rand() % 6;

	APPEND(I(FAULTS2));
	if (regs > 1)
		APPEND(I(ARG, .dst = 1));
	for (u32 item = 0; item < items; item++) {
		const u8 reg = rand() % regs;
		const s32 arg = rand() % KT_SYSCALL_ARGS;

		switch (item ? rand() % 4 : 0) {
		case 0:
			APPEND(I(ARG, .dst = reg, .imm = arg));
			APPEND(I(EMITTEXT, .src = reg, .imm = 2 + 2 * (rand() % 40)));
			break;
		case 1:
			APPEND(I(EMITARG, .aux = 2 << rand() % 3, .imm = arg));
			break;
		case 2:
			if (regs > 1 || r->is_event)
				APPEND(EMIT(regs - 1, 4));
			else
				APPEND(I(EMITCUR, .imm = rand() % 2));
			break;
		case 3:
			APPEND(I(ARG, .dst = reg, .imm = arg));
			APPEND(I(LOAD, .dst = reg, .src = reg, .aux = rand() % KT_NR_SIZES));
			APPEND(EMIT(reg, 8));
			break;
		}
	}
	APPEND(END);
}

/* Does the code leave the hit to C?  Then it has changed nothing but counted the texts; otherwise take it back. */
static bool left_to_c(const struct machine *m, const void *code, u32 live)
{
	struct scene *scene = scene_take();
	u64 args[NR_ARGUMENTS];

	hit_run(m, code);
	if (hit_left) {
		scene->cpu.context = hit_cpu.context;
		scene->cpu.faults = hit_cpu.faults;
		assert_scene(scene);
		hit_arguments(m, args);
		for (u32 i = 0; i < NR_ARGUMENTS; i++)
			if (live >> i & 1)
				assert_int_equal(args[i], hit_args[i]);
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

	srand(11);
	hit_reset();
	for (u32 i = 0; i < 20000; i++) {
		const u32 task[2] = { (u32)rand(), (u32)rand() };
		struct random_texts r = { .is_event = is_event };
		struct kt_program *program;
		struct machine m;
		const void *code;

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
		assert_int_equal(!!code, r.texts <= MOST_TEXTS);
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
	print_message("%u programs have code, which left %u hits to C; %u texts were unreadable\n", made, left, unreadable);
	assert_true(made > 15000 && left > made / 10 && left < made * 9 / 10 && unreadable > 300);
}

static void test_random_texts(void **state)
{
	random_text_hits(false);
	random_text_hits(true);
}

/* A register that a trampoline saves for each hit. */
static s32 a_scratch(void)
{
	static const u8 scratch[] = { 0, 1, 2, 4, 5, 8, 9, 10, 11 };

	return scratch[(u32)rand() % ARRAY_SIZE(scratch)];
}

/* What the generator never has, and sources that are arguments. */
static void to_arguments(struct kt_insn *insns, u32 len, bool is_jump)
{
	for (u32 at = 0; at < len; at++) {
		struct kt_insn *in = &insns[at];

		if (in->op == KT_OP_PSR || in->op == KT_OP_ELAPSED || in->op == KT_OP_CALLER || in->op == KT_OP_SAVED ||
		    in->op == KT_OP_MATCH)
			*in = (struct kt_insn)I(REG, .dst = in->dst);
		else if (in->op == KT_OP_CALLERIN || in->op == KT_OP_PATTERN || (in->op == KT_OP_CUR && in->imm > KT_CUR_TGID))
			*in = (struct kt_insn)I(ADDI, .dst = in->dst, .imm = 3);
		else if ((in->op == KT_OP_ALU || in->op == KT_OP_ALUI) && in->aux >= KT_ALU_DIV)
			in->aux = KT_ALU_XOR;
		if (in->op == KT_OP_REG || in->op == KT_OP_EMITREG || in->op == KT_OP_EMITCHAIN)
			in->imm = is_jump && rand() % 3 ? a_scratch() : ARG_REG(rand() % (1 + rand() % NR_ARGUMENTS));
	}
}

static void random_hits(bool is_jump, bool is_narrow)
{
	u32 made = 0, total = 0;

	srand(7);
	code_given_up = 0;
	hit_reset_as(!is_narrow);
	for (u32 i = 0; i < 60000; i++) {
		u32 task[8] = { 0 };
		struct kt_insn insns[KT_MAX_PROG];
		struct kt_program *program;
		struct machine m;
		const void *code;
		u32 len;
		int payload;

		dice_registers = 1 + rand() % 7;
		len = random_program(insns);
		machine_reset(&m);
		machine_dice(&m);
		m.syscall = true;
		for (u32 k = 0; k < NR_ARGUMENTS; k++)
			if (rand() % 4)
				m.regs.general[ARG_REG(k)] = MACHINE_MEMORY + (u32)rand() % MACHINE_BYTES;
		to_arguments(insns, len, is_jump);
		/* Arguments that are in the kernel's image rather than in the direct map, or nowhere. */
		kt_direct_checked = rand() % 4 ? MACHINE_BYTES : 0;
		hit_stack = MACHINE_MEMORY + (u32)rand() % 4 * 8;
		hit_image = m.regs.general[ARG_REG(rand() % NR_ARGUMENTS)];
		if (machine_run(&m, insns, len) != MACHINE_RECORDED)
			continue;
		total++;
		program = machine_load(insns, len, &payload);
		code = program->varies || (is_narrow && program->bytes % 4) ? NULL :
		       is_narrow ? narrow_make(program, rand() % 2) : hit_make(program, !is_jump, is_jump);
		if (code && m.payload < 2000) {
			made++;
			if (kt_word_off(hit_ctl.word) + m.payload / 2 + 3 > HIT_SUB / (is_narrow ? 4 : 2))
				hit_reset_as(!is_narrow);
			task[0] = m.current[KT_CUR_PID];
			task[1] = m.current[KT_CUR_TGID];
			hit_cpu.task = task;
			m.current[KT_CUR_TASK] = (u64)(uintptr_t)task;
			machine_run(&m, insns, len);
			assert_recorded_by(&m, code, is_jump);
		}
		free(program);
	}
	print_message("%u of %u programs have code, which gave up in %u\n", made, total, code_given_up);
	assert_true(made > 10000 && code_given_up > 1000 && code_given_up < made / 2);
}

static void test_random(void **state)
{
	random_hits(false, false);
}

static void test_random_jumps(void **state)
{
	random_hits(true, false);
}

static void test_random_narrow(void **state)
{
	memset(own_ids, 0, 4096);
	random_hits(false, true);
}

/* The code of a jump leaves a hit to C. */
static void test_jump_left(void **state)
{
	struct kt_program *program;
	struct machine m;
	const void *code;

	three_scene(&m);
	program = loaded(&m, three, ARRAY_SIZE(three));
	code = hit_make(program, false, true);
	assert_recorded_by(&m, code, true);
	hit_ctl.last_ts = 0;
	hit_run_jump(&m, code);
	assert_int_equal(hit_left, (u64)(uintptr_t)&hit_cpu);
	assert_int_equal(hit_cpu.nest, 0);
	assert_int_equal(hit_cpu.recorded, 1);
	hit_reset();
	hit_rings.wake_next = 1;
	assert_recorded_by(&m, code, true);
	assert_int_equal(hit_woken, (u64)(uintptr_t)&hit_rings);
	free(program);
}

/* More arguments than the code has registers besides; sources that are no arguments; texts of other memory. */
static void test_no_code(void **state)
{
	const struct kt_insn all[] = {
		I(EMITREG, .imm = 4), I(EMITREG, .imm = 1), I(EMITREG, .imm = 2), I(EMITREG, .imm = 8), I(EMITREG, .imm = 9), END
	};
	const struct kt_insn other[] = { I(EMITREG, .imm = 3), END };
	const struct kt_insn call[] = { I(EMITARG, .aux = 8), END };
	const struct {
		const struct kt_insn *insns;
		u32 len;
		bool is_case, has;
	} tries[] = {
		{ all, 6, false, false }, { all, 5, false, true }, { other, 2, false, false }, { call, 2, false, false },
		{ call, 2, true, true },
	};
	struct machine m;

	for (u32 i = 0; i < ARRAY_SIZE(tries); i++) {
		struct kt_insn insns[8];
		struct kt_program *program;

		memcpy(insns, tries[i].insns, tries[i].len * sizeof(*insns));
		insns[tries[i].len - 1] = (struct kt_insn)END;
		machine_reset(&m);
		program = loaded(&m, insns, tries[i].len);
		assert_int_equal(!!hit_make(program, tries[i].is_case, false), tries[i].has);
		free(program);
	}
}

/* The code that chooses a case: a task in a system call, in none, of a 32-bit program, of the kernel. */
static void test_cases(void **state)
{
	struct { u32 before[4], flags, status; const u8 *stack; } task = { .flags = 0 };
	u8 stack[256] = { 0 };
	const struct kt_hit_code what = { .desc = &hit_cpu };
	void *const hits[] = { (void *)kt_x86_event_end, (void *)kt_x86_event_wake };
	struct machine m;
	int n;

	assert_int_equal(offsetof(__typeof__(task), stack), 24);
	hit_reset();
	machine_reset(&m);
	task.stack = stack;
	hit_cpu.task = &task;
	if (mprotect(code_memory, CODE_ROOM, PROT_READ | PROT_WRITE))
		abort();
	n = kt_x86_generate_cases(&what, hits, 2, code_memory, CODE_ROOM, (unsigned long)code_memory);
	assert_in_range(n, 40, 200);
	if (mprotect(code_memory, CODE_ROOM, PROT_READ | PROT_EXEC))
		abort();
	for (s32 number = -1; number < 4; number++) {
		memcpy(stack + 64 + 48, &number, 4);
		hit_run(&m, code_memory);
		assert_int_equal(!!hit_left, number < 0 || number > 1);
		assert_int_equal(hit_woken, number == 1 ? 0x66666666 : 0);
	}
	memcpy(stack + 64 + 48, &(u32){ 1 }, 4);
	task.status = 2;
	assert_left(&m, code_memory, 31);
	task.status = 4;
	task.flags = 0x200000;
	assert_left(&m, code_memory, 31);
	task.flags = 0x100;
	hit_run(&m, code_memory);
	assert_int_equal(hit_left, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unusual), cmocka_unit_test(test_narrow), cmocka_unit_test(test_room), cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_text), cmocka_unit_test(test_text_interrupted), cmocka_unit_test(test_random_texts),
		cmocka_unit_test(test_random), cmocka_unit_test(test_random_jumps), cmocka_unit_test(test_random_narrow),
		cmocka_unit_test(test_jump_left), cmocka_unit_test(test_no_code), cmocka_unit_test(test_cases),
	};

	return cmocka_run_group_tests_name("generate_hit", tests, make_own_ids, NULL);
}

#else

/* The generator of this architecture: there is none. */
int main(void)
{
	return 0;
}

#endif
