// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_info.c - the data of a saved trace besides its packets.  See trace_info.h. */
#include "ctl/trace/ctf/trace_info.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/trace/print/print.h"
#include "ctl/trace/ctf/descriptors.h"
#include "symbols/symtab/symtab.h"

/* Trace formats, see core/ktrace_abi.h. */
#define FORMAT_NARROW	1
#define FORMAT_WIDE	2

#define COMPRESSED	"zstd"	/* how packets are compressed; absent if they are not */
#define CTF_2		2	/* version of the metadata; without it 1.8 */

#define SAVED_VERSION	2	/* version of this file's schema; bump rule in docs/saved.md */
#define DESCRIPTORS_INSIDE	1	/* the version where the descriptors were part of this file */
#define MAX_FILE	(256L << 20)
#define MAX_PARTS	65536
#define MAX_DESCRIPTORS	(1 << 24)

#define UUID_TEXT	36	/* characters */

static bool is_uuid(const char *text)
{
	return strlen(text) == UUID_TEXT && strspn(text, "0123456789abcdef-") == UUID_TEXT;
}

void trace_info_free(struct trace_info *info)
{
	if (!info)
		return;
	for (size_t i = 0; i < info->nr_events; i++)
		desc_free(info->events[i].bare);
	free(info->host);
	free(info->kernel);
	free(info->module);
	free(info->boot_id);
	free(info->tasks);
	free(info->anchors);
	free(info->events);
	free(info);
}

/* NULL: it cannot be read. */
static char *read_boot_id(void)
{
	AUTO_CLOSE FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	char text[UUID_TEXT + 1];

	return file && fscanf(file, "%36s", text) == 1 && is_uuid(text) ? mem_strdup(text) : NULL;
}

bool trace_info_is_here(const struct trace_info *info)
{
	AUTO_FREE char *boot_id = read_boot_id();

	return boot_id && info->boot_id && !strcmp(boot_id, info->boot_id);
}

void trace_info_here(struct trace_info *info, const struct kt_hello *hello)
{
	struct utsname name;

	uname(&name);
	memcpy(info->uuid, hello->uuid, sizeof(info->uuid));
	info->arch = hello->arch;
	info->wide = hello->features & KT_FEATURE_WIDE;
	info->host = mem_strdup(name.nodename);
	info->kernel = mem_printf("%s %s", name.release, name.machine);
	info->module = mem_printf("%.*s", (int)sizeof(hello->version), hello->version);
	info->boot_id = read_boot_id();
	info->parts = 1;
}

bool trace_info_clock(struct trace_info *info, struct device *dev, struct error *err)
{
	struct kt_anchor *anchors;

	if (!device_clock(dev, &info->clock, &anchors, err))
		return false;
	free(info->anchors);
	info->anchors = anchors;
	return true;
}

bool trace_info_wants_symbols(const struct trace_info *info)
{
	for (size_t i = 0; i < info->nr_events; i++)
		if (desc_wants_symbols(trace_event_desc(&info->events[i])))
			return true;
	return false;
}

bool trace_info_has_state(const struct trace_info *info)
{
	for (size_t i = 0; i < info->nr_events; i++)
		if (info->events[i].bare->is_state)
			return true;
	return false;
}

static uint64_t order_of(const struct trace_event *event)
{
	return (uint64_t)event->part << 32 | event->bare->id;
}

static int compare_events(const void *a, const void *b)
{
	const uint64_t left = order_of(a), right = order_of(b);

	return (left > right) - (left < right);
}

const struct trace_event *trace_info_event(const struct trace_info *info, uint32_t part,
					   uint32_t id)
{
	const struct trace_event wanted = { part, &(struct desc){ .id = id } }, *const rest = info->events + info->nr_rising;
	size_t nr_rest = info->nr_events - info->nr_rising;
	const struct trace_event *found;

	if (!info->nr_events)
		return NULL;
	found = bsearch(&wanted, info->events, info->nr_rising, sizeof(wanted), compare_events);
	return found ? found : lfind(&wanted, rest, &nr_rest, sizeof(wanted), compare_events);
}

struct desc *trace_event_desc(const struct trace_event *event)
{
	desc_complete(event->bare);
	return event->bare;
}

const struct desc *trace_event_named(const struct trace_event *event)
{
	desc_complete_names(event->bare);
	return event->bare;
}

static struct desc *copy_desc(const void *blob, size_t len, uint32_t id, uint64_t addr, uint64_t born, struct error *err)
{
	struct desc *desc = desc_bare(blob, len, addr, err);

	if (desc) {
		desc->id = id;
		desc->born = born;
	}
	return desc;
}

static void add_event(struct trace_info *info, uint32_t part, struct desc *desc)
{
	const size_t last = info->nr_events++;
	struct trace_event *event;

	info->events = MEM_MORE(info->events, last);
	event = &info->events[last];
	*event = (struct trace_event){ part, desc };
	if (info->nr_rising == last && (!last || order_of(event - 1) < order_of(event)))
		info->nr_rising++;
}

bool trace_info_take(struct trace_info *info, uint32_t part, const struct desc *desc, struct error *err)
{
	struct desc *copy = copy_desc(desc->blob, desc->blob_len, desc->id, desc->addr, desc->born, err);

	if (copy)
		add_event(info, part, copy);
	return copy;
}

bool trace_info_add(struct trace_info *info, const struct desc *desc, struct error *err)
{
	return trace_info_take(info, info->parts - 1, desc, err);
}

bool trace_info_learn(struct trace_info *info, struct device *dev, uint32_t id, const struct desc *planned, struct error *err)
{
	AUTO_FREE struct kt_desc_req *blob = NULL;
	struct desc desc = { .id = id };

	if (!device_desc(dev, id, &blob, &desc.blob_len, &desc.addr, &desc.born, err))
		return false;
	if (!blob)
		return error_set(err, STATUS_FAILURE, "a tracepoint of the recording is gone: try again");
	desc.blob = blob;
	if (!trace_info_add(info, &desc, err))
		return false;
	if (planned && desc_is_same(planned, &desc))
		desc_complete_from(info->events[info->nr_events - 1].bare, planned);
	return true;
}

/* ---------------------------------------------------------------- writing */

static void put_hex_bytes(struct json *j, const char *key, const uint8_t *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	AUTO_FREE char *text = mem_zalloc(2 * n + 3, 1);
	char *to = text;

	*to++ = '"';
	for (size_t i = 0; i < n; i++) {
		*to++ = digits[bytes[i] >> 4];
		*to++ = digits[bytes[i] & 15];
	}
	*to = '"';
	json_raw(j, key, text);
}

static void put_clock(struct json *j, const struct trace_info *info)
{
	const struct kt_clock *clock = &info->clock;
	char name[sizeof(clock->name) + 1] = "";

	memcpy(name, clock->name, sizeof(clock->name));
	json_open(j, "clock");
	json_text(j, "name", name);
	json_digits(j, "ns_num", clock->ns_num);
	json_digits(j, "ns_den", clock->ns_den);
	json_open_array(j, "anchors");
	for (uint32_t i = 0; i < clock->nr; i++) {
		json_open(j, NULL);
		json_digits(j, "ticks", info->anchors[i].ticks);
		json_digits(j, "real_ns", info->anchors[i].real_ns);
		json_close(j);
	}
	json_close(j);
	json_close(j);
}

void trace_info_write(const struct trace_info *info, FILE *out)
{
	struct json j = { .out = out, .is_pretty = true };

	json_open(&j, NULL);
	json_text(&j, "type", "ktrace");
	json_number(&j, "v", SAVED_VERSION);
	json_number(&j, "format", info->wide ? FORMAT_WIDE : FORMAT_NARROW);
	if (info->user)
		json_boolean(&j, "user", true);
	if (info->form.ctf2)
		json_number(&j, "ctf", CTF_2);
	if (info->form.compressed)
		json_text(&j, "packets", COMPRESSED);
	if (info->is_open)
		json_boolean(&j, "open", true);
	if (info->braked)
		json_digits(&j, "braked", info->braked);
	if (info->off)
		json_number(&j, "off", info->off);
	if (info->complete)
		json_digits(&j, "complete", info->complete);
	json_text(&j, "host", info->host);
	json_text(&j, "kernel", info->kernel);
	json_text(&j, "module", info->module);
	if (info->boot_id)
		json_text(&j, "boot_id", info->boot_id);
	if (info->tasks)
		json_text(&j, "tasks", info->tasks);
	json_signed(&j, "arch", info->arch);
	put_hex_bytes(&j, "uuid", info->uuid, sizeof(info->uuid));
	json_signed(&j, "parts", info->parts);
	put_clock(&j, info);
	json_signed(&j, "descriptors", info->nr_events);
	json_end(&j);
}

/* ---------------------------------------------------------------- reading */

static struct json_object *member(struct json_object *from, const char *key, enum json_type type)
{
	struct json_object *value;

	if (!json_object_is_type(from, json_type_object) ||
	    !json_object_object_get_ex(from, key, &value) || !json_object_is_type(value, type))
		return NULL;
	return value;
}

static bool get_int(struct json_object *from, const char *key, int64_t low, int64_t high,
		    int64_t *out)
{
	struct json_object *value = member(from, key, json_type_int);

	*out = value ? json_object_get_int64(value) : -1;
	return value && *out >= low && *out <= high;
}

static bool get_u64(struct json_object *from, const char *key, __u64 *out)
{
	struct json_object *value = member(from, key, json_type_string);
	const char *text = value ? json_object_get_string(value) : "";
	const size_t digits = strspn(text, "0123456789");

	errno = 0;
	*out = strtoull(text, NULL, 10);
	return digits && !text[digits] && !errno;
}

static bool get_text(struct json_object *from, const char *key, size_t most, char **out)
{
	struct json_object *value = member(from, key, json_type_string);
	const char *text = value ? json_object_get_string(value) : "";
	const size_t len = strlen(text);

	if (!value || len > most || len != (size_t)json_object_get_string_len(value))
		return false;
	free(*out);
	*out = mem_strdup(text);
	return true;
}

static int digit_of(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* NULL: the text is not hexadecimal. */
static uint8_t *get_bytes(struct json_object *from, const char *key, size_t *n)
{
	struct json_object *value = member(from, key, json_type_string);
	const char *text = value ? json_object_get_string(value) : "x";
	const size_t len = strlen(text);
	uint8_t *bytes = mem_zalloc(len / 2 + 1, 1);

	*n = len / 2;
	for (size_t i = 0; i < len; i++) {
		const int digit = digit_of(text[i]);

		if (digit < 0 || len % 2) {
			free(bytes);
			return NULL;
		}
		bytes[i / 2] = bytes[i / 2] << 4 | digit;
	}
	return bytes;
}

static const char *read_clock(struct json_object *from, struct trace_info *info)
{
	struct json_object *anchors = member(from, "anchors", json_type_array);
	const size_t nr = anchors ? json_object_array_length(anchors) : 0;
	AUTO_FREE char *name = NULL;

	if (!anchors || nr > 65536 || !get_text(from, "name", sizeof(info->clock.name) - 1, &name) ||
	    !get_u64(from, "ns_num", &info->clock.ns_num) ||
	    !get_u64(from, "ns_den", &info->clock.ns_den) || !info->clock.ns_num ||
	    !info->clock.ns_den)
		return "its clock is malformed";
	strcpy(info->clock.name, name);
	info->anchors = mem_zalloc(nr + 1, sizeof(*info->anchors));
	info->clock.nr = nr;
	for (size_t i = 0; i < nr; i++) {
		struct json_object *anchor = json_object_array_get_idx(anchors, i);

		if (!get_u64(anchor, "ticks", &info->anchors[i].ticks) ||
		    !get_u64(anchor, "real_ns", &info->anchors[i].real_ns) ||
		    (i && info->anchors[i].ticks < info->anchors[i - 1].ticks))
			return "its clock is malformed";
	}
	return NULL;
}

static const char *read_event(struct json_object *from, struct trace_info *info)
{
	int64_t part, id;
	__u64 addr, born;
	AUTO_FREE uint8_t *blob = NULL;
	struct desc *desc;
	size_t len;

	if (!get_int(from, "part", 0, info->parts - 1, &part) ||
	    !get_int(from, "id", 1, KT_MAX_ID, &id) || !get_u64(from, "addr", &addr) ||
	    !get_u64(from, "born", &born) || trace_info_event(info, part, id))
		return "a descriptor is malformed";
	blob = get_bytes(from, "descriptor", &len);
	desc = blob ? copy_desc(blob, len, id, addr, born, NULL) : NULL;
	if (!desc)
		return "a descriptor is malformed";
	add_event(info, part, desc);
	return NULL;
}

static const char *read_events(struct json_object *from, struct trace_info *info)
{
	struct json_object *events = member(from, "events", json_type_array);
	const size_t nr = events ? json_object_array_length(events) : 0;
	const char *wrong = events ? NULL : "it has no descriptors";

	for (size_t i = 0; i < nr && !wrong; i++)
		wrong = read_event(json_object_array_get_idx(events, i), info);
	return wrong;
}

/* Version 1 has the descriptors here.  Of later ones only the number is here: read_descriptors(). */
static const char *count_or_read_events(struct json_object *from, struct trace_info *info, int64_t *nr)
{
	int64_t version;

	if (get_int(from, "v", DESCRIPTORS_INSIDE, DESCRIPTORS_INSIDE, &version))
		return read_events(from, info);
	if (!get_int(from, "descriptors", 0, MAX_DESCRIPTORS, nr))
		return "the number of descriptors is missing in it";
	return NULL;
}

static const char *read_versions(struct json_object *from, struct trace_info *info)
{
	AUTO_FREE char *type = NULL, *packets = NULL;
	struct json_object *open, *user;
	int64_t number;
	__u64 complete;

	if (!get_text(from, "type", 16, &type) || strcmp(type, "ktrace"))
		return "it is no trace of ktrace";
	if (!get_int(from, "v", 1, INT32_MAX, &number))
		return "it has no version";
	if (number > SAVED_VERSION)
		return "it was saved by a newer ktrace: update this one";
	if (!get_int(from, "format", FORMAT_NARROW, FORMAT_WIDE, &number))
		return "this ktrace cannot read its trace format";
	if (get_text(from, "packets", 16, &packets) && strcmp(packets, COMPRESSED))
		return "this ktrace cannot read its packets";
	info->form.compressed = packets;
	info->wide = number == FORMAT_WIDE;
	info->form.ctf2 = get_int(from, "ctf", CTF_2, CTF_2, &number);
	open = member(from, "open", json_type_boolean);
	info->is_open = open && json_object_get_boolean(open);
	user = member(from, "user", json_type_boolean);
	info->user = user && json_object_get_boolean(user);
	info->complete = get_u64(from, "complete", &complete) ? complete : 0;
	return NULL;
}

/* What is absent is 0. */
static void read_brake(struct json_object *from, struct trace_info *info)
{
	int64_t off;
	__u64 braked;

	info->braked = get_u64(from, "braked", &braked) ? braked : 0;
	info->off = get_int(from, "off", 0, UINT32_MAX, &off) ? off : 0;
}

/* *nr: the descriptors that are in their own file. */
static const char *read_all(struct json_object *from, struct trace_info *info, int64_t *nr)
{
	const char *wrong = read_versions(from, info);
	int64_t arch, parts;
	size_t len;
	AUTO_FREE uint8_t *uuid = get_bytes(from, "uuid", &len);

	if (wrong)
		return wrong;
	if (!get_text(from, "host", 256, &info->host) ||
	    !get_text(from, "kernel", 256, &info->kernel) ||
	    !get_text(from, "module", 256, &info->module) ||
	    !get_int(from, "arch", 0, UINT16_MAX, &arch) || !uuid || len != sizeof(info->uuid) ||
	    !get_int(from, "parts", 1, MAX_PARTS, &parts))
		return "something is missing in it";
	if (get_text(from, "boot_id", UUID_TEXT, &info->boot_id) && !is_uuid(info->boot_id))
		return "its boot_id is no UUID";
	get_text(from, "tasks", KT_MAX_META, &info->tasks);
	read_brake(from, info);
	memcpy(info->uuid, uuid, len);
	info->arch = arch;
	info->parts = parts;
	wrong = read_clock(member(from, "clock", json_type_object), info);
	return wrong ? wrong : count_or_read_events(from, info, nr);
}

static char *read_file(const char *path, size_t *len)
{
	AUTO_CLOSE FILE *file = fopen(path, "re");
	char *text;
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 || size > MAX_FILE)
		return NULL;
	rewind(file);
	text = mem_zalloc(size + 1, 1);
	*len = fread(text, 1, size, file);
	/* What cannot be expanded is no JSON. */
	symtab_unpack(&text, len);
	return text;
}

static struct json_object *parse(const char *text, size_t len)
{
	struct json_tokener *tokener = json_tokener_new_ex(8);
	struct json_object *o = tokener ? json_tokener_parse_ex(tokener, text, len) : NULL;

	if (tokener && json_tokener_get_error(tokener) != json_tokener_success) {
		json_object_put(o);
		o = NULL;
	}
	if (tokener)
		json_tokener_free(tokener);
	return o;
}

static bool cannot_read(const char *path, int error, struct error *err)
{
	if (error == EACCES || error == EPERM)
		return error_set(err, STATUS_NO_ACCESS, "%s: permission denied: only root and the user who saved the trace may read it",
				 path);
	return error_set(err, STATUS_FAILURE, "%s: %s: the description of the trace cannot be read", path,
			 strerror(error ? error : EFBIG));
}

static bool is_wrong(const char *path, const char *wrong, struct error *err)
{
	return error_set(err, STATUS_FAILURE, "%s: %s: the saved trace cannot be read", path, wrong);
}

static bool read_json(const char *path, struct trace_info *info, int64_t *nr, struct error *err)
{
	size_t len = 0;
	AUTO_FREE char *text = read_file(path, &len);
	struct json_object *o = text ? parse(text, len) : NULL;
	const char *wrong;

	if (!text)
		return cannot_read(path, errno, err);
	wrong = o ? read_all(o, info, nr) : "it is not JSON, or cut off";
	json_object_put(o);
	return !wrong || is_wrong(path, wrong, err);
}

/* They are in the same directory. */
static bool read_descriptors(const char *path, struct trace_info *info, size_t nr, struct error *err)
{
	AUTO_FREE char *file = mem_printf("%.*s" DESCRIPTORS_FILE, (int)(basename(path) - path), path);
	size_t len = 0;
	AUTO_FREE char *bytes = read_file(file, &len);
	const char *wrong;

	if (!bytes)
		return cannot_read(file, errno, err);
	wrong = descriptors_parse(info, bytes, len, nr);
	return !wrong || is_wrong(file, wrong, err);
}

struct trace_info *trace_info_read(const char *path, struct error *err)
{
	struct trace_info *info = mem_zalloc(1, sizeof(*info));
	int64_t nr = 0;

	if (read_json(path, info, &nr, err) && (!nr || read_descriptors(path, info, nr, err)))
		return info;
	trace_info_free(info);
	return NULL;
}
