/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command that a guest was booted for: started on pipes or on a terminal of its own. */
#ifndef LAB_COMMAND_H
#define LAB_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

struct command {
	char **argv;
	pid_t pid;
	int in;		/* what is written here it reads, -1: nothing */
	int out;	/* what it writes comes here, -1: all has come */
	int err;
	bool tty;
};

/* Read argv, NUL after each, from a file. */
int command_read(struct command *command, const char *path);

/* Start it. With a terminal, in and out are its master side, and err is -1. */
int command_start(struct command *command, bool tty, bool with_input);

/* Tell its terminal the size. */
void command_resize(struct command *command, unsigned int rows, unsigned int columns);

/* End its input. */
void command_end_input(struct command *command);

#endif
