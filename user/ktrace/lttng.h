/* SPDX-License-Identifier: MIT */
/*
 * lttng.h - the calls of LTTng-UST for tracepoints of ktrace.h.  No provider is needed: the fields of an event are the
 * arguments of the call, under the names of their expressions.
 */
#ifndef KTRACE_USER_LTTNG_H
#define KTRACE_USER_LTTNG_H

#include <stdio.h>

#include <ktrace/ktrace.h>

#define lttng_ust_tracepoint(provider, name, ...)	KTRACE(provider, name __VA_OPT__(,) __VA_ARGS__)
#define lttng_ust_do_tracepoint				lttng_ust_tracepoint
#define lttng_ust_tracepoint_enabled(provider, name)	ktrace_recording()

#ifndef tracepoint
#define tracepoint					lttng_ust_tracepoint
#endif

/* A text that is formatted only while events are recorded. */
#define lttng_ust_tracef(...)									\
	do {											\
		if (ktrace_recording()) {							\
			char msg[KTRACE_MAX_TEXT];						\
			snprintf(msg, sizeof(msg), __VA_ARGS__);				\
			KTRACE(lttng_ust_tracef, event, msg);					\
		}										\
	} while (0)

#endif
