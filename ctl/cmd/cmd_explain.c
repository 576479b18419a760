// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_explain.c - explain: what can be traced and read at an address. */
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/resolve/address.h"
#include "ctl/ask/resolve/programs.h"
#include "ctl/base/memory.h"
#include "ctl/cmd/command.h"
#include "ctl/live/session/session_target.h"
#include "ctl/show/explain/event_list.h"
#include "ctl/show/explain/explain.h"

struct order {
	const char *vmlinux, *sources, *address;
	bool code;
};

static const struct flag rows[] = {
	{ "--vmlinux", "FILE", 1, flag_set_text, offsetof(struct order, vmlinux),
	  .summary = "use this file: needs no module, running kernel or root", .values = FLAG_FILES },
	{ "--source", "DIRECTORY", 1, flag_set_text, offsetof(struct order, sources),
	  .summary = "show source text from this directory", .values = FLAG_FILES },
	{ "--code", NULL, 1, flag_set_true, offsetof(struct order, code),
	  .summary = "show the machine code for the hits of live tracepoints" },
	{ .name = NULL },
};

const struct flags explain_flags = { rows, 1 };

static bool take_word(void *to, const char *word, struct error *err)
{
	struct order *order = to;

	if (*word == '-' || order->address)
		return error_set(err, STATUS_USAGE, "explain: unexpected '%s': give one address: see 'help explain'",
				 word);
	order->address = word;
	return true;
}

static bool parse(struct session *s, struct order *order, const struct words *words, struct error *err)
{
	return flags_parse(s, words, &explain_flags, order, take_word, NULL, err) &&
	       (order->address ||
		error_set(err, STATUS_USAGE, "explain: give an address, such as vfs_write: see 'help explain'")) &&
	       (!(order->code && order->vmlinux) ||
		error_set(err, STATUS_USAGE, "explain: --code needs the running kernel: leave out --vmlinux"));
}

/* ------------------------------------------------------------------ place */

static void find_debug(struct explain *e)
{
	if (addr_info_find(&e->target, e->point.addr, &e->info, &e->no_debug) && e->info.func)
		e->scope = scope_read(e->info.ix, e->info.func);
	if (e->info.ix && !e->scope)
		error_set(&e->no_debug, STATUS_FAILURE, "the debug information says nothing of the function around %s",
			  e->point.name);
}

static void find_start(struct explain *e)
{
	const struct sym *sym = e->point.sym;
	uint64_t low;

	e->start = e->point.addr;
	if (sym)
		e->start = sym->addr;
	else if (e->info.func && debug_to_live(e->info.unit, e->info.func->low, &low))
		e->start = low;
}

static bool explain_point(struct explain *e, struct error *err)
{
	bool ok;

	find_debug(e);
	find_start(e);
	ok = explain_code(e, err);
	if (ok && e->wants_made)
		ok = explain_made(e, err);
	else if (ok)
		explain_show(e);
	scope_free(e->scope);
	free(e->insns);
	free(e->code);
	return ok;
}

/* -------------------------------------------------------------------- run */

/* The name of a function alone means the whole function. */
static bool is_whole(const struct explain *e, const char *text)
{
	struct address address;

	return address_parse(e->target.tab, text, ADDRESS_CODE, &address, NULL) && address.bare &&
	       sym_is_text(address.sym);
}

static bool each_point(struct session *s, const struct order *order, struct error *err)
{
	AUTO_PROBE_POINTS struct probe_points points = { 0 };
	const struct target kernel = session_target(s), *home;
	struct explain all = { .s = s, .sources = order->sources, .wants_made = order->code };
	const char *inside;
	char said[1024];
	bool ok = true;

	if (!programs_resolve(&kernel, order->address, 0, &home, &inside, &points, err))
		return false;
	all.target = *home;
	if (points.n == 1 && probe_point_chosen(home, &points.v[0], said, sizeof(said)))
		session_note(s, "%s", said);
	for (size_t i = 0; ok && i < points.n; i++) {
		struct explain e = all;

		e.point = points.v[i];
		e.is_whole = is_whole(&e, inside);
		if (i)
			fputc('\n', s->out);
		if (e.point.is_event && e.wants_made)
			ok = explain_made(&e, err);
		else if (e.point.is_event)
			event_explain(s, &e.point);
		else
			ok = explain_point(&e, err);
	}
	return ok;
}

bool cmd_explain(struct session *s, const struct words *words, struct error *err)
{
	struct order order = { 0 };
	bool ok;

	if (!parse(s, &order, words, err))
		return false;
	if (order.vmlinux && !s->offline) {
		ok = session_offline(s, order.vmlinux, err) && each_point(s, &order, err);
		session_online(s);
		return ok;
	}
	/* With the module there is more to show; without it, symbols are enough. */
	if (!session_connect(s, order.code ? err : NULL) && order.code)
		return false;
	return session_begin_symbols(s, err) && each_point(s, &order, err);
}
