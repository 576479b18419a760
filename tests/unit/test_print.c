// SPDX-License-Identifier: GPL-2.0-or-later
/* test_print.c - golden output of all formats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/device/desc.h"
#include "ctl/records/clockmap.h"
#include "ctl/records/match.h"
#include "ctl/records/print_int.h"
#include "ctl/records/reader_int.h"

#define EPOCH	1763647391482913207LL	/* 2025-11-20T14:03:11.482913207Z; one tick is one ns */
#define DAY_SECONDS	86400
#define DAY	"--- 2025-11-20 ---\n"
#define TASK	0xffff888102a3c000ULL

static struct symtab *tab;
static struct clockmap *map;

/* A snapshot with the records that are added to it. */
static struct record records[16];
static const struct record *order[16];
static uint8_t payloads[16][256];
static struct snapshot snap = { .order = order };

static struct record *add(const struct desc *desc, uint64_t ticks)
{
	size_t i = snap.nr++;

	records[i] = (struct record){
		.type = desc ? RECORD_HIT : RECORD_LOST, .ticks = ticks, .desc = desc,
		.payload = payloads[i], .payload_len = desc ? desc_payload(desc) : 0, .count = i,
	};
	memset(payloads[i], 0, sizeof(payloads[i]));
	order[i] = &records[i];
	return &records[i];
}

/* Append to the payload of the last record. */
static void put(size_t at, uint64_t value, size_t bytes)
{
	memcpy(payloads[snap.nr - 1] + at, &value, bytes);
}

static void add_lost(uint64_t ticks, uint32_t cpu, uint64_t lost, bool discarded)
{
	struct record *record = add(NULL, ticks);

	record->cpu = cpu;
	record->lost = lost;
	record->discarded = discarded;
}

static char *text;
static size_t text_len;
static FILE *out;

static struct printer *open_printer(enum print_format format, bool colour)
{
	struct printer *printer;

	out = open_memstream(&text, &text_len);
	printer = printer_create(out, format, colour);
	printer_symbols(printer, tab);
	printer_clock(printer, map);
	snap.nr = 0;
	return printer;
}

static void check(struct printer *printer, const char *expected)
{
	printer_snapshot(printer, &snap);
	fclose(out);
	printer_free(printer);
	assert_string_equal(text, expected);
	free(text);
}

static struct field pid = { .kind = FIELD_NUMBER, .is_signed = true, .name = "pid", .bytes = 4, .fault_bit = -1 };
static struct field rdi = { .kind = FIELD_REG, .name = "rdi", .bytes = 8, .fault_bit = -1 };

static struct desc vfs_write = {
	.addr = 0xffffffff8134d3d0, .name = "vfs_write", .fields = &pid, .nr_fields = 1,
};
static struct desc plain = { .addr = 0xffffffff81000000, .name = "f" };
static struct desc frozen = {
	.addr = 0xffffffff8134d420, .name = "vfs_write+0x50", .fields = &rdi, .nr_fields = 1,
	.control = KT_DESC_FREEZE,
};

static void add_example(void)
{
	add(&vfs_write, 0);
	put(0, 4127, 4);
	add(&vfs_write, 38677);
	put(0, 4127, 4);
	add(&frozen, 38894);
	put(0, TASK, 8);
}

static struct field captures[] = {
	{ .kind = FIELD_NUMBER, .is_signed = true, .name = "tgid", .bytes = 4, .fault_bit = -1 },
	{ .kind = FIELD_NUMBER, .name = "uid", .bytes = 4, .fault_bit = -1 },
	{ .kind = FIELD_STRING, .name = "comm", .bytes = 1, .length = 8, .fault_bit = -1 },
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
	.nr_fields = sizeof(captures) / sizeof(*captures), .has_faults = true,
};

static void put_text(size_t at, const char *what, size_t len)
{
	memcpy(payloads[snap.nr - 1] + at, what, len);
}

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

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct printer *printer = open_printer(rows[i].format, false);

		add_capture(1U << 9, "abc");
		add_capture(1U << 9, "");
		printer_snapshot(printer, &snap);
		fclose(out);
		printer_free(printer);
		assert_non_null(strstr(text, rows[i].part));
		assert_non_null(strstr(text, rows[i].none));
		free(text);
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

#define CSV "type,time,time_ns,delta_ns,cpu,number,name,addr,flags,lost,reason,"

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
	{ .kind = FIELD_NUMBER, .is_signed = true, .name = "pid", .bytes = 4, .fault_bit = -1 },
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
	printer_snapshot(printer, &snap);
	fclose(out);
	printer_free(printer);
	assert_non_null(strstr(text, "[{\"name\":\"name\",\"value\":\"text\"},{\"name\":\"pid\""));
	assert_non_null(strstr(text, "[{\"name\":\"name\",\"value\":null,\"address\":\"0x8\"},{\"name\":\"pid\""));
	assert_non_null(strstr(text, "[{\"name\":\"name\",\"value\":null},{\"name\":\"pid\""));
	free(text);
	printer = open_printer(PRINT_CSV, false);
	add_strings();
	printer_snapshot(printer, &snap);
	fclose(out);
	printer_free(printer);
	assert_non_null(strstr(text, ",,,,text,7\n"));
	assert_non_null(strstr(text, ",,,,0x8(unreadable),7\n"));
	assert_non_null(strstr(text, ",,,,?,7\n"));
	free(text);
}

/* The own records of a measurement are not printed, and losses are still reported. */
static void test_hidden(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);
	struct desc hidden = plain;

	hidden.is_hidden = true;
	hidden.name = "a_name_much_longer_than_the_column";
	add(&plain, 0);
	add(&hidden, 5);
	add_lost(0, 6, 3, false);
	add(&hidden, 7);
	add(&plain, 10);
	check(printer, DAY
	      "f                    14:03:11.482913207  (              )\n"
	      "ktrace: warning: 3 traces lost\n"
	      "f                    14:03:11.482913217  (   0.000000010)\n");
	assert_false(desc_wants_symbols(&plain));
}

/* As in the specification. */
static void test_text(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	add_example();
	check(printer, DAY
	      "vfs_write            14:03:11.482913207  (              )  pid 4127\n"
	      "vfs_write            14:03:11.482951884  (   0.000038677)  pid 4127\n"
	      "vfs_write+0x50       14:03:11.482952101  (   0.000000217)  rdi=ffff888102a3c000 (init_task)  FREEZE\n");
}

static void test_colour(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, true);

	add_lost(0, 0, 3, false);
	add(&plain, 0);
	check(printer,
	      "\033[33mktrace: warning: 3 traces lost\033[0m\n" DAY
	      "\033[1mf\033[0m                    \033[2m14:03:11.482913207\033[0m  (              )\n");
}

static void test_no_records(void **state)
{
	check(open_printer(PRINT_TEXT, false), "");
	check(open_printer(PRINT_JSON, false), "");
	check(open_printer(PRINT_CSV, false),
	      "type,time,time_ns,delta_ns,cpu,number,name,addr,flags,lost,reason\n");
}

/* The differences in a column of text, with one word in a record. */
static void check_deltas(const uint32_t *timings, const uint64_t *ticks, size_t nr,
			 const char *expected)
{
	struct printer *printer = open_printer(PRINT_JSON, false);
	struct desc descs[16];
	char got[256] = "";

	for (size_t i = 0; i < nr; i++) {
		descs[i] = plain;
		descs[i].timing = timings[i];
		add(&descs[i], ticks[i]);
	}
	printer_snapshot(printer, &snap);
	fclose(out);
	printer_free(printer);
	for (char *at = text; (at = strstr(at, "\"delta_ns\":")); at++)
		sscanf(at + 11, "%31[^,]", got + strlen(strcat(got, " ")));
	assert_string_equal(got, expected);
	free(text);
}

static void test_base_and_adjacent(void **state)
{
	const uint64_t ticks[] = { 10, 20, 40, 70, 110, 160, 220 };
	const uint32_t B = DESC_BASE, A = DESC_ADJACENT;

	check_deltas((uint32_t[]){ 0, 0, 0, 0 }, ticks, 4, " null 10 20 30");
	/* A BASE record shows its difference by the previous rule; later ones count from it. */
	check_deltas((uint32_t[]){ 0, B, 0, 0, 0 }, ticks, 5, " null 10 20 50 90");
	check_deltas((uint32_t[]){ B, 0, 0 }, ticks, 3, " null 10 30");
	/* A new BASE applies to the records behind it. */
	check_deltas((uint32_t[]){ B, 0, B, 0, 0 }, ticks, 5, " null 10 30 30 70");
	/* ADJACENT applies to its own record, too. */
	check_deltas((uint32_t[]){ B, 0, 0, A, 0 }, ticks, 5, " null 10 30 30 40");
	check_deltas((uint32_t[]){ B, 0, A, 0, B, 0, 0 }, ticks, 7, " null 10 20 30 40 50 110");
	check_deltas((uint32_t[]){ A, 0, 0 }, ticks, 3, " null 10 20");
	check_deltas((uint32_t[]){ B, 0, A | B, 0, 0 }, ticks, 5, " null 10 20 30 70");
}

/* Two rounds of follow: differences, width and date continue. */
static void test_rounds(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);
	struct desc wide = { .name = "a_function_with_a_long_name+0x10" };

	add(&wide, 0);
	printer_snapshot(printer, &snap);
	snap.nr = 0;
	add(&plain, 1500000000);
	check(printer, DAY
	      "a_function_with_a_long_name+0x10  14:03:11.482913207  (              )\n"
	      "f                                 14:03:12.982913207  (   1.500000000)\n");
}

static void test_date_changes(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);
	const uint64_t ten_hours = 36000000000000;

	add(&plain, 0);
	add(&plain, ten_hours);
	add(&plain, ten_hours + 1);
	check(printer, DAY
	      "f                    14:03:11.482913207  (              )\n"
	      "--- 2025-11-21 ---\n"
	      "f                    00:03:11.482913207  (36000.000000000)\n"
	      "f                    00:03:11.482913208  (   0.000000001)\n");
}

static void test_today_has_no_date(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);
	const time_t now = time(NULL);

	add(&plain, (uint64_t)now * NS_PER_S - EPOCH);
	printer_snapshot(printer, &snap);
	fclose(out);
	printer_free(printer);
	/* Unless it is midnight just now. */
	if (now / DAY_SECONDS == time(NULL) / DAY_SECONDS)
		assert_null(strstr(text, "---"));
	free(text);
}

static void test_time_zone(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	setenv("TZ", "XST-11:30", 1);
	tzset();
	add(&plain, 0);
	check(printer, "--- 2025-11-21 ---\nf                    01:33:11.482913207  (              )\n");
	setenv("TZ", "UTC", 1);
	tzset();
}

/* One line at the position of the loss, whichever CPUs lost records. */
static void test_lost(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	add_lost(0, 0, 100, false);
	add_lost(0, 1, 20, true);
	add(&plain, 0);
	add(&plain, 5);
	add_lost(9, 0, 7, true);
	check(printer,
	      "ktrace: warning: 120 traces lost\n" DAY
	      "f                    14:03:11.482913207  (              )\n"
	      "f                    14:03:11.482913212  (   0.000000005)\n"
	      "ktrace: warning: 7 traces lost\n");
}

static struct field many[] = {
	{ .kind = FIELD_CONST, .name = "const", .value = 5, .fault_bit = -1 },
	{ .kind = FIELD_CONST, .name = "const", .value = -3ULL, .fault_bit = -1 },
	{ .kind = FIELD_CONST, .name = "const", .value = TASK, .fault_bit = -1 },
	{ .kind = FIELD_PSR, .name = "psr", .bytes = 8, .fault_bit = -1 },
	{ .kind = FIELD_WORD, .name = "stack+0x10", .bytes = 8, .fault_bit = 1 },
	{ .kind = FIELD_WORD, .name = "frame-0x8", .bytes = 8, .fault_bit = 2 },
	{ .kind = FIELD_REG, .name = "al", .bytes = 1, .fault_bit = -1 },
	{ .kind = FIELD_REG, .name = "rsi", .bytes = 8, .fault_bit = -1 },
	{ .kind = FIELD_REG, .name = "rip", .bytes = 8, .fault_bit = -1 },
	{ .kind = FIELD_RAW, .name = "word0", .bytes = 4, .fault_bit = -1 },
};
static struct desc data = {
	.addr = 0xffffffff81000000, .name = "f", .fields = many, .nr_fields = 10, .has_faults = true,
	.control = KT_DESC_UNFREEZE | KT_DESC_LATEFREEZE | KT_DESC_FREEZE, .late = 12,
	.timing = DESC_BASE | DESC_ADJACENT,
};

static void add_data(void)
{
	add(&data, 0);
	put(0, 1 << 2, 4);		/* the frame word was unreadable */
	put(4, 0x246, 8);
	put(12, 0xffffffff8134d3e0, 8);
	put(28, 0x1f0, 8);
	put(36, 4096, 8);
	put(44, 0xffffffffc0000004, 8);
	put(52, 0xdeadbeef, 4);
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

static void test_shown(void **state)
{
	for (size_t i = 0; i < 2; i++) {
		struct printer *printer = open_printer(i ? PRINT_JSON : PRINT_TEXT, false);

		add(&shown_as, 0);
		put(0, 1 << 1, 4);
		put(4, 0xffffffff, 4);
		put(8, -28, 4);
		put(16, 5, 8);
		put(24, -2, 4);
		put(28, 2, 4);
		if (!i) {
			check(printer, DAY "f                    14:03:11.482913207  (              )"
			      "  flags=0xffffffff  error=-ENOSPC  lost=?  task=0b101  failed=-ENOENT  went=2\n");
			continue;
		}
		printer_snapshot(printer, &snap);
		fclose(out);
		printer_free(printer);
		assert_non_null(strstr(text, "{\"name\":\"flags\",\"value\":4294967295,\"shown\":\"0xffffffff\"}"));
		assert_non_null(strstr(text, "{\"name\":\"error\",\"value\":-28,\"shown\":\"-ENOSPC\"}"));
		assert_non_null(strstr(text, "{\"name\":\"lost\",\"value\":null}"));
		assert_non_null(strstr(text, "{\"name\":\"failed\",\"value\":-2,\"shown\":\"-ENOENT\"},{\"name\":\"went\",\"value\":2}"));
		free(text);
	}
}

static struct field dumped[] = {
	{ .kind = FIELD_STRING, .name = "mac", .length = 8, .most = 6, .show = SHOW_MAC, .fault_bit = 0 },
	{ .kind = FIELD_STRING, .name = "raw", .length = 4, .most = 3, .show = SHOW_BYTES, .fault_bit = 1 },
	{ .kind = FIELD_STRING, .name = "lost", .length = 4, .most = 4, .show = SHOW_BYTES, .fault_bit = 2 },
	{ .kind = FIELD_STRING, .name = "id", .length = 4, .most = 4, .elements = 10, .show = SHOW_BYTES, .fault_bit = 3 },
};
static struct desc dumped_as = { .name = "f", .fields = dumped, .nr_fields = 4, .has_faults = true };

static void test_bytes(void **state)
{
	for (size_t i = 0; i < 2; i++) {
		struct printer *printer = open_printer(i ? PRINT_JSON : PRINT_TEXT, false);

		add(&dumped_as, 0);
		put(0, 1 << 2, 4);
		put(4, 0x010000f1005452ULL, 8);
		put(12, 'o' | 'k' << 8, 4);
		put(16, 0, 4);
		put(20, 0x746f6f72, 4);
		if (!i) {
			check(printer, DAY "f                    14:03:11.482913207  (              )"
			      "  mac=52:54:00:f1:00:00  raw=6f 6b 00 |ok.|  lost=?  id=72 6f 6f 74 |root| ...\n");
			continue;
		}
		printer_snapshot(printer, &snap);
		fclose(out);
		printer_free(printer);
		assert_non_null(strstr(text, "\"shown\":\"52:54:00:f1:00:00\"}"));
		assert_non_null(strstr(text, "\"shown\":\"6f 6b 00 |ok.|\"}"));
		assert_non_null(strstr(text, "{\"name\":\"id\",\"value\":\"root\",\"cut\":true,\"shown\":\"72 6f 6f 74 |root|\"}"));
		assert_non_null(strstr(text, "{\"name\":\"lost\",\"value\":null}"));
		free(text);
	}
}

static struct field allregs[] = {
	{ .kind = FIELD_ALLREGS, .name = "allregs", .bytes = 8, .fault_bit = -1 },
	{ .kind = FIELD_NUMBER, .is_signed = true, .name = "pid", .bytes = 4, .fault_bit = -1 },
};
static struct desc all = { .name = "f", .fields = allregs, .nr_fields = 2 };

static void add_registers(void)
{
	add(&all, 0);
	for (size_t i = 0; i < 17; i++)
		put(i * 8, i, 8);
	put(5 * 8, TASK, 8);
	put(16 * 8, 0xffffffff8134d3d5, 8);
	put(17 * 8, 1, 4);
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

/* Numbers keep their column, and no line ends in blanks. */
static void test_numbers_line_up(void **state)
{
	struct field fields[] = {
		{ .kind = FIELD_NUMBER, .is_signed = true, .name = "pid", .bytes = 4, .fault_bit = -1 },
		{ .kind = FIELD_NUMBER, .is_signed = true, .name = "cpu", .bytes = 4, .fault_bit = -1 },
	};
	struct desc desc = { .name = "f", .fields = fields, .nr_fields = 2 };
	static const uint32_t pids[] = { 1, 1234567, 3 }, cpus[] = { 2, 10, 3 };
	struct printer *printer = open_printer(PRINT_TEXT, false);

	for (size_t i = 0; i < 3; i++) {
		add(&desc, 0);
		put(0, pids[i], 4);
		put(4, cpus[i], 4);
	}
	check(printer, DAY
	      "f                    14:03:11.482913207  (              )  pid 1      cpu 2\n"
	      "f                    14:03:11.482913207  (   0.000000000)  pid 1234567  cpu 10\n"
	      "f                    14:03:11.482913207  (   0.000000000)  pid 3        cpu 3\n");
}

static void test_symbols_are_wanted(void **state)
{
	snap.nr = 0;
	add_lost(0, 0, 3, false);
	add(&vfs_write, 0);
	assert_false(snapshot_wants_symbols(&snap));
	add(&frozen, 0);
	assert_true(snapshot_wants_symbols(&snap));
}

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

	add(&vfs_write, 0);
	put(0, 7, 4);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		add(&odd, 0);
		put(0, 5, 4);
		put_text(4, texts[i], strlen(texts[i]));
	}
	for (size_t i = 0; i < snap.nr; i++)
		printer_record(printer, snapshot_at(&snap, i));
	printer_end(printer);
	fclose(out);
	printer_free(printer);
	assert_ptr_equal(strstr(text, CSV "pid\n"), text);
	assert_non_null(strstr(text, ",,,,7\n" CSV "pid,\"f(a, \"\"b\"\")\",s\nrecord,"));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		snprintf(line, sizeof(line), ",,,,,5,%s\n", cells[i]);
		assert_non_null(strstr(text, line));
	}
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
	printer_snapshot(printer, &snap);
	fclose(out);
	printer_free(printer);
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
	printer_snapshot(printer, &snap);
	fclose(out);
	printer_free(printer);
	assert_non_null(strstr(text, "{\"name\":\"elapsed\",\"value\":51250,\"unit\":\"ns\"}"));
	free(text);
}

/* tgid, uid and comm. */
static struct desc several = { .addr = 0xffffffff81000000, .name = "several", .fields = captures, .nr_fields = 3 };

static void add_for_match(void)
{
	add_example();
	records[1].cpu = 3;
	add(&several, 50000);
	put(0, 4, 4);
	put(4, 1000, 4);
	put_text(8, "dd", 2);
}

/* How many of the records match?  Closes the printer. */
static size_t count_matches(struct printer *printer, const char *condition)
{
	struct error err;
	struct match *match = match_parse(condition, &err);
	size_t n;

	if (!match)
		fail_msg("%s", err.text);
	printer_match(printer, match);
	n = printer_count(printer, &snap);
	match_free(match);
	printer_free(printer);
	fclose(out);
	free(text);
	return n;
}

static size_t matches(const char *condition)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	add_for_match();
	return count_matches(printer, condition);
}

static void test_match(void **state)
{
	static const struct {
		const char *condition;
		size_t n;
	} rows[] = {
		{ "pid == 4127", 2 }, { "pid==4127", 2 }, { "pid != 4127", 0 }, { "pid > 4126 && pid < 0x1020", 2 }, { "pid", 2 },
		{ "pid & 1", 2 }, { "pid & 0x20", 0 }, { "!(pid == 4127)", 2 }, { "!pid", 2 }, { "pid == -1", 0 },
		{ "name == vfs_write", 2 }, { "name =~ vfs_*", 3 }, { "name !~ vfs_*", 1 }, { "name != \"vfs_write\"", 2 },
		{ "cpu == 3", 1 }, { "cpu == 3 || rdi", 2 }, { "rdi == init_task", 1 }, { "rdi =~ init*", 1 },
		{ "rdi == 0xffff888102a3c000", 1 }, { "rdi > 0", 1 }, { "comm == dd", 1 }, { "comm =~ \"d?\"", 1 }, { "comm != dd", 0 },
		{ "(comm == dd || pid) && (uid == 1000 || cpu == 3)", 2 }, { "tgid <= 4 && uid >= 1us", 1 }, { "uid == 1000.0", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (matches(rows[i].condition) != rows[i].n)
			fail_msg("%s: %zu", rows[i].condition, matches(rows[i].condition));
}

static void test_match_wrong(void **state)
{
	static const char *const wrong[] = {
		"", " ", "pid ==", "pid == 3 4", "== 3", "pid == 3 &&", "(pid == 3", "pid == 3)", "comm > dd", "comm == \"dd", "pid & x", "!",
	};
	struct error err = { 0 };
	char deep[200];

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (match_parse(wrong[i], &err))
			fail_msg("'%s' is taken", wrong[i]);
		assert_int_equal(err.status, STATUS_USAGE);
	}
	memset(deep, '!', sizeof(deep));
	deep[sizeof(deep) - 1] = '\0';
	assert_null(match_parse(deep, &err));
}

/* ------------------------------------------------------- floating-point numbers */

static struct field floats[] = {
	{ .kind = FIELD_FLOAT, .name = "single", .bytes = 4, .fault_bit = -1 },
	{ .kind = FIELD_FLOAT, .name = "wide", .bytes = 8, .fault_bit = -1 },
};
static struct desc planted_floats = { .addr = 0xffffffff81000000, .name = "f", .fields = floats, .nr_fields = 2 };

static void add_floats(double number)
{
	const float narrow = (float)number;

	add(&planted_floats, 0);
	put_text(0, (const char *)&narrow, 4);
	put_text(4, (const char *)&number, 8);
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

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		AUTO_FREE char *line = mem_printf("  single=%s  wide=%s\n", rows[i].single, rows[i].wide);
		AUTO_FREE char *json = mem_printf(rows[i].is_text ? "{\"name\":\"single\",\"value\":\"%s\"}" : "{\"name\":\"single\",\"value\":%s}",
						  rows[i].single);
		AUTO_FREE char *csv = mem_printf(",%s,%s\n", rows[i].single, rows[i].wide);
		const char *const expected[] = { [PRINT_TEXT] = line, [PRINT_JSON] = json, [PRINT_CSV] = csv };
		static const enum print_format formats[] = { PRINT_TEXT, PRINT_JSON, PRINT_CSV };

		for (size_t f = 0; f < 3; f++) {
			struct printer *printer = open_printer(formats[f], false);

			add_floats(rows[i].number);
			printer_snapshot(printer, &snap);
			fclose(out);
			printer_free(printer);
			if (!strstr(text, expected[formats[f]]))
				fail_msg("%s\nis not in\n%s", expected[formats[f]], text);
			free(text);
		}
	}
}

static size_t floats_match(const char *condition, double number)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	add_floats(number);
	return count_matches(printer, condition);
}

static void test_match_floats(void **state)
{
	static const struct {
		const char *condition;
		double number;
		size_t n;
	} rows[] = {
		{ "wide == 0.1", 0.1, 1 }, { "single == 0.1", 0.1, 1 }, { "single < 0.1", 0.1, 0 }, { "wide > -3 && wide < -2", -2.5, 1 },
		{ "wide == 1e300", 1e300, 1 }, { "wide", -0.0, 0 }, { "wide", 0.5, 1 }, { "wide == nan", NAN, 1 }, { "single == inf", 1e300, 1 },
		{ "wide == -inf", -INFINITY, 1 }, { "wide < 0", NAN, 0 }, { "wide != 0.1", 0.1, 0 }, { "wide & 1", 1.5, 0 },
		{ "single != nan", 1, 1 }, { "wide =~ \"1e*\"", 1e300, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (floats_match(rows[i].condition, rows[i].number) != rows[i].n)
			fail_msg("%s of %g", rows[i].condition, rows[i].number);
}

/* A name that no record has. */
static void test_match_unknown(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);
	struct error err;
	struct match *match = match_parse("pid == 1 || (file->f_pos == 3 && *(u32*)($rdi + 4))", &err);

	assert_null(match_unknown(match));
	add_for_match();
	printer_match(printer, match);
	assert_int_equal(printer_count(printer, &snap), 0);
	assert_string_equal(match_unknown(match), "file->f_pos");
	match_free(match);
	match = match_parse("*(u32*)($rdi + 4) == 3", &err);
	printer_match(printer, match);
	printer_count(printer, &snap);
	assert_string_equal(match_unknown(match), "*(u32*)($rdi + 4)");
	match_free(match);
	printer_free(printer);
	fclose(out);
	free(text);
}

/* Differences are as if all records were printed. */
static void test_range(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	printer_range(printer, 1, 1);
	add_example();
	assert_int_equal(printer_count(printer, &snap), 3);
	check(printer, DAY "vfs_write            14:03:11.482951884  (   0.000038677)  pid 4127\n");
}

/* Named as it was asked for, where that is a place of the source. */
static void test_source_names(void **state)
{
	static const char *const typed[] = { "fs/read_write.c:589", "inline:fdget_pos", "vfs_write+0x50" };
	static const char *const names[] = { "fs/read_write.c:589", "inline:fdget_pos in vfs_write", "vfs_write+0x50" };
	char json[128];

	for (size_t i = 0; i < ARRAY_SIZE(typed); i++) {
		struct desc desc = frozen;
		struct printer *printer = open_printer(PRINT_TEXT, false);

		desc.typed = (char *)typed[i];
		add(&desc, 0);
		put(0, 1, 8);
		printer_snapshot(printer, &snap);
		fclose(out);
		printer_free(printer);
		assert_non_null(strstr(text, names[i]));
		assert_int_equal(!strstr(text, "vfs_write+0x50"), i < 2);
		free(text);
		printer = open_printer(PRINT_JSON, false);
		add(&desc, 0);
		put(0, 1, 8);
		printer_snapshot(printer, &snap);
		fclose(out);
		printer_free(printer);
		snprintf(json, sizeof(json), "\"name\":\"%s\",%s\"addr\"", names[i], i < 2 ? "\"place\":\"vfs_write+0x50\"," : "");
		assert_non_null(strstr(text, json));
		free(text);
	}
}

/* On a terminal: columns where all records have the same values. */
static void test_columns(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	printer_terminal(printer, 24, 100);
	add(&vfs_write, 0);
	put(0, 7, 4);
	add(&vfs_write, 38677);
	put(0, 4127, 4);
	check(printer, DAY
	      "name                 time                difference        pid\n"
	      "vfs_write            14:03:11.482913207  (              )     7\n"
	      "vfs_write            14:03:11.482951884  (   0.000038677)  4127\n");
	printer = open_printer(PRINT_TEXT, false);
	printer_terminal(printer, 24, 100);
	add(&several, 0);
	put(0, 4, 4);
	put(4, 1000, 4);
	put_text(8, "dd", 2);
	check(printer, DAY
	      "name                 time                difference        tgid  uid   comm\n"
	      "several              14:03:11.482913207  (              )     4  1000  \"dd\"\n");
}

/* Tracepoints with other values: side by side where they fit, else each has a heading of its own. */
static void test_headings(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	printer_terminal(printer, 24, 101);
	add_example();
	check(printer, DAY
	      "name                 time                difference        pid   rdi\n"
	      "vfs_write            14:03:11.482913207  (              )  4127\n"
	      "vfs_write            14:03:11.482951884  (   0.000038677)  4127\n"
	      "vfs_write+0x50       14:03:11.482952101  (   0.000000217)        ffff888102a3c000 (init_task)  FREEZE\n");
	printer = open_printer(PRINT_TEXT, false);
	printer_terminal(printer, 24, 100);
	add_example();
	check(printer, DAY
	      "vfs_write            time                difference        pid\n"
	      "vfs_write+0x50       time                difference        rdi\n"
	      "vfs_write            14:03:11.482913207  (              )  4127\n"
	      "vfs_write            14:03:11.482951884  (   0.000038677)  4127\n"
	      "vfs_write+0x50       14:03:11.482952101  (   0.000000217)  ffff888102a3c000 (init_task)  FREEZE\n");
}

/* The heading comes again on each screen. */
static void test_heading_again(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);
	size_t headings = 0;

	printer_terminal(printer, 5, 80);
	for (int i = 0; i < 14; i++) {
		add(&vfs_write, i);
		put(0, i, 4);
	}
	printer_snapshot(printer, &snap);
	fclose(out);
	printer_free(printer);
	for (const char *at = text; (at = strstr(at, "\nname ")); at++)
		headings++;
	assert_int_equal(headings, 4);
	free(text);
}

/* Too many tracepoints with other values: every value has its name. */
static void test_no_columns(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);
	struct desc descs[5];
	struct field fields[5];
	char names[5][4];

	printer_terminal(printer, 24, 80);
	for (size_t i = 0; i < ARRAY_SIZE(descs); i++) {
		descs[i] = vfs_write;
		fields[i] = vfs_write.fields[0];
		snprintf(names[i], sizeof(names[i]), "f%zu", i);
		snprintf(fields[i].name, sizeof(fields[i].name), "value%zu", i);
		descs[i].name = names[i];
		descs[i].fields = &fields[i];
		add(&descs[i], 0);
		put(0, 4127, 4);
	}
	printer_snapshot(printer, &snap);
	fclose(out);
	printer_free(printer);
	assert_null(strstr(text, "difference"));
	assert_non_null(strstr(text, "value4 4127\n"));
	free(text);
}

static const char *line_of(void *arg, uint64_t addr, char *buf, size_t size)
{
	++*(int *)arg;
	snprintf(buf, size, "read_write.c:594");
	return buf;
}

/* Behind the name of an instruction inside a function stands its source line, where there is room. */
static void test_lines(void **state)
{
	int asked = 0;

	for (size_t columns = 99; columns <= 100; columns++) {
		struct printer *printer = open_printer(PRINT_TEXT, false);

		printer_lines(printer, line_of, &asked);
		printer_terminal(printer, 24, columns);
		add_example();
		check(printer, columns < 100 ? DAY
		      "vfs_write            time                difference        pid\n"
		      "vfs_write+0x50       time                difference        rdi\n"
		      "vfs_write            14:03:11.482913207  (              )  4127\n"
		      "vfs_write            14:03:11.482951884  (   0.000038677)  4127\n"
		      "vfs_write+0x50       14:03:11.482952101  (   0.000000217)  ffff888102a3c000 (init_task)  FREEZE\n" : DAY
		      "vfs_write                         time                difference        pid\n"
		      "vfs_write+0x50                    time                difference        rdi\n"
		      "vfs_write                         14:03:11.482913207  (              )  4127\n"
		      "vfs_write                         14:03:11.482951884  (   0.000038677)  4127\n"
		      "vfs_write+0x50  read_write.c:594  14:03:11.482952101  (   0.000000217)  ffff888102a3c000 (init_task>\n");
	}
	assert_int_equal(asked, 2);
}

/* On a narrow terminal it stands behind the values, where it fits; descriptors and JSON have it, too. */
static void test_lines_behind(void **state)
{
	struct desc desc = vfs_write;

	desc.name = "vfs_write+0x50";
	desc.line = "sess.c:60";
	for (size_t columns = 73; columns <= 74; columns++) {
		struct printer *printer = open_printer(PRINT_TEXT, false);

		printer_terminal(printer, 24, columns);
		add(&desc, 0);
		put(0, 4127, 4);
		add(&desc, 38677);
		put(0, 7, 4);
		check(printer, columns < 74 ? DAY
		      "name                 time                difference        pid\n"
		      "vfs_write+0x50       14:03:11.482913207  (              )  4127\n"
		      "vfs_write+0x50       14:03:11.482951884  (   0.000038677)     7\n" : DAY
		      "name                 time                difference        pid\n"
		      "vfs_write+0x50       14:03:11.482913207  (              )  4127  sess.c:60\n"
		      "vfs_write+0x50       14:03:11.482951884  (   0.000038677)     7  sess.c:60\n");
	}
	for (int format = PRINT_TEXT; format <= PRINT_CSV; format++) {
		struct printer *printer = open_printer(format, false);

		add(&desc, 0);
		put(0, 4127, 4);
		printer_snapshot(printer, &snap);
		fclose(out);
		printer_free(printer);
		assert_int_equal(!strstr(text, format == PRINT_JSON ? "\"line\":\"sess.c:60\"" : "vfs_write+0x50  sess.c:60  "), format == PRINT_CSV);
		free(text);
	}
}

static void test_cut(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	printer_terminal(printer, 24, 40);
	add(&plain, 0);
	check(printer, DAY "f                    14:03:11.482913207>\n");
}

static int setup(void **state)
{
	static const char symbols[] =
		"ffff888102a3c000 D init_task\nffff888102a3d000 B _end\n"
		"ffffffff81000000 T _text\nffffffff8134d3d0 T vfs_write\nffffffff8134d800 T vfs_read\n"
		"ffffffffc0000000 t ext4_write\t[ext4]\n";
	const struct kt_anchor anchor = { 0, EPOCH };
	const struct kt_clock clock = { .nr = 1, .ns_num = 1, .ns_den = 1 };
	char path[] = "/tmp/ktrace-print-XXXXXX";
	int fd = mkstemp(path);

	setenv("TZ", "UTC", 1);
	tzset();
	map = clockmap_create(&clock, &anchor);
	assert_int_equal(write(fd, symbols, strlen(symbols)), strlen(symbols));
	close(fd);
	assert_int_equal(symtab_load(path, &tab), SYMTAB_OK);
	unlink(path);
	return 0;
}

static int teardown(void **state)
{
	symtab_free(tab);
	clockmap_free(map);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_captures), cmocka_unit_test(test_string_breaks_off),
		cmocka_unit_test(test_captures_json),
		cmocka_unit_test(test_captures_csv), cmocka_unit_test(test_text),
		cmocka_unit_test(test_unreadable_strings), cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_colour),
		cmocka_unit_test(test_no_records),
		cmocka_unit_test(test_base_and_adjacent),
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_date_changes),
		cmocka_unit_test(test_today_has_no_date),
		cmocka_unit_test(test_time_zone),
		cmocka_unit_test(test_elapsed),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_values), cmocka_unit_test(test_shown), cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_allregs),
		cmocka_unit_test(test_numbers_line_up),
		cmocka_unit_test(test_symbols_are_wanted),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_values),
		cmocka_unit_test(test_source_names), cmocka_unit_test(test_csv), cmocka_unit_test(test_csv_more_columns),
		cmocka_unit_test(test_csv_columns),
		cmocka_unit_test(test_floats), cmocka_unit_test(test_match_floats),
		cmocka_unit_test(test_match), cmocka_unit_test(test_match_wrong), cmocka_unit_test(test_match_unknown),
		cmocka_unit_test(test_range), cmocka_unit_test(test_columns), cmocka_unit_test(test_headings),
		cmocka_unit_test(test_heading_again),
		cmocka_unit_test(test_no_columns),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_lines_behind),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests_name("print", tests, setup, teardown);
}
