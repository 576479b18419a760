/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h - an ELF file with debug information: its sections as they are
 * meant, that is uncompressed and, in a module, relocated.
 *
 * A module is not linked: its sections lie at addresses that are chosen here,
 * one behind the other, so that each address names one place in the file.
 * Immutable once open and may be shared between threads.
 */
#ifndef KTRACE_IMAGE_H
#define KTRACE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/base/debug_error.h"

#define BUILD_ID_MAX	32

struct build_id {
	uint8_t len;		/* 0: there is none */
	uint8_t bytes[BUILD_ID_MAX];
};

struct image_section {
	const char *name;
	uint64_t addr;		/* 0 unless it is loaded */
	uint64_t size;
	uint32_t type;		/* SHT_* */
	bool is_loaded, is_text;
	const uint8_t *data;	/* NULL: nothing in the file */
	size_t data_size;
	void *own;		/* to be freed */
};

struct image {
	char *path;
	uint16_t machine;	/* EM_* */
	bool is_module;
	bool has_percpu;	/* linked at fixed addresses, as kernels with their per-CPU variables at 0 */
	struct build_id id;
	struct image_section *sections;
	size_t nr_sections;
	uint64_t base;		/* below all that is loaded, but for per-CPU data at 0 */
	struct image_file *file;	/* NULL: not of an ELF file, and without symbols */
};

/* NULL with err set.  Files compressed as a whole (.xz, .zst, .gz) are read by the program for it. */
struct image *image_open(const char *path, struct debug_error *err);
/* The same of a file that is open already, which it takes, also where it fails. */
struct image *image_open_fd(int fd, const char *path, struct debug_error *err);
void image_close(struct image *image);
/* A descriptor of what a file holds, unpacked where it is compressed; it takes fd.  -1 with err set. */
int image_unpack(int fd, const char *path, struct debug_error *err);

/* By name; NULL where it is not there or has nothing in the file. */
const struct image_section *image_section(const struct image *image, const char *name);
bool image_has_dwarf(const struct image *image);
/* The unit (its offset in .debug_info) that says it covers an address as linked. */
bool image_unit_at(const struct image *image, uint64_t linked, uint64_t *unit);
/* The file name in .gnu_debuglink, NULL without one. */
const char *image_debuglink(const struct image *image);
/* What the file has at an address: NULL, or the bytes there and how many. */
const uint8_t *image_text(const struct image *image, uint64_t addr, size_t *len);

/* The symbols of the file: calls each until it returns false. */
struct image_symbol {
	const char *name;
	uint64_t addr, size;
	bool is_text;
};
void image_symbols(const struct image *image,
		   bool (*each)(const struct image_symbol *symbol, void *arg), void *arg);

/* The build id alone, of a file or of a block of notes (/sys/kernel/notes). */
bool image_id_of_file(const char *path, struct build_id *out);
bool image_id_of_notes(const char *path, struct build_id *out);
bool build_id_equal(const struct build_id *a, const struct build_id *b);
/* In hexadecimal. */
const char *build_id_text(const struct build_id *id, char buf[2 * BUILD_ID_MAX + 1]);

#endif
