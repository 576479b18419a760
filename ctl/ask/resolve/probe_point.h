/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe_point.h - probe points and their names.
 *
 * The entry rule: the address of a function's start means its first instruction that runs with the arguments in
 * place, behind the branch target marker and ftrace's nop.  Its name is still the function's name alone.
 */
#ifndef KTRACE_PROBE_POINT_H
#define KTRACE_PROBE_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "ctl/base/device/device.h"
#include "ctl/base/error.h"
#include "symbols/base/map.h"
#include "symbols/query/debug.h"
#include "symbols/symtab/symbols.h"

struct program;
struct program_function;
struct programs;

/* The running kernel, or a program (programs.h), whose addresses are those at which it was linked. */
struct target {
	struct device *dev;
	const struct symtab *tab;	/* NULL: no symbols */
	const struct arch_ops *arch;
	struct debug *debug;		/* NULL: debug information is not used */
	struct programs *programs;	/* NULL: addresses in programs are not known */
	struct program *program;	/* NULL: the kernel */
	const char *label;		/* of a program: "bash:", the beginning of the names of its probe points */
	const char *no_debug;		/* of a program: why debug is NULL */
};

#define PROBE_POINT_CODE 32

struct probe_point {
	uint64_t addr;
	const struct sym *sym;		/* the symbol that covers it; NULL: none */
	bool is_event;			/* a static tracepoint: addr is its struct tracepoint, or its iterator */
	bool is_return;			/* the return of a function: addr is KT_RETURN_OF() its first byte */
	/* entry of the function that returns or has the event's arguments; 0: unknown */
	uint64_t entry;
	/* the function whose inlined copy is meant; points into the resolved text; or NULL */
	const char *inlined;
	/* the ifunc that was named and has chosen this function; lives as long as the program; or NULL */
	const struct program_function *chosen;
	/* The first bytes of the symbol when the point was found, nr_code of them; 0: they were not read. */
	uint8_t nr_code, code[PROBE_POINT_CODE];
	uint64_t skip;			/* bytes between the symbol and the first instruction that may be traced */
	char *name;			/* "vfs_write+0x50", "ext4:ext4_sync_fs", "f#2+0x4"; freed with the point */
};

#define PROBE_POINT_NAME	640	/* room for any name */

/* A jump from a function into another one, which returns in its place. */
struct tail_jump {
	uint64_t addr, target;		/* target 0: the target is in a register */
};

struct probe_points {
	struct probe_point *v;
	size_t n;
	struct map by_addr;		/* the addresses in v, if there are many */
	bool is_pattern;		/* the text was a pattern: sites that cannot be traced are left out */
	char *pieces;			/* "f.part.0, f.cold": pieces that are not in v; NULL: none */
	struct tail_jump *jumps;	/* of FUNCTION%return: jumps that are always taken */
	size_t nr_jumps;
	struct scans scans;		/* the code in which they were found */
};

void probe_points_free(struct probe_points *points);
/* Add a probe point unless it is in the list; sym as in probe_point_at(). */
void probe_points_add(const struct target *target, struct probe_points *points, uint64_t addr, const struct sym *sym);

void probe_point_free(struct probe_point *point);

/* Name the probe point at addr.  The name uses sym if sym covers addr. */
void probe_point_at(const struct target *target, uint64_t addr, const struct sym *sym,
		    struct probe_point *out);
/*
 * Decode the instruction at addr from the n bytes at code.  With symbols, a jump to a return thunk counts as a
 * return.  False: it does not decode.
 */
bool probe_point_decode(const struct target *target, const uint8_t *code, size_t n, uint64_t addr, struct arch_insn *out);
/* Read code without patches.  Returns the bytes read, 0 if nothing is readable. */
size_t target_text(const struct target *target, uint64_t addr, void *buf, size_t len);
/*
 * Name the instruction at addr for the module: fill in addr, flags and semaphore.  False: err is set (the module does not accept
 * the program).
 */
bool target_site(const struct target *target, uint64_t addr, struct kt_site_req *req, struct error *err);
/*
 * The address of a tracepoint for messages; for the return of a function that of its first byte, for an instruction of a
 * program its offset in the file.
 */
uint64_t probe_point_told(uint64_t addr);
/* A sentence for a point whose `chosen` is set.  False: it is not. */
bool probe_point_chosen(const struct target *target, const struct probe_point *point, char *buf, size_t size);
/* The address at which to look up variables and types of the probe point's function. */
uint64_t probe_point_code(const struct probe_point *point);
/* Name the return of a function, whatever exit it takes. */
void probe_point_return(const struct target *target, const struct sym *sym, struct probe_point *out);
/*
 * Decode instruction by instruction.  The n bytes end where their symbol or the text ends; zeros may fill the
 * rest.
 */
enum probe_point_step { STEP_INSN, STEP_END, STEP_UNDECODABLE };
enum probe_point_step probe_point_step(const struct target *target, const uint8_t *code, size_t n, uint64_t addr,
				       struct arch_insn *out);
/* Is addr the function's first own instruction, or before it? */
bool probe_point_is_entry(const struct target *target, const struct sym *sym, uint64_t addr);
/* The name of addr as a suggestion: that of the point. */
const char *probe_point_name(const struct target *target, uint64_t addr, struct probe_point *point);

#define AUTO_PROBE_POINT __attribute__((cleanup(probe_point_free)))
#define AUTO_PROBE_POINTS __attribute__((cleanup(probe_points_free)))

#endif
