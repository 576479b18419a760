// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * user.c - fuzz the reader of the files of processes. Whatever they contain, and however they change while they are read,
 * the reader must end, stay inside its memory, and count right.
 *
 * The input is a scene, followed by damages of 16 bytes each, of a file that is well formed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

#include "ctl/base/memory.h"
#include "ctl/trace/user/user_desc.h"
#include "user/file.h"

#define CPUS	2U
#define SLOTS	1U
#define SUB	4096U
#define NR_SUB	2U
#define STRIDE	(KTU_PAGE + SUB * NR_SUB)
#define DESCS	4096U
#define BYTES	(KTU_PAGE + DESCS + (CPUS + SLOTS) * STRIDE)

struct scene {
	uint16_t records[CPUS + SLOTS];
	uint8_t shape, sites;
};

enum point { IN_HEAD, IN_DESCS, IN_RING, IN_PACKET, IN_DATA, AT_END, NR_POINTS };

struct damage {
	uint8_t when;	/* 0: at the beginning, n: behind the n-th event */
	uint8_t point, ring, sub;
	uint16_t at;	/* first byte to change */
	uint8_t bytes, keep;
	uint64_t value;
};

static uint8_t *image;
static const struct damage *damages;
static size_t nr_damages;

/* ------------------------------------------------------------------------ a good file */

static void put_text(uint8_t **at, const char *text)
{
	strcpy((char *)*at, text);
	*at += strlen(text) + 1;
}

static void make_site(uint8_t **at, uint32_t id, const uint8_t *types, uint32_t nr, const char *args)
{
	struct ktu_desc *desc = (struct ktu_desc *)*at;
	uint8_t *to = (uint8_t *)(desc + 1);

	if (nr)
		memcpy(to, types, nr);
	to += nr;
	put_text(&to, "provider");
	put_text(&to, "name");
	put_text(&to, args);
	put_text(&to, "file.c");
	*desc = (struct ktu_desc){ .magic = KTU_DESC_SITE, .id = id, .line = 7, .nr = nr };
	desc->bytes = (to - *at + 7) / 8 * 8;
	*at += desc->bytes;
}

static void make_enum(uint8_t **at)
{
	struct ktu_desc *desc = (struct ktu_desc *)*at;
	const int64_t values[2] = { 1, -5 };
	uint8_t *to = (uint8_t *)(desc + 1);

	memcpy(to, values, sizeof(values));
	to += sizeof(values);
	put_text(&to, "colour");
	put_text(&to, "red");
	put_text(&to, "green");
	*desc = (struct ktu_desc){ .magic = KTU_DESC_ENUM, .nr = 2 };
	desc->bytes = (to - *at + 7) / 8 * 8;
	*at += desc->bytes;
}

static void make_descs(struct ktu_file *head)
{
	static const uint8_t one[] = { KTRACE_I32 }, all[] = { KTRACE_I8, KTRACE_U64, KTRACE_F32, KTRACE_F64, KTRACE_STRING,
							       KTRACE_BYTES, KTRACE_POINTER, KTRACE_BOOL };
	uint8_t *at = image + KTU_PAGE;

	make_site(&at, 1, one, 1, "ktrace_as(colour, c)");
	make_enum(&at);
	make_site(&at, 2, all, sizeof(all), "a, f(b, \"(\"), c, d, e, ktrace_bytes(x, 5), p, q");
	make_site(&at, 300, NULL, 0, "");
	head->desc_used = at - image - KTU_PAGE;
}

static size_t make_payload(uint8_t *to, uint32_t id, uint32_t n)
{
	static const uint8_t text[8] = { 5, 0, 0, 0, 'h', 'e', 'l', 'l' };
	size_t at = 0;

	if (id == 300)
		return 0;
	memcpy(to, &n, 4);
	if (id == 1)
		return 4;
	memset(to + 4, n, 20);
	at = 24;
	for (int i = 0; i < 2; i++) {
		memcpy(to + at, text, sizeof(text));
		memset(to + at + sizeof(text), 0, 4);
		to[at + sizeof(text)] = 'o';
		at += 12;
	}
	memset(to + at, 1, 12);
	return at + 12;
}

/* Events from `at` on; returns what is behind the last one that fits. */
static uint8_t *make_event(uint8_t *at, const uint8_t *end, uint32_t n, uint64_t *ticks, bool mark)
{
	const uint32_t ids[3] = { 1, 2, 300 }, id = ids[n % 3];
	uint8_t event[128];
	size_t len = 0;
	uint32_t word;

	*ticks += 5;
	if (mark) {
		word = KTU_THREAD_MARK | (uint32_t)*ticks << 8;
		memcpy(event, &word, 4);
		word = 100 + n % 5;
		memcpy(event + 4, &word, 4);
		len = 8;
	}
	word = (id < KTU_ID_EXT ? id | (uint32_t)*ticks << 8 : KTU_ID_EXT | id << 8);
	memcpy(event + len, &word, 4);
	len += 4;
	if (id >= KTU_ID_EXT) {
		memcpy(event + len, ticks, 8);
		len += 8;
	}
	len += make_payload(event + len, id, n);
	if (len > (size_t)(end - at))
		return NULL;
	memcpy(at, event, len);
	return at + len;
}

static void make_ring(uint32_t number, uint32_t records, uint8_t shape)
{
	uint8_t *base = image + KTU_PAGE + DESCS + number * STRIDE, *sub = base + KTU_PAGE, *at = NULL, *next;
	struct ktu_ring *ring = (struct ktu_ring *)base;
	struct ktu_packet packet = { 0 };
	uint64_t ticks = 1000 + number;
	uint32_t n = 0;

	ring->used = records || shape & 1;
	ring->discarded = shape >> 1 & 3;
	for (uint32_t i = 0; i <= records; i++) {
		next = at ? make_event(at, sub + SUB, i, &ticks, at == sub + sizeof(packet) || !(i % 7)) : NULL;
		if (next && i < records) {
			at = next;
			n++;
			continue;
		}
		if (at) {
			packet.content_bits = 8 * (at - sub);
			packet.records = n;
			packet.ts_end = ticks;
			memcpy(sub, &packet, sizeof(packet));
			ring->word = packet.seq << 32 | (uint64_t)(at - sub) / 4 << 16 | n;
			if (i == records)
				break;
			packet.seq++;
			packet.count += n;
		}
		sub = base + KTU_PAGE + packet.seq % NR_SUB * SUB;
		packet.magic = KTU_PACKET_MAGIC;
		packet.cpu = number;
		packet.ts_begin = ticks;
		packet.packet_bits = 8 * SUB;
		packet.content_bits = 8 * sizeof(packet);
		packet.records = n = 0;
		memcpy(sub, &packet, sizeof(packet));
		at = sub + sizeof(packet);
		ring->word = packet.seq << 32 | sizeof(packet) / 4 << 16;
		ring->oldest = packet.seq + 1 >= NR_SUB ? packet.seq + 1 - NR_SUB : 0;
		i--;
		if (!records)
			break;
	}
}

static void make_file(const struct scene *scene)
{
	struct ktu_file *head = (struct ktu_file *)image;

	memset(image, 0, BYTES);
	*head = (struct ktu_file){
		.magic = KTU_MAGIC, .version = KTU_VERSION, .pid = 10, .subbuf_bytes = SUB, .nr_subbufs = NR_SUB,
		.nr_cpus = CPUS, .nr_slots = SLOTS, .desc_off = KTU_PAGE, .desc_bytes = DESCS,
		.rings_off = KTU_PAGE + DESCS, .ring_stride = STRIDE,
	};
	make_descs(head);
	for (uint32_t i = 0; i < CPUS + SLOTS; i++)
		make_ring(i, scene->records[i] % 400, scene->shape);
}

/* ------------------------------------------------------------------------ damage */

static void apply(const struct damage *d)
{
	uint8_t *ring = image + KTU_PAGE + DESCS + d->ring % (CPUS + SLOTS) * STRIDE, *sub = ring + KTU_PAGE + d->sub % NR_SUB * SUB;
	const struct ktu_ring *control = (const struct ktu_ring *)ring;
	uint8_t *const from[NR_POINTS] = {
		[IN_HEAD] = image + d->at % sizeof(struct ktu_file), [IN_DESCS] = image + KTU_PAGE + d->at % 512,
		[IN_RING] = ring + d->at % sizeof(struct ktu_ring), [IN_PACKET] = sub + d->at % sizeof(struct ktu_packet),
		[IN_DATA] = sub + d->at % SUB,
		[AT_END] = ring + KTU_PAGE + (control->word >> 32) % NR_SUB * SUB + (control->word >> 16 & 0x3ff) * 4 - d->at % 32,
	};
	uint8_t *at = from[d->point % NR_POINTS];
	uint64_t value = 0;
	const uint64_t mask = d->keep % 64 ? ~0ULL << d->keep % 64 : ~0ULL;
	const size_t bytes = 1 + d->bytes % 8;

	if (at + 8 > image + BYTES)
		return;
	memcpy(&value, at, bytes);
	value = (d->value & mask) | (value & ~mask);
	memcpy(at, &value, bytes);
}

static void apply_all(unsigned int when)
{
	for (size_t i = 0; i < nr_damages; i++)
		if (damages[i].when == when)
			apply(&damages[i]);
}

/* ------------------------------------------------------------------------ reading */

static void must(bool right, const char *what)
{
	if (!right) {
		fprintf(stderr, "%s\n", what);
		abort();
	}
}

static void read_ring(const struct user_file *file, uint32_t number, unsigned int *events)
{
	uint8_t payload[USER_MAX_PAYLOAD];
	struct user_ring ring;
	struct error err;
	uint64_t last = 0, count = 0, lost = 0;
	bool more = true;

	if (!user_ring_begin(&ring, file, number, &err)) {
		must(*err.text && !ring.packet, "a failure without a reason, or with memory");
		return;
	}
	while (user_ring_next(&ring, &more, &err) && more) {
		must(ring.ticks >= last, "times that go back");
		must(user_record(&ring, payload) <= sizeof(payload), "a record that is too large");
		last = ring.ticks;
		count++;
		lost += ring.lost;
		must(count + lost == ring.count - ring.end_of->skip, "a wrong count");
		apply_all(++*events);
	}
	user_ring_end(&ring);
}

static void read_file(const char *path)
{
	struct error err;
	struct user_file *file = user_file_open(path, &err);
	unsigned int events = 0;

	if (!file)
		return;
	for (size_t i = 0; i < file->nr_sites; i++)
		desc_free(user_desc(file, &file->sites[i]));
	for (uint32_t i = 0; i < user_file_rings(file) && i < 8; i++)
		read_ring(file, i, &events);
	user_file_close(file);
}

static char path[] = "/tmp/ktrace-fuzz-XXXXXX";

static void remove_image(void)
{
	unlink(path);
}

static void make_image(void)
{
	const int fd = mkstemp(path);

	if (fd < 0 || ftruncate(fd, BYTES))
		abort();
	image = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	must(image != MAP_FAILED, "no memory");
	atexit(remove_image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scene scene = { .shape = 0 };

	if (!image)
		make_image();
	memcpy(&scene, data, size < sizeof(scene) ? size : sizeof(scene));
	damages = (const struct damage *)(data + sizeof(scene));
	nr_damages = size > sizeof(scene) ? (size - sizeof(scene)) / sizeof(*damages) : 0;
	make_file(&scene);
	apply_all(0);
	read_file(path);
	return 0;
}

/* ------------------------------------------------------------------------ inputs */

/* `make check` tries a hundred thousand. */
const unsigned int fuzz_mutants = 20000;

static uint32_t dice(uint32_t n)
{
	return (uint32_t)rand() % n;
}

static uint64_t dice_value(void)
{
	static const uint64_t bounds[] = { 0, 1, 4, 88, 255, 4095, 4096, UINT32_MAX, INT64_MAX, UINT64_MAX };
	const uint64_t some = dice(2) ? bounds[dice(sizeof(bounds) / sizeof(*bounds))] : dice(1 << 16);

	return dice(3) ? some : some << dice(48);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed)
{
	const size_t each = sizeof(struct damage), head = sizeof(struct scene);
	size_t nr = size > head ? (size - head) / each : 0, at;
	struct damage damage;

	srand(seed);
	if (size >= head && !dice(4))
		return LLVMFuzzerMutate(data, size, room);
	if (room < head + each)
		return size;
	if (size < head || !dice(8)) {
		struct scene scene = { { dice(300), dice(40), dice(10) }, dice(8), 0 };

		memcpy(data, &scene, sizeof(scene));
	}
	at = nr && dice(2) ? dice(nr) : nr;
	if (head + (at + 1) * each > room)
		return size;
	damage = (struct damage){
		.when = dice(3) ? 0 : dice(40), .point = dice(NR_POINTS), .ring = dice(CPUS + SLOTS), .sub = dice(NR_SUB),
		.at = dice(2) ? 4 * dice(32) : dice(SUB), .bytes = dice(3) ? 3 : dice(8), .keep = dice(2) ? 0 : dice(64),
		.value = dice_value(),
	};
	memcpy(data + head + at * each, &damage, sizeof(damage));
	nr = at == nr ? nr + 1 : nr;
	return head + nr * each;
}
