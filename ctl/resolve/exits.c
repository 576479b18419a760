// SPDX-License-Identifier: GPL-2.0-or-later
/* exits.c - all exits of a function.  See exits.h. */
#include "ctl/resolve/exits.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

#define MAX_FUNCTION	(1U << 20)

struct body {
	const struct target *target;
	const struct sym *sym;		/* the function */
	const struct sym *piece;	/* the function, or its .cold piece */
	struct exits *out;
	struct error *err;
	bool failed;			/* some code was not examined; err has the reason */
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

static bool add_all(struct body *body)
{
	const struct sym *piece = body->piece;
	const bool is_cut = piece->size > MAX_FUNCTION;
	size_t len = is_cut ? MAX_FUNCTION : piece->size;
	AUTO_FREE uint8_t *code = mem_zalloc(len, 1);

	if (!device_scan(body->target->dev, piece->addr, code, &len, &body->out->scans, body->err))
		return false;
	if (is_cut && len == MAX_FUNCTION && !ends_in_hole(code, len))
		return too_long_function(body);
	return decode_exits(body, code, len);
}

static void add_piece(const struct sym *sym, void *arg)
{
	struct body *whole = arg, body = *whole;

	body.piece = sym;
	if (!whole->failed && is_cold(sym, body.sym->name) && !strcmp(sym->module, body.sym->module))
		whole->failed = !add_all(&body);
}

bool exits_list(const struct target *target, const struct sym *function, struct exits *out, struct error *err)
{
	struct body body = { .target = target, .sym = function, .piece = function, .out = out, .err = err };

	*out = (struct exits){ .n = 0 };
	if (!add_all(&body))
		return false;
	symtab_variants(target->tab, function->name, add_piece, &body);
	return !body.failed;
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

bool exits_find(const struct target *target, const struct sym *function, struct probe_points *out, struct error *err)
{
	struct exits exits;
	const bool ok = exits_list(target, function, &exits, err);

	for (size_t i = 0; ok && i < exits.n; i++)
		add_point(target, &exits.v[i], out);
	/* After a tail jump no code of the function runs: one probe point at its return stands for all exits. */
	if (ok && exits.leaves) {
		out->v = mem_grow(out->v, 1, sizeof(*out->v));
		out->n = 1;
		probe_point_return(target, function, out->v);
	}
	out->scans = exits.scans;
	exits.scans = (struct scans){ 0 };
	exits_free(&exits);
	return ok;
}
