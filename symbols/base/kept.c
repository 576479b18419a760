// SPDX-License-Identifier: GPL-2.0-or-later
/* kept.c - see kept.h. A file is the content and a struct tail behind it. */
#include "symbols/base/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/base/hash.h"

#define MAGIC		"KTKEPT1\n"
#define PATH_SIZE	512
#define LANES		4

struct tail {
	char magic[8];
	char key[40];
	uint64_t size;			/* of the content */
	uint64_t sums[2 * LANES];	/* of the content */
	uint64_t tail_sum;		/* of all before */
};

_Static_assert(sizeof(((struct tail *)0)->key) >= KEPT_KEY, "a key has room");

typedef uint64_t two_words __attribute__((vector_size(2 * sizeof(uint64_t)), may_alias));

/*
 * Sums as in Fletcher's checksum (J. Fletcher, An Arithmetic Checksum for Serial Transmissions, 1982), of words in four
 * lanes.  The loop takes little more than one instruction a word, because it runs whenever ktrace starts.
 */
static void sum(const void *data, size_t size, uint64_t out[2 * LANES])
{
	const size_t step = LANES * sizeof(uint64_t), whole = size / step * step;
	two_words a = { 0 }, b = { 0 }, a_sum = { 0 }, b_sum = { 0 }, rest[2] = { { 0 } };
	const two_words *at = data, *const end = at + whole / sizeof(*at);

#pragma GCC unroll 4
	for (; at < end; at += 2) {
		a += at[0];
		b += at[1];
		a_sum += a;
		b_sum += b;
	}
	memcpy(rest, at, size - whole);
	a += rest[0];
	b += rest[1];
	a_sum += a;
	b_sum += b;
	memcpy(out, &a, sizeof(a));
	memcpy(out + 2, &b, sizeof(b));
	memcpy(out + 4, &a_sum, sizeof(a_sum));
	memcpy(out + 6, &b_sum, sizeof(b_sum));
}

static uint64_t sum_of_tail(const struct tail *tail)
{
	return hash_bytes(HASH_START, tail, offsetof(struct tail, tail_sum));
}

/* ---------------------------------------------------------------- trust */

bool kept_is_trusted(int fd, mode_t kind)
{
	struct stat st;

	return !fstat(fd, &st) && (st.st_mode & S_IFMT) == kind && (st.st_uid == geteuid() || !st.st_uid) &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static int open_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (fd >= 0 && !kept_is_trusted(fd, S_IFDIR)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* ---------------------------------------------------------------- reading */

static bool read_tail(int fd, const char *key, struct tail *tail)
{
	struct stat st;

	if (fstat(fd, &st) || st.st_size < (off_t)sizeof(*tail) ||
	    pread(fd, tail, sizeof(*tail), st.st_size - sizeof(*tail)) != sizeof(*tail))
		return false;
	return !memcmp(tail->magic, MAGIC, sizeof(tail->magic)) && tail->tail_sum == sum_of_tail(tail) &&
	       !memcmp(tail->key, key, KEPT_KEY) && tail->size && tail->size == st.st_size - sizeof(*tail);
}

static void *map(int fd, size_t size, void *at)
{
	void *p = mmap(at, size, PROT_READ, MAP_PRIVATE | (at ? MAP_FIXED_NOREPLACE : 0), fd, 0);

	if (p == MAP_FAILED && at)
		p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return NULL;
	madvise(p, size, MADV_SEQUENTIAL);
	return p;
}

static void *map_whole(int fd, const char *key, void *at, size_t *size)
{
	uint64_t sums[2 * LANES];
	struct tail tail;
	void *p;

	if (!kept_is_trusted(fd, S_IFREG) || !read_tail(fd, key, &tail))
		return NULL;
	p = map(fd, tail.size, at);
	if (!p)
		return NULL;
	sum(p, tail.size, sums);
	if (!memcmp(sums, tail.sums, sizeof(sums))) {
		*size = tail.size;
		return p;
	}
	munmap(p, tail.size);
	return NULL;
}

void *kept_map(const char *dir, const char *name, const char key[KEPT_KEY], void *at, size_t *size)
{
	int dir_fd = open_dir(dir), fd;
	void *p = NULL;

	if (dir_fd < 0)
		return NULL;
	fd = openat(dir_fd, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0) {
		p = map_whole(fd, key, at, size);
		close(fd);
	}
	close(dir_fd);
	return p;
}

/* ---------------------------------------------------------------- writing */

static bool write_all(int fd, const void *data, size_t size)
{
	const char *p = data;
	ssize_t n;

	for (; size; p += n, size -= n) {
		n = write(fd, p, size);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			return false;
	}
	return true;
}

static bool write_file(int fd, const char *key, const void *data, size_t size)
{
	struct tail tail = { .size = size };

	memcpy(tail.magic, MAGIC, sizeof(tail.magic));
	memcpy(tail.key, key, KEPT_KEY);
	sum(data, size, tail.sums);
	tail.tail_sum = sum_of_tail(&tail);
	return write_all(fd, data, size) && write_all(fd, &tail, sizeof(tail));
}

/* Does the open file still have that name?  Another writer may have renamed it before we got the lock. */
static bool has_name(int fd, int dir_fd, const char *name)
{
	struct stat st, named;

	return !fstat(fd, &st) && !fstatat(dir_fd, name, &named, AT_SYMLINK_NOFOLLOW) && st.st_ino == named.st_ino;
}

/*
 * Write to a temporary file, and rename it when it is complete. So a reader never sees half a file, and a mapped file does
 * not change. All writers use the same temporary name, and a lock allows one at a time: if a writer is killed, the next one
 * overwrites its file.
 */
static bool write_in(int dir_fd, const char *name, const char *key, const void *data, size_t size)
{
	char made[PATH_SIZE];
	bool is_ours, ok;
	int fd;

	snprintf(made, sizeof(made), ".%s.new", name);
	fd = openat(dir_fd, made, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 || !kept_is_trusted(fd, S_IFREG)) {
		if (fd >= 0)
			close(fd);
		unlinkat(dir_fd, made, 0);
		return false;
	}
	is_ours = !flock(fd, LOCK_EX | LOCK_NB) && has_name(fd, dir_fd, made);
	ok = is_ours && !ftruncate(fd, 0) && write_file(fd, key, data, size) && !renameat(dir_fd, made, dir_fd, name);
	if (is_ours && !ok)
		unlinkat(dir_fd, made, 0);
	close(fd);
	return ok;
}

bool kept_write(const char *dir, const char *name, const char key[KEPT_KEY], const void *data, size_t size)
{
	bool ok;
	int fd;

	mkdir(dir, 0700);
	fd = open_dir(dir);
	if (fd < 0)
		return false;
	ok = write_in(fd, name, key, data, size);
	close(fd);
	return ok;
}
