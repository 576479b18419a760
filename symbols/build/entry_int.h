/* SPDX-License-Identifier: GPL-2.0-or-later */
/* entry_int.h - internals of entry.h: read the attributes of entries. */
#ifndef KTRACE_ENTRY_INT_H
#define KTRACE_ENTRY_INT_H

#include "symbols/build/entry.h"

/* Prepare to read the entries of a unit.  False: its abbreviations are damaged. */
bool unit_read(const struct dwarf *dwarf, const struct unit_head *head, struct dwarf_unit *out);
/*
 * Read an entry and go on behind its attributes.  False: the row of siblings ends here, or, if the cursor is bad, the entry
 * is damaged.
 */
bool entry_read(const struct dwarf *dwarf, const struct dwarf_unit *unit, struct cursor *c, struct entry *out);
/* Does the index use entries with this tag? */
bool entry_is_used(uint16_t tag);

#endif
