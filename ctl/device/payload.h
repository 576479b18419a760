/* SPDX-License-Identifier: GPL-2.0-or-later */
/* payload.h - what a capture program emits, without running it. */
#ifndef KTRACE_PAYLOAD_H
#define KTRACE_PAYLOAD_H

#include <stddef.h>

#include "core/ktrace_abi.h"

/* Bytes of payload of every record the program takes; -1 when that cannot be told. */
int program_payload(const struct kt_insn *prog, size_t len);

#endif
