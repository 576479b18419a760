/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plan.h - the plan of a hit, and the code that is written for it.
 *
 * plan.c has a row for each step of a hit, in the order of the code; the rare parts come last.  The plan says which rows this hit
 * needs.  It is made once, and the driver walks it in each pass.  A step writes instructions through the functions of emit_arch.h.
 * What depends on the architecture's stack is in emit_hit.c: the functions kt_emit_...() below.
 */
#ifndef KTRACE_CODE_PLAN_H
#define KTRACE_CODE_PLAN_H

#include "core/interval.h"
#include "core/ring.h"
#include "kmod/code/code.h"
#include "kmod/text/code.h"

/* Targets of branches in the code that begins a call.  They are known after the first pass. */
struct begin_labels {
	u32 slow, far, found, taken, claimed;
};

/* Targets of branches in other code about calls, likewise. */
struct call_labels {
	struct begin_labels begin[2];		/* one for each copy of open_call() */
	u32 slow, far, found;
	u32 enclosed, end, outside, charged;
	u32 limited, unlimited, other, costed, clamped, less, skip[2];
	u32 least[2], most[2], odd[2], bucket[2];	/* one for each copy of add_sample() */
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
	u32 look, slow, undo, wake, recorded;	/* where the code continues in unusual cases */
	u32 far_key, same_key, large, counted;	/* the same for a hit that counts in a table */
	struct call_labels call;
	void *const *hits;			/* the hits of all cases, for the code that chooses one */
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

/* Bytes of the stack for the key and the value of a hit that counts in a table.  The value follows the key. */
static inline u32 draft_bytes(const struct hit *h)
{
	return 8 * (h->what->table->plan.key_words + kt_hit_table_has_value(h->what->table));
}

/* ---------------------------------------------------------------------------- steps */

/* table.c: count in a table; the rare parts.  False: there is no code. */
bool kt_code_table(struct hit *h);
bool kt_code_table_rare(struct hit *h);

/* calls.c: a hit that begins or ends a call of a measurement. */
bool kt_call_begin(struct hit *h);
bool kt_call_end(struct hit *h);
/* Parts of the end of a call that closing.c uses, too. */
void kt_call_find_ended(struct hit *h);
void kt_call_take_off(struct hit *h);
void kt_call_end_rare(struct hit *h);
void kt_call_charged_from(struct hit *h);
void kt_call_charge(struct hit *h, u32 copy);

/* closing.c: find the call; end it, when nothing can fail any more; charge the enclosing call; the rare parts. */
bool kt_closing_find(struct hit *h);
void kt_closing_end(struct hit *h);
void kt_closing_charge(struct hit *h);
bool kt_closing_rare(struct hit *h);
/* Words that the code keeps until then: the call, its duration, the enclosing call or 0, the time from which that one is charged. */
enum { KEPT_CALL, KEPT_ELAPSED, KEPT_OUTER, KEPT_FROM, NR_KEPT };

/* text.c: write a payload of variable length to the draft of this CPU; copy it to the ring; the rare parts. */
bool kt_text_draft(struct hit *h);
bool kt_text_copy(struct hit *h);
bool kt_text_rare(struct hit *h);

/* -------------------------------------------------------- of the architecture: emit_hit.c */

/* False: the architecture has no code for such hits. */
bool kt_emit_possible(const struct hit *h);
/* Look up what the code needs to know about the kernel.  False: no code can be made. */
bool kt_code_layout(struct kt_layout *out);

/* Begin a pass: choose registers, write the first instructions.  False: there are too few registers. */
bool kt_emit_begin(struct hit *h);
/* Branch to h->look if the hit must be examined or the CPU is in another hit. */
bool kt_emit_examine(struct hit *h);
/* Branch if the CPU is in another hit; the second: also if the task in WORK2 may be ktrace's; the third: unless recording is frozen. */
void kt_emit_branch_if_busy(struct hit *h, u32 target);
void kt_emit_branch_if_own(struct hit *h, u32 target);
void kt_emit_branch_unless_frozen(struct hit *h, u32 target);
/* Branch if the byte `running`, which all CPUs share, is 0.  WORK3 = its address. */
void kt_emit_branch_unless_running(struct hit *h, const void *running, u32 target);

/*
 * Evaluate the filter.  Save the registers that the code changes: before the filter if HIT_SAVES_FIRST, else after it.  Restore
 * them.
 */
bool kt_emit_filter(struct hit *h);
bool kt_emit_save(struct hit *h);
void kt_emit_restore(struct hit *h);
/* Save the registers, and set WORK2 to the time, which the code reads as early as it can. */
bool kt_emit_save_timed(struct hit *h);

/* Reserve room as kt_ring_reserve() does; branch to h->undo if there is none.  Write the header; begin and end the payload; commit. */
bool kt_emit_reserve(struct hit *h);
bool kt_emit_header(struct hit *h);
void kt_emit_begin_payload(struct hit *h);
void kt_emit_end_payload(struct hit *h);
bool kt_emit_commit(struct hit *h);

/*
 * A payload of variable length: begin and end the use of this CPU's draft (c->out).  kt_emit_check_loads(): branch to h->undo if
 * a load has failed.
 */
bool kt_emit_begin_text(struct hit *h);
bool kt_emit_end_text(struct hit *h);
void kt_emit_check_loads(struct hit *h);
/* Can code copy a text of at most this many bytes?  Copy it; `from`: a register with its address.  IF_NO_TEXT: VALUE = why not (core/text_end.h). */
bool kt_emit_text_fits(const struct code *c, u32 most);
void kt_emit_text(struct code *c, u8 from, u32 most);
/* Count a text that is unreadable. */
void kt_emit_count_fault(struct hit *h);

/* Add 1 to a member of struct kt_ring_ctl; to a member of struct kt_counts; to the hits of recordings on this CPU. */
void kt_emit_count_ring(struct hit *h, u32 member);
void kt_emit_count(struct hit *h, u32 offset);
void kt_emit_count_others(struct hit *h);
/* Branch to h->wake if a reader waits for this record. */
void kt_emit_branch_if_waiting(struct hit *h);
void kt_emit_return(struct hit *h);

/* The rare parts: leave the hit to the C path (h->undo, h->slow); wake a reader; let the interpreter write the payload; constants. */
bool kt_emit_leave(struct hit *h);
bool kt_emit_wake(struct hit *h);
bool kt_emit_interpret(struct hit *h);
bool kt_emit_data(struct hit *h);

/* Make room on the stack for key and value (c->out); free it.  Begin and end the loads of the program.  Free the room in the rare part. */
void kt_emit_draft_begin(struct hit *h);
void kt_emit_draft_end(struct hit *h);
void kt_emit_begin_loads(struct hit *h);
void kt_emit_end_loads(struct hit *h);
void kt_emit_undo_draft(struct hit *h);

/* to = the stack pointer of the hit plus a number; the current task; the clock. */
void kt_emit_stack(struct hit *h, u8 to, s32 plus, u32 state);
void kt_emit_task(struct hit *h, u8 to);
void kt_emit_clock(struct hit *h, u8 to);

/*
 * Words on the stack.  For a call within another one (CALL_ENCLOSED): the time from which the other call is charged; WORK4 is free
 * then.  For an end that counts in a table: NR_KEPT words, from WORK3, WORK2, WORK4, WORK1.
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
