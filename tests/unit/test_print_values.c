// SPDX-License-Identifier: GPL-2.0-or-later
/* test_print_values.c - the values of records, of all kinds: text, JSON and CSV. */
#include "print_scene.h"

#include <math.h>

static struct field captures[] = {
	OF_PROCESS,
	{ .kind = FIELD_INT, .name = "(s8)$al", .bytes = 1, .is_signed = true, .fault_bit = -1 },
	{ .kind = FIELD_INT, .name = "$eax", .bytes = 4, .fault_bit = -1 },
	{ .kind = FIELD_INT, .name = "(s64)$rax", .bytes = 8, .is_signed = true, .fault_bit = -1 },
	{ .kind = FIELD_INT, .name = "$rcx", .bytes = 8, .fault_bit = -1 },
	{ .kind = FIELD_INT, .name = "*(u64*)$rdi", .bytes = 8, .fault_bit = 7 },
	{ .kind = FIELD_POINTER, .name = "current", .bytes = 8, .fault_bit = -1 },
	{ .kind = FIELD_STRING, .name = "$rsi", .bytes = 1, .length = 8, .fault_bit = 9 },
	{ .kind = FIELD_BACKTRACE, .name = "backtrace", .bytes = 8, .length = 3, .fault_bit = -1 },
};

static struct desc capture = {
	.addr = 0xffffffff8134d3d0, .name = "vfs_write", .fields = captures,
	.nr_fields = ARRAY_SIZE(captures), .has_faults = true,
};

/* One record with everything, with `faults` unreadable. */
static void add_capture(uint32_t faults, const char *string)
{
	add(&capture, 0);
	put(0, faults, 4);
	put(4, 4126, 4);
	put(8, 4000000000, 4);
	put_text(12, "dd", 2);
	put(20, -5, 4);
	put(24, 0xfffffffb, 4);
	put(28, -5, 8);
	put(36, 512, 8);
	put(44, TASK, 8);
	put(52, TASK, 8);
	put_text(60, string, strlen(string));
	put(68, TASK, 8);
	put(76, 0x1000, 8);
}

static void test_captures(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	add_capture(0, "a\n\"\x1b\xff");
	add_capture(1U << 7 | 1U << 9, "");
	add_capture(0, "\303\244bcdefg");
	check(printer, DAY
	      "vfs_write            14:03:11.482913207  (              )  tgid 4126   uid 4000000000  comm=\"dd\"  (s8)$al=-5  "
	      "$eax=4294967291  (s64)$rax=-5  $rcx=512  *(u64*)$rdi=0xffff888102a3c000 (init_task)  "
	      "current=ffff888102a3c000 (init_task)  $rsi=\"a\\n\\\"\\x1b\\xff\"\n"
	      "    from init_task < 0000000000001000\n"
	      "vfs_write            14:03:11.482913207  (   0.000000000)  tgid 4126   uid 4000000000  comm=\"dd\"  (s8)$al=-5  "
	      "$eax=4294967291  (s64)$rax=-5  $rcx=512  *(u64*)$rdi=?  "
	      "current=ffff888102a3c000 (init_task)  $rsi=?\n"
	      "    from init_task < 0000000000001000\n"
	      "vfs_write            14:03:11.482913207  (   0.000000000)  tgid 4126   uid 4000000000  comm=\"dd\"  (s8)$al=-5  "
	      "$eax=4294967291  (s64)$rax=-5  $rcx=512  *(u64*)$rdi=0xffff888102a3c000 (init_task)  "
	      "current=ffff888102a3c000 (init_task)  $rsi=\"\303\244bcdefg\"...\n"
	      "    from init_task < 0000000000001000\n");
}

/* The readable part of a string whose page ends before the string does. */
static void test_string_breaks_off(void **state)
{
	static const struct {
		enum print_format format;
		const char *part, *none;
	} rows[] = {
		{ PRINT_TEXT, "  $rsi=\"abc\"...?\n", "  $rsi=?\n" },
		{ PRINT_JSON, "{\"name\":\"$rsi\",\"value\":\"abc\",\"cut\":true,\"unreadable\":true}", "{\"name\":\"$rsi\",\"value\":null}" },
		{ PRINT_CSV, ",abc\\...?,", ",?," },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct printer *printer = open_printer(rows[i].format, false);

		add_capture(1U << 9, "abc");
		add_capture(1U << 9, "?");
		add_capture(1U << 9, "");	/* in traces of before there was KT_NO_TEXT */
		check_has(printer, rows[i].part, rows[i].none, rows[i].none);
	}
}

/* A vector of optional values: what is not there is not shown, also where it depends on what is not there. */
static void test_absent_parts(void **state)
{
	static struct field parts[] = {
		{ .kind = FIELD_INT, .name = "v.size", .bytes = 4, .group = 1, .fault_bit = 0 },
		{ .kind = FIELD_INT, .name = "v[0].has", .bytes = 4, .group = 1, .fault_bit = 1, .depends = 1, .when_above = true },
		{ .kind = FIELD_INT, .name = "v[0].value", .bytes = 4, .group = 1, .fault_bit = 2, .depends = 1, .when = 1 },
		{ .kind = FIELD_INT, .name = "v[1].has", .bytes = 4, .group = 1, .fault_bit = 3, .depends = 3, .when_above = true, .when = 1 },
		{ .kind = FIELD_INT, .name = "v[1].value", .bytes = 4, .group = 1, .fault_bit = 4, .depends = 1, .when = 1 },
		{ .kind = FIELD_TEXT, .name = "v[2]", .text = "...", .bytes = 8, .group = 1, .fault_bit = -1, .depends = 5, .when_above = true, .when = 2 },
	};
	static struct desc vector = { .name = "f", .fields = parts, .nr_fields = ARRAY_SIZE(parts), .has_faults = true };
	static const struct {
		uint32_t faults, size, has, value;
		const char *text, *json, *csv;
	} rows[] = {
		{ 0, 0, 1, 1, "v={size=0}", "[{\"name\":\"v.size\",\"value\":0}]", ",0,,,,,\n" },
		{ 1 << 4, 2, 1, 7, "v={size=2, [0].has=1, [0].value=7, [1].has=1, [1].value=?}",
		  "{\"name\":\"v[0].value\",\"value\":7},{\"name\":\"v[1].has\",\"value\":1},{\"name\":\"v[1].value\",\"value\":null}]",
		  ",2,1,7,1,?,\n" },
		{ 0, 1, 0, 7, "v={size=1, [0].has=0}", "{\"name\":\"v[0].has\",\"value\":0}]", ",1,0,,,,\n" },
		{ 0, 3, 0, 7, "v={size=3, [0].has=0, [1].has=0, [2]=...}", "{\"name\":\"v[2]\",\"value\":null,\"why\":\"...\"}]",
		  ",3,0,,0,,...\n" },
		/* Where it is not known how many there are, they may be there. */
		{ 0x1f, 0, 0, 0, "v={size=?, [0].has=?, [0].value=?, [1].has=?, [1].value=?, [2]=...}", "{\"name\":\"v.size\",\"value\":null}",
		  ",?,?,?,?,?,...\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (enum print_format format = PRINT_TEXT; format <= PRINT_CSV; format++) {
			const char *expected = format == PRINT_TEXT ? rows[i].text : format == PRINT_JSON ? rows[i].json : rows[i].csv;
			struct printer *printer = open_printer(format, false);

			add(&vector, 0);
			put(0, rows[i].faults, 4);
			put(4, rows[i].size, 4);
			for (int element = 0; element < 2; element++) {
				put(8 + 8 * element, rows[i].has, 4);
				put(12 + 8 * element, rows[i].value, 4);
			}
			check_has(printer, expected, expected, expected);
		}
}

static void test_captures_json(void **state)
{
	struct printer *printer = open_printer(PRINT_JSON, false);

	add_capture(1U << 7, "a\n\"\x1b\xff");
	check(printer,
	      "{\"type\":\"record\",\"v\":3,\"name\":\"vfs_write\",\"addr\":\"0xffffffff8134d3d0\",\"cpu\":0,\"number\":0,"
	      "\"time\":\"2025-11-20T14:03:11.482913207Z\",\"time_ns\":\"1763647391482913207\",\"delta_ns\":null,\"data\":["
	      "{\"name\":\"tgid\",\"value\":4126},{\"name\":\"uid\",\"value\":4000000000},{\"name\":\"comm\",\"value\":\"dd\"},"
	      "{\"name\":\"(s8)$al\",\"value\":-5},{\"name\":\"$eax\",\"value\":4294967291},"
	      "{\"name\":\"(s64)$rax\",\"value\":-5},{\"name\":\"$rcx\",\"value\":512},"
	      "{\"name\":\"*(u64*)$rdi\",\"value\":null},"
	      "{\"name\":\"current\",\"value\":\"0xffff888102a3c000\",\"symbol\":\"init_task\"},"
	      "{\"name\":\"$rsi\",\"value\":\"a\\n\\\"\\u001b\\ufffd\"},"
	      "{\"name\":\"backtrace\",\"value\":[{\"addr\":\"0xffff888102a3c000\",\"symbol\":\"init_task\"},"
	      "{\"addr\":\"0x1000\"}]}],\"flags\":[]}\n");
}

static void test_captures_csv(void **state)
{
	struct printer *printer = open_printer(PRINT_CSV, false);

	add_capture(1U << 7, "ab\"defgh");
	check(printer,
	      CSV "tgid,uid,comm,(s8)$al,$eax,(s64)$rax,$rcx,*(u64*)$rdi,current,$rsi,backtrace\n"
	      "record,2025-11-20T14:03:11.482913207Z,1763647391482913207,,0,0,\"vfs_write\",0xffffffff8134d3d0,,,,"
	      "4126,4000000000,dd,-5,4294967291,-5,512,?,0xffff888102a3c000(init_task),\"ab\"\"defgh\\...\","
	      "init_task 0x1000\n");
}

static struct field strings[] = {
	{ .kind = FIELD_POINTER, .name = "name address", .bytes = 8, .is_address = true, .fault_bit = 0 },
	{ .kind = FIELD_STRING, .name = "name", .bytes = 1, .length = 8, .fault_bit = 1 },
	NUMBER("pid"),
};

static struct desc has_string = {
	.name = "f", .fields = strings, .nr_fields = ARRAY_SIZE(strings), .has_faults = true,
};

static void add_string(uint32_t faults, uint64_t address, const char *string)
{
	add(&has_string, 0);
	put(0, faults, 4);
	put(4, address, 8);
	put_text(12, string, strlen(string));
	put(20, 7, 4);
}

/* A text that was unreadable at the entry and read at the return; one that was read at once; one that never was. */
static void test_late_string(void **state)
{
	static struct field fields[] = {
		{ .kind = FIELD_INT, .name = "name read at the return", .bytes = 4, .is_late = true, .fault_bit = 0 },
		{ .kind = FIELD_POINTER, .name = "name address", .bytes = 8, .is_address = true, .fault_bit = 1 },
		{ .kind = FIELD_STRING, .name = "name", .bytes = 1, .length = 8, .fault_bit = 2 },
	};
	static struct desc desc = { .name = "f", .fields = fields, .nr_fields = 3, .has_faults = true };
	static const struct {
		uint32_t faults, late;
		const char *bytes, *text, *json, *csv;
	} rows[] = {
		{ 0, 1, "ab", "name=\"ab\" (read at the return)\n", "\"value\":\"ab\",\"late\":true}", ",ab\\(read at the return)\n" },
		{ 0, 0, "ab", "name=\"ab\"\n", "\"value\":\"ab\"}", ",ab\n" },
		{ 4, 1, "?", "name=0x1000 (unreadable)\n", "\"value\":null,\"address\":\"0x1000\"}", ",0x1000(unreadable)\n" },
		{ 7, 0, "?", "name=?\n", "\"value\":null}", ",?\n" },
	};

	for (size_t i = 0; i < 3 * ARRAY_SIZE(rows); i++) {
		struct printer *printer = open_printer(i % 3 == 0 ? PRINT_TEXT : i % 3 == 1 ? PRINT_JSON : PRINT_CSV, false);

		add(&desc, 0);
		put(0, rows[i / 3].faults, 4);
		put(4, rows[i / 3].late, 4);
		put(8, 0x1000, 8);
		put_text(16, rows[i / 3].bytes, strlen(rows[i / 3].bytes));
		check_has(printer, i % 3 == 0 ? rows[i / 3].text : i % 3 == 1 ? rows[i / 3].json : rows[i / 3].csv);
	}
}

/* The record of a text that was read later has no difference, and no other counts from it. */
static void test_late_record(void **state)
{
	static struct field text_of = { .kind = FIELD_STRING, .name = "name", .bytes = 1, .length = 8, .fault_bit = -1 };
	static struct field fields[2] = { NUMBER("tid") };
	static struct desc late = { .name = "vfs_write", .fields = fields, .nr_fields = 2, .late_of = &vfs_write };

	fields[1] = text_of;
	for (int i = 0; i < 3; i++) {
		struct printer *printer = open_printer(i == 0 ? PRINT_TEXT : i == 1 ? PRINT_JSON : PRINT_CSV, false);

		add(&vfs_write, 0);
		put(0, 4127, 4);
		add(&late, 1000);
		put(0, 4127, 4);
		put_text(4, "ab", 2);
		add(&vfs_write, 3000);
		put(0, 4127, 4);
		if (i == 0)
			check_has(printer, "(              )  tid 4127  name=\"ab\"  (read at the return)\n", "(   0.000003000)  pid 4127\n");
		else if (i == 1)
			check_has(printer, "\"name\":\"vfs_write\",", "\"value\":\"ab\"}],\"flags\":[\"AT_RETURN\"]}", "\"delta_ns\":3000,");
		else
			check_has(printer, ",AT_RETURN,", ",3000,");
	}
}

/* Of the longest text that is shown whole, and of a longer one, the record has one character more. */
static void test_limit(void **state)
{
	static struct field limited = { .kind = FIELD_STRING, .name = "name", .bytes = 1, .length = 8, .limit = 5, .fault_bit = 0 };
	static struct desc has_limit = { .name = "f", .fields = &limited, .nr_fields = 1, .has_faults = true };
	static const struct {
		uint32_t faults;
		const char *bytes, *text, *json, *csv;
	} rows[] = {
		{ 0, "abcd\0\0\0", "  name=\"abcd\"\n", "\"value\":\"abcd\"}]", ",abcd\n" },
		{ 0, "abcde\0\0", "  name=\"abcde\"\n", "\"value\":\"abcde\"}]", ",abcde\n" },
		{ 0, "abcdef\0", "  name=\"abcde\"...\n", "\"value\":\"abcde\",\"cut\":true}]", ",abcde\\...\n" },
		{ 0, "abcdefgh", "  name=\"abcde\"...\n", "\"value\":\"abcde\",\"cut\":true}]", ",abcde\\...\n" },
		/* The next byte is unreadable: nobody knows whether the text ends there. */
		{ 1, "abcde\0\0", "  name=\"abcde\"...?\n", "\"value\":\"abcde\",\"cut\":true,\"unreadable\":true}]", ",abcde\\...?\n" },
		{ 1, "?\0\0\0\0\0\0", "  name=?\n", "\"value\":null}]", ",?\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *const shown[] = { rows[i].text, rows[i].json, rows[i].csv };
		const enum print_format formats[] = { PRINT_TEXT, PRINT_JSON, PRINT_CSV };

		for (size_t k = 0; k < ARRAY_SIZE(formats); k++) {
			struct printer *printer = open_printer(formats[k], false);

			add(&has_limit, 0);
			put(0, rows[i].faults, 4);
			put_text(4, rows[i].bytes, 8);
			check_has(printer, shown[k]);
		}
	}
}

/* One readable, one with only its address, one without anything. */
static void add_strings(void)
{
	add_string(0, TASK, "text");
	add_string(1U << 1, 8, "");
	add_string(1U << 0 | 1U << 1, 0, "");
}

static void test_unreadable_strings(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	add_strings();
	assert_false(desc_wants_symbols(&has_string));
	check(printer, DAY
	      "f                    14:03:11.482913207  (              )  name=\"text\"  pid 7\n"
	      "f                    14:03:11.482913207  (   0.000000000)  name=0x8 (unreadable)  pid 7\n"
	      "f                    14:03:11.482913207  (   0.000000000)  name=?  pid 7\n");
	printer = open_printer(PRINT_JSON, false);
	add_strings();
	check_has(printer, "[{\"name\":\"name\",\"value\":\"text\"},{\"name\":\"pid\"",
		  "[{\"name\":\"name\",\"value\":null,\"address\":\"0x8\"},{\"name\":\"pid\"",
		  "[{\"name\":\"name\",\"value\":null},{\"name\":\"pid\"");
	printer = open_printer(PRINT_CSV, false);
	add_strings();
	check_has(printer, ",,,,text,7\n", ",,,,0x8(unreadable),7\n", ",,,,?,7\n");
}

static void test_values(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	add_data();
	check(printer, DAY
	      "f                    14:03:11.482913207  (              )"
	      "  const 5  const -3  const 0xffff888102a3c000  psr=00000246 [PF ZF IF]"
	      "  stack+0x10=ffffffff8134d3e0 (vfs_write+0x10)  frame-0x8=?  al=f0"
	      "  rsi=0000000000001000  rip=ffffffffc0000004 (ext4:ext4_write+0x4)  word0=deadbeef"
	      "  UNFREEZE BASE ADJACENT LATEFREEZE 12 FREEZE\n");
}

static struct field shown[] = {
	{ .kind = FIELD_INT, .name = "flags", .bytes = 4, .show = SHOW_HEX, .fault_bit = -1 },
	{ .kind = FIELD_INT, .name = "error", .bytes = 4, .is_signed = true, .show = SHOW_ERROR, .fault_bit = 0 },
	{ .kind = FIELD_INT, .name = "lost", .bytes = 4, .show = SHOW_IP, .fault_bit = 1 },
	{ .kind = FIELD_POINTER, .name = "task", .bytes = 8, .show = SHOW_BINARY, .fault_bit = -1 },
	{ .kind = FIELD_INT, .name = "failed", .bytes = 4, .is_signed = true, .show = SHOW_RESULT, .fault_bit = -1 },
	{ .kind = FIELD_INT, .name = "went", .bytes = 4, .is_signed = true, .show = SHOW_RESULT, .fault_bit = -1 },
};
static struct desc shown_as = { .name = "f", .fields = shown, .nr_fields = 6, .has_faults = true };

static void add_shown(void)
{
	add(&shown_as, 0);
	put(0, 1 << 1, 4);
	put(4, 0xffffffff, 4);
	put(8, -28, 4);
	put(16, 5, 8);
	put(24, -2, 4);
	put(28, 2, 4);
}

static void test_shown(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	add_shown();
	check(printer, DAY "f                    14:03:11.482913207  (              )"
			   "  flags=0xffffffff  error=-ENOSPC  lost=?  task=0b101  failed=-ENOENT  went=2\n");
	printer = open_printer(PRINT_JSON, false);
	add_shown();
	check_has(printer, "{\"name\":\"flags\",\"value\":4294967295,\"shown\":\"0xffffffff\"}",
		  "{\"name\":\"error\",\"value\":-28,\"shown\":\"-ENOSPC\"}",
		  "{\"name\":\"lost\",\"value\":null}",
		  "{\"name\":\"failed\",\"value\":-2,\"shown\":\"-ENOENT\"},{\"name\":\"went\",\"value\":2}");
}

static struct field dumped[] = {
	{ .kind = FIELD_STRING, .name = "mac", .length = 8, .most = 6, .show = SHOW_MAC, .fault_bit = 0 },
	{ .kind = FIELD_STRING, .name = "raw", .length = 4, .most = 3, .show = SHOW_BYTES, .fault_bit = 1 },
	{ .kind = FIELD_STRING, .name = "lost", .length = 4, .most = 4, .show = SHOW_BYTES, .fault_bit = 2 },
	{ .kind = FIELD_STRING, .name = "id", .length = 4, .most = 4, .elements = 10, .show = SHOW_BYTES, .fault_bit = 3 },
};
static struct desc dumped_as = { .name = "f", .fields = dumped, .nr_fields = 4, .has_faults = true };

static void add_dumped(void)
{
	add(&dumped_as, 0);
	put(0, 1 << 2, 4);
	put(4, 0x010000f1005452ULL, 8);
	put(12, 'o' | 'k' << 8, 4);
	put(16, 0, 4);
	put(20, 0x746f6f72, 4);
}

static void test_bytes(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	add_dumped();
	check(printer, DAY "f                    14:03:11.482913207  (              )"
			   "  mac=52:54:00:f1:00:00  raw=6f 6b 00 |ok.|  lost=?  id=72 6f 6f 74 |root| ...\n");
	printer = open_printer(PRINT_JSON, false);
	add_dumped();
	check_has(printer, "\"shown\":\"52:54:00:f1:00:00\"}", "\"shown\":\"6f 6b 00 |ok.|\"}",
		  "{\"name\":\"id\",\"value\":\"root\",\"cut\":true,\"shown\":\"72 6f 6f 74 |root|\"}",
		  "{\"name\":\"lost\",\"value\":null}");
}

static void test_allregs(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	add_registers();
	check(printer, DAY
	      "f                    14:03:11.482913207  (              )  pid 1\n"
	      "    rax=0000000000000000  rdx=0000000000000001  rcx=0000000000000002\n"
	      "    rbx=0000000000000003  rsi=0000000000000004  rdi=ffff888102a3c000\n"
	      "    rbp=0000000000000006  rsp=0000000000000007   r8=0000000000000008\n"
	      "     r9=0000000000000009  r10=000000000000000a  r11=000000000000000b\n"
	      "    r12=000000000000000c  r13=000000000000000d  r14=000000000000000e\n"
	      "    r15=000000000000000f  rip=ffffffff8134d3d5\n"
	      "    rdi (init_task)  rip (vfs_write+0x5)\n");
}

static void test_elapsed(void **state)
{
	static struct field fields[] = {
		{ .kind = FIELD_ELAPSED, .name = "elapsed", .bytes = 8, .fault_bit = 0 },
	};
	static struct desc desc = { .name = "f+0x9", .fields = fields, .nr_fields = 1, .has_faults = true };
	struct printer *printer = open_printer(PRINT_TEXT, false);

	add(&desc, 0);
	put(4, 51250, 8);
	add(&desc, 10);
	put(0, 1, 4);
	check(printer, DAY "f+0x9                14:03:11.482913207  (              )  elapsed=51.2 us\n"
			   "f+0x9                14:03:11.482913217  (   0.000000010)  elapsed=?\n");
	printer = open_printer(PRINT_JSON, false);
	add(&desc, 0);
	put(4, 51250, 8);
	check_has(printer, "{\"name\":\"elapsed\",\"value\":51250,\"unit\":\"ns\"}");
}

/* The shortest text that is read back as the same number. */
static void test_floats(void **state)
{
	static const struct {
		double number;
		const char *single, *wide;
		bool is_text;		/* JSON has no such numbers */
	} rows[] = {
		{ 0.1, "0.1", "0.1", false }, { -2.5, "-2.5", "-2.5", false }, { 1.0 / 3, "0.33333334", "0.3333333333333333", false },
		{ 0.0, "0", "0", false }, { -0.0, "-0", "-0", false }, { 7, "7", "7", false },
		{ 1e6, "1000000", "1000000", false }, { 123456789, "123456792", "123456789", false },
		{ 1e9, "1e+09", "1000000000", false }, { 1e16, "1e+16", "10000000000000000", false }, { 1e17, "1e+17", "1e+17", false },
		{ 9007199254740993, "9.007199e+15", "9007199254740992", false },
		{ 0.00001, "1e-05", "1e-05", false }, { 5e-324, "0", "5e-324", false },
		{ 1.7976931348623157e308, "inf", "1.7976931348623157e+308", true }, { 1e300, "inf", "1e+300", true },
		{ INFINITY, "inf", "inf", true }, { -INFINITY, "-inf", "-inf", true }, { NAN, "nan", "nan", true }, { -NAN, "nan", "nan", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_FREE char *line = mem_printf("  single=%s  wide=%s\n", rows[i].single, rows[i].wide);
		AUTO_FREE char *json = mem_printf(rows[i].is_text ? "{\"name\":\"single\",\"value\":\"%s\"}" : "{\"name\":\"single\",\"value\":%s}",
						  rows[i].single);
		AUTO_FREE char *csv = mem_printf(",%s,%s\n", rows[i].single, rows[i].wide);
		const char *const expected[] = { [PRINT_TEXT] = line, [PRINT_JSON] = json, [PRINT_CSV] = csv };

		for (int format = PRINT_TEXT; format <= PRINT_CSV; format++) {
			struct printer *printer = open_printer(format, false);

			add_floats(rows[i].number);
			check_has(printer, expected[format]);
		}
	}
}

/* Descriptors are unsigned in the kernel; other unsigned arguments stay so.  An error as a pointer. */
static void test_signs(void **state)
{
	static struct field fields[] = {
		{ .kind = FIELD_INT, .name = "fd", .bytes = 4, .fault_bit = -1 },
		{ .kind = FIELD_INT, .name = "count", .bytes = 4, .fault_bit = -1 },
		{ .kind = FIELD_POINTER, .name = "retval", .bytes = 8, .show = SHOW_RESULT, .fault_bit = -1 },
		{ .kind = FIELD_POINTER, .name = "other", .bytes = 8, .show = SHOW_RESULT, .fault_bit = -1 },
	};
	static struct desc desc = { .name = "syscall:read", .fields = fields, .nr_fields = ARRAY_SIZE(fields) };
	static const char *const expected[] = {
		[PRINT_TEXT] = "  fd=-1  count=4294967295  retval=-ENOENT  other=ffff888102a3c000 (init_task)\n",
		[PRINT_JSON] = "{\"name\":\"fd\",\"value\":-1},{\"name\":\"count\",\"value\":4294967295},",
		[PRINT_CSV] = ",-1,4294967295,-ENOENT,0xffff888102a3c000(init_task)\n",
	};

	for (int format = PRINT_TEXT; format <= PRINT_CSV; format++) {
		struct printer *printer = open_printer(format, false);

		add(&desc, 0);
		put(0, 0xffffffff, 4);
		put(4, 0xffffffff, 4);
		put(8, -2, 8);
		put(16, TASK, 8);
		check_has(printer, expected[format]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_captures), cmocka_unit_test(test_string_breaks_off), cmocka_unit_test(test_late_string), cmocka_unit_test(test_late_record),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_absent_parts), cmocka_unit_test(test_captures_json), cmocka_unit_test(test_captures_csv),
		cmocka_unit_test(test_unreadable_strings), cmocka_unit_test(test_values),
		cmocka_unit_test(test_shown), cmocka_unit_test(test_bytes), cmocka_unit_test(test_allregs),
		cmocka_unit_test(test_elapsed), cmocka_unit_test(test_floats), cmocka_unit_test(test_signs),
	};

	return cmocka_run_group_tests_name("print_values", tests, setup, teardown);
}
