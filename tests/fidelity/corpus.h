/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * corpus.h - instructions of real kernel code, each encoding once. The file, written by harvest.c, has records
 * of 16 bytes: a length and the bytes.
 */
#ifndef FIDELITY_CORPUS_H
#define FIDELITY_CORPUS_H

#include <asm/insn.h>
#include <linux/types.h>

struct corpus_record {
	u8 len;
	u8 bytes[MAX_INSN_SIZE];
};

/* NULL if the file cannot be read. */
const struct corpus_record *corpus_open(const char *path, size_t *nr);

#endif
