// SPDX-License-Identifier: GPL-2.0-or-later
/* caller.c - see caller.h. */
#include "ctl/ask/resolve/caller.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ktrace_abi.h"
#include "ctl/base/memory.h"
#include "symbols/query/program.h"

static bool parse_depth(const struct caller_option *option, const char *text, struct caller *out, struct error *err)
{
	char *end;
	const unsigned long depth = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || depth >= KT_MAX_DEPTH)
		return error_set(err, STATUS_USAGE, "%s depth %s: not a depth: give a number from 0 to %d", option->name, text,
				 KT_MAX_DEPTH - 1);
	*out = (struct caller){ .depth = depth };
	return true;
}

static bool parse_range(const char *text, struct caller *out)
{
	char after;

	return sscanf(text, "0x%" SCNx64 "-0x%" SCNx64 "%c", &out->from, &out->to, &after) == 2 && out->from < out->to;
}

/* Two numbers: no file is meant. */
static bool is_like_range(const char *text)
{
	return *text >= '0' && *text <= '9' && strchr(text, '-') && !text[strspn(text, "0123456789abcdefABCDEFxX-")];
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

/* The range of a file in the memory of one process. */
static bool parse_mapped(const struct caller_option *option, const char *file, int pid, struct caller *out, struct error *err)
{
	AUTO_FREE char *path = mem_printf("/proc/%d/maps", pid);
	AUTO_CLOSE FILE *maps = fopen(path, "re");

	if (!maps)
		return error_set(err, STATUS_FAILURE, "%s in %s: process %d is not there, or may not be read", option->name, file, pid);
	return find_file(maps, file, out) ||
	       error_set(err, STATUS_FAILURE, "%s in %s: process %d does not have it mapped: /proc/%d/maps shows what it has",
			 option->name, file, pid, pid);
}

/* The range of a program that is linked at a fixed address: every process has it there. */
static bool parse_fixed(const struct caller_option *option, const char *file, struct caller *out, struct error *err)
{
	struct debug_error why;
	struct program *program = program_open_word(file, 0, &why);
	const bool known = program && program_is_fixed(program) && program_span(program, &out->from, &out->to);

	program_close(program);
	if (!program)
		return error_set(err, STATUS_FAILURE, "%s in %s: %s", option->name, file, why.text);
	return known ||
	       error_set(err, STATUS_USAGE, "%s in %s: each process has it elsewhere: give %s, or a range, 0x401000-0x402000",
			 option->name, file, option->chooses);
}

bool caller_parse(const struct caller_option *option, const char *text, int pid, struct caller *out, struct error *err)
{
	const char *range = text + strlen("in ");

	if (!strncmp(text, "depth ", 6))
		return parse_depth(option, text + 6, out, err);
	if (strncmp(text, "in ", 3))
		return error_set(err, STATUS_USAGE, "%s %s: give 'depth 2', 'in 0x401000-0x402000' or 'in /usr/lib/libfoo.so'",
				 option->name, text);
	*out = (struct caller){ .is_range = true };
	if (parse_range(range, out))
		return true;
	if (is_like_range(range))
		return error_set(err, STATUS_USAGE, "%s in %s: not a range: give two addresses, the lower one first: 0x401000-0x402000",
				 option->name, range);
	return pid ? parse_mapped(option, range, pid, out, err) : parse_fixed(option, range, out, err);
}
