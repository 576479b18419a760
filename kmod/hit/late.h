/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * late.h - read again, when a system call has returned, what a hit in it could not read.
 *
 * A hit cannot bring in a page, so a text in a page that the program has not touched yet is unreadable at the begin of a system
 * call: a constant in a file that is mapped, for instance.  During the call the kernel reads the text itself, and brings in the
 * page.  Therefore the hit remembers the address, and asks the kernel to call ktrace before the task returns to its program
 * (task_work_add()).  The text is then a record of its own (struct kt_late_record).
 *
 * A text that is still unreadable then has no such record; nor has one of a program that the call has replaced (execve), or of a
 * hit while LATE_MOST others wait.
 */
#ifndef KTRACE_LATE_H
#define KTRACE_LATE_H

/* No tracepoint is set any more.  Sleepable: it takes back what still waits for tasks, and waits for what is being read. */
void kt_late_exit(void);

#endif
