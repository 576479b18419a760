// SPDX-License-Identifier: GPL-2.0-or-later
/* test_docs.c - each command and option has help with an example, and a place in the man page. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "ctl/ask/lang/option.h"
#include "ctl/base/device/property.h"
#include "ctl/base/memory.h"
#include "ctl/cmd/command.h"
#include "ctl/cmd/help.h"
#include "ctl/live/measure/oneshot.h"
#include "ctl/ui/invocation.h"
#include "fake_kernel.h"

#define WIDTH 80	/* of help, in characters */

static char man[65536];

static int setup(void **state)
{
	FILE *file = fopen("man/ktrace.1", "r");

	if (!file)
		return -1;
	man[fread(man, 1, sizeof(man) - 1, file)] = '\0';
	fclose(file);
	return 0;
}

/* The manual has an item for it in one of its lists. */
static void check_man(const char *name)
{
	AUTO_FREE char *item = mem_printf("\n.It Cm %s", name);
	AUTO_FREE char *escaped = mem_printf("\n.It Cm \\&%s", name);
	const char *at = strstr(man, item);

	if (!at && !strstr(man, escaped))
		fail_msg("man/ktrace.1 does not explain %s", name);
}

static void check_argument(const char *name, const char *metavar)
{
	AUTO_FREE char *item = mem_printf("\n.It Cm %s Ar %s\n", name, metavar);

	if (!strstr(man, item))
		fail_msg("man/ktrace.1 does not say '%s %s'", name, metavar);
}

static void check_width(const char *text)
{
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		if (len > WIDTH)
			fail_msg("too wide: %.*s", (int)len, text);
	}
}

static void check_help(struct fake_kernel *fake, const char *name, const char *example)
{
	AUTO_FREE char *line = mem_printf("help '%s'", name);

	assert_int_equal(fake_run(fake, line), STATUS_OK);
	assert_contains(fake->out, name);
	assert_contains(fake->out, "\nexample: ");
	assert_contains(fake->out, example);
	check_width(fake->out);
}

static void test_commands(void **state)
{
	struct fake_kernel *fake = fake_create();
	size_t n = 0;

	for (const struct command *c = commands; c->name; c++, n++) {
		assert_true(c->run && c->summary && c->example && c->arguments);
		assert_ptr_equal(command_find(c->name, NULL), c);
		assert_false(strncmp(c->example, c->name, strlen(c->name)));
		check_help(fake, c->name, c->example);
		check_man(c->name);
	}
	assert_int_equal(n, 32);
	fake_free(fake);
}

static void test_options(void **state)
{
	struct fake_kernel *fake = fake_create();

	for (const struct option_row *row = option_rows; row->name; row++) {
		assert_contains(row->example, row->name);
		check_help(fake, row->name, row->example);
		check_man(row->name);
		if (row->metavar)
			check_argument(row->name, row->metavar);
	}
	fake_free(fake);
}

static void test_variables(void **state)
{
	struct fake_kernel *fake = fake_create();

	assert_int_equal(fake_run(fake, "help expressions"), STATUS_OK);
	check_width(fake->out);
	for (size_t i = 0; i < nr_properties; i++) {
		AUTO_FREE char *variable = mem_printf(" $%s", properties[i].name);

		if (!property_is_variable(&properties[i]))
			continue;
		assert_contains(fake->out, variable);
		assert_contains(man, variable);
	}
	fake_free(fake);
}

static void test_all(void **state)
{
	struct fake_kernel *fake = fake_create();

	assert_int_equal(fake_run(fake, "help"), STATUS_OK);
	check_width(fake->out);
	for (const struct command *c = commands; c->name; c++)
		assert_contains(fake->out, c->summary);
	for (const struct option_row *row = option_rows; row->name; row++)
		assert_contains(fake->out, row->summary);
	assert_int_equal(fake_run(fake, "help address; help numbers"), STATUS_OK);
	check_width(fake->out);
	fake_free(fake);
}

/* In mdoc: "Fl -for Ar TIME". */
static char *flag_in_mdoc(const struct flag *flag)
{
	return mem_printf("Fl %s%s%s", flag->name + 1, flag->metavar ? " Ar " : "", flag->metavar ? flag->metavar : "");
}

static bool takes(const struct flags *flags, const char *name)
{
	return flags_find(flags, name, strlen(name));
}

/* The page of a measurement has an item for each of its options, and for no others. */
static void check_page(const struct command *command)
{
	AUTO_FREE char *path = mem_printf("man/ktrace-%s.1", command->name);
	AUTO_CLOSE FILE *file = fopen(path, "r");
	static char page[65536];

	assert_non_null(file);
	page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
	for (const struct flag *flag = command->flags->rows; flag->name; flag++) {
		AUTO_FREE char *mdoc = flag_in_mdoc(flag);
		AUTO_FREE char *item = mem_printf("\n.It %s\n", mdoc);
		const bool taken = takes(command->flags, flag->name);

		if (taken != !!strstr(page, item))
			fail_msg("%s %s %s", path, taken ? "does not explain" : "explains", flag->name);
	}
}

/* Options of other commands are in the synopsis of the command. */
static void check_synopsis(const struct command *command)
{
	AUTO_FREE char *item = mem_printf("\n.It Cm %s ", command->name);
	const char *at = strstr(man, item);
	AUTO_FREE char *line = at ? mem_strndup(at + 1, strcspn(at + 1, "\n")) : mem_strdup("");

	for (const struct flag *flag = command->flags->rows; flag->name; flag++) {
		AUTO_FREE char *mdoc = flag_in_mdoc(flag);

		assert_contains(line, mdoc);
	}
}

static void test_flags(void **state)
{
	struct fake_kernel *fake = fake_create();

	for (const struct command *c = commands; c->name; c++) {
		AUTO_FREE char *line = mem_printf("help %s", c->name);

		if (!c->flags)
			continue;
		assert_int_equal(fake_run(fake, line), STATUS_OK);
		check_width(fake->out);
		for (const struct flag *flag = flags_next(c->flags, NULL); flag; flag = flags_next(c->flags, flag)) {
			assert_contains(fake->out, flag->name);
			assert_contains(fake->out, flag->summary);
		}
		if (oneshot_takes(c->flags))
			check_page(c);
		else
			check_synopsis(c);
	}
	fake_free(fake);
}

/* Options of ktrace itself are items of the manual, each with both of its names. */
static void test_own_flags(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	invocation_help(out);
	fclose(out);
	check_width(text);
	for (const struct flag *flag = flags_next(&own_flags, NULL); flag; flag = flags_next(&own_flags, flag)) {
		AUTO_FREE char *name = mem_printf("Fl %s", flag->name + 1);
		AUTO_FREE char *letter = mem_printf("\n.It Fl %c", flag->letter);

		if (!flag->summary)
			continue;
		assert_contains(text, flag->summary);
		assert_contains(man, name);
		if (flag->letter)
			assert_contains(man, letter);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_own_flags),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
