// SPDX-License-Identifier: GPL-2.0-or-later
/* bad.c - calls that must fail, and walks from places that the module never named. */
#include <sys/mman.h>

#include "statedev.h"

/* A call with these arguments, which must fail so (0: succeed). */
static void expect(const char *what, struct kt_state part, int no)
{
	const struct kt_state was = part;
	const int got = ioctl(device, KT_IOC_STATE, &part) < 0 ? errno : 0;

	if (got != no)
		die("%s: %s instead of %s", what, strerrorname_np(got), strerrorname_np(no));
	if (no && (part.len || part.nr || part.done || memcmp(part.cursor, was.cursor, sizeof(part.cursor))))
		die("%s: the call failed, and has changed its arguments", what);
}

/* Cursors that the module never returned: any entries are right, but the walk must end. */
static void odd_cursors(const struct kt_state *good)
{
	static const uint64_t odd[] = {
		0, 1, 2, 63, 64, 0x7fffffff, 0x80000000, 0xffffffff, 1ULL << 32, 1ULL << 47, ~1ULL, ~0ULL,
	};
	enum { NR = sizeof(odd) / sizeof(odd[0]) };

	for (unsigned int i = 0; i < KT_NR_STATES * NR * NR; i++) {
		struct kt_state part = *good;

		part.kind = i % KT_NR_STATES;
		part.cursor[0] = odd[i / KT_NR_STATES % NR];
		part.cursor[1] = part.cursor[2] = i % 3;
		part.cursor[3] = odd[i / KT_NR_STATES / NR];
		for (unsigned int calls = 0; !part.done; calls++) {
			must(device, KT_IOC_STATE, &part, "KT_IOC_STATE with an odd cursor");
			if (calls == 10000)
				die("a walk from an odd cursor does not end");
		}
	}
}

int do_bad(void)
{
	enum { SIZE = sizeof(struct kt_state), ROOM = KT_MIN_STATE_ROOM };
	const uint64_t to = (uintptr_t)buf,
		       locked = (uintptr_t)mmap(NULL, ROOM, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct {
		const char *what;
		struct kt_state part;
		int no;
	} calls[] = {
		{ "a good call", { .size = SIZE, .buf = to, .room = ROOM }, 0 },
		{ "more room than is used", { .size = SIZE, .buf = to, .room = ~0U }, 0 },
		{ "a wrong size", { .size = SIZE - 1, .buf = to, .room = ROOM }, EINVAL },
		{ "an unknown kind", { .size = SIZE, .kind = KT_NR_STATES, .buf = to, .room = ROOM }, EOPNOTSUPP },
		{ "an unknown kind", { .size = SIZE, .kind = ~0U, .buf = to, .room = ROOM }, EOPNOTSUPP },
		{ "an unknown flag", { .size = SIZE, .flags = 1, .buf = to, .room = ROOM }, EOPNOTSUPP },
		{ "a reserved field", { .size = SIZE, .reserved = 1, .buf = to, .room = ROOM }, EINVAL },
		{ "little room", { .size = SIZE, .buf = to, .room = ROOM - 1 }, EINVAL },
		{ "no buffer", { .size = SIZE, .buf = 0, .room = ROOM }, EFAULT },
		{ "a locked buffer", { .size = SIZE, .buf = locked, .room = ROOM }, EFAULT },
		{ "a buffer of the kernel", { .size = SIZE, .buf = ~0ULL << 12, .room = ROOM }, EFAULT },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		expect(calls[i].what, calls[i].part, calls[i].no);
	odd_cursors(&calls[0].part);
	puts("bad: ok");
	return 0;
}
