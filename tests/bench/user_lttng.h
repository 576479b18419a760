/* SPDX-License-Identifier: GPL-2.0-or-later */
/* user_lttng.h - the provider of LTTng-UST for user.c. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./user_lttng.h"

#if !defined(USER_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define USER_LTTNG_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(bench, number, LTTNG_UST_TP_ARGS(unsigned int, n),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(unsigned int, n, n)))

LTTNG_UST_TRACEPOINT_EVENT(bench, bytes, LTTNG_UST_TP_ARGS(const char *, data, unsigned int, length),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_sequence(char, data, data, unsigned int, length)))

#endif

#include <lttng/tracepoint-event.h>
