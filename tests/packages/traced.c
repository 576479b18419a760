// SPDX-License-Identifier: GPL-2.0-or-later
/* A program with a tracepoint, which it passes ten times a second. */
#include <ktrace/ktrace.h>

#include <unistd.h>

int main(void)
{
	for (int id = 0;; id++) {
		KTRACE(packages, request, id);
		usleep(100000);
	}
}
