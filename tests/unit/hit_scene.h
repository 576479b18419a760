/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hit_scene.h - the generator of a hit's code, and a record that comes between two of its instructions.  What the code has
 * changed: hit_record.h.
 */
#ifndef HIT_SCENE_H
#define HIT_SCENE_H

#include "hit_code.h"
#include "hit_record.h"
#include "ctl/base/memory.h"

static u16 *own_ids;	/* within 31 bits, as the module's are */

static __attribute__((unused)) int make_own_ids(void **state)
{
	own_ids = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	return own_ids == MAP_FAILED;
}

/* `run` the code: the hit is not recorded, and the counter of the reason is this member of the control structure. */
static __attribute__((unused)) void assert_missed_by(void (*run)(const struct machine *m, const void *code), const struct machine *m,
						     const void *code, u32 counter)
{
	struct scene *scene = scene_take();

	run(m, code);
	assert_int_equal(hit_left, 0);
	++*(u64 *)((u8 *)&scene->ctl + counter);
	scene->cpu.missed++;
	assert_scene(scene);
	free(scene);
}

/* Change the scene as a hit does that is recorded at the time ts, and counted. */
static __attribute__((unused)) void scene_record(struct scene *scene, const u8 *payload, u32 bytes, u64 ts)
{
	scene_write(scene, payload, bytes, ts);
	scene->cpu.context = hit_cpu.context;	/* of texts */
	scene->cpu.others += hit_cpu.ring.wide;
	scene->cpu.recorded++;
}

/* At most one record is written between any two instructions; the ring must have both. */
static struct {
	u32 at, steps;
	u64 end;	/* where the code returns to */
	bool met;
} trap;

#define STEPS	0x100LL		/* the trap flag: a SIGTRAP after each instruction */

static bool is_in_code(u64 at)
{
	return at - (u64)(uintptr_t)code_memory < CODE_ROOM;
}

/*
 * The test interrupts only generated code, so it runs the C functions that this code calls at full speed, not in single steps.
 * With sanitizers, such a function executes hundreds of instructions, and in some virtual machines a step takes 20 us: the hit
 * would take longer than the clock of a narrow record can tell.  To get control again, the test lets the function return to
 * hit_over.
 */
__asm__(".pushsection .text\nhit_over:\n\tint3\n.popsection\n");
extern const u8 hit_over[];
static u64 return_address;	/* the one that hit_over replaces */

/* If the code has just called a function, run that function at full speed.  True: it has. */
static bool begin_call(greg_t *regs)
{
	u64 *const stack = (u64 *)(uintptr_t)regs[REG_RSP];

	if (is_in_code((u64)regs[REG_RIP]) || !is_in_code(*stack))
		return false;
	return_address = *stack;
	*stack = (u64)(uintptr_t)hit_over;
	regs[REG_EFL] &= ~STEPS;
	return true;
}

/* If the function has returned to hit_over, continue after the call, in single steps. */
static void end_call(greg_t *regs)
{
	if ((u64)regs[REG_RIP] != (u64)(uintptr_t)hit_over + 1)
		return;
	regs[REG_RIP] = (greg_t)return_address;
	regs[REG_EFL] |= STEPS;
}

/* For a handler of single steps: end them at trap.end.  True: this is the step of the code that is to be interrupted. */
static bool at_trap(void *context)
{
	greg_t *const regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	end_call(regs);
	if (begin_call(regs))
		return false;
	if ((u64)regs[REG_RIP] == trap.end)
		regs[REG_EFL] &= ~STEPS;
	if (!is_in_code((u64)regs[REG_RIP]) || trap.steps++ != trap.at)
		return false;
	trap.met = true;
	return true;
}

static __attribute__((unused)) void on_trap(int signal, siginfo_t *info, void *context)
{
	if (at_trap(context))
		kt_ring_write(&hit_cpu.ring, HIT_OTHER_ID, "abcd", 4 >> kt_unit_shift(hit_cpu.ring.wide));
}

/* This process was away from the CPU for longer than a record's clock can tell: interrupt the same instruction again. */
static __attribute__((unused)) void trap_again(void)
{
	trap.at--;
	trap.met = true;
}

/* After a hit that another record may have interrupted: it is recorded once, or left to C; the other record is there. */
static __attribute__((unused)) void assert_interrupted(u32 id, u32 payload)
{
	u32 all;

	assert_int_equal(hit_cpu.nest, 0);
	assert_int_equal(hit_cpu.recorded, !hit_left);
	assert_int_equal(records_of(id, payload, &all), !hit_left);
	assert_int_equal(all, !hit_left + trap.met);
}

/* After all interruptions: the code has `least` to `most` instructions, and `left` of the hits were left to C. */
static __attribute__((unused)) void assert_steps(u32 least, u32 most, u32 left)
{
	print_message("%u instructions, the hit was left to C at %u of them\n", trap.steps, left);
	assert_in_range(trap.at, least, most);
	assert_in_range(left, 8, 25);
	signal(SIGTRAP, SIG_DFL);
}

#endif
