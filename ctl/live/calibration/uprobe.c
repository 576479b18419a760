// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uprobe.c - calibrate the cost of uprobes.  See calibration.h.
 *
 * ktrace sets uprobes in itself, and calls the functions of arch_ops.scratch, which do nothing.  What is measured is the cost:
 *
 *   cost      of a call: from the clock of the first hit to the function, and from its return to the clock of the second hit
 *   nested    of a call within a call: the whole of both hits, but for what the module measures itself.  It is the difference
 *             between calls of a function that calls a traced function, and calls of one that calls another
 *
 * The second part of a cost does not depend on the instruction, the first one only on whether the kernel emulates it.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/base/device/desc.h"
#include "ctl/base/device/refusal.h"
#include "ctl/live/calibration/calibration.h"

#define CALLS		256
#define TRIES		(4 * CALLS)	/* other hits may come between */
#define NR_SITES	(2 * NR_SCRATCH)	/* entry and return of each function */
#define ITSELF		"/proc/self/exe"

struct itself {
	struct session *s;
	int fd;
	uint64_t base;		/* what the module calls the file */
	uint32_t measure;
	struct desc desc;
	void *blob;
	size_t blob_len;
	struct kt_role roles[NR_SITES];
	struct kt_site_req sites[NR_SITES];
	uint64_t times[CALLS];
};

static void nothing(void)
{
	__asm__ volatile("");
}

/* ------------------------------------------------------------------------ sites */

/* Where in the file is this code? */
static bool offset_of(const uint8_t *code, uint64_t *offset)
{
	const uint64_t at = (uintptr_t)code;
	FILE *maps = fopen("/proc/self/maps", "re");
	bool found = false;
	char line[512];

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		uint64_t from, to, behind;

		found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &from, &to, &behind) == 3 && at >= from && at < to;
		*offset = at - from + behind;
	}
	if (maps)
		fclose(maps);
	return found;
}

static const uint8_t *code_of(size_t site)
{
	const struct arch_scratch *scratch = &arch_native.scratch[site / 2];

	return site % 2 ? scratch->end : (const uint8_t *)(uintptr_t)scratch->call;
}

/* The bytes are those of the file: in memory another ktrace may have its breakpoints. */
static bool describe_site(struct itself *me, size_t i, struct error *err)
{
	struct kt_site_req *req = &me->sites[i];
	struct arch_insn insn;
	uint64_t offset;

	*req = (struct kt_site_req){
		.desc = (uintptr_t)me->blob, .desc_len = me->blob_len, .flags = KT_SITE_USER, .process = getpid(),
		.role = (uintptr_t)&me->roles[i],
	};
	me->roles[i] = (struct kt_role){
		.size = sizeof(me->roles[i]), .measure = me->measure, .reg = arch_native.dwarf_sp,
		.what = KT_ROLE_SILENT | (i % 2 ? KT_ROLE_END | KT_ROLE_TALLY : KT_ROLE_BEGIN),
	};
	if (!offset_of(code_of(i), &offset) || pread(me->fd, req->insn, sizeof(req->insn), offset) != sizeof(req->insn) ||
	    !arch_native.decode(req->insn, sizeof(req->insn), offset, &insn))
		return error_set(err, STATUS_FAILURE, "ktrace cannot read its own file");
	req->addr = me->base + offset;
	req->insn_len = insn.len;
	memset(req->insn + insn.len, 0, sizeof(req->insn) - insn.len);
	return true;
}

static bool create(struct itself *me, struct error *err)
{
	static const struct kt_insn just_end = { .op = KT_OP_END };
	struct session *s = me->s;
	struct kt_measure req = { .slots = KT_MIN_SLOTS, .flags = KT_MEASURE_PROCESS };

	me->fd = open(ITSELF, O_RDONLY | O_CLOEXEC);
	if (me->fd < 0)
		return error_set(err, STATUS_FAILURE, "ktrace cannot open its own file");
	me->desc = (struct desc){
		.name = "ktrace:scratch", .typed = "ktrace:scratch", .options = "", .prog = (struct kt_insn *)&just_end, .prog_len = 1,
	};
	if (!device_file(&s->dev, me->fd, "ktrace:", &me->base, err) || !desc_encode(&me->desc, &me->blob, &me->blob_len, err))
		return false;
	if (!s->uprobe_measure && !device_measure(&s->dev, &req, err))
		return false;
	if (!s->uprobe_measure)
		s->uprobe_measure = req.id;
	me->measure = s->uprobe_measure;
	for (size_t i = 0; i < NR_SITES; i++)
		if (!describe_site(me, i, err))
			return false;
	return true;
}

static bool set(struct itself *me, struct error *err)
{
	struct kt_trace req = { .flags = KT_TRACE_OWNED, .nr = NR_SITES, .sites = (uintptr_t)me->sites };

	if (device_trace(&me->s->dev, &req, err))
		return true;
	for (size_t i = 0; i < NR_SITES; i++)
		if (me->sites[i].refusal)
			return refusal_set(err, me->sites[i].refusal, me->desc.name, NULL);
	return false;
}

static void drop(struct itself *me)
{
	uint64_t addrs[NR_SITES];
	struct kt_delete req = { .nr = NR_SITES, .addrs = (uintptr_t)addrs };
	struct error unused;

	for (size_t i = 0; i < NR_SITES; i++)
		addrs[i] = me->sites[i].addr;
	device_delete(&me->s->dev, &req, &unused);
}

/* ------------------------------------------------------------------------ times */

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool total(struct itself *me, struct kt_samples *out, struct error *err)
{
	struct kt_tally req = { .id = me->measure, .group = KT_TALLY_ALL };
	bool found;

	if (!device_tally(&me->s->dev, &req, &found, err))
		return false;
	*out = req.samples;
	return found || error_set(err, STATUS_FAILURE, "the measurement is gone");
}

/* Sorted: the ticks that the module measures for each call, together with the call within it. */
static bool time_calls(struct itself *me, unsigned int which, void (*inner)(void), uint64_t hits, struct error *err)
{
	struct kt_samples before, after;
	size_t n = 0;

	if (!total(me, &before, err))
		return false;
	for (size_t i = 0; i < TRIES && n < CALLS && !interrupt_pending(); i++) {
		arch_native.scratch[which].call(inner);
		if (!total(me, &after, err))
			return false;
		if (after.count - before.count == hits)
			me->times[n++] = after.sum - before.sum;
		before = after;
	}
	if (n < CALLS)
		return error_set(err, STATUS_FAILURE, "its calls are not seen");
	qsort(me->times, CALLS, sizeof(*me->times), compare);
	return true;
}

static uint64_t median(const struct itself *me)
{
	return me->times[CALLS / 2];
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static bool take_cost(struct itself *me, unsigned int which, struct calibration *c, struct error *err)
{
	const uint8_t entry = me->sites[2 * which].method;
	struct correction cost = { .known = true, .calls = CALLS };

	if (!time_calls(me, which, nothing, 1, err))
		return false;
	cost.cost = median(me);
	cost.low = me->times[CALLS / 100];
	cost.high = me->times[CALLS - 1 - CALLS / 100];
	c->by[entry][KT_METHOD_UPROBE] = c->by[entry][KT_METHOD_STEPPED] = cost;
	c->run.cost[entry][KT_METHOD_UPROBE] = c->run.cost[entry][KT_METHOD_STEPPED] = cost.cost;
	return true;
}

/* The whole of both hits of a call, but for what the module measures itself. */
static bool time_hits(struct itself *me, unsigned int which, uint64_t around, const struct calibration *c, uint64_t *out, struct error *err)
{
	const uint8_t entry = me->sites[2 * which].method;

	/* The functions ignore their argument. */
	if (!time_calls(me, SCRATCH_AROUND, (void (*)(void))arch_native.scratch[which].call, 2, err))
		return false;
	*out = less(median(me), around + c->run.cost[entry][KT_METHOD_UPROBE]);
	return true;
}

static bool take_nested(struct itself *me, struct calibration *c, struct error *err)
{
	const uint8_t end = me->sites[1].method, other = end == KT_METHOD_STEPPED ? KT_METHOD_UPROBE : KT_METHOD_STEPPED;
	const unsigned int alike = end == KT_METHOD_STEPPED ? SCRATCH_STEPPED : SCRATCH_EMULATED;
	uint64_t around, same, mixed;

	if (!time_calls(me, SCRATCH_AROUND, nothing, 1, err))
		return false;
	around = median(me);
	if (!time_hits(me, alike, around, c, &same, err) ||
	    !time_hits(me, SCRATCH_EMULATED + SCRATCH_STEPPED - alike, around, c, &mixed, err))
		return false;
	c->run.nested[0][end] = c->run.nested[1][end] = same / 2;
	c->run.nested[0][other] = c->run.nested[1][other] = less(mixed, same / 2);
	return true;
}

static bool take(struct itself *me, struct calibration *c, struct error *err)
{
	struct kt_measure_run run = { .id = me->measure, .on = 1 };
	bool ok;

	/* A kernel that emulates neither would leave a method without a cost. */
	if (me->sites[2 * SCRATCH_EMULATED].method != KT_METHOD_UPROBE || me->sites[2 * SCRATCH_STEPPED].method != KT_METHOD_STEPPED)
		return error_set(err, STATUS_FAILURE, "this kernel executes instructions in another way");
	if (!device_measure_run(&me->s->dev, &run, err))
		return false;
	c->calls = CALLS;
	ok = take_cost(me, SCRATCH_EMULATED, c, err) && take_cost(me, SCRATCH_STEPPED, c, err) && take_nested(me, c, err);
	run.on = 0;
	return device_measure_run(&me->s->dev, &run, err) && ok;
}

void calibration_take_uprobes(struct session *s, struct calibration *c)
{
	struct itself me = { .s = s };
	struct error err = { 0 };

	*c->why = '\0';
	if (!create(&me, &err) || !set(&me, &err)) {
		snprintf(c->why, sizeof(c->why), "%.127s", err.text);
	} else {
		if (!take(&me, c, &err))
			snprintf(c->why, sizeof(c->why), "%.127s", err.text);
		drop(&me);
	}
	if (*c->why)
		c->run = (struct kt_measure_run){ 0 };
	free(me.blob);
	if (me.fd >= 0)
		close(me.fd);
}
