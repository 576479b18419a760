/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch.h - the interface of an architecture for the controller: one const struct, which arch/<cpu>/user/ fills
 * in.  No file outside arch/ knows an instruction set or a register name.
 */
#ifndef KTRACE_ARCH_H
#define KTRACE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/compat_call.h"
#include "arch/event_row.h"

struct arch_reg {
	const char *name;	/* lower case, without % or $ */
	uint16_t dwarf;		/* DWARF number of the register, or of the one that it is a part of */
	uint8_t bytes;		/* 8, 4, 2 or 1 */
	uint8_t shift;		/* position of its lowest bit: 8 for ah */
};

struct arch_flag {
	const char *name;	/* "ZF" */
	uint64_t mask;
	uint64_t value;		/* the flag is shown when (psr & mask) == value */
};

struct arch_insn {
	uint8_t len;		/* bytes */
	char text[96];		/* "movq %rsi, 0x18(%rsp)"; AT&T syntax on x86 */
	uint64_t target;	/* of a direct branch or call; else 0 */
	bool is_call;
	bool is_return;
	bool is_jump;		/* unconditional */
};

/* An operand in the syntax of the architecture's assembler: a constant, a register, or what is in memory. */
enum arch_operand_kind { OPERAND_CONSTANT, OPERAND_REGISTER, OPERAND_MEMORY };

struct arch_operand {
	enum arch_operand_kind kind;
	const struct arch_reg *reg;	/* the register, or the base of the address; NULL: none */
	const struct arch_reg *index;	/* added to the base, times scale; NULL: none */
	uint8_t scale;
	bool index_is_signed;		/* it has 4 bytes and is sign-extended; else zero-extended */
	int64_t constant;		/* the value, or what is added to the address */
	const char *symbol;		/* its address is added, too: symbol_len bytes of the text; NULL: none */
	size_t symbol_len;
};

/*
 * Functions of ktrace itself, on which the cost of uprobes is calibrated.  The kernel emulates the first instruction of one;
 * of another it executes a copy by a single step.  The third calls `inner`; the others ignore it.
 */
enum { SCRATCH_EMULATED, SCRATCH_STEPPED, SCRATCH_AROUND, NR_SCRATCH };

struct arch_scratch {
	void (*call)(void (*inner)(void));
	const uint8_t *end;	/* its return instruction */
};

#define ARCH_ORC_BYTES	6

struct arch_ops {
	const char *name;	/* "x86-64" */
	const char *machine;	/* as in uname -m */
	uint32_t elf_machine;	/* as published by the module */
	const struct arch_reg *regs;	/* with sub-registers; the last row has name NULL */
	const struct arch_flag *flags;	/* of the processor status; the last row has name NULL */
	/* DWARF numbers in the order of KT_OP_EMITREGS. */
	const uint16_t *all_regs;
	size_t nr_all_regs;
	uint16_t dwarf_sp, dwarf_pc;
	uint16_t dwarf_fp;	/* the frame pointer by convention */
	uint8_t call_pushes;	/* bytes that a call puts on the stack: at a function's entry the frame base is above them */
	uint16_t dwarf_result;	/* register of a function's return value */
	uint16_t dwarf_psr;	/* the processor status, if it counts as a register */
	uint16_t dwarf_goroutine;	/* in functions of Go the goroutine */
	const uint16_t *dwarf_args;	/* registers of a function's first parameters */
	size_t nr_dwarf_args;
	bool args_by_reference;	/* pass a composite of more than two words by address */
	uint16_t dwarf_vector_arg;	/* the first register of floating-point parameters; the others follow */
	size_t nr_dwarf_vector_args;
	uint8_t insn_max;	/* bytes of the longest instruction */
	uint8_t jump_bytes;	/* length of the jump to a trampoline */
	const char *return_thunk;	/* suffix of symbols to which a jump is a return; NULL: none */
	uint64_t short_base;	/* upper half of all code addresses; 0: it varies */
	const char *clock_source;	/* the kernel's clock source whose counter the module can read directly */
	bool needs_data_symbols;	/* the module needs variables in /proc/kallsyms */
	/* Kernel events (GROUP/NAME) that must be off while the module is loaded; ends with NULL. */
	const char *const *off_events;
	const struct event_row *event_rows;	/* that only it has, or that read registers; the last has name NULL */
	const char *syscall_prefix;	/* of the functions of system calls; the name follows */
	/* The same for calls of 32-bit programs: the first that is there is the one; ends with NULL. */
	const char *const *compat_prefixes;
	const struct compat_call *compat_calls;	/* the last has call NULL */

	const struct arch_scratch *scratch;	/* [NR_SCRATCH] */

	/* Decode one instruction at addr from the n bytes at code.  False: the bytes are not an instruction. */
	bool (*decode)(const uint8_t *code, size_t n, uint64_t addr, struct arch_insn *out);
	/*
	 * Bytes before the first own instruction of a function: the branch target marker, and ftrace's nops,
	 * which may be patched into a call.  A tracepoint on the function goes behind them.  0: there are none.
	 */
	size_t (*prologue)(const uint8_t *code, size_t n, uint64_t addr);
	/*
	 * Has the function that begins at code set up its frame pointer before its byte n?  False also where that cannot be
	 * told.
	 */
	bool (*frame_is_set)(const uint8_t *code, size_t n);
	/*
	 * The type of an entry of the kernel's ORC tables; the register, by DWARF number, and the offset that make the frame base
	 * by an entry for ordinary code.  NULL: kernels of this architecture have no such tables.
	 */
	uint8_t (*orc_type)(const uint8_t entry[ARCH_ORC_BYTES]);
	bool (*orc_base)(const uint8_t entry[ARCH_ORC_BYTES], uint16_t *reg, int32_t *offset);
	/*
	 * A jump to a register at code[at], in a function that begins at code: is it a switch, which stays in
	 * the function? False: it leaves the function.
	 */
	bool (*is_switch)(const uint8_t *code, size_t at);
	/*
	 * Does a sequence begin at code that the runtime of Go may begin again, because a signal came inside it?  The bytes
	 * before its last instruction, which is executed once, after all others; 0: none begins there.
	 */
	size_t (*go_sequence)(const uint8_t *code, size_t n);
	/* Parse an operand, the whole text.  False: it is none, or of a form that is not known. */
	bool (*operand)(const char *text, struct arch_operand *out);
};

/* The architecture this controller was built for. */
extern const struct arch_ops arch_native;

/* A register by name, with or without its prefix (%rax, $rax, x0), in any case.  NULL: there is none. */
const struct arch_reg *arch_reg_by_name(const struct arch_ops *arch, const char *name);
/* The full-width name of a DWARF register number.  NULL: there is none. */
const char *arch_reg_name(const struct arch_ops *arch, uint16_t dwarf);

#endif
