// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * image_symbol.c - the symbol tables of an ELF file, and the versions of the loader's symbols (Linux Standard Base,
 * "Symbol Versioning").
 */
#include <string.h>

#include "symbols/image/image_int.h"

#define VERSION_INDEX	0x7fff
#define VERSION_HIDDEN	0x8000
#define MOST_VERSIONS	4096	/* a longer list is damaged */

/* ---------------------------------------------------------------- versions */

struct versions {
	const struct image *image;
	Elf_Data *of_symbols;	/* .gnu.version: an index for each symbol; NULL: there are none */
	Elf_Data *defined;	/* .gnu.version_d */
	size_t strings, nr;
};

static void find_versions(const struct image *image, struct versions *out)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	*out = (struct versions){ .image = image };
	while ((scn = elf_nextscn(image->file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr))
			continue;
		if (shdr.sh_type == SHT_GNU_versym) {
			out->of_symbols = elf_getdata(scn, NULL);
		} else if (shdr.sh_type == SHT_GNU_verdef) {
			out->defined = elf_getdata(scn, NULL);
			out->strings = shdr.sh_link;
			out->nr = shdr.sh_info < MOST_VERSIONS ? shdr.sh_info : MOST_VERSIONS;
		}
	}
}

/* The name of a version that the file defines.  "": there is none, or it is not its own. */
static const char *version_name(const struct versions *versions, unsigned int index)
{
	const char *name;
	GElf_Verdaux aux;
	GElf_Verdef def;
	uint64_t at = 0;

	for (size_t i = 0; versions->defined && i < versions->nr && gelf_getverdef(versions->defined, at, &def); i++) {
		if (def.vd_ndx == index && !(def.vd_flags & VER_FLG_BASE)) {
			if (at + def.vd_aux > INT32_MAX || !gelf_getverdaux(versions->defined, at + def.vd_aux, &aux))
				return "";
			name = elf_strptr(versions->image->file->elf, versions->strings, aux.vda_name);
			return name ? name : "";
		}
		at += def.vd_next;
		if (!def.vd_next || at > INT32_MAX)
			return "";
	}
	return "";
}

static void add_version(const struct versions *versions, size_t i, struct image_symbol *symbol)
{
	GElf_Versym version;

	if (!versions->of_symbols || !gelf_getversym(versions->of_symbols, i, &version))
		return;
	symbol->version = version_name(versions, version & VERSION_INDEX);
	symbol->is_old = version & VERSION_HIDDEN;
}

/* ----------------------------------------------------------------- symbols */

static bool take_symbol(const struct image *image, const GElf_Sym *sym, const char *name,
			struct image_symbol *out)
{
	int type = GELF_ST_TYPE(sym->st_info);
	bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;

	if (!name || !*name || !sym->st_shndx || (!is_function && type != STT_OBJECT && type != STT_NOTYPE))
		return false;
	*out = (struct image_symbol){
		.name = name, .version = "", .addr = sym->st_value, .size = sym->st_size,
		.is_function = is_function, .is_chosen = type == STT_GNU_IFUNC,
		.is_global = GELF_ST_BIND(sym->st_info) != STB_LOCAL,
	};
	if (sym->st_shndx >= image->nr_sections)
		return true;
	out->is_text = image->sections[sym->st_shndx].is_text;
	if (image->is_module)
		out->addr += image->sections[sym->st_shndx].addr;
	return true;
}

static void symbols_of(const struct image *image, uint32_t table, const struct versions *versions,
		       bool (*each)(const struct image_symbol *symbol, void *arg), void *arg)
{
	Elf *elf = image->file ? image->file->elf : NULL;
	struct image_symbol symbol;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	Elf_Data *data;
	GElf_Sym sym;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != table || !shdr.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		for (size_t i = 0; data && i < shdr.sh_size / shdr.sh_entsize; i++) {
			if (!gelf_getsym(data, i, &sym) ||
			    !take_symbol(image, &sym, elf_strptr(elf, shdr.sh_link, sym.st_name), &symbol))
				continue;
			if (versions)
				add_version(versions, i, &symbol);
			if (!each(&symbol, arg))
				return;
		}
	}
}

void image_symbols(const struct image *image,
		   bool (*each)(const struct image_symbol *symbol, void *arg), void *arg)
{
	symbols_of(image, SHT_SYMTAB, NULL, each, arg);
}

void image_dynamic_symbols(const struct image *image,
			   bool (*each)(const struct image_symbol *symbol, void *arg), void *arg)
{
	struct versions versions;

	if (!image->file)
		return;
	find_versions(image, &versions);
	symbols_of(image, SHT_DYNSYM, &versions, each, arg);
}

bool image_has_thread_local(const struct image *image, image_means *means, const char *name)
{
	const char *symbol;
	Elf *elf = image->file ? image->file->elf : NULL;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	Elf_Data *data;
	GElf_Sym sym;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || (shdr.sh_type != SHT_SYMTAB && shdr.sh_type != SHT_DYNSYM) || !shdr.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		for (size_t i = 0; data && i < shdr.sh_size / shdr.sh_entsize && gelf_getsym(data, i, &sym); i++)
			if (GELF_ST_TYPE(sym.st_info) == STT_TLS) {
				symbol = elf_strptr(elf, shdr.sh_link, sym.st_name);
				if (symbol && means(symbol, name))
					return true;
			}
	}
	return false;
}
