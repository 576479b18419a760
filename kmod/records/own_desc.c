// SPDX-License-Identifier: GPL-2.0-only
/* own_desc.c - see own_desc.h. */
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringify.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/clock.h"
#include "kmod/records/buffer.h"
#include "kmod/records/desc.h"
#include "kmod/records/own_desc.h"

/* As docs/descriptor.md has it; the fields are those of struct kt_window_record. */
static const char window_meta[] =
	"{\"v\":3,\"name\":\"window\",\"typed\":\"window\",\"options\":\"\",\"fields\":["
	"{\"kind\":\"int\",\"name\":\"window\",\"bytes\":4,\"signed\":false,\"names\":{\"begins\":0,\"ends\":1}},"
	"{\"kind\":\"int\",\"name\":\"why\",\"bytes\":4,\"signed\":false,"
	"\"names\":{\"cpu\":0,\"sleep\":1,\"reboot\":2}},"
	"{\"kind\":\"int\",\"name\":\"cpu\",\"bytes\":4,\"signed\":true,\"names\":{\"none\":-1}},"
	"{\"kind\":\"int\",\"name\":\"sites\",\"bytes\":4,\"signed\":false}],"
	"\"faults\":false,\"base\":false,\"adjacent\":false}";

/* The fields are those of struct kt_late_record. */
static const char late_meta[] =
	"{\"v\":3,\"name\":\"read_at_return\",\"typed\":\"read_at_return\",\"options\":\"\",\"fields\":["
	"{\"kind\":\"int\",\"name\":\"of_event\",\"bytes\":4,\"signed\":false},"
	"{\"kind\":\"int\",\"name\":\"of_field\",\"bytes\":4,\"signed\":false},"
	"{\"kind\":\"int\",\"name\":\"of_time\",\"bytes\":8,\"signed\":false},"
	"{\"kind\":\"int\",\"name\":\"tid\",\"bytes\":4,\"signed\":true},"
	"{\"kind\":\"string\",\"name\":\"text\",\"bytes\":8,\"length\":" __stringify(KT_LATE_BYTES) "}],"
	"\"faults\":false,\"base\":false,\"adjacent\":false}";

/* No hit runs these: they tell readers how long the payload is. */
static const struct kt_insn window_program[] = {
	{ .op = KT_OP_IMM },
	{ .op = KT_OP_EMIT, .aux = 4 }, { .op = KT_OP_EMIT, .aux = 4 },
	{ .op = KT_OP_EMIT, .aux = 4 }, { .op = KT_OP_EMIT, .aux = 4 },
	{ .op = KT_OP_END },
};

static const struct kt_insn late_program[] = {
	{ .op = KT_OP_IMM },
	{ .op = KT_OP_EMIT, .aux = 4 }, { .op = KT_OP_EMIT, .aux = 4 }, { .op = KT_OP_EMIT, .aux = 8 },
	{ .op = KT_OP_EMIT, .aux = 4 }, { .op = KT_OP_EMITSTR, .imm = KT_LATE_BYTES },
	{ .op = KT_OP_END },
};

#define ROW(name, record)	{ name##_meta, sizeof(name##_meta) - 1, name##_program, ARRAY_SIZE(name##_program), sizeof(record) }

static const struct own_kind {
	const char *meta;
	u32 meta_len;
	const struct kt_insn *program;
	u32 prog_len;
	u32 bytes;		/* of a record */
} kinds[KT_NR_OWN_DESCS] = {
	[KT_OWN_DESC_WINDOW] = ROW(window, struct kt_window_record),
	[KT_OWN_DESC_LATE] = ROW(late, struct kt_late_record),
};

static DEFINE_MUTEX(make_lock);
static struct kt_desc *own[KT_NR_OWN_DESCS];	/* smp_load_acquire(): each is written once, when it is complete */

static int fill(struct kt_desc *desc, const struct own_kind *kind)
{
	const u32 prog_bytes = kind->prog_len * sizeof(*kind->program);
	struct kt_desc_req *req;

	BUILD_BUG_ON(sizeof(struct kt_window_record) != 4 * sizeof(u32));
	BUILD_BUG_ON(sizeof(struct kt_late_record) != 5 * sizeof(u32) + KT_LATE_BYTES);
	desc->blob_len = sizeof(*req) + prog_bytes + kind->meta_len;
	desc->blob = req = kzalloc(desc->blob_len, GFP_KERNEL);
	if (!req)
		return -ENOMEM;
	req->size = sizeof(*req);
	req->prog_len = kind->prog_len;
	req->meta_len = kind->meta_len;
	memcpy(req + 1, kind->program, prog_bytes);
	memcpy((u8 *)(req + 1) + prog_bytes, kind->meta, kind->meta_len);
	desc->units = kind->bytes >> kt_unit_shift(false);
	desc->born = kt_clock_now();
	return kt_desc_id_alloc(desc);
}

static struct kt_desc *make(const struct own_kind *kind)
{
	struct kt_desc *desc = kzalloc(sizeof(*desc), GFP_KERNEL);
	int id;

	if (!desc)
		return ERR_PTR(-ENOMEM);
	id = fill(desc, kind);
	if (id > 0) {
		desc->id = id;
		return desc;
	}
	kfree(desc->blob);
	kfree(desc);
	return ERR_PTR(id);
}

int kt_own_desc_make(enum kt_own_desc which)
{
	struct kt_desc *desc = NULL;

	mutex_lock(&make_lock);
	if (!own[which])
		desc = make(&kinds[which]);
	if (!IS_ERR_OR_NULL(desc))
		smp_store_release(&own[which], desc);
	mutex_unlock(&make_lock);
	return PTR_ERR_OR_ZERO(desc);
}

u32 kt_own_desc_id(enum kt_own_desc which)
{
	const struct kt_desc *desc = smp_load_acquire(&own[which]);

	return desc ? desc->id : 0;
}

/* Hits may come at any instruction of this, as they may in another hit: the ring allows for that. */
void kt_own_desc_record(struct kt_rings *rings, enum kt_own_desc which, const void *record)
{
	const u32 id = kt_own_desc_id(which);
	unsigned long flags;

	if (!id || atomic64_read(&rings->recording) < 0)
		return;
	local_irq_save(flags);
	kt_ring_write(&this_cpu_ptr(rings->cpu)->ring, id, record, kinds[which].bytes >> kt_unit_shift(rings->wide));
	local_irq_restore(flags);
}

void kt_own_desc_exit(void)
{
	u32 i;

	for (i = 0; i < KT_NR_OWN_DESCS; i++) {
		if (!own[i])
			continue;
		kfree(own[i]->blob);
		kfree(own[i]);
	}
}
