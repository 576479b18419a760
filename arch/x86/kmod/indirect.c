// SPDX-License-Identifier: GPL-2.0-only
/*
 * indirect.c - see indirect.h.
 *
 * Most indirect jumps are tail calls: they lead to the first byte of a function.  Others take their target from the table of
 * a switch or from a label as value (GNU C's &&label), or assembler code computes it.  Kernels with retpolines, or built for
 * indirect branch tracking, have no tables of switches: arch/x86/Makefile then compiles with -fno-jump-tables.  Optimised
 * kprobes of Linux 6.6 and newer therefore accept every indirect jump on these kernels, and those of older kernels refuse
 * each function with an indirect jump (arch/x86/kernel/kprobes/opt.c, can_optimize()).  ktrace does neither: the option
 * forbids no labels as values (kernel/bpf/core.c has them), it does not concern assembler code, and others may have
 * compiled a module otherwise.
 *
 * The proof for one function.  The target of an indirect jump is an address that the jump gets in one of these ways:
 * 1. It is a pointer in the data, as in a table of a switch and a table of labels.  Then kt_branch_targets_prepare() has
 *    found it, whoever reads it, and only jumps over this target are refused.
 * 2. An instruction has it as an operand, as where a label is assigned to a variable.  Then an operand is an address in the
 *    function.
 * 3. It is computed from a base and a distance.
 *    a. The base is in the function: again an operand is an address in the function.
 *    b. The base is the table of distances, as in position-independent code.  Then an operand is the address of a table with
 *       such distances; they are evaluated here.
 * So the function is refused if any operand is one of 2, 3a or 3b.  The instructions are those of the function and those
 * of all code that it branches to: there is its unlikely code (NAME.cold).
 *
 * What the proof assumes, as the kernel does for all functions without an indirect jump: nobody computes an address in a
 * function from the address of another function, and code that the function does not branch to has no address in it.
 */
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "branch_target.h"
#include "indirect.h"
#include "insn.h"
#include "kmod/base/ksym.h"
#include "kmod/text/change.h"
#include "kmod/text/safety.h"

struct function {
	unsigned long start, end;
};

static bool has(const struct function *f, unsigned long addr)
{
	return addr >= f->start && addr < f->end;
}

/* A table may lead to the first byte: it may be a table of functions. */
static bool leads_inside(const struct function *f, unsigned long addr)
{
	return has(f, addr) && addr != f->start;
}

/*
 * Is addr a table with the address of an instruction of the function?  An entry is the distance from the table, or from the
 * entry.  Tables in the text may also have pointers.  A table ends before the first entry that leads to no text.
 */
static bool is_table(const struct function *f, unsigned long addr)
{
	const bool in_text = kt_branch_targets_same_text(f->start, addr);
	unsigned long at, i;
	s32 entry[2];

	if (!in_text && !kt_branch_targets_same_data(f->start, addr))
		return false;
	for (at = addr; !copy_from_kernel_nofault(entry, (void *)at, sizeof(entry)); at += sizeof(entry[0])) {
		const unsigned long targets[] = {
			addr + entry[0], at + entry[0],
			in_text ? (u32)entry[0] | (unsigned long)entry[1] << 32 : 0,
		};
		bool leads = false;

		for (i = 0; i < ARRAY_SIZE(targets); i++) {
			if (leads_inside(f, targets[i]))
				return true;
			leads |= kt_branch_targets_same_text(f->start, targets[i]);
		}
		if (!leads)
			break;
	}
	return false;
}

/* Jumps and conditional jumps: the immediate is the distance to the target. */
static bool is_branch(const struct insn *insn)
{
	const u8 *op = insn->opcode.bytes;

	if (insn->opcode.nbytes == 2)
		return op[0] == 0x0f && (op[1] & 0xf0) == 0x80;
	return insn->opcode.nbytes == 1 &&
	       ((op[0] & 0xf0) == 0x70 || (op[0] >= 0xe0 && op[0] <= 0xe3) || op[0] == 0xe9 || op[0] == 0xeb);
}

static bool is_call(const struct insn *insn)
{
	return insn->opcode.nbytes == 1 && insn->opcode.bytes[0] == 0xe8;
}

/* The addresses that the operands of the instruction before `next` contain: of memory, and as a value.  0: none. */
static unsigned long memory_operand(const struct insn *insn, unsigned long next)
{
	const bool rip_relative = insn->modrm.nbytes && (insn->modrm.value & 0xc7) == 5;

	if (insn->displacement.nbytes != sizeof(s32))
		return 0;
	return insn->displacement.value + (rip_relative ? next : 0);
}

static unsigned long value_operand(const struct insn *insn)
{
	if (insn->immediate1.nbytes != sizeof(s32) || is_branch(insn) || is_call(insn))
		return 0;
	if (insn->immediate2.nbytes)
		return (u32)insn->immediate1.value | (unsigned long)insn->immediate2.value << 32;
	return insn->immediate1.value;
}

static bool gives_address(const struct function *f, const struct insn *insn, unsigned long next)
{
	const unsigned long memory = memory_operand(insn, next), value = value_operand(insn);

	return has(f, memory) || has(f, value) || is_table(f, memory) || is_table(f, value);
}

/* Does an operand in this code give an address in the function?  Also true for code that cannot be decoded. */
static bool code_gives_address(const struct function *f, unsigned long start, unsigned long end)
{
	unsigned long at, next;
	struct kt_decoded one;
	u32 run = 0;

	for (at = start; at < end; at = next) {
		if (kt_x86_decode_one(at, &one) || kt_x86_in_hole(&one, &run))
			return true;
		next = at + one.insn.length;
		if (gives_address(f, &one.insn, next))
			return true;
	}
	return false;
}

/* The same for the code around the target of a branch out of the function.  *last is the code that was looked at last. */
static bool target_gives_address(const struct function *f, unsigned long target, struct function *last)
{
	unsigned long size, offset;

	if (has(f, target) || has(last, target))
		return false;
	if (!kt_kallsyms_lookup_size_offset(target, &size, &offset))
		return false;	/* no text with symbols: a thunk that the kernel has allocated */
	*last = (struct function){ target - offset, target - offset + size };
	return code_gives_address(f, last->start, last->end);
}

bool kt_x86_indirect_inside(unsigned long start, unsigned long end)
{
	const struct function f = { start, end };
	struct function last = { 0, 0 };
	struct kt_decoded one;
	unsigned long at, next;

	lockdep_assert_held(&kt_change_lock);
	lockdep_assert_held(kt_text_mutex());
	if (!kt_branch_targets_know_pointers(start) || code_gives_address(&f, start, end))
		return true;
	for (at = start; at < end; at = next) {
		if (kt_x86_decode_one(at, &one))
			return true;
		next = at + one.insn.length;
		if (is_branch(&one.insn) && target_gives_address(&f, next + one.insn.immediate.value, &last))
			return true;
	}
	return false;
}
