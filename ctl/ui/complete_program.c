// SPDX-License-Identifier: GPL-2.0-or-later
/* complete_program.c - completions of programs, their functions and SDT markers: `bash:readl`, `python3:sdt:py`. */
#include "ctl/ui/complete_int.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ctl/ask/events/markers.h"
#include "ctl/base/memory.h"

#define SHORTEST	3	/* letters: fewer begin too many names of programs */

/* The process of -p; 0: none. */
static int process_of(const struct words *words)
{
	for (size_t i = 1; i + 1 < words->n; i++)
		if (!strcmp(words->v[i], "-p"))
			return atoi(words->v[i + 1]);
	return 0;
}

/* ------------------------------------------------------------ in a program */

struct inside {
	const struct offer *o;
	const char *program;
	bool markers_only;
};

static void offer_inside(const struct inside *in, const char *name)
{
	AUTO_FREE char *word = mem_printf("%s:%s", in->program, name);

	offer_one(in->o, word);
}

static bool offer_function(const struct sym *sym, void *arg)
{
	if (sym_is_text(sym))
		offer_inside(arg, sym->name);
	return true;
}

static void offer_markers(const struct inside *in, struct program *program)
{
	size_t n;
	const struct program_marker *all = program_markers(program, &n, NULL);

	for (size_t i = 0; i < n; i++) {
		AUTO_FREE char *name = mem_printf("%s:%s:%s", MARKER + 1, all[i].provider, all[i].name);

		if (!i || !marker_is_same(&all[i - 1], &all[i]))
			offer_inside(in, name);
	}
}

static void offer_in_program(const struct inside *in, struct program *program, const char *rest)
{
	const struct symtab *tab = program_symtab(program);
	size_t n;

	if (!strncmp(rest, MARKER + 1, strlen(MARKER) - 1)) {
		offer_markers(in, program);
		return;
	}
	program_markers(program, &n, NULL);
	if (n)
		offer_inside(in, "sdt:");
	if (*rest && tab && !in->markers_only)
		symtab_complete(tab, rest, offer_function, (void *)in);
}

/* ------------------------------------------------------------------- names */

static void offer_program(const char *name, void *arg)
{
	AUTO_FREE char *word = mem_printf("%s:", name);

	offer_one(arg, word);
}

/* Directories and programs. */
static void offer_path(const struct offer *o, const char *dir, const struct dirent *entry)
{
	AUTO_FREE char *path = mem_printf("%s%s", dir, entry->d_name);
	struct stat st;

	if (*entry->d_name == '.' || strncmp(path, o->word, strlen(o->word)) || stat(path, &st))
		return;
	if (S_ISDIR(st.st_mode)) {
		AUTO_FREE char *word = mem_printf("%s/", path);

		offer_one(o, word);
	} else if (S_ISREG(st.st_mode) && program_is_elf(AT_FDCWD, path)) {
		offer_program(path, (void *)o);
	}
}

static void offer_paths(const struct offer *o)
{
	AUTO_FREE char *dir = mem_strndup(o->word, strrchr(o->word, '/') + 1 - o->word);
	const struct dirent *entry;
	DIR *names = opendir(dir);

	while (names && (entry = readdir(names)))
		offer_path(o, dir, entry);
	if (names)
		closedir(names);
}

void offer_programs(const struct offer *o, const struct words *words, bool markers_only)
{
	const char *colon = strchr(o->word, ':');
	AUTO_FREE char *name = mem_strndup(o->word, colon ? colon - o->word : 0);
	const int process = process_of(words);
	const struct inside in = { o, name, markers_only };
	struct program *program;

	if (colon) {
		program = *name ? program_open_word(name, process, NULL) : NULL;
		if (program)
			offer_in_program(&in, program, colon + 1);
		program_close(program);
	} else if (strchr(o->word, '/')) {
		offer_paths(o);
	} else if (strlen(o->word) >= SHORTEST || process) {
		program_complete(o->word, process, offer_program, (void *)o);
	}
}
