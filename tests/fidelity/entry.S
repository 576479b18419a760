/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * entry.S - the module's entry.S and the functions that it calls: each calls the harness.  machine.c copies all of it, from
 * fidelity_entry to fidelity_entry_end, to an address that a trampoline reaches.
 */
	.text
	.globl	fidelity_entry, fidelity_entry_end
	.hidden	fidelity_entry, fidelity_entry_end
fidelity_entry:
#include "arch/x86/kmod/entry.S"

	.hidden	kt_x86_jump_special, kt_x86_direct_enter, kt_x86_direct_slow
kt_hit_event:
kt_hit_event_all:
kt_hit_jump:
kt_hit_jump_all:
kt_capture_rest:
kt_wake_waiting:
	jmp	*1f(%rip)
	.globl	fidelity_entry_hit
	.hidden	fidelity_entry_hit
fidelity_entry_hit:			/* machine.c writes the address of the harness here */
1:	.quad	0
fidelity_entry_end:

	.section .note.GNU-stack,"",@progbits
