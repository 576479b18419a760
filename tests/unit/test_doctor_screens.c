// SPDX-License-Identifier: GPL-2.0-or-later
/* test_doctor_screens.c - whole screens of doctor, and what a command that fails for lack of something says. */
#include "doctor_machine.h"

#include <locale.h>

#include "ctl/base/fit.h"
#include "own_index.h"

/* ----------------------------------------------------------------- screens */

/* The screen of 80 columns, for a machine of this architecture: a whole text in tests/unit/doctor. */
static char *screen(void)
{
	struct doctor d = { .kernel = here };
	struct diagnosis all;
	char *text = NULL, *fitted = NULL, *at;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	doctor_begin(&d, &fake->session);
	diagnosis_examine(&all, &d);
	diagnosis_print(&all, out, false, false);
	diagnosis_free(&all);
	fclose(out);
	while ((at = strstr(text, root)))
		memmove(at, at + strlen(root), strlen(at + strlen(root)) + 1);
	out = open_memstream(&fitted, &len);
	fit_text(text, 80, out);
	fclose(out);
	free(text);
	return fitted;
}

/* Replace a word by another one, in the lines that end with it. */
static bool put_other(FILE *out, const char *line, const char *end, const char *other)
{
	const char *at = strstr(line, end);

	if (!at || strcmp(at, end))
		return false;
	fprintf(out, "%.*s%s\n", (int)(at - line), line, other);
	return true;
}

/* The texts have the names of x86-64. */
static void put_name(FILE *out, const char *line)
{
	if (!put_other(out, line, "x86_64\n", arch_native.machine) && !put_other(out, line, "tsc\n", arch_native.clock_source))
		fputs(line, out);
}

/* They have the versions of this ktrace, too: UPDATE=1 writes them anew.  Look at what changed. */
static void update_screen(const char *path, const char *text)
{
	FILE *out = fopen(path, "we");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static void expect_screen(const char *name)
{
	AUTO_FREE char *path = mem_printf("tests/unit/doctor/%s.txt", name), *text = screen(), *wanted = NULL;
	FILE *in, *out;
	char line[256];
	size_t len;

	if (getenv("UPDATE"))
		update_screen(path, text);
	in = fopen(path, "re");
	assert_non_null(in);
	out = open_memstream(&wanted, &len);
	while (fgets(line, sizeof(line), in))
		put_name(out, line);
	fclose(in);
	fclose(out);
	if (strcmp(text, wanted))
		fail_msg("%s differs; now it is:\n%s", path, text);
}

/* A laptop of Debian 12 on which all is well: ktrace came by its packages, the debug information is installed and indexed. */
static void put_laptop(void)
{
	AUTO_FREE char *path = mem_printf("%s/usr/lib/debug/boot/vmlinux-XXXXXX", root);

	drop("/*");
	strcpy(here.release, "6.1.0-57-amd64");
	put_machine();
	put("/usr/share/doc/ktrace/copyright", "");
	put("/usr/lib/debug/boot/README", "");
	put("/sys/module/ktrace/version", KTRACE_VERSION "\n");
	put_build_id(0);
	assert_true(own_index(__FILE__, path));
	fake->session.vmlinux = mem_printf("%s/usr/lib/debug/boot/vmlinux-%s", root, here.release);
	assert_int_equal(rename(path, fake->session.vmlinux), 0);
}

static void test_screens(void **state)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return;
	put_laptop();
	expect_screen("well");

	drop("/usr/lib");
	free((char *)fake->session.vmlinux);
	fake->session.vmlinux = NULL;
	put_package("linux-image-6.1.0-57-amd64-dbg", "Size: 912483300\nInstalled-Size: 5310332\n");
	expect_screen("no-debug-info");

	put("/sys/module/ktrace/version", "0.0.9\n");
	put_bytes_in_modules("updates/dkms/ktrace.ko", VERSION_NOTE, sizeof(VERSION_NOTE));
	device_close(&fake->session.dev);
	fake->session.connected = false;
	fake->abi = KT_ABI_VERSION - 1;
	expect_screen("old-module");

	drop("/sys/module");
	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	put_secure_boot(1);
	put("/var/lib/dkms/mok.pub", "");
	expect_screen("unsigned");

	put("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put_secure_boot(0);
	drop("/lib");
	put("/usr/bin/apt-cache", "#!/bin/sh\ncase $7 in\n"
				  "ktrace-dkms) echo Size: 467200; echo Installed-Size: 1936 ;;\n"
				  "linux-headers-*) echo Size: 10485760; echo Installed-Size: 61440 ;;\n"
				  "*) echo Size: 912483300; echo Installed-Size: 5310332 ;;\nesac\n");
	expect_screen("no-headers");
	setlocale(LC_CTYPE, "C");
}

/* ------------------------------------------------------------- failed commands */

/* What a command fails for is told as doctor tells it. */
static void test_error_path(void **state)
{
	device_close(&fake->session.dev);
	fake->session.connected = false;
	fake->abi = 1;
	put("/sys/module/ktrace/version", "0.0.9\n");
	put_bytes_in_modules("updates/dkms/ktrace.ko", VERSION_NOTE, sizeof(VERSION_NOTE));
	if (!is_native())
		return;
	assert_int_equal(fake_run(fake, "list"), STATUS_NO_ACCESS);
	assert_contains(fake_error(), "module: ktrace 0.0.9 is loaded, control ABI 1; ktrace ");
	assert_contains(fake_error(), ": sudo rmmod ktrace; sudo modprobe ktrace");
	assert_one_line(fake_error());
	put("/proc/self/status", "CapEff:\t0000000000000000\n");
	assert_int_equal(fake_run(fake, "list"), STATUS_NO_ACCESS);
	assert_string_equal(fake_error(), "rights: no CAP_SYS_ADMIN: sudo ktrace");
	drop("/sys/module");
	drop("/lib");
	put_machine();
	drop("/lib");
	put("/usr/share/doc/ktrace/copyright", "");
	put_package("ktrace-dkms", "Installed-Size: 2048\nSize: 524288\n");
	assert_int_equal(fake_run(fake, "list"), STATUS_NO_ACCESS);
	assert_string_equal(fake_error(), "module: neither loaded nor installed for this kernel: sudo apt install ktrace-dkms "
					  "(512.0 KiB to fetch, 2.0 MiB to keep)");
}

/* The remedy that other texts name has its cost. */
static void test_error_cost(void **state)
{
	AUTO_FREE char *debug = mem_printf("linux-image-%s-dbg", here.release);
	struct error err;

	error_set(&err, STATUS_FAILURE, "no source lines: sudo apt install %s", debug);
	doctor_complete(&fake->session, &err);
	assert_null(strstr(err.text, "("));
	put_package(debug, "Installed-Size: 2048\nSize: 524288\n");
	for (int i = 0; i < 2; i++) {
		doctor_complete(&fake->session, &err);
		assert_contains(err.text, "-dbg (512.0 KiB to fetch, 2.0 MiB to keep)");
		assert_null(strstr(strchr(err.text, '(') + 1, "("));
	}
	error_set(&err, STATUS_USAGE, "vfs_wrong: no such function");
	doctor_complete(&fake->session, &err);
	assert_string_equal(err.text, "vfs_wrong: no such function");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_screens),
		TEST(test_error_path),
		TEST(test_error_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
