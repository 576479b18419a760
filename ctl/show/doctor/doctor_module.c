// SPDX-License-Identifier: GPL-2.0-or-later
/* doctor_module.c - checks of the modules: are they there, may they be loaded, can they be built?  See doctor.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arch.h"
#include "core/ktrace_abi.h"
#include "ctl/base/device/module_file.h"
#include "ctl/base/device/unloadable.h"
#include "ctl/base/memory.h"
#include "ctl/show/doctor/doctor.h"
#include "symbols/image/image.h"

#define LOADED		"/sys/module/ktrace"
#define USER_LOADED	"/sys/module/ktrace_user"
#define RELOAD		"sudo rmmod ktrace; sudo modprobe ktrace"
/* Only the package has it; lintian forbids a look into the database of dpkg. */
#define DEBIAN_PACKAGE	"/usr/share/doc/ktrace/copyright"

/* --------------------------------------------------------------- installed */

static bool take_installed(struct doctor *d, struct finding *out)
{
	AUTO_FREE char *file = module_file_find(doctor_root(d), d->kernel.release, "ktrace.ko");

	d->is_installed = file;
	if (!file)
		return false;
	found(out, DOCTOR_OK, "installed%s, not loaded: a command loads it when needed",
	      strstr(file, "/dkms/") ? " by DKMS" : "");
	return true;
}

static void mend_installation(const struct doctor *d, struct finding *out, const char *then)
{
	if (doctor_has(d, "/var/lib/dkms/ktrace/" KTRACE_VERSION "/source"))
		mend_keeping(out, KEPT_BY_DKMS, "sudo dkms install ktrace/" KTRACE_VERSION "%s", then);
	else if (doctor_has(d, DEBIAN_PACKAGE))
		mend_by_apt(d, out, "ktrace-dkms", then);
	else
		mend_keeping(out, KEPT_BY_INSTALL, "sudo make install, in the directory of ktrace's sources%s", then);
}

/* ------------------------------------------------------------------ loaded */

/* What modinfo shows as the version of the installed module, which the next modprobe loads. */
static bool installed_is_ours(const struct doctor *d)
{
	static const char ours[] = "\0version=" KTRACE_VERSION;
	AUTO_FREE char *path = module_file_find(doctor_root(d), d->kernel.release, "ktrace.ko");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	const void *text;
	struct stat st;
	bool is = false;

	if (fd >= 0)
		fd = image_unpack(fd, path, NULL);
	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && st.st_size) {
		text = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		is = text != MAP_FAILED && memmem(text, st.st_size, ours, sizeof(ours));
		if (text != MAP_FAILED)
			munmap((void *)text, st.st_size);
	}
	close(fd);
	return is;
}

static void mend_program(const struct doctor *d, struct finding *out, const char *version)
{
	if (doctor_has(d, DEBIAN_PACKAGE))
		mend_by_apt(d, out, "ktrace", "");
	else
		mend_keeping(out, KEPT_BY_INSTALL, "sudo make install, in the directory of the sources of ktrace %s", version);
}

/* Module and program are of different versions: load the module of this program, build it, or update the program. */
static void other_version(const struct doctor *d, const char *version, struct finding *out)
{
	const struct kt_hello *theirs = &d->s->dev.hello;
	const bool is_abi = theirs->abi != KT_ABI_VERSION;
	const uint32_t has = is_abi ? theirs->abi : theirs->format, wanted = is_abi ? KT_ABI_VERSION : KT_TRACE_FORMAT;

	found(out, DOCTOR_MISSING, "ktrace %s is loaded, %s %u; ktrace %s needs %u", version,
	      is_abi ? "control ABI" : "trace format", has, KTRACE_VERSION, wanted);
	if (installed_is_ours(d))
		mend(out, RELOAD);
	else if (has > wanted)
		mend_program(d, out, version);
	else
		mend_installation(d, out, ", then " RELOAD);
}

static void not_connected(const struct doctor *d, const char *version, const struct error *err, struct finding *out)
{
	const struct kt_hello *theirs = &d->s->dev.hello;

	/* No answer at all: the error says what to do, as where a container has no device. */
	if (!theirs->abi) {
		found(out, DOCTOR_MISSING, "%.*s", (int)sizeof(out->value) - 1, err->text);
		return;
	}
	if (theirs->abi != KT_ABI_VERSION || theirs->format != KT_TRACE_FORMAT) {
		other_version(d, version, out);
		return;
	}
	found(out, DOCTOR_MISSING, "%.*s", (int)sizeof(out->value) - 1, err->text);
	mend(out, RELOAD);
}

static void take_loaded(struct doctor *d, struct finding *out)
{
	char version[64];
	struct error err;

	doctor_line(d, LOADED "/version", version, sizeof(version));
	if (!d->is_admin) {
		found(out, strcmp(version, KTRACE_VERSION) ? DOCTOR_WARNING : DOCTOR_OK,
		      "ktrace %s is loaded, this program is %s; root sees more", version, KTRACE_VERSION);
		return;
	}
	d->is_connected = session_connect(d->s, &err);
	if (d->is_connected)
		found(out, DOCTOR_OK, "ktrace %s is loaded, control ABI %u", version, d->s->dev.hello.abi);
	else
		not_connected(d, version, &err, out);
}

/* ------------------------------------------------------------------ module */

static bool modules_disabled(const struct doctor *d)
{
	char line[16];

	return doctor_line(d, "/proc/sys/kernel/modules_disabled", line, sizeof(line)) && !strcmp(line, "1");
}

static void not_installed(const struct doctor *d, struct finding *out)
{
	found(out, DOCTOR_MISSING, "neither loaded nor installed for this kernel");
	mend_installation(d, out, "");
}

void check_module(struct doctor *d, struct finding *out)
{
	d->is_loaded = doctor_has(d, LOADED);
	if (d->is_loaded) {
		take_loaded(d, out);
	} else if (!doctor_has(d, "/proc/modules")) {
		found(out, DOCTOR_MISSING, "this kernel does not support modules (CONFIG_MODULES), or /proc is not mounted");
		mend_by_kernel(out);
	} else if (modules_disabled(d)) {
		found(out, DOCTOR_MISSING, "no module can be loaded until the next boot (kernel.modules_disabled)");
		mend(out, "boot again, with 'modprobe ktrace' before modules are disabled");
	} else if (!take_installed(d, out)) {
		not_installed(d, out);
	}
}

/* ------------------------------------------------ the module of programs with libktrace */

static void take_user_loaded(const struct doctor *d, struct finding *out)
{
	char version[64];

	doctor_line(d, USER_LOADED "/version", version, sizeof(version));
	if (!strcmp(version, KTRACE_VERSION)) {
		found(out, DOCTOR_OK, "ktrace_user %s is loaded: programs with libktrace can be recorded while they run", version);
		return;
	}
	found(out, DOCTOR_WARNING, "ktrace_user %s is loaded, this program is %s", version, KTRACE_VERSION);
	mend(out, "sudo rmmod ktrace_user; sudo modprobe ktrace_user");
	without(out, "programs with libktrace that begin with KTRACE_FILE");
}

/* systemd makes the node when the machine starts. */
static void take_user_installed(const struct doctor *d, struct finding *out)
{
	if (doctor_has(d, KT_USER_DEVICE)) {
		found(out, DOCTOR_OK, "ktrace_user is installed: a program with libktrace loads it");
		return;
	}
	found(out, DOCTOR_WARNING, "ktrace_user is installed, but no program with libktrace loads it: %s is made at the next boot",
	      KT_USER_DEVICE);
	mend(out, "sudo modprobe ktrace_user");
	without(out, "programs that begin after it is loaded, or with KTRACE_FILE");
}

void check_programs(struct doctor *d, struct finding *out)
{
	AUTO_FREE char *file = NULL;

	if (doctor_has(d, USER_LOADED)) {
		take_user_loaded(d, out);
		return;
	}
	file = module_file_find(doctor_root(d), d->kernel.release, "ktrace_user.ko");
	if (file) {
		take_user_installed(d, out);
		return;
	}
	found(out, DOCTOR_WARNING, "ktrace_user is neither loaded nor installed for this kernel");
	mend_installation(d, out, "");
	without(out, "programs with libktrace that begin with KTRACE_FILE");
}

/* ----------------------------------------------------------------- headers */

void check_headers(struct doctor *d, struct finding *out)
{
	AUTO_FREE char *path = mem_printf("/lib/modules/%s/build", d->kernel.release);
	AUTO_FREE char *makefile = mem_printf("%s/Makefile", path);

	if (doctor_has(d, makefile)) {
		found(out, DOCTOR_OK, "%s", path);
		return;
	}
	if (d->is_loaded || d->is_installed) {
		found(out, DOCTOR_OK, "none, and not needed: the module is already built");
		return;
	}
	found(out, DOCTOR_MISSING, "none in %s: the module cannot be built", path);
	mend_by_package(d, out, DISTRO_HEADERS, "");
}

/* ----------------------------------------------------------------- signing */

static const char *const secure_boots[] = {
	[SECURE_BOOT_NONE] = "no Secure Boot", [SECURE_BOOT_UNREADABLE] = "Secure Boot unreadable",
	[SECURE_BOOT_OFF] = "Secure Boot off", [SECURE_BOOT_ON] = "Secure Boot on",
};

void check_signing(struct doctor *d, struct finding *out)
{
	AUTO_FREE char *file = module_file_find(doctor_root(d), d->kernel.release, "ktrace.ko");
	struct load_facts facts = load_facts(doctor_root(d), file, 0);
	struct unloadable reason;
	char state[128];

	/* Other checks have these. */
	facts.is_disabled = facts.is_inside = false;
	snprintf(state, sizeof(state), "%s, lockdown %s", secure_boots[secure_boot_now(doctor_root(d))], lockdown_name(facts.lockdown));
	load_explain(&facts, "ktrace", &reason);
	if (!load_needs_signature(&facts))
		found(out, DOCTOR_OK, "%s: unsigned modules are accepted", state);
	else if (d->is_loaded)
		found(out, DOCTOR_OK, "%s: only signed modules are accepted; ktrace is loaded", state);
	else if (*reason.cause && file)
		found(out, DOCTOR_MISSING, "%s: %s", state, reason.cause);
	else if (facts.known == KEY_KNOWN)
		found(out, DOCTOR_OK, "%s: signed by '%s', whose key the kernel has", state, facts.signature.signer);
	else
		found(out, DOCTOR_WARNING, "%s: a module's key must be enrolled", state);
	if (out->result == DOCTOR_OK)
		return;
	without(out, WITHOUT_TRACING);
	if (*reason.mend && !facts.own)
		mend_keeping(out, KEPT_BY_DKMS, "%s", reason.mend);
	else
		mend(out, "%s", *reason.mend ? reason.mend : "sudo ktrace doctor, which sees the kernel's keys");
}
