// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_parts.c - what the metadata of both versions of CTF have in common.  See ctf_int.h. */
#include "ctl/trace/ctf/ctf_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/base/memory.h"
#include "ctl/trace/print/print_int.h"

int ctf_event_align(const struct trace_info *info)
{
	return info->wide ? 16 : 32;
}

int ctf_field_align(const struct trace_info *info)
{
	return info->wide ? 8 : 32;
}

size_t ctf_context(const struct trace_info *info, const struct desc *desc)
{
	return info->user && desc->is_user ? CTF_CONTEXT : 0;
}

/* ------------------------------------------------------------------ environment */

typedef void variable_fn(void *arg, const char *name, const char *text, int64_t number);

/* When the clock was first compared with the time of day, which is before the first event. */
static void creation(const struct trace_info *info, variable_fn *each, void *arg)
{
	const time_t seconds = info->clock.nr ? (time_t)(info->anchors[0].real_ns / NS_PER_S) : 0;
	char text[NUMBER_SIZE];
	struct tm tm;

	if (!info->clock.nr || !gmtime_r(&seconds, &tm))
		return;
	strftime(text, sizeof(text), "%Y%m%dT%H%M%S+0000", &tm);
	each(arg, "trace_creation_datetime", text, 0);
}

/*
 * Readers choose by tracer_name and version which names of events and fields they expect.  Recordings have those of
 * lttng-modules 2.13 (its src/lttng-abi.h and metadata-ctf-1-8.c), traces of processes the context fields of lttng-ust 2.13.
 */
static void layout(const struct trace_info *info, variable_fn *each, void *arg)
{
	if (info->user) {
		each(arg, "tracer_name", "lttng-ust", 0);
		each(arg, "tracer_major", NULL, 2);
		each(arg, "tracer_minor", NULL, 13);
		each(arg, "ktrace_version", info->module, 0);
		each(arg, "trace_buffering_scheme", "uid", 0);
		each(arg, "architecture_bit_width", NULL, 64);
		creation(info, each, arg);
		return;
	}
	if (!info->wide) {
		each(arg, "tracer_name", "ktrace", 0);
		each(arg, "tracer_version", info->module, 0);
		return;
	}
	each(arg, "tracer_name", "lttng-modules", 0);
	each(arg, "tracer_major", NULL, 2);
	each(arg, "tracer_minor", NULL, 13);
	each(arg, "tracer_patchlevel", NULL, 9);
	each(arg, "ktrace_version", info->module, 0);
	each(arg, "trace_buffering_scheme", "global", 0);
	creation(info, each, arg);
}

void ctf_environment(const struct trace_info *info, variable_fn *each, void *arg)
{
	AUTO_FREE char *release = mem_strndup(info->kernel, strcspn(info->kernel, " "));

	each(arg, "domain", info->user ? "ust" : "kernel", 0);
	layout(info, each, arg);
	each(arg, "sysname", "Linux", 0);
	each(arg, "hostname", info->host, 0);
	each(arg, "kernel_release", info->wide ? release : info->kernel, 0);
	/* For people: a reader of CTF finds no packet where it looks for one. */
	if (info->form.compressed)
		each(arg, "ktrace_packets", "zstd", 0);
	if (info->braked)
		each(arg, "ktrace_braked", NULL, info->braked);
}

/* ------------------------------------------------------------------------ clock */

struct clock_line ctf_clock(const struct trace_info *info)
{
	return clockmap_line(&info->clock, info->anchors);
}

struct clockmap *trace_clockmap(const struct trace_info *info)
{
	return info->wide ? clockmap_create_line(&info->clock, info->anchors) : clockmap_create(&info->clock, info->anchors);
}

/* ------------------------------------------------------------------------ names */

/* Replace all characters but letters and digits by an underscore. */
static char in_name(char c)
{
	return isalnum((unsigned char)c) ? c : '_';
}

/* The name of a field, if it were the only one of that name.  A constant has its value in the name. */
static char *plain_name(const struct field *field)
{
	char text[NUMBER_SIZE], *name;

	if (field->kind == FIELD_CONST && format_const(text, field->value))
		name = mem_printf("%s_%s", field->name, text);
	else
		name = mem_strdup(field->name);
	for (char *at = name; *at; at++)
		*at = *at == '-' && at - name > (long)strlen(field->name) ? 'm' : in_name(*at);
	return name;
}

static bool is_taken(char *const *names, size_t nr, const char *name)
{
	if (!strcmp(name, CTF_UNREADABLE) || !strcmp(name, CTF_PADDING))
		return true;
	for (size_t i = 0; i < nr; i++)
		if (names[i] && !strcmp(names[i], name))
			return true;
	return false;
}

char **ctf_field_names(const struct desc *desc)
{
	char **names = mem_zalloc(desc->nr_fields + 1, sizeof(*names));

	for (size_t i = 0; i < desc->nr_fields; i++) {
		char *plain;

		if (desc->fields[i].kind == FIELD_TEXT)
			continue;
		names[i] = plain = plain_name(&desc->fields[i]);
		for (unsigned int nth = 2; is_taken(names, i, names[i]); nth++) {
			if (names[i] != plain)
				free(names[i]);
			names[i] = mem_printf("%s_%u", plain, nth);
		}
		if (names[i] != plain)
			free(plain);
	}
	return names;
}

void ctf_field_names_free(char **names, const struct desc *desc)
{
	for (size_t i = 0; i < desc->nr_fields; i++)
		free(names[i]);
	free(names);
}
