/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor_machine.h - machines for the checks of doctor, faked below a directory. */
#ifndef DOCTOR_MACHINE_H
#define DOCTOR_MACHINE_H

#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arch.h"
#include "ctl/base/memory.h"
#include "ctl/show/doctor/doctor.h"
#include "fake_kernel.h"
#include "symbols/image/image.h"

#define UNUSED __attribute__((unused))

#define SYMBOLS	"ffffffff81000000 T register_kprobe\nffffffff82000000 D text_mutex\n"
#define HIDDEN	"0000000000000000 T register_kprobe\n0000000000000000 D text_mutex\n"
#define SECURE_BOOT	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define VERSION_NOTE	"license=GPL\0version=" KTRACE_VERSION "\0"
#define CLOCK	"/sys/devices/system/clocksource/clocksource0/"
#define EVENTS	"/sys/kernel/tracing/events/"

static struct fake_kernel *fake;
static char root[64];
static struct utsname here;	/* the command asks for its release */

/* --------------------------------------------------------------- a machine */

UNUSED static void put_bytes(const char *path, const void *data, size_t size)
{
	AUTO_FREE char *at = mem_printf("%s%s", root, path);
	AUTO_FREE char *command = mem_printf("mkdir -p $(dirname %s)", at);
	FILE *file;

	assert_int_equal(system(command), 0);
	file = fopen(at, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	fclose(file);
}

UNUSED static void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text));
}

UNUSED static void put_bytes_in_modules(const char *name, const void *data, size_t size)
{
	AUTO_FREE char *path = mem_printf("/lib/modules/%s/%s", here.release, name);

	put_bytes(path, data, size);
}

UNUSED static void put_in_modules(const char *name, const char *text)
{
	put_bytes_in_modules(name, text, strlen(text));
}

UNUSED static void drop(const char *path)
{
	AUTO_FREE char *command = mem_printf("rm -rf %s%s", root, path);

	assert_int_equal(system(command), 0);
}

/* A machine without problems: root, the module installed by DKMS. */
UNUSED static void put_machine(void)
{
	put("/proc/kallsyms", SYMBOLS);
	put("/proc/self/status", "Name:\tktrace\nCapEff:\t000001ffffffffff\n");
	put("/proc/modules", "");
	put("/etc/os-release", "ID=debian\n");
	put(CLOCK "current_clocksource", arch_native.clock_source);
	put("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put("/sys/kernel/btf/vmlinux", "");
	put(EVENTS "enable", "0\n");
	put_in_modules("modules.dep", "kernel/fs/ext4/ext4.ko: kernel/fs/jbd2/jbd2.ko\nupdates/dkms/ktrace.ko:\nupdates/dkms/ktrace_user.ko:\n");
	put_in_modules("updates/dkms/ktrace.ko", "unsigned");
	put_in_modules("updates/dkms/ktrace_user.ko", "unsigned");
	put("/dev/ktrace-user", "");
	put_in_modules("build/Makefile", "");
}

UNUSED static int setup(void **state)
{
	unsetenv("DEBUGINFOD_URLS");
	strcpy(root, "/tmp/ktrace-doctor-XXXXXX");
	if (uname(&here) || !mkdtemp(root))
		return -1;
	strcpy(here.machine, arch_native.machine);
	fake = fake_create();
	fake->session.root = root;
	fake->session.cache = mem_printf("%s/cache", root);
	put_machine();
	return 0;
}

UNUSED static int teardown(void **state)
{
	AUTO_FREE char *command = mem_printf("rm -rf %s", root);

	fake_free(fake);
	return system(command);
}

/* The finding of one check, after the checks before it. */
UNUSED static struct finding look(const char *name)
{
	struct doctor d = { .kernel = here };
	struct finding out;

	doctor_begin(&d, &fake->session);
	for (const struct check *check = doctor_checks; check->name; check++) {
		out = (struct finding){ .result = DOCTOR_OK };
		check->look(&d, &out);
		assert_true(out.value[0]);
		if (!strcmp(check->name, name))
			return out;
	}
	fail_msg("no check %s", name);
	return out;
}

UNUSED static void put_secure_boot(uint8_t value)
{
	const uint8_t variable[] = { 6, 0, 0, 0, value };

	put_bytes(SECURE_BOOT, variable, sizeof(variable));
}

/* /sys/kernel/notes with the build id of this program, which plays the kernel's image. */
UNUSED static void put_build_id(uint8_t first)
{
	struct image *image = image_open("/proc/self/exe", NULL);
	uint32_t note[4 + BUILD_ID_MAX / 4] = { 4, image->id.len, 3 };

	memcpy(&note[3], "GNU", 4);
	memcpy(&note[4], image->id.bytes, image->id.len);
	((uint8_t *)&note[4])[0] ^= first;
	put_bytes("/sys/kernel/notes", note, 16 + image->id.len);
	image_close(image);
}

/* A program of apt prints this, if it is called with these arguments. */
UNUSED static void put_apt(const char *program, const char *arguments, const char *prints)
{
	AUTO_FREE char *script = mem_printf("#!/bin/sh\n[ \"$*\" = '-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= %s' ] || exit 100\n"
					    "cat <<.\n%s.\n", arguments, prints);
	AUTO_FREE char *name = mem_printf("/usr/bin/%s", program);
	AUTO_FREE char *path = mem_printf("%s%s", root, name);

	put(name, script);
	assert_int_equal(chmod(path, 0755), 0);
}

UNUSED static void put_package(const char *name, const char *fields)
{
	AUTO_FREE char *arguments = mem_printf("show --no-all-versions %s", name);

	put_apt("apt-cache", arguments, fields);
}

/* The command looks at the real machine, so the tests of another architecture do not run here. */
UNUSED static bool is_native(void)
{
	struct utsname name;

	return !uname(&name) && !strcmp(name.machine, arch_native.machine);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
