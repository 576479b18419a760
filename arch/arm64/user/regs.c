// SPDX-License-Identifier: GPL-2.0-or-later
/* regs.c - register and flag names of arm64; numbers: DWARF for the Arm 64-bit Architecture. */
#include "user.h"

/* A general register and its lower half. */
#define GENERAL(digits, n)	{ "x" digits, n, 8, 0 }, { "w" digits, n, 4, 0 }

const struct arch_reg arch_user_regs[] = {
	GENERAL("0", 0), GENERAL("1", 1), GENERAL("2", 2), GENERAL("3", 3), GENERAL("4", 4), GENERAL("5", 5),
	GENERAL("6", 6), GENERAL("7", 7), GENERAL("8", 8), GENERAL("9", 9), GENERAL("10", 10), GENERAL("11", 11),
	GENERAL("12", 12), GENERAL("13", 13), GENERAL("14", 14), GENERAL("15", 15), GENERAL("16", 16), GENERAL("17", 17),
	GENERAL("18", 18), GENERAL("19", 19), GENERAL("20", 20), GENERAL("21", 21), GENERAL("22", 22), GENERAL("23", 23),
	GENERAL("24", 24), GENERAL("25", 25), GENERAL("26", 26), GENERAL("27", 27), GENERAL("28", 28), GENERAL("29", 29),
	GENERAL("30", 30),
	/* Two names of the procedure call standard. */
	{ "fp", 29, 8, 0 }, { "lr", 30, 8, 0 },
	{ "sp", ARM64_DWARF_SP, 8, 0 }, { "wsp", ARM64_DWARF_SP, 4, 0 },
	{ "pc", ARM64_DWARF_PC, 8, 0 },
	{ "pstate", ARM64_DWARF_PSTATE, 8, 0 },
	{ .name = NULL },
};

#define BIT(name, n)	{ name, 1ULL << (n), 1ULL << (n) }
#define MODE(name, v)	{ name, 0x1f, v }

/* The bits of SPSR_EL1. */
const struct arch_flag arch_user_flags[] = {
	BIT("N", 31), BIT("Z", 30), BIT("C", 29), BIT("V", 28),
	BIT("TCO", 25), BIT("DIT", 24), BIT("UAO", 23), BIT("PAN", 22), BIT("SS", 21), BIT("IL", 20),
	BIT("ALLINT", 13), BIT("SSBS", 12),
	{ "BTYPE1", 3ULL << 10, 1ULL << 10 },
	{ "BTYPE2", 3ULL << 10, 2ULL << 10 },
	{ "BTYPE3", 3ULL << 10, 3ULL << 10 },
	BIT("D", 9), BIT("A", 8), BIT("I", 7), BIT("F", 6),
	MODE("EL0t", 0), MODE("EL1t", 4), MODE("EL1h", 5), MODE("EL2t", 8), MODE("EL2h", 9),
	{ .name = NULL },
};
