// SPDX-License-Identifier: GPL-2.0-or-later
/* test_ctf2.c - the metadata of CTF 2. */
#include "unit.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include "ctl/base/memory.h"
#include "ctl/trace/ctf/ctf.h"

#define MAX_FRAGMENTS	16

struct metadata {
	char *text;
	struct json_object *fragments[MAX_FRAGMENTS];
	size_t nr;
};

/* Each text begins with a record separator, ends with a new line, and is JSON. */
static struct metadata describe(const struct trace_info *info)
{
	struct metadata m = { 0 };
	size_t len;
	FILE *out = open_memstream(&m.text, &len);

	ctf2_metadata(info, out);
	fclose(out);
	for (char *at = m.text; *at; m.nr++) {
		char *end = strchr(at, '\n');

		assert_true(m.nr < MAX_FRAGMENTS && *at == '\x1e' && end);
		*end = '\0';
		m.fragments[m.nr] = json_tokener_parse(at + 1);
		if (!m.fragments[m.nr])
			fail_msg("no JSON: %s", at + 1);
		at = end + 1;
	}
	return m;
}

static void forget(struct metadata *m)
{
	for (size_t i = 0; i < m->nr; i++)
		json_object_put(m->fragments[i]);
	free(m->text);
}

/* What a pointer of RFC 6901 finds in a fragment. */
static const char *found(const struct metadata *m, size_t fragment, const char *pointer)
{
	struct json_object *at = NULL;

	assert_true(fragment < m->nr);
	if (json_pointer_get(m->fragments[fragment], pointer, &at))
		return "nothing";
	return json_object_to_json_string_ext(at, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

struct expected {
	size_t fragment;
	const char *pointer, *json;
};

static void check(const struct metadata *m, const struct expected *expected, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const char *json = found(m, expected[i].fragment, expected[i].pointer);

		if (strcmp(json, expected[i].json))
			fail_msg("%zu %s: %s, not %s", expected[i].fragment, expected[i].pointer, json, expected[i].json);
	}
}

static struct field_name names[] = { { 1, "one" }, { -1, "minus \"1\"" } };

/* One of each kind; the bytes of each follow those of the one before. */
static struct field narrow[] = {
	{ .kind = FIELD_NUMBER, .is_signed = true, .name = "pid", .bytes = 4, .fault_bit = -1 },
	{ .kind = FIELD_NUMBER, .is_signed = true, .name = "pid", .bytes = 4, .fault_bit = -1 },
	{ .kind = FIELD_NUMBER, .is_signed = true, .name = "pid_2", .bytes = 4, .fault_bit = -1 },
	{ .kind = FIELD_WORD, .name = "stack-0x8", .bytes = 8 },
	{ .kind = FIELD_CONST, .name = "const", .value = -5, .fault_bit = -1 },
	{ .kind = FIELD_TEXT, .name = "text", .fault_bit = -1 },
	{ .kind = FIELD_PSR, .name = "psr", .bytes = 8, .fault_bit = -1 },
	{ .kind = FIELD_ALLREGS, .name = "allregs", .bytes = 8, .fault_bit = -1 },
	{ .kind = FIELD_POINTER, .name = "unreadable", .bytes = 8 },
	{ .kind = FIELD_STRING, .name = "comm", .bytes = 1, .length = 16, .fault_bit = 1 },
	{ .kind = FIELD_BACKTRACE, .name = "callers", .bytes = 8, .length = 5, .fault_bit = -1 },
	{ .kind = FIELD_INT, .name = "state", .bytes = 8, .is_signed = true, .names = names, .nr_names = 2 },
	{ .kind = FIELD_INT, .name = "mask", .bytes = 8, .names = names, .nr_names = 2 },
	{ .kind = FIELD_ELAPSED, .name = "elapsed", .bytes = 8, .fault_bit = -1 },
	{ .kind = FIELD_RAW, .name = "raw", .bytes = 4, .fault_bit = -1 },
};
static struct desc kinds = {
	.id = 3, .name = "a\"b+0x1\xff", .fields = narrow, .nr_fields = ARRAY_SIZE(narrow), .has_faults = true,
};

/* As a system call of a recording. */
static struct field wide[] = {
	{ .kind = FIELD_STRING, .name = "comm", .bytes = 1, .length = 16, .fault_bit = 0 },
	{ .kind = FIELD_INT, .name = "prio", .bytes = 2, .is_signed = true, .is_half = true, .fault_bit = 1 },
	{ .kind = FIELD_STRING, .name = "filename", .bytes = 1, .length = 32, .varies = true, .fault_bit = 2 },
};
static struct desc packed = {
	.id = 9, .name = "open", .fields = wide, .nr_fields = ARRAY_SIZE(wide), .has_faults = true, .is_packed = true,
};

#define BOOT_ID	"01234567-89ab-cdef-0123-456789abcdef"

static struct trace_info make_info(struct trace_event *events, size_t nr)
{
	return (struct trace_info){
		.uuid = { 255, 1 }, .host = "he\"re", .kernel = "6.1.0 x86_64", .module = "1.2", .boot_id = BOOT_ID, .parts = 2,
		.events = events, .nr_events = nr, .clock = { .ns_num = 1, .ns_den = 3, .name = "tsc" },
	};
}

#define HEADER	"/packet-header-field-class"
#define CONTEXT	"/packet-context-field-class"
#define EVENT	"/event-record-header-field-class"
#define MEMBER(n)	"/member-classes/" #n
#define FIELD(n)	"/payload-field-class/member-classes/" #n "/field-class"
#define NAME(n)		"/payload-field-class/member-classes/" #n "/name"

static void test_trace(void **state)
{
	static const struct expected expected[] = {
		{ 0, "", "{\"type\":\"preamble\",\"version\":2,\"uuid\":[255,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}" },
		{ 1, "/type", "\"trace-class\"" },
		{ 1, "/environment", "{\"domain\":\"kernel\",\"tracer_name\":\"ktrace\",\"tracer_version\":\"1.2\","
				     "\"sysname\":\"Linux\",\"hostname\":\"he\\\"re\",\"kernel_release\":\"6.1.0 x86_64\"}" },
		{ 1, HEADER MEMBER(0), "{\"name\":\"magic\",\"field-class\":{\"type\":\"fixed-length-unsigned-integer\","
				       "\"length\":32,\"byte-order\":\"little-endian\",\"alignment\":32,"
				       "\"roles\":[\"packet-magic-number\"]}}" },
		{ 1, HEADER MEMBER(1), "{\"name\":\"uuid\",\"field-class\":{\"type\":\"static-length-blob\",\"length\":16,"
				       "\"roles\":[\"metadata-stream-uuid\"]}}" },
		{ 1, HEADER MEMBER(2) "/field-class/roles", "[\"data-stream-class-id\"]" },
		{ 2, "", "{\"type\":\"clock-class\",\"id\":\"ticks\",\"name\":\"ticks\",\"uid\":\"" BOOT_ID "\","
			 "\"description\":\"tsc\",\"frequency\":3000000000,\"origin\":\"unix-epoch\","
			 "\"offset-from-origin\":{\"seconds\":0,\"cycles\":0}}" },
		{ 3, "/type", "\"data-stream-class\"" },
		{ 3, "/id", "0" }, { 4, "/id", "1" },
		{ 3, "/default-clock-class-id", "\"ticks\"" },
		{ 3, CONTEXT MEMBER(0) "/field-class/roles", "[\"default-clock-timestamp\"]" },
		{ 3, CONTEXT MEMBER(1) "/field-class/roles", "[\"packet-end-default-clock-timestamp\"]" },
		{ 3, CONTEXT MEMBER(2) "/field-class/roles", "[\"packet-content-length\"]" },
		{ 3, CONTEXT MEMBER(3) "/field-class/roles", "[\"packet-total-length\"]" },
		{ 3, CONTEXT MEMBER(4) "/field-class/roles", "[\"packet-sequence-number\"]" },
		{ 3, CONTEXT MEMBER(5) "/field-class/roles", "[\"discarded-event-record-counter-snapshot\"]" },
		{ 3, CONTEXT MEMBER(7) "/name", "\"cpu_id\"" }, { 3, CONTEXT MEMBER(7) "/field-class/length", "32" },
		{ 3, EVENT "/minimum-alignment", "32" },
		{ 3, EVENT MEMBER(0) "/field-class/roles", "[\"event-record-class-id\"]" },
		{ 3, EVENT MEMBER(0) "/field-class/length", "8" },
		{ 3, EVENT MEMBER(1) "/field-class/selector-field-location",
		  "{\"origin\":\"event-record-header\",\"path\":[\"id\"]}" },
		{ 3, EVENT MEMBER(1) "/field-class/options/0/selector-field-ranges", "[[0,254]]" },
		{ 3, EVENT MEMBER(1) "/field-class/options/0/field-class" MEMBER(0) "/field-class/length", "24" },
		{ 3, EVENT MEMBER(1) "/field-class/options/1/selector-field-ranges", "[[255,255]]" },
		{ 3, EVENT MEMBER(1) "/field-class/options/1/field-class" MEMBER(0) "/field-class/roles",
		  "[\"event-record-class-id\"]" },
		{ 3, EVENT MEMBER(1) "/field-class/options/1/field-class" MEMBER(1) "/field-class/length", "64" },
		{ 3, EVENT MEMBER(1) "/field-class/options/1/field-class" MEMBER(1) "/field-class/roles",
		  "[\"default-clock-timestamp\"]" },
	};
	struct trace_info info = make_info(NULL, 0);
	struct metadata m = describe(&info);

	assert_int_equal(m.nr, 5);
	check(&m, expected, ARRAY_SIZE(expected));
	forget(&m);
	/* Of what boot the clock is, is not known. */
	info.boot_id = NULL;
	m = describe(&info);
	assert_string_equal(found(&m, 2, "/uid"), "nothing");
	forget(&m);
}

static void test_kinds(void **state)
{
	static const struct expected expected[] = {
		{ 5, "/type", "\"event-record-class\"" },
		{ 5, "/data-stream-class-id", "1" }, { 5, "/id", "3" }, { 5, "/name", "\"a\\\"b+0x1\xef\xbf\xbd\"" },
		{ 5, "/payload-field-class/minimum-alignment", "32" },
		{ 5, NAME(0), "\"unreadable\"" }, { 5, FIELD(0) "/length", "32" },
		{ 5, NAME(1), "\"pid\"" }, { 5, FIELD(1) "/type", "\"fixed-length-signed-integer\"" },
		{ 5, NAME(2), "\"pid_2\"" }, { 5, NAME(3), "\"pid_2_2\"" },
		{ 5, NAME(4), "\"stack_0x8\"" }, { 5, FIELD(4) "/preferred-display-base", "16" },
		{ 5, NAME(5), "\"const_m5\"" },
		{ 5, FIELD(5), "{\"type\":\"structure\",\"minimum-alignment\":1,\"member-classes\":[]}" },
		{ 5, NAME(6), "\"psr\"" }, { 5, FIELD(6) "/length", "64" },
		{ 5, NAME(7), "\"allregs\"" }, { 5, FIELD(7) "/member-classes/0/field-class/preferred-display-base", "16" },
		{ 5, NAME(8), "\"unreadable_2\"" },
		{ 5, FIELD(9), "{\"type\":\"static-length-string\",\"length\":16}" },
		{ 5, FIELD(10) "/type", "\"static-length-array\"" }, { 5, FIELD(10) "/length", "5" },
		{ 5, FIELD(10) "/element-field-class/alignment", "32" },
		{ 5, FIELD(11) "/mappings", "{\"one\":[[1,1]],\"minus \\\"1\\\"\":[[-1,-1]]}" },
		{ 5, FIELD(12) "/mappings/minus \"1\"/0/0", "18446744073709551615" },
		{ 5, NAME(13), "\"elapsed\"" }, { 5, FIELD(13) "/type", "\"fixed-length-unsigned-integer\"" },
		{ 5, FIELD(14) "/length", "32" }, { 5, NAME(15), "nothing" },
	};
	struct trace_event event = { 1, &kinds };
	const struct trace_info info = make_info(&event, 1);
	struct metadata m = describe(&info);

	assert_int_equal(m.nr, 6);
	check(&m, expected, ARRAY_SIZE(expected));
	forget(&m);
}

static void test_recording(void **state)
{
	static const struct expected expected[] = {
		{ 1, "/environment/tracer_name", "\"lttng-modules\"" }, { 1, "/environment/tracer_major", "2" },
		{ 3, EVENT "/minimum-alignment", "16" }, { 3, EVENT MEMBER(0) "/field-class/length", "16" },
		{ 3, EVENT MEMBER(1) "/field-class/options/0/selector-field-ranges", "[[0,65534]]" },
		{ 3, EVENT MEMBER(1) "/field-class/options/0/field-class" MEMBER(0) "/field-class/length", "32" },
		{ 5, "/payload-field-class/minimum-alignment", "16" },
		{ 5, FIELD(0) "/length", "16" }, { 5, FIELD(0) "/alignment", "8" },
		{ 5, NAME(2), "\"prio\"" }, { 5, FIELD(2) "/length", "16" },
		{ 5, FIELD(3), "{\"type\":\"null-terminated-string\"}" },
		{ 5, NAME(4), "\"_padding\"" }, { 5, FIELD(4) "/minimum-alignment", "16" },
	};
	struct trace_event event = { 0, &packed };
	struct trace_info info = make_info(&event, 1);
	struct metadata m;

	info.wide = true;
	m = describe(&info);
	check(&m, expected, ARRAY_SIZE(expected));
	forget(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trace), cmocka_unit_test(test_kinds), cmocka_unit_test(test_recording),
	};

	return cmocka_run_group_tests_name("ctf2", tests, NULL, NULL);
}
