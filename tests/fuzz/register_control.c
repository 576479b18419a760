// SPDX-License-Identifier: GPL-2.0-or-later
/* register_control.c - controllers beside hostile processes: they list, open and switch what those register. See register.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/ktrace_abi.h"
#include "register.h"

#define NR_FDS	3
#define LISTED	64

struct controller {
	struct rng rng;
	int fds[NR_FDS];
	struct kt_user_entry entries[LISTED];
	uint32_t nr;
};

static int open_device(void)
{
	struct kt_user_hello hello = { .size = sizeof(hello), .abi = KT_ABI_VERSION };
	const int fd = open(KT_USER_CONTROL, O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, KT_IOC_USER_HELLO, &hello) < 0)
		wrong("%s: %s", KT_USER_CONTROL, strerror(errno));
	return fd;
}

static bool is_one_of(int no, const int *some)
{
	for (; *some >= 0; some++)
		if (*some == no)
			return true;
	return false;
}

/* A process may end at any time, and its registration is in the list until then: so no list may exceed a quota. */
static void check_quotas(const struct controller *c)
{
	uint32_t processes[USERS] = { 0 }, sites[USERS] = { 0 };

	for (uint32_t i = 0; i < c->nr; i++) {
		const struct kt_user_entry *entry = &c->entries[i];
		const uint32_t user = entry->uid - FIRST_USER;

		if (i && entry->id <= c->entries[i - 1].id)
			wrong("registration %llu is listed behind %llu", entry->id, c->entries[i - 1].id);
		if (user >= USERS) {
			wrong("a registration of user %u", entry->uid);
			continue;
		}
		processes[user]++;
		sites[user] += entry->nr_sites;
	}
	for (uint32_t user = 0; user < USERS; user++)
		if (processes[user] > shared->quotas.processes || sites[user] > shared->quotas.sites)
			wrong("user %u has %u processes and %u tracepoints registered", FIRST_USER + user, processes[user], sites[user]);
}

static void list(struct controller *c, int fd)
{
	struct kt_user_list req = { .size = sizeof(req), .nr = LISTED, .entries = (uintptr_t)c->entries };

	c->nr = 0;
	if (ioctl(fd, KT_IOC_USER_LIST, &req) < 0) {
		wrong("KT_IOC_USER_LIST: %s", strerror(errno));
		return;
	}
	c->nr = req.nr;
	check_quotas(c);
	atomic_fetch_add(&shared->listed, req.nr);
}

static void list_oddly(struct controller *c, int fd)
{
	static const int errors[] = { 0, EFAULT, EINVAL, ENOMEM, -1 };
	struct kt_user_list req = {
		.size = one_in(&c->rng, 4) ? odd_number(&c->rng) : sizeof(req), .nr = one_in(&c->rng, 3) ? 0 : roll(&c->rng, LISTED),
		.entries = one_in(&c->rng, 2) ? odd_number(&c->rng) : (uintptr_t)c->entries, .after = odd_number(&c->rng),
	};
	const int no = ioctl(fd, KT_IOC_USER_LIST, &req) < 0 ? errno : 0;

	c->nr = 0;
	if (!is_one_of(no, errors))
		wrong("KT_IOC_USER_LIST: %s", strerror(no));
}

static uint64_t some_id(struct controller *c)
{
	return c->nr && !one_in(&c->rng, 10) ? c->entries[roll(&c->rng, c->nr)].id : odd_number(&c->rng);
}

static void open_memory(struct controller *c, int fd)
{
	struct kt_user_open req = { .size = sizeof(req), .id = some_id(c) };
	struct stat at;

	if (ioctl(fd, KT_IOC_USER_OPEN, &req) < 0) {
		if (errno != ENOENT)
			wrong("KT_IOC_USER_OPEN: %s", strerror(errno));
		return;
	}
	/* What must be refused: any other file, of which the module would call. */
	if (fstat(req.fd, &at) < 0 || !S_ISREG(at.st_mode) || at.st_nlink != 0)
		wrong("the memory of a registration is no file of memfd_create(): mode %o, %lu links", at.st_mode, (unsigned long)at.st_nlink);
	close(req.fd);
	atomic_fetch_add(&shared->opened, 1);
}

static void switch_some(struct controller *c, int fd)
{
	static const int errors[] = { 0, ENOENT, EBUSY, EINVAL, ENOMEM, EFAULT, EOPNOTSUPP, -1 };
	static uint32_t ids[300];
	struct kt_user_switch req = {
		.size = sizeof(req), .nr = one_in(&c->rng, 4) ? 0 : roll(&c->rng, 300), .id = some_id(c), .ids = (uintptr_t)ids,
		.flags = one_in(&c->rng, 6) ? roll(&c->rng, 3) : 0, .reserved = one_in(&c->rng, 50),
	};
	int no;

	for (size_t i = 0; i < 300; i++)
		ids[i] = roll(&c->rng, one_in(&c->rng, 300) ? 1 << 17 : 300);
	if (one_in(&c->rng, 30))
		req.ids = odd_number(&c->rng);
	if (one_in(&c->rng, 50))
		req.nr = odd_number(&c->rng);
	no = ioctl(fd, KT_IOC_USER_SWITCH, &req) < 0 ? errno : 0;
	if (!is_one_of(no, errors))
		wrong("KT_IOC_USER_SWITCH: %s", strerror(no));
	atomic_fetch_add(&shared->switched, !no);
}

void be_controller(struct rng rng)
{
	static struct controller c;
	int *fd;

	c.rng = rng;
	for (fd = c.fds; fd < c.fds + NR_FDS; fd++)
		*fd = open_device();
	while (!shared->ended) {
		fd = &c.fds[roll(&c.rng, NR_FDS)];
		switch (roll(&c.rng, 16)) {
		case 0: list_oddly(&c, *fd); break;
		case 1: open_memory(&c, *fd); break;
		case 2:
			if (!one_in(&c.rng, 8))
				break;
			close(*fd);
			*fd = open_device();
			break;
		case 3: case 4: case 5: list(&c, *fd); break;
		case 6: usleep(roll(&c.rng, 1000)); break;
		default: switch_some(&c, *fd);
		}
	}
}
