/* SPDX-License-Identifier: GPL-2.0-only */
/* code_hit.h - parts of the code of hits, for generate_hit.c and generate_text.c. */
#ifndef KTRACE_X86_CODE_HIT_H
#define KTRACE_X86_CODE_HIT_H

#include "generate.h"

#include "code_put.h"
#include "core/ring.h"
#include "kmod/text/code.h"

/* Bytes of the compact header of a wide ring, in front of the payload. */
#define HEADER_BYTES	6

struct hit {
	struct code c;			/* first: the functions of code_put.h take it */
	const struct kt_hit_code *what;
	struct kt_x86_layout at;
	int needs;
	u8 ring, record;		/* the two spare registers */
	u8 commit;			/* a third one; NO_REG: the address of the commit count is on the stack */
	u32 slow, undo, failed, wake;	/* where the code goes on in unusual cases */
	/* likewise, of a direct jump: */
	u32 look, drop, wake_only, unreadable, recorded;
	u32 saved, far_key, same_key, large, counted;	/* and of one that counts in a table */
	bool filter_loads;		/* its filter reads memory */
	struct labels *closing;		/* of a hit that ends a call and counts it in a table: generate_closing.c */
	const struct text_regs *regs;	/* of texts */
	bool early_task;		/* the code reads the current task into c.task before it checks anything */
	u32 far[NO_REG], back[NO_REG];	/* for an argument that is not in the direct map */
	u32 filter_starts[];		/* of each instruction of the filter: where its code begins; known after the first pass */
};

#define PERCPU	0x65			/* gs */
#define CMP_IMM8	0x83		/* /7 */
#define CMP_BYTE	0x80		/* /7 */
#define MOV_BYTE	0xc6		/* /0 */
#define OR_LOAD		0x0b		/* or [...], reg */

static inline void put_long(struct code *c, u8 reg, u64 value)
{
	put8(c, 0x48 | reg >> 3);
	put8(c, 0xb8 | (reg & 7));
	put_number(c, value, 8);
}

/* An operation with a register or /n, and the static per-CPU variable at this address. */
static inline void percpu_op(struct code *c, bool wide, u8 opcode, u8 reg, s32 address)
{
	put8(c, PERCPU);
	put_rex(c, wide, reg, 0);
	put8(c, opcode);
	put8(c, (reg & 7) << 3 | 4);
	put8(c, 0x25);
	put_number(c, address, 4);
}

/* The same for the one at base + offset. */
static inline void percpu_at(struct code *c, bool wide, u8 opcode, u8 reg, u8 base, s32 offset)
{
	put8(c, PERCPU);
	memory_op(c, wide, opcode, reg, base, offset);
}

static inline void push_or_pop(struct code *c, u8 reg, u8 opcode)
{
	if (reg >= R8)
		put8(c, 0x41);
	put8(c, opcode | (reg & 7));
}

/* (lock) cmpxchg reg, [base + offset]: rax is what it expects there. */
static inline void put_cmpxchg(struct code *c, bool lock, u8 reg, u8 base, s32 offset)
{
	if (lock)
		put8(c, 0xf0);
	put_rex(c, true, reg, base);
	put_number(c, 0xb10f, 2);
	put_memory(c, reg, base, offset);
}

/* Read the clock: its low half into eax, its high half into edx. */
static inline void put_rdtsc(struct code *c)
{
	put_number(c, 0x310f, 2);
}

/* rax or rdx = the clock, whose halves are in eax and edx; the other one is changed. */
static inline void join_clock(struct code *c, u8 to)
{
	regs_op(c, SHIFT_IMM, 4, DX);
	put8(c, 32);
	regs_op(c, OR, to == AX ? DX : AX, to);
}

static inline void read_clock(struct code *c, u8 to)
{
	put_rdtsc(c);
	join_clock(c, to);
}

/* Mark the next instruction as one to which an indirect branch may lead. */
static inline void put_branch_target(struct hit *h)
{
	if (h->at.checks_branches)
		put_endbr(&h->c);
}

static inline bool is_signed32(unsigned long address)
{
	return (s64)address == (s32)address;
}

/* Reserve one of the registers `from`, which are bits, if the pool still has one.  Returns NO_REG if it has none. */
static inline u8 take(struct code *c, u32 from)
{
	const u32 left = c->pool & from;
	const u8 reg = left ? __builtin_ctz(left) : NO_REG;

	if (left)
		c->pool &= ~BIT_OF(reg);
	return reg;
}

/*
 * The parts of a hit that do not depend on its payload.  Those that read the ring have the registers of generate_hit.c:
 * kt_x86_put_time() and kt_x86_put_exchange() need rdi = the word, ctl = the register with the control structure; the first leaves
 * the time in rdx, the second expects the old word in rax and the new one in rdi.  Both jump to h->undo.  bits: kt_ts_bits().
 */
/* Find the arguments that the program reads.  False: it reads another register. */
bool kt_x86_find_live(struct code *c);
/* Set c.call and c.call_offset: the registers of the system call are where rsi points, or on the stack of the task, which r10 has. */
void kt_x86_find_call(struct hit *h);
void kt_x86_put_enter(struct hit *h);
/* If the per-CPU address of the ring has more than 32 bits, load it into h->ring. */
void kt_x86_find_ring(struct hit *h);
/* An instruction with a register or /n, and a member of the ring of this CPU. */
void kt_x86_ring_op(struct hit *h, bool wide, u8 opcode, u8 reg, u32 member);
void kt_x86_put_time(struct hit *h, u8 ctl, u32 bits);
void kt_x86_put_exchange(struct hit *h, u8 ctl);
void kt_x86_put_header(struct hit *h);
/* The code after the commit of a hit that is counted in kt_cpu.nest: leave the hit, count it, end. */
void kt_x86_put_leave(struct hit *h);
/* The last part of the code.  The jumps of all other parts to h->slow and h->wake lead there. */
void kt_x86_put_slow(struct hit *h);

/* Words that are always on the stack of a direct jump, before the flags.  The lowest are the fixed registers: kt_x86_push_fixed(). */
#define KT_X86_ALWAYS	6
#define KT_X86_FIXED	4

/* The code of a hit whose payload has texts.  False: there is none.  As make_hit() in generate_hit.c, with the same passes. */
bool kt_x86_make_text_hit(struct hit *h);

/* The parts of the code of a direct jump that do not depend on what it does with the hit. */
void kt_x86_push_fixed(struct code *c);
void kt_x86_pop_fixed(struct code *c);
void kt_x86_push_saved(struct code *c, u32 saved);
void kt_x86_pop_saved(struct code *c, u32 saved);
/* Where the hit's registers are while the payload is written; `words` of the stack are below `saved`, `between` above. */
void kt_x86_note_stacked(struct code *c, u32 saved, u32 words, u32 between);
void kt_x86_begin_loads(struct hit *h);
void kt_x86_end_loads(struct hit *h);
/* rax = the per-CPU counts of the tracepoint, or the control structure of this CPU's ring */
void kt_x86_put_counts(struct hit *h);
void kt_x86_put_ctl(struct hit *h);
/* Return; of a static tracepoint, with interrupts as they were. */
void kt_x86_put_return(struct code *c);

/* Leave in rax 0 only if the process is surely not ktrace itself and the CPU is in no other hit.  task: a register with the current task. */
void kt_x86_put_own(struct hit *h, u8 task);
/* Of a hit in the rings of the prompt, or one that counts in a table: is there anything to examine?  Then it goes on at h->look. */
void kt_x86_put_examine(struct hit *h, u8 task);
/* Jump to the target if a reader waits for this record. */
void kt_x86_put_wake(struct hit *h, u32 target);
/* There: recording is frozen, or the hit is left to the C path. */
void kt_x86_look_closer(struct hit *h);
/* The time is in edx. */
void kt_x86_put_narrow_header(struct hit *h, u8 record);
/* Is it a variable of a module, so near the code that the distance has 32 bits? */
bool kt_x86_reaches(const struct hit *h, const void *variable);
/* Can the code reach what it needs of the prompt? */
bool kt_x86_narrow_possible(const struct hit *h);

/*
 * Of a hit that counts in a table: all between the filter and the return; then the rare parts, which go on at h->slow.  False:
 * there is no code.
 */
bool kt_x86_count(struct hit *h);
void kt_x86_count_rare(struct hit *h);

/*
 * A hit that ends a call, and counts it in a table (h->closing): before its code examines the hit, it reads the clock; then it finds
 * the call, and leaves KT_X86_CLOSING words on the stack.  When nothing can fail any more it ends the call; last, all words and the
 * fixed registers leave the stack.  closing_rare(): the hit is left to the C path.
 */
#define KT_X86_CLOSING	4
/* From the stack pointer on: the open call, how long it took, the enclosing call or 0, the time from which that one is charged. */
enum { KT_X86_CALL, KT_X86_ELAPSED, KT_X86_OUTER, KT_X86_FROM };

/* The offset of such a word from the stack pointer, while the draft of key and value is below it. */
static inline s32 closing_word(const struct code *c, u32 word)
{
	return c->stack_at - 8 * (KT_X86_ALWAYS + 1 + KT_X86_CLOSING - word);
}

int kt_x86_make_closing(struct hit *h, u32 room);
void kt_x86_closing_clock(struct hit *h);
void kt_x86_closing_find(struct hit *h);
void kt_x86_closing_end(struct hit *h);
void kt_x86_closing_leave(struct hit *h);
void kt_x86_closing_rare(struct hit *h);

/* The same of a hit that begins or ends a call in a measurement: generate_measure.c. */
int kt_x86_make_measured(struct hit *h, u32 room);

/* The code of a direct jump.  All passes of one that records or counts.  They return what kt_x86_generate_hit() does. */
int kt_x86_make_direct(struct hit *h, u32 room);
int kt_x86_make_passes(struct hit *h, u32 room);

#endif
