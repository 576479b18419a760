/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h - an ELF file with debug information: its sections uncompressed and, for a module, relocated.
 *
 * A module is not linked: this library places its sections one behind the other, so that each address is unique
 * in the file.  An open image does not change, so threads may share it.
 */
#ifndef KTRACE_IMAGE_H
#define KTRACE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/base/debug_error.h"

#define BUILD_ID_MAX	32

struct build_id {
	uint8_t len;		/* 0: none */
	uint8_t bytes[BUILD_ID_MAX];
};

struct image_section {
	const char *name;
	uint64_t addr;		/* 0: not loaded */
	uint64_t size;
	uint32_t type;		/* SHT_* */
	bool is_loaded, is_text;
	const uint8_t *data;	/* NULL: not in the file */
	size_t data_size;
	void *own;		/* memory to free */
};

struct image {
	char *path;
	uint16_t machine;	/* EM_* */
	bool is_module;
	bool has_percpu;	/* linked at fixed addresses (ET_EXEC): its per-CPU variables may be at 0 */
	struct build_id id;
	struct image_section *sections;
	size_t nr_sections;
	uint64_t base;		/* below everything that is loaded, except per-CPU data at 0 */
	struct image_file *file;	/* NULL: not an ELF file; it has no symbols */
};

/*
 * Open a file.  NULL: err is set.  A file compressed as a whole (.xz, .zst, .gz) is read through the program
 * for it.
 */
struct image *image_open(const char *path, struct debug_error *err);
/* The same for an open file; it takes fd, also on failure. */
struct image *image_open_fd(int fd, const char *path, struct debug_error *err);
void image_close(struct image *image);
/* A descriptor of the file's uncompressed content; it takes fd.  -1: err is set. */
int image_unpack(int fd, const char *path, struct debug_error *err);

/* A section by name.  NULL: it does not exist, or is not in the file. */
const struct image_section *image_section(const struct image *image, const char *name);
bool image_has_dwarf(const struct image *image);
/* Find the unit (its offset in .debug_info) that covers a linked address.  False: .debug_aranges has none. */
bool image_unit_at(const struct image *image, uint64_t linked, uint64_t *unit);
/* The file name in .gnu_debuglink.  NULL: there is none. */
const char *image_debuglink(const struct image *image);
/* The bytes of the file from an address on, and their number.  NULL: there are none. */
const uint8_t *image_text(const struct image *image, uint64_t addr, size_t *len);

/* Call `each` for the symbols of the file until it returns false. */
struct image_symbol {
	const char *name;
	uint64_t addr, size;
	bool is_text;
};
void image_symbols(const struct image *image,
		   bool (*each)(const struct image_symbol *symbol, void *arg), void *arg);

/* Read only the build id, of a file or of a block of notes (/sys/kernel/notes). */
bool image_id_of_file(const char *path, struct build_id *out);
bool image_id_of_notes(const char *path, struct build_id *out);
bool build_id_equal(const struct build_id *a, const struct build_id *b);
/* In hexadecimal.  Returns buf. */
const char *build_id_text(const struct build_id *id, char buf[2 * BUILD_ID_MAX + 1]);

#endif
