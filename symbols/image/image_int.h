/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image_int.h - the file of an image. */
#ifndef KTRACE_IMAGE_INT_H
#define KTRACE_IMAGE_INT_H

#include <gelf.h>

#include "symbols/image/image.h"

struct image_file {
	int fd;
	Elf *elf;
};

/* image_segment.c */
bool image_read_segments(struct image *image, struct debug_error *err);

/* image_relocate.c: place the sections of a module, then relocate the debug information that refers to them. */
void image_relocate_sections(struct image *image);
bool image_relocate(struct image *image, struct debug_error *err);

#endif
