// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program with known floating-point numbers in its memory:
 *
 *   userfloats
 *
 * It calls user_weigh() for each sample in turn, and prints the line in it where `kept` is on the stack:
 *
 *   line LINE
 */
#include <math.h>
#include <stdio.h>

struct user_pair {
	float first, second;
};

struct user_sample {
	double wide;
	float narrow;
	int id;
	struct user_pair pairs[2];
	double *pointer;
};

double user_double = 1.0 / 3;
float user_float = 1.0F / 3;
static int line;

static struct user_sample samples[] = {
	{ -2.5, -2.5F, 1, { { 0.5F, 1 }, { 16777216, 0.1F } }, &user_double },
	{ 0.1, 0.1F, 2, { { 0, 0 } }, &user_double }, { NAN, NAN, 3, { { 0, 0 } }, NULL }, { INFINITY, -INFINITY, 4, { { 0, 0 } }, NULL },
	{ 1e300, 1e30F, 5, { { 0, 0 } }, NULL }, { -0.0, 1e6F, 6, { { 0, 0 } }, NULL }, { 5e-324, 1e-40F, 7, { { 0, 0 } }, NULL },
};

__attribute__((noinline)) int user_weigh(const struct user_sample *s, double factor)
{
	double kept = s->wide * 2;

	line = __LINE__ + 1;
	__asm__ volatile("nop" : "+m"(kept) : "r"(factor));
	return s->id + (kept > 1e6);
}

__attribute__((noinline)) double user_mean(const struct user_sample *s)
{
	return (s->wide + s->narrow) / 2;
}

__attribute__((noinline)) struct user_pair user_swap(const struct user_pair *pair)
{
	return (struct user_pair){ pair->second, pair->first };
}

int main(void)
{
	int sum = 0;

	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++)
		sum += user_weigh(&samples[i], 0.75) + (user_mean(&samples[i]) > 1) + (user_swap(samples[i].pairs).first > 0);
	printf("line %d\n", line);
	return sum == 0;
}
