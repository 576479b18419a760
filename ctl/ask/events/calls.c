// SPDX-License-Identifier: GPL-2.0-or-later
/* calls.c - what system calls get.  See calls.h. */
#include "ctl/ask/events/calls.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "ctl/ask/events/systems.h"
#include "ctl/base/memory.h"

/* The names of arguments that point at the name of a file, or at another short text. */
static const char *const texts[] = {
	"filename", "pathname", "path", "oldname", "newname", "old_name", "new_name", "dev_name", "dir_name", "new_root",
	"put_old", "specialfile", "special", "name", "library", "u_name", "_type", "_description",
	"name_user", "type", "uname", "_fs_name",
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

/* Copy a part of a text, as much as fits. */
static void copy_part(char *to, size_t size, const char *from, size_t len)
{
	len = len < size ? len : size - 1;
	memcpy(to, from, len);
	to[len] = '\0';
}

/*
 * Lines of the form "field:const char * filename;  offset:24; ..."; the common fields and the number come first.  Newer
 * kernels add the content of an argument behind them: "field:__data_loc char[] __filename_val;".
 */
static bool take_field(const char *line, struct call_arg *out)
{
	const char *start = line + strspn(line, " \t"), *end = start + strcspn(start, ";\n"), *name = end;

	if (strncmp(start, "field:", strlen("field:")) || *end != ';')
		return false;
	start += strlen("field:");
	while (name > start && name[-1] != ' ' && name[-1] != '*')
		name--;
	copy_part(out->name, sizeof(out->name), name, (size_t)(end - name));
	while (name > start && name[-1] == ' ')
		name--;
	copy_part(out->type, sizeof(out->type), start, (size_t)(name - start));
	return strncmp(out->name, "common_", 7) && strcmp(out->name, "__syscall_nr") && strncmp(out->type, "__data_loc", 10);
}

/* The kernel declares these as unsigned long; the C library and LTTng have an int, where a descriptor can be -1. */
static const struct {
	const char *call, *arg, *type;
} declared[] = { { "mmap", "prot", "int" }, { "mmap", "flags", "int" }, { "mmap", "fd", "int" } };

static void declare(const char *call, struct call_arg *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(declared); i++)
		if (!strcmp(declared[i].call, call) && !strcmp(declared[i].arg, arg->name))
			snprintf(arg->type, sizeof(arg->type), "%s", declared[i].type);
}

static size_t unknown_args(struct call_arg out[CALL_ARGS])
{
	for (size_t i = 0; i < CALL_ARGS; i++) {
		out[i] = (struct call_arg){ .type = "" };
		snprintf(out[i].name, sizeof(out[i].name), "arg%zu", i);
	}
	return CALL_ARGS;
}

static const char *format_of(const char *name)
{
	AUTO_FREE char *event = mem_join("sys_enter_", name, NULL);

	return systems_format("syscalls", event);
}

bool call_is_known(const char *name)
{
	return format_of(name);
}

bool call_args_known(const char *name, struct call_arg out[CALL_ARGS], size_t *n)
{
	const char *format = format_of(name);

	*n = 0;
	for (const char *line = format; line && *n < CALL_ARGS; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (take_field(line, &out[*n]))
			declare(name, &out[(*n)++]);
	}
	return format;
}

size_t call_args(const char *name, struct call_arg out[CALL_ARGS])
{
	size_t n;

	return call_args_known(name, out, &n) ? n : unknown_args(out);
}

/* ------------------------------------------------------------- calls of 32-bit programs */

static const struct compat_call *own_call(const char *name)
{
	for (const struct compat_call *call = arch_native.compat_calls; call->call; call++)
		if (*call->call == *name && !strcmp(call->call, name))
			return call;
	return NULL;
}

/* Does the name end so, and what is before that?  The caller frees it; NULL: it does not. */
static char *before(const char *name, const char *end)
{
	const size_t len = strlen(name), end_len = strlen(end);

	return len > end_len && !strcmp(name + len - end_len, end) ? mem_strndup(name, len - end_len) : NULL;
}

static bool has_twin(const char *name, const char *end)
{
	AUTO_FREE char *twin = mem_printf("%s%s", name, end);

	return call_compat_exists(twin);
}

/* Times have 32 or 64 bits in calls of both kinds; the older call of two is the one without a suffix. */
static bool is_about_time(const char *name)
{
	return !strncmp(name, "clock_", 6) || !strncmp(name, "timer", 5);
}

/* "chown16" and "chown" for "chown" and "chown32", "futex_time32" and "futex" for "futex" and "futex_time64". */
char *call_compat_kernel_name(const char *name)
{
	static const char *const newer[] = { "_time64", "32", "64" }, *const older[] = { "_time32", "16", "32" };
	const struct compat_call *own = own_call(name);

	if (own && own->name)
		return mem_strdup(own->name);
	for (size_t i = 0; !own && i < ARRAY_SIZE(newer); i++) {
		char *base = before(name, newer[i]);
		const bool both = strcmp(newer[i], "64") || is_about_time(name);

		if (base && both && call_compat_exists(base))
			return base;
		free(base);
		if (both && has_twin(name, newer[i]))
			return mem_printf("%s%s", name, older[i]);
	}
	return mem_strdup(own ? name : call_kernel_name(name));
}

bool call_compat_is(const char *call, const char *name)
{
	static const char *const ends[] = { "16", "_time32", "32", "_time64", "64", "_pgoff" };
	AUTO_FREE char *kernel_name = call_compat_kernel_name(call);

	if (!strcmp(call, name) || !strcmp(kernel_name, name) || !strcmp(kernel_name, call_kernel_name(name)))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		AUTO_FREE char *base = before(kernel_name, ends[i]);

		if (base && !strcmp(base, name))
			return true;
	}
	return false;
}

const char *call_compat_find(const char *name)
{
	for (unsigned int i = 0; i < call_compat_numbers(); i++) {
		const char *call = call_compat_name(i);
		AUTO_FREE char *kernel_name = call ? call_compat_kernel_name(call) : NULL;

		if (call && (!strcmp(kernel_name, name) || (strstr(call, "_time64") && !strcmp(call, name))))
			return call;
	}
	return NULL;
}

/* The next of "fd buf:* count".  False: there is none. */
static bool next_own(const char **args, struct call_arg *out)
{
	const char *start = *args + strspn(*args, " "), kind = start[strcspn(start, ": ")] == ':' ? start[strcspn(start, ":") + 1] : 'u';
	const size_t len = strcspn(start, ": ");

	*args = start + strcspn(start, " ");
	copy_part(out->name, sizeof(out->name), start, len);
	snprintf(out->type, sizeof(out->type), "%s",
		 kind == 'i' ? "int" : kind == '*' ? "void *" : kind == 't' ? "const char *" : "unsigned int");
	return len;
}

/* What a call that ends so has where the call of 64-bit programs has something wider. */
static const struct {
	const char *end, *wide, *narrow;
} narrower[] = {
	/* Only a signed number shows the difference. */
	{ "", "long", "int" }, { "", "off_t", "int" }, { "", "loff_t", "int" }, { "", "ssize_t", "int" },
	/* old_uid_t, old_gid_t */
	{ "16", "uid_t", "unsigned short" }, { "16", "gid_t", "unsigned short" },
};

static void narrow(const char *end, struct call_arg *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(narrower); i++)
		if ((!*narrower[i].end || !strcmp(narrower[i].end, end)) && !strcmp(arg->type, narrower[i].wide))
			snprintf(arg->type, sizeof(arg->type), "%s", narrower[i].narrow);
}

/* The call of 64-bit programs that has its arguments; *end is what its own name has more.  The caller frees it.  NULL: there is none. */
static char *wide_call(const char *name, const char **end)
{
	static const char *const ends[] = { "", "16", "_time32", "32" };
	AUTO_FREE char *kernel_name = call_compat_kernel_name(name);

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		AUTO_FREE char *base = *ends[i] ? before(kernel_name, ends[i]) : mem_strdup(kernel_name);

		*end = ends[i];
		if (base && call_is_known(call_kernel_name(base)))
			return mem_strdup(call_kernel_name(base));
	}
	return NULL;
}

static void own_args(const char *args, struct call_arg out[CALL_ARGS], size_t *n)
{
	*n = 0;
	while (*n < CALL_ARGS && next_own(&args, &out[*n]))
		++*n;
}

bool call_compat_args_known(const char *name, struct call_arg out[CALL_ARGS], size_t *n)
{
	const struct compat_call *own = own_call(name);
	const bool has_args = own && own->args;
	const char *end;
	AUTO_FREE char *wide = has_args ? NULL : wide_call(name, &end);

	if (has_args)
		own_args(own->args, out, n);
	else if (wide && call_args_known(wide, out, n))
		for (size_t i = 0; i < *n; i++)
			narrow(end, &out[i]);
	return has_args || wide;
}

bool call_compat_is_known(const char *name)
{
	const struct compat_call *own = own_call(name);
	const bool has_args = own && own->args;
	const char *end;
	AUTO_FREE char *wide = has_args ? NULL : wide_call(name, &end);

	return has_args || wide;
}

/* ------------------------------------------------------------------ as fields */

/*
 * The kernel has just written the two descriptors; the arguments are still those of the call.  With an error, -4095 to -1, the address
 * is one of the last bytes of all, or behind them, where nothing can be read: that needs no jump.
 */
#define ENDS(arg)	"fd0 = *(int *)($sysarg" #arg " | ret); fd1 = *(int *)(($sysarg" #arg " | ret) + 4)"

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
	const char value[] = { '$', 's', 'y', 's', 'a', 'r', 'g', (char)('0' + i), '\0' };

	if (is_text(arg))
		return mem_printf("%s = (char *)%s :%u", arg->name, value, text);
	if (strchr(arg->type, '*'))
		return mem_join(arg->name, " = (void *)", value, NULL);
	if (!*arg->type)
		return mem_join(arg->name, " = ", value, NULL);
	return mem_join(arg->name, " = (", arg->type, ")", value, " or ", value, NULL);
}
