/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frames.h - the frames of a backtrace that tell something: its addresses are return addresses, the nearest caller first. */
#ifndef KTRACE_FRAMES_H
#define KTRACE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/symtab/symbols.h"

/* The first address in this function, or in a part of it that the compiler moved away.  0: there is none. */
uint64_t frames_of(const struct symtab *tab, const uint64_t *addrs, size_t n, const struct sym *function);
/* The first address outside the functions by which threads sleep and are woken: what sleeps, or wakes.  0: there is none. */
uint64_t frames_telling(const struct symtab *tab, const uint64_t *addrs, size_t n);
/* Is it in an interrupt, or in work that follows one? */
bool frames_interrupt(const struct symtab *tab, const uint64_t *addrs, size_t n);

#endif
