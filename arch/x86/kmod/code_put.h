/* SPDX-License-Identifier: GPL-2.0-only */
/* code_put.h - write instructions for generate.c and generate_hit.c.  They explain the use of registers. */
#ifndef KTRACE_X86_CODE_PUT_H
#define KTRACE_X86_CODE_PUT_H

#include "core/capture.h"

enum reg { AX, CX, DX, BX, SP, BP, SI, DI, R8, R9, R10, R11, R12, R13, R14, R15, NO_REG };

#define BIT_OF(reg)	(1U << (reg))

#define MOST_TEXTS	4	/* of one hit */
#define MOST_CHAINS	8

/* An argument in its machine register, plus a number.  NO_REG: it is something else. */
struct pointer {
	u8 base;
	bool pending;	/* the register of the program does not have it yet */
	s32 offset;
};

/* Of an instruction of the program. */
struct label {
	u16 start;			/* where its code begins: known after the first pass */
	u16 offset;			/* the offset that jumps bring to it, plus 1; 0: no jump leads there */
};

struct code {
	u8 *to;
	u32 room, n;			/* n counts bytes without room, too */
	unsigned long at;
	const struct kt_insn *insns;
	u32 len;
	u32 now;			/* the instruction of the program for which code is written now */
	u32 offset;			/* of the next item in the payload */

	/* Machine registers: */
	u8 regs_at, out, task, call;	/* the registers of the hit, or NO_REG; payload; current task; of the system call */
	s32 call_offset;		/* from that register to the registers of the system call */
	u32 live;			/* arguments that the program reads where they are; no others may be read */
	u8 second;			/* where the argument of rdx is */
	u8 moved[NO_REG];		/* of a hit with texts: where the code has put the argument of a register */
	u32 pool;			/* for the program, not taken yet */
	u32 preserved;			/* those of them that the code must save */
	u32 saved;			/* those that it has to save */
	u8 regs[KT_NR_REGS];		/* the machine register of each register; NO_REG: none so far */
	struct pointer known[KT_NR_REGS];	/* what is known of the values of registers */
	bool lacks_regs;
	u8 compared;			/* the register that the last instruction has set by a comparison; NO_REG: none */
	u8 condition;			/* it is 1 if this is true, see kt_x86_conditions[] */

	bool is_hit;			/* the code of a whole hit */
	bool is_direct;			/*  of a direct jump: the registers of the hit are in the machine's, or on the stack */
	bool is_event;			/*  the same of a static tracepoint */
	bool call_given;		/* of an event with cases: see struct kt_hit_code */
	s32 stacked[NO_REG];		/* the offset from the stack pointer of such a register, plus 1; 0: it is in the machine's */
	s32 stack_at;			/* from the stack pointer to that of the hit */
	/* Its loads: */
	u16 loads[NO_REG + 1];		/* how many are on all paths, from the argument in this machine register */
	s32 last[NO_REG + 1];		/* the last byte that they read, from there */
	u32 checked;			/* the arguments that the code checks once for all loads */
	bool any_load;			/* it must look whether a load failed */
	u32 skipped;			/* instructions before this one may be skipped */
	/* Of a direct jump: */
	u32 nr_chains;
	const struct kt_insn *chains[MOST_CHAINS];
	u32 chain_tables[MOST_CHAINS];	/* where the table of each begins: known after the first pass */

	bool varies;			/* the payload has texts */
	/* Of a hit: */
	u32 mask_at;			/* the offset of the mask of unreadable items, plus 1; 0: there is none so far */
	u32 texts;			/* so far */
	u32 fixed;			/* bytes of items before the last text, without texts */
	u8 text_bits[MOST_TEXTS];	/* in the mask */
	u32 text_far[MOST_TEXTS], text_back[MOST_TEXTS];	/* for a text that does not end in the usual way */
	u32 give_up, done;		/* where it goes to the interpreter, and its end: known after the first pass */
	struct label *labels;		/* of each instruction, and of the end: [len + 1] */
};

/*
 * The result after the last pass: the bytes of the code.  `before`: those that the pass before it found.  If the two differ, the jumps
 * lead to wrong places, which must not happen; then there is no code.
 */
static inline int pass_result(const struct code *c, u32 before)
{
	return c->n == before ? (int)c->n : -EOPNOTSUPP;
}

static inline void put8(struct code *c, u8 byte)
{
	if (c->n < c->room)
		c->to[c->n] = byte;
	c->n++;
}

static inline void put_number(struct code *c, u64 number, u32 bytes)
{
	for (; bytes; bytes--, number >>= 8)
		put8(c, number);
}

/*
 * Put the operand of a call or jump: the distance to the target, counted from the end of these 4 bytes.  Not inline: the
 * compiler would make a constant target - 4, which objtool takes for the address of other code.
 */
static kt_noinline void put_distance(struct code *c, unsigned long target)
{
	put_number(c, target - (c->at + c->n + 4), 4);
}

/* The prefix REX: wide operands, and the high bits of the two registers. */
static inline void put_rex(struct code *c, bool wide, u8 reg, u8 rm)
{
	put8(c, 0x40 | wide << 3 | (reg >> 3) << 2 | rm >> 3);
}

/* An instruction with two registers. */
static inline void regs_op(struct code *c, u8 opcode, u8 reg, u8 rm)
{
	put_rex(c, true, reg, rm);
	put8(c, opcode);
	put8(c, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

/* Mod and r/m for [base + offset]; rsp and r12 need a SIB byte. */
static inline void put_memory(struct code *c, u8 reg, u8 base, s32 offset)
{
	const bool is_short = offset >= -128 && offset < 128;

	put8(c, (is_short ? 0x40 : 0x80) | (reg & 7) << 3 | (base & 7));
	if ((base & 7) == SP)
		put8(c, 0x24);
	put_number(c, offset, is_short ? 1 : 4);
}

static inline void memory_op(struct code *c, bool wide, u8 opcode, u8 reg, u8 base, s32 offset)
{
	put_rex(c, wide, reg, base);
	put8(c, opcode);
	put_memory(c, reg, base, offset);
}

#define MOV_LOAD	0x8b	/* mov [...], reg */
#define MOV_STORE	0x89	/* mov reg, [...] */
#define MOV		0x89	/* mov reg, rm */
#define LEA		0x8d	/* lea [...], reg */
#define ADD		0x01	/* add reg, rm */
#define OR		0x09	/* or reg, rm */
#define SUB		0x29	/* sub reg, rm */
#define CMP_REGS	0x39	/* cmp reg, rm */
#define CMP_LOAD	0x3b	/* cmp [...], reg */
#define TEST		0x85	/* test reg, rm */
#define GROUP_IMM	0x81	/* /n: the operation n of rm and a constant */
#define MOV_IMM		0xc7	/* /0: mov $imm, rm */
#define SHIFT_IMM	0xc1	/* /n */
#define INC_DEC		0xff	/* /0: inc; /1: dec; /6: push */

/* The second byte of a conditional jump with a 4-byte distance. */
#define JA		0x87
#define JC		0x82
#define JE		0x84
#define JNC		0x83
#define JNE		0x85
#define JS		0x88
#define JNS		0x89

static inline void move(struct code *c, u8 from, u8 to)
{
	if (from != to)
		regs_op(c, MOV, from, to);
}

static inline void jump_to(struct code *c, unsigned long target)
{
	put8(c, 0xe9);
	put_distance(c, target);
}

static inline void jump_if(struct code *c, u8 condition, unsigned long target)
{
	put8(c, 0x0f);
	put8(c, condition);
	put_distance(c, target);
}

static inline void call(struct code *c, const void *function)
{
	put8(c, 0xe8);
	put_distance(c, (unsigned long)function);
}

/* endbr64: the code is called, or jumped to, indirectly. */
static inline void put_endbr(struct code *c)
{
	put_number(c, 0xfa1e0ff3, 4);
}

/* What the code needs. */
#define NEEDS_TASK		1
#define NEEDS_CALL		2	/* the registers of the system call */
#define NEEDS_INTERPRETER	4	/* it can give up */
#define NEEDS_TEXT		8	/* the length of its payload varies */
#define NEEDS_JUMPS		16
#define NEEDS_CX		32
#define SETS_DST		64
#define NEEDS_CHAIN		128	/* of a direct jump: rcx and rdi, for chains and names */

/* What the program needs.  -EOPNOTSUPP: there is no code for one of its instructions. */
int kt_x86_payload_needs(const struct kt_insn *insns, u32 len);
/*
 * The code that writes the payload behind `header` bytes, up to c->done.  The caller sets all registers first.  If it gives
 * up, it jumps to c->give_up, which the caller writes.  False: there is no code for this program.
 */
bool kt_x86_payload(struct code *c, u32 header);

/* rax = the value at base + offset.  The code jumps to c->give_up if it is unreadable, or finds out later: c->any_load. */
void kt_x86_load(struct code *c, u8 base, s32 offset, u8 size);

/* Emit a text to the draft of a hit: generate_text_item.c. */
bool kt_x86_emit_text(struct code *c, const struct kt_insn *in);
/* Of a hit: call the function, in which no page fault is handled. */
void kt_x86_call_without_faults(struct code *c, const char *to);

/* Emit the name of the current task: generate_comm.c.  Only in the code of a direct jump; else false. */
bool kt_x86_emit_comm(struct code *c, const struct kt_insn *in);

/* KT_OP_ELAPSED: generate_closing.c.  Only in the code of a hit that ends a call and counts it; else false. */
bool kt_x86_elapsed(struct code *c, const struct kt_insn *in);

/* The low bits of the opcode of a conditional jump, for each comparison but KT_CMP_ALWAYS; 1 more or less: the opposite. */
extern const u8 kt_x86_conditions[KT_NR_CMPS];

/* Arguments of functions: DWARF number, machine register. */
#define NR_ARGUMENTS	5
extern const u8 kt_x86_arguments[NR_ARGUMENTS][2];

#endif
