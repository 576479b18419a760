// SPDX-License-Identifier: GPL-2.0-or-later
/* cpu.c - the C side of cpu.S. See cpu.h. */
#include <elf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <ucontext.h>

#include <linux/kernel.h>

#include "cpu.h"
#include "machine.h"
#include "vector.h"
#include "worker.h"

#define HWCAP2_FSGSBASE		2
#define FRAME_MAGIC_AT		464
#define FRAME_SIZE_AT		480
#define SIGNAL_STACK		(64 << 10)
#define TICK_US			200000

void cpu_remember(void);
void cpu_enter(void);
void cpu_on_signal(int signal, siginfo_t *info, void *context);
void cpu_on_tick(int signal, siginfo_t *info, void *context);
void cpu_signal(int signal, siginfo_t *info, void *context);

struct state cpu_in, cpu_out;
u64 cpu_vector_mask;
const u8 *cpu_vector_in;
u8 cpu_vector_out[VECTOR_BYTES] __attribute__((aligned(64)));
u8 cpu_vector_clean[VECTOR_BYTES] __attribute__((aligned(64)));

u64 cpu_frame[FRAME_WORDS], cpu_frame_at;
u32 cpu_hits;
u64 cpu_hit_flags;

/* struct pt_regs: r15 first. */
const u8 frame_gpr[NR_GPR] = { 10, 11, 12, 5, FRAME_SP, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0 };

static u8 vectors[CPU_NR_VECTORS][VECTOR_BYTES] __attribute__((aligned(64)));
u64 cpu_execution;	/* the number of the execution in progress, or 0 */
static struct outcome *outcome;

/* In the order of their encoding. */
static const int gpr_in_frame[NR_GPR] = {
	REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
	REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

static void vectors_from_frame(const u8 *frame)
{
	u32 magic, size = VECTOR_EXTENDED;

	memset(cpu_vector_out, 0, VECTOR_BYTES);
	if (!frame)
		return;
	memcpy(&magic, frame + FRAME_MAGIC_AT, sizeof(magic));
	if (magic == FP_XSTATE_MAGIC1)
		memcpy(&size, frame + FRAME_SIZE_AT, sizeof(size));
	memcpy(cpu_vector_out, frame, size < VECTOR_BYTES ? size : VECTOR_BYTES);
}

/* cpu_on_signal calls this on the signal stack; then cpu_enter() returns. */
void cpu_signal(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *frame = context;
	unsigned int i;

	if (!cpu_execution) {
		worker_crashed(signal, frame->uc_mcontext.gregs[REG_RIP]);
		_Exit(1);
	}
	for (i = 0; i < NR_GPR; i++)
		cpu_out.gpr[i] = frame->uc_mcontext.gregs[gpr_in_frame[i]];
	cpu_out.rip = frame->uc_mcontext.gregs[REG_RIP];
	cpu_out.flags = frame->uc_mcontext.gregs[REG_EFL];
	vectors_from_frame((const u8 *)frame->uc_mcontext.fpregs);
	outcome->signal = signal;
	outcome->code = info->si_code;
	outcome->address = (u64)info->si_addr;
	outcome->trap = frame->uc_mcontext.gregs[REG_TRAPNO];
	outcome->error = frame->uc_mcontext.gregs[REG_ERR];
}

static void note_hits(struct outcome *out)
{
	out->hits = cpu_hits;
	out->hit_flags = cpu_hit_flags;
	if (!cpu_hits)
		return;
	memcpy(out->frame, cpu_frame, sizeof(cpu_frame));
	out->frame[FRAME_SP] = cpu_frame_at + sizeof(cpu_frame);
}

void cpu_run(const struct state *state, const u8 *vector_in, struct outcome *out, u8 *vector_out)
{
	static u64 executions;

	memset(out, 0, sizeof(*out));
	cpu_in = *state;
	cpu_vector_in = vector_in;
	outcome = out;
	machine_forget_pad();
	cpu_hits = 0;
	cpu_execution = ++executions;
	cpu_enter();
	cpu_execution = 0;
	if (!out->signal)
		out->lost = !machine_pad_reached(&cpu_out.rip);
	out->state = cpu_out;
	vector_settle(cpu_vector_out);
	memcpy(vector_out, cpu_vector_out, vector_size);
	note_hits(out);
}

static void catch_signals(void)
{
	static const int caught[] = { SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS };
	static u8 stack[SIGNAL_STACK] __attribute__((aligned(64)));
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	/* The handler ends by a jump, so its signal must not stay blocked. */
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
	unsigned int i;

	action.sa_sigaction = cpu_on_signal;
	sigaltstack(&alternate, NULL);
	for (i = 0; i < ARRAY_SIZE(caught); i++)
		sigaction(caught[i], &action, NULL);
	action.sa_sigaction = cpu_on_tick;
	action.sa_flags |= SA_RESTART;
	sigaction(CPU_NO_END, &action, NULL);
}

/* In CPU time of user mode. */
static void start_ticks(void)
{
	const struct itimerval ticks = { .it_interval.tv_usec = TICK_US, .it_value.tv_usec = TICK_US };

	setitimer(ITIMER_VIRTUAL, &ticks, NULL);
}

const char *cpu_init(void)
{
	if (!(getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE))
		return "neither this CPU nor this kernel lets user space set its segment bases (FSGSBASE)";
	cpu_vector_mask = vector_init();
	if (!cpu_vector_mask)
		return "this CPU has no XSAVE";
	cpu_remember();
	catch_signals();
	start_ticks();
	return NULL;
}

void cpu_fill_vectors(u64 seed)
{
	struct rng rng;
	unsigned int i;

	rng_seed(&rng, seed, ~0ull);
	for (i = 0; i < CPU_NR_VECTORS; i++)
		vector_random(&rng, vectors[i]);
}

const u8 *cpu_vector(unsigned int number)
{
	return vectors[number % CPU_NR_VECTORS];
}
