// SPDX-License-Identifier: GPL-2.0-or-later
/* test_strangers_escape.c - bytes of strangers: every character, each format; the guard of the output. */
#include "unit.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "ctl/base/escape.h"
#include "ctl/base/fit.h"
#include "ctl/base/guard.h"
#include "ctl/base/memory.h"
#include "ctl/base/style.h"
#include "ctl/base/table.h"
#include "strangers.h"

typedef void write_fn(FILE *out, const char *text);

static char *written(write_fn *write, const char *from)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	write(out, from);
	fclose(out);
	return text;
}

static void as_c(FILE *out, const char *text)
{
	escape_text(out, (const uint8_t *)text, strlen(text), false, "\"");
}

static void as_shown(FILE *out, const char *text)
{
	fputs(escape_shown(text), out);
}

static void as_guarded(FILE *out, const char *text)
{
	guard_text(text, out);
}

static void as_cell(FILE *out, const char *text)
{
	struct table table = { .align = "l" };

	table_add(&table, "%s", text);
	table_print(&table, 0, out, false);
	table_free(&table);
}

static void as_styled(FILE *out, const char *text)
{
	style_put(out, false, STYLE_NAME, text, 0);
}

static write_fn *const writers[] = {
	as_c, as_shown, as_guarded, as_cell, as_styled, escape_json, escape_csv, escape_csv_part, escape_html, escape_line,
};

static size_t put_utf8(char *to, uint32_t c, size_t n)
{
	static const uint8_t leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = n; --i; c >>= 6)
		to[i] = 0x80 | (c & 0x3f);
	to[0] = leads[n] | c;
	to[n] = '\0';
	return n;
}

static void check_all(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(writers); i++) {
		AUTO_FREE char *got = written(writers[i], text);

		strangers_check(got, strlen(got));
	}
}

/* Alone, in front of others, and behind them. */
static void test_every_byte(void **state)
{
	for (int byte = 1; byte < 256; byte++) {
		char text[] = { (char)byte, 'a', (char)byte, (char)byte, 'z', (char)byte, '\0' };

		check_all(text);
	}
}

static void test_every_character(void **state)
{
	char text[8];

	for (uint32_t c = 1; c < 0x110000; c += c < 0x3000 ? 1 : 251) {
		const size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
		AUTO_FREE char *got = NULL;

		put_utf8(text, c, n);
		if (n == 1)
			text[0] = c;
		got = written(as_shown, text);
		strangers_check(got, strlen(got));
		/* What is harmless stays. */
		if (!escape_is_harmful(c) && (c < 0xd800 || c > 0xdfff))
			assert_string_equal(got, text);
		else
			assert_int_equal(*got, '\\');
	}
}

static void test_wrong_utf8(void **state)
{
	static const char *const wrong[] = {
		"\300\200", "\301\277", "\340\200\200", "\340\237\277", "\360\200\200\200", "\360\217\277\277",	/* overlong */
		"\355\240\200", "\355\277\277", "\355\240\275\355\270\200",		/* surrogates */
		"\364\220\200\200", "\365\200\200\200", "\376", "\377",			/* too large */
		"\342", "\342\202", "\360\237", "\360\237\230", "\303", "\302",		/* cut */
		"\200", "\277\277", "\233[31m", "a\342\202z", "\302\302\233",		/* no first byte */
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		AUTO_FREE char *shown = written(as_shown, wrong[i]);
		AUTO_FREE char *json = written(escape_json, wrong[i]);

		check_all(wrong[i]);
		assert_non_null(strstr(shown, "\\"));
		assert_non_null(strstr(json, "\\u"));
	}
	assert_string_equal(escape_shown("\300\233x\342\202"), "\\xc0\\x9bx\\xe2\\x82");
}

static void test_forms(void **state)
{
	static const struct {
		write_fn *write;
		const char *text, *right;
	} rows[] = {
		{ as_shown, "a\033[31mb\nc\td\re\\x", "a\\x1b[31mb\\nc\\td\\re\\x" },
		{ as_shown, "\302\233\342\200\256\342\201\246\303\244", "\\u009b\\u202e\\u2066\303\244" },
		{ as_guarded, "a\033[31mb\nc\td\r", "a\\x1b[31mb\nc\td\\x0d" },
		{ as_guarded, "\302\233\377\342\200\256", "\\u009b\\xff\\u202e" },
		{ as_c, "\\\"\033\302\233", "\"\\\\\\\"\\x1b\\u009b\"" },
		{ escape_json, "\\\"\033\302\233\377\342\200\256", "\"\\\\\\\"\\u001b\\u009b\\ufffd\\u202e\"" },
		{ escape_html, "<a b='\"&\033\302\233\377", "&lt;a b=&#39;&quot;&amp;\\x1b\\u009b\\xff" },
		{ escape_csv, "a\"b\nc", "a\"\"b\\nc" },
		/* A spreadsheet would take these for formulas; negative numbers stay numbers. */
		{ escape_csv, "=1+1", "'=1+1" }, { escape_csv, "+x", "'+x" }, { escape_csv, "@x", "'@x" },
		{ escape_csv, "-x", "'-x" }, { escape_csv, "'x", "''x" }, { escape_csv, "\t=1", "\\t=1" },
		{ escape_csv, "-42", "-42" }, { escape_csv, "+1.5", "+1.5" }, { escape_csv, "-1-1", "'-1-1" },
		{ escape_csv, "a=b", "a=b" }, { escape_csv, "", "" }, { escape_csv_part, "=x", "=x" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_FREE char *got = written(rows[i].write, rows[i].text);

		assert_string_equal(got, rows[i].right);
	}
}

/* A name in a format keeps its place until 15 others have come. */
static void test_shown_together(void **state)
{
	AUTO_FREE char *text = mem_printf("%s|%s|%s|%s", escape_shown("\033a"), escape_shown("b"), escape_shown("\033c"),
					  escape_shown("\033d"));

	assert_string_equal(text, "\\x1ba|b|\\x1bc|\\x1bd");
	assert_null(escape_shown(NULL));
}

/* Columns line up by what the screen shows. */
static void test_columns(void **state)
{
	struct table table = { .align = "lr" };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	table_add(&table, "\033");
	table_add(&table, "1");
	table_add(&table, "\346\274\242\345\255\227");
	table_add(&table, "2");
	table_add(&table, "e\314\201");
	table_add(&table, "3");
	table_print(&table, 0, out, false);
	style_put(out, false, STYLE_NAME, "\346\274\242", 4);
	fputs("|\n", out);
	fclose(out);
	table_free(&table);
	assert_string_equal(text, "\\x1b  1\n\346\274\242\345\255\227  2\ne\314\201     3\n\346\274\242  |\n");
	free(text);
	text = fit_cut_text("\346\274\242\345\255\227abc", 4);
	assert_string_equal(text, "\346\274\242\342\200\246");
	free(text);
}

/* ------------------------------------------------------------------- the guard */

/* The program's own colours pass; the same bytes of others do not.  Each byte may come alone. */
static void test_guard(void **state)
{
	static const char stranger[] = "\033[31m\033[0m\r\033[K\302\233K\342\202\254\303\244\360\237\230\200\342\200\256\342\202x\377";
	char *text = NULL, *marked = NULL;
	size_t len, marked_len;
	FILE *to = open_memstream(&text, &len), *out = guard_open(to), *mark = open_memstream(&marked, &marked_len);

	style_set(mark, true, STYLE_BAD);
	fputs(stranger, mark);
	style_set(mark, true, STYLE_PLAIN);
	guard_put_own(mark, OWN_ERASE_LINE);
	fputs("\342\202", mark);
	fclose(mark);
	setvbuf(out, NULL, _IONBF, 0);
	for (size_t i = 0; i < marked_len; i++)
		fputc(marked[i], out);
	assert_int_equal(guard_fd(out), fileno(to));
	fclose(out);
	fclose(to);
	assert_string_equal(text, "\033[31m\\x1b[31m\\x1b[0m\\x0d\\x1b[K\\u009bK\342\202\254\303\244\360\237\230\200\\u202e\\xe2\\x82x\\xff"
			    "\033[0m\r\033[K\\xe2\\x82");
	free(text);
	/* The same at once. */
	text = NULL;
	to = open_memstream(&text, &len);
	out = guard_open(to);
	fputs(marked, out);
	fclose(out);
	fclose(to);
	assert_true(text && !strncmp(text, "\033[31m\\x1b[31m", 12) && strstr(text, "\033[0m\r\033[K\\xe2\\x82"));
	free(text);
	free(marked);
}

/* A guess of the number, as short as one may be, is no own sequence. */
static void test_guess(void **state)
{
	AUTO_FREE char *got = NULL;

	got = written(as_guarded, "\033[31;1m\033[0;m\033[;m");
	assert_string_equal(got, "\\x1b[31;1m\\x1b[0;m\\x1b[;m");
}

/* A text gives the same output as its characters one by one: some functions look at eight bytes at once. */
static void test_long(void **state)
{
	static const char *const characters[] = { "a", "~", " ", "\"", "\\", "\n", "\t", "\001", "\177", "<", "\303\251", "\342\200\256" };
	static write_fn *const by_character[] = { as_guarded, escape_csv_part, escape_html, escape_line, as_c, escape_json };
	const size_t first_quoted = 4;

	(void)state;
	unit_random();
	for (size_t n = 0; n < 20000; n++) {
		write_fn *const write = by_character[n % ARRAY_SIZE(by_character)];
		const size_t quote = n % ARRAY_SIZE(by_character) >= first_quoted;
		const int plain = rand() % 10;
		char text[200] = "", expected[1000] = "";

		for (int left = rand() % 60; left--;) {
			const char *one = characters[rand() % 10 < plain ? 0 : (size_t)rand() % ARRAY_SIZE(characters)];
			AUTO_FREE char *alone = written(write, one);

			strcat(text, one);
			strncat(expected, alone + quote, strlen(alone) - 2 * quote);
		}
		AUTO_FREE char *all = written(write, text);

		assert_int_equal(strlen(all), strlen(expected) + 2 * quote);
		assert_memory_equal(all + quote, expected, strlen(expected));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_byte), cmocka_unit_test(test_every_character), cmocka_unit_test(test_wrong_utf8),
		cmocka_unit_test(test_forms), cmocka_unit_test(test_shown_together), cmocka_unit_test(test_columns),
		cmocka_unit_test(test_guard), cmocka_unit_test(test_guess), cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
