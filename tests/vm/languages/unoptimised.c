// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that is compiled without optimisation, as C and as C++, by two compilers. It prints a line of take_numbers() in
 * which all variables are set, and then calls each function for i = 1 to 6 with the values in main().
 */
#include <stdio.h>

struct pair {
	long first;
	int second;
};

struct large {
	long v[5];
};

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((noinline)) int take_numbers(signed char a, unsigned short b, int c, long d, unsigned char e, unsigned int f, int g, short h)
{
	long sum = a + b + c;

	sum += d + e + f + g + h;
	return (int)sum;
}

enum { LINE = __LINE__ - 4 };

__attribute__((noinline)) long take_objects(struct pair pair, double factor, struct large large, const char *text, int n)
{
	return pair.first + pair.second + (long)factor + large.v[4] + text[0] + n;
}

#ifdef __cplusplus
}
#endif

int main(void)
{
	long sum = 0;

	printf("line %d\n", LINE);
	for (int i = 1; i <= 6; i++) {
		struct pair pair = { 1000L * i, -i };
		struct large large = { { 0, 0, 0, 0, 7L * i } };

		sum += take_numbers(-i, 10000 * i, -300 * i, 5000000000L * i, 40 * i, 700000000U * i, -8 * i, 9 * i);
		sum += take_objects(pair, 1.5, large, "planted", -i);
	}
	printf("%ld\n", sum);
	return 0;
}
