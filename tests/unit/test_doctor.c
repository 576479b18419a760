// SPDX-License-Identifier: GPL-2.0-or-later
/* test_doctor.c - each check of doctor, on machines that are faked below a directory. */
#include "doctor_machine.h"

#include <locale.h>

#include "signed_module.h"

static void expect(const char *name, enum doctor_result result, const char *value, const char *mend)
{
	struct finding out = look(name);

	if (out.result != result)
		fail_msg("%s: result %d, expected %d: %s", name, out.result, result, out.value);
	assert_contains(out.value, value);
	assert_one_line(out.value);
	if (*mend)
		assert_contains(out.mend, mend);
	else
		assert_string_equal(out.mend, "");
	assert_one_line(out.mend);
	/* A repair tells what it costs and what works without it. */
	if (out.mend[0]) {
		assert_true(out.cost.known || strstr(out.mend, "apt install") || strstr(out.mend, "dnf") || strstr(out.mend, "kernel"));
		assert_true(out.without[0]);
	}
}

/* ------------------------------------------------------------------ checks */

static void test_kernel(void **state)
{
	expect("kernel", DOCTOR_OK, arch_native.machine, "");
	strcpy(here.release, "5.9.16-generic");
	expect("kernel", DOCTOR_WARNING, "Linux 5.9.16-generic: ktrace is tested from 5.10 on", "");
	strcpy(here.release, "4.19.0");
	expect("kernel", DOCTOR_WARNING, "4.19.0", "");
	strcpy(here.release, "5.10.0-39-amd64");
	expect("kernel", DOCTOR_OK, "5.10.0-39-amd64", "");
	strcpy(here.machine, "riscv64");
	expect("kernel", DOCTOR_MISSING, "on riscv64: this ktrace is built for", "make install");
}

static void test_kprobes(void **state)
{
	expect("kprobes", DOCTOR_OK, "in the kernel", "");
	put("/proc/sys/kernel/ftrace_enabled", "0\n");
	expect("kprobes", DOCTOR_WARNING, "ftrace is switched off", "sudo sysctl kernel.ftrace_enabled=1");
	put("/sys/kernel/debug/kprobes/enabled", "0\n");
	expect("kprobes", DOCTOR_WARNING, "switched off", "/sys/kernel/debug/kprobes/enabled");
	put("/proc/kallsyms", "ffffffff81000000 T _text\n");
	expect("kprobes", DOCTOR_MISSING, "CONFIG_KPROBES", "boot a kernel");
	drop("/proc/kallsyms");
	expect("kprobes", DOCTOR_UNKNOWN, "is /proc mounted?", "");
}

static void test_rights(void **state)
{
	expect("rights", DOCTOR_OK, "CAP_SYS_ADMIN", "");
	put("/proc/self/status", "CapEff:\t0000000000000000\n");
	expect("rights", DOCTOR_MISSING, "no CAP_SYS_ADMIN", "sudo ktrace");
	put("/proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t0000000000000000\n");
	expect("rights", DOCTOR_MISSING, "no CAP_SYS_ADMIN", "outside this container");
	put("/proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n");
	put("/proc/self/uid_map", "         0       1000          1\n");
	expect("rights", DOCTOR_MISSING, "in a user namespace", "outside it");
	drop("/proc/self/uid_map");
	drop("/proc/self/status");
	expect("rights", DOCTOR_UNKNOWN, "/proc/self/status", "");
}

static void test_module_installed(void **state)
{
	expect("module", DOCTOR_OK, "installed by DKMS, not loaded", "");
	put_in_modules("modules.dep", "updates/ktrace.ko.xz:\n");
	expect("module", DOCTOR_MISSING, "neither loaded nor installed", "sudo make install");
	put("/usr/share/doc/ktrace/copyright", "");
	expect("module", DOCTOR_MISSING, "neither loaded nor installed", "sudo apt install ktrace-dkms");
	put_in_modules("updates/ktrace.ko.xz", "");
	expect("module", DOCTOR_OK, "installed, not loaded", "");
	put_in_modules("modules.dep", "updates/notktrace.ko:\n");
	put("/var/lib/dkms/ktrace/" KTRACE_VERSION "/source", "");
	expect("module", DOCTOR_MISSING, "neither loaded nor installed", "sudo dkms install ktrace/" KTRACE_VERSION);
	put("/proc/sys/kernel/modules_disabled", "1\n");
	expect("module", DOCTOR_MISSING, "kernel.modules_disabled", "boot again");
	drop("/proc/modules");
	expect("module", DOCTOR_MISSING, "CONFIG_MODULES", "boot a kernel");
}

static void test_module_loaded(void **state)
{
	put("/sys/module/ktrace/version", KTRACE_VERSION "\n");
	expect("module", DOCTOR_OK, "ktrace " KTRACE_VERSION " is loaded, control ABI", "");
	device_close(&fake->session.dev);
	fake->session.connected = false;
	fake->abi = KT_ABI_VERSION - 1;
	expect("module", DOCTOR_MISSING, "control ABI", "sudo make install, in the directory of ktrace's sources, then sudo rmmod ktrace");
	put("/proc/self/status", "CapEff:\t0000000000000000\n");
	expect("module", DOCTOR_OK, "root sees more", "");
	put("/sys/module/ktrace/version", "0.0.1\n");
	expect("module", DOCTOR_WARNING, "ktrace 0.0.1 is loaded, this program is " KTRACE_VERSION, "");
}

/* The program or the module is the older one, and the module of this version is installed or not. */
static void test_module_of_another_version(void **state)
{
	put("/sys/module/ktrace/version", "0.0.9\n");
	device_close(&fake->session.dev);
	fake->session.connected = false;
	fake->abi = 1;
	expect("module", DOCTOR_MISSING, "ktrace 0.0.9 is loaded, control ABI 1; ktrace " KTRACE_VERSION " needs ",
	       "sudo make install, in the directory of ktrace's sources, then sudo rmmod ktrace");
	put_bytes_in_modules("updates/dkms/ktrace.ko", VERSION_NOTE, sizeof(VERSION_NOTE));
	expect("module", DOCTOR_MISSING, "ktrace 0.0.9 is loaded, control ABI 1; ", "sudo rmmod ktrace; sudo modprobe ktrace");
	put("/sys/module/ktrace/version", "9.0\n");
	fake->abi = 1000;
	expect("module", DOCTOR_MISSING, "ktrace 9.0 is loaded, control ABI 1000; ktrace", "sudo rmmod ktrace; sudo modprobe ktrace");
	put_in_modules("updates/dkms/ktrace.ko", "another");
	expect("module", DOCTOR_MISSING, "ktrace 9.0 is loaded, control ABI 1000; ktrace", "in the directory of the sources of ktrace 9.0");
	put("/usr/share/doc/ktrace/copyright", "");
	expect("module", DOCTOR_MISSING, "ktrace 9.0 is loaded, control ABI 1000; ktrace", "sudo apt install ktrace");
}

static void test_programs(void **state)
{
	expect("programs", DOCTOR_OK, "a program with libktrace loads it", "");
	drop("/dev/ktrace-user");
	expect("programs", DOCTOR_WARNING, "/dev/ktrace-user is made at the next boot", "sudo modprobe ktrace_user");
	put_in_modules("modules.dep", "updates/dkms/ktrace.ko:\n");
	expect("programs", DOCTOR_WARNING, "neither loaded nor installed", "sudo make install");
	put("/sys/module/ktrace_user/version", KTRACE_VERSION "\n");
	expect("programs", DOCTOR_OK, "ktrace_user " KTRACE_VERSION " is loaded", "");
	put("/sys/module/ktrace_user/version", "0.0.1\n");
	expect("programs", DOCTOR_WARNING, "ktrace_user 0.0.1 is loaded, this program is", "sudo rmmod ktrace_user; sudo modprobe ktrace_user");
}

static void test_headers(void **state)
{
	AUTO_FREE char *build = mem_printf("/lib/modules/%s/build", here.release);

	expect("headers", DOCTOR_OK, build, "");
	drop(build);
	expect("headers", DOCTOR_OK, "none, and not needed", "");
	drop("/lib");
	expect("headers", DOCTOR_MISSING, "cannot be built", "sudo apt install linux-headers-");
	put("/etc/os-release", "ID=alma\nID_LIKE=\"rhel centos fedora\"\n");
	expect("headers", DOCTOR_MISSING, "cannot be built", "sudo dnf install kernel-devel-");
	drop("/etc/os-release");
	expect("headers", DOCTOR_MISSING, "cannot be built", "install the headers of kernel ");
}

static void test_signing(void **state)
{
	expect("signing", DOCTOR_OK, "no Secure Boot, lockdown none: unsigned modules are accepted", "");
	put_secure_boot(0);
	expect("signing", DOCTOR_OK, "Secure Boot off", "");
	put_secure_boot(1);
	expect("signing", DOCTOR_OK, "Secure Boot on, lockdown none: unsigned", "");
	drop("/sys/kernel/security");
	expect("signing", DOCTOR_MISSING, "Secure Boot on, lockdown not seen", "by DKMS");
	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	put("/var/lib/dkms/mok.pub", "");
	expect("signing", DOCTOR_MISSING, "lockdown integrity", "sudo mokutil --import /var/lib/dkms/mok.pub");
	put_in_modules("updates/dkms/ktrace.ko", "module, PKCS#7, ~Module signature appended~\n");
	put("/var/lib/shim-signed/mok/MOK.der", "");
	expect("signing", DOCTOR_WARNING, "key must be enrolled", "sudo ktrace doctor, which sees the kernel's keys");
	put("/proc/keys", "1 I 1 perm 1f030000 0 0 keytype Debian Secure Boot CA: 6ccece7e: X509.rsa 1 []\n");
	expect("signing", DOCTOR_MISSING, "does not know the key of 'somebody'", "mokutil --import /var/lib/shim-signed/mok/MOK.der");
	put("/sys/module/ktrace/version", KTRACE_VERSION "\n");
	expect("signing", DOCTOR_OK, "ktrace is loaded", "");
}

static void test_signing_known(void **state)
{
	AUTO_FREE char *path = mem_printf("/lib/modules/%s/updates/dkms/ktrace.ko", here.release);

	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	put_bytes(path, signed_module, sizeof(signed_module));
	put("/proc/keys", "1 I 1 perm 1f030000 0 0 keytype Debian Secure Boot CA: 6ccece7e: X509.rsa 1 []\n");
	expect("signing", DOCTOR_MISSING, "does not know the key of '" SIGNED_BY "', which signed the module", "Enroll MOK");
	put("/proc/keys", "1 I 1 perm 1f030000 0 0 keytype " SIGNED_BY ": 6ccece7e: X509.rsa 1 []\n");
	expect("signing", DOCTOR_OK, "signed by '" SIGNED_BY "', whose key the kernel has", "");
}

static void test_locked_down(void **state)
{
	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	expect("kprobes", DOCTOR_OK, "in the kernel", "");
	put("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	expect("kprobes", DOCTOR_MISSING, "locked down (confidentiality)", "boot without lockdown=confidentiality");
}

static void test_signing_enforced(void **state)
{
	put("/sys/module/module/parameters/sig_enforce", "N\n");
	expect("signing", DOCTOR_OK, "unsigned modules are accepted", "");
	put("/sys/module/module/parameters/sig_enforce", "Y\n");
	expect("signing", DOCTOR_MISSING, "ktrace's is not", "by DKMS");
}

static void test_symbols(void **state)
{
	expect("symbols", DOCTOR_OK, "2 of them", "");
	put("/proc/kallsyms", HIDDEN);
	expect("symbols", DOCTOR_WARNING, "hides the addresses", "sudo ktrace, with CAP_SYSLOG");
	put("/proc/sys/kernel/kptr_restrict", "2\n");
	expect("symbols", DOCTOR_WARNING, "hides the addresses", "sudo sysctl kernel.kptr_restrict=1");
	put("/proc/kallsyms", "ffffffff81000000 T register_kprobe\n");
	assert_contains(look("symbols").value, "CONFIG_KALLSYMS_ALL");
	assert_int_equal(look("symbols").result, arch_native.needs_data_symbols ? DOCTOR_MISSING : DOCTOR_WARNING);
	put("/proc/kallsyms", "");
	expect("symbols", DOCTOR_UNKNOWN, "/proc/kallsyms cannot be read", "");
}

static void test_types(void **state)
{
	expect("types", DOCTOR_OK, "/sys/kernel/btf/vmlinux", "");
	drop("/sys/kernel/btf");
	expect("types", DOCTOR_WARNING, "CONFIG_DEBUG_INFO_BTF", "");
}

static void test_debug_info(void **state)
{
	AUTO_FREE char *to = mem_printf("%s/usr/lib/debug/boot/vmlinux-%s", root, here.release);
	AUTO_FREE char *command = mem_printf("mkdir -p %s/usr/lib/debug/boot; cp /proc/$PPID/exe %s", root, to);

	expect("debug info", DOCTOR_WARNING, "build id of the kernel cannot be read", "sudo apt install linux-image-");
	put_build_id(0);
	expect("debug info", DOCTOR_WARNING, "none: no source lines", "sudo apt install linux-image-");
	setenv("DEBUGINFOD_URLS", "http://localhost:1", 1);
	expect("debug info", DOCTOR_OK, "the servers of DEBUGINFOD_URLS", "sudo apt install linux-image-");
	assert_int_equal(system(command), 0);
	expect("debug info", DOCTOR_OK, to, "ktrace index ");
	put_build_id(1);
	expect("debug info", DOCTOR_WARNING, "another build", "sudo apt install linux-image-");
}

static void expect_cost(const char *name, const char *text, bool known, uint64_t fetched, uint64_t kept, const char *without)
{
	const struct finding out = look(name);
	char cost[COST_SIZE];

	assert_string_equal(repair_cost_text(&out.cost, cost), text);
	assert_int_equal(out.cost.known, known);
	assert_int_equal(out.cost.fetched, fetched);
	assert_int_equal(out.cost.kept, kept);
	assert_string_equal(out.without, without);
}

/* What a repair fetches and keeps, only as the lists of packages have it. */
static void test_cost(void **state)
{
	AUTO_FREE char *debug = mem_printf("linux-image-%s-dbg", here.release);
	static const char no_list[] = "its size is not known: the package lists here do not have it (sudo apt update)";
	static const char types[] = "functions, ARGS and members of types";

	put_build_id(0);
	expect_cost("debug info", no_list, false, 0, 0, types);
	put_package(debug, "Package: it\nInstalled-Size: 5242880\nDescription: Size: 7\n Size: 8\nSize: 891289600\n");
	expect_cost("debug info", "850.0 MiB to fetch, 5.0 GiB to keep", true, 891289600, UINT64_C(5) << 30, types);
	drop("/sys/kernel/btf");
	expect_cost("debug info", "850.0 MiB to fetch, 5.0 GiB to keep", true, 891289600, UINT64_C(5) << 30,
		    "functions, registers and memory by offsets");
	put_package("another", "Installed-Size: 13\nSize: 1296\n");
	expect_cost("debug info", no_list, false, 0, 0, "functions, registers and memory by offsets");
	drop("/lib");
	expect_cost("module", "nothing to fetch, about 25.0 MiB to keep", true, 0, KEPT_BY_INSTALL, WITHOUT_TRACING);
	put("/usr/share/doc/ktrace/copyright", "");
	put_package("ktrace-dkms", "Installed-Size: 2048\nSize: 524288\n");
	expect_cost("module", "512.0 KiB to fetch, 2.0 MiB to keep", true, 512 << 10, 2 << 20, WITHOUT_TRACING);
	put("/proc/self/status", "CapEff:\t0000000000000000\n");
	expect_cost("rights", "nothing to fetch or keep", true, 0, 0, "print, report, export and events");
}

/* Packages that come with the one that is asked for count, too. */
static void test_cost_depends(void **state)
{
	AUTO_FREE char *headers = mem_printf("linux-headers-%s", here.release);
	AUTO_FREE char *simulate = mem_printf("-s -qq install %s", headers), *two = mem_printf("%s=6.1-1 linux-kbuild-6.1=6.1-2", headers);
	AUTO_FREE char *said = mem_printf("Inst %s (6.1-1 Debian:12/stable [amd64])\nRemv old [1]\n"
					  "Inst linux-kbuild-6.1 [6.1-1] (6.1-2 Debian:12/stable [amd64]) []\nConf %s (6.1-1)\n", headers, headers);
	AUTO_FREE char *script = mem_printf("#!/bin/sh\ncase $* in\n*'show --no-all-versions %s') printf 'Size: 1296\\nInstalled-Size: 13\\n"
					    "Depends: linux-kbuild\\n' ;;\n*'show --no-all-versions %s') printf 'Size: 1296\\nInstalled-Size: 13\\n"
					    "\\nSize: 1048576\\nInstalled-Size: 5107\\n' ;;\nesac\n", headers, two);
	AUTO_FREE char *cache = mem_printf("%s/usr/bin/apt-cache", root);

	drop("/lib");
	put("/usr/bin/apt-cache", script);
	assert_int_equal(chmod(cache, 0755), 0);
	expect_cost("headers", "1.3 KiB to fetch, 13.0 KiB to keep, besides what it depends on", true, 1296, 13 << 10, WITHOUT_TRACING);
	put_apt("apt-get", simulate, said);
	expect_cost("headers", "1.0 MiB to fetch, 5.0 MiB to keep", true, 1296 + (1 << 20), 5120 << 10, WITHOUT_TRACING);
	put("/etc/os-release", "ID=fedora\n");
	expect_cost("headers", "its size is not known", false, 0, 0, WITHOUT_TRACING);
	drop("/etc/os-release");
	expect_cost("headers", "its size is not known", false, 0, 0, WITHOUT_TRACING);
}

static void test_clock(void **state)
{
	AUTO_FREE char *all = mem_printf("hpet %s acpi_pm\n", arch_native.clock_source);

	expect("clock", DOCTOR_OK, arch_native.clock_source, "");
	put(CLOCK "current_clocksource", "hpet\n");
	expect("clock", DOCTOR_WARNING, "keeps time by hpet", "");
	put(CLOCK "available_clocksource", "hpet acpi_pm\n");
	expect("clock", DOCTOR_WARNING, "keeps time by hpet", "");
	put(CLOCK "available_clocksource", all);
	expect("clock", DOCTOR_WARNING, "slower to read", arch_native.clock_source);
	drop("/sys/devices");
	expect("clock", DOCTOR_UNKNOWN, "is /sys mounted?", "");
	put("/sys/module/ktrace/version", KTRACE_VERSION "\n");
	expect("clock", DOCTOR_OK, "tsc, resolution 0.500 ns", "");
}

static void test_events(void **state)
{
	expect("events", DOCTOR_OK, "all static tracepoints on the breakpoint entry path are off", "");
	put(EVENTS "rcu/rcu_dyntick/enable", "0\n");
	expect("events", DOCTOR_OK, "all static tracepoints on the breakpoint entry path are off", "");
	put(EVENTS "rcu/rcu_dyntick/enable", "1\n");
	expect("events", DOCTOR_MISSING, "rcu_dyntick is on", "echo 0 | sudo tee " EVENTS "rcu/rcu_dyntick/enable");
	drop("/sys/kernel/tracing");
	expect("events", DOCTOR_UNKNOWN, "not mounted", "sudo mount -t tracefs");
}

static void test_calibration(void **state)
{
	expect("calibration", DOCTOR_UNKNOWN, "the module is not loaded", "");
	put("/sys/module/ktrace/version", KTRACE_VERSION "\n");
	expect("calibration", DOCTOR_OK, "20.0 ns by jumps, 100 ns by breakpoints", "");
	assert_int_equal(fake->nr_sites, 0);
	fake->measured_elsewhere = true;
	expect("calibration", DOCTOR_UNKNOWN, "a running measurement", "");
	put("/proc/self/status", "CapEff:\t0000000000000000\n");
	expect("calibration", DOCTOR_UNKNOWN, "not open to this user", "");
}

/* The root directory is empty. */
static void test_nothing(void **state)
{
	drop("/*");
	for (const struct check *check = doctor_checks; check->name; check++)
		assert_true(look(check->name).value[0]);
}

/* ----------------------------------------------------------------- command */

static void test_text(void **state)
{
	if (!is_native())
		return;
	setlocale(LC_CTYPE, "C");
	assert_int_equal(fake_run(fake, "doctor"), STATUS_OK);
	assert_contains(fake->out, "ok       rights       CAP_SYS_ADMIN\nok       module       installed by DKMS");
	assert_contains(fake->out, "warning  debug info   ");
	assert_contains(fake->out, "unknown  calibration  not measured: the module is not loaded\n"
				   "\nktrace can trace here; 1 warning\n");
	assert_contains(fake->out, "-dbg\n"
				   "                         its size is not known: the package lists here do not have it (sudo apt update)\n"
				   "                         without it: functions, ARGS and members of types\n");
	put("/proc/self/status", "CapEff:\t0000000000000000\n");
	assert_int_equal(fake_run(fake, "doctor"), STATUS_FAILURE);
	assert_contains(fake->out, "missing  rights       no CAP_SYS_ADMIN\n                      -> sudo ktrace\n"
				   "                         nothing to fetch or keep\n"
				   "                         without it: print, report, export and events\n");
	assert_contains(fake_error(), "tracing does not work here yet (rights): ");
	assert_null(strstr(fake->out, "can trace"));
}

static void test_marks(void **state)
{
	if (!is_native() || !setlocale(LC_CTYPE, "C.UTF-8"))
		return;
	drop("/lib");
	fake->session.colour = true;
	assert_int_equal(fake_run(fake, "doctor"), STATUS_FAILURE);
	assert_contains(fake->out, "\033[32m✓\033[0m \033[1mrights\033[0m       CAP_SYS_ADMIN\n");
	assert_contains(fake->out, "\033[31m✗\033[0m \033[1mmodule\033[0m       neither loaded nor installed for this kernel\n"
				   "               → sudo make install");
	setlocale(LC_CTYPE, "C");
}

static void test_json(void **state)
{
	if (!is_native())
		return;
	fake->session.format = PRINT_JSON;
	assert_int_equal(fake_run(fake, "doctor"), STATUS_OK);
	assert_contains(fake->out, "{\"type\":\"doctor\",\"v\":3,\"works\":true,\"checks\":[{\"name\":\"kernel\",\"result\":\"ok\",");
	assert_contains(fake->out, "{\"name\":\"rights\",\"result\":\"ok\",\"value\":\"CAP_SYS_ADMIN\",\"mend\":null,"
				   "\"download_bytes\":null,\"installed_bytes\":null,\"without\":null}");
	put("/proc/self/status", "CapEff:\t0000000000000000\n");
	assert_int_equal(fake_run(fake, "doctor"), STATUS_FAILURE);
	assert_contains(fake->out, "\"works\":false,");
	assert_contains(fake->out, "\"result\":\"missing\",\"value\":\"no CAP_SYS_ADMIN\",\"mend\":\"sudo ktrace\",");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_kernel),
		TEST(test_kprobes),
		TEST(test_rights),
		TEST(test_module_installed),
		TEST(test_module_loaded),
		TEST(test_module_of_another_version),
		TEST(test_programs),
		TEST(test_headers),
		TEST(test_signing),
		TEST(test_signing_enforced),
		TEST(test_signing_known),
		TEST(test_locked_down),
		TEST(test_symbols),
		TEST(test_types),
		TEST(test_debug_info),
		TEST(test_cost),
		TEST(test_cost_depends),
		TEST(test_clock),
		TEST(test_events),
		TEST(test_calibration),
		TEST(test_nothing),
		TEST(test_text),
		TEST(test_marks),
		TEST(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
