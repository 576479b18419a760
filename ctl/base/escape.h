/* SPDX-License-Identifier: GPL-2.0-or-later */
/* escape.h - escape arbitrary text for C, JSON, CSV and HTML. */
#ifndef KTRACE_ESCAPE_H
#define KTRACE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes of the UTF-8 character at the start of the text, of len bytes, at least 1; 0: it is not valid UTF-8. */
size_t escape_utf8_length(const uint8_t *text, size_t len);

/*
 * Print arbitrary text between double quotes, escaped for JSON or C.  A byte that is not valid UTF-8 becomes
 * \xNN in C and U+FFFD in JSON.  quote is the string for a double quote: a CSV field needs two of them.  If it is empty,
 * there are none around the text, which is all of a CSV field.
 */
void escape_text(FILE *out, const uint8_t *text, size_t len, bool json, const char *quote);

/* A JSON string with its quotes, from any C string. */
void escape_json(FILE *out, const char *text);
/* Text for a CSV field, without the quotes around it: each double quote is doubled. */
void escape_doubled(FILE *out, const char *text);

/* Text for HTML, also for attributes. */
void escape_html(FILE *out, const char *text);

#endif
