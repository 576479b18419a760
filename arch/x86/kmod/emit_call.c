// SPDX-License-Identifier: GPL-2.0-only
/* emit_call.c - the stack of hits that begin or end a call of a measurement.  emit_hit.c explains the registers. */
#include "emit_x86.h"

void kt_emit_stack(struct hit *h, u8 to, s32 plus, u32 state)
{
	/* rdx, rcx, rdi, and rsi if the code counts in a table, too; of an enclosed call rsi and a time. */
	const u32 pushed = state == CALL_ENCLOSED ? 5 : kt_x86_saves_si(h) ? 4 : 3;

	put_sum(&h->c, to, SP, KT_X86_SP_AT + 8 * pushed + plus);
}

void kt_emit_task(struct hit *h, u8 to)
{
	percpu_op(&h->c, true, MOV_LOAD, to, h->at.current_task);
}

void kt_emit_free_work4(struct hit *h)
{
	put_push(&h->c, WORK4);
}

void kt_emit_keep_from(struct hit *h, u8 reg)
{
	put_push(&h->c, reg);
}

void kt_emit_sub_from(struct hit *h, u8 reg)
{
	put_sub_from(&h->c, reg, SP, 0);
}

void kt_emit_drop_from(struct hit *h)
{
	put_sum(&h->c, SP, SP, 8);
	put_pop(&h->c, WORK4);
}

void kt_emit_keep(struct hit *h)
{
	put_push(&h->c, WORK1);
	put_push(&h->c, WORK4);
	put_push(&h->c, WORK2);
	put_push(&h->c, WORK3);
}

/* While the draft of key and value is below them. */
void kt_emit_kept(struct hit *h, u8 to, u32 word)
{
	put_load(&h->c, to, SP, h->c.a.stack_at - 8 * (KT_X86_ALWAYS + 1 + NR_KEPT - word), 8);
}

void kt_emit_kept_outer(struct hit *h)
{
	put_sum(&h->c, SP, SP, 8 * KEPT_OUTER);
	put_pop(&h->c, WORK4);
}

void kt_emit_drop_kept(struct hit *h)
{
	put_sum(&h->c, SP, SP, 8);
}
