// SPDX-License-Identifier: GPL-2.0-or-later
/* library.c - a library with a tracepoint, for tests to load. */
#include <ktrace/ktrace.h>

void library_event(int n);

void library_event(int n)
{
	KTRACE(library, event, n);
}
