// SPDX-License-Identifier: GPL-2.0-or-later
/* test_desc.c - descriptors to the blob and back, and every way in which a blob can be wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/desc.h"
#include "ctl/base/device/payload.h"
#include "ctl/base/memory.h"

static struct field fields[] = {
	{ .kind = FIELD_NUMBER, .is_signed = true, .name = "pid", .bytes = 4, .fault_bit = -1 },
	{ .kind = FIELD_REG, .name = "eax", .bytes = 4, .fault_bit = -1 },
	{ .kind = FIELD_CONST, .name = "const", .value = UINT64_MAX, .fault_bit = -1 },
	{ .kind = FIELD_WORD, .name = "stack+0x10", .bytes = 8, .fault_bit = 2 },
	{ .kind = FIELD_PSR, .name = "psr", .bytes = 8, .fault_bit = -1 },
	{ .kind = FIELD_ALLREGS, .name = "allregs", .bytes = 8, .fault_bit = -1 },
	{ .kind = FIELD_INT, .name = "(s16)$rax", .bytes = 2, .is_signed = true, .fault_bit = -1 },
	{ .kind = FIELD_INT, .name = "*(u64*)$rdi", .bytes = 8, .fault_bit = 6, .depends = 1, .when = -2 },
	{ .kind = FIELD_POINTER, .name = "$rsi address", .bytes = 8, .is_address = true, .fault_bit = -1 },
	{ .kind = FIELD_STRING, .name = "$rsi", .bytes = 1, .length = 64, .fault_bit = 7, .depends = 9, .when_above = true, .when = 3 },
	{ .kind = FIELD_BACKTRACE, .name = "backtrace", .bytes = 8, .length = 5, .fault_bit = -1 },
	{ .kind = FIELD_POINTER, .name = "call", .bytes = 8, .is_code = true, .fault_bit = -1 },
	{ .kind = FIELD_POINTER, .name = "function", .bytes = 8, .is_code = true, .is_linked = true, .fault_bit = -1 },
	{ .kind = FIELD_POINTER, .name = "base", .bytes = 8, .is_base = true, .fault_bit = -1 },
};

static struct kt_insn prog[] = {
	{ .op = KT_OP_CUR }, { .op = KT_OP_CMP, .imm = 1 }, { .op = KT_OP_DROP },
	{ .op = KT_OP_FAULTS }, { .op = KT_OP_EMIT, .aux = 4 }, { .op = KT_OP_EMIT, .aux = 8 },
	{ .op = KT_OP_EMIT, .aux = 8 }, { .op = KT_OP_EMIT, .aux = 8 }, { .op = KT_OP_EMITREGS },
	{ .op = KT_OP_EMIT, .aux = 4 }, { .op = KT_OP_EMITCHAIN, .aux = KT_SIZE_U64, .src = 1 },
	{ .op = KT_OP_LINK }, { .op = KT_OP_EMIT, .aux = 8 }, { .op = KT_OP_EMITSTR, .imm = 64 },
	{ .op = KT_OP_EMITSTACK, .imm = 5 }, { .op = KT_OP_EMIT, .aux = 8 }, { .op = KT_OP_EMIT, .aux = 8 },
	{ .op = KT_OP_EMIT, .aux = 8 }, { .op = KT_OP_END },
};

static struct desc example = {
	.name = "vfs_write+0x50", .typed = "vfs_write+50", .options = "PID REG eax \"\\ \303\274",
	.fields = fields, .nr_fields = ARRAY_SIZE(fields), .has_faults = true,
	.every = 10, .limit = 5, .is_hidden = true,
	.control = KT_DESC_FREEZE | KT_DESC_LATEFREEZE, .late = 12, .timing = DESC_BASE,
	.prog = prog, .prog_len = ARRAY_SIZE(prog),
};

static void test_round_trip(void **state)
{
	struct error err;
	struct desc *desc;
	void *blob;
	size_t len;

	assert_true(desc_encode(&example, &blob, &len, &err));
	desc = desc_decode(blob, len, &err);
	assert_non_null(desc);
	assert_string_equal(desc->name, example.name);
	assert_string_equal(desc->typed, example.typed);
	assert_string_equal(desc->options, example.options);
	assert_int_equal(desc->nr_fields, ARRAY_SIZE(fields));
	assert_int_equal(desc->every, 10);
	assert_int_equal(desc->limit, 5);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		assert_int_equal(desc->fields[i].is_signed, fields[i].is_signed);
		assert_int_equal(desc->fields[i].is_address, fields[i].is_address);
		assert_int_equal(desc->fields[i].is_code, fields[i].is_code);
		assert_int_equal(desc->fields[i].is_linked, fields[i].is_linked);
		assert_int_equal(desc->fields[i].is_base, fields[i].is_base);
		assert_int_equal(desc->fields[i].length, fields[i].length);
		assert_int_equal(desc->fields[i].kind, fields[i].kind);
		assert_string_equal(desc->fields[i].name, fields[i].name);
		assert_int_equal(desc->fields[i].value, fields[i].value);
		assert_int_equal(desc->fields[i].fault_bit, fields[i].fault_bit);
		assert_int_equal(desc->fields[i].depends, fields[i].depends);
		assert_int_equal(desc->fields[i].when_above, fields[i].when_above);
		assert_int_equal(desc->fields[i].when, fields[i].when);
		if (fields[i].kind != FIELD_CONST)
			assert_int_equal(desc->fields[i].bytes, fields[i].bytes);
	}
	assert_true(desc->has_faults);
	assert_true(desc->is_hidden);
	assert_int_equal(desc->control, example.control);
	assert_int_equal(desc->late, 12);
	assert_int_equal(desc->timing, DESC_BASE);
	assert_int_equal(desc->prog_len, ARRAY_SIZE(prog));
	assert_memory_equal(desc->prog, prog, sizeof(prog));
	assert_int_equal(desc_payload(desc), 4 + 4 + 8 + 8 + 8 + 17 * 8 + 4 + 8 + 8 + 64 + 40 + 3 * 8);
	desc_free(desc);
	free(blob);
}

static void test_nothing_recorded(void **state)
{
	struct kt_insn end = { .op = KT_OP_END };
	struct desc empty = { .name = "f", .typed = "f", .options = "", .prog = &end, .prog_len = 1 };
	struct error err;
	struct desc *desc;
	void *blob;
	size_t len;

	assert_true(desc_encode(&empty, &blob, &len, &err));
	desc = desc_decode(blob, len, &err);
	assert_non_null(desc);
	assert_int_equal(desc_payload(desc), 0);
	desc_free(desc);
	free(blob);
}

static void test_too_long(void **state)
{
	char *options = malloc(KT_MAX_META + 1);
	struct desc desc = example;
	struct error err;
	void *blob;
	size_t len;

	memset(options, 'x', KT_MAX_META);
	options[KT_MAX_META] = '\0';
	desc.options = options;
	assert_false(desc_encode(&desc, &blob, &len, &err));
	assert_int_equal(err.status, STATUS_USAGE);
	free(options);
}

/* Both ways give the same bytes. */
static void expect_like(const struct desc *desc, const struct desc *like)
{
	struct error err;
	void *whole, *copied;
	size_t whole_len, copied_len;

	assert_true(desc_encode(desc, &whole, &whole_len, &err));
	assert_true(desc_encode_like(desc, like, &copied, &copied_len, &err));
	assert_int_equal(copied_len, whole_len);
	assert_memory_equal(copied, whole, whole_len);
	free(whole);
	free(copied);
}

static void test_like(void **state)
{
	static char *names[] = { "f", "a_much_longer_name_than_the_other_one", "", "\"", "\303\274", "\377", "\"name\":\"f" };
	struct field changed[ARRAY_SIZE(fields)];
	struct desc like = example, desc = example;
	struct error err;

	memcpy(changed, fields, sizeof(changed));
	changed[0].bytes++;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		like.name = names[i];
		assert_true(desc_encode(&like, &like.blob, &like.blob_len, &err));
		((struct kt_desc_req *)like.blob)->flags |= KT_DESC_OTHERS;	/* as plans_flag() does */
		for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
			desc = example;
			desc.name = names[k];
			expect_like(&desc, &like);
			expect_like(&desc, NULL);
			desc.typed = "vfs_*";
			expect_like(&desc, &like);
			desc = example;
			desc.fields = changed;
			expect_like(&desc, &like);
			desc = example;
			desc.nr_fields--;
			expect_like(&desc, &like);
			desc = example;
			desc.prog_len--;
			expect_like(&desc, &like);
			desc = example;
			desc.line = "f.c:1";
			expect_like(&desc, &like);
			desc = example;
			desc.every++;
			expect_like(&desc, &like);
		}
		free(like.blob);
	}
}

static void test_like_too_long(void **state)
{
	char *options = malloc(KT_MAX_META);
	struct desc like = example, desc;
	struct error err;
	void *blob;
	size_t len = KT_MAX_META;

	do {
		memset(options, 'x', --len);
		options[len] = '\0';
		like.options = options;
	} while (!desc_encode(&like, &like.blob, &like.blob_len, &err));
	desc = like;
	desc.name = "vfs_write+0x50_";
	assert_false(desc_encode_like(&desc, &like, &blob, &len, &err));
	assert_int_equal(err.status, STATUS_USAGE);
	free(like.blob);
	free(options);
}

/* A blob with these meta data and a program that emits `emits` words. */
static void *make_blob(const char *meta, size_t meta_len, unsigned int emits, size_t *len)
{
	struct kt_desc_req *req;
	struct kt_insn *insns;

	*len = sizeof(*req) + (emits + 1) * sizeof(*insns) + meta_len;
	req = calloc(1, *len);
	insns = (struct kt_insn *)(req + 1);
	req->size = sizeof(*req);
	req->prog_len = emits + 1;
	req->meta_len = meta_len;
	for (unsigned int i = 0; i < emits; i++)
		insns[i] = (struct kt_insn){ .op = KT_OP_EMIT, .aux = 4 };
	insns[emits].op = KT_OP_END;
	memcpy(insns + emits + 1, meta, meta_len);
	return req;
}

#define HEAD	"\"v\":1,\"name\":\"f\",\"typed\":\"f\",\"options\":\"\""

static void check_meta(const char *meta, size_t meta_len, bool good)
{
	struct error err = { .text = "" };
	size_t len;
	void *blob = make_blob(meta, meta_len, 1, &len);
	struct desc *desc = desc_decode(blob, len, &err);

	if (good != !!desc)
		fail_msg("%s: %s", meta, err.text);
	assert_true(good || *err.text);
	desc_free(desc);
	free(blob);
}

static void test_meta(void **state)
{
	static const struct {
		bool good;
		const char *meta;
	} rows[] = {
		{ true, "{" HEAD ",\"fields\":[{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":4}]}" },
		/* A later version may add members that can be ignored. */
		{ true, "{" HEAD ",\"new\":[1],"
			"\"fields\":[{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":4,\"new\":1}]}" },
		{ false, "" },
		{ false, "{" },
		{ false, "null" },
		{ false, "[]" },
		{ false, "{}" },
		{ false, "{\"v\":\"1\"}" },
		{ false, "{\"v\":2}" },
		{ false, "{\"v\":0}" },
		{ false, "{\"v\":-1}" },
		{ false, "{" HEAD "}" },
		{ false, "{" HEAD ",\"fields\":{}}" },
		{ false, "{" HEAD ",\"fields\":[1]}" },
		{ false, "{" HEAD ",\"fields\":[null]}" },
		{ false, "{" HEAD ",\"fields\":[{}]}" },
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":4}]} x" },
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"what\",\"name\":\"pid\",\"bytes\":4}]}" },
		{ false, "{" HEAD ",\"fields\":[{\"kind\":1,\"name\":\"pid\",\"bytes\":4}]}" },
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"pid\",\"bytes\":4}]}" },
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"pid\",\"name\":\"pid\"}]}" },
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":0}]}" },
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":3}]}" },
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":99}]}" },
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":4,\"fault\":0}]}" },
		{ false, "{" HEAD ",\"faults\":true,"
			 "\"fields\":[{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":4,\"fault\":32}]}" },
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"pid\",\"name\":\"\\u001b[2J\",\"bytes\":4}]}" },
		{ false, "{" HEAD ","
			 "\"fields\":[{\"kind\":\"pid\",\"name\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\",\"bytes\":4}]}" },
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"const\",\"name\":\"const\",\"value\":5}]}" },
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"const\",\"name\":\"const\",\"value\":\"0x\"}]}" },
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"const\",\"name\":\"const\",\"value\":\"0x-1\"}]}" },
		/* The base before another field, and one that is no pointer. */
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"pointer\",\"name\":\"base\",\"bytes\":8,\"base\":true},"
			 "{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":4}]}" },
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":4,\"base\":true}]}" },
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":4,\"code\":true}]}" },
		/* There is no field before it; no condition. */
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":4,\"depends\":1,\"is\":0}]}" },
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"const\",\"name\":\"c\",\"value\":\"0x1\"},"
			 "{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":4,\"depends\":1}]}" },
		{ true, "{" HEAD ",\"fields\":[{\"kind\":\"const\",\"name\":\"c\",\"value\":\"0x1\"},"
			"{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":4,\"depends\":1,\"above\":0}]}" },
		/* The address of something that is not a string. */
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":4,\"address\":true}]}" },
		/* Correct, but not what the program emits. */
		{ false, "{" HEAD ",\"fields\":[]}" },
		{ false, "{" HEAD ",\"faults\":true,\"fields\":[{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":4}]}" },
		{ false, "{" HEAD ",\"fields\":[{\"kind\":\"reg\",\"name\":\"rax\",\"bytes\":8}]}" },
		{ false, "{\"v\":1,\"name\":5,\"typed\":\"f\",\"options\":\"\","
			 "\"fields\":[{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":4}]}" },
		{ false, "{\"v\":1,\"typed\":\"f\",\"options\":\"\","
			 "\"fields\":[{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":4}]}" },
		{ false, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]" },
		{ false, "{\"v\":1,\"name\":\"\xff\xfe\"}" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_meta(rows[i].meta, strlen(rows[i].meta), rows[i].good);
	check_meta("{\"v\":1}\0{}", 10, false);
	check_meta("\0\0\0\0", 4, false);
}

/* As versions 1 and 2 wrote them. */
static void test_former_kinds(void **state)
{
	static const struct {
		const char *kind;
		bool is_signed;
	} rows[] = { { "pid", true }, { "tgid", true }, { "cpu", true }, { "uid", false } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		AUTO_FREE char *meta = mem_printf("{" HEAD ",\"fields\":[{\"kind\":\"%s\",\"name\":\"%s\",\"bytes\":4}]}",
						  rows[i].kind, rows[i].kind);
		struct error err;
		size_t len;
		void *blob = make_blob(meta, strlen(meta), 1, &len);
		struct desc *desc = desc_decode(blob, len, &err);

		assert_non_null(desc);
		assert_int_equal(desc->fields[0].kind, FIELD_NUMBER);
		assert_string_equal(desc->fields[0].name, rows[i].kind);
		assert_int_equal(desc->fields[0].is_signed, rows[i].is_signed);
		desc_free(desc);
		free(blob);
	}
}

static void test_too_many_fields(void **state)
{
	char *meta = NULL;
	size_t len;
	FILE *out = open_memstream(&meta, &len);

	fprintf(out, "{" HEAD ",\"fields\":[{\"kind\":\"pid\",\"name\":\"pid\",\"bytes\":4}");
	for (int i = 0; i < 200; i++)
		fprintf(out, ",{\"kind\":\"const\",\"name\":\"c\",\"value\":\"0x1\"}");
	fprintf(out, "]}");
	fclose(out);
	check_meta(meta, len, false);
	free(meta);
}

/* What has been decoded later is what would have been decoded at once. */
static void check_later(const void *blob, size_t len)
{
	struct desc *whole = desc_decode(blob, len, NULL), *bare = desc_bare(blob, len, 7, NULL);
	const bool is_sound = whole;

	if (!whole)
		whole = desc_decode_raw(blob, len, 7, NULL);
	assert_int_equal(!bare, !whole);
	if (!bare)
		return;
	assert_int_equal(bare->is_state, whole->is_state);
	assert_int_equal(bare->is_user, whole->is_user);
	assert_int_equal(bare->is_hidden, whole->is_hidden);
	assert_int_equal(bare->addr, 7);
	assert_memory_equal(bare->blob, blob, len);
	desc_complete_names(bare);
	assert_non_null(bare->typed);
	if (is_sound) {
		assert_string_equal(bare->name, whole->name);
		assert_string_equal(bare->typed, whole->typed);
		assert_int_equal(!bare->line, !whole->line);
		assert_string_equal(bare->line ? bare->line : "", whole->line ? whole->line : "");
	}
	desc_complete(bare);
	assert_string_equal(bare->name, whole->name);
	assert_string_equal(bare->options, whole->options);
	assert_int_equal(bare->nr_fields, whole->nr_fields);
	assert_int_equal(bare->prog_len, whole->prog_len);
	assert_int_equal(desc_payload(bare), desc_payload(whole));
	desc_free(bare);
	desc_free(whole);
}

/* alone: the names are read without the rest. */
static void check_names(const struct desc *desc, bool alone)
{
	struct desc *bare;
	struct error err;
	size_t len;
	void *blob;

	assert_true(desc_encode(desc, &blob, &len, &err));
	check_later(blob, len);
	bare = desc_bare(blob, len, 9, &err);
	assert_true(desc_mentions(bare, "fields"));
	assert_false(desc_mentions(bare, "fielde"));
	desc_complete_names(bare);
	assert_int_equal(!bare->fields, alone);
	assert_string_equal(bare->name, desc->name);
	desc_free(bare);
	free(blob);
}

static void test_later(void **state)
{
	struct field_name colour = { 3, (char *)"blue" };
	struct field kinds[] = { { .kind = FIELD_INT, .name = "c", .bytes = 4, .fault_bit = -1, .names = &colour, .nr_names = 1 } };
	struct kt_insn emit[] = { { .op = KT_OP_EMIT, .aux = 4 }, { .op = KT_OP_END } };
	const struct desc plain = {
		.name = "f", .typed = "f", .options = "VAR c", .line = "f.c:3", .fields = kinds, .nr_fields = 1,
		.prog = emit, .prog_len = 2, .every = 3,
	};
	struct desc made = plain, *later;
	struct error err;
	size_t len;
	void *blob;

	check_names(&made, true);
	made.options = (char *)"IF current->comm == \"\xc3\xa4\\\"";
	check_names(&made, true);
	made.line = NULL;
	check_names(&made, true);
	made.name = (char *)"a\"b";
	check_names(&made, false);
	made.name = (char *)"\xc3\xa4";
	check_names(&made, false);
	made = plain;
	assert_true(desc_encode(&made, &made.blob, &made.blob_len, &err));
	check_later(made.blob, made.blob_len);
	later = desc_bare(made.blob, made.blob_len, 9, &err);
	assert_null(later->name);
	desc_complete_from(later, &made);
	assert_int_equal(later->addr, 9);
	assert_string_equal(later->line, "f.c:3");
	assert_string_equal(later->fields[0].names[0].name, "blue");
	assert_true(desc_encode(later, &blob, &len, &err));
	assert_int_equal(len, made.blob_len);
	assert_memory_equal(blob, made.blob, len);
	free(blob);
	free(made.blob);
	desc_free(later);
	/* Its meta data say more than how a record looks. */
	assert_true(desc_encode(&example, &blob, &len, &err));
	later = desc_bare(blob, len, 9, &err);
	assert_true(later->is_hidden);
	assert_non_null(later->name);
	desc_free(later);
	free(blob);
}

/* Cut at any byte, or with any byte of its head changed: refused or correct, never a crash. */
static void mangle(const struct desc *desc)
{
	struct error err;
	void *blob, *copy;
	size_t len;

	assert_true(desc_encode(desc, &blob, &len, &err));
	for (size_t n = 0; n < len; n++) {
		copy = malloc(n ? n : 1);
		memcpy(copy, blob, n);
		assert_null(desc_decode(copy, n, &err));
		assert_null(desc_decode_raw(copy, n, 0, &err));
		assert_null(desc_bare(copy, n, 0, &err));
		free(copy);
	}
	for (size_t i = 0; i < len * 8; i++) {
		uint8_t *mangled = malloc(len);

		memcpy(mangled, blob, len);
		mangled[i / 8] ^= 1 << i % 8;
		desc_free(desc_decode(mangled, len, &err));
		desc_free(desc_decode_raw(mangled, len, 0, &err));
		check_later(mangled, len);
		free(mangled);
	}
	free(blob);
}

static void test_mangled(void **state)
{
	struct desc shown = example;

	mangle(&example);
	shown.is_hidden = false;
	mangle(&shown);
}

static void test_raw(void **state)
{
	struct error err;
	size_t len;
	void *blob = make_blob("from the future", 15, 3, &len);
	struct desc *desc;

	assert_null(desc_decode(blob, len, &err));
	assert_non_null(strstr(err.text, "another version"));
	desc = desc_decode_raw(blob, len, 0xffffffff81000000, &err);
	assert_non_null(desc);
	assert_string_equal(desc->name, "0xffffffff81000000");
	assert_int_equal(desc->nr_fields, 3);
	assert_int_equal(desc_payload(desc), 12);
	desc_free(desc);
	/* An instruction of a future version: it is unknown how much it emits. */
	((struct kt_insn *)((struct kt_desc_req *)blob + 1))->op = KT_NR_OPS;
	assert_null(desc_decode_raw(blob, len, 0, &err));
	free(blob);
}

static void test_program_payload(void **state)
{
	/* A jump over the DROP to an END; code behind an unconditional jump is not reached. */
	struct kt_insn jumps[] = {
		{ .op = KT_OP_EMIT, .aux = 4 }, { .op = KT_OP_CMP, .aux = KT_CMP_EQ, .imm = 1 },
		{ .op = KT_OP_DROP }, { .op = KT_OP_CMP, .aux = KT_CMP_ALWAYS, .imm = 1 },
		{ .op = KT_OP_EMIT, .aux = 8 }, { .op = KT_OP_EMITCUR }, { .op = KT_OP_EMITREG },
		{ .op = KT_OP_END },
	};
	struct kt_insn wild[] = { { .op = KT_OP_CMP, .imm = 1 }, { .op = KT_OP_END } };
	struct kt_insn back[] = { { .op = KT_OP_CMP, .imm = -1 }, { .op = KT_OP_END } };
	struct kt_insn odd[] = { { .op = KT_OP_EMIT, .aux = 5 }, { .op = KT_OP_END } };
	struct kt_insn open[] = { { .op = KT_OP_PSR } };
	struct kt_insn future[] = { { .op = KT_OP_CUR, .imm = KT_NR_CURS }, { .op = KT_OP_EMIT, .aux = 4 }, { .op = KT_OP_END } };
	struct kt_insn huge[KT_MAX_PROG];

	assert_int_equal(program_payload(jumps, 8), 16);
	assert_int_equal(program_payload(wild, 2), -1);
	assert_int_equal(program_payload(back, 2), -1);
	assert_int_equal(program_payload(odd, 2), -1);
	/* A property of the task that only a newer module knows. */
	assert_int_equal(program_payload(future, 3), 4);
	assert_int_equal(program_payload(open, 1), -1);
	assert_int_equal(program_payload(open, 0), -1);
	assert_int_equal(program_payload(open, KT_MAX_PROG + 1), -1);
	for (int i = 0; i < KT_MAX_PROG; i++)
		huge[i] = (struct kt_insn){ .op = KT_OP_EMIT, .aux = 8 };
	huge[KT_MAX_PROG - 1].op = KT_OP_END;
	assert_int_equal(program_payload(huge, KT_MAX_PROG), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_nothing_recorded),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_like),
		cmocka_unit_test(test_like_too_long),
		cmocka_unit_test(test_meta),
		cmocka_unit_test(test_former_kinds),
		cmocka_unit_test(test_too_many_fields),
		cmocka_unit_test(test_later),
		cmocka_unit_test(test_mangled),
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_program_payload),
	};

	return cmocka_run_group_tests_name("desc", tests, NULL, NULL);
}
