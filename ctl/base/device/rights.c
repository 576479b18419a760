// SPDX-License-Identifier: GPL-2.0-or-later
/* rights.c - see rights.h. */
#include "ctl/base/device/rights.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <linux/capability.h>

#include "ctl/base/below.h"
#include "ctl/base/memory.h"

/* The first user namespace maps all ids to themselves. */
static bool is_inside(const char *root)
{
	AUTO_CLOSE FILE *file = file_below(root, "/proc/self/uid_map");
	unsigned long inner, outer, count;

	/* A kernel without user namespaces has no such file. */
	if (!file)
		return false;
	return fscanf(file, "%lu %lu %lu", &inner, &outer, &count) != 3 || inner || outer || count != UINT32_MAX;
}

struct rights rights_now(const char *root)
{
	AUTO_CLOSE FILE *file = file_below(root, "/proc/self/status");
	struct rights rights = { .is_inside = is_inside(root) };
	char line[256];
	unsigned int uid;

	while (file && fgets(line, sizeof(line), file))
		/* "Uid:\t1000\t0\t1000\t0": the second is the effective one.  "CapEff:\t000001ffffffffff" */
		if (sscanf(line, "Uid: %*u %u", &uid) == 1)
			rights.is_root = !uid;
		else if (sscanf(line, "CapEff: %" SCNx64, &rights.caps) == 1)
			rights.is_known = true;
	return rights;
}

bool rights_have(const struct rights *rights, unsigned int cap)
{
	return !rights->is_inside && rights->caps >> cap & 1;
}

const char *rights_refused(const struct rights *rights, int no)
{
	if (rights->is_inside)
		return "in a user namespace, even root has no power over the kernel: run ktrace as root outside it";
	if (no == EPERM && rights_have(rights, CAP_SYS_ADMIN))
		return "this container may not use the device: run ktrace outside it, or allow the device (--device /dev/ktrace)";
	if (no == EPERM && rights->is_root)
		return "CAP_SYS_ADMIN is missing, as in a container: run ktrace outside it, or give it that right (--cap-add SYS_ADMIN)";
	if (no == EPERM)
		return "CAP_SYS_ADMIN is missing: run ktrace as root (sudo ktrace)";
	return "permission denied: run ktrace as root (sudo ktrace)";
}
