// SPDX-License-Identifier: GPL-2.0-or-later
/* lines.c - find the function of `lines`, and name its lines.  See lines.h. */
#include "ctl/live/measure/lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/resolve/address.h"
#include "ctl/ask/resolve/exits.h"
#include "ctl/ask/resolve/go_code.h"
#include "ctl/ask/resolve/programs.h"
#include "ctl/ask/resolve/resolve.h"
#include "ctl/base/memory.h"
#include "ctl/live/session/session_target.h"

static bool take_subject(struct lines_subject *subject, const struct oneshot *o, struct error *err)
{
	const struct words words = { .v = (char **)o->subjects, .n = o->nr_subjects };

	if (!requests_parse(&words, 0, &subject->typed, err))
		return false;
	if (subject->typed.n != 1)
		return error_set(err, STATUS_USAGE, "lines: give one function: lines vfs_write");
	if (o->pid)
		request_use(&subject->typed.v[0], "ONLYTGID", mem_printf("%" PRIu64, o->pid));
	return true;
}

/* Can calls be told from each other?  See latency_tails.c. */
static bool follows(const struct lines_subject *subject, const struct probe_point *entry, struct error *err)
{
	const struct target *home = subject->home;

	if (home && go_code_is(home, entry->sym))
		return error_set(err, STATUS_USAGE, "lines: %s: functions of Go can only be counted, because their stacks move: add --counts", entry->name);
	if (home && exits_reenter(home, entry->sym, entry->addr))
		return error_set(err, STATUS_USAGE, "lines: %s: a loop begins again at its first instruction, so a call cannot be told from a round: add --counts",
				 entry->name);
	return true;
}

static bool find_points(struct session *s, const struct oneshot *o, struct lines_subject *subject, struct error *err)
{
	const char *typed = subject->typed.v[0].address;
	struct target target = session_target(s);
	AUTO_PROBE_POINTS struct probe_points entry = { 0 };
	const struct target *home;
	AUTO_FREE char *back = NULL;
	const char *inside;
	char said[1024];

	if (!programs_resolve(&target, typed, o->pid, &home, &inside, &entry, err))
		return false;
	if (probe_point_chosen(home, &entry.v[0], said, sizeof(said)))
		session_note(s, "%s", said);
	subject->prefix = mem_printf("%.*s", (int)(inside - typed), typed);
	/* The call of 64-bit programs; that of 32-bit ones is a function of its own. */
	if (entry.n > 1 && !strncmp(entry.v[0].name, ADDRESS_SYSCALL, strlen(ADDRESS_SYSCALL))) {
		inside = entry.v[0].sym->name;
		entry.n = 1;
	}
	back = mem_printf("%s%%return", inside);
	if (home->program) {
		subject->home = home;
		target = *home;
	}
	if (entry.n != 1 || entry.v[0].is_event)
		return error_set(err, STATUS_USAGE, "lines: %s is not one function: give the name of one", typed);
	if (!function_lines_find(&target, &entry.v[0], &subject->lines, err))
		return false;
	if (!o->counts && !follows(subject, &entry.v[0], err))
		return false;
	if (!probe_points_resolve(&target, back, &subject->back, err) && !(subject->home && o->counts))
		return programs_failed(&target, err);
	for (size_t i = 0; i < subject->back.nr_jumps; i++)
		function_lines_add_jump(&subject->lines, &target, &subject->back.jumps[i]);
	return subject->lines.n <= KT_MAX_GROUPS ||
	       error_set(err, STATUS_FAILURE, "lines: %s has too many lines", entry.v[0].name);
}

bool lines_find(struct session *s, const struct oneshot *o, struct lines_subject *out, struct error *err)
{
	*out = (struct lines_subject){ .typed = { 0 } };
	return take_subject(out, o, err) && session_begin_symbols(s, err) && find_points(s, o, out, err);
}

void lines_free(struct lines_subject *subject)
{
	function_lines_free(&subject->lines);
	probe_points_free(&subject->back);
	free(subject->prefix);
	requests_free(&subject->typed);
}

/* -------------------------------------------------------------------- name */

/* The text of a source line without its end.  NULL: not available. */
static char *source_text(const char *directory, const char *file, uint32_t number)
{
	AUTO_FREE char *path = directory ? mem_printf("%s/%s", directory, file) : NULL;
	AUTO_CLOSE FILE *in = path ? fopen(path, "re") : NULL;
	char *text = NULL;
	size_t room = 0;
	ssize_t n = -1;

	for (uint32_t i = 0; in && i < number; i++)
		n = getline(&text, &room, in);
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[strcspn(text, "\r\n")] = '\0';
	return text;
}

static struct line name_line(const struct line_name *name, const struct oneshot *o)
{
	return (struct line){
		.file = mem_strdup(name->file), .number = name->number,
		.inlined = name->inlined ? mem_strdup(name->inlined) : NULL,
		.text = name->jumped ? mem_printf("jumped to %s", name->jumped)
				     : source_text(o->source, name->file, name->number),
	};
}

void lines_name(const struct lines_subject *subject, const struct oneshot *o, struct measurement *m)
{
	const struct function_lines *lines = &subject->lines;

	m->name = mem_strdup(subject->typed.v[0].address);
	m->from.spec = mem_strdup(m->name);
	m->line_decl = lines->decl;
	m->only_if = o->only_if ? mem_strdup(o->only_if) : NULL;
	m->lines = mem_zalloc(lines->n, sizeof(*m->lines));
	m->nr_lines = lines->n;
	for (size_t i = 0; i < lines->n; i++)
		m->lines[i] = name_line(&lines->v[i], o);
}

void lines_add_addr(struct measurement *m, size_t i, uint64_t addr, bool is_refused)
{
	struct line *line = &m->lines[i];

	line->addrs = MEM_MORE(line->addrs, line->nr_addrs);
	line->addrs[line->nr_addrs++] = addr;
	line->nr_refused += is_refused;
}
