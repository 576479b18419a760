// SPDX-License-Identifier: GPL-2.0-or-later
/* test_reader_wrong.c - the reader, where descriptors are gone or cannot be read, and where rings are damaged. */
#include "reader_module.h"

/* ------------------------------------------------------------- descriptors */

/*
 * Another controller clears everything and the descriptors disappear, after this reader copied and before it
 * asks for them.
 */
static bool cleared_meanwhile(void *arg, uint32_t id, struct kt_desc_req **out, size_t *len,
			      uint64_t *addr, uint64_t *born, struct error *err)
{
	struct module *module = arg;
	struct kt_ring_ctl *ctl = module->rings[0].ctl;

	ctl->seen = PER_PACKET + 5;
	ctl->seen_seq = 1;
	drop_desc(module, 1);
	return get_desc(arg, id, out, len, addr, born, err);
}

static void test_desc_gone_because_seen(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	struct snapshot *snap;

	set_desc(module, 2, 1, 0);
	write_many(module, 0, 0, PER_PACKET);
	for (u32 i = 0; i < 8; i++)
		kt_ring_write(&module->rings[0], 2, &i, 1);
	reader->source.desc = cleared_meanwhile;
	snap = take(reader);
	/* No record of the first packet, no loss, all of the second. */
	assert_int_equal(count(snap).overwritten, 0);
	assert_int_equal(count(snap).hits, 8);
	assert_false(snapshot_clear(reader, snap, NULL));
	snapshot_free(snap);
	reader_destroy(reader);
}

/* The copied records are overwritten meanwhile; then nothing keeps their descriptor. */
static bool overwritten_meanwhile(void *arg, uint32_t id, struct kt_desc_req **out, size_t *len,
				  uint64_t *addr, uint64_t *born, struct error *err)
{
	struct module *module = arg;

	if (id == 1 && module->descs[1].blob) {
		for (u32 i = 0; i < 5 * PER_PACKET; i++)
			kt_ring_write(&module->rings[0], 2, &i, 1);
		drop_desc(module, 1);
	}
	return get_desc(arg, id, out, len, addr, born, err);
}

static void test_desc_gone_because_overwritten(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	struct tally first, second;

	set_desc(module, 2, 1, 0);
	write_many(module, 0, 0, PER_PACKET);
	for (u32 i = 0; i < 8; i++)
		kt_ring_write(&module->rings[0], 2, &i, 1);
	reader->source.desc = overwritten_meanwhile;
	first = drain(reader);
	second = drain(reader);
	assert_int_equal(first.overwritten, PER_PACKET);
	assert_int_equal(first.hits, 8);
	assert_int_equal(first.hits + first.overwritten + second.hits + second.overwritten,
			 6 * PER_PACKET + 8);
	reader_destroy(reader);
}

static void test_desc_unknown(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	struct error err = { .text = "" };

	write_many(module, 0, 0, 3);
	drop_desc(module, 1);
	assert_null(reader_snapshot(reader, &err));
	assert_non_null(strstr(err.text, "does not know"));
	kt_ring_write(&module->rings[1], KT_MAX_ID, NULL, 0);
	assert_null(reader_snapshot(reader, &err));
	/* The id has another descriptor now: the records do not belong to it. */
	set_desc(module, 1, 2, ticks + 1);
	assert_null(reader_snapshot(reader, &err));
	reader_destroy(reader);
}

static void test_desc_unreadable(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	struct kt_desc_req *req = module->descs[1].blob;
	struct snapshot *snap;
	struct error err;

	write_many(module, 0, 77, 1);
	((char *)(req + 1))[req->prog_len * sizeof(struct kt_insn)] = 'x';
	snap = take(reader);
	assert_int_equal(value_of(snapshot_at(snap, 0)), 77);
	assert_int_equal(snapshot_at(snap, 0)->desc->fields[0].kind, FIELD_RAW);
	assert_string_equal(snapshot_at(snap, 0)->desc->name, "0xffffffff81000001");
	snapshot_free(snap);
	req->prog_len = 0;
	assert_null(reader_snapshot(reader, &err));
	reader_destroy(reader);
}

/* -------------------------------------------------------------- wrong rings */

static void test_damaged(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	struct kt_packet *packet = (void *)module->rings[0].data;
	struct error err;

	write_many(module, 0, 0, 3);
	packet->magic++;
	assert_null(reader_snapshot(reader, &err));
	assert_non_null(strstr(err.text, "damaged"));
	packet->magic--;
	set_desc(module, 1, 9, 0);	/* longer than what is there */
	assert_null(reader_snapshot(reader, &err));
	reader_destroy(reader);
}

static void test_hole(void **state)
{
	struct module *module = *state;
	struct reader *reader;

	module->hole = 1;
	reader = open_reader(module);
	write_many(module, 2, 0, 3);
	assert_int_equal(drain(reader).hits, 3);
	reader_destroy(reader);
}

static void test_geometry(void **state)
{
	struct module *module = *state;
	const struct kt_hello good = module->hello;
	struct reader_source source = { .hello = &module->hello, .map = map, .unmap = unmap,
					.arg = module };
	struct error err;

	module->hello.subbuf_bytes = 0;
	assert_null(reader_create_from(&source, &err));
	assert_int_equal(err.status, STATUS_NO_ACCESS);
	module->hello = good;
	module->hello.nr_subbufs = 3;
	assert_null(reader_create_from(&source, &err));
	module->hello = good;
	module->hello.nr_subbufs *= 2;
	assert_null(reader_create_from(&source, &err));
	module->hello = good;
	module->hello.off_commit = 8;
	assert_null(reader_create_from(&source, &err));
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_desc_gone_because_seen), TEST(test_desc_gone_because_overwritten), TEST(test_desc_unknown),
		TEST(test_desc_unreadable), TEST(test_damaged), TEST(test_hole), TEST(test_geometry),
	};

	return cmocka_run_group_tests_name("reader_wrong", tests, NULL, NULL);
}
