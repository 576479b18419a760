/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * entry.h - functions of entry.S, each with its own calling convention.  Trampolines call kt_x86_jump_special and
 * kt_x86_direct_enter; generated code of hits continues in the others.
 */
#ifndef KTRACE_X86_ENTRY_H
#define KTRACE_X86_ENTRY_H

#include <linux/types.h>

extern const char kt_x86_event_slow[], kt_x86_event_again[], kt_x86_event_rest[], kt_x86_event_jump[];
extern const char kt_x86_event_wake[], kt_x86_event_end[], kt_x86_event_direct_slow[], kt_x86_event_direct_wake[];
extern const char kt_x86_direct_enter[], kt_x86_direct_slow[], kt_x86_direct_wake[], kt_x86_direct_rest[];
extern const char kt_x86_jump_special[], kt_x86_jump_again[], kt_x86_jump_rest[];

/* Are indirect calls and jumps plain ones on this CPU?  Else the kernel makes them by thunks, against wrong guesses.  Any context. */
bool kt_x86_calls_plainly(void);

/* Does the CPU want endbr64 where an indirect branch leads to (IBT)?  Any context. */
bool kt_x86_checks_branches(void);
#define KT_ENDBR_BYTES	4

/*
 * `jump` is a function with nothing but an indirect jump.  If the kernel has patched it to jump to a thunk, return the thunk's address,
 * otherwise that of the function.  Any context.
 */
unsigned long kt_x86_thunk_of(const char *jump);

#endif
