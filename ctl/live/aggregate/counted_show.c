// SPDX-License-Identifier: GPL-2.0-or-later
/* counted_show.c - print all tables: once, or again and again.  See counted.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/base/style.h"
#include "ctl/live/aggregate/counted.h"

#define FOLLOWED	20	/* rows of a table that is shown again each second */

void counted_print(struct session *s, const struct counted *counted, bool *is_first)
{
	if (!*is_first && s->format == PRINT_TEXT)
		fputc('\n', s->out);
	*is_first = false;
	if (s->format == PRINT_JSON)
		counted_json(s, counted);
	else if (s->format == PRINT_CSV)
		counted_csv(s, counted);
	else
		counted_text(s, counted, NULL, NO_LIMIT);
}

static bool print_one(struct session *s, struct counted *counted, void *arg)
{
	if (interrupt_pending())
		return false;
	counted_print(s, counted, arg);
	return true;
}

bool counted_print_all(struct session *s, bool clear, struct error *err)
{
	bool is_first = true;

	return counted_each(s, clear, print_one, &is_first, err) && session_flush(s, err);
}

/* -------------------------------------------------------------------- follow */

/* Tables as they were shown before; their descriptors and names are gone. */
struct counted_course {
	struct counted *v;
	size_t n;
	bool dated;		/* the present round has printed its time */
};

struct counted_course *counted_course_create(void)
{
	return mem_zalloc(1, sizeof(struct counted_course));
}

void counted_course_free(struct counted_course *course)
{
	for (size_t i = 0; i < course->n; i++)
		counted_free(&course->v[i]);
	free(course->v);
	free(course);
}

/* Ids are used again: the time at which it was empty tells tables of the same id apart. */
static struct counted *find_before(struct counted_course *course, const struct counted *counted)
{
	for (size_t i = 0; i < course->n; i++)
		if (course->v[i].id == counted->id && course->v[i].data.began == counted->data.began)
			return &course->v[i];
	return NULL;
}

/* Keep what was read for the next round. */
static void keep(struct counted_course *course, struct counted *before, struct counted *counted)
{
	if (!before) {
		course->v = MEM_MORE(course->v, course->n);
		before = &course->v[course->n++];
	} else {
		counted_free(before);
	}
	*before = *counted;
	counted->data = (struct aggregate_data){ 0 };
	counted->rows = NULL;
}

static void print_time(struct session *s)
{
	const time_t now = time(NULL);
	char text[32];
	struct tm tm;

	strftime(text, sizeof(text), "--- %H:%M:%S ---", localtime_r(&now, &tm));
	style_put(s->out, s->colour, STYLE_DIM, text, 0);
	fputc('\n', s->out);
}

static bool follow_one(struct session *s, struct counted *counted, void *arg)
{
	struct counted_course *course = arg;
	struct counted *before = find_before(course, counted);
	bool is_first = !course->dated;

	if (s->format != PRINT_TEXT) {
		counted_print(s, counted, &is_first);
		return true;
	}
	if (!course->dated)
		print_time(s);
	else
		fputc('\n', s->out);
	course->dated = true;
	if (before)
		before->desc = counted->desc;
	counted_text(s, counted, before, FOLLOWED);
	keep(course, before, counted);
	return true;
}

bool counted_follow(struct session *s, struct counted_course *course, struct error *err)
{
	course->dated = false;
	return counted_each(s, false, follow_one, course, err) && session_flush(s, err);
}
