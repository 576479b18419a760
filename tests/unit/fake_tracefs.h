/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_tracefs.h - a directory that has three static tracepoints, as tracefs has them. */
#ifndef FAKE_TRACEFS_H
#define FAKE_TRACEFS_H

void make_tracefs(void);
/* Add the description of a system call, with fields such as "int fd", up to NULL. */
void make_call(const char *name, ...);
void make_openat(void);
void drop_tracefs(void);
/* Run a command that must succeed. */
void shell(const char *command);

#endif
