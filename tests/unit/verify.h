/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verify.h - the module's own verifier of capture programs. */
#ifndef KTRACE_VERIFY_H
#define KTRACE_VERIFY_H

#include <stddef.h>

#include "core/ktrace_abi.h"

/* Verify a program; insns stays unchanged. Returns the bytes of its payload, negative if the module would refuse it. */
int verify_program(const struct kt_insn *insns, size_t n);

#endif
