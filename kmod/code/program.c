// SPDX-License-Identifier: GPL-2.0-only
/*
 * program.c - machine code for capture programs.  See generate.h.
 *
 * Each load is a call of a function of the module, because only the module's own text has an exception table.  If a load
 * fails, the code gives up: it jumps to its end, from where the interpreter runs the whole program.  The
 * verifier has checked that the payload has the same layout on all paths, so each item has a fixed offset.  Behind a
 * text, the address of the payload has moved: offsets count from the text's end.
 */
#include "kmod/code/code.h"
#include "kmod/code/generate.h"

/* Store 2, 4 or 8 bytes of the register as the next item. */
static void emit(struct code *c, u8 reg, u32 bytes)
{
	put_store(c, reg, c->out, c->offset, bytes);
	c->offset += bytes;
}

/* ------------------------------------------------------------------------ loads */

static bool make_load(struct code *c, const struct kt_insn *in)
{
	const struct address from = kt_code_address(c, in->src, in->imm);

	kt_code_load(c, from.base, from.offset, in->aux);
	put_move(c, kt_code_sets(c, in->dst), VALUE);
	return true;
}

static bool make_emitchain(struct code *c, const struct kt_insn *in)
{
	u8 base = kt_code_source(c, in->imm);
	u32 i;

	if (!kt_code_chain(c, in, base)) {
		for (i = 1; i < in->src; i++, base = VALUE)
			kt_code_load(c, base, in[i].imm, KT_SIZE_U64);
		/* Of a value with four bytes, no more are emitted. */
		kt_code_load(c, base, in[i].imm, in->aux == KT_SIZE_S32 ? KT_SIZE_U32 : in->aux);
	}
	emit(c, VALUE, in->aux == KT_SIZE_U64 ? 8 : 4);
	return true;
}

static bool make_link(struct code *c, const struct kt_insn *in)
{
	return true;
}

static bool make_emitbytes(struct code *c, const struct kt_insn *in)
{
	const struct address from = kt_code_address(c, in->src, 0);
	s32 at, part;

	for (at = 0; at < in->imm; at += part) {
		const s32 rest = in->imm - at;

		part = 16;
		if (rest >= part && kt_code_sixteen(c, (struct address){ from.base, from.offset + at }))
			continue;
		part = rest >= 8 ? 8 : rest >= 4 ? 4 : 2;
		kt_code_load(c, from.base, from.offset + at, part == 8 ? KT_SIZE_U64 : part == 4 ? KT_SIZE_U32 : KT_SIZE_U16);
		emit(c, VALUE, part);
	}
	return in->imm <= MOST_BYTES;
}

/* ---------------------------------------------------------------------- sources */

static bool make_reg(struct code *c, const struct kt_insn *in)
{
	kt_code_reg(c, in->dst, in->imm);
	return true;
}

static bool make_imm(struct code *c, const struct kt_insn *in)
{
	put_small(c, kt_code_sets(c, in->dst), in->imm);
	return true;
}

static bool make_immhi(struct code *c, const struct kt_insn *in)
{
	kt_code_high(c, kt_code_changes(c, in->dst), in->imm);
	return true;
}

static bool make_cur(struct code *c, const struct kt_insn *in)
{
	const u8 dst = kt_code_sets(c, in->dst);

	if (in->imm == kt_current_offset(KT_CUR_TASK))
		put_move(c, dst, c->task);
	else
		put_load(c, dst, c->task, in->imm, 4);
	return in->imm >= 0 || in->imm == kt_current_offset(KT_CUR_TASK);
}

static void load_argument(struct code *c, u8 to, u32 n)
{
	put_load(c, to, c->call, c->call_offset + (s32)kt_syscall_arg_offset(n), 8);
}

static bool make_arg(struct code *c, const struct kt_insn *in)
{
	load_argument(c, kt_code_sets(c, in->dst), in->imm);
	return true;
}

static bool make_emitarg(struct code *c, const struct kt_insn *in)
{
	load_argument(c, VALUE, in->imm);
	emit(c, VALUE, in->aux);
	return true;
}

/* ------------------------------------------------------------------- arithmetic */

/* A division may have no result; leave it to the interpreter. */
static bool make_alu(struct code *c, const struct kt_insn *in)
{
	const u8 dst = kt_code_changes(c, in->dst);

	return kt_code_alu(c, in->aux, dst, kt_code_reads(c, in->src));
}

/* Add to a register.  What is noted of it stays true. */
static bool make_addi(struct code *c, const struct kt_insn *in)
{
	return kt_code_add(c, in->dst, in->imm);
}

static bool make_alui(struct code *c, const struct kt_insn *in)
{
	u8 dst;

	if (in->aux == KT_ALU_ADD)
		return make_addi(c, in);
	dst = kt_code_changes(c, in->dst);
	kt_code_forget(c, in->dst);
	return kt_code_alu_number(c, in->aux, dst, in->imm);
}

static bool make_ext(struct code *c, const struct kt_insn *in)
{
	kt_code_extend(c, kt_code_changes(c, in->dst), in->aux);
	return true;
}

/* ------------------------------------------------------------------------ jumps */

/* Where a jump over `skip` instructions of the program leads. */
static u32 target_of(struct code *c, u32 skip)
{
	const u32 target = c->part->now + 1 + skip;

	c->part->labels[target].offset = c->offset + 1;
	if (target > c->part->skipped)
		c->part->skipped = target;
	return c->part->labels[target].start;
}

static void compare(struct code *c, const struct kt_insn *in)
{
	const u8 dst = kt_code_reads(c, in->dst);

	put_compare(c, dst, kt_code_reads(c, in->src));
}

static bool make_cmp(struct code *c, const struct kt_insn *in)
{
	const u32 target = target_of(c, in->imm);

	kt_code_settle(c);
	if (in->aux == KT_CMP_ALWAYS) {
		put_jump(c, target);
		return true;
	}
	compare(c, in);
	put_branch(c, kt_code_conditions[in->aux], target);
	return true;
}

/* Right behind a comparison that has set the register to 0 or 1, the condition still tells which of them. */
static bool make_cmpi(struct code *c, const struct kt_insn *in)
{
	const u32 target = target_of(c, in->src);

	kt_code_settle(c);
	if (in->dst == c->compared && in->aux == KT_CMP_EQ && !(in->imm & ~1)) {
		put_branch(c, c->condition ^ !in->imm, target);
		return true;
	}
	c->compared = KT_NR_REGS;
	put_compare_number(c, kt_code_reads(c, in->dst), in->imm);
	put_branch(c, kt_code_conditions[in->aux], target);
	return true;
}

static bool make_set(struct code *c, const struct kt_insn *in)
{
	const u8 dst = kt_code_changes(c, in->dst);

	put_compare(c, dst, kt_code_reads(c, in->src));
	put_set(c, dst, kt_code_conditions[in->aux]);
	c->compared = in->dst;
	c->condition = kt_code_conditions[in->aux];
	return true;
}

/* The code goes on behind the last instruction. */
static bool make_end(struct code *c, const struct kt_insn *in)
{
	if (c->part->now + 1 < c->part->len)
		put_jump(c, c->part->done);
	return true;
}

static bool make_drop(struct code *c, const struct kt_insn *in)
{
	put_jump(c, c->part->drop);
	return true;
}

/* ------------------------------------------------------------------------ items */

static bool make_emit(struct code *c, const struct kt_insn *in)
{
	emit(c, kt_code_reads(c, in->src), in->op == KT_OP_EMIT2 ? 2 : in->aux);
	return true;
}

static bool make_emitcur(struct code *c, const struct kt_insn *in)
{
	put_load(c, VALUE, c->task, in->imm, 4);
	emit(c, VALUE, 4);
	return true;
}

static bool make_emitreg(struct code *c, const struct kt_insn *in)
{
	emit(c, kt_code_source(c, in->imm), 8);
	return true;
}

/* The mask of unreadable items is 0: if one cannot be read, the interpreter makes the record.  Texts set bits (text.c). */
static bool make_mask(struct code *c, const struct kt_insn *in)
{
	const u32 bytes = in->op == KT_OP_FAULTS ? 4 : 2;

	c->mask_at = c->offset + 1;
	put_store_number(c, c->out, c->offset, bytes, 0);
	c->offset += bytes;
	return !c->texts;
}

/* ------------------------------------------------------------------- the program */

static const struct {
	bool (*make)(struct code *c, const struct kt_insn *in);	/* NULL: no code for this instruction */
	u8 needs;
} ops[KT_NR_OPS] = {
	[KT_OP_END] = { make_end }, [KT_OP_DROP] = { make_drop }, [KT_OP_REG] = { make_reg }, [KT_OP_IMM] = { make_imm, SETS_DST },
	[KT_OP_IMMHI] = { make_immhi, SETS_DST }, [KT_OP_CUR] = { make_cur, NEEDS_TASK | SETS_DST }, [KT_OP_ALU] = { make_alu, SETS_DST },
	[KT_OP_ADDI] = { make_addi }, [KT_OP_LOAD] = { make_load, NEEDS_LOADS | SETS_DST },
	[KT_OP_CMP] = { make_cmp, NEEDS_JUMPS }, [KT_OP_EMIT] = { make_emit },
	[KT_OP_EMITCUR] = { make_emitcur, NEEDS_TASK }, [KT_OP_EMITREG] = { make_emitreg },
	[KT_OP_FAULTS] = { make_mask }, [KT_OP_ALUI] = { make_alui }, [KT_OP_CMPI] = { make_cmpi, NEEDS_JUMPS },
	[KT_OP_SET] = { make_set, SETS_DST }, [KT_OP_EXT] = { make_ext, SETS_DST },
	[KT_OP_EMITCHAIN] = { make_emitchain, NEEDS_LOADS | NEEDS_CHAIN }, [KT_OP_LINK] = { make_link },
	[KT_OP_EMITCOMM] = { kt_code_comm, NEEDS_TASK | NEEDS_CHAIN },
	[KT_OP_FAULTS2] = { make_mask }, [KT_OP_EMIT2] = { make_emit },
	[KT_OP_EMITBYTES] = { make_emitbytes, NEEDS_LOADS },
	[KT_OP_ARG] = { make_arg, NEEDS_CALL | SETS_DST }, [KT_OP_EMITARG] = { make_emitarg, NEEDS_CALL },
	[KT_OP_ELAPSED] = { kt_code_elapsed, SETS_DST },
	[KT_OP_EMITTEXT] = { kt_code_text, NEEDS_TEXT | NEEDS_LOADS | NEEDS_COUNT },
};

static bool is_shift(const struct kt_insn *in)
{
	return in->op == KT_OP_ALU && (in->aux == KT_ALU_SHL || in->aux == KT_ALU_SHR || in->aux == KT_ALU_SAR);
}

int kt_code_needs(const struct kt_insn *insns, u32 len)
{
	int needs = 0;
	u32 i;

	for (i = 0; i < len; i++) {
		if (!ops[insns[i].op].make)
			return -EOPNOTSUPP;
		needs |= ops[insns[i].op].needs | (is_shift(&insns[i]) ? NEEDS_COUNT : 0);
	}
	return needs & NEEDS_TEXT && needs & NEEDS_JUMPS ? -EOPNOTSUPP : needs;
}

bool kt_code_program(struct code *c, struct part *part, u32 header)
{
	bool good = true;

	c->part = part;
	c->offset = header;
	c->compared = KT_NR_REGS;
	c->mask_at = c->texts = c->fixed = part->skipped = 0;
	kt_code_begin(c);
	for (part->now = 0; part->now < part->len && good; part->now++) {
		const struct kt_insn *in = &part->insns[part->now];
		struct label *label = &part->labels[part->now];

		if (label->offset) {
			kt_code_meet(c);
			c->offset = label->offset - 1;
			c->compared = KT_NR_REGS;
		}
		label->start = c->n;
		if (in->op != KT_OP_CMPI && in->op != KT_OP_SET)
			c->compared = KT_NR_REGS;
		good = ops[in->op].make(c, in) && kt_code_is_good(c);
		if (ops[in->op].needs & SETS_DST)
			kt_code_forget(c, in->dst);
	}
	part->done = c->n;
	kt_code_end(c);
	return good;
}

/* ------------------------------------------------------------------------ passes */

int kt_code_passes(struct code *c, bool (*make)(struct code *c), u32 room)
{
	u32 before;

	c->n = 0;
	if (!make(c))
		return -EOPNOTSUPP;
	c->n = 0;
	if (!make(c))
		return -EOPNOTSUPP;
	before = c->n;
	c->room = room;
	c->n = 0;
	/* If the length differs, the jumps lead to wrong addresses, which must not happen; then there is no code. */
	return make(c) && c->n == before ? (int)c->n : -EOPNOTSUPP;
}

/* The code of a payload. */
struct run {
	struct code c;
	struct part part;
	int needs;
};

static bool make_run(struct code *c)
{
	struct run *run = (struct run *)c;	/* `c` is its first member */
	bool good;

	c->varies = run->needs & NEEDS_TEXT;
	c->part = &run->part;
	kt_code_run_begin(c, run->needs);
	good = kt_code_program(c, &run->part, 0);
	kt_code_run_end(c, run->needs);
	if (run->needs & (NEEDS_LOADS | NEEDS_CALL)) {
		run->part.give_up = c->n;
		kt_code_run_rest(c, run->needs);
	}
	return good && kt_code_is_good(c);
}

int kt_generate(const struct kt_insn *insns, u32 len, u8 *out, u32 room, unsigned long at)
{
	const int needs = kt_code_needs(insns, len);
	struct run *run;
	int n;

	if (needs < 0)
		return needs;
	if (needs & NEEDS_TEXT && !(needs & NEEDS_CALL))
		return -EOPNOTSUPP;
	run = kt_zalloc(sizeof(*run));
	if (!run)
		return -ENOMEM;
	run->c = (struct code){ .to = out, .at = at };
	run->part = (struct part){ .insns = insns, .len = len };
	run->needs = needs;
	n = kt_code_passes(&run->c, make_run, room);
	kt_free(run);
	return n;
}
