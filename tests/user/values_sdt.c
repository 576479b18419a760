// SPDX-License-Identifier: GPL-2.0-or-later
/* values_sdt.c - a program with the macros of <sys/sdt.h>. */
#include <ktrace/sdt.h>

int sdt_values(void);

int sdt_values(void)
{
	int x = 5;

	DTRACE_PROBE(prov, zero);
	STAP_PROBE1(prov, one, 1);
	DTRACE_PROBE12(prov, twelve, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
	STAP_PROBEV(prov, v, x, "t");
	return 0;
}
