/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.h - allocation that cannot fail, and release at the end of a scope.  Without memory the program ends
 * with one line; the tracepoints live in the module and are not affected.
 */
#ifndef KTRACE_MEMORY_H
#define KTRACE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

void *mem_zalloc(size_t n, size_t size);
void *mem_grow(void *p, size_t n, size_t size);
/* A copy of so many bytes. */
void *mem_copy(const void *bytes, size_t n);
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);
/* All texts one behind the other, up to a NULL; a tenth of the cost of mem_printf(). */
char *mem_join(const char *first, ...) __attribute__((sentinel));
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *mem_vprintf(const char *fmt, va_list args) __attribute__((format(printf, 1, 0)));

/* open_memstream(3): *text and *len are what was printed, once it is flushed or closed. */
FILE *mem_stream(char **text, size_t *len);

/*
 * Keep freed memory for later allocations, for the rest of the process.  The C library returns large blocks to the kernel, and each
 * page that is taken anew costs a page fault: a program that takes and frees megabytes in a loop spends a third of its time there.
 */
void mem_keep_freed(void);

void mem_cleanup_free(void *p);
void mem_cleanup_file(FILE **p);

#define AUTO_FREE	__attribute__((cleanup(mem_cleanup_free)))
#define AUTO_CLOSE	__attribute__((cleanup(mem_cleanup_file)))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Make room for one more element at array[nr].  The room doubles, so nr must grow by one each time. */
#define MEM_MORE(array, nr) \
	((nr) & ((nr) - 1) ? (array) : mem_grow(array, (nr) ? 2 * (nr) : 1, sizeof(*(array))))

/* Let array[i] exist.  New elements are 0, and nr is the number of all. */
#define MEM_REACH(array, nr, i) \
	((i) < (nr) ? (array) : mem_reach(array, &(nr), i, sizeof(*(array))))
void *mem_reach(void *p, size_t *nr, size_t i, size_t size);

#endif
