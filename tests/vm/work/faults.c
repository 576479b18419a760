// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Let every call that can fail in the test build of the module (tests/vm/fault) fail once, on each path of the
 * device. The ioctl must then fail with a fitting errno, must change nothing, and must succeed when it is
 * repeated.
 *
 *   faults		use the tracepoints that are set; print the number of failures on each path
 */
#include <elf.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device.h"

#define USERTRUTH_BASE	0x400000	/* where static programs are linked */

#define PARAMETERS "/sys/module/ktrace_fault/parameters/"

static int device;
static struct kt_hello geometry;
static struct kt_site_req *reqs;
static uint32_t nr_reqs;

/* --------------------------------------------------------------- the module's switches */

static long ask(const char *name)
{
	char text[128] = "", path[128];
	int fd;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		die("%s: %s", path, strerror(errno));
	close(fd);
	return atol(text);
}

static void fail(int nth)
{
	char text[16];
	int fd = open(PARAMETERS "fail_nth", O_WRONLY);

	snprintf(text, sizeof(text), "%d", nth);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(PARAMETERS "fail_nth: %s", strerror(errno));
	close(fd);
}

static const char *where(void)
{
	static char text[128];
	int fd = open(PARAMETERS "fail_where", O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[n > 0 ? n - 1 : 0] = '\0';
	return text;
}

/* ----------------------------------------------------------------------------- state */

struct state {
	uint32_t nr, nr_sites, nr_descs, nr_slots;
	long live;
	struct kt_list_entry *entries;
};

static void look(struct state *out)
{
	struct kt_cpu_status sum;
	struct kt_status status;

	out->entries = NULL;
	device_status(device, &status, &sum);
	out->nr = device_list(device, &out->entries);
	for (uint32_t i = 0; i < out->nr; i++)
		out->entries[i].hits = out->entries[i].missed = out->entries[i].method = out->entries[i].planned = 0;
	out->nr_sites = status.nr_sites;
	out->nr_descs = status.nr_descs;
	out->nr_slots = status.nr_slots;
	out->live = ask("live");
}

static bool same(const struct state *a, const struct state *b)
{
	return a->nr == b->nr && a->nr_sites == b->nr_sites && a->nr_descs == b->nr_descs &&
	       a->nr_slots == b->nr_slots && a->live == b->live &&
	       memcmp(a->entries, b->entries, a->nr * sizeof(*a->entries)) == 0;
}

/* Wait until removed tracepoints are freed and nothing changes any more. Each breakpoint then has one slot. */
static void rest(struct state *out)
{
	struct state last;

	look(&last);
	for (int tries = 0; tries < 1000; tries++) {
		bool still;

		usleep(20000);
		look(out);
		still = same(&last, out) && out->nr_descs == out->nr_sites && out->nr_slots == out->nr_sites;
		free(last.entries);
		if (still)
			return;
		last = *out;
	}
	die("%u descriptors, %u slots are left beside %u tracepoints", out->nr_descs, out->nr_slots, out->nr_sites);
}

/* The state must become the same again; removed tracepoints are freed a moment later. */
static void must_be(const struct state *before, const char *path, int nth)
{
	struct state now;

	for (int tries = 0; tries < 1000; tries++) {
		look(&now);
		if (same(before, &now)) {
			free(now.entries);
			return;
		}
		usleep(20000);
		if (tries < 999)
			free(now.entries);
	}
	die("%s: failure %d at %s left %u tracepoints, %u descriptors, %u slots, %ld allocations; before: %u, %u, %u, %ld",
	    path, nth, where(), now.nr, now.nr_descs, now.nr_slots, now.live, before->nr, before->nr_descs,
	    before->nr_slots, before->live);
}

/* --------------------------------------------------------------------------- the paths */

static int trace(uint32_t n, uint32_t flags, uint8_t method)
{
	struct kt_trace answer;

	for (uint32_t i = 0; i < n; i++)
		reqs[i].method = method;
	return device_trace(device, reqs, n, flags, &answer);
}

static int trace_one(void)
{
	return trace(1, 0, KT_METHOD_BREAKPOINT);
}

static int trace_jump(void)
{
	return trace(1, 0, KT_METHOD_AUTO);
}

/*
 * Kernel threads make jumps and free removed tracepoints. If they fail, a breakpoint stays where a jump was
 * expected.
 */
static int trace_and_wait(void)
{
	int error = trace(nr_reqs, 0, KT_METHOD_AUTO);

	usleep(1500000);
	return error ? error : trace(1, 0, KT_METHOD_BREAKPOINT);
}

static int trace_all(void)
{
	return trace(nr_reqs, 0, KT_METHOD_BREAKPOINT);
}

static int trace_dry(void)
{
	return trace(nr_reqs, KT_TRACE_DRYRUN, KT_METHOD_AUTO);
}

static int delete_some(void)
{
	uint64_t addrs[2] = { reqs[0].addr, reqs[1].addr };
	struct kt_delete req = { .size = sizeof(req), .nr = 2, .addrs = (uintptr_t)addrs };

	return ioctl(device, KT_IOC_DELETE, &req) < 0 ? errno : 0;
}

static int list(void)
{
	struct kt_list_entry entries[4];
	struct kt_list req = { .size = sizeof(req), .nr = 4, .entries = (uintptr_t)entries };

	return ioctl(device, KT_IOC_LIST, &req) < 0 ? errno : 0;
}

static int describe(void)
{
	static char blob[65536];
	struct kt_list_entry entry;
	struct kt_list one = { .size = sizeof(one), .nr = 1, .entries = (uintptr_t)&entry };
	struct kt_desc_get req = { .size = sizeof(req), .buf = (uintptr_t)blob, .room = sizeof(blob) };

	if (ioctl(device, KT_IOC_LIST, &one) < 0)
		return errno;
	req.id = entry.id;
	return ioctl(device, KT_IOC_DESC, &req) < 0 ? errno : 0;
}

static int status(void)
{
	struct kt_cpu_status cpus[MAX_CPUS];
	struct kt_status req = { .size = sizeof(req), .nr_cpus = MAX_CPUS, .cpus = (uintptr_t)cpus };

	return ioctl(device, KT_IOC_STATUS, &req) < 0 ? errno : 0;
}

static int seen(void)
{
	struct kt_seen_cpu cpu = { .cpu = 0 };
	struct kt_seen req = { .size = sizeof(req), .nr = 1, .cpus = (uintptr_t)&cpu };
	int error = ioctl(device, KT_IOC_SEEN, &req) < 0 ? errno : 0;

	return error == ESTALE || error == EINVAL ? 0 : error;	/* the arguments were copied */
}

static int text(void)
{
	uint8_t bytes[64];
	struct kt_text req = { .size = sizeof(req), .len = 64, .addr = reqs[0].addr, .buf = (uintptr_t)bytes };

	return ioctl(device, KT_IOC_TEXT, &req) < 0 ? errno : 0;
}

static int clock_pairs(void)
{
	struct kt_anchor anchors[8];
	struct kt_clock req = { .size = sizeof(req), .nr = 8, .anchors = (uintptr_t)anchors };

	return ioctl(device, KT_IOC_CLOCK, &req) < 0 ? errno : 0;
}

static int greet(void)
{
	struct kt_hello hello = { .size = sizeof(hello), .abi = KT_ABI_VERSION, .format = KT_TRACE_FORMAT };
	int fd = open(KT_DEVICE, O_RDWR | O_CLOEXEC), error = 0;

	if (fd < 0)
		return errno;
	if (ioctl(fd, KT_IOC_HELLO, &hello) < 0)
		error = errno;
	close(fd);
	return error;
}

static int map(void)
{
	void *at = mmap(NULL, geometry.ring_bytes, PROT_READ, MAP_SHARED, device, 0);

	if (at == MAP_FAILED)
		return errno;
	munmap(at, geometry.ring_bytes);
	return 0;
}

static int follow_and_trace(int fd)
{
	struct kt_hello hello = { .size = sizeof(hello), .abi = KT_ABI_VERSION, .format = KT_TRACE_FORMAT };
	struct kt_process_tree_add add = { .size = sizeof(add), .pid = getpid() };
	struct kt_trace answer;

	if (ioctl(fd, KT_IOC_HELLO, &hello) < 0 || ioctl(fd, KT_IOC_PROCESS_TREE, &add) < 0)
		return errno;
	return device_trace(fd, reqs, 2, KT_TRACE_OWNED, &answer);
}

/* Everything that an open file owns, from open to close: nothing may stay, whatever failed. */
static int own(void)
{
	struct kt_desc_req *desc = (void *)(uintptr_t)reqs[0].desc;
	int fd = open(KT_DEVICE, O_RDWR | O_CLOEXEC), error;

	if (fd < 0)
		return errno;
	reqs[0].method = reqs[1].method = KT_METHOD_BREAKPOINT;
	desc->flags |= KT_DESC_TASKS;
	error = follow_and_trace(fd);
	desc->flags &= ~KT_DESC_TASKS;
	close(fd);
	return error;
}

/* A tracepoint that counts by a key of four bytes; its table is read and emptied. */
static int count_in(int fd)
{
	static uint64_t entries[1024];
	struct kt_hello hello = { .size = sizeof(hello), .abi = KT_ABI_VERSION, .format = KT_TRACE_FORMAT };
	struct kt_aggregate_req req = {
		.size = sizeof(req), .kind = KT_AGG_COUNT, .keys = 16, .key_bytes = 4, .value_bit = KT_AGG_READABLE,
	};
	struct kt_aggregate_get get = {
		.size = sizeof(get), .flags = KT_AGGREGATE_CLEAR, .entries = (uintptr_t)entries, .room = sizeof(entries),
	};
	struct kt_aggregate_release release = { .size = sizeof(release) };
	struct kt_trace answer;
	int error;

	if (ioctl(fd, KT_IOC_HELLO, &hello) < 0 || ioctl(fd, KT_IOC_AGGREGATE, &req) < 0)
		return errno;
	reqs[0].method = KT_METHOD_BREAKPOINT;
	reqs[0].aggregate = release.id = get.id = req.id;
	error = device_trace(fd, reqs, 1, KT_TRACE_OWNED, &answer);
	reqs[0].aggregate = 0;
	if (error)
		return error;
	if (ioctl(fd, KT_IOC_AGGREGATE_RELEASE, &release) < 0 || ioctl(fd, KT_IOC_AGGREGATE_GET, &get) < 0)
		return errno;
	return 0;
}

static int count(void)
{
	int fd = open(KT_DEVICE, O_RDWR | O_CLOEXEC), error;

	if (fd < 0)
		return errno;
	error = count_in(fd);
	close(fd);
	return error;
}

static int name_and_trace(int fd, int program)
{
	struct kt_hello hello = { .size = sizeof(hello), .abi = KT_ABI_VERSION, .format = KT_TRACE_FORMAT };
	struct kt_file file = { .size = sizeof(file), .fd = program };
	struct kt_site_req site = { .flags = KT_SITE_USER, .insn_len = 1 };
	struct kt_trace answer;
	Elf64_Ehdr header;

	if (ioctl(fd, KT_IOC_HELLO, &hello) < 0 || ioctl(fd, KT_IOC_FILE, &file) < 0)
		return errno;
	if (pread(program, &header, sizeof(header), 0) != sizeof(header))
		return EIO;
	/* Its first instruction: the program is linked at a fixed address, its text begins with a page of the file. */
	site.addr = file.base + header.e_entry - USERTRUTH_BASE;
	site.desc = reqs[0].desc;
	site.desc_len = reqs[0].desc_len;
	if (pread(program, site.insn, sizeof(site.insn), header.e_entry - USERTRUTH_BASE) != sizeof(site.insn))
		return EIO;
	return device_trace(fd, &site, 1, KT_TRACE_OWNED, &answer);
}

/* A tracepoint in a program. */
static int own_program(void)
{
	int fd = open(KT_DEVICE, O_RDWR | O_CLOEXEC), program = open("/usr/local/bin/usertruth", O_RDONLY | O_CLOEXEC);
	int error = fd < 0 || program < 0 ? errno : name_and_trace(fd, program);

	if (fd >= 0)
		close(fd);
	if (program >= 0)
		close(program);
	return error;
}

/* Rules for tasks, of each kind that holds something, with their children. */
static int rules(void)
{
	struct kt_hello hello = { .size = sizeof(hello), .abi = KT_ABI_VERSION, .format = KT_TRACE_FORMAT };
	const struct kt_task_rule rules[] = {
		{ .kind = KT_TASK_TGID, .value = { getpid() } }, { .kind = KT_TASK_UID, .value = { 0 } },
	};
	struct kt_tasks tasks = {
		.size = sizeof(tasks), .flags = KT_TASKS_CHILDREN, .nr = 2, .rules = (uintptr_t)rules,
	};
	int fd = open(KT_DEVICE, O_RDWR | O_CLOEXEC), error = 0;

	if (fd < 0)
		return errno;
	if (ioctl(fd, KT_IOC_HELLO, &hello) < 0 || ioctl(fd, KT_IOC_TASKS, &tasks) < 0)
		error = errno;
	close(fd);
	return error;
}

/* The process that opens the device, and another one, are left out. */
static int name_own(void)
{
	struct kt_hello hello = { .size = sizeof(hello), .abi = KT_ABI_VERSION, .format = KT_TRACE_FORMAT };
	struct kt_own_req own = { .size = sizeof(own), .pid = getppid() };
	int fd = open(KT_DEVICE, O_RDWR | O_CLOEXEC), error = 0;

	if (fd < 0)
		return errno;
	if (ioctl(fd, KT_IOC_HELLO, &hello) < 0 || ioctl(fd, KT_IOC_OWN, &own) < 0)
		error = errno;
	close(fd);
	return error;
}

static int state(uint32_t kind)
{
	static uint64_t entries[KT_MIN_STATE_ROOM / 8];
	struct kt_state req = {
		.size = sizeof(req), .kind = kind, .buf = (uintptr_t)entries, .room = sizeof(entries),
	};

	return ioctl(device, KT_IOC_STATE, &req) < 0 ? errno : 0;
}

static int state_of_files(void)
{
	return state(KT_STATE_FILES);
}

static int state_of_cpus(void)
{
	return state(KT_STATE_END);
}

static int nothing(void)
{
	return 0;
}

static int remove_everything(void)
{
	struct kt_delete answer;

	return device_delete_all(device, &answer);
}

static int set_everything(void)
{
	remove_everything();
	return trace(nr_reqs, 0, KT_METHOD_BREAKPOINT);
}

static int set_two(void)
{
	remove_everything();
	return trace(2, 0, KT_METHOD_BREAKPOINT);
}

static const struct path {
	const char *name;
	int (*begin)(void);	/* make the state at the beginning */
	int (*call)(void);
	bool workers;		/* let calls of kernel threads fail */
	int (*again)(void);	/* call this again after a failure, until the map of branch targets exists */
} paths[] = {
	/* First: this makes the map of branch targets, which stays. */
	{ "trace one, jump", remove_everything, trace_jump, false, trace_one },
	{ "trace one", remove_everything, trace_one, false, NULL },
	{ "trace several", remove_everything, trace_all, false, NULL },
	{ "trace several, some of them updates", set_two, trace_all, false, NULL },
	{ "jumps", remove_everything, trace_and_wait, true, NULL },
	{ "trace, dry run", remove_everything, trace_dry, false, NULL },
	{ "delete", set_everything, delete_some, false, NULL },
	{ "list", set_everything, list, false, NULL },
	{ "descriptor", set_everything, describe, false, NULL },
	{ "status", nothing, status, false, NULL },
	{ "seen", nothing, seen, false, NULL },
	{ "text", nothing, text, false, NULL },
	{ "clock", nothing, clock_pairs, false, NULL },
	{ "open and hello", nothing, greet, false, NULL },
	{ "mmap", nothing, map, false, NULL },
	{ "state of the system, files", nothing, state_of_files, false, NULL },
	{ "state of the system, CPUs", nothing, state_of_cpus, false, NULL },
	{ "a process tree and owned tracepoints", remove_everything, own, false, NULL },
	{ "rules for tasks, and their children", nothing, rules, false, NULL },
	{ "processes to leave out", nothing, name_own, false, NULL },
	{ "an aggregate, counted in, read and emptied", remove_everything, count, false, NULL },
	{ "a tracepoint in a program", remove_everything, own_program, false, NULL },
};

/* The caller's struct is copied back at the end: if that fails, the call was done. */
static bool was_done(const char *at)
{
	return strncmp(at, "dev.c:", 6) == 0;
}

static bool right_errno(int error)
{
	return error == ENOMEM || error == EFAULT || error == ENOSPC || error == EAGAIN;
}

/* At the end everything is removed, and no more may be left than before. */
static void clean(struct state *state)
{
	if (remove_everything())
		die("delete: %s", strerror(errno));
	rest(state);
}

static int again(const struct path *path)
{
	return path->again && strncmp(where(), "branch_target.c:", 16) != 0 ? path->again() : path->call();
}

static void walk(const struct path *path, const struct state *empty)
{
	struct state before;
	int error, nth;

	for (nth = 1; nth < 1000; nth++) {
		if (path->begin())
			die("%s: beginning: %s", path->name, strerror(errno));
		rest(&before);
		fail(path->workers ? -nth : nth);
		error = path->call();
		if (ask("fail_nth")) {
			fail(0);
			break;
		}
		if (error && !right_errno(error))
			die("%s: failure %d at %s: %s", path->name, nth, where(), strerror(error));
		if (error && !was_done(where()))
			must_be(&before, path->name, nth);
		printf("%s: %d: %s: %s\n", path->name, nth, where(), error ? strerror(error) : "did without");
		free(before.entries);
		if (path->begin() || again(path))
			die("%s: after failure %d at %s: %s", path->name, nth, where(), strerror(errno));
	}
	if (error)
		die("%s: without a failure: %s", path->name, strerror(error));
	if (remove_everything())
		die("delete: %s", strerror(errno));
	if (empty)
		must_be(empty, path->name, nth);
	printf("%s: %d failures\n", path->name, nth - 1);
}

int main(void)
{
	struct state empty;

	device = device_open(&geometry);
	nr_reqs = device_requests(device, &reqs);
	if (nr_reqs < 3)
		die("set three tracepoints first");
	walk(&paths[0], NULL);
	clean(&empty);
	for (size_t i = 1; i < sizeof(paths) / sizeof(paths[0]); i++)
		walk(&paths[i], &empty);
	return 0;
}
