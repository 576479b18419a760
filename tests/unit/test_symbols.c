// SPDX-License-Identifier: GPL-2.0-or-later
/* test_symbols.c - load tables in the format of /proc/kallsyms, and look up symbols in all ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "ctl/base/memory.h"
#include "symbols/symtab/symbols.h"

static const char table[] =
	"0000000000000000 A fixed_percpu_data\n"
	"0000000000001000 A current_task\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000000 t startup_label\n"
	"ffffffff81000100 t do_write.isra.0\n"
	"ffffffff81000140 t do_write.cold\n"
	"ffffffff81000150 t do_writer.part.0\n"
	"ffffffff81000160 t do_write\n"
	"ffffffff810001f0 t __pfx_vfs_write\n"
	"ffffffff81000200 T vfs_write\n"
	"ffffffff81000300 T vfs_writev\n"
	"ffffffff81000400 W vfs_read\n"
	"ffffffff81000500 t twice\n"
	"ffffffff81000600 t twice\n"
	"ffffffff82000000 D init_task\n"
	"ffffffff82001000 B _end\n"
	"ffffffffc0100000 t ext4_write\t[ext4]\n"
	"ffffffffc0100020 t twice\t[ext4]\n"
	"ffffffffc0100800 t ext4_last\t[ext4]\n"
	"ffffffffc0102010 d ext4_ops\t[ext4]\n"
	"ffffffffc0000000 t nf_hook\t[nf]\n"
	"ffffffffc0000040 t twice\t[nf]\n"
	"ffffffffc0200000 t bpf_prog_6deef7357e7b4530\t[bpf]\n";

static struct symtab *load_bytes(const void *bytes, size_t n, enum symtab_status expected)
{
	char path[] = "/tmp/ktrace-symbols-XXXXXX";
	struct symtab *tab = NULL;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
	assert_int_equal(symtab_load(path, NULL, NULL, &tab), expected);
	unlink(path);
	return tab;
}

static struct symtab *load(const char *text, enum symtab_status expected)
{
	return load_bytes(text, strlen(text), expected);
}

static int setup(void **state)
{
	*state = load(table, SYMTAB_OK);
	return 0;
}

static int teardown(void **state)
{
	symtab_free(*state);
	return 0;
}

static const char *name_at(const struct symtab *tab, uint64_t addr)
{
	const struct sym *sym = symtab_by_addr(tab, addr);

	return sym ? sym->name : NULL;
}

static void test_describe(void **state)
{
	static const char cut[] = "ext4:ext+0x1f";
	const struct symtab *tab = *state;
	char buf[64], small[sizeof(cut)];

	assert_true(symtab_describe(tab, 0xffffffff81000200, buf, sizeof(buf)));
	assert_string_equal(buf, "vfs_write");
	assert_true(symtab_describe(tab, 0xffffffffc010001f, buf, sizeof(buf)));
	assert_string_equal(buf, "ext4:ext4_write+0x1f");
	assert_true(symtab_describe(tab, 0xffffffffc010001f, small, sizeof(small)));
	assert_string_equal(small, cut);
	assert_false(symtab_describe(tab, 0x1000, buf, sizeof(buf)));
	assert_string_equal(buf, "");
}

static void test_sorted(void **state)
{
	const struct symtab *tab = *state;

	assert_int_equal(symtab_count(tab), 24);
	for (size_t i = 1; i < symtab_count(tab); i++)
		assert_true(symtab_at(tab, i - 1)->addr <= symtab_at(tab, i)->addr);
	assert_string_equal(symtab_at(tab, 17)->name, "nf_hook");
	assert_string_equal(symtab_at(tab, 17)->module, "nf");
	assert_string_equal(symtab_at(tab, 2)->module, "");
}

/* As Debian's 6.12 lists them: symbols at the end of something else. */
static void test_marks(void **state)
{
	struct symtab *tab = load("ffffffff82002000 T __entry_text_start\n"
				  "ffffffff82002000 t entry_SYSCALL_64\n"
				  "ffffffff82003000 T __softirqentry_text_end\n"
				  "ffffffff82003000 T __x86_indirect_thunk_array\n"
				  "ffffffff82003000 T __x86_indirect_thunk_rax\n"
				  "ffffffff82003020 T _etext\n", SYMTAB_OK);

	assert_string_equal(name_at(tab, 0xffffffff82002001), "entry_SYSCALL_64");
	assert_string_equal(name_at(tab, 0xffffffff82003000), "__x86_indirect_thunk_rax");
	symtab_free(tab);
}

/* As Debian's 7.2 lists them. */
static void test_data_called_text(void **state)
{
	static const char *const is_data[] = { "jiffies", "system_state" };
	static const char *const is_text[] = { "_etext", "_sinittext", "start_kernel" };
	struct symtab *tab = load("ffffffff9ee5c930 T _etext\n"
				  "ffffffffa0000000 T _sdata\n"
				  "ffffffffa0007a00 T jiffies\n"
				  "ffffffffa034c184 t system_state\n"
				  "ffffffffa035da80 T _edata\n"
				  "ffffffffa0591000 T _sinittext\n"
				  "ffffffffa0591100 T start_kernel\n", SYMTAB_OK);
	const struct sym *const *first;

	for (size_t i = 0; i < ARRAY_SIZE(is_data); i++) {
		assert_int_equal(symtab_by_name(tab, is_data[i], NULL, &first), 1);
		assert_false(sym_is_text(first[0]));
	}
	for (size_t i = 0; i < ARRAY_SIZE(is_text); i++) {
		assert_int_equal(symtab_by_name(tab, is_text[i], NULL, &first), 1);
		assert_true(sym_is_text(first[0]));
	}
	symtab_free(tab);
}

static void test_by_name(void **state)
{
	const struct sym *const *first;

	assert_int_equal(symtab_by_name(*state, "vfs_write", NULL, &first), 1);
	assert_int_equal(first[0]->addr, 0xffffffff81000200);
	assert_int_equal(first[0]->size, 0x100);
	assert_true(sym_is_text(first[0]));
	assert_int_equal(symtab_by_name(*state, "nowhere", NULL, &first), 0);
	assert_int_equal(symtab_by_name(*state, "", NULL, &first), 0);
	assert_int_equal(symtab_by_name(*state, "vfs_write", "ext4", &first), 0);
}

static void test_by_name_of_several(void **state)
{
	const struct sym *const *first;

	assert_int_equal(symtab_by_name(*state, "twice", NULL, &first), 4);
	for (int i = 1; i < 4; i++)
		assert_true(first[i - 1]->addr < first[i]->addr);
	assert_int_equal(symtab_by_name(*state, "twice", "", &first), 2);
	assert_int_equal(first[1]->addr, 0xffffffff81000600);
	assert_int_equal(symtab_by_name(*state, "twice", "ext4", &first), 1);
	assert_int_equal(first[0]->addr, 0xffffffffc0100020);
	assert_int_equal(symtab_by_name(*state, "twice", "nf", &first), 1);
	assert_int_equal(first[0]->addr, 0xffffffffc0000040);
}

/*
 * If a symbol of the kernel has the name of a function of ktrace, the kernel's is meant. Those of ktrace are
 * found with the module's name, or if the name is unique.
 */
static void test_yield(void **state)
{
	struct symtab *tab = load("ffffffff81000000 T do_wait\n"
				  "ffffffff81000100 t dev_open\n"
				  "ffffffff81000200 t dev_open\n"
				  "ffffffffc0000000 t dev_open\t[ours]\n"
				  "ffffffffc0000100 t do_wait\t[ours]\n"
				  "ffffffffc0000200 t hit\t[ours]\n"
				  "ffffffffc0000300 t hit\t[ours]\n"
				  "ffffffffc0100000 t dev_open\t[theirs]\n", SYMTAB_OK);
	const struct sym *const *first;
	char name[64];

	assert_int_equal(symtab_by_name(tab, "do_wait", NULL, &first), 2);
	symtab_yield(tab, "ours");
	assert_int_equal(symtab_by_name(tab, "do_wait", NULL, &first), 1);
	assert_int_equal(first[0]->addr, 0xffffffff81000000);
	assert_int_equal(symtab_by_name(tab, "dev_open", NULL, &first), 3);
	assert_int_equal(first[0]->addr, 0xffffffff81000100);
	assert_int_equal(first[1]->addr, 0xffffffff81000200);
	assert_int_equal(first[2]->addr, 0xffffffffc0100000);
	assert_int_equal(symtab_by_name(tab, "dev_open", "ours", &first), 1);
	assert_int_equal(first[0]->addr, 0xffffffffc0000000);
	assert_int_equal(symtab_by_name(tab, "hit", NULL, &first), 2);
	assert_true(symtab_describe(tab, 0xffffffffc0000104, name, sizeof(name)));
	assert_string_equal(name, "ours:do_wait+0x4");
	symtab_free(tab);
}

static void test_by_addr(void **state)
{
	assert_string_equal(name_at(*state, 0xffffffff81000200), "vfs_write");
	assert_string_equal(name_at(*state, 0xffffffff810002ff), "vfs_write");
	assert_string_equal(name_at(*state, 0xffffffff81000300), "vfs_writev");
	assert_string_equal(name_at(*state, 0xffffffff810001f8), "__pfx_vfs_write");
	assert_string_equal(name_at(*state, 0xffffffff82000fff), "init_task");
}

static void test_aliases(void **state)
{
	assert_string_equal(name_at(*state, 0xffffffff81000010), "_text");
	assert_int_equal(symtab_by_addr(*state, 0xffffffff81000010)->size, 0x100);
}

static void test_covers_no_place(void **state)
{
	assert_null(name_at(*state, 0));
	assert_null(name_at(*state, 0x1008));
	assert_null(name_at(*state, 0x7fffffffffff));
	assert_null(name_at(*state, 0xffffffff80ffffff));
	assert_null(name_at(*state, 0xffffffff82001000));	/* behind the kernel */
	assert_null(name_at(*state, 0xffffffffffffffff));
}

static void test_modules_end(void **state)
{
	/* Text extends to the page where data begins, not further. */
	assert_string_equal(name_at(*state, 0xffffffffc0101fff), "ext4_last");
	assert_null(name_at(*state, 0xffffffffc0102000));
	assert_string_equal(name_at(*state, 0xffffffffc0102010), "ext4_ops");
	/* A symbol does not extend into the next module, however far away that is. */
	assert_string_equal(name_at(*state, 0xffffffffc0000050), "twice");
	assert_null(name_at(*state, 0xffffffffc00fffff));
	assert_string_equal(name_at(*state, 0xffffffffc0200010), "bpf_prog_6deef7357e7b4530");
}

struct names {
	char text[512];
	size_t nr, stop;
};

static void note(struct names *names, const char *name)
{
	strcat(strcat(names->text, name), " ");
	names->nr++;
}

static void each_variant(const struct sym *sym, void *arg)
{
	note(arg, sym->name);
}

static bool each_name(const struct sym *sym, void *arg)
{
	struct names *names = arg;

	note(names, sym->name);
	return names->nr != names->stop;
}

static void test_variants(void **state)
{
	struct names names = { .nr = 0 };

	symtab_variants(*state, "do_write", each_variant, &names);
	assert_string_equal(names.text, "do_write.cold do_write.isra.0 ");
	symtab_variants(*state, "vfs_write", each_variant, &names);
	assert_int_equal(names.nr, 2);
}

static void test_near(void **state)
{
	const char *out[4];

	assert_int_equal(symtab_similar(*state, "vfs_wirte", NULL, out, 1), 1);
	assert_string_equal(out[0], "vfs_write");
	assert_true(symtab_similar(*state, "vfs_writ", NULL, out, 4) >= 2);
	assert_string_equal(out[0], "vfs_write");
	assert_string_equal(out[1], "vfs_writev");
	assert_int_equal(symtab_similar(*state, "quite_another_thing", NULL, out, 4), 0);
	assert_int_equal(symtab_similar(*state, "twyce", "nf", out, 4), 1);
	assert_int_equal(symtab_similar(*state, "vfs_wirte", "nf", out, 4), 0);
	assert_int_equal(symtab_similar(*state, "", NULL, out, 4), 0);
	assert_int_equal(symtab_similar(*state, "vfs_write", NULL, out, 0), 0);
}

static void test_complete(void **state)
{
	struct names names = { .nr = 0 }, some = { .stop = 2 }, padding = { .nr = 0 };

	symtab_complete(*state, "vfs_", each_name, &names);
	assert_string_equal(names.text, "vfs_read vfs_write vfs_writev ");
	symtab_complete(*state, "", each_name, &some);
	assert_int_equal(some.nr, 2);
	symtab_complete(*state, "tw", each_name, &names);
	assert_int_equal(names.nr, 4);	/* four symbols, one name */
	symtab_complete(*state, "__pf", each_name, &padding);
	assert_string_equal(padding.text, "__pfx_vfs_write ");
}

static void test_refused(void **state)
{
	struct symtab *tab;

	load("0000000000000000 T _text\n0000000000000000 T _stext\n", SYMTAB_HIDDEN);
	load("", SYMTAB_MALFORMED);
	load("\n", SYMTAB_MALFORMED);
	load("what is this?\n", SYMTAB_MALFORMED);
	load("ffffffff81000000\n", SYMTAB_MALFORMED);
	load("ffffffff81000000 T\n", SYMTAB_MALFORMED);
	load("ffffffff81000000 T \n", SYMTAB_MALFORMED);
	load("ffffffff8100000000 T name\n", SYMTAB_MALFORMED);
	load("ffffffff81000000 t name\text4\n", SYMTAB_MALFORMED);
	assert_int_equal(symtab_load("/nonexistent/kallsyms", NULL, NULL, &tab), SYMTAB_UNREADABLE);
	assert_int_equal(symtab_load("/", NULL, NULL, &tab), SYMTAB_UNREADABLE);
	symtab_free(NULL);
}

static bool some_more(void *left)
{
	return (*(int *)left)--;
}

/* It asks while it reads, and before it makes the index. */
static void test_stopped(void **state)
{
	char path[] = "/tmp/ktrace-symbols-XXXXXX";
	const int fd = mkstemp(path);
	int left, stopped = 0;
	struct symtab *tab = NULL;

	assert_int_equal(write(fd, table, strlen(table)), strlen(table));
	close(fd);
	for (left = 0; symtab_load(path, some_more, &left, &tab) != SYMTAB_OK; left = ++stopped) {
		assert_true(left == -1 && stopped < 5);
		assert_null(tab);
	}
	assert_true(stopped >= 2);
	symtab_free(tab);
	unlink(path);
}

static void test_no_newline_at_the_end(void **state)
{
	struct symtab *tab = load("ffffffff81000000 T a\nffffffff81000010 T b", SYMTAB_OK);

	assert_string_equal(symtab_at(tab, 1)->name, "b");
	symtab_free(tab);
}

/* Many names that share slots of the hash table: look-ups must find the right one. */
static void test_many(void **state)
{
	const struct sym *const *first;
	struct symtab *tab;
	char *text = NULL, name[32];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int i = 0; i < 50000; i++)
		fprintf(out, "%016llx t f%d\n", 0xffffffff81000000ULL + (i * 7919 % 50000) * 16, i);
	fclose(out);
	tab = load(text, SYMTAB_OK);
	for (int i = 0; i < 50000; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		assert_int_equal(symtab_by_name(tab, name, NULL, &first), 1);
		assert_int_equal(first[0]->addr, 0xffffffff81000000ULL + (i * 7919 % 50000) * 16);
		assert_ptr_equal(symtab_by_addr(tab, first[0]->addr + 15),
				 i * 7919 % 50000 == 49999 ? NULL : first[0]);
	}
	symtab_free(tab);
	free(text);
}

/* The mapping symbols of arm64's modules are ignored: their bytes belong to the function before. */
static void test_mapping_symbols(void **state)
{
	struct symtab *tab = load("ffffffffc0000000 t $x\t[nf]\nffffffffc0000000 t nf_hook\t[nf]\nffffffffc0000010 t $d.2\t[nf]\n"
				  "ffffffffc0000020 t $dollar\t[nf]\n", SYMTAB_OK);
	const struct sym *sym = symtab_by_addr(tab, 0xffffffffc0000014);

	assert_non_null(sym);
	assert_string_equal(sym->name, "nf_hook");
	sym = symtab_by_addr(tab, 0xffffffffc0000024);
	assert_string_equal(sym->name, "$dollar");
	symtab_free(tab);
}

static void note_all(const struct symtab *tab, FILE *out)
{
	const struct sym *const *first;
	char text[128];

	for (size_t i = 0; i < symtab_count(tab); i++) {
		const struct sym *sym = symtab_at(tab, i);

		fprintf(out, "%llx %llx %c %s [%s]", (unsigned long long)sym->addr, (unsigned long long)sym->size, sym->type,
			sym->name, sym->module);
		fprintf(out, " %zu", symtab_by_name(tab, sym->name, NULL, &first));
		fprintf(out, " %llx", (unsigned long long)first[0]->addr);
		fprintf(out, " %zu", symtab_by_name(tab, sym->name, sym->module, &first));
		symtab_describe(tab, sym->addr + 1, text, sizeof(text));
		fprintf(out, " %s %d\n", text, symtab_has_module(tab, sym->module));
	}
}

/* The results of all queries of a table, as one text.  The caller frees it. */
static char *all_of(const struct symtab *tab)
{
	struct names names = { .nr = 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	note_all(tab, out);
	symtab_variants(tab, "do_write", each_variant, &names);
	symtab_complete(tab, "", each_name, &names);
	fprintf(out, "%s %d %d\n", names.text, symtab_has_module(tab, "none"), symtab_has_data(tab));
	fclose(out);
	return text;
}

/* A table that is mapped from its file gives the same results as the written one, also if it is mapped at another address. */
static void test_kept(void **state)
{
	static const char key[KEPT_KEY] = "a", other[KEPT_KEY] = "b";
	char dir[] = "/tmp/ktrace-kept-XXXXXX", file[sizeof(dir) + 16];
	struct symtab *plain = load(table, SYMTAB_OK), *kept[3];
	char *expected, *text;

	(void)state;
	symtab_yield(plain, "nf");
	expected = all_of(plain);
	assert_non_null(mkdtemp(dir));
	assert_null(symtab_map(dir, key));
	assert_true(symtab_keep(plain, dir, key));
	symtab_free(plain);
	assert_null(symtab_map(dir, other));
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		kept[i] = symtab_map(dir, key);
		assert_non_null(kept[i]);
		text = all_of(kept[i]);
		assert_string_equal(text, expected);
		free(text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		symtab_free(kept[i]);
	snprintf(file, sizeof(file), "%s/symbols", dir);
	unlink(file);
	rmdir(dir);
	free(expected);
}

/* What the kernel makes for its own kprobes comes and goes. */
static void test_passing(void **state)
{
	struct symtab *tab = load("ffffffff81000000 T a\nffffffffc0000000 t kprobe_insn_page\t[__builtin__kprobes]\n", SYMTAB_OK);

	(void)state;
	assert_int_equal(symtab_count(tab), 1);
	assert_false(symtab_has_module(tab, "__builtin__kprobes"));
	symtab_free(tab);
}

/* As in saved traces.  Cut off anywhere, or with a wrong length, it is refused. */
static void test_compressed(void **state)
{
	char packed[4096];
	const size_t n = ZSTD_compress(packed, sizeof(packed), table, strlen(table), 3);
	struct symtab *tab, *plain = *state;

	assert_false(ZSTD_isError(n));
	tab = load_bytes(packed, n, SYMTAB_OK);
	assert_int_equal(symtab_count(tab), symtab_count(plain));
	for (size_t i = 0; i < symtab_count(tab); i++)
		assert_string_equal(symtab_at(tab, i)->name, symtab_at(plain, i)->name);
	symtab_free(tab);
	for (size_t cut = 0; cut < n; cut++)
		load_bytes(packed, cut, SYMTAB_MALFORMED);
	packed[5]++;
	load_bytes(packed, n, SYMTAB_MALFORMED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sorted),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_passing),
		cmocka_unit_test(test_data_called_text),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_describe),
		cmocka_unit_test(test_by_name),
		cmocka_unit_test(test_by_name_of_several),
		cmocka_unit_test(test_yield),
		cmocka_unit_test(test_by_addr),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_covers_no_place),
		cmocka_unit_test(test_modules_end),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_near),
		cmocka_unit_test(test_complete),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_no_newline_at_the_end),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_mapping_symbols),
		cmocka_unit_test(test_compressed),
	};

	return cmocka_run_group_tests_name("symbols", tests, setup, teardown);
}
