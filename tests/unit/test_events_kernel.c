// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_events_kernel.c - the rows of events on real kernels, of which only the BTF is needed: that of this machine, and
 * those in the directory that KTRACE_BTF names.
 */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctl/ask/events/events.h"
#include "ctl/ask/plan/expand.h"
#include "ctl/ask/plan/plan.h"
#include "ctl/ask/resolve/resolve.h"
#include "ctl/base/memory.h"
#include "fake_tracefs.h"
#include "symbols/image/btf.h"
#include "verify.h"

#define BASE	0xffffffff81000000ULL

struct kernel {
	char root[64];
	struct symtab *tab;
	struct debug *debug;
	struct device dev;
	struct target target;
};

static int no_call(struct device *dev, unsigned long request, void *arg)
{
	errno = ENOTTY;
	return -1;
}

/* There is no code, so that no FUNCTION%return is found.  Every function of the BTF gets an address; each iterator of an event, a tracepoint as well. */
static void write_symbols(const struct btf *btf, const char *path)
{
	FILE *out = fopen(path, "we");
	uint64_t addr = BASE;
	struct btf_type type;

	assert_non_null(out);
	for (uint32_t i = 1; i < btf->nr; i++) {
		if (!btf_type(btf, i, &type) || type.kind != BTF_FUNC)
			continue;
		fprintf(out, "%016llx T %s\n", (unsigned long long)(addr += 64), btf_string(btf, type.name));
	}
	fprintf(out, "%016llx T _etext\n", (unsigned long long)(addr += 64));
	addr = BASE + 0x10000000;
	fprintf(out, "%016llx D jiffies\n", (unsigned long long)addr);
	for (uint32_t i = 1; i < btf->nr; i++) {
		const char *name = btf_type(btf, i, &type) && type.kind == BTF_FUNC ? btf_string(btf, type.name) : "";

		if (!strncmp(name, "__traceiter_", 12))
			fprintf(out, "%016llx D __tracepoint_%s\n", (unsigned long long)(addr += 64), name + 12);
	}
	assert_int_equal(fclose(out), 0);
}

static void open_kernel(struct kernel *k, const char *path)
{
	const uint32_t note[] = { 4, 20, 3, 0x554e47, 1, 2, 3, 4, 5 };
	struct debug_options options = {
		.root = k->root, .release = "test", .is_live = true, .live_text = BASE + 64,
		.args = arch_native.dwarf_args, .nr_args = arch_native.nr_dwarf_args,
		.args_by_reference = arch_native.args_by_reference,
	};
	char file[512];
	struct debug_error why;
	struct btf btf;
	FILE *notes;

	*k = (struct kernel){ .root = "/tmp/ktrace-events-XXXXXX", .dev = { .fd = -1, .call = no_call } };
	assert_non_null(mkdtemp(k->root));
	snprintf(file, sizeof(file), "mkdir -p %s/sys/kernel/btf && cp %s %s/sys/kernel/btf/vmlinux", k->root, path, k->root);
	shell(file);
	snprintf(file, sizeof(file), "%s/sys/kernel/notes", k->root);
	notes = fopen(file, "we");
	assert_non_null(notes);
	fwrite(note, sizeof(note), 1, notes);
	fclose(notes);
	assert_true(btf_read(path, NULL, &btf, &why));
	snprintf(file, sizeof(file), "%s/kallsyms", k->root);
	write_symbols(&btf, file);
	btf_free(&btf);
	assert_int_equal(symtab_load(file, NULL, NULL, &k->tab), SYMTAB_OK);
	options.symbols = k->tab;
	k->debug = debug_open(&options);
	assert_non_null(k->debug);
	k->target = (struct target){ .dev = &k->dev, .tab = k->tab, .arch = &arch_native, .debug = k->debug };
}

static void close_kernel(struct kernel *k)
{
	char command[128];

	debug_close(k->debug);
	symtab_free(k->tab);
	snprintf(command, sizeof(command), "rm -rf %s", k->root);
	shell(command);
}

/* The module would accept the program of each request, and its fields have the names of the row. */
static void check_plan(const struct kernel *k, const struct request *request)
{
	const struct event_row *row = events_named(request->name);
	AUTO_PLANS struct plans plans = { 0 };
	struct error err = { .text = "" };
	struct desc *desc;

	if (!plan_request(&k->target, request, &plans, &err))
		fail_msg("%s: %s", request->name, err.text);
	desc = plans.v[0].desc;
	assert_string_equal(desc->name, request->name);
	if (verify_program(desc->prog, desc->prog_len) < 0)
		fail_msg("%s: the module would refuse the program", request->name);
	assert_int_equal(desc->nr_fields, request->nr_uses);
	assert_false(row->flags & EVENT_READABLE && desc->has_faults);
	for (size_t i = 0; i < desc->nr_fields; i++)
		assert_non_null(strstr(row->fields, desc->fields[i].name));
	if (getenv("KTRACE_BTF"))
		printf("  %-32s %3zu instructions, %3zu bytes, %zu fields\n", request->name, desc->prog_len,
		       desc_payload(desc), desc->nr_fields);
}

static bool has(const struct requests *requests, const char *name, size_t nr_uses)
{
	for (size_t i = 0; i < requests->n; i++)
		if (!strcmp(requests->v[i].name, name))
			return requests->v[i].nr_uses >= nr_uses;
	return false;
}

/* What must be there on every kernel from 5.10 on. */
static void check_essential(const struct requests *requests)
{
	static const struct {
		const char *name;
		size_t fields;
	} all[] = {
		{ "sched_switch", 8 }, { "sched_waking", 5 }, { "sched_process_fork", 10 }, { "sched_process_exec", 3 },
		{ "irq_handler_entry", 2 }, { "irq_softirq_entry", 1 }, { "timer_hrtimer_start", 5 },
		{ "timer_start", 5 }, { "timer_itimer_expire", 3 }, { "signal_generate", 7 }, { "block_rq_issue", 7 },
		{ "block_rq_complete", 5 }, { "block_bio_queue", 6 }, { "kmem_mm_page_alloc", 4 }, { "net_dev_queue", 5 },
		{ "net_if_receive_skb", 5 }, { "net_if_rx", 5 }, { "swap_in", 2 }, { "swap_out", 2 },
		{ "page_wait_start", 3 }, { "buffer_wait_start", 3 }, { "file_open", 2 }, { "kthread_start", 2 },
		{ "ipc_msg_create", 2 }, { "ipc_sem_create", 3 }, { "ipc_shm_create", 3 }, { "socket_send", 4 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (!has(requests, all[i].name, all[i].fields))
			fail_msg("%s is not there with %zu fields", all[i].name, all[i].fields);
}

/* The kernel may be of another architecture: its system calls are other functions. */
static bool is_native(const struct kernel *k)
{
	AUTO_FREE char *name = mem_printf("%sopenat", arch_native.syscall_prefix);
	const struct sym *const *all;

	return symtab_by_name(k->tab, name, NULL, &all);
}

/* The names of the fields that ARGS records, or the error. */
static void check_args(const struct kernel *k, const char *address, const char *expected)
{
	struct use args = { option_find("ARGS"), NULL, NULL };
	const struct request request = { .address = address, .uses = &args, .nr_uses = 1 };
	AUTO_PLANS struct plans plans = { 0 };
	struct error err = { .text = "" };
	char names[512] = "";
	size_t n = 0;

	if (!plan_request(&k->target, &request, &plans, &err))
		fail_msg("%s: %s", address, err.text);
	for (size_t i = 0; i < plans.v[0].desc->nr_fields; i++)
		n += snprintf(names + n, sizeof(names) - n, "%s%s", i ? " " : "", plans.v[0].desc->fields[i].name);
	if (strcmp(names, expected))
		fail_msg("%s: %s", address, names);
	assert_true(verify_program(plans.v[0].desc->prog, plans.v[0].desc->prog_len) >= 0);
}

/* An argument of a system call can only be unknown where there may be no call. */
static void check_call(const struct kernel *k, bool in_call)
{
	struct use use = { option_find("VAR"), "(int)$sysarg0", NULL };
	const struct request request = {
		.address = "event:irq_handler_entry", .uses = &use, .nr_uses = 1, .is_packed = true, .in_call = in_call,
	};
	AUTO_PLANS struct plans plans = { 0 };
	struct error err = { .text = "" };

	if (!plan_request(&k->target, &request, &plans, &err))
		fail_msg("%s", err.text);
	assert_int_equal(plans.v[0].desc->has_faults, !in_call);
}

/* With a row its fields; else the parameters. */
static void check_all_args(const struct kernel *k)
{
	check_args(k, "sched:sched_wakeup", "comm tid prio target_cpu");
	check_args(k, "event:irq_handler_entry", "irq name");
	check_args(k, "event:timer_init", "timer");
	check_call(k, false);
	check_call(k, true);
	if (!is_native(k))
		return;
	check_args(k, "syscall:openat", "dfd filename how mode");
	check_args(k, "syscall:read", "arg0 arg1 arg2 arg3 arg4 arg5");
}

/* Plan `IF CONDITION VAR VALUE`. */
static bool plan_fields(const struct kernel *k, const char *address, const char *condition, const char *value,
			struct error *err)
{
	struct use uses[] = { { option_find("IF"), condition, NULL }, { option_find("VAR"), value, NULL } };
	const struct request request = { .address = address, .uses = uses, .nr_uses = ARRAY_SIZE(uses) };
	AUTO_PLANS struct plans plans = { 0 };

	*err = (struct error){ .text = "" };
	return plan_request(&k->target, &request, &plans, err);
}

/* Fields by the names of ARGS and of tracefs, where they are no parameters. */
static void check_fields(const struct kernel *k)
{
	static const struct {
		const char *address, *condition, *value;
	} rows[] = {
		{ "event:sched_switch", "next_pid == 5 && prev_tid", "next_comm" },
		{ "event:sched_switch", "next_comm == \"dd\"", "prev_pid" },
		{ "event:sched_waking", "pid == 5 && target_cpu == 1", "comm" },
		{ "event:irq_handler_entry", "name =~ \"virtio*\"", "irq" },
		{ "event:sched_process_exec", "filename =~ \"/bin/*\" && pid != old_pid", "old_tid" },
		{ "event:timer_start", "flags & 0x80000 && expires", "now" },
		{ "syscall:openat", "filename =~ \"/etc/*\" && dfd < 0", "filename" },
	};
	static const struct {
		const char *condition, *says;
	} bad[] = {
		{ "next_prio < 0", "'next_prio' has one value in tracefs and another in the records of ARGS: write next->prio or next->prio - 100" },
		{ "next_pidd == 5", "next_pidd" },
	};
	struct error err;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if ((is_native(k) || strncmp(rows[i].address, "syscall:", 8)) &&
		    !plan_fields(k, rows[i].address, rows[i].condition, rows[i].value, &err))
			fail_msg("%s: %s", rows[i].address, err.text);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_false(plan_fields(k, "event:sched_switch", bad[i].condition, "1", &err));
		assert_contains(err.text, bad[i].says);
	}
}

/* The names of the probe points, or the error. */
static const char *resolved(const struct kernel *k, const char *text, char *buf, size_t size)
{
	AUTO_PROBE_POINTS struct probe_points points = { 0 };
	struct error err;
	size_t n = 0;

	if (!probe_points_resolve(&k->target, text, &points, &err)) {
		snprintf(buf, size, "%s", err.text);
		return buf;
	}
	for (size_t i = 0; i < points.n && n < size; i++)
		n += snprintf(buf + n, size - n, "%s%s", i ? " " : "", points.v[i].name);
	return buf;
}

static void check_addresses(const struct kernel *k)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "event:sched_switch", "event:sched_switch" },
		{ "event:sched:sched_switch", "event:sched_switch" },
		{ "sched:sched_switch", "event:sched_switch" },
		{ "sched:sched_w*", "event:sched_wakeup" },
		{ "event:s*:sched_*", "event:sched_switch event:sched_wakeup" },
		{ "irq:*", "event:irq_handler_entry" },
		{ "event:sched_overutilized", "event:sched_overutilized_tp" },
		{ "event:sched:sched_swich", "'event:sched:sched_swich': the kernel has no such static tracepoint: did you mean sched_switch?" },
		{ "event:irq:sched_switch", "'event:irq:sched_switch': that static tracepoint is of the system sched: write sched:sched_switch" },
		{ "event:shed:sched_x", "'event:shed:sched_x': the kernel has no system 'shed' of static tracepoints: leave it out, as in event:sched_x" },
		{ "event:sched:", "'event:sched:': a name is missing: write for example event:sched:sched_switch" },
		{ "event:syscalls:sys_enter_openat", "'event:syscalls:sys_enter_openat' is not a static tracepoint of its own: write syscall:openat" },
		{ "syscall:openat", "syscall:openat" },
		{ "sys_openat", "syscall:openat" },
		{ "sys_openat+0", "syscall:openat" },
		{ "syscall:openatt", "'syscall:openatt': the kernel has no such system call: did you mean openat?" },
		{ "syscall:renam*", "syscall:rename syscall:renameat syscall:renameat2" },
	};
	char text[1024];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if ((is_native(k) || strncmp(rows[i].text, "sys", 3)) && strncmp(resolved(k, rows[i].text, text, sizeof(text)), rows[i].says, strlen(rows[i].says) - 1))
			fail_msg("%s: %s", rows[i].text, text);
}

static void check_kernel(const char *path)
{
	struct requests requests;
	struct notes notes;
	struct kernel k;
	struct error err = { .text = "" };

	printf("%s:\n", path);
	open_kernel(&k, path);
	if (!events_expand(&k.target, "all", NULL, &requests, &notes, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < notes.n; i++)
		printf("  note: %s\n", notes.v[i]);
	for (size_t i = 0; i < requests.n; i++)
		check_plan(&k, &requests.v[i]);
	check_essential(&requests);
	make_tracefs();
	make_openat();
	check_addresses(&k);
	check_fields(&k);
	check_all_args(&k);
	drop_tracefs();
	requests_free(&requests);
	notes_free(&notes);
	close_kernel(&k);
}

static void test_kernels(void **state)
{
	const char *name = getenv("KTRACE_BTF"), *own = "/sys/kernel/btf/vmlinux";
	DIR *dir = name ? opendir(name) : NULL;
	struct dirent *entry;
	bool any = !access(own, R_OK);

	if (any)
		check_kernel(own);
	while (dir && (entry = readdir(dir))) {
		AUTO_FREE char *path = mem_printf("%s/%s", name, entry->d_name);

		if (*entry->d_name != '.')
			check_kernel(path);
		any |= *entry->d_name != '.';
	}
	if (dir)
		closedir(dir);
	if (!any)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
