// SPDX-License-Identifier: GPL-2.0-or-later
/* doctor_data.c - checks of symbols, types, debug information and static tracepoints.  See doctor.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arch/arch.h"
#include "ctl/base/memory.h"
#include "ctl/base/paths.h"
#include "ctl/show/doctor/doctor.h"
#include "symbols/query/debug.h"
#include "symbols/query/debug_server.h"

#define BTF	"/sys/kernel/btf/vmlinux"
#define TRACEFS	"/sys/kernel/tracing"
#define INDEX_PART	20

/* ----------------------------------------------------------------- symbols */

static void hidden(const struct doctor *d, struct finding *out)
{
	char line[16] = "";

	found(out, DOCTOR_WARNING, "/proc/kallsyms hides the addresses: names cannot be traced");
	doctor_line(d, "/proc/sys/kernel/kptr_restrict", line, sizeof(line));
	if (!strcmp(line, "2"))
		mend(out, "sudo sysctl kernel.kptr_restrict=1");
	else
		mend(out, "sudo ktrace, with CAP_SYSLOG");
	without(out, "addresses given as numbers");
}

static void no_variables(struct finding *out)
{
	if (!arch_native.needs_data_symbols) {
		found(out, DOCTOR_WARNING, "functions only (no CONFIG_KALLSYMS_ALL): variables by name need debug information");
		return;
	}
	found(out, DOCTOR_MISSING, "functions only: the module needs a kernel with CONFIG_KALLSYMS_ALL");
	mend_by_kernel(out);
}

void check_symbols(struct doctor *d, struct finding *out)
{
	if (!d->symbols.count)
		found(out, DOCTOR_UNKNOWN, "/proc/kallsyms cannot be read: is /proc mounted?");
	else if (!d->symbols.have_addresses)
		hidden(d, out);
	else if (!d->symbols.have_data)
		no_variables(out);
	else
		found(out, DOCTOR_OK, "/proc/kallsyms, %zu of them", d->symbols.count);
}

void check_btf(struct doctor *d, struct finding *out)
{
	if (doctor_has(d, BTF))
		found(out, DOCTOR_OK, BTF);
	else
		found(out, DOCTOR_WARNING, "no BTF (CONFIG_DEBUG_INFO_BTF): ARGS and types need debug information");
}

/* ------------------------------------------------------- debug information */

static void no_debug_info(const struct doctor *d, const struct debug_error *why, struct finding *out)
{
	found(out, DOCTOR_WARNING, "%.*s", (int)sizeof(out->value) - 1,
	      why->is_absence ? "none: no source lines, inlined copies or variables by name" : why->text);
	mend_by_package(d, out, DISTRO_DEBUG, "");
	without(out, doctor_has(d, BTF) ? "functions, ARGS and members of types" : "functions, registers and memory by offsets");
	/* The first command that needs debug information contacts the servers. */
	if (why->is_absence && debug_server_named())
		found(out, DOCTOR_OK, "none here: where ktrace needs it, it offers to fetch it from the servers of DEBUGINFOD_URLS");
}

/* Of Debian's kernels the index takes a twentieth of the image. */
static uint64_t index_bytes(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_size / INDEX_PART;
}

static void take_unit(struct debug_unit *unit, struct finding *out)
{
	const char *path = debug_unit_path(unit);

	if (debug_index_ready(unit)) {
		found(out, DOCTOR_OK, "%s, indexed", path);
		return;
	}
	found(out, DOCTOR_OK, "%s; its index is made when first needed, or by", path);
	mend_keeping(out, index_bytes(path), "ktrace index %s", path);
	without(out, "everything; the first question waits for the index");
}

void check_debug_info(struct doctor *d, struct finding *out)
{
	AUTO_FREE char *cache = d->s->cache ? mem_strdup(d->s->cache) : path_of("XDG_CACHE_HOME", ".cache", "index");
	const struct debug_options options = {
		.root = d->s->root, .release = d->kernel.release, .file = d->s->vmlinux, .cache = cache, .is_live = true,
	};
	struct debug *debug = debug_open(&options);
	struct debug_error why = { .text = "no memory for debug information: free some" };
	struct debug_unit *unit = debug ? debug_unit_casual(debug, "", &why) : NULL;

	if (unit)
		take_unit(unit, out);
	else
		no_debug_info(d, &why, out);
	debug_close(debug);
}

/* ------------------------------------------------------ static tracepoints */

/* False also if this kernel has no such event. */
static bool is_on(const struct doctor *d, const char *event)
{
	AUTO_FREE char *path = mem_printf(TRACEFS "/events/%s/enable", event);
	char line[16];

	return doctor_line(d, path, line, sizeof(line)) && line[0] == '1';
}

static void no_tracefs(int no, struct finding *out)
{
	if (no == EACCES) {
		found(out, DOCTOR_UNKNOWN, "only root sees which static tracepoints are on");
		return;
	}
	found(out, DOCTOR_UNKNOWN, "which static tracepoints are on: tracefs is not mounted");
	mend(out, "sudo mount -t tracefs nodev " TRACEFS);
	without(out, "everything, if they are off");
}

void check_events(struct doctor *d, struct finding *out)
{
	if (!doctor_has(d, TRACEFS "/events")) {
		no_tracefs(errno, out);
		return;
	}
	found(out, DOCTOR_OK, "all static tracepoints on the breakpoint entry path are off");
	for (const char *const *event = arch_native.off_events; *event; event++) {
		if (!is_on(d, *event))
			continue;
		found(out, DOCTOR_MISSING, "the static tracepoint %s is on: the module cannot be loaded",
		      strchr(*event, '/') + 1);
		mend(out, "echo 0 | sudo tee " TRACEFS "/events/%s/enable", *event);
	}
}
