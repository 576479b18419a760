/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls.h - what system calls get, as the running kernel describes it. */
#ifndef KTRACE_CALLS_H
#define KTRACE_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#define CALL_ARGS	6

struct call_arg {
	char name[32];
	char type[64];		/* in C; "": unknown */
};

/*
 * The arguments of a system call, from tracefs.  Where that is not readable: six without a type.  Returns their
 * number.
 */
size_t call_args(const char *name, struct call_arg out[CALL_ARGS]);
/* The same.  False: tracefs does not have the call, or is not readable. */
bool call_args_known(const char *name, struct call_arg out[CALL_ARGS], size_t *n);

/* Does tracefs have the call?  That is known without a look at its arguments. */
bool call_is_known(const char *name);

/*
 * A field as in a row: its expression for the i-th argument.  Names of files are recorded as text, of at most `text`
 * bytes, other pointers as their address, numbers by their type.  The caller frees it.
 */
char *call_field(const struct call_arg *arg, size_t i, unsigned int text);

/* What a call gets or gives in memory, as the text of a row: fields of its begin, or of its end.  NULL: nothing. */
const char *call_begin_fields(const char *name);
const char *call_end_fields(const char *name);

/*
 * The name of a system call of this architecture by its number.  NULL: the headers that ktrace was built with do not
 * have it.
 */
const char *call_name(unsigned int number);
/* The name of the kernel's own function for it: "newstat" for "stat". */
const char *call_kernel_name(const char *name);
/* One more than the largest number of a call. */
unsigned int call_numbers(void);

/*
 * The same for calls of 32-bit programs, which have other numbers.  call_compat_kernel_name(): "chown16" for "chown", "chown" for
 * "chown32".  The caller frees it.
 */
const char *call_compat_name(unsigned int number);
unsigned int call_compat_numbers(void);
bool call_compat_exists(const char *name);
char *call_compat_kernel_name(const char *name);
/* Is it the call of that name, or one that differs only by the size of a number or a time?  "chown" is chown32, too. */
bool call_compat_is(const char *call, const char *name);
/* The call with this name, or with a function of this name.  NULL: there is none. */
const char *call_compat_find(const char *name);
/* As call_args_known(), by the first of the two names. */
bool call_compat_args_known(const char *name, struct call_arg out[CALL_ARGS], size_t *n);
bool call_compat_is_known(const char *name);

#endif
