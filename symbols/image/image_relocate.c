// SPDX-License-Identifier: GPL-2.0-or-later
/* image_relocate.c - place a module's sections at addresses, and relocate its debug information. */
#include <stdlib.h>
#include <string.h>

#include "arch/elf.h"
#include "symbols/image/image_int.h"

#define FIRST_ADDR	0x100000ULL	/* above any per-CPU data at 0 */
#define ALIGN		0x1000ULL

void image_relocate_sections(struct image *image)
{
	uint64_t at = FIRST_ADDR;

	for (size_t i = 0; i < image->nr_sections; i++) {
		struct image_section *section = &image->sections[i];

		if (!section->is_loaded || !section->size)
			continue;
		section->addr = at;
		at += (section->size + 2 * ALIGN - 1) & ~(ALIGN - 1);
	}
}

static uint64_t symbol_value(const struct image *image, const GElf_Sym *sym)
{
	if (sym->st_shndx > 0 && sym->st_shndx < image->nr_sections)
		return image->sections[sym->st_shndx].addr + sym->st_value;
	return sym->st_shndx == SHN_ABS ? sym->st_value : 0;
}

static bool apply_one(const struct image *image, struct image_section *to, const GElf_Rela *rela,
		      Elf_Data *symbols)
{
	const struct elf_relocation *kind = elf_relocation(image->machine, GELF_R_TYPE(rela->r_info));
	uint8_t *bytes = to->own;
	uint64_t value;
	GElf_Sym sym;

	if (!GELF_R_TYPE(rela->r_info))
		return true;
	if (!kind || rela->r_offset > to->data_size || to->data_size - rela->r_offset < kind->bytes ||
	    !gelf_getsym(symbols, GELF_R_SYM(rela->r_info), &sym))
		return false;
	value = symbol_value(image, &sym) + rela->r_addend;
	if (kind->relative)
		value -= to->addr + rela->r_offset;
	memcpy(bytes + rela->r_offset, &value, kind->bytes);
	return true;
}

static bool make_own(struct image_section *section)
{
	if (section->own)
		return true;
	section->own = malloc(section->data_size + 1);
	if (!section->own)
		return false;
	memcpy(section->own, section->data, section->data_size);
	section->data = section->own;
	return true;
}

static bool apply(struct image *image, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	struct image_section *to = &image->sections[shdr->sh_info];
	Elf_Data *relocations = elf_getdata(scn, NULL);
	Elf_Data *symbols = elf_getdata(elf_getscn(image->file->elf, shdr->sh_link), NULL);
	GElf_Rela rela;

	if (!relocations || !symbols || !shdr->sh_entsize || !make_own(to))
		return false;
	for (size_t i = 0; i < shdr->sh_size / shdr->sh_entsize; i++)
		if (!gelf_getrela(relocations, i, &rela) || !apply_one(image, to, &rela, symbols))
			return false;
	return true;
}

static bool concerns_debug(const struct image *image, const GElf_Shdr *shdr)
{
	const struct image_section *to;

	if (shdr->sh_type != SHT_RELA || !shdr->sh_info || shdr->sh_info >= image->nr_sections)
		return false;
	to = &image->sections[shdr->sh_info];
	return to->data && (!strncmp(to->name, ".debug_", 7) || !strcmp(to->name, ".eh_frame") ||
			    !strcmp(to->name, ".orc_unwind_ip"));
}

bool image_relocate(struct image *image, struct debug_error *err)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(image->file->elf, scn)))
		if (gelf_getshdr(scn, &shdr) && concerns_debug(image, &shdr) && !apply(image, scn, &shdr))
			return debug_fail(err, "%s: its relocations cannot be applied: is the file whole?",
					  image->path);
	return true;
}
