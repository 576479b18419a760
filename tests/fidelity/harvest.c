// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * harvest.c - collect the different instruction encodings of a kernel: harvest VMLINUX CORPUS.
 *
 * It walks every executable section from its start. Two instructions have the same encoding if they differ only
 * in displacement and immediate values.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/kernel.h>

#include "corpus.h"

#define TABLE	(1u << 22)	/* encodings: a power of 2, well above their number */

static struct corpus_record keys[TABLE];
static u64 seen, distinct;

static u64 hash(const struct corpus_record *key)
{
	u64 words[2];

	memcpy(words, key, sizeof(words));
	return (words[0] * 0x9e3779b97f4a7c15 ^ words[1]) * 0xd1342543de82ef95 >> 42;
}

static void blank(struct corpus_record *key, int at, int n)
{
	if (at + n <= MAX_INSN_SIZE)
		memset(key->bytes + at, 0, n);
}

static struct corpus_record key_of(struct insn *insn, const u8 *bytes)
{
	struct corpus_record key = { .len = insn->length };
	int operands = insn_offset_displacement(insn);

	memcpy(key.bytes, bytes, insn->length);
	blank(&key, operands, insn->length - operands);
	return key;
}

static bool is_new(const struct corpus_record *key)
{
	u64 i = hash(key) % TABLE;

	for (; keys[i].len; i = (i + 1) % TABLE)
		if (!memcmp(&keys[i], key, sizeof(*key)))
			return false;
	keys[i] = *key;
	return true;
}

static void take(struct insn *insn, const u8 *bytes, FILE *out)
{
	struct corpus_record key = key_of(insn, bytes), record = { .len = insn->length };

	seen++;
	if (distinct > TABLE / 2 || !is_new(&key))
		return;
	distinct++;
	memcpy(record.bytes, bytes, insn->length);
	fwrite(&record, sizeof(record), 1, out);
}

static void walk(const u8 *text, size_t n, FILE *out)
{
	struct insn insn;
	size_t at = 0;

	while (at < n) {
		int room = n - at < MAX_INSN_SIZE ? n - at : MAX_INSN_SIZE;

		if (insn_decode(&insn, text + at, room, INSN_MODE_KERN) < 0) {
			at++;
			continue;
		}
		take(&insn, text + at, out);
		at += insn.length;
	}
}

static bool walk_sections(const u8 *image, size_t size, FILE *out)
{
	const Elf64_Ehdr *header = (const void *)image;
	const Elf64_Shdr *section;
	unsigned int i;

	if (size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_machine != EM_X86_64 || header->e_shoff + header->e_shnum * sizeof(*section) > size)
		return false;
	section = (const void *)(image + header->e_shoff);
	for (i = 0; i < header->e_shnum; i++, section++)
		if (section->sh_type == SHT_PROGBITS && (section->sh_flags & SHF_EXECINSTR) &&
		    section->sh_offset + section->sh_size <= size)
			walk(image + section->sh_offset, section->sh_size, out);
	return distinct > 0;
}

static const u8 *map_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *all;

	if (fd < 0 || fstat(fd, &status))
		return NULL;
	*size = status.st_size;
	all = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return all == MAP_FAILED ? NULL : all;
}

int main(int argc, char **argv)
{
	const u8 *image;
	size_t size;
	FILE *out;

	if (argc != 3) {
		fprintf(stderr, "usage: harvest VMLINUX CORPUS\n");
		return 2;
	}
	image = map_file(argv[1], &size);
	out = image ? fopen(argv[2], "w") : NULL;
	if (!out || !walk_sections(image, size, out) || fclose(out)) {
		fprintf(stderr, "harvest: %s to %s: no instructions harvested\n", argv[1], argv[2]);
		return 1;
	}
	printf("# %llu instructions, %llu distinct encodings\n", (unsigned long long)seen,
	       (unsigned long long)distinct);
	return 0;
}
