// SPDX-License-Identifier: GPL-2.0-or-later
/* image_segment.c - what of a file is loaded, and the files with its debug information that it names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/image/image_int.h"

/* ---------------------------------------------------------------- segments */

bool image_read_segments(struct image *image, struct debug_error *err)
{
	size_t n = 0;
	GElf_Phdr phdr;

	if (elf_getphdrnum(image->file->elf, &n))
		n = 0;
	image->segments = calloc(n + 1, sizeof(*image->segments));
	if (!image->segments)
		return debug_fail(err, "no memory for %s: free some", image->path);
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(image->file->elf, i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		image->segments[image->nr_segments++] = (struct image_segment){
			.addr = phdr.p_vaddr, .offset = phdr.p_offset, .size = phdr.p_filesz,
			.is_text = phdr.p_flags & PF_X, .is_writable = phdr.p_flags & PF_W,
		};
	}
	return true;
}

/* ------------------------------------------------------------- other files */

/* A text that a terminal can show. */
static const char *text_of(const struct image_section *section)
{
	const char *text = section ? (const char *)section->data : NULL;

	if (!text || !memchr(text, '\0', section->data_size) || !*text)
		return NULL;
	for (const char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return NULL;
	return text;
}

/* The name, filled up with zeros to four bytes, and four bytes of checksum. */
const char *image_debuglink(const struct image *image, uint32_t *crc)
{
	const struct image_section *section = image_section(image, ".gnu_debuglink");
	const char *name = text_of(section);
	size_t at = name ? (strlen(name) + 4) & ~(size_t)3 : 0;

	if (!name || strchr(name, '/') || at > section->data_size || section->data_size - at < sizeof(*crc))
		return NULL;
	memcpy(crc, section->data + at, sizeof(*crc));
	return name;
}

const char *image_altlink(const struct image *image)
{
	return text_of(image_section(image, ".gnu_debugaltlink"));
}

/* CRC-32 with the polynomial of IEEE 802.3, as in "Debugging Information in Separate Files" of gdb's manual. */
static uint32_t crc_of_byte[256];

__attribute__((constructor)) static void fill_crc(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t v = i;

		for (int bit = 0; bit < 8; bit++)
			v = v & 1 ? v >> 1 ^ 0xedb88320 : v >> 1;
		crc_of_byte[i] = v;
	}
}

bool image_crc_of_file(const char *path, uint32_t crc)
{
	FILE *file = fopen(path, "re");
	uint32_t found = UINT32_MAX;
	uint8_t data[65536];
	size_t n;

	if (!file)
		return false;
	while ((n = fread(data, 1, sizeof(data), file)))
		for (size_t i = 0; i < n; i++)
			found = crc_of_byte[(found ^ data[i]) & 0xff] ^ found >> 8;
	fclose(file);
	return ~found == crc;
}

void image_lend(struct image *debug, const struct image *program)
{
	for (size_t i = 0; i < debug->nr_sections; i++) {
		struct image_section *section = &debug->sections[i];
		const struct image_section *whole = section->data || !section->is_loaded ? NULL :
						    image_section(program, section->name);

		if (!whole || whole->addr != section->addr || whole->size != section->size)
			continue;
		section->type = whole->type;
		section->data = whole->data;
		section->data_size = whole->data_size;
	}
}
