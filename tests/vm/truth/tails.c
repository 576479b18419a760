// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that end by a tail call: a jump into another function, which returns to their caller. The compiler
 * makes a tail call of each `return f(...)` here. See truth.h.
 */
#include <linux/compiler.h>
#include <linux/completion.h>
#include <linux/kernel.h>
#include <linux/kthread.h>

#include "truth.h"

#ifndef HAVE_KTHREAD_COMPLETE_AND_EXIT
#define kthread_complete_and_exit(done, code)	complete_and_exit(done, code)
#endif

TRUTH long ktruth_tail(long n)
{
	return ktruth_run(n);
}

TRUTH long ktruth_tail_chain(long n)
{
	return ktruth_tail(n);
}

static long (*called)(long n) = ktruth_tail;

TRUTH long ktruth_tail_pointer(long n)
{
	return READ_ONCE(called)(n);
}

/* Ends by a jump if n is odd, by a return if n is even. */
TRUTH long ktruth_tail_maybe(long n)
{
	if (n & 1)
		return ktruth_run(n);
	return n;
}

/* A tail call into the kernel's text. */
TRUTH long ktruth_tail_kernel(long n)
{
	return int_sqrt(n);
}

TRUTH long ktruth_tail_pong(long n);

/* Two functions jump to each other n times: all these calls have the stack of the first. */
TRUTH long ktruth_tail_ping(long n)
{
	if (n < 2)
		return n;
	return ktruth_tail_pong(n - 1);
}

TRUTH long ktruth_tail_pong(long n)
{
	return ktruth_tail_ping(n - 1);
}

static DECLARE_COMPLETION(gone);

TRUTH long ktruth_tail_gone(long n);

/* If n is odd, the thread ends here: the call never returns. */
TRUTH long ktruth_tail_gone(long n)
{
	if (n & 1)
		kthread_complete_and_exit(&gone, 0);
	return ktruth_run(n);
}

static int go(void *data)
{
	ktruth_tail_gone((long)data);
	complete(&gone);
	return 0;
}

long ktruth_in_thread(long n)
{
	struct task_struct *thread;

	reinit_completion(&gone);
	thread = kthread_run(go, (void *)n, "ktruth-tail");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	wait_for_completion(&gone);
	return 0;
}
