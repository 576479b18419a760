// SPDX-License-Identifier: GPL-2.0-only
/*
 * generate.c - machine code for capture programs.  See generate.h.
 *
 * Registers of the code that writes a payload (struct kt_code.run):
 *	x0	the registers of the hit
 *	x1	the payload
 *	x2	the current task
 *	x3	the registers of the system call, if the program reads its arguments
 *	x4 .. x11	registers 0 .. 7 of the program
 *	x12	an address, then the value that a load finds there
 *	x13	scratch, also of loads
 *	x14, x15	where the direct map begins, and its size, if the program loads
 *	x17	the return address, if the code calls functions
 *
 * Each load is a call of a function of the module, because only the module's own text has an exception table.  If a load
 * fails, the code gives up: it jumps to its end, from where the interpreter runs the whole program.  The
 * verifier has checked that the payload has the same layout on all paths, so each item has a fixed offset.
 *
 * The code is a leaf: it stores no return address in memory, so it needs neither to sign it nor a shadow call stack.
 *
 * There is no code for texts (KT_OP_EMITTEXT): kt_load_text() has no fast way here.
 */
#include "generate.h"

#include "code_put.h"
#include "core/capture_run.h"

enum { REGS, OUT, TASK, CALL, FIRST, VALUE = FIRST + KT_NR_REGS, SCRATCH, DIRECT_START, DIRECT_BYTES, RETURN = 17 };

#define MOST_BYTES	64	/* of one KT_OP_EMITBYTES */

static u8 reg_of(u8 reg)
{
	return FIRST + reg;
}

/* Store 2, 4 or 8 bytes of the register as the next item. */
static void emit(struct code *c, u8 reg, u32 bytes)
{
	put_memory(c, OP_STORE, reg, OUT, c->offset, bytes, SCRATCH);
	c->offset += bytes;
}

/* ------------------------------------------------------------------------ loads */

static const struct {
	const char *load;
	u32 extend;		/* 0: the load has extended the value */
	u8 bits;
} sizes[KT_NR_SIZES] = {
	[KT_SIZE_U8] = { kt_arm64_code_load8, 0, 8 }, [KT_SIZE_U16] = { kt_arm64_code_load16, 0, 16 },
	[KT_SIZE_U32] = { kt_arm64_code_load32, 0, 32 }, [KT_SIZE_U64] = { kt_arm64_code_load64, 0, 64 },
	[KT_SIZE_S8] = { kt_arm64_code_load8, SBFM, 8 }, [KT_SIZE_S16] = { kt_arm64_code_load16, SBFM, 16 },
	[KT_SIZE_S32] = { kt_arm64_code_load32, SBFM, 32 },
};

/* to = the value at base + offset */
static void load(struct code *c, u8 to, u8 base, s32 offset, u8 size)
{
	put_sum(c, VALUE, base, offset, SCRATCH);
	put_call(c, sizes[size].load, 1U << 31);
	put_branch(c, B_COND | HS, c->give_up);
	if (sizes[size].extend)
		put_extend(c, sizes[size].extend, to, VALUE, sizes[size].bits);
	else
		move(c, to, VALUE);
}

static bool make_load(struct code *c, const struct kt_insn *in)
{
	load(c, reg_of(in->dst), reg_of(in->src), in->imm, in->aux);
	return true;
}

/* A register of the hit. */
static void load_register(struct code *c, u8 to, s32 offset)
{
	put_memory(c, OP_LOAD, to, REGS, offset, 8, SCRATCH);
}

static bool make_emitchain(struct code *c, const struct kt_insn *in)
{
	u32 i;

	load_register(c, VALUE, in->imm);
	for (i = 1; i <= in->src; i++)
		load(c, VALUE, VALUE, in[i].imm, i < in->src ? KT_SIZE_U64 : in->aux);
	emit(c, VALUE, in->aux == KT_SIZE_U64 ? 8 : 4);
	return true;
}

static bool make_link(struct code *c, const struct kt_insn *in)
{
	return true;
}

static bool make_emitbytes(struct code *c, const struct kt_insn *in)
{
	s32 at, part;

	for (at = 0; at < in->imm; at += part) {
		part = in->imm - at >= 8 ? 8 : in->imm - at >= 4 ? 4 : 2;
		load(c, VALUE, reg_of(in->src), at, part == 8 ? KT_SIZE_U64 : part == 4 ? KT_SIZE_U32 : KT_SIZE_U16);
		emit(c, VALUE, part);
	}
	return in->imm <= MOST_BYTES;
}

/* ---------------------------------------------------------------------- sources */

static bool make_reg(struct code *c, const struct kt_insn *in)
{
	load_register(c, reg_of(in->dst), in->imm);
	return true;
}

static bool make_imm(struct code *c, const struct kt_insn *in)
{
	put_constant(c, reg_of(in->dst), (u64)(s64)in->imm);
	return true;
}

static bool make_immhi(struct code *c, const struct kt_insn *in)
{
	put_part(c, MOVK, reg_of(in->dst), 2, in->imm);
	put_part(c, MOVK, reg_of(in->dst), 3, (u32)in->imm >> 16);
	return true;
}

static bool make_cur(struct code *c, const struct kt_insn *in)
{
	if (in->imm == kt_current_offset(KT_CUR_TASK))
		move(c, reg_of(in->dst), TASK);
	else
		put_memory(c, OP_LOAD, reg_of(in->dst), TASK, in->imm, 4, SCRATCH);
	return in->imm >= 0 || in->imm == kt_current_offset(KT_CUR_TASK);
}

static void load_argument(struct code *c, u8 to, u32 n)
{
	put_memory(c, OP_LOAD, to, CALL, kt_syscall_arg_offset(n), 8, SCRATCH);
}

static bool make_arg(struct code *c, const struct kt_insn *in)
{
	load_argument(c, reg_of(in->dst), in->imm);
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
static const u32 alus[KT_NR_ALUS] = {
	[KT_ALU_ADD] = ADD, [KT_ALU_SUB] = SUB, [KT_ALU_MUL] = MUL, [KT_ALU_AND] = AND, [KT_ALU_OR] = ORR, [KT_ALU_XOR] = EOR,
	[KT_ALU_SHL] = LSLV, [KT_ALU_SHR] = LSRV, [KT_ALU_SAR] = ASRV,
};

static bool make_alu(struct code *c, const struct kt_insn *in)
{
	put_op(c, alus[in->aux], reg_of(in->dst), reg_of(in->dst), reg_of(in->src));
	return alus[in->aux];
}

static bool make_alui(struct code *c, const struct kt_insn *in)
{
	put_constant(c, SCRATCH, (u64)(s64)in->imm);
	put_op(c, alus[in->aux], reg_of(in->dst), reg_of(in->dst), SCRATCH);
	return alus[in->aux];
}

static bool make_addi(struct code *c, const struct kt_insn *in)
{
	put_sum(c, reg_of(in->dst), reg_of(in->dst), in->imm, SCRATCH);
	return true;
}

static bool make_ext(struct code *c, const struct kt_insn *in)
{
	put_extend(c, sizes[in->aux].extend ?: UBFM, reg_of(in->dst), reg_of(in->dst), sizes[in->aux].bits);
	return true;
}

/* ------------------------------------------------------------------------ jumps */

static const u8 conditions[KT_NR_CMPS] = {
	[KT_CMP_EQ] = EQ, [KT_CMP_NE] = NE, [KT_CMP_LT] = LO, [KT_CMP_LE] = LS, [KT_CMP_SLT] = LT, [KT_CMP_SLE] = LE,
	[KT_CMP_GT] = HI, [KT_CMP_GE] = HS, [KT_CMP_SGT] = GT, [KT_CMP_SGE] = GE,
};

/* The place behind `skip` instructions of the program, to which a jump leads. */
static u32 target_of(struct code *c, u32 skip)
{
	const u32 target = c->now + 1 + skip;

	c->jump_offsets[target] = c->offset + 1;
	return c->starts[target];
}

static bool make_cmp(struct code *c, const struct kt_insn *in)
{
	const u32 target = target_of(c, in->imm);

	if (in->aux == KT_CMP_ALWAYS) {
		jump_to(c, target);
		return true;
	}
	put_compare(c, reg_of(in->dst), reg_of(in->src));
	put_branch(c, B_COND | conditions[in->aux], target);
	return true;
}

static bool make_cmpi(struct code *c, const struct kt_insn *in)
{
	put_constant(c, SCRATCH, (u64)(s64)in->imm);
	put_compare(c, reg_of(in->dst), SCRATCH);
	put_branch(c, B_COND | conditions[in->aux], target_of(c, in->src));
	return true;
}

static bool make_set(struct code *c, const struct kt_insn *in)
{
	put_compare(c, reg_of(in->dst), reg_of(in->src));
	put_set(c, reg_of(in->dst), conditions[in->aux]);
	return true;
}

/* The code goes on behind the last instruction. */
static bool make_end(struct code *c, const struct kt_insn *in)
{
	if (c->now + 1 < c->len)
		jump_to(c, c->done);
	return true;
}

/* ------------------------------------------------------------------------ items */

static bool make_emit(struct code *c, const struct kt_insn *in)
{
	emit(c, reg_of(in->src), in->op == KT_OP_EMIT2 ? 2 : in->aux);
	return true;
}

static bool make_emitcur(struct code *c, const struct kt_insn *in)
{
	put_memory(c, OP_LOAD, VALUE, TASK, in->imm, 4, SCRATCH);
	emit(c, VALUE, 4);
	return true;
}

static bool make_emitreg(struct code *c, const struct kt_insn *in)
{
	load_register(c, VALUE, in->imm);
	emit(c, VALUE, 8);
	return true;
}

/* The mask of unreadable items is 0: if one cannot be read, the interpreter makes the record. */
static bool make_mask(struct code *c, const struct kt_insn *in)
{
	emit(c, KT_ZERO, in->op == KT_OP_FAULTS ? 4 : 2);
	return true;
}

/* ------------------------------------------------------------------- the program */

#define NEEDS_LOADS	1
#define NEEDS_CALL	2	/* the registers of the system call */

static const struct {
	bool (*make)(struct code *c, const struct kt_insn *in);	/* NULL: no code for this instruction */
	u8 needs;
} ops[KT_NR_OPS] = {
	[KT_OP_END] = { make_end }, [KT_OP_REG] = { make_reg }, [KT_OP_IMM] = { make_imm }, [KT_OP_IMMHI] = { make_immhi },
	[KT_OP_CUR] = { make_cur }, [KT_OP_ALU] = { make_alu }, [KT_OP_ALUI] = { make_alui }, [KT_OP_ADDI] = { make_addi },
	[KT_OP_EXT] = { make_ext }, [KT_OP_CMP] = { make_cmp }, [KT_OP_CMPI] = { make_cmpi }, [KT_OP_SET] = { make_set },
	[KT_OP_LOAD] = { make_load, NEEDS_LOADS }, [KT_OP_EMITCHAIN] = { make_emitchain, NEEDS_LOADS },
	[KT_OP_LINK] = { make_link }, [KT_OP_EMITBYTES] = { make_emitbytes, NEEDS_LOADS },
	[KT_OP_ARG] = { make_arg, NEEDS_CALL }, [KT_OP_EMITARG] = { make_emitarg, NEEDS_CALL },
	[KT_OP_EMIT] = { make_emit }, [KT_OP_EMIT2] = { make_emit }, [KT_OP_EMITCUR] = { make_emitcur },
	[KT_OP_EMITREG] = { make_emitreg }, [KT_OP_FAULTS] = { make_mask }, [KT_OP_FAULTS2] = { make_mask },
};

static int needs_of(const struct kt_insn *insns, u32 len)
{
	int needs = 0;
	u32 i;

	for (i = 0; i < len; i++) {
		if (!ops[insns[i].op].make)
			return -EOPNOTSUPP;
		needs |= ops[insns[i].op].needs;
	}
	return needs;
}

static void begin(struct code *c, int needs)
{
	put(c, BTI_C);
	if (needs)
		move(c, RETURN, KT_LR);
	if (needs & NEEDS_LOADS) {
		put_constant(c, DIRECT_START, KT_DIRECT_START);
		put_constant(c, DIRECT_BYTES, KT_DIRECT_BYTES);
	}
	if (needs & NEEDS_CALL) {
		put_branch(c, CBNZ | CALL, c->n + 3 * KT_INSN_BYTES);
		put_call(c, kt_arm64_code_call, 1U << 31);
		put_branch(c, CBZ | CALL, c->give_up);
	}
}

static bool make_payload(struct code *c)
{
	bool good = true;

	c->offset = 0;
	for (c->now = 0; c->now < c->len && good; c->now++) {
		if (c->jump_offsets[c->now])
			c->offset = c->jump_offsets[c->now] - 1;
		c->starts[c->now] = c->n;
		good = ops[c->insns[c->now].op].make(c, &c->insns[c->now]);
	}
	c->done = c->n;
	return good;
}

/* kt_capture_rest(insns, regs, out, NULL) */
static void interpret(struct code *c)
{
	c->give_up = c->n;
	move(c, KT_LR, RETURN);
	move(c, 2, OUT);
	move(c, 1, REGS);
	put_constant(c, 0, (unsigned long)c->insns);
	move(c, 3, KT_ZERO);
	put_call(c, kt_capture_rest, 0);
}

static bool make_all(struct code *c, int needs)
{
	bool good;

	c->n = 0;
	begin(c, needs);
	good = make_payload(c);
	put(c, RET | (needs ? RETURN : KT_LR) << 5);
	if (needs)
		interpret(c);
	return good && !c->too_far;
}

int kt_arm64_generate(const struct kt_insn *insns, u32 len, u8 *out, u32 room, unsigned long at)
{
	const int needs = needs_of(insns, len);
	struct code *c;
	int n = -EOPNOTSUPP;

	if (needs < 0)
		return needs;
	c = kt_zalloc(sizeof(*c));
	if (!c)
		return -ENOMEM;
	*c = (struct code){ .to = out, .at = at, .insns = insns, .len = len };
	/* The first pass finds where the code of each instruction begins; jumps need that. */
	if (make_all(c, needs)) {
		c->room = room;
		if (make_all(c, needs))
			n = c->n;
	}
	kt_free(c);
	return n;
}
