// SPDX-License-Identifier: GPL-2.0-or-later
/* distro.c - package names by distribution.  See distro.h. */
#include "symbols/query/distro.h"

#include <stdio.h>
#include <string.h>

static const struct distro {
	const char *id;		/* in /etc/os-release */
	const char *text[DISTRO_PACKAGES];	/* %s is the release */
} distros[] = {
	{ "debian", { "sudo apt install linux-image-%s-dbg", "sudo apt install linux-headers-%s" } },
	{ "ubuntu", { "sudo apt install linux-image-%s-dbgsym (from ddebs.ubuntu.com)", "sudo apt install linux-headers-%s" } },
	{ "fedora", { "sudo dnf debuginfo-install kernel-core-%s", "sudo dnf install kernel-devel-%s" } },
	{ "rhel", { "sudo dnf debuginfo-install kernel-core-%s", "sudo dnf install kernel-devel-%s" } },
	{ "centos", { "sudo dnf debuginfo-install kernel-core-%s", "sudo dnf install kernel-devel-%s" } },
	{ "opensuse", { "sudo zypper install kernel-default-debuginfo (for %s)", "sudo zypper install kernel-default-devel (for %s)" } },
	{ NULL, { "install the debug package of kernel %s, or set DEBUGINFOD_URLS", "install the headers of kernel %s" } },
};

/* ID=debian and ID_LIKE="rhel fedora" */
static const struct distro *find(FILE *os_release)
{
	char line[256];

	while (os_release && fgets(line, sizeof(line), os_release))
		for (const struct distro *distro = distros; distro->id; distro++)
			if (!strncmp(line, "ID", 2) && strstr(line, distro->id))
				return distro;
	return &distros[sizeof(distros) / sizeof(distros[0]) - 1];
}

bool distro_hint(const char *root, enum distro_package package, const char *release, char *buf, size_t size)
{
	const struct distro *distro;
	char path[1024];
	FILE *file;

	snprintf(path, sizeof(path), "%s/etc/os-release", root ? root : "");
	file = fopen(path, "re");
	distro = find(file);
	if (file)
		fclose(file);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(buf, size, distro->text[package], release);
#pragma GCC diagnostic pop
	return distro->id;
}
