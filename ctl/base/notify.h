/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notify.h - tell the service manager, as sd_notify(3) does, without its library. */
#ifndef KTRACE_NOTIFY_H
#define KTRACE_NOTIFY_H

/*
 * The service is ready: send READY=1 to the socket that NOTIFY_SOCKET names.  Without that variable, or if nobody
 * listens, nothing happens.
 */
void notify_ready(void);

#endif
