/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tails.h - what tails.c and its library know of each other. */
#ifndef TAILS_H
#define TAILS_H

#define NOINLINE __attribute__((noinline, noclone))

/* What a function tells of itself. */
struct told {
	const char *name;
	long calls, arguments, returns, values, nanoseconds;
};

extern long length;	/* nanoseconds of a call */

long now(void);
void spin(void);

/* Returns when the call began. */
static inline long begin_call(struct told *told, long argument)
{
	told->calls++;
	told->arguments += argument;
	return now();
}

/* Returns the value. */
static inline long end_call(struct told *told, long began, long value)
{
	told->returns++;
	told->values += value;
	told->nanoseconds += now() - began;
	return value;
}

void print_told(const struct told *told);
void print_library(void);

long library_end(long n);
long library_on(long n);
long program_end(long n);

#endif
