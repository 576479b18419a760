// SPDX-License-Identifier: GPL-2.0-or-later
/* memory.c - actions of mixload: mappings, shared memory and faults. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mixload.h"

bool do_mmap(void)
{
	size_t pages = 1 + roll(64), i;
	char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool ok = p != MAP_FAILED;

	for (i = 0; ok && i < pages; i++)
		p[i * PAGE] = i;
	for (i = 0; ok && i < pages; i++)
		ok = p[i * PAGE] == (char)i;
	ok = ok && madvise(p, PAGE, MADV_DONTNEED) == 0 && p[0] == 0 && mprotect(p, pages * PAGE, PROT_READ) == 0;
	p = ok ? mremap(p, pages * PAGE, 2 * pages * PAGE, MREMAP_MAYMOVE) : p;
	return ok && p != MAP_FAILED && munmap(p, 2 * pages * PAGE) == 0;
}

bool do_fault(void)
{
	volatile char *nothing = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child = fork();
	int status;

	if (child == 0) {
		*nothing = 1;
		_exit(0);
	}
	munmap((void *)nothing, PAGE);
	return waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

bool do_bad_pointer(void)
{
	return syscall(SYS_read, -1, NULL, 1) < 0 && errno == EBADF &&
	       syscall(SYS_uname, (void *)8) < 0 && errno == EFAULT;
}

bool do_shm(void)
{
	int id = shmget(IPC_PRIVATE, PAGE, 0600);
	char *p = shmat(id, NULL, 0);
	bool ok = p != (void *)-1;

	shmctl(id, IPC_RMID, NULL);
	if (ok)
		p[0] = 1;
	return ok && shmdt(p) == 0;
}

bool do_memfd(void)
{
	int fd = memfd_create("mixload", MFD_ALLOW_SEALING);
	size_t n = message(PAGE);
	bool ok = fd >= 0 && pwrite(fd, out, n, 3) == (ssize_t)n && came_back(pread(fd, in, n, 3), n) &&
		  fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) == 0 && pwrite(fd, out, n, 3) < 0;

	close(fd);
	return ok;
}
