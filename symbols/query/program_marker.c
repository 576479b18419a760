// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program_marker.c - the SDT markers of a program, as <sys/sdt.h> of SystemTap writes them: notes of the section
 * .note.stapsdt with the name "stapsdt" and type 3.
 *
 * A note has three addresses: of the marker's nop, of the section .stapsdt.base, and of the semaphore, or 0.  If the
 * section is elsewhere now, the program was moved after it was linked, and the other two with it.  Then follow three
 * texts: provider, name, arguments.
 */
#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/query/program_int.h"

#define NOTE_NAME	"stapsdt"
#define NOTE_TYPE	3
#define MOST_ARGS	64

/* --------------------------------------------------------------- arguments */

/* "-4@" */
static size_t prefix_length(const char *text)
{
	size_t n = *text == '-', digits = strspn(text + n, "0123456789");

	n += digits;
	n += text[n] == 'f';
	return digits && text[n] == '@' ? n + 1 : 0;
}

/* The end of an argument: an operand may have blanks, so only a prefix begins the next one. */
static size_t argument_length(const char *text)
{
	size_t n = strcspn(text, " ");

	while (text[n] && !prefix_length(text + n + 1))
		n += 1 + strcspn(text + n + 1, " ");
	return n;
}

static bool unknown(struct program_argument *arg, const char *why)
{
	arg->why = why;
	return false;
}

/* The address of a name that an operand adds; local names may have been stripped. */
static bool find_symbol(struct program *program, struct program_argument *arg)
{
	const struct arch_operand *operand = &arg->operand;
	const struct symtab *tab = program_symtab(program);
	const struct sym *const *first;
	char *name = strndup(operand->symbol, operand->symbol_len);
	size_t n = name && tab ? symtab_by_name(tab, name, NULL, &first) : 0;

	free(name);
	if (n != 1)
		return unknown(arg, n ? "several variables have the name in it" : "the variable in it has no symbol any more");
	arg->symbol = first[0]->addr;
	return true;
}

static bool is_size(unsigned long bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static bool read_operand(struct program *program, const char *text, struct program_argument *arg)
{
	unsigned long bytes = strtoul(text + (*text == '-'), NULL, 10);
	size_t n = prefix_length(text);

	if (!n || !is_size(bytes))
		return unknown(arg, "it does not tell its size");
	arg->bytes = bytes;
	arg->is_signed = *text == '-';
	arg->is_float = text[n - 2] == 'f';
	if (!arch_native.operand(text + n, &arg->operand))
		return unknown(arg, arg->is_float ? "it is in a register of the floating-point unit" :
				    "its operand has a form that ktrace does not know");
	return !arg->operand.symbol || find_symbol(program, arg);
}

static void read_arguments(struct program *program, struct program_marker *marker)
{
	struct program_argument *args = must_alloc(MOST_ARGS, sizeof(*args));

	for (const char *at = marker->text; *at && marker->nr_args < MOST_ARGS; at += strspn(at, " ")) {
		struct program_argument *arg = &args[marker->nr_args];
		size_t n = argument_length(at);

		arg->text = program_keep(program, strndup(at, n));
		arg->is_known = arg->text && read_operand(program, arg->text, arg);
		marker->nr_args++;
		at += n;
	}
	marker->args = args;
}

/* ------------------------------------------------------------------- notes */

/* A text that a terminal can show. */
static const char *take_text(struct cursor *c)
{
	const char *text = (const char *)c->at;
	size_t left = cursor_left(c);

	if (!left || !memchr(text, '\0', left))
		return NULL;
	for (const char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return NULL;
	cursor_take(c, strlen(text) + 1);
	return text;
}

static bool is_name(const char *text)
{
	return text && *text && !strpbrk(text, " :");
}

static bool read_marker(struct program *program, struct cursor c, struct program_marker *out)
{
	const struct image_section *base = NULL;
	uint64_t then, moved;

	*out = (struct program_marker){ .addr = cursor_uint(&c, 8) };
	then = cursor_uint(&c, 8);
	out->semaphore = cursor_uint(&c, 8);
	out->provider = take_text(&c);
	out->name = take_text(&c);
	out->text = take_text(&c);
	if (c.bad || !is_name(out->provider) || !is_name(out->name) || !out->text)
		return false;
	for (size_t i = 0; i < program->image->nr_sections && !base; i++)
		if (!strcmp(program->image->sections[i].name, ".stapsdt.base"))
			base = &program->image->sections[i];
	moved = base && then ? base->addr - then : 0;
	out->addr += moved;
	out->semaphore += out->semaphore ? moved : 0;
	return program_offset(program, out->addr, &out->offset) &&
	       (!out->semaphore || program_data_offset(program, out->semaphore, &out->semaphore_offset));
}

static void take_note(struct program *program, struct cursor desc)
{
	struct program_marker marker;

	if (!read_marker(program, desc, &marker)) {
		program->nr_bad_markers++;
		return;
	}
	read_arguments(program, &marker);
	*ARRAY_ADD(program->markers, program->nr_markers, program->markers_room) = marker;
}

static uint64_t padding(uint32_t len)
{
	return -len & 3;
}

static void read_notes(struct program *program, const struct image_section *section)
{
	struct cursor c = cursor_of(section->data, section->data_size), desc;

	while (cursor_left(&c) >= sizeof(Elf64_Nhdr)) {
		uint32_t name_len = cursor_uint(&c, 4), len = cursor_uint(&c, 4), type = cursor_uint(&c, 4);
		const uint8_t *name = cursor_take(&c, name_len), *start;

		cursor_take(&c, padding(name_len));
		start = cursor_take(&c, len);
		desc = cursor_of(start, start ? len : 0);
		/* The last one may lack its padding. */
		if (cursor_left(&c))
			cursor_take(&c, padding(len));
		if (!start)
			program->nr_bad_markers++;
		else if (type == NOTE_TYPE && name_len == sizeof(NOTE_NAME) && !memcmp(name, NOTE_NAME, name_len))
			take_note(program, desc);
	}
}

static int by_name(const void *a, const void *b)
{
	const struct program_marker *x = a, *y = b;
	int order = strcmp(x->provider, y->provider);

	order = order ? order : strcmp(x->name, y->name);
	return order ? order : (x->addr > y->addr) - (x->addr < y->addr);
}

const struct program_marker *program_markers(struct program *program, size_t *nr, size_t *nr_bad)
{
	for (size_t i = 0; !program->marked && i < program->image->nr_sections; i++) {
		const struct image_section *section = &program->image->sections[i];

		if (section->type == SHT_NOTE && section->data && !strcmp(section->name, ".note.stapsdt"))
			read_notes(program, section);
	}
	if (!program->marked && program->nr_markers)
		qsort(program->markers, program->nr_markers, sizeof(*program->markers), by_name);
	program->marked = true;
	*nr = program->nr_markers;
	if (nr_bad)
		*nr_bad = program->nr_bad_markers;
	return program->markers;
}
