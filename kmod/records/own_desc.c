// SPDX-License-Identifier: GPL-2.0-only
/* own_desc.c - see own_desc.h. */
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/clock.h"
#include "kmod/records/buffer.h"
#include "kmod/records/desc.h"
#include "kmod/records/own_desc.h"

/* As docs/descriptor.md has it; the fields are those of struct kt_window_record. */
static const char meta[] =
	"{\"v\":3,\"name\":\"window\",\"typed\":\"window\",\"options\":\"\",\"fields\":["
	"{\"kind\":\"int\",\"name\":\"window\",\"bytes\":4,\"signed\":false,\"names\":{\"begins\":0,\"ends\":1}},"
	"{\"kind\":\"int\",\"name\":\"why\",\"bytes\":4,\"signed\":false,"
	"\"names\":{\"cpu\":0,\"sleep\":1,\"reboot\":2}},"
	"{\"kind\":\"int\",\"name\":\"cpu\",\"bytes\":4,\"signed\":true,\"names\":{\"none\":-1}},"
	"{\"kind\":\"int\",\"name\":\"sites\",\"bytes\":4,\"signed\":false}],"
	"\"faults\":false,\"base\":false,\"adjacent\":false}";

/* No hit runs it: it tells readers how long the payload is. */
static const struct kt_insn program[] = {
	{ .op = KT_OP_IMM },
	{ .op = KT_OP_EMIT, .aux = 4 }, { .op = KT_OP_EMIT, .aux = 4 },
	{ .op = KT_OP_EMIT, .aux = 4 }, { .op = KT_OP_EMIT, .aux = 4 },
	{ .op = KT_OP_END },
};

static DEFINE_MUTEX(make_lock);
static struct kt_desc *own;		/* smp_load_acquire(): written once, when it is complete */

static int fill(struct kt_desc *desc)
{
	const u32 meta_len = sizeof(meta) - 1;
	struct kt_desc_req *req;

	BUILD_BUG_ON(sizeof(struct kt_window_record) != 4 * sizeof(u32));
	desc->blob_len = sizeof(*req) + sizeof(program) + meta_len;
	desc->blob = req = kzalloc(desc->blob_len, GFP_KERNEL);
	if (!req)
		return -ENOMEM;
	req->size = sizeof(*req);
	req->prog_len = ARRAY_SIZE(program);
	req->meta_len = meta_len;
	memcpy(req + 1, program, sizeof(program));
	memcpy((u8 *)(req + 1) + sizeof(program), meta, meta_len);
	desc->units = sizeof(struct kt_window_record) >> kt_unit_shift(false);
	desc->born = kt_clock_now();
	return kt_desc_id_alloc(desc);
}

static struct kt_desc *make(void)
{
	struct kt_desc *desc = kzalloc(sizeof(*desc), GFP_KERNEL);
	int id;

	if (!desc)
		return ERR_PTR(-ENOMEM);
	id = fill(desc);
	if (id > 0) {
		desc->id = id;
		return desc;
	}
	kfree(desc->blob);
	kfree(desc);
	return ERR_PTR(id);
}

int kt_own_desc_make(void)
{
	struct kt_desc *desc = NULL;

	mutex_lock(&make_lock);
	if (!own)
		desc = make();
	if (!IS_ERR_OR_NULL(desc))
		smp_store_release(&own, desc);
	mutex_unlock(&make_lock);
	return PTR_ERR_OR_ZERO(desc);
}

u32 kt_own_desc_id(void)
{
	const struct kt_desc *desc = smp_load_acquire(&own);

	return desc ? desc->id : 0;
}

/* Hits may come at any instruction of this, as they may in another hit: the ring allows for that. */
void kt_own_desc_record(struct kt_rings *rings, const struct kt_window_record *record)
{
	const u32 id = kt_own_desc_id();
	unsigned long flags;

	if (!id || atomic64_read(&rings->recording) < 0)
		return;
	local_irq_save(flags);
	kt_ring_write(&this_cpu_ptr(rings->cpu)->ring, id, record, sizeof(*record) >> kt_unit_shift(rings->wide));
	local_irq_restore(flags);
}

void kt_own_desc_exit(void)
{
	if (!own)
		return;
	kfree(own->blob);
	kfree(own);
}
