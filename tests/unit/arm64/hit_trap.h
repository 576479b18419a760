/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hit_trap.h - work that comes between two instructions of the code of a hit. */
#ifndef HIT_TRAP_H
#define HIT_TRAP_H

#include <signal.h>

#include "hit_machine.h"

static struct {
	u32 *at, was;
	bool met;
	void (*work)(void);
} trap;

/* One instruction of the code was a breakpoint: do what interrupts it, then go on with the instruction. */
static __attribute__((unused)) void on_trap(int signal)
{
	trap.work();
	code_protect(PROT_READ | PROT_WRITE);
	*trap.at = trap.was;
	code_protect(PROT_READ | PROT_EXEC);
	__builtin___clear_cache((char *)trap.at, (char *)(trap.at + 1));
	trap.met = true;
}

/* Interrupt the code at instruction n. */
static __attribute__((unused)) void plant(u32 n)
{
	trap.at = (u32 *)(uintptr_t)code_memory + n;
	trap.was = *trap.at;
	trap.met = false;
	code_protect(PROT_READ | PROT_WRITE);
	*trap.at = KT_BRK(1);
	code_protect(PROT_READ | PROT_EXEC);
	__builtin___clear_cache((char *)trap.at, (char *)(trap.at + 1));
}

#endif
