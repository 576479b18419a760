// SPDX-License-Identifier: GPL-2.0-or-later
/* test_convert.c - copies of saved traces with the metadata of another version. */
#include "saving_device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/trace/saved/convert.h"
#include "ctl/trace/ctf/frame.h"
#include "ctl/trace/saved/save.h"
#include "ctl/trace/saved/save_dir.h"
#include "ctl/trace/saved/saved.h"
#include "ctl/trace/saved/symbols_file.h"
#include "symbols/symtab/symtab.h"
#include "unit.h"

static char base[64], dir[80], copy[80];
static struct convert_totals totals;
static struct error err;

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

static void assert_same_events(const struct trace_info *a, const struct trace_info *b)
{
	assert_true(a->nr_events > 1);
	assert_int_equal(a->nr_events, b->nr_events);
	for (size_t i = 0; i < a->nr_events; i++) {
		const struct desc *x = trace_event_desc(&a->events[i]), *y = trace_event_desc(&b->events[i]);

		assert_int_equal(a->events[i].part, b->events[i].part);
		assert_true(x->id == y->id && x->addr == y->addr && x->born == y->born && x->blob_len == y->blob_len);
		assert_memory_equal(x->blob, y->blob, x->blob_len);
		assert_string_equal(x->name, y->name);
	}
}

/* The descriptors of a recording are compressed, and read the same. */
static void test_packed_descriptors(void **state)
{
	AUTO_FREE char *path = mem_printf("%s/" SAVE_INFO, dir), *text = NULL;
	struct trace_info *info, *again;

	save_some(*state);
	info = trace_info_read(path, &err);
	assert_non_null(info);
	info->wide = true;
	assert_true(save_dir_describe(dir, info, &err));
	text = expanded(SAVE_DESCRIPTORS);
	assert_string_equal(text, DESCRIPTORS_MAGIC);
	again = trace_info_read(path, &err);
	assert_non_null(again);
	assert_true(again->wide);
	assert_same_events(info, again);
	trace_info_free(info);
	trace_info_free(again);
	assert_int_equal(truncate(path, 60), 0);
	assert_null(trace_info_read(path, &err));
	assert_contains(err.text, "it is not JSON, or cut off");
}

/* Descriptors are written once, and again when there are more; a reader leaves those alone that trace.json does not count. */
static void test_written_once(void **state)
{
	AUTO_FREE char *path = mem_printf("%s/" SAVE_INFO, dir), *file = mem_printf("%s/" SAVE_DESCRIPTORS, dir);
	struct trace_info *info;
	struct stat before, after;
	size_t nr;

	save_some(*state);
	info = trace_info_read(path, &err);
	assert_non_null(info);
	nr = info->nr_events;
	assert_true(save_dir_describe(dir, info, &err));
	assert_int_equal(stat(file, &before), 0);
	assert_true(save_dir_describe(dir, info, &err));
	assert_int_equal(stat(file, &after), 0);
	assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size);
	info->parts++;
	assert_true(trace_info_add(info, info->events[0].bare, &err) && save_dir_describe(dir, info, &err));
	assert_int_equal(stat(file, &after), 0);
	assert_true(before.st_ino != after.st_ino && before.st_size < after.st_size);
	/* The writer was killed between the two files. */
	info->nr_events--;
	info->nr_written--;
	assert_true(save_dir_describe(dir, info, &err));
	desc_free(info->events[nr].bare);
	trace_info_free(info);
	info = trace_info_read(path, &err);
	assert_non_null(info);
	assert_int_equal(info->nr_events, nr);
	trace_info_free(info);
	assert_int_equal(truncate(file, before.st_size - 8), 0);
	assert_null(trace_info_read(path, &err));
	assert_contains(err.text, "/ktrace/descriptors: a descriptor is malformed, or missing: the saved trace cannot be read");
	assert_int_equal(unlink(file), 0);
	assert_null(trace_info_read(path, &err));
	assert_contains(err.text, "/ktrace/descriptors: No such file or directory");
}

static void print_event(FILE *out, const struct trace_event *event)
{
	const struct desc *desc = trace_event_desc(event);
	const uint8_t *bytes = desc->blob;

	fprintf(out, "{\"part\":%u,\"id\":%u,\"addr\":\"%llu\",\"born\":\"%llu\",\"descriptor\":\"", event->part, desc->id,
		(unsigned long long)desc->addr, (unsigned long long)desc->born);
	for (size_t i = 0; i < desc->blob_len; i++)
		fprintf(out, "%02x", bytes[i]);
	fprintf(out, "\"}");
}

/* trace.json as ktrace wrote it up to version 1: with the descriptors inside. */
static void write_version_1(const struct trace_info *info)
{
	static const char member[] = "\"descriptors\":";
	char *text = NULL;
	size_t len, old_len;
	AUTO_FREE char *old = read_file(dir, SAVE_INFO, &old_len);
	char *version = strstr(old, "\"v\":2"), *number = strstr(old, member);
	FILE *out = open_memstream(&text, &len);

	assert_true(version && number && out);
	version[4] = '1';
	fprintf(out, "%.*s\"events\":[", (int)(number - old), old);
	for (size_t i = 0; i < info->nr_events; i++) {
		fputs(i ? "," : "", out);
		print_event(out, &info->events[i]);
	}
	fprintf(out, "]%s", number + sizeof(member) - 1 + strspn(number + sizeof(member) - 1, "0123456789"));
	assert_int_equal(fclose(out), 0);
	write_file(SAVE_INFO, text, len, O_TRUNC);
	free(text);
}

static void test_version_1(void **state)
{
	AUTO_FREE char *path = mem_printf("%s/" SAVE_INFO, dir), *file = mem_printf("%s/" SAVE_DESCRIPTORS, dir);
	struct trace_info *info, *old;

	save_some(*state);
	info = trace_info_read(path, &err);
	assert_non_null(info);
	write_version_1(info);
	assert_int_equal(unlink(file), 0);
	old = trace_info_read(path, &err);
	assert_non_null(old);
	assert_same_events(info, old);
	trace_info_free(info);
	trace_info_free(old);
	/* A copy of it is of the newest version. */
	convert(1);
	assert_true(has(copy, SAVE_DESCRIPTORS));
}

static void test_used_symbols(void **state)
{
	static const char all[] = "ffffffff81000000 T _stext\nffffffff81000010 t f.cold\t[ext4]\n0 A cpu\nffffffff82000000 D init_task\n"
				  "ffffffff81000020 W weak\nffffffff82000100 r a b\nffffffff81000030 T last";
	AUTO_FREE char *path = mem_printf("%s/all", dir), *text = NULL, *same = NULL, *cpu = NULL;
	struct symbols_source from = { .reduce = true };
	struct symtab *tab;
	static const uint64_t word = 0xffffffff82000008;
	int fd;
	struct stat st;

	save_some(*state);
	write_file("all", all, sizeof(all) - 1, O_CREAT);
	assert_int_equal(symtab_load(path, NULL, NULL, &tab), SYMTAB_OK);
	from.tab = tab;
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
				  "ffffffff81000030 T last\n");
	assert_int_equal(ftruncate(fd, st.st_size) | close(fd), 0);
	from.reduce = from.only_code = false;
	assert_true(symbols_file_put(dir, &from, &err));
	same = expanded(SAVE_SYMBOLS);
	assert_string_equal(same, "0000000000000000 A cpu\nffffffff81000000 T _stext\nffffffff81000010 t f.cold\t[ext4]\n"
				  "ffffffff81000020 W weak\nffffffff81000030 T last\nffffffff82000000 D init_task\n"
				  "ffffffff82000100 r a b\n");
	symtab_free(tab);
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
	struct progress_line line = { .out = out, .form = PROGRESS_REWRITTEN, .began_ms = 1 };
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
	line = (struct progress_line){ .out = open_memstream(&text, &len), .form = PROGRESS_REWRITTEN, .began_ms = 1 };
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
	assert_contains(err.text, "no such directory");
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
	assert_contains(err.text, "/0004: no such directory");
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
		TEST(test_versions), TEST(test_progress), TEST(test_cut_off), TEST(test_refused), TEST(test_series),
		TEST(test_packed_descriptors),
		TEST(test_written_once),
		TEST(test_version_1), TEST(test_used_symbols),
		cmocka_unit_test(test_given),
	};

	return cmocka_run_group_tests_name("convert", tests, NULL, NULL);
}
