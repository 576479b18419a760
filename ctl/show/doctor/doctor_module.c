// SPDX-License-Identifier: GPL-2.0-or-later
/* doctor_module.c - checks of the modules: are they there, may they be loaded, can they be built?  See doctor.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "core/ktrace_abi.h"
#include "ctl/base/device/module_file.h"
#include "ctl/base/device/unloadable.h"
#include "ctl/base/memory.h"
#include "ctl/show/doctor/doctor.h"

#define LOADED		"/sys/module/ktrace"
#define USER_LOADED	"/sys/module/ktrace_user"
#define SECURE_BOOT	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
/* Only the package has it; lintian forbids a look into the database of dpkg. */
#define DEBIAN_PACKAGE	"/usr/share/doc/ktrace/copyright"

/* ------------------------------------------------------------------ loaded */

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
	if (d->is_connected) {
		found(out, DOCTOR_OK, "ktrace %s is loaded, control ABI %u", version, d->s->dev.hello.abi);
		return;
	}
	found(out, DOCTOR_MISSING, "%.*s", (int)sizeof(out->value) - 1, err.text);
	mend(out, "sudo rmmod ktrace; sudo modprobe ktrace");
}

/* --------------------------------------------------------------- installed */

static bool take_installed(struct doctor *d, struct finding *out)
{
	AUTO_FREE char *file = module_file_find(doctor_root(d), d->kernel.release, "ktrace.ko");

	d->is_installed = file;
	if (!file)
		return false;
	found(out, DOCTOR_OK, "installed%s, not loaded: a command loads it when it needs it",
	      strstr(file, "/dkms/") ? " by DKMS" : "");
	return true;
}

static bool modules_disabled(const struct doctor *d)
{
	char line[16];

	return doctor_line(d, "/proc/sys/kernel/modules_disabled", line, sizeof(line)) && !strcmp(line, "1");
}

static void mend_installation(const struct doctor *d, struct finding *out)
{
	if (doctor_has(d, "/var/lib/dkms/ktrace/" KTRACE_VERSION "/source"))
		mend(out, "sudo dkms install ktrace/" KTRACE_VERSION);
	else if (doctor_has(d, DEBIAN_PACKAGE))
		mend(out, "sudo apt install ktrace-dkms");
	else
		mend(out, "sudo make install, in the directory of ktrace's sources");
}

static void not_installed(const struct doctor *d, struct finding *out)
{
	found(out, DOCTOR_MISSING, "neither loaded nor installed for this kernel");
	without(out, "print, report and export of recordings; show, as root");
	mend_installation(d, out);
}

void check_module(struct doctor *d, struct finding *out)
{
	d->is_loaded = doctor_has(d, LOADED);
	if (d->is_loaded) {
		take_loaded(d, out);
	} else if (!doctor_has(d, "/proc/modules")) {
		found(out, DOCTOR_MISSING, "this kernel does not support modules (CONFIG_MODULES), or /proc is not mounted");
		mend(out, "boot a kernel that takes them, such as the distribution's");
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
}

/* systemd makes the node when the machine starts. */
static void take_user_installed(const struct doctor *d, struct finding *out)
{
	if (doctor_has(d, KT_USER_DEVICE)) {
		found(out, DOCTOR_OK, "ktrace_user is installed, not loaded: the first program with libktrace loads it");
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
	mend_installation(d, out);
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
	mend_by_package(d, out, DISTRO_HEADERS);
}

/* ----------------------------------------------------------------- signing */

static const char *secure_boot(const struct doctor *d)
{
	AUTO_FREE char *path = doctor_path(d, SECURE_BOOT);
	AUTO_CLOSE FILE *file = fopen(path, "re");
	unsigned char variable[5];	/* four bytes of attributes, then the value */

	if (!file)
		return errno == ENOENT ? "no Secure Boot" : "Secure Boot unreadable";
	if (fread(variable, 1, sizeof(variable), file) != sizeof(variable))
		return "Secure Boot unreadable";
	return variable[4] ? "Secure Boot on" : "Secure Boot off";
}

void check_signing(struct doctor *d, struct finding *out)
{
	AUTO_FREE char *file = module_file_find(doctor_root(d), d->kernel.release, "ktrace.ko");
	struct load_facts facts = load_facts(doctor_root(d), file, 0);
	struct unloadable reason;
	char state[128];

	/* Other checks have these. */
	facts.is_disabled = facts.is_inside = false;
	snprintf(state, sizeof(state), "%s, lockdown %s", secure_boot(d), lockdown_name(facts.lockdown));
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
	if (out->result != DOCTOR_OK)
		mend(out, "%s", *reason.mend ? reason.mend : "sudo ktrace doctor, which sees the kernel's keys");
}
