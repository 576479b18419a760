/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window.h - the memory that the code under test may write: two pages of data and one page of stack. The image
 * is its content before an execution.
 */
#ifndef FIDELITY_WINDOW_H
#define FIDELITY_WINDOW_H

#include "rng.h"

#define WINDOW_BYTES	(3 * 4096)
#define WINDOW_STACK	(2 * 4096)

/* Create the memory for machine_init(); -1 on failure. */
int window_create(void);

/* Fill it with new random data. */
void window_fill(u64 seed, u64 number);

/* Is a linear address in the window, and at which offset? */
bool window_offset(u64 linear, size_t n, u32 *offset);

/* Change the image, until window_unpatch(). */
void window_patch(u32 offset, const void *bytes, size_t n);
/* Copy the present memory to the image there, until window_unpatch(). */
void window_adopt(u32 offset, size_t n);
void window_unpatch(void);
const u8 *window_image(void);

/* Make the memory equal to the image again. */
void window_restore(void);

/* copy[WINDOW_BYTES] gets the present memory. Returns false, without a copy, if nothing has changed. */
bool window_changes(u8 *copy);

#endif
