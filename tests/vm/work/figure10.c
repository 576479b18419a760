// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program of Figure 10 of the LTT paper (USENIX 2000): fct_A computes, fct_B makes a million system calls. Only its
 * counts can be others:
 *
 *   figure10 [LOOPS [CALLS]]
 *
 * It is built without optimization, so that the loop of fct_A stays.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static int i, j;
static int loops = 10000000;
static int calls = 1000000;

static void fct_A(void)
{
	for (i = 0, j = 0; j < loops; j++)
		i++;
	printf("i's value : %d\n", i);
}

static void fct_B(void)
{
	for (j = 0; j < calls; j++)
		sched_yield();
}

int main(int argc, char **argv)
{
	if (argc > 1)
		loops = atoi(argv[1]);
	if (argc > 2)
		calls = atoi(argv[2]);
	fct_A();
	fct_B();
	return 0;
}
