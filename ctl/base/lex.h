/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lex.h - split text into words.
 *
 * Blanks separate words; `;` or the end of a line separates commands.  '...' and "..." hold a word together.  A
 * backslash quotes the next character, except within '...'.  A # at the start of a word begins a comment;
 * within a word it is part of the word (`f#2`).  Behind == != =~ and !~, "..." is a text of an expression and keeps its
 * quotes and backslashes.  A command that begins with ! is two words: `!` and the rest of
 * its line, unchanged.  Behind !| as a word of its own, the rest of the line is a shell command.
 */
#ifndef KTRACE_LEX_H
#define KTRACE_LEX_H

#include <stdbool.h>
#include <stddef.h>

#include "ctl/base/error.h"

struct words {
	char **v;
	size_t n;
	char *pipe;		/* the shell command behind !|, which takes the output; NULL: none */
};

enum lex_result { LEX_END, LEX_COMMAND, LEX_ERROR };

/*
 * Read the next command and move *text behind it; empty commands are skipped.  On LEX_COMMAND the caller frees
 * out with words_free().
 */
enum lex_result lex_command(const char **text, struct words *out, struct error *err);

void words_add(struct words *words, const char *text, size_t len);
/* Move all words of `more` to `words`. */
void words_move(struct words *words, struct words *more);
void words_free(struct words *words);

#define AUTO_WORDS __attribute__((cleanup(words_free)))

#endif
