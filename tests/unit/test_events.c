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
#include <asm/unistd.h>
#include <unistd.h>

#include "capture_machine.h"
#include "ctl/base/memory.h"
#include "ctl/events/calls.h"
#include "ctl/events/events.h"
#include "ctl/events/field_find.h"
#include "ctl/events/systems.h"
#include "ctl/expr/expr.h"
#include "ctl/plan/plan.h"
#include "ctl/resolve/resolve.h"
#include "ctl/session/expand.h"
#include "ctl/ui/complete.h"
#include "examples.h"
#include "fake_kernel.h"
#include "symbols/image/btf.h"
#include "verify.h"

/* Registers in place of parameters. */
#define STATE_PREEMPT	EX_ARG1
#define STATE_NOW	EX_ARG2
#define STATE_EXIT	EX_ARG3

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
	assert_contains(err.text, "'shed' is no set of events, and no event: did you mean sched");
	assert_false(events_choose("net,", &choice, &err));
	assert_int_equal(err.status, STATUS_USAGE);
}

static bool is_chosen(const char *words, const char *event)
{
	struct event_choice choice;
	struct error err;

	assert_true(events_choose(words, &choice, &err));
	return events_chosen(&choice, events_named(event));
}

/* Single events, and what is left out: the last word decides. */
static void test_choice(void **state)
{
	struct event_choice choice;
	struct error err;

	assert_true(is_chosen("sched_switch", "sched_switch"));
	assert_false(is_chosen("sched_switch", "sched_wakeup"));
	assert_false(is_chosen("core,-mm_fault_exit", "mm_fault_exit"));
	assert_true(is_chosen("core,-mm_fault_exit", "sched_switch"));
	assert_false(is_chosen("all,-net_*", "net_dev_queue"));
	assert_true(is_chosen("all,-net_*", "socket_send"));
	assert_false(is_chosen("core,-irq", "irq_handler_exit"));
	assert_true(is_chosen("core,-irq,*_exit", "irq_handler_exit"));
	assert_false(is_chosen("-core", "sched_switch"));
	assert_true(events_choose("net,-ipc,core", &choice, &err));
	assert_int_equal(choice.sets, 1U << EVENTS_NET);
	assert_false(events_choose("core,-mm_fault_exi", &choice, &err));
	assert_contains(err.text, "'mm_fault_exi' is no set of events, and no event: did you mean mm_fault_exit");
	assert_false(events_choose("core,-", &choice, &err));
	assert_false(events_choose("core,nothing*", &choice, &err));
	assert_contains(err.text, "'events' lists both");
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

static void check_tracefs(const char *expression, const char *wanted)
{
	AUTO_FREE char *found = field_in_tracefs(expression);

	assert_string_equal(found, wanted);
}

/* By the recorded name, by tracefs's, and what is another value there. */
static void test_field_names(void **state)
{
	const char *fields = events_named("sched_switch")->fields;
	struct event_field field;

	assert_true(field_find(fields, "next_tid", &field));
	assert_string_equal(field.expressions, "next->pid");
	free(field.expressions);
	assert_true(field_find(fields, "next_pid", &field));
	assert_string_equal(field.expressions, "next->pid");
	free(field.expressions);
	assert_false(field_find(fields, "next", &field));
	assert_false(field_find(fields, "pid", &field));
	assert_string_equal(field_of_tracefs("prev_tid"), "prev_pid");
	assert_null(field_of_tracefs("prev_comm"));
	check_tracefs("p->prio - 100", "p->prio");
	check_tracefs("child->tgid", "child->pid");
	check_tracefs("preempt ? 0 : prev_state", "preempt ? 0x100 : prev_state");
	assert_null(field_in_tracefs("next->pid"));
	assert_null(field_in_tracefs(""));
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

/* ------------------------------------------------------------------- states */

/* As the kernel computes it for its own records, but 0 for a preempted task. */
static uint64_t state_as_kernel(bool preempt, uint32_t state, uint32_t exit_state)
{
	uint32_t bits = (state | exit_state) & 0x7f, highest = 1;

	if (preempt)
		return 0;
	if ((state & 0x402) == 0x402)
		bits = 0x80;
	if (state & 0x9000)
		bits = 2;
	while (bits >> 1 >= highest)
		highest *= 2;
	return bits ? highest : 0;
}

static char *replaced(const char *text, const char *what, const char *by)
{
	const char *at = strstr(text, what);
	AUTO_FREE char *rest = at ? replaced(at + strlen(what), what, by) : NULL;

	return at ? mem_printf("%.*s%s%s", (int)(at - text), text, by, rest) : mem_strdup(text);
}

/* The first alternative for prev_state, with registers in place of the parameters. */
static char *state_expression(void)
{
	const char *rest = strstr(events_named("sched_switch")->fields, "prev_state = ") + strlen("prev_state = ");
	AUTO_FREE char *first = events_alternative(&rest);
	AUTO_FREE char *one = replaced(first, "prev->exit_state", "(u32)$" STATE_EXIT);
	AUTO_FREE char *two = replaced(one, "prev_state", "(u32)$" STATE_NOW);

	return replaced(two, "preempt", "$" STATE_PREEMPT);
}

static void set_register(struct machine *m, const char *name, uint64_t value)
{
	m->regs.general[arch_reg_by_name(&arch_native, name)->dwarf] = value;
}

static void test_switch_state(void **state)
{
	static const uint32_t states[] = { 0, 1, 2, 4, 8, 0x40, 0x80, 0x102, 0x104, 0x108, 0x402, 0x1000, 0x1002, 0x2001, 0x8000, 0xa002 };
	static const uint32_t exits[] = { 0, 0x10, 0x20 };
	AUTO_FREE char *text = state_expression();
	const struct expr_names names = { .arch = &arch_native };
	struct desc *desc = mem_zalloc(1, sizeof(*desc));
	struct compiler c = { .arch = &arch_native, .desc = desc };
	struct error err = { .text = "" };
	struct machine m;
	size_t used;
	AUTO_EXPR struct expr *e = expr_parse("VAR", text, &used, &err);

	if (!e || !expr_resolve(e, "VAR", text, &names, &err) || !compile_value(&c, "x", e, &err) || !compile_finish(&c, &err))
		fail_msg("%s: %s", text, err.text);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(states) * ARRAY_SIZE(exits); i++) {
		const uint32_t now = states[i / 2 % ARRAY_SIZE(states)], exit = exits[i / 2 / ARRAY_SIZE(states)];

		machine_reset(&m);
		machine_now = &m;
		set_register(&m, STATE_PREEMPT, i % 2);
		set_register(&m, STATE_NOW, now);
		set_register(&m, STATE_EXIT, exit);
		assert_int_equal(machine_run(&m, desc->prog, desc->prog_len), MACHINE_RECORDED);
		if (exit && (now & 0x7f))
			continue;	/* does not occur */
		assert_int_equal(m.out[0], state_as_kernel(i % 2, now, exit));
		assert_int_equal(machine_evaluate(&m, desc->prog, desc->prog_len), MACHINE_RECORDED);
		assert_int_equal(m.out[0], state_as_kernel(i % 2, now, exit));
	}
	desc_free(desc);
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
		{ "sched_switch", 8 }, { "sched_waking", 5 }, { "sched_process_fork", 6 }, { "sched_process_exec", 3 },
		{ "irq_handler_entry", 2 }, { "irq_softirq_entry", 1 }, { "timer_hrtimer_start", 5 },
		{ "timer_start", 5 }, { "timer_itimer_expire", 3 }, { "signal_generate", 7 }, { "block_rq_issue", 7 },
		{ "block_rq_complete", 5 }, { "block_bio_queue", 6 }, { "kmem_mm_page_alloc", 4 }, { "net_dev_queue", 4 },
		{ "net_if_receive_skb", 4 }, { "swap_in", 2 }, { "swap_out", 2 },
		{ "page_wait_start", 3 }, { "buffer_wait_start", 3 }, { "file_open", 2 }, { "kthread_start", 2 },
		{ "ipc_msg_create", 2 }, { "ipc_sem_create", 3 }, { "ipc_shm_create", 3 }, { "socket_send", 4 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (!has(requests, all[i].name, all[i].fields))
			fail_msg("%s is not there with %zu fields", all[i].name, all[i].fields);
}

/* --------------------------------------------------------------- addresses */

static char tracefs[64];

static void make_tracefs(void)
{
	char command[512];

	strcpy(tracefs, "/tmp/ktrace-tracefs-XXXXXX");
	assert_non_null(mkdtemp(tracefs));
	snprintf(command, sizeof(command),
		 "cd %s && mkdir -p events/sched/sched_switch events/sched/sched_wakeup events/irq/irq_handler_entry && "
		 "touch events/enable events/sched/enable && echo 'name: x' >events/sched/sched_switch/format", tracefs);
	shell(command);
	systems_use(tracefs);
}

/* A format file of tracefs. */
static void make_call(void)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof(path), "mkdir -p %s/events/syscalls/sys_enter_openat", tracefs);
	shell(path);
	snprintf(path, sizeof(path), "%s/events/syscalls/sys_enter_openat/format", tracefs);
	out = fopen(path, "we");
	assert_non_null(out);
	fputs("name: sys_enter_openat\nID: 700\nformat:\n"
	      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	      "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	      "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	      "\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
	      "\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
	      "\tfield:struct open_how * how;\toffset:32;\tsize:8;\tsigned:0;\n"
	      "\tfield:umode_t mode;\toffset:40;\tsize:8;\tsigned:0;\n"
	      "\tfield:__data_loc char[] __filename_val;\toffset:48;\tsize:4;\tsigned:0;\n\n"
	      "print fmt: \"dfd: 0x%08lx\"\n", out);
	fclose(out);
}

static void drop_tracefs(void)
{
	char command[128];

	systems_use(NULL);
	snprintf(command, sizeof(command), "rm -rf %s", tracefs);
	shell(command);
}

static void test_systems(void **state)
{
	char *system, *format;

	make_tracefs();
	assert_true(systems_has("sched"));
	assert_false(systems_has("enable"));
	assert_false(systems_has("timer"));
	assert_false(systems_has("s*"));
	assert_true(systems_match("sched", "sched_switch"));
	assert_true(systems_match("s*", "sched_switch"));
	assert_false(systems_match("irq", "sched_switch"));
	system = systems_of("irq_handler_entry");
	assert_string_equal(system, "irq");
	free(system);
	format = systems_format("sched", "sched_switch");
	assert_string_equal(format, "name: x\n");
	free(format);
	assert_null(systems_format("sched", "sched_wakeup"));
	/* Without tracefs the rows tell. */
	systems_use("/nowhere");
	assert_true(systems_has("timer"));
	assert_true(systems_match("kmem", "mm_page_alloc"));
	assert_false(systems_match("kmem", "sched_switch"));
	assert_null(systems_of("no_such_event"));
	systems_use(tracefs);
	drop_tracefs();
}

static void test_calls(void **state)
{
	static const char *const texts[] = {
		"dfd = (int)%s or %s", "filename = (char *)%s :64", "how = (void *)%s", "mode = (umode_t)%s or %s",
	};
	struct call_arg args[CALL_ARGS];

	make_tracefs();
	make_call();
	assert_int_equal(call_args("openat", args), ARRAY_SIZE(texts));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		AUTO_FREE char *value = mem_printf("$sysarg%zu", i);
		AUTO_FREE char *expected = mem_printf(texts[i], value, value), *field = call_field(&args[i], i, 64);

		assert_string_equal(field, expected);
	}
	assert_int_equal(call_args("read", args), CALL_ARGS);
	assert_string_equal(call_name(__NR_openat), "openat");
	assert_string_equal(call_name(__NR_getpid), "getpid");
	assert_null(call_name(100000));
	assert_string_equal(args[5].name, "arg5");
	drop_tracefs();
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
	make_call();
	check_addresses(&k);
	check_fields(&k);
	check_all_args(&k);
	drop_tracefs();
	requests_free(&requests);
	notes_free(&notes);
	close_kernel(&k);
}

/* ------------------------------------------------------------------ command */

struct offered {
	const char *wanted;
	size_t n;
	bool found;
};

static void offer(const char *name, void *arg)
{
	struct offered *offered = arg;

	offered->n++;
	offered->found |= !strcmp(name, offered->wanted);
}

static size_t completes(struct fake_kernel *fake, const char *before, const char *word, const char *wanted)
{
	struct offered offered = { .wanted = wanted };

	complete(&fake->session, before, word, offer, &offered);
	if (!offered.found)
		fail_msg("%s%s is not completed to %s", before, word, wanted);
	return offered.n;
}

/* The fake kernel has one static tracepoint, and no types. */
static void test_command(void **state)
{
	struct fake_kernel *fake = fake_create();

	make_tracefs();
	assert_int_equal(fake_run(fake, "events"), STATUS_OK);
	assert_string_equal(fake->out, "EVENT               SET          RECORDED AS\n"
				       "sched:sched_switch  sched, core  sched_switch\n");
	assert_int_equal(fake_run(fake, "events -v sched_*"), STATUS_OK);
	assert_contains(fake->out, "sched:sched_switch  set sched, core, recorded as sched_switch  0 bytes, ");
	fake->session.format = PRINT_JSON;
	assert_int_equal(fake_run(fake, "events core"), STATUS_OK);
	assert_contains(fake->out, "{\"type\":\"event\",\"v\":3,\"address\":\"sched:sched_switch\",\"set\":\"sched\","
				   "\"core\":true,\"recorded\":\"sched_switch\"}\n");
	fake->session.format = PRINT_TEXT;
	assert_int_equal(fake_run(fake, "events no_such"), STATUS_FAILURE);
	assert_contains(fake_error(), "events: nothing matches 'no_such'");
	assert_int_equal(fake_run(fake, "events a b"), STATUS_USAGE);
	assert_int_equal(completes(fake, "trace ", "event:s", "event:sched_switch"), 2);
	assert_int_equal(completes(fake, "trace ", "event:s", "event:sched:"), 2);
	completes(fake, "trace ", "event:sched:", "event:sched:sched_switch");
	completes(fake, "trace ", "sched:sched_s", "sched:sched_switch");
	completes(fake, "events ", "sch", "sched");
	completes(fake, "events ", "pow", "power");
	drop_tracefs();
	fake_free(fake);
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
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_texts),	cmocka_unit_test(test_field_names),	cmocka_unit_test(test_label),
		cmocka_unit_test(test_systems),	cmocka_unit_test(test_calls),	cmocka_unit_test(test_command),	cmocka_unit_test(test_switch_state),
		cmocka_unit_test(test_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
