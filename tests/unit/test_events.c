// SPDX-License-Identifier: GPL-2.0-or-later
/* test_events.c - the rows of events: their texts, sets and fields; and the command. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <asm/unistd.h>

#include "capture_contract.h"
#include "ctl/ask/events/calls.h"
#include "ctl/ask/events/events.h"
#include "ctl/ask/events/field_find.h"
#include "ctl/ask/events/systems.h"
#include "ctl/ask/expr/expr.h"
#include "ctl/ask/lang/compile.h"
#include "ctl/base/memory.h"
#include "ctl/ui/complete.h"
#include "examples.h"
#include "fake_kernel.h"
#include "fake_tracefs.h"

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

/* The first expression of a field. */
static char *expression_of(const char *event, const char *name)
{
	const char *rest = events_named(event)->fields, *first;
	struct event_field field;

	while (events_field(&rest, &field)) {
		AUTO_FREE char *expressions = field.expressions;

		if ((int)strlen(name) != field.name_len || strncmp(field.name, name, field.name_len))
			continue;
		first = expressions;
		return events_alternative(&first);
	}
	fail_msg("%s has no %s", event, name);
	return NULL;
}

/* The one for prev_state, with registers in place of the parameters. */
static char *state_expression(void)
{
	AUTO_FREE char *first = expression_of("sched_switch", "prev_state");
	AUTO_FREE char *one = replaced(first, "prev->exit_state", "(u32)$" STATE_EXIT);
	AUTO_FREE char *two = replaced(one, "prev_state", "(u32)$" STATE_NOW);

	return replaced(two, "preempt", "$" STATE_PREEMPT);
}

static struct desc *compiled(const char *text)
{
	const struct expr_names names = { .arch = &arch_native };
	struct desc *desc = mem_zalloc(1, sizeof(*desc));
	struct compiler c = { .arch = &arch_native, .desc = desc };
	struct error err = { .text = "" };
	size_t used;
	AUTO_EXPR struct expr *e = expr_parse("VAR", text, &used, &err);

	if (!e || !expr_resolve(e, "VAR", text, &names, &err) || !compile_value(&c, "x", e, &err) || !compile_finish(&c, &err))
		fail_msg("%s: %s", text, err.text);
	return desc;
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
	struct desc *desc = compiled(text);
	struct machine m;

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

/* The error of a request is an errno before 5.16, then a blk_status_t. */
static void test_request_error(void **state)
{
	static const int errors[] = { 0, EOPNOTSUPP, ETIMEDOUT, ENOSPC, ENOLINK, EREMOTEIO, EBADE, ENODATA, EILSEQ, ENOMEM, EIO,
				      EREMCHG, EAGAIN, EBUSY };
	static const char *const types[] = { "(s32)$" STATE_NOW, "(u8)$" STATE_NOW };
	AUTO_FREE char *text = expression_of("block_rq_complete", "error");

	for (size_t type = 0; type < ARRAY_SIZE(types); type++) {
		AUTO_FREE char *typed = replaced(text, "error", types[type]);
		struct desc *desc = compiled(typed);
		struct machine m;

		for (size_t i = 0; i < ARRAY_SIZE(errors) + type; i++) {
			const bool is_known = i < ARRAY_SIZE(errors);

			machine_reset(&m);
			machine_now = &m;
			set_register(&m, STATE_NOW, type ? (int64_t)i : -errors[i]);
			assert_int_equal(machine_run(&m, desc->prog, desc->prog_len), MACHINE_RECORDED);
			assert_int_equal(!m.out[0], is_known);	/* which fields could not be read */
			if (is_known)
				assert_int_equal((int32_t)m.out[1], -errors[i]);
		}
		desc_free(desc);
	}
}

/* -------------------------------------------------------- systems, system calls */

static void test_systems(void **state)
{
	const char *format;
	char *system;

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
	assert_ptr_equal(systems_format("sched", "sched_switch"), format);
	assert_null(systems_format("sched", "sched_wakeup"));
	/* Without tracefs the rows tell. */
	systems_use("/nowhere");
	assert_true(systems_has("timer"));
	assert_true(systems_match("kmem", "mm_page_alloc"));
	assert_false(systems_match("kmem", "sched_switch"));
	assert_null(systems_of("no_such_event"));
	drop_tracefs();
}

static void test_calls(void **state)
{
	static const char *const texts[] = {
		"dfd = (int)%s or %s", "filename = (char *)%s :64", "how = (void *)%s", "mode = (umode_t)%s or %s",
	};
	struct call_arg args[CALL_ARGS];
	AUTO_FREE char *field = NULL;

	make_tracefs();
	make_openat();
	assert_int_equal(call_args("openat", args), ARRAY_SIZE(texts));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		AUTO_FREE char *value = mem_printf("$sysarg%zu", i);
		AUTO_FREE char *expected = mem_printf(texts[i], value, value), *field = call_field(&args[i], i, 64);

		assert_string_equal(field, expected);
	}
	assert_int_equal(call_args("read", args), CALL_ARGS);
	make_call("mmap", "unsigned long addr", "unsigned long len", "unsigned long prot", "unsigned long flags", "unsigned long fd",
		  "unsigned long off", NULL);
	assert_int_equal(call_args("mmap", args), 6);
	assert_string_equal(args[1].type, "unsigned long");
	assert_string_equal(args[4].type, "int");
	make_call("mount", "char * dev_name", "char * dir_name", "char * type", "unsigned long flags", "void * data", NULL);
	call_args("mount", args);
	field = call_field(&args[2], 2, 64);
	assert_string_equal(field, "type = (char *)$sysarg2 :64");
	call_args("read", args);
	assert_string_equal(call_name(__NR_openat), "openat");
	assert_string_equal(call_name(__NR_getpid), "getpid");
	assert_null(call_name(100000));
	assert_string_equal(args[5].name, "arg5");
	drop_tracefs();
}

static void test_compat_calls(void **state)
{
	/* The same on i386 and ARM. */
	static const char *const names[][2] = {
		{ "close", "close" }, { "chown", "chown16" }, { "chown32", "chown" }, { "futex", "futex_time32" },
		{ "futex_time64", "futex" }, { "clock_gettime", "clock_gettime32" }, { "clock_gettime64", "clock_gettime" },
		{ "sendfile", "sendfile" }, { "stat64", "stat64" }, { "_llseek", "llseek" }, { "timer_create", "timer_create" },
	};
	struct call_arg args[CALL_ARGS];
	size_t n;

	assert_string_equal(call_compat_name(6), "close");
	assert_string_equal(call_compat_name(20), "getpid");
	assert_string_equal(call_compat_name(182), "chown");
	assert_string_equal(call_compat_name(212), "chown32");
	assert_null(call_compat_name(100000));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		AUTO_FREE char *name = call_compat_kernel_name(names[i][0]);

		assert_string_equal(name, names[i][1]);
	}
	assert_true(call_compat_is("chown32", "chown") && call_compat_is("chown", "chown") && call_compat_is("futex", "futex"));
	assert_false(call_compat_is("fchown", "chown"));
	assert_string_equal(call_compat_find("chown16"), "chown");
	assert_string_equal(call_compat_find("chown"), "chown32");
	make_tracefs();
	make_openat();
	assert_true(call_compat_args_known("openat", args, &n) && n == 4);
	assert_string_equal(args[1].name, "filename");
	make_call("chown", "const char * filename", "uid_t user", "gid_t group", NULL);
	assert_true(call_compat_args_known("chown", args, &n) && n == 3);
	assert_string_equal(args[1].type, "unsigned short");
	assert_true(call_compat_args_known("chown32", args, &n) && n == 3);
	assert_string_equal(args[1].type, "uid_t");
	assert_true(call_compat_args_known("ftruncate64", args, &n));
	assert_string_equal(args[n - 1].name, "length_high");
	assert_string_equal(args[n - 1].type, "unsigned int");
	assert_false(call_compat_args_known("lseek", args, &n));
	drop_tracefs();
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	cmocka_unit_test(test_sets),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_texts),	cmocka_unit_test(test_field_names),	cmocka_unit_test(test_label),
		cmocka_unit_test(test_systems),	cmocka_unit_test(test_calls), cmocka_unit_test(test_compat_calls),	cmocka_unit_test(test_command),	cmocka_unit_test(test_switch_state),
		cmocka_unit_test(test_request_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
