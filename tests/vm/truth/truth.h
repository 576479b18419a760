/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ktruth: functions and data whose truth is known beforehand, to be traced by the tests.
 *
 *   echo "call NAME COUNT" > /proc/ktruth	call it so often in this process; an I/O error when a result is wrong
 *   echo "kprobe NAME" > /proc/ktruth		set a kprobe there (one at a time); without NAME, remove it
 *   echo "hit COUNT" > /proc/ktruth		call ktruth_hit so often, as fast as can be
 *   echo "time NAME ARGUMENT COUNT" > /proc/ktruth	call one of durations.c so often
 *   echo "alone NAME ARGUMENT COUNT" > /proc/ktruth	the same, and nothing interrupts a call
 *   cat /proc/ktruth				what there is, how often each was called, the offsets of ktruth_five, where data is
 */
#ifndef KTRUTH_H
#define KTRUTH_H

#include <linux/percpu.h>
#include <linux/types.h>

struct seq_file;

/* Never inlined, cloned or merged: traced under its name, with its arguments in place. */
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
extern void *ktruth_unmapped;			/* points nowhere */
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
long ktruth_indirect(long (*function)(long number), long number);
long ktruth_target(long number);
long ktruth_recurse(long depth);
long ktruth_inlines(long number);
long ktruth_call_event(void);		/* through the static tracepoint ktruth_event */

/* Counted for each CPU, exactly: hits by `hit`, ktruth_in_nmi() by every NMI. */
long ktruth_hit(long number);
DECLARE_PER_CPU(u64, ktruth_hits);
DECLARE_PER_CPU(u64, ktruth_nmis);

/* twin.c and calls.c each have a static ktruth_twin() */
long ktruth_other_twin(long number);

/* values.c: calls functions that take and return values of every type */
long ktruth_values(void);

/* contexts.c */
long ktruth_in_nmi(long number);
long ktruth_delay(unsigned int microseconds);
long ktruth_sleeper(unsigned int microseconds);
long ktruth_timer(void);
long ktruth_irq_work(void);
int ktruth_contexts_init(void);
void ktruth_contexts_exit(void);

/*
 * durations.c: of known length, or measured by themselves from beginning to end.  run and nest: exactly so
 * many instructions from entry to return, 4 + 2 n; 6 + 2 n + depth * (9 + 2 n).
 */
long ktruth_run(long n);
long ktruth_nest(long depth, long n);
long ktruth_preempted(long n);
long ktruth_slept(long microseconds);
long ktruth_lines(long n);
/* tails.c: each ends in ktruth_run(), or as its name says; tail_gone runs in a thread of its own. */
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

/* places.c */
long ktruth_look(u64 address, long number);
long ktruth_look_everywhere(void);
void ktruth_show_places(struct seq_file *out);
int ktruth_places_init(void *init_text);
void ktruth_places_exit(void);

/*
 * ARCHITECTURE/code.S. ktruth_spin takes 2 * rounds + 2 instructions, its return included. ktruth_halves calls
 * ktruth_half and then ktruth_other_half: from the first instruction of the one to that of the other 2 * n + 5 are
 * executed. ktruth_five is five plain instructions and a return, at ktruth_five_offsets; it gives ((a + 1) * 2) ^ b.
 * ktruth_call_register calls the function in its first argument from the label ktruth_call_register_call, where a
 * register holds it. ktruth_kinds runs many kinds of instruction once and returns 0, or the number of the first that
 * went wrong. ktruth_registers puts 0x70000 + its DWARF number into each register, for the stack's where it points
 * to, sets the carry flag, and returns 0 when all that is so behind the instruction at ktruth_registers_here, too.
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
