/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image_int.h - the file below an image. */
#ifndef KTRACE_IMAGE_INT_H
#define KTRACE_IMAGE_INT_H

#include <gelf.h>

#include "symbols/image/image.h"

struct image_file {
	int fd;
	Elf *elf;
};


/* image_relocate.c: addresses for the sections of a module, then what refers to them. */
void image_relocate_sections(struct image *image);
bool image_relocate(struct image *image, struct debug_error *err);

#endif
