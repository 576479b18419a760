// SPDX-License-Identifier: GPL-2.0-only
/*
 * generate_hit.c - machine code for whole hits of static tracepoints and of jumps.  See generate.h.
 *
 * kt_x86_event_probe (entry.S) jumps to the code with interrupts off, the descriptor in rax and the arguments of the static
 * tracepoint where the kernel has passed them: rsi, rdx, rcx, r8, r9.  The arguments that the program reads stay there, but
 * rdtsc overwrites rdx, so that one moves.  Other registers:
 *	rdi	the word of the ring that the exchange expects, then the new one
 *	r11	the control structure of the ring, then scratch of the payload
 *	spare	two more that hold no argument: for the ring, later rdx; and for the sub-buffer, later the record; a third one, if
 *		there is one and nothing can fail, for the address of the commit count
 *	stack	that address, if it has no register
 * Trampolines call the code of a jump (kt_x86_jump_special) with rdi = the site, rsi = the registers that it has saved, rdx = the
 * descriptor.  There rsi stays, and no other register holds anything.
 *
 * The payload has all others, and those that functions preserve: it saves these first.
 *
 * The code does what kt_hit_event() or kt_hit_jump() does in the usual case.  In any other case it does nothing, or takes back what it did,
 * and leaves the hit to that function: a CPU inside of another hit or with the brake on, a recording that is frozen, no room
 * in the packet, a nested writer, an extended header.  In particular, the order of its accesses to the ring is that of
 * kt_ring_reserve() and kt_ring_commit() in core/ring.h; there is the reason for each.  Only the first free unit is read
 * again, from the word in memory: if it belongs to another word, the exchange fails, because no word comes twice.  The compiler
 * reorders nothing here; the CPU keeps the order of stores, and its own interrupts see its own accesses in order.
 */
#include "code_hit.h"
#include "entry.h"

#define ANY_ARGUMENT	(BIT_OF(SI) | BIT_OF(DX) | BIT_OF(CX) | BIT_OF(R8) | BIT_OF(R9))
#define PRESERVED	(BIT_OF(BX) | BIT_OF(R12) | BIT_OF(R13) | BIT_OF(R14) | BIT_OF(R15))

/* ------------------------------------------------------------------------- registers */

bool kt_x86_find_live(struct code *c)
{
	u32 i, k;

	for (i = 0; i < c->len; i++) {
		const struct kt_insn *in = &c->insns[i];

		if (in->op != KT_OP_REG && in->op != KT_OP_EMITREG && in->op != KT_OP_EMITCHAIN)
			continue;
		for (k = 0; k < NR_ARGUMENTS && kt_reg_offset(kt_x86_arguments[k][0]) != in->imm; k++)
			;
		if (k == NR_ARGUMENTS)
			return false;
		c->live |= BIT_OF(kt_x86_arguments[k][1]);
	}
	return true;
}

void kt_x86_find_call(struct hit *h)
{
	struct code *c = &h->c;

	c->call = c->call_given ? SI : R10;
	c->call_offset = c->call_given ? 0 : h->at.call;
	c->pool &= ~BIT_OF(c->call);
}

/* False: the program reads so many arguments that there are not enough others. */
static bool choose_registers(struct hit *h)
{
	struct code *c = &h->c;

	c->is_hit = true;
	c->regs_at = h->what->is_jump ? SI : NO_REG;
	c->pool = BIT_OF(R10) | (ANY_ARGUMENT & ~c->live & ~BIT_OF(DX));
	if (h->what->is_jump)
		c->pool &= ~BIT_OF(SI);
	if (h->what->is_case)
		kt_x86_find_call(h);
	/* Only the payload may use rcx for itself. */
	if (h->needs & NEEDS_CX) {
		if (c->live & BIT_OF(CX))
			return false;
		c->pool &= ~BIT_OF(CX);
	}
	h->ring = take(c, ~0U);
	h->record = take(c, ~0U);
	if (h->ring == NO_REG || h->record == NO_REG)
		return false;
	c->out = h->record;
	c->second = h->ring;
	/* The first question loads the task, too. */
	h->early_task = h->needs & NEEDS_TASK && h->what->own_ids && c->pool;
	if (h->early_task)
		c->task = take(c, ~0U);
	h->commit = h->needs & NEEDS_INTERPRETER ? NO_REG : take(c, ~0U);
	c->preserved = PRESERVED;
	c->pool |= BIT_OF(DI) | BIT_OF(DX) | PRESERVED | (c->live & BIT_OF(DX) ? 0 : BIT_OF(h->ring));
	if (h->needs & NEEDS_TASK && !h->early_task)
		c->task = take(c, ~PRESERVED);
	return c->task != NO_REG;
}

/* ------------------------------------------------------------------------- the hit */

static bool is_wide(const struct hit *h)
{
	return !h->what->is_narrow;
}

/*
 * Anything to examine, or is the CPU in another hit?  The code calls nothing that can be traced, so it need not count itself
 * among the hits of the CPU: see generate_direct.c.
 */
static void put_examine(struct hit *h)
{
	struct code *c = &h->c;

	if (h->what->is_narrow)
		return kt_x86_put_examine(h, h->early_task ? h->c.task : AX);
	put_number(c, 0xa148, 2);		/* mov recording, %rax */
	put_number(c, (unsigned long)h->what->recording, 8);
	percpu_op(c, true, OR_LOAD, AX, h->at.nest);	/* and loads_at */
	jump_if(c, JNE, c->at + h->slow);
}

/* As kt_hit_enter(), for a CPU that is in no other hit. */
void kt_x86_put_enter(struct hit *h)
{
	struct code *c = &h->c;

	put_examine(h);
	percpu_op(c, false, MOV_LOAD, AX, h->at.preempt_count);
	percpu_op(c, false, INC_DEC, 0, h->at.nest);
	percpu_op(c, false, MOV_STORE, AX, h->at.context);
}

static u32 record_units(const struct hit *h)
{
	return h->what->units + kt_compact_units(is_wide(h));
}

void kt_x86_ring_op(struct hit *h, bool wide, u8 opcode, u8 reg, u32 member)
{
	if (is_signed32(h->what->ring))
		percpu_op(&h->c, wide, opcode, reg, h->what->ring + member);
	else
		percpu_at(&h->c, wide, opcode, reg, h->ring, member);
}

void kt_x86_find_ring(struct hit *h)
{
	if (!is_signed32(h->what->ring))
		put_long(&h->c, h->ring, h->what->ring);
}

/* Does the record fit behind the unit in eax?  Returns the condition under which it does not.  Changes eax. */
static u8 compare_room(struct hit *h)
{
	struct code *c = &h->c;

	if (is_wide(h)) {
		put8(c, 0x3d);			/* cmp $imm, %eax */
		put_number(c, h->what->sub_units - record_units(h), 4);
		return JA;
	}
	regs_op(c, GROUP_IMM, 0, AX);
	put_number(c, record_units(h), 4);
	kt_x86_ring_op(h, false, CMP_REGS, AX, offsetof(struct kt_ring, sub_units));
	return JC;
}

/* The first part of kt_ring_reserve(): the word, the packet, and whether it has room. */
static void look_at_packet(struct hit *h)
{
	struct code *c = &h->c;
	u8 no_room;

	kt_x86_find_ring(h);
	kt_x86_ring_op(h, true, MOV_LOAD, R11, offsetof(struct kt_ring, ctl));
	memory_op(c, true, MOV_LOAD, DI, R11, offsetof(struct kt_ring_ctl, word));
	if (h->commit == NO_REG)
		kt_x86_ring_op(h, true, INC_DEC, 6, offsetof(struct kt_ring, count));
	else
		kt_x86_ring_op(h, true, MOV_LOAD, h->commit, offsetof(struct kt_ring, count));
	kt_x86_ring_op(h, true, MOV_LOAD, h->record, offsetof(struct kt_ring, sub));
	put_number(c, 0xb70f41, 3);		/* movzwl 2(%r11), %eax: the first free unit */
	put_memory(c, AX, R11, offsetof(struct kt_ring_ctl, word) + 2);
	put_rex(c, true, h->record, h->record);	/* lea (record,%rax,2 or 4), record */
	put8(c, LEA);
	put8(c, 0x44 | (h->record & 7) << 3);
	put8(c, (is_wide(h) ? 0x40 : 0x80) | (h->record & 7));
	put8(c, 0);
	no_room = compare_room(h);
	if (c->live & BIT_OF(DX))
		move(c, DX, c->second);		/* before the first jump to `undo`; keeps the flags */
	jump_if(c, no_room, c->at + h->undo);
}

/*
 * The other part: the time, then the exchange.  In a wide ring the record before is less than 2^32 ticks older if the high halves of
 * both times are the same.  Where they differ, the C path handles the hit.  The clock of a CPU does not go back.
 */
void kt_x86_put_time(struct hit *h, u8 ctl, u32 bits)
{
	const u32 last = offsetof(struct kt_ring_ctl, last_ts);
	struct code *c = &h->c;

	if (bits == 32) {
		put_rdtsc(c);
		memory_op(c, false, CMP_LOAD, DX, ctl, last + 4);
		jump_if(c, JNE, c->at + h->undo);
		join_clock(c, DX);
	} else {
		read_clock(c, DX);
		move(c, DX, AX);
		memory_op(c, true, 0x2b, AX, ctl, last);	/* sub last_ts, %rax */
		regs_op(c, SHIFT_IMM, 5, AX);
		put8(c, bits);
		jump_if(c, JNE, c->at + h->undo);
	}
	move(c, DI, AX);
}

void kt_x86_put_exchange(struct hit *h, u8 ctl)
{
	struct code *c = &h->c;

	put_cmpxchg(c, false, DI, ctl, offsetof(struct kt_ring_ctl, word));	/* no other CPU writes there */
	jump_if(c, JNE, c->at + h->undo);
	memory_op(c, true, MOV_STORE, DX, ctl, offsetof(struct kt_ring_ctl, last_ts));
}

static void reserve(struct hit *h)
{
	kt_x86_put_time(h, R11, kt_ts_bits(is_wide(h)));
	memory_op(&h->c, true, LEA, DI, DI, (record_units(h) << 16) + 1);
	kt_x86_put_exchange(h, R11);
}

/* As kt_put_compact(). */
void kt_x86_put_header(struct hit *h)
{
	struct code *c = &h->c;

	if (!is_wide(h))
		return kt_x86_put_narrow_header(h, h->record);
	put8(c, 0x66);
	memory_op(c, false, MOV_IMM, 0, h->record, 0);
	put_number(c, h->what->id, 2);
	memory_op(c, false, MOV_STORE, DX, h->record, 2);
}

/*
 * Most loads are from tasks and the like, to which arguments point.  Check such an argument once, if at least two loads on all
 * paths are from there: it is in the direct map; or else in the kernel's image, as the first idle task, or on the stack, as registers.
 */
static void check_direct(struct hit *h, u8 reg)
{
	struct code *c = &h->c;

	move(c, reg, AX);
	put_number(c, 0x050348, 3);		/* add kt_direct_shift(%rip), %rax */
	put_distance(c, (unsigned long)&kt_direct_shift);
	put_number(c, 0x053b48, 3);		/* cmp kt_direct_checked(%rip), %rax */
	put_distance(c, (unsigned long)&kt_direct_checked);
	jump_if(c, JNC, c->at + h->far[reg]);
	h->back[reg] = c->n;
}

static void check_others(struct hit *h, u8 reg)
{
	struct code *c = &h->c;

	h->far[reg] = c->n;
	move(c, reg, AX);
	call(c, kt_x86_hit_image);
	jump_if(c, JC, c->at + h->back[reg]);
	call(c, kt_x86_hit_stack);
	jump_if(c, JNC, c->at + c->give_up);
	memory_op(c, true, LEA, AX, reg, c->last[reg]);
	call(c, kt_x86_hit_stack);
	jump_if(c, JC, c->at + h->back[reg]);
	jump_to(c, c->at + c->give_up);
}

static void for_each_checked(struct hit *h, void (*make)(struct hit *h, u8 reg))
{
	u8 reg;

	for (reg = 0; reg < NO_REG; reg++)
		if (h->c.checked & BIT_OF(reg))
			make(h, reg);
}

/* The arguments from which the first pass has found two loads or more. */
static void choose_checked(struct code *c)
{
	u8 reg;

	for (reg = 0; reg < NO_REG; reg++)
		c->checked |= c->loads[reg] > 1 ? BIT_OF(reg) : 0;
}

static u32 header_bytes(const struct hit *h)
{
	return kt_compact_units(is_wide(h)) << kt_unit_shift(is_wide(h));
}

/* Registers are saved as the pass before this one has found necessary (c->saved). */
static bool payload(struct hit *h)
{
	struct code *c = &h->c;
	const u32 saved = c->saved;
	const bool loads = c->any_load;		/* as the pass before this one has found */
	bool good;
	int reg;

	for (reg = 0; reg < NO_REG; reg++)
		if (saved & BIT_OF(reg))
			push_or_pop(c, reg, 0x50);
	if (h->needs & NEEDS_TASK && !h->early_task)
		percpu_op(c, true, MOV_LOAD, c->task, h->at.current_task);
	if (loads)
		kt_x86_begin_loads(h);
	for_each_checked(h, check_direct);
	c->saved = 0;
	good = kt_x86_payload(c, header_bytes(h));
	if (loads) {
		percpu_op(c, false, CMP_BYTE, 7, h->at.failed);
		put8(c, 0);
		jump_if(c, JNE, c->at + h->failed);
	}
	c->done = c->n;
	if (loads)
		kt_x86_end_loads(h);
	for (reg = NO_REG - 1; reg >= 0; reg--)
		if (saved & BIT_OF(reg))
			push_or_pop(c, reg, 0x58);
	return good;
}

/* kt_hit_account() or kt_hit_account_recording(), and the end of the hit. */
static void put_account(struct hit *h)
{
	struct code *c = &h->c;

	kt_x86_put_counts(h);
	percpu_at(c, true, INC_DEC, 0, AX, 0);
	if (is_wide(h))
		percpu_op(c, true, INC_DEC, 0, h->at.others);
	else
		kt_x86_put_wake(h, h->wake);
	kt_x86_put_return(c);
}

void kt_x86_put_leave(struct hit *h)
{
	percpu_op(&h->c, false, INC_DEC, 1, h->at.nest);
	put_account(h);
}

/* As kt_ring_commit(). */
static void commit(struct hit *h)
{
	struct code *c = &h->c;

	if (h->commit == NO_REG)
		push_or_pop(c, AX, 0x58);
	memory_op(c, true, GROUP_IMM, 0, h->commit == NO_REG ? AX : h->commit, 0);
	put_number(c, record_units(h) << kt_unit_shift(is_wide(h)), 4);
}

/* ------------------------------------------------------------------- unusual cases */

/* The interpreter needs the arguments where they were. */
static void interpret_hit(struct hit *h)
{
	struct code *c = &h->c;

	h->failed = c->n;
	percpu_op(c, false, MOV_BYTE, 0, h->at.failed);
	put8(c, 0);
	c->give_up = c->n;
	if (c->live & BIT_OF(DX))
		move(c, c->second, DX);
	memory_op(c, true, LEA, h->what->is_jump ? DX : DI, h->record, header_bytes(h));
	put_long(c, h->what->is_jump ? DI : AX, (unsigned long)c->insns);
	call(c, h->what->is_jump ? kt_x86_jump_rest : kt_x86_event_rest);
	jump_to(c, c->at + c->done);
	for_each_checked(h, check_others);
}

void kt_x86_put_slow(struct hit *h)
{
	struct code *c = &h->c;

	h->slow = c->n;
	put_long(c, AX, (unsigned long)h->what->desc);
	jump_to(c, (unsigned long)(h->what->is_jump ? kt_x86_jump_again : kt_x86_event_again));
	if (is_wide(h))
		return;
	h->wake = h->wake_only = c->n;
	put_long(c, DI, (unsigned long)h->what->rings);
	jump_to(c, (unsigned long)kt_x86_event_wake);
}

static void leave_to_c(struct hit *h)
{
	struct code *c = &h->c;

	h->undo = c->n;
	if (h->commit == NO_REG)
		memory_op(c, true, LEA, SP, SP, 8);
	if (c->live & BIT_OF(DX))
		move(c, c->second, DX);
	kt_x86_put_slow(h);
}

static bool make_hit(struct hit *h)
{
	struct code *c = &h->c;
	bool good;

	c->n = c->pool = c->live = 0;
	c->lacks_regs = false;
	if ((!h->what->is_jump && !kt_x86_find_live(c)) || !choose_registers(h))
		return false;
	put_branch_target(h);
	put_examine(h);
	look_at_packet(h);
	reserve(h);
	kt_x86_put_header(h);
	good = payload(h);
	commit(h);
	put_account(h);
	if (h->what->is_narrow)
		kt_x86_look_closer(h);
	if (h->needs & NEEDS_INTERPRETER)
		interpret_hit(h);
	leave_to_c(h);
	return good;
}

static struct hit *hit_new(const struct kt_hit_code *what, u8 *out, unsigned long at)
{
	struct hit *h = kt_zalloc(sizeof(*h) + what->filter_len * sizeof(*h->filter_starts) +
				  (what->len + 1) * sizeof(*h->c.labels));

	if (!h || !kt_x86_layout(&h->at)) {
		kt_free(h);
		return NULL;
	}
	h->c.to = out;
	h->c.at = at;
	h->c.insns = what->insns;
	h->c.len = what->len;
	h->c.labels = (struct label *)&h->filter_starts[what->filter_len];
	h->c.call_given = what->call_given;
	h->c.is_event = !what->is_jump && (what->is_event || !what->is_direct);
	h->what = what;
	return h;
}

static bool is_possible(const struct kt_hit_code *what, int needs)
{
	return (what->is_narrow || needs & NEEDS_TEXT || what->units + kt_compact_units(true) <= what->sub_units) &&
	       !(what->is_jump && (what->is_case || needs & NEEDS_TEXT)) && !(needs & NEEDS_CALL && !what->is_case) &&
	       what->units < 1 << 14 && what->id < kt_id_ext(!what->is_narrow) && !(needs & NEEDS_TEXT && what->is_narrow);
}

/*
 * The first pass finds which registers have to be saved and which arguments are checked, the second one where jumps lead; the
 * third one writes.
 */
int kt_x86_generate_hit(const struct kt_hit_code *what, u8 *out, u32 room, unsigned long at)
{
	const int needs = what->measure && !what->table ? 0 : kt_x86_payload_needs(what->insns, what->len);
	bool (*make)(struct hit *h) = needs & NEEDS_TEXT ? kt_x86_make_text_hit : make_hit;
	int n = -EOPNOTSUPP;
	struct hit *h;
	u32 before;

	if (needs < 0)
		return needs;
	if (!what->is_direct && !is_possible(what, needs))
		return -EOPNOTSUPP;
	h = hit_new(what, out, at);
	if (!h)
		return -ENOMEM;
	h->needs = needs;
	if (what->is_narrow && !kt_x86_narrow_possible(h)) {
		n = -EOPNOTSUPP;
	} else if (what->is_direct) {
		n = kt_x86_make_direct(h, room);
	} else if (make(h)) {
		choose_checked(&h->c);
		make(h);
		before = h->c.n;
		h->c.room = room;
		make(h);
		n = pass_result(&h->c, before);
	}
	kt_free(h);
	return n;
}

/* ------------------------------------------------------------------- system calls */

#define TEST_IMM	0xf7		/* /0 */
#define MULTIPLY_IMM	0x69		/* reg = [...] * imm */

static void leave_if_set(struct hit *h, s32 member, u32 bits)
{
	struct code *c = &h->c;

	memory_op(c, false, TEST_IMM, 0, R10, member);
	put_number(c, bits, 4);
	jump_if(c, JNE, c->at + h->slow);
}

/* With r11 = hits, rax = the number: as the kernel makes indirect jumps. */
static void jump_to_case(struct code *c)
{
	if (kt_x86_calls_plainly()) {
		put_number(c, 0xc324ff41, 4);	/* jmp *(%r11,%rax,8) */
		return put8(c, 0xcc);		/* int3: as in kt_x86_put_return() */
	}
	put_number(c, 0xc31c8b4d, 4);		/* mov (%r11,%rax,8), %r11 */
	jump_to(c, kt_x86_thunk_of(kt_x86_event_jump));
}

/*
 * Choose the case by the number of the system call, as kt_hit_plain_cases() does.  Its registers are those in rsi that the kernel
 * gives (call_given), or on the stack of the task, which r10 gets; the code of the cases takes them from there.  A task that is in
 * no system call has a number that is too large, or the bit no_program; a static tracepoint with registers of a system call has
 * it in no thread of the kernel.  In a call of a 32-bit program the bit `compat` makes the number too large.  A program chooses the
 * number, so it must not lead beyond the table in speculation either.
 */
static void make_cases(struct hit *h, void *const *hits, u32 nr)
{
	struct code *c = &h->c;

	c->n = 0;
	put_branch_target(h);
	percpu_op(c, true, MOV_LOAD, R10, h->at.current_task);
	if (!c->call_given)
		leave_if_set(h, h->at.flags, h->at.no_program);
	/* `compat` as the sign; nothing is left of the bits above it. */
	memory_op(c, false, MULTIPLY_IMM, AX, R10, h->at.status);
	put_number(c, (1U << 31) / h->at.compat, 4);
	if (!c->call_given)
		memory_op(c, true, MOV_LOAD, R10, R10, h->at.stack);
	kt_x86_find_call(h);
	memory_op(c, false, OR_LOAD, AX, c->call, c->call_offset + h->at.number);
	put_rex(c, false, 0, AX);		/* cmp $nr, %eax */
	put_number(c, 0xf881, 2);
	put_number(c, nr, 4);
	jump_if(c, JNC, c->at + h->slow);
	put8(c, 0x25);				/* and $imm, %eax: where a wrong guess goes on in spite of the jump */
	put_number(c, kt_hits_room(nr) - 1, 4);
	put_long(c, R11, (unsigned long)hits);
	jump_to_case(c);
	h->slow = c->n;
	put_long(c, AX, (unsigned long)h->what->desc);
	jump_to(c, (unsigned long)kt_x86_event_slow);
}

int kt_x86_generate_cases(const struct kt_hit_code *what, void *const *hits, u32 nr, u8 *out, u32 room, unsigned long at)
{
	struct hit *h = hit_new(what, out, at);
	u32 before;
	int n;

	if (!h)
		return -ENOMEM;
	make_cases(h, hits, nr);
	before = h->c.n;
	h->c.room = room;
	make_cases(h, hits, nr);
	n = pass_result(&h->c, before);
	kt_free(h);
	return n;
}
