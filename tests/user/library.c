// SPDX-License-Identifier: GPL-2.0-or-later
/* library.c - a library with a tracepoint, for test_process.c to load. */
#include <ktrace/ktrace.h>

void library_event(int n);

void library_event(int n)
{
	KTRACE(library, event, n);
}
