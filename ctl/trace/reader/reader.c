// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader.c - snapshots of all rings: copied, parsed, merged by time.
 *
 * A snapshot ends at one instant on all CPUs, so that a later snapshot has no older records.  The reader reads
 * the time, waits until every record with an earlier time is in its ring, copies the rings, and leaves out
 * younger records.
 */
#include "ctl/trace/reader/reader.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/desc.h"
#include "ctl/base/memory.h"
#include "ctl/trace/reader/reader_int.h"

#define MAX_CPUS	65536	/* more than any kernel can have */
#define MAX_MOVES	16	/* of the rings to other memory, during one snapshot */

/* ------------------------------------------------------------------- rings */

static void map_ring(struct reader_cpu *cpu, const struct kt_hello *hello)
{
	uint8_t *base = cpu->mapping;

	kt_ring_attach(&cpu->ring, cpu->mapping, (u64 *)(base + hello->off_commit),
		       base + hello->off_data, hello->subbuf_bytes, hello->nr_subbufs, cpu->cpu,
		       hello->features & KT_FEATURE_WIDE);
	cpu->bytes = hello->ring_bytes;
	cpu->generation = 0;
	if (hello->off_area)
		cpu->generation = ((struct kt_ring_area *)(base + hello->off_area))->generation;
}

static bool geometry_sound(const struct kt_hello *hello, struct error *err)
{
	const uint64_t sub = hello->subbuf_bytes, nr = hello->nr_subbufs;
	const uint64_t most = hello->features & KT_FEATURE_WIDE ? KT_SUBBUF_WIDE_MAX : KT_SUBBUF_MAX;

	if (sub >= KT_SUBBUF_MIN && sub <= most && nr >= 2 && !(sub & (sub - 1)) &&
	    !(nr & (nr - 1)) && hello->nr_cpus <= MAX_CPUS && hello->off_commit % 8 == 0 &&
	    hello->off_data % 8 == 0 && hello->off_commit >= sizeof(struct kt_ring_ctl) &&
	    hello->off_commit + nr * sizeof(u64) <= hello->off_data &&
	    hello->off_data + sub * nr <= hello->ring_bytes && hello->off_area % 8 == 0 &&
	    hello->off_area + sizeof(struct kt_ring_area) <= hello->off_data)
		return true;
	return error_set(err, STATUS_NO_ACCESS,
			 "this ktrace does not know the layout of the module's rings: install the module and ktrace of the same version");
}

static bool map_all(struct reader *reader, struct error *err)
{
	const struct kt_hello *hello = reader->source.hello;
	struct error why = { .text = "" };

	reader->cpus = mem_zalloc(hello->nr_cpus, sizeof(*reader->cpus));
	for (uint32_t i = 0; i < hello->nr_cpus; i++) {
		struct reader_cpu *cpu = &reader->cpus[reader->nr_cpus];

		cpu->cpu = i;
		cpu->mapping = reader->source.map(reader->source.arg, i, &why);
		if (!cpu->mapping && *why.text)
			return error_set(err, why.status, "%s", why.text);
		if (!cpu->mapping)
			continue;
		map_ring(cpu, hello);
		reader->nr_cpus++;
	}
	return true;
}

struct reader *reader_create_from(const struct reader_source *source, struct error *err)
{
	struct reader *reader;

	if (!geometry_sound(source->hello, err))
		return NULL;
	reader = mem_zalloc(1, sizeof(*reader));
	reader->source = *source;
	if (map_all(reader, err))
		return reader;
	reader_destroy(reader);
	return NULL;
}

static void unmap_all(struct reader *reader)
{
	for (size_t i = 0; i < reader->nr_cpus; i++)
		reader->source.unmap(reader->source.arg, reader->cpus[i].cpu,
				     reader->cpus[i].mapping, reader->cpus[i].bytes);
	free(reader->cpus);
	reader->cpus = NULL;
	reader->nr_cpus = 0;
}

void reader_destroy(struct reader *reader)
{
	if (!reader)
		return;
	unmap_all(reader);
	free(reader->own);
	free(reader);
}

/* Have the rings moved to other memory since they were mapped? */
static bool moved_on(const struct reader *reader)
{
	/* The copies before the generation.  Pairs with packet_open() in the writer. */
	kt_smp_rmb();
	for (size_t i = 0; i < reader->nr_cpus; i++) {
		const struct reader_cpu *cpu = &reader->cpus[i];

		if (READ_ONCE(cpu->ring.ctl->generation) != cpu->generation)
			return true;
	}
	return false;
}

static bool follow_rings(struct reader *reader, struct error *err)
{
	if (reader->nr_cpus && !moved_on(reader))
		return true;
	unmap_all(reader);
	return (!reader->source.refresh || reader->source.refresh(reader->source.arg, err)) &&
	       geometry_sound(reader->source.hello, err) && map_all(reader, err);
}

bool reader_private(struct reader *reader, struct error *err)
{
	u64 total, newest;

	if (!follow_rings(reader, err))
		return false;
	free(reader->own);
	reader->own = mem_zalloc(reader->source.hello->nr_cpus + 1, sizeof(*reader->own));
	for (size_t i = 0; i < reader->nr_cpus; i++) {
		const struct reader_cpu *cpu = &reader->cpus[i];

		if (!ring_newest(&cpu->ring, &total, &newest))
			return error_set(err, STATUS_FAILURE, "the ring of CPU %u keeps changing: try again", cpu->cpu);
		reader->own[cpu->cpu] = (struct own_mark){ total, newest, READ_ONCE(cpu->ring.ctl->discarded) };
	}
	return true;
}

/* ----------------------------------------------------------------- merging */

/* A heap of runs, ordered by the next record of each. */
struct head {
	const struct record *at, *end;
};

static bool earlier(const struct head *a, const struct head *b)
{
	if (a->at->ticks != b->at->ticks)
		return a->at->ticks < b->at->ticks;
	return a->at->cpu < b->at->cpu;
}

static void sift_down(struct head *heap, size_t nr, size_t i)
{
	for (;;) {
		size_t least = i, child = 2 * i + 1;
		struct head swap;

		if (child < nr && earlier(&heap[child], &heap[least]))
			least = child;
		if (child + 1 < nr && earlier(&heap[child + 1], &heap[least]))
			least = child + 1;
		if (least == i)
			return;
		swap = heap[i];
		heap[i] = heap[least];
		heap[least] = swap;
		i = least;
	}
}

static size_t heap_fill(struct head *heap, const struct snapshot *snap, size_t *records)
{
	size_t nr = 0, i;

	for (i = 0; i < snap->nr_runs; i++) {
		const struct run *run = &snap->runs[i];

		*records += run->nr_records;
		if (run->nr_records)
			heap[nr++] = (struct head){ run->records, run->records + run->nr_records };
	}
	for (i = nr; i-- > 0;)
		sift_down(heap, nr, i);
	return nr;
}

void snapshot_merge(struct snapshot *snap)
{
	AUTO_FREE struct head *heap = mem_zalloc(snap->nr_runs + 1, sizeof(*heap));
	size_t records = 0, nr = heap_fill(heap, snap, &records);

	snap->order = mem_zalloc(records + 1, sizeof(*snap->order));
	while (nr) {
		snap->order[snap->nr++] = heap[0].at++;
		if (heap[0].at == heap[0].end)
			heap[0] = heap[--nr];
		sift_down(heap, nr, 0);
	}
}

/* --------------------------------------------------------------- snapshots */

/* Begin all runs.  True: there is something to copy. */
static bool begin(struct snapshot *snap, struct reader *reader)
{
	bool any = false;

	snap->nr_runs = reader->nr_cpus;
	snap->runs = mem_zalloc(snap->nr_runs + 1, sizeof(*snap->runs));
	for (size_t i = 0; i < snap->nr_runs; i++)
		any |= run_begin(&snap->runs[i], &reader->cpus[i],
				 reader->own ? &reader->own[reader->cpus[i].cpu] : NULL);
	return any;
}

/* False: a ring was overwritten before all records until the end were copied. */
static bool copy_runs(struct snapshot *snap)
{
	bool lapped = false;

	for (size_t i = 0; i < snap->nr_runs; i++) {
		run_copy(&snap->runs[i], snap->until);
		lapped |= run_lapped(&snap->runs[i], snap->until);
	}
	return !lapped;
}

/* If rings are overwritten faster than they can be copied in order, give up the order rather than the records. */
static bool copy(struct snapshot *snap, const struct reader_source *source, struct error *err)
{
	source->settle(source->arg);
	if (copy_runs(snap))
		return true;
	if (!source->now(source->arg, &snap->now, err))
		return false;
	snap->until = snap->now;
	if (!copy_runs(snap))
		snap->until = UINT64_MAX;
	return true;
}

static void start_over(struct snapshot *snap)
{
	for (size_t i = 0; i < snap->nr_runs; i++)
		run_drop(&snap->runs[i]);
	free(snap->runs);
	*snap = (struct snapshot){ 0 };
}

/* Copy all packets.  Start again if rings moved meanwhile: the new ones may have more packets. */
static bool copy_all(struct snapshot *snap, struct reader *reader, struct error *err)
{
	const struct reader_source *source = &reader->source;

	for (int i = 0; i < MAX_MOVES; i++) {
		start_over(snap);
		if (!follow_rings(reader, err) || !source->now(source->arg, &snap->now, err))
			return false;
		snap->until = snap->now;
		if (begin(snap, reader) && !copy(snap, source, err))
			return false;
		if (!moved_on(reader))
			return true;
	}
	return error_set(err, STATUS_FAILURE, "the buffer keeps changing: try again");
}

static bool fill(struct snapshot *snap, struct reader *reader, struct error *err)
{
	const struct reader_source *source = &reader->source;

	if (!copy_all(snap, reader, err))
		return false;
	for (size_t i = 0; i < snap->nr_runs; i++)
		if (!run_parse(&snap->runs[i], snap, source, err))
			return false;
	snapshot_merge(snap);
	return true;
}

struct snapshot *reader_snapshot(struct reader *reader, struct error *err)
{
	struct snapshot *snap = mem_zalloc(1, sizeof(*snap));

	if (fill(snap, reader, err))
		return snap;
	snapshot_free(snap);
	return NULL;
}

void snapshot_free(struct snapshot *snap)
{
	size_t i;

	if (!snap)
		return;
	for (i = 0; i < snap->nr_runs; i++)
		run_drop(&snap->runs[i]);
	for (i = 0; i < snap->nr_descs && !snap->descs_last; i++)
		desc_free(snap->descs[i]);
	for (i = 0; i < snap->nr_late; i++)
		desc_free(snap->late_descs[i]);
	free(snap->late_descs);
	free(snap->runs);
	free(snap->descs);
	free(snap->order);
	free(snap);
}

size_t snapshot_count(const struct snapshot *snap)
{
	return snap->nr;
}

const struct record *snapshot_at(const struct snapshot *snap, size_t i)
{
	return snap->order[i];
}

uint64_t snapshot_until(const struct snapshot *snap)
{
	return snap->until < snap->now ? snap->until : snap->now;
}

uint64_t snapshot_total(const struct snapshot *snap)
{
	uint64_t total = 0;

	for (size_t i = 0; i < snap->nr_runs; i++)
		total += snap->runs[i].to + snap->runs[i].discarded_to;
	return total;
}

/* -------------------------------------------------------------- seen position */

/* The end of the cleared part of a CPU. */
struct mark {
	uint64_t to, seq, had, discarded;
};

static struct mark mark_start(const struct run *run)
{
	return (struct mark){ run->seen, run->seen_seq, 0, run->discarded_seen };
}

static struct mark mark_end(const struct run *run)
{
	return (struct mark){ run->to, run->to_seq, run->had - run->cleared, run->discarded_to };
}

static void mark_pass(struct mark *mark, const struct record *record)
{
	if (record->type == RECORD_HIT) {
		mark->to = record->count + 1;
		mark->had++;
	} else if (record->discarded) {
		mark->discarded += record->lost;
	} else {
		mark->to += record->lost;
	}
}

/* The mark behind this CPU's records among the first n of the snapshot. */
static struct mark mark_first(const struct snapshot *snap, const struct run *run, size_t n)
{
	struct mark mark = mark_start(run);

	if (n == snap->nr)
		return mark_end(run);
	/* Keep an earlier packet number instead of searching the packet: an older one is enough. */
	for (size_t i = snap->nr_cleared; i < n; i++)
		if (snap->order[i]->cpu == run->from->cpu)
			mark_pass(&mark, snap->order[i]);
	return mark;
}

static bool moved(const struct run *run, const struct mark *mark)
{
	return mark->to != run->seen || mark->seq != run->seen_seq ||
	       mark->discarded != run->discarded_seen;
}

static bool own_moves(struct reader *reader, const struct kt_seen_cpu *moves, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		reader->own[moves[i].cpu] =
			(struct own_mark){ moves[i].to, moves[i].seq, moves[i].discarded_to };
	return true;
}

static bool move(struct reader *reader, struct kt_seen_cpu *moves, size_t nr, struct error *err)
{
	return reader->own ? own_moves(reader, moves, nr) :
			     reader->source.seen(reader->source.arg, moves, nr, err);
}

static void cleared(struct snapshot *snap, const struct mark *marks, size_t n)
{
	for (size_t i = 0; i < snap->nr_runs; i++) {
		struct run *run = &snap->runs[i];

		run->seen = marks[i].to;
		run->seen_seq = marks[i].seq;
		run->discarded_seen = marks[i].discarded;
		run->cleared += marks[i].had;
	}
	snap->nr_cleared = n;
}

bool snapshot_clear_first(struct reader *reader, struct snapshot *snap, size_t n,
			  struct error *err)
{
	AUTO_FREE struct kt_seen_cpu *moves = mem_zalloc(snap->nr_runs + 1, sizeof(*moves));
	AUTO_FREE struct mark *marks = mem_zalloc(snap->nr_runs + 1, sizeof(*marks));
	size_t nr = 0;

	for (size_t i = 0; i < snap->nr_runs; i++) {
		const struct run *run = &snap->runs[i];
		const struct mark mark = mark_first(snap, run, n);

		marks[i] = mark;
		if (!moved(run, &mark))
			continue;
		moves[nr++] = (struct kt_seen_cpu){
			.cpu = run->from->cpu, .from = run->seen, .to = mark.to,
			.printed = mark.had, .seq = mark.seq,
			.discarded_from = run->discarded_seen, .discarded_to = mark.discarded,
		};
	}
	snap->stale = nr && !move(reader, moves, nr, err);
	if (snap->stale)
		return false;
	cleared(snap, marks, n);
	return true;
}

bool snapshot_stale(const struct snapshot *snap)
{
	return snap->stale;
}

bool snapshot_clear(struct reader *reader, struct snapshot *snap, struct error *err)
{
	return snapshot_clear_first(reader, snap, snap->nr, err);
}
