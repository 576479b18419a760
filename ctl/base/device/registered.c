// SPDX-License-Identifier: GPL-2.0-or-later
/* registered.c - see registered.h. */
#include "ctl/base/device/registered.h"

#include <errno.h>
#include <stdlib.h>

#include "ctl/base/memory.h"

#define AT_ONCE	256

bool registered_list(struct device *dev, struct registered *out, struct error *err)
{
	struct kt_user_list req = { .size = sizeof(req) };

	*out = (struct registered){ 0 };
	do {
		out->v = mem_grow(out->v, out->n + AT_ONCE, sizeof(*out->v));
		req.entries = (uintptr_t)(out->v + out->n);
		req.nr = AT_ONCE;
		req.after = out->n ? out->v[out->n - 1].id : 0;
		if (device_call(dev, KT_IOC_USER_LIST, &req)) {
			free(out->v);
			*out = (struct registered){ 0 };
			return device_fail(err, "processes with libktrace cannot be listed", errno);
		}
		out->n += req.nr;
	} while (req.nr);
	out->refused = req.refused;
	return true;
}

bool registered_open(struct device *dev, uint64_t id, int *fd, struct error *err)
{
	struct kt_user_open req = { .size = sizeof(req), .id = id };

	*fd = -1;
	if (device_call(dev, KT_IOC_USER_OPEN, &req))
		return errno == ENOENT || device_fail(err, "the events of a process cannot be read", errno);
	*fd = req.fd;
	return true;
}

static enum switched ask(struct device *dev, struct kt_user_switch req, struct error *err)
{
	req.size = sizeof(req);
	if (!device_call(dev, KT_IOC_USER_SWITCH, &req))
		return SWITCH_DONE;
	if (errno == ENOENT)
		return SWITCH_GONE;
	if (errno == EBUSY)
		return SWITCH_BUSY;
	device_fail(err, "the events of a process cannot be switched", errno);
	return SWITCH_FAILED;
}

enum switched registered_switch(struct device *dev, uint64_t id, const uint32_t *ids, size_t n, struct error *err)
{
	return ask(dev, (struct kt_user_switch){ .id = id, .nr = n, .ids = (uintptr_t)ids }, err);
}

enum switched registered_release(struct device *dev, uint64_t id, struct error *err)
{
	return ask(dev, (struct kt_user_switch){ .id = id, .flags = KT_USER_RELEASE }, err);
}
