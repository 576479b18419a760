/* SPDX-License-Identifier: GPL-2.0-or-later */
/* saving_device.h - a device for traces that a test saves: it knows the time, and the rings of reader_module.h. */
#ifndef SAVING_DEVICE_H
#define SAVING_DEVICE_H

#include "reader_module.h"

#include "arch/arch.h"
#include "ctl/base/device/device.h"

/* One tick is a nanosecond. */
static int saving_call(struct device *dev, unsigned long request, void *arg)
{
	struct kt_clock *clock = arg;

	assert_int_equal(request, KT_IOC_CLOCK);
	clock->nr = 1;
	clock->ns_num = clock->ns_den = 1;
	((struct kt_anchor *)(uintptr_t)clock->anchors)[0] =
		(struct kt_anchor){ 1000, 1000000000000000000 };
	strcpy(clock->name, "tsc");
	return 0;
}

static struct device saving_device(const struct module *module)
{
	struct device dev = { .call = saving_call, .hello = module->hello };

	dev.hello.uuid[0] = 1;
	dev.hello.arch = arch_native.elf_machine;
	strcpy(dev.hello.version, "1.2");
	return dev;
}

#endif
