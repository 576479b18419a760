// SPDX-License-Identifier: GPL-2.0-or-later
/* sample.c - see sample.h. */
#include "sample.h"

#include <math.h>
#include <stdlib.h>

#include "ctl/base/memory.h"

/* SplitMix64, of S. Vigna. */
uint64_t sample_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

double sample_uniform(uint64_t *state)
{
	return ((sample_random(state) >> 11) + 0.5) / 9007199254740992.0;
}

static void add_line(struct measurement *m, unsigned int number, const char *text, uint64_t count, uint64_t each)
{
	struct line *line;

	m->lines = MEM_MORE(m->lines, m->nr_lines);
	line = &m->lines[m->nr_lines++];
	*line = (struct line){ .file = mem_strdup("fs/read_write.c"), .number = number, .text = mem_strdup(text) };
	line->samples = (struct samples){
		.count = count, .sum = count * each, .squares = (unsigned __int128)count * each * each, .min = each, .max = each,
	};
}

static void add_group(struct measurement *m, const char *key, uint64_t value)
{
	m->groups = MEM_MORE(m->groups, m->nr_groups);
	m->groups[m->nr_groups] = (struct group){ .key = mem_strdup(key) };
	for (int i = 0; i < 10; i++)
		samples_add(&m->groups[m->nr_groups].samples, value + i);
	m->nr_groups++;
}

void sample_measurement(struct measurement *m, enum measure_kind kind)
{
	uint64_t state = 1;

	*m = (struct measurement){
		.kind = kind, .name = mem_strdup(kind == MEASURE_INTERVAL ? "a -> b" : "vfs_write"), .ns_per_tick = 0.4, .clock = "tsc",
		.from = { .spec = mem_strdup("vfs_write"), .where = mem_strdup("fs/read_write.c:582"), .nr_points = 1, .method = "jump" },
		.to = { .spec = mem_strdup("vfs_write%return"), .nr_points = 3, .method = "breakpoint" },
		.correction = { .known = true, .cost = 100, .low = 90, .high = 130, .calls = 1000 },
		.began = 1000000, .ended = 1000000 + 5000000000, .began_at = 1795255331.25,
		.open = 2, .unmatched = 1,
	};
	for (int i = 0; i < 10000; i++)
		samples_add(&m->all, (uint64_t)(2000 * exp(0.4 * (sample_uniform(&state) + sample_uniform(&state)) +
						       (i % 500 ? 0 : 4 * sample_uniform(&state)))));
	m->all.taken_off = 100 * m->all.count;
	m->entered = m->all.count + 2;
	m->returned = m->all.count + 1;
	if (kind != MEASURE_LINES) {
		m->by = mem_strdup("comm");
		add_group(m, "dd", 2000);
		add_group(m, "<b>\"x\", y", 4000);
		m->outliers = mem_zalloc(1, sizeof(*m->outliers));
		m->outliers[m->nr_outliers++] = (struct outlier){ .duration = m->all.max, .end = 2000000, .cpu = 1,
							       .text = mem_strdup("count=5\n    from a < b"),
							       .json = mem_strdup("{\"type\":\"record\"}") };
		return;
	}
	add_line(m, 583, "\tssize_t ret;", 10000, 200);
	add_line(m, 585, "\tif (!(file->f_mode & FMODE_WRITE))", 10000, 30);
	add_line(m, 594, "\t\tret = file->f_op->write(file, buf, count, pos);", 9000, 2000);
	add_line(m, 602, "\treturn ret;", 0, 0);
}

void sample_free(struct measurement *m)
{
	for (size_t i = 0; i < m->nr_lines; i++) {
		free(m->lines[i].file);
		free(m->lines[i].text);
	}
	for (size_t i = 0; i < m->nr_groups; i++) {
		free(m->groups[i].key);
		free(m->groups[i].samples.buckets);
	}
	for (size_t i = 0; i < m->nr_outliers; i++) {
		free(m->outliers[i].text);
		free(m->outliers[i].json);
	}
	free(m->name);
	free(m->from.spec);
	free(m->from.where);
	free(m->to.spec);
	free(m->all.buckets);
	free(m->by);
	free(m->groups);
	free(m->outliers);
	free(m->lines);
}
