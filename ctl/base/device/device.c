// SPDX-License-Identifier: GPL-2.0-or-later
/* device.c - /dev/ktrace: one thin function for each ioctl.  See device.h. */
#include "ctl/base/device/device.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ctl/base/device/node.h"
#include "ctl/base/memory.h"

static bool fail(struct error *err, const char *what, int no)
{
	return node_fail(&node_ktrace, err, what, no);
}

static int call(struct device *dev, unsigned long request, void *arg)
{
	int rc;

	do
		rc = dev->call ? dev->call(dev, request, arg) : ioctl(dev->fd, request, arg);
	while (rc < 0 && errno == EINTR && request != KT_IOC_TRACE);
	return rc;
}

/* --------------------------------------------------------- open and close */

static bool mismatch(const struct kt_hello *theirs, struct error *err)
{
	if (theirs->abi != KT_ABI_VERSION)
		return node_mismatch(&node_ktrace, theirs->abi, err);
	error_set(err, STATUS_NO_ACCESS,
		  "the module writes trace format %u, this ktrace reads %u: reload the module (rmmod ktrace; modprobe ktrace) or update ktrace",
		  theirs->format, KT_TRACE_FORMAT);
	return error_lacks(err, node_ktrace.lack);
}

static bool say_hello(struct device *dev, struct error *err)
{
	struct kt_hello *hello = &dev->hello;

	*hello = (struct kt_hello){
		.size = sizeof(*hello), .abi = KT_ABI_VERSION, .format = KT_TRACE_FORMAT,
	};
	if (call(dev, KT_IOC_HELLO, hello) == 0)
		return true;
	if (errno == EPROTO && (hello->abi != KT_ABI_VERSION || hello->format != KT_TRACE_FORMAT))
		return mismatch(hello, err);
	fail(err, KT_DEVICE, errno);
	return error_lacks(err, node_ktrace.lack);
}

bool device_open(struct device *dev, struct error *err)
{
	if (!dev->call) {
		dev->fd = node_open(&node_ktrace, err);
		if (dev->fd < 0)
			return false;
	}
	if (say_hello(dev, err))
		return true;
	device_close(dev);
	return false;
}

void device_close(struct device *dev)
{
	if (dev->fd >= 0 && !dev->call)
		close(dev->fd);
	dev->fd = -1;
}

/* ------------------------------------------------------------------ calls */

bool device_trace(struct device *dev, struct kt_trace *req, struct error *err)
{
	req->size = sizeof(*req);
	return call(dev, KT_IOC_TRACE, req) == 0 || fail(err, "tracepoints not set", errno);
}

bool device_delete(struct device *dev, struct kt_delete *req, struct error *err)
{
	req->size = sizeof(*req);
	if (call(dev, KT_IOC_DELETE, req) == 0)
		return true;
	if (errno == EBUSY)
		return error_set(err, STATUS_FAILURE,
				 "a kprobe sits on a tracepoint that you want to delete: remove the kprobe first");
	if (errno == EPERM)
		return error_set(err, STATUS_FAILURE,
				 "a tracepoint belongs to a running measurement: it is removed when the measurement ends");
	return fail(err, "nothing deleted", errno);
}

bool device_list(struct device *dev, struct kt_list_entry **out, size_t *nr, struct error *err)
{
	enum { CHUNK = 256 };
	struct kt_list_entry *entries = NULL;
	struct kt_list req = { .size = sizeof(req) };
	size_t n = 0;

	do {
		entries = mem_grow(entries, n + CHUNK, sizeof(*entries));
		req.entries = (uintptr_t)(entries + n);
		req.nr = CHUNK;
		if (call(dev, KT_IOC_LIST, &req)) {
			free(entries);
			return fail(err, "the tracepoints cannot be listed", errno);
		}
		n += req.nr;
	} while (req.nr);
	*out = entries;
	*nr = n;
	return true;
}

bool device_desc(struct device *dev, uint32_t id, struct kt_desc_req **out, size_t *len,
		 uint64_t *addr, uint64_t *born, struct error *err)
{
	struct kt_desc_get req = { .size = sizeof(req), .id = id, .room = 512 };
	void *buf = NULL;
	int no;

	*out = NULL;
	do {
		buf = mem_grow(buf, req.room, 1);
		req.buf = (uintptr_t)buf;
		no = call(dev, KT_IOC_DESC, &req) ? errno : 0;
	} while (no == ENOSPC && req.len > req.room && (req.room = req.len));
	if (no) {
		free(buf);
		return no == ENOENT || fail(err, "a descriptor cannot be read", no);
	}
	*out = buf;
	*len = req.len;
	if (addr)
		*addr = req.addr;
	if (born)
		*born = req.born;
	return true;
}

bool device_recording(struct device *dev, enum kt_recording_op op, struct error *err)
{
	struct kt_recording req = { .size = sizeof(req), .op = op };

	return call(dev, KT_IOC_RECORDING, &req) == 0 ||
	       fail(err, op == KT_RECORDING_FREEZE ? "not frozen" : "not unfrozen", errno);
}

bool device_status(struct device *dev, struct kt_status *out, struct kt_cpu_status **cpus,
		   struct error *err)
{
	struct kt_cpu_status *each = cpus ? mem_zalloc(dev->hello.nr_cpus, sizeof(*each)) : NULL;

	*out = (struct kt_status){
		.size = sizeof(*out), .nr_cpus = cpus ? dev->hello.nr_cpus : 0,
		.cpus = (uintptr_t)each,
	};
	if (call(dev, KT_IOC_STATUS, out)) {
		free(each);
		return fail(err, "no status", errno);
	}
	if (cpus)
		*cpus = each;
	return true;
}

bool device_totals(struct device *dev, struct kt_status *out, struct kt_cpu_status *sums, struct error *err)
{
	enum { COUNTERS = sizeof(struct kt_cpu_status) / sizeof(uint64_t) };
	AUTO_FREE struct kt_cpu_status *cpus = NULL;
	uint64_t sum[COUNTERS] = { 0 }, one[COUNTERS];

	_Static_assert(sizeof(one) == sizeof(*sums), "all members are counters of eight bytes");
	if (!device_status(dev, out, &cpus, err))
		return false;
	for (uint32_t cpu = 0; cpu < out->nr_cpus; cpu++) {
		memcpy(one, &cpus[cpu], sizeof(one));
		for (size_t i = 0; i < COUNTERS; i++)
			sum[i] += one[i];
	}
	memcpy(sums, sum, sizeof(*sums));
	return true;
}

bool device_recordings(struct device *dev, struct kt_recording_entry **entries, size_t *n, struct error *err)
{
	struct kt_recordings req = { .size = sizeof(req), .total = 8 };

	*entries = NULL;
	/* More of them may have begun since the last call told how many there are. */
	do {
		req.nr = req.total;
		free(*entries);
		*entries = mem_zalloc(req.nr, sizeof(**entries));
		req.entries = (uintptr_t)*entries;
		if (call(dev, KT_IOC_RECORDINGS, &req)) {
			free(*entries);
			*entries = NULL;
			return fail(err, "no recordings", errno);
		}
	} while (req.total > req.nr && req.total <= KT_MAX_RECORDINGS);
	*n = req.nr;
	return true;
}

static bool no_rings(const char *name, uint64_t bytes, int no, struct error *err)
{
	if (no == EEXIST)
		return error_set(err, STATUS_FAILURE, "%s: another recording has this name: give another one with --name", name);
	if (no == EINVAL)
		return error_set(err, STATUS_USAGE, "%s: not a name for a recording: at most %d printable characters", name,
				 KT_MAX_NAME - 1);
	if (no == ENOMEM)
		return error_set(err, STATUS_FAILURE, "no memory for buffers of %llu KiB for each CPU: choose a smaller --buffer",
				 (unsigned long long)bytes >> 10);
	return fail(err, "no recording", no);
}

bool device_rings(struct device *dev, const char *name, uint32_t mode, uint64_t bytes, struct error *err)
{
	struct kt_rings_req req = {
		.size = sizeof(req), .flags = KT_RINGS_WIDE, .mode = mode, .bytes = bytes,
	};

	if (!*name || strlen(name) >= sizeof(req.name))
		return no_rings(name, bytes, EINVAL, err);
	strcpy(req.name, name);
	return (call(dev, KT_IOC_RINGS, &req) == 0 || no_rings(name, bytes, errno, err)) && say_hello(dev, err);
}

bool device_stop(struct device *dev, const char *name, struct error *err)
{
	struct kt_stop req = { .size = sizeof(req) };

	snprintf(req.name, sizeof(req.name), "%s", name);
	if (call(dev, KT_IOC_STOP, &req) == 0)
		return true;
	if (errno == ENOENT)
		return error_set(err, STATUS_FAILURE, "%s: no recording has this name: 'ktrace status' lists them", name);
	return fail(err, "not stopped", errno);
}

bool device_is_stopped(struct device *dev)
{
	struct pollfd fd = { .fd = dev->fd, .events = POLLPRI };

	return poll(&fd, 1, 0) > 0 && fd.revents & POLLPRI;
}

static bool move_seen(struct device *dev, struct kt_seen *req)
{
	req->size = sizeof(*req);
	return call(dev, KT_IOC_SEEN, req) == 0;
}

bool device_clear_all(struct device *dev, uint64_t *nr_cleared, struct error *err)
{
	struct kt_seen req = { .flags = KT_SEEN_ALL };

	if (!move_seen(dev, &req))
		return fail(err, "nothing cleared", errno);
	if (nr_cleared)
		*nr_cleared = req.nr_cleared;
	return true;
}

bool device_seen(struct device *dev, struct kt_seen_cpu *cpus, size_t nr, bool *stale,
		 struct error *err)
{
	struct kt_seen req = { .nr = nr, .cpus = (uintptr_t)cpus };
	bool ok = move_seen(dev, &req);

	*stale = !ok && errno == ESTALE;
	if (*stale)
		return error_set(err, STATUS_FAILURE,
				 "another ktrace cleared records meanwhile, nothing was cleared here: print again");
	return ok || fail(err, "nothing cleared", errno);
}

/* Read as much as one call can.  It returns fewer bytes if the text ends before. */
static bool read_text(struct device *dev, struct kt_text *req, uint64_t addr, void *buf, size_t len, uint32_t flags)
{
	enum { MOST = 64 * 1024 };

	*req = (struct kt_text){
		.size = sizeof(*req), .len = len < MOST ? len : MOST, .addr = addr, .buf = (uintptr_t)buf, .flags = flags,
	};
	return call(dev, KT_IOC_TEXT, req) == 0;
}

size_t device_text(struct device *dev, uint64_t addr, void *buf, size_t len)
{
	struct kt_text req;
	size_t had = 0;

	while (had < len && read_text(dev, &req, addr + had, (char *)buf + had, len - had, 0) && req.len)
		had += req.len;
	return had;
}

bool device_scan(struct device *dev, uint64_t addr, void *buf, size_t *len, struct scans *scans, struct error *err)
{
	const size_t want = *len;
	struct kt_text req;

	for (*len = 0; *len < want; *len += req.len) {
		/* EACCES: the text ends here. */
		if (!read_text(dev, &req, addr + *len, (char *)buf + *len, want - *len, KT_TEXT_SUM))
			return errno == EACCES || fail(err, "the kernel's code cannot be read", errno);
		if (!req.len)
			break;
		scans_add(scans, (struct kt_scan){ .addr = req.addr, .sum = req.sum, .len = req.len });
	}
	return true;
}

bool device_clock(struct device *dev, struct kt_clock *out, struct kt_anchor **anchors,
		  struct error *err)
{
	struct kt_anchor *each = NULL;
	uint32_t room = 64;

	do {
		room *= 2;
		each = mem_grow(each, room, sizeof(*each));
		*out = (struct kt_clock){
			.size = sizeof(*out), .nr = room, .anchors = (uintptr_t)each,
		};
		if (call(dev, KT_IOC_CLOCK, out)) {
			free(each);
			return fail(err, "the clock cannot be read", errno);
		}
	} while (out->nr == room);
	*anchors = each;
	return true;
}

bool device_state(struct device *dev, struct kt_state *req, struct error *err)
{
	req->size = sizeof(*req);
	return call(dev, KT_IOC_STATE, req) == 0 || fail(err, "the state of the system cannot be read", errno);
}

static void describe_buffer(struct kt_hello *hello, const struct kt_buffer *buf)
{
	hello->ring_bytes = buf->ring_bytes;
	hello->off_data = buf->off_data;
	hello->subbuf_bytes = buf->subbuf_bytes;
	hello->nr_subbufs = buf->nr_subbufs;
	hello->features &= ~KT_FEATURE_OVERWRITE;
	if (buf->mode == KT_MODE_OVERWRITE)
		hello->features |= KT_FEATURE_OVERWRITE;
}

bool device_buffer(struct device *dev, struct kt_buffer *buf, struct error *err)
{
	buf->size = sizeof(*buf);
	if (call(dev, KT_IOC_BUFFER, buf) == 0) {
		describe_buffer(&dev->hello, buf);
		return true;
	}
	if (errno == ENOMEM)
		return error_set(err, STATUS_FAILURE,
				 "buffer: not enough memory, nothing was changed: choose a smaller size");
	return fail(err, buf->flags ? "the buffer was not changed" : "the buffer", errno);
}

bool device_process_tree(struct device *dev, int pid, uint32_t flags, struct error *err)
{
	struct kt_process_tree_add req = { .size = sizeof(req), .flags = flags, .pid = pid };

	return call(dev, KT_IOC_PROCESS_TREE, &req) == 0 || fail(err, "the command cannot be followed", errno);
}

bool device_own(struct device *dev, int pid)
{
	struct kt_own_req req = { .size = sizeof(req), .pid = pid };

	return call(dev, KT_IOC_OWN, &req) == 0;
}

int device_tasks(struct device *dev, const struct kt_task_rule *rules, size_t n, uint32_t flags)
{
	struct kt_tasks req = { .size = sizeof(req), .flags = flags, .nr = n, .rules = (uintptr_t)rules };

	return call(dev, KT_IOC_TASKS, &req) == 0 ? 0 : errno;
}

bool device_file(struct device *dev, int fd, const char *name, uint64_t *base, struct error *err)
{
	struct kt_file req = { .size = sizeof(req), .fd = fd };

	if (call(dev, KT_IOC_FILE, &req) == 0) {
		*base = req.base;
		return true;
	}
	if (errno == EACCES)
		return error_set(err, STATUS_FAILURE, "%s nothing can be executed there: is its file system mounted with noexec?", name);
	if (errno == ENOEXEC)
		return error_set(err, STATUS_FAILURE, "%s not a 64-bit program or library of this machine: name one", name);
	if (errno == EREMOTE)
		return error_set(err, STATUS_FAILURE, "%s a process serves its file system (FUSE), and could let the kernel wait: copy it to another one",
				 name);
	if (errno == ENFILE)
		return error_set(err, STATUS_FAILURE, "%s too many files have tracepoints: delete some first", name);
	return fail(err, "the program cannot be traced", errno);
}

bool device_wait_for(struct device *dev, uint64_t total, uint32_t packets)
{
	struct kt_wait req = { .size = sizeof(req), .packets = packets, .total = total };

	return call(dev, KT_IOC_WAIT, &req) == 0;
}

/* SIGINT and SIGTERM may be blocked; they arrive only during this sleep, so that none is missed just before it. */
bool device_wait_packets(struct device *dev, uint64_t total, uint32_t packets, int timeout_ms)
{
	struct pollfd fd = { .fd = dev->fd, .events = POLLIN };
	struct timespec time = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };
	sigset_t mask;

	if (!device_wait_for(dev, total, packets))
		return false;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	sigdelset(&mask, SIGINT);
	sigdelset(&mask, SIGTERM);
	return ppoll(&fd, 1, timeout_ms < 0 ? NULL : &time, &mask) > 0 && fd.revents & POLLIN;
}

bool device_wait(struct device *dev, uint64_t total, int timeout_ms)
{
	return device_wait_packets(dev, total, 0, timeout_ms);
}

/* ------------------------------------------------------------ measurements */

bool device_measure(struct device *dev, struct kt_measure *req, struct error *err)
{
	req->size = sizeof(*req);
	if (call(dev, KT_IOC_MEASURE, req) == 0)
		return true;
	if (errno == ENOMEM)
		return error_set(err, STATUS_FAILURE,
				 "the kernel has not enough memory for this measurement: free some memory, or leave out --by");
	return fail(err, "nothing measured", errno);
}

bool device_measure_run(struct device *dev, struct kt_measure_run *req, struct error *err)
{
	req->size = sizeof(*req);
	return call(dev, KT_IOC_MEASURE_RUN, req) == 0 || fail(err, "nothing measured", errno);
}

bool device_tally(struct device *dev, struct kt_tally *req, bool *found, struct error *err)
{
	req->size = sizeof(*req);
	*found = call(dev, KT_IOC_TALLY, req) == 0;
	return *found || errno == ENOENT || fail(err, "the measurement cannot be read", errno);
}

bool device_aggregate(struct device *dev, struct kt_aggregate_req *req, struct error *err)
{
	req->size = sizeof(*req);
	if (call(dev, KT_IOC_AGGREGATE, req) == 0)
		return true;
	if (errno == ENOMEM)
		return error_set(err, STATUS_FAILURE, "the kernel has not enough memory to count by %u keys: give fewer, for example KEYS 100",
				 req->keys);
	return fail(err, "nothing is counted", errno);
}

/* The module forgets it at the latest when the device is closed. */
void device_aggregate_release(struct device *dev, uint32_t id)
{
	struct kt_aggregate_release req = { .size = sizeof(req), .id = id };

	call(dev, KT_IOC_AGGREGATE_RELEASE, &req);
}

bool device_aggregate_get(struct device *dev, struct kt_aggregate_get *req, bool *found, struct error *err)
{
	req->size = sizeof(*req);
	*found = call(dev, KT_IOC_AGGREGATE_GET, req) == 0 || errno == ENOSPC;
	return *found || errno == ENOENT || fail(err, "what was counted cannot be read", errno);
}

bool device_calibrate(struct device *dev, struct kt_calibrate *req, struct error *err)
{
	req->size = sizeof(*req);
	if (call(dev, KT_IOC_CALIBRATE, req) == 0)
		return true;
	if (errno == EBUSY)
		return error_set(err, STATUS_FAILURE, "it would disturb a running measurement");
	if (errno == EAGAIN)
		return error_set(err, STATUS_FAILURE, "nothing measured: tracepoints take too much of a CPU, and the brake turns hits away: choose a function that is called less often, or delete tracepoints (see 'status' and 'list -v')");
	return fail(err, "the tracepoints cannot be calibrated", errno);
}

/* ------------------------------------------------------------------ other files */

int device_call(struct device *dev, unsigned long request, void *arg)
{
	return call(dev, request, arg);
}

bool device_fail(struct error *err, const char *what, int no)
{
	return fail(err, what, no);
}
