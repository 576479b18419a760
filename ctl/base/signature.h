/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signature.h - short forms of demangled names of C++ and Rust.
 *
 * A name may have the program before it ("server:pool::get(int)"), and an offset or the like behind it.  Both stay.  Names
 * of C and Go, and what is no name, stay as they are.
 */
#ifndef KTRACE_SIGNATURE_H
#define KTRACE_SIGNATURE_H

#include <stddef.h>

/* The forms of `int f<std::vector<int, std::allocator<int> > >(long) const`, from the shortest on: */
enum signature_form {
	SIGNATURE_SHORT,	/* f<...> */
	SIGNATURE_ARGUMENTS,	/* f<std::vector<int, std::allocator<int> > > */
	SIGNATURE_PARAMETERS,	/* f<...>(long) const */
	SIGNATURE_FULL,
};

/* A form of a name; the caller frees it.  It is never longer than the name. */
char *signature_form(const char *name, enum signature_form form);

/* The first form that fits into size bytes: full, without parameters, short; else the end of that behind "...". */
void signature_fit(const char *name, char *out, size_t size);

#endif
