// SPDX-License-Identifier: GPL-2.0-or-later
/* dwarf_file.c - use libdwarf on an image.  See dwarf_file.h. */
#include "symbols/image/dwarf_file.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- sections */

static const struct image *image_of(void *obj)
{
	return obj;
}

/* Show only debug sections, and no relocations. */
static int section_info(void *obj, Dwarf_Half index, Dwarf_Obj_Access_Section *out, int *error)
{
	const struct image *image = image_of(obj);
	const struct image_section *section = &image->sections[index];
	bool shown = index < image->nr_sections && section->data &&
		     (section->type != SHT_RELA && section->type != SHT_SYMTAB && section->type != SHT_STRTAB);

	*error = 0;
	*out = (Dwarf_Obj_Access_Section){ .name = "" };
	if (shown) {
		out->name = section->name;
		out->type = section->type;
		out->size = section->data_size;
		out->addr = section->addr;
	}
	return DW_DLV_OK;
}

static Dwarf_Endianness byte_order(void *obj)
{
	return DW_OBJECT_LSB;
}

static Dwarf_Small word_size(void *obj)
{
	return 8;
}

static Dwarf_Unsigned section_count(void *obj)
{
	return image_of(obj)->nr_sections;
}

static int section_load(void *obj, Dwarf_Half index, Dwarf_Small **out, int *error)
{
	*error = 0;
	if (index >= image_of(obj)->nr_sections || !image_of(obj)->sections[index].data)
		return DW_DLV_NO_ENTRY;
	*out = (Dwarf_Small *)image_of(obj)->sections[index].data;
	return DW_DLV_OK;
}

static const Dwarf_Obj_Access_Methods methods = {
	.get_section_info = section_info,
	.get_byte_order = byte_order,
	.get_length_size = word_size,
	.get_pointer_size = word_size,
	.get_section_count = section_count,
	.load_section = section_load,
};

#define VISITS	16	/* for each byte of .debug_info; an entry has several bytes and is visited a few times */

bool dwarf_file_open(struct dwarf_file *file, const struct image *image, struct debug_error *err)
{
	const struct image_section *info = image_section(image, ".debug_info");
	Dwarf_Error error;

	*file = (struct dwarf_file){ .image = image, .left = info ? VISITS * info->data_size : 0 };
	file->access = (Dwarf_Obj_Access_Interface){ (void *)image, &methods };
	dwarf_set_de_alloc_flag(0);
	if (dwarf_object_init_b(&file->access, NULL, NULL, 0, &file->dbg, &error) == DW_DLV_OK)
		return true;
	return debug_fail(err, "%s: libdwarf cannot read it: is the file whole?", image->path);
}

void dwarf_file_close(struct dwarf_file *file)
{
	Dwarf_Error error;

	if (file->dbg)
		dwarf_object_finish(file->dbg, &error);
	file->dbg = NULL;
}

bool dwarf_file_next(struct dwarf_file *file, struct dwarf_unit *out)
{
	Dwarf_Unsigned length, type_offset, next;
	Dwarf_Half version, address_size, offset_size, extension, kind;
	Dwarf_Off abbrev, start, end;
	Dwarf_Sig8 signature;
	Dwarf_Error error;

	if (dwarf_next_cu_header_d(file->dbg, 1, &length, &version, &abbrev, &address_size, &offset_size,
				   &extension, &signature, &type_offset, &next, &kind, &error) != DW_DLV_OK ||
	    dwarf_siblingof_b(file->dbg, NULL, 1, &out->die, &error) != DW_DLV_OK)
		return false;
	out->version = version;
	out->offset_size = offset_size;
	if (dwarf_die_CU_offset_range(out->die, &start, &end, &error) != DW_DLV_OK)
		return false;
	out->offset = start;
	out->end = start + end;
	return true;
}

/* -------------------------------------------------------------- attributes */

static bool read_number(Dwarf_Attribute attr, Dwarf_Half form, uint64_t *out)
{
	Dwarf_Unsigned u;
	Dwarf_Signed s;
	Dwarf_Error error;
	Dwarf_Off off;

	if (form == DW_FORM_sec_offset) {
		if (dwarf_global_formref(attr, &off, &error) != DW_DLV_OK)
			return false;
		*out = off;
		return true;
	}
	if (form != DW_FORM_sdata && form != DW_FORM_implicit_const && dwarf_formudata(attr, &u, &error) == DW_DLV_OK) {
		*out = u;
		return true;
	}
	if (dwarf_formsdata(attr, &s, &error) != DW_DLV_OK)
		return false;
	*out = s;
	return true;
}

static bool read_ref(Dwarf_Attribute attr, uint64_t *out)
{
	Dwarf_Error error;
	Dwarf_Off off;

	if (dwarf_global_formref(attr, &off, &error) != DW_DLV_OK)
		return false;
	*out = off;
	return true;
}

static bool read_address(Dwarf_Attribute attr, uint64_t *out)
{
	Dwarf_Error error;
	Dwarf_Addr addr;

	if (dwarf_formaddr(attr, &addr, &error) != DW_DLV_OK)
		return false;
	*out = addr;
	return true;
}

static bool read_flag(Dwarf_Attribute attr)
{
	Dwarf_Error error;
	Dwarf_Bool flag;

	return dwarf_formflag(attr, &flag, &error) == DW_DLV_OK && flag;
}

static const char *read_string(Dwarf_Attribute attr)
{
	Dwarf_Error error;
	char *text;

	return dwarf_formstring(attr, &text, &error) == DW_DLV_OK ? text : NULL;
}

/* A block of any form; its bytes stay in the section. */
static bool read_block(struct dwarf_file *file, Dwarf_Attribute attr, Dwarf_Half form, const uint8_t **out,
		       uint64_t *len)
{
	Dwarf_Unsigned n;
	Dwarf_Block *block;
	Dwarf_Error error;
	Dwarf_Ptr at;

	if (form == DW_FORM_exprloc) {
		if (dwarf_formexprloc(attr, &n, &at, &error) != DW_DLV_OK)
			return false;
		*out = at;
		*len = n;
		return true;
	}
	if (dwarf_formblock(attr, &block, &error) != DW_DLV_OK)
		return false;
	*out = block->bl_data;
	*len = block->bl_len;
	dwarf_dealloc(file->dbg, block, DW_DLA_BLOCK);
	return true;
}

static bool is_block(Dwarf_Half form)
{
	return form == DW_FORM_exprloc || form == DW_FORM_block || form == DW_FORM_block1 ||
	       form == DW_FORM_block2 || form == DW_FORM_block4;
}

static bool is_address(Dwarf_Half form)
{
	return form == DW_FORM_addr || form == DW_FORM_addrx || form == DW_FORM_addrx1 || form == DW_FORM_addrx2 ||
	       form == DW_FORM_addrx3 || form == DW_FORM_addrx4;
}

static void read_low(struct dwarf_file *file, Dwarf_Attribute attr, Dwarf_Half form, struct entry *e)
{
	e->has |= read_address(attr, &e->low) ? HAS_LOW : 0;
}

static void read_high(struct dwarf_file *file, Dwarf_Attribute attr, Dwarf_Half form, struct entry *e)
{
	if (is_address(form))
		e->has |= read_address(attr, &e->high) ? HAS_HIGH : 0;
	else
		e->has |= read_number(attr, form, &e->high) ? HAS_HIGH | HIGH_IS_SIZE : 0;
}

static void read_entry_pc(struct dwarf_file *file, Dwarf_Attribute attr, Dwarf_Half form, struct entry *e)
{
	if (is_address(form))
		e->has |= read_address(attr, &e->entry) ? HAS_ENTRY : 0;
	else
		e->has |= read_number(attr, form, &e->entry) ? HAS_ENTRY | ENTRY_IS_OFFSET : 0;
}

static void read_ranges(struct dwarf_file *file, Dwarf_Attribute attr, Dwarf_Half form, struct entry *e)
{
	e->has |= read_number(attr, form, &e->ranges) ? HAS_RANGES : 0;
	e->has |= form == DW_FORM_rnglistx ? RANGES_IS_INDEX : 0;
}

static void read_constant(struct dwarf_file *file, Dwarf_Attribute attr, Dwarf_Half form, struct entry *e)
{
	uint64_t v;

	if (is_block(form)) {
		read_block(file, attr, form, &e->block, &e->block_len);
	} else if (read_number(attr, form, &v)) {
		e->constant = v;
		e->has |= HAS_CONSTANT;
	} else if (read_string(attr)) {
		e->block = (const uint8_t *)read_string(attr);
		e->block_len = strlen((const char *)e->block) + 1;
	}
}

static void read_location(struct dwarf_file *file, Dwarf_Attribute attr, Dwarf_Half form, struct entry *e)
{
	if (is_block(form)) {
		if (!read_block(file, attr, form, &e->expr, &e->expr_len))
			e->has |= HAS_UNREADABLE;
	} else if (read_number(attr, form, &e->loclist)) {
		e->has |= HAS_LOCLIST | (form == DW_FORM_loclistx ? LOCLIST_IS_INDEX : 0);
	} else {
		e->has |= HAS_UNREADABLE;
	}
}

static void read_frame(struct dwarf_file *file, Dwarf_Attribute attr, Dwarf_Half form, struct entry *e)
{
	if (is_block(form))
		read_block(file, attr, form, &e->frame, &e->frame_len);
}

/* In old versions the offset of a member is an expression: DW_OP_plus_uconst N. */
static void read_member(struct dwarf_file *file, Dwarf_Attribute attr, Dwarf_Half form, struct entry *e)
{
	const uint8_t *expr;
	uint64_t len = 0;

	if (!is_block(form)) {
		read_number(attr, form, &e->member);
	} else if (read_block(file, attr, form, &expr, &len) && len > 1 && expr[0] == DW_OP_plus_uconst) {
		e->member = 0;
		for (uint64_t i = 1, shift = 0; i < len && shift < 64; i++, shift += 7)
			e->member |= (uint64_t)(expr[i] & 0x7f) << shift;
	} else {
		e->has |= HAS_UNREADABLE;
	}
}

enum how { NUMBER, REFERENCE, FLAG, STRING, SPECIAL };

/* A row for each attribute that is used. */
static const struct row {
	uint16_t at;
	uint8_t how;
	uint16_t offset;
	uint32_t has;
	void (*special)(struct dwarf_file *file, Dwarf_Attribute attr, Dwarf_Half form, struct entry *e);
} rows[] = {
	{ DW_AT_name, STRING, offsetof(struct entry, name), 0, NULL },
	{ DW_AT_comp_dir, STRING, offsetof(struct entry, dir), 0, NULL },
	{ DW_AT_low_pc, SPECIAL, 0, 0, read_low },
	{ DW_AT_high_pc, SPECIAL, 0, 0, read_high },
	{ DW_AT_entry_pc, SPECIAL, 0, 0, read_entry_pc },
	{ DW_AT_ranges, SPECIAL, 0, 0, read_ranges },
	{ DW_AT_const_value, SPECIAL, 0, 0, read_constant },
	{ DW_AT_location, SPECIAL, 0, 0, read_location },
	{ DW_AT_frame_base, SPECIAL, 0, 0, read_frame },
	{ DW_AT_data_member_location, SPECIAL, 0, 0, read_member },
	{ DW_AT_discr_value, NUMBER, offsetof(struct entry, discr_value), HAS_DISCR_VALUE, NULL },
	{ DW_AT_stmt_list, NUMBER, offsetof(struct entry, stmt_list), HAS_STMT_LIST, NULL },
	{ DW_AT_rnglists_base, NUMBER, offsetof(struct entry, rnglists_base), 0, NULL },
	{ DW_AT_loclists_base, NUMBER, offsetof(struct entry, loclists_base), 0, NULL },
	{ DW_AT_addr_base, NUMBER, offsetof(struct entry, addr_base), 0, NULL },
	{ DW_AT_type, REFERENCE, offsetof(struct entry, type), 0, NULL },
	{ DW_AT_abstract_origin, REFERENCE, offsetof(struct entry, origin), 0, NULL },
	{ DW_AT_specification, REFERENCE, offsetof(struct entry, specification), 0, NULL },
	{ DW_AT_signature, REFERENCE, offsetof(struct entry, signature), 0, NULL },
	{ DW_AT_decl_file, NUMBER, offsetof(struct entry, decl_file), HAS_DECL_FILE, NULL },
	{ DW_AT_decl_line, NUMBER, offsetof(struct entry, decl_line), 0, NULL },
	{ DW_AT_decl_column, NUMBER, offsetof(struct entry, decl_column), 0, NULL },
	{ DW_AT_call_file, NUMBER, offsetof(struct entry, call_file), 0, NULL },
	{ DW_AT_call_line, NUMBER, offsetof(struct entry, call_line), 0, NULL },
	{ DW_AT_byte_size, NUMBER, offsetof(struct entry, byte_size), HAS_SIZE, NULL },
	{ DW_AT_bit_size, NUMBER, offsetof(struct entry, bit_size), 0, NULL },
	{ DW_AT_bit_offset, NUMBER, offsetof(struct entry, bit_offset), HAS_BIT_OFFSET, NULL },
	{ DW_AT_data_bit_offset, NUMBER, offsetof(struct entry, data_bit_offset), HAS_DATA_BIT, NULL },
	{ DW_AT_count, NUMBER, offsetof(struct entry, count), HAS_COUNT, NULL },
	{ DW_AT_upper_bound, NUMBER, offsetof(struct entry, upper), HAS_UPPER, NULL },
	{ DW_AT_encoding, NUMBER, offsetof(struct entry, encoding), 0, NULL },
	{ DW_AT_language, NUMBER, offsetof(struct entry, language), 0, NULL },
	{ DW_AT_calling_convention, NUMBER, offsetof(struct entry, convention), 0, NULL },
	{ DW_AT_declaration, FLAG, offsetof(struct entry, declaration), 0, NULL },
	{ DW_AT_external, FLAG, offsetof(struct entry, external), 0, NULL },
	{ DW_AT_artificial, FLAG, offsetof(struct entry, artificial), 0, NULL },
	{ DW_AT_prototyped, FLAG, offsetof(struct entry, prototyped), 0, NULL },
	{ DW_AT_variable_parameter, FLAG, offsetof(struct entry, is_result), 0, NULL },
	{ DW_AT_inline, NUMBER, offsetof(struct entry, is_inline), 0, NULL },
};

#define MOST_AT	0x90

/* The row of an attribute, by attribute number. */
static uint8_t row_of[MOST_AT];

__attribute__((constructor)) static void sort_rows(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		row_of[rows[i].at] = i + 1;
}

/*
 * It is in the file that .gnu_debugaltlink names, which is not read; libdwarf would take the offset for one in this
 * file.
 */
static bool is_in_altlink(Dwarf_Half form)
{
	return form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt || form == DW_FORM_ref_sup4 ||
	       form == DW_FORM_ref_sup8 || form == DW_FORM_strp_sup;
}

static void take(struct dwarf_file *file, Dwarf_Attribute attr, const struct row *row, struct entry *out)
{
	void *field = (char *)out + row->offset;
	Dwarf_Error error;
	Dwarf_Half form;

	if (dwarf_whatform(attr, &form, &error) != DW_DLV_OK || is_in_altlink(form))
		return;
	if (row->how == SPECIAL)
		row->special(file, attr, form, out);
	else if (row->how == REFERENCE)
		read_ref(attr, field);
	else if (row->how == FLAG)
		*(bool *)field = read_flag(attr);
	else if (row->how == STRING)
		*(const char **)field = read_string(attr);
	else if (row->at == DW_AT_inline)
		*(bool *)field = true;
	else if (!is_block(form) && form != DW_FORM_ref4 && read_number(attr, form, field))
		out->has |= row->has;
}

void entry_read(struct dwarf_file *file, Dwarf_Die die, struct entry *out)
{
	Dwarf_Attribute *attrs;
	Dwarf_Signed n;
	Dwarf_Error error;
	Dwarf_Off offset = 0;
	Dwarf_Half at;

	*out = (struct entry){ 0 };
	dwarf_tag(die, &out->tag, &error);
	dwarf_dieoffset(die, &offset, &error);
	out->offset = offset;
	if (dwarf_attrlist(die, &attrs, &n, &error) != DW_DLV_OK)
		return;
	for (Dwarf_Signed i = 0; i < n; i++) {
		if (dwarf_whatattr(attrs[i], &at, &error) == DW_DLV_OK && at < MOST_AT && row_of[at])
			take(file, attrs[i], &rows[row_of[at] - 1], out);
		dwarf_dealloc(file->dbg, attrs[i], DW_DLA_ATTR);
	}
	dwarf_dealloc(file->dbg, attrs, DW_DLA_LIST);
}

static bool is_behind(struct dwarf_file *file, Dwarf_Die next, Dwarf_Die die)
{
	Dwarf_Off at, before;
	Dwarf_Error error;

	return file->left && file->left-- && dwarf_dieoffset(next, &at, &error) == DW_DLV_OK &&
	       dwarf_dieoffset(die, &before, &error) == DW_DLV_OK && at > before;
}

void entry_children(struct dwarf_file *file, Dwarf_Die die,
		    void (*each)(Dwarf_Die child, void *arg), void *arg)
{
	Dwarf_Error error;
	Dwarf_Die child, next;

	if (dwarf_child(die, &child, &error) != DW_DLV_OK)
		return;
	for (;;) {
		bool more;

		each(child, arg);
		more = dwarf_siblingof_b(file->dbg, child, 1, &next, &error) == DW_DLV_OK;
		if (more && !is_behind(file, next, child)) {
			dwarf_dealloc(file->dbg, next, DW_DLA_DIE);
			more = false;
		}
		dwarf_dealloc(file->dbg, child, DW_DLA_DIE);
		if (!more)
			return;
		child = next;
	}
}
