// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_events.c - the rows of events: their texts, and on real kernels, of which only the BTF is needed: that of this
 * machine, and those in the directory that KTRACE_BTF names.
 */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/events/events.h"
#include "ctl/lang/expr.h"
#include "ctl/lang/plan.h"
#include "ctl/session/expand.h"
#include "symbols/image/btf.h"
#include "verify.h"

/* -------------------------------------------------------------------- rows */

static size_t fields_of(const struct event_row *row)
{
	const char *text = row->fields;
	struct event_field field;
	size_t n = 0;

	while (events_field(&text, &field)) {
		const char *rest = field.expressions;
		char *one;

		assert_true(field.name_len > 0 && field.name_len < 32);
		assert_null(memchr(field.name, ' ', field.name_len));
		while ((one = events_alternative(&rest))) {
			struct error err;
			size_t used;
			AUTO_EXPR struct expr *e = expr_parse("VAR", one, &used, &err);

			if (!e || (one[used] && one[used] != ':'))
				fail_msg("%s: %s", row->name, e ? one + used : err.text);
			free(one);
		}
		free(field.expressions);
		n++;
	}
	assert_null(text);
	return n;
}

/* Every field of every row is an expression, and names are unique. */
static void test_rows(void **state)
{
	size_t n = 0, core = 0;

	for (const struct event_row *row = events_next(NULL); row; row = events_next(row)) {
		assert_true(row->set < NR_EVENT_SETS);
		assert_true(fields_of(row) > 0);
		assert_ptr_equal(events_named(row->name), row);
		if (row->system)
			assert_non_null(events_of_tracepoint(row->at) ? row : events_of_tracepoint("hrtimer_setup"));
		core += row->flags & EVENT_CORE;
		n++;
	}
	assert_true(n > 80);
	assert_true(core > 10);
	assert_null(events_named("no_such_event"));
	assert_string_equal(events_of_tracepoint("hrtimer_setup")->name, "timer_hrtimer_init");
	assert_null(events_of_tracepoint("kthread"));
}

static void test_sets(void **state)
{
	struct event_choice choice;
	struct error err;
	bool seen[NR_EVENT_SETS] = { false };

	assert_true(events_choose("core,net", &choice, &err));
	assert_true(events_chosen(&choice, events_named("net_dev_queue")));
	assert_true(events_chosen(&choice, events_named("sched_switch")));
	assert_false(events_chosen(&choice, events_named("sched_wakeup")));
	assert_true(events_choose("all", &choice, &err));
	for (const struct event_row *row = events_next(NULL); row; row = events_next(row)) {
		assert_true(events_chosen(&choice, row));
		seen[row->set] = true;
	}
	for (size_t i = 0; i < NR_EVENT_SETS; i++) {
		assert_true(seen[i]);
		assert_true(events_choose(events_set_name(i), &choice, &err));
		assert_true(strlen(events_set_says(i)) > 10);
	}
	assert_false(events_choose("shed", &choice, &err));
	assert_contains(err.text, "'shed' is no set of events: did you mean sched?");
	assert_false(events_choose("net,", &choice, &err));
	assert_int_equal(err.status, STATUS_USAGE);
}

static void test_texts(void **state)
{
	const char *text = "a->b or c", *fields = "one = 1; two = x or y";
	struct event_field field;
	AUTO_FREE char *first = events_alternative(&text), *second = events_alternative(&text);

	assert_string_equal(first, "a->b");
	assert_string_equal(second, "c");
	assert_null(events_alternative(&text));
	assert_true(events_field(&fields, &field));
	assert_int_equal(field.name_len, 3);
	assert_string_equal(field.expressions, "1");
	free(field.expressions);
	assert_true(events_field(&fields, &field));
	assert_string_equal(field.expressions, "x or y");
	free(field.expressions);
	assert_false(events_field(&fields, &field));
}

static void test_label(void **state)
{
	assert_int_equal(expr_label("tid = p->pid"), 3);
	assert_int_equal(expr_label("tid=p->pid"), 3);
	assert_int_equal(expr_label("tid == 5"), 0);
	assert_int_equal(expr_label("p->pid = 5"), 0);
	assert_int_equal(expr_label("5 = 5"), 0);
	assert_string_equal(expr_labelled("tid = p->pid", 3), "p->pid");
	assert_string_equal(expr_labelled("p->pid", 0), "p->pid");
}

/* ----------------------------------------------------------------- kernels */

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

static void shell(const char *command)
{
	assert_int_equal(system(command), 0);
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
	assert_int_equal(symtab_load(file, &k->tab), SYMTAB_OK);
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
		{ "sched_switch", 8 }, { "sched_waking", 5 }, { "sched_process_fork", 6 }, { "sched_process_exec", 3 },
		{ "irq_handler_entry", 2 }, { "irq_softirq_entry", 1 }, { "timer_hrtimer_start", 5 },
		{ "timer_start", 5 }, { "timer_itimer_expire", 3 }, { "signal_generate", 7 }, { "block_rq_issue", 7 },
		{ "block_rq_complete", 5 }, { "block_bio_queue", 6 }, { "kmem_mm_page_alloc", 4 }, { "net_dev_queue", 4 },
		{ "net_if_receive_skb", 4 }, { "power_cpu_frequency", 2 }, { "swap_in", 2 }, { "swap_out", 2 },
		{ "page_wait_start", 3 }, { "buffer_wait_start", 3 }, { "file_open", 2 }, { "kthread_start", 2 },
		{ "ipc_msg_create", 2 }, { "ipc_sem_create", 3 }, { "ipc_shm_create", 3 }, { "socket_send", 4 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (!has(requests, all[i].name, all[i].fields))
			fail_msg("%s is not there with %zu fields", all[i].name, all[i].fields);
}

static void check_kernel(const char *path)
{
	struct requests requests;
	struct notes notes;
	struct kernel k;
	struct error err = { .text = "" };

	printf("%s:\n", path);
	open_kernel(&k, path);
	if (!events_expand(&k.target, "all", &requests, &notes, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < notes.n; i++)
		printf("  note: %s\n", notes.v[i]);
	for (size_t i = 0; i < requests.n; i++)
		check_plan(&k, &requests.v[i]);
	check_essential(&requests);
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
		cmocka_unit_test(test_rows),	cmocka_unit_test(test_sets),
		cmocka_unit_test(test_texts),	cmocka_unit_test(test_label),
		cmocka_unit_test(test_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
