/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * match.h - a condition on the fields of a record, for `print IF`.
 *
 * pid == 4127 && count > 4096		a field by its name as printed, and a number
 * comm == dd, name =~ "vfs_*"		a text, an enumerator or a symbol; =~ and !~ compare with a pattern of the shell
 * elapsed >= 1.5ms			a time
 * file->f_flags & 0x800, !count	are any of these bits set; is it 0, or empty
 *
 * || && ! and brackets join comparisons.  Every record has `name`, that of the tracepoint, and `cpu`; of a
 * recording with the events of the scheduler, also `pid`, `tid` and `comm` of the task that ran.  A field of the record itself
 * comes first.  A comparison with a value that the record lacks, or that was unreadable, is false.
 */
#ifndef KTRACE_MATCH_H
#define KTRACE_MATCH_H

#include <stdbool.h>

#include "ctl/base/error.h"

struct match;
struct printer;
struct record;

/* NULL: err is set.  The caller frees it. */
struct match *match_parse(const char *text, struct error *err);
void match_free(struct match *match);

/* Does it hold for this record?  The printer has the symbols and the clock. */
bool match_holds(struct match *match, struct printer *printer, const struct record *record);

/* A name that none of the records tested so far had; NULL: none, or no record was tested. */
const char *match_unknown(const struct match *match);
/* False: none of the records tested so far had such a name, or the name has numbers and was compared with a text.  Sets err. */
bool match_check(const struct match *match, struct error *err);

#endif
