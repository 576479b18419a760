/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recording.h - the course of `record`, and the ways in which a recording is kept: see struct record_mode. */
#ifndef KTRACE_RECORDING_H
#define KTRACE_RECORDING_H

#include "ctl/live/measure/oneshot.h"
#include "ctl/live/recorder/record_events.h"
#include "ctl/trace/saved/symbols_file.h"
#include "ctl/trace/ctf/trace_info.h"

struct disk;
struct flight;
struct flight_saved;
struct recording;
struct series;

/* How a recording is kept: the functions are called in this order, with `round` several times. */
struct record_mode {
	const char *name;		/* of --mode */
	uint32_t ring_mode;		/* KT_MODE_... */
	bool drains;			/* call round when the rings fill, too */
	/* The rings exist. */
	bool (*create)(struct session *s, struct recording *r, struct error *err);
	/* A descriptor of the recording, with its id.  planned: see record_event_fn. */
	bool (*add)(struct recording *r, uint32_t id, const struct desc *planned, struct error *err);
	/* All tracepoints are set, and all descriptors known. */
	bool (*begin)(struct session *s, struct recording *r, struct error *err);
	bool (*round)(struct session *s, struct recording *r, struct progress *progress, struct error *err);
	/* No tracepoint is set any more: write the rest, and say what was written. */
	bool (*finish)(struct session *s, struct recording *r, struct error *err);
	/* The recording failed: leave what can be read. */
	void (*fail)(struct session *s, struct recording *r);
	void (*release)(struct recording *r);
};

extern const struct record_mode record_disk, record_flight;

/* At the end of a recording: how to read it.  Takes its directory twice. */
#define READ_IT	"read it by 'ktrace report %s' or 'ktrace print %s'"

/* The caller sets the first group of members, and zeros; recording_run() the others. */
struct recording {
	struct record_events events;	/* planned; recording_run() sets and removes them */
	const struct record_mode *mode;
	bool with_state;		/* write the state of the system, too */
	char *dir, *name;
	uint64_t buffer;		/* bytes for each CPU */
	struct task_rules *rules;	/* only these tasks; may be empty; the caller's */
	char *tasks;			/* the same for people; NULL: all tasks */
	uint64_t rotate_bytes;		/* --rotate: begin a new part after that many bytes, */
	int64_t rotate_ms;		/* or after that time; both 0: one trace */
	uint64_t max_bytes;		/* --max-size; 0: no limit */
	struct trace_form form;		/* --ctf, --compress */

	struct device *dev;		/* with the rings; that of the session is a copy */
	char *trace;			/* directory of the trace that is being written */
	int64_t began, ended;		/* now_ms() */
	struct disk *disk;		/* of --mode disk */
	struct flight *flight;		/* of --mode flight */
	int listener;			/* the socket of remote.h; 0: none */
	bool full;			/* --max-size is reached */
	struct series *series;		/* the parts of --rotate; NULL: one trace */
	struct device *holder;		/* has the name of the recording while its parts come and go */
	int64_t part_began;		/* now_ms() */
	int64_t next_try;		/* to begin a part, after a failure: now_ms() */
};

/* Record as o says, and conclude.  The device of the session, and what is set there, stay as they are. */
bool recording_run(struct session *s, struct oneshot *o, struct recording *r, struct error *err);

/* Give r->dev rings, and that device to the session. */
bool recording_open(struct session *s, struct recording *r, const char *name, struct error *err);
/*
 * The symbols of a trace that wants some: events of sets refer only to functions, tracepoints of --trace to anything.
 * NULL: it wants none, or there are none.
 */
const struct symbols_source *recording_symbols(struct session *s, const struct recording *r, bool wanted,
					       struct symbols_source *out);
/* Set the tracepoints, describe them, and begin to record. */
bool recording_arm(struct session *s, struct recording *r, struct error *err);
/* End all its events at the same moment, and remove them.  Afterwards no hit is in progress: the rings have all records. */
bool recording_disarm(struct session *s, struct recording *r, struct error *err);
/* Free what belongs to one trace: its rings end. */
void recording_close(struct recording *r);

/* Of --rotate: make the directory of the parts, and hold the name of the recording. */
bool rotate_prepare(struct session *s, struct recording *r, struct error *err);
/* Begin a new part if it is time, and remove the oldest ones beyond --max-size. */
bool rotate_round(struct session *s, struct recording *r, struct error *err);
void rotate_release(struct recording *r);

/*
 * Say that the module's brake turned away `braked` hits, and switched `off` tracepoints off, if it did: for their events
 * there is no place among the lost ones.
 */
void recording_say_brake(struct session *s, uint64_t braked, uint32_t off);

/* Say what a snapshot has.  type is for JSON. */
void snapshot_say(struct session *s, const char *type, const char *dir, const struct flight_saved *saved);

#endif
