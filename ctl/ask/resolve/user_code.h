/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user_code.h - names of code addresses of processes, in lists of callers at tracepoints of programs, and in recordings.
 *
 * A list begins with the address of the hit, and the place of the tracepoint in its file is known: so all addresses in the
 * same file have names, whether the process still lives or not.  Those in other files have names while a process lives
 * that has the file of the tracepoint mapped at that address: its children and parents, with the same layout, do as well.
 * If several processes do, and differ in what is at an address, it has no name.
 */
#ifndef KTRACE_USER_CODE_H
#define KTRACE_USER_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct user_code;

/* Nothing is opened yet. */
struct user_code *user_code_new(void);
void user_code_free(struct user_code *code);

/* A list of callers. */
struct user_list {
	const char *typed;	/* the tracepoint: FILE:PLACE */
	uint64_t offset;	/* its place in the file */
	uint64_t hit;		/* the first address of the list */
};

/*
 * The name of an address of the list: "libc.so.6:qsort+0x14", or "./server:0x1234" where the file has no symbol.
 * is_return: it is behind a call.  False: the file is not known, buf is "".
 */
bool user_code_name(struct user_code *code, const struct user_list *list, uint64_t addr, bool is_return, char *buf, size_t size);

/*
 * The same of an address that a tracepoint has recorded; base: where the program's address 0 was.  user_code_name_linked(): of an
 * address as it was linked.
 */
bool user_code_name_from(struct user_code *code, const char *typed, uint64_t offset, uint64_t base, uint64_t addr, char *buf,
			 size_t size);
bool user_code_name_linked(struct user_code *code, const char *typed, uint64_t linked, char *buf, size_t size);

/* A file that a process had mapped. */
struct user_file {
	const char *path;
	uint64_t inode;		/* 0: not known */
	int64_t when_ns;	/* since the epoch: a file that was changed later is another one */
};

/* The addresses of its code, from <= address < to, if it is linked at a fixed address.  False: it is not, or is not there any more. */
bool user_code_span(struct user_code *code, const struct user_file *file, uint64_t *from, uint64_t *to);
/* The name of an address behind a call: of one as it was linked, or of an offset in the file.  False: the file is not there any more. */
bool user_code_name_in(struct user_code *code, const struct user_file *file, bool is_linked, uint64_t at, char *buf, size_t size);

#endif
