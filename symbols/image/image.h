/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h - an ELF file, with its sections uncompressed and, for a module, relocated.
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
#include "symbols/base/digest.h"

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
	char *own_name;
};

/* A part of a program that is loaded. */
struct image_segment {
	uint64_t addr, offset;
	uint64_t size;		/* in the file */
	bool is_text, is_writable;
};

/* The files over which the debug information of an image is spread. */
struct image_beside {
	struct image *alt;		/* what dwz -m took out of several files; NULL: missing, or none is named */
	struct image *package;		/* the .dwp file; NULL: none */
	char **splits;			/* the .dwo file of each skeleton, in their order; NULL: missing */
	size_t nr_splits;
	char *root;			/* of these paths */
	char *lacks;			/* a sentence about what is missing; NULL: nothing */
	int (*open)(const char *root, const char *path);	/* -1: errno */
};

struct image {
	char *path;
	uint16_t machine;	/* EM_* */
	bool is_module;
	bool is_fixed;		/* linked at fixed addresses (ET_EXEC) */
	bool has_no_debug;	/* opened by image_open_symbols() */
	struct build_id id;
	struct image_section *sections;
	size_t nr_sections;
	struct image_segment *segments;
	size_t nr_segments;
	uint64_t base;		/* below everything that is loaded, except a kernel's per-CPU data at 0 */
	struct image_beside *beside;	/* NULL: nothing */
	struct image_file *file;	/* NULL: not an ELF file; it has no symbols */
};

/*
 * Open a file.  NULL: err is set.  A file compressed as a whole (.xz, .zst, .gz) is read through the program
 * for it.
 */
struct image *image_open(const char *path, struct debug_error *err);
/* The same without the sections of debug information, which may take long to uncompress. */
struct image *image_open_symbols(const char *path, struct debug_error *err);
/* For an open file; it takes fd, also on failure. */
struct image *image_open_fd(int fd, const char *path, struct debug_error *err);
void image_close(struct image *image);
/* A descriptor of the file's uncompressed content; it takes fd.  -1: err is set. */
int image_unpack(int fd, const char *path, struct debug_error *err);

/* A section by name.  NULL: it does not exist, or is not in the file. */
const struct image_section *image_section(const struct image *image, const char *name);
bool image_has_dwarf(const struct image *image);
/* False: no source file has this name, or a path that ends so.  It reads no tables: true says nothing. */
bool image_may_have_source(const struct image *image, const char *file);
/* Find the unit (its offset in .debug_info) that covers a linked address.  False: .debug_aranges has none. */
bool image_unit_at(const struct image *image, uint64_t linked, uint64_t *unit);
/* The file name in .gnu_debuglink, and the checksum of that file.  NULL: there is none. */
const char *image_debuglink(const struct image *image, uint32_t *crc);
/* The file name in .gnu_debugaltlink: debug information that dwz took out of several files.  NULL: there is none. */
const char *image_altlink(const struct image *image);
/* Does the checksum of the file at path agree with that of .gnu_debuglink? */
bool image_crc_of_file(const char *path, uint32_t crc);
/*
 * Sections that a separate debug file names but does not have (.eh_frame) are taken from the program, which must live
 * as long.
 */
void image_lend(struct image *debug, const struct image *program);
/* A digest of all sections that an index is made of. */
void image_digest(const struct image *image, char hex[2 * DIGEST_SIZE + 1]);
/* Is it a kernel or a module, by its sections? */
bool image_is_kernel(const struct image *image);
/* The bytes of the file from an address on, and their number.  NULL: there are none. */
const uint8_t *image_text(const struct image *image, uint64_t addr, size_t *len);

/* Call `each` for the symbols of the file, or for those that the loader uses (.dynsym), until it returns false. */
struct image_symbol {
	const char *name;
	const char *version;	/* of image_dynamic_symbols(); "": none */
	uint64_t addr, size;
	bool is_text;
	bool is_function;	/* declared as one */
	bool is_chosen;		/* STT_GNU_IFUNC */
	bool is_global;
	bool is_old;		/* a version that programs are not linked against any more */
};
void image_symbols(const struct image *image,
		   bool (*each)(const struct image_symbol *symbol, void *arg), void *arg);
void image_dynamic_symbols(const struct image *image,
			   bool (*each)(const struct image_symbol *symbol, void *arg), void *arg);

/*
 * Is there a symbol of a thread-local variable, in either table, for which means(symbol, name) is true?  The variable may be
 * defined in another file.
 */
typedef bool image_means(const char *symbol, const char *name);
bool image_has_thread_local(const struct image *image, image_means *means, const char *name);
/*
 * Call `each` for the words of memory where the loader puts what an ifunc of the file has returned, until it returns false.
 * Both addresses are linked ones.
 */
void image_slots(const struct image *image, bool (*each)(uint64_t slot, uint64_t ifunc, void *arg), void *arg);

/* Read only the build id, of a file or of a block of notes (/sys/kernel/notes). */
bool image_id_of_file(const char *path, struct build_id *out);
bool image_id_of_notes(const char *path, struct build_id *out);
/* The same for notes in memory. */
bool image_id_in(const uint8_t *notes, size_t len, struct build_id *out);
bool build_id_equal(const struct build_id *a, const struct build_id *b);
/* In hexadecimal.  Returns buf. */
const char *build_id_text(const struct build_id *id, char buf[2 * BUILD_ID_MAX + 1]);

#endif
