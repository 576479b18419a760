/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kmsg.h - the kernel log, read as it grows. */
#ifndef SWEEP_KMSG_H
#define SWEEP_KMSG_H

/* From here on what the log says counts. */
void kmsg_begin(void);

/* Ends the program when the log tells of a kernel in trouble. */
void kmsg_check(void);

#endif
