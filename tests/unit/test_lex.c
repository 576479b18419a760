// SPDX-License-Identifier: GPL-2.0-or-later
/* test_lex.c - split text into words. */
#include "unit.h"

#include "ctl/base/memory.h"
#include "ctl/base/lex.h"

/* The words of all commands, joined: | between words, ; after commands. */
static const char *lexed(const char *text)
{
	static char joined[1024];
	struct error err = { 0 };
	size_t at = 0;

	joined[0] = '\0';
	for (;;) {
		AUTO_WORDS struct words words = { 0 };
		enum lex_result result = lex_command(&text, &words, &err);

		if (result == LEX_ERROR) {
			assert_int_equal(err.status, STATUS_USAGE);
			return "error";
		}
		if (result == LEX_END)
			return joined;
		if (words.pipe)
			at += snprintf(joined + at, sizeof(joined) - at, "[%s]", words.pipe);
		for (size_t i = 0; i < words.n; i++)
			at += snprintf(joined + at, sizeof(joined) - at, "%s%s", i ? "|" : "",
				       words.v[i]);
		at += snprintf(joined + at, sizeof(joined) - at, ";");
	}
}

static void test_words(void **state)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{ "", "" },
		{ "  \t ", "" },
		{ ";;\n;", "" },
		{ "list", "list;" },
		{ "trace vfs_write PID", "trace|vfs_write|PID;" },
		{ "trace a;print;  list ", "trace|a;print;list;" },
		{ "a\nb", "a;b;" },
		{ "a \\\n b", "a|b;" },
		{ "a\\\nb", "ab;" },
		{ "a\r\nb\r\n", "a;b;" },
		{ "# all of it ; is comment", "" },
		{ "list # why", "list;" },
		{ "list #why\nprint", "list;print;" },
		{ "trace f#2 PID", "trace|f#2|PID;" },
		{ "source 'a b'", "source|a b;" },
		{ "source \"a \\\" ; b\"", "source|a \" ; b;" },
		{ "source 'a\\b'", "source|a\\b;" },
		{ "a\\ b c", "a b|c;" },
		{ "a\"b c\"d", "ab cd;" },
		{ "''", ";" },
		{ "delete *", "delete|*;" },
		{ "!echo a; echo 'b\nlist", "!|echo a; echo 'b;list;" },
		{ "list; !  ls -l # x", "list;!|ls -l # x;" },
		{ "!", "!|;" },
		{ "#!/usr/bin/ktrace -f\nlist", "list;" },
		{ "trace f IF x == \"a b\" PID", "trace|f|IF|x|==|\"a b\"|PID;" },
		{ "trace f IF x!=\"a\\\"b;\"&&y =~  \"d\\*\"", "trace|f|IF|x!=\"a\\\"b;\"&&y|=~|\"d\\*\";" },
		{ "trace f IF 'x !~ \"a\"'; list", "trace|f|IF|x !~ \"a\";list;" },
		{ "trace f VAR x = \"a\"", "trace|f|VAR|x|=|a;" },
		{ "x == \"a", "error" },
		{ "print !| grep 'x; y' # z", "[grep 'x; y' # z]print;" },
		{ "print -20 !|less\nlist", "[less]print|-20;list;" },
		{ "print a!|b; print \"!|\"", "print|a!|b;print|!|;" },
		{ "print !|", "[]print;" },
		{ "source 'a", "error" },
		{ "source \"a", "error" },
		{ "\\", "\\;" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(lexed(rows[i].text), rows[i].words);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
