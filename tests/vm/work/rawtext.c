// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of the kernel and of its modules in memory, with all patches:
 *
 *   rawtext save FILE		save it
 *   rawtext compare FILE	print the differences to now, without unloaded modules; exit status 1 if there are any
 *
 * The kernel itself may patch at any time (jump labels, static calls), so compare repeats for two seconds.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct range {
	uint64_t start, end;
	char module[56];	/* "" for the kernel */
};

static struct range *ranges;
static size_t nr_ranges;
static int kcore;
static Elf64_Phdr *segments;
static size_t nr_segments;

static void __attribute__((noreturn)) die(const char *what)
{
	perror(what);
	exit(2);
}

/* ------------------------------------------------------------------- where text is */

static struct range *range_of(const char *module)
{
	for (size_t i = 0; i < nr_ranges; i++)
		if (strcmp(ranges[i].module, module) == 0)
			return &ranges[i];
	ranges = realloc(ranges, (nr_ranges + 1) * sizeof(*ranges));
	if (!ranges)
		die("rawtext");
	ranges[nr_ranges] = (struct range){ .start = UINT64_MAX };
	strncpy(ranges[nr_ranges].module, module, sizeof(ranges->module) - 1);
	return &ranges[nr_ranges++];
}

static void take_symbol(uint64_t addr, char type, const char *name, const char *module)
{
	struct range *range;

	if (!module[0] && strcmp(name, "_stext") == 0)
		range_of("")->start = addr;
	if (!module[0] && strcmp(name, "_etext") == 0)
		range_of("")->end = addr;
	/* What the kernel makes for BPF, ftrace and kprobes comes and goes. */
	if (!module[0] || strchr("tT", type) == NULL || strncmp(module, "ktrace", 6) == 0 || strcmp(module, "bpf") == 0 ||
	    strncmp(module, "__builtin__", 11) == 0)
		return;
	range = range_of(module);
	if (addr < range->start)
		range->start = addr;
	if (addr + 1 > range->end)
		range->end = addr + 1;
}

static void read_symbols(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[512], name[256], module[64], type;
	unsigned long long addr;

	if (!file)
		die("/proc/kallsyms");
	while (fgets(line, sizeof(line), file)) {
		module[0] = '\0';
		if (sscanf(line, "%llx %c %255s [%55[^]]]", &addr, &type, name, module) >= 3)
			take_symbol(addr, type, name, module);
	}
	fclose(file);
}

/* ------------------------------------------------------------------------- reading */

static void open_kcore(void)
{
	Elf64_Ehdr head;

	kcore = open("/proc/kcore", O_RDONLY);
	if (kcore < 0 || read(kcore, &head, sizeof(head)) != sizeof(head))
		die("/proc/kcore");
	nr_segments = head.e_phnum;
	segments = calloc(nr_segments, sizeof(*segments));
	if (!segments || pread(kcore, segments, nr_segments * sizeof(*segments), head.e_phoff) < 0)
		die("/proc/kcore");
}

static bool read_memory(uint64_t addr, uint8_t *to, size_t n)
{
	for (size_t i = 0; i < nr_segments; i++) {
		const Elf64_Phdr *seg = &segments[i];

		if (seg->p_type == PT_LOAD && addr >= seg->p_vaddr && addr + n <= seg->p_vaddr + seg->p_memsz)
			return pread(kcore, to, n, addr - seg->p_vaddr + seg->p_offset) == (ssize_t)n;
	}
	return false;
}

static uint8_t *read_range(const struct range *range)
{
	uint8_t *text = malloc(range->end - range->start);

	if (!text || !read_memory(range->start, text, range->end - range->start)) {
		fprintf(stderr, "rawtext: the text of %s cannot be read\n", range->module[0] ? range->module : "the kernel");
		exit(2);
	}
	return text;
}

/* ------------------------------------------------------------------ save, compare */

static int save(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		die(path);
	for (size_t i = 0; i < nr_ranges; i++) {
		uint8_t *text = read_range(&ranges[i]);

		fwrite(&ranges[i], sizeof(ranges[i]), 1, file);
		fwrite(text, 1, ranges[i].end - ranges[i].start, file);
		free(text);
	}
	return fclose(file) ? 2 : 0;
}

static const struct range *same_range(const struct range *saved)
{
	for (size_t i = 0; i < nr_ranges; i++)
		if (strcmp(ranges[i].module, saved->module) == 0 && ranges[i].start == saved->start)
			return &ranges[i];
	return NULL;
}

static bool comes_back(uint64_t addr, uint8_t was)
{
	uint8_t now;

	for (int tries = 0; tries < 100; tries++) {
		if (read_memory(addr, &now, 1) && now == was)
			return true;
		usleep(20000);
	}
	return false;
}

static size_t compare_range(const struct range *range, const uint8_t *saved)
{
	uint8_t *text = read_range(range);
	size_t different = 0;

	for (size_t i = 0; i < range->end - range->start && different < 20; i++) {
		if (text[i] == saved[i] || comes_back(range->start + i, saved[i]))
			continue;
		printf("%#llx %s: was %02x, is %02x\n", (unsigned long long)(range->start + i), range->module, saved[i],
		       text[i]);
		different++;
	}
	free(text);
	return different;
}

static int compare(const char *path)
{
	FILE *file = fopen(path, "r");
	struct range saved;
	size_t different = 0;

	if (!file)
		die(path);
	while (fread(&saved, sizeof(saved), 1, file) == 1) {
		uint8_t *text = malloc(saved.end - saved.start);

		if (!text || fread(text, 1, saved.end - saved.start, file) != saved.end - saved.start)
			die(path);
		if (same_range(&saved))
			different += compare_range(&saved, text);
		free(text);
	}
	fclose(file);
	return different != 0;
}

int main(int argc, char **argv)
{
	if (argc != 3 || (strcmp(argv[1], "save") != 0 && strcmp(argv[1], "compare") != 0)) {
		fputs("usage: rawtext save|compare FILE\n", stderr);
		return 2;
	}
	read_symbols();
	open_kcore();
	return strcmp(argv[1], "save") == 0 ? save(argv[2]) : compare(argv[2]);
}
