// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf.c - CTF 1.8 metadata.  See ctf.h. */
#include "ctl/trace/ctf/ctf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "core/ring.h"
#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/base/put.h"
#include "ctl/base/device/headers.h"
#include "ctl/trace/print/print_int.h"
#include "ctl/trace/ctf/ctf_int.h"

/* ---------------------------------------------------------------- preamble */

/* Integers in an event's header are aligned to bytes: otherwise the structures around them would move. */
static const char byte_types[] =
	"typealias integer { size = 8; align = 8; signed = false; base = 16; } := uint8_t;\n"
	"typealias integer { size = 8; align = 8; signed = false; } := count8_t;\n"
	"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := char8_t;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := id16_t;\n"
	"typealias integer { size = 24; align = 8; signed = false; } := id24_t;\n"
	"typealias integer { size = 24; align = 8; signed = false; map = clock.ticks.value; } := ticks24_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; map = clock.ticks.value; } := ticks32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.ticks.value; } := ticks64_t;\n";

static void put_float_types(const struct trace_info *info, FILE *out)
{
	static const struct {
		int bits, exponent, mantissa;
	} types[] = { { 32, 8, 24 }, { 64, 11, 53 } };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		fprintf(out, "typealias floating_point { exp_dig = %d; mant_dig = %d; align = %d; } := float%d_t;\n",
			types[i].exponent, types[i].mantissa, ctf_field_align(info), types[i].bits);
}

static void put_types(const struct trace_info *info, FILE *out)
{
	static const struct {
		const char *name, *is_signed, *base;
		int bits;
	} types[] = {
		{ "uint16_t", "false", "", 16 }, { "int16_t", "true", "", 16 }, { "hex16_t", "false", " base = 16;", 16 },
		{ "uint32_t", "false", "", 32 }, { "int32_t", "true", "", 32 }, { "uint64_t", "false", "", 64 },
		{ "int64_t", "true", "", 64 }, { "hex32_t", "false", " base = 16;", 32 },
		{ "hex64_t", "false", " base = 16;", 64 },
	};

	fputs(byte_types, out);
	put_float_types(info, out);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		fprintf(out, "typealias integer { size = %d; align = %d; signed = %s;%s } := %s;\n", types[i].bits,
			ctf_field_align(info), types[i].is_signed, types[i].base, types[i].name);
	fputc('\n', out);
}

/* The two parts of struct kt_packet. */
static const char packet_header[] =
	"	packet.header := struct {\n"
	"		uint32_t magic;\n"
	"		uint8_t uuid[16];\n"
	"		uint32_t stream_id;\n"
	"	};\n";

static const char packet_context[] =
	"	packet.context := struct {\n"
	"		ticks64_t timestamp_begin;\n"
	"		ticks64_t timestamp_end;\n"
	"		uint64_t content_size;\n"
	"		uint64_t packet_size;\n"
	"		uint64_t packet_seq_num;\n"
	"		uint64_t events_discarded;\n"
	"		uint64_t first_record;\n"
	"		uint32_t cpu_id;\n"
	"		uint32_t records;\n"
	"	};\n";

/* The header of an event, in a narrow and in a wide trace. */
static const char *const event_header[] = {
	"	event.header := struct {\n"
	"		enum : uint8_t { compact = 0 ... 254, extended = 255 } id;\n"
	"		variant <id> {\n"
	"			struct { ticks24_t timestamp; } compact;\n"
	"			struct { id24_t id; ticks64_t timestamp; } extended;\n"
	"		} v;\n"
	"	} align(32);\n",
	"	event.header := struct {\n"
	"		enum : id16_t { compact = 0 ... 65534, extended = 65535 } id;\n"
	"		variant <id> {\n"
	"			struct { ticks32_t timestamp; } compact;\n"
	"			struct { id16_t id; ticks64_t timestamp; } extended;\n"
	"		} v;\n"
	"	} align(16);\n",
};

/* Print text between quotes.  Readers take octal escapes; with them the metadata is UTF-8 without control characters. */
static void put_quoted(FILE *out, const char *text)
{
	size_t len = strlen(text), n;

	put_char(out, '"');
	for (const uint8_t *at = (const uint8_t *)text; len; at += n, len -= n) {
		n = escape_quotable_length((const char *)at, len);
		if (n) {
			put_bytes(out, at, n);
			continue;
		}
		n = escape_utf8_length(at, len);
		if (*at == '"' || *at == '\\')
			fprintf(out, "\\%c", *at);
		else if (!n || *at < ' ' || *at == 0x7f)
			fprintf(out, "\\%03o", *at);
		else
			put_bytes(out, at, n);
		n = n ? n : 1;
	}
	put_char(out, '"');
}

static void put_uuid(FILE *out, const uint8_t uuid[16])
{
	fputs("uuid = \"", out);
	for (int i = 0; i < 16; i++)
		fprintf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
	fputs("\";\n", out);
}

static void put_trace(const struct trace_info *info, FILE *out)
{
	fputs("trace {\n	major = 1;\n	minor = 8;\n	", out);
	put_uuid(out, info->uuid);
	fputs("	byte_order = le;\n", out);
	fputs(packet_header, out);
	fputs("};\n\n", out);
}

static void put_variable(void *arg, const char *name, const char *text, int64_t number)
{
	FILE *out = arg;

	fprintf(out, "	%s = ", name);
	if (text)
		put_quoted(out, text);
	else
		fprintf(out, "%" PRId64, number);
	fputs(";\n", out);
}

static void put_env(const struct trace_info *info, FILE *out)
{
	fputs("env {\n", out);
	ctf_environment(info, put_variable, out);
	fputs("};\n\n", out);
}

/* ------------------------------------------------------------------- clock */

static void put_clock(const struct trace_info *info, FILE *out)
{
	const struct clock_line clock = ctf_clock(info);

	fputs("clock {\n	name = \"ticks\";\n", out);
	if (info->boot_id)
		put_variable(out, "uuid", info->boot_id, 0);
	put_variable(out, "description", info->clock.name, 0);
	fprintf(out, "	freq = %" PRIu64 ";\n	offset_s = %" PRIu64 ";\n	offset = %" PRIu64 ";\n	absolute = true;\n};\n\n",
		clock.frequency, clock.seconds, clock.cycles);
}

/* ------------------------------------------------------------------ fields */

static void put_registers(FILE *out)
{
	fputs("		struct {\n", out);
	for (size_t i = 0; i < arch_native.nr_all_regs; i++)
		fprintf(out, "			hex64_t _%s;\n",
			arch_reg_name(&arch_native, arch_native.all_regs[i]));
	fputs("		} ", out);
}

/* An enumeration that chooses one of some headers, and the variant of them. */
static void open_headers(FILE *out, const struct header *headers, size_t nr, const char *name)
{
	fputs("		enum : count8_t { ", out);
	for (size_t i = 0; i < nr; i++)
		fprintf(out, "%s\"_%s\" = %zu", i ? ", " : "", headers[i].name, i);
	fprintf(out, " } _%s_type;\n		variant <_%s_type> {\n", name, name);
}

/* The fields of a header, as the wire has them. */
static void put_header_fields(FILE *out, const struct header *header)
{
	for (const struct header_field *field = header->fields; field->name; field++) {
		fputs("		", out);
		fputs(field->is_protocol ? "enum : " : "", out);
		fprintf(out, "integer { size = %d; align = %d; signed = false; byte_order = be; base = %d; }", field->bits,
			field->bits % 8 ? 1 : 8, field->is_hex ? 16 : 10);
		for (size_t i = 0; field->is_protocol && i < PROTOCOL_RANGES; i++)
			fprintf(out, "%s\"_%s\" = %u ... %u", i ? ", " : " { ", header_protocols[i].name, header_protocols[i].from,
				header_protocols[i].to);
		fprintf(out, "%s _%s", field->is_protocol ? " }" : "", field->name);
		if (field->count)
			fprintf(out, "[%d]", field->count);
		fputs(";\n", out);
	}
}

static void put_transports(FILE *out)
{
	open_headers(out, header_transports, KT_NR_TRANSPORTS, "transport_header");
	for (size_t i = 0; i < KT_NR_TRANSPORTS; i++) {
		fputs("		struct {\n", out);
		put_header_fields(out, &header_transports[i]);
		fprintf(out, "		} align(8) _%s;\n", header_transports[i].name);
	}
	fputs("		} _transport_header;\n", out);
}

static void put_packet(FILE *out, const char *name)
{
	open_headers(out, header_networks, KT_NR_NETWORKS, name);
	for (size_t i = 0; i < KT_NR_NETWORKS; i++) {
		fputs("		struct {\n", out);
		put_header_fields(out, &header_networks[i]);
		if (i != KT_NETWORK_UNKNOWN)
			put_transports(out);
		fprintf(out, "		} align(8) _%s;\n", header_networks[i].name);
	}
	fprintf(out, "		} _%s;\n", name);
}

/* LTTng has one more underscore in the name of the length. */
static void put_numbers(FILE *out, const char *name)
{
	fprintf(out, "		count8_t __%s_length;\n		int32_t _%s[__%s_length];\n", name, name, name);
}

static const char *scalar_type(const struct field_layout *layout)
{
	static const char *const decimals[2][3] = {
		{ "uint16_t", "uint32_t", "uint64_t" }, { "int16_t", "int32_t", "int64_t" },
	};
	const int size = layout->bytes == 2 ? 0 : layout->bytes == 4 ? 1 : 2;

	if (layout->form == FORM_TEXT)
		return "char8_t";
	if (layout->form == FORM_FLOAT)
		return layout->bytes == 4 ? "float32_t" : "float64_t";
	if (layout->form == FORM_DECIMAL)
		return decimals[layout->is_signed][size];
	return layout->bytes == 8 ? "hex64_t" : "hex32_t";
}

/* A number with named values; babeltrace shows both. */
static void put_enum(const struct field *field, const char *type, FILE *out)
{
	put_text(out, "enum : ");
	put_text(out, type);
	put_text(out, " { ");
	for (size_t i = 0; i < field->nr_names; i++) {
		put_text(out, i ? ", " : "");
		put_quoted(out, field->names[i].name);
		put_text(out, " = ");
		put_signed(out, field->names[i].value);
	}
	put_text(out, " } ");
}

static void put_type(const struct field *field, const struct field_layout *layout, bool has_enums, FILE *out)
{
	const char *type = scalar_type(layout);

	put_text(out, "		");
	if (has_enums && field->nr_names && field->show != SHOW_FLAGS) {
		put_enum(field, type, out);
	} else {
		put_text(out, type);
		put_char(out, ' ');
	}
}

/* The leading underscore separates names from TSDL's keywords; readers do not show it. */
static void put_field(const struct field *field, const char *name, bool has_enums, FILE *out)
{
	const struct field_layout layout = field_layout(field);

	if (field->kind == FIELD_PACKET) {
		put_packet(out, name);
		return;
	}
	if (field->kind == FIELD_NUMBERS) {
		put_numbers(out, name);
		return;
	}
	if (field->kind == FIELD_CONST)
		put_text(out, "		struct { } ");
	else if (field->kind == FIELD_ALLREGS)
		put_registers(out);
	else if (field->varies)
		put_text(out, "		string ");
	else
		put_type(field, &layout, has_enums, out);
	put_char(out, '_');
	put_text(out, name);
	if (!field->varies && (field->kind == FIELD_STRING || field->kind == FIELD_BACKTRACE)) {
		put_char(out, '[');
		put_decimal(out, layout.count);
		put_char(out, ']');
	}
	put_text(out, ";\n");
}

static void put_event(const struct trace_info *info, const struct trace_event *event, FILE *out)
{
	const struct desc *desc = trace_event_desc(event);
	char **names = ctf_field_names(desc);
	/* LTTng's events of the kernel have numbers, and viewers for them, such as Trace Compass, take nothing else. */
	const bool has_enums = !desc->is_packed || desc->is_user;
	bool varies = false;

	put_text(out, "event {\n	name = ");
	put_quoted(out, desc->name);
	put_text(out, ";\n	id = ");
	put_decimal(out, desc->id);
	put_text(out, ";\n	stream_id = ");
	put_decimal(out, event->part);
	put_text(out, ";\n	fields := struct {\n");
	if (desc->has_faults)
		fprintf(out, "		hex%zu_t _" CTF_UNREADABLE ";\n", 8 * desc_mask(desc));
	for (size_t i = ctf_context(info, desc); i < desc->nr_fields; i++) {
		if (names[i])
			put_field(&desc->fields[i], names[i], has_enums, out);
		varies |= desc->fields[i].varies;
	}
	/* Readers find the next event, or the end of the packet, behind the byte that makes the length even. */
	if (varies)
		fprintf(out, "		struct { } align(%d) _" CTF_PADDING ";\n", ctf_event_align(info));
	put_text(out, "	} align(");
	put_decimal(out, ctf_event_align(info));
	put_text(out, ");\n};\n\n");
	ctf_field_names_free(names, desc);
}

static void put_stream(const struct trace_info *info, uint32_t part, FILE *out)
{
	fprintf(out, "stream {\n	id = %u;\n", part);
	fputs(packet_context, out);
	fputs(event_header[info->wide], out);
	if (info->user)
		fputs("	event.context := struct {\n		int32_t _vpid;\n		int32_t _vtid;\n	};\n", out);
	fputs("};\n\n", out);
}

void ctf_metadata(const struct trace_info *info, FILE *out)
{
	fputs("/* CTF 1.8 */\n\n", out);
	put_types(info, out);
	put_trace(info, out);
	put_env(info, out);
	put_clock(info, out);
	for (uint32_t part = 0; part < info->parts; part++)
		put_stream(info, part, out);
	for (size_t i = 0; i < info->nr_events; i++)
		put_event(info, &info->events[i], out);
}
