// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile.c - a plugin of QEMU: count how often each block of instructions of the guest runs between two marks.
 *
 * -plugin profile.so,out=FILE.  A mark is a NOP that `took` executes (mark.h).  For each pair of marks the
 * file gets a line "#", then a line for each block that ran: its address, its instructions, how often it ran.
 *
 * The interface is QEMU's include/qemu/qemu-plugin.h, version 4; Debian has no package with it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mark.h"

#define EXPORT	__attribute__((__visibility__("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_scoreboard;

struct qemu_plugin_u64 {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};

enum { INLINE_ADD, NO_REGS = 0 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t size);
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t bytes);
uint64_t qemu_plugin_u64_sum(struct qemu_plugin_u64 entry);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*cb)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb, int op, struct qemu_plugin_u64 entry,
						       uint64_t number);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, void (*cb)(unsigned int cpu, void *data),
					    int flags, void *data);

/* One address may have several blocks, because it depends on the moment where a block ends. */
struct block {
	struct block *next;
	uint64_t addr, n, before;	/* before: how often it ran up to the first mark */
	struct qemu_plugin_u64 runs;
};

#define BUCKETS		(1 << 16)
#define COUNTERS	(1 << 20)

EXPORT int qemu_plugin_version = 4;

static struct block *blocks[BUCKETS];
static struct qemu_plugin_scoreboard *counters;
static size_t nr_counters;
static FILE *out;

static struct block *block_of(uint64_t addr, uint64_t n)
{
	struct block **list = &blocks[(addr >> 2 ^ addr >> 18 ^ n) % BUCKETS], *block;

	for (block = *list; block; block = block->next)
		if (block->addr == addr && block->n == n)
			return block;
	block = calloc(1, sizeof(*block));
	if (!block || nr_counters == COUNTERS)
		abort();
	*block = (struct block){ .next = *list, .addr = addr, .n = n };
	block->runs = (struct qemu_plugin_u64){ counters, nr_counters++ * sizeof(uint64_t) };
	return *list = block;
}

static void on_mark(unsigned int cpu, void *is_begin)
{
	(void)cpu;
	if (!is_begin)
		fputs("#\n", out);
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct block *block = blocks[i]; block; block = block->next) {
			const uint64_t runs = qemu_plugin_u64_sum(block->runs);

			if (is_begin)
				block->before = runs;
			else if (runs != block->before)
				fprintf(out, "%llx %llu %llu\n", (unsigned long long)block->addr, (unsigned long long)block->n,
					(unsigned long long)(runs - block->before));
		}
	fflush(out);
}

static void look_for_mark(struct qemu_plugin_insn *insn)
{
	static const char begin[] = MARK_BYTES(MARK_BEGIN), end[] = MARK_BYTES(MARK_END);
	char bytes[sizeof(begin)];

	if (qemu_plugin_insn_data(insn, bytes, sizeof(bytes)) != sizeof(bytes))
		return;
	if (!memcmp(bytes, begin, sizeof(bytes)))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, NO_REGS, &counters);
	if (!memcmp(bytes, end, sizeof(bytes)))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, NO_REGS, NULL);
}

static void on_block(uint64_t id, struct qemu_plugin_tb *tb)
{
	const size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t i = 0; i < n; i++)
		look_for_mark(qemu_plugin_tb_get_insn(tb, i));
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, INLINE_ADD, block_of(qemu_plugin_tb_vaddr(tb), n)->runs, 1);
}

EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);
EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4) || !(out = fopen(argv[0] + 4, "w")))
		return -1;
	counters = qemu_plugin_scoreboard_new(COUNTERS * sizeof(uint64_t));
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
	return 0;
}
