/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hit_record.h - what the code of a hit has changed: its record in the ring, and struct hit_cpu, which the includer defines. */
#ifndef HIT_RECORD_H
#define HIT_RECORD_H

#include "hit_ring.h"

/* Everything that a hit may change. */
struct scene {
	struct hit_cpu cpu;
	struct kt_ring_ctl ctl;
	u64 commit[HIT_SUBS];
	u8 data[sizeof(hit_data)];
};

static __attribute__((unused)) struct scene *scene_take(void)
{
	struct scene *scene = malloc(sizeof(*scene));

	*scene = (struct scene){ .cpu = hit_cpu, .ctl = hit_ctl };
	memcpy(scene->commit, hit_commit, sizeof(hit_commit));
	memcpy(scene->data, hit_data, sizeof(hit_data));
	return scene;
}

static __attribute__((unused)) void assert_scene(const struct scene *scene)
{
	assert_memory_equal(&scene->cpu, &hit_cpu, sizeof(hit_cpu));
	assert_memory_equal(&scene->ctl, &hit_ctl, sizeof(hit_ctl));
	assert_memory_equal(scene->commit, hit_commit, sizeof(hit_commit));
	assert_memory_equal(scene->data, hit_data, sizeof(hit_data));
}

/* The scene after kt_ring_write() with that time. */
static __attribute__((unused)) void scene_write(struct scene *scene, const u8 *payload, u32 bytes, u64 ts)
{
	const bool wide = hit_cpu.ring.wide;
	const u32 shift = kt_unit_shift(wide), units = (bytes >> shift) + kt_compact_units(wide), off = kt_word_off(scene->ctl.word);
	const u32 sub = kt_word_seq(scene->ctl.word) % HIT_SUBS;
	u8 *at = scene->data + sub * HIT_SUB + (off << shift);

	scene->ctl.word += ((u64)units << 16) + 1;
	scene->ctl.last_ts = ts;
	scene->commit[sub] += units << shift;
	if (wide) {
		memcpy(at, &(u16){ HIT_ID }, 2);
		memcpy(at + 2, &(u32){ (u32)ts }, 4);
	} else {
		memcpy(at, &(u32){ HIT_NARROW_ID | (u32)ts << 8 }, 4);
	}
	memcpy(at + (kt_compact_units(wide) << shift), payload, bytes);
}

/* Read the newest packet.  Returns how many records it has with this id.  payload: bytes of those of the code. */
static __attribute__((unused)) u32 records_of(u32 wanted, u32 payload, u32 *all)
{
	static u8 packet[HIT_SUB];
	struct kt_read_info info;
	const void *at, *end;
	u64 ts, before = 0;
	u32 id, n = 0;

	*all = 0;
	assert_int_equal(kt_ring_read(&hit_cpu.ring, hit_ctl.seq, packet, &info), KT_READ_OK);
	at = packet + sizeof(struct kt_packet);
	end = packet + info.bytes;
	ts = ((struct kt_packet *)packet)->ts_begin;
	while (at < end) {
		assert_true(kt_event_header(hit_cpu.ring.wide, &at, end, &id, &ts));
		assert_true(ts >= before);
		assert_true(id == HIT_OTHER_ID || id == wanted);
		before = ts;
		n += id == wanted;
		at = (const u8 *)at + (id == HIT_OTHER_ID ? 4 : payload);
		++*all;
	}
	assert_ptr_equal(at, end);
	assert_int_equal(info.records, *all);
	return n;
}

#endif
