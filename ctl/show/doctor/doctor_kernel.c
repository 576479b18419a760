// SPDX-License-Identifier: GPL-2.0-or-later
/* doctor_kernel.c - checks of the kernel, the user's rights and the clock.  See doctor.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/capability.h>

#include "arch/arch.h"
#include "ctl/base/device/lockdown.h"
#include "ctl/base/device/rights.h"
#include "ctl/base/duration.h"
#include "ctl/base/memory.h"
#include "ctl/show/doctor/doctor.h"
#include "ctl/live/calibration/calibration.h"

#define OLDEST_MAJOR	5
#define OLDEST_MINOR	10

#define KPROBES_SWITCH	"/sys/kernel/debug/kprobes/enabled"
#define CLOCK_SOURCE	"/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define CLOCK_SOURCES	"/sys/devices/system/clocksource/clocksource0/available_clocksource"

/* ------------------------------------------------------------------ kernel */

static bool is_old(const char *release)
{
	int major = 0, minor = 0;

	return sscanf(release, "%d.%d", &major, &minor) == 2 &&
	       (major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR));
}

void check_kernel(struct doctor *d, struct finding *out)
{
	const struct utsname *kernel = &d->kernel;

	found(out, DOCTOR_OK, "Linux %s on %s", kernel->release, kernel->machine);
	if (strcmp(kernel->machine, arch_native.machine)) {
		found(out, DOCTOR_MISSING, "Linux %s on %s: this ktrace is built for %s", kernel->release, kernel->machine,
		      arch_native.name);
		mend_keeping(out, KEPT_BY_INSTALL, "build and install ktrace on this machine: sudo make install");
	} else if (is_old(kernel->release)) {
		found(out, DOCTOR_WARNING, "Linux %s: ktrace is tested from %d.%d on", kernel->release, OLDEST_MAJOR,
		      OLDEST_MINOR);
	}
}

/* ----------------------------------------------------------------- kprobes */

static bool is_off(const struct doctor *d, const char *path)
{
	char line[16];

	return doctor_line(d, path, line, sizeof(line)) && !strcmp(line, "0");
}

void check_kprobes(struct doctor *d, struct finding *out)
{
	if (!d->symbols.count) {
		found(out, DOCTOR_UNKNOWN, "/proc/kallsyms cannot be read: is /proc mounted?");
	} else if (!d->symbols.have_kprobes) {
		found(out, DOCTOR_MISSING, "this kernel is built without CONFIG_KPROBES");
		mend_by_kernel(out);
	} else if (lockdown_now(doctor_root(d)) == LOCKDOWN_CONFIDENTIALITY) {
		found(out, DOCTOR_MISSING, "the kernel is locked down (confidentiality): no tracepoint can be set, and no memory read");
		mend(out, "boot without lockdown=confidentiality");
		without(out, "report, print and export of recordings; where, and delete of what is set");
	} else if (is_off(d, KPROBES_SWITCH)) {
		found(out, DOCTOR_WARNING, "in the kernel, but switched off: kprobes do not fire");
		mend(out, "echo 1 | sudo tee " KPROBES_SWITCH);
		without(out, "everything; only the kernel's own kprobes are off");
	} else if (is_off(d, "/proc/sys/kernel/ftrace_enabled")) {
		found(out, DOCTOR_WARNING, "ftrace is switched off: kprobes at function entries do not fire");
		mend(out, "sudo sysctl kernel.ftrace_enabled=1");
		without(out, "everything; only the kernel's own kprobes are off");
	} else {
		found(out, DOCTOR_OK, "in the kernel");
	}
}

/* ------------------------------------------------------------------ rights */

void check_rights(struct doctor *d, struct finding *out)
{
	const struct rights rights = rights_now(doctor_root(d));

	if (!rights.is_known) {
		found(out, DOCTOR_UNKNOWN, "/proc/self/status cannot be read: is /proc mounted?");
		return;
	}
	d->is_admin = rights_have(&rights, CAP_SYS_ADMIN);
	if (d->is_admin) {
		found(out, DOCTOR_OK, "CAP_SYS_ADMIN");
	} else if (rights.is_inside) {
		found(out, DOCTOR_MISSING, "in a user namespace, where even root has no power over the kernel");
		mend(out, "sudo ktrace, outside it");
	} else {
		found(out, DOCTOR_MISSING, "no CAP_SYS_ADMIN");
		mend(out, !rights.is_root ? "sudo ktrace" : "run ktrace outside this container, or give it CAP_SYS_ADMIN (--cap-add SYS_ADMIN)");
		without(out, "print, report, export and events");
	}
}

/* ------------------------------------------------------------------- clock */

static bool is_word_of(const char *word, const char *line)
{
	size_t len = strlen(word);

	for (; *line; line += strcspn(line, " "), line += strspn(line, " "))
		if (strcspn(line, " ") == len && !strncmp(line, word, len))
			return true;
	return false;
}

/* The module chooses its clock at load: a CPU counter that it reads itself, or the kernel's clock. */
static void other_clock(const struct doctor *d, const char *current, struct finding *out)
{
	const char *wanted = arch_native.clock_source;
	char all[256];

	found(out, DOCTOR_WARNING, "the kernel keeps time by %s, not %s: ktrace uses its clock, slower to read",
	      current, wanted);
	if (doctor_line(d, CLOCK_SOURCES, all, sizeof(all)) && is_word_of(wanted, all))
		mend(out, "echo %s | sudo tee " CLOCK_SOURCE "%s", wanted,
		     d->is_loaded ? "; sudo rmmod ktrace" : "");
	without(out, "everything; a hit takes longer");
}

static void chosen_before(const char *current, struct finding *out)
{
	found(out, DOCTOR_WARNING, "the kernel's clock, chosen when the module was loaded; %s is faster to read", current);
	mend(out, "sudo rmmod ktrace; the next command loads it again");
	without(out, "everything; a hit takes longer");
}

static bool clock_of_module(struct doctor *d, struct finding *out)
{
	AUTO_FREE struct kt_anchor *anchors = NULL;
	struct kt_clock clock;

	if (!d->is_connected || !device_clock(&d->s->dev, &clock, &anchors, NULL))
		return false;
	found(out, DOCTOR_OK, "%.*s, resolution %.3f ns", (int)sizeof(clock.name), clock.name,
	      clock.ns_den ? (double)clock.ns_num / clock.ns_den : 1.0);
	return strncmp(clock.name, "mono", sizeof(clock.name));
}

void check_clock(struct doctor *d, struct finding *out)
{
	char current[64];

	if (clock_of_module(d, out))
		return;
	if (!doctor_line(d, CLOCK_SOURCE, current, sizeof(current)))
		found(out, DOCTOR_UNKNOWN, "the clock source cannot be read: is /sys mounted?");
	else if (strcmp(current, arch_native.clock_source))
		other_clock(d, current, out);
	else if (d->is_connected)
		chosen_before(current, out);
	else
		found(out, DOCTOR_OK, "%s", current);
}

/* ------------------------------------------------------------- calibration */

static bool calibrate(struct doctor *d, struct calibration *calibration, double *tick_ns, struct error *why)
{
	AUTO_FREE struct kt_anchor *anchors = NULL;
	struct kt_clock clock;

	if (!device_clock(&d->s->dev, &clock, &anchors, why))
		return false;
	*tick_ns = clock.ns_den ? (double)clock.ns_num / clock.ns_den : 1.0;
	return calibration_now(d->s, calibration, why);
}

void check_calibration(struct doctor *d, struct finding *out)
{
	const struct correction *jump, *breakpoint;
	char by_jump[DURATION_SIZE], by_breakpoint[DURATION_SIZE];
	struct calibration calibration;
	struct error why;
	double tick_ns;

	if (!d->is_connected) {
		found(out, DOCTOR_UNKNOWN, "not measured: the module is not %s",
		      !d->is_loaded ? "loaded" : d->is_admin ? "usable" : "open to this user");
		return;
	}
	if (!calibrate(d, &calibration, &tick_ns, &why)) {
		found(out, DOCTOR_UNKNOWN, "not measured: %.*s", (int)sizeof(out->value) - 32, why.text);
		return;
	}
	jump = &calibration.by[KT_METHOD_JUMP][KT_METHOD_JUMP];
	breakpoint = &calibration.by[KT_METHOD_BREAKPOINT][KT_METHOD_BREAKPOINT];
	duration_text(jump->cost * tick_ns, by_jump);
	duration_text(breakpoint->cost * tick_ns, by_breakpoint);
	if (jump->known)
		found(out, DOCTOR_OK, "a measured call costs %s by jumps, %s by breakpoints", by_jump, by_breakpoint);
	else
		found(out, DOCTOR_OK, "a measured call costs %s by breakpoints; no jump was ready in time", by_breakpoint);
}
