// SPDX-License-Identifier: GPL-2.0-or-later
/* files.c - actions of mixload: files, directories, mounts and /proc. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "mixload.h"

static char file_name[64];

static int scratch(int flags)
{
	snprintf(file_name, sizeof(file_name), "mixload.%d", getpid());
	return open(file_name, O_RDWR | O_CREAT | flags, 0600);
}

/* Keep errno: it tells the first error. */
static void drop(int fd)
{
	int error = errno;

	close(fd);
	errno = error;
}

bool do_file(void)
{
	int fd = scratch(O_TRUNC);
	size_t n = message(sizeof(out));
	off_t at = roll(65536);
	bool ok = fd >= 0 && pwrite(fd, out, n, at) == (ssize_t)n && (roll(4) || fdatasync(fd) == 0) &&
		  came_back(pread(fd, in, n, at), n);

	drop(fd);
	return ok;
}

bool do_mapped_file(void)
{
	int fd = scratch(O_TRUNC);
	char *p;
	bool ok;

	if (fd < 0 || ftruncate(fd, 4 * PAGE))
		return false;
	p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ok = p != MAP_FAILED;
	if (ok)
		memset(p, 7, 3 * PAGE);
	ok = ok && msync(p, 4 * PAGE, MS_SYNC) == 0 && pread(fd, in, 2, 3 * PAGE - 1) == 2 && in[0] == 7 && in[1] == 0;
	munmap(p, 4 * PAGE);
	close(fd);
	return ok;
}

bool do_rename(void)
{
	char other[80];
	int fd = scratch(0);

	close(fd);
	snprintf(other, sizeof(other), "%s.new", file_name);
	return fd >= 0 && rename(file_name, other) == 0 && symlink(other, file_name) == 0 &&
	       readlink(file_name, in, sizeof(in)) > 0 && unlink(file_name) == 0 && unlink(other) == 0;
}

bool do_directory(void)
{
	char dir[64];

	snprintf(dir, sizeof(dir), "mixload.dir.%d", getpid());
	return mkdir(dir, 0700) == 0 && access(dir, X_OK) == 0 && chmod(dir, 0755) == 0 && rmdir(dir) == 0;
}

bool do_sendfile(void)
{
	int fd = scratch(O_TRUNC), ends[2];
	size_t n = message(PAGE);
	bool ok = fd >= 0 && pipe(ends) == 0 && pwrite(fd, out, n, 0) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0 &&
		  splice(fd, NULL, ends[1], NULL, n, 0) == (ssize_t)n;

	close(fd);
	ok = ok && came_back(read(ends[0], in, n), n);
	close(ends[0]);
	close(ends[1]);
	return ok;
}

bool do_locks(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_len = 10 };
	int fd = scratch(0);
	bool ok = fd >= 0 && fcntl(fd, F_SETLK, &lock) == 0 && flock(fd, LOCK_EX) == 0 &&
		  fcntl(fd, F_OFD_GETLK, &(struct flock){ .l_type = F_WRLCK }) == 0;

	close(fd);
	return ok;
}

bool do_inotify(void)
{
	int fd = inotify_init1(0), file;
	bool ok = fd >= 0 && inotify_add_watch(fd, ".", IN_CREATE | IN_CLOSE | IN_OPEN) >= 0;

	file = scratch(0);
	ok = ok && file >= 0 && read(fd, in, sizeof(in)) > 0;
	close(file);
	close(fd);
	return ok;
}

bool do_xattr(void)
{
	int fd = scratch(0);
	bool ok = fd >= 0 && (fsetxattr(fd, "user.mixload", "x", 1, 0) == 0 ? fgetxattr(fd, "user.mixload", in, 8) == 1
									   : errno == EOPNOTSUPP);

	close(fd);
	return ok;
}

bool do_read_some(void)
{
	static const char *const files[] = {
		"/proc/self/maps", "/proc/self/status", "/proc/meminfo", "/proc/vmstat", "/proc/interrupts", "/proc/stat",
		"/proc/self/stat", "/proc/net/tcp", "/proc/net/dev", "/proc/mounts", "/proc/self/smaps_rollup",
		"/proc/schedstat", "/proc/timer_list", "/proc/modules", "/proc/slabinfo", "/proc/zoneinfo", "/proc/locks",
		"/sys/devices/system/cpu/online", "/sys/kernel/mm/transparent_hugepage/enabled", "/proc/sys/kernel/osrelease",
	};
	int fd = open(files[roll(sizeof(files) / sizeof(files[0]))], O_RDONLY);
	bool ok;

	if (fd < 0)
		return errno == ENOENT || errno == EACCES;
	do
		ok = read(fd, in, sizeof(in)) >= 0;
	while (ok && roll(4));
	close(fd);
	return ok;
}

bool do_mount(void)
{
	char dir[64];
	bool ok;

	snprintf(dir, sizeof(dir), "/tmp/mixload.mnt.%d", getpid());
	if (mkdir(dir, 0700) && errno != EEXIST)
		return false;
	if (mount("none", dir, "tmpfs", 0, "size=64k") < 0)
		return errno == EPERM;
	ok = statfs(dir, &(struct statfs){ 0 }) == 0;
	return umount2(dir, MNT_DETACH) == 0 && ok;
}

void remove_scratch(void)
{
	unlink(file_name);
}
