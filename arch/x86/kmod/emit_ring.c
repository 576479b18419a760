// SPDX-License-Identifier: GPL-2.0-only
/* emit_ring.c - reserve room for the record of a hit, commit it, count.  emit_hit.c explains the registers. */
#include "emit_x86.h"

/* An operation with a register or /n, and a member of the ring of this CPU. */
static void ring_op(struct hit *h, bool wide, u8 opcode, u8 reg, u32 member)
{
	if (is_signed32(h->what->ring))
		percpu_op(&h->c, wide, opcode, reg, h->what->ring + member);
	else
		percpu_at(&h->c, wide, opcode, reg, h->a.ring, member);
}

/* The word, the packet, and whether it has room.  rax gets the first free unit, then the one behind the record. */
static void look_at_packet(struct hit *h)
{
	const u8 ctl = h->a.ctl, record = h->a.record, log = kt_unit_shift(h->is_wide);
	struct code *c = &h->c;

	if (!is_signed32(h->what->ring))
		put_constant(c, h->a.ring, h->what->ring);
	ring_op(h, true, MOV_LOAD, ctl, offsetof(struct kt_ring, ctl));
	put_load(c, DI, ctl, offsetof(struct kt_ring_ctl, word), 8);
	if (h->a.commit == NO_REG)
		ring_op(h, true, INC_DEC, 6, offsetof(struct kt_ring, count));
	else
		ring_op(h, true, MOV_LOAD, h->a.commit, offsetof(struct kt_ring, count));
	ring_op(h, true, MOV_LOAD, record, offsetof(struct kt_ring, sub));
	put_load(c, AX, ctl, offsetof(struct kt_ring_ctl, word) + 2, 2);
	indexed_op(c, true, LEA, record, record, AX, log, 0);
	if (c->varies)
		indexed_op(c, false, LEA, AX, h->a.text->units, AX, 0, kt_compact_units(true));
	else if (h->is_wide)
		put_compare_number(c, AX, h->what->sub_units - record_units(h));
	else
		put_add_number(c, AX, record_units(h));
	if (c->varies || !h->is_wide)
		ring_op(h, false, CMP_REGS, AX, offsetof(struct kt_ring, sub_units));
	if (c->a.live & BIT_OF(DX) && !c->varies)
		put_move(c, c->a.second, DX);		/* before the first jump to `undo`; keeps the flags */
	put_branch(c, c->varies || !h->is_wide ? IF_BELOW : IF_ABOVE, h->undo);
}

/* rax or rdx = the clock, whose halves are in eax and edx; the other one is changed. */
static void join_clock(struct code *c, u8 to)
{
	put_shift_left(c, DX, 32);
	regs_op(c, OR, to == AX ? DX : AX, to);
}

#define RDTSC	0x310f

void kt_emit_clock(struct hit *h, u8 to)
{
	put_bytes(&h->c, RDTSC, 2);
	join_clock(&h->c, to);
}

/*
 * The time, in rdx.  In a wide ring the record before is less than 2^32 ticks older if the high halves of both times are the same.
 * Where they differ, the C path handles the hit.  The clock of a CPU does not go back.
 */
static void put_time(struct hit *h)
{
	const u32 last = offsetof(struct kt_ring_ctl, last_ts);
	struct code *c = &h->c;

	if (h->is_wide) {
		put_bytes(c, RDTSC, 2);
		memory_op(c, false, CMP_LOAD, DX, h->a.ctl, last + 4);
		put_branch(c, IF_NOT_EQUAL, h->undo);
		join_clock(c, DX);
	} else {
		kt_emit_clock(h, DX);
		put_move(c, AX, DX);
		put_sub_from(c, AX, h->a.ctl, last);
		put_shift_right(c, AX, KT_TS_BITS);
		put_branch(c, IF_NOT_EQUAL, h->undo);
	}
	put_move(c, AX, DI);
}

bool kt_emit_reserve(struct hit *h)
{
	struct code *c = &h->c;

	look_at_packet(h);
	put_time(h);
	if (c->varies) {
		const u8 shifted = h->a.text->shifted;

		put_move(c, shifted, h->a.text->units);
		put_shift_left(c, shifted, 16);
		put8(c, 0x48 | (shifted >> 3) << 1);	/* lea imm(%rdi,shifted), %rdi */
		put_bytes(c, 0xbc8d, 2);
		put8(c, (shifted & 7) << 3 | DI);
		put_bytes(c, (kt_compact_units(true) << 16) + 1, 4);
	} else {
		put_sum(c, DI, DI, (record_units(h) << 16) + 1);
	}
	put_cmpxchg(c, false, DI, h->a.ctl, offsetof(struct kt_ring_ctl, word));	/* no other CPU writes there */
	put_branch(c, IF_NOT_EQUAL, h->undo);
	put_store(c, DX, h->a.ctl, offsetof(struct kt_ring_ctl, last_ts), 8);
	return true;
}

/* As kt_put_compact(). */
bool kt_emit_header(struct hit *h)
{
	struct code *c = &h->c;

	if (h->is_wide) {
		put_store_number(c, h->a.record, 0, 2, h->what->id);
		put_store(c, DX, h->a.record, 2, 4);
		return true;
	}
	put_bytes(c, 0x08e2c1, 3);		/* shl $8, %edx */
	put8(c, 0xb2);				/* mov $id, %dl */
	put8(c, h->what->id);
	put_store(c, DX, h->a.record, 0, 4);
	return true;
}

/* As kt_ring_commit(). */
bool kt_emit_commit(struct hit *h)
{
	struct code *c = &h->c;

	if (c->varies) {
		put_sum(c, AX, h->a.text->bytes, 8 + header_bytes(h));
		put_add_to(c, R10, 0, AX);
		return true;
	}
	if (h->a.commit == NO_REG)
		put_pop(c, AX);
	memory_op(c, true, GROUP_IMM, 0, h->a.commit == NO_REG ? AX : h->a.commit, 0);
	put_bytes(c, record_units(h) << kt_unit_shift(h->is_wide), 4);
	return true;
}

void kt_emit_count_ring(struct hit *h, u32 member)
{
	ring_op(h, true, MOV_LOAD, AX, offsetof(struct kt_ring, ctl));
	put_count(&h->c, AX, member);
}

void kt_emit_count(struct hit *h, u32 offset)
{
	put_variable(&h->c, AX, h->what->counts, 8);
	put_cpu_count(&h->c, AX, offset);
}

void kt_emit_count_others(struct hit *h)
{
	percpu_op(&h->c, true, INC_DEC, 0, h->at.others);
}

static bool narrow_possible(const struct hit *h)
{
	return is_signed32((unsigned long)h->what->own_ids) && kt_x86_reaches(h, h->what->recording) &&
	       kt_x86_reaches(h, h->what->wake_next) && !h->at.clock_traps;
}

bool kt_emit_possible(const struct hit *h)
{
	const struct kt_hit_code *what = h->what;

	if (what->measure && !what->table)
		return !h->at.clock_traps && is_signed32((unsigned long)what->own_ids) && is_signed32(what->ring);
	if (h->is_direct)
		return is_signed32(what->ring) && narrow_possible(h);
	if (what->is_narrow)
		return narrow_possible(h);
	if (h->needs & NEEDS_TEXT)
		return 2 * what->units < KT_MAX_PAYLOAD;
	return what->units + kt_compact_units(true) <= what->sub_units && !(what->is_jump && what->is_case);
}
