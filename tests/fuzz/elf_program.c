// SPDX-License-Identifier: GPL-2.0-or-later
/* elf_program.c - a damaged program of user space: its functions, code, names and SDT markers. */
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/events/markers.h"
#include "elf.h"
#include "symbols/query/program.h"

#define MOST	300	/* of each kind, so that an input takes little time */

static volatile uint8_t sink;

static void read_text(const char *text)
{
	sink = text ? text[strlen(text)] : 0;
}

static bool take_match(const struct program_function *function, void *arg)
{
	read_text(program_shown(arg, function));
	return true;
}

static void ask_function(struct program *program, const struct program_function *function)
{
	const struct program_function *covering = program_covering(program, function->addr + function->size / 2);
	struct debug_error err = { .text = "" };
	uint64_t addr, offset;
	uint8_t code[16];

	read_text(function->name);
	read_text(function->version);
	if (covering)
		read_text(covering->name);
	program_code(program, function->addr, code, sizeof(code));
	if (!program_offset(program, function->addr, &offset) || offset != function->offset)
		abort();
	program_addr(program, function->offset, &addr);
	if (!program_is_insn(program, function, function->addr + (function->size & 63), &err) && !*err.text)
		abort();
}

static void ask_marker(const struct program_marker *marker)
{
	read_text(marker->provider);
	read_text(marker->name);
	for (size_t i = 0; i < marker->nr_args; i++)
		if (!marker->args[i].is_known && !marker->args[i].why)
			abort();
	free(marker_fields(marker));
}

static void ask(struct program *program)
{
	static const char *const names[] = { "work", "f@V1", "f", "nothing", "ns::g", "chosen" };
	const struct program_function *found[4], *functions;
	const struct program_marker *markers;
	size_t n = 0, bad;

	functions = program_functions(program, &n);
	for (size_t i = 0; i < n && i < MOST; i++)
		ask_function(program, &functions[i]);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct debug_error err = { .text = "" };

		if (!program_named(program, names[i], found, 4, &err) && (!*err.text || strchr(err.text, '\n')))
			abort();
	}
	program_matching(program, "*", take_match, program);
	markers = program_markers(program, &n, &bad);
	for (size_t i = 0; i < n && i < MOST; i++)
		ask_marker(&markers[i]);
}

void elf_program(const uint8_t *data, size_t size)
{
	struct debug_error err = { .text = "" };
	struct program *program = program_open_fd(elf_file(data, size), "fuzz", "/nowhere", &err);

	if (program)
		ask(program);
	else if (!*err.text || strchr(err.text, '\n'))
		abort();
	program_close(program);
}
