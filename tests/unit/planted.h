/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planted.h - an object and a function with variables, of which the test has debug information: the image is this
 * program.  The compiler computes an expression on the object, and a capture computes it on a copy in a machine.
 */
#ifndef PLANTED_H
#define PLANTED_H

#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#define MACHINE_BYTES	1536
#include "capture_contract.h"
#include "ctl/base/memory.h"
#include "ctl/ask/lang/compile.h"
#include "ctl/ask/expr/expr.h"
#include "ctl/ask/resolve/vars.h"
#include "own_index.h"

typedef __s8 s8;
typedef __s16 s16;
typedef unsigned short umode_t;
typedef unsigned int gfp_t, fmode_t;

/* ----------------------------------------------------------------- planted */

enum mood { SAD = -1, CALM, KEEN = 3, WILD = 100 };
enum { NAMELESS = 77 };

struct point {
	short x, y;
};

typedef struct {
	struct point from, to;
} line_t;

struct planted {
	unsigned int a : 1, b : 5, c : 26;
	int d : 7, e : 25;
	unsigned long f : 33, g : 31;
	long h : 3, i : 50, j : 11;
	unsigned char k : 3, l : 5;
	_Bool m : 1, n : 1;
	enum mood kind : 9;
	long long p : 64;
	_Bool yes, no;
	enum mood mood, moods[3];
	union {
		u64 whole;
		struct {
			u32 low, high;
		};
		u8 bytes[8];
	};
	struct {
		int inside;
		union {
			short half[2];
			struct point point;
		};
	};
	union {
		double unused;
		line_t line;
	} named;
	int grid[3][4];
	short cube[2][3][2];
	char words[2][8];
	struct point points[3];
	line_t lines[2][2];
	u8 byte;
	s8 small;
	u16 word;
	s16 little;
	u32 dword;
	s32 integer;
	u64 qword;
	s64 large;
	char letter, text[12], full[4];
	unsigned char name[8];
	u8 pairs[2][6];
	u8 odd[5], long_one[100];
	s8 signed_ones[2];
	umode_t mode;
	gfp_t gfp;
	unsigned int some_flags;
	fmode_t file_mode;
	dev_t device;
	const char *string;
	struct planted *next, **where;
	int (*row)[4];
	void *nothing;
	struct hidden *hidden;
	float single, singles[3];
	double wide;
	struct {
		double x;
		float y;
	} mixed;
	float _Complex complex;
	int flexible[];
};

static struct planted object, other;
static struct planted *where[2] = { &other, &object };

/* The addresses in the machine. */
#define OBJECT	MACHINE_MEMORY
#define OTHER	(OBJECT + sizeof(object))
#define WHERE	(OTHER + sizeof(other))
#define STRING	(WHERE + sizeof(where))

struct spread {
	long first;
	struct point points[2];
};

/* With a sanitizer, variables would be in other places. */
#define PLAIN __attribute__((noipa, no_sanitize("address", "undefined")))

PLAIN long takes(struct planted *planted, struct planted **all, unsigned int index, line_t line, struct spread spread)
{
	return planted->grid[1][index] + all[1]->byte + line.to.x + spread.first;
}

/* The bytes are random, except those of bools, which must be true or false in C. */
static void set_object(struct planted *planted, unsigned int seed)
{
	srand(seed);
	for (size_t i = 0; i < sizeof(*planted); i++)
		((u8 *)planted)[i] = rand();
	planted->m = seed & 1;
	planted->n = seed & 2;
	memcpy(&planted->yes, "\1\0", 2);
	planted->mood = planted->moods[1] = KEEN;
	planted->moods[0] = SAD;
	planted->kind = seed % 2 ? SAD : WILD;
	strcpy(planted->text, "some text");
	strcpy((char *)planted->name, "a name");
	memcpy(planted->full, "full", 4);
	memcpy(planted->words, "first\0\0\0next\0\0\0", 16);
	planted->string = "a string";
	planted->next = planted == &object ? &other : &object;
	planted->where = where;
	planted->row = object.grid;
	planted->nothing = NULL;
}

static struct machine m;

static void move_object(const struct planted *planted, u64 to)
{
	struct planted copy = *planted;

	copy.string = (const char *)STRING;
	copy.next = (struct planted *)(planted == &object ? OTHER : OBJECT);
	copy.where = (struct planted **)WHERE;
	copy.row = (int(*)[4])(OBJECT + offsetof(struct planted, grid));
	memcpy(m.memory + (to - MACHINE_MEMORY), &copy, sizeof(copy));
}

static void set_machine(unsigned int seed)
{
	const u64 addresses[2] = { OTHER, OBJECT };

	set_object(&object, seed);
	set_object(&other, seed + 1);
	machine_reset(&m);
	move_object(&object, OBJECT);
	move_object(&other, OTHER);
	memcpy(m.memory + (WHERE - MACHINE_MEMORY), addresses, sizeof(addresses));
	strcpy((char *)m.memory + (STRING - MACHINE_MEMORY), "a string");
	m.regs.general[5] = OBJECT;
	m.regs.general[4] = WHERE;
	m.regs.general[1] = 2;
	/* Two composites in registers. */
	m.regs.general[2] = 0x4321000380007fff;
	m.regs.general[8] = -5ULL;
	m.regs.general[9] = 0xfffe000200010004;
}

/* --------------------------------------------------------------- expressions */

static char index_path[] = "/tmp/ktrace-vars-XXXXXX";
static struct target target;
static struct probe_point point;
static struct vars vars;

static int setup(void **state)
{
	static struct debug_options options = { .file = index_path };
	struct debug_error err = { .text = "" };
	const uint32_t *func;
	struct dbindex *ix;

	if (!own_index(__BASE_FILE__, index_path))
		return -1;
	ix = dbindex_open(index_path, &err);
	if (!ix || dbindex_funcs(ix, "takes", &func) != 1)
		return -1;
	point = (struct probe_point){ .addr = dbindex_header(ix)->base + dbindex_func(ix, *func)->low, .name = "takes" };
	dbindex_close(ix);
	set_machine(1);
	if (takes(&object, where, 2, (line_t){ .to.x = 4 }, (struct spread){ .first = -4 }) != object.grid[1][2] + object.byte)
		return -1;
	target = (struct target){ .arch = &arch_native, .debug = debug_open(&options) };
	vars_init(&vars, &target, &point);
	return target.debug ? 0 : -1;
}

static int teardown(void **state)
{
	vars_free(&vars);
	debug_close(target.debug);
	return unlink(index_path);
}

static struct expr *resolved(const char *text, struct error *err)
{
	const struct expr_names names = { .arch = &arch_native, .vars = &vars, .takes_slice = true };
	size_t used;
	struct expr *e = expr_parse("VAR", text, &used, err);

	if (e && text[used])
		fail_msg("%s: ends at column %zu", text, used);
	if (e && expr_resolve(e, "VAR", text, &names, err))
		return e;
	expr_free(e);
	return NULL;
}

/* Run it in the machine; the caller frees the result. */
static struct desc *captured(const char *text)
{
	struct desc *desc = mem_zalloc(1, sizeof(*desc));
	struct compiler c = { .arch = &arch_native, .vars = &vars, .desc = desc };
	struct error err = { .text = "" };
	AUTO_EXPR struct expr *e = resolved(text, &err);
	static struct machine again;

	if (!e || !compile_value(&c, text, e, &err) || !compile_finish(&c, &err))
		fail_msg("%s: %s", text, err.text);
	if (machine_run(&m, desc->prog, desc->prog_len) != MACHINE_RECORDED)
		fail_msg("%s: not recorded", text);
	again = m;
	if (machine_evaluate(&again, desc->prog, desc->prog_len) != MACHINE_RECORDED ||
	    memcmp(again.out, m.out, m.payload))
		fail_msg("%s: not as the second interpreter has it", text);
	return desc;
}

/* As the printer shows it: a number with the bytes and sign of the field. */
static u64 number_at(const struct field *field, const u32 *at)
{
	const unsigned int unused = 64 - 8 * field->bytes;
	u64 value = at[0];

	if (field->bytes == 8)
		return value | (u64)at[1] << 32;
	return field->is_signed ? (u64)((s64)(value << unused) >> unused) : value << unused >> unused;
}

static void check_number(const char *text, u64 expected)
{
	struct desc *desc = captured(text);
	u64 got = number_at(&desc->fields[0], m.out + desc->has_faults);

	if (desc->nr_fields != 1 || (desc->has_faults && m.out[0]) || got != expected)
		fail_msg("%s: 0x%llx%s, not 0x%llx", text, got, desc->has_faults && m.out[0] ? " (unreadable)" : "",
			 expected);
	desc_free(desc);
}

#endif
