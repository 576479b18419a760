// SPDX-License-Identifier: GPL-2.0-or-later
/* bug_use.c - parts of a report: ktrace's versions and state, who else traces, the CPUs.  See bugreport.h. */
#include <dirent.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/arch.h"
#include "core/ktrace_abi.h"
#include "ctl/base/below.h"
#include "ctl/base/memory.h"
#include "ctl/show/bugreport/bugreport.h"
#include "ctl/show/doctor/doctor.h"
#include "ctl/show/status/status.h"

#define LOADED		"/sys/module/ktrace"
#define USER_LOADED	"/sys/module/ktrace_user"
#define TRACEFS		"/sys/kernel/tracing"

/* ----------------------------------------------------------------- versions */

void bug_versions(struct session *s, FILE *out)
{
	bug_row(out, "ktrace", "%s for %s", KTRACE_VERSION, arch_native.name);
	bug_row(out, "control ABI", "%u", KT_ABI_VERSION);
	bug_row(out, "trace format", "%u", KT_TRACE_FORMAT);
	bug_file(s, out, "module ktrace", LOADED "/version");
	bug_file(s, out, "module ktrace_user", USER_LOADED "/version");
}

void bug_doctor(struct session *s, FILE *out)
{
	struct diagnosis all;

	diagnosis_make(&all, s);
	diagnosis_print(&all, out, false, true);
	diagnosis_free(&all);
}

/* ------------------------------------------------------------------- module */

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* How many files a directory has; `each` may be NULL. */
static int each_file(const struct session *s, FILE *out, const char *dir,
		     void (*each)(const struct session *s, FILE *out, const char *dir, const char *name))
{
	AUTO_FREE char *below = path_below(s->root, dir);
	struct dirent **entries;
	const int n = scandir(below, &entries, is_visible, alphasort);

	for (int i = 0; i < n; i++) {
		if (each)
			each(s, out, dir, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return n;
}

static void put_file(const struct session *s, FILE *out, const char *dir, const char *name)
{
	AUTO_FREE char *path = mem_printf("%s/%s", dir, name);

	bug_file(s, out, name, path);
}

void bug_module(struct session *s, FILE *out)
{
	static const char *const modules[] = { LOADED, USER_LOADED };

	for (size_t i = 0; i < ARRAY_SIZE(modules); i++) {
		AUTO_FREE char *parameters = mem_printf("%s/parameters", modules[i]);

		put_file(s, out, modules[i], "refcnt");
		put_file(s, out, modules[i], "taint");
		each_file(s, out, parameters, put_file);
	}
}

/* ------------------------------------------------------------------- counts */

static void put_counts(const struct status *status, FILE *out)
{
	const struct kt_status *module = &status->module;

	bug_row(out, "tracepoints", "%u, slots %u of %u in %u areas", module->nr_sites, module->nr_slots, module->max_slots, module->nr_areas);
	bug_row(out, "recordings", "%zu", status->nr_recordings);
	bug_row(out, "programs", "%llu registered, %llu recorded, %llu refused", (unsigned long long)status->registered,
		   (unsigned long long)status->recorded, (unsigned long long)status->refused);
	bug_row(out, "clock", "%.*s", (int)sizeof(status->clock.name), status->clock.name);
	for (size_t i = 0; i < STATUS_COLUMNS; i++)
		bug_row(out, status_columns[i].name, "%llu", (unsigned long long)status_count(&status->all, &status_columns[i]));
	bug_row(out, "stray", "%llu", (unsigned long long)module->stray);
	bug_row(out, "brake", "%u %%, on %u CPUs now, %llu times, %u tracepoints disarmed", module->brake_percent, module->brake_cpus,
		   (unsigned long long)module->brakes, module->brake_off);
	bug_row(out, "windows", "%u, %s", module->windows, module->window_open ? "one is open" : "none is open");
	bug_row(out, "recording", "%s", module->frozen ? "frozen" : "on");
}

void bug_counts(struct session *s, FILE *out)
{
	struct status status;
	struct error err;
	char line[16];

	if (!line_below(s->root, LOADED "/version", line, sizeof(line))) {
		fputs("none: the module is not loaded\n", out);
	} else if (!session_connect(s, &err) || !status_load(s, &status, &err)) {
		fprintf(out, "not known: %s\n", err.text);
	} else {
		put_counts(&status, out);
		status_free(&status);
	}
}

/* ------------------------------------------------------------- other tracers */

static void put_lines(const struct session *s, FILE *out, const char *name, const char *path)
{
	AUTO_CLOSE FILE *file = file_below(s->root, path);
	AUTO_FREE char *line = NULL;
	size_t room = 0, n = 0;

	if (!file) {
		bug_row(out, name, "%s", errno == ENOENT ? "none: no such file" : "not readable");
		return;
	}
	while (getline(&line, &room, file) > 0)
		n += *line != '#';
	bug_row(out, name, "%zu", n);
}

static void put_bpf(FILE *out)
{
	union bpf_attr attr = { .start_id = 0 };
	size_t n = 0;

	while (!syscall(SYS_bpf, BPF_PROG_GET_NEXT_ID, &attr, sizeof(attr))) {
		attr.start_id = attr.next_id;
		n++;
	}
	if (errno == ENOENT)
		bug_row(out, "BPF programs", "%zu", n);
	else
		bug_row(out, "BPF programs", "not known: %s", strerror(errno));
}

void bug_tracers(struct session *s, FILE *out)
{
	const int patches = each_file(s, out, "/sys/kernel/livepatch", NULL), modules = each_file(s, out, "/sys/module", NULL);

	put_lines(s, out, "kprobes", "/sys/kernel/debug/kprobes/list");
	put_lines(s, out, "kprobe events", TRACEFS "/kprobe_events");
	put_lines(s, out, "uprobe events", TRACEFS "/uprobe_events");
	put_lines(s, out, "events on", TRACEFS "/set_event");
	put_lines(s, out, "functions under ftrace", TRACEFS "/enabled_functions");
	bug_file(s, out, "current tracer", TRACEFS "/current_tracer");
	put_bpf(out);
	bug_row(out, "live patches", "%d", patches < 0 ? 0 : patches);
	bug_row(out, "modules", "%d", modules < 0 ? 0 : modules);
	bug_file(s, out, "perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid");
}

/* ---------------------------------------------------------------------- CPUs */

/* The lines of /proc/cpuinfo, of whatever architecture, that tell what the CPUs can do; none tells which machine it is. */
static const char *const cpu_lines[] = {
	"vendor_id", "cpu family", "model", "model name", "stepping", "microcode", "flags", "bugs",
	"Features", "CPU implementer", "CPU architecture", "CPU variant", "CPU part", "CPU revision",
};

static void take_cpu_line(char *line, FILE *out)
{
	char *value = strchr(line, ':');

	if (!value)
		return;
	*value++ = '\0';
	line[strcspn(line, "\t")] = '\0';
	value += strspn(value, " ");
	value[strcspn(value, "\n")] = '\0';
	/* What begins with 0x looks like an address. */
	if (!strncmp(value, "0x", 2))
		sprintf(value, "%lu", strtoul(value, NULL, 16) & UINT32_MAX);
	for (size_t i = 0; i < ARRAY_SIZE(cpu_lines); i++)
		if (!strcmp(line, cpu_lines[i]))
			bug_row(out, line, "%s", value);
}

/* Those of the first CPU. */
static void put_first_cpu(const struct session *s, FILE *out)
{
	AUTO_CLOSE FILE *file = file_below(s->root, "/proc/cpuinfo");
	AUTO_FREE char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 1)
		take_cpu_line(line, out);
}

void bug_cpus(struct session *s, FILE *out)
{
	bug_file(s, out, "online", "/sys/devices/system/cpu/online");
	bug_file(s, out, "possible", "/sys/devices/system/cpu/possible");
	bug_file(s, out, "clock source", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	bug_file(s, out, "hypervisor", "/sys/hypervisor/type");
	put_first_cpu(s, out);
	each_file(s, out, "/sys/devices/system/cpu/vulnerabilities", put_file);
}
