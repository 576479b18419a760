/* SPDX-License-Identifier: GPL-2.0-or-later */
/* direct_code.h - run the generated code of a hit by a direct jump, with all registers and the flags.  On x86-64 only. */
#ifndef DIRECT_CODE_H
#define DIRECT_CODE_H

#include "hit_scene.h"

#define STACK_WORDS	32768

/* Registers by their numbers in machine code, then the flags. */
struct direct_state {
	u64 r[17];
};

u64 direct_stack[STACK_WORDS], direct_rsp;
u64 direct_event;	/* the code is that of a static tracepoint */
const void *direct_code;
struct direct_state direct_after;

#define DIRECT_TOP	((u64)(uintptr_t)&direct_stack[STACK_WORDS - 16])

/*
 * direct_call(before): as a direct trampoline, with interrupts as they are; or as the probe of a static tracepoint, with
 * interrupts off.  The words that the code of the latter leaves free have rax.
 */
__asm__(".text\n"
	"direct_call:\n"
	"push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
	"mov %rsp, direct_rsp(%rip)\n"
	"mov %rdi, %rax\n"
	"mov 32(%rax), %rsp\n"
	"pushq 128(%rax)\n popfq\n"
	"mov 8(%rax), %rcx\n mov 16(%rax), %rdx\n mov 24(%rax), %rbx\n mov 40(%rax), %rbp\n mov 48(%rax), %rsi\n"
	"mov 56(%rax), %rdi\n mov 64(%rax), %r8\n mov 72(%rax), %r9\n mov 80(%rax), %r10\n mov 88(%rax), %r11\n"
	"mov 96(%rax), %r12\n mov 104(%rax), %r13\n mov 112(%rax), %r14\n mov 120(%rax), %r15\n mov (%rax), %rax\n"
	/* the trampoline */
	"pushfq\n push %rax\n"
	"cmpq $0, hit_trap(%rip)\n"
	"je 1f\n"
	"pushfq\n orq $0x100, (%rsp)\n popfq\n"		/* a trap behind each instruction */
	"1: mov direct_code(%rip), %rax\n"
	"cmpq $0, direct_event(%rip)\n"
	"jne 2f\n"
	"call *%rax\n"
	"direct_returned:\n"
	"pop %rax\n popfq\n"
	"mov %rax, direct_after(%rip)\n mov %rcx, direct_after+8(%rip)\n mov %rdx, direct_after+16(%rip)\n"
	"mov %rbx, direct_after+24(%rip)\n mov %rsp, direct_after+32(%rip)\n mov %rbp, direct_after+40(%rip)\n"
	"mov %rsi, direct_after+48(%rip)\n mov %rdi, direct_after+56(%rip)\n mov %r8, direct_after+64(%rip)\n"
	"mov %r9, direct_after+72(%rip)\n mov %r10, direct_after+80(%rip)\n mov %r11, direct_after+88(%rip)\n"
	"mov %r12, direct_after+96(%rip)\n mov %r13, direct_after+104(%rip)\n mov %r14, direct_after+112(%rip)\n"
	"mov %r15, direct_after+120(%rip)\n"
	"pushfq\n popq direct_after+128(%rip)\n"
	"pushq $2\n popfq\n"
	"mov direct_rsp(%rip), %rsp\n"
	"pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
	"ret\n"
	"2: lea direct_returned(%rip), %rax\n"
	"push %rax\n pushq $2\n pushq 16(%rsp)\n lea 8(%rsp), %rsp\n"
	"mov direct_code(%rip), %rax\n"
	"jmp *%rax\n");

extern const char direct_returned[];
void direct_call(const struct direct_state *before);

/* Run a test with the code of static tracepoints. */
static __attribute__((unused)) int as_event(void **state)
{
	direct_event = 1;
	return 0;
}

static __attribute__((unused)) int as_jump(void **state)
{
	direct_event = 0;
	return 0;
}

#define both_forms(test)	cmocka_unit_test(test), cmocka_unit_test_setup_teardown(test, as_event, as_jump)

static u32 task[8] __attribute__((aligned(8)));	/* its id, that of its process, when it began, its name */

static void direct_reset(void)
{
	hit_reset_as(false);
	hit_cpu.task = task;
}

static struct kt_hit_code direct_what(const struct kt_program *program, bool others)
{
	struct kt_hit_code what = hit_what(program, false, false);

	what.units = (u32)program->bytes / 4;
	what.id = HIT_NARROW_ID;
	what.is_direct = true;
	what.is_event = direct_event;
	what.own_ids = others ? own_ids : NULL;
	what.filter = program->filter ? program->insns : NULL;
	what.filter_len = program->filter;
	return what;
}

static __attribute__((unused)) const void *make_code(const struct kt_program *program, bool others)
{
	return hit_make_what(direct_what(program, others));
}

/* The arithmetic flags. */
#define SOME_FLAGS	0x8d5

static void run_direct(const struct machine *m, const void *code)
{
	static const u8 machine[NO_REG] = { AX, DX, CX, BX, SI, DI, BP, SP, R8, R9, R10, R11, R12, R13, R14, R15 };
	struct direct_state before;

	for (u32 i = 0; i < NO_REG; i++)
		before.r[machine[i]] = m->regs.general[i];
	before.r[SP] = DIRECT_TOP;
	before.r[16] = ((u64)rand() & SOME_FLAGS) | 0x202;
	machine_now = m;
	hit_left = hit_woken = 0;
	direct_code = code;
	direct_call(&before);
	assert_memory_equal(&before, &direct_after, sizeof(before));
}

/* What the code finds on this CPU rather than in the machine. */
static void move_in(struct machine *m)
{
	task[0] = m->current[KT_CUR_PID];
	task[1] = m->current[KT_CUR_TGID];
	/* The kernel may keep the tail of a longer name there. */
	memset(task + 4, 'x', KT_COMM_BYTES);
	memcpy(task + 4, m->comm, strnlen(m->comm, KT_COMM_BYTES - 1) + 1);
	m->current[KT_CUR_TASK] = (u64)(uintptr_t)task;
	m->regs.general[7] = DIRECT_TOP - (direct_event ? 24 : 0);	/* it has pushed three words */
}

/* Has a reading of the clock come before another?  Each has another time. */
static __attribute__((unused)) bool is_before(u64 a, u64 b)
{
	return a < b;
}

/* Run code once for each of its instructions, and do some work behind that one. */
static void (*steps_work)(void);

#define for_each_step()	for (trap.at = 0, trap.met = true; trap.met; trap.at++)

static void on_step(int signal, siginfo_t *info, void *context)
{
	if (at_trap(context))
		steps_work();
}

static __attribute__((unused)) void steps_do(void (*work)(void))
{
	const struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };

	steps_work = work;
	trap.end = (u64)(uintptr_t)direct_returned;
	assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
}

static __attribute__((unused)) void steps_on(void)
{
	trap.steps = 0;
	trap.met = false;
	hit_trap = 1;
}

static __attribute__((unused)) void steps_off(void)
{
	hit_trap = 0;
}

/* Has the code been interrupted? */
static __attribute__((unused)) bool steps_met(void)
{
	return trap.met;
}

/*
 * Instructions: of the begin of a call, of its end, of one that counts in a table, as in docs/cost.md.  The end has a new least and a
 * new largest duration, unlike those there.
 */
enum { STEPS_BEGIN = 50, STEPS_END_LEAST = 72, STEPS_END = 92, STEPS_CLOSING = 96 };

static __attribute__((unused)) u32 steps_count(void)
{
	return trap.steps;
}

/* Values of few kinds, so that keys of tables come again. */
static inline void dice_few_values(struct machine *m)
{
	machine_reset(m);
	machine_dice(m);
	for (u32 reg = 0; reg < 16; reg++)
		if (rand() % 2)
			m->regs.general[reg] = (u64)(s64)(rand() % 3 - 1) << rand() % 64;
		else if (rand() % 2)
			m->regs.general[reg] = MACHINE_MEMORY + (u64)(rand() % 32);
	m->current[KT_CUR_PID] = (u32)rand() % 4;
	m->current[KT_CUR_TGID] = (u32)rand() % 4;
	move_in(m);
}

static __attribute__((unused)) struct kt_program *loaded(struct machine *m, const struct kt_insn *insns, u32 len)
{
	int payload;

	move_in(m);
	assert_int_equal(machine_run(m, insns, len), MACHINE_RECORDED);
	return machine_load(insns, len, &payload);
}

#endif
