// SPDX-License-Identifier: GPL-2.0-only
/*
 * text.c - machine code for hits of static tracepoints that record texts.
 *
 * The length is known only when the payload is complete: the code makes it in the draft of the CPU, reserves as much, and copies it.
 * So it can give up without a trace until the exchange.  A text that cannot be read is usual, because a program's page may
 * not be there yet: the code marks it, as the interpreter does.
 */
#include "core/text_end.h"
#include "kmod/code/plan.h"

#define LEAST_UNITS	4U	/* the copy is of eight bytes at least */

bool kt_code_text(struct code *c, const struct kt_insn *in)
{
	u8 from;

	if (!c->a.is_hit)
		return kt_code_text_item(c, in);
	if (c->texts == MOST_TEXTS || !kt_emit_text_fits(c, in->imm))
		return false;
	from = kt_code_reads(c, in->src);
	if (c->offset)
		put_sum(c, c->out, c->out, c->offset);
	kt_emit_text(c, from, in->imm);
	put_branch(c, IF_NO_TEXT, c->text_far[c->texts]);
	c->text_bits[c->texts] = in->dst;
	c->text_back[c->texts++] = c->n;
	c->fixed += c->offset;
	c->offset = 0;
	return true;
}

/* The units of the payload; an odd byte gets a 0 behind it. */
static void measure(struct hit *h)
{
	const u8 units = h->a.text->units;
	struct code *c = &h->c;

	put_store_number(c, c->out, c->offset, 1, 0);
	put_sum(c, units, c->out, c->offset + 1);
	put_sub(c, units, h->a.text->draft);
	put_shift_right(c, units, kt_unit_shift(true));
	if (c->fixed + c->offset >= LEAST_UNITS << kt_unit_shift(true))
		return;
	put_compare_number(c, units, LEAST_UNITS);
	put_branch(c, IF_BELOW, h->undo);
}

bool kt_text_draft(struct hit *h)
{
	bool good = kt_emit_begin_text(h);

	if (!good)
		return false;
	good = kt_code_program(&h->c, &h->record, 0);
	kt_emit_check_loads(h);
	measure(h);
	return good;
}

/* Eight bytes at a time; the last ones may overlap those before. */
bool kt_text_copy(struct hit *h)
{
	const u8 draft = h->a.text->draft, bytes = h->a.text->bytes, at = h->a.text->at;
	struct code *c = &h->c;
	u32 loop;

	put_sum_of(c, bytes, h->a.text->units, h->a.text->units, -8);
	put_small(c, at, 0);
	loop = c->n;
	put_load_indexed(c, VALUE, draft, at, 0);
	put_store_indexed(c, VALUE, h->a.record, at, header_bytes(h));
	put_add_number(c, at, 8);
	put_compare(c, at, bytes);
	put_branch(c, IF_BELOW, loop);
	put_load_indexed(c, VALUE, draft, bytes, 0);
	put_store_indexed(c, VALUE, h->a.record, bytes, header_bytes(h));
	return true;
}

/* Mark an unreadable text; where it is not known whether it can be read, the C path finds out. */
bool kt_text_rare(struct hit *h)
{
	struct code *c = &h->c;
	u32 i;

	for (i = 0; i < c->texts; i++) {
		c->text_far[i] = c->n;
		put_compare_number(c, VALUE, KT_TEXT_GOES_ON);
		put_branch(c, IF_EQUAL, h->undo);
		kt_emit_count_fault(h);
		if (c->mask_at)
			put_or_at(c, h->a.text->draft, c->mask_at - 1 + c->text_bits[i] / 8, 1 << c->text_bits[i] % 8);
		put_jump(c, c->text_back[i]);
	}
	return true;
}
