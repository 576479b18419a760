// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor_cost.c - what the package of a repair takes, as the lists of packages on this machine know.  See doctor.h.
 *
 * apt-cache knows the size of one package, and a simulation of apt-get which others come with it.  Neither needs root.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/base/duration.h"
#include "ctl/base/memory.h"
#include "ctl/show/doctor/doctor.h"

#define APT		"sudo apt install "
#define MOST_PACKAGES	256

extern char **environ;

/* --------------------------------------------------------------------- child */

static bool spawn(char *const argv[], int out, pid_t *child)
{
	posix_spawn_file_actions_t files;
	bool ok;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	ok = !posix_spawn(child, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	return ok;
}

/* Give each line that the program prints to `take`. */
static void each_line(char *const argv[], void (*take)(void *to, const char *line), void *to)
{
	AUTO_FREE char *line = NULL;
	int ends[2];
	size_t room = 0;
	FILE *in;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return;
	if (!spawn(argv, ends[1], &child))
		child = 0;
	close(ends[1]);
	in = fdopen(ends[0], "r");
	while (in && getline(&line, &room, in) > 0)
		take(to, line);
	if (in)
		fclose(in);
	else
		close(ends[0]);
	if (child)
		waitpid(child, NULL, 0);
}

/* ----------------------------------------------------------------------- apt */

struct sizes {
	uint64_t fetched, kept;
	bool depends;		/* a package needs others */
};

/* "Size: 1296" has bytes, "Installed-Size: 13" KiB. */
static void take_size(void *to, const char *line)
{
	struct sizes *sizes = to;
	uint64_t number;

	if (sscanf(line, "Size: %" SCNu64, &number) == 1)
		sizes->fetched += number;
	else if (sscanf(line, "Installed-Size: %" SCNu64, &number) == 1)
		sizes->kept += number << 10;
	else
		sizes->depends |= !strncmp(line, "Depends: ", strlen("Depends: ")) ||
				  !strncmp(line, "Pre-Depends: ", strlen("Pre-Depends: "));
}

struct packages {
	char *names[MOST_PACKAGES];	/* NAME=VERSION */
	size_t n;
};

/* "Inst linux-kbuild-6.1 [6.1.1-1] (6.1.192-3 Debian:12/stable)"; an installed version is in brackets. */
static void take_package(void *to, const char *line)
{
	struct packages *packages = to;
	const char *version = strchr(line, '(');
	char name[256];

	if (!version || packages->n == MOST_PACKAGES || sscanf(line, "Inst %255s", name) != 1)
		return;
	version++;
	packages->names[packages->n++] = mem_printf("%s=%.*s", name, (int)strcspn(version, " )\n"), version);
}

/* Its cache stays as it is: without these two options root's apt may write it. */
#define KEEP_CACHE	"-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache="

static void show_packages(const struct doctor *d, char *const *names, size_t n, struct sizes *sizes)
{
	static const char *const words[] = { KEEP_CACHE, "show", "--no-all-versions" };
	AUTO_FREE char *program = doctor_path(d, "/usr/bin/apt-cache");
	AUTO_FREE char **argv = mem_zalloc(ARRAY_SIZE(words) + n + 2, sizeof(*argv));

	*sizes = (struct sizes){ 0 };
	argv[0] = program;
	memcpy(argv + 1, words, sizeof(words));
	memcpy(argv + 1 + ARRAY_SIZE(words), names, n * sizeof(*names));
	if (!access(program, X_OK))
		each_line(argv, take_size, sizes);
}

/* All that apt would install. */
static void simulate(const struct doctor *d, char *name, struct packages *packages)
{
	AUTO_FREE char *program = doctor_path(d, "/usr/bin/apt-get");
	char *const argv[] = { program, KEEP_CACHE, "-s", "-qq", "install", name, NULL };

	if (!access(program, X_OK))
		each_line(argv, take_package, packages);
}

static struct repair_cost cost_of(const struct doctor *d, char *name)
{
	struct repair_cost cost = { .known = false };
	struct packages packages = { .n = 0 };
	struct sizes sizes;

	show_packages(d, &name, 1, &sizes);
	if (sizes.depends)
		simulate(d, name, &packages);
	if (packages.n)
		show_packages(d, packages.names, packages.n, &sizes);
	else if (sizes.depends)
		snprintf(cost.note, sizeof(cost.note), ", besides what it depends on");
	for (size_t i = 0; i < packages.n; i++)
		free(packages.names[i]);
	cost.known = sizes.fetched && sizes.kept;
	cost.fetched = sizes.fetched;
	cost.kept = sizes.kept;
	if (!cost.known)
		snprintf(cost.note, sizeof(cost.note), ": the package lists here do not have it (sudo apt update)");
	return cost;
}

/* -------------------------------------------------------------------- repairs */

static void mend_by_command(const struct doctor *d, struct finding *out, const char *hint, const char *then)
{
	AUTO_FREE char *package = NULL;

	mend(out, "%s%s", hint, then);
	out->cost.known = false;
	if (strncmp(hint, APT, strlen(APT)))
		return;
	package = mem_strndup(hint + strlen(APT), strcspn(hint + strlen(APT), " "));
	out->cost = cost_of(d, package);
}

void mend_by_package(const struct doctor *d, struct finding *out, enum distro_package package, const char *then)
{
	char hint[256];

	distro_hint(d->s->root, package, d->kernel.release, hint, sizeof(hint));
	mend_by_command(d, out, hint, then);
}

void mend_by_apt(const struct doctor *d, struct finding *out, const char *name, const char *then)
{
	AUTO_FREE char *hint = mem_printf(APT "%s", name);

	mend_by_command(d, out, hint, then);
}

const char *repair_cost_text(const struct repair_cost *cost, char buf[COST_SIZE])
{
	char fetched[DURATION_SIZE], kept[DURATION_SIZE];

	if (!cost->known)
		snprintf(buf, COST_SIZE, "its size is not known%s", cost->note);
	else if (!cost->fetched && !cost->kept)
		snprintf(buf, COST_SIZE, "nothing to fetch or keep%s", cost->note);
	else
		snprintf(buf, COST_SIZE, "%s to fetch, %s%s to keep%s",
			 cost->fetched ? bytes_text(cost->fetched, "bytes", fetched) : "nothing", cost->about ? "about " : "",
			 bytes_text(cost->kept, "bytes", kept), cost->note);
	return buf;
}
