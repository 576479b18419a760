// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf2.c - CTF 2 metadata (CTF2-SPEC-2.0): a sequence of JSON texts, one for each class.  The packets are those of CTF 1.8,
 * so the classes describe the same layout as ctf.c.
 */
#include "ctl/trace/ctf/ctf.h"

#include <inttypes.h>
#include <string.h>

#include "arch/arch.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/device/headers.h"
#include "ctl/trace/print/print_int.h"
#include "ctl/trace/ctf/ctf_int.h"

/* RFC 7464: each text follows this character, and ends with a new line. */
#define SEPARATOR	'\x1e'

static struct json fragment(FILE *out, const char *type)
{
	struct json j = { .out = out };

	fputc(SEPARATOR, out);
	json_open(&j, NULL);
	json_text(&j, "type", type);
	return j;
}

static void uuid_numbers(struct json *j, const char *key, const uint8_t uuid[16])
{
	json_open_array(j, key);
	for (int i = 0; i < 16; i++)
		json_number(j, NULL, uuid[i]);
	json_close(j);
}

/* ----------------------------------------------------------------- field classes */

/* An integer class, still open. */
static void open_class(struct json *j, const char *key, bool is_signed, unsigned int bits, unsigned int align, const char *order)
{
	json_open(j, key);
	json_text(j, "type", is_signed ? "fixed-length-signed-integer" : "fixed-length-unsigned-integer");
	json_number(j, "length", bits);
	json_text(j, "byte-order", order);
	json_number(j, "alignment", align);
}

static void open_integer(struct json *j, const char *key, bool is_signed, unsigned int bits, unsigned int align)
{
	open_class(j, key, is_signed, bits, align, "little-endian");
}

static void role(struct json *j, const char *name)
{
	if (!name)
		return;
	json_open_array(j, "roles");
	json_text(j, NULL, name);
	json_close(j);
}

static void open_member(struct json *j, const char *name)
{
	json_open(j, NULL);
	json_text(j, "name", name);
}

/* An unsigned integer as a member of a structure. */
static void member(struct json *j, const char *name, unsigned int bits, unsigned int align, const char *its_role)
{
	open_member(j, name);
	open_integer(j, "field-class", false, bits, align);
	role(j, its_role);
	json_close(j);
	json_close(j);
}

/* The same, shown in hexadecimal. */
static void hex_member(struct json *j, const char *name, unsigned int bits, unsigned int align)
{
	open_member(j, name);
	open_integer(j, "field-class", false, bits, align);
	json_number(j, "preferred-display-base", 16);
	json_close(j);
	json_close(j);
}

static void open_structure(struct json *j, const char *key, unsigned int align)
{
	json_open(j, key);
	json_text(j, "type", "structure");
	json_number(j, "minimum-alignment", align);
	json_open_array(j, "member-classes");
}

static void close_structure(struct json *j)
{
	json_close(j);
	json_close(j);
}

/* ----------------------------------------------------------------------- trace */

static void put_header(struct json *j, const struct trace_info *info)
{
	const int align = ctf_field_align(info);

	open_structure(j, "packet-header-field-class", align);
	member(j, "magic", 32, align, "packet-magic-number");
	open_member(j, "uuid");
	json_open(j, "field-class");
	json_text(j, "type", "static-length-blob");
	json_number(j, "length", 16);
	role(j, "metadata-stream-uuid");
	json_close(j);
	json_close(j);
	member(j, "stream_id", 32, align, "data-stream-class-id");
	close_structure(j);
}

static void put_variable(void *arg, const char *name, const char *text, int64_t number)
{
	json_key(arg, name);
	if (text)
		json_text(arg, NULL, text);
	else
		json_signed(arg, NULL, number);
}

static void put_trace(const struct trace_info *info, FILE *out)
{
	struct json j = fragment(out, "preamble");

	json_number(&j, "version", 2);
	uuid_numbers(&j, "uuid", info->uuid);
	json_end(&j);
	j = fragment(out, "trace-class");
	json_open(&j, "environment");
	ctf_environment(info, put_variable, &j);
	json_close(&j);
	put_header(&j, info);
	json_end(&j);
}

static void put_clock(const struct trace_info *info, FILE *out)
{
	const struct clock_line clock = ctf_clock(info);
	struct json j = fragment(out, "clock-class");

	json_text(&j, "id", "ticks");
	if (info->boot_id) {
		json_text(&j, "name", "ticks");
		json_text(&j, "uid", info->boot_id);
	}
	json_text(&j, "description", info->clock.name);
	json_number(&j, "frequency", clock.frequency);
	json_text(&j, "origin", "unix-epoch");
	json_open(&j, "offset-from-origin");
	json_number(&j, "seconds", clock.seconds);
	json_number(&j, "cycles", clock.cycles);
	json_close(&j);
	json_end(&j);
}

/* ---------------------------------------------------------------------- stream */

static void put_context(struct json *j, const struct trace_info *info)
{
	static const struct {
		const char *name, *role;
		unsigned int bits;
	} rows[] = {
		{ "content_size", "packet-content-length", 64 }, { "packet_size", "packet-total-length", 64 },
		{ "packet_seq_num", "packet-sequence-number", 64 },
		{ "events_discarded", "discarded-event-record-counter-snapshot", 64 },
		{ "first_record", NULL, 64 }, { "cpu_id", NULL, 32 }, { "records", NULL, 32 },
	};
	const int align = ctf_field_align(info);

	open_structure(j, "packet-context-field-class", 8);
	member(j, "timestamp_begin", 64, 8, "default-clock-timestamp");
	member(j, "timestamp_end", 64, 8, "packet-end-default-clock-timestamp");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		member(j, rows[i].name, rows[i].bits, align, rows[i].role);
	close_structure(j);
}

/* The bits of the two forms of an event's header: see core/abi_ring.h. */
struct header_form {
	unsigned int id, ticks, far_id, align;
	uint64_t extended;	/* the id that says that the long form follows */
};

static void put_bounds(struct json *j, uint64_t from, uint64_t to)
{
	json_open_array(j, NULL);
	json_number(j, NULL, from);
	json_number(j, NULL, to);
	json_close(j);
}

static void put_option(struct json *j, const char *name, uint64_t from, uint64_t to, const struct header_form *form,
		       bool is_far)
{
	json_open(j, NULL);
	json_text(j, "name", name);
	json_open_array(j, "selector-field-ranges");
	put_bounds(j, from, to);
	json_close(j);
	open_structure(j, "field-class", 8);
	if (is_far)
		member(j, "id", form->far_id, 8, "event-record-class-id");
	member(j, "timestamp", is_far ? 64 : form->ticks, 8, "default-clock-timestamp");
	close_structure(j);
	json_close(j);
}

static void put_event_header(struct json *j, const struct trace_info *info)
{
	static const struct header_form forms[] = { { 8, 24, 24, 32, 255 }, { 16, 32, 16, 16, 65535 } };
	const struct header_form *form = &forms[info->wide];

	open_structure(j, "event-record-header-field-class", form->align);
	member(j, "id", form->id, 8, "event-record-class-id");
	open_member(j, "v");
	json_open(j, "field-class");
	json_text(j, "type", "variant");
	json_open(j, "selector-field-location");
	json_text(j, "origin", "event-record-header");
	json_open_array(j, "path");
	json_text(j, NULL, "id");
	json_close(j);
	json_close(j);
	json_open_array(j, "options");
	put_option(j, "compact", 0, form->extended - 1, form, false);
	put_option(j, "extended", form->extended, form->extended, form, true);
	json_close(j);
	json_close(j);
	json_close(j);
	close_structure(j);
}

/* The process and the thread. */
static void put_user_context(struct json *j, const struct trace_info *info)
{
	static const char *const names[CTF_CONTEXT] = { "vpid", "vtid" };

	open_structure(j, "event-record-common-context-field-class", ctf_field_align(info));
	for (size_t i = 0; i < CTF_CONTEXT; i++) {
		open_member(j, names[i]);
		open_integer(j, "field-class", true, 32, ctf_field_align(info));
		json_close(j);
		json_close(j);
	}
	close_structure(j);
}

static void put_stream(const struct trace_info *info, uint32_t part, FILE *out)
{
	struct json j = fragment(out, "data-stream-class");

	json_number(&j, "id", part);
	json_text(&j, "default-clock-class-id", "ticks");
	put_context(&j, info);
	put_event_header(&j, info);
	if (info->user)
		put_user_context(&j, info);
	json_end(&j);
}

/* ---------------------------------------------------------------------- events */

/* Readers refuse a negative value of an unsigned class. */
static void put_value(struct json *j, int64_t value, bool is_signed)
{
	if (is_signed)
		json_signed(j, NULL, value);
	else
		json_number(j, NULL, value);
}

static void put_mappings(struct json *j, const struct field *field, bool is_signed)
{
	if (!field->nr_names || field->show == SHOW_FLAGS)
		return;
	json_open(j, "mappings");
	for (size_t i = 0; i < field->nr_names; i++) {
		json_key(j, field->names[i].name);
		json_open_array(j, NULL);
		json_open_array(j, NULL);
		put_value(j, field->names[i].value, is_signed);
		put_value(j, field->names[i].value, is_signed);
		json_close(j);
		json_close(j);
	}
	json_close(j);
}

static void put_number(struct json *j, const char *key, const struct field_layout *layout, int align,
		       const struct field *field)
{
	const bool is_signed = layout->form == FORM_DECIMAL && layout->is_signed;

	open_integer(j, key, is_signed, 8 * layout->bytes, align);
	if (layout->form != FORM_DECIMAL)
		json_number(j, "preferred-display-base", 16);
	if (field)
		put_mappings(j, field, is_signed);
	json_close(j);
}

static void put_registers(struct json *j, int align)
{
	open_structure(j, "field-class", align);
	for (size_t i = 0; i < arch_native.nr_all_regs; i++)
		hex_member(j, arch_reg_name(&arch_native, arch_native.all_regs[i]), 64, align);
	close_structure(j);
}

static void put_text(struct json *j, const struct field *field, unsigned int bytes)
{
	json_open(j, "field-class");
	json_text(j, "type", field->varies ? "null-terminated-string" : "static-length-string");
	if (!field->varies)
		json_number(j, "length", bytes);
	json_close(j);
}

static void put_named(struct json *j, const char *name, uint64_t value)
{
	json_open_array(j, name);
	put_bounds(j, value, value);
	json_close(j);
}

/* The field that says which header it is: a name for each value. */
static void put_header_type(struct json *j, const struct header *headers, size_t nr, const char *name)
{
	open_member(j, name);
	open_integer(j, "field-class", false, 8, 8);
	json_open(j, "mappings");
	for (size_t i = 0; i < nr; i++)
		put_named(j, headers[i].name, i);
	json_close(j);
	json_close(j);
	json_close(j);
}

/* The location of a field of the same structure, by its name. */
static void put_beside(struct json *j, const char *key, const char *name)
{
	json_open(j, key);
	json_open_array(j, "path");
	json_text(j, NULL, name);
	json_close(j);
	json_close(j);
}

static void put_protocols(struct json *j)
{
	static const char *const names[] = { "unknown", "icmp", "tcp", "udp" };

	json_open(j, "mappings");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		json_open_array(j, names[i]);
		for (size_t k = 0; k < PROTOCOL_RANGES; k++)
			if (!strcmp(header_protocols[k].name, names[i]))
				put_bounds(j, header_protocols[k].from, header_protocols[k].to);
		json_close(j);
	}
	json_close(j);
}

/* The fields of a header, as the wire has them. */
static void put_header_fields(struct json *j, const struct header *header)
{
	for (const struct header_field *field = header->fields; field->name; field++) {
		open_member(j, field->name);
		if (field->count) {
			json_open(j, "field-class");
			json_text(j, "type", "static-length-array");
			json_number(j, "length", field->count);
		}
		open_class(j, field->count ? "element-field-class" : "field-class", false, field->bits, field->bits % 8 ? 1 : 8, "big-endian");
		json_number(j, "preferred-display-base", field->is_hex ? 16 : 10);
		if (field->is_protocol)
			put_protocols(j);
		json_close(j);
		if (field->count)
			json_close(j);
		json_close(j);
	}
}

static void put_headers(struct json *j, const struct header *headers, size_t nr, const char *name)
{
	AUTO_FREE char *type = mem_printf("%s_type", name);

	put_header_type(j, headers, nr, type);
	open_member(j, name);
	json_open(j, "field-class");
	json_text(j, "type", "variant");
	put_beside(j, "selector-field-location", type);
	json_open_array(j, "options");
	for (size_t i = 0; i < nr; i++) {
		json_open(j, NULL);
		json_text(j, "name", headers[i].name);
		json_open_array(j, "selector-field-ranges");
		put_bounds(j, i, i);
		json_close(j);
		open_structure(j, "field-class", 8);
		put_header_fields(j, &headers[i]);
		if (headers == header_networks && i != KT_NETWORK_UNKNOWN)
			put_headers(j, header_transports, KT_NR_TRANSPORTS, "transport_header");
		close_structure(j);
		json_close(j);
	}
	json_close(j);
	json_close(j);
	json_close(j);
}

static void put_numbers(struct json *j, const char *name, unsigned int align)
{
	AUTO_FREE char *length = mem_printf("_%s_length", name);

	member(j, length, 8, 8, NULL);
	open_member(j, name);
	json_open(j, "field-class");
	json_text(j, "type", "dynamic-length-array");
	put_beside(j, "length-field-location", length);
	open_integer(j, "element-field-class", true, 32, align);
	json_close(j);
	json_close(j);
	json_close(j);
}

static void put_class(struct json *j, const struct trace_info *info, const struct field *field)
{
	const struct field_layout layout = field_layout(field);
	const int align = ctf_field_align(info);

	if (field->kind == FIELD_CONST) {
		open_structure(j, "field-class", 1);
		close_structure(j);
	} else if (field->kind == FIELD_ALLREGS) {
		put_registers(j, align);
	} else if (field->varies || field->kind == FIELD_STRING) {
		put_text(j, field, layout.count);
	} else if (field->kind == FIELD_BACKTRACE) {
		json_open(j, "field-class");
		json_text(j, "type", "static-length-array");
		json_number(j, "length", layout.count);
		put_number(j, "element-field-class", &layout, align, NULL);
		json_close(j);
	} else if (layout.form == FORM_FLOAT) {
		json_open(j, "field-class");
		json_text(j, "type", "fixed-length-floating-point-number");
		json_number(j, "length", 8 * layout.bytes);
		json_text(j, "byte-order", "little-endian");
		json_number(j, "alignment", align);
		json_close(j);
	} else {
		put_number(j, "field-class", &layout, align, field);
	}
}

static void put_member(struct json *j, const struct trace_info *info, const struct field *field, const char *name)
{
	if (field->kind == FIELD_PACKET) {
		put_headers(j, header_networks, KT_NR_NETWORKS, name);
	} else if (field->kind == FIELD_NUMBERS) {
		put_numbers(j, name, ctf_field_align(info));
	} else {
		open_member(j, name);
		put_class(j, info, field);
		json_close(j);
	}
}

static void put_fields(struct json *j, const struct trace_info *info, const struct desc *desc)
{
	char **names = ctf_field_names(desc);
	bool varies = false;

	for (size_t i = ctf_context(info, desc); i < desc->nr_fields; i++) {
		if (!names[i])
			continue;
		put_member(j, info, &desc->fields[i], names[i]);
		varies |= desc->fields[i].varies;
	}
	/* Readers find the next event behind the byte that makes the length even. */
	if (varies) {
		open_member(j, CTF_PADDING);
		open_structure(j, "field-class", ctf_event_align(info));
		close_structure(j);
		json_close(j);
	}
	ctf_field_names_free(names, desc);
}

static void put_event(const struct trace_info *info, const struct trace_event *event, FILE *out)
{
	const struct desc *desc = trace_event_desc(event);
	struct json j = fragment(out, "event-record-class");

	json_number(&j, "data-stream-class-id", event->part);
	json_number(&j, "id", desc->id);
	json_text(&j, "name", desc->name);
	open_structure(&j, "payload-field-class", ctf_event_align(info));
	if (desc->has_faults)
		hex_member(&j, CTF_UNREADABLE, 8 * desc_mask(desc), ctf_field_align(info));
	put_fields(&j, info, desc);
	close_structure(&j);
	json_end(&j);
}

void ctf2_metadata(const struct trace_info *info, FILE *out)
{
	put_trace(info, out);
	put_clock(info, out);
	for (uint32_t part = 0; part < info->parts; part++)
		put_stream(info, part, out);
	for (size_t i = 0; i < info->nr_events; i++)
		put_event(info, &info->events[i], out);
}
