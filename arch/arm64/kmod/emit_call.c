// SPDX-License-Identifier: GPL-2.0-only
/* emit_call.c - the frame of hits that begin or end a call of a measurement.  emit_hit.c explains the registers. */
#include "emit_arm64.h"

_Static_assert(KT_FRAME_KEEP + 8 * (KT_CODE_KEY_WORDS + 1) <= KT_FRAME_CALL, "no room for key and value");
_Static_assert(KT_FRAME_CALL + 8 * NR_KEPT <= KT_FRAME_RETURN, "no room for what is kept of a call");

void kt_emit_stack(struct hit *h, u8 to, s32 plus, u32 state)
{
	put_sum(&h->c, to, SP, KT_FRAME_BYTES + plus);
}

void kt_emit_task(struct hit *h, u8 to)
{
	put_move(&h->c, to, ME);
}

#define AT_WORK4	KT_FRAME_KEEP
#define KEPT_AT(word)	(KT_FRAME_CALL + 8 * (s32)(word))

void kt_emit_free_work4(struct hit *h)
{
	put_word(&h->c, OP_STORE, WORK4, AT_WORK4);
}

void kt_emit_keep_from(struct hit *h, u8 reg)
{
	put_word(&h->c, OP_STORE, reg, KEPT_AT(KEPT_FROM));
}

void kt_emit_sub_from(struct hit *h, u8 reg)
{
	put_sub_from(&h->c, reg, SP, KEPT_AT(KEPT_FROM));
}

void kt_emit_drop_from(struct hit *h)
{
	put_word(&h->c, OP_LOAD, WORK4, AT_WORK4);
}

void kt_emit_keep(struct hit *h)
{
	put_word(&h->c, OP_STORE, WORK3, KEPT_AT(KEPT_CALL));
	put_word(&h->c, OP_STORE, WORK2, KEPT_AT(KEPT_ELAPSED));
	put_word(&h->c, OP_STORE, WORK4, KEPT_AT(KEPT_OUTER));
	put_word(&h->c, OP_STORE, WORK1, KEPT_AT(KEPT_FROM));
}

void kt_emit_kept(struct hit *h, u8 to, u32 word)
{
	put_word(&h->c, OP_LOAD, to, KEPT_AT(word));
}

void kt_emit_kept_outer(struct hit *h)
{
	kt_emit_kept(h, WORK4, KEPT_OUTER);
}

void kt_emit_drop_kept(struct hit *h)
{
}
