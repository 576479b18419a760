/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture_insns.h - macros for instructions of capture programs, to be written one after the other. */
#ifndef KTRACE_CAPTURE_INSNS_H
#define KTRACE_CAPTURE_INSNS_H

#include "core/ktrace_abi.h"

#define I(name, ...)	{ .op = KT_OP_##name, __VA_ARGS__ }
#define CMP(how, a, b, skip)	I(CMP, .aux = KT_CMP_##how, .dst = (a), .src = (b), .imm = (skip))
#define JUMP(skip)		I(CMP, .aux = KT_CMP_ALWAYS, .imm = (skip))
#define ALU(how, a, b)		I(ALU, .aux = KT_ALU_##how, .dst = (a), .src = (b))
#define LOAD(size, to, from, off) \
	I(LOAD, .aux = KT_SIZE_##size, .dst = (to), .src = (from), .imm = (off))
#define IMM(r, value)		I(IMM, .dst = (r), .imm = (value))
#define EMIT(r, bytes)		I(EMIT, .src = (r), .aux = (bytes))
#define PID			I(EMITCUR, .imm = KT_CUR_PID)
#define ALUI(how, a, value)	I(ALUI, .aux = KT_ALU_##how, .dst = (a), .imm = (value))
#define CMPI(how, a, value, skip) \
	I(CMPI, .aux = KT_CMP_##how, .dst = (a), .src = (skip), .imm = (value))
#define SET(how, a, b)		I(SET, .aux = KT_CMP_##how, .dst = (a), .src = (b))
#define EXT(size, r)		I(EXT, .aux = KT_SIZE_##size, .dst = (r))
#define STR(r, bytes)		I(EMITSTR, .src = (r), .imm = (bytes))
#define CHAIN(size, reg, n)	I(EMITCHAIN, .aux = KT_SIZE_##size, .src = (n), .imm = (reg))
#define LINK(off)		I(LINK, .imm = (off))
#define MATCH(to, from, bytes, n, ...)	I(MATCH, .dst = (to), .src = (from), .imm = (bytes), .aux = (n) __VA_ARGS__)
#define PATTERN(word)		I(PATTERN, .imm = (word))
#define END			I(END)
#define DROP			I(DROP)

#endif
