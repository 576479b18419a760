// SPDX-License-Identifier: GPL-2.0-only
/* register_dev.c - see register_dev.h. */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "kmod/user/register_dev.h"
#include "kmod/user/registrar.h"

union argument {
	u32 size;
	struct kt_user_register offer;
	struct kt_user_sites sites;
	struct kt_user_forget forget;
};

static int do_register(const union argument *arg)
{
	return kt_registrar_register(&arg->offer);
}

static int do_sites(const union argument *arg)
{
	return kt_registrar_sites(&arg->sites);
}

static int do_forget(const union argument *arg)
{
	return kt_registrar_forget(&arg->forget);
}

static const struct call {
	unsigned int cmd;
	u32 size;
	int (*call)(const union argument *arg);
} calls[] = {
	{ KT_USER_IOC_REGISTER,	sizeof(struct kt_user_register),	do_register },
	{ KT_USER_IOC_SITES,	sizeof(struct kt_user_sites),		do_sites },
	{ KT_USER_IOC_FORGET,	sizeof(struct kt_user_forget),		do_forget },
};

static int do_call(const struct call *call, const void __user *from)
{
	union argument arg;

	if (copy_from_user(&arg, from, sizeof(arg.size)))
		return -EFAULT;
	if (arg.size != call->size)
		return -EINVAL;
	if (copy_from_user(&arg, from, call->size))
		return -EFAULT;
	if (arg.size != call->size)
		return -EINVAL;		/* user space changed it meanwhile */
	return call->call(&arg);
}

static long dev_ioctl(struct file *file, unsigned int cmd, unsigned long user)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].cmd == cmd)
			return do_call(&calls[i], (const void __user *)user);
	return -ENOTTY;
}

static int dev_open(struct inode *inode, struct file *file)
{
	return nonseekable_open(inode, file);
}

static const struct file_operations dev_fops = {
	.owner = THIS_MODULE,
	.open = dev_open,
	.unlocked_ioctl = dev_ioctl,
};

static struct miscdevice dev = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "ktrace-user",
	.fops = &dev_fops,
	.mode = 0660,
};

int kt_register_dev_init(void)
{
	return misc_register(&dev);
}

void kt_register_dev_exit(void)
{
	misc_deregister(&dev);
}
