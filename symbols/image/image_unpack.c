// SPDX-License-Identifier: GPL-2.0-or-later
/* image_unpack.c - uncompress files with the program for them. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbols/image/image_int.h"

extern char **environ;

static const struct packing {
	const char *program;
	uint8_t len;
	uint8_t magic[6];
} packings[] = {
	{ "xz", 6, { 0xfd, '7', 'z', 'X', 'Z', 0 } },
	{ "zstd", 4, { 0x28, 0xb5, 0x2f, 0xfd } },
	{ "gzip", 2, { 0x1f, 0x8b } },
};

static const struct packing *packing_of(int fd)
{
	uint8_t head[8];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	for (size_t i = 0; i < sizeof(packings) / sizeof(packings[0]); i++)
		if (n >= packings[i].len && !memcmp(head, packings[i].magic, packings[i].len))
			return &packings[i];
	return NULL;
}

#define LARGEST	(8ULL << 30)	/* a file that claims to hold more is a trap */

/* Run program -dc <in >out. */
static bool filter(const char *program, int in, int out)
{
	char *const argv[] = { (char *)program, "-dc", NULL };
	posix_spawn_file_actions_t files;
	int status = -1, failed;
	pid_t pid;

	if (posix_spawn_file_actions_init(&files))
		return false;
	posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	failed = posix_spawnp(&pid, program, &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (failed)
		return false;
	prlimit(pid, RLIMIT_FSIZE, &(struct rlimit){ LARGEST, LARGEST }, NULL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return !status;
}

int image_unpack(int fd, const char *path, struct debug_error *err)
{
	const struct packing *packing = packing_of(fd);
	int out;

	if (!packing)
		return fd;
	out = memfd_create("ktrace-image", MFD_CLOEXEC);
	if (out < 0 || lseek(fd, 0, SEEK_SET) || !filter(packing->program, fd, out)) {
		debug_fail(err, "%s: %s could not unpack it: is %s installed, and the file whole?",
			   path, packing->program, packing->program);
		if (out >= 0)
			close(out);
		out = -1;
	}
	close(fd);
	return out;
}
