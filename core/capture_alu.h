/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* capture_alu.h - arithmetic and comparisons of capture programs; a part of capture_run.c. */
#ifndef KTRACE_CAPTURE_ALU_H
#define KTRACE_CAPTURE_ALU_H

#include "core/capture.h"

/* Division by 0 has no result; the one quotient that does not fit wraps around. */
static kt_noinline bool divide(u8 how, u64 *a, u64 b)
{
	if (!b)
		return false;
	if (how == KT_ALU_DIV)
		*a /= b;
	else if (how == KT_ALU_MOD)
		*a %= b;
	else if (b == (u64)-1)
		*a = how == KT_ALU_SDIV ? -*a : 0;
	else if (how == KT_ALU_SDIV)
		*a = (u64)((s64)*a / (s64)b);
	else
		*a = (u64)((s64)*a % (s64)b);
	return true;
}
NOKPROBE_SYMBOL(divide);

/* False: the result is undefined. */
static kt_noinline bool calculate(u8 how, u64 *a, u64 b)
{
	switch (how) {
	case KT_ALU_ADD:	*a += b; return true;
	case KT_ALU_SUB:	*a -= b; return true;
	case KT_ALU_MUL:	*a *= b; return true;
	case KT_ALU_AND:	*a &= b; return true;
	case KT_ALU_OR:		*a |= b; return true;
	case KT_ALU_XOR:	*a ^= b; return true;
	case KT_ALU_SHL:	*a <<= b & 63; return true;
	case KT_ALU_SHR:	*a >>= b & 63; return true;
	case KT_ALU_SAR:	*a = (u64)((s64)*a >> (b & 63)); return true;
	default:		return divide(how, a, b);
	}
}
NOKPROBE_SYMBOL(calculate);

static __always_inline bool compare(u8 how, u64 a, u64 b)
{
	switch (how) {
	case KT_CMP_EQ:		return a == b;
	case KT_CMP_NE:		return a != b;
	case KT_CMP_LT:		return a < b;
	case KT_CMP_LE:		return a <= b;
	case KT_CMP_SLT:	return (s64)a < (s64)b;
	case KT_CMP_SLE:	return (s64)a <= (s64)b;
	case KT_CMP_GT:		return a > b;
	case KT_CMP_GE:		return a >= b;
	case KT_CMP_SGT:	return (s64)a > (s64)b;
	case KT_CMP_SGE:	return (s64)a >= (s64)b;
	default:		return true;
	}
}

static u64 widen(u8 size, u64 v)
{
	switch (size) {
	case KT_SIZE_U8:	return (u8)v;
	case KT_SIZE_U16:	return (u16)v;
	case KT_SIZE_U32:	return (u32)v;
	case KT_SIZE_S8:	return (u64)(s64)(signed char)v;
	case KT_SIZE_S16:	return (u64)(s64)(short)v;
	case KT_SIZE_S32:	return (u64)(s64)(s32)v;
	default:		return v;
	}
}
NOKPROBE_SYMBOL(widen);

#endif
