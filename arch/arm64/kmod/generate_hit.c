// SPDX-License-Identifier: GPL-2.0-only
/*
 * generate_hit.c - machine code for whole hits of static tracepoints and of jumps.  See generate.h.
 *
 * The entry of the hit (entry.S) goes on there with interrupts masked, the frame of frame.h on the stack, and
 *	x8	PSTATE as it was: for jumps the flags, and what is masked
 *	x9	the kt_cpus of this CPU
 *	x10	the current task
 *	x11	the offset of per-CPU variables
 *	x16, x17, x30	free; the frame has what a jump found in them, and in x8 .. x11
 * All other registers have what the hit found there.  Of a static tracepoint only x1 .. x7 have a meaning, its arguments.  The code
 * uses
 *	x12	the control structure of the ring
 *	x13	the word of the ring that the exchange expects
 *	x14	the sub-buffer, later the record
 *	x15	the commit count
 *	x0	the word after the exchange
 *	x16, x17	scratch, the time
 * The programs, filter and payload, have x0 .. x7 as registers, x12 and x13, and the two for loads (generate.c).  Those that the
 * code changes are put into the frame before, as far as they are needed again: by a program, by a jump at its end, or by the C
 * path.  A program reads a register where it still is, else from the frame.
 *
 * The code does what the C path of kmod/hit/hit.c does in the usual cases: the hit is recorded, or counted in a table
 * (generate_table.c), or its filter refuses it, or recording is frozen.  In any other case it changes nothing, puts the registers
 * back, and leaves the hit to that path.  The order of its accesses to the ring is that of kt_ring_reserve() and
 * kt_ring_commit() in core/ring.h, which give the reason for each.
 *
 * The code calls no function that can be traced, and causes no exception except by loads.  So only an NMI or the like can have
 * a hit inside this one, and that is a hit of another context, to be recorded: the code need not count itself in kt_cpu.nest.
 * Around loads it notes its stack pointer in kt_cpu.loads_at: there kt_hit_enter() finds out that a hit comes from the exception
 * of a load.  That exception returns by eret, which makes an exchange fail that it has interrupted, as an NMI does.
 *
 * If a value of the filter cannot be read, nothing has happened yet: the C path does the whole hit.  If one of the payload
 * cannot be read, the interpreter writes the payload, to the room that is reserved.
 */
#include "code_hit.h"
#include "core/capture_run.h"
#include "entry.h"

#define ARGUMENTS	0xfeU		/* x1 .. x7 */
#define CHANGED		0xf000U		/* x12 .. x15, which the code of each hit changes */
/* Registers of a jump that are in the frame before the code begins: x8 .. x11, x16, x17, x30. */
#define IN_FRAME	(0xfULL << PSTATE | 3ULL << KT_IP0 | 1ULL << KT_LR)
#define MOST_UNITS	4000		/* of a record: an instruction that adds has 12 bits for the number */

/* ---------------------------------------------------------------------- the frame */

#define LDP	0xa9400000U
#define STP	0xa9000000U

/* Store these registers into the frame, or load them. */
static void put_frame(struct code *c, bool load, u32 regs)
{
	u32 reg;

	for (reg = 0; reg < KT_ZERO; reg++) {
		if (!(regs & BIT_OF(reg)))
			continue;
		if (reg + 1 < KT_ZERO && regs & BIT_OF(reg + 1)) {
			put(c, (load ? LDP : STP) | KT_REGS_X(reg) / 8 << 15 | (reg + 1) << 10 | SP << 5 | reg);
			reg++;
		} else {
			put_memory(c, load ? OP_LOAD : OP_STORE, reg, SP, KT_REGS_X(reg), 8, TEMP);
		}
	}
}

/* ------------------------------------------------------------------------ the hit */

#define LOAD_ID		0x78607800U	/* ldrh w, [base, x, lsl #1] */

/*
 * Anything to examine?  The CPU is in another hit, or turns hits away; recording is frozen or will be; the process may be
 * ktrace itself.  Each has a number that is usually 0.
 */
static void put_examine(struct hit *h)
{
	struct code *c = &h->c;

	load_variable(c, TIME, h->what->recording, 8);
	put_memory(c, OP_LOAD, TEMP, CPU, h->at.busy, 8, KT_ZERO);
	put_op(c, ORR, TIME, TIME, TEMP);
	if (h->what->own_ids) {
		put_branch(c, CBNZ | TIME, h->look);
		put_memory(c, OP_LOAD, TEMP, ME, h->at.tgid, 1, TIME);
		put_constant(c, TIME, (unsigned long)h->what->own_ids);
		put(c, LOAD_ID | TEMP << 16 | TIME << 5 | TIME);
	}
	put_branch(c, CBNZ | TIME, h->look);
}

static u32 record_units(const struct hit *h)
{
	return h->what->units + kt_compact_units(h->is_wide);
}

#define CLOCK		0xd53be040U	/* mrs x, cntvct_el0 */

/* As kt_raw_ticks_next().  Changes x0. */
static void put_clock(struct hit *h)
{
	struct code *c = &h->c;

	if (!h->at.last_ticks)
		return put(c, CLOCK | TIME);
	put_constant(c, TEMP, h->at.last_ticks);
	put_op(c, ADD, TEMP, TEMP, OFFSET);
	load_exclusive(c, 0, TEMP);
	put(c, CLOCK | TIME);
	put_compare(c, TIME, 0);
	put_op(c, CSINC | GT << 12, TIME, TIME, 0);
	put(c, STORE_EXCLUSIVE | 0 << 16 | TEMP << 5 | TIME);
	put_branch(c, CBNZ | 0, h->undo);
}

/* The first part of kt_ring_reserve(): the word, the packet, and whether it has room. */
static void look_at_packet(struct hit *h)
{
	struct code *c = &h->c;
	s32 offset;
	const u8 ring = find_ring(h, &offset);

	put_memory(c, OP_LOAD, CTL, ring, RING(ctl), 8, KT_ZERO);
	put_memory(c, OP_LOAD, OLD, CTL, offsetof(struct kt_ring_ctl, word), 8, KT_ZERO);
	put_memory(c, OP_LOAD, RECORD, ring, RING(sub), 8, KT_ZERO);
	put_memory(c, OP_LOAD, COUNT, ring, RING(count), 8, KT_ZERO);
	put_memory(c, OP_LOAD, TIME, ring, RING(sub_units), 4, KT_ZERO);
	put_bits(c, UBFM_BITS(16, 16), TEMP, OLD);
	put_op(c, ADD | kt_unit_shift(h->is_wide) << 10, RECORD, RECORD, TEMP);
	put_sum(c, TEMP, TEMP, record_units(h), KT_ZERO);
	put_compare(c, TEMP, TIME);
	put_branch(c, B_COND | HI, h->undo);
}

static void reserve(struct hit *h)
{
	struct code *c = &h->c;

	look_at_packet(h);
	put_clock(h);
	put_memory(c, OP_LOAD, TEMP, CTL, offsetof(struct kt_ring_ctl, last_ts), 8, KT_ZERO);
	put_op(c, SUB, TEMP, TIME, TEMP);
	put_bits(c, UBFM_BITS(kt_ts_bits(h->is_wide), 64 - kt_ts_bits(h->is_wide)), TEMP, TEMP);
	put_branch(c, CBNZ | TEMP, h->undo);
	put_constant(c, 0, ((u64)record_units(h) << 16) + 1);
	put_op(c, ADD, 0, OLD, 0);
	load_exclusive(c, TEMP, CTL);
	put_compare(c, TEMP, OLD);
	put_branch(c, B_COND | (EQ ^ 1), h->undo);
	store_exclusive(c, 0, CTL);
	put_branch(c, CBNZ | TEMP, h->undo);
	put_memory(c, OP_STORE, TIME, CTL, offsetof(struct kt_ring_ctl, last_ts), 8, KT_ZERO);
}

static u32 header_bytes(const struct hit *h)
{
	return kt_compact_units(h->is_wide) << kt_unit_shift(h->is_wide);
}

/* As kt_put_compact(). */
static void put_header(struct hit *h)
{
	struct code *c = &h->c;

	if (h->is_wide) {
		put_constant(c, TEMP, h->what->id);
		put_memory(c, OP_STORE, TEMP, RECORD, 0, 2, KT_ZERO);
		return put_memory(c, OP_STORE, TIME, RECORD, 2, 4, KT_ZERO);
	}
	put_bits(c, SHIFT_LEFT(8), TIME, TIME);
	put_sum(c, TIME, TIME, h->what->id, KT_ZERO);
	put_memory(c, OP_STORE, TIME, RECORD, 0, 4, KT_ZERO);
}

#define STACK_POINTER	(ADD_IMM | SP << 5)	/* add x, sp, #0 */

void kt_arm64_begin_hit_loads(struct hit *h)
{
	put(&h->c, STACK_POINTER | SCRATCH);
	put_memory(&h->c, OP_STORE, SCRATCH, CPU, h->at.loads_at, 4, KT_ZERO);
	kt_arm64_begin_loads(&h->c);
}

void kt_arm64_end_hit_loads(struct hit *h)
{
	put_memory(&h->c, OP_STORE, KT_ZERO, CPU, h->at.loads_at, 4, KT_ZERO);
}

/* The registers of the system call: the first argument of the static tracepoint, or at the end of the task's stack. */
static void find_call(struct hit *h)
{
	struct code *c = &h->c;

	c->call = OFFSET;
	put_memory(c, OP_STORE, OFFSET, SP, KT_FRAME_KEEP, 8, KT_ZERO);
	if (h->what->call_given)
		return move(c, OFFSET, 1);
	put_memory(c, OP_LOAD, OFFSET, ME, h->at.stack, 8, KT_ZERO);
	put_sum(c, OFFSET, OFFSET, h->at.call, SCRATCH);
}

static bool payload(struct hit *h)
{
	struct code *c = &h->c;
	bool good;

	if (h->needs & NEEDS_CALL)
		find_call(h);
	if (h->needs & NEEDS_LOADS)
		kt_arm64_begin_hit_loads(h);
	good = kt_arm64_program(c, &h->record, header_bytes(h));
	h->recorded = c->n;
	if (h->needs & NEEDS_LOADS)
		kt_arm64_end_hit_loads(h);
	if (h->needs & NEEDS_CALL)
		put_memory(c, OP_LOAD, OFFSET, SP, KT_FRAME_KEEP, 8, KT_ZERO);
	return good;
}

/* As kt_ring_commit(). */
static void commit(struct hit *h)
{
	put(&h->c, DMB_ISHST);
	put_add(h, COUNT, record_units(h) << kt_unit_shift(h->is_wide));
}

/* Add 1 to one of the per-CPU counts of the tracepoint.  offset: in struct kt_counts. */
static void put_count(struct hit *h, u32 offset)
{
	struct code *c = &h->c;

	load_variable(c, CTL, h->what->counts, 8);
	put_op(c, ADD, CTL, CTL, OFFSET);
	put_sum(c, CTL, CTL, offset, KT_ZERO);
	put_add(h, CTL, 1);
}

/* Add 1 to a counter of the ring.  member: its offset in struct kt_ring_ctl. */
static void put_counter(struct hit *h, u32 member)
{
	struct code *c = &h->c;
	s32 offset;
	const u8 ring = find_ring(h, &offset);

	put_memory(c, OP_LOAD, CTL, ring, RING(ctl), 8, KT_ZERO);
	put_sum(c, CTL, CTL, member, KT_ZERO);
	put_add(h, CTL, 1);
}

/* As kt_wake_check(). */
static void put_wake(struct hit *h)
{
	load_variable(&h->c, CTL, h->what->wake_next, 1);
	put_branch(&h->c, CBNZ | CTL, h->wake);
}

/* kt_hit_account() or kt_hit_account_recording(), and the end of the hit. */
static void put_account(struct hit *h, u32 offset)
{
	struct code *c = &h->c;

	put_count(h, offset);
	if (h->is_wide) {
		put_sum(c, CTL, CPU, h->at.others, SCRATCH);
		put_add(h, CTL, 1);
	} else if (!h->what->table) {
		put_wake(h);
	}
	if (h->is_event)
		return put_call(c, kt_arm64_event_end, 0);
	put_frame(c, true, h->kept);
	put_call(c, kt_arm64_jump_end, 0);
}

/*
 * There is something to examine.  Is it only that recording at the prompt is frozen?  As kt_hit_examine(), which asks for that
 * first.
 */
static void look_closer(struct hit *h)
{
	struct code *c = &h->c;

	h->look = c->n;
	if (h->is_wide)
		return jump_to(c, h->slow);
	put_memory(c, OP_LOAD, TIME, CPU, h->at.busy, 8, KT_ZERO);
	put_branch(c, CBNZ | TIME, h->slow);
	load_variable(c, TIME, h->what->recording, 8);
	put_compare(c, TIME, KT_ZERO);
	put_branch(c, B_COND | GE, h->slow);
	if (!h->is_event)
		put_frame(c, false, h->kept);
	put_counter(h, offsetof(struct kt_ring_ctl, frozen));
	put_account(h, KT_COUNTS_MISSED);
}

/* ------------------------------------------------------------------------- filter */

/* As kt_hit_missed(), for a hit that the filter refuses. */
static void drop_hit(struct hit *h)
{
	h->filter.drop = h->c.n;
	if (h->filter_needs & NEEDS_LOADS)
		kt_arm64_end_hit_loads(h);
	put_counter(h, offsetof(struct kt_ring_ctl, filtered));
	put_account(h, KT_COUNTS_MISSED);
}

static bool put_filter(struct hit *h)
{
	struct code *c = &h->c;
	bool good;

	if (h->filter_needs & NEEDS_LOADS)
		kt_arm64_begin_hit_loads(h);
	good = kt_arm64_program(c, &h->filter, 0);
	if (h->filter_needs & NEEDS_LOADS)
		kt_arm64_end_hit_loads(h);
	return good;
}

/* ------------------------------------------------------------------ unusual cases */

#define FREE_FOR_C	(0xffU | BIT_OF(18))	/* functions may change these, too: x0 .. x7, x18 */

/* kt_capture_rest(insns, regs, out, NULL), for which the frame has all registers that the program reads. */
static void interpret_hit(struct hit *h)
{
	struct code *c = &h->c;
	const u32 keep[] = { PSTATE, CPU, OFFSET, RECORD, COUNT };
	u32 i;

	h->record.give_up = c->n;
	put_frame(c, false, c->live & (c->read | FREE_FOR_C));
	for (i = 0; i < ARRAY_SIZE(keep); i++)
		put_memory(c, OP_STORE, keep[i], SP, KT_FRAME_KEEP + 8 * (i + 1), 8, KT_ZERO);
	put_sum(c, 0, SP, KT_FRAME_BYTES, KT_ZERO);
	put_memory(c, OP_STORE, 0, SP, KT_REGS_X(SP), 8, KT_ZERO);
	put_constant(c, 0, (unsigned long)h->record.insns);
	put(c, STACK_POINTER | 1);
	put_sum(c, 2, RECORD, header_bytes(h), KT_ZERO);
	move(c, 3, KT_ZERO);
	put_call(c, kt_capture_rest, 1U << 31);
	for (i = 0; i < ARRAY_SIZE(keep); i++)
		put_memory(c, OP_LOAD, keep[i], SP, KT_FRAME_KEEP + 8 * (i + 1), 8, KT_ZERO);
	put_frame(c, true, c->live & FREE_FOR_C);
	jump_to(c, h->recorded);
}

/* Can the code leave the hit to the C path after a program has changed registers? */
static bool leaves_late(const struct hit *h)
{
	return h->filter.len || h->what->table;
}

/* Leave the hit to the C path. */
static void leave(struct hit *h)
{
	struct code *c = &h->c;

	h->filter.give_up = c->n;
	if (h->what->table)
		h->record.give_up = c->n;
	if (h->filter_needs & NEEDS_LOADS || (h->what->table && h->needs & NEEDS_LOADS))
		kt_arm64_end_hit_loads(h);
	h->undo = c->n;
	if (leaves_late(h) || !h->is_event)
		put_frame(c, true, h->kept);
	h->slow = c->n;
	put_constant(c, TEMP, (unsigned long)h->what->desc);
	put_call(c, h->is_event ? kt_arm64_event_again : kt_arm64_jump_again, 0);
}

/* A reader waits for the record. */
static void wake(struct hit *h)
{
	struct code *c = &h->c;

	h->wake = c->n;
	if (!h->is_event)
		put_frame(c, true, h->kept);
	put_constant(c, TEMP, (unsigned long)h->what->rings);
	put_call(c, h->is_event ? kt_arm64_event_wake : kt_arm64_jump_wake, 0);
}

/* ------------------------------------------------------------------------- passes */

/* What the pass before this one has found: which registers the code changes, and which it reads. */
static void choose_registers(struct hit *h)
{
	struct code *c = &h->c;
	const u32 changes = c->used | BIT_OF(0);

	if (h->is_event) {
		c->live = ARGUMENTS & ~changes;
		h->kept = ARGUMENTS & changes & (leaves_late(h) ? ~0U : c->read);
	} else {
		h->kept = (changes & 0xff) | CHANGED;
		c->live = 0x3ffc00ffU & ~changes;
	}
	c->in_memory = h->kept | (h->is_event ? 0 : IN_FRAME);
}

static bool record(struct hit *h)
{
	bool good;

	reserve(h);
	put_header(h);
	good = payload(h);
	commit(h);
	return good;
}

static bool count(struct hit *h)
{
	const bool good = kt_arm64_count(h);

	put_counter(h, offsetof(struct kt_ring_ctl, measured));
	return good;
}

static bool make_hit(struct hit *h)
{
	struct code *c = &h->c;
	bool good = true;

	choose_registers(h);
	c->n = 0;
	c->lacks = false;
	put(c, BTI_C);
	put_examine(h);
	put_frame(c, false, h->kept);
	if (h->filter.len)
		good = put_filter(h);
	good = (h->what->table ? count(h) : record(h)) && good;
	put_account(h, 0);
	look_closer(h);
	if (h->filter.len)
		drop_hit(h);
	if (h->what->table)
		kt_arm64_count_rare(h);
	else if (h->needs & NEEDS_LOADS)
		interpret_hit(h);
	leave(h);
	if (!h->is_wide && !h->what->table)
		wake(h);
	return good && !c->too_far;
}

static bool is_possible(const struct hit *h)
{
	const struct kt_hit_code *what = h->what;

	return !what->measure && !(h->needs & NEEDS_CALL && !what->is_case) && !(h->filter_needs & NEEDS_CALL) &&
	       (what->table ? kt_hit_table_has_code(what->table) :
			      record_units(h) < MOST_UNITS && what->id < kt_id_ext(h->is_wide));
}

static struct hit *hit_new(const struct kt_hit_code *what, u8 *out, unsigned long at)
{
	struct hit *h = kt_zalloc(sizeof(*h));

	if (!h)
		return NULL;
	kt_arm64_layout(&h->at);
	h->what = what;
	h->is_wide = !what->is_direct && !what->is_narrow;
	h->is_event = what->is_event || (h->is_wide && !what->is_jump);
	h->record = (struct part){ .insns = what->insns, .len = what->len };
	h->filter = (struct part){ .insns = what->filter, .len = what->filter_len };
	h->c = (struct code){ .to = out, .at = at, .regs_at = SP, .out = RECORD, .task = ME };
	return h;
}

/* The first pass finds which registers the programs change and read, the second one where jumps lead; the third one writes. */
int kt_arm64_generate_hit(const struct kt_hit_code *what, u8 *out, u32 room, unsigned long at)
{
	struct hit *h = what->measure ? NULL : hit_new(what, out, at);
	int n = -EOPNOTSUPP;
	u32 before;

	if (!h)
		return what->measure ? -EOPNOTSUPP : -ENOMEM;
	h->needs = kt_arm64_needs(what->insns, what->len);
	h->filter_needs = kt_arm64_needs(what->filter, what->filter_len);
	if (h->needs >= 0 && h->filter_needs >= 0 && is_possible(h) && make_hit(h) && make_hit(h) && !h->c.lacks) {
		before = h->c.n;
		h->c.room = room;
		if (make_hit(h))
			n = pass_result(&h->c, before);
	}
	if (n > 0 && what->text)
		*what->text = n;
	kt_free(h);
	return n;
}

/* -------------------------------------------------------------------- system calls */

#define LOAD_CASE	0xf8607800U	/* ldr x, [base, x, lsl #3] */

static void leave_if_set(struct hit *h, s32 member, u32 bytes, u64 bits)
{
	struct code *c = &h->c;

	put_memory(c, OP_LOAD, TEMP, ME, member, bytes, KT_ZERO);
	put_constant(c, TIME, bits);
	put_op(c, AND, TEMP, TEMP, TIME);
	put_branch(c, CBNZ | TEMP, h->slow);
}

/*
 * Choose the case by the number of the system call, as kt_hit_plain_cases() does.  A task that is in no system call, or in one of a
 * 32-bit program, has a number that is too large, or one of the bits; a static tracepoint with registers of a system call has it in
 * no thread of the kernel.  A program chooses the number, so it must not lead beyond the table in speculation either.
 */
static void make_cases(struct hit *h, void *const *hits, u32 nr)
{
	struct code *c = &h->c;
	const u32 log = __builtin_ctz(kt_hits_room(nr));
	u8 call = 1;

	c->n = 0;
	put(c, BTI_C);
	if (h->at.compat < 64)
		leave_if_set(h, h->at.thread_flags, 8, 1ULL << h->at.compat);
	if (!h->what->call_given) {
		leave_if_set(h, h->at.task_flags, 4, h->at.no_program);
		put_memory(c, OP_LOAD, TEMP, ME, h->at.stack, 8, KT_ZERO);
		put_sum(c, TEMP, TEMP, h->at.call, TIME);
		call = TEMP;
	}
	put_memory(c, OP_LOAD, TEMP, call, h->at.number, 4, KT_ZERO);
	put_constant(c, TIME, nr);
	put_compare(c, TEMP, TIME);
	put_branch(c, B_COND | HS, h->slow);
	if (log)
		put_bits(c, UBFM_BITS(0, log), TEMP, TEMP);
	else
		move(c, TEMP, KT_ZERO);
	put_constant(c, TIME, (unsigned long)hits);
	put(c, LOAD_CASE | TEMP << 16 | TIME << 5 | TEMP);
	put(c, kt_put_br(TEMP));
	h->slow = c->n;
	put_constant(c, TEMP, (unsigned long)h->what->desc);
	put_call(c, kt_arm64_event_again, 0);
}

int kt_arm64_generate_cases(const struct kt_hit_code *what, void *const *hits, u32 nr, u8 *out, u32 room, unsigned long at)
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
	n = h->c.too_far ? -EOPNOTSUPP : pass_result(&h->c, before);
	kt_free(h);
	return n;
}
