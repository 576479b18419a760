// SPDX-License-Identifier: GPL-2.0-or-later
/* image_slot.c - where the loader puts the functions that the ifuncs of a file have returned. */
#include "arch/elf.h"
#include "symbols/image/image_int.h"

/* The ifunc of a relocation.  False: it is none of this file. */
static bool find_ifunc(const GElf_Rela *rela, const struct elf_slot *kind, Elf_Data *symbols, uint64_t *ifunc)
{
	GElf_Sym sym;

	*ifunc = rela->r_addend;
	if (!kind->is_of_symbol)
		return true;
	if (rela->r_addend || !symbols || !gelf_getsym(symbols, GELF_R_SYM(rela->r_info), &sym) || !sym.st_shndx)
		return false;
	*ifunc = sym.st_value;
	return GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC;
}

void image_slots(const struct image *image, bool (*each)(uint64_t slot, uint64_t ifunc, void *arg), void *arg)
{
	Elf *elf = image->file ? image->file->elf : NULL;
	Elf_Data *data, *symbols;
	Elf_Scn *scn = NULL;
	uint64_t ifunc;
	GElf_Shdr shdr;
	GElf_Rela rela;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_RELA || !(shdr.sh_flags & SHF_ALLOC) || !shdr.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		symbols = elf_getdata(elf_getscn(elf, shdr.sh_link), NULL);
		for (size_t i = 0; data && i < shdr.sh_size / shdr.sh_entsize && gelf_getrela(data, i, &rela); i++) {
			const struct elf_slot *kind = elf_slot(image->machine, GELF_R_TYPE(rela.r_info));

			if (kind && find_ifunc(&rela, kind, symbols, &ifunc) && !each(rela.r_offset, ifunc, arg))
				return;
		}
	}
}
