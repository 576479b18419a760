// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replay.c - run a fuzz target without libFuzzer: every file of its corpus, then some mutants of each. The
 * program's name, fuzz-TARGET, chooses the corpus. It prints TAP. `fuzz-TARGET FILE...` runs only these files;
 * `fuzz-TARGET --make N FILE` writes the N-th mutant of an empty input.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "fuzz.h"

#define ROOM		65536
#define MUTANTS		400	/* of each file, usually */
#define SECONDS		60	/* of CPU time: the limit for one file with its mutants */

static unsigned int tests;

/* Replace some bytes. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room)
{
	if (size < room && !(rand() % 4))
		data[size++] = rand();
	for (int n = 1 + rand() % 4; n && size; n--)
		data[(size_t)rand() % size] = rand();
	return size;
}

/* Copy the input into memory of exactly its size, so that the sanitizer finds reads behind it. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void run_mutants(const uint8_t *data, size_t size)
{
	static uint8_t mutant[ROOM];
	const char *wanted = getenv("MUTANTS");
	const unsigned int nr = wanted ? (unsigned int)atoi(wanted) : &fuzz_mutants ? fuzz_mutants : MUTANTS;
	size_t bytes = size;

	memcpy(mutant, data, size);
	for (unsigned int i = 0; i < nr; i++) {
		if (!(i % 8)) {
			bytes = size;
			memcpy(mutant, data, size);
		}
		bytes = LLVMFuzzerCustomMutator(mutant, bytes, ROOM, i);
		run(mutant, bytes);
	}
}

/* The process ends when it has used so much CPU time; 0: no limit. */
static void limit(time_t seconds)
{
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = seconds }, NULL);
}

static void replay(const char *path)
{
	static uint8_t data[ROOM];
	const char *name = strrchr(path, '/');
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!file) {
		perror(path);
		exit(1);
	}
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	/* If it crashes, this is the last line. */
	fprintf(stderr, "# %s\n", path);
	limit(getenv("MUTANTS") ? 0 : SECONDS);
	run(data, size);
	run_mutants(data, size);
	limit(0);
	printf("ok %u - %s\n", ++tests, name ? name + 1 : path);
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int replay_corpus(const char *program)
{
	const char *target = strrchr(program, '-');
	struct dirent **entries;
	char path[4096];
	int nr;

	snprintf(path, sizeof(path), "tests/fuzz/corpus-%s", target ? target + 1 : "");
	if (chdir(path) || (nr = scandir(".", &entries, visible, alphasort)) <= 0) {
		perror(path);
		return 1;
	}
	printf("1..%d\n", nr);
	for (int i = 0; i < nr; i++) {
		replay(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

static int make(unsigned int seed, const char *path)
{
	static uint8_t data[ROOM];
	size_t size = LLVMFuzzerCustomMutator(data, 0, ROOM, seed);
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file)) {
		perror(path);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "--make"))
		return make(atoi(argv[2]), argv[3]);
	if (argc == 1)
		return replay_corpus(argv[0]);
	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	return 0;
}
