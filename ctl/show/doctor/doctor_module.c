// SPDX-License-Identifier: GPL-2.0-or-later
/* doctor_module.c - checks of the modules: are they there, may they be loaded, can they be built?  See doctor.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "core/ktrace_abi.h"
#include "ctl/base/memory.h"
#include "ctl/show/doctor/doctor.h"
#include "symbols/image/image.h"

#define LOADED		"/sys/module/ktrace"
#define USER_LOADED	"/sys/module/ktrace_user"
#define SECURE_BOOT	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define SIGNED		"~Module signature appended~\n"
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

/* The file that modprobe would load for "MODULE.ko", below /lib/modules/RELEASE; "": modules.dep does not list it. */
static void find_in_dep(const struct doctor *d, const char *module, char *path, size_t size)
{
	AUTO_FREE char *dep = doctor_path(d, "/lib/modules/%s/modules.dep", d->kernel.release);
	AUTO_CLOSE FILE *file = fopen(dep, "re");
	AUTO_FREE char *line = NULL;
	size_t room = 0;

	path[0] = '\0';
	while (file && !path[0] && getline(&line, &room, file) > 0) {
		const char *slash;

		line[strcspn(line, ":\n")] = '\0';
		slash = strrchr(line, '/');
		if (!strncmp(slash ? slash + 1 : line, module, strlen(module)))
			snprintf(path, size, "%s", line);
	}
}

/* A signature is at the end of the module; the file may be compressed. */
static bool file_is_signed(const char *path)
{
	char end[sizeof(SIGNED)] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is = false;

	if (fd >= 0)
		fd = image_unpack(fd, path, NULL);
	if (fd < 0)
		return false;
	if (lseek(fd, -(off_t)strlen(SIGNED), SEEK_END) >= 0)
		is = read(fd, end, strlen(SIGNED)) == (ssize_t)strlen(SIGNED) && !strcmp(end, SIGNED);
	close(fd);
	return is;
}

/* The caller frees the path of the file; NULL: there is none. */
static char *find_installed(const struct doctor *d, const char *module)
{
	char path[512], *file;

	find_in_dep(d, module, path, sizeof(path));
	if (!*path)
		return NULL;
	file = doctor_path(d, "/lib/modules/%s/%s", d->kernel.release, path);
	if (!access(file, F_OK))
		return file;
	free(file);
	return NULL;
}

static bool take_installed(struct doctor *d, struct finding *out)
{
	AUTO_FREE char *file = find_installed(d, "ktrace.ko");

	d->is_installed = file;
	if (!file)
		return false;
	d->is_signed = file_is_signed(file);
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
	file = find_installed(d, "ktrace_user.ko");
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

/* "none [integrity] confidentiality": the word in brackets. */
static void lockdown(const struct doctor *d, char *word, size_t size)
{
	char line[128];
	const char *from;

	snprintf(word, size, "not seen");
	if (!doctor_line(d, "/sys/kernel/security/lockdown", line, sizeof(line)))
		return;
	from = strchr(line, '[');
	if (from)
		snprintf(word, size, "%.*s", (int)strcspn(from + 1, "]"), from + 1);
}

/* If the kernel does not report its lockdown, assume it when Secure Boot is on. */
static bool is_enforced(const struct doctor *d, const char *boot, const char *locked)
{
	char line[16];

	if (doctor_line(d, "/sys/module/module/parameters/sig_enforce", line, sizeof(line)) && !strcmp(line, "Y"))
		return true;
	return strcmp(locked, "not seen") ? strcmp(locked, "none") : !strcmp(boot, "Secure Boot on");
}

static void mend_signing(const struct doctor *d, struct finding *out)
{
	static const char *const keys[] = { "/var/lib/shim-signed/mok/MOK.der", "/var/lib/dkms/mok.pub" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!doctor_has(d, keys[i]))
			continue;
		mend(out, "sudo mokutil --import %s, then boot again and confirm the key", keys[i]);
		return;
	}
	mend(out, "install by DKMS, which signs; or boot with Secure Boot off");
}

void check_signing(struct doctor *d, struct finding *out)
{
	const char *boot = secure_boot(d);
	char locked[32], state[128];

	lockdown(d, locked, sizeof(locked));
	snprintf(state, sizeof(state), "%s, lockdown %s", boot, locked);
	if (!is_enforced(d, boot, locked)) {
		found(out, DOCTOR_OK, "%s: unsigned modules are accepted", state);
	} else if (d->is_loaded) {
		found(out, DOCTOR_OK, "%s: only signed modules are accepted; ktrace is loaded", state);
	} else if (d->is_installed && !d->is_signed) {
		found(out, DOCTOR_MISSING, "%s: only signed modules are accepted; ktrace's is not signed", state);
		mend_signing(d, out);
	} else {
		found(out, DOCTOR_WARNING, "%s: a module's key must be enrolled", state);
		mend_signing(d, out);
	}
}
