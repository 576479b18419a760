// SPDX-License-Identifier: GPL-2.0-only
/* emit_ring.c - reserve room for the record of a hit, commit it, count.  emit_hit.c explains the registers. */
#include "emit_arm64.h"

/* The base register and the offset of this CPU's ring.  A far one is in TEMP. */
static u8 find_ring(struct hit *h, s32 *offset)
{
	const s64 distance = h->what->ring - h->at.cpus;

	*offset = distance;
	if (distance >= 0 && distance < 1 << 14)
		return CPU;
	put_constant(&h->c, TEMP, h->what->ring);
	put_add(&h->c, TEMP, OFFSET);
	*offset = 0;
	return TEMP;
}

#define RING(member)	(offset + (s32)offsetof(struct kt_ring, member))

/* The first part of kt_ring_reserve(): the word, the packet, and whether it has room. */
static void look_at_packet(struct hit *h)
{
	const u8 record = h->a.record;
	struct code *c = &h->c;
	s32 offset;
	const u8 ring = find_ring(h, &offset);

	put_memory(c, OP_LOAD, CTL, ring, RING(ctl), 8, KT_ZERO);
	put_memory(c, OP_LOAD, OLD, CTL, offsetof(struct kt_ring_ctl, word), 8, KT_ZERO);
	put_memory(c, OP_LOAD, record, ring, RING(sub), 8, KT_ZERO);
	put_memory(c, OP_LOAD, COUNT, ring, RING(count), 8, KT_ZERO);
	put_memory(c, OP_LOAD, TIME, ring, RING(sub_units), 4, KT_ZERO);
	put_one(c, UBFM_BITS(16, 16), TEMP, OLD);
	put_op(c, ADD | kt_unit_shift(h->is_wide) << 10, record, record, TEMP);
	if (c->varies)
		put_add(c, TEMP, kt_arm64_texts.units);
	put_sum_by(c, TEMP, TEMP, c->varies ? kt_compact_units(true) : record_units(h), KT_ZERO);
	put_compare(c, TEMP, TIME);
	put_branch(c, IF_ABOVE, h->undo);
}

#define CLOCK		0xd53be040U	/* mrs x, cntvct_el0 */

/* As kt_raw_ticks_next(). */
void kt_emit_clock(struct hit *h, u8 to)
{
	struct code *c = &h->c;
	u32 again;

	if (!h->at.last_ticks)
		return put(c, CLOCK | to);
	put_constant(c, TEMP1, h->at.last_ticks);
	put_add(c, TEMP1, OFFSET);
	again = c->n;
	put(c, LDXR | TEMP1 << 5 | TEMP3);
	put(c, CLOCK | to);
	put_compare(c, to, TEMP3);
	put_op(c, CSINC | IF_GREATER << 12, to, to, TEMP3);
	put(c, STXR | TEMP3 << 16 | TEMP1 << 5 | to);
	put_branch_by(c, CBNZ | TEMP3, again);
}

/* NEW = the word behind the record. */
static void put_new(struct hit *h)
{
	struct code *c = &h->c;

	if (c->varies) {
		put_sum_by(c, NEW, kt_arm64_texts.units, kt_compact_units(true), KT_ZERO);
		put_op(c, ADD | 16 << 10, NEW, OLD, NEW);
		return put_sum_by(c, NEW, NEW, 1, KT_ZERO);
	}
	put_constant(c, NEW, ((u64)record_units(h) << 16) + 1);
	put_op(c, ADD, NEW, OLD, NEW);
}

bool kt_emit_reserve(struct hit *h)
{
	const u32 bits = kt_ts_bits(h->is_wide);
	struct code *c = &h->c;

	look_at_packet(h);
	kt_emit_clock(h, TIME);
	put_memory(c, OP_LOAD, TEMP, CTL, offsetof(struct kt_ring_ctl, last_ts), 8, KT_ZERO);
	put_op(c, SUB, TEMP, TIME, TEMP);
	put_shift_right(c, TEMP, bits);
	put_branch_unless_zero(c, TEMP, h->undo);
	put_new(h);
	put(c, LDXR | CTL << 5 | TEMP);
	put_compare(c, TEMP, OLD);
	put_branch(c, IF_NOT_EQUAL, h->undo);
	put(c, STXR | TEMP << 16 | CTL << 5 | NEW);
	put_branch_unless_zero(c, TEMP, h->undo);
	put_memory(c, OP_STORE, TIME, CTL, offsetof(struct kt_ring_ctl, last_ts), 8, KT_ZERO);
	return true;
}

/* As kt_put_compact(). */
bool kt_emit_header(struct hit *h)
{
	const u8 record = h->a.record;
	struct code *c = &h->c;

	if (h->is_wide) {
		put_constant(c, TEMP, h->what->id);
		put_memory(c, OP_STORE, TEMP, record, 0, 2, KT_ZERO);
		put_memory(c, OP_STORE, TIME, record, 2, 4, KT_ZERO);
		return true;
	}
	put_shift_left(c, TIME, 8);
	put_sum_by(c, TIME, TIME, h->what->id, KT_ZERO);
	put_memory(c, OP_STORE, TIME, record, 0, 4, KT_ZERO);
	return true;
}

/* As kt_ring_commit(). */
bool kt_emit_commit(struct hit *h)
{
	struct code *c = &h->c;

	put(c, DMB_ISHST);
	if (!c->varies) {
		put_add_constant(c, COUNT, record_units(h) << kt_unit_shift(h->is_wide));
		return true;
	}
	put_sum(c, kt_arm64_texts.bytes, kt_arm64_texts.bytes, 8 + header_bytes(h));
	put_add_to(c, COUNT, 0, kt_arm64_texts.bytes);
	return true;
}

/* x30 is free, so that nothing has to be saved for these. */
void kt_emit_count_ring(struct hit *h, u32 member)
{
	struct code *c = &h->c;
	s32 offset;
	const u8 ring = find_ring(h, &offset);

	put_memory(c, OP_LOAD, TEMP3, ring, RING(ctl), 8, KT_ZERO);
	put_sum_by(c, TEMP3, TEMP3, member, KT_ZERO);
	put_add_constant(c, TEMP3, 1);
}

void kt_emit_count(struct hit *h, u32 offset)
{
	struct code *c = &h->c;

	put_variable(c, TEMP3, h->what->counts, 8);
	put_add(c, TEMP3, OFFSET);
	put_sum_by(c, TEMP3, TEMP3, offset, KT_ZERO);
	put_add_constant(c, TEMP3, 1);
}
