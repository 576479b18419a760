// SPDX-License-Identifier: GPL-2.0-or-later
/* test_request.c - where the words after `trace` end an expression and begin the next address. */
#include "ctl/ask/lang/request.h"
#include "unit.h"

#include "ctl/base/memory.h"

static bool parse(const char *line, struct words *words, struct requests *out, struct error *err)
{
	assert_int_equal(lex_command(&line, words, err), LEX_COMMAND);
	return requests_parse(words, 0, out, err);
}

/* The addresses of a line and their options, with " | " between them. */
static void reads_as(const char *line, const char *expected)
{
	AUTO_WORDS struct words words = { 0 };
	AUTO_REQUESTS struct requests requests = { 0 };
	AUTO_FREE char *text = NULL;
	struct error err;

	if (!parse(line, &words, &requests, &err))
		fail_msg("%s: %s", line, err.text);
	text = mem_strdup("");
	for (size_t i = 0; i < requests.n; i++) {
		AUTO_FREE char *options = request_options(&requests.v[i]), *before = text;

		text = mem_printf("%s%s%s%s%s", before, i ? " | " : "", requests.v[i].address, *options ? " " : "", options);
	}
	assert_string_equal(text, expected);
}

static void refused(const char *line, const char *said)
{
	AUTO_WORDS struct words words = { 0 };
	AUTO_REQUESTS struct requests requests = { 0 };
	struct error err;

	assert_false(parse(line, &words, &requests, &err));
	assert_one_line(err.text);
	assert_contains(err.text, said);
}

static void test_paths(void **state)
{
	reads_as("./p:user1 VAR x ./p:user2 ARGS", "./p:user1 VAR x | ./p:user2 ARGS");
	reads_as("./p:user1 VAR x ../p:user2", "./p:user1 VAR x | ../p:user2");
	reads_as("/p:user1 VAR x + 1 /tmp/p:user2 IF y > 2 /p:f", "/p:user1 VAR x + 1 | /tmp/p:user2 IF y > 2 | /p:f");
	reads_as("p:f VAR x libc:malloc ARGS ext4:sync", "p:f VAR x | libc:malloc ARGS | ext4:sync");
	reads_as("f COUNT BY x ./p:g", "f COUNT BY x | ./p:g");
	reads_as("f LHIST x 0 10 1 ./p:g", "f LHIST x 0 10 1 | ./p:g");
	refused("f IF ./p:g", "IF needs its EXPRESSION");
	refused("f IF x > ./p:g", "something is missing");
}

/* These divide, or compare with a text. */
static void test_no_paths(void **state)
{
	reads_as("f VAR a / b", "f VAR a / b");
	reads_as("f VAR a /b", "f VAR a /b");
	reads_as("f VAR a/b:x", "f VAR a/b:x");
	reads_as("f VAR a.b", "f VAR a.b");
	reads_as("f IF name == \"a ./b\" PID", "f IF name == \"a ./b\" PID");
}

/* Every option that takes an expression or keys ends it there. */
static void test_each_option(void **state)
{
	for (const struct option_row *row = option_rows; row->name; row++) {
		if (row->arg == ARG_EXPRESSION || row->arg == ARG_KEYS) {
			AUTO_FREE char *line = mem_printf("./p:f %s x ./p:g", row->name);
			AUTO_FREE char *expected = mem_printf("./p:f %s x | ./p:g", row->name);

			reads_as(line, expected);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths), cmocka_unit_test(test_no_paths), cmocka_unit_test(test_each_option),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
