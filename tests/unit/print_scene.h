/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print_scene.h - records of some tracepoints, and a printer that writes them into memory. */
#ifndef PRINT_SCENE_H
#define PRINT_SCENE_H

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/base/device/desc.h"
#include "ctl/base/device/clockmap.h"
#include "ctl/trace/print/print_int.h"
#include "ctl/trace/reader/reader_int.h"

#define EPOCH	1763647391482913207LL	/* 2025-11-20T14:03:11.482913207Z; one tick is one ns */
#define DAY_SECONDS	86400
#define DAY	"--- 2025-11-20 ---\n"
#define TASK	0xffff888102a3c000ULL
#define CSV "type,time,time_ns,delta_ns,cpu,number,name,addr,flags,lost,reason,"

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

static void put_text(size_t at, const char *what, size_t len)
{
	memcpy(payloads[snap.nr - 1] + at, what, len);
}

static __attribute__((unused)) void add_lost(uint64_t ticks, uint32_t cpu, uint64_t lost, bool discarded)
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

/* Close the printer: what it has written is in `text`. */
static void close_printer(struct printer *printer)
{
	fclose(out);
	printer_free(printer);
}

/* The same, after it has printed the snapshot. */
static void print(struct printer *printer)
{
	printer_snapshot(printer, &snap);
	close_printer(printer);
}

static __attribute__((unused)) void check(struct printer *printer, const char *expected)
{
	print(printer);
	assert_string_equal(text, expected);
	free(text);
}

static __attribute__((unused)) void check_parts(struct printer *printer, const char *const *parts)
{
	print(printer);
	for (; *parts; parts++)
		assert_contains(text, *parts);
	free(text);
}

/* The output has all these parts. */
#define check_has(printer, ...)	check_parts(printer, (const char *const[]){ __VA_ARGS__, NULL })

#define NUMBER(text)	{ .kind = FIELD_NUMBER, .is_signed = true, .name = text, .bytes = 4, .fault_bit = -1 }

static struct field pid = NUMBER("pid");
static struct field rdi = { .kind = FIELD_REG, .name = "rdi", .bytes = 8, .fault_bit = -1 };

static struct desc vfs_write = {
	.addr = 0xffffffff8134d3d0, .name = "vfs_write", .fields = &pid, .nr_fields = 1,
};
static __attribute__((unused)) struct desc plain = { .addr = 0xffffffff81000000, .name = "f" };
static struct desc frozen = {
	.addr = 0xffffffff8134d420, .name = "vfs_write+0x50", .fields = &rdi, .nr_fields = 1,
	.control = KT_DESC_FREEZE,
};

static void add_pid(const struct desc *desc, uint64_t ticks, uint32_t number)
{
	add(desc, ticks);
	put(0, number, 4);
}

static __attribute__((unused)) void add_example(void)
{
	add_pid(&vfs_write, 0, 4127);
	add_pid(&vfs_write, 38677, 4127);
	add(&frozen, 38894);
	put(0, TASK, 8);
}

/* What a record says of its process. */
#define OF_PROCESS \
	NUMBER("tgid"), { .kind = FIELD_NUMBER, .name = "uid", .bytes = 4, .fault_bit = -1 }, \
	{ .kind = FIELD_STRING, .name = "comm", .bytes = 1, .length = 8, .fault_bit = -1 }

static struct field ids[] = { OF_PROCESS };
static struct desc several = {
	.addr = 0xffffffff81000000, .name = "several", .fields = ids, .nr_fields = ARRAY_SIZE(ids),
};

static __attribute__((unused)) void add_several(uint64_t ticks)
{
	add(&several, ticks);
	put(0, 4, 4);
	put(4, 1000, 4);
	put_text(8, "dd", 2);
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

static __attribute__((unused)) void add_data(void)
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

static struct field allregs[] = {
	{ .kind = FIELD_ALLREGS, .name = "allregs", .bytes = 8, .fault_bit = -1 },
	NUMBER("pid"),
};
static struct desc all = { .name = "f", .fields = allregs, .nr_fields = 2 };

static __attribute__((unused)) void add_registers(void)
{
	add(&all, 0);
	for (size_t i = 0; i < 17; i++)
		put(i * 8, i, 8);
	put(5 * 8, TASK, 8);
	put(16 * 8, 0xffffffff8134d3d5, 8);
	put(17 * 8, 1, 4);
}

static struct field floats[] = {
	{ .kind = FIELD_FLOAT, .name = "single", .bytes = 4, .fault_bit = -1 },
	{ .kind = FIELD_FLOAT, .name = "wide", .bytes = 8, .fault_bit = -1 },
};
static struct desc planted_floats = { .addr = 0xffffffff81000000, .name = "f", .fields = floats, .nr_fields = 2 };

static __attribute__((unused)) void add_floats(double number)
{
	const float narrow = (float)number;

	add(&planted_floats, 0);
	put_text(0, (const char *)&narrow, 4);
	put_text(4, (const char *)&number, 8);
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
	assert_int_equal(symtab_load(path, NULL, NULL, &tab), SYMTAB_OK);
	unlink(path);
	return 0;
}

static int teardown(void **state)
{
	symtab_free(tab);
	clockmap_free(map);
	return 0;
}

#endif
