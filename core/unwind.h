/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * unwind.h - the callers of an instruction of a program, by the tables that compilers write for exceptions: .eh_frame
 * (Linux Standard Base, "Exception Frames"; DWARF 5, 6.4).
 *
 * Code and tables belong to the program, which may write anything there.  So each read may fail, each number may be
 * wrong, and the work of a walk is bounded.  What the tables do not say, or say in a way that is not known here, is
 * unknown: the list says so, and never has a caller that is none by the tables.
 *
 * Where a file has no tables for an instruction (code that is made at run time), a walk goes on by the frame pointer, but
 * only to an instruction behind a call; the list has KT_CALLER_UNKNOWN before such callers, because it may lack some.
 *
 * Also compiled in user space (unit tests, fuzzers).  The environment provides kt_load() and kt_code_map().
 */
#ifndef KTRACE_UNWIND_H
#define KTRACE_UNWIND_H

#include "core/env.h"
#include "core/ktrace_abi.h"
#include KT_CAPTURE_ENV

#define KT_UNWIND_MAPS	4
#define KT_UNWIND_WORK	16384	/* loads and instructions of call frames in one walk */

/* Executable memory, and the file that is mapped there. */
struct kt_code_map {
	u64 start, end;
	u64 header;	/* where the first bytes of the file are mapped; 0: unknown, or there is no file */
	u64 table;	/* .eh_frame_hdr; 0: none.  Filled in by kt_unwind_to(), as the next */
	u32 entries;
};

/* A walk, as far as it has come. */
struct kt_unwind {
	u32 n;				/* addresses in the list; 0: the walk has not begun */
	bool over;			/* the list is complete, or ends with KT_CALLER_UNKNOWN */
	bool exact;			/* the instruction at pc is the next one, not the one behind a call */
	bool guesses;			/* the list has callers by frame pointers */
	u8 nr_maps, newest;
	u32 work;			/* what is left of KT_UNWIND_WORK */
	u64 callers[KT_MAX_DEPTH];	/* the hit, then its callers, the nearest first */
	/* The registers of the last of them, by DWARF number: values, or where they are stored. */
	u64 reg[KT_NR_GENERAL];
	u64 known, stored;		/* bits */
	struct kt_code_map maps[KT_UNWIND_MAPS];
};

/*
 * Walk on until the list has `most` addresses, at most KT_MAX_DEPTH, or is over.  regs: those of the hit, in the program.
 * Returns the addresses in the list, which may be more.  Context: that of kt_code_map().
 */
u32 kt_unwind_to(struct kt_unwind *unwind, const struct pt_regs *regs, u32 most);

/* Fill in start, end and header of the executable mapping at this address.  False: there is none. */
bool kt_code_map(u64 addr, struct kt_code_map *map);

#endif
