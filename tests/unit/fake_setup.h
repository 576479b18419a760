/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_setup.h - for tests that need no more than a fake kernel: setup() makes it, teardown() frees it. */
#ifndef FAKE_SETUP_H
#define FAKE_SETUP_H

#include "fake_kernel.h"

static struct fake_kernel *fake;

static int setup(void **state)
{
	fake = fake_create();
	return 0;
}

static int teardown(void **state)
{
	fake_free(fake);
	return 0;
}

#endif
