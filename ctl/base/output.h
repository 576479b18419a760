/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.h - properties that records, reports and the answers of commands share. */
#ifndef KTRACE_OUTPUT_H
#define KTRACE_OUTPUT_H

#define OUTPUT_VERSION	3	/* version of the JSON and CSV schemas; bump rule in docs/output.md */

/* OpenMetrics: only commands that say so in their row (command.h) are run with it. */
enum print_format { PRINT_TEXT, PRINT_JSON, PRINT_CSV, PRINT_METRICS };

#endif
