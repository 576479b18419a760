// SPDX-License-Identifier: GPL-2.0-or-later
/* bugreport.c - the parts of a report, and its file.  See bugreport.h. */
#include "ctl/show/bugreport/bugreport.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/below.h"
#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/show/bugreport/privacy.h"

#define NAME_WIDTH	25

const struct bug_part bug_parts[] = {
	{ "versions", "of ktrace, its module, and the interfaces between them", bug_versions },
	{ "kernel", "release, distribution, taint, the options that matter here", bug_kernel },
	{ "doctor", "the rows of 'ktrace doctor'", bug_doctor },
	{ "module", "parameters of the loaded modules of ktrace", bug_module },
	{ "counts", "tracepoints, records and losses, as sums", bug_counts },
	{ "kernel log", "its lines from ktrace's modules, the last 200", bug_log },
	{ "tracers", "how many kprobes, events and BPF programs others use", bug_tracers },
	{ "CPUs", "their model, features and mitigations", bug_cpus },
	{ .name = NULL },
};

void bugreport_list(FILE *out)
{
	fputs("The report is a text file.  It holds:\n", out);
	for (const struct bug_part *part = bug_parts; part->name; part++)
		fprintf(out, "  %-12s%s\n", part->name, part->holds);
	fputs("It does not hold names of the host and of users, other paths than the\n"
	      "system's, commands and their arguments, environment, addresses of memory and\n"
	      "networks, keys, or records.\n", out);
}

/* -------------------------------------------------------------------- parts */

void bug_row(FILE *out, const char *name, const char *fmt, ...)
{
	AUTO_FREE char *value = NULL;
	va_list args;

	va_start(args, fmt);
	value = mem_vprintf(fmt, args);
	va_end(args);
	fprintf(out, "%-*s %s\n", NAME_WIDTH, name, value);
}

void bug_file(const struct session *s, FILE *out, const char *name, const char *path)
{
	char line[256];

	if (line_below(s->root, path, line, sizeof(line)))
		bug_row(out, name, "%s", line);
}

/* --------------------------------------------------------------------- file */

static void put_clean(const struct privacy *privacy, const char *line, FILE *out)
{
	AUTO_FREE char *clean = privacy_clean(privacy, line);

	fprintf(out, "%s\n", escape_shown(clean ? clean : ""));
}

static void put_part(struct session *s, const struct bug_part *part, const struct privacy *privacy, FILE *out)
{
	AUTO_FREE char *text = NULL;
	char *rest, *line;
	size_t len;
	FILE *in = open_memstream(&text, &len);

	if (!in)
		return;
	part->write(s, in);
	fclose(in);
	fprintf(out, "\n== %s\n", part->name);
	for (rest = text; (line = strsep(&rest, "\n")) && (*line || rest);)
		put_clean(privacy, line, out);
}

static bool put_report(struct session *s, int fd)
{
	struct privacy privacy;
	FILE *out = fdopen(fd, "w");
	bool ok;

	if (!out)
		return false;
	privacy_open(&privacy, s->root);
	fputs("A bug report of ktrace.  Read it before you send it.\n", out);
	for (const struct bug_part *part = bug_parts; part->name; part++)
		put_part(s, part, &privacy, out);
	privacy_close(&privacy);
	ok = !fflush(out) && !fsync(fileno(out));
	return !fclose(out) && ok;
}

static bool failed(const char *path, struct error *err)
{
	return error_set(err, STATUS_FAILURE, errno == EEXIST ? "bugreport: %s exists: choose another name, or remove it"
							      : "bugreport: %s cannot be written: %s", path, strerror(errno));
}

/* Replaces nothing.  Some file systems know only one of the two ways. */
static bool move_to(const char *part, const char *path)
{
	if (!renameat2(AT_FDCWD, part, AT_FDCWD, path, RENAME_NOREPLACE))
		return true;
	return errno == EINVAL && !link(part, path);
}

/* mkostemp() makes a file that only its owner may read. */
bool bugreport_write(struct session *s, const char *path, struct error *err)
{
	AUTO_FREE char *part = mem_printf("%s.XXXXXX", path);
	int fd = -1, saved;
	bool ok;

	errno = EEXIST;
	if (!access(path, F_OK))
		return failed(path, err);
	fd = mkostemp(part, O_CLOEXEC);
	if (fd < 0)
		return failed(path, err);
	ok = put_report(s, fd) && move_to(part, path);
	saved = errno;
	unlink(part);
	errno = saved;
	return ok || failed(path, err);
}
