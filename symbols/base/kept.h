/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kept.h - files that keep what is dear to compute, below a directory such as /run/ktrace. A file holds one block of
 * bytes, and the key that says what they were made from.
 *
 * A file is treated as missing if it is damaged, if somebody else may have written it, or if it has another key. The caller
 * then computes the content again. No function here prints an error.
 */
#ifndef KTRACE_KEPT_H
#define KTRACE_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbols/base/digest.h"

#define KEPT_KEY	(2 * DIGEST_SIZE + 1)	/* a digest as text */

/*
 * Map the content of a file, private and for reading, if it is whole and has that key; at that address if it is free,
 * else anywhere (NULL: anywhere). The caller unmaps *size bytes. NULL: there is none.
 */
void *kept_map(const char *dir, const char *name, const char key[KEPT_KEY], void *at, size_t *size);
/*
 * Replace the content of the file. Processes that have mapped the old content can still use it.  False: it was not replaced,
 * for instance because another process is writing the file now.  `data` is aligned as memory of malloc().
 */
bool kept_write(const char *dir, const char *name, const char key[KEPT_KEY], const void *data, size_t size);

/* Is it a file of that kind (S_IFREG, S_IFDIR) that only this user or root can have written? */
bool kept_is_trusted(int fd, mode_t kind);

#endif
