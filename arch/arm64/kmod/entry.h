/* SPDX-License-Identifier: GPL-2.0-only */
/* entry.h - entry.S, as C and generated code see it. */
#ifndef KTRACE_ARM64_ENTRY_H
#define KTRACE_ARM64_ENTRY_H

/* The probe of static tracepoints, and what trampolines call. */
extern const char kt_arm64_event_probe[], kt_arm64_jump[];

/* The C path, for site->direct. */
extern const char kt_arm64_event_slow[], kt_arm64_jump_slow[];

/*
 * Where generated code ends (emit_hit.c), with x8 as it began: after a hit; where the hit is left to the C path, x16 = the
 * descriptor; where a reader of the rings in x16 waits for this record.
 */
extern const char kt_arm64_event_end[], kt_arm64_event_again[], kt_arm64_event_wake[];
extern const char kt_arm64_jump_end[], kt_arm64_jump_again[], kt_arm64_jump_wake[];

#endif
