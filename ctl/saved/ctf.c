// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf.c - CTF 1.8 metadata.  See ctf.h. */
#include "ctl/saved/ctf.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arch/arch.h"
#include "core/ring.h"
#include "ctl/base/memory.h"
#include "ctl/records/print_int.h"

#define NAME_SIZE	96

/* ---------------------------------------------------------------- preamble */

/* Bits that an event, and the fields in it, are aligned to. */
static int event_align(const struct trace_info *info)
{
	return info->wide ? 16 : 32;
}

static int field_align(const struct trace_info *info)
{
	return info->wide ? 8 : 32;
}

/* Integers in an event's header are aligned to bytes: otherwise the structures around them would move. */
static const char byte_types[] =
	"typealias integer { size = 8; align = 8; signed = false; base = 16; } := uint8_t;\n"
	"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := char8_t;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := id16_t;\n"
	"typealias integer { size = 24; align = 8; signed = false; } := id24_t;\n"
	"typealias integer { size = 24; align = 8; signed = false; map = clock.ticks.value; } := ticks24_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; map = clock.ticks.value; } := ticks32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.ticks.value; } := ticks64_t;\n";

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
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		fprintf(out, "typealias integer { size = %d; align = %d; signed = %s;%s } := %s;\n", types[i].bits,
			field_align(info), types[i].is_signed, types[i].base, types[i].name);
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

/* Print text between quotes. */
static void put_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
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

static void put_variable(FILE *out, const char *name, const char *text)
{
	fprintf(out, "	%s = ", name);
	put_quoted(out, text);
	fputs(";\n", out);
}

/* When the clock was first compared with the time of day, which is before the first event. */
static void put_creation(const struct trace_info *info, FILE *out)
{
	const time_t seconds = info->clock.nr ? (time_t)(info->anchors[0].real_ns / NS_PER_S) : 0;
	char text[32];
	struct tm tm;

	if (!info->clock.nr || !gmtime_r(&seconds, &tm))
		return;
	strftime(text, sizeof(text), "%Y%m%dT%H%M%S+0000", &tm);
	put_variable(out, "trace_creation_datetime", text);
}

/*
 * Readers choose by tracer_name and version which names of events and fields they expect.  Recordings have those of
 * lttng-modules 2.13 (its src/lttng-abi.h and metadata-ctf-1-8.c).
 */
static void put_layout(const struct trace_info *info, FILE *out)
{
	if (!info->wide) {
		put_variable(out, "tracer_name", "ktrace");
		put_variable(out, "tracer_version", info->module);
		return;
	}
	put_variable(out, "tracer_name", "lttng-modules");
	fputs("	tracer_major = 2;\n	tracer_minor = 13;\n	tracer_patchlevel = 9;\n", out);
	put_variable(out, "ktrace_version", info->module);
	put_variable(out, "trace_buffering_scheme", "global");
	put_creation(info, out);
}

static void put_env(const struct trace_info *info, FILE *out)
{
	AUTO_FREE char *release = mem_strndup(info->kernel, strcspn(info->kernel, " "));

	fputs("env {\n", out);
	put_variable(out, "domain", "kernel");
	put_layout(info, out);
	put_variable(out, "sysname", "Linux");
	put_variable(out, "hostname", info->host);
	put_variable(out, "kernel_release", info->wide ? release : info->kernel);
	fputs("};\n\n", out);
}

/* ------------------------------------------------------------------- clock */

/* Ticks a second, as an integer; the rounding error is smaller than the clock's own error. */
static uint64_t frequency(const struct kt_clock *clock)
{
	const __uint128_t ticks = (__uint128_t)clock->ns_den * NS_PER_S;

	return (ticks + clock->ns_num / 2) / clock->ns_num;
}

/*
 * CTF's clock has one rate and one origin: they are fitted to the middle anchor.  ktrace itself uses all
 * anchors.
 */
static void put_clock(const struct trace_info *info, FILE *out)
{
	const uint64_t freq = frequency(&info->clock);
	const struct kt_anchor none = { 0 };
	const struct kt_anchor *anchor =
		info->clock.nr ? &info->anchors[info->clock.nr / 2] : &none;
	const uint64_t seconds = anchor->real_ns / NS_PER_S;
	const __int128 rest = (__int128)(anchor->real_ns % NS_PER_S) * freq / NS_PER_S;
	__int128 origin = (__int128)seconds * freq + rest - anchor->ticks;

	if (origin < 0)
		origin = 0;
	fputs("clock {\n	name = \"ticks\";\n", out);
	/* Readers take traces with the same uuid as traces of one machine. */
	if (info->boot_id)
		put_variable(out, "uuid", info->boot_id);
	fputs("	description = ", out);
	put_quoted(out, info->clock.name);
	fprintf(out, ";\n	freq = %" PRIu64 ";\n	offset_s = %" PRIu64 ";\n	offset = %" PRIu64
		";\n	absolute = true;\n};\n\n", freq, (uint64_t)(origin / freq),
		(uint64_t)(origin % freq));
}

/* ------------------------------------------------------------------ fields */

/* Replace all characters but letters and digits by an underscore. */
static char in_name(char c)
{
	return isalnum((unsigned char)c) ? c : '_';
}

/* Print a TSDL name.  The leading underscore separates it from TSDL's keywords; readers do not show it. */
static void put_name(FILE *out, const char *name)
{
	fputc('_', out);
	for (; *name; name++)
		fputc(in_name(*name), out);
}

static bool same_name(const char *a, const char *b)
{
	for (; *a && in_name(*a) == in_name(*b); a++, b++)
		;
	return !*a && !*b;
}

/* The number of fields before this one with the same TSDL name. */
static unsigned int nth_of(const struct desc *desc, size_t i)
{
	unsigned int nth = 0;

	for (size_t j = 0; j < i; j++)
		nth += same_name(desc->fields[j].name, desc->fields[i].name);
	return nth;
}

static void put_registers(FILE *out)
{
	fputs("		struct {\n", out);
	for (size_t i = 0; i < arch_native.nr_all_regs; i++)
		fprintf(out, "			hex64_t _%s;\n",
			arch_reg_name(&arch_native, arch_native.all_regs[i]));
	fputs("		} ", out);
}

/* A constant is not in the records: write an empty structure whose name contains the value. */
static void put_const(const struct field *field, FILE *out)
{
	char text[32];

	format_const(text, sizeof(text), field->value);
	fputs("		struct { } ", out);
	put_name(out, field->name);
	fputc('_', out);
	for (const char *at = text; *at; at++)
		fputc(*at == '-' ? 'm' : *at, out);
}

static const char *scalar_type(const struct field_layout *layout)
{
	static const char *const decimals[2][3] = {
		{ "uint16_t", "uint32_t", "uint64_t" }, { "int16_t", "int32_t", "int64_t" },
	};
	const int size = layout->bytes == 2 ? 0 : layout->bytes == 4 ? 1 : 2;

	if (layout->form == FORM_TEXT)
		return "char8_t";
	if (layout->form == FORM_DECIMAL)
		return decimals[layout->is_signed][size];
	return layout->bytes == 8 ? "hex64_t" : "hex32_t";
}

/* A number with named values; babeltrace shows both. */
static void put_enum(const struct field *field, const char *type, FILE *out)
{
	fprintf(out, "enum : %s { ", type);
	for (size_t i = 0; i < field->nr_names; i++) {
		fputs(i ? ", " : "", out);
		put_quoted(out, field->names[i].name);
		fprintf(out, " = %" PRId64, field->names[i].value);
	}
	fputs(" } ", out);
}

static void put_type(const struct field *field, const struct field_layout *layout, FILE *out)
{
	const char *type = scalar_type(layout);

	fputs("		", out);
	if (field->nr_names)
		put_enum(field, type, out);
	else
		fprintf(out, "%s ", type);
}

static void put_field(const struct desc *desc, size_t i, FILE *out)
{
	const struct field *field = &desc->fields[i];
	const struct field_layout layout = field_layout(field);

	if (field->kind == FIELD_TEXT)
		return;
	if (field->kind == FIELD_CONST)
		put_const(field, out);
	else if (field->kind == FIELD_ALLREGS)
		put_registers(out);
	else if (field->varies)
		fputs("		string ", out);
	else
		put_type(field, &layout, out);
	if (field->kind != FIELD_CONST)
		put_name(out, field->name);
	if (nth_of(desc, i))
		fprintf(out, "_%u", nth_of(desc, i) + 1);
	if (!field->varies && (field->kind == FIELD_STRING || field->kind == FIELD_BACKTRACE))
		fprintf(out, "[%u]", layout.count);
	fputs(";\n", out);
}

static void put_event(const struct trace_info *info, const struct trace_event *event, FILE *out)
{
	const struct desc *desc = event->desc;
	bool varies = false;

	fputs("event {\n	name = ", out);
	put_quoted(out, desc->name);
	fprintf(out, ";\n	id = %u;\n	stream_id = %u;\n	fields := struct {\n", desc->id,
		event->part);
	if (desc->has_faults)
		fprintf(out, "		hex%zu_t _unreadable;\n", 8 * desc_mask(desc));
	for (size_t i = 0; i < desc->nr_fields; i++) {
		put_field(desc, i, out);
		varies |= desc->fields[i].varies;
	}
	/* Readers find the next event, or the end of the packet, behind the byte that makes the length even. */
	if (varies)
		fprintf(out, "		struct { } align(%d) __padding;\n", event_align(info));
	fprintf(out, "	} align(%d);\n};\n\n", event_align(info));
}

static void put_stream(const struct trace_info *info, uint32_t part, FILE *out)
{
	fprintf(out, "stream {\n	id = %u;\n", part);
	fputs(packet_context, out);
	fputs(event_header[info->wide], out);
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
