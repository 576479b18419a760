/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recordings.h - recordings: clients with rings of their own (struct kt_rings), each with a name.
 *
 * A recording stands by itself: its tracepoints record into its rings only, and its mode, its seen positions and its
 * recording state are not those of the other clients.  It ends when its client closes the device.
 */
#ifndef KTRACE_RECORDINGS_H
#define KTRACE_RECORDINGS_H

#include "core/ktrace_abi.h"

struct kt_client;
struct kt_rings;

/* KT_IOC_RINGS.  -EOPNOTSUPP, -EINVAL, -EEXIST, -EBUSY, -ENOMEM.  Sleepable. */
int kt_recording_create(struct kt_client *client, const struct kt_rings_req *arg);

/* The client closes the device and no tracepoint of it is set any more: its recording, if any, ends.  Sleepable. */
void kt_recording_end(struct kt_client *client);

/* The rings of a client: its own, or those that all others share.  Any context. */
struct kt_rings *kt_client_rings(const struct kt_client *client);

/* Has somebody asked for the end of this client's recording (KT_IOC_STOP)?  Any context. */
bool kt_recording_stopped(const struct kt_client *client);

/* KT_IOC_RECORDINGS.  -EFAULT, -ENOMEM.  Sleepable. */
int kt_recordings_list(struct kt_recordings *arg);

/* KT_IOC_STOP: ask the client of a recording to end it.  The caller wakes it.  -EOPNOTSUPP, -ENOENT.  Sleepable. */
int kt_recording_stop(const struct kt_stop *arg);

#endif
