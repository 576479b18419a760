/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfetto_int.h - internals of perfetto*.c.
 *
 * There are two sequences of packets.  The first has what the system tells: clocks, processes, ftrace events.  The
 * second has the tracks and their events.  Names are sent once on a sequence, and numbered; after lost records,
 * again.
 */
#ifndef KTRACE_PERFETTO_INT_H
#define KTRACE_PERFETTO_INT_H

#include "ctl/trace/analysis/keymap.h"
#include "ctl/trace/export/ftrace_rows.h"
#include "ctl/trace/export/pb.h"
#include "ctl/trace/export/perfetto.h"
#include "ctl/trace/export/threads.h"
#include "ctl/base/device/clockmap.h"
#include "ctl/trace/print/print_int.h"
#include "ctl/trace/reader/reader.h"
#include "ctl/trace/ctf/trace_info.h"

#define SEQ_SYSTEM	1
#define SEQ_TRACKS	2

#define NOBODY		(-1)	/* the thread that runs is not known */

/* What a name was sent as. */
enum sent { SENT_EVENT, SENT_CATEGORY, SENT_FIELD, NR_SENT };

/* What is not written yet of a CPU, and what is known of it. */
struct cpu_out {
	struct pb events;	/* of the next bundle */
	bool lost;		/* there is a gap before them */
	bool begun;		/* a bundle was written */
	bool has_track;
	int32_t current;	/* thread that runs, or NOBODY */
	int32_t next;		/* the same, for find_runners() */
	uint64_t overwritten, discarded;	/* lost so far */
};

/* One value of the records of a descriptor. */
struct plan_item {
	const char *name;	/* of a register, or of a field of the descriptor */
	uint32_t number, named;	/* of the name; of "NAME_name"; 0: never needed */
	const struct ftrace_field *to;
};

enum plan_kind { PLAN_INSTANT, PLAN_FTRACE, PLAN_CALL_ENTRY, PLAN_CALL_EXIT };

typedef void learn_fn(struct perfetto *p, const struct record *record, int32_t tid);

/* What becomes of the records of a descriptor; as long as its snapshot. */
struct plan {
	const struct desc *desc;
	enum plan_kind kind;
	const struct ftrace_row *row;	/* PLAN_FTRACE */
	uint32_t name, category;	/* numbers of the texts; name 0: each record has its own system call */
	learn_fn *learn;		/* what the record tells about threads; NULL: nothing */
	struct plan_item *items;
	size_t nr_items;
};

struct perfetto {
	FILE *out;
	struct pb pb;			/* packets that are not written yet */
	struct perfetto_totals totals;
	struct clockmap *map;
	struct printer *printer;	/* decodes records; has the symbols */
	uint64_t last_anchor;		/* ticks of the last clock snapshot, plus 1 */
	uint64_t complete_ns;		/* from then on every CPU has all events; 0: not known */
	bool knows_switch;		/* a sched_switch was seen: from then on all of them are recorded */

	struct threads threads;
	struct cpu_out *cpus;
	size_t nr_cpus;
	struct keymap functions;	/* addresses whose symbols were sent */

	struct names names;
	uint8_t *sent;			/* [nr_sent] by number of a name: bit n: as enum sent n, since the last gap */
	size_t nr_sent;
	bool has_state_track;

	/* Of the present snapshot. */
	struct plan *plans;
	size_t nr_plans;
	struct keymap by_desc;		/* one more than the index in `plans` */

	struct overlap *overlap;	/* NULL: there is one part */
};

uint64_t perfetto_ns(const struct perfetto *p, uint64_t ticks);
struct cpu_out *perfetto_cpu(struct perfetto *p, uint32_t cpu);

/* Begin and end a packet of a sequence.  Between them write its fields to p->pb. */
size_t packet_open(struct perfetto *p, uint32_t sequence, uint32_t flags);
void packet_close(struct perfetto *p, size_t at);

/* perfetto_plan.c */
const struct plan *perfetto_plan(struct perfetto *p, const struct desc *desc);
void perfetto_plans_drop(struct perfetto *p);

/* perfetto_system.c: what the recordings say about the system */
void perfetto_clocks(struct perfetto *p, const struct trace_info *info);
void perfetto_system(struct perfetto *p, const struct trace_info *info);
void perfetto_losses(struct perfetto *p);

/* perfetto_tasks.c */
/* The tasks that the state of the system has.  False: the recording is damaged, or a signal came; err is set. */
bool perfetto_first(struct perfetto *p, struct saved *saved, struct error *err);
learn_fn learn_switch, learn_task, learn_fork, learn_exec, learn_exit;

/* perfetto_ftrace.c */
void ftrace_event(struct perfetto *p, const struct plan *plan, const struct record *record, int32_t tid);
void ftrace_blocked(struct perfetto *p, uint32_t cpu, uint64_t ns, int32_t tid);
void ftrace_flush(struct perfetto *p, uint32_t cpu);
void ftrace_gap(struct perfetto *p, const struct record *notice);

/* perfetto_track.c */
void track_instant(struct perfetto *p, const struct plan *plan, const struct record *record, int32_t tid);
void track_call(struct perfetto *p, const struct plan *plan, const struct record *record, int32_t tid);
/* The thread is in no system call any more; the end was not recorded. */
void track_call_ends(struct perfetto *p, uint64_t ns, int32_t tid);
void track_gap(struct perfetto *p, const struct record *notice);

/* perfetto_overlap.c */
/* Parts of a series come: call this before the first one. */
void overlap_begin(struct perfetto *p);
/* A part begins; `next` follows it, or is NULL.  False: `next` is damaged; err is set. */
bool overlap_next(struct perfetto *p, struct saved *next, struct error *err);
/* Was the record in the part before already? */
bool overlap_has(struct perfetto *p, const struct record *record);
void overlap_free(struct perfetto *p);

#endif
