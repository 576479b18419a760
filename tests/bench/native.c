// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * native.c - the time of one hit on the processor of this machine: the generated code of a jump hit with PID, run in user
 * space as a trampoline runs it, beside the least that an event can cost: a look at the clock and a store of 16 bytes.
 *
 * The ring, the code and what it finds at gs are those of the unit tests (tests/unit/direct_code.h).  The trampoline is that of
 * a place where the flags hold nothing, as at the begin of functions; or one of the others, which put them back by sahf or by popfq.
 * `cli` and `sti` are left out, which programs must not execute.  tests/bench/native prints the results.
 */
#include "unit.h"

#ifdef __x86_64__

#include <time.h>

#include "capture_insns.h"
#include "direct_code.h"

/* The loop with the jump, and a trampoline that ends with `restore`: the stack has the flags there. */
#define TRACED(name, restore)			\
	name ":\n"				\
	"1: jmp 3f\n"				\
	"2: dec %rdi\n"				\
	"jnz 1b\n"				\
	"ret\n"					\
	"3: pushfq\n"				\
	"push %rax\n"				\
	"mov direct_code(%rip), %rax\n"		\
	".byte 0x2e, 0x2e, 0x2e, 0xff, 0xd0\n"	/* call *%rax, as long as another call */	\
	restore					\
	"nopl 0(%rax,%rax,1)\n"			\
	"jmp 2b\n"

/* In place of `sti`, a nop. */
#define IF_ON			\
	"testb $2, 9(%rsp)\n"	\
	"je 4f\n"		\
	"nop\n"			\
	"4:\n"
#define FLAGS_BY_SAHF		\
	"mov 8(%rsp), %eax\n"	\
	"rol $8, %ax\n"		\
	"and $8, %al\n"		\
	"add $0x78, %al\n"	\
	"sahf\n"
#define END_OF_HIT			\
	"pop %rax\n"		\
	"lea 8(%rsp), %rsp\n"

/* The loop whose instruction is traced; then the jump that replaces it, and the trampolines (arch/x86/kmod/trampoline.c). */
__asm__(".text\n"
	"native_untraced:\n"
	"1: nopl 0(%rax,%rax,1)\n"
	"dec %rdi\n"
	"jnz 1b\n"
	"ret\n"
	TRACED("native_traced", IF_ON END_OF_HIT)
	TRACED("native_traced_sahf", IF_ON FLAGS_BY_SAHF END_OF_HIT)
	TRACED("native_traced_popf", "pop %rax\npopfq\n")
	/* The floor: rsi = 16 KiB of memory. */
	"native_floor:\n"
	"1: rdtsc\n"
	"shl $32, %rdx\n"
	"or %rdx, %rax\n"
	"mov %rdi, %rcx\n"
	"and $1023, %ecx\n"
	"shl $4, %ecx\n"
	"mov %rax, (%rsi,%rcx)\n"
	"mov %rdi, 8(%rsi,%rcx)\n"
	"dec %rdi\n"
	"jnz 1b\n"
	"ret\n");

void native_untraced(u64 times, void *unused);
void native_traced(u64 times, void *unused);
void native_traced_sahf(u64 times, void *unused);
void native_traced_popf(u64 times, void *unused);
void native_floor(u64 times, void *memory);

static u8 memory[16384] __attribute__((aligned(64)));

#define HITS	20000000ULL
#define ROUNDS	7

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double time_of(void (*loop)(u64 times, void *memory))
{
	const double begin = seconds();

	loop(HITS, memory);
	return (seconds() - begin) * 1e9 / HITS;
}

/* As many hits at a time as a packet has room for; then the C path writes one, and opens the next packet. */
static double time_hits(void (*loop)(u64 times, void *memory), u32 bytes)
{
	const u64 recorded = hit_cpu.recorded;
	const double begin = seconds();
	u64 hits, others = 0;

	for (hits = 0; hits < HITS; others++) {
		const u32 left = HIT_SUB - 4 * kt_word_off(hit_ctl.word);

		if (left >= bytes)
			loop(left / bytes, NULL);
		hits += left / bytes;
		kt_ring_write(&hit_cpu.ring, HIT_NARROW_ID, memory, (bytes - 4) / 4);
	}
	if (hit_cpu.recorded - recorded + others < hits)
		printf("native: %llu hits were left to C\n", (unsigned long long)(hits + others - hit_cpu.recorded + recorded));
	return (seconds() - begin) * 1e9 / (double)(hits + others);
}

static double lower(double a, double b)
{
	return a < b ? a : b;
}

int main(void)
{
	static const struct kt_insn insns[] = { PID, END };
	double floor = 1e9, hit = 1e9, sahf = 1e9, popf = 1e9, nothing = 1e9;
	struct kt_program *program;
	struct machine m;

	if (make_own_ids(NULL))
		return 1;
	machine_reset(&m);
	direct_reset();
	hit_ctl.last_ts = kt_clock_read();
	program = loaded(&m, insns, ARRAY_SIZE(insns));
	direct_code = make_code(program, true);
	if (!direct_code)
		return 1;
	for (u32 i = 0; i < ROUNDS; i++) {
		nothing = lower(nothing, time_of(native_untraced));
		floor = lower(floor, time_of(native_floor));
		hit = lower(hit, time_hits(native_traced, 4 + m.payload));
		sahf = lower(sahf, time_hits(native_traced_sahf, 4 + m.payload));
		popf = lower(popf, time_hits(native_traced_popf, 4 + m.payload));
	}
	printf("untraced %.2f\nfloor %.2f\nhit %.2f\nsahf %.2f\npopf %.2f\n", nothing, floor, hit, sahf, popf);
	free(program);
	return 0;
}

#else

/* This architecture has no generator. */
int main(void)
{
	return 77;
}

#endif
