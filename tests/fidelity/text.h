/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.h - instructions as text. */
#ifndef FIDELITY_TEXT_H
#define FIDELITY_TEXT_H

#include <linux/types.h>

/* One instruction as text. Returns its length, 1 if the byte is no instruction. */
size_t text_insn(const u8 *bytes, size_t n, u64 at, char *text, size_t size);

/* Only the mnemonic. */
void text_mnemonic(const u8 *bytes, size_t n, char *text, size_t size);

#endif
