// SPDX-License-Identifier: GPL-2.0-or-later
/* function_lines.c - see function_lines.h. */
#include "ctl/ask/resolve/function_lines.h"

#include <stdlib.h>
#include <string.h>

#include "core/ktrace_abi.h"
#include "ctl/ask/resolve/go_code.h"
#include "ctl/base/memory.h"

struct finder {
	const struct target *target;
	const struct probe_point *entry;
	struct addr_info info;
	struct scope *scope;
	int32_t entry_cfa;	/* at the entry the CFA is the stack pointer plus this */
	struct function_lines *out;
};

/* ------------------------------------------------------------------------ lines */

static bool is_statement(const struct ix_line *row)
{
	return row->line & LINE_IS_STMT && !(row->line & LINE_END) && row->line & LINE_MASK;
}

static const struct ix_line *call_among(const struct scope *copy, const struct ix_line *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_statement(&rows[i]) && rows[i].file + 1 == copy->call_file &&
		    (rows[i].line & LINE_MASK) == copy->call_line)
			return &rows[i];
	return NULL;
}

const struct ix_line *lines_statement(const struct scope *function, const struct ix_line *rows, size_t n)
{
	const struct ix_line *found = NULL, *call;

	for (size_t i = 0; i < n; i++)
		if (is_statement(&rows[i]))
			found = &rows[i];
	if (!found || !function)
		return found;
	for (const struct scope *copy = scope_at(function, found->addr); copy; copy = copy->outer) {
		if (copy->kind != SCOPE_INLINED || copy->entry != found->addr)
			continue;
		call = call_among(copy, rows, n);
		found = call ? call : found;
	}
	return found;
}

static void find_body(const struct scope *scope, const struct ix_line *row, const struct scope **body)
{
	if (scope->kind != SCOPE_BLOCK && scope->file == row->file + 1 && scope->line <= (row->line & LINE_MASK) &&
	    (!*body || scope->line > (*body)->line))
		*body = scope;
	for (size_t i = 0; i < scope->nr_inner; i++)
		find_body(&scope->inner[i], row, body);
}

const char *lines_inlined(const struct scope *function, const struct ix_line *row)
{
	const struct scope *body = NULL;

	find_body(function, row, &body);
	return body && body->kind == SCOPE_INLINED ? body->name : NULL;
}

static size_t line_number(struct finder *f, const struct ix_line *row)
{
	const char *file = dbindex_file_name(f->info.ix, row->file);
	const uint32_t number = row->line & LINE_MASK;
	const char *inlined = f->scope ? lines_inlined(f->scope, row) : NULL;
	struct function_lines *out = f->out;

	for (size_t i = 0; i < out->n; i++)
		if (out->v[i].number == number && !strcmp(out->v[i].file, file))
			return i;
	out->v = MEM_MORE(out->v, out->n);
	out->v[out->n] = (struct line_name){ file, number, inlined ? mem_strdup(inlined) : NULL, NULL };
	return out->n++;
}

/* Without a rule for its frame an address cannot identify a call. */
static bool frame_at(const struct finder *f, uint32_t offset, struct line_addr *addr)
{
	const struct ix_cfa *cfa = dbindex_cfa_at(f->info.ix, offset);

	if (!cfa || cfa->reg == CFA_UNKNOWN)
		return false;
	addr->reg = cfa->reg;
	addr->bias = cfa->offset - f->entry_cfa;
	return true;
}

static void add_addr(struct finder *f, const struct ix_line *row, uint64_t live, uint32_t offset)
{
	struct function_lines *out = f->out;
	struct line_addr addr = { .addr = live };

	for (size_t i = 0; i < out->nr_addrs; i++)
		if (out->addrs[i].addr == live)
			return;
	if (!frame_at(f, offset, &addr))
		return;
	addr.line = line_number(f, row);
	out->addrs = MEM_MORE(out->addrs, out->nr_addrs);
	out->addrs[out->nr_addrs++] = addr;
}

/* Add a statement behind the entry; code before the entry belongs to the entry. */
static void add_statement(struct finder *f, const struct ix_line *row)
{
	uint64_t live, once;

	if (!row || !debug_to_live(f->info.unit, row->addr, &live))
		return;
	if (live >= f->entry->sym->addr && live <= f->entry->addr)
		return;
	once = go_code_once(f->target, live);
	add_addr(f, row, once, row->addr + (once - live));
}

static bool is_inside(const struct finder *f, uint32_t offset)
{
	return f->scope ? scope_covers(f->scope, offset)
			: offset - f->info.func->low < f->info.func->size;
}

struct rows_here {
	struct ix_line *v;
	size_t n;
};

/* Take all rows of the address of the walk. */
static void take_rows(struct line_walk *walk, struct rows_here *out)
{
	const uint32_t addr = walk->row->addr;

	for (out->n = 0; walk->row && walk->row->addr == addr; line_walk_next(walk)) {
		out->v = MEM_MORE(out->v, out->n);
		out->v[out->n++] = *walk->row;
	}
}

/* The first offset of the function at or behind an offset.  UINT32_MAX: there is none. */
static uint32_t next_inside(const struct finder *f, uint32_t offset)
{
	const struct ix_func *func = f->info.func;
	uint32_t next = UINT32_MAX;

	if (is_inside(f, offset))
		return offset;
	if (!f->scope)
		return func->low > offset ? func->low : next;
	for (size_t i = 0; i < f->scope->nr_ranges; i++)
		if (f->scope->ranges[i].low > offset && f->scope->ranges[i].low < next)
			next = f->scope->ranges[i].low;
	return next;
}

static void add_rows(struct finder *f)
{
	struct rows_here here = { 0 };
	struct line_walk walk;

	line_walk_from(&walk, f->info.ix, next_inside(f, 0));
	while (walk.row) {
		const uint32_t addr = walk.row->addr, next = next_inside(f, addr);

		if (next != addr) {
			line_walk_from(&walk, f->info.ix, next);
			continue;
		}
		take_rows(&walk, &here);
		add_statement(f, lines_statement(f->scope, here.v, here.n));
	}
	free(here.v);
}

/* ----------------------------------------------------------------------- pieces */

static void add_piece(struct finder *f, uint32_t low, uint32_t size)
{
	struct function_lines *out = f->out;
	struct code_piece piece = { .size = size }, *last;

	if (!debug_to_live(f->info.unit, low, &piece.addr))
		return;
	out->pieces = MEM_MORE(out->pieces, out->nr_pieces);
	last = &out->pieces[out->nr_pieces++];
	*last = piece;
	if (f->entry->addr - piece.addr < size) {
		*last = out->pieces[0];
		out->pieces[0] = piece;
	}
}

static void add_pieces(struct finder *f)
{
	if (!f->scope)
		add_piece(f, f->info.func->low, f->info.func->size);
	for (size_t i = 0; f->scope && i < f->scope->nr_ranges; i++)
		add_piece(f, f->scope->ranges[i].low, f->scope->ranges[i].high - f->scope->ranges[i].low);
}

/* ------------------------------------------------------------------------ order */

static const char *own_file;

static int by_source(const void *a, const void *b)
{
	const struct line_name *x = a, *y = b;
	const int own = !strcmp(y->file, own_file) - !strcmp(x->file, own_file);

	if (own)
		return own;
	if (strcmp(x->file, y->file))
		return strcmp(x->file, y->file);
	return x->number < y->number ? -1 : x->number > y->number;
}

static void sort_lines(struct function_lines *lines, const char *file)
{
	struct line_name *before = mem_zalloc(lines->n, sizeof(*before));

	memcpy(before, lines->v, lines->n * sizeof(*before));
	own_file = file;
	qsort(lines->v, lines->n, sizeof(*lines->v), by_source);
	for (size_t i = 0; i < lines->nr_addrs; i++) {
		const struct line_name *was = &before[lines->addrs[i].line];

		for (size_t to = 0; to < lines->n; to++)
			if (lines->v[to].file == was->file && lines->v[to].number == was->number)
				lines->addrs[i].line = to;
	}
	free(before);
}

/* ------------------------------------------------------------------------- find */

static bool no_lines(const struct finder *f, const char *why, struct error *err)
{
	return error_set(err, STATUS_FAILURE, "%s: %s: use 'latency %s', which does not need them", f->entry->name, why,
			 f->entry->name);
}

/* The statement that begins at the entry, or else the row that covers it.  False: there is none. */
static bool entry_line(const struct finder *f, struct ix_line *out)
{
	const uint32_t entry = f->info.offset;
	const struct ix_line *statement;
	struct rows_here here = { 0 };
	struct line_walk walk;

	if (!dbindex_line_at(f->info.ix, entry, out))
		return false;
	line_walk_from(&walk, f->info.ix, entry);
	if (walk.row && walk.row->addr == entry)
		take_rows(&walk, &here);
	statement = lines_statement(f->scope, here.v, here.n);
	if (statement)
		*out = *statement;
	free(here.v);
	return true;
}

static bool find_entry(struct finder *f, struct error *err)
{
	const struct ix_cfa *cfa = dbindex_cfa_at(f->info.ix, f->info.offset);
	struct ix_line row;

	if (!entry_line(f, &row) || !f->info.func || !(row.line & LINE_MASK))
		return no_lines(f, "its source lines are not known", err);
	if (!cfa || cfa->reg != f->target->arch->dwarf_sp)
		return no_lines(f, "its call frames are not known", err);
	f->entry_cfa = cfa->offset;
	add_addr(f, &row, f->entry->addr, f->info.offset);
	return true;
}

bool function_lines_find(const struct target *target, const struct probe_point *entry, struct function_lines *out, struct error *err)
{
	struct finder f = { .target = target, .entry = entry, .out = out };
	struct debug_unit *unit;

	*out = (struct function_lines){ 0 };
	if (!entry->sym || !probe_point_is_entry(target, entry->sym, entry->addr))
		return error_set(err, STATUS_USAGE, "%s: not a function: lines needs the name of a function", entry->name);
	if (!addr_info_find(target, entry->addr, &f.info, err))
		return false;
	if (debug_unit_is_btf(f.info.unit))
		return unit_code_index(target, entry->sym->module, &unit, err);
	f.scope = f.info.func ? scope_read(f.info.ix, f.info.func) : NULL;
	if (!find_entry(&f, err)) {
		scope_free(f.scope);
		return false;
	}
	add_rows(&f);
	add_pieces(&f);
	scope_free(f.scope);
	out->decl = f.info.func->file ? f.info.func->line : 0;
	sort_lines(out, dbindex_file_name(f.info.ix, f.info.func->file ? f.info.func->file - 1 : 0));
	return out->n <= KT_MAX_GROUPS || no_lines(&f, "it has too many lines", err);
}

static size_t jump_row(struct function_lines *lines, const char *to)
{
	for (size_t i = 0; i < lines->n; i++)
		if (lines->v[i].jumped && !strcmp(lines->v[i].jumped, to))
			return i;
	lines->v = MEM_MORE(lines->v, lines->n);
	lines->v[lines->n] = (struct line_name){ .file = lines->v[0].file, .jumped = mem_strdup(to) };
	return lines->n++;
}

void function_lines_add_jump(struct function_lines *lines, const struct target *target, const struct tail_jump *jump)
{
	struct line_addr addr = { .addr = jump->addr, .reg = target->arch->dwarf_sp };
	char to[256] = "a function that a register names";
	size_t at = 0;

	if (jump->target)
		symtab_describe(target->tab, jump->target, to, sizeof(to));
	addr.line = jump_row(lines, to);
	while (at < lines->nr_addrs && lines->addrs[at].addr != jump->addr)
		at++;
	/* A line that begins with the jump ends with it. */
	if (at == lines->nr_addrs) {
		lines->addrs = MEM_MORE(lines->addrs, lines->nr_addrs);
		lines->nr_addrs++;
	}
	lines->addrs[at] = addr;
}

/* The inlined copy at an address that the function itself calls; NULL: the address is in no copy. */
static const struct scope *outermost_copy(const struct scope *function, uint32_t offset)
{
	const struct scope *copy = NULL;

	for (const struct scope *at = function ? scope_at(function, offset) : NULL; at; at = at->outer)
		if (at->kind == SCOPE_INLINED)
			copy = at;
	return copy;
}

const char *function_line_at(const struct target *target, uint64_t addr, char *buf, size_t size)
{
	const struct scope *copy;
	struct scope *function;
	struct addr_info info;

	if (!*addr_info_line(target, addr, buf, size) || !addr_info_find(target, addr, &info, NULL) || !info.func)
		return buf;
	function = scope_read(info.ix, info.func);
	copy = outermost_copy(function, info.offset);
	if (copy && copy->call_file && copy->call_line)
		snprintf(buf, size, "%s:%u (%s)", dbindex_file_name(info.ix, copy->call_file - 1), copy->call_line, copy->name);
	scope_free(function);
	return buf;
}

const char *function_line_in(const struct target *target, uint64_t addr, char *buf, size_t size)
{
	const struct scope *copy = NULL;
	struct scope *function;
	struct addr_info info;
	size_t len;

	if (!*addr_info_line(target, addr, buf, size) || !addr_info_find(target, addr, &info, NULL) || !info.func)
		return buf;
	function = scope_read(info.ix, info.func);
	copy = function ? scope_at(function, info.offset) : NULL;
	copy = copy ? scope_function(copy) : NULL;
	len = strlen(buf);
	if (copy && copy->kind == SCOPE_INLINED)
		snprintf(buf + len, size - len, " (%s)", copy->name);
	scope_free(function);
	return buf;
}

const char *function_line_short(const struct target *target, uint64_t addr, char *buf, size_t size)
{
	const struct sym *sym = target->tab ? symtab_by_addr(target->tab, addr) : NULL;
	const char *slash;

	buf[0] = '\0';
	if (!sym || probe_point_is_entry(target, sym, addr))
		return buf;
	slash = strrchr(function_line_in(target, addr, buf, size), '/');
	if (slash)
		memmove(buf, slash + 1, strlen(slash + 1) + 1);
	return buf;
}

void function_lines_free(struct function_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++) {
		free(lines->v[i].inlined);
		free(lines->v[i].jumped);
	}
	free(lines->v);
	free(lines->addrs);
	free(lines->pieces);
}
