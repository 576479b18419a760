/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt.h - Ctrl-C stops the running command, not the program.
 *
 * While SIGINT and SIGTERM are caught, they only set a flag.  interrupt_output() is a stream to standard output
 * that drops everything once the flag is set, so that a long print ends at once.
 */
#ifndef KTRACE_INTERRUPT_H
#define KTRACE_INTERRUPT_H

#include <stdbool.h>
#include <stdio.h>

void interrupt_catch(void);	/* calls may nest */
void interrupt_release(void);
bool interrupt_pending(void);
bool interrupt_by_ctrl_c(void);	/* the signal is SIGINT, not SIGTERM */
void interrupt_clear(void);

/*
 * The work at the end of a command must not end at once, because the signal that ended the command is still pending.
 * interrupt_begin_anew() forgets it, and catches the next one; its result goes to interrupt_go_back().
 */
int interrupt_begin_anew(void);
void interrupt_go_back(int before);

/* Block the signals, so that none arrives between a check and a sleep. */
void interrupt_hold(void);
void interrupt_let(void);
/* Sleep for ms milliseconds; a signal ends the sleep, also one that is held. */
void interrupt_nap(int ms);
/* Sleep until fd is readable.  False: a signal came first. */
bool interrupt_wait(int fd);

/*
 * Read a line from fd and return its first character; '\0': the end of input (Ctrl-D) or a signal came first.
 * It reads byte by byte, because input behind the line belongs to the next command.
 */
char interrupt_read_answer(int fd);

/*
 * Do not echo keys while a command runs: they would appear in its output, and ^C of the terminal might appear
 * behind the command's message.  The next input line gets the keys.
 */
void interrupt_hide_keys(void);
bool interrupt_show_keys(void);	/* true: they were hidden */

FILE *interrupt_output(void);

#endif
