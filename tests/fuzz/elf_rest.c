// SPDX-License-Identifier: GPL-2.0-or-later
/* elf_rest.c - damaged BTF, location expressions and lists of symbols. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/arch.h"
#include "elf.h"
#include "symbols/image/btf.h"
#include "symbols/index/location.h"

static void one_line(const struct debug_error *err)
{
	if (!*err->text || strchr(err->text, '\n'))
		abort();
}

const char *elf_reg(uint16_t reg)
{
	return arch_reg_name(&arch_native, reg);
}

/* --------------------------------------------------------------------- BTF */

#define BASE	0xffffffff81000000ULL

/* The symbols of tests/unit/test_btf.c, where the first inputs come from. */
const struct symtab *elf_symbols(void)
{
	static const char text[] =
		"0000000000001000 D a_percpu\n" "ffffffff81000000 T _stext\n" "ffffffff81000100 T work\n"
		"ffffffff81000180 T many\n" "ffffffff81000200 t twice\n" "ffffffff81000240 t twice\n"
		"ffffffff81000280 T pair\n" "ffffffff81000300 T print\n" "ffffffff81000380 T _etext\n"
		"ffffffffc0000000 t in_module\t[mod]\n" "ffffffffc0000080 t other\t[mod]\n"
		"ffffffffc0001000 d a_word\t[mod]\n";
	static struct symtab *tab;
	int fd;

	if (tab)
		return tab;
	fd = elf_file((const uint8_t *)text, sizeof(text) - 1);
	if (symtab_load(elf_path(fd), NULL, NULL, &tab) != SYMTAB_OK)
		abort();
	close(fd);
	return tab;
}

static void index_of(const struct btf *btf)
{
	const struct btf_job job = {
		.module = btf->base ? "mod" : "", .symbols = elf_symbols(), .base = BASE,
		.args = arch_native.dwarf_args, .nr_args = arch_native.nr_dwarf_args,
	};
	int fd = memfd_create("index", MFD_CLOEXEC);
	struct debug_error err = { .text = "" };
	struct dbindex *ix = NULL;

	if (btf_build_here(&job, btf, fd, &err))
		ix = dbindex_map(fd, "index", &err);
	if (ix)
		elf_ask(ix);
	else
		one_line(&err);
	dbindex_close(ix);
	close(fd);
}

static void parse(const uint8_t *data, size_t size, const struct btf *base, struct btf *out)
{
	struct debug_error err = { .text = "" };

	if (btf_parse(data, size, base, "this", out, &err))
		index_of(out);
	else
		one_line(&err);
}

/* The input: the length of the kernel's BTF, this BTF, and the additional BTF of a module. */
void elf_btf(const uint8_t *data, size_t size)
{
	struct btf kernel = { 0 }, module = { 0 };
	uint16_t len;

	if (size < sizeof(len))
		return;
	memcpy(&len, data, sizeof(len));
	data += sizeof(len);
	size -= sizeof(len);
	len = len < size ? len : size;
	parse(data, len, NULL, &kernel);
	if (kernel.nr && len < size)
		parse(data + len, size - len, &kernel, &module);
	btf_free(&module);
	btf_free(&kernel);
}

/* ------------------------------------------------------------- expressions */

/* The input: a byte of flags, the length of the frame base, the frame base, and the expression. */
void elf_expression(const uint8_t *data, size_t size)
{
	const struct ix_cfa cfa = { .reg = 7, .offset = 16 };
	struct loc_context context = { .name = elf_reg };
	struct loc_refusal refusal;
	struct location where;
	char words[300];

	if (size < 2)
		return;
	context.is_entry = data[0] & 1;
	context.cfa = data[0] & 2 ? &cfa : NULL;
	context.size = data[0] >> 2;
	context.frame = data + 2;
	context.frame_len = data[1] < size - 2 ? data[1] : size - 2;
	data += 2 + context.frame_len;
	size -= 2 + context.frame_len;
	if (location_evaluate(&context, data, size, &where, &refusal) == LOC_OK)
		location_words(&where, elf_reg, words, context.size & 1 ? sizeof(words) : 7);
	else if (strchr(refusal.why, '\n'))
		abort();
}

/* ----------------------------------------------------------------- symbols */

static bool take_name(const struct sym *sym, void *arg)
{
	return --*(unsigned int *)arg;
}

static void take_variant(const struct sym *sym, void *arg)
{
	*(size_t *)arg += sym->size;
}

static void ask_symbol(const struct symtab *tab, const struct sym *sym)
{
	const struct sym *const *first;
	unsigned int names = 20;
	size_t sum = 0;
	char text[40];

	if (!symtab_by_name(tab, sym->name, sym->module, &first))
		abort();
	symtab_by_addr(tab, sym->addr + 1);
	symtab_describe(tab, sym->addr + 5, text, sizeof(text));
	symtab_variants(tab, sym->name, take_variant, &sum);
	symtab_complete(tab, sym->name, take_name, &names);
}

void elf_kallsyms(const uint8_t *data, size_t size)
{
	int fd = elf_file(data, size);
	struct symtab *tab = NULL;
	const char *similar[4];

	if (symtab_load(elf_path(fd), NULL, NULL, &tab) == SYMTAB_OK) {
		for (size_t i = 0; i < symtab_count(tab) && i < 64; i++)
			ask_symbol(tab, symtab_at(tab, i));
		symtab_similar(tab, "vfs_wriet", NULL, similar, 4);
		btf_base(tab, "");
	}
	symtab_free(tab);
	close(fd);
}
