// SPDX-License-Identifier: GPL-2.0-only
/* Functions with known arguments and results. */
#include <linux/compiler.h>
#include <linux/string.h>

#include "truth.h"

TRUTH long ktruth_args6(long a, long b, long c, long d, long e, long f)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f;
}

TRUTH long ktruth_args8(long a, long b, long c, long d, long e, long f, long g, long h)
{
	return ktruth_args6(a, b, c, d, e, f) + 7 * g + 8 * h;
}

TRUTH long ktruth_mixed(bool flag, u8 byte, short small, int number, const char *text)
{
	return flag + byte + small + number + text[0];
}

TRUTH long ktruth_square(long number)
{
	return number * number;
}

TRUTH long ktruth_hit(long number)
{
	OPTIMIZER_HIDE_VAR(number);
	return number * 3 + 1;
}

TRUTH int ktruth_fails(int error)
{
	return -error;
}

TRUTH void *ktruth_pointer(void)
{
	return &ktruth_word;
}

TRUTH long ktruth_chain(struct ktruth_node *node)
{
	return node->next->leaf->number;
}

TRUTH size_t ktruth_text(const char *text)
{
	return strlen(text);
}

TRUTH long ktruth_fill(char *to, size_t length)
{
	memset(to, 7, length);
	return to[length - 1];
}

TRUTH long ktruth_target(long number)
{
	return number + 1;
}

/* Not a tail call: the test needs a call instruction. */
TRUTH long ktruth_indirect(long (*function)(long number), long number)
{
	long result = function(number);

	barrier();
	return result + 1;
}

TRUTH long ktruth_recurse(long depth)
{
	long below;

	if (depth == 0)
		return 0;
	below = ktruth_recurse(depth - 1);
	barrier();
	return below + 1;
}

static TRUTH long ktruth_twin(long number)
{
	OPTIMIZER_HIDE_VAR(number);
	return number + 1;
}

static __always_inline long ktruth_inlined(long number)
{
	OPTIMIZER_HIDE_VAR(number);
	return number * 3;
}

/* Three inlined copies of one function, and a call of one ktruth_twin(). */
TRUTH long ktruth_inlines(long number)
{
	return ktruth_inlined(number) + ktruth_inlined(number + 1) + ktruth_inlined(number + 2) + ktruth_twin(number);
}
