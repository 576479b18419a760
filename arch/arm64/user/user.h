/* SPDX-License-Identifier: GPL-2.0-or-later */
/* user.h - declarations of this folder for arch_native. */
#ifndef KTRACE_ARCH_USER_H
#define KTRACE_ARCH_USER_H

#include "arch/arch.h"

/* Numbers of "DWARF for the Arm 64-bit Architecture".  It has none for the processor status: 256 is a free one. */
#define ARM64_DWARF_SP		31
#define ARM64_DWARF_PC		32
#define ARM64_DWARF_PSTATE	256

/* regs.c */
extern const struct arch_reg arch_user_regs[];
extern const struct arch_flag arch_user_flags[];

/* insn.c */
bool arch_user_decode(const uint8_t *code, size_t n, uint64_t addr, struct arch_insn *out);
bool arch_user_is_switch(const uint8_t *code, size_t at);
size_t arch_user_go_sequence(const uint8_t *code, size_t n);

/* events.c */
extern const struct event_row arch_user_event_rows[];

/* compat_calls.c */
extern const struct compat_call arch_user_compat_calls[];

/* operand.c */
bool arch_user_operand(const char *text, struct arch_operand *out);

/* scratch.c */
extern const struct arch_scratch arch_user_scratch[];

/* frame.c */
bool arch_user_frame_is_set(const uint8_t *code, size_t n);

/* prologue.c */
size_t arch_user_prologue(const uint8_t *code, size_t n, uint64_t addr);

#endif
