// SPDX-License-Identifier: GPL-2.0-or-later
/* exits.c - all exits of a function.  See exits.h. */
#include "ctl/ask/resolve/exits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/resolve/go_code.h"
#include "ctl/ask/resolve/programs.h"
#include "ctl/base/memory.h"
#include "symbols/query/program.h"

#define MAX_FUNCTION	(1U << 20)

struct body {
	const struct target *target;
	const struct sym *sym;		/* the function */
	const struct sym *piece;	/* the function, or its .cold piece */
	struct exits *out;
	struct error *err;
	bool failed;			/* some code was not examined; err has the reason */
	uint64_t *reached;		/* addresses elsewhere to which it jumps */
	size_t nr_reached;
};

static bool is_inside(const struct sym *sym, uint64_t addr)
{
	return addr >= sym->addr && addr - sym->addr < sym->size;
}

static bool is_cold(const struct sym *sym, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(sym->name, name, n) && strstr(sym->name + n, ".cold");
}

bool exits_leave(const struct target *target, const struct sym *function, const struct arch_insn *insn)
{
	const struct sym *to;

	if (insn->is_call || insn->is_return || (!insn->is_jump && !insn->target) || is_inside(function, insn->target))
		return false;
	to = insn->target && target->tab ? symtab_by_addr(target->tab, insn->target) : NULL;
	return !to || !is_cold(to, function->name);
}

static void add(struct body *body, uint64_t addr, const struct arch_insn *insn)
{
	struct exits *out = body->out;

	out->v = MEM_MORE(out->v, out->n);
	out->v[out->n++] = (struct function_exit){
		.addr = addr, .target = insn->is_return ? 0 : insn->target, .piece = body->piece, .is_return = insn->is_return,
		.is_sure = insn->is_return || insn->is_jump,
	};
	out->leaves |= !insn->is_return;
}

static void note_jump(struct body *body, const struct arch_insn *insn)
{
	if (insn->is_call || !insn->target || is_inside(body->sym, insn->target))
		return;
	body->reached = MEM_MORE(body->reached, body->nr_reached);
	body->reached[body->nr_reached++] = insn->target;
}

/*
 * Does the function jump into this piece?  In a program several functions may have the same name, and each a piece of its
 * own.
 */
static bool is_reached(const struct body *body, const struct sym *piece)
{
	for (size_t i = 0; i < body->nr_reached; i++)
		if (is_inside(piece, body->reached[i]))
			return true;
	return false;
}

/* An incomplete list of returns would give wrong results: refuse. */
static bool not_all_known(const struct body *body, size_t at)
{
	return error_set(body->err, STATUS_FAILURE,
			 "%s+0x%zx: the instruction there cannot be decoded, so some returns of %s may be missing: give the addresses of the returns",
			 body->piece->name, at, body->sym->name);
}

static bool decode_exits(struct body *body, const uint8_t *code, size_t len)
{
	const struct sym *piece = body->piece;
	enum probe_point_step step;
	struct arch_insn insn;

	for (size_t at = 0;; at += insn.len) {
		step = probe_point_step(body->target, code + at, len - at, piece->addr + at, &insn);
		if (step != STEP_INSN)
			return step == STEP_END || not_all_known(body, at);
		note_jump(body, &insn);
		if (insn.is_return || (exits_leave(body->target, body->sym, &insn) && !body->target->arch->is_switch(code, at)))
			add(body, piece->addr + at, &insn);
	}
}

static bool too_long_function(const struct body *body)
{
	return error_set(body->err, STATUS_FAILURE,
			 "%s is too long to search for its returns: give the addresses of the returns",
			 body->piece->name);
}

#define FILLING	64

/* The last symbol before a hole in the image seems to cover the hole. */
static bool ends_in_hole(const uint8_t *code, size_t len)
{
	return len >= FILLING && !memcmp(code + len - FILLING, code + len - FILLING + 1, FILLING - 1);
}

/* The module compares scanned code with the text of the kernel.  The code of a program is that of its file. */
static bool read_code(const struct body *body, uint8_t *code, size_t *len)
{
	const uint64_t addr = body->piece->addr;

	if (!body->target->program)
		return device_scan(body->target->dev, addr, code, len, &body->out->scans, body->err);
	*len = program_code(body->target->program, addr, code, *len);
	return *len == body->piece->size || *len == MAX_FUNCTION || not_all_known(body, *len);
}

static bool add_all(struct body *body)
{
	const struct sym *piece = body->piece;
	const bool is_cut = piece->size > MAX_FUNCTION;
	size_t len = is_cut ? MAX_FUNCTION : piece->size;
	AUTO_FREE uint8_t *code = mem_zalloc(len, 1);

	if (!read_code(body, code, &len))
		return false;
	if (is_cut && len == MAX_FUNCTION && !ends_in_hole(code, len))
		return too_long_function(body);
	return decode_exits(body, code, len);
}

static void add_piece(const struct sym *sym, void *arg)
{
	struct body *whole = arg, body = *whole;

	body.piece = sym;
	if (whole->failed || !is_cold(sym, body.sym->name) || strcmp(sym->module, body.sym->module))
		return;
	if (body.target->program && !is_reached(whole, sym))
		return;
	body.reached = NULL;
	body.nr_reached = 0;
	whole->failed = !add_all(&body);
	free(body.reached);
}

/* In a program without the size of a function, returns of the next one might count as its own. */
static bool has_size(const struct body *body)
{
	const struct program_function *function;

	if (!body->target->program)
		return true;
	function = program_function_of(body->target->program, body->sym);
	return (function && !function->is_measured && body->sym->size) ||
	       error_set(body->err, STATUS_FAILURE, "%s: its symbol has no size, so its returns are not known: give their addresses",
			 body->sym->name);
}

bool exits_list(const struct target *target, const struct sym *function, struct exits *out, struct error *err)
{
	struct body body = { .target = target, .sym = function, .piece = function, .out = out, .err = err };

	*out = (struct exits){ .n = 0 };
	body.failed = !has_size(&body) || !add_all(&body);
	if (!body.failed)
		symtab_variants(target->tab, function->name, add_piece, &body);
	free(body.reached);
	return !body.failed;
}

/* Does an instruction of the function jump to [from, to]? */
static bool jumps_to(const struct target *target, const struct sym *function, uint64_t from, uint64_t to)
{
	const size_t len = function->size < MAX_FUNCTION ? function->size : MAX_FUNCTION;
	AUTO_FREE uint8_t *code = mem_zalloc(len + 1, 1);
	const size_t n = target_text(target, function->addr, code, len);
	struct arch_insn insn;

	for (size_t at = 0; probe_point_step(target, code + at, n - at, function->addr + at, &insn) == STEP_INSN; at += insn.len)
		if (!insn.is_call && insn.target >= from && insn.target <= to)
			return true;
	return false;
}

bool exits_reenter(const struct target *target, const struct sym *function, uint64_t entry)
{
	/* A function of Go whose stack has grown begins again, before its entry. */
	const uint64_t from = go_code_look(target, function) ? function->addr + 1 : function->addr;

	return jumps_to(target, function, from, entry);
}

void exits_free(struct exits *exits)
{
	free(exits->v);
	free(exits->scans.v);
	*exits = (struct exits){ 0 };
}

static void add_point(const struct target *target, const struct function_exit *exit, struct probe_points *out)
{
	if (exit->is_return)
		probe_points_add(target, out, exit->addr, exit->piece);
	if (exit->is_return || !exit->is_sure)
		return;
	out->jumps = MEM_MORE(out->jumps, out->nr_jumps);
	out->jumps[out->nr_jumps++] = (struct tail_jump){ exit->addr, exit->target };
}

/* The kernel's kretprobes see such ends; in a program nothing does without a change of the return address. */
static bool all_seen(const struct target *target, const struct sym *function, const struct exits *exits, struct error *err)
{
	for (size_t i = 0; target->program && i < exits->n; i++)
		if (!exits->v[i].is_return)
			return error_set(err, STATUS_FAILURE,
					 "%s: some of its calls may end by the jump at %s+0x%" PRIx64 ", which a program's %%return cannot see: trace the 'ret' instructions that 'explain' shows",
					 function->name, exits->v[i].piece->name, exits->v[i].addr - exits->v[i].piece->addr);
	return true;
}

bool exits_find(const struct target *target, const struct sym *function, struct probe_points *out, struct error *err)
{
	struct exits exits;
	const bool ok = exits_list(target, function, &exits, err) && all_seen(target, function, &exits, err);

	for (size_t i = 0; ok && i < exits.n; i++)
		add_point(target, &exits.v[i], out);
	/* After a tail jump no code of the function runs: one probe point at its return stands for all exits. */
	if (ok && exits.leaves) {
		for (size_t i = 0; i < out->n; i++)
			probe_point_free(&out->v[i]);
		out->v = mem_grow(out->v, 1, sizeof(*out->v));
		out->n = 1;
		probe_point_return(target, function, out->v);
	}
	out->scans = exits.scans;
	exits.scans = (struct scans){ 0 };
	exits_free(&exits);
	return ok;
}
