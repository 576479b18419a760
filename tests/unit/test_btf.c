// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_btf.c - BTF instead of debug information: a kernel with a few functions and a module of it, correct and
 * damaged.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arch.h"
#include "symbols/image/btf.h"
#include "symbols/index/location.h"
#include "symbols/index/type.h"
#include "symbols/query/debug.h"

/* ------------------------------------------------------------------ kernel */

/* Types by number, in the order of the tables below. */
enum {
	VOID, INT, LONG, CHAR, BOOL, NODE, NODE_PTR, INNER, NAME, NAMES, CALL, CALL_PTR, WIDE, CONST_CHAR, USER,
	TEXT, UNSEEN, NODE_T, COLOUR, LARGE, PROTO_WORK, WORK, TWICE, UNKNOWN, PROTO_MANY, MANY, PROTO_PAIR,
	PAIR, PROTO_PRINT, PRINT, PROTO_TAKE, TAKE, A_PERCPU, PERCPU, HOT,
	NR_KERNEL,
	OWN = NR_KERNEL, OWN_PTR, PROTO_OWN, IN_MODULE, OTHER, OTHER_TOO, A_WORD,
};

#define FLAG	(1U << 31)

struct row {
	const char *name;
	uint32_t info, value;		/* info: kind, and FLAG */
	uint32_t words[3];
	struct part {
		const char *name;
		uint32_t words[2];
	} parts[8];
};

#define K(kind)	((uint32_t)(kind) << 24)

static const struct row kernel[] = {
	[INT] = { "int", K(BTF_INT), 4, { 1 << 24 | 32 }, { { 0 } } },
	[LONG] = { "unsigned long", K(BTF_INT), 8, { 64 }, { { 0 } } },
	[CHAR] = { "char", K(BTF_INT), 1, { 1 << 24 | 8 }, { { 0 } } },
	[BOOL] = { "_Bool", K(BTF_INT), 1, { 4 << 24 | 8 }, { { 0 } } },
	[NODE] = { "node", K(BTF_STRUCT) | FLAG, 64, { 0 }, {
		{ "next", { NODE_PTR, 0 } }, { "low", { INT, 3U << 24 | 64 } }, { "high", { INT, 5U << 24 | 67 } },
		{ "", { INNER, 96 } }, { "names", { NAMES, 160 } }, { "call", { CALL_PTR, 384 } } } },
	[NODE_PTR] = { "", K(BTF_POINTER), NODE, { 0 }, { { 0 } } },
	[INNER] = { "", K(BTF_UNION), 8, { 0 }, { { "first", { LONG, 0 } }, { "second", { BOOL, 0 } } } },
	[NAME] = { "", K(BTF_ARRAY), 0, { CHAR, INT, 8 }, { { 0 } } },
	[NAMES] = { "", K(BTF_ARRAY), 0, { NAME, INT, 3 }, { { 0 } } },
	[CALL] = { "", K(BTF_PROTO), INT, { 0 }, { { "", { NODE_PTR } } } },
	[CALL_PTR] = { "", K(BTF_POINTER), CALL, { 0 }, { { 0 } } },
	[WIDE] = { "wide", K(BTF_STRUCT), 16, { 0 }, { { "a", { LONG, 0 } }, { "b", { LONG, 64 } } } },
	[CONST_CHAR] = { "", K(BTF_CONST), CHAR, { 0 }, { { 0 } } },
	[USER] = { "user", K(BTF_TYPE_TAG), CONST_CHAR, { 0 }, { { 0 } } },
	[TEXT] = { "", K(BTF_POINTER), USER, { 0 }, { { 0 } } },
	[UNSEEN] = { "unseen", K(BTF_FORWARD) | FLAG, 0, { 0 }, { { 0 } } },
	[NODE_T] = { "node_t", K(BTF_TYPEDEF), NODE, { 0 }, { { 0 } } },
	[COLOUR] = { "colour", K(BTF_ENUM) | FLAG, 4, { 0 }, { { "RED", { -1 } }, { "GREEN", { 7 } } } },
	[LARGE] = { "large", K(BTF_ENUM64), 8, { 0 }, { { "HUGE", { 1, 1 } } } },
	[PROTO_WORK] = { "", K(BTF_PROTO), INT, { 0 }, {
		{ "node", { NODE_PTR } }, { "text", { TEXT } }, { "colour", { COLOUR } } } },
	[WORK] = { "work", K(BTF_FUNC) | 1, PROTO_WORK, { 0 }, { { 0 } } },
	[TWICE] = { "twice", K(BTF_FUNC), PROTO_WORK, { 0 }, { { 0 } } },
	[UNKNOWN] = { "unknown", K(BTF_FUNC), PROTO_WORK, { 0 }, { { 0 } } },
	[PROTO_MANY] = { "", K(BTF_PROTO), VOID, { 0 }, {
		{ "a", { LONG } }, { "b", { LONG } }, { "c", { LONG } }, { "d", { LONG } }, { "e", { LONG } },
		{ "f", { LONG } }, { "g", { LONG } }, { "h", { LONG } } } },
	[MANY] = { "many", K(BTF_FUNC) | 1, PROTO_MANY, { 0 }, { { 0 } } },
	[PROTO_PAIR] = { "", K(BTF_PROTO), WIDE, { 0 }, {
		{ "wide", { WIDE } }, { "number", { INT } }, { "other", { WIDE } }, { "third", { WIDE } },
		{ "last", { INT } } } },
	[PAIR] = { "pair", K(BTF_FUNC) | 1, PROTO_PAIR, { 0 }, { { 0 } } },
	[PROTO_PRINT] = { "", K(BTF_PROTO), UNSEEN, { 0 }, { { "format", { TEXT } }, { "", { VOID } } } },
	[PRINT] = { "print", K(BTF_FUNC) | 1, PROTO_PRINT, { 0 }, { { 0 } } },
	[PROTO_TAKE] = { "", K(BTF_PROTO), INT, { 0 }, { { "node", { NODE } }, { "number", { INT } } } },
	[TAKE] = { "take", K(BTF_FUNC) | 1, PROTO_TAKE, { 0 }, { { 0 } } },
	[A_PERCPU] = { "a_percpu", K(BTF_VAR), NODE, { 1 }, { { 0 } } },
	[PERCPU] = { ".data..percpu", K(BTF_SECTION), 4096, { 0 }, { { "", { 4096, 64 } } } },
	[HOT] = { "hot", K(BTF_DECL_TAG), WORK, { -1 }, { { 0 } } },
};

/* Types and strings of a module continue the numbers of the kernel's. */
static const struct row module[] = {
	[OWN - OWN] = { "own", K(BTF_STRUCT), 8, { 0 }, { { "node", { NODE_PTR, 0 } } } },
	[OWN_PTR - OWN] = { "", K(BTF_POINTER), OWN, { 0 }, { { 0 } } },
	[PROTO_OWN - OWN] = { "", K(BTF_PROTO), INT, { 0 }, { { "own", { OWN_PTR } }, { "node", { NODE_PTR } } } },
	[IN_MODULE - OWN] = { "in_module", K(BTF_FUNC), PROTO_OWN, { 0 }, { { 0 } } },
	[OTHER - OWN] = { "other", K(BTF_FUNC), PROTO_OWN, { 0 }, { { 0 } } },
	[OTHER_TOO - OWN] = { "other", K(BTF_FUNC), PROTO_OWN, { 0 }, { { 0 } } },
	[A_WORD - OWN] = { "a_word", K(BTF_VAR), LONG, { 0 }, { { 0 } } },
};

static const char symbols[] =
	"0000000000001000 D a_percpu\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000100 T work\n"
	"ffffffff81000180 T many\n"
	"ffffffff81000200 t twice\n"
	"ffffffff81000240 t twice\n"
	"ffffffff81000280 T pair\n"
	"ffffffff81000300 T print\n"
	"ffffffff81000340 T take\n"
	"ffffffff81000380 T _etext\n"
	"ffffffff82000000 D a_word\n"
	"ffffffffc0000000 t in_module	[mod]\n"
	"ffffffffc0000080 t other	[mod]\n"
	"ffffffffc0001000 d a_word	[mod]\n";

#define BASE	0xffffffff81000000ULL

/* ----------------------------------------------------------------- writing */

/* How many words follow each kind, and each of its parts after the name. */
static const struct {
	uint8_t once, each;
} sizes[NR_BTF_KINDS] = {
	[BTF_INT] = { 1, 0 }, [BTF_ARRAY] = { 3, 0 }, [BTF_STRUCT] = { 0, 2 }, [BTF_UNION] = { 0, 2 },
	[BTF_ENUM] = { 0, 1 }, [BTF_PROTO] = { 0, 1 }, [BTF_VAR] = { 1, 0 }, [BTF_SECTION] = { 0, 2 },
	[BTF_DECL_TAG] = { 1, 0 }, [BTF_ENUM64] = { 0, 2 },
};

struct output {
	struct bytes types, strings;
	uint32_t first_string;
};

static void put_words(struct output *out, const uint32_t *words, size_t n)
{
	bytes_put(&out->types, words, n * sizeof(*words));
}

static void put_name(struct output *out, const char *name)
{
	uint32_t at = *name ? out->first_string + out->strings.n : 0;

	put_words(out, &at, 1);
	if (*name)
		bytes_put(&out->strings, name, strlen(name) + 1);
}

static void put_row(struct output *out, const struct row *row)
{
	const uint32_t kind = row->info >> 24 & 31;
	uint32_t n = 0, info;

	while (sizes[kind].each && n < 8 && row->parts[n].name)
		n++;
	info = row->info | n;
	put_name(out, row->name);
	put_words(out, &info, 1);
	put_words(out, &row->value, 1);
	put_words(out, row->words, sizes[kind].once);
	for (uint32_t i = 0; i < n; i++) {
		put_name(out, row->parts[i].name);
		put_words(out, row->parts[i].words, sizes[kind].each);
	}
}

static struct bytes btf_of(const struct row *rows, size_t n, uint32_t *strings)
{
	struct output out = { .first_string = *strings };
	struct bytes file = { 0 };
	uint32_t header[6] = { 0x0001eb9f, sizeof(header) };

	bytes_put(&out.strings, "", !*strings);
	for (size_t i = 0; i < n; i++)
		if (rows[i].name)
			put_row(&out, &rows[i]);
	header[3] = header[4] = out.types.n;
	header[5] = out.strings.n;
	*strings += out.strings.n;
	bytes_put(&file, header, sizeof(header));
	bytes_put(&file, out.types.v, out.types.n);
	bytes_put(&file, out.strings.v, out.strings.n);
	bytes_free(&out.types);
	bytes_free(&out.strings);
	return file;
}

/* ------------------------------------------------------------------ scratch */

static char root[64];
static struct symtab *tab;
static struct bytes kernel_btf, module_btf;

static void put_file(const char *dir, const char *name, const void *data, size_t len)
{
	char command[256], path[256];
	FILE *file;

	snprintf(command, sizeof(command), "mkdir -p %s/%s", root, dir);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof(path), "%s/%s/%s", root, dir, name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	fclose(file);
}

/* In the linker's format. */
static const struct {
	uint32_t head[3];
	char name[4];
	uint8_t id[20];
} note = { { 4, 20, 3 }, "GNU", { 1, 2, 3 } };

static int setup(void **state)
{
	uint32_t strings = 0;
	char path[128];

	strcpy(root, "/tmp/ktrace-btf-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	kernel_btf = btf_of(kernel, NR_KERNEL, &strings);
	module_btf = btf_of(module, sizeof(module) / sizeof(module[0]), &strings);
	put_file("sys/kernel/btf", "vmlinux", kernel_btf.v, kernel_btf.n);
	put_file("sys/kernel/btf", "mod", module_btf.v, module_btf.n);
	put_file("sys/kernel", "notes", &note, sizeof(note));
	put_file("sys/module/mod/notes", ".note.gnu.build-id", &note, sizeof(note));
	put_file("etc", "os-release", "ID=debian\n", 10);
	put_file(".", "kallsyms", symbols, sizeof(symbols) - 1);
	snprintf(path, sizeof(path), "%s/kallsyms", root);
	return symtab_load(path, NULL, NULL, &tab) == SYMTAB_OK ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	symtab_free(tab);
	bytes_free(&kernel_btf);
	bytes_free(&module_btf);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

/* Are large composites passed by address? That depends on the machine that this test runs on. */
static bool by_reference;

static struct debug *open_debug(void (*told)(void *arg, const char *text), void *arg)
{
	const struct debug_options options = {
		.root = root, .release = "6.1.0-test", .is_live = true, .live_text = BASE, .symbols = tab,
		.args = arch_native.dwarf_args, .nr_args = arch_native.nr_dwarf_args,
		.args_by_reference = by_reference, .note = told, .arg = arg,
	};
	struct debug *debug = debug_open(&options);

	assert_non_null(debug);
	return debug;
}

/* -------------------------------------------------------------------- index */

static const char *reg_name(uint16_t reg)
{
	return arch_reg_name(&arch_native, reg);
}

struct opened {
	struct debug *debug;
	struct debug_unit *unit;
	struct dbindex *ix;
};

static struct opened open_unit(const char *name)
{
	struct opened o = { .debug = open_debug(NULL, NULL) };
	struct debug_error err = { .text = "" };

	o.unit = debug_unit(o.debug, name, &err);
	assert_string_equal(err.text[0] && !o.unit ? err.text : "", "");
	assert_true(debug_unit_is_btf(o.unit));
	o.ix = debug_index(o.unit, &err);
	assert_non_null(o.ix);
	return o;
}

/* "a: int %rdi, b: ..." for the function at an address: at its entry, or `behind` bytes behind it. */
static const char *parameters(const struct opened *o, uint64_t addr, uint32_t behind, char *out, size_t size)
{
	struct loc_refusal refusal;
	const struct ix_func *func;
	struct location where;
	struct scope *scope;
	char type[64], words[64];
	uint32_t offset;
	size_t n = 0;

	*out = '\0';
	assert_true(debug_to_offset(o->unit, addr, &offset));
	func = dbindex_func_at(o->ix, offset);
	scope = func ? scope_read(o->ix, func) : NULL;
	for (size_t i = 0; scope && i < scope->nr_vars; i++) {
		const struct var *var = &scope->vars[i];
		const struct loc_at at = { .addr = offset + behind, .name = reg_name };

		strcpy(words, "-");
		if (location_of(o->ix, scope, var, &at, &where, &refusal) == LOC_OK)
			location_words(&where, reg_name, words, sizeof(words));
		n += snprintf(out + n, size - n, "%s%s: %s %s", i ? ", " : "", var->name,
			      type_spell(o->ix, var->type, type, sizeof(type)), words);
	}
	scope_free(scope);
	return out;
}

static void test_parameters(void **state)
{
	struct opened o = open_unit("");
	char text[512];

	assert_string_equal(parameters(&o, BASE + 0x100, 0, text, sizeof(text)),
			    "node: struct node * %rdi, text: const char * %rsi, colour: enum colour %rdx");
	assert_string_equal(parameters(&o, BASE + 0x100, 1, text, sizeof(text)),
			    "node: struct node * -, text: const char * -, colour: enum colour -");
	assert_string_equal(parameters(&o, BASE + 0x180, 0, text, sizeof(text)),
			    "a: unsigned long %rdi, b: unsigned long %rsi, c: unsigned long %rdx, "
			    "d: unsigned long %rcx, e: unsigned long %r8, f: unsigned long %r9, "
			    "g: unsigned long -, h: unsigned long -");
	/* After a parameter that is not in registers, the others may be anywhere. */
	assert_string_equal(parameters(&o, BASE + 0x280, 0, text, sizeof(text)),
			    "wide: struct wide 8 bytes: %rdi, 8 bytes: %rsi, number: int %rdx, "
			    "other: struct wide 8 bytes: %rcx, 8 bytes: %r8, third: struct wide -, last: int -");
	assert_string_equal(parameters(&o, BASE + 0x300, 0, text, sizeof(text)), "format: const char * %rdi");
	/* Two functions with one name, or none. */
	assert_string_equal(parameters(&o, BASE + 0x200, 0, text, sizeof(text)), "");
	assert_string_equal(parameters(&o, BASE, 0, text, sizeof(text)), "");
	debug_close(o.debug);
}

static void test_large_parameters(void **state)
{
	struct opened o;
	char text[512];

	by_reference = false;
	o = open_unit("");
	assert_string_equal(parameters(&o, BASE + 0x340, 0, text, sizeof(text)), "node: struct node -, number: int -");
	debug_close(o.debug);
	by_reference = true;
	o = open_unit("");
	assert_string_equal(parameters(&o, BASE + 0x340, 0, text, sizeof(text)),
			    "node: struct node memory at %rdi, number: int %rsi");
	debug_close(o.debug);
	by_reference = arch_native.args_by_reference;
}

static void test_function(void **state)
{
	struct opened o = open_unit("");
	const struct ix_func *func = dbindex_func_at(o.ix, 0x17f);
	const uint32_t *all;
	struct scope *scope;
	char type[64];

	assert_non_null(func);
	assert_int_equal(func->low, 0x100);
	scope = scope_read(o.ix, func);
	assert_string_equal(scope->name, "work");
	assert_string_equal(type_spell(o.ix, scope->type, type, sizeof(type)), "int");
	scope_free(scope);
	assert_int_equal(dbindex_funcs(o.ix, "many", &all), 1);
	assert_int_equal(dbindex_funcs(o.ix, "unknown", &all), 0);
	debug_close(o.debug);
}

static const char *member_of(const struct dbindex *ix, const char *of, const char *name, char *out, size_t size)
{
	struct type_member member;
	char type[64];

	*out = '\0';
	if (type_member(ix, type_by_name(ix, of), name, &member))
		snprintf(out, size, "%s at %u, %u", type_spell(ix, member.type, type, sizeof(type)),
			 (unsigned int)member.bit_offset, member.bits);
	return out;
}

static void test_types(void **state)
{
	struct opened o = open_unit("");
	const struct ix_global *global;
	const char *name;
	struct type type;
	char text[128];
	int64_t value;

	assert_string_equal(member_of(o.ix, "struct node", "next", text, sizeof(text)), "struct node * at 0, 0");
	assert_string_equal(member_of(o.ix, "struct node", "high", text, sizeof(text)), "int at 67, 5");
	assert_string_equal(member_of(o.ix, "node_t", "second", text, sizeof(text)), "_Bool at 96, 0");
	assert_string_equal(member_of(o.ix, "struct node", "names", text, sizeof(text)), "char[3][8] at 160, 0");
	assert_string_equal(member_of(o.ix, "struct node", "call", text, sizeof(text)),
			    "int (*)(struct node *) at 384, 0");
	assert_int_equal(type_size(o.ix, type_by_name(o.ix, "struct node")), 64);
	assert_true(type_resolve(o.ix, type_by_name(o.ix, "enum colour"), &type));
	assert_true(type_next_value(o.ix, &type, &name, &value));
	assert_string_equal(name, "RED");
	assert_int_equal(value, -1);
	assert_true(type_resolve(o.ix, type_by_name(o.ix, "enum large"), &type));
	assert_true(type_next_value(o.ix, &type, &name, &value));
	assert_int_equal(value, 0x100000001);
	assert_true(type_resolve(o.ix, type_by_name(o.ix, "union unseen"), &type));
	assert_false(type.is_complete);
	assert_int_equal(dbindex_globals(o.ix, "a_percpu", &global), 1);
	assert_int_equal(global->addr, 0x1000);
	debug_close(o.debug);
}

static void test_module(void **state)
{
	struct opened o = open_unit("mod");
	const struct ix_global *global;
	const uint32_t *all;
	char text[256];

	assert_string_equal(parameters(&o, 0xffffffffc0000000, 0, text, sizeof(text)),
			    "own: struct own * %rdi, node: struct node * %rsi");
	/* BTF has two of them, the kernel has one. */
	assert_string_equal(parameters(&o, 0xffffffffc0000080, 0, text, sizeof(text)), "");
	assert_int_equal(dbindex_funcs(o.ix, "work", &all), 0);
	assert_string_equal(member_of(o.ix, "struct own", "node", text, sizeof(text)), "struct node * at 0, 0");
	assert_int_equal(dbindex_globals(o.ix, "a_word", &global), 1);
	assert_int_equal(global->addr, 0xffffffffc0001000);
	debug_close(o.debug);
}

/* ---------------------------------------------------------------- choosing */

static void test_no_lines(void **state)
{
	struct opened o = open_unit("");
	struct debug_error err;
	char text[128];

	assert_null(debug_index_of_code(o.unit, &err));
	assert_contains(err.text, "linux-image-6.1.0-test-dbg");
	assert_null(debug_index_of_file(o.unit, "fs/read_write.c", &err));
	assert_contains(err.text, "linux-image-6.1.0-test-dbg");
	assert_string_equal(debug_unit_hint(o.unit, text, sizeof(text)), "sudo apt install linux-image-6.1.0-test-dbg");
	assert_contains(debug_unit_path(o.unit), "/sys/kernel/btf/vmlinux");
	assert_null(debug_unit_image(o.unit));
	debug_close(o.debug);
}

static void keep(void *arg, const char *text)
{
	snprintf(arg, 1024, "%s", text);
}

/* A file of another build is reported, although BTF replaces it. */
static void test_wrong_build(void **state)
{
	char command[256], told[1024] = "";
	struct debug *debug = open_debug(keep, told);
	struct debug_error err;

	snprintf(command, sizeof(command), "mkdir -p %s/usr/lib/debug/boot && cp /proc/%d/exe %s/usr/lib/debug/boot/vmlinux-6.1.0-test",
		 root, getpid(), root);
	assert_int_equal(system(command), 0);
	assert_non_null(debug_unit_casual(debug, "", &err));
	assert_string_equal(told, "");
	assert_true(debug_unit_is_btf(debug_unit(debug, "", &err)));
	assert_contains(told, "another build");
	assert_contains(told, "types are taken from");
	assert_one_line(told);
	debug_close(debug);
	snprintf(command, sizeof(command), "rm -r %s/usr", root);
	assert_int_equal(system(command), 0);
}

static void test_absent(void **state)
{
	struct debug *debug = open_debug(NULL, NULL);
	struct debug_error err;

	assert_null(debug_unit(debug, "nosuch", &err));
	assert_one_line(err.text);
	debug_close(debug);
}

/* ------------------------------------------------------------------ damage */

static void read_index(int fd)
{
	struct dbindex *ix = dbindex_map(fd, "index", NULL);
	struct type type;
	char text[64];
	size_t nr;

	assert_non_null(ix);
	dbindex_rows(ix, PART_FUNCS, struct ix_func, &nr);
	for (size_t i = 0; i < nr; i++)
		scope_free(scope_read(ix, dbindex_func(ix, i)));
	dbindex_rows(ix, PART_TYPES, uint64_t, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (type_resolve(ix, i, &type))
			type_spell(ix, i, text, sizeof(text));
		type_size(ix, i);
	}
	dbindex_close(ix);
}

/* Copy the bytes into memory of exactly their size; false if they are refused, with one line. */
static bool try_bytes(const uint8_t *bytes, size_t len, const struct btf *base)
{
	const struct btf_job job = {
		.module = base ? "mod" : "", .symbols = tab, .base = BASE, .args = arch_native.dwarf_args,
		.nr_args = arch_native.nr_dwarf_args,
	};
	uint8_t *copy = malloc(len ? len : 1);
	struct debug_error err;
	struct btf btf;
	bool ok;
	int fd;

	memcpy(copy, bytes, len);
	ok = btf_parse(copy, len, base, "this", &btf, &err);
	if (ok) {
		fd = memfd_create("index", MFD_CLOEXEC);
		ok = btf_build_here(&job, &btf, fd, &err);
		if (ok)
			read_index(fd);
		close(fd);
		btf_free(&btf);
	}
	if (!ok)
		assert_one_line(err.text);
	free(copy);
	return ok;
}

static void test_cut_off(void **state)
{
	assert_true(try_bytes(kernel_btf.v, kernel_btf.n, NULL));
	for (size_t n = 0; n < kernel_btf.n; n++)
		assert_false(try_bytes(kernel_btf.v, n, NULL));
}

static void flip(const struct bytes *file, const struct btf *base)
{
	static const uint8_t masks[] = { 0x01, 0x80, 0xff };

	for (size_t i = 0; i < file->n; i++)
		for (size_t j = 0; j < sizeof(masks); j++) {
			file->v[i] ^= masks[j];
			try_bytes(file->v, file->n, base);
			file->v[i] ^= masks[j];
		}
}

static void test_damaged(void **state)
{
	struct btf base;

	flip(&kernel_btf, NULL);
	assert_true(btf_parse(kernel_btf.v, kernel_btf.n, NULL, "kernel", &base, NULL));
	flip(&module_btf, &base);
	btf_free(&base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parameters), cmocka_unit_test(test_large_parameters),
		cmocka_unit_test(test_function), cmocka_unit_test(test_types),
		cmocka_unit_test(test_module), cmocka_unit_test(test_no_lines), cmocka_unit_test(test_wrong_build),
		cmocka_unit_test(test_absent), cmocka_unit_test(test_cut_off), cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
