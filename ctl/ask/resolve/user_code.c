// SPDX-License-Identifier: GPL-2.0-or-later
/* user_code.c - see user_code.h. */
#include "ctl/ask/resolve/user_code.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "ctl/base/memory.h"
#include "ctl/base/signature.h"
#include "symbols/query/program.h"

#define MOST_OPEN	64	/* files */
#define MOST_ALIKE	16	/* processes with the same address of a tracepoint */
#define NS_PER_S	1000000000LL
#define AGAIN		1	/* seconds after which the processes are looked at again */

/* A file by name; also one that cannot be opened. */
struct opened {
	char *path;
	bool is_word;		/* as a tracepoint has it, to be searched */
	char *real;		/* its path as the kernel has it; NULL: unknown */
	ino_t inode;
	int64_t changed_ns;	/* st_ctim */
	struct program *program;	/* NULL: it cannot be opened */
	/* Processes that have it mapped as code, at a time. */
	struct user {
		int pid;
		uint64_t start, end, offset;
	} *users;
	size_t nr_users;
	time_t looked;		/* 0: never */
};

struct user_code {
	struct opened open[MOST_OPEN];
	size_t n;
};

struct user_code *user_code_new(void)
{
	return mem_zalloc(1, sizeof(struct user_code));
}

static void close_one(struct opened *opened)
{
	program_close(opened->program);
	free(opened->path);
	free(opened->real);
	free(opened->users);
	*opened = (struct opened){ .path = NULL };
}

void user_code_free(struct user_code *code)
{
	while (code && code->n)
		close_one(&code->open[--code->n]);
	free(code);
}

static void take_stat(struct opened *opened, const struct stat *st)
{
	opened->inode = st->st_ino;
	opened->changed_ns = (int64_t)st->st_ctim.tv_sec * NS_PER_S + st->st_ctim.tv_nsec;
}

static struct opened *opened_of(struct user_code *code, const char *path, bool is_word)
{
	struct debug_error unused;
	struct opened *opened;
	struct stat st;

	for (size_t i = 0; i < code->n; i++)
		if (code->open[i].is_word == is_word && !strcmp(code->open[i].path, path))
			return &code->open[i];
	if (code->n == MOST_OPEN)
		return NULL;
	opened = &code->open[code->n++];
	*opened = (struct opened){ .path = mem_strdup(path), .is_word = is_word };
	opened->program = is_word ? program_open_word(path, 0, &unused) : program_open(path, "", &unused);
	if (opened->program && !fstat(program_fd(opened->program), &st))
		take_stat(opened, &st);
	if (opened->program)
		opened->real = realpath(program_path(opened->program), NULL);
	return opened;
}

/* -------------------------------------------------------------- /proc/PID/maps */

struct mapping {
	uint64_t start, end, offset;
	unsigned long inode;
	char path[4096];
};

static bool next_code(FILE *maps, struct mapping *out)
{
	char line[8192], rights[8];

	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %lu %4095[^\n]", &out->start, &out->end, rights,
			   &out->offset, &out->inode, out->path) == 6 && rights[2] == 'x' && *out->path == '/')
			return true;
	return false;
}

static FILE *open_maps(const char *pid)
{
	AUTO_FREE char *path = mem_printf("/proc/%s/maps", pid);

	return fopen(path, "re");
}

static void add_users(struct opened *opened, const char *pid)
{
	AUTO_CLOSE FILE *maps = open_maps(pid);
	struct mapping mapping;

	while (maps && next_code(maps, &mapping)) {
		if (mapping.inode != opened->inode || !opened->real || strcmp(mapping.path, opened->real) != 0)
			continue;
		opened->users = MEM_MORE(opened->users, opened->nr_users);
		opened->users[opened->nr_users++] = (struct user){ atoi(pid), mapping.start, mapping.end, mapping.offset };
	}
}

static void look_again(struct opened *opened)
{
	const time_t now = time(NULL);
	const struct dirent *entry;
	DIR *proc;

	if (opened->looked && now - opened->looked < AGAIN)
		return;
	opened->looked = now;
	opened->nr_users = 0;
	proc = opendir("/proc");
	while (proc && (entry = readdir(proc)))
		if (isdigit(*entry->d_name))
			add_users(opened, entry->d_name);
	if (proc)
		closedir(proc);
}

static bool is_at(const struct user *user, const struct user_list *list)
{
	return list->hit >= user->start && list->hit < user->end && list->hit - user->start + user->offset == list->offset;
}

/* What a process has at the address.  False: no code. */
static bool mapped_at(int pid, uint64_t addr, struct mapping *out)
{
	AUTO_FREE char *name = mem_printf("%d", pid);
	AUTO_CLOSE FILE *maps = open_maps(name);

	while (maps && next_code(maps, out))
		if (addr >= out->start && addr < out->end)
			return true;
	return false;
}

/* In all processes that the list may be from. */
static bool mapped_in_all(const struct opened *opened, const struct user_list *list, uint64_t addr, struct mapping *out)
{
	struct mapping other;
	size_t n = 0;

	for (size_t i = 0; i < opened->nr_users; i++) {
		if (!is_at(&opened->users[i], list))
			continue;
		if (n++ == MOST_ALIKE || !mapped_at(opened->users[i].pid, addr, n > 1 ? &other : out))
			return false;
		if (n > 1 && (other.inode != out->inode || other.start != out->start || other.offset != out->offset ||
			      strcmp(other.path, out->path) != 0))
			return false;
	}
	return n;
}

/* ------------------------------------------------------------------------ names */

/* An address behind a call may be that of the next function. */
static bool name_in(struct program *program, uint64_t linked, bool is_return, char *buf, size_t size)
{
	const char *path = program_path(program), *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	const struct program_function *function = program_covering(program, linked - is_return);
	AUTO_FREE char *name = NULL;
	uint64_t unused;

	if (!program_offset(program, linked - is_return, &unused))
		return false;
	if (function && linked > function->addr)
		name = mem_printf("%s:%s+0x%" PRIx64, file, program_shown(program, function), linked - function->addr);
	else if (function)
		name = mem_printf("%s:%s", file, program_shown(program, function));
	else
		name = mem_printf("%s:0x%" PRIx64, file, linked);
	signature_fit(name, buf, size);
	return true;
}

static bool name_by_list(struct user_code *code, struct opened *home, const struct user_list *list, uint64_t addr, bool is_return,
			   char *buf, size_t size)
{
	struct mapping mapping;
	struct opened *opened;
	uint64_t linked;

	if (!mapped_in_all(home, list, addr, &mapping))
		return false;
	opened = opened_of(code, mapping.path, false);
	return opened && opened->program && opened->inode == mapping.inode &&
	       program_addr(opened->program, addr - mapping.start + mapping.offset, &linked) &&
	       name_in(opened->program, linked, is_return, buf, size);
}

/* The file of a tracepoint.  NULL: it cannot be opened. */
static struct opened *home_of(struct user_code *code, const char *typed)
{
	const char *colon = strchr(typed, ':');
	AUTO_FREE char *word = colon ? mem_strndup(typed, colon - typed) : NULL;
	struct opened *home = word ? opened_of(code, word, true) : NULL;

	return home && home->program ? home : NULL;
}

bool user_code_name(struct user_code *code, const struct user_list *list, uint64_t addr, bool is_return, char *buf, size_t size)
{
	struct opened *home = home_of(code, list->typed);
	uint64_t linked;

	buf[0] = '\0';
	if (!home || !program_addr(home->program, list->offset, &linked))
		return false;
	if (name_in(home->program, addr - list->hit + linked, is_return, buf, size))
		return true;
	look_again(home);
	return name_by_list(code, home, list, addr, is_return, buf, size);
}

bool user_code_name_from(struct user_code *code, const char *typed, uint64_t offset, uint64_t base, uint64_t addr, char *buf,
			 size_t size)
{
	const struct opened *home = home_of(code, typed);
	uint64_t linked;

	buf[0] = '\0';
	return home && program_addr(home->program, offset, &linked) &&
	       user_code_name(code, &(struct user_list){ typed, offset, base + linked }, addr, false, buf, size);
}

bool user_code_name_linked(struct user_code *code, const char *typed, uint64_t linked, char *buf, size_t size)
{
	const struct opened *home = home_of(code, typed);

	buf[0] = '\0';
	return home && name_in(home->program, linked, false, buf, size);
}

/* NULL: it is not there any more. */
static struct program *unchanged(struct user_code *code, const struct user_file *file)
{
	const struct opened *opened = opened_of(code, file->path, false);
	const bool same = opened && opened->program && opened->changed_ns < file->when_ns &&
			  (!file->inode || opened->inode == file->inode);

	return same ? opened->program : NULL;
}

bool user_code_span(struct user_code *code, const struct user_file *file, uint64_t *from, uint64_t *to)
{
	const struct program *program = unchanged(code, file);

	return program && program_is_fixed(program) && program_span(program, from, to);
}

bool user_code_name_in(struct user_code *code, const struct user_file *file, bool is_linked, uint64_t at, char *buf, size_t size)
{
	struct program *program = unchanged(code, file);

	buf[0] = '\0';
	return program && (is_linked || program_addr(program, at, &at)) && name_in(program, at, true, buf, size);
}
