// SPDX-License-Identifier: GPL-2.0-or-later
/* test_print_formats.c - records as JSON and as CSV. */
#include "print_scene.h"

static void test_json(void **state)
{
	struct printer *printer = open_printer(PRINT_JSON, false);

	add_example();
	add_lost(38894, 1, 7, true);
	add_lost(38894, 2, 8, false);
	check(printer,
	      "{\"type\":\"record\",\"v\":3,\"name\":\"vfs_write\",\"addr\":\"0xffffffff8134d3d0\","
	      "\"cpu\":0,\"number\":0,"
	      "\"time\":\"2025-11-20T14:03:11.482913207Z\",\"time_ns\":\"1763647391482913207\",\"delta_ns\":null,"
	      "\"data\":[{\"name\":\"pid\",\"value\":4127}],\"flags\":[]}\n"
	      "{\"type\":\"record\",\"v\":3,\"name\":\"vfs_write\",\"addr\":\"0xffffffff8134d3d0\","
	      "\"cpu\":0,\"number\":1,"
	      "\"time\":\"2025-11-20T14:03:11.482951884Z\",\"time_ns\":\"1763647391482951884\",\"delta_ns\":38677,"
	      "\"data\":[{\"name\":\"pid\",\"value\":4127}],\"flags\":[]}\n"
	      "{\"type\":\"record\",\"v\":3,\"name\":\"vfs_write+0x50\",\"addr\":\"0xffffffff8134d420\","
	      "\"cpu\":0,\"number\":2,"
	      "\"time\":\"2025-11-20T14:03:11.482952101Z\",\"time_ns\":\"1763647391482952101\",\"delta_ns\":217,"
	      "\"data\":[{\"name\":\"rdi\",\"value\":\"0xffff888102a3c000\",\"symbol\":\"init_task\"}],"
	      "\"flags\":[\"FREEZE\"]}\n"
	      "{\"type\":\"lost\",\"v\":3,\"lost\":7,\"reason\":\"discarded\",\"cpu\":1,"
	      "\"time\":\"2025-11-20T14:03:11.482952101Z\",\"time_ns\":\"1763647391482952101\"}\n"
	      "{\"type\":\"lost\",\"v\":3,\"lost\":8,\"reason\":\"overwritten\",\"cpu\":2,"
	      "\"time\":\"2025-11-20T14:03:11.482952101Z\",\"time_ns\":\"1763647391482952101\"}\n");
}

static void test_json_values(void **state)
{
	struct printer *printer = open_printer(PRINT_JSON, false);
	struct desc odd = { .name = "a \"b\\\n" };

	add_data();
	add(&odd, 0);
	check(printer,
	      "{\"type\":\"record\",\"v\":3,\"name\":\"f\",\"addr\":\"0xffffffff81000000\",\"cpu\":0,\"number\":0,"
	      "\"time\":\"2025-11-20T14:03:11.482913207Z\",\"time_ns\":\"1763647391482913207\",\"delta_ns\":null,"
	      "\"data\":[{\"name\":\"const\",\"value\":5},{\"name\":\"const\",\"value\":-3},"
	      "{\"name\":\"const\",\"value\":\"0xffff888102a3c000\"},"
	      "{\"name\":\"psr\",\"value\":\"0x246\",\"flags\":[\"PF\",\"ZF\",\"IF\"]},"
	      "{\"name\":\"stack+0x10\",\"value\":\"0xffffffff8134d3e0\",\"symbol\":\"vfs_write+0x10\"},"
	      "{\"name\":\"frame-0x8\",\"value\":null},{\"name\":\"al\",\"value\":\"0xf0\"},"
	      "{\"name\":\"rsi\",\"value\":\"0x1000\"},"
	      "{\"name\":\"rip\",\"value\":\"0xffffffffc0000004\",\"symbol\":\"ext4:ext4_write+0x4\"},"
	      "{\"name\":\"word0\",\"value\":\"0xdeadbeef\"}],"
	      "\"flags\":[\"UNFREEZE\",\"BASE\",\"ADJACENT\",\"LATEFREEZE\",\"FREEZE\"],\"late\":12}\n"
	      "{\"type\":\"record\",\"v\":3,\"name\":\"a \\\"b\\\\\\n\",\"addr\":\"0x0\",\"cpu\":0,\"number\":1,"
	      "\"time\":\"2025-11-20T14:03:11.482913207Z\",\"time_ns\":\"1763647391482913207\",\"delta_ns\":0,"
	      "\"data\":[],\"flags\":[]}\n");
}

static void test_csv(void **state)
{
	struct printer *printer = open_printer(PRINT_CSV, false);

	add_example();
	add_data();
	add_lost(38894, 1, 7, true);
	check(printer,
	      CSV "pid,rdi,const,const,const,psr,stack+0x10,frame-0x8,al,rsi,rip,word0\n"
	      "record,2025-11-20T14:03:11.482913207Z,1763647391482913207,,0,0,\"vfs_write\",0xffffffff8134d3d0,,,,"
	      "4127,,,,,,,,,,,\n"
	      "record,2025-11-20T14:03:11.482951884Z,1763647391482951884,38677,0,1,\"vfs_write\",0xffffffff8134d3d0,,,,"
	      "4127,,,,,,,,,,,\n"
	      "record,2025-11-20T14:03:11.482952101Z,1763647391482952101,217,0,2,\"vfs_write+0x50\",0xffffffff8134d420,FREEZE,,,"
	      ",0xffff888102a3c000(init_task),,,,,,,,,,\n"
	      "record,2025-11-20T14:03:11.482913207Z,1763647391482913207,-38894,0,3,\"f\",0xffffffff81000000,"
	      "UNFREEZE BASE ADJACENT LATEFREEZE 12 FREEZE,,,"
	      ",,5,-3,0xffff888102a3c000,0x246,0xffffffff8134d3e0(vfs_write+0x10),?,0xf0,0x1000,"
	      "0xffffffffc0000004(ext4:ext4_write+0x4),0xdeadbeef\n"
	      "lost,2025-11-20T14:03:11.482952101Z,1763647391482952101,,1,,,,,7,discarded,,,,,,,,,,,,\n");
}

/* Records that come one by one: a heading again when there are more columns.  A field's text may be anything. */
static void test_csv_more_columns(void **state)
{
	static struct field fields[] = {
		{ .kind = FIELD_INT, .name = "f(a, \"b\")", .bytes = 4, .fault_bit = -1 },
		{ .kind = FIELD_STRING, .name = "s", .bytes = 1, .length = 8, .fault_bit = -1 },
	};
	static struct desc odd = { .name = "odd", .fields = fields, .nr_fields = 2 };
	static const char *const texts[] = { "a,\"b\"", "?", "\n\\" }, *const cells[] = { "\"a,\"\"b\"\"\"", "\\?", "\\n\\\\" };
	struct printer *printer = open_printer(PRINT_CSV, false);
	char line[128];

	add_pid(&vfs_write, 0, 7);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		add(&odd, 0);
		put(0, 5, 4);
		put_text(4, texts[i], strlen(texts[i]));
	}
	for (size_t i = 0; i < snap.nr; i++)
		printer_record(printer, snapshot_at(&snap, i));
	printer_end(printer);
	close_printer(printer);
	assert_ptr_equal(strstr(text, CSV "pid\n"), text);
	assert_contains(text, ",,,,7\n" CSV "pid,\"f(a, \"\"b\"\")\",s\nrecord,");
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		snprintf(line, sizeof(line), ",,,,,5,%s\n", cells[i]);
		assert_contains(text, line);
	}
	free(text);
}

/* A new descriptor may have the address of one that was freed.  Its values must stand in its own columns. */
static void test_csv_same_address(void **state)
{
	static struct field first[] = { { .kind = FIELD_INT, .name = "a", .bytes = 4, .fault_bit = -1 },
					{ .kind = FIELD_INT, .name = "b", .bytes = 4, .fault_bit = -1 } };
	static struct field second[] = { { .kind = FIELD_INT, .name = "b", .bytes = 4, .fault_bit = -1 },
					 { .kind = FIELD_INT, .name = "c", .bytes = 4, .fault_bit = -1 } };
	struct desc desc = { .name = "f", .fields = first, .nr_fields = 2 };
	struct printer *printer = open_printer(PRINT_CSV, false);

	for (u32 i = 0; i < 4; i++) {
		add(&desc, 0);
		put(0, 10 + i, 4);
		put(4, 20 + i, 4);
	}
	for (size_t i = 0; i < snap.nr; i++) {
		desc.fields = i % 2 ? second : first;
		printer_record(printer, snapshot_at(&snap, i));
	}
	close_printer(printer);
	assert_contains(text, ",,,10,20\n");
	assert_contains(text, ",,,,11,21\n");
	assert_contains(text, ",,,12,22,\n");
	assert_contains(text, ",,,,13,23\n");
	free(text);
}

/* All lines of one command have the same number of columns. */
static void test_csv_columns(void **state)
{
	struct printer *printer = open_printer(PRINT_CSV, false);
	size_t commas = 0, most = 0;
	bool quoted = false;

	add_registers();
	add_example();
	add_lost(0, 0, 1, false);
	print(printer);
	for (const char *at = text; *at; at++) {
		quoted ^= *at == '"';
		commas += *at == ',' && !quoted;
		if (*at != '\n')
			continue;
		if (!most)
			most = commas;
		assert_int_equal(commas, most);
		commas = 0;
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json), cmocka_unit_test(test_json_values), cmocka_unit_test(test_csv),
		cmocka_unit_test(test_csv_more_columns), cmocka_unit_test(test_csv_columns), cmocka_unit_test(test_csv_same_address),
	};

	return cmocka_run_group_tests_name("print_formats", tests, setup, teardown);
}
