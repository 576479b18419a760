/* SPDX-License-Identifier: GPL-2.0-or-later */
/* distro.h - commands of the distribution that install packages of a kernel. */
#ifndef KTRACE_DISTRO_H
#define KTRACE_DISTRO_H

#include <stdbool.h>
#include <stddef.h>

enum distro_package {
	DISTRO_DEBUG,		/* the debug information */
	DISTRO_HEADERS,		/* the headers to build modules */
	DISTRO_PACKAGES,
};

/*
 * "sudo apt install linux-image-RELEASE-dbg", by root/etc/os-release (root may be NULL).  False: the distribution is
 * unknown, and the text is a sentence, not a command.
 */
bool distro_hint(const char *root, enum distro_package package, const char *release, char *buf, size_t size);

#endif
