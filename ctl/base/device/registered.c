// SPDX-License-Identifier: GPL-2.0-or-later
/* registered.c - see registered.h. */
#include "ctl/base/device/registered.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ctl/base/device/node.h"
#include "ctl/base/memory.h"

#define AT_ONCE	256

static int call(struct registrar *r, unsigned long request, void *arg)
{
	int rc;

	do
		rc = ioctl(r->fd, request, arg);
	while (rc < 0 && errno == EINTR);
	return rc;
}

/* ------------------------------------------------------------------ open and close */

static bool say_hello(struct registrar *r, struct error *err)
{
	struct kt_user_hello hello = { .size = sizeof(hello), .abi = KT_ABI_VERSION };

	if (call(r, KT_IOC_USER_HELLO, &hello) == 0)
		return true;
	if (errno == EPROTO && hello.abi != KT_ABI_VERSION)
		node_mismatch(&node_user, hello.abi, err);
	else
		node_fail(&node_user, err, KT_USER_CONTROL, errno);
	registrar_close(r);
	return false;
}

bool registrar_open(struct registrar *r, struct error *err)
{
	r->fd = node_open(&node_user, err);
	return r->fd >= 0 && say_hello(r, err);
}

bool registrar_open_loaded(struct registrar *r)
{
	r->fd = open(KT_USER_CONTROL, O_RDWR | O_CLOEXEC);
	return r->fd >= 0 && say_hello(r, NULL);
}

void registrar_close(struct registrar *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}

/* ------------------------------------------------------------------ calls */

bool registered_list(struct registrar *r, struct registered *out, struct error *err)
{
	struct kt_user_list req = { .size = sizeof(req) };

	*out = (struct registered){ 0 };
	do {
		out->v = mem_grow(out->v, out->n + AT_ONCE, sizeof(*out->v));
		req.entries = (uintptr_t)(out->v + out->n);
		req.nr = AT_ONCE;
		req.after = out->n ? out->v[out->n - 1].id : 0;
		if (call(r, KT_IOC_USER_LIST, &req)) {
			free(out->v);
			*out = (struct registered){ 0 };
			return node_fail(&node_user, err, "processes with libktrace cannot be listed", errno);
		}
		out->n += req.nr;
	} while (req.nr);
	out->refused = req.refused;
	return true;
}

bool registered_open(struct registrar *r, uint64_t id, int *fd, struct error *err)
{
	struct kt_user_open req = { .size = sizeof(req), .id = id };

	*fd = -1;
	if (call(r, KT_IOC_USER_OPEN, &req))
		return errno == ENOENT || node_fail(&node_user, err, "the events of a process cannot be read", errno);
	*fd = req.fd;
	return true;
}

static enum switched ask(struct registrar *r, struct kt_user_switch req, struct error *err)
{
	req.size = sizeof(req);
	if (!call(r, KT_IOC_USER_SWITCH, &req))
		return SWITCH_DONE;
	if (errno == ENOENT)
		return SWITCH_GONE;
	if (errno == EBUSY)
		return SWITCH_BUSY;
	node_fail(&node_user, err, "the events of a process cannot be switched", errno);
	return SWITCH_FAILED;
}

enum switched registered_switch(struct registrar *r, uint64_t id, const uint32_t *ids, size_t n, struct error *err)
{
	return ask(r, (struct kt_user_switch){ .id = id, .nr = n, .ids = (uintptr_t)ids }, err);
}

enum switched registered_release(struct registrar *r, uint64_t id, struct error *err)
{
	return ask(r, (struct kt_user_switch){ .id = id, .flags = KT_USER_RELEASE }, err);
}
