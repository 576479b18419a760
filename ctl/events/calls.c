// SPDX-License-Identifier: GPL-2.0-or-later
/* calls.c - what system calls get.  See calls.h. */
#include "ctl/events/calls.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/events/systems.h"

/* The names of arguments that point at the name of a file, or at another short text. */
static const char *const texts[] = {
	"filename", "pathname", "path", "oldname", "newname", "old_name", "new_name", "dev_name", "dir_name", "new_root",
	"put_old", "specialfile", "special", "name", "library", "u_name", "_type", "_description",
};

static bool is_text(const struct call_arg *arg)
{
	if (!strstr(arg->type, "char") || !strchr(arg->type, '*'))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (!strcmp(arg->name, texts[i]))
			return true;
	return false;
}

/*
 * Lines of the form "field:const char * filename;  offset:24; ..."; the common fields and the number come first.  Newer
 * kernels add the content of an argument behind them: "field:__data_loc char[] __filename_val;".
 */
static bool take_field(const char *line, struct call_arg *out)
{
	const char *start = strstr(line, "field:"), *end = start ? strchr(start, ';') : NULL, *name = end;

	if (!end || (strchr(line, '\n') && strchr(line, '\n') < end))
		return false;
	start += strlen("field:");
	while (name > start && name[-1] != ' ' && name[-1] != '*')
		name--;
	snprintf(out->name, sizeof(out->name), "%.*s", (int)(end - name), name);
	while (name > start && name[-1] == ' ')
		name--;
	snprintf(out->type, sizeof(out->type), "%.*s", (int)(name - start), start);
	return strncmp(out->name, "common_", 7) && strcmp(out->name, "__syscall_nr") && strncmp(out->type, "__data_loc", 10);
}

static size_t unknown_args(struct call_arg out[CALL_ARGS])
{
	for (size_t i = 0; i < CALL_ARGS; i++) {
		out[i] = (struct call_arg){ .type = "" };
		snprintf(out[i].name, sizeof(out[i].name), "arg%zu", i);
	}
	return CALL_ARGS;
}

bool call_args_known(const char *name, struct call_arg out[CALL_ARGS], size_t *n)
{
	AUTO_FREE char *event = mem_printf("sys_enter_%s", name);
	AUTO_FREE char *format = systems_format("syscalls", event);

	*n = 0;
	for (const char *line = format; line && *n < CALL_ARGS; line = strchr(line, '\n')) {
		line += *line == '\n';
		*n += take_field(line, &out[*n]);
	}
	return format;
}

size_t call_args(const char *name, struct call_arg out[CALL_ARGS])
{
	size_t n;

	return call_args_known(name, out, &n) ? n : unknown_args(out);
}

/* The kernel has just written the two descriptors; the arguments are still those of the call. */
#define ENDS(arg) \
	"fd0 = ret == 0 ? *(int *)$sysarg" #arg " : -1; fd1 = ret == 0 ? *(int *)($sysarg" #arg " + 4) : -1"

static const struct {
	const char *name, *begin, *end;
} memories[] = {
	{ "pipe", NULL, ENDS(0) }, { "pipe2", NULL, ENDS(0) }, { "socketpair", NULL, ENDS(3) },
	/* struct open_how */
	{ "openat2", "flags = *(u64 *)$sysarg2", NULL },
};

const char *call_begin_fields(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(memories); i++)
		if (!strcmp(memories[i].name, name))
			return memories[i].begin;
	return NULL;
}

const char *call_end_fields(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(memories); i++)
		if (!strcmp(memories[i].name, name))
			return memories[i].end;
	return NULL;
}

char *call_field(const struct call_arg *arg, size_t i, unsigned int text)
{
	char value[sizeof("$sysarg0")];

	snprintf(value, sizeof(value), "$sysarg%zu", i);

	if (is_text(arg))
		return mem_printf("%s = (char *)%s :%u", arg->name, value, text);
	if (strchr(arg->type, '*'))
		return mem_printf("%s = (void *)%s", arg->name, value);
	if (!*arg->type)
		return mem_printf("%s = %s", arg->name, value);
	return mem_printf("%s = (%s)%s or %s", arg->name, arg->type, value, value);
}
