/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt.h - Ctrl-C: stops what runs, not the program.
 *
 * While caught, SIGINT and SIGTERM set a flag; interrupt_output() is a stream
 * to standard output that drops everything from that moment on, so that a
 * long print ends at once.
 */
#ifndef KTRACE_INTERRUPT_H
#define KTRACE_INTERRUPT_H

#include <stdbool.h>
#include <stdio.h>

void interrupt_catch(void);	/* may be nested */
void interrupt_release(void);
bool interrupt_pending(void);
bool interrupt_by_ctrl_c(void);	/* SIGINT, as opposed to SIGTERM */
void interrupt_clear(void);

/* Hold signals back, so that none comes between a check and a sleep. */
void interrupt_hold(void);
void interrupt_let(void);
/* Sleep; while held, signals end it. */
void interrupt_nap(int ms);
/* Sleep until fd is readable; false when a signal came instead. */
bool interrupt_wait(int fd);

/*
 * Read a line from fd; its first character, '\0' where its end (Ctrl-D) or a signal came first.  It is read byte by
 * byte, since what is typed behind the line is for the next command.
 */
char interrupt_read_answer(int fd);

/*
 * What is typed while a command runs is not shown amidst its output: the next line has it.  The
 * terminal's own ^C might come behind what the command says of it.
 */
void interrupt_hide_keys(void);
bool interrupt_show_keys(void);	/* were they hidden? */

FILE *interrupt_output(void);

#endif
