// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program_chosen.c - which functions the ifuncs of a program have chosen.  No code of the file is executed to find out:
 * the answers come from what the loader has written in processes that have it mapped.  ktrace itself is one: there dlsym()
 * knows all that a library exports.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/query/program_int.h"

#define PAGE		4096ULL

struct choices {
	struct program *program;
	size_t n;		/* functions, without those that are added */
	uint64_t *of;		/* linked addresses by function; 0: unknown */
	/* The process that is asked. */
	uint64_t bias;		/* from linked addresses to its own */
	int memory;
	struct stat file;
	char *real;		/* path of the file as the kernel has it; NULL: unknown */
};

static bool is_code(const struct program *program, uint64_t addr)
{
	uint64_t offset;

	return program_offset(program, addr, &offset);
}

static bool all_known(const struct choices *choices)
{
	for (size_t i = 0; i < choices->n; i++)
		if (choices->program->functions[i].is_chosen && !choices->of[i])
			return false;
	return true;
}

/* ------------------------------------------------------------ ktrace itself */

struct own {
	const struct build_id *id;
	char *path;		/* NULL: ktrace does not have this library */
	uint64_t bias;
};

static int is_own(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct own *own = arg;
	struct build_id id;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type != PT_NOTE || !*info->dlpi_name ||
		    !image_id_in((const uint8_t *)(info->dlpi_addr + part->p_vaddr), part->p_memsz, &id) ||
		    !build_id_equal(&id, own->id))
			continue;
		own->path = strdup(info->dlpi_name);
		own->bias = info->dlpi_addr;
		return 1;
	}
	return 0;
}

static uint64_t own_choice(void *library, uint64_t bias, const struct program_function *function)
{
	const char *name = function->name, *version = function->version;
	void *at = *version ? dlvsym(library, name, version) : dlsym(library, name);

	return at ? (uint64_t)(uintptr_t)at - bias : 0;
}

/* Has ktrace a library of the same content?  What its loader has chosen, it chooses on this CPU. */
static void ask_itself(struct choices *choices)
{
	struct own own = { .id = &choices->program->image->id };
	void *library;

	if (own.id->len)
		dl_iterate_phdr(is_own, &own);
	library = own.path ? dlopen(own.path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	for (size_t i = 0; library && i < choices->n; i++) {
		const struct program_function *function = &choices->program->functions[i];

		if (function->is_chosen && function->is_global && !choices->of[i])
			choices->of[i] = own_choice(library, own.bias, function);
	}
	if (library)
		dlclose(library);
	free(own.path);
}

/* ---------------------------------------------------------------- a process */

/* Before the first call the loader may not have written the word: then it is what the file has there. */
static bool is_open(const struct program *program, uint64_t slot, uint64_t value)
{
	uint64_t offset, initial;

	return program_data_offset(program, slot, &offset) &&
	       pread(program->fd, &initial, sizeof(initial), offset) == sizeof(initial) && initial == value;
}

static bool take_slot(uint64_t slot, uint64_t ifunc, void *arg)
{
	struct choices *choices = arg;
	const struct program *program = choices->program;
	uint64_t value;

	if (pread(choices->memory, &value, sizeof(value), slot + choices->bias) != sizeof(value))
		return true;
	value -= choices->bias;
	if (!is_code(program, value) || value == ifunc || is_open(program, slot, value))
		return true;
	for (size_t i = 0; i < choices->n; i++)
		if (program->functions[i].is_chosen && program->functions[i].addr == ifunc && !choices->of[i])
			choices->of[i] = value;
	return true;
}

/* The part of the file that a mapping begins with or has inside gives the distance. */
static bool find_bias(const struct program *program, const struct program_mapping *mapping, uint64_t *bias)
{
	for (size_t i = 0; i < program->image->nr_segments; i++) {
		const struct image_segment *segment = &program->image->segments[i];

		if (!segment->is_text || segment->offset < mapping->offset ||
		    segment->offset - mapping->offset >= mapping->end - mapping->start)
			continue;
		*bias = mapping->start + (segment->offset - mapping->offset) - segment->addr;
		return !(*bias % PAGE);
	}
	return false;
}

static bool is_of_file(const struct choices *choices, const struct program_mapping *mapping)
{
	return mapping->is_code && mapping->path && mapping->inode == choices->file.st_ino &&
	       (!strcmp(mapping->path, choices->program->path) || (choices->real && !strcmp(mapping->path, choices->real)));
}

/* False: it does not have the file mapped, or may not be read. */
static bool ask_process(struct choices *choices, int pid)
{
	FILE *maps = program_maps(pid, NULL);
	struct program_mapping mapping;
	char *line = NULL, path[64];
	bool found = false;
	size_t room = 0;

	while (maps && !found && getline(&line, &room, maps) > 0)
		found = program_parse_mapping(line, &mapping) && is_of_file(choices, &mapping) &&
			find_bias(choices->program, &mapping, &choices->bias);
	free(line);
	if (maps)
		fclose(maps);
	if (!found)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	choices->memory = open(path, O_RDONLY | O_CLOEXEC);
	if (choices->memory < 0)
		return false;
	image_slots(choices->program->image, take_slot, choices);
	close(choices->memory);
	return true;
}

static void ask_any_process(struct choices *choices)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	bool was_asked = false;

	while (proc && !was_asked && (entry = readdir(proc)))
		was_asked = *entry->d_name >= '1' && *entry->d_name <= '9' && ask_process(choices, atoi(entry->d_name));
	if (proc)
		closedir(proc);
}

static void ask_processes(struct choices *choices)
{
	const struct program *program = choices->program;

	if (!program->asks_processes || all_known(choices) || fstat(program->fd, &choices->file))
		return;
	choices->real = realpath(program->path, NULL);
	if (program->process)
		ask_process(choices, program->process);
	else
		ask_any_process(choices);
	free(choices->real);
}

/* ---------------------------------------------------------------- functions */

/* Its size is that of the function with a name of its own, if there is one. */
static struct program_function choice_of(const struct choices *choices, size_t ifunc)
{
	const struct program *program = choices->program;
	struct program_function choice = program->functions[ifunc];

	choice.addr = choices->of[ifunc];
	program_offset(program, choice.addr, &choice.offset);
	choice.size = 0;
	choice.is_measured = true;
	choice.is_chosen = choice.is_settled = false;
	choice.is_choice = true;
	for (size_t i = 0; i < choices->n; i++) {
		const struct program_function *function = &program->functions[i];

		if (function->addr != choice.addr || function->is_measured || function->is_chosen)
			continue;
		choice.size = function->size;
		choice.is_measured = false;
	}
	return choice;
}

static void add_choice(struct choices *choices, size_t ifunc)
{
	struct program *program = choices->program;
	struct program_function choice;

	program->functions[ifunc].is_outside = !is_code(program, choices->of[ifunc]);
	if (program->functions[ifunc].is_outside)
		return;
	program->functions[ifunc].is_settled = true;
	choice = choice_of(choices, ifunc);
	*ARRAY_ADD(program->functions, program->nr_functions, program->functions_room) = choice;
}

static bool has_ifuncs(const struct program *program)
{
	for (size_t i = 0; i < program->nr_functions; i++)
		if (program->functions[i].is_chosen)
			return true;
	return false;
}

void program_add_choices(struct program *program)
{
	struct choices choices = { .program = program, .n = program->nr_functions };

	if (!has_ifuncs(program))
		return;
	choices.of = must_alloc(choices.n, sizeof(*choices.of));
	/* Environment variables may make one process choose otherwise. */
	if (program->process)
		ask_processes(&choices);
	ask_itself(&choices);
	if (!program->process)
		ask_processes(&choices);
	for (size_t i = 0; i < choices.n; i++)
		if (program->functions[i].is_chosen && choices.of[i])
			add_choice(&choices, i);
	free(choices.of);
}

void program_choose(struct program *program, int pid)
{
	program->asks_processes = true;
	program->process = pid;
}

const struct program_function *program_chosen(struct program *program, const struct program_function *choice, char *also,
					      size_t size)
{
	const struct program_function *own = program_covering(program, choice->addr), *functions;
	size_t n, at = 0;

	functions = program_functions(program, &n);
	*also = '\0';
	for (size_t i = 0; i < n && at < size; i++)
		if (functions[i].is_choice && functions[i].addr == choice->addr && *functions[i].name != '_' &&
		    strcmp(functions[i].name, choice->name))
			at += snprintf(also + at, size - at, "%s%s", at ? ", " : "", functions[i].name);
	return own && own->addr == choice->addr && !own->is_choice ? own : NULL;
}
