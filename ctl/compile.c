// SPDX-License-Identifier: GPL-2.0-or-later
/* compile.c - from options to the capture program.  See compile.h. */
#include "ctl/compile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/memory.h"

/* Registers of the capture machine, by what they are used for. */
enum { VALUE, SCRATCH, OTHER };

static void put(struct compiler *c, struct kt_insn insn)
{
	c->body = MEM_MORE(c->body, c->nr_body);
	c->body[c->nr_body++] = insn;
}

static void put_const(struct compiler *c, uint8_t dst, uint64_t value)
{
	put(c, (struct kt_insn){ .op = KT_OP_IMM, .dst = dst, .imm = (int32_t)value });
	if ((uint64_t)(int64_t)(int32_t)value != value)
		put(c, (struct kt_insn){ .op = KT_OP_IMMHI, .dst = dst,
					 .imm = (int32_t)(value >> 32) });
}

static void put_alu(struct compiler *c, uint8_t how, uint64_t operand)
{
	put_const(c, SCRATCH, operand);
	put(c, (struct kt_insn){ .op = KT_OP_ALU, .dst = VALUE, .src = SCRATCH, .aux = how });
}

static bool emitted(struct compiler *c, size_t bytes, struct error *err)
{
	c->nr_emits++;
	c->payload += bytes;
	return c->payload <= KT_MAX_PAYLOAD ||
	       error_set(err, STATUS_USAGE, "too much data: a record holds %d bytes: ask for less",
			 KT_MAX_PAYLOAD);
}

static bool put_emit(struct compiler *c, uint8_t bytes, struct error *err)
{
	put(c, (struct kt_insn){ .op = KT_OP_EMIT, .src = VALUE, .aux = bytes });
	return emitted(c, bytes, err);
}

static struct field *add_field(struct compiler *c, enum field_kind kind, uint8_t bytes,
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
	*field = (struct field){ .kind = kind, .bytes = bytes, .fault_bit = -1 };
	return field;
}

static void name_field(struct field *field, const char *name)
{
	if (field)
		snprintf(field->name, sizeof(field->name), "%s", name);
}

bool compile_current(struct compiler *c, enum field_kind kind, const char *name,
		     enum kt_cur property, struct error *err)
{
	struct field *field = add_field(c, kind, 4, err);

	name_field(field, name);
	/* The processor is not a word of the task. */
	if (property == KT_CUR_CPU) {
		put(c, (struct kt_insn){ .op = KT_OP_CUR, .dst = VALUE, .imm = property });
		return field && put_emit(c, 4, err);
	}
	put(c, (struct kt_insn){ .op = KT_OP_EMITCUR, .imm = property });
	return field && emitted(c, 4, err);
}

bool compile_psr(struct compiler *c, struct error *err)
{
	struct field *field = add_field(c, FIELD_PSR, 8, err);

	name_field(field, "psr");
	put(c, (struct kt_insn){ .op = KT_OP_PSR, .dst = VALUE });
	return field && put_emit(c, 8, err);
}

bool compile_allregs(struct compiler *c, struct error *err)
{
	struct field *field = add_field(c, FIELD_ALLREGS, 8, err);

	name_field(field, "allregs");
	put(c, (struct kt_insn){ .op = KT_OP_EMITREGS });
	return field && emitted(c, 8 * c->arch->nr_all_regs, err);
}

/* The register that it is (part of), in VALUE. */
static void put_whole_reg(struct compiler *c, const struct arch_reg *reg)
{
	if (reg->dwarf == c->arch->dwarf_psr)
		put(c, (struct kt_insn){ .op = KT_OP_PSR, .dst = VALUE });
	else
		put(c, (struct kt_insn){ .op = KT_OP_REG, .dst = VALUE, .imm = reg->dwarf });
}

bool compile_reg(struct compiler *c, const struct arch_reg *reg, struct error *err)
{
	struct field *field = add_field(c, FIELD_REG, reg->bytes, err);

	name_field(field, reg->name);
	if (reg->bytes == 8 && reg->dwarf != c->arch->dwarf_psr) {
		put(c, (struct kt_insn){ .op = KT_OP_EMITREG, .imm = reg->dwarf });
		return field && emitted(c, 8, err);
	}
	put_whole_reg(c, reg);
	if (reg->shift)
		put_alu(c, KT_ALU_SHR, reg->shift);
	if (reg->bytes < 8)
		put_alu(c, KT_ALU_AND, (UINT64_C(1) << 8 * reg->bytes) - 1);
	return field && put_emit(c, 8, err);
}

bool compile_const(struct compiler *c, uint64_t value, struct error *err)
{
	struct field *field = add_field(c, FIELD_CONST, 0, err);

	name_field(field, "const");
	if (field)
		field->value = value;
	return field;
}

/* A word at the address in VALUE, plus offset. */
static bool put_word(struct compiler *c, const char *name, int32_t offset, struct error *err)
{
	struct field *field = add_field(c, FIELD_WORD, 8, err);

	if (!field)
		return false;
	name_field(field, name);
	field->fault_bit = c->nr_emits;
	c->desc->has_faults = true;
	put(c, (struct kt_insn){ .op = KT_OP_LOAD, .dst = VALUE, .src = VALUE,
				 .aux = KT_SIZE_U64, .imm = offset });
	return put_emit(c, 8, err);
}

bool compile_relative(struct compiler *c, const char *base, uint16_t dwarf, int32_t offset,
		      struct error *err)
{
	AUTO_FREE char *name = mem_printf("%s%c0x%" PRIx64, base, offset < 0 ? '-' : '+',
					  offset < 0 ? -(int64_t)offset : (int64_t)offset);

	put(c, (struct kt_insn){ .op = KT_OP_REG, .dst = VALUE, .imm = dwarf });
	return put_word(c, name, offset, err);
}

bool compile_fixed(struct compiler *c, const char *name, uint64_t addr, struct error *err)
{
	put_const(c, VALUE, addr);
	return put_word(c, name, 0, err);
}

void compile_only_pid(struct compiler *c, uint32_t pid)
{
	c->pids = MEM_MORE(c->pids, c->nr_pids);
	c->pids[c->nr_pids++] = pid;
}

/* ----------------------------------------------------------------- filter */

/*
 *	VALUE = pid, OTHER = tgid
 *	for each n:	SCRATCH = n; on VALUE == n or OTHER == n go behind the DROP
 *	DROP
 */
static void put_filter(struct compiler *c, const uint32_t *pids, size_t n)
{
	put(c, (struct kt_insn){ .op = KT_OP_CUR, .dst = VALUE, .imm = KT_CUR_PID });
	put(c, (struct kt_insn){ .op = KT_OP_CUR, .dst = OTHER, .imm = KT_CUR_TGID });
	for (size_t i = 0; i < n; i++) {
		int32_t behind = 3 * (n - 1 - i) + 1;

		put_const(c, SCRATCH, pids[i]);
		put(c, (struct kt_insn){ .op = KT_OP_CMP, .dst = VALUE, .src = SCRATCH,
					 .aux = KT_CMP_EQ, .imm = behind + 1 });
		put(c, (struct kt_insn){ .op = KT_OP_CMP, .dst = OTHER, .src = SCRATCH,
					 .aux = KT_CMP_EQ, .imm = behind });
	}
	put(c, (struct kt_insn){ .op = KT_OP_DROP });
}

static void append(struct desc *desc, const struct kt_insn *insns, size_t n)
{
	if (!n)
		return;
	desc->prog = mem_grow(desc->prog, desc->prog_len + n, sizeof(*desc->prog));
	memcpy(desc->prog + desc->prog_len, insns, n * sizeof(*insns));
	desc->prog_len += n;
}

bool compile_finish(struct compiler *c, struct error *err)
{
	const struct kt_insn faults = { .op = KT_OP_FAULTS }, end = { .op = KT_OP_END };
	struct compiler filter = { 0 };

	if (c->nr_pids)
		put_filter(&filter, c->pids, c->nr_pids);
	append(c->desc, filter.body, filter.nr_body);
	if (c->desc->has_faults)
		append(c->desc, &faults, 1);
	append(c->desc, c->body, c->nr_body);
	append(c->desc, &end, 1);
	compile_drop(&filter);
	compile_drop(c);
	if (desc_payload(c->desc) > KT_MAX_PAYLOAD)
		return error_set(err, STATUS_USAGE,
				 "too much data: a record holds %d bytes: ask for less",
				 KT_MAX_PAYLOAD);
	if (c->desc->prog_len > KT_MAX_PROG)
		return error_set(err, STATUS_USAGE,
				 "too many items and filters for one tracepoint: leave some out");
	return true;
}

void compile_drop(struct compiler *c)
{
	free(c->body);
	free(c->pids);
	c->body = NULL;
	c->pids = NULL;
	c->nr_body = c->nr_pids = 0;
}
