// SPDX-License-Identifier: GPL-2.0-or-later
/* chart.c - see chart.h. */
#include "ctl/show/report/chart.h"

#include <math.h>
#include <string.h>

#include "ctl/base/duration.h"
#include "ctl/base/escape.h"
#include "ctl/live/measure/fields.h"
#include "ctl/show/report/bars.h"
#include "ctl/show/report/report_int.h"

/* The drawing, and the area between its axes. */
#define WIDTH	920.0
#define HEIGHT	300.0
#define LEFT	70.0
#define RIGHT	900.0
#define TOP	16.0
#define BOTTOM	250.0
#define LEAST	3.0	/* height of a bar of few hits: it must be seen beside one of thousands */
#define BARS	72
#define TICKS	6

static void open_chart(FILE *out, const char *id, const char *label, double height)
{
	fprintf(out, "<svg id=\"%s\" viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"", id, WIDTH, height);
	escape_html(out, label);
	fputs("\">\n", out);
}

static void line(FILE *out, const char *class, double x1, double y1, double x2, double y2)
{
	fprintf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class, x1, y1, x2, y2);
}

static void text_at(FILE *out, const char *anchor, double x, double y, const char *text)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	escape_html(out, text);
	fputs("</text>\n", out);
}

/* 1, 2 or 5 times a power of ten, for about TICKS marks up to `most`. */
static double tick_step(double most)
{
	const double step = most / TICKS, decade = pow(10, floor(log10(step)));

	return decade * (step / decade <= 1 ? 1 : step / decade <= 2 ? 2 : step / decade <= 5 ? 5 : 10);
}

static void count_axis(FILE *out, double most)
{
	const double step = fmax(1, tick_step(most));
	char text[DURATION_SIZE];

	for (double n = 0; n <= most; n += step) {
		const double y = BOTTOM - n / most * (BOTTOM - TOP);

		line(out, "grid", LEFT, y, RIGHT, y);
		text_at(out, "end", LEFT - 6, y + 4, count_text((unsigned long long)n, text));
	}
}

/* --------------------------------------------------------------- histogram */

static void bar(const struct bars *rows, size_t i, double x, double width, FILE *out)
{
	const struct bar *row = &rows->v[i];
	const double height = (double)row->count / rows->most * (BOTTOM - TOP);
	char from[DURATION_SIZE], to[DURATION_SIZE], n[DURATION_SIZE];

	fprintf(out, "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s to %s: %s (%.2f %% up to here)</title></rect>\n",
		x, BOTTOM - fmax(height, LEAST), fmax(width - 1, 0.5), fmax(height, LEAST), duration_text(row->from, from),
		duration_text(row->to, to), count_text(row->count, n), 100.0 * row->up_to / rows->v[rows->n - 1].up_to);
}

void chart_histogram(const struct measurement *m, FILE *out)
{
	struct bars rows = bars_make(m, &m->all, BARS);
	const double width = rows.n ? (RIGHT - LEFT) / rows.n : 0;
	const size_t every = rows.n / 8 + 1;
	char text[DURATION_SIZE];

	if (!rows.n)
		return;
	open_chart(out, "histogram", "histogram", HEIGHT);
	count_axis(out, rows.most);
	for (size_t i = 0; i < rows.n; i++) {
		const double x = LEFT + i * width;

		if (rows.v[i].count)
			bar(&rows, i, x, width, out);
		if (i % every)
			continue;
		line(out, "axis", x, BOTTOM, x, BOTTOM + 5);
		text_at(out, "middle", x, BOTTOM + 20, duration_text(rows.v[i].from, text));
	}
	line(out, "axis", LEFT, BOTTOM, RIGHT, BOTTOM);
	text_at(out, "middle", (LEFT + RIGHT) / 2, HEIGHT - 8, measure_subject(m));
	fputs("</svg>\n", out);
	bars_free(&rows);
}

/* ------------------------------------------------------------- percentiles */

/* A logarithmic scale of durations. */
struct scale {
	double low, high;
};

static double scaled(const struct scale *scale, double ns)
{
	return BOTTOM - log(fmax(ns, scale->low) / scale->low) / log(scale->high / scale->low) * (BOTTOM - TOP);
}

static struct scale scale_of(const struct measurement *m)
{
	const double high = fmax(measure_ns(m, m->all.max), m->ns_per_tick);
	const double low = fmax(fmax(measure_ns(m, m->all.min), m->ns_per_tick), high / 1e9);

	/* Widen the scale if all durations are about equal. */
	return high > low * 1.05 ? (struct scale){ low, high } : (struct scale){ low * 0.8, high * 1.25 };
}

/* The number of nines: 90 % is 1, 99 % is 2, so that each nine takes the same width. */
static double nines(double part)
{
	return -log10(1 - part);
}

static double part_at(double x, double most)
{
	return 1 - pow(10, -x * most);
}

static void duration_axis(const struct scale *scale, FILE *out)
{
	static const double steps[] = { 1, 2, 5 };
	const size_t every = scale->high / scale->low > 1e3 ? 3 : 1;
	char text[DURATION_SIZE];

	for (size_t i = 0; i < 60; i += every) {
		const double ns = 1e-3 * pow(10, i / 3) * steps[i % 3];

		if (ns < scale->low || ns > scale->high)
			continue;
		line(out, "grid", LEFT, scaled(scale, ns), RIGHT, scaled(scale, ns));
		text_at(out, "end", LEFT - 6, scaled(scale, ns) + 4, duration_text(ns, text));
	}
}

/* The last nine ends at the slowest sample: no mark there, but its name. */
static void part_axis(double known, double most, FILE *out)
{
	static const struct {
		double part;
		const char *name;
	} marks[] = { { 0, "0" }, { 0.5, "50 %" }, { 0.9, "90 %" }, { 0.99, "99 %" }, { 0.999, "99.9 %" },
		      { 0.9999, "99.99 %" }, { 0.99999, "99.999 %" }, { 0.999999, "99.9999 %" } };

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		const double x = LEFT + nines(marks[i].part) / most * (RIGHT - LEFT);

		if (nines(marks[i].part) > known + 1e-9)
			break;
		line(out, "grid", x, TOP, x, BOTTOM);
		text_at(out, "middle", x, BOTTOM + 20, marks[i].name);
	}
	text_at(out, "end", RIGHT, BOTTOM + 20, "max");
}

void chart_percentiles(const struct measurement *m, FILE *out)
{
	const struct scale scale = scale_of(m);
	/* A percentile needs ten samples beyond it.  Of the last ten only the slowest is known. */
	const double known = log10(m->all.count / 10.0), most = known + 1, end = LEFT + known / most * (RIGHT - LEFT);
	double y = BOTTOM;

	open_chart(out, "percentiles", "percentiles", HEIGHT);
	duration_axis(&scale, out);
	part_axis(known, most, out);
	fputs("<polyline class=\"curve\" points=\"", out);
	for (int i = 0; i <= 200; i++) {
		y = scaled(&scale, measure_ns(m, samples_percentile(&m->all, part_at(i / 200.0, known))));
		fprintf(out, "%.1f,%.1f ", LEFT + i / 200.0 * (end - LEFT), y);
	}
	fprintf(out, "\"/>\n<polyline class=\"curve last\" points=\"%.1f,%.1f %.1f,%.1f\"/>\n", end, y, RIGHT,
		scaled(&scale, measure_ns(m, m->all.max)));
	text_at(out, "middle", (LEFT + RIGHT) / 2, HEIGHT - 8,
		"part of the samples that took at most this time; dashed: the ten slowest, up to the maximum");
	fputs("</svg>\n", out);
}

/* ---------------------------------------------------------------- timeline */

#define LANE	44.0
#define LANES	24	/* further lanes are not drawn */

static void lane(const struct measurement *m, const struct timeline_series *series, double top, FILE *out)
{
	const double width = (RIGHT - LEFT) / TIMELINE_BINS;
	const double ns = measure_ns(m, m->ended - m->began);
	char at[DURATION_SIZE], n[DURATION_SIZE];
	uint64_t most = 1;

	for (size_t i = 0; i < TIMELINE_BINS; i++)
		most = series->bins[i] > most ? series->bins[i] : most;
	text_at(out, "start", LEFT, top + 11, series->name);
	for (size_t i = 0; i < TIMELINE_BINS; i++) {
		const double height = fmax(LEAST, (LANE - 18) * series->bins[i] / most);

		if (series->bins[i])
			fprintf(out, "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s: %s</title></rect>\n",
				LEFT + i * width, top + LANE - 2 - height, width, height,
				duration_text(ns * i / TIMELINE_BINS, at), count_text(series->bins[i], n));
	}
	line(out, "axis", LEFT, top + LANE - 2, RIGHT, top + LANE - 2);
}

void chart_timeline(const struct measurement *m, const struct timeline *timeline, FILE *out)
{
	const size_t lanes = timeline->nr < LANES ? timeline->nr : LANES;
	const double ns = measure_ns(m, m->ended - m->began);
	char text[DURATION_SIZE];

	open_chart(out, "timeline", "timeline", lanes * LANE + 30);
	for (size_t i = 0; i < lanes; i++)
		lane(m, &timeline->series[i], i * LANE, out);
	for (int i = 0; i <= 4; i++)
		text_at(out, i == 4 ? "end" : "middle", LEFT + i / 4.0 * (RIGHT - LEFT), lanes * LANE + 18,
			duration_text(ns * i / 4, text));
	fputs("</svg>\n", out);
}

/* ------------------------------------------------------------------- a call */

void chart_call(const struct measurement *m, FILE *out)
{
	double x = LEFT;

	open_chart(out, "timeline", "a mean call, line by line", 70);
	for (size_t i = 0; i < m->nr_lines; i++) {
		const struct line *one = &m->lines[i];
		const double width = line_share(m, one) * (RIGHT - LEFT);

		if (width <= 0)
			continue;
		fprintf(out, "<rect class=\"part%zu\" x=\"%.1f\" y=\"10\" width=\"%.1f\" height=\"34\"><title>",
			i % 2, x, width);
		escape_html(out, one->file);
		fprintf(out, ":%u: %.1f %%</title></rect>\n", one->number, 100 * line_share(m, one));
		if (width > 34) {
			char number[16];

			snprintf(number, sizeof(number), "%u", one->number);
			text_at(out, "middle", x + width / 2, 60, number);
		}
		x += width;
	}
	fputs("</svg>\n", out);
}
