/* SPDX-License-Identifier: GPL-2.0-or-later */
/* displace.h - the code under test: what is executed instead of the instructions in place. */
#ifndef FIDELITY_DISPLACE_H
#define FIDELITY_DISPLACE_H

#include "core/ktrace_abi.h"
#include "trial.h"

#define DISPLACED_BYTES	256

struct displaced {
	u8 code[DISPLACED_BYTES];
	unsigned int len;
	unsigned int begin;	/* where the displaced instructions begin, behind what is executed first */
	/* For each byte of code: where the instruction that it carries out starts in the subject. */
	u8 from[DISPLACED_BYTES];
	bool differs_in_kernel;	/* at kernel addresses it would be other code */
	bool overrun;		/* wrote more than it may */
};

/* A way of displacing. */
struct method {
	const char *name;
	unsigned int room;
	bool several;		/* takes a region, whole instructions of at least as many bytes as a jump */
	bool relocatable;	/* at other addresses the same distances make the same code */
	/* It calls the hit function, on the stack, of which it uses so many bytes below the stack pointer. */
	unsigned int stack;
	bool all_regs;		/* all registers are given to it, not those alone that it may change */
	/* *begin is 0 at the call. */
	enum kt_refusal (*displace)(const struct subject *subject, u64 at, u64 slot, u8 *code,
				    unsigned int *begin);
};

enum { METHOD_SLOT, METHOD_REGION, METHOD_TRAMPOLINE, METHOD_TRAMPOLINE_ALL, NR_METHODS };
extern const struct method displace_methods[NR_METHODS];

/* The bytes that a region has at least and at most. */
#define REGION_MIN	5
#define REGION_MAX	MAX_INSN_SIZE

enum kt_refusal displace(const struct trial *trial, struct displaced *out);

/* Why, in few words. */
const char *displace_refusal(enum kt_refusal refusal);

#endif
