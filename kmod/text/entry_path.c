// SPDX-License-Identifier: GPL-2.0-only
/*
 * entry_path.c - see entry_path.h.  The kernel calls regfunc() of a static tracepoint before it switches the static
 * tracepoint on, with tracepoints_mutex held (kernel/tracepoint.c, tracepoint_add_func()).  An error from regfunc()
 * keeps it off.  The static tracepoints of the entry path have no regfunc() of their own, so ktrace sets one.
 */
#include <linux/errno.h>
#include <linux/tracepoint.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/text/event.h"
#include "kmod/base/quiesce.h"
#include "kmod/text/entry_path.h"
#include "kmod/compat/compat.h"

#define MOST	4

static struct tracepoint *kept[MOST];
static unsigned int nr_kept;

static int keep_off(void)
{
	return -EBUSY;
}

static void nothing(void *data, void *arg)
{
}

bool kt_entry_path_has(const struct tracepoint *tp)
{
	unsigned int i;

	for (i = 0; i < nr_kept; i++)
		if (kept[i] == tp)
			return true;
	return false;
}

/*
 * Set the guard, then register a probe to find out whether it was in time.  -EBUSY from keep_off(): tp is off and stays
 * off.  Success: the kernel did not call keep_off(), because tp is on already.
 */
static int keep(struct tracepoint *tp)
{
	int err;

	if (nr_kept == MOST || !kt_tracepoint_guard(tp, keep_off))
		return -EBUSY;
	kept[nr_kept++] = tp;
	err = tracepoint_probe_register(tp, nothing, NULL);
	if (err == -EBUSY)
		return 0;
	if (err)
		return err;
	tracepoint_probe_unregister(tp, nothing, NULL);
	tracepoint_synchronize_unregister();
	return -EBUSY;
}

int kt_entry_path_init(void)
{
	const char *const *name;
	struct tracepoint *tp;
	int err = 0;

	for (name = kt_arch.entry_path; *name && !err; name++) {
		tp = kt_event_named(*name);
		if (tp)
			err = keep(tp);
		if (err == -EBUSY)
			pr_err("the static tracepoint %s is on, and every breakpoint would run who listens to it: switch it off first\n",
			       *name);
	}
	if (err)
		kt_entry_path_exit();
	return err;
}

void kt_entry_path_exit(void)
{
	if (!nr_kept)
		return;
	while (nr_kept)
		kt_tracepoint_unguard(kept[--nr_kept]);
	kt_quiesce();
}
