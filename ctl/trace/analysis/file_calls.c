// SPDX-License-Identifier: GPL-2.0-or-later
/* file_calls.c - see file_calls.h. */
#include "ctl/trace/analysis/file_calls.h"

#include <string.h>

#include "ctl/base/memory.h"

#define NEVER		.closes = CLOSES_NEVER
#define ALWAYS		.closes = CLOSES_ALWAYS
#define FLAGS(bit_)	.closes = CLOSES_BY_FLAGS, .bit = (bit_)
#define TYPE(bit_)	.closes = CLOSES_BY_TYPE, .bit = (bit_)

#define OPEN(call, ...)		{ .name = (call), .follow = FOLLOW_OPEN, __VA_ARGS__ }
#define NEW(call, what_, ...)	{ .name = (call), .follow = FOLLOW_NEW, .what = (what_), __VA_ARGS__ }
#define DOES(call, follow_)	{ .name = (call), .follow = FOLLOW_##follow_ }
#define MOVES(call, moves_)	{ .name = (call), .moves = MOVES_##moves_ }

static const struct call_kind kinds[] = {
	OPEN("open", FLAGS(CLOEXEC)), OPEN("openat", FLAGS(CLOEXEC)), OPEN("openat2", FLAGS(CLOEXEC)),
	OPEN("creat", NEVER), OPEN("open_tree", FLAGS(CLOEXEC)), OPEN("mq_open", ALWAYS),
	OPEN("memfd_create", FLAGS(1)),
	NEW("memfd_secret", "secret memory", FLAGS(CLOEXEC)),
	NEW("open_by_handle_at", "file opened by handle", FLAGS(CLOEXEC)),
	NEW("socket", "socket", TYPE(CLOEXEC)), NEW("accept", "socket", NEVER), NEW("accept4", "socket", FLAGS(CLOEXEC)),
	NEW("eventfd", "eventfd", NEVER), NEW("eventfd2", "eventfd", FLAGS(CLOEXEC)),
	NEW("epoll_create", "epoll", NEVER), NEW("epoll_create1", "epoll", FLAGS(CLOEXEC)),
	NEW("timerfd_create", "timerfd", FLAGS(CLOEXEC)),
	NEW("inotify_init", "inotify", NEVER), NEW("inotify_init1", "inotify", FLAGS(CLOEXEC)),
	NEW("fanotify_init", "fanotify", FLAGS(1)),
	NEW("userfaultfd", "userfaultfd", FLAGS(CLOEXEC)),
	NEW("pidfd_open", "pidfd", ALWAYS), NEW("pidfd_getfd", "file of another process", ALWAYS),
	NEW("io_uring_setup", "io_uring", ALWAYS), NEW("landlock_create_ruleset", "landlock", ALWAYS),
	NEW("perf_event_open", "perf event", FLAGS(8)),
	NEW("fsopen", "mount", FLAGS(1)), NEW("fspick", "mount", FLAGS(1)), NEW("fsmount", "mount", FLAGS(1)),
	{ .name = "signalfd", .follow = FOLLOW_AGAIN, .what = "signalfd", NEVER },
	{ .name = "signalfd4", .follow = FOLLOW_AGAIN, .what = "signalfd", FLAGS(CLOEXEC) },
	{ .name = "pipe", .follow = FOLLOW_CHANNEL, .what = "pipe", NEVER },
	{ .name = "pipe2", .follow = FOLLOW_CHANNEL, .what = "pipe", FLAGS(CLOEXEC) },
	{ .name = "socketpair", .follow = FOLLOW_CHANNEL, .what = "socket pair", TYPE(CLOEXEC) },
	DOES("dup", DUP), DOES("dup2", DUP2), { .name = "dup3", .follow = FOLLOW_DUP2, FLAGS(CLOEXEC) },
	DOES("fcntl", FCNTL), DOES("ioctl", IOCTL), DOES("close", CLOSE), DOES("close_range", RANGE),
	DOES("unshare", UNSHARE), DOES("execve", EXEC), DOES("execveat", EXEC),
	MOVES("read", IN), MOVES("pread64", IN), MOVES("readv", IN), MOVES("preadv", IN), MOVES("preadv2", IN),
	MOVES("recvfrom", IN), MOVES("recvmsg", IN), MOVES("getdents64", IN),
	MOVES("write", OUT), MOVES("pwrite64", OUT), MOVES("writev", OUT), MOVES("pwritev", OUT),
	MOVES("pwritev2", OUT), MOVES("sendto", OUT), MOVES("sendmsg", OUT),
};

const struct call_kind *file_call_kind(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}
