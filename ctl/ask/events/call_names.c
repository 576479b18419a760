// SPDX-License-Identifier: GPL-2.0-or-later
/* call_names.c - the names of system calls by their numbers, as the C library's headers have them. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/events/calls.h"
#include "ctl/base/memory.h"

#define CALL(number, name)	[number] = #name,

static const char *const names[] = {
#include "call_names.h"
};

static const char *const compat_names[] = {
#include "compat_call_names.h"
};

/* Where the two differ. */
static const char *const kernel_names[][2] = {
	{ "stat", "newstat" }, { "fstat", "newfstat" }, { "lstat", "newlstat" }, { "uname", "newuname" },
	{ "umount2", "umount" }, { "sendfile", "sendfile64" },
};

const char *call_kernel_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernel_names); i++)
		if (*name == *kernel_names[i][0] && !strcmp(name, kernel_names[i][0]))
			return kernel_names[i][1];
	return name;
}

unsigned int call_numbers(void)
{
	return ARRAY_SIZE(names);
}

const char *call_name(unsigned int number)
{
	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

unsigned int call_compat_numbers(void)
{
	return ARRAY_SIZE(compat_names);
}

const char *call_compat_name(unsigned int number)
{
	return number < ARRAY_SIZE(compat_names) ? compat_names[number] : NULL;
}

static const char *sorted[ARRAY_SIZE(compat_names)];	/* those that are not NULL */
static size_t nr_sorted;

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_names(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(compat_names); i++)
		if (compat_names[i])
			sorted[nr_sorted++] = compat_names[i];
	qsort(sorted, nr_sorted, sizeof(*sorted), compare_names);
}

bool call_compat_exists(const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, sort_names);
	return bsearch(&name, sorted, nr_sorted, sizeof(*sorted), compare_names);
}
