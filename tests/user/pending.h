/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pending.h - the last stores of each simulated CPU into the rings.  They are in memory, but a reader on another CPU need not
 * see them yet, nor in this order: see machine_store().
 */
#ifndef KTRACE_PENDING_H
#define KTRACE_PENDING_H

#include <stdbool.h>
#include <stdint.h>

void pending_store(uint32_t cpu, void *to, uint64_t value, unsigned int bytes, bool release);
void pending_next_group(uint32_t cpu);
/* Everybody has seen all. */
void pending_forget(void);

/* Make memory what another CPU may see, at random; it sees again what it has seen before.  Then undo that. */
void pending_hide(void);
void pending_show(void);

#endif
