/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of option_rows for the options that count hits instead of recording them; option.c includes them. */

{ "COUNT", ARG_NONE, NULL, "count the hits, and record nothing",
  "In the kernel, for each value of the keys behind BY; without BY all together.\n"
  "'print' shows the table, 'follow' each second, and 'clear' empties it.",
  "trace vfs_write COUNT BY COMM", aggregate_encode_kind, KT_AGG_COUNT, NOT_MEASURED },
{ "SUM", ARG_EXPRESSION, "EXPRESSION", "count the hits and add up a value",
  "As COUNT.  The sum is exact: it has 128 bits.  ELAPSED is the time of a call.",
  "trace vfs_write SUM count BY COMM", aggregate_encode_kind, KT_AGG_SUM, NOT_MEASURED },
{ "AVG", ARG_EXPRESSION, "EXPRESSION", "count the hits and average a value",
  "As SUM, shown with the average.",
  "trace vfs_write AVG count BY COMM", aggregate_encode_kind, KT_AGG_AVG, NOT_MEASURED },
{ "MIN", ARG_EXPRESSION, "EXPRESSION", "count the hits, keep the smallest value",
  NULL,
  "trace vfs_write MIN count BY COMM", aggregate_encode_kind, KT_AGG_MIN, NOT_MEASURED },
{ "MAX", ARG_EXPRESSION, "EXPRESSION", "count the hits, keep the largest value",
  NULL,
  "trace vfs_write%return MAX ELAPSED BY COMM", aggregate_encode_kind, KT_AGG_MAX, NOT_MEASURED },
{ "HIST", ARG_EXPRESSION, "EXPRESSION", "count the hits by powers of two of a value",
  "A histogram for each key: negative values, 0, 1, 2 and 3, 4 to 7, and so on.",
  "trace vfs_read%return HIST RETVAL BY COMM IF RETVAL > 0", aggregate_encode_kind, KT_AGG_HIST, NOT_MEASURED },
{ "LHIST", ARG_RANGE, "EXPRESSION LOW HIGH STEP", "count the hits by ranges of a value",
  "A histogram for each key, from LOW to HIGH with a row for each STEP, and one\n"
  "row for the values below and one for those from HIGH on.  At most 1000 rows.",
  "trace vfs_write LHIST count 0 1000 100", aggregate_encode_kind, KT_AGG_LHIST, NOT_MEASURED },
{ "BY", ARG_KEYS, "KEY[, KEY]...", "the keys of COUNT, SUM, AVG, MIN, MAX, HIST, LHIST",
  "At most four: expressions, STR EXPRESSION, or properties such as COMM, PID and\n"
  "CPU, BACKTRACE [DEPTH] and USTACK [DEPTH].  At a pattern (vfs_*) the function\n"
  "is the first key.",
  "trace vfs_write COUNT BY COMM, BACKTRACE 3", aggregate_encode_by, 0, NOT_MEASURED },
{ "KEYS", ARG_COUNT, "COUNT", "make room for COUNT different keys",
  "Default: 4096, for histograms 512.  Hits whose key finds no room are counted,\n"
  "and shown as lost.",
  "trace vfs_write COUNT BY PID KEYS 20000", aggregate_encode_keys, 0, NOT_MEASURED },
