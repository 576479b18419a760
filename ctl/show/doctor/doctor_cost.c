// SPDX-License-Identifier: GPL-2.0-or-later
/* doctor_cost.c - what the package of a repair takes, as the lists of packages on this machine know.  See doctor.h. */
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

#define APT	"apt install "

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
static void each_line(char *const argv[], void (*take)(struct finding *out, const char *line), struct finding *out)
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
		take(out, line);
	if (in)
		fclose(in);
	else
		close(ends[0]);
	if (child)
		waitpid(child, NULL, 0);
}

/* ----------------------------------------------------------------------- apt */

/* "Size: 1296" has bytes, "Installed-Size: 13" KiB.  Depends is what else apt fetches, if it is not there. */
static void take_line(struct finding *out, const char *line)
{
	uint64_t number;

	if (sscanf(line, "Size: %" SCNu64, &number) == 1)
		out->download = number;
	else if (sscanf(line, "Installed-Size: %" SCNu64, &number) == 1)
		out->installed = number << 10;
	else if (!strncmp(line, "Depends: ", strlen("Depends: ")))
		snprintf(out->cost, sizeof(out->cost), ", besides what it depends on");
}

/* Its cache stays as it is: without these two options root's apt-cache may write it. */
static void ask_apt(const struct doctor *d, const char *package, struct finding *out)
{
	AUTO_FREE char *program = doctor_path(d, "/usr/bin/apt-cache");
	char *const argv[] = { program, "-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache=", "show", "--no-all-versions",
			       (char *)package, NULL };

	if (!access(program, X_OK))
		each_line(argv, take_line, out);
}

static void cost_of(const struct doctor *d, const char *hint, struct finding *out)
{
	AUTO_FREE char *package = NULL, *depends = NULL;
	char download[DURATION_SIZE], installed[DURATION_SIZE];

	if (!strncmp(hint, APT, strlen(APT))) {
		package = mem_strndup(hint + strlen(APT), strcspn(hint + strlen(APT), " "));
		ask_apt(d, package, out);
	}
	depends = mem_strdup(out->cost);
	if (out->download && out->installed)
		snprintf(out->cost, sizeof(out->cost), "%s to fetch, %s installed%s", bytes_text(out->download, "bytes", download),
			 bytes_text(out->installed, "bytes", installed), depends);
	else
		snprintf(out->cost, sizeof(out->cost), "its size is not known%s",
			 package ? ": the package lists here do not have it (sudo apt update)" : "");
}

void mend_by_package(const struct doctor *d, struct finding *out, enum distro_package package)
{
	char hint[256];
	const bool is_command = distro_hint(d->s->root, package, d->kernel.release, hint, sizeof(hint));

	mend(out, "%s%s", is_command ? "sudo " : "", hint);
	if (is_command)
		cost_of(d, hint, out);
}
