/* SPDX-License-Identifier: MIT */
/*
 * threads.c - tasks that share their parent's memory, and its thread-local storage.
 *
 * The kernel restarts none of their sequences, so they must not write into the rings of CPUs; nor can they be told from
 * their parent, so what is switched off for them is off for it as well.
 */
#include <errno.h>
#include <sched.h>
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

/* The C library's name for clone(2). */
int __clone(int (*fn)(void *), void *stack, int flags, void *arg, ...);

/*
 * A task that shares the memory and has no thread-local storage of its own has that of this thread.  If this thread waits
 * until it ends, it is off for that time, else for ever.
 */
__attribute__((visibility("default")))
int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
	const int shares = (flags & CLONE_VM) && !(flags & CLONE_SETTLS);
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
	result = __clone(fn, stack, flags, arg, parent, tls, child);
	if (shares && (result < 0 || flags & CLONE_VFORK))
		ktrace_self.off--;
	return result;
}
