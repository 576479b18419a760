// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program of C++ whose calls end by returns, exceptions and longjmp(), and which tells the truth about them:
 *
 *   throws COUNT [MICROSECONDS]
 *
 * COUNT times it calls each function below in four threads, one after the other; a call that returns takes that long.  For
 * each function it prints
 *
 *   truth NAME CALLS ARGUMENTS RETURNS VALUES NANOSECONDS
 *
 * how many calls began, the sum of their first argument, how many returned, the sum of what they returned, and how long
 * those took in all; and for a variable
 *
 *   local FILE:LINE VARIABLE TIMES SUM
 *
 * Once it calls kinds(), whose arguments are of types that are made of others.
 */
#include <cstdint>
#include <optional>
#include <pthread.h>
#include <setjmp.h>
#include <stdexcept>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE	__attribute__((noinline, noclone))
#define NR_THREADS	4

namespace {

struct told {
	const char *name;
	long calls, arguments, returns, values, nanoseconds;
} told[] = {
	{ "_ZN4pool4takeElRKNS_4itemE", 0, 0, 0, 0, 0 },	{ "_ZN4pool7throughEl", 0, 0, 0, 0, 0 },
	{ "_ZN4pool7guardedEl", 0, 0, 0, 0, 0 },		{ "_Z5againl", 0, 0, 0, 0, 0 },
	{ "_ZN4pool4deepEli", 0, 0, 0, 0, 0 },			{ "_ZN4pool5leaveEl", 0, 0, 0, 0, 0 },
	{ "_ZN4pool7compareEPKvS1_", 0, 0, 0, 0, 0 },		{ "_ZNK4pool6holder3getEl", 0, 0, 0, 0, 0 },
};
enum { TAKE, THROUGH, GUARDED, AGAIN, DEEP, LEAVE, COMPARE, GET };

long length, local_times, local_sum;
int local_line;
jmp_buf out;

long now()
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* What a call has told so far.  It counts as returned when value() was called. */
struct call {
	const int which;
	const long began;

	__attribute__((always_inline)) call(int number, long argument) : which(number), began(now())
	{
		told[which].calls++;
		told[which].arguments += argument;
	}
	__attribute__((always_inline)) long value(long v) const
	{
		told[which].returns++;
		told[which].values += v;
		told[which].nanoseconds += now() - began;
		return v;
	}
};

NOINLINE void spin()
{
	const long until = now() + length;

	while (now() < until)
		;
}

}

namespace pool {

struct item {
	long id;
	const char *name;
	double weight;
	float share;
};

/* Every third call throws. */
NOINLINE long take(long n, const item &what)
{
	const call c(TAKE, n);
	long local = n * 7 + what.id;

	local_sum += local;
	local_times++;
	local_line = __LINE__ + 1;
	__asm__ volatile("nop" : "+r"(local));
	if (n % 3 == 0)
		throw static_cast<int>(n);
	spin();
	return c.value(2 * n + 1);
}

struct holder {
	long id;

	~holder()
	{
		__asm__ volatile("" : : "r"(id) : "memory");
	}
	/* Throws an object of the library, with a destructor. */
	NOINLINE long get(long n) const
	{
		const call c(GET, n);

		if (n % 4 == 1)
			throw std::runtime_error("planted");
		spin();
		return c.value(n + id);
	}
};

const item the_item = { 5, "planted item", 0.1, -2.5F };

/* An exception passes through: the destructor runs, then the exception goes on. */
NOINLINE long through(long n)
{
	const call c(THROUGH, n);
	const holder held = { n };
	const long taken = take(n, the_item);

	return c.value(taken + held.id);
}

/* It catches, and so returns each time. */
NOINLINE long guarded(long n)
{
	const call c(GUARDED, n);

	try {
		return c.value(through(n));
	} catch (int thrown) {
		return c.value(-thrown);
	}
}

/* An exception ends `depth` calls at once, when n is odd. */
NOINLINE long deep(long n, int depth)
{
	const call c(DEEP, n);
	const holder held = { depth };

	if (!depth && n % 2)
		throw static_cast<int>(n);
	if (!depth)
		spin();
	return c.value((depth ? deep(n, depth - 1) : n) + held.id);
}

/* longjmp() ends every fifth call. */
NOINLINE long leave(long n)
{
	const call c(LEAVE, n);

	if (n % 5 == 0)
		longjmp(out, 1);
	spin();
	return c.value(n + 3);
}

/* An exception passes through a function of the C library. */
NOINLINE int compare(const void *a, const void *b)
{
	const long one = *static_cast<const long *>(a), other = *static_cast<const long *>(b);
	const call c(COMPARE, 0);

	if (one == 13 || other == 13)
		throw 13;
	return static_cast<int>(c.value(one < other ? -1 : one > other));
}

}

/* It catches, and throws again. */
NOINLINE long again(long n)
{
	const call c(AGAIN, n);

	try {
		return c.value(pool::take(n + 1, pool::the_item));
	} catch (...) {
		throw;
	}
}

struct first {
	int a;
	char letter;
};
struct nothing {};
struct second : first, nothing {
	int b;
	nothing empty;
	static const int apart = 4;
};
struct third : virtual first {
	int v;
};
enum large : uint64_t { TOP = 1ULL << 63 };

NOINLINE int kinds(const second *s, const third *t, const std::optional<int> *five, const large *most)
{
	asm volatile("" : : "r"(s), "r"(t), "r"(five), "r"(most) : "memory");
	return -s->b;
}

namespace {

template<typename F> void caught(F f)
{
	try {
		f();
	} catch (int) {
	} catch (const std::exception &) {
	}
}

void sorted(long n)
{
	long numbers[] = { n, 4, 9, 2, n % 2 ? 13 : 12, 1 };

	qsort(numbers, sizeof(numbers) / sizeof(*numbers), sizeof(*numbers), pool::compare);
}

void *work(void *count)
{
	for (volatile long n = 1; n <= *static_cast<long *>(count); n++) {
		pool::guarded(n);
		caught([&] { again(n); });
		caught([&] { pool::deep(n, 6); });
		caught([&] { pool::holder{ 40 }.get(n); });
		caught([&] { sorted(n); });
		if (!setjmp(out))
			pool::leave(n);
	}
	return NULL;
}

}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1;

	const second whole = { { 41, 'x' }, {}, 42, {} };
	const third above = {};
	const std::optional<int> five = 5;
	const large most = TOP;

	length = argc > 2 ? atol(argv[2]) * 1000 : 0;
	if (kinds(&whole, &above, &five, &most) != -42)
		return 1;
	for (int i = 0; i < NR_THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, &count) || pthread_join(thread, NULL))
			return 1;
	}
	for (const auto &t : told)
		printf("truth %s %ld %ld %ld %ld %ld\n", t.name, t.calls, t.arguments, t.returns, t.values, t.nanoseconds);
	printf("local throws.cpp:%d local %ld %ld\n", local_line, local_times, local_sum);
	return 0;
}
