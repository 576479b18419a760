// SPDX-License-Identifier: GPL-2.0-or-later
/* build_write.c - order the results of the threads and write the index. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbols/build/build.h"
#include "symbols/build/line_pack.h"

struct writer {
	struct builder *b;
	FILE *out;
	struct dbindex_header header;
	uint32_t *rank;			/* of each string, in alphabetical order */
	char *text;			/* all strings */
	size_t text_len;
	uint32_t *numbers;		/* of functions in the order of discovery, */
	uint32_t **func_number;		/* by worker and by number within it */
};

/* ------------------------------------------------------------------- parts */

static void begin(struct writer *w, enum dbindex_part part)
{
	while (ftell(w->out) % 8)
		fputc(0, w->out);
	w->header.parts[part].offset = ftell(w->out);
}

static void end(struct writer *w, enum dbindex_part part)
{
	w->header.parts[part].size = ftell(w->out) - w->header.parts[part].offset;
}

static void put(struct writer *w, enum dbindex_part part, const void *data, size_t n, size_t size)
{
	begin(w, part);
	if (n)
		fwrite(data, size, n, w->out);
	end(w, part);
}

/* Join an array of all workers; *n is its length. */
#define GATHER(w, field, nr_field, n) \
	gather(w, offsetof(struct worker, field), offsetof(struct worker, nr_field), \
	       sizeof(*((struct worker *)0)->field), n)

static void *gather(struct writer *w, size_t field, size_t nr_field, size_t size, size_t *n)
{
	char *all;
	size_t at = 0;

	*n = 0;
	for (size_t i = 0; i < w->b->nr_workers; i++)
		*n += *(size_t *)((char *)&w->b->workers[i] + nr_field);
	all = must_alloc(*n, size);
	for (size_t i = 0; i < w->b->nr_workers; i++) {
		char *worker = (char *)&w->b->workers[i];
		void **from = (void **)(worker + field);
		size_t nr = *(size_t *)(worker + nr_field);

		if (nr)
			memcpy(all + at * size, *from, nr * size);
		at += nr;
		free(*from);
		*from = NULL;
	}
	return all;
}

/* ----------------------------------------------------------------- strings */

static size_t put_text(char *text, size_t at, const struct image_section *section)
{
	if (!section)
		return at;
	memcpy(text + at, section->data, section->data_size);
	return at + section->data_size;
}

static void write_strings(struct writer *w)
{
	struct builder *b = w->b;
	size_t at = 1;
	char *text;

	w->text_len = 2 + (b->str ? b->str->data_size : 0) + (b->line_str ? b->line_str->data_size : 0) +
		      b->more_strings.n;
	text = must_alloc(w->text_len, 1);
	at = put_text(text, at, b->str);
	at = put_text(text, at, b->line_str);
	if (b->more_strings.n)
		memcpy(text + at, b->more_strings.v, b->more_strings.n);
	w->text = text;
	put(w, PART_STRINGS, text, w->text_len, 1);
}

static int by_text(const void *a, const void *b, void *text)
{
	return strcmp((char *)text + *(const uint32_t *)a, (char *)text + *(const uint32_t *)b);
}

static void note_name(struct writer *w, uint32_t **names, size_t *n, size_t *room, uint32_t name)
{
	if (name >= w->text_len || w->rank[name])
		return;
	w->rank[name] = 1;
	*ARRAY_ADD(*names, *n, *room) = name;
}

/* Equal texts have equal ranks: a string may occur twice. */
static void rank_names(struct writer *w)
{
	struct builder *b = w->b;
	uint32_t *names = NULL, rank = 0;
	size_t n = 0, room = 0;

	w->rank = must_alloc(w->text_len, sizeof(*w->rank));
	for (size_t i = 0; i < b->nr_workers; i++) {
		struct worker *worker = &b->workers[i];

		for (size_t j = 0; j < worker->nr_funcs; j++)
			note_name(w, &names, &n, &room, worker->funcs[j].name);
		for (size_t j = 0; j < worker->nr_inlines; j++)
			note_name(w, &names, &n, &room, worker->inlines[j].name);
		for (size_t j = 0; j < worker->nr_globals; j++)
			note_name(w, &names, &n, &room, worker->globals[j].name);
	}
	for (size_t i = 0; i < b->nr_types; i++)
		note_name(w, &names, &n, &room, b->type_slots[i].name);
	if (n)
		qsort_r(names, n, sizeof(*names), by_text, w->text);
	for (size_t i = 0; i < n; i++) {
		rank += !i || strcmp(w->text + names[i - 1], w->text + names[i]);
		w->rank[names[i]] = rank;
	}
	free(names);
}

static void write_sections(struct writer *w)
{
	const struct image *image = w->b->image;

	begin(w, PART_SECTIONS);
	for (size_t i = 0; i < image->nr_sections; i++) {
		const struct image_section *section = &image->sections[i];
		struct ix_section row = { .is_text = section->is_text, .addr = section->addr, .size = section->size };

		if (!section->is_loaded || !section->size)
			continue;
		row.name = pool_string(w->b, section->name);
		fwrite(&row, sizeof(row), 1, w->out);
	}
	end(w, PART_SECTIONS);
}

/* --------------------------------------------------------------- functions */

struct order {
	uint64_t key;
	uint32_t second;
	uint32_t number;
};

static int by_key(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->second > y->second) - (x->second < y->second);
}

static void put_order(struct writer *w, enum dbindex_part part, struct order *order, size_t n)
{
	qsort(order, n, sizeof(*order), by_key);
	begin(w, part);
	for (size_t i = 0; i < n; i++)
		fwrite(&order[i].number, sizeof(order[i].number), 1, w->out);
	end(w, part);
	free(order);
}

/* Write the streams of the workers one behind the other, and adjust the offsets. */
static void write_scopes(struct writer *w)
{
	uint64_t at = 0;

	begin(w, PART_SCOPES);
	for (size_t i = 0; i < w->b->nr_workers; i++) {
		struct worker *worker = &w->b->workers[i];

		for (size_t j = 0; j < worker->nr_funcs; j++)
			worker->funcs[j].scope += at;
		at += worker->scopes.n;
		if (worker->scopes.n)
			fwrite(worker->scopes.v, 1, worker->scopes.n, w->out);
		bytes_free(&worker->scopes);
	}
	end(w, PART_SCOPES);
}

/* Functions are numbered by address. */
static void number_functions(struct writer *w, struct ix_func *funcs, size_t n)
{
	struct order *order = must_alloc(n, sizeof(*order));
	struct ix_func *sorted = must_alloc(n, sizeof(*sorted));
	uint32_t *number = w->numbers = must_alloc(n, sizeof(*number));
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		order[i] = (struct order){ funcs[i].low, w->rank[funcs[i].name], i };
	qsort(order, n, sizeof(*order), by_key);
	for (size_t i = 0; i < n; i++) {
		sorted[i] = funcs[order[i].number];
		number[order[i].number] = i;
	}
	memcpy(funcs, sorted, n * sizeof(*funcs));
	w->func_number = must_alloc(w->b->nr_workers, sizeof(*w->func_number));
	for (size_t i = 0; i < w->b->nr_workers; i++) {
		w->func_number[i] = number + at;
		at += w->b->workers[i].nr_funcs;
	}
	free(order);
	free(sorted);
}

static void renumber(struct writer *w)
{
	for (size_t i = 0; i < w->b->nr_workers; i++) {
		struct worker *worker = &w->b->workers[i];

		for (size_t j = 0; j < worker->nr_spans; j++)
			worker->spans[j].func = w->func_number[i][worker->spans[j].func];
		for (size_t j = 0; j < worker->nr_inlines; j++)
			worker->inlines[j].func = w->func_number[i][worker->inlines[j].func];
	}
}

static void write_functions(struct writer *w)
{
	size_t n;
	struct ix_func *funcs = GATHER(w, funcs, nr_funcs, &n);
	struct order *order = must_alloc(n, sizeof(*order));

	number_functions(w, funcs, n);
	put(w, PART_FUNCS, funcs, n, sizeof(*funcs));
	for (size_t i = 0; i < n; i++)
		order[i] = (struct order){ w->rank[funcs[i].name], i, i };
	put_order(w, PART_FUNC_NAMES, order, n);
	free(funcs);
	renumber(w);
}

static int by_low(const void *a, const void *b)
{
	const struct ix_span *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->func > y->func) - (x->func < y->func);
}

static void write_spans(struct writer *w)
{
	size_t n;
	struct ix_span *spans = GATHER(w, spans, nr_spans, &n);

	qsort(spans, n, sizeof(*spans), by_low);
	put(w, PART_SPANS, spans, n, sizeof(*spans));
	free(spans);
}

static int by_inline(const void *a, const void *b, void *arg)
{
	const struct ix_inline *x = a, *y = b;
	const uint32_t *rank = arg;

	if (rank[x->name] != rank[y->name])
		return rank[x->name] < rank[y->name] ? -1 : 1;
	return (x->addr > y->addr) - (x->addr < y->addr);
}

static void write_inlines(struct writer *w)
{
	size_t n;
	struct ix_inline *inlines = GATHER(w, inlines, nr_inlines, &n);

	qsort_r(inlines, n, sizeof(*inlines), by_inline, w->rank);
	put(w, PART_INLINES, inlines, n, sizeof(*inlines));
	free(inlines);
}

static int by_global(const void *a, const void *b, void *arg)
{
	const struct ix_global *x = a, *y = b;
	const uint32_t *rank = arg;

	if (rank[x->name] != rank[y->name])
		return rank[x->name] < rank[y->name] ? -1 : 1;
	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Globals that C only declares, to be found among the symbols. */
struct declared {
	struct writer *w;
	struct ix_global **globals;	/* in the order of the alphabet */
	size_t n;
	bool *is_twice;			/* several symbols have the name */
};

static size_t declared_named(const struct declared *d, const char *name)
{
	size_t low = 0, high = d->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcmp(d->w->text + d->globals[middle]->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < d->n && !strcmp(d->w->text + d->globals[low]->name, name) ? low : d->n;
}

static bool number_declared(const struct image_symbol *symbol, void *arg)
{
	struct declared *d = arg;
	size_t i = declared_named(d, symbol->name);

	if (i == d->n)
		return true;
	d->is_twice[i] |= d->globals[i]->addr != GLOBAL_DECLARED && d->globals[i]->addr != symbol->addr;
	d->globals[i]->addr = symbol->addr;
	return true;
}

/*
 * Globals such as jiffies are defined by the linker script or by assembler code: take their addresses from the
 * symbols.  A partial index has only the definitions of its own units.
 */
static void number_all_declared(struct writer *w, struct ix_global *globals, size_t n)
{
	struct declared d = { .w = w };

	if (w->b->choice)
		return;
	d.globals = must_alloc(n, sizeof(*d.globals));
	d.is_twice = must_alloc(n, sizeof(*d.is_twice));
	for (size_t i = 0; i < n; i++)
		if (globals[i].addr == GLOBAL_DECLARED)
			d.globals[d.n++] = &globals[i];
	image_symbols(w->b->image, number_declared, &d);
	for (size_t i = 0; i < d.n; i++)
		if (d.is_twice[i])
			d.globals[i]->addr = GLOBAL_DECLARED;
	free(d.globals);
	free(d.is_twice);
}

/* A declaration sorts behind the definitions of its name; drop it if there is one. */
static void write_globals(struct writer *w)
{
	size_t n, kept = 0;
	struct ix_global *globals = GATHER(w, globals, nr_globals, &n);

	qsort_r(globals, n, sizeof(*globals), by_global, w->rank);
	for (size_t i = 0; i < n; i++)
		if (globals[i].addr != GLOBAL_DECLARED || !kept ||
		    w->rank[globals[kept - 1].name] != w->rank[globals[i].name])
			globals[kept++] = globals[i];
	number_all_declared(w, globals, kept);
	put(w, PART_GLOBALS, globals, kept, sizeof(*globals));
	free(globals);
}

/* ------------------------------------------------------------------- types */

static void write_types(struct writer *w)
{
	struct builder *b = w->b;
	uint64_t *starts = must_alloc(b->nr_workers, sizeof(*starts)), at = 0;
	size_t n = 0;
	struct order *order = must_alloc(b->nr_types, sizeof(*order));

	begin(w, PART_TYPE_DATA);
	for (size_t i = 0; i < b->nr_workers; i++) {
		starts[i] = at;
		at += b->workers[i].types.n;
		if (b->workers[i].types.n)
			fwrite(b->workers[i].types.v, 1, b->workers[i].types.n, w->out);
	}
	end(w, PART_TYPE_DATA);
	begin(w, PART_TYPES);
	for (size_t i = 0; i < b->nr_types; i++) {
		struct type_slot *slot = &b->type_slots[i];
		uint64_t start = slot->len ? starts[slot->worker] + slot->offset : at;

		fwrite(&start, sizeof(start), 1, w->out);
		if (slot->is_named)
			order[n++] = (struct order){ w->rank[slot->name], i, i };
	}
	end(w, PART_TYPES);
	put_order(w, PART_TYPE_NAMES, order, n);
	free(starts);
}

/* ------------------------------------------------------------------- lines */

static int by_sequence(const void *a, const void *b)
{
	const struct sequence *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->nr > y->nr) - (x->nr < y->nr);
}

/* The rows of a sequence are in order already. */
static struct ix_line *sort_lines(struct writer *w, size_t *n)
{
	size_t nr;
	struct sequence *sequences = GATHER(w, sequences, nr_sequences, &nr);
	struct ix_line *rows;
	size_t at = 0;

	*n = 0;
	for (size_t i = 0; i < nr; i++)
		*n += sequences[i].nr;
	rows = must_alloc(*n, sizeof(*rows));
	qsort(sequences, nr, sizeof(*sequences), by_sequence);
	for (size_t i = 0; i < nr; i++) {
		memcpy(rows + at, w->b->workers[sequences[i].worker].lines + sequences[i].first,
		       sequences[i].nr * sizeof(*rows));
		at += sequences[i].nr;
	}
	free(sequences);
	for (size_t i = 0; i < w->b->nr_workers; i++)
		free(w->b->workers[i].lines);
	return rows;
}

static void write_lines(struct writer *w)
{
	size_t n;
	struct ix_line *rows = sort_lines(w, &n);
	struct line_pack pack;

	line_pack(rows, n, w->b->nr_files, &pack);
	free(rows);
	put(w, PART_LINES, pack.lines.v, pack.lines.n, 1);
	put(w, PART_LINE_BLOCKS, pack.blocks, pack.nr_blocks, sizeof(*pack.blocks));
	put(w, PART_FILES, w->b->file_names, w->b->nr_files, sizeof(*w->b->file_names));
	put(w, PART_FILE_LINES, pack.first, w->b->nr_files + 1, sizeof(*pack.first));
	put(w, PART_FILE_BLOCKS, pack.file_blocks.v, pack.file_blocks.n, 1);
	line_pack_free(&pack);
}

static void write_cfa(struct writer *w)
{
	struct cfa_rows rows = { 0 };

	build_cfa(w->b->image, &rows);
	put(w, PART_CFA, rows.v, rows.n, sizeof(*rows.v));
	free(rows.v);
}

/* -------------------------------------------------------------------- file */

static void write_header(struct writer *w)
{
	const struct image *image = w->b->image;
	struct dbindex_header *header = &w->header;

	memcpy(header->magic, DBINDEX_MAGIC, sizeof(header->magic));
	header->version = DBINDEX_VERSION;
	header->header_size = sizeof(*header);
	header->size = ftell(w->out);
	header->base = image->base;
	header->machine = image->machine;
	header->flags = (w->b->choice ? DBINDEX_PARTIAL : 0) | (image->is_module ? DBINDEX_MODULE : 0);
	header->id = image->id;
	header->sum = dbindex_sum(header);
	/* rewind() would forget that a write failed. */
	fseek(w->out, 0, SEEK_SET);
	fwrite(header, sizeof(*header), 1, w->out);
}

/* Write the header last: a file without it is not an index. */
bool build_write(struct builder *b, int fd)
{
	struct writer w = { .b = b };
	int own = dup(fd);
	bool ok;

	w.out = own < 0 ? NULL : fdopen(own, "w+");
	if (!w.out)
		return false;
	setvbuf(w.out, NULL, _IOFBF, 1 << 20);
	fseek(w.out, sizeof(w.header), SEEK_SET);
	write_sections(&w);
	write_strings(&w);
	rank_names(&w);
	write_scopes(&w);
	write_functions(&w);
	write_spans(&w);
	write_inlines(&w);
	write_globals(&w);
	write_types(&w);
	write_lines(&w);
	write_cfa(&w);
	write_header(&w);
	free(w.text);
	free(w.rank);
	free(w.numbers);
	free(w.func_number);
	fflush(w.out);
	ok = !ferror(w.out);
	return !fclose(w.out) && ok;
}
