/* SPDX-License-Identifier: GPL-2.0-only */
/* code_chain.h - chains of pointers in the code of direct jumps: see kt_x86_direct_chain1 in generate.h. */
#ifndef KTRACE_X86_CODE_CHAIN_H
#define KTRACE_X86_CODE_CHAIN_H

#include "code_put.h"
#include "generate.h"

/* rax = the value at the end of a KT_OP_EMITCHAIN, which begins at `base`.  False: it needs another way. */
static inline bool put_chain(struct code *c, const struct kt_insn *in, u8 base)
{
	static const char *const chains[KT_X86_CHAIN] = {
		kt_x86_direct_chain1, kt_x86_direct_chain2, kt_x86_direct_chain3, kt_x86_direct_chain4
	};

	if (!c->is_direct || in->aux != KT_SIZE_U64 || in->src < 2 || in->src > KT_X86_CHAIN || c->nr_chains == MOST_CHAINS)
		return false;
	move(c, base, AX);
	put_number(c, 0xbf48, 2);		/* mov $imm, %rdi */
	put_number(c, kt_direct_end(), 8);
	put_number(c, 0x0d8d48, 3);		/* lea table(%rip), %rcx */
	put_distance(c, c->at + c->chain_tables[c->nr_chains]);
	c->chains[c->nr_chains++] = in;
	call(c, chains[in->src - 1]);
	return true;
}

/* The tables of all chains, behind the code. */
static inline void put_chain_tables(struct code *c)
{
	u32 i, n;

	for (i = 0; i < c->nr_chains; i++) {
		put_number(c, c->at + c->give_up, 8);
		c->chain_tables[i] = c->n;
		for (n = 1; n <= c->chains[i]->src; n++)
			put_number(c, (u64)(s64)c->chains[i][n].imm - kt_direct_end(), 8);
	}
}

#endif
