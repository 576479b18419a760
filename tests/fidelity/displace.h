/* SPDX-License-Identifier: GPL-2.0-or-later */
/* displace.h - the code under test: it produces the code that replaces instructions in place. */
#ifndef FIDELITY_DISPLACE_H
#define FIDELITY_DISPLACE_H

#include "core/ktrace_abi.h"
#include "trial.h"

#define DISPLACED_BYTES	256

struct displaced {
	u8 code[DISPLACED_BYTES];
	unsigned int len;
	unsigned int begin;	/* the offset of the displaced instructions, behind what is executed first */
	/* For each byte of code: the offset in the subject of the instruction that it carries out. */
	u8 from[DISPLACED_BYTES];
	bool differs_in_kernel;	/* the code would differ at kernel addresses */
	bool overrun;		/* it wrote more than it may */
};

/* A way to displace instructions. */
struct method {
	const char *name;
	unsigned int room;
	bool several;		/* it displaces whole instructions of at least as many bytes as a jump */
	bool relocatable;	/* the same distances at other addresses give the same code */
	/* It calls the hit function on the stack, and uses this many bytes below the stack pointer. */
	unsigned int stack;
	bool all_regs;		/* it saves all registers, not only those that functions may change */
	/* *begin is 0 before the call. */
	enum kt_refusal (*displace)(const struct subject *subject, u64 at, u64 slot, u8 *code,
				    unsigned int *begin);
};

enum { METHOD_SLOT, METHOD_REGION, METHOD_TRAMPOLINE, METHOD_TRAMPOLINE_ALL, METHOD_DIRECT, METHOD_DIRECT_FLAGS, NR_METHODS };
extern const struct method displace_methods[NR_METHODS];

/* The smallest and the largest number of bytes that a jump displaces. */
#define REGION_MIN	5
#define REGION_MAX	MAX_INSN_SIZE

enum kt_refusal displace(const struct trial *trial, struct displaced *out);

/* The length of an instruction that others follow, where it is executed. */
unsigned int displace_moved_len(const struct insn *insn);

/* The reason of a refusal, in a few words. */
const char *displace_refusal(enum kt_refusal refusal);

#endif
