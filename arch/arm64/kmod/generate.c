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
 *	x15	the return address, if the code calls functions
 *	x16, x17	where the direct map begins, and its size, if the program loads
 * The code of a whole hit writes its payload in the same way, with other registers: see generate_hit.c.
 *
 * Each load is a call of a function of the module, because only the module's own text has an exception table.  If a load
 * fails, the code gives up: it jumps to its end, from where the interpreter runs the whole program.  The
 * verifier has checked that the payload has the same layout on all paths, so each item has a fixed offset.
 *
 * This code is a leaf: it stores no return address in memory, so it needs neither to sign it nor a shadow call stack.
 *
 * There is no code for texts (KT_OP_EMITTEXT): kt_load_text() has no fast way here.
 */
#include "generate.h"

#include "code_program.h"
#include "core/capture_run.h"

enum { REGS, OUT, TASK, CALL, FIRST, RETURN = 15 };

#define MOST_BYTES	64	/* of one KT_OP_EMITBYTES */

/* A register of the program, which the code reads; or writes to. */
static u8 reg_of(const struct code *c, u8 reg)
{
	return c->first + reg;
}

static u8 target(struct code *c, u8 reg)
{
	c->used |= BIT_OF(reg_of(c, reg));
	return reg_of(c, reg);
}

/* Store 2, 4 or 8 bytes of the register as the next item. */
static void emit(struct code *c, u8 reg, u32 bytes)
{
	put_memory(c, OP_STORE, reg, c->out, c->offset, bytes, SCRATCH);
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
	put_branch(c, B_COND | HS, c->part->give_up);
	if (sizes[size].extend)
		put_extend(c, sizes[size].extend, to, VALUE, sizes[size].bits);
	else
		move(c, to, VALUE);
}

static bool make_load(struct code *c, const struct kt_insn *in)
{
	load(c, target(c, in->dst), reg_of(c, in->src), in->imm, in->aux);
	return true;
}

/* A register of the hit, by its offset in struct pt_regs: where the machine has it; or in `to`, if it is only in memory. */
static u8 source(struct code *c, u8 to, s32 offset)
{
	const u32 n = offset / sizeof(u64);

	c->read |= n < 64 ? 1ULL << n : 0;
	if (n < SP && c->live & BIT_OF(n))
		return n;
	if (c->regs_at == SP && n == SP)
		put_sum(c, to, SP, KT_FRAME_BYTES, SCRATCH);
	else
		put_memory(c, OP_LOAD, to, c->regs_at, offset, 8, SCRATCH);
	c->lacks |= c->regs_at == SP && n != SP && (n >= 64 || !(c->in_memory >> n & 1));
	return to;
}

static bool make_emitchain(struct code *c, const struct kt_insn *in)
{
	u8 base = source(c, VALUE, in->imm);
	u32 i;

	for (i = 1; i <= in->src; i++, base = VALUE)
		load(c, VALUE, base, in[i].imm, i < in->src ? KT_SIZE_U64 : in->aux);
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
		load(c, VALUE, reg_of(c, in->src), at, part == 8 ? KT_SIZE_U64 : part == 4 ? KT_SIZE_U32 : KT_SIZE_U16);
		emit(c, VALUE, part);
	}
	return in->imm <= MOST_BYTES;
}

/* ---------------------------------------------------------------------- sources */

static bool make_reg(struct code *c, const struct kt_insn *in)
{
	const u8 to = target(c, in->dst);

	move(c, to, source(c, to, in->imm));
	return true;
}

static bool make_imm(struct code *c, const struct kt_insn *in)
{
	put_constant(c, target(c, in->dst), (u64)(s64)in->imm);
	return true;
}

static bool make_immhi(struct code *c, const struct kt_insn *in)
{
	put_part(c, MOVK, target(c, in->dst), 2, in->imm);
	put_part(c, MOVK, target(c, in->dst), 3, (u32)in->imm >> 16);
	return true;
}

static bool make_cur(struct code *c, const struct kt_insn *in)
{
	if (in->imm == kt_current_offset(KT_CUR_TASK))
		move(c, target(c, in->dst), c->task);
	else
		put_memory(c, OP_LOAD, target(c, in->dst), c->task, in->imm, 4, SCRATCH);
	return in->imm >= 0 || in->imm == kt_current_offset(KT_CUR_TASK);
}

static void load_argument(struct code *c, u8 to, u32 n)
{
	put_memory(c, OP_LOAD, to, c->call, kt_syscall_arg_offset(n), 8, SCRATCH);
}

static bool make_arg(struct code *c, const struct kt_insn *in)
{
	load_argument(c, target(c, in->dst), in->imm);
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
	put_op(c, alus[in->aux], target(c, in->dst), target(c, in->dst), reg_of(c, in->src));
	return alus[in->aux];
}

static bool make_alui(struct code *c, const struct kt_insn *in)
{
	put_constant(c, SCRATCH, (u64)(s64)in->imm);
	put_op(c, alus[in->aux], target(c, in->dst), target(c, in->dst), SCRATCH);
	return alus[in->aux];
}

static bool make_addi(struct code *c, const struct kt_insn *in)
{
	put_sum(c, target(c, in->dst), target(c, in->dst), in->imm, SCRATCH);
	return true;
}

static bool make_ext(struct code *c, const struct kt_insn *in)
{
	put_extend(c, sizes[in->aux].extend ?: UBFM, target(c, in->dst), target(c, in->dst), sizes[in->aux].bits);
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
	const u32 target = c->part->now + 1 + skip;

	c->part->jump_offsets[target] = c->offset + 1;
	return c->part->starts[target];
}

static bool make_cmp(struct code *c, const struct kt_insn *in)
{
	const u32 target = target_of(c, in->imm);

	if (in->aux == KT_CMP_ALWAYS) {
		jump_to(c, target);
		return true;
	}
	put_compare(c, reg_of(c, in->dst), reg_of(c, in->src));
	put_branch(c, B_COND | conditions[in->aux], target);
	return true;
}

static bool make_cmpi(struct code *c, const struct kt_insn *in)
{
	put_constant(c, SCRATCH, (u64)(s64)in->imm);
	put_compare(c, reg_of(c, in->dst), SCRATCH);
	put_branch(c, B_COND | conditions[in->aux], target_of(c, in->src));
	return true;
}

static bool make_set(struct code *c, const struct kt_insn *in)
{
	put_compare(c, reg_of(c, in->dst), reg_of(c, in->src));
	put_set(c, target(c, in->dst), conditions[in->aux]);
	return true;
}

/* The code goes on behind the last instruction. */
static bool make_end(struct code *c, const struct kt_insn *in)
{
	if (c->part->now + 1 < c->part->len)
		jump_to(c, c->part->done);
	return true;
}

static bool make_drop(struct code *c, const struct kt_insn *in)
{
	jump_to(c, c->part->drop);
	return true;
}

/* ------------------------------------------------------------------------ items */

static bool make_emit(struct code *c, const struct kt_insn *in)
{
	emit(c, reg_of(c, in->src), in->op == KT_OP_EMIT2 ? 2 : in->aux);
	return true;
}

static bool make_emitcur(struct code *c, const struct kt_insn *in)
{
	put_memory(c, OP_LOAD, VALUE, c->task, in->imm, 4, SCRATCH);
	emit(c, VALUE, 4);
	return true;
}

static bool make_emitreg(struct code *c, const struct kt_insn *in)
{
	emit(c, source(c, VALUE, in->imm), 8);
	return true;
}

/* The mask of unreadable items is 0: if one cannot be read, the interpreter makes the record. */
static bool make_mask(struct code *c, const struct kt_insn *in)
{
	emit(c, KT_ZERO, in->op == KT_OP_FAULTS ? 4 : 2);
	return true;
}

/* ------------------------------------------------------------------- the program */

static const struct {
	bool (*make)(struct code *c, const struct kt_insn *in);	/* NULL: no code for this instruction */
	u8 needs;
} ops[KT_NR_OPS] = {
	[KT_OP_END] = { make_end }, [KT_OP_DROP] = { make_drop }, [KT_OP_REG] = { make_reg }, [KT_OP_IMM] = { make_imm }, [KT_OP_IMMHI] = { make_immhi },
	[KT_OP_CUR] = { make_cur }, [KT_OP_ALU] = { make_alu }, [KT_OP_ALUI] = { make_alui }, [KT_OP_ADDI] = { make_addi },
	[KT_OP_EXT] = { make_ext }, [KT_OP_CMP] = { make_cmp }, [KT_OP_CMPI] = { make_cmpi }, [KT_OP_SET] = { make_set },
	[KT_OP_LOAD] = { make_load, NEEDS_LOADS }, [KT_OP_EMITCHAIN] = { make_emitchain, NEEDS_LOADS },
	[KT_OP_LINK] = { make_link }, [KT_OP_EMITBYTES] = { make_emitbytes, NEEDS_LOADS },
	[KT_OP_ARG] = { make_arg, NEEDS_CALL }, [KT_OP_EMITARG] = { make_emitarg, NEEDS_CALL },
	[KT_OP_EMIT] = { make_emit }, [KT_OP_EMIT2] = { make_emit }, [KT_OP_EMITCUR] = { make_emitcur },
	[KT_OP_EMITREG] = { make_emitreg }, [KT_OP_FAULTS] = { make_mask }, [KT_OP_FAULTS2] = { make_mask },
};

int kt_arm64_needs(const struct kt_insn *insns, u32 len)
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

void kt_arm64_begin_loads(struct code *c)
{
	put_constant(c, DIRECT_START, KT_DIRECT_START);
	put_constant(c, DIRECT_BYTES, KT_DIRECT_BYTES);
}

bool kt_arm64_program(struct code *c, struct part *part, u32 header)
{
	bool good = true;

	c->part = part;
	c->offset = header;
	for (part->now = 0; part->now < part->len && good; part->now++) {
		const struct kt_insn *in = &part->insns[part->now];

		if (part->jump_offsets[part->now])
			c->offset = part->jump_offsets[part->now] - 1;
		part->starts[part->now] = c->n;
		good = ops[in->op].make(c, in);
	}
	part->done = c->n;
	return good;
}

static void begin(struct code *c, int needs, const struct part *part)
{
	put(c, BTI_C);
	if (needs)
		move(c, RETURN, KT_LR);
	if (needs & NEEDS_LOADS)
		kt_arm64_begin_loads(c);
	if (needs & NEEDS_CALL) {
		put_branch(c, CBNZ | CALL, c->n + 3 * KT_INSN_BYTES);
		put_call(c, kt_arm64_code_call, 1U << 31);
		put_branch(c, CBZ | CALL, part->give_up);
	}
}

/* kt_capture_rest(insns, regs, out, NULL) */
static void interpret(struct code *c, struct part *part)
{
	part->give_up = c->n;
	move(c, KT_LR, RETURN);
	move(c, 2, OUT);
	move(c, 1, REGS);
	put_constant(c, 0, (unsigned long)part->insns);
	move(c, 3, KT_ZERO);
	put_call(c, kt_capture_rest, 0);
}

static bool make_all(struct code *c, int needs, struct part *part)
{
	bool good;

	c->n = 0;
	begin(c, needs, part);
	good = kt_arm64_program(c, part, 0);
	put(c, RET | (needs ? RETURN : KT_LR) << 5);
	if (needs)
		interpret(c, part);
	return good && !c->too_far;
}

int kt_arm64_generate(const struct kt_insn *insns, u32 len, u8 *out, u32 room, unsigned long at)
{
	const int needs = kt_arm64_needs(insns, len);
	struct { struct code c; struct part part; } *of;
	int n = -EOPNOTSUPP;
	u32 before;

	if (needs < 0)
		return needs;
	of = kt_zalloc(sizeof(*of));
	if (!of)
		return -ENOMEM;
	of->part = (struct part){ .insns = insns, .len = len };
	of->c = (struct code){
		.to = out, .at = at, .first = FIRST, .regs_at = REGS, .out = OUT, .task = TASK, .call = CALL,
	};
	/* The first pass finds where the code of each instruction begins; jumps need that. */
	if (make_all(&of->c, needs, &of->part)) {
		before = of->c.n;
		of->c.room = room;
		if (make_all(&of->c, needs, &of->part))
			n = pass_result(&of->c, before);
	}
	kt_free(of);
	return n;
}
