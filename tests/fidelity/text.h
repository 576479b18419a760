/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.h - instructions as text. */
#ifndef FIDELITY_TEXT_H
#define FIDELITY_TEXT_H

#include <linux/types.h>

/* One instruction as text; returns its length, 1 for a byte that is none. */
size_t text_insn(const u8 *bytes, size_t n, u64 at, char *text, size_t size);

/* The mnemonic alone. */
void text_mnemonic(const u8 *bytes, size_t n, char *text, size_t size);

#endif
