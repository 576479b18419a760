// SPDX-License-Identifier: GPL-2.0-or-later
/* state_file.c - the state of the system as events of a trace.  See state_file.h. */
#include "ctl/trace/saved/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/ring.h"
#include "ctl/base/memory.h"
#include "ctl/base/device/field_names.h"
#include "ctl/trace/saved/packet_io.h"
#include "ctl/trace/saved/save_dir.h"
#include "ctl/trace/ctf/trace_info.h"
#include "ctl/base/state/state.h"

#define PACKET_BYTES	65536U
/* Objects between two calls of between(). */
#define BETWEEN		64

/* ------------------------------------------------------------------ the events */

struct named {
	int64_t value;
	const char *name;
};

#define MAX_FIELDS	24

/* A number of 2, 4 or 8 bytes, or a text of at most `text` bytes, its 0 included. */
struct row_field {
	const char *name;
	uint8_t bytes;
	bool is_signed;
	uint16_t text;
	const struct named *names;	/* ended by NULL */
};

#define S32(n)		{ n, 4, true }
#define U32(n)		{ n, 4 }
#define U64(n)		{ n, 8 }
#define TEXT(n, most)	{ n, .text = most }

static const struct named types[] = { { 0, "user" }, { 1, "kernel" }, { 0, NULL } };
/* LTTng's numbers. */
#define MODE_UNKNOWN	5
static const struct named modes[] = { { 0, "user" }, { 1, "syscall" }, { MODE_UNKNOWN, "unknown" }, { 0, NULL } };
static const struct named statuses[] = {
	{ KT_STATUS_UNNAMED, "unnamed" }, { KT_STATUS_WAIT_FORK, "wait_fork" }, { KT_STATUS_WAIT_CPU, "wait_cpu" },
	{ KT_STATUS_EXIT, "exit" }, { KT_STATUS_ZOMBIE, "zombie" }, { KT_STATUS_WAIT, "wait" },
	{ KT_STATUS_RUN, "run" }, { KT_STATUS_DEAD, "dead" }, { 0, NULL },
};

enum row_id {
	ROW_START, ROW_ONLINE_CPU, ROW_INTERRUPT, ROW_MODULE, ROW_BLOCK_DEVICE, ROW_INTERFACE, ROW_TASK, ROW_PIDS,
	ROW_FILE, ROW_MAP, ROW_CMDLINE, ROW_CPU, ROW_END, NR_ROWS,
};

static const struct row {
	const char *name;
	struct row_field fields[MAX_FIELDS];
} rows[NR_ROWS] = {
	[ROW_START] = { "lttng_statedump_start", { { NULL } } },
	[ROW_ONLINE_CPU] = { "ktrace_statedump_online_cpu", { U32("cpu_id") } },
	[ROW_INTERRUPT] = { "lttng_statedump_interrupt",
		{ U32("irq"), TEXT("name", 64), TEXT("action", 256), TEXT("label", 32), U64("count") } },
	[ROW_MODULE] = { "ktrace_statedump_module",
		{ TEXT("name", 64), TEXT("status", 16), U64("bytes"), U64("address") } },
	[ROW_BLOCK_DEVICE] = { "lttng_statedump_block_device", { U32("dev"), TEXT("diskname", 256), U64("bytes") } },
	[ROW_INTERFACE] = { "lttng_statedump_network_interface",
		{ TEXT("name", 64), U32("index"), TEXT("address", 128) } },
	[ROW_TASK] = { "lttng_statedump_process_state",
		{ S32("tid"), S32("pid"), S32("ppid"), TEXT("name", 16), { "type", 4, true, .names = types },
		  { "mode", 4, true, .names = modes }, S32("submode"), { "status", 4, true, .names = statuses }, U32("cpu"),
		  S32("pgrp"), S32("session"), U32("uid"), U32("gid"), S32("prio"), U32("policy"), U64("start"),
		  U64("file_table_address"), U64("memory"), U64("cgroup"), U32("pid_ns"), U32("mnt_ns"), U32("net_ns"),
		  U32("user_ns") } },
	[ROW_PIDS] = { "lttng_statedump_process_pid_ns",
		{ S32("tid"), S32("vtid"), S32("vpid"), S32("vppid"), S32("ns_level"), U32("ns_inum") } },
	[ROW_FILE] = { "lttng_statedump_file_descriptor",
		{ S32("pid"), U64("file_table_address"), S32("fd"), U32("flags"), U32("fmode"), U64("inode"), U32("dev"),
		  TEXT("filename", KT_MAX_STATE_NAME) } },
	[ROW_MAP] = { "lttng_statedump_vm_map",
		{ S32("pid"), U64("start"), U64("end"), U64("flags"), U64("inode"), U64("pgoff"), U32("dev"),
		  TEXT("filename", KT_MAX_STATE_NAME) } },
	[ROW_CMDLINE] = { "ktrace_statedump_command_line", { S32("pid"), TEXT("args", STATE_MAX_CMDLINE) } },
	[ROW_CPU] = { "ktrace_statedump_cpu", { U32("cpu_id"), S32("tid"), U32("busy") } },
	[ROW_END] = { "lttng_statedump_end", { { NULL } } },
};

/* The value of a field: a number, or a text. */
union value {
	int64_t number;
	const char *text;
};

#define NUMBER(n)	{ .number = (int64_t)(n) }

static size_t count_fields(const struct row *row)
{
	size_t n = 0;

	while (n < MAX_FIELDS && row->fields[n].name)
		n++;
	return n;
}

/* ----------------------------------------------------------------- descriptors */

static void make_names(struct field *field, const struct named *names)
{
	for (; names && names->name; names++)
		field_add_name(field, names->value, names->name);
}

static struct field make_field(const struct row_field *from)
{
	struct field field = { .kind = from->text ? FIELD_STRING : FIELD_INT, .fault_bit = -1 };

	snprintf(field.name, sizeof(field.name), "%s", from->name);
	field.bytes = from->text ? 1 : from->bytes;
	field.is_signed = from->is_signed;
	field.is_half = from->bytes == 2;
	field.length = from->text;
	field.varies = from->text;
	make_names(&field, from->names);
	return field;
}

static struct desc *make_desc(const struct row *row, uint32_t id)
{
	struct desc *desc = mem_zalloc(1, sizeof(*desc));

	desc->id = id;
	desc->name = mem_strdup(row->name);
	desc->typed = mem_strdup(row->name);
	desc->options = mem_strdup("");
	desc->nr_fields = count_fields(row);
	desc->fields = mem_zalloc(desc->nr_fields + 1, sizeof(*desc->fields));
	desc->is_packed = true;
	for (size_t i = 0; i < desc->nr_fields; i++)
		desc->fields[i] = make_field(&row->fields[i]);
	return desc;
}

/* The module gives low ids first. */
static uint32_t free_id(const struct trace_info *info)
{
	uint32_t id = KT_WIDE_MAX_ID;

	while (trace_info_event(info, info->parts - 1, id))
		id--;
	return id;
}

static bool add_desc(struct trace_info *info, const struct row *row, uint32_t *id, struct error *err)
{
	struct desc *desc = make_desc(row, free_id(info));
	bool ok;

	*id = desc->id;
	ok = desc_encode(desc, &desc->blob, &desc->blob_len, err) && trace_info_add(info, desc, err);
	desc_free(desc);
	return ok;
}

/* --------------------------------------------------------------------- the file */

struct state_file {
	char *path;
	int fd;
	const struct trace_info *info;
	uint32_t ids[NR_ROWS];
	struct packet_writer *writer;	/* in the form that info says */
	struct kt_packet *packet;	/* PACKET_BYTES of room */
	uint32_t filled;		/* bytes of it */
	uint64_t last;			/* time of the newest event, or when the stream begins */
	uint64_t fixed;			/* time of all events; 0: each has its own */
	uint64_t bytes;			/* in the file */
	unsigned int objects;		/* since between() was called */
	bool (*between)(void *arg, struct error *err);
	void *arg;
	bool failed;
};

struct state_file *state_file_create(const char *dir, struct trace_info *info, struct error *err)
{
	struct state_file *file = mem_zalloc(1, sizeof(*file));

	file->fd = -1;
	file->info = info;
	file->path = mem_printf("%s/" SAVE_STATE, dir);
	file->packet = mem_zalloc(1, PACKET_BYTES);
	file->writer = packet_writer_create(info->form.compressed);
	for (size_t i = 0; i < NR_ROWS; i++) {
		if (!add_desc(info, &rows[i], &file->ids[i], err)) {
			state_file_free(file);
			return NULL;
		}
	}
	return file;
}

void state_file_free(struct state_file *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
	free(file->packet);
	packet_writer_free(file->writer);
	free(file);
}

void state_file_begins(struct state_file *file, uint64_t ticks)
{
	file->last = ticks;
}

void state_file_at(struct state_file *file, uint64_t ticks)
{
	file->fixed = ticks;
}

bool state_file_failed(const struct state_file *file)
{
	return file->failed;
}

uint64_t state_file_bytes(const struct state_file *file)
{
	return file->bytes;
}

static bool cannot_write(struct state_file *file, struct error *err)
{
	file->failed = true;
	error_set(err, STATUS_FAILURE, "%s: %s: the trace ends here: make room there, or choose another place",
		  file->path, strerror(errno));
	/* A smaller size fails only if the disk fails; a reader of an unfinished trace ignores the rest. */
	if (file->fd >= 0 && ftruncate(file->fd, (off_t)file->bytes) == 0)
		lseek(file->fd, (off_t)file->bytes, SEEK_SET);
	return false;
}

/* Each packet begins where the one before it ended: the stream has no gap. */
static void begin_packet(struct state_file *file)
{
	struct kt_packet *packet = file->packet;
	const uint64_t seq = packet->magic ? packet->seq + 1 : 0, count = packet->count + packet->records;

	*packet = (struct kt_packet){
		.magic = KT_CTF_MAGIC, .stream = file->info->parts - 1, .ts_begin = file->last, .seq = seq, .count = count,
		.cpu = packet->magic ? packet->cpu : (uint32_t)sched_getcpu(),
	};
	memcpy(packet->uuid, file->info->uuid, sizeof(packet->uuid));
	file->filled = sizeof(*packet);
}

static bool write_packet(struct state_file *file, struct error *err)
{
	struct kt_packet *packet = file->packet;

	if (!file->filled)
		return true;
	packet->ts_end = file->last;
	packet->content_bits = packet->packet_bits = 8ULL * file->filled;
	if (file->fd < 0)
		file->fd = open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file->fd < 0 || !packet_write(file->writer, file->fd, packet, file->filled, 1, &file->bytes))
		return cannot_write(file, err);
	file->filled = 0;
	return true;
}

/* --------------------------------------------------------------------- an event */

/* Append a value; returns its bytes.  A text that is too long is cut. */
static size_t put_value(uint8_t *to, const struct row_field *field, const union value *value)
{
	if (field->text) {
		const size_t len = strnlen(value->text, field->text - 1);

		memcpy(to, value->text, len);
		to[len] = '\0';
		return len + 1;
	}
	memcpy(to, &value->number, field->bytes);
	return field->bytes;
}

/* The most bytes that an event may take, its header included. */
static size_t event_room(const struct row *row, const union value *values)
{
	size_t room = 16;

	for (size_t i = 0; i < MAX_FIELDS && row->fields[i].name; i++)
		room += row->fields[i].text ? strnlen(values[i].text, row->fields[i].text) + 1 : row->fields[i].bytes;
	return room;
}

static uint8_t *put_header(struct state_file *file, uint8_t *at, uint32_t id, uint64_t time)
{
	const u16 ext = KT_WIDE_ID_EXT, id16 = id;

	if (!((time - file->last) >> KT_WIDE_TS_BITS))
		return kt_put_compact(true, at, id, time);
	memcpy(at, &ext, sizeof(ext));
	memcpy(at + 2, &id16, sizeof(id16));
	memcpy(at + 4, &time, sizeof(time));
	return at + 12;
}

static bool call_between(struct state_file *file, struct error *err)
{
	if (++file->objects % BETWEEN || !file->between)
		return true;
	file->failed = !file->between(file->arg, err);
	return !file->failed;
}

static bool put_event(struct state_file *file, enum row_id id, uint64_t time, const union value *values,
		      struct error *err)
{
	const struct row *row = &rows[id];
	uint8_t *start = (uint8_t *)file->packet, *at;

	if (file->filled && file->filled + event_room(row, values) > PACKET_BYTES && !write_packet(file, err))
		return false;
	/* The events of a file are in the order of their times. */
	if (file->fixed || time < file->last)
		time = file->fixed ? file->fixed : file->last;
	if (!file->filled)
		begin_packet(file);
	at = put_header(file, start + file->filled, file->ids[id], time);
	for (size_t i = 0; i < MAX_FIELDS && row->fields[i].name; i++)
		at += put_value(at, &row->fields[i], &values[i]);
	if ((at - start) % 2)
		*at++ = 0;
	file->filled = at - start;
	file->last = time;
	file->packet->records++;
	return call_between(file, err);
}

/* -------------------------------------------------------------------- the objects */

static bool put_start(void *file, uint64_t time, struct error *err)
{
	return put_event(file, ROW_START, time, NULL, err);
}

static bool put_online_cpu(void *file, const struct state_online_cpu *cpu, struct error *err)
{
	const union value values[] = { NUMBER(cpu->cpu) };

	return put_event(file, ROW_ONLINE_CPU, cpu->time, values, err);
}

static bool put_interrupt(void *file, const struct state_interrupt *irq, struct error *err)
{
	const union value values[] = {
		NUMBER(irq->number), { .text = irq->chip }, { .text = irq->action }, { .text = irq->label },
		NUMBER(irq->count),
	};

	return put_event(file, ROW_INTERRUPT, irq->time, values, err);
}

static bool put_module(void *file, const struct state_module *module, struct error *err)
{
	const union value values[] = {
		{ .text = module->name }, { .text = module->status }, NUMBER(module->bytes), NUMBER(module->address),
	};

	return put_event(file, ROW_MODULE, module->time, values, err);
}

static bool put_block_device(void *file, const struct state_block_device *disk, struct error *err)
{
	const union value values[] = { NUMBER(disk->dev), { .text = disk->name }, NUMBER(disk->bytes) };

	return put_event(file, ROW_BLOCK_DEVICE, disk->time, values, err);
}

static bool put_interface(void *file, const struct state_interface *net, struct error *err)
{
	const union value values[] = { { .text = net->name }, NUMBER(net->index), { .text = net->address } };

	return put_event(file, ROW_INTERFACE, net->time, values, err);
}

static bool put_task(void *file, const struct kt_state_task *t, struct error *err)
{
	const bool is_kernel = t->flags & KT_TASK_KERNEL;
	const union value values[] = {
		NUMBER(t->head.pid), NUMBER(t->tgid), NUMBER(t->ppid), { .text = t->name }, NUMBER(is_kernel),
		NUMBER(MODE_UNKNOWN), NUMBER(0), NUMBER(t->flags & KT_TASK_ON_CPU ? KT_STATUS_RUN : t->status),
		NUMBER(t->cpu), NUMBER(t->pgrp), NUMBER(t->session), NUMBER(t->uid), NUMBER(t->gid), NUMBER(t->prio),
		NUMBER(t->policy), NUMBER(t->start), NUMBER(t->files), NUMBER(t->memory), NUMBER(t->cgroup),
		NUMBER(t->ns[KT_NS_PID]), NUMBER(t->ns[KT_NS_MNT]), NUMBER(t->ns[KT_NS_NET]), NUMBER(t->ns[KT_NS_USER]),
	};

	return put_event(file, ROW_TASK, t->head.time, values, err);
}

static bool put_pids(void *file, const struct kt_state_pids *p, struct error *err)
{
	const union value values[] = {
		NUMBER(p->head.pid), NUMBER(p->vtid), NUMBER(p->vpid), NUMBER(p->vppid), NUMBER(p->level), NUMBER(p->ns),
	};

	return put_event(file, ROW_PIDS, p->head.time, values, err);
}

static bool put_file(void *file, const struct kt_state_file *f, struct error *err)
{
	const union value values[] = {
		NUMBER(f->tgid), NUMBER(f->table), NUMBER(f->fd), NUMBER(f->flags), NUMBER(f->mode), NUMBER(f->inode),
		NUMBER(f->dev), { .text = f->name },
	};

	return put_event(file, ROW_FILE, f->head.time, values, err);
}

static bool put_map(void *file, const struct kt_state_map *m, struct error *err)
{
	const union value values[] = {
		NUMBER(m->tgid), NUMBER(m->start), NUMBER(m->end), NUMBER(m->flags), NUMBER(m->inode), NUMBER(m->offset),
		NUMBER(m->dev), { .text = m->name },
	};

	return put_event(file, ROW_MAP, m->head.time, values, err);
}

/* Arguments are separated by spaces. */
static bool put_cmdline(void *file, const struct state_cmdline *cmdline, struct error *err)
{
	AUTO_FREE char *text = mem_zalloc(1, cmdline->len + 1);
	const union value values[] = { NUMBER(cmdline->pid), { .text = text } };
	size_t len = cmdline->len;

	memcpy(text, cmdline->args, len);
	while (len && !text[len - 1])
		len--;
	for (size_t i = 0; i < len; i++)
		if (!text[i])
			text[i] = ' ';
	text[len] = '\0';
	return put_event(file, ROW_CMDLINE, cmdline->time, values, err);
}

static bool put_cpu(void *file, const struct kt_state_cpu *cpu, struct error *err)
{
	const union value values[] = { NUMBER(cpu->cpu), NUMBER(cpu->head.pid), NUMBER(!!(cpu->flags & KT_CPU_BUSY)) };

	return put_event(file, ROW_CPU, cpu->head.time, values, err);
}

static bool put_end(void *file, uint64_t time, struct error *err)
{
	return put_event(file, ROW_END, time, NULL, err);
}

bool state_file_dump(struct state_file *file, struct device *dev, bool (*between)(void *arg, struct error *err),
		     void *arg, struct error *err)
{
	const struct state_sink sink = {
		.data = file, .start = put_start, .online_cpu = put_online_cpu, .interrupt = put_interrupt,
		.module = put_module, .block_device = put_block_device, .interface = put_interface, .task = put_task,
		.pids = put_pids, .file = put_file, .map = put_map, .cmdline = put_cmdline, .cpu = put_cpu, .end = put_end,
	};
	struct error none;
	bool ok;

	file->between = between;
	file->arg = arg;
	ok = state_dump(dev, "", &sink, err);
	/* What was read belongs into the file, also if the dump did not come to its end. */
	return file->failed ? false : write_packet(file, ok ? err : &none) && ok;
}

bool state_file_ends(struct state_file *file, uint64_t ticks, struct error *err)
{
	if (file->fd < 0)
		return true;
	begin_packet(file);
	file->last = ticks > file->last ? ticks : file->last;
	return write_packet(file, err);
}
