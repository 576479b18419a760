/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * literal.h - data among the code: what instructions load relative to themselves.  No symbol tells where
 * it is; a breakpoint there would be taken for data.
 */
#ifndef KTRACE_ARM64_LITERAL_H
#define KTRACE_ARM64_LITERAL_H

#include "core/ktrace_abi.h"

struct module;

/*
 * KT_REFUSE_NOT_TEXT where some instruction of the text around loads the word at addr; KT_REFUSE_NOMEM where there is
 * no memory to find out, the first time.  Sleepable, under kt_change_lock.
 */
enum kt_refusal kt_literal_check(unsigned long addr);

/* A module's text is going. */
void kt_literal_forget(const struct module *mod);

void kt_literal_exit(void);

#endif
