// SPDX-License-Identifier: GPL-2.0-or-later
/* test_strangers_reports.c - a recording whose names are hostile, through every report of it. */
#include "trace_script.h"

#include <json-c/json.h>

#include "fake_kernel.h"
#include "strangers.h"

static const char *at_random(void)
{
	return strangers_names[(size_t)rand() % STRANGERS];
}

/* The script with hostile names in place of its own; the same name stays the same one. */
static char *hostile_script(void)
{
	static const char *const names[] = {
		"init", "bash", "vda", "swapper/0", "swapper/1", "dd", "/usr/bin/dd", "/etc/passwd", "virtio0", "eth0",
	};
	const char *by[ARRAY_SIZE(names)];
	AUTO_FREE char *copy = mem_strdup(dd);
	char *text = NULL, *next = copy, *word;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		/* What begins with a digit or a sign is a number of the script. */
		do
			by[i] = at_random();
		while (*by[i] == '-' || strchr(by[i], '='));
	}
	while ((word = strpbrk(next, "= \n"))) {
		const char *value = next;
		const char end = *word;

		*word = '\0';
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			if (!strcmp(value, names[i]))
				value = by[i];
		fprintf(out, "%s%c", value, end);
		next = word + 1;
	}
	fclose(out);
	return text;
}

typedef void format_fn(const struct trace_report *r, FILE *out);

static void check_json(const char *text, size_t len)
{
	struct json_object *object = json_tokener_parse(text);

	strangers_check(text, len);
	if (!object)
		fail_msg("no JSON: %s", text);
	json_object_put(object);
}

static void check_report(const struct analysis *a, enum report_by by)
{
	static const struct {
		format_fn *format;
		void (*check)(const char *text, size_t len);
	} formats[] = {
		{ trace_report_text, strangers_check }, { trace_report_json, check_json },
		{ trace_report_csv, strangers_check_csv }, { trace_report_html, strangers_check_html },
	};
	const struct trace_report r = {
		.a = a, .ns_per_tick = 1, .dir = at_random(), .host = at_random(), .kernel = at_random(), .by = by, .tasks = at_random(),
		.typed = at_random(),
	};

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		char *text = NULL;
		size_t len;
		FILE *out = open_memstream(&text, &len);

		formats[i].format(&r, out);
		fclose(out);
		formats[i].check(text, len);
		free(text);
	}
}

static void check_flow(int tid)
{
	static void (*const checks[])(const char *text, size_t len) = {
		[PRINT_TEXT] = strangers_check, [PRINT_JSON] = strangers_check, [PRINT_CSV] = strangers_check_csv,
	};

	for (enum print_format format = PRINT_TEXT; format <= PRINT_CSV; format++) {
		AUTO_FREE char *text = print_flow(tid, format);

		assert_true(*text);
		checks[format](text, strlen(text));
	}
}

/* The commands themselves, whose output has no guard in the tests. */
static void check_commands(void)
{
	static const char *const options[] = {
		"", "--by thread", "--by file", "--by disk", "--by irq", "--by network", "--by command", "--tree", "--flow 21", "--flow 20",
		"--critical 21", "--critical 20", "--flow 4711",
	};
	static const char *const commands[] = { "report", "status --saved", "print" };
	struct fake_kernel *fake = fake_create();

	for (size_t i = 0; i < ARRAY_SIZE(options) * 3; i++) {
		AUTO_FREE char *line = mem_printf("report %s/trace %s", base, options[i / 3]);

		fake->session.format = i % 3;
		fake_run(fake, line);
		strangers_check(fake->out, fake->out_len);
		strangers_check(fake->messages, fake->messages_len);
		strangers_check(fake_error(), strlen(fake_error()));
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		AUTO_FREE char *line = mem_printf("%s %s/trace", commands[i], base);

		fake->session.format = PRINT_TEXT;
		fake_run(fake, line);
		strangers_check(fake->out, fake->out_len);
	}
	fake_free(fake);
}

/* Its host has a hostile name, too. */
static void rename_host(void)
{
	AUTO_FREE char *command = mem_printf("sed -i 's/\"host\":\"[^\"]*\"/\"host\":\"h\\\\u001b[7m\\\\u009b\\\\u202e\"/' %s/ktrace/trace.json", dir);
	struct fake_kernel *fake = fake_create();
	AUTO_FREE char *line = mem_printf("report %s/trace", base);

	assert_int_equal(system(command), 0);
	assert_int_equal(fake_run(fake, line), STATUS_OK);
	assert_contains(fake->out, "(h\\x1b[7m\\u009b\\u202e, Linux ");
	fake_free(fake);
}

static void test_recording(void **state)
{
	AUTO_FREE char *script = hostile_script();
	struct analysis *a;

	write_trace(*state, script);
	rename_host();
	a = analyse(0, UINT64_MAX, true);
	for (enum report_by by = BY_NOTHING; by < BY_CRITICAL; by++)
		check_report(a, by);
	analysis_free(a);
	for (int tid = 20; tid <= 21; tid++) {
		AUTO_FREE char *critical = print_critical(tid, 0, UINT64_MAX);

		strangers_check_csv(critical, strlen(critical));
		check_flow(tid);
	}
	check_commands();
}

/* Texts of a user that name tasks, and words that nobody knows, come back in errors. */
static void test_errors(void **state)
{
	struct fake_kernel *fake = fake_create();
	static const char *const lines[] = {
		"trace '%s'", "explain '%s'", "where '%s'", "report '/nonexistent/%s'", "print '%s'", "trace vfs_write '%s'", "%s",
		"latency '%s'", "lines '%s'", "export '/nonexistent/%s' x", "trace vfs_write IF '%s'", "trace vfs_write VAR '%s'",
		"clear '%s'", "help '%s'", "show '%s'", "events '%s'", "trace user:'%s'", "trace '/bin/%s:main'",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		for (size_t n = 0; n < STRANGERS; n++) {
			const char *after = strstr(lines[i], "%s") + 2;
			AUTO_FREE char *line = mem_printf("%.*s%s%s", (int)(after - 2 - lines[i]), lines[i], strangers_names[n], after);

			fake_run(fake, line);
			strangers_check(fake->out, fake->out_len);
			strangers_check(fake->messages, fake->messages_len);
			strangers_check(fake_error(), strlen(fake_error()));
		}
	fake_free(fake);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_recording), TEST(test_recording), TEST(test_recording), TEST(test_recording), TEST(test_recording),
		cmocka_unit_test(test_errors),
	};

	unit_random();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
