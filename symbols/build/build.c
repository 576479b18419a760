// SPDX-License-Identifier: GPL-2.0-or-later
/* build.c - the process that builds an index, and its threads.  See build.h. */
#include "symbols/build/build.h"

#include "symbols/join/join.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_THREADS	64
#define STACK_BYTES	(64UL << 20)

/* ------------------------------------------------------------------- units */

static void unit_child(const struct entry *e, void *arg)
{
	struct worker *w = arg;

	if (e->tag == DW_TAG_subprogram && e->has & (HAS_LOW | HAS_RANGES))
		build_function(w, e);
	else if (e->tag == DW_TAG_namespace || e->tag == DW_TAG_module)
		entry_children(&w->reader, e, unit_child, w);
	else if (e->tag == DW_TAG_variable && e->expr)
		build_global(w, e);
	else if (e->tag == DW_TAG_variable && e->declaration && e->name)
		build_declared(w, e);
	else
		build_type_entry(w, e);
}

static void index_unit(struct worker *w)
{
	map_clear(&w->type_of);
	map_clear(&w->origins);
	map_clear(&w->passing);
	w->nr_origins = 0;
	w->base = w->unit_entry.has & HAS_LOW ? w->unit_entry.low : 0;
	build_files(w);
	entry_children(&w->reader, &w->unit_entry, unit_child, w);
	build_types_finish(w);
}

/* Claim the next unit for this thread. */
static size_t claim(struct builder *b)
{
	return __atomic_fetch_add(&b->next, 1, __ATOMIC_RELAXED);
}

static bool is_chosen(const struct worker *w)
{
	const struct dbindex_choice *choice = w->b->choice;
	const char *name = w->unit_entry.name;

	if (!choice)
		return true;
	if (choice->by_offset)
		return choice->offset == w->unit->offset;
	for (size_t i = 0; name && i < choice->nr_files; i++)
		if (dbindex_path_ends(name, choice->files[i]))
			return true;
	return false;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	const struct dwarf *dwarf = &w->b->dwarf;

	reader_open(&w->reader, dwarf);
	for (size_t mine = claim(w->b); mine < dwarf->nr_units; mine = claim(w->b)) {
		w->unit = &dwarf->units[mine];
		if (entry_of_unit(&w->reader, mine, &w->unit_entry) && is_chosen(w))
			index_unit(w);
		__atomic_store_n(w->b->done, w->unit->offset, __ATOMIC_RELAXED);
	}
	reader_close(&w->reader);
	return NULL;
}

static void run(struct builder *b)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (size_t i = 0; i < b->nr_workers; i++)
		if (pthread_create(&b->workers[i].thread, &attr, work, &b->workers[i]))
			_exit(EXIT_NO_MEMORY);
	for (size_t i = 0; i < b->nr_workers; i++)
		pthread_join(b->workers[i].thread, NULL);
}

struct job {
	const struct image *image;
	const struct dbindex_choice *choice;
	unsigned int threads;
	const struct dbindex_watch *watch;
	uint64_t *done;		/* see struct builder; shared with the sandbox */
};

#define WRITING	5	/* to write the index takes as long as a thread needs for a fifth of .debug_info */

static void show(const void *arg)
{
	const struct job *job = arg;
	const struct image_section *info = image_section(job->image, ".debug_info");
	const uint64_t size = info ? info->data_size : 0, done = __atomic_load_n(job->done, __ATOMIC_RELAXED);

	job->watch->show(job->watch->arg, done, size + size * job->threads / WRITING);
}

static bool build_image(const struct job *job, const struct image *image, const struct dbindex_choice *choice, int fd,
			struct debug_error *err)
{
	struct builder b = {
		.image = image, .choice = choice, .nr_workers = job->threads, .done = job->done,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.str = image_section(image, ".debug_str"),
		.line_str = image_section(image, ".debug_line_str"),
	};

	b.workers = must_alloc(job->threads, sizeof(*b.workers));
	for (size_t i = 0; i < job->threads; i++)
		b.workers[i] = (struct worker){ .b = &b, .number = i };
	dwarf_open(&b.dwarf, image);
	run(&b);
	dwarf_close(&b.dwarf);
	if (build_write(&b, fd))
		return true;
	debug_fail(err, "the index of %s cannot be written: is the disk full?", image->path);
	err->is_unwritten = true;
	return false;
}

/* Joined units are not at the offsets that a choice has, so all of them are indexed. */
static bool build(const void *arg, int fd, struct debug_error *err)
{
	const struct job *job = arg;
	struct image *joined;
	bool ok;

	if (job->watch && job->watch->worker)
		__atomic_store_n(job->watch->worker, getpid(), __ATOMIC_RELEASE);
	if (!join_is_needed(job->image))
		return build_image(job, job->image, job->choice, fd, err);
	joined = join_images(job->image, err);
	ok = joined && build_image(job, joined, job->choice && job->choice->by_offset ? NULL : job->choice, fd, err);
	join_free(joined);
	return ok;
}

/* ----------------------------------------------------------------- process */

/* err has the signal. */
static bool ended_by(enum sandbox_end end, const char *what, struct debug_error *err)
{
	struct debug_error by = { .text = "a signal" };

	if (err)
		by = *err;
	if (end == SANDBOX_CRASHED)
		return debug_fail(err, "%s cannot be indexed, the indexer was ended by %s: is its debug information damaged? Install it again",
				  what, by.text);
	return debug_fail(err, "indexing %s was killed by %s: if memory was short (see dmesg), free some or build the index on a larger machine ('ktrace index'), else try again",
			  what, by.text);
}

bool build_in_sandbox(sandbox_work *make, const void *arg, const char *what, int fd, void (*look)(const void *arg),
		      struct debug_error *err)
{
	const enum sandbox_end end = sandbox_run(make, arg, fd, look, err);

	switch (end) {
	case SANDBOX_DONE:
		return true;
	case SANDBOX_FAILED:
		return false;
	case SANDBOX_INTERRUPTED:
		return debug_fail(err, "indexing %s was interrupted: it is done again when it is needed", what);
	case SANDBOX_NO_MEMORY:
		return debug_fail(err, "no memory to index %s: free some", what);
	case SANDBOX_NO_PROCESS:
		return debug_fail(err, "no process to index %s in: too many are running", what);
	case SANDBOX_TOO_LONG:
		return debug_fail(err, "%s cannot be indexed in %d s of CPU time: is its debug information damaged? Install it anew",
				  what, SANDBOX_SECONDS);
	default:
		return ended_by(end, what, err);
	}
}

static unsigned int online_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : n;
}

bool dbindex_build(const struct image *image, const struct dbindex_choice *choice, unsigned int threads,
		   int fd, const struct dbindex_watch *watch, struct debug_error *err)
{
	struct job job = { image, choice, threads ? threads : online_cpus(), watch, NULL };
	bool ok;

	if (!image_has_dwarf(image))
		return debug_fail(err, "%s has no debug information: was it stripped?", image->path);
	job.done = mmap(NULL, sizeof(*job.done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (job.done == MAP_FAILED)
		return debug_fail(err, "no memory to index %s: free some", image->path);
	ok = build_in_sandbox(build, &job, image->path, fd, watch && watch->show ? show : NULL, err);
	munmap(job.done, sizeof(*job.done));
	if (watch && watch->show)
		watch->show(watch->arg, 1, 1);
	return ok;
}

bool dbindex_build_here(const struct image *image, const struct dbindex_choice *choice, unsigned int threads,
			int fd, struct debug_error *err)
{
	uint64_t done;
	const struct job job = { image, choice, threads, .done = &done };

	return build(&job, fd, err);
}

bool dbindex_build_file(const struct image *image, const struct dbindex_choice *choice, unsigned int threads,
			const char *path, const struct dbindex_watch *watch, struct debug_error *err)
{
	char *temporary;
	bool ok;
	int fd;

	if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
		return debug_fail(err, "no memory for %s: free some", path);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		free(temporary);
		return debug_fail(err, "%s: %s: give another file with -o", path, strerror(errno));
	}
	fchmod(fd, 0644);
	ok = dbindex_build(image, choice, threads, fd, watch, err);
	if (ok && rename(temporary, path))
		ok = debug_fail(err, "%s: %s: give another file with -o", path, strerror(errno));
	if (!ok)
		unlink(temporary);
	close(fd);
	free(temporary);
	return ok;
}
