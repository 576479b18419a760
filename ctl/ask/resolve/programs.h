/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * programs.h - addresses in programs and libraries of user space.
 *
 *   FILE:PLACE   FILE is a path with a "/", or the name of a program in PATH or of a library
 *
 * PLACE is an address as in the kernel (address.h, source.h), with the symbols and the debug information of the file.  So
 * a program is a target of its own, whose addresses are the linked ones.  If FILE has no "/", the kernel has precedence:
 * its modules (ext4:), systems of events (sched:), event:, syscall:, inline:, vmlinux:.  FILE:NUMBER is always a line.
 */
#ifndef KTRACE_PROGRAMS_H
#define KTRACE_PROGRAMS_H

#include "ctl/ask/resolve/probe_point.h"

struct program_marker;
struct programs;

#define MARKERS	"sdt:"

/* The programs of a session.  options: how to search for debug information; it must outlive them. */
struct programs *programs_new(const struct debug_options *options, bool uses_debug);
void programs_free(struct programs *programs);

enum programs_answer {
	PROGRAMS_NONE,		/* not an address in a program */
	PROGRAMS_FOUND,
	PROGRAMS_FAILED,	/* one in a program that cannot be used: err is set */
};

/*
 * Does the text name a place in a program?  process: search in the files that this process sees; 0: in those of ktrace.
 * PROGRAMS_FOUND: *out is the program as a target, until programs_free(), and *inside points into the text; otherwise both
 * stay as they are.
 */
enum programs_answer programs_find(const struct target *kernel, const char *text, int process, const struct target **out,
				   const char **inside, struct error *err);

/*
 * As probe_points_resolve(), in the kernel or a program.  *home is `kernel` or the program; *inside the text without the
 * name of the program.
 */
bool programs_resolve(const struct target *kernel, const char *text, int process, const struct target **home,
		    const char **inside, struct probe_points *out, struct error *err);

/* The addresses at which the module has the tracepoints of a text, and the name of the first one. */
struct site_addrs {
	uint64_t *v;		/* the caller frees it */
	size_t n;
	char name[PROBE_POINT_NAME];
};

bool programs_sites(const struct target *kernel, const char *text, struct site_addrs *out, struct error *err);

/* The SDT marker at an address of a program; NULL: there is none, or the target is the kernel. */
const struct program_marker *marker_at(const struct target *target, uint64_t addr);
/*
 * The fields that ARGS records at a probe point, as event_fields(); of an SDT marker its arguments arg1, arg2 and so on, of which an
 * unknown one has no entry.  NULL: it is neither an event nor a marker.  The caller frees it.
 */
char *fields_at(const struct target *target, const struct probe_point *point);
/* Add the sites of the markers of a program that the text names: sdt:PROVIDER:NAME, sdt:PATTERN. */
bool markers_resolve(const struct target *target, const char *text, struct probe_points *out, struct error *err);


/* Is the file of a program still the one of its name?  False for a deleted file that only processes still have. */
bool programs_is_current(const struct target *target);
/* Put the program's name in front of the error.  Returns false. */
bool programs_failed(const struct target *target, struct error *err);

/* The process with this thread; 0: there is none. */
int process_of_thread(int thread);

#endif
