/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - execute the real bytes of section.S one instruction after the other, on threads that exist only here.
 * Memory is that of the test, but for what the thread's pointer leads to.  tests/user/ARCH/machine.c knows the instructions
 * of an architecture that section.S uses; any other fails the test.
 */
#ifndef KTRACE_MACHINE_H
#define KTRACE_MACHINE_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_REGS	32

struct thread {
	uint64_t regs[MACHINE_REGS];
	uint64_t ip;
	uint64_t pointer;	/* the thread's */
	bool zero, carry;	/* flags */
	bool is_wide;		/* a long register was used, and not cleared */
	bool in_order;		/* the last instruction keeps reads of the clock behind it */
};

/* What the test knows of section.S: instructions, as capstone writes them. */
struct machine_texts {
	uint32_t clocks;	/* values of ktrace_clock_is_ordered that section.S knows */
	/* Of the functions that write an event: the read of the ring's word. */
	const char *read;
	/* Of ktrace_commit(): the first behind its comparisons. */
	const char *compared;
	/* Nobody can miss these, or the ones behind them.  A text that is NULL ends them. */
	struct {
		const char *text;
		bool itself, next;
	} unnoticed[8];
};

extern const struct machine_texts machine_texts;
/* For capstone. */
extern const cs_arch machine_arch;
extern const cs_mode machine_mode;

/* An instruction that is left out, or a jump that is never taken; 0: none. */
extern uint64_t machine_skipped;
/* Stores that readers must see after all before are like others, though they should not be. */
extern bool machine_forgets_order;

/* What reads of the clock return.  Without `in_order`, a time of before. */
uint64_t machine_clock(bool in_order);
/*
 * The test stores.  Readers see a store of another `group` after those of the groups before, but those of one group in any
 * order; a store that is a `release` after all before.
 */
void machine_store(void *to, uint64_t value, unsigned int bytes, bool release);
void machine_next_group(void);

/* Call a function, which returns to 0.  `top` is the end of a stack. */
void machine_call(struct thread *t, const void *function, uint64_t a, uint64_t b, uint64_t c, void *top);
uint32_t machine_result(const struct thread *t);
/* Argument 0, 1 or 2 of a function that begins now. */
uint64_t machine_argument(const struct thread *t, unsigned int number);
/* Execute one instruction.  False: it returned to an address that is 0. */
bool machine_step(struct thread *t);

/* decode.c: the instruction at ip, decoded once. */
const cs_insn *machine_decode(uint64_t ip);
/* The address of the next one. */
uint64_t machine_next(uint64_t ip);
/* The first instruction from `from` on, before `to`, with that text.  0: there is none. */
uint64_t machine_find(uint64_t from, uint64_t to, const char *text);

#endif
