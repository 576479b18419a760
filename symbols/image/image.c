// SPDX-License-Identifier: GPL-2.0-or-later
/* image.c - read ELF files with libelf.  See image.h. */
#include "symbols/image/image_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define ZSTD		2		/* ELFCOMPRESS_ZSTD, newer than the headers */
#define LARGEST		(8ULL << 30)	/* a section that claims to hold more is a trap */
#define PERCPU_END	0x1000000ULL	/* per-CPU variables are linked at 0 up to here */

/* ---------------------------------------------------------------- build id */

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->len && a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

const char *build_id_text(const struct build_id *id, char buf[2 * BUILD_ID_MAX + 1])
{
	buf[0] = '\0';
	for (size_t i = 0; i < id->len; i++)
		sprintf(buf + 2 * i, "%02x", id->bytes[i]);
	return buf;
}

static size_t round_up(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* A note is: name size, description size, type; then name and description, each padded to four bytes. */
bool image_id_in(const uint8_t *notes, size_t len, struct build_id *out)
{
	for (size_t at = 0; len - at >= 12;) {
		uint32_t head[3];
		size_t name = at + 12, desc;

		memcpy(head, notes + at, sizeof(head));
		if (head[0] > len || head[1] > len)
			return false;
		desc = name + round_up(head[0]);
		if (desc > len || round_up(head[1]) > round_up(len) - desc || head[1] > len - desc)
			return false;
		if (head[2] == NT_GNU_BUILD_ID && head[0] == 4 && !memcmp(notes + name, "GNU", 4) &&
		    head[1] <= BUILD_ID_MAX) {
			out->len = head[1];
			memcpy(out->bytes, notes + desc, head[1]);
			return true;
		}
		at = desc + round_up(head[1]);
		if (at > len)
			return false;
	}
	return false;
}

bool image_id_of_notes(const char *path, struct build_id *out)
{
	uint8_t notes[8192];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, notes, sizeof(notes));

	*out = (struct build_id){ 0 };
	if (fd >= 0)
		close(fd);
	return n > 0 && image_id_in(notes, n, out);
}

static void find_own_id(struct image *image)
{
	for (size_t i = 0; i < image->nr_sections && !image->id.len; i++)
		if (image->sections[i].type == SHT_NOTE && image->sections[i].data)
			image_id_in(image->sections[i].data, image->sections[i].data_size, &image->id);
}

/* ---------------------------------------------------------------- sections */

/* Sections that are not needed stay compressed. */
static bool is_wanted(const struct image *image, const char *name)
{
	return strncmp(name, ".debug_", 7) || (!image->has_no_debug && strcmp(name, ".debug_macro") &&
					       strcmp(name, ".debug_gdb_scripts"));
}

static bool is_old_form(const char *name)
{
	return !strncmp(name, ".zdebug_", 8);
}

/* The form before SHF_COMPRESSED, which -gz=zlib-gnu makes: the name begins with .zdebug_. */
static bool unpack_old(struct image_section *out, Elf_Scn *scn)
{
	if (asprintf(&out->own_name, ".%s", out->name + 2) < 0) {
		out->own_name = NULL;
		return false;
	}
	out->name = out->own_name;
	return elf_compress_gnu(scn, 0, 0) >= 0;
}

/* libelf 0.188 cannot: take the bytes, and do it here. */
static bool unpack_zstd(struct image_section *out, Elf_Scn *scn, const GElf_Chdr *head)
{
	const Elf_Data *data = elf_rawdata(scn, NULL);
	const size_t at = sizeof(Elf64_Chdr);

	if (!data || data->d_size < at || head->ch_size > LARGEST)
		return false;
	out->own = malloc(head->ch_size + 1);
	if (!out->own)
		return false;
	out->data = out->own;
	out->size = out->data_size = head->ch_size;
	return ZSTD_decompress(out->own, head->ch_size, (const char *)data->d_buf + at, data->d_size - at) == head->ch_size;
}

/* Uncompress a section that is needed.  *done: its bytes are in *out. */
static bool unpack(const struct image *image, struct image_section *out, Elf_Scn *scn, GElf_Shdr *shdr, bool *done)
{
	GElf_Chdr head;

	*done = false;
	if (is_old_form(out->name))
		return image->has_no_debug || (unpack_old(out, scn) && gelf_getshdr(scn, shdr));
	if (!(shdr->sh_flags & SHF_COMPRESSED) || !is_wanted(image, out->name))
		return true;
	if (!gelf_getchdr(scn, &head))
		return false;
	*done = head.ch_type == ZSTD;
	return *done ? unpack_zstd(out, scn, &head) : elf_compress(scn, 0, 0) >= 0 && gelf_getshdr(scn, shdr);
}

static bool fill(const struct image *image, struct image_section *out, Elf_Scn *scn, size_t names)
{
	bool done;

	Elf *elf = image->file->elf;
	GElf_Shdr shdr;
	Elf_Data *data;

	if (!gelf_getshdr(scn, &shdr))
		return false;
	out->name = elf_strptr(elf, names, shdr.sh_name);
	if (!out->name)
		return false;
	if (!unpack(image, out, scn, &shdr, &done))
		return false;
	out->is_loaded = shdr.sh_flags & SHF_ALLOC;
	out->is_text = shdr.sh_flags & SHF_EXECINSTR;
	out->addr = out->is_loaded ? shdr.sh_addr : 0;
	out->type = shdr.sh_type;
	if (done)
		return true;
	out->size = shdr.sh_size;
	if (shdr.sh_type == SHT_NOBITS || !shdr.sh_size || shdr.sh_type == SHT_RELA)
		return true;
	data = elf_rawdata(scn, NULL);
	out->data = data ? data->d_buf : NULL;
	out->data_size = out->data ? data->d_size : 0;
	return out->data && (out->data_size == out->size || !is_wanted(image, out->name));
}

static bool read_sections(struct image *image, struct debug_error *err)
{
	Elf *elf = image->file->elf;
	size_t n, names, i = 1;
	Elf_Scn *scn = NULL;

	if (elf_getshdrnum(elf, &n) || elf_getshdrstrndx(elf, &names) || !n)
		return debug_fail(err, "%s: it has no sections: is the file whole?", image->path);
	image->sections = calloc(n, sizeof(*image->sections));
	if (!image->sections)
		return debug_fail(err, "no memory for %s: free some", image->path);
	image->nr_sections = n;
	image->sections[0].name = "";
	for (; (scn = elf_nextscn(elf, scn)) && i < n; i++)
		if (!fill(image, &image->sections[i], scn, names))
			return debug_fail(err, "%s: section %zu cannot be read: is the file whole?",
					  image->path, i);
	return i == n || debug_fail(err, "%s: sections are missing: is the file whole?", image->path);
}

/* A kernel's per-CPU variables may be linked at 0. */
static bool has_percpu(const struct image *image)
{
	for (size_t i = 0; image->is_fixed && i < image->nr_sections; i++)
		if (!strcmp(image->sections[i].name, ".data..percpu"))
			return true;
	return false;
}

static void find_base(struct image *image)
{
	const uint64_t least = has_percpu(image) ? PERCPU_END : 1;

	image->base = UINT64_MAX;
	for (size_t i = 0; i < image->nr_sections; i++) {
		const struct image_section *section = &image->sections[i];

		if (section->is_loaded && section->size && section->addr >= least && section->addr < image->base)
			image->base = section->addr;
	}
	if (image->base == UINT64_MAX)
		image->base = 0;
}

const struct image_section *image_section(const struct image *image, const char *name)
{
	for (size_t i = 0; i < image->nr_sections; i++)
		if (image->sections[i].data && !strcmp(image->sections[i].name, name))
			return &image->sections[i];
	return NULL;
}

bool image_has_dwarf(const struct image *image)
{
	return image_section(image, ".debug_info") && image_section(image, ".debug_abbrev");
}

const uint8_t *image_text(const struct image *image, uint64_t addr, size_t *len)
{
	for (size_t i = 0; i < image->nr_sections; i++) {
		const struct image_section *section = &image->sections[i];

		if (!section->is_loaded || !section->data || addr < section->addr ||
		    addr - section->addr >= section->data_size)
			continue;
		*len = section->data_size - (addr - section->addr);
		return section->data + (addr - section->addr);
	}
	*len = 0;
	return NULL;
}

/* -------------------------------------------------------------------- open */

/* A file of another user may shrink while it is read; where it is mapped, that would be a fault. */
static Elf_Cmd read_command(int fd)
{
	struct stat st;

	if (!fstat(fd, &st) && st.st_uid && st.st_uid != geteuid())
		return ELF_C_READ;
	return ELF_C_READ_MMAP;
}

static bool check_kind(struct image *image, struct debug_error *err)
{
	GElf_Ehdr ehdr;

	if (elf_kind(image->file->elf) != ELF_K_ELF || !gelf_getehdr(image->file->elf, &ehdr))
		return debug_fail(err, "%s: not an ELF file: give the kernel's vmlinux with debug information",
				  image->path);
	if (ehdr.e_ident[EI_CLASS] != ELFCLASS64 || ehdr.e_ident[EI_DATA] != ELFDATA2LSB)
		return debug_fail(err, "%s: not a 64-bit little-endian file: it belongs to another kind of machine",
				  image->path);
	image->machine = ehdr.e_machine;
	image->is_module = ehdr.e_type == ET_REL;
	image->is_fixed = ehdr.e_type == ET_EXEC;
	return true;
}

static bool load(struct image *image, int fd, struct debug_error *err)
{
	struct image_file *file = image->file;

	file->fd = image_unpack(fd, image->path, err);
	if (file->fd < 0)
		return false;
	elf_version(EV_CURRENT);
	file->elf = elf_begin(file->fd, read_command(file->fd), NULL);
	if (!check_kind(image, err) || !read_sections(image, err) || !image_read_segments(image, err))
		return false;
	find_own_id(image);
	if (image->is_module) {
		image_relocate_sections(image);
		if (!image_relocate(image, err))
			return false;
	}
	find_base(image);
	return true;
}

static struct image *open_fd(int fd, const char *path, bool has_no_debug, struct debug_error *err)
{
	struct image *image = calloc(1, sizeof(*image));

	if (image) {
		image->has_no_debug = has_no_debug;
		image->path = strdup(path);
		image->file = calloc(1, sizeof(*image->file));
	}
	if (!image || !image->path || !image->file) {
		debug_fail(err, "no memory for %s: free some", path);
		close(fd);
	} else {
		image->file->fd = -1;
		if (load(image, fd, err))
			return image;
	}
	image_close(image);
	return NULL;
}

static struct image *open_path(const char *path, bool has_no_debug, struct debug_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		return open_fd(fd, path, has_no_debug, err);
	debug_fail(err, "%s: %s: give the file with the debug information", path, strerror(errno));
	return NULL;
}

struct image *image_open(const char *path, struct debug_error *err)
{
	return open_path(path, false, err);
}

struct image *image_open_symbols(const char *path, struct debug_error *err)
{
	return open_path(path, true, err);
}

struct image *image_open_fd(int fd, const char *path, struct debug_error *err)
{
	return open_fd(fd, path, false, err);
}

static void free_beside(struct image_beside *beside)
{
	if (!beside)
		return;
	for (size_t i = 0; i < beside->nr_splits; i++)
		free(beside->splits[i]);
	image_close(beside->alt);
	image_close(beside->package);
	free(beside->splits);
	free(beside->root);
	free(beside->lacks);
	free(beside);
}

void image_close(struct image *image)
{
	if (!image)
		return;
	for (size_t i = 0; i < image->nr_sections; i++) {
		free(image->sections[i].own);
		free(image->sections[i].own_name);
	}
	if (image->file && image->file->elf)
		elf_end(image->file->elf);
	if (image->file && image->file->fd >= 0)
		close(image->file->fd);
	free_beside(image->beside);
	free(image->file);
	free(image->sections);
	free(image->segments);
	free(image->path);
	free(image);
}

bool image_id_of_file(const char *path, struct build_id *out)
{
	struct image *image = image_open(path, NULL);

	*out = image ? image->id : (struct build_id){ 0 };
	image_close(image);
	return out->len;
}
