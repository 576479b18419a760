/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hit_table.h - a table in which the generated code of a hit counts, and random programs that do so.  The includer has struct
 * hit_cpu, and defines a_counted_register(), a_program_register() and counts_names.
 */
#ifndef HIT_TABLE_H
#define HIT_TABLE_H

#include "core/aggregate.c"
#include "capture_insns.h"

/* Choose by chance: a register of the CPU, by its DWARF number, whose value the hit counts; a register of the program. */
static u32 a_counted_register(void);
static u32 a_program_register(void);
/* Keys may have the name of the task. */
static const bool counts_names;

#define ENTRIES		64
#define MOST_WORDS	(ENTRIES * 66)

struct tables {
	u64 slots[ENTRIES * 5], values[MOST_WORDS];
};

/* As struct kt_aggregate_table. */
static struct {
	struct kt_agg_table keys;
	u64 cpu;
} table = { .cpu = offsetof(struct hit_cpu, values) - 16 };

static void *table_at = &table;
static struct tables tables, before;
static struct kt_hit_table counts_in;

static void make_table(const struct kt_aggregate_req *req)
{
	assert_true(kt_agg_valid(req));
	memset(&tables, 0, sizeof(tables));
	counts_in = (struct kt_hit_table){
		.at = &table_at, .slots = (u8 *)&table.keys.slots - (u8 *)&table, .cpu = (u8 *)&table.cpu - (u8 *)&table,
		.values = 16, .key_bytes = req->key_bytes,
	};
	kt_agg_plan(&counts_in.plan, req);
	table.keys = counts_in.plan;
	table.keys.slots = tables.slots;
	assert_true(kt_agg_slot_bytes(&table.keys) <= sizeof(tables.slots));
	assert_true(kt_agg_value_bytes(&table.keys) <= sizeof(tables.values));
	hit_cpu.values = tables.values;
}

struct counted {
	u64 key[KT_MAX_PAYLOAD / 8], value;
};

static struct counted emitted(const struct machine *m)
{
	struct counted to = { .value = 0 };

	memcpy(to.key, m->out, counts_in.key_bytes);
	if (counts_in.plan.kind != KT_AGG_COUNT)
		memcpy(&to.value, (const u8 *)m->out + counts_in.key_bytes, 8);
	return to;
}

static void count_in_c(const struct counted *what)
{
	const u32 at = kt_agg_find(&table.keys, what->key);

	if (at != KT_AGG_NONE)
		kt_agg_add(&table.keys, tables.values, at, what->value);
}

/* Is the entry of the key one of those that the generated code looks at? */
static bool is_near(const struct counted *what)
{
	u64 tag;
	u32 at, n;

	if (!table.keys.key_words)
		return true;
	tag = kt_agg_tag(what->key, table.keys.key_words);
	for (at = tag >> 32, n = 0; n <= KT_CODE_PROBES; at += ++n) {
		const u64 *slot = kt_agg_slot(&table.keys, at & table.keys.mask);

		if (!*slot)
			return false;
		if (*slot == tag)
			return kt_agg_same(slot + 1, what->key, table.keys.key_words);
	}
	return false;
}

/* Write instructions that emit an item of the key (4 or 8 bytes) or the value (8 bytes).  Returns how many. */
static u32 item(struct kt_insn *in, u32 bytes)
{
	const u32 reg = a_counted_register();
	u32 dst;

	if (bytes == 8 && rand() % 3) {
		*in = (struct kt_insn)I(EMITREG, .imm = (s32)reg);
		return 1;
	}
	if (rand() % 3 == 0) {
		const struct kt_insn chain[] = {
			CHAIN(U64, 0, 2), LINK(8 * (rand() % 4)), LINK(8 * (rand() % 4)),
		};

		memcpy(in, chain, sizeof(chain));
		in->aux = bytes == 8 ? KT_SIZE_U64 : KT_SIZE_U32;
		in->imm = (s32)reg;
		return 3;
	}
	if (bytes == 4 && rand() % 2) {
		*in = (struct kt_insn)I(EMITCUR, .imm = rand() % 2 ? KT_CUR_PID : KT_CUR_TGID);
		return 1;
	}
	dst = a_program_register();
	in[0] = (struct kt_insn)I(REG, .dst = (u8)dst, .imm = (s32)reg);
	in[1] = (struct kt_insn)I(ALUI, .aux = KT_ALU_AND, .dst = (u8)dst, .imm = 7);
	in[2] = (struct kt_insn)EMIT((u8)dst, (u8)bytes);
	return 3;
}

static __attribute__((unused)) u32 random_counter(struct kt_insn *insns, struct kt_aggregate_req *req)
{
	static const u8 all[] = { KT_AGG_COUNT, KT_AGG_SUM, KT_AGG_AVG, KT_AGG_HIST };
	u32 len = 0, keys = (u32)rand() % 4;

	*req = (struct kt_aggregate_req){
		.kind = all[rand() % 4], .keys = 4u << rand() % 4, .value_bit = KT_AGG_READABLE,
		.flags = rand() % 2 ? KT_AGGREGATE_SIGNED : 0,
	};
	if (rand() % 3 == 0) {
		insns[len++] = (struct kt_insn)I(FAULTS);
		req->key_bytes = 4;
	}
	while (keys-- && req->key_bytes <= 24) {
		const u32 bytes = rand() % 2 ? 4 : 8;

		if (counts_names && rand() % 5 == 0 && req->key_bytes <= 16) {
			insns[len++] = (struct kt_insn)I(EMITCOMM);
			req->key_bytes += KT_COMM_BYTES;
			continue;
		}
		len += item(insns + len, bytes);
		req->key_bytes += bytes;
	}
	if (req->kind != KT_AGG_COUNT)
		len += item(insns + len, 8);
	insns[len++] = (struct kt_insn)END;
	return len;
}

#endif
