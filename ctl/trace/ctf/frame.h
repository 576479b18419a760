/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame.h - texts of a saved trace as a frame of zstd, which symtab_unpack() expands. */
#ifndef KTRACE_FRAME_H
#define KTRACE_FRAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * How much time a frame may take.  Of the 3.7 MB of a kernel's symbols, 3 makes 0.86 MB in 20 ms, 9 makes 0.70 MB in 100 ms.  Of the
 * 692 KB of 1,600 descriptors, 4 makes 54 KB by 7 million instructions, 9 makes 43 KB by 66 million.
 */
enum frame_level { FRAME_QUICK = 4, FRAME_SMALL = 9 };

/* Replace allocated bytes by a frame of them.  False: no memory; they are unchanged. */
bool frame_pack(char **bytes, size_t *len, enum frame_level level);
/* Are these bytes a frame? */
bool frame_is(const char *bytes, size_t len);

#endif
