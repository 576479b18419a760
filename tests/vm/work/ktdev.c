// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Use /dev/ktrace without a controller:
 *
 *   ktdev hello [ABI [FORMAT]]	say hello with these versions; print the result and the module's versions
 *   ktdev count		print the numbers of tracepoints, slots, descriptors, records
 *   ktdev hold			keep the device open until killed
 *   ktdev trace ADDR...	set a tracepoint with PID at the first good instruction at or behind each address
 *   ktdev delete		remove all tracepoints
 *   ktdev record NAME BYTES MODE ADDR...	make a recording with these tracepoints, say "ready", and print its counts at
 * 				its end: when it is asked to stop; SIGUSR1 freezes it
 *   ktdev freeze|unfreeze [MS]	spin for that time, then freeze or unfreeze the records of the prompt; print how many ms
 * 				that took
 *   ktdev recordings		list the recordings: name, bytes, mode, records, discarded, frozen
 *   ktdev stop NAME		ask a recording to end
 *   ktdev find REFUSAL PREFIX	print a function whose name begins with PREFIX, an address in it that is
 * 				refused for this reason, and the next good address behind it
 *
 * ADDR is hexadecimal, REFUSAL a number of enum kt_refusal. Exit status 1 if something fails, 77 if nothing is
 * found.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core/ktrace_abi.h"

#define SPAN 512	/* bytes of a function to look at */

static int device;

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
	va_list args;

	fputs("ktdev: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static void must(unsigned long request, void *arg, const char *what)
{
	if (ioctl(device, request, arg) < 0)
		die("%s: %s", what, strerror(errno));
}

static int say_hello(struct kt_hello *hello)
{
	device = open(KT_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0)
		die("%s: %s", KT_DEVICE, strerror(errno));
	return ioctl(device, KT_IOC_HELLO, hello) < 0 ? errno : 0;
}

static void begin(void)
{
	struct kt_hello hello = { .size = sizeof(hello), .abi = KT_ABI_VERSION, .format = KT_TRACE_FORMAT };
	int no = say_hello(&hello);

	if (no)
		die("KT_IOC_HELLO: %s", strerror(no));
}

static int do_hello(char **args)
{
	struct kt_hello hello = { .size = sizeof(hello), .abi = KT_ABI_VERSION, .format = KT_TRACE_FORMAT };
	int no;

	if (args[0])
		hello.abi = atoi(args[0]);
	if (args[0] && args[1])
		hello.format = atoi(args[1]);
	no = say_hello(&hello);
	printf("%s %u %u\n", no ? strerrorname_np(no) : "ok", hello.abi, hello.format);
	return no != 0;
}

static int do_count(char **args)
{
	struct kt_cpu_status cpus[64];
	struct kt_status status = { .size = sizeof(status), .nr_cpus = 64, .cpus = (uintptr_t)cpus };
	unsigned long long recorded = 0;

	begin();
	must(KT_IOC_STATUS, &status, "KT_IOC_STATUS");
	for (uint32_t i = 0; i < status.nr_cpus; i++)
		recorded += cpus[i].recorded;
	printf("sites=%u slots=%u descs=%u recorded=%llu\n", status.nr_sites, status.nr_slots, status.nr_descs, recorded);
	return 0;
}

static int do_hold(char **args)
{
	begin();
	puts("open");
	fflush(stdout);
	pause();
	return 0;
}

static int do_delete(char **args)
{
	struct kt_delete req = { .size = sizeof(req), .flags = KT_DELETE_ALL };

	begin();
	must(KT_IOC_DELETE, &req, "KT_IOC_DELETE");
	return 0;
}

/* ------------------------------------------------------------- looking at places */

static const struct {
	struct kt_desc_req req;
	struct kt_insn prog[2];
} pid = {
	{ .size = sizeof(struct kt_desc_req), .prog_len = 2 },
	{ { .op = KT_OP_EMITCUR, .imm = KT_CUR_PID }, { .op = KT_OP_END } },
};

/*
 * Ask the module about every byte from addr on, without knowledge of instructions. For a byte at which an
 * instruction begins that may be traced, the module answers KT_REFUSE_CHANGED, because the planned bytes are
 * not there.
 */
static void look(uint64_t addr, struct kt_site_req sites[SPAN])
{
	struct kt_trace trace = {
		.size = sizeof(trace), .flags = KT_TRACE_DRYRUN | KT_TRACE_PARTIAL, .nr = SPAN, .sites = (uintptr_t)sites,
	};

	memset(sites, 0, SPAN * sizeof(*sites));
	for (int i = 0; i < SPAN; i++) {
		sites[i] = (struct kt_site_req){
			.addr = addr + i, .desc = (uintptr_t)&pid, .desc_len = sizeof(pid), .insn_len = KT_MAX_INSN,
		};
	}
	must(KT_IOC_TRACE, &trace, "KT_IOC_TRACE");
}

static bool is_start(const struct kt_site_req *site)
{
	return site->refusal != KT_REFUSE_BOUNDARY;
}

/* The length is the distance to the next instruction. */
static bool plan(struct kt_site_req sites[SPAN], int at)
{
	int next = at + 1;
	struct kt_text text;

	while (next < SPAN && !is_start(&sites[next]))
		next++;
	if (sites[at].refusal != KT_REFUSE_CHANGED || next == SPAN || next - at > 15)
		return false;
	sites[at].insn_len = next - at;
	sites[at].method = KT_METHOD_AUTO;
	text = (struct kt_text){
		.size = sizeof(text), .len = next - at, .addr = sites[at].addr, .buf = (uintptr_t)sites[at].insn,
	};
	must(KT_IOC_TEXT, &text, "KT_IOC_TEXT");
	return true;
}

static bool set(struct kt_site_req *site, uint32_t flags)
{
	struct kt_trace trace = { .size = sizeof(trace), .flags = flags, .nr = 1, .sites = (uintptr_t)site };

	return ioctl(device, KT_IOC_TRACE, &trace) == 0;
}

static void trace_all(char **args, uint32_t flags)
{
	static struct kt_site_req sites[SPAN];
	int at;

	for (; *args; args++) {
		look(strtoull(*args, NULL, 16), sites);
		for (at = 0; at < SPAN; at++)
			if (plan(sites, at) && set(&sites[at], flags))
				break;
		if (at == SPAN)
			die("nothing can be traced near %s", *args);
	}
}

static int do_trace(char **args)
{
	begin();
	trace_all(args, 0);
	return 0;
}

/* ------------------------------------------------------------- recordings */

static volatile sig_atomic_t wants_freeze;

static void on_signal(int sig)
{
	wants_freeze = 1;
}

/* The records of all CPUs as the mapped rings have them. */
static unsigned long long mapped_records(const struct kt_hello *hello)
{
	unsigned long long sum = 0;

	for (uint32_t cpu = 0; cpu < hello->nr_cpus; cpu++) {
		const struct kt_ring_ctl *ctl = mmap(NULL, hello->ring_bytes, PROT_READ, MAP_SHARED, device,
						     cpu * hello->ring_stride);

		if (ctl == MAP_FAILED)
			die("mmap: %s", strerror(errno));
		sum += ctl->count + (ctl->word & 0xffff);
		munmap((void *)ctl, hello->ring_bytes);
	}
	return sum;
}

static struct kt_cpu_status sum_of_cpus(void)
{
	struct kt_cpu_status cpus[64], sum = { 0 };
	struct kt_status status = { .size = sizeof(status), .nr_cpus = 64, .cpus = (uintptr_t)cpus };

	must(KT_IOC_STATUS, &status, "KT_IOC_STATUS");
	for (uint32_t i = 0; i < status.nr_cpus; i++) {
		sum.recorded += cpus[i].recorded;
		sum.discarded += cpus[i].discarded;
		sum.frozen += cpus[i].frozen;
		sum.recursed += cpus[i].recursed;
		sum.pending += cpus[i].pending;
	}
	return sum;
}

/* Print the counts as they were at one moment, with no hit between the two that are compared. */
static void print_counts(void)
{
	struct kt_hello hello = { .size = sizeof(hello), .abi = KT_ABI_VERSION, .format = KT_TRACE_FORMAT };
	struct kt_cpu_status sum;
	unsigned long long mapped;

	must(KT_IOC_HELLO, &hello, "KT_IOC_HELLO");
	do {
		sum = sum_of_cpus();
		mapped = mapped_records(&hello);
	} while (sum_of_cpus().recorded != sum.recorded);
	printf("recorded=%llu discarded=%llu frozen=%llu recursed=%llu pending=%llu mapped=%llu\n", sum.recorded,
	       sum.discarded, sum.frozen, sum.recursed, sum.pending, mapped);
}

static void control(enum kt_recording_op op)
{
	struct kt_recording arg = { .size = sizeof(arg), .op = op };

	must(KT_IOC_RECORDING, &arg, "KT_IOC_RECORDING");
}

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static int control_timed(enum kt_recording_op op, const char *after)
{
	long long at;

	begin();
	at = now_ms() + (after ? atoi(after) : 0);
	while (now_ms() < at)
		;
	control(op);
	printf("%lld\n", now_ms() - at);
	return 0;
}

static int do_freeze(char **args)
{
	return control_timed(KT_RECORDING_FREEZE, args[0]);
}

static int do_unfreeze(char **args)
{
	return control_timed(KT_RECORDING_UNFREEZE, args[0]);
}

static void freeze(void)
{
	control(KT_RECORDING_FREEZE);
	puts("frozen");
	fflush(stdout);
	wants_freeze = 0;
}

static int do_record(char **args)
{
	struct kt_rings_req rings = { .size = sizeof(rings) };
	const struct sigaction action = { .sa_handler = on_signal };
	struct pollfd poll_device = { .events = POLLPRI };

	for (int i = 0; i < 4; i++)
		if (!args[i])
			die("usage: record NAME BYTES MODE ADDR...");
	begin();
	snprintf(rings.name, sizeof(rings.name), "%s", args[0]);
	rings.bytes = strtoull(args[1], NULL, 0);
	rings.mode = atoi(args[2]);
	rings.flags = strchr(args[2], 'w') ? KT_RINGS_WIDE : 0;
	must(KT_IOC_RINGS, &rings, "KT_IOC_RINGS");
	if (!ioctl(device, KT_IOC_RINGS, &rings) || errno != EBUSY)
		die("a second KT_IOC_RINGS: %s", strerror(errno));
	sigaction(SIGUSR1, &action, NULL);
	trace_all(args + 3, KT_TRACE_OWNED);
	puts("ready");
	fflush(stdout);
	poll_device.fd = device;
	while (poll(&poll_device, 1, -1) <= 0 || !(poll_device.revents & POLLPRI))
		if (wants_freeze)
			freeze();
	print_counts();
	return 0;
}

static int do_recordings(char **args)
{
	struct kt_recording_entry entries[16];
	struct kt_recordings list = { .size = sizeof(list), .nr = 16, .entries = (uintptr_t)entries };

	begin();
	must(KT_IOC_RECORDINGS, &list, "KT_IOC_RECORDINGS");
	for (uint32_t i = 0; i < list.nr; i++)
		printf("%s %llu %u %llu %llu %u\n", entries[i].name, entries[i].bytes, entries[i].mode,
		       entries[i].recorded, entries[i].discarded, entries[i].frozen);
	return list.nr != list.total;
}

static int do_stop(char **args)
{
	struct kt_stop stop = { .size = sizeof(stop) };

	begin();
	snprintf(stop.name, sizeof(stop.name), "%s", args[0] ? args[0] : "");
	must(KT_IOC_STOP, &stop, "KT_IOC_STOP");
	return 0;
}

/* Find an address that is refused for exactly this reason, and a good one behind it in the same function. */
static bool find_in(uint64_t start, uint64_t size, unsigned int refusal, const char *name)
{
	static struct kt_site_req sites[SPAN];
	int at, good;

	look(start, sites);
	for (at = 0; at < SPAN && (uint64_t)at < size; at++) {
		if (sites[at].refusal != refusal)
			continue;
		for (good = at + 1; good < SPAN && (uint64_t)good < size; good++) {
			if (plan(sites, good) && set(&sites[good], KT_TRACE_DRYRUN)) {
				printf("%s 0x%llx 0x%llx\n", name, sites[at].addr, sites[good].addr);
				return true;
			}
		}
	}
	return false;
}

struct function {
	unsigned long long addr;
	char type;
	char name[128];
};

static bool next_function(FILE *file, struct function *function)
{
	char line[256];

	while (fgets(line, sizeof(line), file))
		if (!strchr(line, '[') && sscanf(line, "%llx %c %127s", &function->addr, &function->type,
						      function->name) == 3 &&
		    strchr("tTwW", function->type))
			return true;
	return false;
}

static int do_find(char **args)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	struct function function, next;
	unsigned int refusal = args[0] ? atoi(args[0]) : 0;
	const char *prefix = refusal && args[1] ? args[1] : "";

	begin();
	if (!file || !next_function(file, &function))
		die("/proc/kallsyms cannot be read");
	while (next_function(file, &next)) {
		/* A name with several symbols would be refused for that. */
		if (next.addr > function.addr && function.type == 'T' && !strncmp(function.name, prefix, strlen(prefix)) &&
		    find_in(function.addr, next.addr - function.addr, refusal, function.name))
			return 0;
		function = next;
	}
	return 77;
}

static const struct {
	const char *name;
	int (*run)(char **args);
} commands[] = {
	{ "hello", do_hello }, { "count", do_count },	{ "hold", do_hold },
	{ "trace", do_trace }, { "delete", do_delete }, { "find", do_find },
	{ "record", do_record }, { "recordings", do_recordings }, { "stop", do_stop },
	{ "freeze", do_freeze }, { "unfreeze", do_unfreeze },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argv + 2);
	fputs("usage: ktdev hello|count|hold|trace|delete|find|record|recordings|stop|freeze|unfreeze [ARGUMENT...]\n", stderr);
	return 2;
}
