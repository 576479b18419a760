/* SPDX-License-Identifier: GPL-2.0-or-later */
/* value_names.h - the names of values in system calls, and in requests to disks: errors, flags, signals, commands. */
#ifndef KTRACE_VALUE_NAMES_H
#define KTRACE_VALUE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VALUE_NAMES_SIZE	384

/*
 * The name of a value in a field of an event: "-ENOENT", "O_WRONLY|O_CREAT".  What has no name of its own stays a number:
 * "O_CREAT|0x40000000".  False: the value has no name; buf is "".
 */
bool value_names(const char *event, const char *field, uint64_t value, char buf[VALUE_NAMES_SIZE]);

/* The letters for the bits of a request to a disk, as ftrace writes them: "WSM".  rows.c says what the bits are. */
void value_rwbs(uint64_t bits, char buf[VALUE_NAMES_SIZE]);

/* Is it the number of an open file, among the arguments of a system call?  It is shown as -1 rather than 4294967295. */
bool value_is_descriptor(const char *event, const char *field);
/* Do values in that field of the event have names? */
bool value_has_names(const char *event, const char *field);

/* The name of an error: "ENOENT", also of those that only the kernel uses.  NULL: it has none. */
const char *value_error(uint64_t number);

/* The value of a name that system calls know: ENOENT, SIGKILL, O_DIRECT.  False: there is no such name. */
bool value_named(const char *name, int32_t *value);

#endif
