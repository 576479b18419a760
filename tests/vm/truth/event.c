// SPDX-License-Identifier: GPL-2.0-only
/* A static tracepoint of a module, with more arguments than registers. */
#include <linux/tracepoint.h>

#include "truth.h"

DECLARE_TRACE(ktruth_event,
	TP_PROTO(u64 first, s32 second, const char *third, u64 fourth, u64 fifth, u64 sixth, u64 seventh),
	TP_ARGS(first, second, third, fourth, fifth, sixth, seventh));

/* DECLARE_TRACE() of newer kernels adds _tp to the name. */
#ifdef HAVE_TRACE_TP
DEFINE_TRACE(ktruth_event_tp,
	TP_PROTO(u64 first, s32 second, const char *third, u64 fourth, u64 fifth, u64 sixth, u64 seventh),
	TP_ARGS(first, second, third, fourth, fifth, sixth, seventh));
#define trace_ktruth_event trace_ktruth_event_tp
#else
DEFINE_TRACE(ktruth_event,
	TP_PROTO(u64 first, s32 second, const char *third, u64 fourth, u64 fifth, u64 sixth, u64 seventh),
	TP_ARGS(first, second, third, fourth, fifth, sixth, seventh));
#endif

long ktruth_call_event(void)
{
	trace_ktruth_event(0x1111222233334444, -5, ktruth_string, 40, 50, 60, 70);
	return 7;
}
