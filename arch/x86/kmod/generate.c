// SPDX-License-Identifier: GPL-2.0-only
/*
 * generate.c - machine code for capture programs.  See generate.h.
 *
 * Registers:
 *	rdi	the registers of the hit
 *	rsi	the payload
 *	rdx	the current task, if the program uses it
 *	rax	an address, then the value that a load finds there
 *	rcx	scratch
 *	r10	the registers of the system call, if the program reads its arguments
 *	r8, r9, r11, and rdx and r10 if they have no use as above: registers of the program
 *
 * Each load is a call of a function of the module, because only the module's own text has an exception table.  If a load
 * fails, the code gives up: it jumps to its end, from where the interpreter runs the whole program.  The
 * verifier has checked that the payload has the same layout on all paths, so each item has a fixed offset.  Behind a
 * text, rsi has moved: offsets count from the text's end.
 */
#include "generate.h"

#include "core/capture_run.h"

enum reg { AX, CX, DX, BX, SP, BP, SI, DI, R8, R9, R10, R11, NO_REG };

/* The low bits of the opcodes of conditional jumps (Intel SDM, volume 2, appendix B.1.4.7). */
static const u8 conditions[KT_NR_CMPS] = {
	[KT_CMP_EQ] = 0x4, [KT_CMP_NE] = 0x5, [KT_CMP_LT] = 0x2, [KT_CMP_LE] = 0x6,
	[KT_CMP_SLT] = 0xc, [KT_CMP_SLE] = 0xe, [KT_CMP_GT] = 0x7, [KT_CMP_GE] = 0x3,
	[KT_CMP_SGT] = 0xf, [KT_CMP_SGE] = 0xd,
};

#define MOST_BYTES	64	/* of one KT_OP_EMITBYTES */

struct code {
	u8 *to;
	u32 room, n;			/* n counts bytes without room, too */
	unsigned long at;
	const struct kt_insn *insns;
	u32 now;			/* the instruction */
	u32 offset;			/* of the next item in the payload */
	u8 pool[5], nr_pool, taken;	/* machine registers for the program */
	u8 regs[KT_NR_REGS];		/* the machine register of each register; NO_REG: none so far */
	bool lacks_regs;
	bool varies;			/* the payload has texts */
	u32 give_up;			/* where the code goes to the interpreter: known after the first pass */
	u16 starts[KT_MAX_PROG + 1];	/* where the code of each instruction begins: known after the first pass */
	u16 jump_offsets[KT_MAX_PROG + 1];	/* the offset that jumps bring to an instruction, plus 1; 0: no jump leads there */
};

/* ---------------------------------------------------------------- instructions */

static void put8(struct code *c, u8 byte)
{
	if (c->n < c->room)
		c->to[c->n] = byte;
	c->n++;
}

static void put_number(struct code *c, u64 number, u32 bytes)
{
	for (; bytes; bytes--, number >>= 8)
		put8(c, number);
}

/* The 4-byte distance from its own end to the target.  Not inline: objtool takes target - 4 for a reference. */
static kt_noinline void put_distance(struct code *c, unsigned long target)
{
	put_number(c, target - (c->at + c->n + 4), 4);
}

/* The prefix REX: wide operands, and the high bits of the two registers. */
static void put_rex(struct code *c, bool wide, u8 reg, u8 rm)
{
	put8(c, 0x40 | wide << 3 | (reg >> 3) << 2 | rm >> 3);
}

/* An instruction with two registers. */
static void regs_op(struct code *c, u8 opcode, u8 reg, u8 rm)
{
	put_rex(c, true, reg, rm);
	put8(c, opcode);
	put8(c, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

/* Mod and r/m for [base + offset]; no base here needs a SIB byte. */
static void put_memory(struct code *c, u8 reg, u8 base, s32 offset)
{
	const bool is_short = offset >= -128 && offset < 128;

	put8(c, (is_short ? 0x40 : 0x80) | (reg & 7) << 3 | (base & 7));
	put_number(c, offset, is_short ? 1 : 4);
}

static void memory_op(struct code *c, bool wide, u8 opcode, u8 reg, u8 base, s32 offset)
{
	put_rex(c, wide, reg, base);
	put8(c, opcode);
	put_memory(c, reg, base, offset);
}

#define MOV_LOAD	0x8b	/* mov [...], reg */
#define MOV_STORE	0x89	/* mov reg, [...] */
#define MOV	0x89	/* mov reg, rm */
#define LEA	0x8d	/* lea [...], reg */
#define CMP_REGS	0x39	/* cmp reg, rm */
#define TEST		0x85	/* test reg, rm */
#define CALL_BYTES	5
#define JNC_BYTES	6

static void move(struct code *c, u8 from, u8 to)
{
	if (from != to)
		regs_op(c, MOV, from, to);
}

static void call(struct code *c, const void *function)
{
	put8(c, 0xe8);
	put_distance(c, (unsigned long)function);
}

static void give_up_unless_carry(struct code *c)
{
	put8(c, 0x0f);
	put8(c, 0x83);			/* jnc */
	put_distance(c, c->at + c->give_up);
}

/* Store 2, 4 or 8 bytes of the register as the next item. */
static void emit(struct code *c, u8 reg, u32 bytes)
{
	if (bytes == 2)
		put8(c, 0x66);
	memory_op(c, bytes == 8, MOV_STORE, reg, SI, c->offset);
	c->offset += bytes;
}

/* The machine register of a register of the program. */
static u8 reg_of(struct code *c, u8 reg)
{
	if (c->regs[reg] == NO_REG && c->taken < c->nr_pool)
		c->regs[reg] = c->pool[c->taken++];
	c->lacks_regs |= c->regs[reg] == NO_REG;
	return c->regs[reg] == NO_REG ? AX : c->regs[reg];
}

/* ------------------------------------------------------------------------ loads */

static const struct {
	const char *load;
	u8 extend[2];		/* the opcode that extends the sign; 0: none */
	u8 bytes;
} sizes[KT_NR_SIZES] = {
	[KT_SIZE_U8] = { kt_x86_code_load8, { 0 }, 1 },
	[KT_SIZE_U16] = { kt_x86_code_load16, { 0 }, 2 },
	[KT_SIZE_U32] = { kt_x86_code_load32, { 0 }, 4 },
	[KT_SIZE_U64] = { kt_x86_code_load64, { 0 }, 8 },
	[KT_SIZE_S8] = { kt_x86_code_load8, { 0x0f, 0xbe }, 1 },
	[KT_SIZE_S16] = { kt_x86_code_load16, { 0x0f, 0xbf }, 2 },
	[KT_SIZE_S32] = { kt_x86_code_load32, { 0x63 }, 4 },
};

/* movsx or movzx */
static void extend(struct code *c, const u8 opcode[2], u8 from, u8 to)
{
	put_rex(c, true, to, from);
	put8(c, opcode[0]);
	if (opcode[0] == 0x0f)
		put8(c, opcode[1]);
	put8(c, 0xc0 | (to & 7) << 3 | (from & 7));
}

/* rax = the value at base + offset */
static void load(struct code *c, u8 base, s32 offset, u8 size)
{
	if (offset || base != AX)
		memory_op(c, true, LEA, AX, base, offset);
	call(c, sizes[size].load);
	give_up_unless_carry(c);
	if (sizes[size].extend[0])
		extend(c, sizes[size].extend, AX, AX);
}

static bool make_load(struct code *c, const struct kt_insn *in)
{
	load(c, reg_of(c, in->src), in->imm, in->aux);
	move(c, AX, reg_of(c, in->dst));
	return true;
}

static bool make_emitchain(struct code *c, const struct kt_insn *in)
{
	u32 i;

	memory_op(c, true, MOV_LOAD, AX, DI, in->imm);
	for (i = 1; i < in->src; i++)
		load(c, AX, in[i].imm, KT_SIZE_U64);
	load(c, AX, in[i].imm, in->aux);
	emit(c, AX, in->aux == KT_SIZE_U64 ? 8 : 4);
	return true;
}

static bool make_link(struct code *c, const struct kt_insn *in)
{
	return true;
}

static bool make_emitbytes(struct code *c, const struct kt_insn *in)
{
	const u8 src = reg_of(c, in->src);
	s32 at, part;

	for (at = 0; at < in->imm; at += part) {
		part = in->imm - at >= 8 ? 8 : in->imm - at >= 4 ? 4 : 2;
		load(c, src, at, part == 8 ? KT_SIZE_U64 : part == 4 ? KT_SIZE_U32 : KT_SIZE_U16);
		emit(c, AX, part);
	}
	return in->imm <= MOST_BYTES;
}

/* ---------------------------------------------------------------------- sources */

static bool make_reg(struct code *c, const struct kt_insn *in)
{
	memory_op(c, true, MOV_LOAD, reg_of(c, in->dst), DI, in->imm);
	return true;
}

static bool make_imm(struct code *c, const struct kt_insn *in)
{
	regs_op(c, 0xc7, 0, reg_of(c, in->dst));
	put_number(c, in->imm, 4);
	return true;
}

/* rcx = the low half; rax = the high half: shl $32, %rax; or %rcx, %rax */
static bool make_immhi(struct code *c, const struct kt_insn *in)
{
	const u8 dst = reg_of(c, in->dst);

	put_rex(c, false, dst, CX);
	put8(c, MOV);
	put8(c, 0xc0 | (dst & 7) << 3 | CX);
	regs_op(c, 0xc7, 0, AX);
	put_number(c, in->imm, 4);
	regs_op(c, 0xc1, 4, AX);
	put8(c, 32);
	regs_op(c, 0x09, CX, AX);
	move(c, AX, dst);
	return true;
}

static bool make_cur(struct code *c, const struct kt_insn *in)
{
	const u8 dst = reg_of(c, in->dst);

	if (in->imm == kt_current_offset(KT_CUR_TASK))
		move(c, DX, dst);
	else
		memory_op(c, false, MOV_LOAD, dst, DX, in->imm);
	return in->imm >= 0 || in->imm == kt_current_offset(KT_CUR_TASK);
}

static bool make_arg(struct code *c, const struct kt_insn *in)
{
	memory_op(c, true, MOV_LOAD, reg_of(c, in->dst), R10, kt_syscall_arg_offset(in->imm));
	return true;
}

static bool make_emitarg(struct code *c, const struct kt_insn *in)
{
	memory_op(c, true, MOV_LOAD, AX, R10, kt_syscall_arg_offset(in->imm));
	emit(c, AX, in->aux);
	return true;
}

/* ------------------------------------------------------------------- arithmetic */

/* For the operations of the group 81 /n with a constant, of the instruction with a register, and of shifts. */
static const struct {
	u8 reg_opcode, number;
} alus[KT_NR_ALUS] = {
	[KT_ALU_ADD] = { 0x01, 0 }, [KT_ALU_SUB] = { 0x29, 5 }, [KT_ALU_AND] = { 0x21, 4 },
	[KT_ALU_OR] = { 0x09, 1 }, [KT_ALU_XOR] = { 0x31, 6 },
	[KT_ALU_SHL] = { 0, 4 }, [KT_ALU_SHR] = { 0, 5 }, [KT_ALU_SAR] = { 0, 7 },
};

static bool is_shift(u8 how)
{
	return how == KT_ALU_SHL || how == KT_ALU_SHR || how == KT_ALU_SAR;
}

/* A division may have no result; leave it to the interpreter. */
static bool make_alu(struct code *c, const struct kt_insn *in)
{
	const u8 dst = reg_of(c, in->dst), src = reg_of(c, in->src);

	if (is_shift(in->aux)) {
		move(c, src, CX);
		regs_op(c, 0xd3, alus[in->aux].number, dst);
	} else if (in->aux == KT_ALU_MUL) {
		put_rex(c, true, dst, src);
		put_number(c, 0xaf0f, 2);
		put8(c, 0xc0 | (dst & 7) << 3 | (src & 7));
	} else if (alus[in->aux].reg_opcode) {
		regs_op(c, alus[in->aux].reg_opcode, src, dst);
	} else {
		return false;
	}
	return true;
}

static bool make_alui(struct code *c, const struct kt_insn *in)
{
	const u8 dst = reg_of(c, in->dst);

	if (is_shift(in->aux)) {
		regs_op(c, 0xc1, alus[in->aux].number, dst);
		put8(c, in->imm & 63);
	} else if (in->aux == KT_ALU_MUL) {
		regs_op(c, 0x69, dst, dst);
		put_number(c, in->imm, 4);
	} else if (alus[in->aux].reg_opcode) {
		regs_op(c, 0x81, alus[in->aux].number, dst);
		put_number(c, in->imm, 4);
	} else {
		return false;
	}
	return true;
}

static bool make_addi(struct code *c, const struct kt_insn *in)
{
	regs_op(c, 0x81, 0, reg_of(c, in->dst));
	put_number(c, in->imm, 4);
	return true;
}

static bool make_ext(struct code *c, const struct kt_insn *in)
{
	static const u8 zero8[] = { 0x0f, 0xb6 }, zero16[] = { 0x0f, 0xb7 };
	const u8 dst = reg_of(c, in->dst);

	if (in->aux == KT_SIZE_U32) {
		put_rex(c, false, dst, dst);
		put8(c, MOV);
		put8(c, 0xc0 | (dst & 7) << 3 | (dst & 7));
	} else if (in->aux != KT_SIZE_U64) {
		extend(c, in->aux == KT_SIZE_U8 ? zero8 : in->aux == KT_SIZE_U16 ? zero16 : sizes[in->aux].extend, dst, dst);
	}
	return true;
}

/* ------------------------------------------------------------------------ jumps */

/* Jump over `skip` instructions of the program.  opcode: the second byte of a conditional jump; 0: always. */
static bool jump(struct code *c, u8 opcode, u32 skip)
{
	const u32 target = c->now + 1 + skip;

	c->jump_offsets[target] = c->offset + 1;
	if (opcode)
		put8(c, 0x0f);
	put8(c, opcode ?: 0xe9);
	put_distance(c, c->at + c->starts[target]);
	return true;
}

static bool make_cmp(struct code *c, const struct kt_insn *in)
{
	if (in->aux == KT_CMP_ALWAYS)
		return jump(c, 0, in->imm);
	regs_op(c, CMP_REGS, reg_of(c, in->src), reg_of(c, in->dst));
	return jump(c, 0x80 | conditions[in->aux], in->imm);
}

static bool make_cmpi(struct code *c, const struct kt_insn *in)
{
	regs_op(c, 0x81, 7, reg_of(c, in->dst));
	put_number(c, in->imm, 4);
	return jump(c, 0x80 | conditions[in->aux], in->src);
}

/* setcc %al; movzx %al, dst */
static bool make_set(struct code *c, const struct kt_insn *in)
{
	static const u8 zero8[] = { 0x0f, 0xb6 };
	const u8 dst = reg_of(c, in->dst);

	regs_op(c, CMP_REGS, reg_of(c, in->src), dst);
	put8(c, 0x0f);
	put8(c, 0x90 | conditions[in->aux]);
	put8(c, 0xc0);
	extend(c, zero8, AX, dst);
	return true;
}

static void leave(struct code *c)
{
	put8(c, 0xe9);
	put_distance(c, (unsigned long)kt_x86_code_end);
}

/* A payload that varies ends at rax. */
static bool make_end(struct code *c, const struct kt_insn *in)
{
	if (c->varies)
		memory_op(c, true, LEA, AX, SI, c->offset);
	leave(c);
	return true;
}

/* ------------------------------------------------------------------------ items */

static bool make_emit(struct code *c, const struct kt_insn *in)
{
	emit(c, reg_of(c, in->src), in->aux);
	return true;
}

static bool make_emit2(struct code *c, const struct kt_insn *in)
{
	emit(c, reg_of(c, in->src), 2);
	return true;
}

static bool make_emitcur(struct code *c, const struct kt_insn *in)
{
	memory_op(c, false, MOV_LOAD, AX, DX, in->imm);
	emit(c, AX, 4);
	return true;
}

static bool make_emitreg(struct code *c, const struct kt_insn *in)
{
	memory_op(c, true, MOV_LOAD, AX, DI, in->imm);
	emit(c, AX, 8);
	return true;
}

/* rsi = where the text begins, rax = its address, ecx = its most bytes */
static bool make_emittext(struct code *c, const struct kt_insn *in)
{
	move(c, reg_of(c, in->src), AX);
	if (c->offset)
		memory_op(c, true, LEA, SI, SI, c->offset);
	put8(c, 0xb9);			/* mov $imm, %ecx */
	put_number(c, in->imm, 4);
	call(c, kt_x86_code_text);
	give_up_unless_carry(c);
	c->offset = 0;
	return true;
}

/* All items are readable, or else the code gives up: the mask is 0. */
static bool make_mask(struct code *c, const struct kt_insn *in)
{
	const u32 bytes = in->op == KT_OP_FAULTS ? 4 : 2;

	if (bytes == 2)
		put8(c, 0x66);
	memory_op(c, false, 0xc7, 0, SI, c->offset);
	put_number(c, 0, bytes);
	c->offset += bytes;
	return true;
}

/* ------------------------------------------------------------------- the program */

/* What the code keeps in a register for the program. */
#define TASK		1	/* in rdx */
#define CALL		2	/* in r10 */
#define INTERPRETER	4	/* it can give up */
#define TEXT		8	/* the length of its payload varies */
#define JUMPS		16

static const struct {
	bool (*make)(struct code *c, const struct kt_insn *in);	/* NULL: no code for this instruction */
	u8 needs;
} ops[KT_NR_OPS] = {
	[KT_OP_END] = { make_end }, [KT_OP_REG] = { make_reg }, [KT_OP_IMM] = { make_imm },
	[KT_OP_IMMHI] = { make_immhi }, [KT_OP_CUR] = { make_cur, TASK }, [KT_OP_ALU] = { make_alu },
	[KT_OP_ADDI] = { make_addi }, [KT_OP_LOAD] = { make_load, INTERPRETER }, [KT_OP_CMP] = { make_cmp, JUMPS },
	[KT_OP_EMIT] = { make_emit }, [KT_OP_EMITCUR] = { make_emitcur, TASK }, [KT_OP_EMITREG] = { make_emitreg },
	[KT_OP_FAULTS] = { make_mask }, [KT_OP_ALUI] = { make_alui }, [KT_OP_CMPI] = { make_cmpi, JUMPS },
	[KT_OP_SET] = { make_set }, [KT_OP_EXT] = { make_ext }, [KT_OP_EMITCHAIN] = { make_emitchain, INTERPRETER },
	[KT_OP_LINK] = { make_link }, [KT_OP_FAULTS2] = { make_mask }, [KT_OP_EMIT2] = { make_emit2 },
	[KT_OP_EMITBYTES] = { make_emitbytes, INTERPRETER }, [KT_OP_ARG] = { make_arg, CALL | INTERPRETER },
	[KT_OP_EMITARG] = { make_emitarg, CALL | INTERPRETER },
	[KT_OP_EMITTEXT] = { make_emittext, TEXT | INTERPRETER },
};

/*
 * What the program needs.  -EOPNOTSUPP: there is no code for one of its instructions.  Texts are those in arguments of system
 * calls; others are in the kernel's memory mostly.
 */
static int needs_of(const struct kt_insn *insns, u32 len)
{
	int needs = 0;
	u32 i;

	for (i = 0; i < len; i++) {
		if (!ops[insns[i].op].make)
			return -EOPNOTSUPP;
		needs |= ops[insns[i].op].needs;
	}
	return needs & TEXT && (!(needs & CALL) || needs & JUMPS) ? -EOPNOTSUPP : needs;
}

static void begin(struct code *c, int needs)
{
	u32 i;

	c->n = c->offset = c->nr_pool = c->taken = 0;
	c->varies = needs & TEXT;
	for (i = 0; i < KT_NR_REGS; i++)
		c->regs[i] = NO_REG;
	c->pool[c->nr_pool++] = R8;
	c->pool[c->nr_pool++] = R9;
	if (!(needs & CALL))
		c->pool[c->nr_pool++] = R10;
	c->pool[c->nr_pool++] = R11;
	if (!(needs & TASK))
		c->pool[c->nr_pool++] = DX;
	put_number(c, 0xfa1e0ff3, 4);	/* endbr64: hits call the code indirectly */
	if (needs & CALL) {
		move(c, CX, R10);
		regs_op(c, TEST, CX, CX);
		put8(c, 0x75);			/* jne over the next two */
		put8(c, CALL_BYTES + JNC_BYTES);
		call(c, kt_x86_code_call);
		give_up_unless_carry(c);
	}
}

/* kt_capture_rest(insns, regs, out, NULL); or, where the payload varies, return NULL. */
static void end(struct code *c)
{
	c->give_up = c->n;
	if (c->varies) {
		put_number(c, 0xc031, 2);	/* xor %eax, %eax */
		return leave(c);
	}
	move(c, SI, DX);
	move(c, DI, SI);
	put_number(c, 0xbf48, 2);		/* mov $insns, %rdi */
	put_number(c, (unsigned long)c->insns, 8);
	put_number(c, 0xc931, 2);		/* xor %ecx, %ecx */
	put8(c, 0xe9);
	put_distance(c, (unsigned long)kt_capture_rest);
}

static bool make_all(struct code *c, int needs, u32 len)
{
	bool good = true;

	begin(c, needs);
	for (c->now = 0; c->now < len && good; c->now++) {
		const struct kt_insn *in = &c->insns[c->now];

		c->starts[c->now] = c->n;
		if (c->jump_offsets[c->now])
			c->offset = c->jump_offsets[c->now] - 1;
		good = ops[in->op].make(c, in) && !c->lacks_regs;
	}
	if (needs & INTERPRETER)
		end(c);
	return good;
}

int kt_x86_generate(const struct kt_insn *insns, u32 len, u8 *out, u32 room, unsigned long at)
{
	const int needs = needs_of(insns, len);
	struct code *c;
	int n = -EOPNOTSUPP;

	if (needs < 0)
		return needs;
	c = kt_zalloc(sizeof(*c));
	if (!c)
		return -ENOMEM;
	*c = (struct code){ .to = out, .at = at, .insns = insns };
	/* The first pass finds where the code of each instruction begins; jumps need that. */
	if (make_all(c, needs, len)) {
		c->room = room;
		make_all(c, needs, len);
		n = c->n;
	}
	kt_free(c);
	return n;
}
