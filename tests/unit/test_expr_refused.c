// SPDX-License-Identifier: GPL-2.0-or-later
/* test_expr_refused.c - expressions that are refused, and any text in the place of an expression. */
#include "capture_dice.h"
#include "expr_scene.h"

#include <stdlib.h>

static void test_refused(void **state)
{
	refused("", "at column 1: something is missing at the end");
	refused("$rdi +", "at column 7: something is missing at the end");
	refused("$rdi == )", "at column 9: a value is expected, not ')'");
	refused("($rdi", "a ) is missing at the end");
	refused("($rdi $rsi)", "at column 7: an operator or a ) is expected, not '$rsi)'");
	refused("$rdj", "there is no register or property $rdj: did you mean");
	refused("$", "a register's name is missing");
	refused("rdi", "there is no symbol 'rdi': the register is $rdi");
	refused("PID == 5", "there is no symbol 'PID': the property of the task is $pid");
	refused("jiffeis", "did you mean jiffies");
	refused("jiffies", "the type of jiffies is unknown without debug information: write *(u64*)&jiffies");
	refused("this_cpu(jiffies)", "*(u64*)&this_cpu(jiffies)");
	refused("*(u65*)$rdi", "at column 3: no type 'u65' is known: did you mean u64");
	refused("*(struct file*)$rdi", "at column 3: 'struct file' needs debug information");
	refused("((u64*)$rdi)->f_path", "at column 13: the left side has no members");
	refused("*$rdi", "at column 1: this is not a pointer");
	refused("*(void*)$rdi", "a void pointer has no target type");
	refused("(void)$rdi", "a cast to void");
	refused("$rdi[3]", "this is not a pointer");
	refused("((u64*)$rdi)[3", "a ] is missing");
	refused("&$rdi", "only a variable");
	refused("(u64*)$rdi * 2", "pointers can be compared");
	refused("(u64*)$rdi - (u32*)$rsi", "pointers to different types have no difference");
	refused("~(u64*)$rdi", "cast it to u64");
	refused("$rax < 0", "unsigned and never below 0: cast it, as in (s32)$rax < 0");
	refused("$rax >= 0", "unsigned and never below 0");
	refused("$rax / 0", "a division by 0");
	refused("12abc", "'12abc' is not a number");
	refused("$rax > 0.5", "at column 8: a number with a fraction or exponent needs a unit of time");
	refused("$rax == 1e-3", "a number with a fraction or exponent needs a unit of time");
	refused("*(double *)$rdi + 1", "this is a floating-point number, which can be recorded by VAR");
	refused("(double)$rax", "a cast cannot convert");
	refused("0789", "'0789' is not a number");
	refused("99999999999999999999", "too large");
	refused("'x", "a character needs a closing quote");
	refused("*(u64*($rdi)", "a ) is missing behind the type");
	refused("this_cpu()", "a value is expected");
	refused("per_cpu(jiffies)", "at column 16: a , is missing");
	refused("per_cpu(jiffies, )", "a value is expected");
	refused("per_cpu(jiffies, 1)", "this kernel does not list __per_cpu_offset");
	refused("sizeof()", "a value is expected");
	refused("\"a\"", "at column 1: a text is only compared");
	refused("\"a\" == \"b\"", "these are two texts");
	refused("\"a\" == (char *)$rdi", "the text stands on the right side");
	refused("(char *)$rdi =~ $rsi", "a pattern in quotes is expected");
	refused("(char *)$rdi < \"a\"", "at column 14: a text is compared by ==, != or");
	refused("(char *)$rdi + \"a\"", "a text is compared by ==, != or");
	refused("$rdi == \"a\"", "at column 1: this is no text in memory");
	refused("(u32 *)$rdi == \"a\"", "this is no text in memory");
	refused("(char *)$rdi == \"a", "at column 17: a text needs a closing quote");
	refused("(char *)$rdi == dd", "at column 17: 'dd' is not known: a text is in quotes: \"dd\"");
	refused("(char *)$rdi == \"a text that is longer than the 64 bytes that a capture program can compare\"",
		"the text is too long: at most 64 bytes");
	refused("sizeof(u32", "a ) is missing");
	refused("sizeof(u65)", "no type 'u65' is known: did you mean u64");
	refused("offsetof(u32)", "a , is missing");
	refused("offsetof(u32, )", "a value is expected");
	refused("offsetof(u32, x)", "the left side has no members");
	refused("container_of($rdi, u32)", "a , is missing");
	refused("container_of($rdi)", "a , is missing");
}

/* At any depth: an error, or a program that the module accepts. */
static void test_depth(void **state)
{
	char text[2000] = "";
	struct error err;
	size_t used;

	memset(text, '(', 1000);
	assert_null(expr_parse("VAR", text, &used, &err));
	assert_contains(err.text, "too much is nested");
	memset(text, '-', 1000);
	assert_null(expr_parse("VAR", text, &used, &err));
	strcpy(text, "($rcx+($rcx+($rcx+($rcx+($rcx+($rcx+($rcx+($rcx+($rcx+$rcx)))))))))");

	struct desc *desc = mem_zalloc(1, sizeof(*desc));
	struct compiler c = { .arch = &arch_native, .desc = desc };
	AUTO_EXPR struct expr *e = resolved(text, &err);

	assert_non_null(e);
	assert_false(compile_value(&c, "x", e, &err));
	assert_contains(err.text, "too complex: split it");
	compile_drop(&c);
	desc_free(desc);
}

/* Any bytes: an error in one line, or a program that the module accepts. */
static void test_any_text(void **state)
{
	static const char *const parts[] = {
		"$rdi", "$eax", "5", "0x10", "(", ")", "*", "&", "(u64*)", "(s8)", "(u32 **)", "+", "-", "==", "&&",
		"||", "!", "~", "<<", ">>", "[", "]", "<", "/", "%", "^", "|", "current", "plain_fn", "jiffies", " ",
		"$pid", "'x'", "this_cpu(", "per_cpu(", "sizeof(", "offsetof(", "container_of(", "->", ".", "struct ", "1", "\xff", "\"",
		"=~", "(char *)$rdi", "\"d*\"",
	};
	u32 good = 0;

	set_machine();
	const struct expr_names names = { .arch = &arch_native, .tab = fake->session.tab };

	srand(5);
	for (u32 i = 0; i < 60000; i++) {
		char text[200] = "";
		struct error err = { .text = "" };
		struct expr *e;
		size_t used;

		for (u32 n = 1 + dice(9); n; n--)
			strcat(text, parts[dice(ARRAY_SIZE(parts))]);
		e = expr_parse("IF", text, &used, &err);
		assert_true(!e || used <= strlen(text));
		if (e && expr_resolve(e, "IF", text, &names, &err)) {
			struct desc *desc = mem_zalloc(1, sizeof(*desc));
			struct compiler c = { .arch = &arch_native, .desc = desc };
			bool ok = (e->kind == EXPR_NUMBER || compile_if(&c, e, &err)) &&
				  compile_value(&c, text, e, &err) && compile_finish(&c, &err);
			struct machine expected = m;
			enum machine_end end = MACHINE_REFUSED;

			if (ok)
				end = machine_run(&m, desc->prog, desc->prog_len);
			if (ok && end == MACHINE_REFUSED)
				fail_msg("%s: the module refuses the program", text);
			if (ok) {
				assert_int_equal(machine_evaluate(&expected, desc->prog, desc->prog_len), end);
				assert_true(end == MACHINE_FILTERED ||
					    !memcmp(m.out, expected.out, m.payload));
			}
			good += ok;
			compile_drop(&c);
			desc_free(desc);
		} else {
			assert_one_line(err.text);
		}
		expr_free(e);
	}
	assert_true(good > 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused), cmocka_unit_test(test_depth), cmocka_unit_test(test_any_text),
	};

	return cmocka_run_group_tests_name("expr_refused", tests, setup, teardown);
}
