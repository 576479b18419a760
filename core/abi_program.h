/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * abi_program.h - the capture program: whether a tracepoint records a hit, and which data.
 *
 * A part of ktrace_abi.h: include that.
 */
#ifndef KTRACE_ABI_PROGRAM_H
#define KTRACE_ABI_PROGRAM_H

#include <linux/types.h>

/*
 * A program is straight-line code over eight 64-bit registers with forward jumps only.  It ends at KT_OP_END
 * (record the hit) or KT_OP_DROP (do not).  Registers begin undefined: the verifier refuses a program that
 * reads a register before it writes it.
 *
 * A value is unreadable if its memory cannot be read, or after a division by 0; so is everything computed from
 * it.  No comparison with it is true.  An unreadable value from memory has the bits 0.  KT_OP_FAULTS marks
 * unreadable items.
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
#define KT_MAX_STR		516	/* bytes of one KT_OP_EMITSTR */
/*
 * Stands for a string of which no byte is readable, and is marked as such.  Not an empty string: babeltrace2 up to 2.0.4 shows
 * the text of an earlier event in its place.
 */
#define KT_NO_TEXT		'?'
#define KT_MAX_PATTERN		64	/* bytes of the pattern of one KT_OP_MATCH */
#define KT_MAX_MATCH		256	/* bytes of a string that it compares */
#define KT_MAX_DEPTH		64	/* callers in one KT_OP_EMITSTACK */
#define KT_CALLER_UNKNOWN	(~0ULL)	/* in a list of callers: some may be missing here */
#define KT_COMM_BYTES		16
#define KT_SYSCALL_ARGS		6

enum kt_op {
	KT_OP_END,		/* record what was emitted */
	KT_OP_DROP,		/* the filter turns the hit down */
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
	KT_OP_FAULTS,		/* must be the first emit: a 4-byte mask; bit n: the n-th emit after it is unreadable */
	KT_OP_ALUI,		/* dst = dst aux(KT_ALU_*) imm, sign-extended */
	KT_OP_CMPI,		/* if (dst aux(KT_CMP_*) imm, sign-extended) skip src instructions */
	KT_OP_SET,		/* dst = 1 if (dst aux(KT_CMP_*) src), else 0 */
	KT_OP_EXT,		/* dst = its low bytes as aux(KT_SIZE_*) */
	KT_OP_EMITSTR,		/*
				 * emit the string at src: imm (4..KT_MAX_STR, by four) bytes, 0 after its end; if it
				 * becomes unreadable at some byte, emit the bytes before; KT_NO_TEXT if there are none
				 */
	KT_OP_EMITCOMM,		/* emit the name of the current task: KT_COMM_BYTES, 0 after its end */
	KT_OP_EMITSTACK,	/* emit up to imm callers, the nearest first: 8 bytes each, 0 after the last */
	KT_OP_EMITCHAIN,	/*
				 * v = machine register number imm (DWARF).  Then each of the src (1..KT_MAX_LINKS)
				 * KT_OP_LINK that follow: v = 8 bytes at v + its imm, fault-safe; the last one loads
				 * aux(KT_SIZE_*) instead.  Emit v: 8 bytes for KT_SIZE_U64, else 4.
				 */
	KT_OP_LINK,
	KT_OP_ELAPSED,		/* KT_ROLE_END: dst = ticks since the open; unreadable if that was not seen */
	KT_OP_SAVED,		/*
				 * dst = aux(KT_SIZE_*) at byte imm of the data saved at the open; unreadable as
				 * above, or if bit src - 1 of the first saved word is set (src 0: no such bit)
				 */
	KT_OP_EMITSAVED,	/* emit aux (1..) units of four bytes of it, from byte imm on; unreadable as above */
	/* The payload is a multiple of four bytes in a narrow ring; so these are mostly for wide ones (abi_ring.h). */
	KT_OP_FAULTS2,		/* KT_OP_FAULTS with a mask of two bytes; at most 16 items follow */
	KT_OP_EMIT2,		/* emit the low two bytes of src */
	KT_OP_EMITBYTES,	/* emit imm (2..KT_MAX_STR, by two) bytes at src as they are; 0 if one is unreadable */
	KT_OP_EMITTEXT,		/*
				 * emit the string at src and a 0; of a longer string as much as makes imm
				 * (2..KT_MAX_STR, by two) bytes; if it becomes unreadable at some byte, the bytes before, or
				 * KT_NO_TEXT if there are none.
				 * If the payload then has an odd number of bytes, one more 0 ends it.  Only in wide rings
				 */
	KT_OP_ARG,		/*
				 * dst = argument imm (0 to KT_SYSCALL_ARGS - 1) of the system call that the task is in;
				 * unreadable if it is in none; of a 32-bit program's call its 32 bits
				 */
	KT_OP_EMITARG,		/* emit its low aux (2, 4 or 8) bytes */
	/*
	 * Code addresses of the program of the current task: 0 is where it entered the kernel, the others are its
	 * callers, the nearest first.  At a hit of KT_SITE_USER the tables of the program's files (.eh_frame) tell them;
	 * KT_CALLER_UNKNOWN stands where callers may be missing: at the end, or before callers that only frame pointers
	 * tell.  At other hits they are as far as frame pointers lead.
	 */
	KT_OP_EMITUSTACK,	/* emit up to imm of them: 8 bytes each, 0 after the last */
	KT_OP_CALLER,		/* dst = number imm (less than KT_MAX_DEPTH) of them; unreadable if there are fewer */
	KT_OP_CALLERIN,		/* dst = the first a of KT_MAX_DEPTH with dst <= a < src; unreadable if there is none */
	KT_OP_MATCH,		/*
				 * dst = 1 if the string at src, or its first imm (1..KT_MAX_MATCH) bytes if it is
				 * longer, matches a pattern, else 0; unreadable if a byte of the string is.  The pattern is
				 * in the imm of the aux KT_OP_PATTERN that follow: four bytes each, the first in the
				 * lowest bits; 0 ends it.  In it, * stands for any bytes, ? for any one, and \ takes its
				 * special meaning from the next.  With KT_MATCH_ENDS in aux, a string that does not end
				 * within imm bytes is unreadable.
				 */
	KT_OP_PATTERN,
	KT_OP_EMITPART,		/*
				 * emit imm (4..KT_MAX_STR, by four) bytes: as many as register aux says of those at src, 0
				 * behind them; if one becomes unreadable, the bytes before; KT_NO_TEXT if there are none
				 */
	KT_OP_EMITOBJECT,	/*
				 * emit what aux (KT_OBJECT_*) says of the kernel's object at src: as many bytes as it has, at
				 * most imm, which is KT_..._BYTES of it.  The end is as that of KT_OP_EMITTEXT.  Only in wide rings
				 */
	KT_NR_OPS,
};

#define KT_MATCH_ENDS		0x40

enum kt_object {
	/*
	 * The headers of a packet (struct sk_buff): a byte KT_NETWORK_*, the network header, a byte KT_TRANSPORT_*, the
	 * transport header, as the wire has them, without options.  Behind KT_NETWORK_UNKNOWN is nothing.  What cannot be
	 * read, or is not in the first part of the packet, is unknown.
	 */
	KT_OBJECT_PACKET,
	/* The numbers of a task (struct task_struct) in its pid namespaces, the outermost first: how many, a byte; then 4 bytes each. */
	KT_OBJECT_PIDS,
	KT_NR_OBJECTS,
};

enum kt_network { KT_NETWORK_UNKNOWN, KT_NETWORK_IPV4, KT_NETWORK_IPV6, KT_NR_NETWORKS };
enum kt_transport { KT_TRANSPORT_UNKNOWN, KT_TRANSPORT_TCP, KT_TRANSPORT_UDP, KT_TRANSPORT_ICMP, KT_NR_TRANSPORTS };

#define KT_PACKET_BYTES		62	/* with the headers of IPv6 and TCP */
#define KT_MAX_PIDS		33
#define KT_PIDS_BYTES		134	/* 1 + 4 * KT_MAX_PIDS, rounded up to an even number */

enum kt_alu {
	KT_ALU_ADD, KT_ALU_SUB, KT_ALU_MUL, KT_ALU_AND, KT_ALU_OR, KT_ALU_XOR,
	KT_ALU_SHL, KT_ALU_SHR, KT_ALU_SAR,
	KT_ALU_DIV, KT_ALU_MOD, KT_ALU_SDIV, KT_ALU_SMOD,	/* by 0: unreadable */
	KT_NR_ALUS,
};

enum kt_cmp {
	KT_CMP_EQ, KT_CMP_NE, KT_CMP_LT, KT_CMP_LE, KT_CMP_SLT, KT_CMP_SLE,
	KT_CMP_ALWAYS,		/* always true; in KT_OP_CMP only */
	KT_CMP_GT, KT_CMP_GE, KT_CMP_SGT, KT_CMP_SGE,
	KT_NR_CMPS,
};

enum kt_size {
	KT_SIZE_U8, KT_SIZE_U16, KT_SIZE_U32, KT_SIZE_U64, KT_SIZE_S8, KT_SIZE_S16, KT_SIZE_S32,
	KT_NR_SIZES,
};

/*
 * A new property goes to the end and does not raise the version: a module that does not know it refuses the
 * program (-EINVAL).  No property is ever removed or changes its meaning.
 */
enum kt_cur {
	KT_CUR_PID, KT_CUR_TGID, KT_CUR_CPU,
	KT_CUR_UID, KT_CUR_GID,			/* real ids, in the initial user namespace */
	KT_CUR_PGRP,				/* in the initial pid namespace, as PID and TGID */
	KT_CUR_TASK,				/* address of its struct task_struct */
	KT_CUR_PERCPU,				/* offset of per-CPU variables on this CPU */
	KT_CUR_COMM_LOW, KT_CUR_COMM_HIGH,	/* bytes 0 to 7 and 8 to 15 of the task's name */
	KT_CUR_NICE,				/* -20 to 19 */
	KT_CUR_SYSCALL,				/* number of its system call; -1: it is in none, or in one of a 32-bit program */
	KT_NR_CURS,
};

#endif
