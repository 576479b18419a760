/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's command: it runs on pipes or on its own terminal. */
#ifndef LAB_COMMAND_H
#define LAB_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

struct command {
	char **argv;
	pid_t pid;
	int in;		/* its standard input; -1: no input */
	int out;	/* its standard output; -1: the end was reached */
	int err;
	bool tty;
};

/* Read argv from a file; a NUL follows each word. */
int command_read(struct command *command, const char *path);

/* Start it. With a terminal, in and out are the master side, and err is -1. */
int command_start(struct command *command, bool tty, bool with_input);

/* Set the size of its terminal. */
void command_resize(struct command *command, unsigned int rows, unsigned int columns);

/* End its input. */
void command_end_input(struct command *command);

#endif
