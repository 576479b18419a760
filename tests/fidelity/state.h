/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.h - the state of the CPU. cpu.S knows the offsets. */
#ifndef FIDELITY_STATE_H
#define FIDELITY_STATE_H

#define STATE_RIP	128
#define STATE_FLAGS	136
#define STATE_FS_BASE	144
#define STATE_GS_BASE	152
#define STATE_SELECTORS	160

#define VECTOR_BYTES	8192	/* enough for an XSAVE area with these components */

#define FRAME_WORDS	21	/* struct pt_regs */

#ifndef __ASSEMBLER__
#include <linux/types.h>

#define FLAG_TF		(1u << 8)
#define FLAG_DF		(1u << 10)
#define FLAG_AC		(1u << 18)
#define FLAG_ID		(1u << 21)
#define FLAGS_STATUS	0x8d5u	/* CF PF AF ZF SF OF */
#define FLAGS_FIXED	0x202u	/* bit 1, and IF, which user space cannot change */

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, NR_GPR = 16 };
enum { SEL_DS, SEL_ES, SEL_FS, SEL_GS, NR_SELECTORS };

struct state {
	u64 gpr[NR_GPR];	/* in the order of their encoding */
	u64 rip;
	u64 flags;
	u64 fs_base, gs_base;
	u16 selector[NR_SELECTORS];
};

_Static_assert(offsetof(struct state, rip) == STATE_RIP, "known to cpu.S");
_Static_assert(offsetof(struct state, flags) == STATE_FLAGS, "known to cpu.S");
_Static_assert(offsetof(struct state, fs_base) == STATE_FS_BASE, "known to cpu.S");
_Static_assert(offsetof(struct state, gs_base) == STATE_GS_BASE, "known to cpu.S");
_Static_assert(offsetof(struct state, selector) == STATE_SELECTORS, "known to cpu.S");

/* The registers that the module's hit function gets, in the order of struct pt_regs. */
enum { FRAME_SCRATCH = 6, FRAME_FLAGS = 15, FRAME_SP = 19 };
extern const u8 frame_gpr[NR_GPR];	/* the index of each register in it */

/* How an execution ended: at a pad (signal 0), or by a signal. */
struct outcome {
	struct state state;
	int signal, code;
	u64 address;		/* si_addr */
	u64 trap, error;	/* the exception's number and error code */
	bool lost;		/* at a pad, but not entered at its beginning */
	u32 hits;		/* calls of the hit function */
	u64 hit_flags;		/* the flags at the last call */
	u64 frame[FRAME_WORDS];	/* of the last call; the stack pointer's word has the address of the frame's end */
};

#endif
#endif
