/* SPDX-License-Identifier: GPL-2.0-or-later */
/* escape.h - text that may hold anything, as C, JSON, CSV and HTML write it. */
#ifndef KTRACE_ESCAPE_H
#define KTRACE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Text that may hold anything, between double quotes, as C and JSON write it.  What is no UTF-8 becomes
 * \xNN in C, and U+FFFD in JSON.  In CSV fields each double quote must be written twice, which is what quote is for.
 */
void escape_text(FILE *out, const uint8_t *text, size_t len, bool json, const char *quote);

/* A name as JSON has it, with its quotes; it may hold anything but NUL. */
void escape_json(FILE *out, const char *text);
/* For CSV, without the quotes around it: each double quote twice. */
void escape_doubled(FILE *out, const char *text);

/* For HTML, in text and in attributes. */
void escape_html(FILE *out, const char *text);

#endif
