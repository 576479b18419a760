// SPDX-License-Identifier: GPL-2.0-or-later
/* ioctl_user.c - tracepoints in a program that runs beside the fuzzer. See ioctl.h. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "ioctl.h"

#define PROGRAM	"/usr/local/bin/usertruth"

/* The program, other files, and numbers that are no files. */
static int32_t some_file(struct fuzzer *f)
{
	static const char *const names[] = { PROGRAM, PROGRAM, PROGRAM, "/bin/busybox", "/lab/lib.sh", "/dev/null", "/", "/proc/self/mem" };
	static int fds[sizeof(names) / sizeof(names[0])];
	const uint64_t i = roll(f, sizeof(names) / sizeof(names[0]));

	if (!fds[i])
		fds[i] = open(names[i], O_RDONLY | O_CLOEXEC);
	return one_in(f, 20) ? (int32_t)odd_number(f) : one_in(f, 20) ? f->fds[f->fd] : fds[i];
}

size_t make_file(struct fuzzer *f, uint8_t *arg)
{
	struct kt_file file = {
		.size = sizeof(file), .flags = one_in(f, 40), .fd = some_file(f), .reserved = one_in(f, 40),
	};

	memcpy(arg, &file, sizeof(file));
	return sizeof(file);
}

/* Any byte of the program: the module must not be harmed by what the program then executes. */
void make_user_site(struct fuzzer *f, struct kt_site_req *site)
{
	static int fd;
	const uint64_t offset = one_in(f, 20) ? odd_number(f) : 0x1000 + roll(f, 0x8000);

	if (!fd)
		fd = open(PROGRAM, O_RDONLY | O_CLOEXEC);
	*site = (struct kt_site_req){
		.addr = (one_in(f, 20) ? odd_number(f) : KT_FILE_BASE | (1 + roll(f, 4)) << KT_FILE_SHIFT) + offset,
		.flags = KT_SITE_USER, .insn_len = one_in(f, 20) ? roll(f, 256) : 1 + roll(f, 4), .method = one_in(f, 20),
		.process = one_in(f, 3) ? roll(f, 300) : 0,
	};
	if (pread(fd, site->insn, sizeof(site->insn), offset) < 0)
		site->insn[0] = 0x90;
}
