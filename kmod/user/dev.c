// SPDX-License-Identifier: GPL-2.0-only
/* dev.c - see dev.h. */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "kmod/user/dev.h"
#include "kmod/user/registrar.h"

union argument {
	u32 size;
	struct kt_user_register offer;
	struct kt_user_sites sites;
	struct kt_user_forget forget;
	struct kt_user_hello hello;
	struct kt_user_list list;
	struct kt_user_open open;
	struct kt_user_switch change;
};

struct call {
	unsigned int cmd;
	u32 size;
	int (*call)(struct file *file, union argument *arg);
};

static int take(const struct call *call, union argument *arg, const void __user *from)
{
	if (copy_from_user(arg, from, sizeof(arg->size)))
		return -EFAULT;
	if (arg->size != call->size)
		return -EINVAL;
	if (copy_from_user(arg, from, call->size))
		return -EFAULT;
	return arg->size == call->size ? 0 : -EINVAL;	/* user space may have changed it meanwhile */
}

static const struct call *find(const struct call *calls, size_t n, unsigned int cmd)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (calls[i].cmd == cmd)
			return &calls[i];
	return NULL;
}

/* ------------------------------------------------------------------ processes */

static int do_register(struct file *file, union argument *arg)
{
	return kt_registrar_register(&arg->offer);
}

static int do_sites(struct file *file, union argument *arg)
{
	return kt_registrar_sites(&arg->sites);
}

static int do_forget(struct file *file, union argument *arg)
{
	return kt_registrar_forget(&arg->forget);
}

static const struct call process_calls[] = {
	{ KT_USER_IOC_REGISTER,	sizeof(struct kt_user_register),	do_register },
	{ KT_USER_IOC_SITES,	sizeof(struct kt_user_sites),		do_sites },
	{ KT_USER_IOC_FORGET,	sizeof(struct kt_user_forget),		do_forget },
};

static long process_ioctl(struct file *file, unsigned int cmd, unsigned long user)
{
	const struct call *call = find(process_calls, ARRAY_SIZE(process_calls), cmd);
	union argument arg;
	int err;

	if (!call)
		return -ENOTTY;
	err = take(call, &arg, (const void __user *)user);
	return err ?: call->call(file, &arg);
}

static int process_open(struct inode *inode, struct file *file)
{
	return nonseekable_open(inode, file);
}

static const struct file_operations process_fops = {
	.owner = THIS_MODULE,
	.open = process_open,
	.unlocked_ioctl = process_ioctl,
};

/* ------------------------------------------------------------------ controllers */

/* The handshake of an open file has succeeded. */
static bool is_greeted(const struct file *file)
{
	return file->private_data;
}

static int do_hello(struct file *file, union argument *arg)
{
	const u32 theirs = arg->hello.abi;

	arg->hello.abi = KT_ABI_VERSION;
	if (theirs != KT_ABI_VERSION) {
		pr_info_ratelimited("refused a controller of control ABI %u: this module has %u\n", theirs, KT_ABI_VERSION);
		return -EPROTO;
	}
	if (arg->hello.flags)
		return -EOPNOTSUPP;
	if (arg->hello.reserved)
		return -EINVAL;
	file->private_data = file;
	return 0;
}

static int do_list(struct file *file, union argument *arg)
{
	return kt_registrar_list(&arg->list, file);
}

static int do_open(struct file *file, union argument *arg)
{
	return kt_registrar_open(&arg->open);
}

static int do_switch(struct file *file, union argument *arg)
{
	return kt_registrar_switch(&arg->change, file);
}

static const struct call control_calls[] = {
	{ KT_IOC_USER_HELLO,	sizeof(struct kt_user_hello),	do_hello },
	{ KT_IOC_USER_LIST,	sizeof(struct kt_user_list),	do_list },
	{ KT_IOC_USER_OPEN,	sizeof(struct kt_user_open),	do_open },
	{ KT_IOC_USER_SWITCH,	sizeof(struct kt_user_switch),	do_switch },
};

static long control_ioctl(struct file *file, unsigned int cmd, unsigned long user)
{
	const struct call *call = find(control_calls, ARRAY_SIZE(control_calls), cmd);
	void __user *to = (void __user *)user;
	union argument arg;
	int err;

	if (!call)
		return -ENOTTY;
	if (!is_greeted(file) && cmd != KT_IOC_USER_HELLO)
		return -EPROTO;
	err = take(call, &arg, to);
	if (err)
		return err;
	err = call->call(file, &arg);
	return copy_to_user(to, &arg, call->size) ? -EFAULT : err;
}

static int control_open(struct inode *inode, struct file *file)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	file->private_data = NULL;
	return nonseekable_open(inode, file);
}

static int control_release(struct inode *inode, struct file *file)
{
	kt_registrar_control_closed(file);
	return 0;
}

static const struct file_operations control_fops = {
	.owner = THIS_MODULE,
	.open = control_open,
	.release = control_release,
	.unlocked_ioctl = control_ioctl,
};

/* ------------------------------------------------------------------ the nodes */

static struct miscdevice process_dev = {
	.minor = KT_USER_MINOR,
	.name = "ktrace-user",
	.fops = &process_fops,
	.mode = 0660,
};

static struct miscdevice control_dev = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "ktrace-user-control",
	.fops = &control_fops,
	.mode = 0600,
};

/* With another number the module works as well, but no longer is it loaded by the first program that opens the node. */
static int register_process_dev(void)
{
	int err = misc_register(&process_dev);

	if (err != -EBUSY)
		return err;
	pr_info("another driver has the minor number %u of misc devices\n", KT_USER_MINOR);
	process_dev.minor = MISC_DYNAMIC_MINOR;
	return misc_register(&process_dev);
}

/* The node of processes comes last: nothing can fail any more once one has registered. */
int kt_user_dev_init(void)
{
	int err = misc_register(&control_dev);

	if (err)
		return err;
	err = register_process_dev();
	if (err)
		misc_deregister(&control_dev);
	return err;
}

void kt_user_dev_exit(void)
{
	misc_deregister(&process_dev);
	misc_deregister(&control_dev);
}

/* depmod(8) makes a list of the first two for systemd, which makes the node when the machine starts; see core/abi_user.h. */
MODULE_ALIAS_MISCDEV(KT_USER_MINOR);
MODULE_ALIAS("devname:ktrace-user");
