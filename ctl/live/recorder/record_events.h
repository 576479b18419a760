/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_events.h - the events of a recording, for `record` and `top`: planned, then set on its device. */
#ifndef KTRACE_RECORD_EVENTS_H
#define KTRACE_RECORD_EVENTS_H

#include "ctl/base/lex.h"
#include "ctl/ask/plan/plan.h"
#include "ctl/ask/lang/request.h"
#include "ctl/live/measure/gone.h"
#include "ctl/ask/resolve/caller.h"
#include "ctl/live/session/session.h"

#define RECORD_USUAL_EVENTS	"core,sched,process,block"	/* what the report of a recording needs */
#define RECORD_USUAL_BUFFER	(4U << 20)			/* bytes for each CPU */

/* Begin with zeros; free with record_events_free(), also after a failure. */
struct record_events {
	struct words *words;		/* of each tracepoint; the requests point to them */
	size_t nr_words;
	struct requests requests;
	struct plans plans;
	struct kt_site_req *reqs;	/* [plans.n]: the answers of the module */
	struct gone gone;		/* from setting to removing */
	bool is_set;
	uint32_t off;			/* how many of them the brake had switched off when they were removed */
};

/*
 * Add sets of events, separated by commas; of those in `bare` (or NULL) without fields.  Notes for the user say what this
 * kernel does not have of them.
 */
bool record_events_add(struct session *s, const char *sets, const char *bare, struct record_events *events,
		       struct error *err);
/* Add a tracepoint, in the words of the command `trace`. */
bool record_events_spec(const char *text, struct record_events *events, struct error *err);
/* The begin of each system call that was added also records a caller in its program.  False: there is none. */
bool record_events_caller(struct session *s, struct record_events *events, const struct caller *caller, struct error *err);
/*
 * Plan all that was added.  pid: only what happens in that process; 0: everywhere.  Where the kernel refuses a
 * function of a set, the other events are recorded all the same.
 */
bool record_events_plan(struct session *s, struct record_events *events, uint64_t pid, struct error *err);

/* Set the tracepoints on the session's device; they live as long as it is open. */
bool record_events_set(struct session *s, struct record_events *events, struct error *err);
/* How many of them the module's brake has switched off; 0 also if that cannot be read. */
uint32_t record_events_off(struct session *s, const struct record_events *events);
/* Remove them, and say which modules and programs were gone by then; true if none are set. */
bool record_events_remove(struct session *s, struct record_events *events, struct error *err);

/* planned: the descriptor of the plan, with its blob; NULL: ktrace has not planned this one. */
typedef bool record_event_fn(void *arg, uint32_t id, const struct desc *planned, struct error *err);

/* Each record has the id of a descriptor: call each() for every descriptor of these tracepoints, until it returns false. */
bool record_events_each(const struct record_events *events, record_event_fn *each, void *arg, struct error *err);

/* The same for records of the module itself (window_id and late_id of struct kt_status). */
bool record_events_own(struct device *dev, const struct record_events *events, record_event_fn *each, void *arg, struct error *err);

void record_events_free(struct record_events *events);

#endif
