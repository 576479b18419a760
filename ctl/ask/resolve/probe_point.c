// SPDX-License-Identifier: GPL-2.0-or-later
/* probe_point.c - probe points and their names.  See probe_point.h. */
#include "ctl/ask/resolve/probe_point.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/resolve/address.h"
#include "ctl/ask/resolve/go_code.h"
#include "ctl/ask/resolve/programs.h"
#include "ctl/base/memory.h"
#include "ctl/base/signature.h"
#include "symbols/query/program.h"

#define SUFFIX_ROOM 32	/* for "+0x10" or "%return" behind a name */

size_t target_text(const struct target *target, uint64_t addr, void *buf, size_t len)
{
	return target->program ? program_code(target->program, addr, buf, len) : device_text(target->dev, addr, buf, len);
}

bool target_site(const struct target *target, uint64_t addr, struct kt_site_req *req, struct error *err)
{
	const struct program_marker *marker = marker_at(target, addr);
	uint64_t base, offset;

	req->addr = addr;
	req->flags = 0;
	if (!target->program)
		return true;
	if (!program_offset(target->program, addr, &offset))
		return error_set(err, STATUS_FAILURE, "%s0x%" PRIx64 ": not in the code of the file: name a function", target->label,
				 addr);
	if (!device_file(target->dev, program_fd(target->program), target->label, &base, err))
		return false;
	req->addr = base + offset;
	req->flags = KT_SITE_USER;
	req->semaphore = marker ? marker->semaphore_offset : 0;
	return true;
}

static bool covers(const struct sym *sym, uint64_t addr)
{
	return addr == sym->addr || (addr > sym->addr && addr - sym->addr < sym->size);
}

/* Bytes before a function's first own instruction.  *nr of its first bytes are then in code[PROBE_POINT_CODE]. */
static uint64_t prologue_read(const struct target *target, const struct sym *sym, uint8_t *code, uint8_t *nr)
{
	size_t n, skip;

	*nr = 0;
	if (!sym_is_text(sym))
		return 0;
	if (go_code_is(target, sym))
		return go_code_once(target, sym->addr + go_code_look(target, sym)) - sym->addr;
	*nr = n = target_text(target, sym->addr, code, PROBE_POINT_CODE);
	if (sym->size && sym->size < n)
		n = sym->size;
	skip = n ? target->arch->prologue(code, n, sym->addr) : 0;
	return skip < n ? skip : 0;
}

static uint64_t prologue(const struct target *target, const struct sym *sym)
{
	uint8_t code[PROBE_POINT_CODE], nr;

	return prologue_read(target, sym, code, &nr);
}

bool probe_point_is_entry(const struct target *target, const struct sym *sym, uint64_t addr)
{
	return sym_is_text(sym) && addr >= sym->addr && addr - sym->addr <= prologue(target, sym);
}

/* The demangled name of a function of a program.  False: its name is not mangled. */
static bool spell_shown(const struct target *target, const struct sym *sym, char *out, size_t size)
{
	const struct program_function *function = target->program ? program_function_of(target->program, sym) : NULL;
	const char *shown = function ? program_shown(target->program, function) : NULL;

	if (!shown || !strcmp(shown, function->name))
		return false;
	signature_fit(shown, out, size);
	return true;
}

static void spell(const struct target *target, struct probe_point *point, uint64_t skip)
{
	char name[PROBE_POINT_NAME];
	const size_t room = sizeof(name) - SUFFIX_ROOM;
	uint64_t offset = point->addr - point->sym->addr;
	size_t at = target->label ? snprintf(name, room, "%s", target->label) : 0;

	at = at < room ? at : room - 1;
	if (!spell_shown(target, point->sym, name + at, room - at))
		address_spell(target->tab, point->sym, name + at, room - at);
	if (offset != skip) {
		at += strlen(name + at);
		snprintf(name + at, sizeof(name) - at, "+0x%" PRIx64, offset);
	}
	free(point->name);
	point->name = mem_strdup(name);
}

/* The symbol with a name of its own at the address of what an ifunc has chosen; sym if there is none. */
static const struct sym *sym_of_choice(const struct target *target, const struct sym *sym, const struct program_function *choice)
{
	const struct program_function *own = program_covering(target->program, choice->addr);
	const struct sym *const *all;
	size_t n = own && own->addr == choice->addr && !own->is_choice ? symtab_by_name(target->tab, own->name, NULL, &all) : 0;

	for (size_t i = 0; i < n; i++)
		if (all[i]->addr == choice->addr)
			return all[i];
	return sym;
}

/* A function is called by its own name, not by that of the ifunc that was typed. */
static void settle(const struct target *target, const struct sym *typed, struct probe_point *point)
{
	const struct program_function *function = target->program ? program_function_of(target->program, point->sym) : NULL;

	if (!function || !function->is_choice)
		return;
	point->chosen = point->sym == typed ? function : NULL;
	point->sym = sym_of_choice(target, point->sym, function);
}

static void locate(const struct target *target, uint64_t addr, const struct sym *sym,
		   bool is_entry, struct probe_point *out)
{
	*out = (struct probe_point){ .addr = addr };
	out->sym = sym && covers(sym, addr) ? sym
		 : target->tab ? symtab_by_addr(target->tab, addr) : NULL;
	if (!out->sym) {
		out->name = mem_printf("%s0x%" PRIx64, target->label ? target->label : "", addr);
		return;
	}
	settle(target, sym, out);
	out->skip = prologue_read(target, out->sym, out->code, &out->nr_code);
	if (is_entry && addr == out->sym->addr)
		out->addr += out->skip;
	spell(target, out, out->skip);
}

void probe_point_at(const struct target *target, uint64_t addr, const struct sym *sym,
		    struct probe_point *out)
{
	locate(target, addr, sym, true, out);
}

bool probe_point_chosen(const struct target *target, const struct probe_point *point, char *buf, size_t size)
{
	const struct program_function *own;
	char also[128];

	if (!point->chosen)
		return false;
	own = program_chosen(target->program, point->chosen, also, sizeof(also));
	if (own)
		snprintf(buf, size, "%s%s is an ifunc: the CPU has chosen %s%s%s", target->label, point->chosen->name, own->name,
			 *also ? ", also for " : "", also);
	else
		snprintf(buf, size, "%s%s is an ifunc: the CPU has chosen the code at 0x%" PRIx64 ", which has no name of its own%s%s",
			 target->label, point->chosen->name, point->chosen->addr, *also ? "; also for " : "", also);
	return true;
}

uint64_t probe_point_code(const struct probe_point *point)
{
	return point->is_event || point->is_return ? point->entry : point->addr;
}

uint64_t probe_point_told(uint64_t addr)
{
	if (KT_FILE_HAS(addr))
		return KT_FILE_OFFSET(addr);
	/* A kernel address has both top bits set; in KT_RETURN_OF() only the second one is. */
	return addr >> 62 == 1 ? addr | KT_RETURN_BIT : addr;
}

void probe_point_return(const struct target *target, const struct sym *sym, struct probe_point *out)
{
	char *function;

	locate(target, sym->addr, sym, true, out);
	function = out->name;
	out->name = mem_join(function, "%return", NULL);
	free(function);
	out->entry = out->addr;
	out->addr = KT_RETURN_OF(sym->addr);
	out->is_return = true;
}

const char *probe_point_name(const struct target *target, uint64_t addr, struct probe_point *point)
{
	locate(target, addr, NULL, false, point);
	/* Before the first instruction that can be traced: the name of the function means that instruction. */
	if (point->sym && addr - point->sym->addr < prologue(target, point->sym))
		spell(target, point, addr - point->sym->addr);
	return point->name;
}

/* ---------------------------------------------------------- instructions */

static bool is_return_thunk(const struct target *target, uint64_t addr)
{
	const char *end = target->arch->return_thunk;
	const struct sym *sym = end && target->tab ? symtab_by_addr(target->tab, addr) : NULL;
	size_t n = sym ? strlen(sym->name) : 0;

	return sym && sym->addr == addr && n > strlen(end) && !strcmp(sym->name + n - strlen(end), end);
}

bool probe_point_decode(const struct target *target, const uint8_t *code, size_t n, uint64_t addr, struct arch_insn *out)
{
	if (!target->arch->decode(code, n, addr, out))
		return false;
	if (out->is_jump && out->target && is_return_thunk(target, out->target))
		out->is_return = true;
	return true;
}

static bool is_filling(const uint8_t *code, size_t n)
{
	while (n && !*code) {
		code++;
		n--;
	}
	return !n;
}

enum probe_point_step probe_point_step(const struct target *target, const uint8_t *code, size_t n, uint64_t addr,
				       struct arch_insn *out)
{
	if (is_filling(code, n))
		return STEP_END;
	return probe_point_decode(target, code, n, addr, out) ? STEP_INSN : STEP_UNDECODABLE;
}

/* ------------------------------------------------------------------- lists */

#define FEW	16	/* are looked at one by one */

static bool is_one_of(const struct probe_points *points, uint64_t addr)
{
	for (size_t i = 0; i < points->n; i++)
		if (points->v[i].addr == addr)
			return true;
	return false;
}

/* Where the map says whether it has this address; the caller may write there.  A key is never 0. */
static uint64_t *mark_of(struct probe_points *points, uint64_t addr)
{
	if (!points->by_addr.nr)
		for (size_t i = 0; i < points->n; i++)
			*map_at(&points->by_addr, points->v[i].addr + 1) = true;
	return map_at(&points->by_addr, addr + 1);
}

void probe_points_add(const struct target *target, struct probe_points *points, uint64_t addr, const struct sym *sym)
{
	struct probe_point *point;
	uint64_t *mark;

	points->v = MEM_MORE(points->v, points->n);
	point = &points->v[points->n];
	probe_point_at(target, addr, sym, point);
	mark = points->n > FEW ? mark_of(points, point->addr) : NULL;
	if (mark ? *mark : is_one_of(points, point->addr)) {
		probe_point_free(point);
		return;
	}
	if (mark)
		*mark = true;
	points->n++;
}

void probe_point_free(struct probe_point *point)
{
	free(point->name);
	point->name = NULL;
}

void probe_points_free(struct probe_points *points)
{
	for (size_t i = 0; i < points->n; i++)
		probe_point_free(&points->v[i]);
	free(points->v);
	map_free(&points->by_addr);
	free(points->pieces);
	free(points->jumps);
	free(points->scans.v);
	*points = (struct probe_points){ 0 };
}
