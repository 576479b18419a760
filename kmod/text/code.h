/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * code.h - machine code for capture programs, and for whole hits of static tracepoints and of jumps.
 * The jumps are those of recordings, or direct ones: see struct kt_hit_code.
 *
 * The C code of the hit path and the interpreter (core/capture_run.c) define what a hit does.  Generated code handles the
 * usual case only: every load succeeds, every argument is there, the ring has room.  In any other case it gives up.  The code
 * of a payload calls the interpreter, which writes the whole payload again.  The code of a hit does that, too, or leaves the
 * hit to kt_hit_event() or kt_hit_jump() before it has changed anything.  Only a text that is unreadable is usual, too: the code
 * of a hit marks it.  An architecture without a generator, or a program that the generator
 * does not support, has no code.
 *
 * The code runs in a hit, where interrupts are off.  So it is freed under the same rule as the descriptor that owns it: after
 * an RCU grace period.
 */
#ifndef KTRACE_CODE_H
#define KTRACE_CODE_H

#include <linux/types.h>

#include "core/aggregate.h"
#include "core/ktrace_abi.h"

struct kt_insn;
struct pt_regs;
struct task_struct;

/*
 * Write the payload of a hit to `out`, any even address.  me: the current task.  call: the registers of its system call;
 * NULL: not known, the code looks for them if it needs them.  A payload whose length varies: returns its end, which may be
 * odd; NULL: the code gives up without calling the interpreter.  Any other payload: returns nothing.  In a hit.
 */
typedef void *(*kt_code_fn)(const struct pt_regs *regs, void *out, const struct task_struct *me,
			   const struct pt_regs *call);

struct kt_code {
	kt_code_fn run;		/* NULL: use the interpreter */
	/* Where kt_arch.event_probe, or a direct trampoline, goes on by way of site->direct; of another jump: if hit_bytes. */
	const void *hit;
	u32 run_bytes;
	u32 hit_bytes;		/* 0: not generated */
	u32 hit_text;		/* of them: instructions, the others are data; 0: all */
};

/* Where a hit counts instead of writing a record: core/aggregate.h. */
struct kt_hit_table {
	const void *at;			/* the pointer to the table, which changes when it is cleared */
	struct kt_agg_table plan;	/* of each such table; only `slots` differs */
	u32 slots, cpu;			/* in the table: the pointer to its entries; a per-CPU address with the pointer to */
	u32 values;			/*  the values of the CPU so many bytes behind */
	u32 key_bytes;
};

/* Generated code looks for a key of at most so many words, at its home and so many places behind it; the C path does the rest. */
#define KT_CODE_KEY_WORDS	4
#define KT_CODE_PROBES		3

/* Does a hit add a value to the table (SUM, AVG, HIST ...)?  In a table of COUNT it adds only 1. */
static inline bool kt_hit_table_has_value(const struct kt_hit_table *table)
{
	return table->plan.kind != KT_AGG_COUNT;
}

/* Can code be generated for hits that count in this table?  That depends on the number of its key words, and on its kind. */
static inline bool kt_hit_table_has_code(const struct kt_hit_table *table)
{
	const u32 kind = table->plan.kind;

	return table->plan.key_words <= KT_CODE_KEY_WORDS &&
	       (kind == KT_AGG_COUNT || kind == KT_AGG_SUM || kind == KT_AGG_AVG || kind == KT_AGG_HIST);
}

/*
 * The begin or the end of a call in a measurement, on the fast path (kmod/hit/fast_path.h): its hits record nothing.  `cpu` is the
 * per-CPU address of what the measurement counts; the next four are where it has members.
 */
struct kt_hit_measure {
	bool begins;
	s32 bias;			/* the key of the call: the stack pointer plus this */
	const struct kt_intervals *intervals;	/* the open calls; only `reach` changes */
	const void *running;		/* a byte that is 0 while it does not run */
	const void *quota, *left;	/* eight bytes; 0 if it has no quota; the samples that are left */
	const void *cost;		/* what is taken off a call that has begun by method 0 and ends by a jump, */
	u32 cost_shift;			/*  and log2 of the bytes to the next method */
	const void *nested;		/* what is taken off an enclosing call */
	unsigned long cpu;
	u32 inner, samples, entered, value;
	const unsigned long *members;	/* a bit for each id of a task whose calls are measured; NULL: all tasks */
};

/* A hit of a static tracepoint or of a jump that needs no examination, and records into wide rings, unless it is_direct. */
struct kt_hit_code {
	const struct kt_insn *insns;	/* the recording part of the program; must live as long as the code */
	unsigned int len;
	unsigned int id, units;		/* of the record */
	const void *desc;		/* the descriptor of the hit: the C path gets it if the code gives up */
	const void *counts;		/* where its pointer to its counts is */
	const void *rings;		/* of the prompt: where it records */
	const void *recording;		/* eight bytes that are 0 while nothing is to be examined */
	const void *wake_next;		/* of the prompt: a byte that is 1 while a reader waits for the next record; recordings have none */
	unsigned long ring;		/* per-CPU address of the struct kt_ring */
	unsigned int sub_units;		/* of wide rings: units of a sub-buffer, which never change */
	unsigned long draft;		/* the same, of KT_MAX_PAYLOAD bytes for a payload whose length varies */
	bool is_case;			/* code of kt_code_make_cases() chooses it */
	bool call_given;		/* of cases: the first argument of the static tracepoint is the registers of the system call */
	bool is_jump;			/* a trampoline calls it */
	bool is_direct;			/* a direct trampoline leads to it; it records into the rings of the prompt, which are narrow, or counts */
	bool is_event;			/*  kt_arch.event_probe leads to it, not a trampoline */
	bool is_narrow;			/* an event, not direct, that records into the rings of the prompt */
	/* Only if one of the three is set: */
	const u16 *own_ids;		/* kt_own_ids; NULL: it leaves out no process */
	const struct kt_insn *filter;	/* up to its KT_OP_END; NULL: there is none */
	unsigned int filter_len;
	const struct kt_hit_table *table;	/* NULL: it writes a record */
	const struct kt_hit_measure *measure;	/* not NULL: it is about a call of a measurement; with a table it also counts there */
	unsigned int *text;		/* [out] bytes of the code that are instructions; the others follow */
};

/* Whose hits the code is for. */
enum kt_code_for {
	KT_CODE_FOR_EVENT,	/* a static tracepoint */
	KT_CODE_FOR_TEXT,	/* a breakpoint, later a jump */
	KT_CODE_FOR_TYPED,	/* the same, and a person has typed it: the jump is to be as quick as possible */
	KT_CODE_FOR_RETURN,	/* a kretprobe: only payloads have code */
	KT_CODE_FOR_NONE,	/* a dry run: no hit will execute the code, so none is made */
};

/* Can code for hits be made?  Else the reason, KT_NO_CODE_*. */
enum kt_no_code kt_code_obstacle(void);

/* The code of a descriptor that has none.  direct: of its hits by a direct trampoline. */
void kt_code_init(struct kt_code *code, struct kt_code *direct);

/* Make the code of len instructions, which the verifier has accepted.  They must live as long as the code.  Sleepable. */
void kt_code_make(struct kt_code *code, const struct kt_insn *insns, u32 len);

/* Make the code of a hit.  If that is not possible, `hit` stays as it is.  Sleepable. */
void kt_code_make_hit(struct kt_code *code, const struct kt_hit_code *what);
/* The length of an array of cases, of which nr are chosen: a power of two, so that a mask keeps a wrong guess inside. */
static inline u32 kt_hits_room(u32 nr)
{
	return nr < 2 ? 1 : 1U << (32 - __builtin_clz(nr - 1));
}

/* The same for a hit that chooses one of hits[nr]; there are kt_hits_room(nr), which must live as long as the code. */
void kt_code_make_cases(struct kt_code *code, const struct kt_hit_code *what, void *const *hits, u32 nr);

/* No hit can run it any more.  Sleepable. */
void kt_code_free(struct kt_code *code, struct kt_code *direct);

#endif
