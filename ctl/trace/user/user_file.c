// SPDX-License-Identifier: GPL-2.0-or-later
/* user_file.c - the file of a process: its header, its descriptions.  See user_file.h. */
#include "ctl/trace/user/user_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/memory.h"

#define MAX_NAMES	256	/* of an enum: as many as a field may have */
#define TEXTS		4	/* of a site */

static bool damaged(const struct user_file *file, const char *what, struct error *err)
{
	return error_set(err, STATUS_FAILURE, "%s: damaged: %s: it cannot be read", file->path, what);
}

/* ------------------------------------------------------------------------ texts */

/* Texts come to terminals and into JSON: keep printable ASCII. */
static char *printable(const char *text, size_t len)
{
	char *out = mem_strndup(text, len);

	for (char *at = out; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	return out;
}

/* The next text before `end`.  NULL: its 0 is missing. */
static char *take_text(const char **at, const char *end)
{
	const char *zero = memchr(*at, 0, end - *at);
	char *out = zero ? printable(*at, zero - *at) : NULL;

	if (zero)
		*at = zero + 1;
	return out;
}

static void fix_text(char *text, size_t size)
{
	text[size - 1] = '\0';
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

/* ------------------------------------------------------------------------ descriptions */

/* The newest site has this id. */
static void remember_id(struct user_file *file, uint32_t id)
{
	if (id >= file->nr_ids) {
		file->by_id = mem_grow(file->by_id, 2 * id + 1, sizeof(*file->by_id));
		memset(file->by_id + file->nr_ids, 0, (2 * id + 1 - file->nr_ids) * sizeof(*file->by_id));
		file->nr_ids = 2 * id + 1;
	}
	file->by_id[id] = file->nr_sites;
}

static bool read_site(struct user_file *file, const struct ktu_desc *desc, const char *at, const char *end)
{
	struct user_site site = { .id = desc->id, .line = desc->line, .nr = desc->nr };
	char **texts[TEXTS] = { &site.provider, &site.name, &site.args, &site.source };
	bool ok = desc->nr <= KTRACE_MAX_ARGS && desc->nr <= (size_t)(end - at) && desc->id && desc->id <= KTU_MAX_ID &&
		  !user_file_site(file, desc->id);

	if (ok) {
		memcpy(site.types, at, site.nr);
		at += site.nr;
	}
	for (uint32_t i = 0; ok && i < site.nr; i++)
		ok = site.types[i] > KTRACE_END && site.types[i] < KTRACE_NR_TYPES;
	for (size_t i = 0; ok && i < TEXTS; i++)
		ok = (*texts[i] = take_text(&at, end));
	file->sites = MEM_MORE(file->sites, file->nr_sites);
	file->sites[file->nr_sites++] = site;
	if (ok)
		remember_id(file, site.id);
	return ok;
}

static bool read_enum(struct user_file *file, const struct ktu_desc *desc, const char *at, const char *end)
{
	struct user_enum *to;
	bool ok;

	if (desc->nr > MAX_NAMES || 8 * (size_t)desc->nr > (size_t)(end - at))
		return false;
	file->enums = MEM_MORE(file->enums, file->nr_enums);
	to = &file->enums[file->nr_enums++];
	*to = (struct user_enum){ .nr = desc->nr };
	to->values = mem_zalloc(desc->nr + 1, sizeof(*to->values));
	to->names = mem_zalloc(desc->nr + 1, sizeof(*to->names));
	memcpy(to->values, at, 8 * (size_t)desc->nr);
	at += 8 * (size_t)desc->nr;
	ok = (to->name = take_text(&at, end));
	for (uint32_t i = 0; ok && i < to->nr; i++)
		ok = (to->names[i] = take_text(&at, end));
	return ok;
}

/*
 * A description whose magic is missing was not finished: the process was killed, or is writing it.  No event has its id
 * yet.  If its length is there the next one can be found; else at any multiple of 8.
 */
static bool read_desc(struct user_file *file, const uint8_t *from, const struct ktu_desc *desc)
{
	const size_t bytes = desc->bytes - sizeof(*desc);
	AUTO_FREE char *copy = mem_zalloc(1, bytes + 1);

	memcpy(copy, from + sizeof(*desc), bytes);
	return (desc->magic == KTU_DESC_SITE ? read_site : read_enum)(file, desc, copy, copy + bytes);
}

/* The magic is read first, since it is written last. */
static bool read_descs(struct user_file *file, struct error *err)
{
	const struct ktu_file *mapped = (const struct ktu_file *)file->map;
	const uint64_t taken = __atomic_load_n(&mapped->desc_used, __ATOMIC_ACQUIRE);
	const uint64_t used = taken < file->head.desc_bytes ? taken : file->head.desc_bytes;
	struct ktu_desc desc;

	for (uint64_t at = 0; used - at >= sizeof(desc);) {
		const uint8_t *from = file->map + file->head.desc_off + at;
		const uint32_t magic = __atomic_load_n((const uint32_t *)from, __ATOMIC_ACQUIRE);

		if (magic != KTU_DESC_SITE && magic != KTU_DESC_ENUM) {
			at += 8;
			continue;
		}
		memcpy(&desc, from, sizeof(desc));
		desc.magic = magic;
		if (desc.bytes < sizeof(desc) || desc.bytes % 8 || desc.bytes > used - at)
			return damaged(file, "a description of an impossible size", err);
		if (!read_desc(file, from, &desc))
			return damaged(file, "a description is malformed", err);
		at += desc.bytes;
	}
	return true;
}

/* ------------------------------------------------------------------------ header */

static bool is_power(uint64_t n)
{
	return n && !(n & (n - 1));
}

static const char *wrong_head(const struct user_file *file)
{
	const struct ktu_file *head = &file->head;

	if (head->magic != KTU_MAGIC)
		return "the process has not finished its header";
	if (head->version != KTU_VERSION)
		return "another version of libktrace wrote it";
	if (!is_power(head->subbuf_bytes) || head->subbuf_bytes < KTU_SUBBUF_MIN || head->subbuf_bytes > KTU_SUBBUF_MAX ||
	    !is_power(head->nr_subbufs) || head->nr_subbufs < 2 || head->nr_subbufs > KTU_MAX_RING / KTU_SUBBUF_MIN ||
	    head->nr_cpus < 1 || head->nr_cpus > KTU_MAX_CPUS || head->nr_slots > KTU_SLOTS)
		return "rings of an impossible size";
	if (head->ring_stride != KTU_PAGE + (uint64_t)head->subbuf_bytes * head->nr_subbufs ||
	    head->desc_bytes > KTU_MAX_DESCS || head->desc_off < sizeof(*head) || head->desc_off % 8 ||
	    head->desc_off > file->bytes || head->desc_bytes > file->bytes - head->desc_off ||
	    head->rings_off > file->bytes || head->rings_off % 8 ||
	    (file->bytes - head->rings_off) / head->ring_stride < user_file_rings(file))
		return "parts that are not in the file";
	return NULL;
}

/* The process may note another moment meanwhile. */
static void read_anchor(struct user_file *file)
{
	const struct ktu_file *mapped = (const struct ktu_file *)file->map;
	uint64_t newest, again = __atomic_load_n(&mapped->newest_anchor, __ATOMIC_ACQUIRE);
	int tries = USER_TRIES;

	do {
		newest = again;
		file->head.anchors[newest % 3] = mapped->anchors[newest % 3];
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		again = __atomic_load_n(&mapped->newest_anchor, __ATOMIC_ACQUIRE);
	} while (newest != again && --tries);
	file->head.newest_anchor = newest;
}

static bool read_head(struct user_file *file, struct error *err)
{
	const char *wrong;

	if (file->bytes < sizeof(file->head))
		return damaged(file, "cut off", err);
	memcpy(&file->head, file->map, sizeof(file->head));
	wrong = wrong_head(file);
	if (wrong)
		return damaged(file, wrong, err);
	read_anchor(file);
	fix_text(file->head.clock, sizeof(file->head.clock));
	fix_text(file->head.boot_id, sizeof(file->head.boot_id));
	fix_text(file->head.program, sizeof(file->head.program));
	fix_text(file->head.host, sizeof(file->head.host));
	fix_text(file->head.kernel, sizeof(file->head.kernel));
	return true;
}

/*
 * Somebody who makes the file shorter while it is read ends this program: whoever can do that can do worse, since only the
 * user who ran the process may write it.
 */
static bool map_file(struct user_file *file, int fd, struct error *err)
{
	struct stat st;
	void *map = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &st) == 0) {
		if (S_ISREG(st.st_mode) && st.st_size > 0)
			map = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
		else
			errno = EINVAL;
	}
	if (map == MAP_FAILED)
		return error_set(err, errno == EACCES ? STATUS_NO_ACCESS : STATUS_FAILURE, "%s: %s", file->path, strerror(errno));
	file->map = map;
	file->bytes = st.st_size;
	return true;
}

bool user_file_is_begun(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	uint64_t magic = 0;
	const ssize_t n = fd < 0 ? 0 : pread(fd, &magic, sizeof(magic), 0);

	if (fd >= 0)
		close(fd);
	return fd < 0 || (n > 0 && (n < (ssize_t)sizeof(magic) || magic));
}

static struct user_file *open_fd(int fd, const char *name, bool with_rings, struct error *err)
{
	struct user_file *file = mem_zalloc(1, sizeof(*file));

	file->path = mem_strdup(name);
	if (map_file(file, fd, err) && read_head(file, err)) {
		if (with_rings)
			user_file_find_ends(file);
		if (read_descs(file, err))
			return file;
	}
	user_file_close(file);
	return NULL;
}

struct user_file *user_file_open(const char *path, struct error *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct user_file *file = open_fd(fd, path, true, err);

	if (fd >= 0)
		close(fd);
	return file;
}

struct user_file *user_file_open_memory(int fd, const char *name, struct error *err)
{
	const int seals = fcntl(fd, F_GET_SEALS);

	if (seals >= 0 && seals & F_SEAL_SHRINK)
		return open_fd(fd, name, false, err);
	error_set(err, STATUS_FAILURE, "%s: its memory is not sealed: it is not read", name);
	return NULL;
}

static void drop_enum(struct user_enum *e)
{
	for (uint32_t i = 0; i < e->nr; i++)
		free(e->names[i]);
	free(e->names);
	free(e->values);
	free(e->name);
}

void user_file_close(struct user_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->nr_sites; i++) {
		free(file->sites[i].provider);
		free(file->sites[i].name);
		free(file->sites[i].args);
		free(file->sites[i].source);
	}
	for (size_t i = 0; i < file->nr_enums; i++)
		drop_enum(&file->enums[i]);
	free(file->sites);
	free(file->by_id);
	free(file->ends);
	free(file->enums);
	if (file->map)
		munmap((void *)file->map, file->bytes);
	free(file->path);
	free(file);
}

const struct user_site *user_file_site(const struct user_file *file, uint32_t id)
{
	return id < file->nr_ids && file->by_id[id] ? &file->sites[file->by_id[id] - 1] : NULL;
}

const struct user_enum *user_file_enum(const struct user_file *file, const char *name, size_t len)
{
	for (size_t i = 0; i < file->nr_enums; i++)
		if (strlen(file->enums[i].name) == len && !strncmp(file->enums[i].name, name, len))
			return &file->enums[i];
	return NULL;
}

uint32_t user_file_rings(const struct user_file *file)
{
	return file->head.nr_cpus + file->head.nr_slots;
}
