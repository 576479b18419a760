// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader.c - fuzz the reader of traces. Whatever the rings contain, and however they change during a read, the
 * reader must end, stay inside its memory and keep correct counts.
 *
 * The input is the first content of the rings, followed by damages of 16 bytes each. A damage happens at the
 * beginning, or at the n-th question of the reader. The rings may also move to other memory then, as
 * kmod/records/resize.c moves them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/base/device/clockmap.h"
#include "fuzz.h"

#include "tests/unit/own_ring.h"

#include "ctl/base/device/desc.h"
#include "ctl/base/memory.h"
#include "ctl/trace/print/print.h"
#include "ctl/trace/reader/reader_int.h"

#define MAX_CPUS	3
#define SUB		4096U
#define NR_SUB		4U
#define DATA		4096U
#define AREA		((u32)sizeof(struct kt_ring_ctl))	/* its offset in a mapping */
#define COMMIT		(AREA + (u32)sizeof(struct kt_ring_area))
#define LARGEST		(1U << 20)	/* the largest mapping that this test has memory for */
#define ROUNDS		2

struct scene {
	u8 nr_cpus, format;
	u8 shape, discard;
	u16 records[MAX_CPUS];		/* records at the beginning */
	u16 seen[MAX_CPUS];		/* seen ones among these */
};

enum point { IN_CTL, IN_COMMIT, IN_HEADER, IN_DATA, IN_DESC, IN_HELLO, IN_AREA, MOVE, NR_PLACES };

struct damage {
	u8 when;	/* 0: at the beginning, n: at the n-th question */
	u8 point;	/* enum place */
	u8 cpu, sub;
	u16 at;		/* first word to change, of four or eight bytes */
	u16 keep;	/* keep this many low bits */
	u64 value;
};

struct fake {
	struct scene scene;
	struct kt_hello hello;
	struct kt_ring rings[MAX_CPUS];
	struct kt_ring_ctl ctl[MAX_CPUS];
	u8 *area[MAX_CPUS];	/* as in a mapping, behind ctl */
	u8 *mapping[MAX_CPUS];	/* the reader's view, once mapped */
	bool moved;		/* since the reader asked where the rings are */
	u8 *blob;		/* the descriptor with the damage */
	size_t blob_len;
	const u8 *damages;
	size_t nr_damages;
	u32 questions;
};

static u64 ticks;
static struct fake fake;

u64 kt_clock_read(void)
{
	return ticks += fake.scene.shape & 1 ? 1ULL << (ticks % 27) : 1;
}

/* Do not really wait for a writer. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
	return 0;
}

static void wrong(const char *what)
{
	fprintf(stderr, "reader: %s\n", what);
	abort();
}

/* ------------------------------------------------------------------ damage */

static void overwrite(u8 *start, size_t bytes, size_t width, const struct damage *d)
{
	const size_t at = d->at % (bytes / width) * width;
	const u64 kept = d->keep % 64 ? ~0ULL >> (64 - d->keep % 64) : 0;
	u64 value = 0;

	memcpy(&value, start + at, width);
	value = (value & kept) | (d->value & ~kept);
	memcpy(start + at, &value, width);
}

static void damage_ring(const struct damage *d)
{
	const u32 cpu = d->cpu % MAX_CPUS;
	u8 *mapping = fake.mapping[cpu];
	u8 *area = mapping ? mapping + AREA : fake.area[cpu];
	u8 *sub = area + DATA - AREA + d->sub % 2 * SUB;	/* every ring has at least two */

	if (d->point == IN_CTL)
		overwrite(mapping ? mapping : (u8 *)&fake.ctl[cpu], AREA, 8, d);
	else if (d->point == IN_AREA)
		overwrite(area, COMMIT - AREA, 8, d);
	else if (d->point == IN_COMMIT)
		overwrite(area + COMMIT - AREA, 2 * 8, 8, d);
	else if (d->point == IN_HEADER)
		overwrite(sub, sizeof(struct kt_packet), 8, d);
	else
		overwrite(sub, SUB, 4, d);
}

/* Make a zeroed area, as large as the mapping from AREA on. */
static u8 *make_area(u32 cpu, u32 sub, u32 nr, u64 generation, struct kt_ring *to)
{
	u8 *area = calloc(1, DATA - AREA + sub * nr);

	*(struct kt_ring_area *)area = (struct kt_ring_area){ .generation = generation, .subbuf_bytes = sub, .nr_subbufs = nr };
	own_ring_attach(to, &fake.ctl[cpu], (u64 *)(area + COMMIT - AREA), area + DATA - AREA, sub,
			nr, cpu, false);
	return area;
}

/* Copy up to `most` complete packets to the new ring; returns the first one. */
static u64 carry(const struct kt_ring *from, const struct kt_ring *to, u64 next, u32 most)
{
	u64 seq = next < most ? 0 : next - most, first;
	struct kt_read_info info;

	for (first = seq; seq < next; seq++)
		if (to->sub_bytes < from->sub_bytes ||
		    own_ring_read(from, seq, kt_ring_subbuf(to, seq), &info) != KT_READ_OK)
			first = seq + 1;
	return first;
}

static u32 id_of(u32 write)
{
	static const u32 ids[] = { 1, 1, 2, 1, 300, 4, 1, 5 };

	return fake.scene.shape & 2 ? ids[write % ARRAY_SIZE(ids)] : 1;
}

static void write_one(u32 cpu, u32 i)
{
	const u32 payload[4] = { 0, cpu, 0x81000000, 0xffffffff };

	kt_ring_write(&fake.rings[cpu], id_of(i), payload, 4);
}

static void move_ring(u32 cpu, u32 sub, u32 nr, u32 most, u32 records)
{
	struct kt_ring *ring = &fake.rings[cpu], to;
	u8 *area = make_area(cpu, sub, nr, fake.ctl[cpu].generation + 1, &to);
	const u64 next = own_ring_close(ring);

	to.discard = ring->discard;
	own_ring_open(ring, &to, carry(ring, &to, next, most < nr ? most : nr - 1));
	free(fake.area[cpu]);
	fake.area[cpu] = area;
	for (u32 i = 0; i < records; i++)
		write_one(cpu, i);
	/* This page stays mapped. */
	if (fake.mapping[cpu])
		memcpy(fake.mapping[cpu], &fake.ctl[cpu], AREA);
}

static void move_all(const struct damage *d)
{
	const u32 nr = 2U << d->value % 3, sub = SUB << (d->value >> 8) % 2;

	for (u32 cpu = 0; cpu < MAX_CPUS; cpu++)
		move_ring(cpu, sub, nr, d->at % 8, d->keep % 512);
	fake.moved = true;
}

static void damage_all(u32 when)
{
	struct damage d;

	for (size_t i = 0; i < fake.nr_damages; i++) {
		memcpy(&d, fake.damages + i * sizeof(d), sizeof(d));
		d.point %= NR_PLACES;
		if (d.when != when)
			continue;
		if (d.point == MOVE)
			move_all(&d);
		else if (d.point == IN_HELLO)
			overwrite((u8 *)&fake.hello, sizeof(fake.hello), d.at & 1 ? 4 : 8, &d);
		else if (d.point == IN_DESC)
			overwrite(fake.blob, fake.blob_len, d.at & 1 ? 1 : 4, &d);
		else
			damage_ring(&d);
	}
}

static void question(void)
{
	if (++fake.questions < 256)
		damage_all(fake.questions);
}

/* -------------------------------------------------------------- the module */

/* When the rings have moved, their damaged description is correct again. */
static bool refresh(void *arg, struct error *err)
{
	const struct kt_ring *ring = &fake.rings[0];

	if (!fake.moved)
		return true;
	fake.moved = false;
	fake.hello.subbuf_bytes = ring->sub_bytes;
	fake.hello.nr_subbufs = ring->nr_subbufs;
	fake.hello.ring_bytes = DATA + ring->sub_bytes * ring->nr_subbufs;
	return true;
}

/* Map as much as the description says: the kernel would not give more. */
static void *map(void *arg, uint32_t cpu, struct error *err)
{
	const u64 bytes = fake.hello.ring_bytes;
	const u32 there = DATA + fake.rings[0].sub_bytes * fake.rings[0].nr_subbufs;

	if (cpu >= MAX_CPUS || bytes > LARGEST) {
		if (bytes > LARGEST)
			error_set(err, STATUS_FAILURE, "no memory");
		return NULL;
	}
	fake.mapping[cpu] = aligned_alloc(4096, (bytes + 4095) & -4096ULL);
	memset(fake.mapping[cpu], 0, bytes);
	memcpy(fake.mapping[cpu], &fake.ctl[cpu], AREA);
	memcpy(fake.mapping[cpu] + AREA, fake.area[cpu], (bytes < there ? bytes : there) - AREA);
	return fake.mapping[cpu];
}

static void unmap(void *arg, uint32_t cpu, void *mapping, size_t bytes)
{
	if (mapping != fake.mapping[cpu])
		wrong("unmaps something else");
	free(mapping);
	fake.mapping[cpu] = NULL;
}

static bool now(void *arg, uint64_t *out, struct error *err)
{
	question();
	*out = kt_clock_read();
	return true;
}

static void settle(void *arg)
{
	question();
}

/*
 * Small ids have descriptors with as many words; one id has the descriptor from the input; others do not exist.
 */
static bool get_desc(void *arg, uint32_t id, struct kt_desc_req **out, size_t *len, uint64_t *addr,
		     uint64_t *born, struct error *err)
{
	question();
	*out = NULL;
	*addr = 0xffffffff81000000 + id;
	*born = id % 5 ? 0 : 3000;
	if (id > 300 || id % 8 > 5)
		return true;
	*len = fake.blob_len;
	*out = malloc(*len);
	memcpy(*out, fake.blob, *len);
	return true;
}

static bool seen(void *arg, struct kt_seen_cpu *moves, size_t nr, struct error *err)
{
	question();
	for (size_t i = 0; i < nr; i++) {
		const struct kt_seen_cpu *move = &moves[i];

		if (move->cpu >= MAX_CPUS || (i && move->cpu <= moves[i - 1].cpu))
			wrong("clears a CPU that it has not");
		if (move->to < move->from || move->printed > move->to - move->from)
			wrong("clears more than there was");
		if (move->discarded_to < move->discarded_from)
			wrong("has discarded less than before");
	}
	return true;
}

static void make_desc(void)
{
	static struct kt_insn prog[] = {
		{ .op = KT_OP_FAULTS }, { .op = KT_OP_EMITCUR, .imm = KT_CUR_PID },
		{ .op = KT_OP_EMITREG, .imm = 5 }, { .op = KT_OP_END },
	};
	static struct field fields[] = {
		{ .kind = FIELD_NUMBER, .is_signed = true, .name = "pid", .bytes = 4, .fault_bit = -1 },
		{ .kind = FIELD_REG, .name = "reg", .bytes = 8, .fault_bit = 1 },
	};
	char name[] = "vfs_write", options[] = "PID REG reg";
	const struct desc desc = {
		.name = name, .typed = name, .options = options, .fields = fields,
		.nr_fields = 2, .has_faults = true, .timing = DESC_ADJACENT, .prog = prog,
		.prog_len = ARRAY_SIZE(prog),
	};
	void *blob;

	if (!desc_encode(&desc, &blob, &fake.blob_len, NULL))
		wrong("the descriptor cannot be made");
	fake.blob = blob;
}

/* Fill the ring with the unchanged code of the writer. */
static void fill(u32 cpu)
{
	struct kt_ring *ring = &fake.rings[cpu];
	const u32 records = fake.scene.records[cpu] % 2048;
	u64 seq = 0;

	ring->discard = fake.scene.discard >> cpu & 1;
	for (u32 i = 0; i < records; i++) {
		write_one(cpu, i);
		if (i != fake.scene.seen[cpu] % 2048)
			continue;
		own_ring_position(ring, &ring->ctl->seen, &seq, NULL);
		ring->ctl->seen_seq = seq;
		ring->ctl->discarded_seen = ring->ctl->discarded;
	}
}

static void begin(const u8 *data, size_t size)
{
	static const u8 uuid[16] = { 1 };

	memset(&fake, 0, sizeof(fake));
	memcpy(&fake.scene, data, sizeof(fake.scene));
	fake.damages = data + sizeof(fake.scene);
	fake.nr_damages = (size - sizeof(fake.scene)) / sizeof(struct damage);
	ticks = 1000;
	fake.hello = (struct kt_hello){
		.nr_cpus = 1 + fake.scene.nr_cpus % MAX_CPUS, .ring_bytes = DATA + SUB * NR_SUB,
		.off_data = DATA, .off_commit = COMMIT, .off_area = AREA, .subbuf_bytes = SUB,
		.nr_subbufs = NR_SUB,
	};
	make_desc();
	for (u32 cpu = 0; cpu < MAX_CPUS; cpu++) {
		struct kt_ring *ring = &fake.rings[cpu];

		fake.area[cpu] = make_area(cpu, SUB, NR_SUB, 0, ring);
		own_ring_init(ring, ring->ctl, ring->commit, ring->data, SUB, NR_SUB, cpu, false, uuid);
		fill(cpu);
	}
	damage_all(0);
}

static void end(void)
{
	for (u32 cpu = 0; cpu < MAX_CPUS; cpu++)
		free(fake.area[cpu]);
	free(fake.blob);
}

/* -------------------------------------------------------------- the reader */

static void print(const struct snapshot *snap)
{
	static const struct kt_anchor anchors[] = { { 1000, 1700000000000000000ULL } };
	const struct kt_clock clock = { .nr = 1, .ns_num = 1, .ns_den = 1 };
	struct clockmap *map = clockmap_create(&clock, anchors);
	struct printer *printer;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	printer = printer_create(out, fake.scene.format % 3, fake.scene.format & 4);
	printer_clock(printer, map);
	printer_snapshot(printer, snap);
	printer_free(printer);
	clockmap_free(map);
	fclose(out);
	free(text);
}

static void check(const struct snapshot *snap)
{
	const size_t most = (size_t)MAX_CPUS * (LARGEST / 4 + LARGEST / sizeof(struct kt_packet));
	volatile u8 sum = 0;

	if (snapshot_count(snap) > most)
		wrong("more records than there is room for");
	for (size_t i = 0; i < snapshot_count(snap); i++) {
		const struct record *record = snapshot_at(snap, i);

		if (record->cpu >= MAX_CPUS)
			wrong("a record of no CPU");
		if (record->type == RECORD_HIT && desc_payload(record->desc) != record->payload_len)
			wrong("a payload that does not fit its descriptor");
		for (size_t at = 0; record->type == RECORD_HIT && at < record->payload_len; at++)
			sum += record->payload[at];
	}
	snapshot_total(snap);
}

/* Read and clear as printclear and follow do. */
static void use(struct reader *reader, bool printing)
{
	struct error err = { .text = "" };
	struct snapshot *snap = reader_snapshot(reader, &err);

	if (!snap) {
		if (!*err.text)
			wrong("fails without a word");
		return;
	}
	check(snap);
	if (printing)
		print(snap);
	snapshot_clear_first(reader, snap, snapshot_count(snap) / 2, &err);
	snapshot_clear(reader, snap, &err);
	snapshot_free(snap);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct reader_source source = {
		.hello = &fake.hello, .map = map, .unmap = unmap, .now = now, .settle = settle,
		.desc = get_desc, .seen = seen, .refresh = refresh,
	};
	struct error err = { .text = "" };
	struct reader *reader;

	if (size < sizeof(struct scene))
		return 0;
	begin(data, size);
	reader = reader_create_from(&source, &err);
	for (int i = 0; reader && i < ROUNDS; i++)
		use(reader, !i);
	reader_destroy(reader);
	end();
	return 0;
}

/* ---------------------------------------------------------------- mutation */

static u32 dice(u32 sides)
{
	return (u32)rand() % sides;
}

/* A value near the present one, or far from it. */
static u64 dice_value(void)
{
	static const u64 ends[] = {
		0, 1, -1ULL, 0xffff0000, 1ULL << 32, 0x7fffffff00160000, 0x80000000, 1ULL << 63,
		0xffffffff, KT_CTF_MAGIC, SUB, SUB * 8,
	};

	switch (dice(4)) {
	case 0:
		return ends[dice(ARRAY_SIZE(ends))];
	case 1:
		return dice(12);
	case 2:
		return (u64)dice(8) << 32 | dice(SUB / 4) << 16 | dice(512);
	default:
		return (u64)dice(1U << 31) << 33 ^ dice(1U << 31);
	}
}

static void dice_damage(u8 *to)
{
	const struct damage d = {
		.when = dice(3) ? 0 : dice(12), .point = dice(3) ? dice(4) : dice(NR_PLACES),
		.cpu = dice(MAX_CPUS), .sub = dice(NR_SUB), .at = dice(2) ? dice(40) : dice(SUB / 4),
		.keep = dice(2) ? 0 : dice(64), .value = dice_value(),
	};

	memcpy(to, &d, sizeof(d));
}

/* A move of the rings while the reader works. */
static void dice_move(u8 *to)
{
	const struct damage d = {
		.when = 1 + dice(6), .point = MOVE, .at = dice(8), .keep = dice(2) ? dice(8) : dice(512),
		.value = dice(6) << 8 | dice(3),
	};

	memcpy(to, &d, sizeof(d));
}

static void dice_scene(u8 *to)
{
	struct scene scene = {
		.nr_cpus = dice(MAX_CPUS), .format = dice(8), .shape = dice(4), .discard = dice(8),
	};

	for (u32 cpu = 0; cpu < MAX_CPUS; cpu++) {
		scene.records[cpu] = dice(6) ? dice(40) : dice(2048);
		scene.seen[cpu] = dice(2048);
	}
	memcpy(to, &scene, sizeof(scene));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed)
{
	const size_t each = sizeof(struct damage), head = sizeof(struct scene);
	size_t nr = size > head ? (size - head) / each : 0, at;

	srand(seed);
	if (size >= head && !dice(3))
		return LLVMFuzzerMutate(data, size, room);
	if (room < head + each)
		return size;
	if (size < head || !dice(8))
		dice_scene(data);
	at = nr && dice(2) ? dice(nr) : nr;
	if (head + (at + 1) * each > room)
		return size;
	if (dice(5))
		dice_damage(data + head + at * each);
	else
		dice_move(data + head + at * each);
	nr = at == nr ? nr + 1 : nr;
	return head + nr * each;
}
