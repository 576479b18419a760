/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * abi_program.h - the capture program: what a tracepoint records, and whether.
 *
 * A part of ktrace_abi.h: include that.
 */
#ifndef KTRACE_ABI_PROGRAM_H
#define KTRACE_ABI_PROGRAM_H

#include <linux/types.h>

/*
 * Straight-line code over eight 64-bit registers, jumps forward only; it ends
 * at KT_OP_END (record) or KT_OP_DROP (do not).  Registers begin undefined:
 * the verifier refuses a program that reads one before it was written.
 *
 * A value that cannot be had (memory that cannot be read, a division by 0) is
 * unreadable, and so is all that is computed from it.  No comparison holds for it.
 * Its bits are 0 where they come from memory; what is emitted of it is marked by KT_OP_FAULTS.
 *
 * Each KT_OP_EMIT... emits one item.
 */
struct kt_insn {
	__u8  op;		/* KT_OP_* */
	__u8  dst;
	__u8  src;
	__u8  aux;
	__s32 imm;
};

#define KT_NR_REGS		8
#define KT_MAX_LINKS		8	/* loads in one KT_OP_EMITCHAIN */
#define KT_MAX_STR		512	/* bytes of one KT_OP_EMITSTR */
#define KT_MAX_DEPTH		64	/* callers in one KT_OP_EMITSTACK */
#define KT_COMM_BYTES		16

enum kt_op {
	KT_OP_END,		/* record what was emitted */
	KT_OP_DROP,		/* filtered out */
	KT_OP_REG,		/* dst = machine register number imm (DWARF) */
	KT_OP_PSR,		/* dst = processor status */
	KT_OP_IMM,		/* dst = imm, sign-extended */
	KT_OP_IMMHI,		/* dst = imm << 32 | low half of dst */
	KT_OP_CUR,		/* dst = property imm (KT_CUR_*) of the current task */
	KT_OP_ALU,		/* dst = dst aux(KT_ALU_*) src */
	KT_OP_ADDI,		/* dst = dst + imm */
	KT_OP_LOAD,		/* dst = aux(KT_SIZE_*) at src + imm, fault-safe */
	KT_OP_CMP,		/* if (dst aux(KT_CMP_*) src) skip imm instructions */
	KT_OP_EMIT,		/* emit low aux (4 or 8) bytes of src */
	KT_OP_EMITCUR,		/* emit property imm (KT_CUR_PID, KT_CUR_TGID), 4 bytes */
	KT_OP_EMITREG,		/* emit machine register number imm (DWARF), 8 bytes */
	KT_OP_EMITREGS,		/* emit all general registers, 8 bytes each */
	KT_OP_FAULTS,		/* first emit: a 4-byte mask, bit n: the n-th emit after this word is unreadable */
	KT_OP_ALUI,		/* dst = dst aux(KT_ALU_*) imm, sign-extended */
	KT_OP_CMPI,		/* if (dst aux(KT_CMP_*) imm, sign-extended) skip src instructions */
	KT_OP_SET,		/* dst = 1 if (dst aux(KT_CMP_*) src), else 0 */
	KT_OP_EXT,		/* dst = its low bytes as aux(KT_SIZE_*) */
	KT_OP_EMITSTR,		/*
				 * emit the string at src: imm (4..KT_MAX_STR, by four) bytes, 0 behind its end; one that
				 * is unreadable from some byte on is emitted up to there
				 */
	KT_OP_EMITCOMM,		/* emit the name of the current task, KT_COMM_BYTES, 0 behind its end */
	KT_OP_EMITSTACK,	/* emit up to imm callers, the nearest first: 8 bytes each, 0 behind the last */
	KT_OP_EMITCHAIN,	/*
				 * v = machine register number imm (DWARF); for each of the src (1..KT_MAX_LINKS)
				 * KT_OP_LINK that follow: v = 8 bytes at v + their imm, fault-safe; the last
				 * one is aux(KT_SIZE_*) instead.  Emit v: 8 bytes of KT_SIZE_U64, else 4.
				 */
	KT_OP_LINK,
	KT_OP_ELAPSED,		/* dst = ticks since its call was opened, at KT_ROLE_END; unreadable where that was not seen */
	KT_OP_SAVED,		/*
				 * dst = aux(KT_SIZE_*) of what was saved when it was opened, at byte imm; unreadable as
				 * above, and where bit src - 1 of the first word saved says so (src 0: it never does)
				 */
	KT_OP_EMITSAVED,	/* emit aux (1..) units of four bytes of it, from byte imm on; unreadable as above */
	KT_NR_OPS,
};

enum kt_alu {
	KT_ALU_ADD, KT_ALU_SUB, KT_ALU_MUL, KT_ALU_AND, KT_ALU_OR, KT_ALU_XOR,
	KT_ALU_SHL, KT_ALU_SHR, KT_ALU_SAR,
	KT_ALU_DIV, KT_ALU_MOD, KT_ALU_SDIV, KT_ALU_SMOD,	/* by 0: unreadable */
	KT_NR_ALUS,
};

enum kt_cmp {
	KT_CMP_EQ, KT_CMP_NE, KT_CMP_LT, KT_CMP_LE, KT_CMP_SLT, KT_CMP_SLE,
	KT_CMP_ALWAYS,		/* compares nothing; in KT_OP_CMP only */
	KT_CMP_GT, KT_CMP_GE, KT_CMP_SGT, KT_CMP_SGE,
	KT_NR_CMPS,
};

enum kt_size {
	KT_SIZE_U8, KT_SIZE_U16, KT_SIZE_U32, KT_SIZE_U64, KT_SIZE_S8, KT_SIZE_S16, KT_SIZE_S32,
	KT_NR_SIZES,
};

/*
 * A new one goes to the end and raises no version: a module that does not know it refuses the
 * program (-EINVAL).  None is ever removed or given another meaning.
 */
enum kt_cur {
	KT_CUR_PID, KT_CUR_TGID, KT_CUR_CPU,
	KT_CUR_UID, KT_CUR_GID,			/* real, as the initial user namespace has them */
	KT_CUR_PGRP,				/* of the initial pid namespace, as the two above */
	KT_CUR_TASK,				/* address of its struct task_struct */
	KT_CUR_PERCPU,				/* what is added to the address of a per-CPU variable here */
	KT_CUR_COMM_LOW, KT_CUR_COMM_HIGH,	/* bytes 0 to 7, 8 to 15 of its name */
	KT_CUR_NICE,				/* -20 to 19 */
	KT_NR_CURS,
};

#endif
