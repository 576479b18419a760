// SPDX-License-Identifier: GPL-2.0-or-later
/* test_export.c - the parts of `export`: messages, rows of events.  The case export-perfetto tests the whole. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/ask/events/events.h"
#include "ctl/base/memory.h"
#include "ctl/trace/export/ftrace_rows.h"
#include "ctl/trace/export/pb.h"
#include "ctl/trace/export/threads.h"
#include "fake_kernel.h"

static void check_bytes(struct pb *pb, const void *wanted, size_t len)
{
	assert_int_equal(pb->len, len);
	assert_memory_equal(pb->bytes, wanted, len);
	pb_free(pb);
}

#define CHECK(pb, ...) \
	do { \
		const uint8_t wanted[] = { __VA_ARGS__ }; \
		check_bytes(pb, wanted, sizeof(wanted)); \
	} while (0)

/* -------------------------------------------------------------------------- messages */

/* The first two are the examples of the documentation of protocol buffers. */
static void test_numbers(void **state)
{
	struct pb pb = { 0 };

	pb_number(&pb, 1, 150);
	CHECK(&pb, 0x08, 0x96, 0x01);
	pb_number(&pb, 1, (uint64_t)-2);
	CHECK(&pb, 0x08, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01);
	pb_number(&pb, 1, 0);
	CHECK(&pb, 0x08, 0x00);
	pb_number(&pb, 2, 127);
	pb_number(&pb, 16, 128);
	CHECK(&pb, 0x10, 0x7f, 0x80, 0x01, 0x80, 0x01);
	pb_number(&pb, 559, 1);
	CHECK(&pb, 0xf8, 0x22, 0x01);
}

static void test_texts(void **state)
{
	struct pb pb = { 0 };

	pb_string(&pb, 2, "testing");
	CHECK(&pb, 0x12, 7, 't', 'e', 's', 't', 'i', 'n', 'g');
	pb_string(&pb, 2, "");
	CHECK(&pb, 0x12, 0);
	pb_string(&pb, 2, "\xc3\xa4");
	CHECK(&pb, 0x12, 2, 0xc3, 0xa4);
	pb_text(&pb, 2, "a\xff\xfe" "b", 4);
	CHECK(&pb, 0x12, 10, 'a', '\\', 'x', 'f', 'f', '\\', 'x', 'f', 'e', 'b');
	/* Cut in the middle of a character. */
	pb_text(&pb, 2, "\xc3\xa4", 1);
	CHECK(&pb, 0x12, 4, '\\', 'x', 'c', '3');
	pb_bytes(&pb, 2, "\xff", 1);
	CHECK(&pb, 0x12, 1, 0xff);
}

static void test_nested(void **state)
{
	struct pb pb = { 0 };
	size_t outer, inner;

	outer = pb_open(&pb, 3);
	pb_number(&pb, 1, 150);
	pb_close(&pb, outer);
	CHECK(&pb, 0x1a, 3, 0x08, 0x96, 0x01);
	outer = pb_open(&pb, 1);
	inner = pb_open(&pb, 2);
	pb_close(&pb, inner);
	pb_close(&pb, outer);
	CHECK(&pb, 0x0a, 2, 0x12, 0);
}

/* The length before a message takes more than one byte. */
static void test_long(void **state)
{
	static const size_t lengths[] = { 127, 128, 16383, 16384, 100000 };
	static const size_t bytes_of[] = { 1, 2, 2, 3, 3 };

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		AUTO_FREE uint8_t *filling = mem_zalloc(lengths[i], 1);
		struct pb pb = { 0 };
		size_t at, length = 0;

		memset(filling, 'x', lengths[i]);
		pb_number(&pb, 1, 7);
		at = pb_open(&pb, 1);
		memcpy(pb_room(&pb, lengths[i]), filling, lengths[i]);
		pb.len += lengths[i];
		pb_close(&pb, at);
		assert_int_equal(pb.len, 2 + 1 + bytes_of[i] + lengths[i]);
		for (size_t n = 0; n < bytes_of[i]; n++)
			length |= (size_t)(pb.bytes[3 + n] & 0x7f) << 7 * n;
		assert_int_equal(length, lengths[i]);
		assert_memory_equal(pb.bytes + 3 + bytes_of[i], filling, lengths[i]);
		pb_free(&pb);
	}
}

/* ------------------------------------------------------------------------------ rows */

static bool is_word(const char *words, const char *word, size_t len)
{
	for (const char *at = words; at && *at; at += strcspn(at, " "), at += *at == ' ')
		if (strcspn(at, " ") == len && !strncmp(at, word, len))
			return true;
	return false;
}

/* Each field of an event is in its row, or in `without`; and nothing else is. */
static void check_row(const struct ftrace_row *row, const struct event_row *event)
{
	const char *text = event->fields;
	struct event_field field;
	size_t placed = 0, without = 0;

	while (events_field(&text, &field)) {
		AUTO_FREE char *name = mem_strndup(field.name, field.name_len);
		const bool is_without = is_word(row->without, name, strlen(name));

		free(field.expressions);
		if (!ftrace_field(row, name) == !is_without)
			fail_msg("%s: %s must be in the row or in `without`", row->event, name);
		placed += !is_without;
		without += is_without;
	}
	for (size_t i = 0; row->fields[i].name; i++)
		placed--;
	for (const char *at = row->without; at && *at; at += strcspn(at, " "), at += *at == ' ')
		without--;
	if (placed || without)
		fail_msg("%s: the row has fields that the event does not have", row->event);
}

static void test_rows(void **state)
{
	size_t found = 0;

	for (size_t i = 0; i < nr_ftrace_rows; i++) {
		const struct ftrace_row *row = &ftrace_rows[i];
		const struct event_row *event = events_named(row->event);

		assert_ptr_equal(ftrace_row(row->event), row);
		assert_null(row->fields[FTRACE_FIELDS - 1].name);
		/* Those of another architecture. */
		if (!event && (!strncmp(row->event, "x86_", 4) || !strncmp(row->event, "ipi_", 4)))
			continue;
		if (!event)
			fail_msg("%s: there is no such event", row->event);
		check_row(row, event);
		found++;
	}
	assert_true(found >= nr_ftrace_rows - 3);
	assert_null(ftrace_row("vfs_write"));
}

static void test_numbers_of_rows(void **state)
{
	for (size_t i = 0; i < nr_ftrace_rows; i++) {
		uint32_t seen = 0;

		for (size_t other = 0; other < i; other++)
			assert_int_not_equal(ftrace_rows[i].message, ftrace_rows[other].message);
		for (const struct ftrace_field *field = ftrace_rows[i].fields; field->name; field++) {
			if (seen >> field->number & 1)
				fail_msg("%s: two fields have the number %u", ftrace_rows[i].event, field->number);
			seen |= 1U << field->number;
		}
	}
}

/* --------------------------------------------------------------------------- threads */

static void test_threads(void **state)
{
	struct threads threads = { 0 };
	uint64_t track;

	assert_int_equal(threads_get(&threads, 7)->tgid, 0);
	threads_get(&threads, 7)->tgid = 6;
	threads_get(&threads, 7)->call = 3;
	track = threads_get(&threads, 7)->track;
	for (int tid = 8; tid < 1000; tid++)
		assert_int_not_equal(threads_get(&threads, tid)->track, track);
	assert_int_equal(threads_get(&threads, 7)->tgid, 6);
	assert_int_equal(threads_get(&threads, 7)->track, track);
	/* Another thread with the same id. */
	assert_int_equal(threads_create(&threads, 7, 5)->tgid, 5);
	assert_int_not_equal(threads_get(&threads, 7)->track, track);
	assert_int_equal(threads_get(&threads, 7)->call, 0);
	assert_int_equal(threads.nr, 993);
	threads_free(&threads);
}

/* ------------------------------------------------------------------------ the command */

static void write_text(const char *dir, const char *name, const char *text)
{
	AUTO_FREE char *path = mem_printf("%s/%s", dir, name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* One line each, and nothing is written. */
static void test_refused(void **state)
{
	static const struct {
		const char *words, *error;
	} rows[] = {
		{ "@", "no format: give --perfetto" },
		{ "@ -o @/out", "no format: give --perfetto" },
		{ "@ --xml -o @/out", "unknown option --xml: 'help export' lists them" },
		{ "@ --perfetto --perfetto -o @/out", "--perfetto and --perfetto: choose one format" },
		{ "@ --perfetto", "give the name of the result: -o FILE" },
		{ "--perfetto -o @/out", "give the directory of a recording" },
		{ "@ another --perfetto -o @/out", "unexpected 'another'" },
		{ "@ --perfetto -o @/is/ktrace", "/is/ktrace: exists: choose another name" },
		{ "@ --perfetto -o @/none/out", "/none/out: No such file or directory: choose another place" },
		{ "@/none --perfetto -o @/out", "/none: no such directory" },
		{ "@ --perfetto -o @/out", ": no trace is there" },
		{ "@/is --perfetto -o @/out", "it is not JSON" },
		{ "@/series --perfetto -o @/out", "/series/0003: is missing: export the parts of the series one by one" },
		{ "@/series/ --perfetto -o @/out", "/series/0003: is missing" },
		{ "@/series --ctf 2 -o @/out", "/series/0003: is missing" },
		{ "@/later --ctf 1.8 -o @/out", "/later/0002/ktrace/trace.json: it is not JSON" },
		{ "@/begun --ctf 2 -o @/out", "/begun/0001: is missing" },
		{ "@/later --ctf 3 -o @/out", "--ctf 3: give 1.8 or 2" },
		{ "@/is --ctf 2 -o @/none/out", "it is not JSON" },
		{ "@/later --ctf 2 -o @/none/out", "/none/out: No such file or directory: choose another place" },
		{ "@ --ctf 2 --perfetto -o @/out", "--ctf and --perfetto: choose one format" },
		{ "@/later --perfetto -o @/out", "/later/0002/ktrace/trace.json: it is not JSON" },
	};
	static const char *const traces[] = { "is", "series", "series/0002", "series/0004",
					      "later", "later/0002", "later/0003", "begun", "begun/0001" };
	struct fake_kernel *fake = fake_create();
	char base[] = "/tmp/test_export.XXXXXX";
	AUTO_FREE char *remove = NULL, *out = NULL;

	assert_non_null(mkdtemp(base));
	out = mem_printf("%s/out", base);
	for (size_t i = 0; i < ARRAY_SIZE(traces); i++) {
		AUTO_FREE char *dir = mem_printf("%s/%s", base, traces[i]), *inside = mem_printf("%s/ktrace", dir);

		assert_int_equal(mkdir(dir, 0700), 0);
		if (!strcmp(traces[i], "series") || !strcmp(traces[i], "later") || !strncmp(traces[i], "begun", 5))
			continue;
		assert_int_equal(mkdir(inside, 0700), 0);
		write_text(inside, "trace.json", "what");
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char line[512] = "export ";

		for (const char *at = rows[i].words; *at; at++)
			snprintf(line + strlen(line), sizeof(line) - strlen(line), *at == '@' ? "%s" : "%.1s",
				 *at == '@' ? base : at);
		assert_int_not_equal(fake_run(fake, line), STATUS_OK);
		assert_contains(fake_error(), rows[i].error);
		assert_one_line(fake_error());
		assert_int_not_equal(access(out, F_OK), 0);
	}
	remove = mem_printf("rm -r %s", base);
	assert_int_equal(system(remove), 0);
	fake_free(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_numbers_of_rows),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
