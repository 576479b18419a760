// SPDX-License-Identifier: GPL-2.0-only
/*
 * generate_direct.c - machine code for whole hits of jumps that record into the rings of the prompt, or count in a table
 * (generate_table.c).  See generate.h.
 *
 * The trampoline (trampoline.c) leads to the code with interrupts off.  It has saved rax, which is free; the stack has
 *	the return address, rax, the flags
 * and all other registers have what the hit found there.  The code saves those that it uses:
 *	rcx	the control structure of the ring
 *	rdi	the word of the ring that the exchange expects, then the new one
 *	rsi	the sub-buffer, later the record
 *	rdx	the time
 *	stack	the address of the commit count
 * The payload may use rcx, rdi and rdx, which hold nothing any more, and saves further ones that it needs.
 *
 * The code does what the C path of kmod/hit/hit.c does in the usual cases: the hit is recorded, the filter refuses it, or
 * recording is frozen.  In any other case it changes nothing, puts the registers back, and leaves the hit to kt_hit_jump().
 * The order of its accesses to the ring is that of core/ring.h, see generate_hit.c.
 *
 * The code calls no function that can be traced, and causes no exception except by loads.  So only an NMI or the like can have
 * a hit inside this one, and that is a hit of another context, to be recorded: the code need not count itself in kt_cpu.nest.
 * Around loads it notes its stack pointer in kt_cpu.loads_at: there kt_hit_enter() finds out that a hit comes from the exception
 * of a load.  A guest where reading the clock is an exception has no such code (kt_x86_layout()).
 *
 * If a value of the filter cannot be read, nothing has happened yet: the C path does the whole hit.  If one of the payload
 * cannot be read, kt_x86_direct_rest() has the interpreter write the payload, to the room that is reserved.
 */
#include "code_chain.h"
#include "code_hit.h"
#include "code_regs.h"
#include "entry.h"
#include "frame.h"

#define NARROW_HEADER	4
#define POOL		(BIT_OF(R8) | BIT_OF(R9) | BIT_OF(R10) | BIT_OF(R11) | BIT_OF(BX) | \
			 BIT_OF(R12) | BIT_OF(R13) | BIT_OF(R14) | BIT_OF(R15))

/* Offsets from the stack pointer, before the code pushes anything: the rax of the hit, and where the stack of the hit begins. */
#define AX_AT		8
#define EVENT_WORDS	2	/* a static tracepoint pushes no return address and no rax: the code leaves as much room for them */
#define SP_AT		24

/* -------------------------------------------------------------------- addresses */

/* An operation with a register or /n, and a variable of the module.  `behind`: bytes of a constant that follows. */
static void module_op(struct code *c, bool wide, u8 opcode, u8 reg, const void *variable, u32 behind)
{
	put_rex(c, wide, reg, 0);
	put8(c, opcode);
	put8(c, (reg & 7) << 3 | 5);
	put_distance(c, (unsigned long)variable - behind);
}

bool kt_x86_reaches(const struct hit *h, const void *variable)
{
	const s64 distance = (unsigned long)variable - h->c.at;

	return distance == (s32)distance && distance + (1 << 16) == (s32)(distance + (1 << 16)) &&
	       distance - (1 << 16) == (s32)(distance - (1 << 16));
}

/* --------------------------------------------------------------------- registers */

void kt_x86_note_stacked(struct code *c, u32 saved, u32 words, u32 between)
{
	static const u8 always[KT_X86_ALWAYS] = { DI, SI, CX, DX, NO_REG, AX };	/* NO_REG: the return address */
	s32 at = words;
	int reg;
	u32 i;

	memset(c->stacked, 0, sizeof(c->stacked));
	for (reg = NO_REG - 1; reg >= 0; reg--)
		if (saved & BIT_OF(reg))
			c->stacked[reg] = 8 * at++ + 1;
	at += between;
	for (i = 0; i < KT_X86_ALWAYS; i++, at++)
		if (always[i] != NO_REG)
			c->stacked[always[i]] = 8 * at + 1;
	c->stack_at = 8 * (at + 1);	/* behind the flags */
}

void kt_x86_push_saved(struct code *c, u32 saved)
{
	u8 reg;

	for (reg = 0; reg < NO_REG; reg++)
		if (saved & BIT_OF(reg))
			push_or_pop(c, reg, 0x50);
}

void kt_x86_pop_saved(struct code *c, u32 saved)
{
	int reg;

	for (reg = NO_REG - 1; reg >= 0; reg--)
		if (saved & BIT_OF(reg))
			push_or_pop(c, reg, 0x58);
}

void kt_x86_push_fixed(struct code *c)
{
	push_or_pop(c, DX, 0x50);
	push_or_pop(c, CX, 0x50);
	push_or_pop(c, SI, 0x50);
	push_or_pop(c, DI, 0x50);
}

void kt_x86_pop_fixed(struct code *c)
{
	push_or_pop(c, DI, 0x58);
	push_or_pop(c, SI, 0x58);
	push_or_pop(c, CX, 0x58);
	push_or_pop(c, DX, 0x58);
}

/* -------------------------------------------------------------------------- loads */

void kt_x86_begin_loads(struct hit *h)
{
	percpu_op(&h->c, false, MOV_STORE, SP, h->at.loads_at);
}

void kt_x86_end_loads(struct hit *h)
{
	percpu_op(&h->c, false, MOV_IMM, 0, h->at.loads_at);
	put_number(&h->c, 0, 4);
}

/* -------------------------------------------------------------------------- parts */

void kt_x86_put_ctl(struct hit *h)
{
	kt_x86_ring_op(h, true, MOV_LOAD, AX, offsetof(struct kt_ring, ctl));
}

void kt_x86_put_counts(struct hit *h)
{
	put_number(&h->c, 0xa148, 2);		/* mov counts, %rax */
	put_number(&h->c, (unsigned long)h->what->counts, 8);
}

/* As kt_wake_check(). */
void kt_x86_put_wake(struct hit *h, u32 wake)
{
	struct code *c = &h->c;

	if (kt_x86_reaches(h, h->what->wake_next)) {
		module_op(c, false, CMP_BYTE, 7, h->what->wake_next, 1);
		put8(c, 0);
	} else {
		put8(c, 0xa0);			/* mov wake_next, %al */
		put_number(c, (unsigned long)h->what->wake_next, 8);
		put_number(c, 0xc084, 2);	/* test %al, %al */
	}
	jump_if(c, JNE, c->at + wake);
}

/*
 * Interrupts as before the probe of a static tracepoint.  They are on at the begin and the end of a system call (call_given).
 * Behind sti the CPU executes one more instruction before it takes an interrupt, and that one leaves the code, which may be freed
 * then.
 */
static void put_interrupts(struct code *c)
{
	push_or_pop(c, AX, 0x58);
	if (!c->call_given) {
		put8(c, 0xa9);			/* test $imm, %eax */
		put_number(c, KT_FLAGS_IF, 4);
		put_number(c, 0x0174, 2);	/* je over sti */
	}
	put8(c, 0xfb);				/* sti */
}

/* As the kernel has patched the return of a function: to a thunk where the processor needs it, else plain. */
void kt_x86_put_return(struct code *c)
{
	const u8 *volatile const end = (const u8 *)kt_x86_code_end;	/* volatile: see put_distance() */
	const u8 ret = 0xc3;

	if (c->is_event && c->is_direct)
		memory_op(c, true, LEA, SP, SP, 8 * EVENT_WORDS);
	if (c->is_event)
		put_interrupts(c);
	if (*end != ret)
		return jump_to(c, (unsigned long)end);
	put8(c, ret);
	put8(c, 0xcc);				/* int3: nothing is to be executed behind it by a wrong guess */
}

void kt_x86_put_own(struct hit *h, u8 task)
{
	struct code *c = &h->c;

	put_rex(c, false, AX, task);			/* movzbl tgid(task), %eax */
	put_number(c, 0xb60f, 2);
	put_memory(c, AX, task, h->at.tgid);
	put_number(c, 0x4504b70f, 4);			/* movzwl own_ids(,%rax,2), %eax */
	put_number(c, (unsigned long)h->what->own_ids, 4);
	percpu_op(c, true, OR_LOAD, AX, h->at.nest);	/* and loads_at */
}

/*
 * Anything to examine?  The CPU is in another hit, or turns hits away; recording is frozen or will be; the process may be
 * ktrace itself.  One comparison for all: each has a number that is usually 0.  task: a register that gets the current task.
 */
void kt_x86_put_examine(struct hit *h, u8 task)
{
	struct code *c = &h->c;

	if (h->what->own_ids) {
		percpu_op(c, true, MOV_LOAD, task, h->at.current_task);
		kt_x86_put_own(h, task);
	} else {
		percpu_op(c, true, MOV_LOAD, AX, h->at.nest);
	}
	module_op(c, true, OR_LOAD, AX, h->what->recording, 0);
	jump_if(c, JNE, c->at + h->look);
}

/* As kt_hit_account() for a hit that is not recorded.  Nothing but rax is changed. */
static void count_missed(struct hit *h, u32 counter)
{
	struct code *c = &h->c;

	kt_x86_put_ctl(h);
	memory_op(c, true, INC_DEC, 0, AX, counter);
	kt_x86_put_counts(h);
	percpu_at(c, true, INC_DEC, 0, AX, KT_COUNTS_MISSED);
	if (!h->what->table)
		kt_x86_put_wake(h, h->wake_only);
	kt_x86_put_return(c);
}

/* Is there something to examine only because recording is frozen?  As kt_hit_examine(), which asks for that first. */
void kt_x86_look_closer(struct hit *h)
{
	struct code *c = &h->c;

	h->look = c->n;
	percpu_op(c, true, CMP_IMM8, 7, h->at.nest);
	put8(c, 0);
	jump_if(c, JNE, c->at + h->slow);
	module_op(c, true, CMP_IMM8, 7, h->what->recording, 1);
	put8(c, 0);
	jump_if(c, JNS, c->at + h->slow);
	count_missed(h, offsetof(struct kt_ring_ctl, frozen));
}

static u32 direct_units(const struct hit *h)
{
	return h->what->units + kt_compact_units(false);
}

/* As kt_ring_reserve(). */
static void direct_reserve(struct hit *h)
{
	struct code *c = &h->c;

	kt_x86_ring_op(h, true, MOV_LOAD, CX, offsetof(struct kt_ring, ctl));
	memory_op(c, true, MOV_LOAD, DI, CX, offsetof(struct kt_ring_ctl, word));
	kt_x86_ring_op(h, true, INC_DEC, 6, offsetof(struct kt_ring, count));
	kt_x86_ring_op(h, true, MOV_LOAD, SI, offsetof(struct kt_ring, sub));
	put_number(c, 0xb70f, 2);		/* movzwl 2(%rcx), %eax: the first free unit */
	put_memory(c, AX, CX, offsetof(struct kt_ring_ctl, word) + 2);
	put_number(c, 0x86348d48, 4);		/* lea (%rsi,%rax,4), %rsi */
	regs_op(c, GROUP_IMM, 0, AX);
	put_number(c, direct_units(h), 4);
	kt_x86_ring_op(h, false, CMP_REGS, AX, offsetof(struct kt_ring, sub_units));
	jump_if(c, JC, c->at + h->undo);
	kt_x86_put_time(h, CX, KT_TS_BITS);
	memory_op(c, true, LEA, DI, DI, (direct_units(h) << 16) + 1);
	kt_x86_put_exchange(h, CX);
}

/* As kt_put_compact(). */
void kt_x86_put_narrow_header(struct hit *h, u8 record)
{
	struct code *c = &h->c;

	put_number(c, 0x08e2c1, 3);		/* shl $8, %edx */
	put8(c, 0xb2);				/* mov $id, %dl */
	put8(c, h->what->id);
	memory_op(c, false, MOV_STORE, DX, record, 0);
}

/* Registers are saved as the pass before this one has found necessary (c->saved). */
static bool direct_payload(struct hit *h)
{
	struct code *c = &h->c;
	const u32 saved = c->saved;
	bool good;

	kt_x86_push_saved(c, saved);
	kt_x86_note_stacked(c, saved, 0, 1);	/* 1: the commit count */
	if (h->needs & NEEDS_TASK)
		percpu_op(c, true, MOV_LOAD, c->task, h->at.current_task);
	c->saved = c->nr_chains = 0;
	if (h->needs & NEEDS_INTERPRETER)
		kt_x86_begin_loads(h);
	good = kt_x86_payload(c, NARROW_HEADER);
	if (h->needs & NEEDS_INTERPRETER)
		kt_x86_end_loads(h);
	kt_x86_pop_saved(c, saved);
	h->recorded = c->n;
	return good;
}

static void interpret_payload(struct hit *h, u32 saved)
{
	struct code *c = &h->c;

	c->give_up = c->n;
	kt_x86_pop_saved(c, saved);
	put_long(c, DI, (unsigned long)c->insns);
	memory_op(c, true, LEA, DX, SI, NARROW_HEADER);
	call(c, kt_x86_direct_rest);
	kt_x86_end_loads(h);
	jump_to(c, c->at + h->recorded);
}

/* As kt_ring_commit(), then kt_hit_account(). */
static void commit_and_count(struct hit *h)
{
	struct code *c = &h->c;

	push_or_pop(c, AX, 0x58);
	memory_op(c, true, GROUP_IMM, 0, AX, 0);
	put_number(c, direct_units(h) << kt_unit_shift(false), 4);
	kt_x86_put_counts(h);
	percpu_at(c, true, INC_DEC, 0, AX, 0);
	kt_x86_put_wake(h, h->wake);
}

static void leave_record(struct hit *h)
{
	struct code *c = &h->c;

	h->wake = c->n;
	kt_x86_pop_fixed(c);
	h->wake_only = c->n;
	put_long(c, AX, (unsigned long)h->what->rings);
	jump_to(c, (unsigned long)(c->is_event ? kt_x86_event_direct_wake : kt_x86_direct_wake));
	h->undo = c->n;
	memory_op(c, true, LEA, SP, SP, 8);	/* the commit count */
	kt_x86_pop_fixed(c);
}

static void leave_unusual(struct hit *h)
{
	struct code *c = &h->c;

	if (!h->what->table)
		leave_record(h);
	h->slow = c->n;
	jump_to(c, (unsigned long)(c->is_event ? kt_x86_event_direct_slow : kt_x86_direct_slow));
	if (!h->filter_loads)
		return;
	h->unreadable = c->n;
	kt_x86_end_loads(h);
	jump_to(c, c->at + h->slow);
}

/* -------------------------------------------------------------------------- filter */

/*
 * A filter of the form that kt_capture_wants() handles at once: each term compares a register of the hit, or a property of
 * the task, with constants, and jumps lead to the begin of a term or to the end.
 */
struct term {	/* where its value is */
	bool begun;
	u8 reg;		/* still in this register of the hit; NO_REG: in rax */
};

static bool begin_term(struct hit *h, const struct kt_insn *in, struct term *term)
{
	struct code *c = &h->c;
	const bool is_reg = in->op == KT_OP_REG;

	*term = (struct term){ .begun = true, .reg = is_reg ? machine_at(in->imm) : NO_REG };
	if (in->dst || (is_reg ? term->reg == NO_REG : in->imm < 0))
		return false;
	if (!is_reg) {
		percpu_op(c, true, MOV_LOAD, AX, h->at.current_task);
		memory_op(c, false, MOV_LOAD, AX, AX, in->imm);
	} else if (term->reg == SP) {
		memory_op(c, true, LEA, AX, SP, SP_AT);
		term->reg = NO_REG;
	}
	return true;
}

static void put_comparison(struct code *c, const struct term *term, s32 with)
{
	if (term->reg == AX)
		memory_op(c, true, GROUP_IMM, 7, SP, AX_AT);
	else
		regs_op(c, GROUP_IMM, 7, term->reg == NO_REG ? AX : term->reg);
	put_number(c, with, 4);
}

static bool leads_to_term(const struct kt_hit_code *what, u32 at)
{
	return at < what->filter_len &&
	       (what->filter[at].op == KT_OP_REG || what->filter[at].op == KT_OP_CUR || what->filter[at].op == KT_OP_END);
}

/* Follow a pointer.  Its value is in rax. */
static bool load_term(struct hit *h, const struct kt_insn *in, struct term *term)
{
	struct code *c = &h->c;

	if (!term->begun || in->dst || in->src)
		return false;
	if (term->reg == AX)
		memory_op(c, true, MOV_LOAD, AX, SP, AX_AT);
	kt_x86_load(c, term->reg == NO_REG ? AX : term->reg, in->imm, in->aux);
	term->reg = NO_REG;
	return true;
}

/* Compare, and jump.  Over a KT_OP_DROP: jump to the drop in the opposite case.  False: there is no code. */
static bool compare_term(struct hit *h, u32 *at, const struct term *term)
{
	const struct kt_insn *in = &h->what->filter[*at];
	const u32 target = *at + 1 + in->src;
	struct code *c = &h->c;
	u8 condition;

	if (!term->begun || in->dst || in->aux >= KT_NR_CMPS || in->aux == KT_CMP_ALWAYS || !leads_to_term(h->what, target))
		return false;
	condition = 0x80 | kt_x86_conditions[in->aux];
	put_comparison(c, term, in->imm);
	if (in->src == 1 && in[1].op == KT_OP_DROP) {
		jump_if(c, condition ^ 1, c->at + h->drop);
		++*at;
	} else {
		jump_if(c, condition, c->at + h->filter_starts[target]);
	}
	return true;
}

/* False: the filter has another form. */
static bool put_filter(struct hit *h)
{
	const struct kt_insn *in = h->what->filter;
	struct term term = { .begun = false };
	bool good = true;
	u32 at;

	if (h->filter_loads)
		kt_x86_begin_loads(h);
	h->c.give_up = h->unreadable;
	for (at = 0; good && at < h->what->filter_len; at++) {
		h->filter_starts[at] = h->c.n;
		if (in[at].op == KT_OP_REG || in[at].op == KT_OP_CUR)
			good = begin_term(h, &in[at], &term);
		else if (in[at].op == KT_OP_CMPI)
			good = compare_term(h, &at, &term);
		else if (in[at].op == KT_OP_LOAD)
			good = load_term(h, &in[at], &term);
		else if (in[at].op == KT_OP_DROP)
			jump_to(&h->c, h->c.at + h->drop);
		else
			good = in[at].op == KT_OP_END && at + 1 == h->what->filter_len;
	}
	if (h->filter_loads)
		kt_x86_end_loads(h);
	return good;
}

static bool filter_loads(const struct kt_hit_code *what)
{
	u32 at;

	for (at = 0; at < what->filter_len; at++)
		if (what->filter[at].op == KT_OP_LOAD)
			return true;
	return false;
}

static void drop_hit(struct hit *h)
{
	h->drop = h->c.n;
	if (h->filter_loads)
		kt_x86_end_loads(h);
	count_missed(h, offsetof(struct kt_ring_ctl, filtered));
}

/* -------------------------------------------------------------------------- passes */

static bool direct_registers(struct hit *h)
{
	struct code *c = &h->c;

	c->is_hit = c->is_direct = true;
	c->regs_at = NO_REG;
	c->out = h->what->table ? SP : SI;
	c->preserved = POOL;
	c->pool = POOL | BIT_OF(DX) | (h->what->table ? BIT_OF(SI) : 0) | (h->needs & NEEDS_CHAIN ? 0 : BIT_OF(DI)) |
		  (h->needs & (NEEDS_CX | NEEDS_CHAIN) ? 0 : BIT_OF(CX));
	if (h->needs & NEEDS_TASK)
		c->task = take(c, ~POOL);
	return c->task != NO_REG;
}

static bool record(struct hit *h)
{
	bool good;

	kt_x86_push_fixed(&h->c);
	direct_reserve(h);
	kt_x86_put_narrow_header(h, SI);
	good = direct_payload(h);
	commit_and_count(h);
	kt_x86_pop_fixed(&h->c);
	return good;
}

static bool make_direct(struct hit *h)
{
	struct code *c = &h->c;
	const u32 saved = c->saved, give_up = c->give_up;
	bool good;

	c->n = c->live = 0;
	c->lacks_regs = false;
	if (!direct_registers(h))
		return false;
	put_branch_target(h);
	if (h->what->is_event)
		memory_op(c, true, LEA, SP, SP, -8 * EVENT_WORDS);
	if (h->closing)
		kt_x86_closing_clock(h);
	kt_x86_put_examine(h, AX);
	if (h->closing)
		kt_x86_closing_find(h);
	if (h->what->filter && !put_filter(h))
		return false;
	c->give_up = give_up;
	good = h->what->table ? kt_x86_count(h) : record(h);
	kt_x86_put_return(c);
	if (h->closing)
		kt_x86_closing_rare(h);
	else
		kt_x86_look_closer(h);
	if (h->what->filter)
		drop_hit(h);
	leave_unusual(h);
	if (h->what->table)
		kt_x86_count_rare(h);
	else if (h->needs & NEEDS_INTERPRETER)
		interpret_payload(h, saved);
	if (h->what->text)
		*h->what->text = c->n;
	put_chain_tables(c);
	return good;
}

bool kt_x86_narrow_possible(const struct hit *h)
{
	return is_signed32((unsigned long)h->what->own_ids) && kt_x86_reaches(h, h->what->recording) &&
	       kt_x86_reaches(h, h->what->wake_next) && !h->at.clock_traps;
}

static bool direct_possible(const struct hit *h)
{
	const struct kt_hit_code *what = h->what;

	return !(h->needs & (NEEDS_CALL | NEEDS_TEXT)) &&
	       (what->table ? kt_hit_table_has_code(what->table) : what->units < 1 << 14 && what->id < KT_ID_EXT) &&
	       is_signed32(what->ring) && kt_x86_narrow_possible(h);
}

/* The passes are those of kt_x86_generate_hit(): registers, jumps, the code. */
int kt_x86_make_passes(struct hit *h, u32 room)
{
	u32 before;

	h->filter_loads = filter_loads(h->what);
	if (!direct_possible(h) || !make_direct(h))
		return -EOPNOTSUPP;
	make_direct(h);
	before = h->c.n;
	h->c.room = room;
	return make_direct(h) ? pass_result(&h->c, before) : -EOPNOTSUPP;
}

int kt_x86_make_direct(struct hit *h, u32 room)
{
	if (!h->what->measure)
		return kt_x86_make_passes(h, room);
	return h->what->table ? kt_x86_make_closing(h, room) : kt_x86_make_measured(h, room);
}
