// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Use /dev/ktrace without a controller:
 *
 *   ktdev hello [ABI [FORMAT]]	say hello with these versions; print the result and the module's versions
 *   ktdev count		print the numbers of tracepoints, slots, descriptors, records
 *   ktdev hold			keep the device open until killed
 *   ktdev trace ADDR...	set a tracepoint with PID at the first good instruction at or behind each address
 *   ktdev delete		remove all tracepoints
 *   ktdev find REFUSAL PREFIX	print a function whose name begins with PREFIX, an address in it that is
 * 				refused for this reason, and the next good address behind it
 *
 * ADDR is hexadecimal, REFUSAL a number of enum kt_refusal. Exit status 1 if something fails, 77 if nothing is
 * found.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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

static int do_trace(char **args)
{
	static struct kt_site_req sites[SPAN];
	int at;

	begin();
	for (; *args; args++) {
		look(strtoull(*args, NULL, 16), sites);
		for (at = 0; at < SPAN; at++)
			if (plan(sites, at) && set(&sites[at], 0))
				break;
		if (at == SPAN)
			die("nothing can be traced near %s", *args);
	}
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
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argv + 2);
	fputs("usage: ktdev hello|count|hold|trace|delete|find [ARGUMENT...]\n", stderr);
	return 2;
}
