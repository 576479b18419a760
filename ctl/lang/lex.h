/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lex.h - from text to words.
 *
 * Words are parted by blanks, commands by `;` or the end of a line.  '...'
 * and "..." hold a word together, a backslash takes the next character as it
 * is (not within '...').  A # at the start of a word begins a comment; within
 * a word it is part of it (`f#2`).  A command that begins with ! is two words:
 * `!` and the rest of its line as it stands.
 */
#ifndef KTRACE_LEX_H
#define KTRACE_LEX_H

#include <stdbool.h>
#include <stddef.h>

#include "ctl/base/error.h"

struct words {
	char **v;
	size_t n;
};

enum lex_result { LEX_END, LEX_COMMAND, LEX_ERROR };

/*
 * The next command of *text, which moves on behind it; empty commands are
 * passed over.  On LEX_COMMAND out is the caller's, to be given to words_free().
 */
enum lex_result lex_command(const char **text, struct words *out, struct error *err);

void words_add(struct words *words, const char *text, size_t len);
/* Takes over what more holds, and empties it. */
void words_move(struct words *words, struct words *more);
void words_free(struct words *words);

#define AUTO_WORDS __attribute__((cleanup(words_free)))

#endif
