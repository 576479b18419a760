// SPDX-License-Identifier: GPL-2.0-or-later
/* dbindex.c - a mapped index; offsets that lead out of it are refused.  See dbindex.h. */
#include "symbols/index/dbindex.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/base/hash.h"
#include "symbols/index/line.h"

struct dbindex {
	const uint8_t *map;
	size_t size;
	const struct dbindex_header *header;
};

static const size_t row_sizes[NR_PARTS] = {
	[PART_STRINGS] = 1, [PART_SCOPES] = 1, [PART_TYPE_DATA] = 1,
	[PART_SECTIONS] = sizeof(struct ix_section), [PART_FILES] = 4,
	[PART_FUNCS] = sizeof(struct ix_func), [PART_FUNC_NAMES] = 4, [PART_SPANS] = sizeof(struct ix_span),
	[PART_INLINES] = sizeof(struct ix_inline), [PART_GLOBALS] = sizeof(struct ix_global),
	[PART_TYPES] = 8, [PART_TYPE_NAMES] = 4, [PART_LINES] = 1, [PART_LINE_BLOCKS] = sizeof(struct ix_line_block),
	[PART_FILE_LINES] = 4, [PART_FILE_BLOCKS] = 1, [PART_CFA] = sizeof(struct ix_cfa),
};

uint64_t dbindex_sum(const struct dbindex_header *header)
{
	return hash_bytes(HASH_START, header, offsetof(struct dbindex_header, sum));
}

/* -------------------------------------------------------------------- open */

static bool check_parts(const struct dbindex *ix)
{
	for (size_t i = 0; i < NR_PARTS; i++) {
		uint64_t offset = ix->header->parts[i].offset, size = ix->header->parts[i].size;

		if (offset % 8 || offset > ix->size || size > ix->size - offset || size % row_sizes[i])
			return false;
	}
	return true;
}

/* The last byte of all strings is 0, so every string ends inside. */
static bool check_strings(const struct dbindex *ix)
{
	uint64_t offset = ix->header->parts[PART_STRINGS].offset, size = ix->header->parts[PART_STRINGS].size;

	return size && !ix->map[offset + size - 1];
}

static bool check(const struct dbindex *ix, const char *what, struct debug_error *err)
{
	const struct dbindex_header *header = ix->header;

	if (ix->size < sizeof(*header) || memcmp(header->magic, DBINDEX_MAGIC, sizeof(header->magic)))
		return debug_fail(err, "%s: not an index: make one with 'ktrace index'", what);
	if (header->version != DBINDEX_VERSION || header->header_size != sizeof(*header))
		return debug_fail(err, "%s: an index of another version of ktrace: make it anew with 'ktrace index'", what);
	if (header->sum != dbindex_sum(header) || header->size != ix->size ||
	    !check_parts(ix) || !check_strings(ix))
		return debug_fail(err, "%s: damaged or cut off: make it anew with 'ktrace index'", what);
	return true;
}

struct dbindex *dbindex_take(void *map, size_t size, const char *what, struct debug_error *err)
{
	struct dbindex *ix = calloc(1, sizeof(*ix));

	if (!ix) {
		debug_fail(err, "no memory for an index: free some");
		munmap(map, size);
		return NULL;
	}
	*ix = (struct dbindex){ map, size, map };
	if (check(ix, what, err))
		return ix;
	dbindex_close(ix);
	return NULL;
}

struct dbindex *dbindex_map(int fd, const char *what, struct debug_error *err)
{
	struct stat st;
	void *map;

	if (fstat(fd, &st) || !st.st_size) {
		debug_fail(err, "%s: empty, no index: make one with 'ktrace index'", what);
		return NULL;
	}
	map = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED)
		return dbindex_take(map, st.st_size, what, err);
	debug_fail(err, "%s: %s: it cannot be mapped", what, strerror(errno));
	return NULL;
}

struct dbindex *dbindex_open(const char *path, struct debug_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct dbindex *ix;

	if (fd < 0) {
		debug_fail(err, "%s: %s: give an index that 'ktrace index' made", path, strerror(errno));
		return NULL;
	}
	ix = dbindex_map(fd, path, err);
	close(fd);
	return ix;
}

void dbindex_close(struct dbindex *ix)
{
	if (!ix)
		return;
	munmap((void *)ix->map, ix->size);
	free(ix);
}

/* ------------------------------------------------------------------- parts */

const struct dbindex_header *dbindex_header(const struct dbindex *ix)
{
	return ix->header;
}

const void *dbindex_part(const struct dbindex *ix, enum dbindex_part part, size_t row, size_t *nr)
{
	*nr = ix->header->parts[part].size / row;
	return ix->map + ix->header->parts[part].offset;
}

const char *dbindex_string(const struct dbindex *ix, uint32_t string)
{
	size_t nr;
	const char *strings = dbindex_rows(ix, PART_STRINGS, char, &nr);

	return string < nr ? strings + string : "";
}

const char *dbindex_file_name(const struct dbindex *ix, uint32_t file)
{
	size_t nr;
	const uint32_t *files = dbindex_rows(ix, PART_FILES, uint32_t, &nr);

	return file < nr ? dbindex_string(ix, files[file]) : "";
}

/* ----------------------------------------------------------------- by name */

/* Rows ordered by name: the name of row i. */
typedef const char *(*name_at)(const struct dbindex *ix, const void *rows, size_t i);

static size_t bound(const struct dbindex *ix, const void *rows, size_t nr, name_at at, const char *name,
		    bool above)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(at(ix, rows, middle), name);

		if (order < 0 || (above && !order))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t equal(const struct dbindex *ix, const void *rows, size_t nr, name_at at, const char *name,
		    size_t *first)
{
	*first = bound(ix, rows, nr, at, name, false);
	return bound(ix, rows, nr, at, name, true) - *first;
}

const struct ix_func *dbindex_func(const struct dbindex *ix, uint32_t func)
{
	size_t nr;
	const struct ix_func *funcs = dbindex_rows(ix, PART_FUNCS, struct ix_func, &nr);

	return func < nr ? &funcs[func] : NULL;
}

static const char *func_name(const struct dbindex *ix, const void *rows, size_t i)
{
	const struct ix_func *func = dbindex_func(ix, ((const uint32_t *)rows)[i]);

	return func ? dbindex_string(ix, func->name) : "";
}

size_t dbindex_funcs(const struct dbindex *ix, const char *name, const uint32_t **first)
{
	size_t nr, at;
	const uint32_t *rows = dbindex_rows(ix, PART_FUNC_NAMES, uint32_t, &nr);
	size_t n = equal(ix, rows, nr, func_name, name, &at);

	*first = rows + at;
	return n;
}

static const char *inline_name(const struct dbindex *ix, const void *rows, size_t i)
{
	return dbindex_string(ix, ((const struct ix_inline *)rows)[i].name);
}

size_t dbindex_inlines(const struct dbindex *ix, const char *name, const struct ix_inline **first)
{
	size_t nr, at;
	const struct ix_inline *rows = dbindex_rows(ix, PART_INLINES, struct ix_inline, &nr);
	size_t n = equal(ix, rows, nr, inline_name, name, &at);

	*first = rows + at;
	return n;
}

static const char *global_name(const struct dbindex *ix, const void *rows, size_t i)
{
	return dbindex_string(ix, ((const struct ix_global *)rows)[i].name);
}

size_t dbindex_globals(const struct dbindex *ix, const char *name, const struct ix_global **first)
{
	size_t nr, at;
	const struct ix_global *rows = dbindex_rows(ix, PART_GLOBALS, struct ix_global, &nr);
	size_t n = equal(ix, rows, nr, global_name, name, &at);

	*first = rows + at;
	return n;
}

/* The stream of a type begins with kind and name. */
static const char *type_name(const struct dbindex *ix, const void *rows, size_t i)
{
	size_t nr, len;
	const uint64_t *types = dbindex_rows(ix, PART_TYPES, uint64_t, &nr);
	const uint8_t *data = dbindex_rows(ix, PART_TYPE_DATA, uint8_t, &len);
	uint32_t type = ((const uint32_t *)rows)[i];
	struct cursor c = cursor_at(data, len, type < nr ? types[type] : len);

	cursor_uleb(&c);
	return dbindex_string(ix, cursor_uleb(&c));
}

size_t dbindex_types(const struct dbindex *ix, const char *name, const uint32_t **first)
{
	size_t nr, at;
	const uint32_t *rows = dbindex_rows(ix, PART_TYPE_NAMES, uint32_t, &nr);
	size_t n = equal(ix, rows, nr, type_name, name, &at);

	*first = rows + at;
	return n;
}

/* -------------------------------------------------------------- by address */

/* The number of rows that begin at or below addr; the address is the first member of a row. */
static size_t below(const void *rows, size_t nr, size_t size, uint32_t addr)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const uint32_t *)((const char *)rows + middle * size) <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#define MOST_NESTED	64	/* pieces inside others, until the search gives up */

const struct ix_func *dbindex_func_at(const struct dbindex *ix, uint32_t addr)
{
	size_t nr;
	const struct ix_span *spans = dbindex_rows(ix, PART_SPANS, struct ix_span, &nr);
	size_t i = below(spans, nr, sizeof(*spans), addr);

	for (unsigned int tries = 0; i-- > 0 && tries < MOST_NESTED; tries++)
		if (addr < spans[i].high)
			return dbindex_func(ix, spans[i].func);
	return NULL;
}

const struct ix_cfa *dbindex_cfa_at(const struct dbindex *ix, uint32_t addr)
{
	size_t nr;
	const struct ix_cfa *rows = dbindex_rows(ix, PART_CFA, struct ix_cfa, &nr);
	size_t i = below(rows, nr, sizeof(*rows), addr);

	return i && rows[i - 1].reg != CFA_UNKNOWN ? &rows[i - 1] : NULL;
}

/* ------------------------------------------------------------------- files */

bool dbindex_path_ends(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n >= m && !strcmp(path + n - m, end) && (n == m || path[n - m - 1] == '/' || *end == '/');
}

size_t dbindex_files(const struct dbindex *ix, const char *end, uint32_t *out, size_t max)
{
	size_t nr, n = 0;
	const uint32_t *files = dbindex_rows(ix, PART_FILES, uint32_t, &nr);

	for (size_t i = 0; i < nr; i++) {
		if (!dbindex_path_ends(dbindex_string(ix, files[i]), end))
			continue;
		if (n < max)
			out[n] = i;
		n++;
	}
	return n;
}

bool dbindex_is(const char *path)
{
	char head[sizeof(DBINDEX_MAGIC)] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is = fd >= 0 && read(fd, head, sizeof(head) - 1) == sizeof(head) - 1 && !strcmp(head, DBINDEX_MAGIC);

	if (fd >= 0)
		close(fd);
	return is;
}
