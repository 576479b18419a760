// SPDX-License-Identifier: GPL-2.0-or-later
/* compile_saved.c - what a tracepoint at the end of a call records of its begin: how long it took, and what was saved there. */
#include "ctl/ask/lang/compile_int.h"

#include <stdlib.h>

#include "ctl/base/device/field_names.h"
#include "ctl/base/memory.h"

static bool put_elapsed(struct compiler *c, enum field_kind kind, struct error *err)
{
	struct field *field = compile_add_field(c, kind, 8, err);

	if (!field)
		return false;
	compile_name_field(field, "elapsed");
	compile_may_fault(c, field);
	compile_put(c, (struct kt_insn){ .op = KT_OP_ELAPSED, .dst = VALUE });
	return compile_put_emit(c, 8, err);
}

static struct field copy_field(const struct field *from)
{
	struct field field = *from;

	field.names = NULL;
	field.nr_names = 0;
	for (size_t i = 0; i < from->nr_names; i++)
		field_add_name(&field, from->names[i].value, from->names[i].name);
	return field;
}

/* Code that emits a saved field, whose bytes are at `at` of the saved data. */
static struct kt_insn saved_insn(const struct field *from, size_t at)
{
	return (struct kt_insn){ .op = KT_OP_EMITSAVED, .src = from->fault_bit + 1, .aux = field_payload(from) / 4, .imm = at };
}

/* Add a saved field: its fault bit is in the first saved word. */
static struct field *add_saved(struct compiler *c, const struct field *from, struct error *err)
{
	struct field *field = compile_add_field(c, from->kind, from->bytes, err);

	if (!field)
		return NULL;
	*field = copy_field(from);
	field->fault_bit = -1;
	c->wants_base |= field->is_code;
	if (field_payload(from))
		compile_may_fault(c, field);
	return field;
}

static bool put_saved(struct compiler *c, const struct field *from, size_t *at, struct error *err)
{
	const size_t bytes = field_payload(from);

	if (!add_saved(c, from, err))
		return false;
	if (!bytes)
		return true;
	compile_put(c, saved_insn(from, *at));
	*at += bytes;
	return compile_emitted(c, bytes, err);
}

bool compile_saved(struct compiler *c, const struct desc *from, struct error *err)
{
	size_t at = desc_mask(from);
	bool ok = put_elapsed(c, FIELD_INT, err);

	for (size_t i = 0; ok && i < from->nr_fields && !from->fields[i].is_base; i++)
		ok = put_saved(c, &from->fields[i], &at, err);
	return ok;
}

bool compile_elapsed(struct compiler *c, struct error *err)
{
	return put_elapsed(c, FIELD_ELAPSED, err);
}

/* Record whether a string was unreadable at the entry: VALUE is 1 if it was, else 0. */
static bool put_late(struct compiler *c, const struct field *string, struct error *err)
{
	AUTO_FREE char *full = mem_printf("%s read at the return", string->name);
	struct field *field = compile_add_field(c, FIELD_INT, 4, err);

	if (!field)
		return false;
	compile_name_field(field, full);
	field->is_late = true;
	compile_may_fault(c, field);
	compile_put(c, (struct kt_insn){ .op = KT_OP_SAVED, .dst = VALUE, .aux = KT_SIZE_U32 });
	compile_put(c, (struct kt_insn){ .op = KT_OP_ALUI, .dst = VALUE, .aux = KT_ALU_SHR, .imm = string->fault_bit });
	compile_put(c, (struct kt_insn){ .op = KT_OP_ALUI, .dst = VALUE, .aux = KT_ALU_AND, .imm = 1 });
	return compile_put_emit(c, 4, err);
}

/*
 * Record a saved string with its address.  If it was unreadable at the entry, perhaps the kernel has brought its page in since
 * then: read it now.  The address does not change VALUE.  Of a call whose entry was not seen, VALUE is unreadable, and so is
 * what was saved.
 */
static bool put_saved_string(struct compiler *c, const struct field *address, size_t *at, struct error *err)
{
	const struct field *string = address + 1;
	const size_t address_at = *at;

	if (!put_late(c, string, err) || !put_saved(c, address, at, err) || !add_saved(c, string, err))
		return false;
	compile_put(c, (struct kt_insn){ .op = KT_OP_CMPI, .dst = VALUE, .aux = KT_CMP_NE, .src = 2, .imm = 0 });
	compile_put(c, saved_insn(string, *at));
	compile_put(c, (struct kt_insn){ .op = KT_OP_CMP, .aux = KT_CMP_ALWAYS, .imm = 2 });
	compile_put(c, (struct kt_insn){ .op = KT_OP_SAVED, .dst = VALUE, .src = address->fault_bit + 1, .aux = KT_SIZE_U64, .imm = address_at });
	compile_put(c, (struct kt_insn){ .op = KT_OP_EMITSTR, .src = VALUE, .imm = field_payload(string) });
	*at += field_payload(string);
	return compile_emitted(c, field_payload(string), err);
}

/* The saved items come after the mask of unreadable ones, if there is one. */
bool compile_entry(struct compiler *c, struct error *err)
{
	const size_t first = c->nr_entries ? c->entry_ends[c->nr_entries - 1] : 0;
	const size_t end = c->entry_ends[c->nr_entries++];

	if (!first && c->entry->has_faults)
		c->entry_at = 4;
	for (size_t i = first; i < end; i++) {
		const struct field *field = &c->entry->fields[i];

		if (!(field->is_address ? put_saved_string : put_saved)(c, field, &c->entry_at, err))
			return false;
		i += field->is_address;
	}
	return true;
}
