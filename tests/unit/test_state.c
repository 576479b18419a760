// SPDX-License-Identifier: GPL-2.0-or-later
/* The state of the system before a recording: parsers of /proc and /sys, the module's entries, and a whole dump. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/device/device.h"
#include "ctl/base/memory.h"
#include "ctl/base/state/entries.h"
#include "ctl/base/state/state.h"
#include "ctl/base/state/text.h"
#include "unit.h"

/* ----------------------------------------------------------------- modules */

static void test_modules(void **state)
{
	char text[] = "virtio_net 61440 0 - Live 0xffffffffc0400000\n"
		      "net_failover 24576 1 virtio_net, Live 0xffffffffc03f1000 (OE)\n"
		      "\n"
		      "half\n"
		      "worse x 0 - Live 0x1\n"
		      "new_one 4096 - - Loading 0x0000000000000000\n"
		      "last 1 0 -";
	struct state_module *out;
	const size_t n = state_parse_modules(text, &out);

	assert_int_equal(n, 4);
	assert_string_equal(out[0].name, "virtio_net");
	assert_int_equal(out[0].bytes, 61440);
	assert_string_equal(out[0].status, "Live");
	assert_true(out[0].address == 0xffffffffc0400000);
	assert_string_equal(out[1].name, "net_failover");
	assert_true(out[1].address == 0xffffffffc03f1000);
	assert_string_equal(out[2].status, "Loading");
	assert_true(out[2].address == 0);
	assert_string_equal(out[3].name, "last");
	assert_string_equal(out[3].status, "");
	free(out);
}

static void test_no_modules(void **state)
{
	struct state_module *out;
	char text[] = "";

	assert_int_equal(state_parse_modules(text, &out), 0);
	assert_null(out);
}

/* -------------------------------------------------------------- interrupts */

struct expected {
	const char *label;
	int number;
	const char *chip, *action;
	uint64_t count;
};

static void check_interrupts(const char *text, const struct expected *expected, size_t nr)
{
	AUTO_FREE char *copy = mem_strdup(text);
	struct state_interrupt *out;
	const size_t n = state_parse_interrupts(copy, &out);

	assert_int_equal(n, nr);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(out[i].label, expected[i].label);
		assert_int_equal(out[i].number, expected[i].number);
		assert_string_equal(out[i].chip, expected[i].chip);
		assert_string_equal(out[i].action, expected[i].action);
		assert_int_equal(out[i].count, expected[i].count);
	}
	free(out);
}

static void test_interrupts(void **state)
{
	static const char text[] =
		"            CPU0       CPU1       \n"
		"   0:         42          1   IO-APIC   2-edge      timer\n"
		"   9:          0          0   IO-APIC   9-fasteoi   acpi\n"
		"  16:          0         29   IO-APIC  16-fasteoi   ehci_hcd:usb1, i801_smbus (old), wlan 0\n"
		"  17:          3          0   IO-APIC  17-edge    \n"
		"  24:          1          2   PCI-MSI 65536-edge      virtio0-config\n"
		"  25:          0 4294967295  PCI-MSIX-0000:00:03.0   0-edge      eth0 rx\\012tx\n"
		"  26:          5          0  xen-percpu    -virq      timer0\n"
		" NMI:          7          8   Non-maskable interrupts\n"
		" ERR:          3\n"
		" MIS:          0\n"
		"no colon here\n";
	static const struct expected expected[] = {
		{ "0", 0, "IO-APIC", "timer", 43 }, { "9", 9, "IO-APIC", "acpi", 0 },
		{ "16", 16, "IO-APIC", "ehci_hcd:usb1", 29 }, { "16", 16, "IO-APIC", "i801_smbus (old)", 29 },
		{ "16", 16, "IO-APIC", "wlan 0", 29 }, { "17", 17, "IO-APIC", "", 3 },
		{ "24", 24, "PCI-MSI", "virtio0-config", 3 },
		{ "25", 25, "PCI-MSIX-0000:00:03.0", "eth0 rx\\012tx", 4294967295 },
		{ "26", 26, "xen-percpu", "timer0", 5 },
		{ "NMI", -1, "", "Non-maskable interrupts", 15 }, { "ERR", -1, "", "", 3 }, { "MIS", -1, "", "", 0 },
	};

	check_interrupts(text, expected, ARRAY_SIZE(expected));
}

/* Another architecture: the chip's name may have two words, Level or Edge stands apart. */
static void test_interrupts_level(void **state)
{
	static const char text[] =
		"           CPU0       CPU1       CPU3       \n"
		" 11:       1234       1200          9     GICv3  27 Level     arch_timer\n"
		" 13:          0          0          0     GICv3  33 Level     uart-pl011\n"
		" 14:          2          0          0  SiFive PLIC  10 Edge      ttyS0\n"
		" 45:          0          0          0  9030000.pl061   3 Edge      GPIO Key Poweroff\n"
		" 46:          1          0          0   ITS-MSI 16384 Edge    \n"
		" 47:          1          0          0   ITS-MSI 16385 Level\n"
		" 48:          0          6          0      dummy           mystery\n"
		"IPI0:      1091       2000          0       Rescheduling interrupts\n"
		"Err:          0\n";
	static const struct expected expected[] = {
		{ "11", 11, "GICv3", "arch_timer", 2443 }, { "13", 13, "GICv3", "uart-pl011", 0 },
		{ "14", 14, "SiFive PLIC", "ttyS0", 2 }, { "45", 45, "9030000.pl061", "GPIO Key Poweroff", 0 },
		{ "46", 46, "ITS-MSI", "", 1 }, { "47", 47, "ITS-MSI", "", 1 }, { "48", 48, "dummy", "mystery", 6 },
		{ "IPI0", -1, "", "Rescheduling interrupts", 3091 }, { "Err", -1, "", "", 0 },
	};

	check_interrupts(text, expected, ARRAY_SIZE(expected));
}

static void test_interrupts_many_cpus(void **state)
{
	enum { CPUS = 256 };
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *file = open_memstream(&text, &len);
	static const struct expected expected[] = {
		{ "7", 7, "IO-APIC", "parport0", CPUS *(CPUS - 1) / 2 }, { "LOC", -1, "", "Local timer interrupts", CPUS },
	};

	fputs("     ", file);
	for (int i = 0; i < CPUS; i++)
		fprintf(file, "CPU%-8d", i);
	fputs("\n   7: ", file);
	for (int i = 0; i < CPUS; i++)
		fprintf(file, "%10u ", i);
	fputs("  IO-APIC   7-edge      parport0\n LOC: ", file);
	for (int i = 0; i < CPUS; i++)
		fprintf(file, "%10u ", 1);
	fputs("  Local timer interrupts\n", file);
	fclose(file);
	check_interrupts(text, expected, ARRAY_SIZE(expected));
}

static void test_interrupts_odd(void **state)
{
	static const struct expected expected[] = {
		{ "1", 1, "", "", 2 }, { "99999999999", -1, "", "x", 0 }, { "2", 2, "5-edge", "", 3 },
	};

	check_interrupts("", NULL, 0);
	check_interrupts("CPU0\n", NULL, 0);
	check_interrupts("  CPU0\n1: 2\n99999999999: x\n2: 3 5-edge\n", expected, ARRAY_SIZE(expected));
}

/* ----------------------------------------------------------------- numbers */

static void test_cpus(void **state)
{
	uint32_t *out;

	assert_int_equal(state_parse_cpus("0-2,5,7-8\n", &out), 6);
	assert_int_equal(out[2], 2);
	assert_int_equal(out[3], 5);
	assert_int_equal(out[5], 8);
	free(out);
	assert_int_equal(state_parse_cpus("0", &out), 1);
	assert_int_equal(out[0], 0);
	free(out);
	assert_int_equal(state_parse_cpus("0-255\n", &out), 256);
	free(out);
}

static void test_bad_cpus(void **state)
{
	static const char *const bad[] = {
		"", "\n", "x", "1-", "3-1", "0,,1", "0-1;2", "0,", "0-4294967295", "0,65536", "-1",
	};
	uint32_t *out;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(state_parse_cpus(bad[i], &out), 0);
		assert_null(out);
	}
}

static void test_dev(void **state)
{
	static const char *const bad[] = {
		"", "254", "254:", ":0", "x:1", "1:x", "1:2 3", "4096:0", "0:1048576", "-1:0",
	};
	uint32_t dev = 0;

	assert_true(state_parse_dev("254:0\n", &dev));
	assert_int_equal(dev, 254 << 20);
	assert_true(state_parse_dev("8:17", &dev));
	assert_int_equal(dev, 8 << 20 | 17);
	assert_true(state_parse_dev("4095:1048575", &dev));
	assert_int_equal(dev, 0xffffffff);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(state_parse_dev(bad[i], &dev));
}

/* ------------------------------------------------------ the module's entries */

/* What the fake module answers for one kind: parts, one for each call. */
struct answer {
	uint64_t bytes[128];
	size_t len;
};

static struct fake {
	struct answer parts[KT_NR_STATES][3];
	unsigned int calls[KT_NR_STATES];
	unsigned int nr[KT_NR_STATES];	/* parts; 0: one, which is empty */
	uint64_t clock;
	int error;			/* of KT_IOC_STATE */
} fake;

static void add(enum kt_state_kind kind, unsigned int part, const void *fields, size_t size, const char *name)
{
	struct answer *to = &fake.parts[kind][part];
	unsigned char *at = (unsigned char *)to->bytes + to->len;
	const uint32_t len = (size + (name ? strlen(name) + 1 : 0) + 7) & ~7U;

	assert_true(to->len + len <= sizeof(to->bytes));
	memcpy(at, fields, size);
	if (name)
		memcpy(at + size, name, strlen(name) + 1);
	memcpy(at, &len, sizeof(len));
	to->len += len;
	if (fake.nr[kind] <= part)
		fake.nr[kind] = part + 1;
}

static void add_task(unsigned int part, int pid, int tgid, uint32_t flags, const char *name)
{
	struct kt_state_task task = { .head = { .pid = pid, .time = 100 }, .tgid = tgid, .flags = flags };

	memcpy(task.name, name, strlen(name));
	add(KT_STATE_TASKS, part, &task, sizeof(task), NULL);
}

static int fake_state(struct kt_state *req)
{
	const struct answer *part = &fake.parts[req->kind][fake.calls[req->kind]];

	if (fake.error) {
		errno = fake.error;
		return -1;
	}
	assert_int_equal(req->size, sizeof(*req));
	assert_int_equal(req->room, KT_MAX_STATE_ROOM);
	/* The cursor comes back as it was returned. */
	assert_int_equal(req->cursor[0], fake.calls[req->kind]);
	memcpy((void *)(uintptr_t)req->buf, part->bytes, part->len);
	req->len = part->len;
	req->cursor[0] = ++fake.calls[req->kind];
	req->done = fake.calls[req->kind] >= fake.nr[req->kind];
	return 0;
}

static int fake_call(struct device *dev, unsigned long request, void *arg)
{
	struct kt_clock *clock = arg;

	if (request == KT_IOC_STATE)
		return fake_state(arg);
	assert_int_equal(request, KT_IOC_CLOCK);
	clock->nr = 0;
	clock->now = ++fake.clock;
	return 0;
}

static void check_entries(enum kt_state_kind kind, size_t bytes, size_t good, bool whole)
{
	const struct answer *part = &fake.parts[kind][0];
	struct entries entries = { .at = (const void *)part->bytes, .kind = kind };
	size_t n = 0;

	entries.end = entries.at + bytes;
	while (entries_next(&entries))
		n++;
	assert_int_equal(n, good);
	assert_int_equal(entries.at == entries.end, whole);
}

static void test_entries(void **state)
{
	const struct kt_state_file file = { .fd = 3 };
	const struct kt_state_cpu cpu = { .cpu = 1 };
	struct answer *files = &fake.parts[KT_STATE_FILES][0];

	memset(&fake, 0, sizeof(fake));
	add(KT_STATE_FILES, 0, &file, sizeof(file), "/a");
	add(KT_STATE_FILES, 0, &file, sizeof(file), "");
	add(KT_STATE_END, 0, &cpu, sizeof(cpu), NULL);
	check_entries(KT_STATE_FILES, files->len, 2, true);
	check_entries(KT_STATE_FILES, 0, 0, true);
	check_entries(KT_STATE_END, fake.parts[KT_STATE_END][0].len, 1, true);
	/* Cut off at each byte. */
	for (size_t len = 1; len < files->len; len++)
		check_entries(KT_STATE_FILES, len, len >= 64, len == 64);
	/* A name without an end, lengths that are wrong. */
	memset((char *)files->bytes + sizeof(file), 'x', 8);
	check_entries(KT_STATE_FILES, files->len, 0, false);
	files->bytes[7] = 0;
	for (uint32_t len = 0; len < 200; len++) {
		memcpy(files->bytes, &len, sizeof(len));
		check_entries(KT_STATE_FILES, 64, len == 64, len == 64);
	}
}

/* ------------------------------------------------------------- a whole dump */

static char root[] = "/tmp/ktrace-state-XXXXXX";

static void put(const char *name, const char *text, size_t len)
{
	AUTO_FREE char *path = mem_printf("%s%s", root, name);
	AUTO_CLOSE FILE *file = NULL;

	for (char *slash = path + sizeof(root); (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
}

#define PUT(name, text)	put(name, text, sizeof(text) - 1)

static int make_root(void **state)
{
	static const char args[] = "/bin/a b\0(c)\0d\ne";

	if (!mkdtemp(root))
		return -1;
	PUT("/proc/modules", "ktrace 4096 0 - Live 0xffffffffc0000000\n");
	PUT("/proc/interrupts", "  CPU0\n 1: 5 IO-APIC 1-edge      i8042\n");
	put("/proc/10/cmdline", args, sizeof(args));
	PUT("/proc/11/cmdline", "never");
	PUT("/proc/12/cmdline", "locked");
	PUT("/sys/devices/system/cpu/online", "0,2\n");
	PUT("/sys/class/block/vda/dev", "254:0\n");
	PUT("/sys/class/block/vda/size", "2048\n");
	PUT("/sys/class/block/cciss!c0d0/dev", "104:0\n");
	PUT("/sys/class/block/cciss!c0d0/size", "0\n");
	PUT("/sys/class/block/gone/size", "1\n");
	PUT("/sys/class/net/lo/ifindex", "1\n");
	PUT("/sys/class/net/lo/address", "00:00:00:00:00:00\n");
	PUT("/sys/class/net/gone/address", "\n");
	return 0;
}

static int remove_root(void **state)
{
	AUTO_FREE char *command = mem_printf("rm -rf '%s'", root);

	return system(command);
}

/* The sink writes a line for each object. */
static struct log {
	char *text;
	size_t len;
	FILE *file;
	const char *stop;	/* fail at a line that begins so */
} told;

#define TELL(data, err, ...) tell(data, err, mem_printf(__VA_ARGS__))

static bool tell(void *data, struct error *err, char *line)
{
	AUTO_FREE char *text = line;
	const struct log *to = data;

	fputs(text, to->file);
	return !to->stop || strncmp(text, to->stop, strlen(to->stop)) || error_set(err, STATUS_FAILURE, "disk full");
}

static bool on_start(void *data, uint64_t time, struct error *err)
{
	return TELL(data, err, "start\n");
}

static bool on_online(void *data, const struct state_online_cpu *cpu, struct error *err)
{
	assert_true(cpu->time);
	return TELL(data, err, "online %u\n", cpu->cpu);
}

static bool on_interrupt(void *data, const struct state_interrupt *interrupt, struct error *err)
{
	assert_true(interrupt->time);
	return TELL(data, err, "interrupt %d %s %s\n", interrupt->number, interrupt->chip, interrupt->action);
}

static bool on_module(void *data, const struct state_module *module, struct error *err)
{
	assert_true(module->time);
	return TELL(data, err, "module %s\n", module->name);
}

static bool on_block(void *data, const struct state_block_device *device, struct error *err)
{
	return TELL(data, err, "block %s %#x %llu\n", device->name, device->dev, (unsigned long long)device->bytes);
}

static bool on_interface(void *data, const struct state_interface *interface, struct error *err)
{
	return TELL(data, err, "interface %s %d %s\n", interface->name, interface->index, interface->address);
}

static bool on_task(void *data, const struct kt_state_task *task, struct error *err)
{
	return TELL(data, err, "task %d %s\n", task->head.pid, task->name);
}

static bool on_pids(void *data, const struct kt_state_pids *pids, struct error *err)
{
	return TELL(data, err, "pids %d level %u %d\n", pids->head.pid, pids->level, pids->vtid);
}

static bool on_file(void *data, const struct kt_state_file *file, struct error *err)
{
	return TELL(data, err, "file %u %s\n", file->fd, file->name);
}

static bool on_map(void *data, const struct kt_state_map *map, struct error *err)
{
	return TELL(data, err, "map %llx %s\n", map->start, map->name);
}

static bool on_cmdline(void *data, const struct state_cmdline *cmdline, struct error *err)
{
	char shown[64] = "";

	for (size_t i = 0; i < cmdline->len; i++)
		shown[i] = cmdline->args[i] ? cmdline->args[i] : '|';
	return TELL(data, err, "cmdline %d %s\n", cmdline->pid, shown);
}

static bool on_cpu(void *data, const struct kt_state_cpu *cpu, struct error *err)
{
	return TELL(data, err, "cpu %u %d\n", cpu->cpu, cpu->head.pid);
}

static bool on_end(void *data, uint64_t time, struct error *err)
{
	return TELL(data, err, "end\n");
}

static const struct state_sink all_kinds = {
	&told, on_start, on_online, on_interrupt, on_module, on_block, on_interface, on_task, on_pids, on_file, on_map,
	on_cmdline, on_cpu, on_end,
};

static void fill_module(void)
{
	const struct kt_state_file file = { .head = { .pid = 10 }, .fd = 3 };
	const struct kt_state_map map = { .head = { .pid = 10 }, .tgid = 10, .start = 0x1000, .end = 0x2000 };
	const struct kt_state_pids pids = { .head = { .pid = 14 }, .vtid = 1, .level = 2 };
	const struct kt_state_map locked = { .head = { .pid = 13 }, .tgid = 12 };
	const struct kt_state_cpu cpu = { .head = { .pid = 77 }, .cpu = 2 };

	memset(&fake, 0, sizeof(fake));
	add_task(0, 10, 10, 0, "a b");
	add_task(0, 11, 11, KT_TASK_KERNEL, "kthreadd");
	/* The second call has none, and is not the last one. */
	add_task(2, 12, 12, 0, "(x)");
	add_task(2, 13, 12, 0, "thread");
	add_task(2, 14, 14, 0, "ended");
	add(KT_STATE_PIDS, 0, &pids, sizeof(pids), NULL);
	add(KT_STATE_FILES, 0, &file, sizeof(file), "pipe:[1]");
	add(KT_STATE_MAPS, 0, &map, sizeof(map), "/bin/a\nb");
	add(KT_STATE_MAPS, 1, &locked, sizeof(locked), "");
	add(KT_STATE_END, 0, &cpu, sizeof(cpu), NULL);
}

static bool dump(const char *from, const struct state_sink *sink, struct error *err)
{
	struct device dev = { .fd = -1, .call = fake_call };
	bool ok;

	free(told.text);
	told.file = open_memstream(&told.text, &told.len);
	ok = state_dump(&dev, from, sink, err);
	fclose(told.file);
	return ok;
}

static void test_dump(void **state)
{
	static const char *const lines[] = {
		"start\nonline 0\nonline 2\ninterrupt 1 IO-APIC i8042\nmodule ktrace\n",
		"block vda 0xfe00000 1048576\n", "block cciss/c0d0 0x6800000 0\n", "interface lo 1 00:00:00:00:00:00\n",
		"task 10 a b\ntask 11 kthreadd\ntask 12 (x)\ntask 13 thread\ntask 14 ended\n",
		"pids 14 level 2 1\nfile 3 pipe:[1]\nmap 1000 /bin/a\nb\nmap 0 \ncmdline 10 /bin/a b|(c)|d\ne|\ncpu 2 77\nend\n",
	};
	struct error err = { 0 };

	told.stop = NULL;
	fill_module();
	assert_true(dump(root, &all_kinds, &err));
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_contains(told.text, lines[i]);
	assert_null(strstr(told.text, "gone"));
	assert_null(strstr(told.text, "never"));	/* a kernel thread */
	assert_null(strstr(told.text, "locked"));	/* its mappings are */
	assert_int_equal(fake.calls[KT_STATE_TASKS], 3);
}

/* A sink that wants little; a system without /proc and /sys. */
static void test_dump_of_little(void **state)
{
	const struct state_sink only_tasks = { .data = &told, .task = on_task };
	struct error err = { 0 };

	told.stop = NULL;
	fill_module();
	assert_true(dump(root, &only_tasks, &err));
	assert_contains(told.text, "task 14 ended\n");
	assert_int_equal(fake.calls[KT_STATE_PIDS], 0);
	assert_int_equal(fake.calls[KT_STATE_FILES], 0);
	assert_int_equal(fake.calls[KT_STATE_END], 1);
	fill_module();
	assert_true(dump("/nonexistent", &all_kinds, &err));
	assert_contains(told.text, "start\ntask 10 a b\n");
}

static void test_failures(void **state)
{
	static const char *const stops[] = {
		"start", "online 2", "interrupt", "module", "block", "interface", "task 12", "file", "map 0", "cmdline",
		"cpu", "end",
	};
	struct error err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(stops); i++) {
		told.stop = stops[i];
		fill_module();
		assert_false(dump(root, &all_kinds, &err));
		assert_string_equal(err.text, "disk full");
	}
	told.stop = NULL;
	fill_module();
	fake.error = ENOTTY;
	assert_false(dump(root, &all_kinds, &err));
	assert_contains(err.text, "the state of the system cannot be read: ");
	assert_contains(err.text, "reload the module");
	fill_module();
	fake.parts[KT_STATE_MAPS][0].len -= 8;
	assert_false(dump(root, &all_kinds, &err));
	assert_contains(err.text, "unknown form");
	assert_one_line(err.text);
}

static void test_unreadable(void **state)
{
	struct error err = { 0 };
	AUTO_FREE char *modules = mem_printf("%s/proc/modules", root);

	/* A directory opens as a file, and cannot be read. */
	unlink(modules);
	mkdir(modules, 0700);
	told.stop = NULL;
	fill_module();
	assert_false(dump(root, &all_kinds, &err));
	assert_contains(err.text, "/proc/modules cannot be read: Is a directory");
	rmdir(modules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modules), cmocka_unit_test(test_no_modules),
		cmocka_unit_test(test_interrupts), cmocka_unit_test(test_interrupts_level),
		cmocka_unit_test(test_interrupts_many_cpus), cmocka_unit_test(test_interrupts_odd),
		cmocka_unit_test(test_cpus), cmocka_unit_test(test_bad_cpus),
		cmocka_unit_test(test_dev), cmocka_unit_test(test_entries),
		cmocka_unit_test(test_dump), cmocka_unit_test(test_dump_of_little),
		cmocka_unit_test(test_failures), cmocka_unit_test(test_unreadable),
	};
	const int failed = cmocka_run_group_tests(tests, make_root, remove_root);

	free(told.text);
	return failed;
}
