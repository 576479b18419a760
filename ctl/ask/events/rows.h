/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows.h - the rows of all architectures; the one after the last has name NULL. */
#ifndef KTRACE_ROWS_H
#define KTRACE_ROWS_H

#include "arch/event_row.h"

extern const struct event_row event_rows[];
/* The row after the last. */
extern const struct event_row *const event_rows_end;

#endif
