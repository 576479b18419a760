/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe_point.h - instructions that are meant, and what they are called.
 *
 * The entry rule: an address that is exactly a function's start means its
 * first instruction as executed with the arguments in place, behind a landing pad
 * and ftrace's nop; it is still called by the function's name alone.
 */
#ifndef KTRACE_PROBE_POINT_H
#define KTRACE_PROBE_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "ctl/base/error.h"
#include "ctl/device/device.h"
#include "symbols/query/debug.h"
#include "symbols/symtab/symbols.h"

/* The running kernel, as places and plans need it. */
struct target {
	struct device *dev;
	const struct symtab *tab;	/* NULL: no symbols */
	const struct arch_ops *arch;
	struct debug *debug;		/* NULL: none is used */
};

struct probe_point {
	uint64_t addr;
	const struct sym *sym;		/* that covers it, NULL when none does */
	bool is_event;			/* a static tracepoint: addr is that of its struct tracepoint, or of its iterator */
	bool is_return;			/* when a call has returned: addr is KT_RETURN_OF() the function's first byte */
	uint64_t entry;			/* of the function that is returned from, or has an event's arguments; 0: not known */
	const char *inlined;		/* the function whose copy is meant, of the text that was resolved; or NULL */
	char name[640];			/* "vfs_write+0x50", "ext4:ext4_sync_fs", "f#2+0x4" */
};

/* Where a function jumps into another one, which returns in its place. */
struct tail_jump {
	uint64_t addr, target;		/* target 0: where a register says */
};

struct probe_points {
	struct probe_point *v;
	size_t n;
	bool is_pattern;		/* of many: what cannot be traced is left out */
	char *pieces;			/* "f.part.0, f.cold": not among v; NULL without any */
	struct tail_jump *jumps;	/* of FUNCTION%return: those that are always taken when they are met */
	size_t nr_jumps;
	struct scans scans;		/* the code that they were found in */
};

void probe_points_free(struct probe_points *points);
/* One more, unless it is among them; sym as in probe_point_at(). */
void probe_points_add(const struct target *target, struct probe_points *points, uint64_t addr, const struct sym *sym);

/* Where addr lies and what it is called; sym is preferred where it covers it. */
void probe_point_at(const struct target *target, uint64_t addr, const struct sym *sym,
		    struct probe_point *out);
/* One instruction at addr, from the n bytes at code; with symbols a jump to a return thunk is a return.  False: none. */
bool probe_point_decode(const struct target *target, const uint8_t *code, size_t n, uint64_t addr, struct arch_insn *out);
/* The address of a tracepoint as it is told: of the return of a function, that of its first byte. */
uint64_t probe_point_told(uint64_t addr);
/* Where the function that a place is about has its variables and types: the address to look them up by. */
uint64_t probe_point_code(const struct probe_point *point);
/* The return of a function, by whatever way it ends. */
void probe_point_return(const struct target *target, const struct sym *sym, struct probe_point *out);
/*
 * The same for one instruction after the other, in n bytes that end where their symbol or the text does: zeros fill the
 * room up to there.
 */
enum probe_point_step { STEP_INSN, STEP_END, STEP_UNDECODABLE };
enum probe_point_step probe_point_step(const struct target *target, const uint8_t *code, size_t n, uint64_t addr,
				       struct arch_insn *out);
/* Is it a function's first own instruction, or in front of that? */
bool probe_point_is_entry(const struct target *target, const struct sym *sym, uint64_t addr);
/* What to call addr where it is proposed instead of another one; into place->name. */
const char *probe_point_name(const struct target *target, uint64_t addr, struct probe_point *point);

#define AUTO_PROBE_POINTS __attribute__((cleanup(probe_points_free)))

#endif
