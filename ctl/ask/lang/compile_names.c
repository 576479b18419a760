// SPDX-License-Identifier: GPL-2.0-or-later
/* compile_names.c - the names of the values of an item: enumerators, bools, flags.  See compile.h. */
#include "ctl/ask/lang/compile_int.h"

#include <libdwarf/dwarf.h>
#include <string.h>

#include "ctl/ask/events/value_names.h"
#include "ctl/ask/resolve/flag_table.h"
#include "ctl/ask/resolve/vars.h"
#include "ctl/base/device/field_names.h"
#include "ctl/base/memory.h"
#include "symbols/index/type.h"

static void name_bools(struct field *field)
{
	field_add_name(field, 0, "false");
	field_add_name(field, 1, "true");
}

/* Attach names of enumerators, if there are not too many. */
static void name_values(struct field *field, struct expr_type type)
{
	struct type list;
	const char *name;
	int64_t value;

	if (type.stars || !type.ix || !type_resolve(type.ix, type.number, &list))
		return;
	if (list.kind == TYPE_BASE && list.encoding == DW_ATE_boolean)
		name_bools(field);
	if (list.kind != TYPE_ENUM || list.nr > FIELD_NAMES)
		return;
	while (type_next_value(type.ix, &list, &name, &value))
		field_add_name(field, value, name);
}

static bool flags_of_table(struct compiler *c, struct field *field, const char *type, struct error *err)
{
	struct flag_table table;

	if (!c->vars)
		return error_set(err, STATUS_FAILURE, "flags of %s: known only where a kernel runs", type);
	if (!flag_table_of(c->vars->target, type, &table, err))
		return false;
	for (size_t i = 0; i < table.n; i++)
		field_add_name(field, (int64_t)table.v[i].mask, table.v[i].name);
	return true;
}

static bool is_plain(const struct field *field)
{
	return field->kind == FIELD_INT && !field->show && !field->nr_names;
}

/* `file->f_flags`, `flags` */
static bool is_called_flags(const char *name)
{
	static const char word[] = "flags";
	const size_t len = strlen(name);

	return len >= strlen(word) && !strcmp(name + len - strlen(word), word);
}

void compile_names(struct compiler *c, struct field *field, struct expr_type type)
{
	struct error unused;

	name_values(field, type);
	if (type.stars && type.show == SHOW_RESULT)
		field->show = SHOW_RESULT;
	/* Recordings keep their metadata small: no names of flags. */
	if (type.stars || (c->desc->is_packed && (!type.show || type.show == SHOW_FLAGS)))
		return;
	/* Negative enumerators are no errors. */
	if (type.show != SHOW_RESULT || !field->nr_names)
		field->show = type.show;
	if ((type.show == SHOW_FLAGS && !flags_of_table(c, field, type.flags, &unused)) ||
	    (type.shape == SHAPE_NUMBER && type.bytes > 1 && is_plain(field) && is_called_flags(field->name) &&
	     !value_has_names(c->desc->name, field->name)))
		field->show = SHOW_HEX;
}

/* --------------------------------------------------------------------- :flags */

/* "READ,WRITE,,EXEC": a bit without a name is left empty. */
static bool flags_of_list(struct field *field, const char *list, const char *what, struct error *err)
{
	unsigned int bit = 0;

	for (size_t len; *list; list += len + (list[len] == ','), bit++) {
		AUTO_FREE char *name = mem_strndup(list, len = strcspn(list, ","));

		if (bit >= 8U * field->bytes)
			return error_set(err, STATUS_USAGE, "%s: more names than the %d bits of the value", what, 8 * field->bytes);
		if (len)
			field_add_name(field, (int64_t)(1ULL << bit), name);
	}
	return field->nr_names || error_set(err, STATUS_USAGE, "%s: no name: name the bits from the lowest on, as in :flags(READ,WRITE)", what);
}

/* Enumerators that count up from 0 are the numbers of bits, as those of enum pageflags. */
static bool are_bit_numbers(const struct dbindex *ix, struct type list)
{
	uint64_t seen = 0;
	const char *name;
	int64_t value;

	while (type_next_value(ix, &list, &name, &value))
		if (value >= 0 && value < 64)
			seen |= 1ULL << value;
	return (seen & 0xf) == 0xf;
}

static bool flags_of_enum(struct compiler *c, struct field *field, const char *type, const char *what, struct error *err)
{
	const struct dbindex *ix;
	struct type list;
	uint32_t number;
	const char *name;
	int64_t value;
	bool bits;

	if (!c->vars || !vars_type(c->vars, type, &ix, &number, err))
		return c->vars || error_set(err, STATUS_FAILURE, "%s: types are not known here", what);
	if (!type_resolve(ix, number, &list) || list.kind != TYPE_ENUM || list.nr > FIELD_NAMES)
		return error_set(err, STATUS_USAGE, "%s: %s has no names of flags: they are known of gfp_t, vm_flags_t, fmode_t, pageflags and enums", what,
				 type);
	bits = are_bit_numbers(ix, list);
	while (type_next_value(ix, &list, &name, &value))
		if (!bits)
			field_add_name(field, value, name);
		else if (value >= 0 && value < 64)
			field_add_name(field, (int64_t)(1ULL << value), name);
	return true;
}

bool compile_flags(struct compiler *c, struct field *field, const char *of, const char *what, struct error *err)
{
	field_drop_names(field);
	field->show = SHOW_FLAGS;
	if (strchr(of, ','))
		return flags_of_list(field, of, what, err);
	if (flag_table_has(of))
		return flags_of_table(c, field, of, err);
	return flags_of_enum(c, field, of, what, err);
}
