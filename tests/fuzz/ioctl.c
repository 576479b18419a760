// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ioctl.c - fuzz the ioctls of /dev/ktrace and /dev/ktrace-user-control: with arguments that are nearly correct, changed, or
 * made for other calls; while another thread changes them; from several processes at once.
 *
 *   fuzz-ioctl [--seed N] [--count N] [--processes N]
 *
 * Runs in a guest, as root. At the end the kernel's text must be unchanged, everything removed and the log
 * clean, and a correct tracepoint must work. Exit status 1 otherwise.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"
#include "ioctl.h"
#include "kmsg.h"
#include "pick.h"

#define PAGE 4096

/* ------------------------------------------------------------------- one process */

static void reopen(struct fuzzer *f, unsigned int i)
{
	const char *node = i == CONTROL ? KT_USER_CONTROL : KT_DEVICE;

	if (f->fds[i] >= 0)
		close(f->fds[i]);
	f->fds[i] = open(node, (one_in(f, 8) ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK);
	if (f->fds[i] < 0)
		die("%s cannot be opened: %s", node, strerror(errno));
	f->greeted[i] = false;
}

static void greet(struct fuzzer *f, unsigned int i)
{
	struct kt_hello hello = { .size = sizeof(hello), .abi = KT_ABI_VERSION, .format = KT_TRACE_FORMAT };
	struct kt_user_hello user = { .size = sizeof(user), .abi = KT_ABI_VERSION };

	if (i == CONTROL ? ioctl(f->fds[i], KT_IOC_USER_HELLO, &user) < 0 : ioctl(f->fds[i], KT_IOC_HELLO, &hello) < 0)
		die("a proper hello is refused: %s", strerror(errno));
	f->greeted[i] = true;
}

static void mutate(struct fuzzer *f, uint8_t *arg, size_t len)
{
	for (uint64_t n = 1 + roll(f, 3); n; n--) {
		size_t word = roll(f, len / 4);
		uint64_t odd = odd_number(f);

		if (one_in(f, 2))
			memcpy(arg + 4 * word, &odd, 4);
		else
			arg[roll(f, len)] ^= 1 << roll(f, 8);
	}
}

static void remember(struct fuzzer *f, unsigned long request, const uint8_t *arg, size_t len)
{
	struct past *past = &f->past[roll(f, NR_PAST)];

	past->request = request;
	past->len = len;
	memcpy(past->arg, arg, len);
}

/* Repeat an earlier call, with its arguments as the module left them or as they were passed. */
static unsigned long recall(struct fuzzer *f, uint8_t *arg, size_t *len)
{
	const struct past *past = &f->past[roll(f, NR_PAST)];

	if (!past->len)
		return make_argument(f, arg, len);
	memcpy(arg, past->arg, past->len);
	*len = past->len;
	return one_in(f, 8) ? f->past[roll(f, NR_PAST)].request : past->request;
}

static unsigned long garbage(struct fuzzer *f, uint8_t *arg, size_t *len)
{
	*len = 8 * (1 + roll(f, 18));
	for (size_t i = 0; i < *len; i += 8) {
		uint64_t odd = odd_number(f);

		memcpy(arg + i, &odd, 8);
	}
	if (f->fd == CONTROL)
		return _IO('k', roll(f, 24));
	return one_in(f, 2) ? (unsigned long)_IO('K', roll(f, 40)) : odd_number(f);
}

/* The file for a request: each node has calls of a type of its own.  Some go to the other node. */
static unsigned int file_for(struct fuzzer *f, unsigned long request)
{
	const bool is_control = _IOC_TYPE(request) == _IOC_TYPE(KT_IOC_USER_HELLO);

	return is_control != one_in(f, 40) ? CONTROL : f->fd == CONTROL ? 0 : f->fd;
}

/* The address of the argument: mostly a valid one. */
static uint8_t *point(struct fuzzer *f, size_t len)
{
	if (one_in(f, 40))
		return f->arg + PAGE - roll(f, len + 1);	/* its end is not mapped */
	if (one_in(f, 60))
		return f->locked;
	if (one_in(f, 100))
		return (uint8_t *)odd_number(f);
	return f->arg;
}

static void put(struct fuzzer *f, uint8_t *to, const uint8_t *arg, size_t len)
{
	size_t there = to >= f->arg && to < f->arg + PAGE ? (size_t)(f->arg + PAGE - to) : 0;

	memcpy(to, arg, there < len ? there : len);
}

/* The errors that the head of ktrace_abi.h and its comments document. */
static bool is_documented(int no)
{
	static const int all[] = {
		0, EINVAL, EFAULT, EOPNOTSUPP, EPROTO, ENOENT, ENOSPC, ENOMEM, ESTALE, ENOTTY, EACCES, EBUSY, EINTR, EPERM,
		ESRCH, EBADF, ENOEXEC, ENFILE, EIO, EAGAIN,
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] == no)
			return true;
	return false;
}

static void note_measure(struct fuzzer *f, const uint8_t *at)
{
	f->measures[f->fd] = ((const struct kt_measure *)at)->id;
	f->measured++;
}

static void note_aggregate(struct fuzzer *f, const uint8_t *at)
{
	f->aggregates[f->fd] = ((const struct kt_aggregate_req *)at)->id;
	f->aggregated++;
}

static void fuzz_ioctl(struct fuzzer *f)
{
	uint8_t arg[sizeof(f->past[0].arg)] = { 0 }, *at;
	unsigned int i;
	uint64_t how = roll(f, 16);
	unsigned long request;
	size_t len;
	int no, opened;

	f->fd = roll(f, NR_FDS);
	request = how == 0 ? garbage(f, arg, &len) : how < 4 ? recall(f, arg, &len) : make_argument(f, arg, &len);
	f->fd = i = file_for(f, request);
	if (how > 10)
		mutate(f, arg, len);
	if (!f->greeted[i] && one_in(f, 2))
		greet(f, i);
	at = point(f, len);
	put(f, at, arg, len);
	/* The module writes it to the argument, which may be changed or bad memory. */
	opened = lowest_free_fd();
	no = ioctl(f->fds[i], request, at) < 0 ? errno : 0;
	if (request == KT_IOC_USER_OPEN)
		close(opened);
	if (!is_documented(no))
		die("request %#lx fails with %s, which is not documented", request, strerror(no));
	f->done[no < NR_ERRNOS ? no : 0]++;
	f->resized += request == KT_IOC_BUFFER && !no;
	if (request == KT_IOC_MEASURE && !no)
		note_measure(f, at);
	if (request == KT_IOC_AGGREGATE && !no)
		note_aggregate(f, at);
	remember(f, request, at == f->arg && one_in(f, 2) ? f->arg : arg, len);
}

static void fuzz_file(struct fuzzer *f)
{
	unsigned int i = roll(f, NR_FDS);
	struct pollfd one = { .fd = f->fds[i], .events = POLLIN | POLLOUT };
	int fd;

	switch (roll(f, 6)) {
	case 0: (void)!read(f->fds[i], f->room, 64); break;
	case 1: (void)!write(f->fds[i], f->room, 64); break;
	case 2: lseek(f->fds[i], odd_number(f), SEEK_SET); break;
	case 3: poll(&one, 1, roll(f, 2)); break;
	case 4: reopen(f, i); break;
	case 5:
		fd = dup(f->fds[i]);
		close(f->fds[i]);
		f->fds[i] = fd;
		break;
	}
}

static const struct {
	unsigned int weight;
	void (*fuzz)(struct fuzzer *f);
} kinds[] = { { 16, fuzz_ioctl }, { 2, fuzz_map }, { 1, fuzz_file } };

#define ALL_KINDS 19

static void one_call(struct fuzzer *f)
{
	uint64_t at = roll(f, ALL_KINDS);
	size_t i = 0;

	while (at >= kinds[i].weight)
		at -= kinds[i++].weight;
	kinds[i].fuzz(f);
}

/* The second thread: it changes arguments while the module reads them. */
static void *change_arguments(void *arg)
{
	struct fuzzer *f = arg;
	struct rng rng = { mix((uintptr_t)f ^ getpid()) };

	for (;;) {
		((volatile uint32_t *)f->arg)[rng_below(&rng, 32)] = rng_next(&rng) >> rng_below(&rng, 64);
		((volatile uint32_t *)f->room)[rng_below(&rng, ROOM / 4)] ^= 1U << rng_below(&rng, 32);
		usleep(100);
	}
	return NULL;
}

/*
 * Memory that the module may write lies alone in a terabyte of unmapped space. So a pointer with some wrong
 * bits is a bad pointer, and not a pointer to other memory of this program.
 */
#define RESERVE ((uint8_t *)(1ULL << 44))
#define RESERVED (1ULL << 40)

static uint8_t *pages(size_t at, size_t n, int prot)
{
	uint8_t *p = mmap(RESERVE + at, n, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (p == MAP_FAILED)
		die("out of memory");
	return p;
}

static void prepare(struct fuzzer *f, const struct world *world, uint64_t seed)
{
	*f = (struct fuzzer){ .world = world, .rng = { mix(seed) } };
	if (mmap(RESERVE, RESERVED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		die("no address space");
	f->arg = pages(0, PAGE, PROT_READ | PROT_WRITE);
	f->locked = pages(16 * PAGE, PAGE, PROT_READ);
	f->room = pages(RESERVED / 2, ROOM, PROT_READ | PROT_WRITE);
	offer();
	for (unsigned int i = 0; i < NR_FDS; i++) {
		f->fds[i] = -1;
		reopen(f, i);
	}
}

static void say_done(const struct fuzzer *f, unsigned int process, uint64_t count)
{
	char text[512];
	int at = snprintf(text, sizeof(text), "process %u: %" PRIu64 " calls, %" PRIu64 " rings mapped, %" PRIu64
			  " changed or asked for, %" PRIu64 " measurements and %" PRIu64 " aggregates made;", process, count,
			  f->mapped, f->resized, f->measured, f->aggregated);

	for (size_t no = 0; no < sizeof(f->done) / sizeof(f->done[0]) && at < (int)sizeof(text) - 40; no++)
		if (f->done[no])
			at += snprintf(text + at, sizeof(text) - at, " %s %" PRIu64, no ? strerrorname_np(no) : "ok", f->done[no]);
	puts(text);
	fflush(stdout);
}

static void fuzz(const struct world *world, uint64_t seed, uint64_t count, unsigned int process)
{
	static struct fuzzer f;
	pthread_t changer;

	prepare(&f, world, seed ^ mix(process));
	/* Only every second process has such a thread: the others test arguments that stay the same. */
	if (process % 2 && pthread_create(&changer, NULL, change_arguments, &f))
		die("no thread");
	for (uint64_t i = 0; i < count; i++)
		one_call(&f);
	say_done(&f, process, count);
}

/* --------------------------------------------------------------------- all of them */

static void find_points(struct world *world, uint64_t seed)
{
	/*
	 * Use small functions: the module decodes from a function's start, and speed is not the subject here.
	 */
	enum { PLACES = 4000, SMALL = 1024 };
	struct picker picker;
	struct insn insn;

	world->insns = calloc(PLACES, sizeof(*world->insns));
	if (!world->insns)
		die("out of memory");
	picker_begin(&picker, &world->live, seed, PLACES, 0, 1);
	while (world->nr_insns < PLACES && picker_next(&picker, &insn))
		if (symbols_at(world->live.symbols, insn.addr)->size <= SMALL)
			world->insns[world->nr_insns++] = insn;
}

static void find_events(struct world *world)
{
	static const char prefix[] = "__tracepoint_";
	const struct symbols *symbols = world->live.symbols;

	world->events = calloc(symbols->nr_others + 1, sizeof(*world->events));
	if (!world->events)
		die("out of memory");
	for (size_t i = 0; i < symbols->nr_others; i++)
		if (!strncmp(symbols->others[i].name, prefix, sizeof(prefix) - 1))
			world->events[world->nr_events++] = symbols->others[i].addr;
}

static void run_processes(const struct world *world, uint64_t seed, uint64_t count, unsigned int processes)
{
	int status, bad = 0;

	fflush(stdout);
	for (unsigned int i = 0; i < processes; i++) {
		if (fork() == 0) {
			fuzz(world, seed, count / processes, i);
			exit(0);
		}
	}
	while (wait(&status) > 0)
		if (status)
			bad = status;
	if (bad)
		die("a process of the fuzzer ended with status %#x", bad);
}

static void unfreeze(int fd)
{
	struct kt_recording recording = { .size = sizeof(recording), .op = KT_RECORDING_UNFREEZE };

	if (ioctl(fd, KT_IOC_RECORDING, &recording) < 0)
		die("KT_IOC_RECORDING: %s", strerror(errno));
}

/* Trace the first instruction of vfs_write() that can be traced. */
static bool trace_writes(const struct world *world, struct kt_site_req *site)
{
	const struct symbols *symbols = world->live.symbols;
	const struct symbol *function = symbols->functions;
	struct kt_trace answer;
	struct walk walk;
	struct insn insn;
	bool done = false;

	while (strcmp(function->name, "vfs_write") || function->module[0])
		if (++function == symbols->functions + symbols->nr_functions)
			return false;
	walk_begin(&walk, &world->live, function);
	while (!done && walk_next(&walk, &insn)) {
		site->addr = insn.addr;
		site->insn_len = insn.len;
		memcpy(site->insn, insn.bytes, sizeof(site->insn));
		done = device_trace(world->live.fd, site, 1, 0, &answer) == 0;
	}
	walk_end(&walk);
	return done;
}

/* Correct use afterwards: a number of writes must give the same number of records. */
static void use_properly(const struct world *world)
{
	enum { WRITES = 1000 };
	struct {
		struct kt_desc_req req;
		struct kt_insn prog[5];
	} desc = { { .size = sizeof(desc.req), .prog_len = 5 },
		   { { .op = KT_OP_CUR, .imm = KT_CUR_PID }, { .op = KT_OP_IMM, .dst = 1, .imm = getpid() },
		     { .op = KT_OP_CMP, .src = 1, .aux = KT_CMP_EQ, .imm = 1 }, { .op = KT_OP_DROP }, { .op = KT_OP_END } } };
	struct kt_site_req site = { .desc = (uintptr_t)&desc, .desc_len = sizeof(desc) };
	int fd = world->live.fd, null = open("/dev/null", O_WRONLY);
	struct counts before, after;

	if (!trace_writes(world, &site))
		die("no proper tracepoint can be set any more (refusal %u)", site.refusal);
	device_counts(fd, &before);
	for (int i = 0; i < WRITES; i++)
		if (write(null, "x", 1) != 1)
			die("write: %s", strerror(errno));
	device_counts(fd, &after);
	if (after.all.recorded - before.all.recorded != WRITES)
		die("%d writes gave %llu records", WRITES, after.all.recorded - before.all.recorded);
	device_delete(fd, NULL, 0);
}

/* Make rings that are large enough for these records. */
static void resize(int fd)
{
	struct kt_buffer buffer = {
		.size = sizeof(buffer), .flags = KT_BUFFER_SIZE | KT_BUFFER_MODE, .bytes = 1 << 18, .mode = KT_MODE_OVERWRITE,
	};

	if (ioctl(fd, KT_IOC_BUFFER, &buffer) < 0)
		die("KT_IOC_BUFFER: %s", strerror(errno));
	if (buffer.bytes != 1 << 18 || buffer.mode != KT_MODE_OVERWRITE)
		die("rings of %llu bytes, mode %u instead of those asked for", buffer.bytes, buffer.mode);
}

static void check_all_well(struct world *world)
{
	int fd = world->live.fd;

	device_delete(fd, NULL, 0);
	unfreeze(fd);
	resize(fd);
	use_properly(world);
	if (!device_drain(fd, 120))
		die("removed tracepoints still take slots after two minutes");
	kmsg_check();
	live_compare(&world->live);
}

static const struct option names[] = {
	{ "seed", required_argument, NULL, 's' }, { "count", required_argument, NULL, 'c' },
	{ "processes", required_argument, NULL, 'p' }, { 0 },
};

int main(int argc, char **argv)
{
	uint64_t seed = 1, count = 20000, processes = 4, *numbers[256] = { ['s'] = &seed, ['c'] = &count, ['p'] = &processes };
	static struct symbols symbols;
	static struct world world;
	struct counts counts;
	int option, fd;

	while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (option == '?')
			return 2;
		*numbers[option] = strtoull(optarg, NULL, 0);
	}
	fd = device_open(&world.hello);
	symbols_load(&symbols, world.hello.text_start, world.hello.text_end);
	live_load(&world.live, fd, &symbols);
	find_points(&world, seed);
	find_events(&world);
	kmsg_begin();
	printf("seed %" PRIu64 ", %" PRIu64 " calls by %" PRIu64 " processes\n", seed, count, processes);
	run_processes(&world, seed, count, processes);
	check_all_well(&world);
	device_counts(fd, &counts);
	printf("afterwards: text unchanged, %u tracepoints, %u slots, %u descriptors kept; %" PRIu64 " records were taken: all well\n",
	       counts.status.nr_sites, counts.status.nr_slots, counts.status.nr_descs, (uint64_t)counts.all.recorded);
	return 0;
}
