// SPDX-License-Identifier: GPL-2.0-or-later
/* test_convert.c - the metadata of CTF 2, and copies of saved traces with the metadata of another version. */
#include "saving_device.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/saved/convert.h"
#include "ctl/ctf/ctf.h"
#include "ctl/ctf/frame.h"
#include "ctl/saved/save.h"
#include "ctl/saved/save_dir.h"
#include "ctl/saved/saved.h"
#include "ctl/saved/symbols_file.h"
#include "symbols/symtab/symtab.h"
#include "unit.h"

static char base[64], dir[80], copy[80];
static struct convert_totals totals;
static struct error err;

/* --------------------------------------------------------------------- metadata */

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

/* ------------------------------------------------------------------------ copies */

static void write_file(const char *name, const void *bytes, size_t len, int flags)
{
	AUTO_FREE char *path = mem_printf("%s/%s", dir, name);
	int fd = open(path, O_WRONLY | flags, 0600);

	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

static char *read_file(const char *where, const char *name, size_t *len)
{
	AUTO_FREE char *path = mem_printf("%s/%s", where, name);
	FILE *file = fopen(path, "r");
	char *bytes = calloc(1, 1 << 20);

	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	*len = fread(bytes, 1, (1 << 20) - 1, file);
	fclose(file);
	return bytes;
}

static bool same_file(const char *name)
{
	size_t a, b;
	AUTO_FREE char *one = read_file(dir, name, &a), *other = read_file(copy, name, &b);

	return a == b && !memcmp(one, other, a);
}

static bool has(const char *where, const char *name)
{
	AUTO_FREE char *path = mem_printf("%s/%s", where, name);

	return access(path, F_OK) == 0;
}

static void save_round(struct save *save, struct reader *reader)
{
	struct snapshot *snap = take(reader);

	assert_true(save_snapshot(save, snap, &err) && snapshot_clear(reader, snap, &err));
	save_keep(save);
	snapshot_free(snap);
}

/* A trace of two CPUs and two parts, with losses and symbols. */
static void save_some(struct module *module)
{
	struct device dev = saving_device(module);
	struct reader *reader = open_reader(module);
	struct save *save = save_create(dir, &dev, &err);

	set_desc(module, 2, 1, 0);
	write_many(module, 0, 0, 6 * PER_PACKET);
	ticks++;
	kt_ring_write(&module->rings[0], 2, &(u32){ 1 }, 1);
	save_round(save, reader);
	/* No packet that is left has a record of this one: its id may be used again. */
	set_desc(module, 1, 1, ticks + 1);
	write_many(module, 0, 0, 10);
	write_many(module, 2, 0, 10);
	save_round(save, reader);
	assert_true(save_finish(save, NULL, false, &err));
	/* Any text does. */
	assert_true(symbols_file_put(dir, &(struct symbols_source){ .path = "README.md" }, &err));
	reader_destroy(reader);
}

static void convert(unsigned int version)
{
	if (!save_convert(dir, copy, version, NULL, &totals, &err))
		fail_msg("%s", err.text);
}

/* The records of a trace, without notices; *lost: those that it has lost. */
static uint64_t count_records(const char *where, uint64_t *lost)
{
	struct saved *saved = saved_open(where, &err);
	struct snapshot *snap;
	uint64_t n = 0;

	if (!saved)
		fail_msg("%s", err.text);
	*lost = 0;
	while (saved_next(saved, &snap, &err) && snap) {
		for (size_t i = 0; i < snapshot_count(snap); i++) {
			n += snapshot_at(snap, i)->type != RECORD_LOST;
			*lost += snapshot_at(snap, i)->type == RECORD_LOST ? snapshot_at(snap, i)->lost : 0;
		}
		snapshot_free(snap);
	}
	saved_close(saved);
	return n;
}

/* The packets, symbols and records stay; the metadata is that of the wanted version, and back. */
static void test_versions(void **state)
{
	static const char *const files[] = { "cpu0", "cpu0.1", "cpu2.1", SAVE_SYMBOLS };
	struct stat st;
	uint64_t lost;
	size_t len;
	AUTO_FREE char *text = NULL, *info = NULL, *first = NULL;

	save_some(*state);
	convert(2);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		assert_true(same_file(files[i]));
	text = read_file(copy, SAVE_METADATA, &len);
	assert_true(!strncmp(text, "\x1e{\"type\":\"preamble\"", 19));
	info = read_file(copy, SAVE_INFO, &len);
	assert_contains(info, "\n  \"ctf\":2,\n");
	assert_true(stat(copy, &st) == 0 && (st.st_mode & 0777) == 0700 && !has(copy, SAVE_LOCK));
	assert_int_equal(totals.records, count_records(dir, &lost));
	assert_int_equal(totals.lost, lost);
	assert_true(lost > 0 && totals.bytes == save_dir_size(copy));
	/* A copy of the copy, with the first version, is as the first trace. */
	first = mem_printf("%s.first", dir);
	assert_int_equal(rename(dir, first) | rename(copy, dir), 0);
	convert(1);
	save_dir_remove(dir);
	assert_int_equal(rename(first, dir), 0);
	assert_true(same_file(SAVE_METADATA) && same_file(SAVE_INFO));
}

static char *expanded(const char *name)
{
	size_t len;
	char *text = read_file(dir, name, &len);

	assert_true(frame_is(text, len));
	assert_int_equal(symtab_unpack(&text, &len), SYMTAB_OK);
	return text;
}

/* The description of a recording is compressed, and reads the same. */
static void test_packed_info(void **state)
{
	AUTO_FREE char *path = mem_printf("%s/" SAVE_INFO, dir), *text = NULL;
	struct trace_info *info, *again;

	save_some(*state);
	info = trace_info_read(path, &err);
	assert_non_null(info);
	info->wide = true;
	assert_true(save_dir_describe(dir, info, &err));
	text = expanded(SAVE_INFO);
	assert_contains(text, "\n  \"format\":2,\n");
	again = trace_info_read(path, &err);
	assert_non_null(again);
	assert_true(again->wide && info->nr_events > 1);
	assert_int_equal(again->nr_events, info->nr_events);
	for (size_t i = 0; i < info->nr_events; i++)
		assert_string_equal(again->events[i].desc->name, info->events[i].desc->name);
	trace_info_free(info);
	trace_info_free(again);
	assert_int_equal(truncate(path, 60), 0);
	assert_null(trace_info_read(path, &err));
	assert_contains(err.text, "it is not JSON, or cut off");
}

static void test_used_symbols(void **state)
{
	static const char all[] = "ffffffff81000000 T _stext\nffffffff81000010 t f.cold\t[ext4]\n0 A cpu\nffffffff82000000 D init_task\n"
				  "ffffffff81000020 W weak\n\nffffffff82000100 r a b\nffffffff81000030 T last";
	AUTO_FREE char *path = mem_printf("%s/all", dir), *text = NULL, *same = NULL, *cpu = NULL;
	struct symbols_source from = { .path = path, .reduce = true };
	static const uint64_t word = 0xffffffff82000008;
	int fd;
	struct stat st;

	save_some(*state);
	write_file("all", all, sizeof(all) - 1, O_CREAT);
	assert_true(symbols_file_put(dir, &from, &err));
	/* No packet refers to any of them: the first one is kept. */
	text = expanded(SAVE_SYMBOLS);
	assert_string_equal(text, "ffffffff81000000 T _stext\n");
	/* At any place in a packet; where the symbol ends is kept, too. */
	cpu = mem_printf("%s/cpu0", dir);
	fd = open(cpu, O_RDWR);
	assert_int_equal(pwrite(fd, &word, sizeof(word), 2 * sizeof(struct kt_packet) + 3), sizeof(word));
	free(text);
	assert_true(symbols_file_put(dir, &from, &err));
	text = expanded(SAVE_SYMBOLS);
	assert_string_equal(text, "ffffffff81000000 T _stext\nffffffff82000000 D init_task\nffffffff82000100 r a b\n");
	/* A large trace is not looked at. */
	assert_true(fstat(fd, &st) == 0 && ftruncate(fd, 65 << 20) == 0);
	from.only_code = true;
	free(text);
	assert_true(symbols_file_put(dir, &from, &err));
	text = expanded(SAVE_SYMBOLS);
	assert_string_equal(text, "ffffffff81000000 T _stext\nffffffff81000010 t f.cold\t[ext4]\nffffffff81000020 W weak\n"
				  "ffffffff81000030 T last");
	assert_int_equal(ftruncate(fd, st.st_size) | close(fd), 0);
	from.reduce = false;
	assert_true(symbols_file_put(dir, &from, &err));
	same = expanded(SAVE_SYMBOLS);
	assert_string_equal(same, all);
	assert_int_equal(unlink(path), 0);
}

/* A recorder was killed in the middle of a packet: the copy has only whole packets, and is a finished trace. */
static void test_cut_off(void **state)
{
	uint64_t lost;
	size_t len, before;
	AUTO_FREE char *info = NULL, *bytes = NULL, *after = NULL;
	AUTO_FREE char *open_info = NULL;

	save_some(*state);
	info = read_file(dir, SAVE_INFO, &len);
	open_info = mem_printf("{\"open\":true,%s", strchr(info, '{') + 1);
	write_file(SAVE_INFO, open_info, strlen(open_info), O_TRUNC);
	bytes = read_file(dir, "cpu0", &before);
	/* Behind the empty packet with which a file with losses begins. */
	write_file("cpu0", bytes + sizeof(struct kt_packet), 200, O_APPEND);
	convert(1);
	after = read_file(copy, "cpu0", &len);
	assert_true(len == before && !memcmp(after, bytes, len));
	assert_int_equal(count_records(copy, &lost), count_records(dir, &lost));
	free(info);
	info = read_file(copy, SAVE_INFO, &len);
	assert_null(strstr(info, "\"open\""));
}

/* A trace is the second of two parts of a piece of work: from half of it to all. */
static void test_progress(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct progress_line line = { .out = out, .shown = true, .began_ms = 1 };
	struct snapshot *snap;
	struct saved *saved;

	save_some(*state);
	saved = saved_open(dir, &err);
	assert_non_null(saved);
	saved_show(saved, &(struct saved_progress){ &line, "reading", 1, 2 });
	/* As if a quarter of a second had passed each time. */
	while (saved_next(saved, &snap, &err) && snap) {
		snapshot_free(snap);
		line.any = false;
	}
	saved_close(saved);
	fclose(out);
	assert_non_null(strstr(text, "ktrace: reading: 50 %, "));
	assert_string_equal(strrchr(text, 'k'), "ktrace: reading: 100 %");
	free(text);
	line = (struct progress_line){ .out = open_memstream(&text, &len), .shown = true, .began_ms = 1 };
	assert_true(save_convert(dir, copy, 2, &line, &totals, &err));
	fclose(line.out);
	assert_non_null(strstr(text, "ktrace: exporting: 0 %"));
	free(text);
}

/* Nothing is left, and nothing that was there is changed. */
static void refused(const char *to, const char *why)
{
	AUTO_FREE char *name = mem_printf("%s/%s", base, to);

	*err.text = '\0';
	assert_false(save_convert(dir, name, 2, NULL, &totals, &err));
	assert_contains(err.text, why);
	assert_one_line(err.text);
}

static void test_refused(void **state)
{
	AUTO_FREE char *path = mem_printf("%s/cpu2.1", dir);
	uint64_t records, lost;

	save_some(*state);
	records = count_records(dir, &lost);
	refused("trace", "exists, and is not empty");
	refused("nowhere/copy", "No such file");
	assert_int_equal(count_records(dir, &lost), records);
	assert_int_equal(truncate(path, 100), 0);
	refused("copy", "cpu2.1: damaged: cut off");
	assert_false(has(base, "copy"));
	assert_false(save_convert("/nonexistent", copy, 2, NULL, &totals, &err));
	assert_contains(err.text, "No such file");
	assert_false(has(base, "copy"));
}

/* Parts 3 and 4 of a series whose older parts were removed: two names for one trace. */
static void test_series(void **state)
{
	AUTO_FREE char *third = mem_printf("%s/0003", copy), *fourth = mem_printf("%s/0004", copy);
	AUTO_FREE char *from = mem_printf("%s/0003", base), *next = mem_printf("%s/0004", base);
	char *const parts[] = { from, next };
	struct stat st;
	uint64_t lost;

	save_some(*state);
	assert_int_equal(symlink("trace", from) | symlink("trace", next), 0);
	assert_true(save_convert_series(parts, 2, copy, 2, NULL, &totals, &err));
	assert_int_equal(totals.records, 2 * count_records(dir, &lost));
	assert_int_equal(totals.lost, 2 * lost);
	assert_int_equal(count_records(third, &lost), totals.records / 2);
	assert_int_equal(count_records(fourth, &lost), totals.records / 2);
	assert_true(stat(copy, &st) == 0 && (st.st_mode & 0777) == 0700);
	assert_int_equal(totals.bytes, save_dir_size(third) + save_dir_size(fourth));
	/* It is in the way now. */
	assert_false(save_convert_series(parts, 2, copy, 1, NULL, &totals, &err));
	assert_contains(err.text, "exists, and is not empty");
	assert_int_equal(count_records(fourth, &lost), count_records(dir, &lost));
	save_dir_remove(third);
	save_dir_remove(fourth);
	/* The second part is damaged: nothing is left. */
	assert_int_equal(unlink(next) | symlink("nothing", next), 0);
	assert_false(save_convert_series(parts, 2, copy, 1, NULL, &totals, &err));
	assert_contains(err.text, "/0004/ktrace/trace.json: No such file");
	assert_one_line(err.text);
	assert_false(has(base, "copy"));
	assert_int_equal(unlink(from) | unlink(next), 0);
}

/* tests/vm/hostcases/record-ctf2 gives a recording, and reads its copies: TRACE.1 and TRACE.2. */
static void test_given(void **state)
{
	const char *given = getenv("KTRACE_TRACE");

	for (unsigned int version = 1; given && version <= 2; version++) {
		AUTO_FREE char *to = mem_printf("%s.%u", given, version);

		if (!save_convert(given, to, version, NULL, &totals, &err))
			fail_msg("%s", err.text);
	}
}

/* -------------------------------------------------------------------------- main */

static int begin_dir(void **state)
{
	strcpy(base, "/tmp/ktrace-convert-XXXXXX");
	if (!mkdtemp(base))
		return 1;
	snprintf(dir, sizeof(dir), "%s/trace", base);
	snprintf(copy, sizeof(copy), "%s/copy", base);
	return setup(state);
}

static int end_dir(void **state)
{
	save_dir_remove(dir);
	save_dir_remove(copy);
	return rmdir(base) || teardown(state);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin_dir, end_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trace), cmocka_unit_test(test_kinds), cmocka_unit_test(test_recording),
		TEST(test_versions), TEST(test_progress), TEST(test_cut_off), TEST(test_refused), TEST(test_series),
		TEST(test_packed_info), TEST(test_used_symbols),
		cmocka_unit_test(test_given),
	};

	return cmocka_run_group_tests_name("convert", tests, NULL, NULL);
}
