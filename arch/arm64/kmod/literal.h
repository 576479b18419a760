/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * literal.h - literals: data in the text, which instructions load with an address relative to themselves.  Symbols do
 * not tell where they are.  A breakpoint there would change the data.
 */
#ifndef KTRACE_ARM64_LITERAL_H
#define KTRACE_ARM64_LITERAL_H

#include "core/ktrace_abi.h"

struct module;

/*
 * KT_REFUSE_NOT_TEXT: an instruction of the same text loads the word at addr, or addr is in no known text.
 * KT_REFUSE_NOMEM: no memory for the bitmap, which the first call for a text makes.  Sleepable, under kt_change_lock.
 */
enum kt_refusal kt_literal_check(unsigned long addr);

/* Free the bitmap of a module that is unloaded.  Under kt_change_lock. */
void kt_literal_forget(const struct module *mod);

void kt_literal_exit(void);

#endif
