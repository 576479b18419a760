/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oneshot.h - the common part of `run`, `latency`, `lines` and `record`: their options, the measured command, and the
 * course of a measurement.
 */
#ifndef KTRACE_ONESHOT_H
#define KTRACE_ONESHOT_H

#include <stdint.h>

#include "ctl/base/lex.h"
#include "ctl/live/session/child.h"
#include "ctl/live/session/flag.h"
#include "ctl/live/session/session.h"
#include "ctl/live/session/task_rules.h"

struct condition;

struct oneshot {
	const char *name;		/* name of the command: "latency" */
	const char **subjects;		/* words that are not options: addresses, commands */
	size_t nr_subjects;
	char **command;			/* the words behind --, ended by NULL; NULL: none */

	int64_t for_ms;			/* --for; -1: no time limit */
	uint64_t count;			/* --count; 0: no limit */
	uint64_t pid;			/* --pid; 0: all processes */
	struct condition *fail_if;	/* NULL: none */
	const char *html;		/* file of --html, or NULL */
	const char *by;			/* --by, as typed, or NULL */
	bool across, raw;
	bool off_cpu;			/* --off-cpu */
	uint64_t top;			/* --top */
	const char *source;		/* directory of --source, or NULL */
	const char *only_if;		/* --if, or NULL */
	bool counts;			/* --counts */
	bool until_frozen;		/* --until-frozen */
	uint64_t last;			/* --last; 0: all records */
	/* --by of `pairs`, --key of `latency`: for A and for B; the second is NULL if both are the same. */
	const char *keys[2];
	size_t behind_key;		/* the subject directly behind the first; SIZE_MAX: there is none */

	/* Of `record`. */
	const char *dir, *events, *bare, *recording, *stop;	/* -o, --events, --no-fields, --name, --stop */
	const char *caller[2];		/* --caller, its two words; NULL: it was not given */
	const char *mode;		/* --mode */
	struct task_rules tasks;	/* --pid, --uid ... */
	const char **specs;		/* each --trace */
	size_t nr_specs;
	uint64_t buffer;		/* bytes for each CPU; 0: the usual size */
	struct rotate { uint64_t bytes; int64_t ms; } rotate;	/* --rotate: one of them, or neither */
	uint64_t max_bytes;		/* --max-size; 0: no limit */
	bool ctf2, compress;		/* --ctf 2, --compress */
	bool no_state;			/* --no-state: do not write the state of the system */

	struct child child;
	bool cut_short;			/* the user ended the measurement before the command ended */
};

extern const struct flags run_flags, latency_flags, lines_flags, record_flags, pairing_flags;

/* Are these the flags of a measurement, which takes a command behind -- ? */
bool oneshot_takes(const struct flags *flags);

/*
 * Parse the words of a command; *out points into them.  The caller frees *out with oneshot_free(), also on
 * failure.
 */
bool oneshot_parse(struct session *s, const struct words *words, const struct flags *flags, struct oneshot *out,
		   struct error *err);
void oneshot_free(struct oneshot *o);

/* Only the command and its children are measured.  With --pid the command is only the load. */
bool oneshot_follows(const struct oneshot *o);
/* Whose hits are measured, in words: "process 4127", or the command.  NULL: those of everybody.  The caller frees it. */
char *oneshot_measured(const struct oneshot *o);

/* Options that exclude others. */
enum oneshot_option {
	GIVEN_BY = 1 << 0, GIVEN_TOP = 1 << 1, GIVEN_ACROSS = 1 << 2, GIVEN_COUNT = 1 << 3, GIVEN_IF = 1 << 4, GIVEN_HTML = 1 << 5,
	GIVEN_RAW = 1 << 6, GIVEN_OFF_CPU = 1 << 7,
};
/* The name of one of these that was given.  NULL: none was. */
const char *oneshot_given(const struct oneshot *o, unsigned int which);

struct progress {
	uint64_t hits, lost;
	uint64_t turned_away;		/* hits that the brake turned away */
	bool enough;			/* --count is reached, or nothing more can be counted */
};

struct oneshot_ops {
	/*
	 * Set the tracepoints with KT_TRACE_OWNED, and with KT_DESC_TASKS if oneshot_follows().  The
	 * command is held meanwhile.
	 */
	bool (*arm)(struct session *s, struct oneshot *o, void *arg, struct error *err);
	/* Called at least each longest_ms during the measurement, and once after the tracepoints are removed. */
	bool (*round)(struct session *s, void *arg, struct progress *progress, struct error *err);
	/* Remove the tracepoints; called also after arm has failed. */
	bool (*disarm)(struct session *s, void *arg, struct error *err);
	bool drains;			/* call round when the rings fill, too */
	int wakes;			/* and when this file is readable; 0: none */
	int longest_ms;			/* from one round to the next; 0: a tenth of a second */
	bool everywhere;		/* the processes of the command are not followed */
	void *arg;
};

/*
 * Arm, measure, disarm.  The measurement ends with the command; without a command it ends when the time is up,
 * the count is reached, or on Ctrl-C.  A command is waited for.  False: measuring failed, or the command could
 * not be executed; err is set.
 */
bool oneshot_measure(struct session *s, struct oneshot *o, const struct oneshot_ops *ops,
		     struct error *err);

/*
 * The command's status becomes that of ktrace.  If the command succeeded, or there was none, verdict becomes
 * the status; NULL: no verdict.
 */
bool oneshot_conclude(struct session *s, const struct oneshot *o, const struct error *verdict,
		      struct error *err);

#define AUTO_ONESHOT __attribute__((cleanup(oneshot_free)))

#endif
