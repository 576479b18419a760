/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hit_code.h - run the generated code of a hit on the CPU of this machine: with a ring, with what the kernel keeps for each
 * CPU at gs, and with what entry.S has.  On x86-64 only.
 */
#ifndef HIT_CODE_H
#define HIT_CODE_H

#include <asm/prctl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "capture_code.h"
#include "hit_ring.h"
#include "arch/x86/kmod/entry.h"
#include "kmod/text/code.h"

#define HIT_UNKNOWN	0x5eadbeef

/* What gs leads to; its members have their offsets as per-CPU addresses. */
static struct hit_cpu {
	u64 before[4];
	u32 nest, loads_at, context, preempt_count, failed;
	u64 others, recorded, missed;	/* the last two: struct kt_counts */
	const void *task;
	u64 cpu_offset, faults;
	struct kt_ring ring;
	u64 *values;			/* of a table */
} hit_cpu;

/* The same ring and struct hit_rings at addresses that code cannot reach by 32 bits.  NULL: code uses those above. */
static struct hit_far {
	struct kt_ring ring;
	struct hit_rings rings;
} *hit_far;

static u64 hit_counts = offsetof(struct hit_cpu, recorded);
static u8 hit_draft[KT_MAX_PAYLOAD];

u64 kt_direct_checked = MACHINE_BYTES;
u64 hit_image;		/* an address that is in the kernel's image */
u64 hit_stack;		/* where the stack begins; it has 48 bytes */

/* What became of the hit. */
u64 hit_left, hit_woken, hit_args[5], hit_trap;	/* hit_left: 0, or it was left to the C path: the descriptor, of a direct jump 1 */

#define HIT_KEEP_ARGS	\
	"mov %rsi, hit_args(%rip)\n mov %rdx, hit_args+8(%rip)\n mov %rcx, hit_args+16(%rip)\n"	\
	"mov %r8, hit_args+24(%rip)\n mov %r9, hit_args+32(%rip)\n"

__asm__(".text\n"
	GLOBAL(kt_x86_hit_image)
	"xor %r11d, %r11d\n cmp hit_image(%rip), %rax\n sete %r11b\n neg %r11b\n ret\n"
	GLOBAL(kt_x86_hit_stack)
	"mov %rax, %r11\n sub hit_stack(%rip), %r11\n cmp $48, %r11\n ret\n"
	GLOBAL(kt_x86_event_end)
	"pop %rax\n ret\n"
	GLOBAL(kt_x86_event_wake)
	"mov %rdi, hit_woken(%rip)\n"
	"jmp kt_x86_event_end\n"
	GLOBAL(kt_x86_event_slow)
	GLOBAL(kt_x86_event_again)
	HIT_KEEP_ARGS
	"mov %rax, hit_left(%rip)\n"
	"jmp kt_x86_event_end\n"
	GLOBAL(kt_x86_event_jump)
	"jmp *%r11\n"
	GLOBAL(kt_x86_jump_again)
	"mov %rax, hit_left(%rip)\n mov %rsi, hit_args(%rip)\n"
	"ret\n"
	GLOBAL(kt_x86_direct_slow)
	"movq $1, hit_left(%rip)\n"
	"ret\n"
	GLOBAL(kt_x86_direct_wake)
	"mov %rax, hit_woken(%rip)\n"
	"ret\n"
	GLOBAL(kt_x86_event_direct_slow)
	"movq $1, hit_left(%rip)\n"
	"lea 16(%rsp), %rsp\n"
	"jmp kt_x86_event_end\n"
	GLOBAL(kt_x86_event_direct_wake)
	"mov %rax, hit_woken(%rip)\n"
	"lea 16(%rsp), %rsp\n"
	"jmp kt_x86_event_end\n"
	/* See entry.S.  The registers by their numbers in machine code. */
	GLOBAL(kt_x86_direct_rest)
	"push %r15\n push %r14\n push %r13\n push %r12\n push %r11\n push %r10\n push %r9\n push %r8\n"
	"pushq 80(%rsp)\n pushq 96(%rsp)\n push %rbp\n lea 160(%rsp), %rax\n push %rax\n push %rbx\n"
	"pushq 144(%rsp)\n pushq 144(%rsp)\n pushq 176(%rsp)\n"
	"mov %rdx, %rsi\n mov %rsp, %rdx\n"
	"push %rbp\n mov %rsp, %rbp\n and $-16, %rsp\n"
	"call hit_direct_rest@PLT\n"
	"leave\n"
	"lea 64(%rsp), %rsp\n"
	"pop %r8\n pop %r9\n pop %r10\n pop %r11\n"
	"lea 32(%rsp), %rsp\n"
	"ret\n"
	GLOBAL(kt_x86_jump_rest)
	"push %rbp\n mov %rsp, %rbp\n and $-16, %rsp\n"
	"xor %ecx, %ecx\n"
	"call code_gives_up@PLT\n"
	"leave\n ret\n"
	GLOBAL(kt_x86_event_rest)
	HIT_KEEP_ARGS
	"push %rbp\n mov %rsp, %rbp\n and $-16, %rsp\n"
	"mov %rdi, %rsi\n mov %rax, %rdi\n"
	"call hit_rest@PLT\n"
	"leave\n ret\n"
	/* hit_call_jump(code, regs) */
	"hit_call_jump:\n"
	"push %rbx\n"
	"mov %rdi, %rax\n"
	"mov $0x11111111, %ebx\n mov $0x66666666, %edi\n mov $0x77777777, %edx\n"
	"call *%rax\n"
	"xor %eax, %eax\n"
	"cmp $0x11111111, %rbx\n sete %al\n"
	"pop %rbx\n ret\n"
	/* hit_call(code, args, r10): true if the registers that functions preserve are as before. */
	"hit_call:\n"
	"push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
	"mov %rdi, %r11\n mov %rsi, %rax\n mov %rdx, %r10\n"
	"mov (%rax), %rsi\n mov 8(%rax), %rdx\n mov 16(%rax), %rcx\n mov 24(%rax), %r8\n mov 32(%rax), %r9\n"
	"mov $0x11111111, %ebx\n mov $0x22222222, %r12d\n mov $0x33333333, %r13d\n"
	"mov $0x44444444, %r14d\n mov $0x55555555, %r15d\n"
	"mov $0x66666666, %edi\n"
	"mov %rsp, %rbp\n"
	"call 1f\n"
	"hit_returned:\n"
	"nop\n"
	"xor %eax, %eax\n"
	"cmp %rsp, %rbp\n jne 3f\n"
	"cmp $0x11111111, %rbx\n jne 3f\n cmp $0x22222222, %r12\n jne 3f\n cmp $0x33333333, %r13\n jne 3f\n"
	"cmp $0x44444444, %r14\n jne 3f\n cmp $0x55555555, %r15\n jne 3f\n"
	"inc %eax\n"
	"3: mov %rbp, %rsp\n"
	"pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
	"ret\n"
	"1: pushq $2\n"		/* interrupts off: the code must not turn them on here */
	"cmpq $0, hit_trap(%rip)\n"
	"je 2f\n"
	"pushfq\n orq $0x100, (%rsp)\n popfq\n"	/* a trap behind each instruction */
	"2: jmp *%r11\n");

extern const char hit_returned[];
bool hit_call(const void *code, const u64 args[5], const void *r10);
bool hit_call_jump(const void *code, const struct pt_regs *regs);
void hit_rest(const struct kt_insn *in, kt_item *out);
void hit_direct_rest(const struct kt_insn *in, kt_item *out, const u64 r[NO_REG]);

void hit_direct_rest(const struct kt_insn *in, kt_item *out, const u64 r[NO_REG])
{
	struct pt_regs regs = machine_now->regs;
	u32 i;

	for (i = 0; i < NO_REG; i++)
		regs.general[i] = r[machine_at(kt_reg_offset(i))];
	if (hit_cpu.loads_at - (u32)(uintptr_t)r > 256)	/* the stack pointer of the code */
		abort();
	code_given_up++;
	kt_capture_rest(in, &regs, out, NULL);
}

void hit_rest(const struct kt_insn *in, kt_item *out)
{
	struct pt_regs regs = machine_regs(machine_now, false);
	u32 i;

	for (i = 0; i < NR_ARGUMENTS; i++)
		regs.general[kt_x86_arguments[i][0]] = hit_args[i];
	code_given_up++;
	kt_capture_rest(in, &regs, out, NULL);
}

static bool hit_clock_traps, hit_calls_plainly, hit_call_given, hit_no_faults;

bool kt_x86_calls_plainly(void)
{
	return hit_calls_plainly;
}

unsigned long kt_x86_thunk_of(const char *jump)
{
	return (unsigned long)jump;
}

bool kt_code_layout(struct kt_layout *out)
{
	*out = (struct kt_layout){
		.nest = offsetof(struct hit_cpu, nest), .context = offsetof(struct hit_cpu, context),
		.others = offsetof(struct hit_cpu, others), .failed = offsetof(struct hit_cpu, failed),
		.preempt_count = offsetof(struct hit_cpu, preempt_count),
		.current_task = offsetof(struct hit_cpu, task),
		.faults = offsetof(struct hit_cpu, faults), .cpu_offset = offsetof(struct hit_cpu, cpu_offset),
		.loads_at = offsetof(struct hit_cpu, loads_at),
		.tgid = 4, .start_time = 8, .comm = 16, .thread_size = 16384, .flags = 16, .status = 20, .stack = 24, .no_program = 0x200004, .compat = 2, .call = 64, .number = 48,
		.clock_traps = hit_clock_traps, .no_faults = hit_no_faults,
	};
	return true;
}

static u32 hit_on;	/* how often code has turned interrupts on */

/* Programs must not execute sti. */
static void hit_turn_on(int signal, siginfo_t *info, void *context)
{
	greg_t *at = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	if (*(const u8 *)*at != 0xfb)
		abort();
	++*at;
	hit_on++;
}

/* The C path handles a hit after which the high half of the time changes: wait until that is over, if it is near. */
static void hit_await_clock(void)
{
	while ((u32)kt_clock_read() > 0xf0000000)
		;
}

/* Has it changed during this hit? */
static bool hit_crossed(void)
{
	const u64 now = kt_clock_read();

	return hit_left && !hit_trap && hit_cpu.ring.wide && now >> 32 != hit_ctl.last_ts >> 32 && now - hit_ctl.last_ts < 1U << 31;
}

static void hit_reset_as(bool wide)
{
	const struct sigaction turn_on = { .sa_sigaction = hit_turn_on, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &turn_on, NULL);
	hit_await_clock();
	memset(&hit_cpu, 0, sizeof(hit_cpu));
	assert_int_equal(offsetof(struct hit_cpu, failed), 48);
	hit_cpu.preempt_count = 0x10203;
	hit_cpu.cpu_offset = (u64)(uintptr_t)&hit_cpu;
	hit_ring_reset(&hit_cpu.ring, wide);
	if (hit_far)
		*hit_far = (struct hit_far){ .ring = hit_cpu.ring };
	if (syscall(SYS_arch_prctl, ARCH_SET_GS, &hit_cpu))
		abort();
}

static __attribute__((unused)) void hit_reset(void)
{
	hit_reset_as(true);
}

static struct kt_hit_code hit_what(const struct kt_program *program, bool is_case, bool is_jump)
{
	const struct hit_rings *rings = hit_far ? &hit_far->rings : &hit_rings;

	return (struct kt_hit_code){
		.insns = &program->insns[program->filter], .len = program->len - program->filter,
		.id = HIT_ID, .units = (u32)program->bytes / 2,
		.desc = &hit_cpu, .counts = &hit_counts, .rings = rings, .recording = &rings->recording, .wake_next = &rings->wake_next,
		.ring = hit_far ? (unsigned long)&hit_far->ring - (unsigned long)&hit_cpu : offsetof(struct hit_cpu, ring), .sub_units = HIT_SUB / 2,
		.draft = (unsigned long)hit_draft - (unsigned long)&hit_cpu, .is_case = is_case, .is_jump = is_jump,
		.call_given = is_case && hit_call_given,
	};
}

/* NULL: there is no code. */
static const void *hit_make_what(struct kt_hit_code what)
{
	int n;

	if (mprotect(code_memory, CODE_ROOM, PROT_READ | PROT_WRITE))
		abort();
	n = kt_generate_hit(&what, code_memory, CODE_ROOM, (unsigned long)code_memory);
	if (n > CODE_ROOM || mprotect(code_memory, CODE_ROOM, PROT_READ | PROT_EXEC))
		abort();
	return n < 0 ? NULL : code_memory;
}

/* The code of the program; NULL: there is none. */
static __attribute__((unused)) const void *hit_make(const struct kt_program *program, bool is_case, bool is_jump)
{
	return hit_make_what(hit_what(program, is_case, is_jump));
}

/* The arguments of the machine, in the order of kt_x86_arguments. */
static void hit_arguments(const struct machine *m, u64 args[NR_ARGUMENTS])
{
	for (u32 i = 0; i < NR_ARGUMENTS; i++)
		args[i] = m->regs.general[kt_x86_arguments[i][0]];
}

static bool hit_run_once(const struct machine *m, const void *code, bool is_jump)
{
	const struct pt_regs regs = machine_regs(m, false);
	u64 args[NR_ARGUMENTS];

	machine_now = m;
	hit_left = hit_woken = hit_on = 0;
	if (is_jump)	/* the registers are what a trampoline has saved */
		return hit_call_jump(code, &regs);
	hit_arguments(m, args);
	if (hit_call_given)
		args[0] = (uintptr_t)m->args;
	/* As from the stack of a task: 64 bytes before the registers of the call. */
	return hit_call(code, args, (const u8 *)m->args - 64);
}

static void hit_run_as(const struct machine *m, const void *code, bool is_jump)
{
	const u64 last = hit_ctl.last_ts, faults = hit_cpu.faults;

	assert_true(hit_run_once(m, code, is_jump));
	if (!hit_crossed())
		return;
	hit_ctl.last_ts = kt_clock_read();
	hit_cpu.faults = faults;	/* the first run has counted the unreadable texts, too: count them once */
	assert_true(hit_run_once(m, code, is_jump));
	if (hit_left)
		hit_ctl.last_ts = last;
}

static __attribute__((unused)) void hit_run(const struct machine *m, const void *code)
{
	hit_run_as(m, code, false);
}

static __attribute__((unused)) void hit_run_jump(const struct machine *m, const void *code)
{
	hit_run_as(m, code, true);
}

#endif
