// SPDX-License-Identifier: GPL-2.0-or-later
/* test_save.c - saved traces: written, described, read back; damaged ones; the directory. */
#include "saving_device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/base/duration.h"
#include "ctl/base/memory.h"
#include "ctl/trace/ctf/ctf.h"
#include "ctl/trace/saved/save.h"
#include "ctl/trace/saved/save_dir.h"
#include "ctl/trace/saved/saved.h"
#include "fake_kernel.h"
#include "unit.h"

static char dir[64];
static struct error err;

static struct save *begin(struct device *dev)
{
	struct save *save = save_create(dir, dev, &err);

	if (!save)
		fail_msg("%s", err.text);
	return save;
}

static void end(struct save *save)
{
	if (!save_finish(save, NULL, false, &err))
		fail_msg("%s", err.text);
}

/* Save the snapshot and clear it. */
static void put(struct save *save, struct reader *reader, struct snapshot *snap)
{
	if (!save_snapshot(save, snap, &err) || !save_describe(save, &err))
		fail_msg("%s", err.text);
	assert_true(snapshot_clear(reader, snap, &err));
	save_keep(save);
}

static struct saved *reopen(void)
{
	struct saved *saved = saved_open(dir, &err);

	if (!saved)
		fail_msg("%s", err.text);
	return saved;
}

/* ------------------------------------------------------------- comparing */

/* Print the recorded data, one line for each record. */
static void describe(FILE *out, const struct record *record)
{
	if (record->type == RECORD_LOST)
		fprintf(out, "cpu %u lost %lu %s\n", record->cpu, record->lost,
			record->discarded ? "discarded" : "overwritten");
	else
		fprintf(out, "cpu %u number %lu at %lu %s %u\n", record->cpu, record->count,
			record->ticks, record->desc->name, *(const u32 *)record->payload);
}

static void describe_all(FILE *out, const struct snapshot *snap)
{
	for (size_t i = 0; i < snapshot_count(snap); i++)
		describe(out, snapshot_at(snap, i));
}

static void compare(const char *expected)
{
	struct saved *saved = reopen();
	struct snapshot *snap;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	while (saved_next(saved, &snap, &err) && snap) {
		describe_all(out, snap);
		snapshot_free(snap);
	}
	assert_string_equal(err.text, "");
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
	saved_close(saved);
}

/* ------------------------------------------------------------- reading back */

/* Rounds of all events: the records are the same when they are read back. */
static void test_same(void **state)
{
	struct module *module = *state;
	struct device dev = saving_device(module);
	struct reader *reader = open_reader(module);
	struct save *save = begin(&dev);
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (int round = 0; round < 60; round++) {
		struct snapshot *snap;

		module->rings[1].discard = round % 3 == 0;
		for (uint32_t cpu = 0; cpu < CPUS; cpu++)
			write_many(module, cpu, round * 1000,
				   rand() % (rand() % 4 ? 40 : 6 * PER_PACKET));
		ticks += rand() % 4 ? 1 : 1 << 25;
		snap = take(reader);
		describe_all(out, snap);
		put(save, reader, snap);
		snapshot_free(snap);
	}
	fclose(out);
	assert_non_null(strstr(text, "discarded"));
	assert_non_null(strstr(text, "overwritten"));
	end(save);
	compare(text);
	free(text);
	reader_destroy(reader);
}

/* Save and clear the present records, and describe them. */
static void take_round(struct save *save, struct reader *reader, FILE *out)
{
	struct snapshot *snap = take(reader);

	describe_all(out, snap);
	put(save, reader, snap);
	snapshot_free(snap);
}

/* One CPU fills packet after packet while the others begin one: snapshots end inside of the others' packets. */
static void test_quick_and_slow(void **state)
{
	struct module *module = *state;
	struct device dev = saving_device(module);
	struct reader *reader = open_reader(module);
	struct save *save = begin(&dev);
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (u32 round = 0; round < 10; round++) {
		for (u32 i = 0; i < 4 * (NR_SUB - 1); i++) {
			write_many(module, 0, 1000 * i, PER_PACKET / 4);
			for (uint32_t cpu = 1; cpu < CPUS; cpu++)
				write_many(module, cpu, 1000 * i, i % 3);
		}
		take_round(save, reader, out);
	}
	fclose(out);
	assert_null(strstr(text, "lost"));
	end(save);
	compare(text);
	free(text);
	reader_destroy(reader);
}

/* An id that gets another descriptor, when all packets with it are seen, begins a new part. */
static void test_parts(void **state)
{
	struct module *module = *state;
	struct device dev = saving_device(module);
	struct reader *reader = open_reader(module);
	struct save *save = begin(&dev);
	AUTO_FREE char *path = mem_printf("%s/cpu0.1", dir);
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	set_desc(module, 2, 1, 0);
	write_many(module, 0, 0, PER_PACKET);
	ticks++;
	kt_ring_write(&module->rings[0], 2, &(u32){ 1 }, 1);
	take_round(save, reader, out);
	set_desc(module, 1, 1, ticks + 1);
	write_many(module, 0, 0, 10);
	take_round(save, reader, out);
	fclose(out);
	end(save);
	assert_int_equal(access(path, F_OK), 0);
	compare(text);
	free(text);
	reader_destroy(reader);
}

/* What was not kept does not appear. */
static void test_undo(void **state)
{
	struct module *module = *state;
	struct device dev = saving_device(module);
	struct reader *reader = open_reader(module);
	struct save *save = begin(&dev);
	struct snapshot *snap;

	write_at(module, 0, 2000, 7);
	snap = take(reader);
	put(save, reader, snap);
	snapshot_free(snap);
	write_at(module, 0, 2001, 8);
	write_at(module, 1, 2002, 9);
	snap = take(reader);
	assert_true(save_snapshot(save, snap, &err));
	save_undo(save);
	snapshot_free(snap);
	assert_int_equal(save_totals(save).records, 1);
	end(save);
	compare("cpu 0 number 0 at 2000 f 7\n");
	reader_destroy(reader);
}

/* ------------------------------------------------------------------ damage */

static void save_some(struct module *module)
{
	struct device dev = saving_device(module);
	struct reader *reader = open_reader(module);
	struct save *save = begin(&dev);
	struct snapshot *snap;

	write_many(module, 0, 0, 5 * PER_PACKET);
	write_many(module, 2, 0, 10);
	snap = take(reader);
	put(save, reader, snap);
	snapshot_free(snap);
	end(save);
	reader_destroy(reader);
}

/* Read everything; any problem is one line, and nothing else happens. */
static size_t nr_read;		/* records */

static bool readable_by(struct saved *(*open)(const char *dir, struct error *err))
{
	struct saved *saved;
	struct snapshot *snap = NULL;
	bool ok;

	err.text[0] = '\0';
	nr_read = 0;
	saved = open(dir, &err);
	ok = saved;
	while (ok && (ok = saved_next(saved, &snap, &err)) && snap) {
		nr_read += snapshot_count(snap);
		snapshot_free(snap);
	}
	saved_close(saved);
	assert_true(ok == !*err.text);
	assert_one_line(err.text);
	return ok;
}

/* Whole, and never more whole than with what can be read of it. */
static bool readable(void)
{
	const bool some = readable_by(saved_open_readable), whole = readable_by(saved_open);

	assert_true(some || !whole);
	return whole;
}

static char told_text[300];

static void note_told(void *arg, const char *text)
{
	snprintf(told_text, sizeof(told_text), "%s", text);
}

static uint8_t *contents(const char *path, size_t *len)
{
	FILE *file = fopen(path, "r");
	uint8_t *bytes = malloc(1 << 20);

	assert_non_null(file);
	*len = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	return bytes;
}

static void overwrite(const char *path, const uint8_t *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

static void damage(const char *name, unsigned int step)
{
	AUTO_FREE char *path = mem_printf("%s/%s", dir, name);
	size_t len, good = 0;
	AUTO_FREE uint8_t *bytes = contents(path, &len);

	assert_true(readable());
	for (size_t at = 0; at < len; at += 1 + rand() % step) {
		const uint8_t was = bytes[at];

		bytes[at] ^= 1 << rand() % 8;
		overwrite(path, bytes, len);
		good += readable();
		bytes[at] = was;
		overwrite(path, bytes, at);
		good += readable();
	}
	overwrite(path, bytes, len);
	assert_true(readable());
}

static void test_damaged_packets(void **state)
{
	save_some(*state);
	damage("cpu0", 60);
	damage("cpu2", 2);
}

static void test_damaged_info(void **state)
{
	save_some(*state);
	damage(SAVE_INFO, 4);
	damage(SAVE_DESCRIPTORS, 4);
}

static void test_cut(void **state)
{
	AUTO_FREE char *path = mem_printf("%s/cpu0", dir);

	save_some(*state);
	assert_int_equal(truncate(path, 5000), 0);
	assert_false(readable());
	assert_contains(err.text, "cpu0: damaged: cut off");
	assert_int_equal(truncate(path, 0), 0);
	assert_true(readable());
}

/* What is before the damage, and the other files, can be read. */
static void test_rest(void **state)
{
	AUTO_FREE char *path = mem_printf("%s/cpu0", dir);
	size_t len, whole;
	uint8_t *bytes;

	save_some(*state);
	assert_true(readable());
	whole = nr_read;
	bytes = contents(path, &len);
	saved_tell(note_told, NULL);
	assert_int_equal(truncate(path, len - 1), 0);
	assert_false(readable_by(saved_open));
	assert_true(readable_by(saved_open_readable));
	assert_in_range(nr_read, 1, whole - 1);
	assert_contains(told_text, "cpu0: damaged: cut off: what is behind its first ");
	/* From the first byte on. */
	bytes[0] ^= 1;
	overwrite(path, bytes, len);
	assert_false(readable_by(saved_open));
	assert_true(readable_by(saved_open_readable));
	assert_contains(told_text, "cpu0: damaged: no packet where one should begin: what is behind its first 0 records is left out");
	saved_tell(NULL, NULL);
	free(bytes);
}

static void test_not_a_trace(void **state)
{
	assert_null(saved_open("/nonexistent", &err));
	assert_string_equal(err.text, "/nonexistent: no such directory: give one that 'record' or 'save' made");
	assert_null(saved_open("/tmp", &err));
	assert_string_equal(err.text, "/tmp: no trace is there: give one that 'record' or 'save' made");
	assert_null(saved_open("/dev/null", &err));
	assert_string_equal(err.text, "/dev/null: not a directory: give one that 'record' or 'save' made");
}

/* --------------------------------------------------------------- directory */

static void test_replaced(void **state)
{
	save_some(*state);
	save_some(*state);
	assert_true(readable());
}

static void test_not_ours(void **state)
{
	struct device dev = saving_device(*state);
	AUTO_FREE char *path = mem_printf("%s/letter", dir);

	assert_int_equal(mkdir(dir, 0700), 0);
	overwrite(path, (const uint8_t *)"x", 1);
	assert_null(save_create(dir, &dev, &err));
	assert_contains(err.text, "nor a saved trace");
	assert_null(save_create(path, &dev, &err));
	assert_contains(err.text, "not a directory");
	unlink(path);
	save_abandon(begin(&dev));
	assert_int_equal(rmdir(dir), 0);
	assert_null(save_create("/nonexistent/x", &dev, &err));
	assert_contains(err.text, "No such file");
}

static void test_left_behind(void **state)
{
	struct device dev = saving_device(*state);
	struct save *save = begin(&dev);

	AUTO_FREE char *held = mem_printf(".part: process %d is writing there", getpid());

	assert_null(save_create(dir, &dev, &err));
	assert_contains(err.text, held);
	save_abandon(save);
	assert_int_equal(access(dir, F_OK), -1);
}

static void test_denied(void **state)
{
	const uid_t user = geteuid();

	save_some(*state);
	assert_int_equal(chmod(dir, 0), 0);
	/* Root may read everything. */
	assert_int_equal(user ? 0 : seteuid(65534), 0);
	assert_null(saved_open(dir, &err));
	assert_int_equal(seteuid(user), 0);
	assert_int_equal(err.status, STATUS_NO_ACCESS);
	assert_contains(err.text, ": permission denied: only root and the user who saved the trace may read it");
	assert_int_equal(chmod(dir, 0700), 0);
}

/* A process that is killed: nothing is undone, but its lock is released. */
static void killed_with(struct device *dev, const char *file)
{
	AUTO_FREE char *part = mem_printf("%s.part", dir), *path = mem_printf("%s/%s", part, file);
	pid_t child = fork();
	int status;

	if (!child) {
		begin(dev);
		close(open(path, O_WRONLY | O_CREAT | O_EXCL, 0600));
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_int_equal(access(path, F_OK), 0);
}

/* The remains of a killed ktrace are no obstacle; a trace is kept, because its records may be cleared. */
static void test_killed(void **state)
{
	struct device dev = saving_device(*state);
	AUTO_FREE char *moved = mem_printf("%s.part.killed.2", dir), *first = mem_printf("%s.part.killed.1", dir);
	AUTO_FREE char *part = mem_printf("%s.part", dir), *file = mem_printf("%s/theirs", part);
	struct save *save;

	killed_with(&dev, "cpu0");
	save = begin(&dev);
	assert_null(save_moved(save));
	save_abandon(save);
	assert_int_equal(mkdir(first, 0700), 0);
	killed_with(&dev, SAVE_INFO);
	save = begin(&dev);
	assert_string_equal(save_moved(save), moved);
	save_abandon(save);
	assert_int_equal(access(part, F_OK), -1);
	save_dir_remove(moved);
	assert_int_equal(access(moved, F_OK), -1);
	assert_int_equal(rmdir(first), 0);
	/* The directory of somebody else. */
	assert_int_equal(mkdir(part, 0700), 0);
	close(open(file, O_WRONLY | O_CREAT, 0600));
	assert_null(save_create(dir, &dev, &err));
	assert_contains(err.text, ".part: exists, but is not a saved trace");
	unlink(file);
	assert_int_equal(rmdir(part), 0);
}

/* Every write fails: one line, and the earlier content is still there. */
static void test_full(void **state)
{
	struct module *module = *state;
	struct device dev = saving_device(module);
	struct reader *reader = open_reader(module);
	AUTO_FREE char *full = NULL;
	struct snapshot *snap;
	struct save *save;

	save_some(module);
	save = begin(&dev);
	full = mem_printf("%s.part/cpu0", dir);
	assert_int_equal(symlink("/dev/full", full), 0);
	write_at(module, 0, ticks + 1, 8);
	snap = take(reader);
	assert_false(save_snapshot(save, snap, &err));
	assert_one_line(err.text);
	snapshot_free(snap);
	save_abandon(save);
	reader_destroy(reader);
	assert_true(readable());
}

/* ---------------------------------------------------------------- metadata */

static void test_metadata(void **state)
{
	struct field fields[] = {
		{ .kind = FIELD_NUMBER, .is_signed = true, .name = "pid", .bytes = 4, .fault_bit = -1 },
		{ .kind = FIELD_NUMBER, .is_signed = true, .name = "pid", .bytes = 4, .fault_bit = -1 },
		{ .kind = FIELD_WORD, .name = "stack-0x8", .bytes = 8 },
		{ .kind = FIELD_CONST, .name = "const", .value = -5, .fault_bit = -1 },
		{ .kind = FIELD_PSR, .name = "psr", .bytes = 8, .fault_bit = -1 },
		{ .kind = FIELD_ALLREGS, .name = "allregs", .bytes = 8, .fault_bit = -1 },
	};
	struct desc desc = { .id = 3, .name = "a\"b+0x1", .fields = fields,
			     .nr_fields = ARRAY_SIZE(fields), .has_faults = true };
	struct trace_event event = { 0, &desc };
	struct trace_info info = { .host = "h\033\303\244\377", .kernel = "6.1", .module = "1.2", .parts = 1,
				   .events = &event, .nr_events = 1,
				   .clock = { .ns_num = 1, .ns_den = 3 } };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	ctf_metadata(&info, out);
	fclose(out);
	assert_int_equal(strncmp(text, "/* CTF 1.8 */\n", 14), 0);
	assert_contains(text, "freq = 3000000000;");
	assert_contains(text, "hostname = \"h\\033\303\244\\377\";\n");
	assert_contains(text, "name = \"a\\\"b+0x1\";\n	id = 3;\n	stream_id = 0;\n");
	assert_contains(text, "		hex32_t _unreadable;\n		int32_t _pid;\n		int32_t _pid_2;\n"
			      "		hex64_t _stack_0x8;\n		struct { } _const_m5;\n"
			      "		hex64_t _psr;\n		struct {\n			hex64_t _rax;\n");
	free(text);
}

/* ---------------------------------------------------------------- commands */

/* list and status of a saved trace need no kernel. */
static void test_commands(void **state)
{
	struct fake_kernel *fake = fake_create();
	struct session *s = &fake->session;
	const char *kallsyms = s->kallsyms;
	AUTO_FREE char *records = NULL, *lost = NULL, *lost_json = NULL;
	char count[DURATION_SIZE];

	save_some(*state);
	/* The ring has room for four packets: the oldest is gone. */
	records = mem_printf("records      %s in ", count_text(4 * PER_PACKET + 10, count));
	lost = mem_printf("\nlost         %s\n", count_text(PER_PACKET, count));
	lost_json = mem_printf("\"lost\":%u,\"braked\":0,", PER_PACKET);
	s->input = dir;
	if (fake_run(fake, "status") != STATUS_OK)
		fail_msg("%s", fake_error());
	assert_contains(fake->out, "made on      ");
	assert_contains(fake->out, records);
	assert_contains(fake->out, lost);
	assert_int_equal(fake_run(fake, "list"), STATUS_OK);
	assert_true(*fake->out);
	assert_int_equal(fake_run(fake, "list -v"), STATUS_USAGE);
	assert_contains(fake_error(), "leave out -v");
	s->format = PRINT_JSON;
	assert_int_equal(fake_run(fake, "status"), STATUS_OK);
	assert_contains(fake->out, "{\"type\":\"saved\",\"v\":3,\"host\":\"");
	assert_contains(fake->out, lost_json);
	assert_int_equal(fake_run(fake, "list"), STATUS_OK);
	assert_contains(fake->out, "{\"type\":\"tracepoint\",\"v\":3,\"name\":\"");
	s->kallsyms = kallsyms;
	fake_free(fake);
}

/* -------------------------------------------------------------------- main */

static int begin_dir(void **state)
{
	err.text[0] = '\0';
	strcpy(dir, "/tmp/ktrace-save-XXXXXX");
	return !mkdtemp(dir) || rmdir(dir) || setup(state);
}

static int end_dir(void **state)
{
	save_dir_remove(dir);
	return teardown(state);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin_dir, end_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_same), TEST(test_quick_and_slow), TEST(test_parts), TEST(test_undo), TEST(test_damaged_packets),
		TEST(test_damaged_info), TEST(test_cut), TEST(test_rest), TEST(test_not_a_trace),
		TEST(test_replaced), TEST(test_not_ours), TEST(test_left_behind), TEST(test_killed), TEST(test_denied), TEST(test_full),
		TEST(test_metadata), TEST(test_commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
