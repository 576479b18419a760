// SPDX-License-Identifier: GPL-2.0-or-later
/* test_user.c - descriptors of events that processes write: names from expressions, values, metadata, the JSON of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ctl/base/memory.h"
#include "ctl/base/device/clockmap.h"
#include "ctl/trace/print/print.h"
#include "ctl/trace/ctf/ctf.h"
#include "ctl/trace/user/user_desc.h"
#include "unit.h"

static char *const names[] = { "red", "green", "red", "" };
static int64_t values[] = { 1, -5, 7, 9 };
static struct user_enum colour = { .name = "colour", .nr = 4, .values = values, .names = (char **)names };
static struct user_file file = { .enums = &colour, .nr_enums = 1, .head = { .pid = 77 } };

/* The descriptor, as it comes back from where it is stored. */
static struct desc *describe(const char *args, const uint8_t *types, uint32_t nr)
{
	struct user_site site = {
		.id = 1, .line = 5, .nr = nr, .provider = (char *)"app", .name = (char *)"event", .args = (char *)args,
		.source = (char *)"file.c",
	};
	struct desc *made, *back;
	struct error err;
	size_t len;
	void *blob;

	memcpy(site.types, types, nr);
	made = user_desc(&file, &site);
	assert_true(desc_encode(made, &blob, &len, &err));
	desc_free(made);
	back = desc_decode(blob, len, &err);
	if (!back)
		fail_msg("%s", err.text);
	back->blob = blob;
	back->blob_len = len;
	back->id = 1;
	assert_true(back->is_user && !back->is_state && back->is_packed);
	assert_string_equal(back->name, "app:event");
	assert_string_equal(back->typed, "file.c:5");
	return back;
}

static const uint8_t ints[] = { KTRACE_I32, KTRACE_I32, KTRACE_I32, KTRACE_I32, KTRACE_I32, KTRACE_I32 };

static void check_names(const char *args, uint32_t nr, const char *const *expected)
{
	struct desc *desc = describe(args, ints, nr);

	assert_int_equal(desc->nr_fields, nr + 2);
	assert_string_equal(desc->fields[0].name, "vpid");
	assert_string_equal(desc->fields[1].name, "vtid");
	for (uint32_t i = 0; i < nr; i++)
		assert_string_equal(desc->fields[i + 2].name, expected[i]);
	desc_free(desc);
}

static void test_names(void **state)
{
	char longest[400];

	check_names("a, b->c[1], f(x, y), (int){ 1, 2 }, ','", 5,
		    (const char *const[]){ "a", "b->c[1]", "f(x, y)", "(int){ 1, 2 }", "','" });
	check_names("\"a, (\", '\\'', \"\\\"\", g(\")\")", 4, (const char *const[]){ "\"a, (\"", "'\\''", "\"\\\"\"", "g(\")\")" });
	check_names(" ktrace_as( colour , c + 1 ) , ktrace_bytes(p, n)", 2, (const char *const[]){ "c + 1", "p" });
	check_names("(int)i, (struct packet *)(void *)p, (uint8_t) (x + y), (a)*b, (unsigned long)-1, (int)", 6,
		    (const char *const[]){ "i", "p", "(x + y)", "(a)*b", "-1", "(int)" });
	/* What no compiler accepts: names must be there nevertheless. */
	check_names("a", 3, (const char *const[]){ "a", "?", "?" });
	check_names("((((", 2, (const char *const[]){ "((((", "?" });
	check_names("))), \"open, 'x", 3, (const char *const[]){ ")))", "\"open, 'x", "?" });
	check_names("ktrace_as(colour), ktrace_as()", 2, (const char *const[]){ "?", "?" });
	memset(longest, 'n', 300);
	longest[300] = '\0';
	{
		struct desc *desc = describe(longest, ints, 1);

		assert_int_equal(strlen(desc->fields[2].name), sizeof(desc->fields[2].name) - 1);
		assert_contains(desc->fields[2].name, "nnn...");
		desc_free(desc);
	}
}

/* A name that is there twice, or is empty, is left out: JSON could not keep it. */
static void test_enum(void **state)
{
	struct desc *desc = describe("ktrace_as(colour, c), ktrace_as(other, d)", ints, 2);

	assert_int_equal(desc->fields[2].nr_names, 2);
	assert_string_equal(desc->fields[2].names[1].name, "green");
	assert_int_equal(desc->fields[2].names[1].value, -5);
	assert_int_equal(desc->fields[3].nr_names, 0);
	assert_string_equal(desc->fields[3].name, "d");
	desc_free(desc);
}

/* ------------------------------------------------------------------------ records */

static char *printed(const struct desc *desc, const uint8_t *payload, size_t len, enum print_format format)
{
	const struct kt_clock clock = { .ns_num = 1, .ns_den = 1 };
	const struct record record = {
		.type = RECORD_HIT, .ticks = 0, .desc = desc, .payload = payload, .payload_len = len,
	};
	struct clockmap *map = clockmap_create(&clock, NULL);
	char *text, *data;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct printer *printer = printer_create(out, format, false);

	printer_clock(printer, map);
	printer_record(printer, &record);
	printer_end(printer);
	printer_free(printer);
	clockmap_free(map);
	fclose(out);
	data = mem_strdup(text);
	free(text);
	return data;
}

/* Of 255 characters all are shown, of more as many; the program has said how many there are, or that there are more. */
static void test_long_texts(void **state)
{
	static const uint8_t types[] = { KTRACE_STRING };
	static const struct {
		uint32_t said, characters;
		bool cut;
	} rows[] = { { 254, 254, false }, { 255, 255, false }, { 256, 256, true }, { 300, 256, true }, { 300, 255, false } };
	struct user_site site = { .nr = 1, .types = { KTRACE_STRING } };
	struct user_ring ring = { .file = &file, .site = &site, .thread = 78 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct desc *desc = describe("s", types, 1);
		uint8_t payload[260] = { 0 }, record[USER_MAX_PAYLOAD];
		size_t len;
		char *out;

		memcpy(payload, &rows[i].said, 4);
		memset(payload + 4, 'a', rows[i].characters);
		ring.payload = payload;
		ring.payload_len = sizeof(payload);
		len = user_record(&ring, record);
		out = printed(desc, record, len, PRINT_TEXT);
		assert_int_equal(!!strstr(out, "a\"...\n"), rows[i].cut);
		assert_int_equal(strcspn(strstr(out, "s=\"") + 3, "\""), rows[i].characters < 255 ? rows[i].characters : 255);
		free(out);
		out = printed(desc, record, len, PRINT_JSON);
		assert_int_equal(!!strstr(out, "\"cut\":true"), rows[i].cut);
		free(out);
		desc_free(desc);
	}
}

static void test_values(void **state)
{
	static const uint8_t types[] = { KTRACE_F32, KTRACE_F64, KTRACE_F64, KTRACE_STRING, KTRACE_BYTES, KTRACE_BOOL };
	const float f = 0.1f;
	const double d = 1.0 / 3, inf = -INFINITY;
	struct user_site site = { .nr = 6 };
	struct user_ring ring = { .file = &file, .site = &site, .thread = 78 };
	struct desc *desc = describe("f, d, e, s, b, t", types, 6);
	uint8_t payload[512], record[USER_MAX_PAYLOAD];
	const uint32_t text = 300, bytes = 3, yes = 1;
	size_t len = 0, room;
	char *out;

	memcpy(site.types, types, 6);
	memcpy(payload, &f, 4);
	memcpy(payload + 4, &d, 8);
	memcpy(payload + 12, &inf, 8);
	memcpy(payload + 20, &text, 4);
	memset(payload + 24, 'a', 256);
	/* The program changed it while it was copied. */
	payload[24 + 2] = '\0';
	memcpy(payload + 280, &bytes, 4);
	memcpy(payload + 284, "\1\xff\0", 4);
	memcpy(payload + 288, &yes, 4);
	ring.payload = payload;
	ring.payload_len = 292;
	len = user_record(&ring, record);
	assert_int_equal(len % 2, 0);
	assert_true(desc_length(desc, record, len, &room));
	assert_int_equal(room, len);
	out = printed(desc, record, len, PRINT_TEXT);
	assert_contains(out, "vpid 77  vtid 78  f=0.1  d=0.3333333333333333  e=-inf  s=\"aa\"  b=\"01ff00\"  t=true\n");
	free(out);
	out = printed(desc, record, len, PRINT_JSON);
	assert_contains(out, "{\"name\":\"f\",\"value\":0.1},{\"name\":\"d\",\"value\":0.3333333333333333},{\"name\":\"e\",\"value\":\"-inf\"}");
	free(out);
	out = printed(desc, record, len, PRINT_CSV);
	assert_contains(out, ",0.1,0.3333333333333333,-inf,");
	free(out);
	desc_free(desc);
}

/* ------------------------------------------------------------------------ metadata */

static void test_metadata(void **state)
{
	static const uint8_t types[] = { KTRACE_F32, KTRACE_F64 };
	struct trace_event event = { 0, describe("f, d", types, 2) };
	struct trace_info info = {
		.user = true, .wide = true, .parts = 1, .events = &event, .nr_events = 1, .host = (char *)"host",
		.kernel = (char *)"6.1", .module = (char *)"1", .clock = { .ns_num = 1, .ns_den = 1, .name = "tsc" },
	};
	void (*const write[])(const struct trace_info *, FILE *) = { ctf_metadata, ctf2_metadata };
	static const char *const expected[2][5] = {
		{ "domain = \"ust\";", "tracer_name = \"lttng-ust\";", "event.context := struct {\n\t\tint32_t _vpid;\n\t\tint32_t _vtid;\n",
		  "fields := struct {\n\t\tfloat32_t _f;\n\t\tfloat64_t _d;\n", "exp_dig = 11; mant_dig = 53;" },
		{ "\"domain\":\"ust\"", "\"tracer_name\":\"lttng-ust\"", "\"event-record-common-context-field-class\"",
		  "\"name\":\"f\",\"field-class\":{\"type\":\"fixed-length-floating-point-number\",\"length\":32", "\"length\":64" },
	};

	for (size_t i = 0; i < 2; i++) {
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		write[i](&info, out);
		fclose(out);
		for (size_t k = 0; k < 5; k++)
			assert_contains(text, expected[i][k]);
		free(text);
	}
	desc_free(event.bare);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_enum), cmocka_unit_test(test_values), cmocka_unit_test(test_long_texts),
		cmocka_unit_test(test_metadata),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
