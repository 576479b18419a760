// SPDX-License-Identifier: GPL-2.0-or-later
/* test_reader_late.c - the reader shows a text that was read at the return under the name of the hit that could not read it. */
#include "reader_module.h"

#define TEXT_AT	20		/* in the module's own record */
#define LENGTH	32

static void encode(struct module *module, uint32_t id, struct desc *desc, uint64_t born)
{
	struct error err = { .text = "" };

	free(module->descs[id].blob);
	if (!desc_encode(desc, &module->descs[id].blob, &module->descs[id].len, &err))
		fail_msg("%s", err.text);
	module->descs[id].born = born;
}

/* The module's descriptor of such texts, as in kmod/records/own_desc.c, but with a shorter text. */
static void set_own(struct module *module, uint32_t id)
{
	struct field fields[] = {
		{ .kind = FIELD_INT, .name = "of_event", .bytes = 4, .fault_bit = -1 },
		{ .kind = FIELD_INT, .name = "of_field", .bytes = 4, .fault_bit = -1 },
		{ .kind = FIELD_INT, .name = "of_time", .bytes = 8, .fault_bit = -1 },
		{ .kind = FIELD_INT, .name = "tid", .bytes = 4, .is_signed = true, .fault_bit = -1 },
		{ .kind = FIELD_STRING, .name = "text", .bytes = 8, .length = LENGTH, .fault_bit = -1 },
	};
	struct kt_insn prog[] = {
		{ .op = KT_OP_EMIT, .aux = 4 }, { .op = KT_OP_EMIT, .aux = 4 }, { .op = KT_OP_EMIT, .aux = 8 },
		{ .op = KT_OP_EMIT, .aux = 4 }, { .op = KT_OP_EMITSTR, .imm = LENGTH }, { .op = KT_OP_END },
	};

	encode(module, id, &(struct desc){ .name = LATE_NAME, .typed = LATE_NAME, .options = "", .fields = fields, .nr_fields = 5,
					   .prog = prog, .prog_len = 6 }, 0);
	module->descs[id].is_own = true;
}

/* The descriptor of a system call that records a number and two texts. */
static void set_call(struct module *module, uint32_t id, uint64_t born)
{
	struct field fields[] = {
		{ .kind = FIELD_INT, .name = "dfd", .bytes = 4, .is_signed = true, .fault_bit = 0 },
		{ .kind = FIELD_STRING, .name = "oldname", .bytes = 1, .length = 16, .limit = 12, .fault_bit = 1 },
		{ .kind = FIELD_STRING, .name = "newname", .bytes = 1, .length = 16, .limit = 12, .fault_bit = 2 },
	};
	struct kt_insn prog[] = {
		{ .op = KT_OP_FAULTS }, { .op = KT_OP_EMIT, .aux = 4 }, { .op = KT_OP_EMITSTR, .imm = 16 },
		{ .op = KT_OP_EMITSTR, .imm = 16 }, { .op = KT_OP_END },
	};

	encode(module, id, &(struct desc){ .name = "syscall:rename", .typed = "syscall:rename", .options = "ARGS", .has_faults = true,
					   .fields = fields, .nr_fields = 3, .prog = prog, .prog_len = 5 }, born);
}

/* The module writes what hit `of` at that time could not read. */
static void write_late(struct module *module, u32 id, u32 of, u32 item, u64 time, const char *text)
{
	u32 words[(TEXT_AT + LENGTH) / 4] = { of, item, time, time >> 32, 4127 };

	memcpy((uint8_t *)words + TEXT_AT, text, strlen(text));
	ticks++;
	kt_ring_write(&module->rings[0], id, words, sizeof(words) >> kt_unit_shift(false));
}

static void expect(const struct snapshot *snap, size_t i, const char *field, const char *text, const struct desc *of)
{
	const struct record *record = snapshot_at(snap, i);

	assert_string_equal(record->desc->name, "syscall:rename");
	assert_true(!of || record->desc->late_of == of);
	assert_int_equal(record->desc->id, 7);
	assert_int_equal(record->desc->nr_fields, 2);
	assert_string_equal(record->desc->fields[0].name, "tid");
	assert_string_equal(record->desc->fields[1].name, field);
	assert_int_equal(record->desc->fields[1].fault_bit, -1);
	assert_int_equal(*(const int32_t *)record->payload, 4127);
	assert_string_equal((const char *)record->payload + 4, text);
}

static void test_names(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	const u32 hit[10] = { 6, -100, '?', 0, 0, 0, '?', 0, 0, 0 };
	const struct desc *call;
	struct snapshot *snap;

	set_own(module, 7);
	set_call(module, 3, 900);
	ticks = 2000;
	kt_ring_write(&module->rings[0], 3, hit, 10);
	write_late(module, 7, 3, 2, 2000, "/new");
	write_late(module, 7, 3, 1, 2000, "/old");
	write_late(module, 7, 3, 2, 2000, "/newer");
	snap = take(reader);
	assert_int_equal(snapshot_count(snap), 4);
	call = snapshot_at(snap, 0)->desc;
	assert_null(call->late_of);
	expect(snap, 1, "newname", "/new", call);
	expect(snap, 2, "oldname", "/old", call);
	expect(snap, 3, "newname", "/newer", call);
	assert_ptr_equal(snapshot_at(snap, 1)->desc, snapshot_at(snap, 3)->desc);
	snapshot_free(snap);
	reader_destroy(reader);
}

/* The descriptor of the hit may be in no record: it is fetched for the text alone. */
static void test_alone(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	struct snapshot *snap;

	set_own(module, 7);
	set_call(module, 3, 900);
	write_late(module, 7, 3, 1, 1000, "/old");
	snap = take(reader);
	expect(snap, 0, "oldname", "/old", NULL);
	snapshot_free(snap);
	reader_destroy(reader);
}

/* Where the hit is not known, the record stays what the module wrote. */
static void test_unknown(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	struct snapshot *snap;

	set_own(module, 7);
	set_call(module, 3, 900);
	set_call(module, 4, 5000);
	write_late(module, 7, 5, 1, 1000, "/none");	/* no such descriptor */
	write_late(module, 7, 4, 1, 1000, "/early");	/* a younger one has its id */
	write_late(module, 7, 3, 9, 1000, "/bit");	/* no such field */
	write_late(module, 7, 3, 0, 1000, "/dfd");	/* no text */
	snap = take(reader);
	assert_int_equal(snapshot_count(snap), 4);
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(snapshot_at(snap, i)->desc->name, LATE_NAME);
		assert_null(snapshot_at(snap, i)->desc->late_of);
		assert_int_equal(snapshot_at(snap, i)->desc->nr_fields, 5);
	}
	snapshot_free(snap);
	reader_destroy(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown, setup, teardown),
	};

	return cmocka_run_group_tests_name("reader_late", tests, NULL, NULL);
}
