// SPDX-License-Identifier: GPL-2.0-or-later
/* explain_show.c - `explain` for people, and as objects for each instruction and each variable. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/site.h"
#include "ctl/base/escape.h"
#include "ctl/base/guard.h"
#include "ctl/base/memory.h"
#include "ctl/base/sheet/sheet.h"
#include "ctl/base/style.h"
#include "ctl/show/explain/explain.h"
#include "symbols/index/location.h"
#include "symbols/index/type.h"

#define WORDS	1024

/* ------------------------------------------------------------- instructions */

static void say_head(const struct explain *e)
{
	char line[512], inlined[512];
	FILE *out = e->s->out;

	style_put(out, e->s->colour, STYLE_NAME, e->point.name, 0);
	if (e->is_whole && e->info.func && e->info.func->file)
		explain_line(dbindex_file_name(e->info.ix, e->info.func->file - 1), e->info.func->line, line,
			     sizeof(line));
	else
		explain_line(e->info.file ? e->info.file : "", e->info.line, line, sizeof(line));
	if (*line)
		fprintf(out, "  %s", escape_shown(line));
	if (!e->is_whole && *explain_inlined(e, inlined, sizeof(inlined)))
		fprintf(out, "  inlined: %s", escape_shown(inlined));
	fputc('\n', out);
}

static const char *how(const struct explain_insn *insn)
{
	return insn->method ? insn->method : insn->reason ? "no" : "?";
}

/* Print a source line once for all its consecutive instructions. */
static void say_line(const struct explain *e, const struct explain_insn *insn, const struct explain_insn *before)
{
	AUTO_FREE char *text = NULL;
	char line[512];

	if (!insn->line || (before && before->line == insn->line && before->file == insn->file))
		return;
	text = explain_source(e, insn->file, insn->line);
	style_put(e->s->out, e->s->colour, STYLE_DIM, explain_line(insn->file, insn->line, line, sizeof(line)), 0);
	fputs(*text ? "  " : "", e->s->out);
	guard_text(text, e->s->out);
	fputc('\n', e->s->out);
}

static void say_note(const struct explain *e, const char *before, const char *note)
{
	if (note && *note)
		fprintf(e->s->out, "  # %s%s", before, escape_shown(note));
}

static void say_insn(const struct explain *e, const struct explain_insn *insn)
{
	char said[INSN_SAID], offset[24];
	const char *tail = "a tail call: a kretprobe sees the return to the caller";

	snprintf(offset, sizeof(offset), "+0x%" PRIx64, insn->addr - e->start);
	fprintf(e->s->out, "  %-8s %-12s %s", offset, how(insn), escape_shown(site_insn(e->target.tab, &insn->insn, said)));
	say_note(e, "", insn->reason);
	say_note(e, "", insn->leaves && !insn->reason ? tail : NULL);
	say_note(e, "no jump: ", insn->no_jump);
	if (insn->windowed && !e->is_whole)
		say_note(e, "", SITE_WINDOWED);
	fputc('\n', e->s->out);
}

static bool windows_disarm(const struct explain *e)
{
	for (size_t i = 0; i < e->nr_insns; i++)
		if (e->insns[i].windowed)
			return true;
	return false;
}

static void say_insns(const struct explain *e)
{
	const struct explain_insn *before = NULL;

	for (size_t i = 0; i < e->nr_insns; i++) {
		if (!e->is_whole && e->insns[i].addr != e->point.addr)
			continue;
		say_line(e, &e->insns[i], before);
		say_insn(e, &e->insns[i]);
		before = &e->insns[i];
	}
	if (e->is_whole && windows_disarm(e))
		fputs("\ntracepoints here are " SITE_WINDOWED "\n", e->s->out);
	if (e->nr_insns && !e->is_live)
		fputs("\nread from the file: the method (?) is decided on the running kernel\n", e->s->out);
}

/* --------------------------------------------------------------- variables */

static const char *kind_of(const struct explain_var *v)
{
	return v->var->flags & VAR_PARAMETER ? "parameter" : "local";
}

/* The reason why a variable is not available here, and where it is. */
static char *not_here(const struct loc_refusal *refusal, const char *everywhere)
{
	return mem_printf("not here (%s)%s%s", *refusal->why ? refusal->why : "optimised out", *everywhere ? ": " : ", nor anywhere else",
			  everywhere);
}

static void add_here(struct sheet *sheet, const struct explain *e, const struct explain_var *v, const char *everywhere)
{
	const struct loc_at at = addr_info_at(&e->info);
	struct loc_refusal refusal;
	struct location location;
	char words[WORDS] = "";
	const bool ok = location_of(e->info.ix, v->scope, v->var, &at, &location, &refusal) == LOC_OK;
	AUTO_FREE char *why = ok ? NULL : not_here(&refusal, everywhere);

	if (ok)
		location_words(&location, dwarf_reg_name, words, sizeof(words));
	cell_text(sheet, NULL, "OF", v->scope->kind == SCOPE_INLINED ? v->scope->name : kind_of(v));
	cell_text(sheet, NULL, "WHERE", ok ? words : why);
	cell_boolean(sheet, "readable", NULL, ok);
	cell_text(sheet, "here", NULL, words);
	cell_text(sheet, "why_not", NULL, ok ? "" : *refusal.why ? refusal.why : "optimised out");
}

static void add_variable(struct sheet *sheet, const struct explain *e, const struct explain_var *v)
{
	const struct loc_at at = addr_info_at(&e->info);
	char type[256], words[WORDS];

	sheet_row(sheet);
	location_everywhere(e->info.ix, v->scope, v->var, &at, words, sizeof(words));
	cell_text(sheet, "name", "VARIABLE", v->var->name);
	cell_text(sheet, "ctype", "TYPE", type_spell(e->info.ix, v->var->type, type, sizeof(type)));
	cell_boolean(sheet, "parameter", NULL, !!(v->var->flags & VAR_PARAMETER));
	cell_text(sheet, "function", NULL, scope_function(v->scope)->name);
	if (!e->is_whole) {
		add_here(sheet, e, v, words);
	} else {
		cell_text(sheet, NULL, "OF", kind_of(v));
		cell_text(sheet, NULL, "WHERE", *words ? words : "nowhere: optimised out");
	}
	cell_text(sheet, "where", NULL, words);
}

static void show_variables(const struct explain *e)
{
	AUTO_SHEET struct sheet sheet = { .key = "variable" };
	AUTO_FREE struct explain_var *vars = NULL;
	size_t n;

	vars = explain_vars(e, e->is_whole, &n);
	for (size_t i = 0; i < n; i++)
		add_variable(&sheet, e, &vars[i]);
	if (n && e->s->format == PRINT_TEXT)
		fputc('\n', e->s->out);
	sheet_write(&sheet, e->s->format, e->s->out, e->s->colour);
}

/* ------------------------------------------------------------------------ JSON */

static void show_insns(const struct explain *e)
{
	AUTO_SHEET struct sheet sheet = { .key = "instruction" };
	char said[INSN_SAID];

	for (size_t i = 0; i < e->nr_insns; i++) {
		const struct explain_insn *insn = &e->insns[i];

		if (!e->is_whole && insn->addr != e->point.addr)
			continue;
		sheet_row(&sheet);
		cell_hex(&sheet, "addr", NULL, insn->addr);
		cell_number(&sheet, "offset", NULL, insn->addr - e->start);
		cell_text(&sheet, "instruction", NULL, site_insn(e->target.tab, &insn->insn, said));
		cell_text(&sheet, "file", NULL, insn->file);
		cell_number(&sheet, "line", NULL, insn->line);
		cell_text(&sheet, "method", NULL, insn->method ? insn->method : "");
		cell_text(&sheet, "refusal", NULL, insn->reason ? insn->reason : "");
		cell_text(&sheet, "no_jump", NULL, insn->no_jump ? insn->no_jump : "");
		cell_boolean(&sheet, "off_in_windows", NULL, insn->windowed);
		cell_boolean(&sheet, "tail_call", NULL, insn->leaves);
	}
	sheet_write(&sheet, e->s->format, e->s->out, false);
}

/* -------------------------------------------------------------------------- all */

void explain_show(const struct explain *e)
{
	if (e->s->format != PRINT_TEXT) {
		show_insns(e);
		show_variables(e);
		return;
	}
	say_head(e);
	say_insns(e);
	if (e->scope)
		show_variables(e);
	else
		session_note(e->s, "%s", e->no_debug.text);
}
