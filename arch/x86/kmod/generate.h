/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * generate.h - machine code for capture programs, and for whole hits of static tracepoints and of jumps.  See kmod/text/code.h.
 *
 * Each function writes the code to out[room]; CPUs execute it at the address `at`.  It returns the bytes of the code, also if
 * there is not so much room: then `out` is not complete.  -EOPNOTSUPP: no code for this program; -ENOMEM.  Sleepable.
 */
#ifndef KTRACE_X86_GENERATE_H
#define KTRACE_X86_GENERATE_H

#include "core/capture.h"
#include "core/text_end.h"
#include "checked.h"

struct kt_hit_code;

/* The code of a verified program, from `insns` to KT_OP_END. */
int kt_x86_generate(const struct kt_insn *insns, u32 len, u8 *out, u32 room, unsigned long at);

/* The code of a hit. */
int kt_x86_generate_hit(const struct kt_hit_code *what, u8 *out, u32 room, unsigned long at);
/* The code of a hit that chooses one of hits[nr] by the number of the system call.  There are kt_hits_room(nr). */
int kt_x86_generate_cases(const struct kt_hit_code *what, void *const *hits, u32 nr, u8 *out, u32 room, unsigned long at);

/*
 * Functions of generate_calls.S that only generated code calls, in its own convention: see generate.c.  The loads are
 * those of 1, 2, 4 and 8 bytes.
 */
extern const char kt_x86_code_load8[], kt_x86_code_load16[], kt_x86_code_load32[], kt_x86_code_load64[];
extern const char kt_x86_code_call[], kt_x86_code_text[], kt_x86_code_end[];

/*
 * The same for hits; a load that fails returns 0 and sets the mark of the CPU.  hit_checked: from at most KT_X86_CHECKED bytes behind an
 * address in the direct map, or one that kt_x86_hit_image() has accepted; or up to one that kt_x86_hit_stack() has; that of 16 bytes returns the last eight in r11.
 */
extern const char kt_x86_hit_load8[], kt_x86_hit_load16[], kt_x86_hit_load32[], kt_x86_hit_load64[];
extern const char kt_x86_hit_checked8[], kt_x86_hit_checked16[], kt_x86_hit_checked32[], kt_x86_hit_checked64[], kt_x86_hit_checked128[];
/* The same for events that pass the registers of the system call: these loads also read memory of the program. */
extern const char kt_x86_call_load8[], kt_x86_call_load16[], kt_x86_call_load32[], kt_x86_call_load64[];
extern const char kt_x86_hit_image[], kt_x86_hit_stack[];
extern const char kt_x86_hit_text[], kt_x86_call_text[];

/*
 * Loads of direct jumps change rax alone.  A chain of 1 to KT_X86_CHAIN pointers: rax = where it begins; rdi = kt_direct_end();
 * rcx = a table that has for each pointer the offset that is added to it, less kt_direct_end().  The word before the table is the
 * address to which the function returns if a value cannot be read.
 */
#define KT_X86_CHAIN	4
extern const char kt_x86_direct_load8[], kt_x86_direct_load16[], kt_x86_direct_load32[], kt_x86_direct_load64[];
extern const char kt_x86_direct_chain1[], kt_x86_direct_chain2[], kt_x86_direct_chain3[], kt_x86_direct_chain4[];

/* An address is in the direct map if address + kt_direct_shift < kt_direct_checked, with all KT_X86_CHECKED bytes behind. */
extern u64 kt_direct_shift, kt_direct_size, kt_direct_checked;

/*
 * The end of the direct map.  The difference of an address and this is negative for the direct map and for all of the kernel's half
 * before it, where no devices are; it is positive for addresses of programs, and behind the direct map.
 */
static inline u64 kt_direct_end(void)
{
	return kt_direct_size - kt_direct_shift;
}

/* What the code of hits has to know of the kernel. */
struct kt_x86_layout {
	/* Addresses of per-CPU variables.  cpu_offset: what the CPU adds to such an address. */
	s32 nest, context, others, failed, faults, preempt_count, current_task, cpu_offset, loads_at;
	s32 flags, status, stack;	/* members of struct task_struct */
	s32 tgid, pid, start_time, comm;	/* likewise */
	u32 thread_size;		/* bytes of the stack of a task */
	u32 no_program, compat;		/* bits of the first two: the task is in no 64-bit system call */
	s32 call, number;		/* from the stack to the registers of the call; from there to its number */
	bool clock_traps;		/* reading the clock may be an exception */
	bool no_faults;			/* the probes of an event are called with preemption off: no page fault is handled */
	bool checks_branches;		/* the CPU wants endbr64 where an indirect branch leads to (IBT) */
};

/* False: an address of a per-CPU variable has more than 32 bits. */
bool kt_x86_layout(struct kt_x86_layout *out);

#endif
