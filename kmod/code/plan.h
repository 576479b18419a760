/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plan.h - the plan of a hit, and the code that is written for it.
 *
 * plan.c has a row for each step of a hit, in the order of the code, and of the rare parts behind it.  What the hit is for tells which
 * rows it has; that is its plan, which is made once.  The driver walks it in each pass.  A step is a function here, which writes
 * instructions by the functions of emit_arch.h and asks the architecture for the rest: those declared below, in emit_hit.c.
 */
#ifndef KTRACE_CODE_PLAN_H
#define KTRACE_CODE_PLAN_H

#include "core/interval.h"
#include "core/ring.h"
#include "kmod/code/code.h"
#include "kmod/text/code.h"

/* Where the code of a call's begin goes on in unusual cases, and where it comes back: known after the first pass. */
struct begin_labels {
	u32 slow, far, found, taken, claimed;
};

/* The same of other code about a call. */
struct call_labels {
	struct begin_labels begin[2];		/* of the two copies of open_call() */
	u32 slow, far, found;
	u32 enclosed, end, outside, charged;
	u32 limited, unlimited, other, costed, clamped, less, skip[2];
	u32 least[2], most[2], odd[2], bucket[2];	/* of the two copies of add_sample() */
	u32 after_least[2], after_most[2];
};

struct hit {
	struct code c;				/* first: functions that take it find the hit by hit_of() */
	struct part filter, record;
	const struct kt_hit_code *what;
	struct kt_layout at;
	u64 plan;				/* a bit for each row of plan.c */
	int needs, filter_needs;
	bool is_wide, is_event, is_direct;
	bool closes;				/* it ends a call, and counts it in a table */
	u32 look, slow, undo, wake, recorded;	/* where the code goes on in unusual cases */
	u32 far_key, same_key, large, counted;	/* likewise, of one that counts in a table */
	struct call_labels call;
	void *const *hits;			/* of code that chooses a case */
	u32 nr_hits;
	struct hit_regs a;			/* of the architecture */
};

static inline struct hit *hit_of(struct code *c)
{
	return (struct hit *)c;
}

static inline u32 record_units(const struct hit *h)
{
	return h->what->units + kt_compact_units(h->is_wide);
}

static inline u32 header_bytes(const struct hit *h)
{
	return kt_compact_units(h->is_wide) << kt_unit_shift(h->is_wide);
}

/* Bytes of the stack for key and value of a hit that counts in a table.  The value begins behind the key's last byte. */
static inline u32 draft_bytes(const struct hit *h)
{
	return 8 * (h->what->table->plan.key_words + kt_hit_table_has_value(h->what->table));
}

/* ---------------------------------------------------------------------------- steps */

/* table.c: all between the filter and the counts; the rare parts.  False: there is no code. */
bool kt_code_table(struct hit *h);
bool kt_code_table_rare(struct hit *h);

/* calls.c: a hit that begins or ends a call of a measurement. */
bool kt_call_begin(struct hit *h);
bool kt_call_end(struct hit *h);
/* Parts of the end, which hits share that count the call in a table, too: see closing.c. */
void kt_call_find_ended(struct hit *h);
void kt_call_take_off(struct hit *h);
void kt_call_end_rare(struct hit *h);
void kt_call_charged_from(struct hit *h);
void kt_call_charge(struct hit *h, u32 copy);

/* closing.c: find the call; when nothing can fail any more, end it; charge an enclosing one; the rare parts. */
bool kt_closing_find(struct hit *h);
void kt_closing_end(struct hit *h);
void kt_closing_charge(struct hit *h);
bool kt_closing_rare(struct hit *h);
/* From the time of the hit on: the open call, how long it took, the enclosing call or 0, the time from which that one is charged. */
enum { KEPT_CALL, KEPT_ELAPSED, KEPT_OUTER, KEPT_FROM, NR_KEPT };

/* text.c: a payload that varies is made in the draft of the CPU, then copied; the rare parts. */
bool kt_text_draft(struct hit *h);
bool kt_text_copy(struct hit *h);
bool kt_text_rare(struct hit *h);

/* -------------------------------------------------------- of the architecture: emit_hit.c */

/* False: it has no code for such hits. */
bool kt_emit_possible(const struct hit *h);
/* What the code knows of the kernel.  False: no code can be made. */
bool kt_code_layout(struct kt_layout *out);

/* A pass begins: choose registers, write the first instructions.  False: there are not enough. */
bool kt_emit_begin(struct hit *h);
/* Anything to examine, or is the CPU in another hit?  Then the code goes on at h->look. */
bool kt_emit_examine(struct hit *h);
/* Branch if the CPU is in another hit; or the process of the task in WORK2 may be ktrace, too; or unless recording is frozen. */
void kt_emit_branch_if_busy(struct hit *h, u32 target);
void kt_emit_branch_if_own(struct hit *h, u32 target);
void kt_emit_branch_unless_frozen(struct hit *h, u32 target);
/* The same if the byte, which is not in the hit's CPU, is 0.  WORK3 = its address. */
void kt_emit_branch_unless_running(struct hit *h, const void *running, u32 target);

/*
 * The filter.  The registers that the code changes are saved before (HIT_SAVES_FIRST) or behind it.  Restore them; and as the code
 * must not, if it gives up.  hit_filter_rare(): where a value of it is unreadable.
 */
bool kt_emit_filter(struct hit *h);
bool kt_emit_save(struct hit *h);
void kt_emit_restore(struct hit *h);
/* The same, with WORK2 = the time: the code reads the clock as early as it can. */
bool kt_emit_save_timed(struct hit *h);

/* As kt_ring_reserve(): where the record would begin; to h->undo if it has no room there.  The time; the exchange.  The header. */
bool kt_emit_reserve(struct hit *h);
bool kt_emit_header(struct hit *h);
void kt_emit_begin_payload(struct hit *h);
void kt_emit_end_payload(struct hit *h);
bool kt_emit_commit(struct hit *h);

/*
 * Of a payload that varies: the draft is in use from now on, in h->a.draft, and c->out; no more.  The registers for its units, and
 * for its bytes without the last eight, whose first is free before.  The code goes to h->undo if a load has failed.
 */
bool kt_emit_begin_text(struct hit *h);
bool kt_emit_end_text(struct hit *h);
void kt_emit_check_loads(struct hit *h);
/* Can it copy a text of so many bytes?  Then copy it from the address in a register; IF_NO_TEXT: VALUE = why not (core/text_end.h). */
bool kt_emit_text_fits(const struct code *c, u32 most);
void kt_emit_text(struct code *c, u8 from, u32 most);
/* A text is unreadable. */
void kt_emit_count_fault(struct hit *h);

/* Add 1 to a member of struct kt_ring_ctl, or of struct kt_counts; to the hits of recordings. */
void kt_emit_count_ring(struct hit *h, u32 member);
void kt_emit_count(struct hit *h, u32 offset);
void kt_emit_count_others(struct hit *h);
/* Does a reader wait for this record? */
void kt_emit_branch_if_waiting(struct hit *h);
void kt_emit_return(struct hit *h);

/* The rare parts: leave the hit to the C path (h->undo, h->slow); wake a reader; let the interpreter write the payload; constants. */
bool kt_emit_leave(struct hit *h);
bool kt_emit_wake(struct hit *h);
bool kt_emit_interpret(struct hit *h);
bool kt_emit_data(struct hit *h);

/* Room on the stack for key and value: c->out.  Loads of the program begin; end. */
void kt_emit_draft_begin(struct hit *h);
void kt_emit_draft_end(struct hit *h);
void kt_emit_begin_loads(struct hit *h);
void kt_emit_end_loads(struct hit *h);
void kt_emit_undo_draft(struct hit *h);

/* to = the stack pointer of the hit plus a number; the task; when it began. */
void kt_emit_stack(struct hit *h, u8 to, s32 plus, u32 state);
void kt_emit_task(struct hit *h, u8 to);
void kt_emit_clock(struct hit *h, u8 to);

/*
 * What the code keeps beside the registers: of a begin within another call the time from which that one is charged, and then WORK4 is
 * free; of an end that counts in a table NR_KEPT words, from WORK3, WORK2, WORK4, WORK1.
 */
enum { CALL_ALONE, CALL_ENCLOSED };

void kt_emit_free_work4(struct hit *h);
void kt_emit_keep_from(struct hit *h, u8 reg);
void kt_emit_sub_from(struct hit *h, u8 reg);
void kt_emit_drop_from(struct hit *h);
void kt_emit_keep(struct hit *h);
void kt_emit_kept(struct hit *h, u8 to, u32 word);
void kt_emit_kept_outer(struct hit *h);
void kt_emit_drop_kept(struct hit *h);

/* The code that chooses a case: all of it. */
bool kt_emit_cases(struct hit *h);

#endif
