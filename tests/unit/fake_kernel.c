// SPDX-License-Identifier: GPL-2.0-or-later
/* fake_kernel.c - see fake_kernel.h. */
#include "fake_kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/cmd/script.h"
#include "verify.h"

#define TEXT_BYTES 0x3000

static const char kallsyms[] =
	"ffffffff81000000 T _text\n"
	"ffffffff81001000 T vfs_write\n"
	"ffffffff81001100 T vfs_writev\n"
	"ffffffff81001200 t dup_fn\n"
	"ffffffff81001300 t dup_fn\n"
	"ffffffff81001400 t only_clone.isra.0\n"
	"ffffffff81001500 T cloned\n"
	"ffffffff81001580 t cloned.constprop.0\n"
	"ffffffff81001600 t cloned.part.0\n"
	"ffffffff81001700 t cloned.cold\n"
	"ffffffff81001800 t split.part.0\n"
	"ffffffff81001900 T add\n"
	"ffffffff81001a00 t both_fn\n"
	"ffffffff81002000 T plain_fn\n"
	"ffffffff81002f00 T srso_return_thunk\n"
	"ffffffff81003000 T _etext\n"
	"ffffffff82000000 D jiffies\n"
	"ffffffff82000100 d both_fn\n"
	"ffffffff82000200 B init_task\n"
	"ffffffff82000300 D __tracepoint_sched_switch\n"
	"ffffffffc0001000 t ext4_sync_fs\t[ext4]\n"
	"ffffffffc0001100 t dup_fn\t[ext4]\n";

/* endbr64; nopl 0(%rax,%rax,1); push %rbp; mov %rsp,%rbp; push %r15; mov %rsi,0x18(%rsp) */
static const uint8_t vfs_write[] = {
	0xf3, 0x0f, 0x1e, 0xfa, 0x0f, 0x1f, 0x44, 0x00, 0x00, 0x55, 0x48, 0x89, 0xe5,
	0x41, 0x57, 0x48, 0x89, 0x74, 0x24, 0x18, 0xc3,
};

static struct error last;

/* ------------------------------------------------------------- the module */

static struct fake_kernel *owner(struct device *dev)
{
	return (struct fake_kernel *)((char *)dev - offsetof(struct fake_kernel, session.dev));
}

static int fail(int no)
{
	errno = no;
	return -1;
}

static int do_hello(struct fake_kernel *fake, void *p)
{
	struct kt_hello *hello = p;
	bool match = hello->abi == fake->abi;

	hello->abi = fake->abi;
	hello->features = KT_FEATURE_OVERWRITE | KT_FEATURE_TSC;
	hello->nr_cpus = 2;
	hello->subbuf_bytes = 65536;
	hello->nr_subbufs = 16;
	hello->max_sites = 64;
	strcpy(hello->version, "0.1.0");
	return match ? 0 : fail(EPROTO);
}

static struct fake_site *find(struct fake_kernel *fake, uint64_t addr)
{
	for (uint32_t i = 0; i < fake->nr_sites; i++)
		if (fake->sites[i].entry.addr == addr)
			return &fake->sites[i];
	return NULL;
}

/* Check the descriptor as the real module does. */
static bool valid(const struct kt_site_req *req)
{
	const struct kt_desc_req *desc = (void *)(uintptr_t)req->desc;
	const struct kt_insn *prog = (const void *)(desc + 1);

	if (desc->size != sizeof(*desc) || desc->flags & ~KT_DESC_FLAGS ||
	    !req->insn_len != !!(req->flags & KT_SITE_SCRATCH) ||
	    desc->prog_len > KT_MAX_PROG || desc->meta_len > KT_MAX_META ||
	    req->desc_len != sizeof(*desc) + desc->prog_len * sizeof(*prog) + desc->meta_len)
		return false;
	return verify_program(prog, desc->prog_len) >= 0;
}

static void set(struct fake_kernel *fake, struct kt_site_req *req)
{
	struct fake_site *site = find(fake, req->addr);

	req->updated = site != NULL;
	if (!site)
		site = &fake->sites[fake->nr_sites++];
	free(site->blob);
	site->entry = (struct kt_list_entry){
		.addr = req->addr, .id = ++fake->next_id, .method = req->method, .planned = req->method,
		.insn_len = req->insn_len, .hits = 1234, .missed = 5,
	};
	req->id = site->entry.id;
	memcpy(site->entry.insn, req->insn, KT_MAX_INSN);
	if (req->role)
		site->role = *(struct kt_role *)(uintptr_t)req->role;
	site->entry.slow_path = req->role && (fake->slow_path || site->role.what & KT_ROLE_SLOW_PATH);
	if (!(req->flags & KT_SITE_SCRATCH))
		fake->desc_flags = ((struct kt_desc_req *)(uintptr_t)req->desc)->flags;
	if (req->flags & KT_SITE_SCRATCH)
		fake->scratch_what[req->addr - FAKE_SCRATCH] = site->role.what;
	else if (req->role)
		fake->roles[fake->nr_roles++ % ARRAY_SIZE(fake->roles)] = site->role;
	site->len = req->desc_len;
	site->blob = malloc(req->desc_len);
	memcpy(site->blob, (void *)(uintptr_t)req->desc, req->desc_len);
}

/* In the scratch function jumps are armed at once. */
static uint8_t method_of(const struct fake_kernel *fake, const struct kt_site_req *req)
{
	if (req->flags & KT_SITE_USER)
		return KT_METHOD_UPROBE;
	return req->flags & KT_SITE_SCRATCH && req->method == KT_METHOD_AUTO && !fake->no_jumps ? KT_METHOD_JUMP
												: KT_METHOD_BREAKPOINT;
}

static void judge(struct fake_kernel *fake, struct kt_trace *arg, struct kt_site_req *req)
{
	req->refusal = KT_REFUSE_NONE;
	req->method = method_of(fake, req);
	if (req->addr < UINT64_C(1) << 47)
		req->refusal = KT_REFUSE_USER;
	else if (req->addr == fake->refuse_addr)
		req->refusal = fake->refusal, req->no_jump = fake->no_jump;
	else if (!valid(req))
		req->refusal = KT_REFUSE_PROGRAM;
	req->nearest = req->refusal ? fake->nearest : 0;
	arg->nr_refused += req->refusal != KT_REFUSE_NONE;
}

/* Does the code differ from what the controller scanned? */
static bool changed(struct fake_kernel *fake, struct kt_trace *arg, struct kt_site_req *reqs)
{
	fake->nr_trace++;
	fake->nr_scans = arg->nr_scans;
	if (!arg->nr_scans)
		return false;
	fake->scan = *(struct kt_scan *)(uintptr_t)arg->scans;
	if (!fake->nr_changes)
		return false;
	fake->nr_changes--;
	for (uint32_t i = 0; i < arg->nr; i++)
		reqs[i].refusal = KT_REFUSE_CHANGED;
	arg->nr_refused = arg->nr;
	return true;
}

static int do_trace(struct fake_kernel *fake, void *p)
{
	struct kt_trace *arg = p;
	struct kt_site_req *reqs = (void *)(uintptr_t)arg->sites;

	fake->flags = arg->flags;
	if (changed(fake, arg, reqs))
		return fail(EINVAL);
	arg->nr_refused = 0;
	for (uint32_t i = 0; i < arg->nr; i++)
		if (reqs[i].flags & KT_SITE_SCRATCH)
			reqs[i].addr += FAKE_SCRATCH;
	for (uint32_t i = 0; i < arg->nr; i++)
		judge(fake, arg, &reqs[i]);
	fake->last = reqs[arg->nr - 1];
	if (arg->nr_refused && !(arg->flags & KT_TRACE_PARTIAL))
		return fail(EINVAL);
	for (uint32_t i = 0; i < arg->nr && !(arg->flags & KT_TRACE_DRYRUN); i++)
		if (!reqs[i].refusal)
			set(fake, &reqs[i]);
	return 0;
}

static void drop(struct fake_kernel *fake, struct fake_site *site)
{
	free(site->blob);
	fake->nr_sites--;
	memmove(site, site + 1, (char *)&fake->sites[fake->nr_sites] - (char *)site);
	fake->sites[fake->nr_sites] = (struct fake_site){ 0 };
}

static int do_delete(struct fake_kernel *fake, void *p)
{
	struct kt_delete *arg = p;
	const uint64_t *addrs = (void *)(uintptr_t)arg->addrs;

	while (arg->flags & KT_DELETE_ALL && fake->nr_sites)
		drop(fake, &fake->sites[0]);
	for (uint32_t i = 0; i < arg->nr; i++)
		if (!find(fake, addrs[i]))
			return fail(ENOENT);
	for (uint32_t i = 0; i < arg->nr; i++)
		drop(fake, find(fake, addrs[i]));
	return 0;
}

/* Three at a time, so that a caller must call again. */
static int do_list(struct fake_kernel *fake, void *p)
{
	struct kt_list *arg = p;
	struct kt_list_entry *entries = (void *)(uintptr_t)arg->entries;
	uint32_t n = 0;

	for (; n < 3 && arg->cursor < fake->nr_sites; arg->cursor++)
		if (!(fake->sites[arg->cursor].role.what & KT_ROLE_HIDDEN))
			entries[n++] = fake->sites[arg->cursor].entry;
	arg->nr = n;
	return 0;
}

static int do_desc(struct fake_kernel *fake, void *p)
{
	struct kt_desc_get *arg = p;

	for (uint32_t i = 0; i < fake->nr_sites; i++) {
		const struct fake_site *site = &fake->sites[i];

		if (site->entry.id != arg->id)
			continue;
		arg->len = site->len;
		if (arg->room < site->len)
			return fail(ENOSPC);
		memcpy((void *)(uintptr_t)arg->buf, site->blob, site->len);
		return 0;
	}
	return fail(ENOENT);
}

static int do_recording(struct fake_kernel *fake, void *p)
{
	fake->recording = ((struct kt_recording *)p)->op;
	return 0;
}

static int do_status(struct fake_kernel *fake, void *p)
{
	struct kt_status *arg = p;
	struct kt_cpu_status *cpus = (void *)(uintptr_t)arg->cpus;

	arg->nr_sites = fake->nr_sites;
	arg->frozen = fake->recording == KT_RECORDING_FREEZE;
	arg->max_slots = 64;
	arg->nr_areas = 1;
	arg->max_areas = 2;
	arg->brake_percent = fake->brake.brake_percent;
	arg->brake_cpus = fake->brake.brake_cpus;
	arg->brake_off = fake->brake.brake_off;
	arg->brakes = fake->brake.brakes;
	for (uint32_t i = 0; cpus && i < arg->nr_cpus; i++)
		cpus[i] = (struct kt_cpu_status){ .recorded = 10 * i, .pending = 7 * i,
						  .lost = 3 * i, .braked = fake->braked };
	return 0;
}

static uint8_t byte_at(uint64_t offset)
{
	uint64_t in = offset - 0x1000;

	/* vfs_writev has two returns. */
	if (in == 0x104 || in == 0x108)
		return 0xc3;
	return in < sizeof(vfs_write) ? vfs_write[in] : 0x90;
}

static int do_text(struct fake_kernel *fake, void *p)
{
	struct kt_text *arg = p;
	uint64_t offset = arg->addr - FAKE_TEXT;
	uint8_t *buf = (void *)(uintptr_t)arg->buf;

	fake->nr_text++;
	if (arg->addr >> 32 != FAKE_TEXT >> 32 ||
	    (offset >= TEXT_BYTES && arg->addr >> 24 != 0xffffffffc0))
		return fail(EACCES);
	for (uint32_t i = 0; i < arg->len; i++)
		buf[i] = fake->bad_addr == arg->addr + i ? 0x06 : byte_at(offset + i);
	arg->sum = arg->flags & KT_TEXT_SUM ? arg->addr : 0;
	return 0;
}

static int do_clock(struct fake_kernel *fake, void *p)
{
	struct kt_clock *arg = p;

	arg->nr = 0;
	arg->ns_num = 1;
	arg->ns_den = 2;
	strcpy(arg->name, "tsc");
	return 0;
}

/* The requested size, in 16 sub-buffers; a smaller one loses seven records. */
static int do_recordings(struct fake_kernel *fake, void *p)
{
	static const struct kt_recording_entry all[] = {
		{ .name = "build", .pid = 42, .bytes = 4 << 20, .recorded = 1, .mode = KT_MODE_OVERWRITE },
		{ .name = "tiny", .bytes = 8 << 10, .recorded = 1500, .discarded = 7, .mode = KT_MODE_DISCARD, .frozen = 1 },
	};
	struct kt_recordings *arg = p;

	arg->total = fake->has_recordings ? ARRAY_SIZE(all) : 0;
	arg->nr = arg->nr < arg->total ? arg->nr : arg->total;
	memcpy((void *)(uintptr_t)arg->entries, all, arg->nr * sizeof(*all));
	return 0;
}

static int do_buffer(struct fake_kernel *fake, void *p)
{
	struct kt_buffer *arg = p;
	uint64_t before = fake->buffer_bytes;

	if (arg->flags & KT_BUFFER_SIZE && arg->bytes > 64 << 20)
		return fail(ENOMEM);
	if (arg->flags & KT_BUFFER_SIZE)
		for (fake->buffer_bytes = KT_BUFFER_MIN; fake->buffer_bytes < arg->bytes;)
			fake->buffer_bytes *= 2;
	if (arg->flags & KT_BUFFER_MODE)
		fake->buffer_mode = arg->mode;
	arg->bytes = fake->buffer_bytes;
	arg->mode = fake->buffer_mode;
	arg->nr_subbufs = 16;
	arg->subbuf_bytes = arg->bytes / 16;
	arg->dropped = before > arg->bytes ? 7 : 0;
	return 0;
}

static int do_measure(struct fake_kernel *fake, void *p)
{
	struct kt_measure *arg = p;

	arg->id = fake->measure.id + 1;
	fake->measure = *arg;
	return 0;
}

/* Measurements are numbered from 1. */
static bool is_measure(const struct fake_kernel *fake, uint32_t id)
{
	return id && id <= fake->measure.id;
}

static int do_measure_run(struct fake_kernel *fake, void *p)
{
	struct kt_measure_run *arg = p;

	fake->runs = arg->on;
	return is_measure(fake, arg->id) ? 0 : fail(ENOENT);
}

static int tracepoints_by(struct fake_kernel *fake, uint8_t method)
{
	int n = 0;

	for (uint64_t i = 0; i < 2; i++) {
		const struct fake_site *site = find(fake, FAKE_SCRATCH + i);

		n += site && site->entry.method == method;
	}
	return n;
}

/* A call takes 10 ticks; a jump adds 20, a breakpoint 100. */
static int do_calibrate(struct fake_kernel *fake, void *p)
{
	struct kt_calibrate *arg = p;

	if (arg->flags & KT_CALIBRATE_ALONE && fake->measured_elsewhere)
		return fail(EBUSY);
	arg->inside = 10;
	arg->sample = 10 + 20 * tracepoints_by(fake, KT_METHOD_JUMP) + 100 * tracepoints_by(fake, KT_METHOD_BREAKPOINT);
	arg->low = arg->sample - 2;
	arg->high = arg->sample + 4;
	arg->whole = arg->sample + 30;
	arg->charged = 0;
	return 0;
}

/* Nothing was counted. */
static int do_tally(struct fake_kernel *fake, void *p)
{
	struct kt_tally *arg = p;

	*arg = (struct kt_tally){ .size = arg->size, .id = arg->id, .group = arg->group, .buckets = arg->buckets };
	return is_measure(fake, arg->id) ? 0 : fail(ENOENT);
}

static uint64_t number_of_file(struct fake_kernel *fake, int fd)
{
	struct stat st;
	size_t i;

	if (fstat(fd, &st))
		abort();
	for (i = 0; i < fake->nr_files; i++)
		if (fake->files[i] == st.st_ino)
			return i;
	if (fake->nr_files < ARRAY_SIZE(fake->files))
		fake->files[fake->nr_files++] = st.st_ino;
	return i;
}

static int do_file(struct fake_kernel *fake, void *p)
{
	struct kt_file *arg = p;

	arg->base = FAKE_FILE + (number_of_file(fake, arg->fd) << KT_FILE_SHIFT);
	return fake->no_file ? fail(fake->no_file) : 0;
}

static int do_process_tree(struct fake_kernel *fake, void *p)
{
	fake->nr_trees++;
	return 0;
}

static const struct {
	unsigned long request;
	int (*call)(struct fake_kernel *fake, void *p);
} calls[] = {
	{ KT_IOC_HELLO, do_hello },   { KT_IOC_TRACE, do_trace }, { KT_IOC_DELETE, do_delete },
	{ KT_IOC_LIST, do_list },     { KT_IOC_DESC, do_desc },   { KT_IOC_RECORDING, do_recording },
	{ KT_IOC_STATUS, do_status }, { KT_IOC_TEXT, do_text },   { KT_IOC_CLOCK, do_clock },
	{ KT_IOC_BUFFER, do_buffer }, { KT_IOC_MEASURE, do_measure }, { KT_IOC_MEASURE_RUN, do_measure_run },
	{ KT_IOC_CALIBRATE, do_calibrate }, { KT_IOC_FILE, do_file }, { KT_IOC_TALLY, do_tally }, { KT_IOC_RECORDINGS, do_recordings },
	{ KT_IOC_PROCESS_TREE, do_process_tree },
};

/* Another module: whoever asks for the symbols next gets another table. */
static void reload(struct fake_kernel *fake)
{
	FILE *list = fopen(fake->session.module_list, "we");

	if (!list || fprintf(list, "m%u 16384 0 - Live 0x%x000\n", fake->nr_calls, fake->nr_calls) < 0)
		abort();
	fclose(list);
}

static int call(struct device *dev, unsigned long request, void *p)
{
	struct fake_kernel *fake = owner(dev);

	fake->nr_calls++;
	reload(fake);
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].request == request)
			return calls[i].call(fake, p);
	return fail(ENOTTY);
}

/* ------------------------------------------------------------ the session */

static char *file_of(const char *text)
{
	char *path = strdup("/tmp/ktrace-unit-XXXXXX");
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(fd);
	return path;
}

struct fake_kernel *fake_create(void)
{
	struct fake_kernel *fake = calloc(1, sizeof(*fake));
	struct error err;

	fake->abi = KT_ABI_VERSION;
	fake->buffer_bytes = 1 << 20;
	fake->recording = KT_RECORDING_UNFREEZE;
	session_init(&fake->session);
	fake->session.kallsyms = file_of(kallsyms);
	fake->session.module_list = file_of("");
	fake->session.dev.call = call;
	fake->session.out = open_memstream(&fake->out, &fake->out_len);
	fake->session.messages = open_memstream(&fake->messages, &fake->messages_len);
	if (!session_symbols(&fake->session, &err) || !session_connect(&fake->session, &err))
		abort();
	return fake;
}

void fake_free(struct fake_kernel *fake)
{
	session_end(&fake->session);
	while (fake->nr_sites)
		drop(fake, &fake->sites[0]);
	fclose(fake->session.out);
	fclose(fake->session.messages);
	unlink(fake->session.kallsyms);
	free((char *)fake->session.kallsyms);
	unlink(fake->session.module_list);
	free((char *)fake->session.module_list);
	free(fake->out);
	free(fake->messages);
	free(fake);
}

static FILE *afresh(FILE *stream, char **text, size_t *len)
{
	fclose(stream);
	free(*text);
	*text = NULL;
	return open_memstream(text, len);
}

enum exit_status fake_run(struct fake_kernel *fake, const char *line)
{
	struct session *s = &fake->session;
	bool ok;

	s->out = afresh(s->out, &fake->out, &fake->out_len);
	s->messages = afresh(s->messages, &fake->messages, &fake->messages_len);
	last.text[0] = '\0';
	ok = script_text(s, line, &last);
	fflush(s->out);
	fflush(s->messages);
	return ok ? STATUS_OK : last.status;
}

const char *fake_error(void)
{
	return last.text;
}
