// SPDX-License-Identifier: GPL-2.0-or-later
/* test_bugreport.c - bugreport: what it takes out of a line, that it finds no secret planted in what it reads, and its file. */
#include "doctor_machine.h"

#include <fcntl.h>

#include "ctl/show/bugreport/bugreport.h"
#include "ctl/show/bugreport/privacy.h"

/* -------------------------------------------------------------------- lines */

static void put_names(void)
{
	put("/etc/hostname", "swordfish.example.org\n");
	put("/etc/passwd", "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/:/bin/sh\n"
			   "alice:x:1000:1000:Alice Liddell,,,:/home/alice:/bin/bash\n");
}

static void expect_clean(const struct privacy *privacy, const char *line, const char *clean)
{
	AUTO_FREE char *text = privacy_clean(privacy, line);

	assert_string_equal(text, clean);
}

static void test_lines(void **state)
{
	static const struct {
		const char *line, *clean;
	} rows[] = {
		/* Names; parts of other words stay. */
		{ "SwordFish: alice ran", "<host>: <user> ran" },
		{ "on swordfish.example.org by Liddell", "on <host> by <user>" },
		{ "malice swordfishes", "malice swordfishes" },
		{ "root, daemon", "root, daemon" },
		{ "from bob@example.net now", "from <name> now" },
		/* Paths; those of the system stay. */
		{ "/home/alice/k/vmlinux, of this build", "<path>, of this build" },
		{ "cannot open /root/my files/a b: no such file", "cannot open <path>: no such file" },
		{ "file=~/notes", "file=<path>" },
		{ "/usr/lib/debug/boot/vmlinux-6.1.0-57-amd64, indexed", "/usr/lib/debug/boot/vmlinux-6.1.0-57-amd64, indexed" },
		{ "/usr/lib/debug/../../home/x", "<path>" },
		{ "/lib/modules/6.1.0-57-amd64/build", "/lib/modules/6.1.0-57-amd64/build" },
		{ "50/100 and / too", "50/100 and / too" },
		/* Addresses of memory, of networks. */
		{ "at ffffffff81234567+0x10/0x90", "at <address>+0x10/0x90" },
		{ "at 0xffff888012345678, 0x401000", "at <address>, <address>" },
		{ "RIP: 0010:kt_hit+0x1f/0x70 [ktrace]", "RIP: 0010:kt_hit+0x1f/0x70 [ktrace]" },
		{ "id 0f3a9c1de2b4", "id <address>" },
		{ "from 192.168.1.77 port 80", "from <address> port 80" },
		{ "6.1.0 12.2.0-14+deb12u1", "6.1.0 12.2.0-14+deb12u1" },
		{ "mac 02:00:5e:10:00:aF!", "mac <address>!" },
		{ "2001:db8::17 fe80::1", "<address> <address>" },
		{ "02:16:49.432246562", "02:16:49.432246562" },
		{ "1234567 records", "1234567 records" },
		/* Keys. */
		{ "key AKiaIOSFODNN7EXAMPLE9 there", "key <key> there" },
		{ "Password: hunter2 and more", "<secret>" },
		{ "api token=abc", "api <secret>" },
		{ "a module's key must be enrolled", "a module's key must be enrolled" },
		{ "flags fpu vme de pse md_clear arch_capabilities", "flags fpu vme de pse md_clear arch_capabilities" },
		{ "", "" },
	};
	struct privacy privacy;

	put_names();
	privacy_open(&privacy, root);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect_clean(&privacy, rows[i].line, rows[i].clean);
	privacy_close(&privacy);
}

/* ------------------------------------------------------------------ secrets */

/* In each place that a report reads, and in those that it must not read. */
static const char *const secrets[] = {
	"swordfish", "alice", "liddell", "ffffffff81234567", "192.168.1.77", "02:00:5e:10:00:af", "2001:db8::17",
	"AKiaIOSFODNN7EXAMPLE9", "hunter2", "wonderland", "looking-glass", "jabberwock", "tweedledum", "/home", "/srv/",
};

#define ALL	"swordfish alice ffffffff81234567 192.168.1.77 02:00:5e:10:00:af 2001:db8::17 AKiaIOSFODNN7EXAMPLE9 " \
		"/home/alice/wonderland /srv/looking-glass password=hunter2"

static void put_secrets(void)
{
	AUTO_FREE char *config = mem_printf("/boot/config-%s", here.release);

	put_names();
	put(config, "CONFIG_KPROBES=y\n# CONFIG_KASAN is not set\nCONFIG_HZ=250\nCONFIG_LOCALVERSION=\"-swordfish\"\n"
		    "CONFIG_SYSTEM_TRUSTED_KEYS=\"/home/alice/wonderland.pem\"\nCONFIG_NR_CPUS=\"swordfish\"\n");
	put("/proc/cmdline", "root=UUID=1234 hostname=swordfish mitigations=off lockdown=wonderland/x secret=hunter2 nosmt\n");
	put("/dev/kmsg", "6,1,1000,-;ktrace: loaded " ALL "\n SUBSYSTEM=tweedledum\n4,2,2000000,-;other: jabberwock\n"
			 "4,3,3500000,-; kt_hit+0x1f/0x70 [ktrace]\n4,4,9,-;Code: jabberwock\n");
	put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Good CPU @ 2.90GHz\nmicrocode\t: 0x2b000639\nflags\t\t: fpu vme\n"
			     "Serial\t\t: jabberwock\n\nprocessor\t: 1\nmodel name\t: jabberwock\n");
	put("/sys/module/ktrace/version", KTRACE_VERSION "\n");
	put("/sys/module/ktrace/parameters/ring_kb", "256\n");
	put("/sys/module/other/parameters/password", "hunter2\n");
	put("/sys/kernel/debug/kprobes/list", "ffffffff81234567  k  jabberwock+0x0    [FTRACE]\n");
	put("/sys/kernel/tracing/kprobe_events", "p:kprobes/jabberwock tweedledum\np:kprobes/looking-glass x\n");
	put("/etc/os-release", "ID=debian\nVERSION_ID=\"12\"\nHOME_URL=\"https://swordfish.example.org/\"\n");
	setenv("AWS_SECRET", "jabberwock", 1);
	setenv("USER", "tweedledum", 1);
	fake->has_recordings = true;
	fake->session.vmlinux = "/home/alice/wonderland/vmlinux";
}

static char *read_file(const char *path)
{
	AUTO_FREE char *at = mem_printf("%s/%s", root, path);
	char *text = mem_zalloc(1, 1 << 16);
	FILE *file = fopen(at, "re");

	assert_non_null(file);
	assert_in_range(fread(text, 1, (1 << 16) - 1, file), 100, (1 << 16) - 2);
	fclose(file);
	return text;
}

static enum exit_status run_report(const char *options, const char *path)
{
	AUTO_FREE char *line = mem_printf("bugreport %s %s/%s", options, root, path);

	return fake_run(fake, line);
}

static bool has_secret(const char *text, const char *secret)
{
	for (; *text; text++)
		if (!strncasecmp(text, secret, strlen(secret)))
			return true;
	return false;
}

static void expect_row(const char *text, const char *name, const char *value)
{
	AUTO_FREE char *row = mem_printf("\n%-25s %s\n", name, value);

	assert_contains(text, row);
}

static void test_secrets(void **state)
{
	AUTO_FREE char *text = NULL;

	put_secrets();
	assert_int_equal(run_report("--yes", "bug.txt"), STATUS_OK);
	text = read_file("bug.txt");
	for (size_t i = 0; i < ARRAY_SIZE(secrets); i++)
		if (has_secret(text, secrets[i]))
			fail_msg("the report holds %s:\n%s", secrets[i], text);
	assert_false(has_secret(text, root));
	/* What it is for is there. */
	expect_row(text, "KPROBES", "y");
	expect_row(text, "KASAN", "n");
	expect_row(text, "HZ", "250");
	assert_null(strstr(text, "NR_CPUS"));
	assert_null(strstr(text, "LOCALVERSION"));
	expect_row(text, "booted with", "mitigations=off");
	expect_row(text, "booted with", "nosmt");
	expect_row(text, "distribution", "debian");
	expect_row(text, "distribution", "12");
	expect_row(text, "ring_kb", "256");
	expect_row(text, "kprobes", "1");
	expect_row(text, "kprobe events", "2");
	expect_row(text, "model name", "Good CPU @ 2.90GHz");
	expect_row(text, "microcode", "721421881");
	expect_row(text, "flags", "fpu vme");
	expect_row(text, "recordings", "2");
	assert_contains(text, "\n3.500000  kt_hit+0x1f/0x70 [ktrace]\n");
	assert_contains(text, "\n0.001000 ktrace: loaded <host> <user> <address> ");
	assert_contains(text, "\nok       rights       CAP_SYS_ADMIN\n");
	assert_contains(text, "\n== tracers\n");
}

/* --------------------------------------------------------------------- file */

static void test_file(void **state)
{
	AUTO_FREE char *path = mem_printf("%s/bug.txt", root), *count = mem_printf("test $(ls -d %s/bug* | wc -l) = 1", root);
	struct stat st;

	umask(0);
	assert_int_equal(run_report("--yes", "bug.txt"), STATUS_OK);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	/* All parts are in the list, which comes first. */
	for (const struct bug_part *part = bug_parts; part->name; part++)
		assert_contains(fake->messages, part->holds);
	assert_contains(fake->messages, "It does not hold names of the host");
	assert_contains(fake->messages, "read it, then attach it to the issue");
	/* Nothing is replaced, and no part is left. */
	assert_int_equal(run_report("--yes", "bug.txt"), STATUS_FAILURE);
	assert_contains(fake_error(), "exists: choose another name");
	assert_int_equal(run_report("--yes", "none/bug.txt"), STATUS_FAILURE);
	assert_contains(fake_error(), "none/bug.txt cannot be written: No such file or directory");
	assert_int_equal(system(count), 0);
}

/* Without a terminal nobody can answer; then nothing is written. */
static void test_question(void **state)
{
	AUTO_FREE char *path = mem_printf("%s/bug.txt", root);
	const int null = open("/dev/null", O_RDONLY | O_CLOEXEC), before = dup(STDIN_FILENO);

	dup2(null, STDIN_FILENO);
	assert_int_equal(run_report("", "bug.txt"), STATUS_FAILURE);
	assert_string_equal(fake_error(), "nothing written: there is no terminal to ask at: give --yes");
	assert_int_equal(access(path, F_OK), -1);
	assert_contains(fake->messages, "It holds:\n  versions    of ktrace");
	fake->session.yes = true;
	assert_int_equal(run_report("", "bug.txt"), STATUS_OK);
	dup2(before, STDIN_FILENO);
	close(before);
	close(null);
	assert_int_equal(fake_run(fake, "bugreport --yes"), STATUS_USAGE);
	assert_contains(fake_error(), "give the name of the file to write");
	assert_int_equal(fake_run(fake, "bugreport a b"), STATUS_USAGE);
	assert_contains(fake_error(), "unexpected 'b'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_lines),
		TEST(test_secrets),
		TEST(test_file),
		TEST(test_question),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
