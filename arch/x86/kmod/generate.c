// SPDX-License-Identifier: GPL-2.0-only
/*
 * generate.c - machine code for capture programs.  See generate.h.
 *
 * Registers of the code that writes a payload (struct kt_code.run):
 *	rdi	the registers of the hit
 *	rsi	the payload
 *	rdx	the current task, if the program uses it
 *	rax	an address, then the value that a load finds there
 *	r11	scratch
 *	r10	the registers of the system call, if the program reads its arguments
 *	rcx	a distance of shifts, the length of texts
 *	r8, r9, and rcx, rdx and r10 if they have no use as above: registers of the program
 * The code of a whole hit writes its payload in the same way, with other registers: see generate_hit.c and generate_text.c.
 *
 * Each load is a call of a function of the module, because only the module's own text has an exception table.  If a load
 * fails, the code gives up: it jumps to its end, from where the interpreter runs the whole program.  The
 * verifier has checked that the payload has the same layout on all paths, so each item has a fixed offset.  Behind a
 * text, rsi has moved: offsets count from the text's end.
 */
#include "generate.h"

#include "code_chain.h"
#include "code_put.h"
#include "code_regs.h"
#include "core/capture_run.h"

/* The low bits of the opcodes of conditional jumps (Intel SDM, volume 2, appendix B.1.4.7). */
const u8 kt_x86_conditions[KT_NR_CMPS] = {
	[KT_CMP_EQ] = 0x4, [KT_CMP_NE] = 0x5, [KT_CMP_LT] = 0x2, [KT_CMP_LE] = 0x6,
	[KT_CMP_SLT] = 0xc, [KT_CMP_SLE] = 0xe, [KT_CMP_GT] = 0x7, [KT_CMP_GE] = 0x3,
	[KT_CMP_SGT] = 0xf, [KT_CMP_SGE] = 0xd,
};

#define MOST_OFFSET	(1 << 24)	/* of struct pointer */
#define MOST_BYTES	64	/* of one KT_OP_EMITBYTES */
#define CALL_BYTES	5
#define JNC_BYTES	6

static void give_up_unless_carry(struct code *c)
{
	jump_if(c, JNC, c->at + c->give_up);
}

/* Store 2, 4 or 8 bytes of the register as the next item. */
static void emit(struct code *c, u8 reg, u32 bytes)
{
	if (bytes == 2)
		put8(c, 0x66);
	memory_op(c, bytes == 8, MOV_STORE, reg, c->out, c->offset);
	c->offset += bytes;
}

const u8 kt_x86_arguments[NR_ARGUMENTS][2] = { { 4, SI }, { 1, DX }, { 2, CX }, { 8, R8 }, { 9, R9 } };

/* ------------------------------------------------------------------------ loads */

/*
 * Of the payload's code; of a hit, from anywhere; of a hit, from an argument that is checked; of a hit in a system call that is given;
 * of a direct jump.
 */
struct loads {
	const char *code, *hit, *checked, *call, *direct;
};

#define LOADS(bits)	\
	{ kt_x86_code_load##bits, kt_x86_hit_load##bits, kt_x86_hit_checked##bits, kt_x86_call_load##bits, kt_x86_direct_load##bits }

static const struct loads loads8 = LOADS(8), loads16 = LOADS(16), loads32 = LOADS(32), loads64 = LOADS(64);

static const struct {
	const struct loads *load;
	u8 extend[2];		/* the opcode that extends the sign; 0: none */
} sizes[KT_NR_SIZES] = {
	[KT_SIZE_U8] = { &loads8, { 0 } },	[KT_SIZE_U16] = { &loads16, { 0 } },
	[KT_SIZE_U32] = { &loads32, { 0 } },	[KT_SIZE_U64] = { &loads64, { 0 } },
	[KT_SIZE_S8] = { &loads8, { 0x0f, 0xbe } },
	[KT_SIZE_S16] = { &loads16, { 0x0f, 0xbf } },
	[KT_SIZE_S32] = { &loads32, { 0x63 } },
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

/* May a load up to base + offset + last rely on the check of the argument in base? */
static bool is_checked(struct code *c, u8 base, s32 offset, s32 last)
{
	if (!(c->live & ~BIT_OF(DX) & BIT_OF(base)) && !(c->live & BIT_OF(DX) && base == c->second))
		return false;
	if (offset < 0 || offset >= KT_X86_CHECKED)
		return false;
	c->loads[base] += c->now >= c->skipped;
	c->last[base] = offset + last > c->last[base] ? offset + last : c->last[base];
	return c->checked & BIT_OF(base);
}

static void call_hit_load(struct code *c, const struct loads *load, bool is_checked)
{
	if (is_checked)
		call(c, load->checked);
	else if (c->call_given)
		kt_x86_call_without_faults(c, load->call);
	else
		call(c, load->hit);
}

void kt_x86_load(struct code *c, u8 base, s32 offset, u8 size)
{
	const struct loads *load = sizes[size].load;

	if (offset || base != AX)
		memory_op(c, true, LEA, AX, base, offset);
	c->any_load = true;
	if (c->is_direct) {
		call(c, load->direct);
		give_up_unless_carry(c);
	} else if (c->is_hit) {
		call_hit_load(c, load, is_checked(c, base, offset, 7));
	} else {
		call(c, load->code);
		give_up_unless_carry(c);
	}
	if (sizes[size].extend[0])
		extend(c, sizes[size].extend, AX, AX);
}

static bool make_load(struct code *c, const struct kt_insn *in)
{
	const struct pointer from = pointer_of(c, in->src, in->imm);

	kt_x86_load(c, from.base, from.offset, in->aux);
	move(c, AX, target_of(c, in->dst));
	return true;
}

static bool make_emitchain(struct code *c, const struct kt_insn *in)
{
	u8 base = source(c, in->imm);
	u32 i;

	if (!put_chain(c, in, base)) {
		for (i = 1; i < in->src; i++, base = AX)
			kt_x86_load(c, base, in[i].imm, KT_SIZE_U64);
		/* Of a value with four bytes, no more are emitted. */
		kt_x86_load(c, base, in[i].imm, in->aux == KT_SIZE_S32 ? KT_SIZE_U32 : in->aux);
	}
	emit(c, AX, in->aux == KT_SIZE_U64 ? 8 : 4);
	return true;
}

static bool make_link(struct code *c, const struct kt_insn *in)
{
	return true;
}

static bool make_emitbytes(struct code *c, const struct kt_insn *in)
{
	const struct pointer from = pointer_of(c, in->src, 0);
	s32 at, part;

	for (at = 0; at < in->imm; at += part) {
		const s32 rest = in->imm - at, offset = from.offset + at;

		part = rest >= 16 && c->is_hit && is_checked(c, from.base, offset, 15) ? 16 : rest >= 8 ? 8 : rest >= 4 ? 4 : 2;
		if (part == 16) {
			memory_op(c, true, LEA, AX, from.base, offset);
			c->any_load = true;
			call(c, kt_x86_hit_checked128);
			emit(c, AX, 8);
			emit(c, R11, 8);
			continue;
		}
		kt_x86_load(c, from.base, offset, part == 8 ? KT_SIZE_U64 : part == 4 ? KT_SIZE_U32 : KT_SIZE_U16);
		emit(c, AX, part);
	}
	return in->imm <= MOST_BYTES;
}

/* ---------------------------------------------------------------------- sources */

static bool make_reg(struct code *c, const struct kt_insn *in)
{
	const u8 argument = argument_at(c, in->imm);

	if (argument == NO_REG)
		load_register(c, target_of(c, in->dst), in->imm);
	c->known[in->dst] = (struct pointer){ argument, argument != NO_REG, 0 };
	return true;
}

static bool make_imm(struct code *c, const struct kt_insn *in)
{
	regs_op(c, MOV_IMM, 0, target_of(c, in->dst));
	put_number(c, in->imm, 4);
	return true;
}

/* Clear the high half of dst; rax = the new one: shl $32, %rax; or %rax, dst */
static bool make_immhi(struct code *c, const struct kt_insn *in)
{
	const u8 dst = reg_of(c, in->dst);

	put_rex(c, false, dst, dst);
	put8(c, MOV);
	put8(c, 0xc0 | (dst & 7) << 3 | (dst & 7));
	regs_op(c, MOV_IMM, 0, AX);
	put_number(c, in->imm, 4);
	regs_op(c, SHIFT_IMM, 4, AX);
	put8(c, 32);
	regs_op(c, OR, AX, dst);
	return true;
}

static bool make_cur(struct code *c, const struct kt_insn *in)
{
	const u8 dst = target_of(c, in->dst);

	if (in->imm == kt_current_offset(KT_CUR_TASK))
		move(c, c->task, dst);
	else
		memory_op(c, false, MOV_LOAD, dst, c->task, in->imm);
	return in->imm >= 0 || in->imm == kt_current_offset(KT_CUR_TASK);
}

static bool make_arg(struct code *c, const struct kt_insn *in)
{
	memory_op(c, true, MOV_LOAD, target_of(c, in->dst), c->call, c->call_offset + (s32)kt_syscall_arg_offset(in->imm));
	return true;
}

static bool make_emitarg(struct code *c, const struct kt_insn *in)
{
	memory_op(c, true, MOV_LOAD, AX, c->call, c->call_offset + (s32)kt_syscall_arg_offset(in->imm));
	emit(c, AX, in->aux);
	return true;
}

/* ------------------------------------------------------------------- arithmetic */

/* For the operations of the group 81 /n with a constant, of the instruction with a register, and of shifts. */
static const struct {
	u8 reg_opcode, number;
} alus[KT_NR_ALUS] = {
	[KT_ALU_ADD] = { ADD, 0 }, [KT_ALU_SUB] = { SUB, 5 }, [KT_ALU_AND] = { 0x21, 4 },
	[KT_ALU_OR] = { OR, 1 }, [KT_ALU_XOR] = { 0x31, 6 },
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

/* Add to a register.  What is known of it stays known. */
static bool make_addi(struct code *c, const struct kt_insn *in)
{
	struct pointer *known = &c->known[in->dst];
	s32 sum;

	if (known->base == NO_REG || __builtin_add_overflow(known->offset, in->imm, &sum) ||
	    sum <= -MOST_OFFSET || sum >= MOST_OFFSET) {
		sum = 0;
		reg_of(c, in->dst);
		known->base = NO_REG;
	}
	if (!known->pending) {
		regs_op(c, GROUP_IMM, 0, machine_reg(c, in->dst));
		put_number(c, in->imm, 4);
	}
	known->offset = sum;
	return true;
}

static bool make_alui(struct code *c, const struct kt_insn *in)
{
	const u8 dst = in->aux == KT_ALU_ADD ? NO_REG : reg_of(c, in->dst);

	if (in->aux == KT_ALU_ADD)
		return make_addi(c, in);
	c->known[in->dst].base = NO_REG;

	if (is_shift(in->aux)) {
		regs_op(c, SHIFT_IMM, alus[in->aux].number, dst);
		put8(c, in->imm & 63);
	} else if (in->aux == KT_ALU_MUL) {
		regs_op(c, 0x69, dst, dst);
		put_number(c, in->imm, 4);
	} else if (alus[in->aux].reg_opcode) {
		regs_op(c, GROUP_IMM, alus[in->aux].number, dst);
		put_number(c, in->imm, 4);
	} else {
		return false;
	}
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

	c->labels[target].offset = c->offset + 1;
	c->skipped = target > c->skipped ? target : c->skipped;
	if (opcode)
		jump_if(c, opcode, c->at + c->labels[target].start);
	else
		jump_to(c, c->at + c->labels[target].start);
	return true;
}

static bool make_cmp(struct code *c, const struct kt_insn *in)
{
	settle(c);
	if (in->aux == KT_CMP_ALWAYS)
		return jump(c, 0, in->imm);
	regs_op(c, CMP_REGS, reg_of(c, in->src), reg_of(c, in->dst));
	return jump(c, 0x80 | kt_x86_conditions[in->aux], in->imm);
}

/* Right behind a comparison that has set the register to 0 or 1, the flags still tell which of them. */
static bool make_cmpi(struct code *c, const struct kt_insn *in)
{
	settle(c);
	if (in->dst == c->compared && in->aux == KT_CMP_EQ && !(in->imm & ~1))
		return jump(c, 0x80 | (c->condition ^ !in->imm), in->src);
	c->compared = NO_REG;
	regs_op(c, GROUP_IMM, 7, reg_of(c, in->dst));
	put_number(c, in->imm, 4);
	return jump(c, 0x80 | kt_x86_conditions[in->aux], in->src);
}

/* setcc %al; movzx %al, dst */
static bool make_set(struct code *c, const struct kt_insn *in)
{
	static const u8 zero8[] = { 0x0f, 0xb6 };
	const u8 dst = reg_of(c, in->dst);

	regs_op(c, CMP_REGS, reg_of(c, in->src), dst);
	put8(c, 0x0f);
	put8(c, 0x90 | kt_x86_conditions[in->aux]);
	put8(c, 0xc0);
	extend(c, zero8, AX, dst);
	c->compared = in->dst;
	c->condition = kt_x86_conditions[in->aux];
	return true;
}

/* The code goes on behind the last instruction. */
static bool make_end(struct code *c, const struct kt_insn *in)
{
	if (c->now + 1 < c->len)
		jump_to(c, c->at + c->done);
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
	memory_op(c, false, MOV_LOAD, AX, c->task, in->imm);
	emit(c, AX, 4);
	return true;
}

static bool make_emitreg(struct code *c, const struct kt_insn *in)
{
	emit(c, source(c, in->imm), 8);
	return true;
}

/* rsi = where the text begins, rax = its address, ecx = its most bytes */
static bool make_emittext(struct code *c, const struct kt_insn *in)
{
	if (c->is_hit)
		return kt_x86_emit_text(c, in);
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

/* The mask of unreadable items is 0: if one cannot be read, the interpreter makes the record.  Texts set bits (generate_text.c). */
static bool make_mask(struct code *c, const struct kt_insn *in)
{
	const u32 bytes = in->op == KT_OP_FAULTS ? 4 : 2;

	c->mask_at = c->offset + 1;
	if (bytes == 2)
		put8(c, 0x66);
	memory_op(c, false, MOV_IMM, 0, c->out, c->offset);
	put_number(c, 0, bytes);
	c->offset += bytes;
	return !c->texts;
}

/* ------------------------------------------------------------------- the program */

static const struct {
	bool (*make)(struct code *c, const struct kt_insn *in);	/* NULL: no code for this instruction */
	u8 needs;
} ops[KT_NR_OPS] = {
	[KT_OP_END] = { make_end }, [KT_OP_REG] = { make_reg }, [KT_OP_IMM] = { make_imm, SETS_DST },
	[KT_OP_IMMHI] = { make_immhi, SETS_DST }, [KT_OP_CUR] = { make_cur, NEEDS_TASK | SETS_DST }, [KT_OP_ALU] = { make_alu, SETS_DST },
	[KT_OP_ADDI] = { make_addi }, [KT_OP_LOAD] = { make_load, NEEDS_INTERPRETER | SETS_DST },
	[KT_OP_CMP] = { make_cmp, NEEDS_JUMPS }, [KT_OP_EMIT] = { make_emit },
	[KT_OP_EMITCUR] = { make_emitcur, NEEDS_TASK }, [KT_OP_EMITREG] = { make_emitreg },
	[KT_OP_FAULTS] = { make_mask }, [KT_OP_ALUI] = { make_alui }, [KT_OP_CMPI] = { make_cmpi, NEEDS_JUMPS },
	[KT_OP_SET] = { make_set, SETS_DST }, [KT_OP_EXT] = { make_ext, SETS_DST },
	[KT_OP_EMITCHAIN] = { make_emitchain, NEEDS_INTERPRETER | NEEDS_CHAIN }, [KT_OP_LINK] = { make_link },
	[KT_OP_EMITCOMM] = { kt_x86_emit_comm, NEEDS_TASK | NEEDS_CHAIN },
	[KT_OP_FAULTS2] = { make_mask }, [KT_OP_EMIT2] = { make_emit },
	[KT_OP_EMITBYTES] = { make_emitbytes, NEEDS_INTERPRETER },
	[KT_OP_ARG] = { make_arg, NEEDS_CALL | SETS_DST },
	[KT_OP_EMITARG] = { make_emitarg, NEEDS_CALL },
	[KT_OP_ELAPSED] = { kt_x86_elapsed, SETS_DST },
	[KT_OP_EMITTEXT] = { make_emittext, NEEDS_TEXT | NEEDS_INTERPRETER | NEEDS_CX },
};

int kt_x86_payload_needs(const struct kt_insn *insns, u32 len)
{
	int needs = 0;
	u32 i;

	for (i = 0; i < len; i++) {
		if (!ops[insns[i].op].make)
			return -EOPNOTSUPP;
		needs |= ops[insns[i].op].needs;
		if (insns[i].op == KT_OP_ALU && is_shift(insns[i].aux))
			needs |= NEEDS_CX;
	}
	return needs & NEEDS_TEXT && needs & NEEDS_JUMPS ? -EOPNOTSUPP : needs;
}

bool kt_x86_payload(struct code *c, u32 header)
{
	bool good = true;

	memset(c->regs, NO_REG, sizeof(c->regs));
	forget(c);
	memset(c->loads, 0, sizeof(c->loads));
	memset(c->last, 0, sizeof(c->last));
	c->any_load = false;
	c->skipped = c->mask_at = c->texts = c->fixed = 0;
	c->offset = header;
	for (c->now = 0; c->now < c->len && good; c->now++) {
		const struct kt_insn *in = &c->insns[c->now];

		if (c->labels[c->now].offset) {
			settle(c);
			c->offset = c->labels[c->now].offset - 1;
			forget(c);
		}
		c->labels[c->now].start = c->n;
		c->compared = in->op == KT_OP_CMPI ? c->compared : NO_REG;
		good = ops[in->op].make(c, in) && !c->lacks_regs;
		if (ops[in->op].needs & SETS_DST)
			c->known[in->dst].base = NO_REG;
	}
	c->done = c->n;
	return good;
}

static void begin(struct code *c, int needs)
{
	c->n = 0;
	c->varies = needs & NEEDS_TEXT;
	c->regs_at = DI;
	c->out = SI;
	c->task = DX;
	c->call = R10;
	c->pool = BIT_OF(R8) | BIT_OF(R9) | (needs & NEEDS_CALL ? 0 : BIT_OF(R10)) | (needs & NEEDS_CX ? 0 : BIT_OF(CX)) |
		  (needs & NEEDS_TASK ? 0 : BIT_OF(DX));
	put_endbr(c);
	if (needs & NEEDS_CALL) {
		move(c, CX, R10);
		regs_op(c, TEST, CX, CX);
		put8(c, 0x75);			/* jne over the next two */
		put8(c, CALL_BYTES + JNC_BYTES);
		call(c, kt_x86_code_call);
		give_up_unless_carry(c);
	}
}

/* A payload that varies ends at rax. */
static void end(struct code *c)
{
	if (c->varies)
		memory_op(c, true, LEA, AX, c->out, c->offset);
	jump_to(c, (unsigned long)kt_x86_code_end);
}

/* kt_capture_rest(insns, regs, out, NULL); or, where the payload varies, return NULL. */
static void interpret(struct code *c)
{
	c->give_up = c->n;
	if (c->varies) {
		put_number(c, 0xc031, 2);	/* xor %eax, %eax */
		return jump_to(c, (unsigned long)kt_x86_code_end);
	}
	move(c, SI, DX);
	move(c, DI, SI);
	put_number(c, 0xbf48, 2);		/* mov $insns, %rdi */
	put_number(c, (unsigned long)c->insns, 8);
	put_number(c, 0xc931, 2);		/* xor %ecx, %ecx */
	jump_to(c, (unsigned long)kt_capture_rest);
}

static bool make_all(struct code *c, int needs)
{
	bool good;

	begin(c, needs);
	good = kt_x86_payload(c, 0);
	end(c);
	if (needs & (NEEDS_INTERPRETER | NEEDS_CALL))
		interpret(c);
	return good;
}

int kt_x86_generate(const struct kt_insn *insns, u32 len, u8 *out, u32 room, unsigned long at)
{
	const int needs = kt_x86_payload_needs(insns, len);
	int n = -EOPNOTSUPP;
	struct code *c;
	u32 before;

	if (needs < 0)
		return needs;
	if (needs & NEEDS_TEXT && !(needs & NEEDS_CALL))
		return -EOPNOTSUPP;
	c = kt_zalloc(sizeof(*c) + (len + 1) * sizeof(*c->labels));
	if (!c)
		return -ENOMEM;
	*c = (struct code){ .to = out, .at = at, .insns = insns, .len = len, .labels = (struct label *)(c + 1) };
	/* The first pass finds where the code of each instruction begins; jumps need that. */
	if (make_all(c, needs)) {
		before = c->n;
		c->room = room;
		make_all(c, needs);
		n = pass_result(c, before);
	}
	kt_free(c);
	return n;
}
