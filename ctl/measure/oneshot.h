/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oneshot.h - what `run`, `latency` and `lines` have in common: their options, the command that is
 * measured, how a measurement begins, goes on and ends.
 */
#ifndef KTRACE_ONESHOT_H
#define KTRACE_ONESHOT_H

#include <stdint.h>

#include "ctl/lang/lex.h"
#include "ctl/measure/child.h"
#include "ctl/session/flag.h"
#include "ctl/session/session.h"

struct condition;

struct oneshot {
	const char *name;		/* of the command: "latency" */
	const char **subjects;		/* words that are no options: addresses, commands */
	size_t nr_subjects;
	char **command;			/* behind --, ended by NULL; NULL: none */

	int64_t for_ms;			/* --for, -1: until something else ends it */
	uint64_t count;			/* --count, 0: no limit */
	uint64_t pid;			/* --pid, 0: all */
	struct condition *fail_if;	/* NULL: none */
	const char *html;		/* file, or NULL */
	const char *by;			/* --by, as typed; NULL */
	bool across, raw;
	uint64_t top;			/* --top */
	const char *source;		/* --source, directory, or NULL */

	struct child child;
	bool cut_short;			/* somebody ended it before the command did */
};

extern const struct flags run_flags, latency_flags, lines_flags;

/* Are they those of a measurement, which takes a command behind -- ? */
bool oneshot_takes(const struct flags *flags);

/* Of the words of a command; they are pointed into.  To be given to oneshot_free(), also on failure. */
bool oneshot_parse(struct session *s, const struct words *words, const struct flags *flags, struct oneshot *out,
		   struct error *err);
void oneshot_free(struct oneshot *o);

struct progress {
	uint64_t hits, lost;
	bool enough;			/* --count is reached */
};

struct oneshot_ops {
	/*
	 * Set the tracepoints, with KT_TRACE_OWNED; where there is a command, with KT_DESC_PROCESS_TREE.
	 * The command waits.
	 */
	bool (*arm)(struct session *s, struct oneshot *o, void *arg, struct error *err);
	/* Several times a second while it goes on, and once when nothing is set any more. */
	bool (*round)(struct session *s, void *arg, struct progress *progress, struct error *err);
	/* Remove them; also after arm failed. */
	bool (*disarm)(struct session *s, void *arg, struct error *err);
	bool drains;			/* rounds are due when the rings fill, too */
	void *arg;
};

/*
 * From arming to disarming, until the command has ended or, without one, the time is up, the count is reached,
 * Ctrl-C; then the command is waited for.  False with err set when it could not be measured, or not executed.
 */
bool oneshot_measure(struct session *s, struct oneshot *o, const struct oneshot_ops *ops,
		     struct error *err);

/*
 * The command's status becomes that of ktrace.  verdict (NULL: nothing to say) becomes it where the command succeeded,
 * or there was none.
 */
bool oneshot_conclude(struct session *s, const struct oneshot *o, const struct error *verdict,
		      struct error *err);

#define AUTO_ONESHOT __attribute__((cleanup(oneshot_free)))

#endif
