/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch.h - what an architecture gives to the controller.
 *
 * One const struct per architecture; arch/<cpu>/user/ fills it in.  Nothing
 * outside arch/ knows an instruction set or a register name.
 */
#ifndef KTRACE_ARCH_H
#define KTRACE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch_reg {
	const char *name;	/* lower case, without any sigil */
	uint16_t dwarf;		/* DWARF number of the register it is (part of) */
	uint8_t bytes;		/* 8, 4, 2 or 1 */
	uint8_t shift;		/* bits it lies above the low end: ah is 8 */
};

struct arch_flag {
	const char *name;	/* "ZF" */
	uint64_t mask;
	uint64_t value;		/* named when (psr & mask) == value */
};

struct arch_insn {
	uint8_t len;		/* bytes */
	char text[96];		/* "movq %rsi, 0x18(%rsp)", AT&T syntax on x86 */
	uint64_t target;	/* of a direct branch or call, else 0 */
	bool is_call;
	bool is_return;
	bool is_jump;		/* unconditional */
};

struct arch_ops {
	const char *name;	/* "x86-64" */
	const char *machine;	/* as uname -m has it */
	uint32_t elf_machine;	/* as the module publishes it */
	const struct arch_reg *regs;	/* sub-registers too; ends with name NULL */
	const struct arch_flag *flags;	/* of the processor status; ends with name NULL */
	/* DWARF numbers in the order in which KT_OP_EMITREGS emits them. */
	const uint16_t *all_regs;
	size_t nr_all_regs;
	uint16_t dwarf_sp;
	uint16_t dwarf_fp;	/* the frame pointer by convention */
	uint16_t dwarf_result;	/* where a function leaves what it returns */
	uint16_t dwarf_psr;	/* the processor status, where it counts as a register */
	const uint16_t *dwarf_args;	/* where a function finds its first parameters */
	size_t nr_dwarf_args;
	bool args_by_reference;	/* a composite of more than two words is passed as its address */
	uint8_t insn_max;	/* bytes of the longest instruction */
	uint8_t jump_bytes;	/* of the instruction that jumps to a trampoline */
	const char *return_thunk;	/* how functions are called to which a jump is a return, at their end; NULL: none */
	uint64_t short_base;	/* upper half of all code addresses, 0 where it varies */
	const char *clock_source;	/* the kernel's clock source whose counter the module can read itself */
	bool needs_data_symbols;	/* the module works only where /proc/kallsyms has variables, too */
	/* Static tracepoints (GROUP/NAME) that must be off while the module is loaded; ends with NULL. */
	const char *const *off_events;

	/*
	 * Decode one instruction at addr from the n bytes at code.
	 * Returns false when they are none.
	 */
	bool (*decode)(const uint8_t *code, size_t n, uint64_t addr, struct arch_insn *out);
	/*
	 * Bytes in front of the first instruction of a function that belong
	 * to the kernel's own patching (landing pad, ftrace's nops): a tracepoint
	 * on the function goes behind them.  0 when there are none.
	 * The nops may be live (patched into a call by ftrace).
	 */
	size_t (*prologue)(const uint8_t *code, size_t n, uint64_t addr);
	/*
	 * Is the jump to a register at code[at], an instruction of a function that
	 * begins at code, a switch, which goes on inside?  False: it leaves.
	 */
	bool (*is_switch)(const uint8_t *code, size_t at);
};

/* The architecture this controller was built for. */
extern const struct arch_ops arch_native;

/* A register by name, with or without its sigil (%rax, $rax, x0), any case;
 * NULL when there is none. */
const struct arch_reg *arch_reg_by_name(const struct arch_ops *arch, const char *name);
/* The full-width name of a DWARF register number, NULL when there is none. */
const char *arch_reg_name(const struct arch_ops *arch, uint16_t dwarf);

#endif
