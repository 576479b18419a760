/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ktruth: functions and data with known results and values, for the tests to trace.
 *
 *   echo "call NAME COUNT" > /proc/ktruth	call it COUNT times in this process; an I/O error if a result is wrong
 *   echo "kprobe NAME" > /proc/ktruth		set a kprobe there (one at a time); without NAME, remove it
 *   echo "hit COUNT" > /proc/ktruth		call ktruth_hit COUNT times, as fast as possible
 *   echo "time NAME ARGUMENT COUNT" > /proc/ktruth	call a function of durations.c COUNT times
 *   echo "alone NAME ARGUMENT COUNT" > /proc/ktruth	the same; no interrupt comes during a call
 *   cat /proc/ktruth				functions, calls, offsets of ktruth_five, addresses of data
 */
#ifndef KTRUTH_H
#define KTRUTH_H

#include <linux/percpu.h>
#include <linux/types.h>

struct seq_file;

/* Never inlined, cloned or merged: it can be traced by its name, with its arguments in place. */
#define TRUTH noinline __noclone

enum ktruth_colour { KTRUTH_RED, KTRUTH_GREEN = 5, KTRUTH_BLUE };

struct ktruth_leaf {
	int number;
	unsigned int low : 3, middle : 7;
	int signed_bits : 5;
	char name[16];
};

struct ktruth_node {
	struct ktruth_node *next;
	struct ktruth_leaf *leaf;
	u64 id;
	enum ktruth_colour colour;
	long (*function)(long number);
};

/* data.c: ktruth_first -> ktruth_second -> NULL, each with its leaf */
extern struct ktruth_node ktruth_first, ktruth_second;
extern struct ktruth_leaf ktruth_first_leaf, ktruth_second_leaf;
extern u64 ktruth_word;				/* 0x1122334455667788 */
extern int ktruth_negative;			/* -5 */
extern const char *ktruth_string;		/* "planted truth" */
extern void *ktruth_unmapped;			/* an unmapped address */
DECLARE_PER_CPU(int, ktruth_percpu);		/* 1000 + the CPU's number */
void ktruth_fill_percpu(void);

/* calls.c */
long ktruth_args6(long a, long b, long c, long d, long e, long f);
long ktruth_args8(long a, long b, long c, long d, long e, long f, long g, long h);
long ktruth_mixed(bool flag, u8 byte, short small, int number, const char *text);
long ktruth_square(long number);
int ktruth_fails(int error);
void *ktruth_pointer(void);
long ktruth_chain(struct ktruth_node *node);
size_t ktruth_text(const char *text);
long ktruth_fill(char *to, size_t length);	/* by a call of memset() */
long ktruth_indirect(long (*function)(long number), long number);
long ktruth_target(long number);
long ktruth_recurse(long depth);
long ktruth_inlines(long number);
long ktruth_call_event(void);		/* through the static tracepoint ktruth_event */

/* Exact counts for each CPU: hits by `hit`, and ktruth_in_nmi() by every NMI. */
long ktruth_hit(long number);
DECLARE_PER_CPU(u64, ktruth_hits);
DECLARE_PER_CPU(u64, ktruth_nmis);

/* twin.c and calls.c each have a static ktruth_twin() */
long ktruth_other_twin(long number);

/* values.c: calls functions that take and return values of every type */
long ktruth_values(void);

/* packets.c: calls ktruth_packet() with packets of all kinds, whole and broken ones */
struct sk_buff;
long ktruth_packet(struct sk_buff *skb);
long ktruth_packets(void);

/* unoptimised.c: called by ktruth_values() */
long ktruth_unoptimised(s8 a, u16 b, int c, long d, u8 e, u32 f, int g, s16 h);

/* contexts.c */
long ktruth_in_nmi(long number);
long ktruth_delay(unsigned int microseconds);
long ktruth_sleeper(unsigned int microseconds);
long ktruth_timer(void);
long ktruth_irq_work(void);
int ktruth_contexts_init(void);
void ktruth_contexts_exit(void);

/*
 * durations.c: functions of known length, or with their own measurement. ktruth_run and ktruth_nest execute
 * exactly this many instructions from entry to return: 4 + 2 n; 6 + 2 n + depth * (9 + 2 n).
 */
long ktruth_run(long n);
long ktruth_nest(long depth, long n);
long ktruth_preempted(long n);
long ktruth_slept(long microseconds);
long ktruth_lines(long n);
long ktruth_ways(long n);
/* tails.c: each ends in ktruth_run(), or as its name says; tail_gone runs in its own thread. */
long ktruth_tail(long n);
long ktruth_tail_chain(long n);
long ktruth_tail_pointer(long n);
long ktruth_tail_maybe(long n);
long ktruth_tail_kernel(long n);
long ktruth_tail_ping(long n);
long ktruth_in_thread(long n);

int ktruth_durations_init(void);
void ktruth_durations_exit(void);
int ktruth_time(const char *name, long argument, unsigned long count, bool alone);	/* -ENOENT */
void ktruth_show_durations(struct seq_file *out);

/* bare.c: start a thread with this name, once.  -EEXIST: it runs already. */
int ktruth_bare(void);
void ktruth_bare_exit(void);

/* places.c */
long ktruth_look(u64 address, long number);
long ktruth_look_everywhere(void);
void ktruth_show_places(struct seq_file *out);
int ktruth_places_init(void *init_text);
void ktruth_places_exit(void);

/*
 * ARCHITECTURE/code.S:
 *
 * ktruth_spin takes 2 * rounds + 2 instructions, with its return.
 *
 * ktruth_halves calls ktruth_half, then ktruth_other_half. From the first instruction of one to the first of
 * the other, 2 * n + 5 instructions are executed.
 *
 * ktruth_five has five plain instructions and a return, at ktruth_five_offsets; it returns ((a + 1) * 2) ^ b.
 *
 * ktruth_call_register calls the function in its first argument, by a register, at the label
 * ktruth_call_register_call.
 *
 * ktruth_kinds executes many kinds of instructions once. It returns 0, or the number of the first one with a
 * wrong result.
 *
 * ktruth_registers writes 0x70000 + its DWARF number into each register (for the stack pointer: into the word
 * that it points at) and sets the carry flag. It returns 0 if all this is unchanged behind the instruction at
 * ktruth_registers_here.
 */
long ktruth_spin(long rounds);
long ktruth_half(long n);
long ktruth_other_half(long n);
long ktruth_halves(long n);
long ktruth_five(long a, long b);
extern const u8 ktruth_five_offsets[6];
long ktruth_call_register(long (*function)(long number), long number);
long ktruth_kinds(long *scratch);
long ktruth_registers(void);

#endif
