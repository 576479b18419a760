/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signatures.h - the names of one table or list, each in the shortest form (signature.h) that no other of them has: functions
 * that differ only in their parameters show them.  Places of one function, such as "f(int)+0x10" and "f(int)%return", do not
 * count as others.
 */
#ifndef KTRACE_SIGNATURES_H
#define KTRACE_SIGNATURES_H

struct signatures;

struct signatures *signatures_create(void);
void signatures_free(struct signatures *all);
/* Add a name, unless it is there. */
void signatures_add(struct signatures *all, const char *name);
/* The form of a name, until the next signatures_add(); a name that was not added stays as it is. */
const char *signatures_find(struct signatures *all, const char *name);

#endif
