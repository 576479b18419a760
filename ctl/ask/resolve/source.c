// SPDX-License-Identifier: GPL-2.0-or-later
/* source.c - places in the source.  See source.h. */
#include "ctl/ask/resolve/source.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ktrace_abi.h"
#include "ctl/ask/resolve/address.h"
#include "ctl/ask/resolve/debuginfo.h"
#include "ctl/ask/resolve/event.h"
#include "ctl/ask/resolve/exits.h"
#include "ctl/ask/resolve/go_code.h"
#include "ctl/base/memory.h"
#include "ctl/base/number.h"
#include "symbols/index/line.h"
#include "symbols/query/program.h"

#define SYSCALL		"syscall"
#define MAX_FILES	8		/* files of one name listed in a refusal */

/* ------------------------------------------------------------------- parts */

/* The parts of "module:name" and "module:name:line"; module is "" if there is none. */
struct parts {
	char module[64];
	char name[512];
	uint64_t line;
};

static bool too_long(const char *text, struct error *err)
{
	return error_set(err, STATUS_USAGE, "'%.40s...' is too long for an address: shorten it", text);
}

static bool copy(char *to, size_t size, const char *from, size_t len)
{
	if (len >= size)
		return false;
	memcpy(to, from, len);
	to[len] = '\0';
	return true;
}

/* Take the module before the last part: "ext4:" of "ext4:file.c:10". */
static bool take_module(const char **text, size_t len, struct parts *out)
{
	const char *colon = memchr(*text, ':', len);

	if (!colon)
		return true;
	if (!copy(out->module, sizeof(out->module), *text, colon - *text))
		return false;
	if (!strcmp(out->module, "vmlinux"))
		out->module[0] = '\0';
	*text = colon + 1;
	return true;
}

static bool split_line(const char *text, struct parts *out, struct error *err)
{
	const char *last = strrchr(text, ':'), *start = text;

	*out = (struct parts){ .module = "" };
	if (!take_module(&start, last - text, out) || !copy(out->name, sizeof(out->name), start, last - start))
		return too_long(text, err);
	if (number_count(last + 1, &out->line) != NUMBER_OK || !out->line || out->line > LINE_MASK)
		return error_set(err, STATUS_USAGE, "'%s': line numbers begin with 1: write for example fs/read_write.c:590",
				 text);
	return true;
}

/* ------------------------------------------------------------------- lines */

static bool add_offsets(const struct target *target, const struct debug_unit *unit, const uint32_t *offsets,
			size_t n, struct probe_points *out)
{
	uint64_t addr;

	for (size_t i = 0; i < n; i++)
		if (debug_to_live(unit, offsets[i], &addr))
			probe_points_add(target, out, go_code_once(target, addr), NULL);
	return out->n;
}

static bool no_code(const struct target *target, const struct dbindex *ix, const char *text, uint32_t file, uint32_t line,
		    struct error *err)
{
	const char *name = dbindex_file_name(ix, file);
	uint32_t before, after;

	dbindex_lines_around(ix, file, line, &before, &after);
	if (before && after)
		return error_set(err, STATUS_FAILURE, "'%s': line %u of %s has no code: the nearest lines with code are %u and %u",
				 text, line, name, before, after);
	if (before || after)
		return error_set(err, STATUS_FAILURE, "'%s': line %u of %s has no code: the nearest line with code is %u",
				 text, line, name, before ? before : after);
	if (target->program)
		return error_set(err, STATUS_FAILURE, "'%s': %s has no code in this program: 'explain' of a function names the file of each line",
				 text, name);
	return error_set(err, STATUS_FAILURE, "'%s': %s has no code in this kernel: is it configured?", text, name);
}

static bool no_file(const struct target *target, const char *text, const struct parts *parts, const struct debug_unit *unit,
		    struct error *err)
{
	if (target->program)
		return error_set(err, STATUS_FAILURE, "'%s': no source file ends with '%s' in %s: 'explain' of a function names the file of each line",
				 text, parts->name, debug_unit_path(unit));
	return error_set(err, STATUS_FAILURE,
			 "'%s': no source file ends with '%s' in %s: write it as the kernel's tree does (fs/read_write.c), or MODULE:FILE:LINE for a module's",
			 text, parts->name, debug_unit_path(unit));
}

/* Choose among the files whose path ends with the typed name. */
static bool choose_file(const struct target *target, const struct dbindex *ix, const char *text, const struct parts *parts,
			const struct debug_unit *unit, uint32_t *file, struct error *err)
{
	uint32_t files[MAX_FILES];
	size_t n = dbindex_files(ix, parts->name, files, MAX_FILES), len = 0;
	char list[512] = "";

	*file = files[0];
	if (!n)
		return no_file(target, text, parts, unit, err);
	for (size_t i = 0; i < n && i < MAX_FILES; i++) {
		/* A complete path names this file, even if other paths end with it. */
		if (!strcmp(dbindex_file_name(ix, files[i]), parts->name)) {
			*file = files[i];
			return true;
		}
		if (len < sizeof(list))
			len += snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "",
					dbindex_file_name(ix, files[i]));
	}
	return n == 1 || error_set(err, STATUS_FAILURE, "'%s': several files have this name: choose one of %s", text, list);
}

static bool lines_of(const struct target *target, const char *text, const struct parts *parts, struct probe_points *out,
		     struct error *err)
{
	struct debug_unit *unit;
	AUTO_FREE uint32_t *offsets = NULL;
	struct dbindex *ix = NULL;
	struct debug_error why;
	uint32_t file;
	size_t n;

	if (!target->debug && target->program)
		return debuginfo_unused(target, err);
	if (!target->debug)
		return error_set(err, STATUS_FAILURE, "'%s': source lines are not known without debug information: give an offset, such as vfs_write+50",
				 text);
	unit = debug_unit(target->debug, parts->module, &why);
	if (unit && !debug_may_have_file(unit, parts->name))
		return no_file(target, text, parts, unit, err);
	if (unit)
		ix = debug_index_of_file(unit, parts->name, &why);
	if (!ix)
		return error_set(err, STATUS_FAILURE, "'%s': %s", text, why.text);
	if (!choose_file(target, ix, text, parts, unit, &file, err))
		return false;
	n = dbindex_line_addrs(ix, file, parts->line, &offsets);
	return add_offsets(target, unit, offsets, n, out) || no_code(target, ix, text, file, parts->line, err);
}

static bool resolve_file_line(const struct target *target, const char *text, struct probe_points *out, struct error *err)
{
	struct parts parts;

	return split_line(text, &parts, err) && lines_of(target, text, &parts, out, err);
}

/* ---------------------------------------------------------- function:line */

/* Some compilers let a function begin behind its branch target marker and ftrace's nop: look up that address. */
static bool info_of_function(const struct target *target, uint64_t addr, const struct sym *sym, struct addr_info *out,
			     struct error *err)
{
	AUTO_PROBE_POINT struct probe_point point;

	probe_point_at(target, addr, sym, &point);
	return addr_info_find(target, point.addr, out, err);
}

/* Keep the offsets inside the function, any piece of it. */
static size_t keep_inside(const struct dbindex *ix, const struct ix_func *func, uint32_t *offsets, size_t n)
{
	struct scope *scope = scope_read(ix, func);
	size_t kept = 0;

	for (size_t i = 0; scope && i < n; i++)
		if (scope_covers(scope, offsets[i]))
			offsets[kept++] = offsets[i];
	scope_free(scope);
	return kept;
}

static bool resolve_function_line(const struct target *target, const char *text, struct probe_points *out,
				  struct error *err)
{
	AUTO_FREE char *function = mem_strndup(text, strrchr(text, ':') - text);
	AUTO_FREE uint32_t *offsets = NULL;
	struct address address;
	struct parts parts;
	struct addr_info info;
	uint32_t line;
	size_t n;

	if (!split_line(text, &parts, err) ||
	    !address_parse(target->tab, function, ADDRESS_CODE, &address, err) ||
	    !info_of_function(target, address.value, address.sym, &info, err))
		return false;
	if (debug_unit_is_btf(info.unit))
		return unit_code_index(target, address.sym ? address.sym->module : "", &info.unit, err);
	if (!info.func || !info.func->file)
		return error_set(err, STATUS_FAILURE, "'%s': the debug information does not say where %s is declared: give FILE:LINE",
				 text, function);
	line = info.func->line + parts.line;
	n = dbindex_line_addrs(info.ix, info.func->file - 1, line, &offsets);
	n = keep_inside(info.ix, info.func, offsets, n);
	return add_offsets(target, info.unit, offsets, n, out) ||
	       no_code(target, info.ix, text, info.func->file - 1, line, err);
}

/* ---------------------------------------------------------------- %return */

bool source_is_variant(const struct target *target, const struct sym *sym)
{
	return sym_is_text(sym) && !go_code_is(target, sym);
}

/* A function and its clones: all their returns are those of the function. */
struct functions {
	const struct target *target;
	const struct sym **v;
	size_t n;
};

static void take_function(const struct sym *sym, void *arg)
{
	struct functions *functions = arg;

	if (!source_is_variant(functions->target, sym) || sym_is_piece(sym))
		return;
	functions->v = MEM_MORE(functions->v, functions->n);
	functions->v[functions->n++] = sym;
}

static bool find_functions(const char *text, const char *name, struct functions *out, struct error *err)
{
	const struct target *target = out->target;
	struct address address;
	const bool is_known = address_parse(target->tab, name, ADDRESS_CODE, &address, err);

	if (is_known && (!address.bare || !sym_is_text(address.sym)))
		return error_set(err, STATUS_USAGE, "'%s': %%return needs a function: name one", text);
	if (is_known) {
		out->v = MEM_MORE(out->v, out->n);
		out->v[out->n++] = address.sym;
	}
	if (target->tab && !strpbrk(name, "+-:#") && (!is_known || !strcmp(name, address.sym->name)))
		symtab_variants(target->tab, name, take_function, out);
	if (!out->n)
		source_only_inlined(target, name, err);
	return out->n;
}

static bool add_exits(const struct target *target, const struct sym *function, struct probe_points *out, struct error *err)
{
	AUTO_PROBE_POINTS struct probe_points exits = { 0 };

	if (!exits_find(target, function, &exits, err))
		return false;
	for (size_t i = 0; i < exits.n; i++) {
		out->v = MEM_MORE(out->v, out->n);
		out->v[out->n++] = exits.v[i];
		exits.v[i].name = NULL;		/* it belongs to the other list now */
	}
	for (size_t i = 0; i < exits.nr_jumps; i++) {
		out->jumps = MEM_MORE(out->jumps, out->nr_jumps);
		out->jumps[out->nr_jumps++] = exits.jumps[i];
	}
	scans_take(&out->scans, &exits.scans);
	return true;
}

static bool resolve_return(const struct target *target, const char *text, struct probe_points *out, struct error *err)
{
	AUTO_FREE char *name = mem_strndup(text, strlen(text) - strlen(RETURN));
	struct functions functions = { .target = target };
	bool ok = find_functions(text, name, &functions, err);

	for (size_t i = 0; ok && i < functions.n; i++)
		ok = add_exits(target, functions.v[i], out, err);
	free(functions.v);
	return ok && (out->n || error_set(err, STATUS_FAILURE, "'%s': the function never returns: trace it at its entry", text));
}

/* ----------------------------------------------------------------- inline */

static bool is_return(const char *text)
{
	size_t n = strlen(text), m = strlen(RETURN);

	return n > m && !strcmp(text + n - m, RETURN);
}

/* Did the compiler put this copy into a function of that file?  NULL: any file. */
static bool is_copy_in(const struct dbindex *ix, const struct ix_inline *copy, const char *file)
{
	const struct ix_func *around = file ? dbindex_func(ix, copy->func) : NULL;

	return !file || (around && around->file && dbindex_path_ends(dbindex_file_name(ix, around->file - 1), file));
}

static bool not_inlined(const char *text, const char *name, const char *file, size_t nr_others,
			const struct debug_unit *unit, struct error *err)
{
	if (nr_others)
		return error_set(err, STATUS_FAILURE, "'%s': the functions of '%s' have no copy; other files have %zu: " INLINE "%s",
				 text, file, nr_others, name);
	return error_set(err, STATUS_FAILURE, "'%s': no function of that name is inlined anywhere in %s: trace it by its name alone",
			 text, debug_unit_path(unit));
}

static bool resolve_inline(const struct target *target, const char *text, struct probe_points *out, struct error *err)
{
	const char *name = text + strlen(INLINE), *file = strchr(name, '@');
	const struct ix_inline *copies;
	struct parts parts = { .module = "" };
	struct debug_unit *unit;
	struct dbindex *ix;
	uint64_t addr;
	size_t n;

	if (is_return(text))
		return error_set(err, STATUS_USAGE, "'%s': an inlined copy has no return: measure to another place, as in 'latency A B', or measure the function around it",
				 text);
	if (!take_module(&name, file ? (size_t)(file - name) : strlen(name), &parts) ||
	    !copy(parts.name, sizeof(parts.name), name, file ? (size_t)(file - name) : strlen(name)))
		return too_long(text, err);
	file += file != NULL;
	ix = unit_code_index(target, parts.module, &unit, err);
	if (!ix)
		return false;
	n = dbindex_inlines(ix, parts.name, &copies);
	for (size_t i = 0; i < n; i++)
		if (is_copy_in(ix, &copies[i], file) && debug_to_live(unit, copies[i].addr, &addr))
			probe_points_add(target, out, go_code_once(target, addr), NULL);
	for (size_t i = 0; i < out->n; i++)
		out->v[i].inlined = dbindex_string(ix, copies->name);
	out->is_pattern = true;
	return out->n || not_inlined(text, parts.name, file, n, unit, err);
}

bool source_only_inlined(const struct target *target, const char *name, struct error *err)
{
	const struct ix_inline *copies;
	const struct sym *const *all;
	struct parts parts = { .module = "" };
	struct debug_unit *unit;
	struct dbindex *ix;
	size_t n;

	if (!target->debug || !target->tab || strpbrk(name, "+-#") || !take_module(&name, strlen(name), &parts) ||
	    symtab_by_name(target->tab, name, NULL, &all))
		return false;
	unit = debug_unit_casual(target->debug, parts.module, NULL);
	ix = unit && !debug_unit_is_btf(unit) ? debug_index_of_code(unit, NULL) : NULL;
	n = ix ? dbindex_inlines(ix, name, &copies) : 0;
	if (n && target->program)
		error_set(err, STATUS_FAILURE, "'%s' exists only inlined, at %zu place%s: write %s:" INLINE "%s",
			  name, n, n == 1 ? "" : "s", program_path(target->program), name);
	else if (n)
		error_set(err, STATUS_FAILURE, "'%s' exists only inlined, at %zu place%s: write " INLINE "%s%s%s",
			  name, n, n == 1 ? "" : "s", parts.module, *parts.module ? ":" : "", name);
	return n;
}

/* -------------------------------------------------------------- f@fs/x.c */

static bool is_in_file(const struct target *target, const struct sym *sym, const char *file)
{
	struct addr_info info;

	return info_of_function(target, sym->addr, sym, &info, NULL) && info.func && info.func->file &&
	       dbindex_path_ends(dbindex_file_name(info.ix, info.func->file - 1), file);
}

static bool resolve_at_file(const struct target *target, const char *text, struct probe_points *out, struct error *err)
{
	const char *at = strchr(text, '@');
	AUTO_FREE char *name = mem_strndup(text, at - text);
	const struct sym *const *all;
	size_t n = target->tab ? symtab_by_name(target->tab, name, NULL, &all) : 0;

	if (!target->debug && target->program)
		return error_set(err, STATUS_FAILURE, "'%s': '%s' has no version '%s', and source files are unknown without debug information: 'nm -D' shows versions",
				 text, name, at + 1);
	if (!target->debug)
		return error_set(err, STATUS_FAILURE, "'%s': files are unknown without debug information: write %s#1, %s#2 ...",
				 text, name, name);
	for (size_t i = 0; i < n; i++)
		if (sym_is_text(all[i]) && is_in_file(target, all[i], at + 1))
			probe_points_add(target, out, all[i]->addr, all[i]);
	return out->n || error_set(err, STATUS_FAILURE, "'%s': no function '%s' in a file%s with this name: '%s' alone lists its files",
				   text, name, target->program ? " or of a version" : "", name);
}

/* --------------------------------------------------------------- patterns */

/* Skip padding labels and pieces of functions. */
static bool is_function(const struct sym *sym)
{
	return sym_is_text(sym) && sym->size && strncmp(sym->name, "__pfx_", 6) && strncmp(sym->name, "__cfi_", 6) &&
	       !strstr(sym->name, ".cold") && !strstr(sym->name, ".part.");
}

static bool resolve_pattern(const struct target *target, const char *text, struct probe_points *out, struct error *err)
{
	const char *name = text;
	struct parts parts = { .module = "" };
	bool has_module = strchr(text, ':');
	AUTO_FREE char *calls = NULL;

	if (!target->tab)
		return error_set(err, STATUS_FAILURE, "'%s' cannot be looked up, there are no symbols: give a number; 'status' tells how to get symbols",
				 text);
	if (!take_module(&name, strlen(text), &parts))
		return too_long(text, err);
	calls = mem_printf("%s%s", target->arch->syscall_prefix, name);
	if (!strcmp(parts.module, SYSCALL)) {
		parts.module[0] = '\0';
		name = calls;
	}
	out->is_pattern = true;
	for (size_t i = 0; i < symtab_count(target->tab); i++) {
		const struct sym *sym = symtab_at(target->tab, i);

		if (is_function(sym) && !fnmatch(name, sym->name, 0) &&
		    (!has_module || !strcmp(sym->module, parts.module)))
			probe_points_add(target, out, sym->addr, sym);
		if (out->n > KT_MAX_BATCH)
			return error_set(err, STATUS_FAILURE, "'%s' matches more than %d functions: be more precise",
					 text, KT_MAX_BATCH);
	}
	return out->n || error_set(err, STATUS_FAILURE, "'%s' matches no function: * stands for any text, ? for one character",
				   text);
}

/* ------------------------------------------------------------------ forms */

static bool ends_with_number(const char *text)
{
	const char *colon = strrchr(text, ':');

	return colon && colon > text && isdigit((unsigned char)colon[1]) && strspn(colon + 1, "0123456789") == strlen(colon + 1);
}

static bool is_file_line(const char *text)
{
	const char *colon = strrchr(text, ':'), *start = text;

	if (!ends_with_number(text))
		return false;
	for (const char *p = text; p < colon; p++)
		if (*p == ':')
			start = p + 1;
	return memchr(start, '.', colon - start) || memchr(start, '/', colon - start);
}

static bool is_inline(const char *text)
{
	return !strncmp(text, INLINE, strlen(INLINE)) && text[strlen(INLINE)];
}

static bool is_at_file(const char *text)
{
	const char *at = strchr(text, '@');

	return at && at > text && at[1];
}

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[") && strcmp(text, "*");
}

static const struct form {
	bool (*is)(const char *text);
	bool (*resolve)(const struct target *target, const char *text, struct probe_points *out, struct error *err);
} forms[] = {
	{ is_inline, resolve_inline },
	{ is_return, resolve_return },
	{ is_file_line, resolve_file_line },
	{ ends_with_number, resolve_function_line },
	{ is_at_file, resolve_at_file },
	{ is_pattern, resolve_pattern },
};

static const struct form *form_of(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (forms[i].is(text))
			return &forms[i];
	return NULL;
}

/* A name may have the characters of a pattern: generic[go.shape.int32]. */
static bool is_exact(const struct target *target, const char *text)
{
	struct address address;

	return is_pattern(text) && address_parse(target->tab, text, ADDRESS_CODE, &address, NULL);
}

bool source_is(const struct target *target, const char *text)
{
	struct address address;

	if (event_is(target->tab, text))
		return true;
	if (is_exact(target, text) && form_of(text)->is == is_pattern)
		return false;
	/* "ext4:100" may be the address of a symbol. */
	return form_of(text) && !(ends_with_number(text) && !is_file_line(text) && !target->debug) &&
	       !(ends_with_number(text) && address_parse(target->tab, text, ADDRESS_CODE, &address, NULL));
}

char *source_returning(const char *text)
{
	return is_return(text) ? mem_strndup(text, strlen(text) - strlen(RETURN)) : NULL;
}

bool source_names_copies(const char *text)
{
	return is_inline(text) || is_file_line(text);
}

bool source_resolve(const struct target *target, const char *text, struct probe_points *out, struct error *err)
{
	if (event_is(target->tab, text))
		return event_resolve(target, text, out, err);
	return form_of(text)->resolve(target, text, out, err);
}
