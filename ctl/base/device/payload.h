/* SPDX-License-Identifier: GPL-2.0-or-later */
/* payload.h - find out what a capture program emits, without running it. */
#ifndef KTRACE_PAYLOAD_H
#define KTRACE_PAYLOAD_H

#include <stddef.h>

#include "core/ktrace_abi.h"

/* Bytes of payload of each record of the program; -1: unknown. */
int program_payload(const struct kt_insn *prog, size_t len);

#endif
