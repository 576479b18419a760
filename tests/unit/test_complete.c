// SPDX-License-Identifier: GPL-2.0-or-later
/* test_complete.c - completions from debug information. The kernel that is traced is this program. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "ctl/ask/events/systems.h"
#include "ctl/base/memory.h"
#include "ctl/ui/complete.h"
#include "ctl/ui/shell_complete.h"
#include "fake_kernel.h"
#include "own_index.h"

/* ----------------------------------------------------------------- planted */

enum planted_mood { SAD, CALM };

struct planted_part {
	int part_one, part_two;
};

typedef struct planted_part planted_t;

struct planted {
	struct planted_part inner, *list;
	union {
		int hidden_one;
		long hidden_two;
	};
	struct planted *next;
	int items[3];
};

int planted_global;
struct planted planted_object;

static inline __attribute__((always_inline)) int planted_inline(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

__attribute__((noinline, noipa)) int planted_function(struct planted *first_arg, int second_arg)
{
	planted_t local_part = { first_arg->items[0], second_arg };
	enum planted_mood mood = second_arg ? SAD : CALM;

	__asm__ volatile("" : "+m"(local_part), "+r"(mood));
	return planted_inline(local_part.part_one) + mood + planted_global;
}

__attribute__((noinline, noipa)) int planted_other(int other_arg)
{
	__asm__ volatile("" : "+r"(other_arg));
	return other_arg + planted_object.items[1];
}

/* ------------------------------------------------------------------- setup */

static char index_path[] = "/tmp/ktrace-complete-XXXXXX";
static struct fake_kernel *fake;

static int setup(void **state)
{
	const struct debug_options options = { .file = index_path };
	struct planted planted = { .next = NULL };
	struct debug_error err;
	struct session *s;

	if (!own_index(__FILE__, index_path) || !planted_function(&planted, 1) || !planted_other(1))
		return -1;
	fake = fake_create();
	s = &fake->session;
	symtab_free(s->tab);
	s->debug = debug_open(&options);
	s->tab = debug_symbols(debug_unit(s->debug, "", &err));
	s->offline = true;
	return s->tab ? 0 : -1;
}

static int teardown(void **state)
{
	fake_free(fake);
	return unlink(index_path);
}

static void collect(const char *word, void *arg)
{
	fprintf(arg, "%s ", word);
}

static char *offered(const char *before, const char *word)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_true(complete(&fake->session, before, word, collect, out));
	fclose(out);
	return text;
}

/* Behind `trace planted_function` */
static void offers(const char *before, const char *word, const char *wanted)
{
	AUTO_FREE char *line = mem_printf("trace planted_function %s", before);
	AUTO_FREE char *text = offered(line, word);

	if (strcmp(text, wanted))
		fail_msg("%s%s is completed to '%s', not '%s'", line, word, text, wanted);
}

static void has(const char *before, const char *word, const char *wanted)
{
	AUTO_FREE char *text = offered(before, word);

	if (!strstr(text, wanted))
		fail_msg("%s%s: '%s' lacks '%s'", before, word, text, wanted);
}

/* ------------------------------------------------------------------- tests */

static void test_members(void **state)
{
	offers("VAR ", "first_arg->", "first_arg->inner first_arg->list first_arg->hidden_one first_arg->hidden_two "
				      "first_arg->next first_arg->items ");
	offers("VAR ", "first_arg->inner.", "first_arg->inner.part_one first_arg->inner.part_two ");
	offers("VAR ", "first_arg->next->list->part_t", "first_arg->next->list->part_two ");
	offers("VAR ", "first_arg->list[2].part_o", "first_arg->list[2].part_one ");
	offers("VAR ", "(*first_arg).inn", "(*first_arg).inner ");
	offers("VAR ", "*first_arg->li", "*first_arg->list ");
	offers("VAR second_arg VAR ", "first_arg->ne", "first_arg->next ");
	offers("IF second_arg > 5 && ", "first_arg->ne", "first_arg->next ");
	offers("IF ", "second_arg>5&&first_arg->ne", "second_arg>5&&first_arg->next ");
	offers("IF second_arg == 1 || ", "!(second_arg+first_arg->hid", "!(second_arg+first_arg->hidden_one !(second_arg+first_arg->hidden_two ");
	offers("IF 1 < ((struct planted ", "*)$rdi)->ne", "*)$rdi)->next ");
	offers("VAR ((struct planted *)second_arg ", ")->ne", ")->next ");
	offers("SUM ", "first_arg->inner.part_o", "first_arg->inner.part_one ");
	offers("COUNT BY COMM, ", "first_arg->ne", "first_arg->next ");
	offers("LHIST ", "first_arg->hidden_o", "first_arg->hidden_one ");
	offers("VAR ", "second_arg->", "");
	offers("VAR ", "nothing->", "");
	offers("VAR ", ")->", "");
	offers("VAR ", "]]->", "");
	offers("VAR ", "1.", "");
	offers("VAR ", "->", "");
}

static void test_scope(void **state)
{
	offers("VAR ", "firs", "first_arg ");
	offers("IF second_arg == 2 && ", "fi", "first_arg ");
	offers("IF second_arg == 2 && ", "si", "sizeof( ");
	offers("IF second_arg == 2 && ", "planted_f", "");
	offers("IF second_arg == 2 ", "LATE", "LATEFREEZE ");
	offers("IF second_arg == 2 && first_arg ", "LATE", "LATEFREEZE ");
	offers("IF second_arg == 2 && ", "LATE", "");
	offers("IF second_arg == 2 ", "planted_f", "planted_function ");
	offers("LHIST second_arg 0 100 10 ", "LATE", "LATEFREEZE ");
	offers("COUNT BY ", "BACK", "BACKTRACE ");
	offers("COUNT BY ", "FREE", "");
	offers("COUNT BY PID ", "FREE", "FREEZE ");
	offers("CALLER ", "", "depth in ");
	offers("CALLER depth 1 ", "FREE", "FREEZE ");
	offers("BACKTRACE 3 ", "FREE", "FREEZE ");
	offers("METHOD ", "j", "jump ");
	has("trace planted_function IF second_arg == 2 && ", "", "first_arg ");
	has("trace planted_function%return VAR ", "", "RETVAL ELAPSED ");
	has("trace planted_function VAR ", "", "$");
}

static void test_types(void **state)
{
	offers("VAR ((struct ", "planted_", "planted_part ");
	offers("VAR sizeof(struct ", "planted", "planted planted_part ");
	offers("VAR ((enum ", "planted", "planted_mood ");
	offers("VAR ((union ", "planted", "");
	offers("VAR ", "((planted", "((planted_t ");
	offers("VAR ", "(stru", "(struct ");
	offers("VAR ", "sizeof(firs", "sizeof(first_arg ");
	offers("VAR ", "offsetof(stru", "offsetof(struct ");
	offers("VAR offsetof(struct ", "planted_", "planted_part ");
	offers("VAR offsetof(struct planted, ", "ne", "next ");
	offers("VAR offsetof(struct planted, ", "inner.part_t", "inner.part_two ");
	offers("VAR container_of(", "firs", "first_arg ");
	offers("VAR container_of(first_arg->list, struct ", "planted_", "planted_part ");
	offers("VAR container_of(first_arg->list, struct planted, ", "lis", "list ");
	offers("VAR container_of(first_arg->list, struct planted, inner) ", "FREE", "FREEZE ");
	offers("VAR container_of(first_arg->list, struct planted, ", "inner)->ne", "inner)->next ");
}

static void test_places(void **state)
{
	has("trace ", "planted_f", "planted_function ");
	has("trace ", "planted_function%", "planted_function%return ");
	has("trace ", "inline:planted", "inline:planted_inline ");
	has("trace ", "test_complete.", "test_complete.c: ");
	has("trace ", "test_complete.c:4", "test_complete.c:4");
	has("latency ", "planted_f", "planted_function ");
	has("explain ", "inline:planted", "inline:planted_inline ");
}

static void test_quotes(void **state)
{
	has("run \"", "tr", "trace ");
	has("run --for 2s 'trace planted_function VAR ", "first_arg->ne", "first_arg->next ");
	has("run 'trace planted_function PID; trace planted_function VAR ", "firs", "first_arg ");
	has("trace planted_function IF 'second_arg > 5 && ", "firs", "first_arg ");
	has("trace planted_function IF 'second_arg > 5' ", "FREE", "FREEZE ");
	has("run --pid ", "", "1 ");
	has("latency planted_function --by ", "RET", "RETVAL ");
	has("latency planted_function --by ", "EX", "EXIT ");
}

/* Let the session have these symbols.  Returns those before. */
static struct symtab *exchange(const struct sym *planted, size_t n)
{
	struct symtab *const before = fake->session.tab;
	struct sym *syms = malloc(n * sizeof(*syms));

	memcpy(syms, planted, n * sizeof(*syms));
	fake->session.tab = symtab_make(syms, n);
	return before;
}

static void restore(struct symtab *before)
{
	symtab_free(fake->session.tab);
	fake->session.tab = before;
}

/* Values and types at no place in the code. */
static void test_show(void **state)
{
	const struct sym planted[] = {
		{ .addr = (uintptr_t)&planted_global, .size = sizeof(planted_global), .name = "planted_global",
		  .module = "", .type = 'D' },
		{ .addr = (uintptr_t)&planted_object, .size = sizeof(planted_object), .name = "planted_object",
		  .module = "", .type = 'D' },
	};
	struct symtab *const before = exchange(planted, ARRAY_SIZE(planted));

	has("show ", "planted_gl", "planted_global ");
	has("show struct ", "planted_p", "planted_part ");
	has("show ", "planted_p", "planted_part ");
	has("show ", "planted_object.in", "planted_object.inner ");
	has("show ", "planted_object.inner.part_t", "planted_object.inner.part_two ");
	has("show ", "planted_object.next->li", "planted_object.next->list ");
	has("show planted_global + ", "planted_object.hidden_o", "planted_object.hidden_one ");
	has("show planted_object ", "ne", "next ");
	has("show --most 5 planted_object next ", "inner.part_o", "inner.part_one ");
	has("show any planted_part.part_one ", "part_t", "part_two ");
	has("show ", "curr", "current ");
	has("show --pid ", "", "1 ");
	has("where ", "", "1 ");
	has("top --pid ", "", "1 ");
	has("print ", "", "IF -o --state ");
	has("print -20 IF ", "na", "name ");
	has("print IF !(", "cp", "cpu ");
	restore(before);
}

/* What a measurement pairs or filters by. */
static void test_keys(void **state)
{
	has("latency planted_function planted_other --key ", "first_arg->ne", "first_arg->next ");
	has("latency planted_function planted_other --key first_arg ", "other_a", "other_arg ");
	has("latency planted_function planted_other --key first_arg --key ", "other_a", "other_arg ");
	has("latency planted_function planted_other --key first_arg ", "--fo", "--for ");
	has("pairs planted_function planted_other --by '", "first_arg->ne", "first_arg->next ");
	has("pairs planted_function planted_other --by first_arg --by ", "other_a", "other_arg ");
	has("latency planted_function --by 'VAR ", "seco", "second_arg ");
	has("latency planted_function --by '", "RET", "RETVAL ");
	has("lines planted_function --if '", "ELA", "ELAPSED ");
	has("lines planted_function --if 'ELAPSED > 1ms && ", "seco", "second_arg ");
	has("latency planted_function --fail-if ", "p9", "p99> ");
}

/* System calls and static tracepoints, with tracefs not readable. */
static void test_kernel(void **state)
{
	AUTO_FREE char *call = mem_printf("%sopenat", arch_native.syscall_prefix);
	const struct sym planted[] = {
		{ .addr = FAKE_TEXT, .size = 16, .name = call, .module = "", .type = 'T' },
		{ .addr = FAKE_TEXT + 16, .size = 16, .name = "sys_ni_syscall", .module = "", .type = 'T' },
		{ .addr = FAKE_TEXT + 0x1000000, .size = 64, .name = "__tracepoint_sched_switch", .module = "", .type = 'D' },
	};
	struct symtab *const before = exchange(planted, ARRAY_SIZE(planted));

	systems_use("/nonexistent");
	has("trace ", "syscall:opena", "syscall:openat ");
	has("trace ", "sys_", "sys_ni_syscall sys_openat ");
	has("events ", "syscall:", "syscall:openat ");
	has("events ", "us", "user:* ");
	has("record --events ", "core,-us", "core,-user:* ");
	has("record --caller ", "", "depth in ");
	has("record --caller depth 1 ", "--mo", "--mode ");
	has("trace ", "event:sched_sw", "event:sched_switch ");
	has("trace ", "sched:sched_sw", "sched:sched_switch ");
	has("trace ", "event:sched:", "event:sched:sched_switch ");
	has("trace ", "sched", "sched: ");
	has("trace sched:sched_switch ", "AR", "ARGS ");
	has("trace sched:sched_switch VAR ", "next_", "next_comm next_tid next_pid ");
	has("trace sched:sched_switch COUNT BY ", "prev_", "prev_comm prev_tid prev_pid ");
	systems_use(NULL);
	restore(before);
}

static char *in_shell(const char *first, const char *word)
{
	char *const words[] = { (char *)first, (char *)word };
	char *text = NULL;
	size_t len;
	FILE *out = fake->session.out;

	fake->session.out = open_memstream(&text, &len);
	shell_complete(&fake->session, words, ARRAY_SIZE(words));
	fclose(fake->session.out);
	fake->session.out = out;
	return text;
}

static void test_shell(void **state)
{
	static const struct {
		const char *first, *word, *wanted;
	} rows[] = {
		{ "run", "'trace planted_function VAR first_arg->ne", "trace planted_function VAR first_arg->next\n" },
		{ "-e", "\"list; trace planted_function VAR firs", "list; trace planted_function VAR first_arg\n" },
		{ "run", "'", "trace\n" },
		{ "trace", "'planted_f", "planted_function\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_FREE char *text = in_shell(rows[i].first, rows[i].word);

		assert_contains(text, rows[i].wanted);
	}
}

/* The filters' values are those of processes that exist: of this one. */
static void test_tasks(void **state)
{
	AUTO_FREE char *pid = mem_printf("%d", getpid()), *user = mem_printf("%u ", getuid());
	AUTO_FREE char *wanted = mem_printf("%s ", pid);

	has("trace planted_function ONLYPID ", pid, wanted);
	has("trace planted_function ONLYTGID ", pid, wanted);
	has("trace planted_function ONLYUID ", "", user);
	has("trace planted_function ONLYCOMM ", "test_c", "test_complete ");
	has("trace planted_function ONLYCPU ", "", "0 ");
	offers("EVERY ", "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members), cmocka_unit_test(test_scope), cmocka_unit_test(test_types),
		cmocka_unit_test(test_places), cmocka_unit_test(test_quotes), cmocka_unit_test(test_shell),
		cmocka_unit_test(test_tasks), cmocka_unit_test(test_show), cmocka_unit_test(test_keys),
		cmocka_unit_test(test_kernel),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
