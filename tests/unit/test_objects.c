// SPDX-License-Identifier: GPL-2.0-or-later
/* test_objects.c - what events record of the kernel's objects: read, printed, matched, described as CTF. */
#include "print_scene.h"

#include "ctl/base/device/headers.h"
#include "ctl/trace/ctf/ctf.h"
#include "ctl/trace/print/match.h"

static struct field fields[] = {
	{ .kind = FIELD_PACKET, .name = "network_header", .bytes = 1, .length = KT_PACKET_BYTES, .varies = true, .fault_bit = 0 },
	{ .kind = FIELD_NUMBERS, .name = "vtids", .bytes = 1, .length = KT_PIDS_BYTES, .varies = true, .fault_bit = 1 },
	{ .kind = FIELD_INT, .name = "ret", .bytes = 4, .is_signed = true, .fault_bit = -1 },
};

static struct kt_insn prog[] = {
	{ .op = KT_OP_FAULTS2 }, { .op = KT_OP_IMM }, { .op = KT_OP_EMITOBJECT, .aux = KT_OBJECT_PACKET, .imm = KT_PACKET_BYTES },
	{ .op = KT_OP_EMITOBJECT, .aux = KT_OBJECT_PIDS, .imm = KT_PIDS_BYTES }, { .op = KT_OP_EMIT, .aux = 4 }, { .op = KT_OP_END },
};

static struct desc event = {
	.id = 7, .addr = 0xffffffff81000000, .name = "net", .typed = "net", .options = "", .fields = fields, .nr_fields = ARRAY_SIZE(fields),
	.has_faults = true, .is_packed = true, .prog = prog, .prog_len = ARRAY_SIZE(prog),
};

#define IPV4(protocol)	"\1\x45\x10\x00\x3c\xf6\x24\x40\x00\x40" protocol "\x46\x95\xc0\xa8\x00\x01\x0a\x00\x00\x02"
#define IPV6(protocol)	"\2\x61\x2a\xbc\xde\x00\x28" protocol "\x3f\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\1\x20\1\xd\xb8\0\0\0\0\0\0\0\0\0\0\0\2"
#define TCP		"\1\x00\x16\x04\xd2\xff\xff\xff\xfe\x00\x00\x00\x2a\xa1\x12\x01\xf6\xfe\x30\x00\x05"
#define UDP		"\2\x00\x35\xff\xff\x00\x29\xbe\xef"
#define ICMP		"\3\x08\x00\xf7\xfe\x00\x00\x00\x01"

/* The headers of a packet, and the two ways to show them. */
static const struct {
	const char *bytes;
	size_t len;
	const char *text, *json;
} packets[] = {
#define ROW(bytes, text, json)	{ bytes, sizeof(bytes) - 1, text, json }
	ROW(IPV4("\6") TCP, "ipv4 192.168.0.1 > 10.0.0.2 tcp 22 > 1234 seq=4294967294 ack=42 flags=SYN|ACK|NS",
	    "{\"type\":\"ipv4\",\"version\":4,\"ihl\":5,\"tos\":16,\"tot_len\":60,\"id\":63012,\"frag_off\":16384,\"ttl\":64,\"protocol\":6,"
	    "\"checksum\":18069,\"saddr\":\"192.168.0.1\",\"daddr\":\"10.0.0.2\",\"transport_header\":{\"type\":\"tcp\","
	    "\"source_port\":22,\"dest_port\":1234,\"seq\":4294967294,\"ack_seq\":42,\"data_offset\":10,\"reserved\":0,\"flags\":274,"
	    "\"window_size\":502,\"checksum\":65072,\"urg_ptr\":5}}"),
	ROW(IPV6("\x11") UDP, "ipv6 fe80::1 > 2001:db8::2 udp 53 > 65535 len=41",
	    "{\"type\":\"ipv6\",\"version\":6,\"prio\":1,\"flow_lbl\":2800862,\"payload_len\":40,\"nexthdr\":17,\"hop_limit\":63,"
	    "\"saddr\":\"fe80::1\",\"daddr\":\"2001:db8::2\",\"transport_header\":{\"type\":\"udp\",\"source_port\":53,"
	    "\"dest_port\":65535,\"len\":41,\"check\":48879}}"),
	ROW(IPV4("\1") ICMP, "ipv4 192.168.0.1 > 10.0.0.2 icmp type=8 code=0",
	    "\"transport_header\":{\"type\":\"icmp\",\"icmp_type\":8,\"code\":0,\"checksum\":63486,\"gateway\":1}}"),
	ROW(IPV6("\x3a") "\0", "ipv6 fe80::1 > 2001:db8::2 protocol=58", "\"transport_header\":{\"type\":\"unknown\"}}"),
	ROW("\0", "unknown", "{\"type\":\"unknown\"}"),
};

/* Returns the bytes of the payload. */
static size_t add_event(uint16_t faults, size_t packet, size_t nr, const int32_t *numbers, int32_t ret)
{
	struct record *record = add(&event, 0);
	size_t at = 2;

	put(0, faults, 2);
	put_text(at, packets[packet].bytes, packets[packet].len);
	at += packets[packet].len;
	put(at++, nr, 1);
	put_text(at, (const char *)numbers, nr * sizeof(*numbers));
	at += nr * sizeof(*numbers);
	put(at, ret, 4);
	at += 4;
	return record->payload_len = at + at % 2;
}

static const int32_t numbers[KT_MAX_PIDS] = { 4711, 12, 1 };

static void test_length(void **state)
{
	size_t len;

	snap.nr = 0;
	for (size_t i = 0; i < ARRAY_SIZE(packets); i++) {
		const size_t bytes = add_event(0, i, i, numbers, -1);

		assert_true(desc_length(&event, payloads[i], bytes, &len));
		assert_int_equal(len, bytes);
		for (size_t room = 0; room < bytes; room++)
			assert_false(desc_length(&event, payloads[i], room, &len));
	}
	/* Headers that nobody knows; more numbers than a task has. */
	payloads[0][2] = KT_NR_NETWORKS;
	assert_false(desc_length(&event, payloads[0], 256, &len));
	payloads[0][2] = KT_NETWORK_IPV4;
	payloads[0][2 + 21] = KT_NR_TRANSPORTS;
	assert_false(desc_length(&event, payloads[0], 256, &len));
	payloads[4][3] = KT_MAX_PIDS + 1;
	assert_false(desc_length(&event, payloads[4], 256, &len));
	payloads[4][3] = KT_MAX_PIDS;
	assert_true(desc_length(&event, payloads[4], 256, &len));
	assert_int_equal(len, 2 + 1 + 1 + 4 * KT_MAX_PIDS + 4);
}

static void test_printed(void **state)
{
	struct printer *printer;

	for (size_t i = 0; i < ARRAY_SIZE(packets); i++) {
		AUTO_FREE char *shown = mem_printf("  network_header=%s  vtids=[4711, 12, 1]  ret=-5\n", packets[i].text);
		AUTO_FREE char *json = mem_printf("%s},{\"name\":\"vtids\",\"value\":[4711,12,1]},{\"name\":\"ret\",\"value\":-5}]", packets[i].json);
		AUTO_FREE char *csv = mem_printf(",%s,\"[4711, 12, 1]\",-5\n", packets[i].text);

		printer = open_printer(PRINT_TEXT, false);
		add_event(0, i, 3, numbers, -5);
		check_has(printer, shown);
		printer = open_printer(PRINT_JSON, false);
		add_event(0, i, 3, numbers, -5);
		check_has(printer, json);
		printer = open_printer(PRINT_CSV, false);
		add_event(0, i, 3, numbers, -5);
		check_has(printer, csv);
	}
	printer = open_printer(PRINT_TEXT, false);
	add_event(3, 4, 0, numbers, 7);
	check_has(printer, "  network_header=?  vtids=?  ret=7\n");
	printer = open_printer(PRINT_TEXT, false);
	add_event(0, 4, 0, numbers, 7);
	check_has(printer, "  network_header=unknown  vtids=[]  ret=7\n");
	printer = open_printer(PRINT_JSON, false);
	add_event(3, 4, 0, numbers, 7);
	check_has(printer, "{\"name\":\"network_header\",\"value\":null},{\"name\":\"vtids\",\"value\":null}");
}

/* As many as a task can have, each as long as a number can be: more than a line has room for. */
static void test_longest(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);
	int32_t longest[KT_MAX_PIDS];

	for (size_t i = 0; i < KT_MAX_PIDS; i++)
		longest[i] = INT32_MIN;
	add_event(0, 0, KT_MAX_PIDS, longest, 1);
	check_has(printer, "vtids=[-2147483648, -2147483648, ", "  ret=1\n");
}

static void test_matched(void **state)
{
	static const struct {
		const char *condition;
		size_t n;
	} rows[] = {
		{ "network_header =~ \"*tcp 22 > *\"", 1 }, { "network_header == unknown", 1 }, { "network_header !~ ipv4*", 3 },
		{ "vtids == \"[4711, 12]\"", 1 }, { "vtids", 5 }, { "network_header == 5", 0 }, { "vtids > 1", 0 }, { "vtids & 1", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct printer *printer = open_printer(PRINT_TEXT, false);
		struct match *match = match_parse(rows[i].condition, NULL);
		size_t n;

		for (size_t k = 0; k < ARRAY_SIZE(packets); k++)
			add_event(0, k, k, numbers, 1);
		printer_match(printer, match);
		n = printer_count(printer, &snap);
		if (n != rows[i].n)
			fail_msg("%s: %zu", rows[i].condition, n);
		match_free(match);
		close_printer(printer);
		free(text);
	}
}

static void test_round_trip(void **state)
{
	struct error err;
	struct desc *desc;
	void *blob;
	char *meta;
	size_t len;

	assert_true(desc_encode(&event, &blob, &len, &err));
	meta = mem_strndup((char *)blob + sizeof(struct kt_desc_req) + sizeof(prog), len - sizeof(struct kt_desc_req) - sizeof(prog));
	assert_contains(meta, "{\"v\":6,");
	assert_contains(meta, "{\"kind\":\"packet\",\"name\":\"network_header\",\"bytes\":1,\"length\":62,\"varies\":true,\"fault\":0}");
	free(meta);
	desc = desc_decode(blob, len, &err);
	if (!desc)
		fail_msg("%s", err.text);
	assert_int_equal(desc->fields[0].kind, FIELD_PACKET);
	assert_int_equal(desc->fields[1].kind, FIELD_NUMBERS);
	assert_int_equal(desc_payload(desc), 2 + KT_PACKET_BYTES + KT_PIDS_BYTES + 4);
	desc_free(desc);
	/* An object without a length of its own is malformed. */
	*(char *)memmem(blob, len, "\"varies\"", 8) = '\'';
	assert_null(desc_decode(blob, len, &err));
	free(blob);
}

static char *described(void (*write)(const struct trace_info *info, FILE *out))
{
	struct trace_event one = { 0, &event };
	const struct trace_info info = { .host = "here", .kernel = "6.1", .module = "1.2", .parts = 1, .events = &one, .nr_events = 1,
					 .wide = true, .clock = { .ns_num = 1, .ns_den = 3 } };
	FILE *to;

	to = open_memstream(&text, &text_len);
	write(&info, to);
	fclose(to);
	return text;
}

#define BE(size, align, base)	"integer { size = " #size "; align = " #align "; signed = false; byte_order = be; base = " #base "; }"

static void test_ctf(void **state)
{
	AUTO_FREE char *metadata = described(ctf_metadata);

	assert_contains(metadata, "		enum : count8_t { \"_unknown\" = 0, \"_ipv4\" = 1, \"_ipv6\" = 2 } _network_header_type;\n"
				  "		variant <_network_header_type> {\n		struct {\n		} align(8) _unknown;\n		struct {\n"
				  "		" BE(4, 1, 10) " _version;\n		" BE(4, 1, 10) " _ihl;\n");
	assert_contains(metadata, "		enum : " BE(8, 8, 10) " { \"_unknown\" = 0 ... 0, \"_icmp\" = 1 ... 1, ");
	assert_contains(metadata, "\"_unknown\" = 18 ... 255 } _protocol;\n");
	assert_contains(metadata, "		" BE(8, 8, 10) " _saddr[4];\n");
	assert_contains(metadata, "		" BE(16, 8, 16) " _daddr[8];\n		enum : count8_t { \"_unknown\" = 0, \"_tcp\" = 1, "
				  "\"_udp\" = 2, \"_icmp\" = 3 } _transport_header_type;\n		variant <_transport_header_type> {\n");
	assert_contains(metadata, "		" BE(3, 1, 10) " _reserved;\n		" BE(9, 1, 16) " _flags;\n");
	assert_contains(metadata, "		} _network_header;\n		count8_t __vtids_length;\n		int32_t _vtids[__vtids_length];\n"
				  "		int32_t _ret;\n		struct { } align(16) __padding;\n");
}

static void test_ctf2(void **state)
{
	AUTO_FREE char *metadata = described(ctf2_metadata);

	assert_contains(metadata, "{\"name\":\"network_header\",\"field-class\":{\"type\":\"variant\",\"selector-field-location\":"
				  "{\"path\":[\"network_header_type\"]},\"options\":[{\"name\":\"unknown\",\"selector-field-ranges\":[[0,0]],");
	assert_contains(metadata, "{\"path\":[\"transport_header_type\"]}");
	assert_contains(metadata, "{\"name\":\"flags\",\"field-class\":{\"type\":\"fixed-length-unsigned-integer\",\"length\":9,"
				  "\"byte-order\":\"big-endian\",\"alignment\":1,\"preferred-display-base\":16}}");
	assert_contains(metadata, "\"mappings\":{\"unknown\":[[0,0],[2,5],[7,16],[18,255]],\"icmp\":[[1,1]],\"tcp\":[[6,6]],\"udp\":[[17,17]]}");
	assert_contains(metadata, "{\"name\":\"vtids\",\"field-class\":{\"type\":\"dynamic-length-array\",\"length-field-location\":"
				  "{\"path\":[\"_vtids_length\"]},\"element-field-class\":{\"type\":\"fixed-length-signed-integer\",\"length\":32,");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_length), cmocka_unit_test(test_printed), cmocka_unit_test(test_longest),
		cmocka_unit_test(test_matched), cmocka_unit_test(test_round_trip), cmocka_unit_test(test_ctf),
		cmocka_unit_test(test_ctf2),
	};

	return cmocka_run_group_tests_name("objects", tests, setup, teardown);
}
