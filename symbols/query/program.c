// SPDX-License-Identifier: GPL-2.0-or-later
/* program.c - open a program, and convert its addresses.  See program.h. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/elf.h"
#include "symbols/query/program_int.h"

/* -------------------------------------------------------------------- open */

int program_open_below(const char *root, const char *path)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK, .resolve = RESOLVE_IN_ROOT };
	int dir, fd;

	if (!*root)
		return open(path, how.flags);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
	close(dir);
	return fd;
}

static bool not_elf(const char *path, const char *head, size_t n, struct debug_error *err)
{
	if (n > 2 && head[0] == '#' && head[1] == '!')
		return debug_fail(err, "%s is a script: give the program that runs it, which its first line names", path);
	return debug_fail(err, "%s is not an ELF file: give an executable or a shared library", path);
}

/* Say in which way the file is no program of this machine, before libelf reads it. */
static bool check_head(int fd, const char *path, struct debug_error *err)
{
	Elf64_Ehdr head = { .e_type = ET_NONE };
	ssize_t n = pread(fd, &head, sizeof(head), 0);

	if (n < EI_NIDENT || memcmp(head.e_ident, ELFMAG, SELFMAG))
		return not_elf(path, (const char *)&head, n < 0 ? 0 : n, err);
	if (head.e_ident[EI_CLASS] == ELFCLASS32)
		return debug_fail(err, "%s is a 32-bit program: ktrace traces 64-bit programs only, because the registers and the stack of others have another form", path);
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || n < (ssize_t)sizeof(head) || head.e_ident[EI_DATA] != ELFDATA2LSB ||
	    head.e_machine != arch_native.elf_machine)
		return debug_fail(err, "%s is a program for %s: ktrace here traces programs for %s", path,
				  elf_machine_name(head.e_machine), arch_native.name);
	if (head.e_type != ET_EXEC && head.e_type != ET_DYN)
		return debug_fail(err, "%s is an ELF file, but neither an executable nor a shared library", path);
	return true;
}

static bool check_kind(int fd, const char *path, struct debug_error *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return debug_fail(err, "%s: %s: give an executable or a shared library", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return debug_fail(err, "%s is %s: give an executable or a shared library", path,
				  S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
	return check_head(fd, path, err);
}

static bool has_code(const struct image *image)
{
	for (size_t i = 0; i < image->nr_segments; i++)
		if (image->segments[i].is_text && image->segments[i].size)
			return true;
	return false;
}

static bool load(struct program *program, struct debug_error *err)
{
	int fd;

	if (!check_kind(program->fd, program->path, err))
		return false;
	fd = fcntl(program->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return debug_fail(err, "%s: %s", program->path, strerror(errno));
	program->image = image_open_fd(fd, program->path, err);
	if (!program->image)
		return false;
	return has_code(program->image) ||
	       debug_fail(err, "%s has no code: is it a file of debug information only? Give the program itself",
			  program->path);
}

struct program *program_open_fd(int fd, const char *path, const char *root, struct debug_error *err)
{
	struct program *program = calloc(1, sizeof(*program));

	if (!program) {
		close(fd);
		debug_fail(err, "no memory for %s: free some", path);
		return NULL;
	}
	program->fd = fd;
	program->path = strdup(path);
	program->root = strdup(root ? root : "");
	if (!program->path || !program->root)
		debug_fail(err, "no memory for %s: free some", path);
	else if (load(program, err))
		return program;
	program_close(program);
	return NULL;
}

struct program *program_open(const char *path, const char *root, struct debug_error *err)
{
	int fd = program_open_below(root ? root : "", path);

	if (fd >= 0)
		return program_open_fd(fd, path, root, err);
	debug_fail(err, "%s%s: %s", root ? root : "", path, strerror(errno));
	return NULL;
}

void program_close(struct program *program)
{
	if (!program)
		return;
	debug_close(program->debug);
	symtab_free(program->symtab);
	program_free_names(program);
	for (size_t i = 0; i < program->nr_texts; i++)
		free(program->texts[i]);
	free(program->texts);
	for (size_t i = 0; i < program->nr_markers; i++)
		free((void *)program->markers[i].args);
	free(program->markers);
	free(program->covering);
	free(program->functions);
	image_close(program->separate);
	image_close(program->image);
	free(program->path);
	free(program->root);
	close(program->fd);
	free(program);
}

const char *program_keep(struct program *program, char *text)
{
	*ARRAY_ADD(program->texts, program->nr_texts, program->texts_room) = text;
	return text;
}

int program_fd(const struct program *program)
{
	return program->fd;
}

const char *program_path(const struct program *program)
{
	return program->path;
}

const char *program_root(const struct program *program)
{
	return program->root;
}

const struct build_id *program_id(const struct program *program)
{
	return &program->image->id;
}

bool program_is_fixed(const struct program *program)
{
	return program->image->is_fixed;
}

/* --------------------------------------------------------------- addresses */

static const struct image_segment *segment_at(const struct program *program, uint64_t addr)
{
	for (size_t i = 0; i < program->image->nr_segments; i++) {
		const struct image_segment *segment = &program->image->segments[i];

		if (addr >= segment->addr && addr - segment->addr < segment->size)
			return segment;
	}
	return NULL;
}

bool program_data_offset(const struct program *program, uint64_t addr, uint64_t *offset)
{
	const struct image_segment *segment = segment_at(program, addr);

	if (segment)
		*offset = segment->offset + (addr - segment->addr);
	return segment;
}

bool program_offset(const struct program *program, uint64_t addr, uint64_t *offset)
{
	const struct image_segment *segment = segment_at(program, addr);

	return segment && segment->is_text && program_data_offset(program, addr, offset);
}

bool program_addr(const struct program *program, uint64_t offset, uint64_t *addr)
{
	for (size_t i = 0; i < program->image->nr_segments; i++) {
		const struct image_segment *segment = &program->image->segments[i];

		if (!segment->is_text || offset < segment->offset || offset - segment->offset >= segment->size)
			continue;
		*addr = segment->addr + (offset - segment->offset);
		return true;
	}
	return false;
}

bool program_span(const struct program *program, uint64_t *from, uint64_t *to)
{
	*from = UINT64_MAX;
	*to = 0;
	for (size_t i = 0; i < program->image->nr_segments; i++) {
		const struct image_segment *segment = &program->image->segments[i];

		if (!segment->is_text)
			continue;
		*from = segment->addr < *from ? segment->addr : *from;
		*to = segment->addr + segment->size > *to ? segment->addr + segment->size : *to;
	}
	return *from < *to;
}

size_t program_code(const struct program *program, uint64_t addr, void *buf, size_t len)
{
	const struct image_segment *segment = segment_at(program, addr);
	uint64_t left;
	ssize_t n;

	if (!segment || !segment->is_text)
		return 0;
	left = segment->size - (addr - segment->addr);
	n = pread(program->fd, buf, len < left ? len : left, segment->offset + (addr - segment->addr));
	return n < 0 ? 0 : n;
}

bool program_is_insn(const struct program *program, const struct program_function *function, uint64_t addr,
		     struct debug_error *err)
{
	uint8_t code[32];
	struct arch_insn insn;
	uint64_t at = function->addr;

	while (at < addr) {
		size_t n = program_code(program, at, code, sizeof(code));

		if (!n || !arch_native.decode(code, n, at, &insn) || !insn.len)
			return debug_fail(err, "%s+0x%llx: the bytes at +0x%llx are no instruction, so it is not known where the next ones begin",
					  function->name, (unsigned long long)(addr - function->addr),
					  (unsigned long long)(at - function->addr));
		at += insn.len;
	}
	if (at == addr)
		return true;
	return debug_fail(err, "%s+0x%llx is inside the instruction at +0x%llx (%s): the next one begins at +0x%llx",
			  function->name, (unsigned long long)(addr - function->addr),
			  (unsigned long long)(at - insn.len - function->addr), insn.text,
			  (unsigned long long)(at - function->addr));
}
