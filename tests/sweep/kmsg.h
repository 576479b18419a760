/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kmsg.h - the kernel log, read as it grows. */
#ifndef SWEEP_KMSG_H
#define SWEEP_KMSG_H

/* Check the log from here on. */
void kmsg_begin(void);

/* Read the log; end the program if the kernel is in trouble. */
void kmsg_check(void);

#endif
