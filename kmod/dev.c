// SPDX-License-Identifier: GPL-2.0-only
/* dev.c - /dev/ktrace: open, ioctl, mmap, poll.  The contract is ktrace_abi.h. */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/base/clock.h"
#include "kmod/base/ksym.h"
#include "kmod/dev.h"
#include "kmod/hit/calibrate.h"
#include "kmod/hit/recording.h"
#include "kmod/hit/wake.h"
#include "kmod/measure/aggregate.h"
#include "kmod/measure/client.h"
#include "kmod/measure/measurement.h"
#include "kmod/records/buffer.h"
#include "kmod/records/desc.h"
#include "kmod/records/own_desc.h"
#include "kmod/records/recordings.h"
#include "kmod/state/state.h"
#include "kmod/table/brake.h"
#include "kmod/table/table.h"
#include "kmod/table/text.h"
#include "kmod/table/window.h"
#include "kmod/text/change.h"
#include "kmod/text/slot.h"

/* One open file of a controller. */
struct controller {
	bool greeted;		/* KT_IOC_HELLO has succeeded */
	bool may_read;		/* the kernel was not locked down when this file first traced or read */
	struct kt_client client;
	u64 wait_total;		/* poll: readable when there are more records than this, */
	u32 wait_packets;	/* and a CPU has so many complete packets unread */
	u64 brakes;		/* poll: readable once after kt_brake_events() has moved from this */
};

static int dev_open(struct inode *inode, struct file *file)
{
	struct controller *ctl;
	int err;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	ctl = kzalloc(sizeof(*ctl), GFP_KERNEL);
	if (!ctl)
		return -ENOMEM;
	err = kt_client_init(&ctl->client);
	if (err) {
		kfree(ctl);
		return err;
	}
	file->private_data = ctl;
	return nonseekable_open(inode, file);
}

static int dev_release(struct inode *inode, struct file *file)
{
	struct controller *ctl = file->private_data;

	kt_table_client_gone(&ctl->client);
	kt_recording_end(&ctl->client);
	kt_client_release(&ctl->client);
	kfree(ctl);
	return 0;
}

/* --------------------------------------------------------------- lockdown */

/*
 * What a locked down kernel (confidentiality) still allows.  Kprobes ask each time one is registered; what is registered
 * stays.  Tracefs asks when a file is opened; who has it open goes on reading.  So do these: what shows no memory and
 * patches nothing new, such as KT_IOC_DELETE, is always allowed.
 */
enum asks {
	ASKS_NOTHING,
	ASKS_TO_TRACE,		/* it sets tracepoints, or prepares for that: as kprobes */
	ASKS_TO_READ,		/* it reads what was recorded: as tracefs */
	ASKS_FOR_MEMORY,	/* it reads the kernel's memory at an address: as /proc/kcore */
};

static int may(struct controller *ctl, enum asks asks)
{
	static const enum lockdown_reason reasons[] = {
		[ASKS_NOTHING] = LOCKDOWN_NONE, [ASKS_TO_TRACE] = LOCKDOWN_KPROBES,
		[ASKS_TO_READ] = LOCKDOWN_TRACEFS, [ASKS_FOR_MEMORY] = LOCKDOWN_KCORE,
	};
	int err;

	if (asks == ASKS_NOTHING || (asks == ASKS_TO_READ && READ_ONCE(ctl->may_read)))
		return 0;
	err = security_locked_down(reasons[asks]);
	if (!err && asks != ASKS_FOR_MEMORY)
		WRITE_ONCE(ctl->may_read, true);
	return err;
}

/* ------------------------------------------------------------- the ioctls */

static int do_hello(struct controller *ctl, void *p)
{
	struct kt_hello *arg = p;
	bool match = arg->abi == KT_ABI_VERSION && arg->format == KT_TRACE_FORMAT;

	if (!match)
		pr_info_ratelimited("refused a controller of control ABI %u, trace format %u: this module has %u and %u\n",
				    arg->abi, arg->format, KT_ABI_VERSION, KT_TRACE_FORMAT);
	arg->abi = KT_ABI_VERSION;
	arg->format = KT_TRACE_FORMAT;
	if (!match)
		return -EPROTO;
	if (arg->flags)
		return -EOPNOTSUPP;
	arg->features = 0;
	kt_buffer_describe(kt_client_rings(&ctl->client), arg);
	if (static_key_enabled(&kt_clock_raw))
		arg->features |= KT_FEATURE_TSC;
	arg->arch = kt_arch.elf_machine;
	arg->max_sites = KT_MAX_SITES;
	arg->text_start = kt_ksym_find("_stext");
	arg->text_end = kt_ksym_find("_etext");
	strscpy(arg->version, KT_VERSION, sizeof(arg->version));
	ctl->greeted = true;
	return 0;
}

static int do_trace(struct controller *ctl, void *p)
{
	const struct kt_trace *arg = p;

	/* What outlives the file cannot record into its rings. */
	if (ctl->client.recording && !(arg->flags & (KT_TRACE_OWNED | KT_TRACE_DRYRUN)))
		return -EINVAL;
	return kt_table_trace(p, &ctl->client);
}

static int do_delete(struct controller *ctl, void *p)
{
	return kt_table_delete(p, &ctl->client);
}

static int do_list(struct controller *ctl, void *p)
{
	return kt_table_list(p);
}

static int do_desc(struct controller *ctl, void *p)
{
	return kt_desc_get(p);
}

static int do_code(struct controller *ctl, void *p)
{
	return kt_table_code(p);
}

static int do_recording(struct controller *ctl, void *p)
{
	const int err = kt_recording_control(kt_client_rings(&ctl->client), p, kt_clock_now());

	/* Hits have interrupts off, so this waits until all that may have read the old state have ended. */
	if (!err)
		synchronize_rcu();
	return err;
}

static int copy_cpus(struct kt_rings *rings, struct kt_status *arg, u32 room)
{
	struct kt_cpu_status __user *to = u64_to_user_ptr(arg->cpus);
	struct kt_cpu_status status;
	unsigned int cpu;

	for (cpu = 0; cpu < min_t(u32, room, nr_cpu_ids); cpu++) {
		memset(&status, 0, sizeof(status));
		if (cpu_possible(cpu))
			kt_buffer_status(rings, cpu, &status);
		if (copy_to_user(&to[cpu], &status, sizeof(status)))
			return -EFAULT;
		arg->nr_cpus++;
	}
	return 0;
}

static int do_status(struct controller *ctl, void *p)
{
	struct kt_status *arg = p;
	struct kt_rings *rings = kt_client_rings(&ctl->client);
	s64 state = atomic64_read(&rings->recording);
	u32 room = arg->nr_cpus;

	kt_desc_collect();
	arg->nr_sites = kt_table_count();
	arg->nr_descs = kt_desc_count();
	arg->nr_slots = kt_slots_used() - kt_arch.own_slots();
	arg->max_slots = kt_slots_max();
	arg->nr_areas = kt_areas();
	arg->max_areas = kt_areas_max();
	arg->frozen = state < 0;
	arg->late = state > 0 ? state : 0;
	arg->desc_gen = kt_desc_generation();
	arg->stray = kt_arch.stray();
	kt_change_progress(&arg->change_done, &arg->change_of);
	arg->nr_cpus = 0;
	arg->late_id = kt_own_desc_id(KT_OWN_DESC_LATE);
	arg->frozen_by = state < 0 ? READ_ONCE(rings->frozen_by) : 0;
	arg->frozen_at = state < 0 ? READ_ONCE(rings->frozen_at) : 0;
	kt_brake_status(arg);
	kt_window_status(arg);
	return arg->cpus ? copy_cpus(rings, arg, room) : 0;
}

static int do_seen(struct controller *ctl, void *p)
{
	return kt_buffer_seen(kt_client_rings(&ctl->client), p);
}

static int do_text(struct controller *ctl, void *p)
{
	return kt_text_get(p);
}

static int do_clock(struct controller *ctl, void *p)
{
	return kt_clock_describe(p);
}

static int do_wait(struct controller *ctl, void *p)
{
	struct kt_wait *arg = p;

	ctl->wait_total = arg->total;
	ctl->wait_packets = arg->packets;
	WRITE_ONCE(ctl->brakes, kt_brake_events());
	return 0;
}

static int do_buffer(struct controller *ctl, void *p)
{
	return kt_buffer_change(kt_client_rings(&ctl->client), p);
}

static int do_process_tree(struct controller *ctl, void *p)
{
	return kt_client_process_tree(&ctl->client, p);
}

static int do_tasks(struct controller *ctl, void *p)
{
	return kt_client_tasks(&ctl->client, p);
}

static int do_own(struct controller *ctl, void *p)
{
	return kt_client_own(&ctl->client, p);
}

static int do_measure(struct controller *ctl, void *p)
{
	return kt_measurement_create(p, &ctl->client);
}

static int do_measure_run(struct controller *ctl, void *p)
{
	return kt_measurement_run(p, &ctl->client);
}

static int do_tally(struct controller *ctl, void *p)
{
	return kt_measurement_tally(p, &ctl->client);
}

static int do_calibrate(struct controller *ctl, void *p)
{
	return kt_calibrate(p, &ctl->client);
}

static int do_rings(struct controller *ctl, void *p)
{
	return kt_recording_create(&ctl->client, p);
}

static int do_recordings(struct controller *ctl, void *p)
{
	return kt_recordings_list(p);
}

static int do_stop(struct controller *ctl, void *p)
{
	const int err = kt_recording_stop(p);

	if (!err)
		kt_wake_all();
	return err;
}

static int do_state(struct controller *ctl, void *p)
{
	return kt_state_get(p);
}

static int do_file(struct controller *ctl, void *p)
{
	return kt_client_file(&ctl->client, p);
}

static int do_aggregate(struct controller *ctl, void *p)
{
	return kt_aggregate_create(p, &ctl->client);
}

static int do_aggregate_release(struct controller *ctl, void *p)
{
	return kt_aggregate_release(p, &ctl->client);
}

static int do_aggregate_get(struct controller *ctl, void *p)
{
	return kt_aggregate_read(p);
}

union any_arg {
	u32 size;
	struct kt_hello hello;
	struct kt_trace trace;
	struct kt_delete delete;
	struct kt_list list;
	struct kt_desc_get desc;
	struct kt_code_get code;
	struct kt_recording state;
	struct kt_status status;
	struct kt_seen seen;
	struct kt_text text;
	struct kt_clock clock;
	struct kt_wait wait;
	struct kt_buffer buffer;
	struct kt_process_tree_add tree;
	struct kt_tasks tasks;
	struct kt_own_req own;
	struct kt_measure measure;
	struct kt_measure_run measure_run;
	struct kt_tally tally;
	struct kt_calibrate calibrate;
	struct kt_rings_req rings;
	struct kt_recordings recordings;
	struct kt_stop stop;
	struct kt_state parts;
	struct kt_file file;
	struct kt_aggregate_req aggregate;
	struct kt_aggregate_release aggregate_release;
	struct kt_aggregate_get aggregate_get;
};

/* The size of an argument.  The build fails if union any_arg is too small for it. */
#define ARG_SIZE(type)	(sizeof(type) + BUILD_BUG_ON_ZERO(sizeof(type) > sizeof(union any_arg)))

static const struct call {
	unsigned int cmd;
	u32 size;
	int (*call)(struct controller *ctl, void *arg);
	enum asks asks;
} calls[] = {
	{ KT_IOC_HELLO,		ARG_SIZE(struct kt_hello),	do_hello },
	{ KT_IOC_TRACE,		ARG_SIZE(struct kt_trace),	do_trace, ASKS_TO_TRACE },
	{ KT_IOC_DELETE,	ARG_SIZE(struct kt_delete),	do_delete },
	{ KT_IOC_LIST,		ARG_SIZE(struct kt_list),	do_list },
	{ KT_IOC_DESC,		ARG_SIZE(struct kt_desc_get),	do_desc },
	{ KT_IOC_CODE,		ARG_SIZE(struct kt_code_get),	do_code, ASKS_FOR_MEMORY },
	{ KT_IOC_RECORDING,	ARG_SIZE(struct kt_recording),	do_recording },
	{ KT_IOC_STATUS,	ARG_SIZE(struct kt_status),	do_status },
	{ KT_IOC_SEEN,		ARG_SIZE(struct kt_seen),	do_seen },
	{ KT_IOC_TEXT,		ARG_SIZE(struct kt_text),	do_text, ASKS_FOR_MEMORY },
	{ KT_IOC_CLOCK,		ARG_SIZE(struct kt_clock),	do_clock },
	{ KT_IOC_WAIT,		ARG_SIZE(struct kt_wait),	do_wait },
	{ KT_IOC_BUFFER,	ARG_SIZE(struct kt_buffer),	do_buffer },
	{ KT_IOC_PROCESS_TREE,	ARG_SIZE(struct kt_process_tree_add),	do_process_tree },
	{ KT_IOC_TASKS,		ARG_SIZE(struct kt_tasks),	do_tasks },
	{ KT_IOC_MEASURE,	ARG_SIZE(struct kt_measure),	do_measure, ASKS_TO_TRACE },
	{ KT_IOC_MEASURE_RUN,	ARG_SIZE(struct kt_measure_run),	do_measure_run },
	{ KT_IOC_TALLY,		ARG_SIZE(struct kt_tally),	do_tally, ASKS_TO_READ },
	{ KT_IOC_CALIBRATE,	ARG_SIZE(struct kt_calibrate),	do_calibrate, ASKS_TO_TRACE },
	{ KT_IOC_RINGS,		ARG_SIZE(struct kt_rings_req),	do_rings, ASKS_TO_TRACE },
	{ KT_IOC_RECORDINGS,	ARG_SIZE(struct kt_recordings),	do_recordings },
	{ KT_IOC_STOP,		ARG_SIZE(struct kt_stop),	do_stop },
	{ KT_IOC_STATE,		ARG_SIZE(struct kt_state),	do_state, ASKS_TO_READ },
	{ KT_IOC_FILE,		ARG_SIZE(struct kt_file),	do_file },
	{ KT_IOC_AGGREGATE,	ARG_SIZE(struct kt_aggregate_req),	do_aggregate, ASKS_TO_TRACE },
	{ KT_IOC_AGGREGATE_RELEASE,	ARG_SIZE(struct kt_aggregate_release),	do_aggregate_release },
	{ KT_IOC_AGGREGATE_GET,	ARG_SIZE(struct kt_aggregate_get),	do_aggregate_get, ASKS_TO_READ },
	{ KT_IOC_OWN,		ARG_SIZE(struct kt_own_req),	do_own },
};

static const struct call *find_call(unsigned int cmd)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].cmd == cmd)
			return &calls[i];
	return NULL;
}

/*
 * A controller of another version may pass a longer or shorter struct kt_hello.  Its first four words never change, so
 * tell the versions in them.
 */
static long hello_of_other_size(void __user *user)
{
	u32 words[4];

	if (copy_from_user(words, user, sizeof(words)))
		return -EFAULT;
	pr_info_ratelimited("refused a controller of control ABI %u, trace format %u: this module has %u and %u\n",
			    words[1], words[2], KT_ABI_VERSION, KT_TRACE_FORMAT);
	words[1] = KT_ABI_VERSION;
	words[2] = KT_TRACE_FORMAT;
	return copy_to_user(user, words, sizeof(words)) ? -EFAULT : -EPROTO;
}

static long dev_ioctl(struct file *file, unsigned int cmd, unsigned long user)
{
	const struct call *call = find_call(cmd);
	struct controller *ctl = file->private_data;
	void __user *to = (void __user *)user;
	union any_arg arg;
	int err;

	if (!call)
		return -ENOTTY;
	if (!ctl->greeted && cmd != KT_IOC_HELLO)
		return -EPROTO;
	if (get_user(arg.size, (u32 __user *)to))
		return -EFAULT;
	if (arg.size != call->size)
		return cmd == KT_IOC_HELLO ? hello_of_other_size(to) : -EINVAL;
	if (copy_from_user(&arg, to, call->size))
		return -EFAULT;
	if (arg.size != call->size)
		return -EINVAL;		/* user space changed it meanwhile */
	err = may(ctl, call->asks);
	if (err)
		return err;
	err = call->call(ctl, &arg);
	if (copy_to_user(to, &arg, call->size))
		return -EFAULT;
	return err;
}

/* ------------------------------------------------------------- mmap, poll */

static int dev_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct controller *ctl = file->private_data;
	int err;

	if (!ctl->greeted)
		return -EPROTO;
	err = may(ctl, ASKS_TO_READ);
	return err ?: kt_buffer_mmap(kt_client_rings(&ctl->client), vma);
}

static __poll_t dev_poll(struct file *file, struct poll_table_struct *wait)
{
	struct controller *ctl = file->private_data;
	struct kt_rings *rings = kt_client_rings(&ctl->client);
	const u64 brakes = kt_brake_events();
	/* Generated code of a recording wakes nobody: only the C path does, which opens packets. */
	const u32 packets = rings->wide ? max(ctl->wait_packets, 1U) : ctl->wait_packets;

	poll_wait(file, &kt_wake_queue, wait);
	/* Arm before the checks: a record that they do not see yet then wakes this reader. */
	kt_wake_arm(rings, packets);
	if (kt_recording_stopped(&ctl->client))
		return EPOLLPRI;
	if (kt_measurement_over(&ctl->client))
		return EPOLLIN | EPOLLRDNORM;
	if (xchg(&ctl->brakes, brakes) != brakes)
		return EPOLLIN | EPOLLRDNORM;
	if (kt_buffer_total(rings) <= ctl->wait_total || kt_buffer_backlog(rings) < packets)
		return 0;
	return EPOLLIN | EPOLLRDNORM;
}

static const struct file_operations dev_fops = {
	.owner = THIS_MODULE,
	.open = dev_open,
	.release = dev_release,
	.unlocked_ioctl = dev_ioctl,
	.mmap = dev_mmap,
	.poll = dev_poll,
};

static struct miscdevice dev = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "ktrace",
	.fops = &dev_fops,
	.mode = 0600,
};

int kt_dev_init(void)
{
	return misc_register(&dev);
}

void kt_dev_exit(void)
{
	misc_deregister(&dev);
}
