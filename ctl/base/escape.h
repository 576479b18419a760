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

/* How many bytes at the begin of a text are ASCII and no control characters. */
size_t escape_plain_length(const char *text, size_t len);

/* How many of them need no escape between the double quotes of a string in C and JSON. */
size_t escape_quotable_length(const char *text, size_t len);

/* Does the text stand unchanged between the double quotes of a string in C and JSON?  Then it needs no escape there. */
bool escape_is_quotable(const char *text, size_t len);

/*
 * Print arbitrary text between double quotes, escaped for JSON or C.  A byte that is not valid UTF-8 becomes
 * \xNN in C and U+FFFD in JSON.  quote is the string for a double quote: a CSV field needs two of them.  If it is empty,
 * there are none around the text, which is all of a CSV field.
 */
void escape_text(FILE *out, const uint8_t *text, size_t len, bool json, const char *quote);

/* May a terminal obey the character, or show what follows it elsewhere than it stands? */
bool escape_is_harmful(uint32_t c);
/* Print the first character of a text of len bytes, at least 1, for a terminal; \n and \t stay.  Returns its bytes. */
size_t escape_put_harmless(FILE *out, const uint8_t *text, size_t len);

/*
 * Print a name, which may have any bytes, on one line of text: what is harmful and what is not UTF-8 becomes an escape
 * of C, a backslash stays.  Doing it twice changes nothing.
 */
void escape_line(FILE *out, const char *text);
/* The same for printf().  The result may be the text itself, and holds for 15 more calls by this thread.  NULL stays. */
const char *escape_shown(const char *text);

/* A JSON string with its quotes, from any C string. */
void escape_json(FILE *out, const char *text);
/*
 * Text for a CSV field, without the quotes around it: each double quote is doubled, other bytes are as on a line.  A
 * spreadsheet takes what begins with = + - or @ for a formula: such a text, unless it is a number, and one that begins
 * with ' get a ' before them.
 */
void escape_csv(FILE *out, const char *text);
#define ESCAPE_FORMULA	"=+-@'"	/* a text that gets a ' begins with one of these */
bool escape_is_formula(const char *text);	/* does escape_csv() put a ' before it? */
/* The same behind the begin of the field. */
void escape_csv_part(FILE *out, const char *text);

/* Text for HTML, also for attributes. */
void escape_html(FILE *out, const char *text);

#endif
