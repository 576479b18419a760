// SPDX-License-Identifier: GPL-2.0-only
/* main.c - load and unload ktrace_user.ko.  It uses nothing of ktrace.ko, nor that of it. */
#include <linux/module.h>

#include "kmod/base/ktrace.h"
#include "kmod/user/dev.h"
#include "kmod/user/registrar.h"
#include "kmod/user/watch.h"

static int __init ktrace_user_init(void)
{
	int err = kt_watch_init();

	if (err)
		return err;
	err = kt_user_dev_init();
	if (err)
		kt_watch_exit();
	return err;
}

/* No controller and no process has a node open. */
static void __exit ktrace_user_exit(void)
{
	kt_user_dev_exit();
	kt_registrar_exit();
	kt_watch_exit();
}

module_init(ktrace_user_init);
module_exit(ktrace_user_exit);

MODULE_DESCRIPTION("Tracepoints that programs offer (libktrace); the controller is ktrace(1)");
MODULE_AUTHOR("The ktrace developers");
MODULE_VERSION(KT_VERSION);
MODULE_LICENSE("GPL");
