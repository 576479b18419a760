/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_module.h - a small module for the tests of readers: rings that the real writer fills, with a clock that the
 * test sets; descriptors; the seen position.
 */
#ifndef READER_MODULE_H
#define READER_MODULE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* A writer with a clock of this test. */
#include "own_ring.h"

#include "ctl/base/device/desc.h"
#include "ctl/trace/reader/reader_int.h"

#define CPUS		3
#define SUB		4096U
#define NR_SUB		4U
#define DATA		4096U
#define PER_PACKET	((SUB - (u32)sizeof(struct kt_packet)) / 8)	/* records with one word */

static u64 ticks;

u64 kt_clock_read(void)
{
	return __atomic_load_n(&ticks, __ATOMIC_SEQ_CST);
}

/* -------------------------------------------------------------- the module */

struct module {
	struct kt_hello hello;
	uint8_t *mem[CPUS];
	struct kt_ring rings[CPUS];
	struct {
		void *blob;
		size_t len;
		uint64_t born;
		bool is_own;		/* of the module: at no address */
	} descs[512];
	unsigned int asked;		/* requests for descriptors */
	int hole;			/* a CPU that does not exist, or -1 */
	void (*at_settle)(struct module *module);
};

static void *map(void *arg, uint32_t cpu, struct error *err)
{
	struct module *module = arg;

	return (int)cpu == module->hole ? NULL : module->mem[cpu];
}

static void unmap(void *arg, uint32_t cpu, void *mapping, size_t bytes)
{
	struct module *module = arg;

	assert_int_equal(bytes, module->hello.ring_bytes);
	assert_ptr_equal(mapping, module->mem[cpu]);
}

static bool now(void *arg, uint64_t *out, struct error *err)
{
	*out = kt_clock_read();
	return true;
}

static void settle(void *arg)
{
	struct module *module = arg;

	if (module->at_settle)
		module->at_settle(module);
}

static bool get_desc(void *arg, uint32_t id, struct kt_desc_req **out, size_t *len,
		     uint64_t *addr, uint64_t *born, struct error *err)
{
	struct module *module = arg;

	module->asked++;
	*out = NULL;
	if (id >= 512 || !module->descs[id].blob)
		return true;
	*len = module->descs[id].len;
	*out = malloc(*len);
	memcpy(*out, module->descs[id].blob, *len);
	*addr = module->descs[id].is_own ? 0 : 0xffffffff81000000 + id;
	*born = module->descs[id].born;
	return true;
}

/* As kmod/records/buffer.c does. */
static bool seen(void *arg, struct kt_seen_cpu *moves, size_t nr, struct error *err)
{
	struct module *module = arg;

	for (size_t i = 0; i < nr; i++) {
		struct kt_ring_ctl *ctl = module->rings[moves[i].cpu].ctl;
		u64 total, seq;

		own_ring_position(&module->rings[moves[i].cpu], &total, &seq, NULL);
		assert_true(!i || moves[i].cpu > moves[i - 1].cpu);
		if (moves[i].from != ctl->seen || moves[i].discarded_from != ctl->discarded_seen)
			return error_set(err, STATUS_FAILURE, "stale");
		assert_true(moves[i].to >= moves[i].from && moves[i].to <= total);
		assert_true(moves[i].printed <= moves[i].to - moves[i].from);
		assert_true(moves[i].seq >= ctl->seen_seq && moves[i].seq <= seq);
		assert_true(moves[i].discarded_to >= moves[i].discarded_from);
		assert_true(moves[i].discarded_to <= ctl->discarded);
	}
	for (size_t i = 0; i < nr; i++) {
		struct kt_ring_ctl *ctl = module->rings[moves[i].cpu].ctl;

		ctl->lost_seen += moves[i].to - ctl->seen - moves[i].printed;
		ctl->cleared += moves[i].printed;
		ctl->discarded_seen = moves[i].discarded_to;
		WRITE_ONCE(ctl->seen, moves[i].to);
		__atomic_store_n(&ctl->seen_seq, moves[i].seq, __ATOMIC_RELEASE);
	}
	return true;
}

/* A descriptor that records `words` words. */
static void set_desc(struct module *module, uint32_t id, unsigned int words, uint64_t born)
{
	struct kt_insn prog[KT_MAX_ITEMS + 1] = { 0 };
	struct field fields[KT_MAX_ITEMS];
	struct desc desc = {
		.name = "f", .typed = "f", .options = "", .fields = fields, .nr_fields = words,
		.prog = prog, .prog_len = words + 1,
	};

	for (unsigned int i = 0; i < words; i++) {
		prog[i] = (struct kt_insn){ .op = KT_OP_EMIT, .aux = 4 };
		fields[i] = (struct field){
			.kind = FIELD_NUMBER, .is_signed = true, .name = "pid", .bytes = 4, .fault_bit = -1,
		};
	}
	prog[words].op = KT_OP_END;
	free(module->descs[id].blob);
	assert_true(desc_encode(&desc, &module->descs[id].blob, &module->descs[id].len, NULL));
	module->descs[id].born = born;
}

static inline void drop_desc(struct module *module, uint32_t id)
{
	free(module->descs[id].blob);
	module->descs[id].blob = NULL;
}

static int setup_form(void **state, bool wide)
{
	static const uint8_t uuid[16] = { 1 };
	struct module *module = calloc(1, sizeof(*module));

	ticks = 1000;
	module->hole = -1;
	module->hello = (struct kt_hello){
		.nr_cpus = CPUS, .ring_bytes = DATA + SUB * NR_SUB, .off_data = DATA,
		.off_commit = sizeof(struct kt_ring_ctl), .subbuf_bytes = SUB, .nr_subbufs = NR_SUB,
		.features = wide ? KT_FEATURE_WIDE : 0,
	};
	for (u32 cpu = 0; cpu < CPUS; cpu++) {
		uint8_t *mem = aligned_alloc(4096, DATA + SUB * NR_SUB);

		memset(mem, 0, DATA + SUB * NR_SUB);
		module->mem[cpu] = mem;
		own_ring_init(&module->rings[cpu], (void *)mem,
			      (void *)(mem + module->hello.off_commit), mem + DATA, SUB, NR_SUB,
			      cpu, wide, uuid);
	}
	set_desc(module, 1, 1, 0);
	*state = module;
	return 0;
}

static inline int setup(void **state)
{
	return setup_form(state, false);
}

static int teardown(void **state)
{
	struct module *module = *state;

	for (int cpu = 0; cpu < CPUS; cpu++)
		free(module->mem[cpu]);
	for (int id = 0; id < 512; id++)
		free(module->descs[id].blob);
	free(module);
	return 0;
}

static inline struct reader *open_reader(struct module *module)
{
	const struct reader_source source = {
		.hello = &module->hello, .map = map, .unmap = unmap, .now = now, .settle = settle,
		.desc = get_desc, .seen = seen, .arg = module,
	};
	struct error err = { .text = "" };
	struct reader *reader = reader_create_from(&source, &err);

	if (!reader)
		fail_msg("%s", err.text);
	return reader;
}

static struct snapshot *take(struct reader *reader)
{
	struct error err = { .text = "" };
	struct snapshot *snap = reader_snapshot(reader, &err);

	if (!snap)
		fail_msg("%s", err.text);
	return snap;
}

static inline void write_at(struct module *module, uint32_t cpu, u64 when, u32 value)
{
	ticks = when;
	kt_ring_write(&module->rings[cpu], 1, &value, sizeof(value) >> kt_unit_shift(module->rings[cpu].wide));
}

/* Write records with the values from..from+n-1, one tick apart. */
static inline void write_many(struct module *module, uint32_t cpu, u32 from, u32 n)
{
	for (u32 i = 0; i < n; i++)
		write_at(module, cpu, ticks + 1, from + i);
}

static inline u32 value_of(const struct record *record)
{
	u32 value;

	assert_int_equal(record->type, RECORD_HIT);
	assert_int_equal(record->payload_len, 4);
	memcpy(&value, record->payload, 4);
	return value;
}

struct tally {
	uint64_t hits, overwritten, discarded;
};

static inline struct tally count(const struct snapshot *snap)
{
	struct tally tally = { 0 };

	for (size_t i = 0; i < snapshot_count(snap); i++) {
		const struct record *record = snapshot_at(snap, i);

		assert_true(!i || snapshot_at(snap, i - 1)->ticks <= record->ticks);
		if (record->type == RECORD_HIT)
			tally.hits++;
		else if (record->discarded)
			tally.discarded += record->lost;
		else
			tally.overwritten += record->lost;
	}
	return tally;
}

/* Take a snapshot, clear it, count its records. */
static inline struct tally drain(struct reader *reader)
{
	struct snapshot *snap = take(reader);
	struct tally tally = count(snap);

	assert_true(snapshot_clear(reader, snap, NULL));
	snapshot_free(snap);
	return tally;
}

#endif
