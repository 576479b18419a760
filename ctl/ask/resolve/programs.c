// SPDX-License-Identifier: GPL-2.0-or-later
/* programs.c - addresses in programs.  See programs.h. */
#include "ctl/ask/resolve/programs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ctl/ask/events/markers.h"
#include "ctl/ask/resolve/debuginfo.h"
#include "ctl/ask/resolve/event.h"
#include "ctl/ask/resolve/resolve.h"
#include "ctl/base/memory.h"
#include "symbols/query/program.h"

struct entry {
	struct entry *next;
	char *word;
	int process;
	char *label;
	struct debug_error no_debug;
	struct target target;
};

struct programs {
	const struct debug_options *options;
	bool uses_debug;
	struct entry *first;
};

struct programs *programs_new(const struct debug_options *options, bool uses_debug)
{
	struct programs *programs = mem_zalloc(1, sizeof(*programs));

	programs->options = options;
	programs->uses_debug = uses_debug;
	return programs;
}

static void entry_free(struct entry *entry)
{
	program_close(entry->target.program);
	free(entry->word);
	free(entry->label);
	free(entry);
}

void programs_free(struct programs *programs)
{
	while (programs && programs->first) {
		struct entry *entry = programs->first;

		programs->first = entry->next;
		entry_free(entry);
	}
	free(programs);
}

/* ----------------------------------------------------------- whose address */

static bool is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

static bool is_module(const struct symtab *tab, const char *word)
{
	for (size_t i = 0; tab && i < symtab_count(tab); i++)
		if (!strcmp(symtab_at(tab, i)->module, word))
			return true;
	return false;
}

/* Has the kernel a meaning for WORD:PLACE? */
static bool is_of_kernel(const struct target *kernel, const char *text, const char *word, const char *inside)
{
	static const char *const prefixes[] = { "event", "syscall", "inline", "vmlinux" };

	if (is_number(inside))
		return true;
	if (strchr(word, '/'))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strcmp(word, prefixes[i]))
			return true;
	return is_module(kernel->tab, word) || event_is(kernel->tab, text);
}

/* -------------------------------------------------------------------- files */

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Is the file that was opened still the one of that name?  A deleted file that a process runs has no name. */
static bool is_current(const struct program *program)
{
	AUTO_FREE char *path = mem_printf("%s%s", program_root(program), program_path(program));
	struct stat opened, named;

	return !fstat(program_fd(program), &opened) && !stat(path, &named) && is_same(&opened, &named);
}

bool programs_is_current(const struct target *target)
{
	return is_current(target->program);
}

static struct entry *known(const struct programs *programs, const char *word, int process)
{
	for (struct entry *at = programs->first; at; at = at->next)
		if (!strcmp(at->word, word) && at->process == process)
			return is_current(at->target.program) ? at : NULL;
	return NULL;
}

/* A relative path would mean another file elsewhere. */
static char *label_of(const char *word, int process)
{
	char path[PATH_MAX];

	return mem_printf("%s:", strchr(word, '/') && !process && realpath(word, path) ? path : word);
}

/* Replaced entries stay: plans may point to them. */
static const struct target *enter(struct programs *programs, struct program *program, const struct target *kernel,
				  const char *word, int process)
{
	struct entry *entry = mem_zalloc(1, sizeof(*entry));

	program_choose(program, process);
	entry->word = mem_strdup(word);
	entry->process = process;
	entry->label = label_of(word, process);
	entry->target = (struct target){
		.dev = kernel->dev, .arch = kernel->arch, .programs = programs, .program = program, .label = entry->label,
		.tab = program_symtab(program), .no_debug = entry->no_debug.text,
		.debug = programs->uses_debug ? program_debug(program, programs->options, &entry->no_debug) : NULL,
	};
	entry->next = programs->first;
	programs->first = entry;
	return &entry->target;
}

/* NULL: err is set, and *is_missing if there is no such file. */
static const struct target *open_program(const struct target *kernel, const char *word, int process, bool *is_missing,
					 struct error *err)
{
	struct debug_error why = { .text = "" };
	struct program_file file;
	struct program *program;
	struct entry *entry = known(kernel->programs, word, process);

	*is_missing = false;
	if (entry)
		return &entry->target;
	if (!program_find(word, process, &file, &why)) {
		*is_missing = true;
		error_set(err, STATUS_FAILURE, "%s", why.text);
		return NULL;
	}
	program = file.fd >= 0 ? program_open_fd(file.fd, file.path, file.root, &why)
			       : program_open(file.path, file.root, &why);
	if (!program) {
		error_set(err, STATUS_FAILURE, "%s", why.text);
		return NULL;
	}
	return enter(kernel->programs, program, kernel, word, process);
}

enum programs_answer programs_find(const struct target *kernel, const char *text, int process, const struct target **out,
				   const char **inside, struct error *err)
{
	const char *colon = strchr(text, ':');
	AUTO_FREE char *word = colon ? mem_strndup(text, colon - text) : NULL;
	const struct target *found;
	bool is_missing;

	if (!kernel->programs || !word || !*word || !colon[1] || is_of_kernel(kernel, text, word, colon + 1))
		return PROGRAMS_NONE;
	found = open_program(kernel, word, process, &is_missing, err);
	if (found) {
		*out = found;
		*inside = colon + 1;
		return PROGRAMS_FOUND;
	}
	/* The name of a module that is not loaded, for instance: then the kernel's symbols give the reason. */
	return is_missing && !strchr(word, '/') ? PROGRAMS_NONE : PROGRAMS_FAILED;
}

/* ------------------------------------------------------------------ markers */

const struct program_marker *marker_at(const struct target *target, uint64_t addr)
{
	size_t n;
	const struct program_marker *markers = target->program ? program_markers(target->program, &n, NULL) : NULL;

	for (size_t i = 0; markers && i < n; i++)
		if (markers[i].addr == addr)
			return &markers[i];
	return NULL;
}

char *fields_at(const struct target *target, const struct probe_point *point)
{
	const struct program_marker *marker = marker_at(target, point->addr);

	return marker ? marker_fields(marker) : event_fields(point);
}

bool markers_resolve(const struct target *target, const char *text, struct probe_points *out, struct error *err)
{
	const char *pattern = text + strlen(MARKERS);
	size_t n, before;
	const struct program_marker *markers = program_markers(target->program, &n, NULL);

	out->is_pattern = strpbrk(pattern, "*?[");
	for (size_t i = 0; i < n; i++) {
		if (!marker_matches(&markers[i], pattern))
			continue;
		before = out->n;
		probe_points_add(target, out, markers[i].addr, NULL);
		if (out->n == before)
			continue;
		probe_point_free(&out->v[before]);
		out->v[before].name = mem_join(target->label, MARKERS, markers[i].provider, ":", markers[i].name, NULL);
	}
	return out->n || error_set(err, STATUS_FAILURE, "no SDT marker '%s': 'events FILE:sdt' lists those of a file", pattern);
}

bool programs_failed(const struct target *target, struct error *err)
{
	AUTO_FREE char *why = target->tab ? mem_strdup(err ? err->text : "") :
		mem_printf("it has no symbols: install those of its package, or build it without 'strip'");

	if (target->program && err)
		snprintf(err->text, sizeof(err->text), "%s %s", target->label, why);
	return false;
}

bool programs_resolve(const struct target *kernel, const char *text, int process, const struct target **home,
		    const char **inside, struct probe_points *out, struct error *err)
{
	*home = kernel;
	*inside = text;
	return programs_find(kernel, text, process, home, inside, err) != PROGRAMS_FAILED &&
	       (probe_points_resolve(*home, *inside, out, err) || programs_failed(*home, err));
}

bool programs_sites(const struct target *kernel, const char *text, struct site_addrs *out, struct error *err)
{
	AUTO_PROBE_POINTS struct probe_points points = { 0 };
	const struct target *home;
	const char *inside;

	*out = (struct site_addrs){ 0 };
	if (!programs_resolve(kernel, text, 0, &home, &inside, &points, err))
		return false;
	out->v = mem_zalloc(points.n, sizeof(*out->v));
	for (; out->n < points.n; out->n++) {
		struct kt_site_req site;

		if (!target_site(home, points.v[out->n].addr, &site, err))
			break;
		out->v[out->n] = site.addr;
	}
	snprintf(out->name, sizeof(out->name), "%s", points.v[0].name);
	if (out->n == points.n)
		return true;
	free(out->v);
	return false;
}

int process_of_thread(int thread)
{
	AUTO_FREE char *path = mem_printf("/proc/%d/status", thread);
	FILE *in = fopen(path, "re");
	char line[128];
	int process = 0;

	while (in && !process && fgets(line, sizeof(line), in))
		if (!strncmp(line, "Tgid:", 5))
			process = atoi(line + 5);
	if (in)
		fclose(in);
	return process;
}
