/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal.h - who is at the other end of this process's terminal: a terminal emulator, sshd, sudo, a tmux server.
 *
 * A pseudo terminal has two ends: programs use /dev/pts/N, and the process that shows their output has opened /dev/ptmx.
 * /proc tells N of such an open file, as "tty-index".  If that process has a pseudo terminal itself, as sudo has, those at
 * the other end of it count as well.
 */
#ifndef KTRACE_TERMINAL_H
#define KTRACE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/ktrace_abi.h"

struct terminal_holder {
	int pid;
	char name[KT_COMM_BYTES];
};

struct terminal {
	struct terminal_holder holders[KT_MAX_OWN];
	size_t n;
	bool is_unknown;	/* there is a holder that was not found, for example outside of the container */
};

/* Without a pseudo terminal there are no holders, and nothing is unknown. */
void terminal_find(struct terminal *out);

#endif
