/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window.h - the memory that the code under test may write: two pages of
 * data, one of stack. What it holds before an execution is the image.
 */
#ifndef FIDELITY_WINDOW_H
#define FIDELITY_WINDOW_H

#include "rng.h"

#define WINDOW_BYTES	(3 * 4096)
#define WINDOW_STACK	(2 * 4096)

/* The memory to give to machine_init(), -1 on failure. */
int window_create(void);

/* New random contents. */
void window_fill(u64 seed, u64 number);

/* Where a linear address lies in the window. */
bool window_offset(u64 linear, size_t n, u32 *offset);

/* Change the image, until window_unpatch(). */
void window_patch(u32 offset, const void *bytes, size_t n);
/* What is in the memory there now becomes part of the image, as long. */
void window_adopt(u32 offset, size_t n);
void window_unpatch(void);
const u8 *window_image(void);

/* Make the memory equal to the image again. */
void window_restore(void);

/* copy[WINDOW_BYTES] gets what is there now; false, and no copy, when nothing was changed. */
bool window_changes(u8 *copy);

#endif
