// SPDX-License-Identifier: GPL-2.0-only
/* A switch, and labels as values: the compiler makes tables of pointers. The Kbuild file has the options for this file. */
#include <linux/compiler.h>
#include <linux/stringify.h>
#include <linux/objtool.h>

/* objtool need not look for a landing pad here. */
#ifdef CONFIG_X86_KERNEL_IBT
#define TARGET	asm volatile(ANNOTATE_NOENDBR)
#else
#define TARGET	do { } while (0)
#endif

long ktruth_switch(long n);
long ktruth_labels(long n);

/* n must not be known to the compiler. */
noinline __noclone long ktruth_switch(long n)
{
	long result = 0;

	while (n > 0) {
		switch (n % 8) {
		case 0: TARGET; result += 3; break;
		case 1: TARGET; result ^= 5; break;
		case 2: TARGET; result *= 3; break;
		case 3: TARGET; result -= n; break;
		case 4: TARGET; result += n * n; break;
		case 5: TARGET; result ^= n; break;
		case 6: TARGET; result = -result; break;
		case 7: TARGET; result += 11; break;
		}
		barrier();
		n--;
	}
	return result;
}

/* The same, by labels as values. */
noinline __noclone long ktruth_labels(long n)
{
	static const void *const labels[] = { &&by0, &&by1, &&by2, &&by3, &&by4, &&by5, &&by6, &&by7 };
	long result = 0;

next:
	if (n <= 0)
		return result;
	goto *labels[n % 8];
by0:	TARGET; result += 3; n--; goto next;
by1:	TARGET; result ^= 5; n--; goto next;
by2:	TARGET; result *= 3; n--; goto next;
by3:	TARGET; result -= n; n--; goto next;
by4:	TARGET; result += n * n; n--; goto next;
by5:	TARGET; result ^= n; n--; goto next;
by6:	TARGET; result = -result; n--; goto next;
by7:	TARGET; result += 11; n--; goto next;
}
