/* SPDX-License-Identifier: MIT */
/*
 * threads.c - tasks that share their parent's memory, and its thread-local storage.
 *
 * The kernel restarts none of their sequences, so they must not write into the rings of CPUs; nor can they be told from
 * their parent, so what is switched off for them is off for it as well.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/types.h>

#include "internal.h"

static void off(void)
{
	ktrace_self.off++;
	/* No ring is marked as that of such a thread. */
	ktrace_self.tid = KTU_NO_TID;
}

void ktrace_vfork_begin(void)
{
	off();
}

/* In the parent, when the child has its own memory.  The result of the system call, as that of the C library. */
int ktrace_vfork_end(long result)
{
	ktrace_self.off--;
	if (result >= 0)
		return result;
	errno = -result;
	return -1;
}

/* The C library's own name for clone(2), which musl hides from programs that are linked dynamically. */
__attribute__((weak)) ktu_clone_fn __clone;
/* A weak reference does not bring it from an archive.  posix_spawn() of both libraries needs it, so this does. */
static void *const volatile brings_clone = (void *)posix_spawn;
/* In older versions of glibc, dlsym() is in another library, which the program may lack.  But these do not hide __clone(). */
#pragma weak dlsym

static ktu_clone_fn *found;

ktu_clone_fn *ktu_clone(void)
{
	(void)brings_clone;
	if (!found)
		found = __clone ? __clone : dlsym ? (ktu_clone_fn *)dlsym(RTLD_NEXT, "clone") : NULL;
	return found;
}

/* Before anybody asks in the handler of a signal. */
__attribute__((constructor)) static void find_early(void)
{
	ktu_clone();
}

static int no_clone(void)
{
	errno = ENOSYS;
	return -1;
}

/*
 * A task that shares the memory and has no thread-local storage of its own has that of this thread.  If this thread waits
 * until it ends, it is off for that time, else for ever.
 */
__attribute__((visibility("default")))
int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
	const int shares = (flags & CLONE_VM) && !(flags & CLONE_SETTLS);
	ktu_clone_fn *const next = ktu_clone();
	va_list list;
	pid_t *parent, *child;
	void *tls;
	int result;

	va_start(list, arg);
	parent = va_arg(list, pid_t *);
	tls = va_arg(list, void *);
	child = va_arg(list, pid_t *);
	va_end(list);
	if (shares)
		off();
	result = next ? next(fn, stack, flags, arg, parent, tls, child) : no_clone();
	if (shares && (result < 0 || flags & CLONE_VFORK))
		ktrace_self.off--;
	return result;
}
