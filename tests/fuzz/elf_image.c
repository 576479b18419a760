// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * elf_image.c - a damaged ELF file: its sections, notes, symbols, and the index made of its debug information.
 *
 * A child process makes the index, as in ktrace, because it may run out of memory or time. A fault in it ends the
 * fuzzer. The child shares its coverage counters, so that its coverage counts.
 */
#include <errno.h>
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf.h"
#include "symbols/build/dbindex_build.h"
#include "symbols/image/image.h"

#define SECONDS	15	/* of CPU time: the limit for an index */

enum end { END_WELL, END_FAULT = 40 };

/* ---------------------------------------------------------------- coverage */

/* They do not exist when the corpus is replayed. */
extern uint8_t __start___sancov_cntrs[] __attribute__((weak, visibility("hidden")));
extern uint8_t __stop___sancov_cntrs[] __attribute__((weak, visibility("hidden")));

/* Make whole pages of them shared with children. */
static void share_counters(void)
{
	const uintptr_t page = 4096, start = ((uintptr_t)__start___sancov_cntrs + page - 1) & -page;
	const uintptr_t stop = (uintptr_t)__stop___sancov_cntrs & -page;
	static bool done;

	if (done || start >= stop)
		return;
	done = true;
	if (mmap((void *)start, stop - start, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	    MAP_FAILED)
		abort();
}

/* ------------------------------------------------------------------- index */

static void die(void)
{
	_exit(END_FAULT);
}

static void make_index(const struct image *image, int said)
{
	struct debug_error err = { .text = "" };
	struct dbindex *ix;
	int fd = memfd_create("index", MFD_CLOEXEC);

	dup2(said, STDERR_FILENO);
	__sanitizer_set_death_callback(die);
	signal(SIGPROF, SIG_DFL);
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = SECONDS }, NULL);
	if (!dbindex_build_here(image, NULL, 1, fd, &err))
		_exit(*err.text && !strchr(err.text, '\n') ? END_WELL : END_FAULT);
	ix = dbindex_map(fd, "index", &err);
	if (!ix)
		_exit(END_FAULT);
	elf_ask(ix);
	_exit(END_WELL);
}

/* Print the report of the child. */
static void tell(int said)
{
	char text[4096];
	ssize_t n;

	for (off_t at = 0; (n = pread(said, text, sizeof(text), at)) > 0; at += n)
		fwrite(text, 1, n, stderr);
}

static void try_index(const struct image *image)
{
	int status = -1, said = memfd_create("stderr", MFD_CLOEXEC);
	pid_t pid;

	share_counters();
	pid = fork();
	if (!pid)
		make_index(image, said);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != END_WELL) {
		tell(said);
		fprintf(stderr, "the process that made the index ended with 0x%x\n", status);
		abort();
	}
	close(said);
}

/* ------------------------------------------------------------------- image */

static volatile uint8_t sink;

static bool is_symbol(const char *symbol, const char *name)
{
	return !strcmp(symbol, name);
}

static bool take_symbol(const struct image_symbol *symbol, void *arg)
{
	sink = symbol->name[strlen(symbol->name)] + symbol->version[strlen(symbol->version)] + symbol->addr;
	return --*(unsigned int *)arg;
}

static void ask_sections(const struct image *image)
{
	for (size_t i = 0; i < image->nr_sections; i++) {
		const struct image_section *section = &image->sections[i];
		size_t n = 0;

		sink = strlen(section->name);
		if (section->data_size)
			sink = section->data[0] + section->data[section->data_size - 1];
		image_text(image, section->addr, &n);
		image_text(image, section->addr + section->size - 1, &n);
	}
}

static bool take_slot(uint64_t slot, uint64_t ifunc, void *arg)
{
	unsigned int *left = arg;

	sink = slot ^ ifunc;
	return --*left;
}

static void ask(const struct image *image)
{
	char id[2 * BUILD_ID_MAX + 1];
	unsigned int symbols = 1000;
	uint32_t crc;
	const char *link = image_debuglink(image, &crc), *altlink = image_altlink(image);
	uint64_t unit;

	ask_sections(image);
	image_symbols(image, take_symbol, &symbols);
	build_id_text(&image->id, id);
	symbols = 1000;
	image_dynamic_symbols(image, take_symbol, &symbols);
	symbols = 1000;
	image_slots(image, take_slot, &symbols);
	sink = image_has_thread_local(image, is_symbol, "each");
	sink = (link ? strlen(link) : 0) + (altlink ? strlen(altlink) : 0);
	image_unit_at(image, image->base, &unit);
	image_unit_at(image, image->base + 0x1000, &unit);
	if (image_has_dwarf(image))
		try_index(image);
}

void elf_image(const uint8_t *data, size_t size)
{
	struct debug_error err = { .text = "" };
	struct image *image;
	struct build_id id;
	int fd;

	/* Compressed files are the task of other programs. */
	if (size > 4 && memcmp(data, "\177ELF", 4) && (data[0] == 0xfd || data[0] == 0x28 || data[0] == 0x1f))
		return;
	fd = elf_file(data, size);
	image_id_of_notes(elf_path(fd), &id);
	image = image_open(elf_path(fd), &err);
	if (image)
		ask(image);
	else if (!*err.text || strchr(err.text, '\n'))
		abort();
	image_close(image);
	close(fd);
}
