// SPDX-License-Identifier: GPL-2.0-or-later
/* node.c - see node.h. */
#include "ctl/base/device/node.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/ktrace_abi.h"
#include "ctl/base/device/lockdown.h"
#include "ctl/base/device/modprobe.h"
#include "ctl/base/device/rights.h"
#include "ctl/base/device/unloadable.h"
#include "ctl/base/memory.h"

const struct node node_ktrace = { KT_DEVICE, "ktrace", "the module", LACK_MODULE };
const struct node node_user = { KT_USER_CONTROL, "ktrace_user", "the module ktrace_user", LACK_USER_MODULE };

enum remedy { AS_SAID, LOAD_IT, RELOAD_IT };

/* The meaning of an errno of a module for the user.  The caller puts the operation that failed in front. */
static const struct {
	int no;
	enum exit_status status;
	enum remedy remedy;
	const char *text;
} sentences[] = {
	/* Who has opened it has the rights. */
	{ EPERM, STATUS_NO_ACCESS, AS_SAID, LOCKDOWN_SENTENCE },
	{ ENXIO, STATUS_NO_ACCESS, LOAD_IT, "its module is not loaded" },
	{ ENODEV, STATUS_NO_ACCESS, LOAD_IT, "the module is being unloaded" },
	{ ENOTTY, STATUS_NO_ACCESS, RELOAD_IT, "not a ktrace device, or a module older than this ktrace" },
	{ EPROTO, STATUS_NO_ACCESS, RELOAD_IT, "the module does not know this controller" },
	{ ENOENT, STATUS_FAILURE, AS_SAID, "a tracepoint was removed meanwhile: see 'list' and try again" },
	{ EMFILE, STATUS_FAILURE, AS_SAID, "too many open files: raise the limit (ulimit -n)" },
	{ ENOMEM, STATUS_FAILURE, AS_SAID, "the kernel is out of memory: set fewer tracepoints" },
	{ ENOSPC, STATUS_FAILURE, AS_SAID, "no room for more tracepoints: delete some first" },
	{ EOPNOTSUPP, STATUS_FAILURE, AS_SAID, "this module cannot do that: update it to the version of this ktrace" },
	{ EBUSY, STATUS_FAILURE, AS_SAID, "in use: try again" },
	{ EAGAIN, STATUS_FAILURE, AS_SAID, "the kernel keeps changing it: try again" },
	{ EINTR, STATUS_FAILURE, AS_SAID, "interrupted: try again" },
};

static void put_remedy(const struct node *node, enum remedy remedy, char *to, size_t size)
{
	*to = '\0';
	if (remedy == LOAD_IT)
		snprintf(to, size, ": load it again (sudo modprobe %s)", node->module);
	if (remedy == RELOAD_IT)
		snprintf(to, size, ": reload the module (rmmod %s; modprobe %s)", node->module, node->module);
}

bool node_fail(const struct node *node, struct error *err, const char *what, int no)
{
	char remedy[96];

	for (size_t i = 0; i < ARRAY_SIZE(sentences); i++) {
		if (sentences[i].no != no)
			continue;
		put_remedy(node, sentences[i].remedy, remedy, sizeof(remedy));
		return error_set(err, sentences[i].status, "%s: %s%s", what, sentences[i].text, remedy);
	}
	return error_set(err, STATUS_FAILURE, "%s: %s: see the kernel log (dmesg)", what,
			 strerrordesc_np(no));
}

bool node_mismatch(const struct node *node, uint32_t theirs, struct error *err)
{
	error_set(err, STATUS_NO_ACCESS, "%s has control ABI %u, this ktrace %u: reload the module (rmmod %s; modprobe %s) or update ktrace",
			 node->words, theirs, KT_ABI_VERSION, node->module, node->module);
	return error_lacks(err, node->lack);
}

/* ------------------------------------------------------------------ opening */

static bool node_is_missing(const struct node *node, struct error *err)
{
	AUTO_FREE char *loaded = mem_printf("/sys/module/%s", node->module);

	if (!access(loaded, F_OK))
		return error_set(err, STATUS_NO_ACCESS, "no %s, though %s is loaded: run ktrace outside this container, or give it the device (--device %s)",
				 node->path, node->words, node->path);
	if (geteuid())
		return error_set(err, STATUS_NO_ACCESS, "no %s: load the module as root (sudo modprobe %s) and run ktrace as root",
				 node->path, node->module);
	return error_set(err, STATUS_NO_ACCESS, "no %s and no module to load: install it ('make install') or 'insmod %s.ko'",
			 node->path, node->module);
}

/* Modprobe has said why.  Where the kernel's answer tells the cause, nobody knows it better: the error has no `lack`. */
static void not_loaded(const struct node *node, struct error *err, const char *why)
{
	AUTO_FREE char *name = mem_printf("%s.ko", node->module);
	struct unloadable reason;
	struct load_facts facts;
	struct utsname kernel;
	AUTO_FREE char *file = NULL;

	uname(&kernel);
	file = module_file_find("", kernel.release, name);
	facts = load_facts("", file, modprobe_errno(why));
	load_explain(&facts, node->module, &reason);
	if (*reason.cause) {
		error_set(err, STATUS_NO_ACCESS, "%s cannot be loaded: %s: %s", node->words, reason.cause, reason.mend);
		return;
	}
	error_set(err, STATUS_NO_ACCESS, "%s cannot be loaded: %s: see dmesg", node->words, why);
	error_lacks(err, node->lack);
}

static bool not_opened(const struct node *node, struct error *err, int no)
{
	const struct rights rights = rights_now("");

	if (no != EPERM && no != EACCES)
		return node_fail(node, err, node->path, no);
	return error_set(err, STATUS_NO_ACCESS, "%s: %s", node->path, rights_refused(&rights, no));
}

int node_open(const struct node *node, struct error *err)
{
	char why[256] = "";
	int fd = open(node->path, O_RDWR | O_CLOEXEC);

	if (fd < 0 && (errno == ENOENT || errno == ENXIO) && !geteuid() && modprobe(node->module, why, sizeof(why)))
		fd = open(node->path, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	if (*why) {
		not_loaded(node, err, why);
		return -1;
	}
	if (errno == ENOENT)
		node_is_missing(node, err);
	else
		not_opened(node, err, errno);
	error_lacks(err, node->lack);
	return -1;
}
