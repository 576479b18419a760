/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hit_machine.h - run the generated code of a whole hit: with a ring, with what the kernel keeps for each CPU, and with what entry.S
 * has.  The code has a stack and registers of its own, and everything that it leaves in them is kept.
 */
#ifndef HIT_MACHINE_H
#define HIT_MACHINE_H

#include "capture_code.h"
#include "hit_ring.h"

#include "arch/arm64/kmod/entry.h"
#include "kmod/code/plan.h"

#define HIT_PSTATE	0x600003c0ULL
#define HIT_STACK	65536

/* What the kernel keeps for each CPU.  Its members have their offsets as per-CPU addresses. */
static struct hit_cpu {
	struct kt_ring ring;
	u32 nest, loads_at, context;
	u64 faults, others, recorded, missed;	/* the last two: struct kt_counts */
	u64 last_ticks, before[3];
	u64 *values;			/* of a table */
	u8 draft[KT_MAX_PAYLOAD];
} hit_cpu;

/* The same ring where the code does not reach it by an offset. */
static struct kt_ring hit_far;

static u64 hit_counts = offsetof(struct hit_cpu, recorded);
static u16 hit_own_ids[256];
static u8 hit_stack[HIT_STACK] __attribute__((aligned(16)));

/* How the code came to its end. */
enum hit_end { HIT_NEVER, EVENT_END, EVENT_AGAIN, EVENT_WAKE, JUMP_END, JUMP_AGAIN, JUMP_WAKE };

struct hit_after {
	u64 x[31], sp, end;
} hit_after;

u64 hit_caller, hit_start[31], hit_frame;
static u32 hit_loads_at;	/* before the code */

#define FRAME_OF_HIT	((u64 *)(hit_stack + HIT_STACK - 4096))

#define KEEP_TWO(a, b)	"stp x" #a ", x" #b ", [x30, #8*" #a "]\n"
#define TAKE_TWO(a, b)	"ldp x" #a ", x" #b ", [x30, #8*" #a "]\n"
#define HIT_END(name, end)						\
	FUNCTION(name)							\
	"adrp x30, hit_after\n add x30, x30, :lo12:hit_after\n"		\
	KEEP_TWO(0, 1) KEEP_TWO(2, 3) KEEP_TWO(4, 5) KEEP_TWO(6, 7)	\
	KEEP_TWO(8, 9) KEEP_TWO(10, 11) KEEP_TWO(12, 13) KEEP_TWO(14, 15)	\
	KEEP_TWO(16, 17) KEEP_TWO(18, 19) KEEP_TWO(20, 21) KEEP_TWO(22, 23)	\
	KEEP_TWO(24, 25) KEEP_TWO(26, 27) KEEP_TWO(28, 29)		\
	"mov x0, sp\n mov x1, #" #end "\n stp x0, x1, [x30, #8*31]\n"	\
	"b hit_back\n"

__asm__(".text\n"
	HIT_END(kt_arm64_event_end, 1) HIT_END(kt_arm64_event_again, 2) HIT_END(kt_arm64_event_wake, 3)
	HIT_END(kt_arm64_jump_end, 4) HIT_END(kt_arm64_jump_again, 5) HIT_END(kt_arm64_jump_wake, 6)
	"hit_back:\n"
	"adrp x0, hit_caller\n ldr x0, [x0, :lo12:hit_caller]\n mov sp, x0\n"
	"ldp x19, x20, [sp, #16]\n ldp x21, x22, [sp, #32]\n ldp x23, x24, [sp, #48]\n"
	"ldp x25, x26, [sp, #64]\n ldp x27, x28, [sp, #80]\n ldp x29, x30, [sp], #96\n"
	"ret\n"
	/* hit_go(code): with the registers of hit_start */
	FUNCTION(hit_go)
	"stp x29, x30, [sp, #-96]!\n"
	"stp x19, x20, [sp, #16]\n stp x21, x22, [sp, #32]\n stp x23, x24, [sp, #48]\n"
	"stp x25, x26, [sp, #64]\n stp x27, x28, [sp, #80]\n"
	"mov x16, x0\n"
	"mov x1, sp\n adrp x0, hit_caller\n str x1, [x0, :lo12:hit_caller]\n"
	"adrp x0, hit_frame\n ldr x0, [x0, :lo12:hit_frame]\n mov sp, x0\n"
	"adrp x30, hit_start\n add x30, x30, :lo12:hit_start\n"
	TAKE_TWO(0, 1) TAKE_TWO(2, 3) TAKE_TWO(4, 5) TAKE_TWO(6, 7)
	TAKE_TWO(8, 9) TAKE_TWO(10, 11) TAKE_TWO(12, 13) TAKE_TWO(14, 15)
	TAKE_TWO(18, 19) TAKE_TWO(20, 21) TAKE_TWO(22, 23)
	TAKE_TWO(24, 25) TAKE_TWO(26, 27) TAKE_TWO(28, 29)
	"mov x17, #-1\n mov x30, #-1\n"
	"br x16\n");

void hit_go(const void *code);

/* What differs among machines. */
static bool hit_is_coarse, hit_has_atomics, hit_is_far;

bool kt_code_layout(struct kt_layout *out)
{
	*out = (struct kt_layout){
		.busy = offsetof(struct hit_cpu, nest), .loads_at = offsetof(struct hit_cpu, loads_at),
		.others = offsetof(struct hit_cpu, others), .context = offsetof(struct hit_cpu, context),
		.faults = offsetof(struct hit_cpu, faults), .pid = 0, .start_time = 8, .comm = 40, .thread_size = 16384, .preempt_count = 56,
		.last_ticks = hit_is_coarse ? offsetof(struct hit_cpu, last_ticks) : 0,
		.tgid = 4, .task_flags = 16, .thread_flags = 24, .stack = 32, .no_program = 0x200004, .compat = 22,
		.call = 64, .number = 48, .atomics = hit_has_atomics,
	};
	return true;
}

#define TASK_WORDS	16

/* The name of the task, as the kernel may keep it: with the tail of a longer one. */
static __attribute__((unused)) void hit_name(u32 task[TASK_WORDS], const struct machine *m)
{
	memset(task + 10, 'x', KT_COMM_BYTES);
	memcpy(task + 10, m->comm, strnlen(m->comm, KT_COMM_BYTES - 1) + 1);
}

static void hit_reset(bool wide)
{
	memset(&hit_cpu, 0, sizeof(hit_cpu));
	hit_ring_reset(&hit_cpu.ring, wide);
	hit_far = hit_cpu.ring;
}

/* Of which kind a hit is. */
struct hit_kind {
	bool is_event, is_wide, is_case, call_given, others;
};

static struct kt_hit_code hit_what(const struct kt_program *program, const struct hit_kind *kind)
{
	return (struct kt_hit_code){
		.insns = &program->insns[program->filter], .len = program->len - program->filter,
		.id = kind->is_wide ? HIT_ID : HIT_NARROW_ID,
		.units = (u32)program->bytes >> kt_unit_shift(kind->is_wide),
		.desc = &hit_cpu, .counts = &hit_counts, .rings = &hit_rings, .recording = &hit_rings.recording,
		.wake_next = &hit_rings.wake_next,
		.ring = hit_is_far ? (unsigned long)&hit_far - (unsigned long)&hit_cpu : offsetof(struct hit_cpu, ring),
		.is_case = kind->is_case, .call_given = kind->call_given, .is_jump = !kind->is_event && kind->is_wide,
		.is_direct = !kind->is_wide, .is_event = kind->is_event && !kind->is_wide,
		.own_ids = kind->others ? hit_own_ids : NULL,
		.filter = program->filter ? program->insns : NULL, .filter_len = program->filter,
	};
}

static void code_protect(int how)
{
	if (mprotect(code_memory, CODE_ROOM, how))
		abort();
}

/* Bytes of the code; 0: there is none. */
static u32 hit_make(const struct kt_hit_code *what)
{
	int n;

	code_protect(PROT_READ | PROT_WRITE);
	memset(code_memory, 0, sizeof(code_memory));
	n = kt_generate_hit(what, code_memory, CODE_ROOM, (unsigned long)code_memory);
	if (n > CODE_ROOM)
		abort();
	__builtin___clear_cache((char *)code_memory, (char *)code_memory + (n < 0 ? 0 : n));
	code_protect(PROT_READ | PROT_EXEC);
	return n < 0 ? 0 : n;
}

/* Run the code with the registers of the machine.  Of an event only the arguments are known to the program. */
static void hit_run(const struct machine *m, const struct hit_kind *kind, const void *task)
{
	u64 *const frame = FRAME_OF_HIT;

	machine_now = m;
	hit_loads_at = hit_cpu.loads_at;
	memset(&hit_after, 0, sizeof(hit_after));
	memset(hit_stack, 0x5a, sizeof(hit_stack));
	memcpy(hit_start, m->regs.general, sizeof(hit_start));
	if (kind->call_given)
		hit_start[1] = (uintptr_t)m->args - kt_syscall_arg_offset(0);
	if (!kind->is_event) {
		memcpy(frame + 8, &hit_start[8], 4 * sizeof(u64));
		memcpy(frame + 16, &hit_start[16], 2 * sizeof(u64));
		frame[30] = hit_start[30];
	}
	hit_start[8] = HIT_PSTATE;
	hit_start[9] = hit_start[11] = (uintptr_t)&hit_cpu;
	hit_start[10] = (uintptr_t)task;
	hit_frame = (uintptr_t)frame;
	hit_go(code_memory);
}

/* The code has put back what it must: the registers of the hit, the stack pointer, PSTATE. */
static bool registers_are_back(const struct hit_kind *kind)
{
	const bool all = !kind->is_event, arguments = all || hit_after.end == EVENT_AGAIN;

	for (u32 n = 0; n < 30; n++) {
		const bool matters = n == 8 || n >= 18 || (all && (n < 8 || (n >= 12 && n < 16))) || (arguments && n >= 1 && n < 8);

		if (matters && hit_after.x[n] != hit_start[n])
			return false;
	}
	return hit_after.sp == hit_frame && hit_cpu.loads_at == hit_loads_at;
}

#endif
