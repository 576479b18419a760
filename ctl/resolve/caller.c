// SPDX-License-Identifier: GPL-2.0-or-later
/* caller.c - the argument of CALLER.  See caller.h. */
#include "ctl/resolve/caller.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ktrace_abi.h"
#include "ctl/base/memory.h"

static bool parse_depth(const char *text, struct caller *out, struct error *err)
{
	char *end;
	const unsigned long depth = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || depth >= KT_MAX_DEPTH)
		return error_set(err, STATUS_USAGE, "CALLER depth %s: not a depth: give a number from 0 to %d", text,
				 KT_MAX_DEPTH - 1);
	*out = (struct caller){ .depth = depth };
	return true;
}

static bool parse_range(const char *text, struct caller *out)
{
	char after;

	return sscanf(text, "0x%" SCNx64 "-0x%" SCNx64 "%c", &out->from, &out->to, &after) == 2 && out->from < out->to;
}

/* Does the end of a line of /proc/PID/maps name the file: by its whole path, or by its last part? */
static bool is_of_file(const char *path, const char *file)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(path, file) || (!strchr(file, '/') && slash && !strcmp(slash + 1, file));
}

static bool find_file(FILE *maps, const char *file, struct caller *out)
{
	char line[8192], path[4097];
	uint64_t from, to;

	out->from = UINT64_MAX;
	out->to = 0;
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %4096[^\n]", &from, &to, path) != 3 ||
		    !is_of_file(path, file))
			continue;
		out->from = from < out->from ? from : out->from;
		out->to = to > out->to ? to : out->to;
	}
	return out->from < out->to;
}

static bool parse_file(const char *file, int pid, struct caller *out, struct error *err)
{
	AUTO_FREE char *path = mem_printf("/proc/%d/maps", pid);
	AUTO_CLOSE FILE *maps = pid ? fopen(path, "re") : NULL;

	if (!pid)
		return error_set(err, STATUS_USAGE, "CALLER in %s: each process has it elsewhere: give ONLYTGID before CALLER, or a range, 0x401000-0x402000",
				 file);
	if (!maps)
		return error_set(err, STATUS_FAILURE, "CALLER in %s: process %d is not there, or may not be read", file, pid);
	return find_file(maps, file, out) ||
	       error_set(err, STATUS_FAILURE, "CALLER in %s: process %d does not have it mapped: /proc/%d/maps shows what it has",
			 file, pid, pid);
}

bool caller_parse(const char *text, int pid, struct caller *out, struct error *err)
{
	if (!strncmp(text, "depth ", 6))
		return parse_depth(text + 6, out, err);
	if (strncmp(text, "in ", 3))
		return error_set(err, STATUS_USAGE, "CALLER %s: give 'depth 2', 'in 0x401000-0x402000' or 'in /usr/lib/libfoo.so'", text);
	*out = (struct caller){ .is_range = true };
	return parse_range(text + 3, out) || parse_file(text + 3, pid, out, err);
}
