/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.h - the whole terminal as a screen that is drawn again and again, and its keys.
 *
 * The screen is the terminal's alternate one: what was there before comes back when the screen closes.  It also comes
 * back when a signal stops or ends the program.  SIGINT and SIGTERM are those of interrupt.h.
 */
#ifndef KTRACE_SCREEN_H
#define KTRACE_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* Are standard input and output a terminal that has such a screen? */
bool screen_is_possible(void);
void screen_open(void);
/* Without an open screen it does nothing. */
void screen_close(void);

/* Lines and columns of the terminal now. */
void screen_size(size_t *rows, size_t *columns);
size_t screen_columns(void);
/* Replace the contents.  What is too long for a line or for the screen is cut. */
void screen_draw(const char *text);

/* Sleep until a key was pressed, fd is readable (-1: none), a signal arrived, or ms are over.  Is fd readable? */
bool screen_wait(int fd, int ms);
/* The next key that was pressed, or '\0'.  Without a terminal any more: 'q'. */
char screen_key(void);
/* Must the screen be drawn again, because its size has changed or the program was stopped meanwhile? */
bool screen_changed(void);

#endif
