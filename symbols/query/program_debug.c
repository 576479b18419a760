// SPDX-License-Identifier: GPL-2.0-or-later
/* program_debug.c - the files with what was stripped from a program: its symbols, its debug information. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/query/beside.h"
#include "symbols/query/program_int.h"

static struct debug_wish wish_of(const struct program *program)
{
	return (struct debug_wish){
		.root = program->root, .program = program->image, .program_path = program->path,
		.id = program->image->id,
	};
}

static bool counts(const struct image_symbol *symbol, void *arg)
{
	*(bool *)arg = true;
	return false;
}

/* .gnu_debugdata: the symbols of functions, compressed, in the program itself (MiniDebugInfo). */
static struct image *open_mini(const struct program *program)
{
	const struct image_section *section = image_section(program->image, ".gnu_debugdata");
	int fd = section ? memfd_create("ktrace-symbols", MFD_CLOEXEC) : -1;

	if (fd < 0)
		return NULL;
	if (write(fd, section->data, section->data_size) == (ssize_t)section->data_size)
		return image_open_fd(fd, program->path, NULL);
	close(fd);
	return NULL;
}

/* A program that has all its symbols needs no other file. */
const struct image *program_separate(struct program *program)
{
	struct debug_wish wish = wish_of(program);
	bool is_whole = false;

	if (program->searched)
		return program->separate;
	program->searched = true;
	image_symbols(program->image, counts, &is_whole);
	wish.only_symbols = true;
	wish.is_casual = true;
	if (!is_whole)
		program->separate = debug_find(&wish, NULL);
	if (!is_whole && !program->separate)
		program->separate = open_mini(program);
	program->is_stripped = !is_whole && !program->separate;
	return program->separate;
}

/* ------------------------------------------------------- debug information */

/* An image of its own, because the index may outlive questions about the program. */
static struct image *own_image(const struct program *program, struct debug_error *err)
{
	int fd = fcntl(program->fd, F_DUPFD_CLOEXEC, 0);

	if (fd >= 0)
		return image_open_fd(fd, program->path, err);
	debug_fail(err, "%s: too many open files", program->path);
	return NULL;
}

static struct image *find_image(const struct program *program, const struct debug_options *options,
				struct debug_error *err)
{
	struct debug_wish wish = wish_of(program);
	struct image *image;

	wish.note = options->note;
	wish.arg = options->arg;
	wish.fetch = options->fetch;
	if (image_has_dwarf(program->image))
		return own_image(program, err);
	image = debug_find(&wish, err);
	if (image)
		image_lend(image, program->image);
	return image;
}

/* Another machine's numbers of registers would be misread. */
static bool is_usable(const struct program *program, const struct image *image, struct debug_error *err)
{
	if (image->machine == program->image->machine)
		return true;
	return debug_fail(err, "%s is of another machine than %s and is not used", image->path, program->path);
}

/* What is missing is known before it is missed. */
static void note_lacks(const struct image *image, const struct debug_options *options)
{
	if (options->note && image->beside && image->beside->lacks)
		options->note(options->arg, image->beside->lacks);
}

struct debug *program_debug(struct program *program, const struct debug_options *options, struct debug_error *err)
{
	struct image *image;

	if (program->debug)
		return program->debug;
	if (*program->no_debug.text) {
		if (err)
			*err = program->no_debug;
		return NULL;
	}
	image = find_image(program, options, &program->no_debug);
	if (image && (!is_usable(program, image, &program->no_debug) ||
		      !beside_find(image, program->root, program->path, &options->fetch, &program->no_debug))) {
		image_close(image);
		image = NULL;
	}
	if (image) {
		note_lacks(image, options);
		debug_fail(&program->no_debug, "no memory for debug information: free some");
		program->debug = debug_open_program(options, image, *program->root);
	}
	if (!program->debug && err)
		*err = program->no_debug;
	return program->debug;
}
