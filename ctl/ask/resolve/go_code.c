// SPDX-License-Identifier: GPL-2.0-or-later
/* go_code.c - functions of Go.  See go_code.h. */
#include "ctl/ask/resolve/go_code.h"

#include <string.h>

#define GROW	"runtime.morestack"	/* and variants, such as runtime.morestack_noctxt */

#define MOST_LOOKS	10	/* instructions before the last jump to what lets the stack grow */
#define MOST_SEQUENCE	8	/* instructions that begin again */
#define MOST_SAVES	64	/* instructions that save the arguments before that call */

/* The linker of Go puts a symbol before and behind the functions of Go. */
bool go_code_is(const struct target *target, const struct sym *function)
{
	const struct sym *const *first, *const *end;

	return target->program && target->tab && function && symtab_by_name(target->tab, "runtime.text", "", &first) &&
	       symtab_by_name(target->tab, "runtime.etext", "", &end) && function->addr >= (*first)->addr &&
	       function->addr < (*end)->addr;
}

/* Does the code at addr let the stack grow?  It calls a function of the runtime, perhaps after it has saved the arguments. */
static bool grows(const struct target *target, uint64_t addr)
{
	uint8_t code[MOST_SAVES * KT_MAX_INSN];
	const size_t n = target_text(target, addr, code, sizeof(code));
	const struct sym *called;
	struct arch_insn insn;
	size_t at = 0;

	for (unsigned int i = 0; i < MOST_SAVES && probe_point_decode(target, code + at, n - at, addr + at, &insn); i++) {
		at += insn.len;
		if (!insn.is_jump && !insn.is_call && !insn.is_return && !insn.target)
			continue;
		called = insn.is_call && insn.target ? symtab_by_addr(target->tab, insn.target) : NULL;
		return called && !strncmp(called->name, GROW, strlen(GROW));
	}
	return false;
}

uint64_t go_code_look(const struct target *target, const struct sym *function)
{
	uint8_t code[MOST_LOOKS * KT_MAX_INSN];
	struct arch_insn insn;
	uint64_t behind = 0;
	size_t n, at = 0;

	if (!go_code_is(target, function))
		return 0;
	n = target_text(target, function->addr, code, function->size < sizeof(code) ? function->size : sizeof(code));
	for (unsigned int i = 0; i < MOST_LOOKS && probe_point_decode(target, code + at, n - at, function->addr + at, &insn); i++) {
		at += insn.len;
		if (insn.is_jump || insn.is_call || insn.is_return)
			break;
		if (insn.target && !grows(target, insn.target))
			break;
		if (insn.target)
			behind = at;
	}
	return behind;
}

uint64_t go_code_once(const struct target *target, uint64_t addr)
{
	const struct sym *function = target->program && target->tab ? symtab_by_addr(target->tab, addr) : NULL;
	uint8_t code[MOST_SEQUENCE * KT_MAX_INSN];

	if (!go_code_is(target, function))
		return addr;
	return addr + target->arch->go_sequence(code, target_text(target, addr, code, sizeof(code)));
}
