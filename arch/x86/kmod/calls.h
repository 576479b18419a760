/* SPDX-License-Identifier: GPL-2.0-only */
/* calls.h - what generated code calls and reads: generate_calls.S, load.c. */
#ifndef KTRACE_X86_CALLS_H
#define KTRACE_X86_CALLS_H

#include "core/env.h"

#include "checked.h"

/*
 * Functions of generate_calls.S that only generated code calls, in its own convention: see emit_program.c.  The loads are
 * those of 1, 2, 4 and 8 bytes.
 */
extern const char kt_x86_code_load8[], kt_x86_code_load16[], kt_x86_code_load32[], kt_x86_code_load64[];
extern const char kt_x86_code_call[], kt_x86_code_text[], kt_x86_code_end[];

/*
 * The same for hits; a load that fails returns 0 and sets the mark of the CPU.  hit_checked: from at most KT_X86_CHECKED bytes behind an
 * address in the direct map, or one that kt_x86_hit_image() has accepted; or up to one that kt_x86_hit_stack() has; that of 16 bytes returns the last eight in r11.
 */
extern const char kt_x86_hit_load8[], kt_x86_hit_load16[], kt_x86_hit_load32[], kt_x86_hit_load64[];
extern const char kt_x86_hit_checked8[], kt_x86_hit_checked16[], kt_x86_hit_checked32[], kt_x86_hit_checked64[], kt_x86_hit_checked128[];
/* The same for events that pass the registers of the system call: these loads also read memory of the program. */
extern const char kt_x86_call_load8[], kt_x86_call_load16[], kt_x86_call_load32[], kt_x86_call_load64[];
extern const char kt_x86_hit_image[], kt_x86_hit_stack[];
extern const char kt_x86_hit_text[], kt_x86_call_text[];

/*
 * Loads of direct jumps change rax alone.  A chain of 1 to KT_X86_CHAIN pointers: rax = where it begins; rdi = kt_direct_end();
 * rcx = a table that has for each pointer the offset that is added to it, less kt_direct_end().  The word before the table is the
 * address to which the function returns if a value cannot be read.
 */
#define KT_X86_CHAIN	4
extern const char kt_x86_direct_load8[], kt_x86_direct_load16[], kt_x86_direct_load32[], kt_x86_direct_load64[];
extern const char kt_x86_direct_chain1[], kt_x86_direct_chain2[], kt_x86_direct_chain3[], kt_x86_direct_chain4[];

/* An address is in the direct map if address + kt_direct_shift < kt_direct_checked, with all KT_X86_CHECKED bytes behind. */
extern u64 kt_direct_shift, kt_direct_size, kt_direct_checked;

/*
 * The end of the direct map.  The difference of an address and this is negative for the direct map and for all of the kernel's half
 * before it, where no devices are; it is positive for addresses of programs, and behind the direct map.
 */
static inline u64 kt_direct_end(void)
{
	return kt_direct_size - kt_direct_shift;
}

#endif
