// SPDX-License-Identifier: GPL-2.0-only
/* fault.c - see fault.h. */
#include <linux/atomic.h>
#include <linux/sched.h>

/* No process has this id: it stands for kernel threads. */
#define WORKERS	0

static pid_t fail_for = -1;
static int again;	/* 1: the next call fails, too; 2: it has failed */
static atomic_t fail_nth, live;
static char fail_where[96] = "nowhere";

static bool concerned(void)
{
	pid_t whose = READ_ONCE(fail_for);

	return whose == WORKERS ? current->flags & PF_KTHREAD : current->tgid == whose;
}

bool kt_fault(const char *file, int line)
{
	if (!concerned())
		return false;
	if (again == 1) {
		again = 2;
		return true;
	}
	if (!atomic_read(&fail_nth) || !atomic_dec_and_test(&fail_nth))
		return false;
	snprintf(fail_where, sizeof(fail_where), "%s:%d", kbasename(file), line);
	return true;
}

void kt_fault_again(void)
{
	again = again != 2;
}

void *kt_fault_had(void *p)
{
	if (!IS_ERR_OR_NULL(p))
		atomic_inc(&live);
	return p;
}

const void *kt_fault_gone(const void *p)
{
	if (!IS_ERR_OR_NULL(p))
		atomic_dec(&live);
	return p;
}

void kt_fault_exit(void)
{
	pr_info("ktrace fault: %d allocations left\n", atomic_read(&live));
}

static int nth_set(const char *text, const struct kernel_param *param)
{
	int n, err = kstrtoint(text, 0, &n);

	if (err)
		return err;
	again = 0;
	WRITE_ONCE(fail_for, n < 0 ? WORKERS : current->tgid);
	atomic_set(&fail_nth, abs(n));
	return 0;
}

static int nth_get(char *out, const struct kernel_param *param)
{
	return sysfs_emit(out, "%d\n", atomic_read(&fail_nth));
}

static int live_get(char *out, const struct kernel_param *param)
{
	return sysfs_emit(out, "%d\n", atomic_read(&live));
}

static const struct kernel_param_ops nth_ops = { .set = nth_set, .get = nth_get };
static const struct kernel_param_ops live_ops = { .get = live_get };

module_param_cb(fail_nth, &nth_ops, NULL, 0600);
module_param_cb(live, &live_ops, NULL, 0400);
module_param_string(fail_where, fail_where, sizeof(fail_where), 0400);
