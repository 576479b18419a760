/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame.h - texts of a saved trace as a frame of zstd, which symtab_unpack() expands. */
#ifndef KTRACE_FRAME_H
#define KTRACE_FRAME_H

#include <stdbool.h>
#include <stddef.h>

/* Replace allocated bytes by a frame of them.  False: no memory; they are unchanged. */
bool frame_pack(char **bytes, size_t *len);
/* Are these bytes a frame? */
bool frame_is(const char *bytes, size_t len);

#endif
