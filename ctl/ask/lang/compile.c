// SPDX-License-Identifier: GPL-2.0-or-later
/* compile.c - compile options to the capture program.  See compile.h. */
#include "ctl/ask/lang/compile_int.h"

#include <libdwarf/dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/resolve/vars.h"
#include "ctl/base/device/field_names.h"
#include "ctl/base/device/property.h"
#include "ctl/base/memory.h"
#include "symbols/index/type.h"


void code_put(struct code *code, struct kt_insn insn)
{
	code->v = MEM_MORE(code->v, code->n);
	code->v[code->n++] = insn;
}

void code_put_const(struct code *code, uint8_t dst, uint64_t value)
{
	code_put(code, (struct kt_insn){ .op = KT_OP_IMM, .dst = dst, .imm = (int32_t)value });
	if (!code_fits(value))
		code_put(code, (struct kt_insn){ .op = KT_OP_IMMHI, .dst = dst,
						 .imm = (int32_t)(value >> 32) });
}

void code_put_reg(struct code *code, const struct arch_ops *arch, const struct arch_reg *reg,
		  uint8_t dst)
{
	static const uint8_t sizes[] = { [1] = KT_SIZE_U8, [2] = KT_SIZE_U16, [4] = KT_SIZE_U32 };

	if (reg->dwarf == arch->dwarf_psr)
		code_put(code, (struct kt_insn){ .op = KT_OP_PSR, .dst = dst });
	else
		code_put(code, (struct kt_insn){ .op = KT_OP_REG, .dst = dst, .imm = reg->dwarf });
	if (reg->shift)
		code_put(code, (struct kt_insn){ .op = KT_OP_ALUI, .dst = dst, .aux = KT_ALU_SHR,
						 .imm = reg->shift });
	if (reg->bytes < 8)
		code_put(code, (struct kt_insn){ .op = KT_OP_EXT, .dst = dst,
						 .aux = sizes[reg->bytes] });
}

static bool too_much(struct error *err)
{
	return error_set(err, STATUS_USAGE, "too much data: a record has at most %d bytes: record less",
			 KT_MAX_PAYLOAD);
}

void compile_put(struct compiler *c, struct kt_insn insn)
{
	code_put(&c->body, insn);
}

bool compile_emitted(struct compiler *c, size_t bytes, struct error *err)
{
	c->nr_emits++;
	c->payload += bytes;
	return c->payload <= KT_MAX_PAYLOAD || too_much(err);
}

bool compile_put_emit(struct compiler *c, uint8_t bytes, struct error *err)
{
	code_put(&c->body, (struct kt_insn){ .op = KT_OP_EMIT, .src = VALUE, .aux = bytes });
	return compile_emitted(c, bytes, err);
}

struct field *compile_add_field(struct compiler *c, enum field_kind kind, uint8_t bytes,
				struct error *err)
{
	struct desc *desc = c->desc;
	struct field *field;

	if (desc->nr_fields == KT_MAX_ITEMS) {
		error_set(err, STATUS_USAGE,
			  "too many items: a tracepoint records at most %d: leave some out",
			  KT_MAX_ITEMS);
		return NULL;
	}
	desc->fields = MEM_MORE(desc->fields, desc->nr_fields);
	field = &desc->fields[desc->nr_fields++];
	/* Clear the padding, too, because desc_encode_like() compares all bytes. */
	memset(field, 0, sizeof(*field));
	field->kind = kind;
	field->bytes = bytes;
	field->fault_bit = -1;
	return field;
}

/* Cut longer names; `list` shows the complete options. */
void compile_name_field(struct field *field, const char *name)
{
	if (!field)
		return;
	if (strlen(name) < sizeof(field->name))
		strcpy(field->name, name);
	else
		snprintf(field->name, sizeof(field->name), "%.*s...", (int)sizeof(field->name) - 4,
			 name);
}

bool compile_current(struct compiler *c, const struct property *property, struct error *err)
{
	struct field *field = compile_add_field(c, FIELD_NUMBER, 4, err);

	if (!field)
		return false;
	compile_name_field(field, property->name);
	field->is_signed = property->is_signed;
	/* PID and TGID are words of struct task_struct and have an instruction of their own. */
	if (property->number != KT_CUR_PID && property->number != KT_CUR_TGID) {
		compile_put(c, (struct kt_insn){ .op = KT_OP_CUR, .dst = VALUE, .imm = property->number });
		return compile_put_emit(c, 4, err);
	}
	compile_put(c, (struct kt_insn){ .op = KT_OP_EMITCUR, .imm = property->number });
	return compile_emitted(c, 4, err);
}

bool compile_psr(struct compiler *c, struct error *err)
{
	struct field *field = compile_add_field(c, FIELD_PSR, 8, err);

	compile_name_field(field, "psr");
	compile_put(c, (struct kt_insn){ .op = KT_OP_PSR, .dst = VALUE });
	return field && compile_put_emit(c, 8, err);
}

bool compile_allregs(struct compiler *c, struct error *err)
{
	struct field *field = compile_add_field(c, FIELD_ALLREGS, 8, err);

	compile_name_field(field, "allregs");
	compile_put(c, (struct kt_insn){ .op = KT_OP_EMITREGS });
	return field && compile_emitted(c, 8 * c->arch->nr_all_regs, err);
}

bool compile_reg(struct compiler *c, const struct arch_reg *reg, struct error *err)
{
	struct field *field = compile_add_field(c, FIELD_REG, reg->bytes, err);

	compile_name_field(field, reg->name);
	if (reg->bytes == 8 && reg->dwarf != c->arch->dwarf_psr) {
		compile_put(c, (struct kt_insn){ .op = KT_OP_EMITREG, .imm = reg->dwarf });
		return field && compile_emitted(c, 8, err);
	}
	code_put_reg(&c->body, c->arch, reg, VALUE);
	return field && compile_put_emit(c, 8, err);
}

bool compile_const(struct compiler *c, uint64_t value, struct error *err)
{
	struct field *field = compile_add_field(c, FIELD_CONST, 0, err);

	compile_name_field(field, "const");
	if (field)
		field->value = value;
	return field;
}

/* The next item to emit may be unreadable. */
void compile_may_fault(struct compiler *c, struct field *field)
{
	field->fault_bit = c->nr_emits;
	c->desc->has_faults = true;
}

/* A chain of one link. */
bool compile_relative(struct compiler *c, const char *base, uint16_t dwarf, int32_t bias, int32_t offset,
		      struct error *err)
{
	struct field *field = compile_add_field(c, FIELD_WORD, 8, err);
	int32_t sum;
	AUTO_FREE char *name = mem_printf("%s%c0x%" PRIx64, base, offset < 0 ? '-' : '+',
					  offset < 0 ? -(int64_t)offset : (int64_t)offset);

	if (!field)
		return false;
	if (__builtin_add_overflow(bias, offset, &sum))
		return error_set(err, STATUS_USAGE, "%s: the offset is too large", name);
	compile_name_field(field, name);
	compile_may_fault(c, field);
	compile_put(c, (struct kt_insn){ .op = KT_OP_EMITCHAIN, .src = 1, .aux = KT_SIZE_U64,
				 .imm = dwarf });
	compile_put(c, (struct kt_insn){ .op = KT_OP_LINK, .imm = sum });
	return compile_emitted(c, 8, err);
}

bool compile_fixed(struct compiler *c, const char *name, uint64_t addr, struct error *err)
{
	struct field *field = compile_add_field(c, FIELD_WORD, 8, err);

	if (!field)
		return false;
	compile_name_field(field, name);
	compile_may_fault(c, field);
	code_put_const(&c->body, VALUE, addr);
	compile_put(c, (struct kt_insn){ .op = KT_OP_LOAD, .dst = VALUE, .src = VALUE,
				 .aux = KT_SIZE_U64 });
	return compile_put_emit(c, 8, err);
}

bool compile_comm(struct compiler *c, struct error *err)
{
	struct field *field = compile_add_field(c, FIELD_STRING, 1, err);

	if (!field)
		return false;
	compile_name_field(field, "comm");
	field->length = KT_COMM_BYTES;
	compile_put(c, (struct kt_insn){ .op = KT_OP_EMITCOMM });
	return compile_emitted(c, KT_COMM_BYTES, err);
}

bool compile_stack(struct compiler *c, enum kt_op op, const char *name, uint32_t depth, struct error *err)
{
	struct field *field = compile_add_field(c, FIELD_BACKTRACE, 8, err);

	if (!field)
		return false;
	compile_name_field(field, name);
	field->length = depth;
	compile_put(c, (struct kt_insn){ .op = op, .imm = depth });
	return compile_emitted(c, 8 * depth, err);
}

/* The value is in register VALUE when `last` has run. */
static bool put_caller(struct compiler *c, struct kt_insn last, struct error *err)
{
	struct field *field = compile_add_field(c, FIELD_WORD, 8, err);

	if (!field)
		return false;
	compile_name_field(field, CALLER_FIELD);
	compile_may_fault(c, field);
	compile_put(c, last);
	return compile_put_emit(c, 8, err);
}

bool compile_caller(struct compiler *c, uint32_t depth, struct error *err)
{
	return put_caller(c, (struct kt_insn){ .op = KT_OP_CALLER, .dst = VALUE, .imm = depth }, err);
}

bool compile_caller_in(struct compiler *c, uint64_t from, uint64_t to, struct error *err)
{
	code_put_const(&c->body, VALUE, from);
	code_put_const(&c->body, VALUE + 1, to);
	return put_caller(c, (struct kt_insn){ .op = KT_OP_CALLERIN, .dst = VALUE, .src = VALUE + 1 }, err);
}

/* ------------------------------------------------------------- expressions */

#define PACKED_ITEMS	16	/* bits of KT_OP_FAULTS2 */

bool compile_text_at(struct compiler *c, const char *name, uint8_t op, uint16_t bytes, struct error *err)
{
	struct field *field = compile_add_field(c, FIELD_STRING, 1, err);

	if (!field)
		return false;
	compile_name_field(field, name);
	compile_may_fault(c, field);
	field->length = bytes;
	field->most = op == KT_OP_EMITBYTES ? bytes : 0;
	field->varies = op == KT_OP_EMITTEXT;
	compile_put(c, (struct kt_insn){ .op = op, .src = VALUE, .imm = bytes });
	return compile_emitted(c, bytes, err);
}

/* Record a string of so many characters, with its 0 if it varies. */
static struct field *put_text(struct compiler *c, const char *name, uint16_t characters, struct error *err)
{
	const bool ok = c->desc->is_packed ? compile_text_at(c, name, KT_OP_EMITTEXT, (characters + 2) / 2 * 2, err) :
					     compile_text_at(c, name, KT_OP_EMITSTR, (characters + 3) / 4 * 4, err);

	return ok ? &c->desc->fields[c->desc->nr_fields - 1] : NULL;
}

/* One character more than is shown, at least. */
static bool put_string(struct compiler *c, const char *name, uint16_t limit, struct error *err)
{
	struct field *field = put_text(c, name, limit + 1, err);

	if (field)
		field->limit = limit;
	return field;
}

/* Record VALUE, the address of the string; it is shown where the string is unreadable. */
static bool put_address(struct compiler *c, const char *name, const struct expr *e, struct error *err)
{
	AUTO_FREE char *full = mem_printf("%s address", name);
	struct field *field = compile_add_field(c, FIELD_POINTER, 8, err);

	if (!field)
		return false;
	compile_name_field(field, full);
	field->is_address = true;
	if (!c->is_readable && expr_can_fault(e, c->in_call))
		compile_may_fault(c, field);
	return compile_put_emit(c, 8, err);
}

bool compile_chars(struct compiler *c, const char *name, const struct expr *e, uint16_t bytes, struct error *err)
{
	return code_value(&c->body, c->arch, e, err) && put_string(c, name, bytes, err);
}

bool compile_string(struct compiler *c, const char *name, const struct expr *e, uint16_t bytes, struct error *err)
{
	return code_value(&c->body, c->arch, e, err) && (c->desc->is_packed || put_address(c, name, e, err)) &&
	       put_string(c, name, bytes, err);
}

bool compile_contents_text(struct compiler *c, const char *name, const struct expr *e, const struct expr_contents *contents,
			   uint16_t bytes, struct error *err)
{
	const struct expr *pointer = e->type.stars ? e : contents->what;

	if (!c->desc->is_packed && !(code_value(&c->body, c->arch, pointer, err) && put_address(c, name, pointer, err)))
		return false;
	if (!code_values(&c->body, c->arch, contents->what, contents->length, err) ||
	    !compile_text_at(c, name, KT_OP_EMITPART, (bytes + 1 + 3) / 4 * 4, err))
		return false;
	c->body.v[c->body.n - 1].aux = VALUE + 1;
	c->desc->fields[c->desc->nr_fields - 1].limit = bytes;
	return true;
}

static bool put_number(struct compiler *c, struct field *field, const struct expr *e, struct error *err)
{
	const uint8_t bytes = field->bytes == 8 ? 8 : 4;

	if (!c->is_readable && expr_can_fault(e, c->in_call))
		compile_may_fault(c, field);
	field->is_half = c->desc->is_packed && field->bytes <= 2;
	if (!field->is_half && code_chain(&c->body, c->arch, e))
		return compile_emitted(c, bytes, err);
	if (code_direct(&c->body, c->arch, e, field->is_half ? 2 : bytes))
		return compile_emitted(c, field->is_half ? 2 : bytes, err);
	if (!code_value(&c->body, c->arch, e, err))
		return false;
	if (!field->is_half)
		return compile_put_emit(c, bytes, err);
	compile_put(c, (struct kt_insn){ .op = KT_OP_EMIT2, .src = VALUE });
	return compile_emitted(c, 2, err);
}

bool compile_absent(struct compiler *c, const char *name, const char *text, struct error *err)
{
	struct field *field = compile_add_field(c, FIELD_TEXT, 8, err);

	compile_name_field(field, name);
	if (field)
		snprintf(field->text, sizeof(field->text), "%s", text);
	return field;
}

/* A pointer to a function of a program. */
static bool is_program_code(const struct compiler *c, struct expr_type type)
{
	return c->vars && c->vars->target->program && type.stars == 1 && !type.slice && type.shape == SHAPE_FUNCTION;
}

bool compile_number(struct compiler *c, const char *name, const struct expr *e, struct error *err)
{
	const enum field_kind kind = e->type.stars ? FIELD_POINTER : expr_is_float(e->type) ? FIELD_FLOAT : FIELD_INT;
	struct field *field = compile_add_field(c, kind, expr_bytes(e->type), err);

	if (!field)
		return false;
	compile_name_field(field, name);
	field->is_signed = expr_is_signed(e->type);
	field->is_code = is_program_code(c, e->type);
	c->wants_base |= field->is_code;
	compile_names(c, field, e->type);
	return put_number(c, field, e, err);
}

bool compile_is_row(const struct expr *e)
{
	const struct expr_type type = e->type;

	if (e->kind != EXPR_LOAD || type.stars || type.shape != (type.slice ? SHAPE_NUMBER : SHAPE_ARRAY))
		return false;
	return type.is_byte ? expr_count(type) : type.is_char;
}

bool compile_text(struct compiler *c, const char *name, const struct expr *e, struct error *err)
{
	const uint64_t count = expr_count(e->type);
	struct field *field;

	if (count == KT_COMM_BYTES)
		return code_value(&c->body, c->arch, e->a, err) && compile_text_at(c, name, KT_OP_EMITBYTES, count, err);
	if (!count || count >= COMPILE_MOST_STR)
		return compile_chars(c, name, e->a, COMPILE_STR_BYTES, err);
	field = code_value(&c->body, c->arch, e->a, err) ? put_text(c, name, count, err) : NULL;
	if (field)
		field->most = count;
	return field;
}

bool compile_labelled(struct compiler *c, const char *name, const struct expr *e, struct error *err)
{
	const struct expr_type type = e->type;

	if (type.stars == 1 && type.is_char && type.shape == SHAPE_NUMBER && !type.slice)
		return compile_chars(c, name, e, COMPILE_STR_BYTES, err);
	return compile_value(c, name, e, err);
}

/* ------------------------------------------------------------------ program */

static void append(struct desc *desc, const struct kt_insn *insns, size_t n)
{
	if (!n)
		return;
	desc->prog = mem_grow(desc->prog, desc->prog_len + n, sizeof(*desc->prog));
	memcpy(desc->prog + desc->prog_len, insns, n * sizeof(*insns));
	desc->prog_len += n;
}

/* A table has nothing behind its value; a record that has no room shows addresses without names. */
static bool put_base(struct compiler *c, struct error *err)
{
	const struct expr_names names = { .arch = c->arch, .vars = c->vars };
	AUTO_EXPR struct expr *base = NULL;
	struct field *field;

	if (!c->wants_base || c->counts || c->desc->nr_fields == KT_MAX_ITEMS || c->payload + 8 + 4 > KT_MAX_PAYLOAD)
		return true;
	base = expr_base(&names);
	field = compile_add_field(c, FIELD_POINTER, 8, err);
	if (!field)
		return false;
	compile_name_field(field, "base");
	field->is_base = true;
	return code_value(&c->body, c->arch, base, err) && compile_put_emit(c, 8, err);
}

bool compile_finish(struct compiler *c, struct error *err)
{
	const struct kt_insn faults = { .op = c->desc->is_packed ? KT_OP_FAULTS2 : KT_OP_FAULTS };
	const struct kt_insn end = { .op = KT_OP_END };
	struct code conditions = c->filter;
	bool ok;

	/* ONLY... first: they are cheap and turn down most hits. */
	c->filter = (struct code){ 0 };
	ok = put_base(c, err) && compile_onlies(c, err);
	append(c->desc, c->filter.v, c->filter.n);
	append(c->desc, conditions.v, conditions.n);
	free(conditions.v);
	if (c->desc->has_faults)
		append(c->desc, &faults, 1);
	append(c->desc, c->body.v, c->body.n);
	append(c->desc, &end, 1);
	compile_drop(c);
	if (!ok)
		return false;
	if (desc_payload(c->desc) > KT_MAX_PAYLOAD)
		return too_much(err);
	if (c->desc->is_packed && c->nr_emits > PACKED_ITEMS)
		return error_set(err, STATUS_USAGE, "too many items: a recording takes at most %d of each event: leave some out",
				 PACKED_ITEMS);
	if (c->desc->prog_len > KT_MAX_PROG)
		return error_set(err, STATUS_USAGE,
				 "too many items and filters for one tracepoint: leave some out");
	return true;
}

void compile_drop(struct compiler *c)
{
	free(c->body.v);
	free(c->filter.v);
	free(c->onlies);
	c->body = c->filter = (struct code){ 0 };
	c->onlies = NULL;
	c->nr_onlies = 0;
}
