// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_sites.c - list and delete tracepoints. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/ask/events/markers.h"
#include "ctl/ask/resolve/address.h"
#include "ctl/ask/resolve/function_lines.h"
#include "ctl/ask/resolve/programs.h"
#include "ctl/ask/resolve/source.h"
#include "ctl/base/device/site.h"
#include "ctl/base/fit.h"
#include "ctl/base/memory.h"
#include "ctl/base/sheet/sheet.h"
#include "ctl/base/signature.h"
#include "ctl/base/table.h"
#include "ctl/cmd/command.h"
#include "ctl/live/session/lost.h"
#include "ctl/live/session/session_target.h"
#include "ctl/live/session/watch.h"
#include "ctl/trace/saved/saved.h"

/* ------------------------------------------------------------------- list */

static const char *options_of(const struct sites *sites, size_t i)
{
	return sites->descs[i] ? sites->descs[i]->options : "";
}

static bool decode(const struct kt_list_entry *entry, struct arch_insn *insn)
{
	return arch_native.decode(entry->insn, entry->insn_len, probe_point_told(entry->addr), insn);
}

/* Only branches need symbols. */
static const char *instruction(struct session *s, const struct kt_list_entry *entry,
			       char said[INSN_SAID])
{
	struct arch_insn insn;

	if (entry->method == KT_METHOD_EVENT)
		return "static tracepoint";
	if (entry->method == KT_METHOD_RETURN)
		return RETURN_SAID;
	if (!decode(entry, &insn))
		return "?";
	return site_insn(insn.target ? session_want_symbols(s) : NULL, &insn, said);
}

/*
 * Exits of a function and inlined copies are listed as one line, because options may depend on the typed
 * address (ELAPSED needs FUNCTION%return): the single probe points could not be pasted back.  The places of a pattern
 * that counts share one table.
 */
static bool is_group(const struct desc *desc)
{
	AUTO_FREE char *function = desc ? source_returning(desc->typed) : NULL;

	return function || (desc && (source_names_copies(desc->typed) || marker_is(desc->typed) ||
				     (desc->aggregate && strpbrk(desc->typed, "*?["))));
}

static int compare_typed(const void *a, const void *b)
{
	const struct desc *x = a, *y = b;
	int order = strcmp(x->typed, y->typed);

	return order ? order : strcmp(x->options, y->options);
}

static void keep_desc(void *desc)
{
}

/* Does its name, or what was typed, not tell already where it is in the source? */
static bool wants_line(const struct sites *sites, size_t i)
{
	const uint8_t method = sites->v[i].method;

	return method != KT_METHOD_EVENT && method != KT_METHOD_RETURN && !KT_FILE_HAS(sites->v[i].addr) &&
	       strchr(site_name(sites, i), '+') && !(sites->descs[i] && source_names_copies(sites->descs[i]->typed));
}

/* The source line of an instruction inside a function; "": not known, or not needed.  Returns buf. */
static const char *line_of(struct session *s, const struct sites *sites, size_t i, char *buf, size_t size)
{
	const struct desc *desc = sites->descs[i];
	struct target target;

	buf[0] = '\0';
	if (!s->input && wants_line(sites, i)) {
		session_want_symbols(s);
		target = session_target(s);
		function_line_short(&target, sites->v[i].addr, buf, size);
	}
	if (!*buf && desc && desc->line)
		snprintf(buf, size, "%s", desc->line);
	return buf;
}

static bool any_line(struct session *s, const struct sites *sites)
{
	char line[256];

	for (size_t i = 0; i < sites->n; i++)
		if (*line_of(s, sites, i, line, sizeof(line)))
			return true;
	return false;
}

/* A demangled name with parameters needs quotes when it is pasted. */
static const char *quotes_of(const char *name)
{
	return strpbrk(name, " (&<") ? "'" : "";
}

static bool is_form_of(const char *text, const char *name, enum signature_form form)
{
	AUTO_FREE char *made = signature_form(name, form);

	return !strcmp(made, text);
}

/* Was the name typed without its parameters, and meant no other tracepoint?  Then a pasted line means the same without them. */
static bool is_typed_short(const struct sites *sites, size_t i)
{
	const char *typed = sites->descs[i] ? sites->descs[i]->typed : "", *name = site_name(sites, i);

	if (!strcmp(typed, name) || (!is_form_of(typed, name, SIGNATURE_SHORT) && !is_form_of(typed, name, SIGNATURE_ARGUMENTS)))
		return false;
	for (size_t k = 0; k < sites->n; k++)
		if (k != i && sites->descs[k] && !strcmp(sites->descs[k]->typed, typed))
			return false;
	return true;
}

/* How the lines of `list` look. */
struct look {
	const char *before;	/* stands in front of each */
	bool lines;		/* with the source line as a comment */
	bool is_short;		/* with short names */
};

/* One line for all probe points of one typed address.  A pasted line means the same. */
static void fill_list(struct session *s, const struct sites *sites, const struct look *look, struct table *table)
{
	void *groups = NULL;
	const char *name;
	char line[256];

	for (size_t i = 0; i < sites->n; i++) {
		const struct desc *desc = sites->descs[i];
		const struct desc **first = is_group(desc) ? tsearch(desc, &groups, compare_typed) : NULL;
		const bool has_line = look->lines && !first && *line_of(s, sites, i, line, sizeof(line));

		if (first && *first != desc)
			continue;
		name = first || (look->is_short && is_typed_short(sites, i)) ? desc->typed : site_name(sites, i);
		table_add(table, "%s%s%s%s", look->before, quotes_of(name), name, quotes_of(name));
		table_add(table, "%s", options_of(sites, i));
		if (look->lines)
			table_add(table, "%s%s", has_line ? "# " : "", has_line ? line : "");
	}
	tdestroy(groups, keep_desc);
}

/* On a terminal that is too narrow names are short. */
static void list_text(struct session *s, const struct sites *sites, bool lines, const char *before, FILE *out)
{
	AUTO_TABLE struct table table = { .align = lines ? "lll" : "ll" };
	const size_t columns = fit_columns(out);

	fill_list(s, sites, &(struct look){ before, lines, false }, &table);
	if (columns && table_width(&table) > columns) {
		table_free(&table);
		fill_list(s, sites, &(struct look){ before, lines, true }, &table);
	}
	table_print(&table, false, out, out == s->out && s->colour);
}

/* On a terminal, with source lines if one is known. */
static void list_plain(struct session *s, const struct sites *sites)
{
	list_text(s, sites, s->on_terminal && any_line(s, sites), "", s->out);
}

static bool any_code(const struct sites *sites)
{
	for (size_t i = 0; i < sites->n; i++)
		if (sites->v[i].code_bytes)
			return true;
	return false;
}

/* What a saved trace has, too. */
static void add_site(struct sheet *sheet, struct session *s, const struct sites *sites, size_t i, bool lines)
{
	const struct desc *desc = sites->descs[i];
	char line[256];

	sheet_row(sheet);
	line_of(s, sites, i, line, sizeof(line));
	cell_text_as(sheet, CELL_NAME, "name", "NAME", site_name(sites, i));
	cell_text(sheet, "line", lines ? "LINE" : NULL, line)->absent = !*line;
	cell_hex(sheet, "addr", NULL, probe_point_told(sites->v[i].addr));
	cell_text(sheet, "typed", NULL, desc ? desc->typed : "");
	cell_text(sheet, "options", NULL, options_of(sites, i));
}

static void add_state(struct sheet *sheet, const struct kt_list_entry *entry)
{
	struct arch_insn insn;

	cell_number(sheet, "braked", NULL, entry->braked);
	cell_boolean(sheet, "limit_reached", NULL, entry->spent);
	cell_boolean(sheet, "off_by_brake", NULL, entry->off);
	cell_boolean(sheet, "off_in_windows", NULL, entry->windowed);
	cell_boolean(sheet, "off_by_window", NULL, entry->windowed == 2);
	cell_number(sheet, "unseen", NULL, entry->unseen)->absent = entry->method != KT_METHOD_RETURN;
	cell_number(sheet, "in_32_bit_programs", NULL, entry->compat)->absent =
		entry->method != KT_METHOD_UPROBE && entry->method != KT_METHOD_STEPPED;
	cell_text(sheet, "instruction", NULL, entry->method == KT_METHOD_RETURN ? RETURN_SAID : decode(entry, &insn) ? insn.text : "");
}

/* For people, the options are the last column, because they may be long. */
static struct sheet sheet_of(struct session *s, const struct sites *sites)
{
	const bool is_text = s->format == PRINT_TEXT, lines = is_text && any_line(s, sites), code = any_code(sites);
	struct sheet sheet = { .key = "tracepoint" };
	char said[INSN_SAID], bytes[24];

	for (size_t i = 0; i < sites->n; i++) {
		const struct kt_list_entry *entry = &sites->v[i];

		add_site(&sheet, s, sites, i, lines);
		cell_text(&sheet, NULL, "METHOD", site_method_now(entry, said));
		cell_text(&sheet, "method", NULL, site_method(entry->method));
		cell_text(&sheet, "planned", NULL, site_method(entry->planned));
		cell_text(&sheet, "no_jump", NULL, site_no_jump(entry->no_jump));
		cell_number(&sheet, "code_bytes", NULL, entry->code_bytes);
		cell_text(&sheet, "no_code", NULL, entry->code_bytes ? "" : site_no_code(entry->no_code));
		cell_id(&sheet, "hits", "HITS", entry->hits);
		cell_id(&sheet, "missed", "MISSED", entry->missed);
		snprintf(bytes, sizeof(bytes), "%u B", entry->code_bytes);
		cell_text_as(&sheet, CELL_RIGHT, NULL, code ? "CODE" : NULL, bytes);
		/* Symbols are loaded for people only. */
		cell_text(&sheet, NULL, "INSTRUCTION", is_text ? instruction(s, entry, said) : "");
		cell_text(&sheet, NULL, "OPTIONS", options_of(sites, i));
		add_state(&sheet, entry);
	}
	return sheet;
}

static void list_all(struct session *s, const struct sites *sites)
{
	AUTO_SHEET struct sheet sheet = sheet_of(s, sites);
	unsigned long long compat = 0;

	sheet_write(&sheet, s->format, s->out, s->colour);
	for (size_t i = 0; i < sites->n; i++)
		compat += sites->v[i].compat;
	if (compat && s->format == PRINT_TEXT)
		session_note(s, "%llu of the missed hits were in 32-bit programs, where nothing is recorded", compat);
}

/* ------------------------------------------------------------------- list -o */

#define FIRST_LINE	"# ktrace: tracepoints for 'source'\n"

/* May a script replace the file?  Only another one may be lost. */
static bool is_replaceable(const char *path, struct error *err)
{
	AUTO_CLOSE FILE *in = fopen(path, "re");
	char line[sizeof(FIRST_LINE)] = "";

	if (!in && errno == ENOENT)
		return true;
	if (in && (!fgets(line, sizeof(line), in) || !strcmp(line, FIRST_LINE)))
		return true;
	return error_set(err, STATUS_FAILURE, "list -o %s: the file exists, and 'list -o' has not written it: give another name", path);
}

/* Write lines that `source` runs.  The file has them only when they are complete. */
static bool list_script(struct session *s, const struct sites *sites, const char *path, struct error *err)
{
	AUTO_FREE char *part = mem_printf("%s.part", path);
	FILE *out;
	bool ok;

	if (!is_replaceable(path, err))
		return false;
	out = fopen(part, "we");
	if (!out)
		return error_set(err, STATUS_FAILURE, "list -o %s: %s", path, strerror(errno));
	fputs(FIRST_LINE, out);
	list_text(s, sites, false, "trace ", out);
	ok = !ferror(out);
	ok = !fclose(out) && ok && !rename(part, path);
	if (ok)
		return true;
	error_set(err, STATUS_FAILURE, "list -o %s: it cannot be written: %s", path, strerror(errno));
	unlink(part);
	return false;
}

/* ------------------------------------------------------------- a saved trace */

static int compare_names(const void *a, const void *b)
{
	const struct desc *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->options, y->options);
}

/* The tracepoints that made the trace of -i, each once.  They belong to it: the caller frees only the arrays. */
static void sites_of_saved(const struct session *s, struct sites *out)
{
	const struct trace_info *info = saved_info(s->saved);
	void *seen = NULL;

	out->descs = mem_zalloc(info->nr_events, sizeof(*out->descs));
	out->v = mem_zalloc(info->nr_events, sizeof(*out->v));
	for (size_t i = 0; i < info->nr_events; i++) {
		struct desc *desc = trace_event_desc(&info->events[i]), **first;

		first = desc->is_state || desc->is_hidden ? NULL : tsearch(desc, &seen, compare_names);
		if (!first || *first != desc)
			continue;
		out->v[out->n].addr = desc->addr;
		out->descs[out->n++] = desc;
	}
	tdestroy(seen, keep_desc);
}

/* What only a running kernel knows, such as hits, is left out. */
static void list_saved_all(struct session *s, const struct sites *sites)
{
	AUTO_SHEET struct sheet sheet = { .key = "tracepoint" };

	for (size_t i = 0; i < sites->n; i++)
		add_site(&sheet, s, sites, i, false);
	sheet_write(&sheet, s->format, s->out, s->colour);
}

static bool list_saved(struct session *s, const char *script, struct error *err)
{
	struct sites sites = { 0 };
	bool ok = true;

	if (script && saved_info(s->saved)->wide)
		return error_set(err, STATUS_USAGE, "list -o: 'trace' cannot set the tracepoints of a recording: 'record --events' can");
	sites_of_saved(s, &sites);
	if (script)
		ok = list_script(s, &sites, script, err);
	else if (s->format != PRINT_TEXT)
		list_saved_all(s, &sites);
	else
		list_plain(s, &sites);
	free(sites.descs);
	free(sites.v);
	return ok;
}

struct list_order {
	bool verbose;
	const char *script;
};

static const struct flag rows[] = {
	{ "-v", NULL, 1, flag_set_true, offsetof(struct list_order, verbose), .summary = "a line for each place" },
	{ "-o", "FILE", 1, flag_set_text, offsetof(struct list_order, script), .values = FLAG_FILES,
	  .summary = "write them as a script that 'source' runs" },
	{ .name = NULL },
};

const struct flags list_flags = { rows, 1 };

static bool refuse_word(void *to, const char *word, struct error *err)
{
	return error_set(err, STATUS_USAGE, "list knows no '%s': list [-v] [-o FILE]", word);
}

bool cmd_list(struct session *s, const struct words *words, struct error *err)
{
	AUTO_SITES struct sites sites = { 0 };
	struct list_order order = { .verbose = false };

	if (!flags_parse(s, words, &list_flags, &order, refuse_word, NULL, err))
		return false;
	if (s->input && order.verbose)
		return error_set(err, STATUS_USAGE, "list -v: a saved trace does not have what it shows: leave out -v");
	if (!command_provide(s, words, err))
		return false;
	if (s->input)
		return list_saved(s, order.script, err);
	if (!sites_load(&s->dev, &sites, err))
		return false;
	if (order.script)
		return list_script(s, &sites, order.script, err);
	if (s->format != PRINT_TEXT || order.verbose)
		list_all(s, &sites);
	else
		list_plain(s, &sites);
	lost_tell(s, true);
	return true;
}

/* ----------------------------------------------------------------- delete */

struct doomed {
	uint64_t *addrs;
	size_t n;
};

static void doom(struct doomed *doomed, uint64_t addr)
{
	doomed->addrs = MEM_MORE(doomed->addrs, doomed->n);
	doomed->addrs[doomed->n++] = addr;
}

static bool not_set(const char *name, struct error *err)
{
	return error_set(err, STATUS_FAILURE,
			 "no tracepoint at %s, nothing deleted: 'list' shows them",
			 name);
}

/* Find by the name or the address in the list: this needs no symbols. */
static size_t find_listed(struct sites *sites, const char *typed)
{
	size_t i = sites_by_name(sites, typed);
	struct address address;

	if (i < sites->n || !address_parse(NULL, typed, ADDRESS_CODE, &address, NULL))
		return i;
	return sites_by_addr(sites, address.value);
}

static bool choose(struct session *s, struct sites *sites, const char *typed,
		   struct doomed *doomed, struct error *err)
{
	size_t i = find_listed(sites, typed), before = doomed->n;
	struct site_addrs addrs;
	struct target target;

	if (i < sites->n) {
		doom(doomed, sites->v[i].addr);
		/* A system call may have more tracepoints, of 32-bit programs. */
		if (strncmp(typed, ADDRESS_SYSCALL, strlen(ADDRESS_SYSCALL)))
			return true;
	}
	session_want_symbols(s);
	target = session_target(s);
	if (!programs_sites(&target, typed, &addrs, err))
		return doomed->n > before;
	for (i = 0; i < addrs.n; i++)
		if (sites_by_addr(sites, addrs.v[i]) < sites->n)
			doom(doomed, addrs.v[i]);
	free(addrs.v);
	return doomed->n > before || not_set(addrs.name, err);
}

static bool choose_all(struct session *s, const struct words *words, struct doomed *doomed,
		       struct error *err)
{
	AUTO_SITES struct sites sites = { 0 };

	if (!sites_load(&s->dev, &sites, err))
		return false;
	for (size_t i = 1; i < words->n; i++)
		if (!choose(s, &sites, words->v[i], doomed, err))
			return false;
	return true;
}

static bool delete_watched(struct session *s, struct kt_delete *req, size_t nr, struct error *err)
{
	struct watch watch;
	bool ok;

	watch_begin(&watch, s, nr, "deleted");
	ok = device_delete(&s->dev, req, err);
	watch_end(&watch);
	return ok;
}

static bool delete_everything(struct session *s, struct error *err)
{
	struct kt_delete req = { .flags = KT_DELETE_ALL };
	const bool ok = delete_watched(s, &req, KT_MAX_BATCH, err);

	lost_forget(s, true);
	return ok;
}

static bool is_everything(const struct words *words)
{
	for (size_t i = 1; i < words->n; i++)
		if (!strcmp(words->v[i], "*"))
			return true;
	return false;
}

bool cmd_delete(struct session *s, const struct words *words, struct error *err)
{
	struct doomed doomed = { 0 };
	struct kt_delete req = { 0 };
	bool ok;

	lost_tell(s, false);
	if (is_everything(words))
		return delete_everything(s, err);
	ok = choose_all(s, words, &doomed, err);
	req.nr = doomed.n;
	req.addrs = (uintptr_t)doomed.addrs;
	ok = ok && delete_watched(s, &req, doomed.n, err);
	free(doomed.addrs);
	lost_forget(s, false);
	return ok;
}
