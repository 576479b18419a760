/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registered.h - processes that have registered with the module ktrace_user: the calls of /dev/ktrace-user-control
 * (core/abi_user.h).  They need nothing of /dev/ktrace.
 */
#ifndef KTRACE_REGISTERED_H
#define KTRACE_REGISTERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ktrace_abi.h"
#include "ctl/base/error.h"

struct registrar {
	int fd;
};

/* Open the node, load its module if needed, and say hello.  STATUS_NO_ACCESS, as for device_open(). */
bool registrar_open(struct registrar *r, struct error *err);
/* The same if the module is loaded.  Where it is not, no process is registered: there is no message. */
bool registrar_open_loaded(struct registrar *r);
void registrar_close(struct registrar *r);

struct registered {
	struct kt_user_entry *v;	/* by rising id */
	size_t n;
	uint64_t refused;		/* by quotas, since the module was loaded */
};

/* The caller frees out->v.  All functions set err when they return false. */
bool registered_list(struct registrar *r, struct registered *out, struct error *err);
/* A descriptor of its memory.  *fd is -1, and the result true, if there is no such registration any more. */
bool registered_open(struct registrar *r, uint64_t id, int *fd, struct error *err);

enum switched { SWITCH_DONE, SWITCH_GONE, SWITCH_BUSY, SWITCH_FAILED };

/*
 * Switch tracepoints on: ids[n]; all others are off.  SWITCH_GONE: there is no such registration any more; SWITCH_BUSY:
 * another open file has switched it; err is set for the last one only.
 */
enum switched registered_switch(struct registrar *r, uint64_t id, const uint32_t *ids, size_t n, struct error *err);
/* All are off, and others may switch it.  If the process has ended, its memory cannot be opened any more. */
enum switched registered_release(struct registrar *r, uint64_t id, struct error *err);

#endif
