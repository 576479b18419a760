// SPDX-License-Identifier: GPL-2.0-or-later
/* measure.c - see measure.h. */
#include "ctl/live/measure/measure.h"

#include <stdlib.h>

#include "ctl/live/offcpu/off_cpu.h"

double measure_burden(const struct measurement *m)
{
	return m->ended > m->began ? (double)m->all.taken_off / (m->ended - m->began) : 0;
}

static void end_free(struct measure_end *end)
{
	free(end->spec);
	free(end->where);
}

static void line_free(struct line *line)
{
	free(line->file);
	free(line->text);
	free(line->inlined);
	free(line->addrs);
	free(line->samples.buckets);
}

static void outlier_free(struct outlier *outlier)
{
	free(outlier->text);
	free(outlier->json);
}

void measurement_free(struct measurement *m)
{
	for (size_t i = 0; i < m->nr_groups; i++) {
		free(m->groups[i].key);
		free(m->groups[i].samples.buckets);
	}
	for (size_t i = 0; i < m->nr_lines; i++)
		line_free(&m->lines[i]);
	for (size_t i = 0; i < m->nr_outliers; i++)
		outlier_free(&m->outliers[i]);
	end_free(&m->from);
	end_free(&m->to);
	off_cpu_free(m->off_cpu);
	free(m->groups);
	free(m->lines);
	free(m->outliers);
	free(m->all.buckets);
	free(m->others.buckets);
	free(m->name);
	free(m->key);
	free(m->by);
	free(m->tables);
	free(m->only_if);
	*m = (struct measurement){ 0 };
}
