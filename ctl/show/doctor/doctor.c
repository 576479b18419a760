// SPDX-License-Identifier: GPL-2.0-or-later
/* doctor.c - the table of checks, and functions for them.  See doctor.h. */
#include "ctl/show/doctor/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/below.h"
#include "ctl/base/memory.h"

/* In the order of output; later checks use the results that earlier ones left in struct doctor. */
const struct check doctor_checks[] = {
	{ "kernel", check_kernel },
	{ "kprobes", check_kprobes },
	{ "rights", check_rights },
	{ "module", check_module },
	{ "programs", check_programs },
	{ "headers", check_headers },
	{ "signing", check_signing },
	{ "symbols", check_symbols },
	{ "types", check_btf },
	{ "debug info", check_debug_info },
	{ "clock", check_clock },
	{ "events", check_events },
	{ "calibration", check_calibration },
	{ NULL, NULL },
};

/* ------------------------------------------------------------------- files */

const char *doctor_root(const struct doctor *d)
{
	return d->s->root ? d->s->root : "";
}

char *doctor_path(const struct doctor *d, const char *fmt, ...)
{
	AUTO_FREE char *path = NULL;
	va_list args;

	va_start(args, fmt);
	path = mem_vprintf(fmt, args);
	va_end(args);
	return path_below(d->s->root, path);
}

bool doctor_has(const struct doctor *d, const char *path)
{
	AUTO_FREE char *below = path_below(d->s->root, path);

	return !access(below, F_OK);
}

bool doctor_line(const struct doctor *d, const char *path, char *line, size_t size)
{
	return line_below(d->s->root, path, line, size);
}

/* ---------------------------------------------------------------- findings */

void found(struct finding *out, enum doctor_result result, const char *fmt, ...)
{
	va_list args;

	out->result = result;
	va_start(args, fmt);
	vsnprintf(out->value, sizeof(out->value), fmt, args);
	va_end(args);
}

static void put_mend(struct finding *out, struct repair_cost cost, const char *fmt, va_list args)
{
	vsnprintf(out->mend, sizeof(out->mend), fmt, args);
	out->cost = cost;
	if (out->result == DOCTOR_MISSING && !out->without[0])
		without(out, WITHOUT_TRACING);
}

void mend(struct finding *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	put_mend(out, (struct repair_cost){ .known = true }, fmt, args);
	va_end(args);
}

void mend_keeping(struct finding *out, uint64_t bytes, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	put_mend(out, (struct repair_cost){ .known = true, .about = true, .kept = bytes }, fmt, args);
	va_end(args);
}

void mend_by_kernel(struct finding *out)
{
	mend(out, "boot a kernel that has it, such as the distribution's");
	out->cost.known = false;
}

void without(struct finding *out, const char *text)
{
	snprintf(out->without, sizeof(out->without), "%s", text);
}

/* ------------------------------------------------------------------- begin */

/* "ffffffff81000000 T _text"; the names are there even if the addresses are hidden. */
static void take_symbol(struct doctor_symbols *symbols, const char *line)
{
	char name[128];
	unsigned long long addr;

	if (sscanf(line, "%llx %*c %127s", &addr, name) != 2)
		return;
	symbols->count++;
	symbols->have_addresses |= addr != 0;
	symbols->have_kprobes |= !strcmp(name, "register_kprobe");
	symbols->have_data |= !strcmp(name, "text_mutex");
}

static void read_symbols(struct doctor *d)
{
	AUTO_CLOSE FILE *file = file_below(d->s->root, "/proc/kallsyms");
	AUTO_FREE char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0)
		take_symbol(&d->symbols, line);
}

void doctor_begin(struct doctor *d, struct session *s)
{
	d->s = s;
	read_symbols(d);
}
