// SPDX-License-Identifier: GPL-2.0-or-later
/* test_wide.c - wide rings and packed records: read, printed, saved and read back, described as CTF. */
#include "saving_device.h"

#include <stdio.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/trace/ctf/ctf.h"
#include "ctl/trace/print/print_int.h"
#include "ctl/trace/saved/save.h"
#include "ctl/trace/saved/save_dir.h"
#include "ctl/trace/saved/saved.h"
#include "unit.h"

static char dir[64];
static struct error err;

/* As `comm, prio, filename, ret` of a system call. */
static struct field fields[] = {
	{ .kind = FIELD_STRING, .name = "comm", .bytes = 1, .length = 16, .most = 16, .fault_bit = 0 },
	{ .kind = FIELD_INT, .name = "prio", .bytes = 2, .is_signed = true, .is_half = true, .fault_bit = 1 },
	{ .kind = FIELD_STRING, .name = "filename", .bytes = 1, .length = 32, .varies = true, .fault_bit = 2 },
	{ .kind = FIELD_INT, .name = "ret", .bytes = 8, .is_signed = true, .fault_bit = -1 },
};

static struct kt_insn prog[] = {
	{ .op = KT_OP_FAULTS2 }, { .op = KT_OP_EMITBYTES, .imm = 16 }, { .op = KT_OP_EMIT2 },
	{ .op = KT_OP_EMITTEXT, .imm = 32 }, { .op = KT_OP_EMIT, .aux = 8 }, { .op = KT_OP_END },
};

static struct desc packed = {
	.name = "open", .typed = "open", .options = "", .fields = fields, .nr_fields = ARRAY_SIZE(fields),
	.has_faults = true, .is_packed = true, .prog = prog, .prog_len = ARRAY_SIZE(prog),
};

static int setup_wide(void **state)
{
	struct module *module;

	setup_form(state, true);
	module = *state;
	assert_true(desc_encode(&packed, &module->descs[188].blob, &module->descs[188].len, &err));
	strcpy(dir, "/tmp/ktrace-wide-XXXXXX");
	return !mkdtemp(dir) || rmdir(dir);
}

static int teardown_wide(void **state)
{
	save_dir_remove(dir);
	return teardown(state);
}

/* Write one record, as the module does. */
static void write_open(struct module *module, u32 cpu, u64 when, u16 faults, const char *comm, int16_t prio,
		       const char *name, s64 ret)
{
	u8 payload[64] = { 0 };
	size_t len = 20 + strlen(name) + 1;

	memcpy(payload, &faults, 2);
	memcpy(payload + 2, comm, strlen(comm));
	memcpy(payload + 18, &prio, 2);
	strcpy((char *)payload + 20, name);
	memcpy(payload + len, &ret, 8);
	ticks = when;
	assert_true(kt_ring_write(&module->rings[cpu], 188, payload, (len + 8 + 1) / 2));
}

static void write_some(struct module *module)
{
	write_open(module, 0, 2000, 0, "bash", -5, "/etc/passwd", 3);
	write_open(module, 1, 2001, 0, "sixteen letters!", 120, "", -2);
	write_open(module, 0, 2000 + (5ULL << 32), 6, "x", 0, "half", -14);
	write_open(module, 2, 2000 + (6ULL << 32), 0, "", 1, "odd", INT64_MIN);
	/* A record of another descriptor, with four bytes. */
	write_at(module, 1, 2000 + (6ULL << 32), 7);
}

static const char printed[] =
	"comm=\"bash\" prio=-5 filename=\"/etc/passwd\" ret=3\n"
	"comm=\"sixteen letters!\" prio=120 filename=\"\" ret=-2\n"
	"comm=\"x\" prio=? filename=\"half\"...? ret=-14\n"
	"pid=7\n"
	"comm=\"\" prio=1 filename=\"odd\" ret=-9223372036854775808\n";

static void show_item(struct printer *printer, const struct item *item, void *arg)
{
	FILE *out = arg;

	fprintf(out, "%s=", item->name);
	if (item->unreadable)
		fputs("? ", out);
	else if (item->kind == FIELD_STRING)
		fprintf(out, "\"%.*s\"%s ", (int)item->length, (const char *)item->raw, item_cut(item));
	else
		fprintf(out, "%ld ", (long)item->value);
}

static void show(const struct snapshot *snap, FILE *out)
{
	struct printer printer = { 0 };

	for (size_t i = 0; i < snapshot_count(snap); i++) {
		assert_int_equal(snapshot_at(snap, i)->type, RECORD_HIT);
		record_items(&printer, snapshot_at(snap, i), show_item, out);
		fseek(out, -1, SEEK_CUR);
		fputc('\n', out);
	}
}

static void check(const struct snapshot *snap)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	show(snap, out);
	fclose(out);
	assert_string_equal(text, printed);
	free(text);
}

static void test_read(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	struct snapshot *snap;

	write_some(module);
	snap = take(reader);
	check(snap);
	assert_true(snapshot_clear(reader, snap, &err));
	snapshot_free(snap);
	reader_destroy(reader);
}

static void save_all(struct module *module)
{
	struct device dev = saving_device(module);
	struct reader *reader = open_reader(module);
	struct snapshot *snap = take(reader);
	struct save *save;

	save = save_create(dir, &dev, &err);
	assert_non_null(save);
	assert_true(save_snapshot(save, snap, &err));
	save_keep(save);
	assert_true(save_finish(save, NULL, false, &err));
	snapshot_free(snap);
	reader_destroy(reader);
}

static void test_saved(void **state)
{
	struct saved *saved;
	struct snapshot *snap;

	write_some(*state);
	save_all(*state);
	saved = saved_open(dir, &err);
	if (!saved)
		fail_msg("%s", err.text);
	assert_true(saved_info(saved)->wide);
	assert_true(saved_next(saved, &snap, &err));
	check(snap);
	snapshot_free(snap);
	saved_close(saved);
}

/* Rings full of records of all lengths, several laps: every record is found, whole and in order. */
static void test_laps(void **state)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzabcde";
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	struct snapshot *snap;
	u64 found = 0;

	for (u32 i = 0; i < 5000; i++) {
		write_open(module, i % 2, ticks + 1 + (i % 100 ? 0 : 1ULL << 33), 0, "laps", i, letters + i % 32, i);
		if (i % 100 != 99)
			continue;
		snap = take(reader);
		for (size_t n = 0; n < snapshot_count(snap); n++, found++) {
			const struct record *record = snapshot_at(snap, n);
			u64 ret;

			assert_int_equal(record->payload_len, (20 + 31 - found % 32 + 1 + 8 + 1) / 2 * 2);
			memcpy(&ret, record->payload + 20 + 31 - found % 32 + 1, 8);
			assert_int_equal(ret, found);
		}
		assert_true(snapshot_clear(reader, snap, &err));
		snapshot_free(snap);
	}
	assert_int_equal(found, 5000);
	reader_destroy(reader);
}

/* A text without its 0, or a record beyond the packet, is a damaged ring. */
static void test_damaged(void **state)
{
	u8 record[64];
	size_t len;

	memset(record, 'x', sizeof(record));
	assert_false(desc_length(&packed, record, sizeof(record), &len));
	record[20 + 31] = 0;
	assert_true(desc_length(&packed, record, 60, &len));
	assert_int_equal(len, 60);
	assert_false(desc_length(&packed, record, 59, &len));
	record[20] = 0;
	assert_true(desc_length(&packed, record, 30, &len));
	assert_int_equal(len, 30);	/* 29, and one more to make it even */
	assert_false(desc_length(&packed, record, 29, &len));
	assert_false(desc_length(&packed, record, 1, &len));
}

static void test_round_trip(void **state)
{
	struct desc *desc;
	void *blob;
	size_t len;

	assert_true(desc_encode(&packed, &blob, &len, &err));
	desc = desc_decode(blob, len, &err);
	assert_non_null(desc);
	assert_true(desc->is_packed && desc->fields[1].is_half && desc->fields[2].varies);
	assert_int_equal(desc_mask(desc), 2);
	assert_int_equal(desc_payload(desc), 2 + 16 + 2 + 32 + 8);
	desc_free(desc);
	free(blob);
}

static void test_metadata(void **state)
{
	struct trace_event event = { 0, &packed };
	struct trace_info info = { .host = "here", .kernel = "6.1", .module = "1.2", .parts = 1, .events = &event,
				   .nr_events = 1, .wide = true, .clock = { .ns_num = 1, .ns_den = 3 } };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	ctf_metadata(&info, out);
	fclose(out);
	assert_contains(text, "enum : id16_t { compact = 0 ... 65534, extended = 65535 } id;");
	assert_contains(text, "		hex16_t _unreadable;\n		char8_t _comm[16];\n		int16_t _prio;\n"
			      "		string _filename;\n		int64_t _ret;\n		struct { } align(16) __padding;\n"
			      "	} align(16);\n");
	free(text);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup_wide, teardown_wide)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_read), TEST(test_saved), TEST(test_laps), TEST(test_damaged), TEST(test_round_trip),
		TEST(test_metadata),
	};

	return cmocka_run_group_tests_name("wide rings", tests, NULL, NULL);
}
