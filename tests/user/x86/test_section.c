// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_section.c - three threads, and handlers that interrupt them, write events by the real bytes of section.S and the real
 * C code of write.c; a reader looks at the rings.  The test is their kernel: it takes the CPU from a thread between any two
 * instructions, moves it to another CPU, interrupts it by a handler, and restarts its sequence if it was in one.
 *
 * First every instruction is interrupted, by each means; then at random, SCHEDULES times.  Mutants, of the code and of the
 * kernel, must be found.
 */
#include "user/internal.h"
#include "user/layout.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/user/user_file.h"
#include "machine.h"
#include "tests/unit/unit.h"

#define THREADS		3
#define EVENTS		3		/* of each thread */
#define CPUS		2
#define DEPTH		2		/* handlers that interrupt one another */
#define STORAGE		65536		/* of a thread */
#define RSEQ_AT		0x100		/* from the thread's pointer */
#define STACK		65536
#define SUB		4096U
#define TID(n)		(1000 + (n))
#define SUBBUFS	16
#define UNITS		(sizeof(struct ktu_packet) / 4 + 20)	/* used of a sub-buffer: so packets are short */
#define LIMIT		20000		/* steps of a schedule: more mean that nobody gets on */
#define FIRST_PACKET	((1ULL << 32) + SUBBUFS - 2)	/* so that sub-buffers are used again, and the number is long */
#define CLOCK_BEGIN	((5ULL << 32) + 1000)
#define MOST		64		/* events of a thread, with those of handlers */

/* struct rseq_cs of the kernel. */
struct sequence {
	uint32_t version, flags;
	uint64_t start, length, abort;
};

struct writer {
	ucontext_t context;
	uint8_t storage[STORAGE] __attribute__((aligned(64)));
	uint8_t stack[STACK] __attribute__((aligned(64)));	/* of the machine */
	uint8_t host[4 * STACK] __attribute__((aligned(64)));	/* of the C code */
	struct thread machine;
	uint32_t cpu;
	bool lost_cpu;			/* since its last step */
	bool done;
	int depth;			/* of handlers */
	uint32_t begun;			/* events */
	bool returned[MOST];
	uint64_t last_clock;		/* that it has read */
	uint64_t times[MOST];		/* of the events that have returned */
};

/* A ring for each CPU, as in a file; no slot. */
static struct image {
	struct { uint8_t ring[KTU_PAGE + SUBBUFS * SUB]; } rings[CPUS];
} image __attribute__((aligned(4096))), fresh __attribute__((aligned(4096)));

static struct writer writers[THREADS], *now;
static struct ktu_process process;
static struct ktu_lane fresh_lanes[CPUS];
static struct user_file file;
/* With one to four arguments. */
#define SITES	4
static struct user_site sites[SITES];
static struct ktrace_site program_sites[SITES];
static ucontext_t scheduler;
static uint64_t clock_ticks;
static unsigned int gaps;	/* one in so many reads of the clock is far behind the one before */

/* What is wrong; the first problem of a schedule. */
static char problem[1024];

/* What the test decides before each step; and how the kernel is broken. */
static void decide(void);
static unsigned long steps;
static int next_thread;		/* that runs */
static unsigned int fast;	/* events that the C code did not see */
static bool kernel_restarts = true;
static uint64_t mutant_start, mutant_end;	/* of a sequence, if not 0 */

static void wrong(const char *what)
{
	if (!*problem)
		snprintf(problem, sizeof(problem), "%s", what);
}

/* ------------------------------------------------------------------------ the kernel */

static struct ktu_rseq *rseq_of(struct writer *w)
{
	return (struct ktu_rseq *)(w->machine.fs + RSEQ_AT);
}

/* The mutant has the bounds of one of the two sequences, and overlaps the real ones. */
static struct sequence bounds(uint64_t at)
{
	struct sequence s = *(const struct sequence *)at;

	if (mutant_end && mutant_start < s.start + s.length && mutant_end > s.start) {
		s.start = mutant_start;
		s.length = mutant_end - mutant_start;
	}
	return s;
}

/* The thread gets the CPU again, or a handler interrupts it. */
static void restart(struct writer *w)
{
	struct ktu_rseq *rseq = rseq_of(w);

	rseq->cpu_start = rseq->cpu = w->cpu;
	if (rseq->sequence && kernel_restarts) {
		const struct sequence s = bounds(rseq->sequence);

		if (w->machine.ip - s.start < s.length)
			w->machine.ip = s.abort;
	}
	rseq->sequence = 0;
}

/* Between two instructions, and between two accesses of the C code, whose address is in no sequence. */
static void step(void)
{
	decide();
	/* Nothing happens, in most steps. */
	if (next_thread == now - writers && !now->lost_cpu && !*problem && steps <= LIMIT)
		return;
	swapcontext(&now->context, &scheduler);
	if (now->lost_cpu)
		restart(now);
	now->lost_cpu = false;
}

/* ------------------------------------------------------------------------ the code */

uint64_t machine_clock(void)
{
	clock_ticks += gaps && !(clock_ticks * 2654435761U % gaps) ? 1ULL << 25 : 3;
	now->last_clock = clock_ticks;
	return clock_ticks;
}

static uint64_t call(const void *function, uint64_t a, uint64_t b, uint64_t c, const void *leave)
{
	struct thread *m = &now->machine;
	uint64_t *top = (uint64_t *)(now->stack + STACK - 4096 - 1024 * now->depth);

	*top = 0;
	m->regs[RSP] = (uint64_t)top;
	m->regs[RDI] = a;
	m->regs[RSI] = b;
	m->regs[RDX] = c;
	m->ip = (uint64_t)function;
	while (machine_step(m)) {
		if (m->ip == (uint64_t)leave)
			return 1;
		step();
	}
	m->ip = 0;
	return leave ? 0 : (uint32_t)m->regs[RAX];
}

static int sim_commit(const struct ktu_commit *commit)
{
	return call(ktrace_commit, (uint64_t)commit, 0, 0, NULL);
}

static uint64_t sim_load(const uint64_t *from)
{
	step();
	return ktu_load(from);
}

static uint64_t sim_ticks(void)
{
	step();
	return machine_clock();
}

static struct ktu_self *sim_self(void)
{
	return (struct ktu_self *)(now->machine.fs + (uint64_t)&ktrace_self - (uint64_t)__builtin_thread_pointer());
}

/* The C code, with what it uses replaced. */
#define ktu_load(from)		sim_load(from)
#define ktu_ticks()		sim_ticks()
#define ktu_rseq()		rseq_of(now)
#define ktrace_commit(c)	sim_commit(c)
#define ktrace_self		(*sim_self())
#define ktrace_write_slow	sim_write_slow
#include "user/write.c"
#undef ktrace_commit
#undef ktrace_self
#undef ktrace_write_slow

void ktrace_write_slow(struct ktrace_site *, const void *, unsigned int);

/* The number of writer and event, and words that follow from it. */
static void fill(uint32_t *payload, uint32_t number)
{
	for (uint32_t i = 0; i < 1 + number % SITES; i++)
		payload[i] = number * (i + 1);
}

static void write_event(void)
{
	const uint32_t n = now->begun++, number = (uint32_t)(now - writers) << 16 | n;
	struct ktrace_site *site = &program_sites[number % SITES];
	uint32_t payload[4], words = 1 + number % SITES;
	struct writer *me = now;

	if (n >= MOST) {
		now->begun--;
		return;
	}
	fill(payload, number);
	if (call(ktrace_write, (uint64_t)site, (uint64_t)payload, words, ktrace_write_slow))
		sim_write_slow(site, payload, words);
	else
		fast++;
	me->times[n] = me->last_clock;
	me->returned[n] = true;
}

/* A handler interrupts the thread: its own sequence is restarted, and the handler writes an event. */
static void interrupt(void)
{
	struct writer *me = now;
	struct thread before;
	uint64_t last_clock;

	if (now->depth == DEPTH)
		return;
	restart(now);
	before = me->machine;
	last_clock = me->last_clock;
	me->depth++;
	write_event();
	me->depth--;
	me->machine = before;
	me->last_clock = last_clock;
}

static void run_writer(void)
{
	for (int i = 0; i < EVENTS; i++)
		write_event();
	now->done = true;
	swapcontext(&now->context, &scheduler);
}

/* ------------------------------------------------------------------------ the reader */

struct seen {
	uint64_t events, lost;
	uint8_t numbers[THREADS][MOST];	/* how often each event was read */
};

static void look_at(const struct user_ring *ring, struct seen *seen)
{
	uint32_t number, word, n, who;

	memcpy(&number, ring->payload, sizeof(number));
	who = number >> 16;
	n = number & 0xffff;
	if (who >= THREADS || n >= writers[who].begun || ring->site != &sites[number % SITES]) {
		wrong("an event that nobody wrote");
		return;
	}
	for (uint32_t i = 0; i < 1 + number % SITES; i++) {
		memcpy(&word, ring->payload + 4 * i, sizeof(word));
		if (word != number * (i + 1))
			wrong("a torn event");
	}
	if (ring->thread != TID(who))
		wrong("the event of another thread");
	if (seen->numbers[who][n]++)
		wrong("an event twice");
	if (ring->end > 4 * UNITS)
		wrong("a packet that is too long");
	if (writers[who].returned[n] && ring->ticks != writers[who].times[n])
		wrong("a wrong time");
	seen->events++;
}

static void read_ring(uint32_t cpu, struct seen *seen)
{
	struct user_ring ring;
	struct error err;
	bool more = true;

	if (!user_ring_begin(&ring, &file, cpu, &err)) {
		wrong(err.text);
		return;
	}
	while (more && !*problem) {
		if (!user_ring_next(&ring, &more, &err))
			wrong(err.text);
		seen->lost += ring.lost;
		if (more && !*problem)
			look_at(&ring, seen);
	}
	user_ring_end(&ring);
}

/* Nobody writes behind the used part of a sub-buffer. */
static void look_behind(uint32_t cpu)
{
	static const uint8_t zeros[64];

	for (uint32_t i = 0; i < SUBBUFS; i++)
		if (memcmp(image.rings[cpu].ring + KTU_PAGE + i * SUB + 4 * UNITS, zeros, sizeof(zeros)))
			wrong("something behind a packet");
}

/* As if the process ended now: what has returned is there, once. */
static void check(void)
{
	struct seen seen = { 0 };

	user_file_find_ends(&file);
	for (uint32_t cpu = 0; cpu < CPUS && !*problem; cpu++) {
		read_ring(cpu, &seen);
		look_behind(cpu);
	}
	free(file.ends);
	for (int i = 0; i < THREADS && !*problem; i++)
		for (uint32_t n = 0; n < writers[i].begun; n++)
			if (writers[i].returned[n] && !seen.numbers[i][n])
				wrong("an event is missing");
	if (seen.lost)
		wrong("events are counted as lost");
}

/* ------------------------------------------------------------------------ schedules */

/* BESIDE: it goes to another CPU, and another thread runs at the same time where it was. */
enum means { NOTHING, OTHER_THREAD, OTHER_CPU, BESIDE, HANDLER, HANDLER_AND_THREAD, NR_MEANS };

#define TURN	5	/* steps of each of two threads that run at the same time */

/* What happens at step `first`, and the step after that at which the other thread loses the CPU again. */
static struct plan {
	bool at_random;
	enum means means;
	unsigned long first, second;
	uint32_t cpu;		/* on which the threads begin */
	bool looks;		/* check at every step */
	unsigned int left;	/* of what may happen at random */
	struct writer *a, *b;	/* run at the same time, if not NULL */
} plan;

static void act(enum means means)
{
	if (means == HANDLER || means == HANDLER_AND_THREAD)
		interrupt();
	if (means == BESIDE) {
		plan.a = now;
		plan.b = &writers[(now - writers + 1) % THREADS];
		plan.b->cpu = now->cpu;
		plan.b->lost_cpu = true;
	}
	if (means == OTHER_CPU || means == BESIDE) {
		now->cpu = (now->cpu + 1) % CPUS;
		now->lost_cpu = true;
	}
	if (means == OTHER_THREAD || means == HANDLER_AND_THREAD)
		next_thread = (now - writers + 1) % THREADS;
}

static void decide(void)
{
	next_thread = now - writers;
	steps++;
	if (plan.a && (plan.a->done || plan.b->done))
		plan.a = NULL;
	if (plan.a && steps % TURN == 0)
		next_thread = (now == plan.a ? plan.b : plan.a) - writers;
	if (plan.looks)
		check();
	if (plan.at_random) {
		if (plan.left && !plan.a && !(rand() % 20)) {
			plan.left--;
			act(1 + rand() % (NR_MEANS - 1));
		}
	} else if (steps == plan.first) {
		act(plan.means);
	} else if (steps == plan.first + plan.second) {
		act(OTHER_THREAD);
	}
}

static void begin_writer(struct writer *w, int n)
{
	memset(w->storage, 0, sizeof(w->storage));
	w->machine = (struct thread){ .fs = (uint64_t)w->storage + STORAGE - 4096 };
	*(uint64_t *)w->machine.fs = w->machine.fs;
	w->cpu = plan.at_random ? (uint32_t)rand() % CPUS : plan.cpu;
	w->lost_cpu = true;
	w->done = false;
	w->depth = 0;
	w->begun = 0;
	memset(w->returned, 0, sizeof(w->returned));
	now = w;
	sim_self()->tid = TID(n);
	getcontext(&w->context);
	w->context.uc_stack = (stack_t){ .ss_sp = w->host, .ss_size = sizeof(w->host) };
	makecontext(&w->context, run_writer, 0);
}

/* A thread that gets the CPU takes it from the one that had it. */
static void run_on(struct writer *w)
{
	for (int i = 0; i < THREADS; i++)
		if (&writers[i] != w && writers[i].cpu == w->cpu)
			writers[i].lost_cpu = true;
	now = w;
	swapcontext(&scheduler, &w->context);
}

static struct writer *choose(void)
{
	for (int i = 0; i < THREADS; i++) {
		struct writer *w = &writers[(next_thread + i) % THREADS];

		if (!w->done)
			return w;
	}
	return NULL;
}

/* Run all writers.  False: *problem says what is wrong. */
static bool run(void)
{
	struct writer *w;

	image = fresh;
	memcpy(process.lanes, fresh_lanes, sizeof(fresh_lanes));
	*problem = '\0';
	steps = fast = 0;
	clock_ticks = CLOCK_BEGIN;
	for (int i = 0; i < THREADS; i++)
		begin_writer(&writers[i], i);
	next_thread = 0;
	while ((w = choose()) && !*problem) {
		run_on(w);
		if (steps > LIMIT)
			wrong("nobody gets on");
	}
	if (!*problem)
		check();
	return !*problem;
}

/* ------------------------------------------------------------------------ the scene */

static void make_sites(void)
{
	static const unsigned char types[] = { KTRACE_U32, KTRACE_U32, KTRACE_U32, KTRACE_U32 };

	for (uint32_t i = 0; i < SITES; i++) {
		program_sites[i] = (struct ktrace_site){ .id = i + 1, .nr_args = 1 + i, .types = types };
		sites[i] = (struct user_site){ .id = i + 1, .nr = 1 + i };
		memcpy(sites[i].types, types, 1 + i);
	}
}

static void make_lane(uint32_t cpu)
{
	struct ktu_ring *ring = (void *)fresh.rings[cpu].ring;

	*(struct ktu_packet *)(fresh.rings[cpu].ring + KTU_PAGE + FIRST_PACKET % SUBBUFS * SUB) = (struct ktu_packet){
		.magic = KTU_PACKET_MAGIC, .ts_begin = CLOCK_BEGIN, .packet_bits = 8 * SUB, .cpu = cpu,
		.seq = FIRST_PACKET,
	};
	*ring = (struct ktu_ring){
		.word = FIRST_PACKET << 32 | sizeof(struct ktu_packet) / 4 << 16, .last_ts = CLOCK_BEGIN,
		.oldest = FIRST_PACKET, .used = 1,
	};
	fresh_lanes[cpu] = (struct ktu_lane){
		.ring = (void *)image.rings[cpu].ring, .data = image.rings[cpu].ring + KTU_PAGE, .sub_bytes = SUB,
		.tid = KTU_NOBODY, .mask = SUBBUFS - 1, .sub_units = UNITS, .number = cpu,
	};
}

static int make_scene(void **state)
{
	static struct ktu_file head;
	static uint32_t by_id[SITES + 1];

	make_sites();
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		make_lane(cpu);
	process.alive = KTU_HAS_FILE;
	ktu.process = &process;
	ktu.file = &head;
	ktu.recording = ktu.restartable = true;
	ktu.nr_cpus = CPUS;
	ktrace_lanes = process.lanes;
	ktrace_rseq_offset = RSEQ_AT;
	for (uint32_t i = 0; i < SITES; i++)
		by_id[i + 1] = i + 1;
	file = (struct user_file){
		.path = (char *)"image", .map = (const uint8_t *)&image, .bytes = sizeof(image), .sites = sites,
		.nr_sites = SITES, .by_id = by_id, .nr_ids = SITES + 1,
		.head = { .subbuf_bytes = SUB, .nr_subbufs = SUBBUFS, .nr_cpus = CPUS, .ring_stride = sizeof(image.rings[0]) },
	};
	return 0;
}

static int drop_scene(void **state)
{
	ktu.recording = false;
	return 0;
}

/* ------------------------------------------------------------------------ tests */

static unsigned int schedules(unsigned int usual)
{
	const char *text = getenv("SCHEDULES");

	return text ? (unsigned int)atoi(text) : usual;
}

/* Interrupt at every step, by every means.  Returns the number of schedules, or 0: *problem. */
static unsigned long interrupt_each(void)
{
	unsigned long total, count = 0;

	gaps = 0;
	for (uint32_t cpu = CPUS; cpu-- > 0;) {
		plan = (struct plan){ .cpu = cpu };
		if (!run())
			return 0;
		/* The first event of a thread in a packet has a mark. */
		if (fast < THREADS * EVENTS / 2)
			wrong("events do not take the usual path");
		if (*problem)
			return 0;
	}
	total = steps;
	for (unsigned long first = 1; first <= total; first++) {
		for (int means = 1; means < NR_MEANS; means++) {
			plan = (struct plan){ .means = means, .first = first };
			if (!run())
				return 0;
			count++;
		}
	}
	return count;
}

static unsigned long interrupt_at_random(unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		plan = (struct plan){ .at_random = true, .left = 2 + rand() % 8 };
		gaps = i % 2 ? 5 : 0;
		if (!run())
			return 0;
	}
	gaps = 0;
	return nr;
}

static void test_each(void **state)
{
	const unsigned long count = interrupt_each();

	if (!count)
		fail_msg("%s at %s %lu", problem, "step", plan.first);
	print_message("# %lu schedules\n", count);
}

/* The process ends at any step. */
static void test_end(void **state)
{
	plan = (struct plan){ .looks = true };
	if (!run())
		fail_msg("%s", problem);
	for (unsigned long first = 1; first < 200; first++) {
		plan = (struct plan){ .looks = true, .means = OTHER_THREAD, .first = first, .second = first % 37 };
		if (!run())
			fail_msg("%s at step %lu", problem, first);
	}
}

/* Two threads lose the CPU: the first to the second, and that to the third. */
static void test_two(void **state)
{
	for (unsigned long first = 1; first < 160; first++) {
		for (unsigned long second = 1; second < 160; second++) {
			plan = (struct plan){ .means = OTHER_THREAD, .first = first, .second = second };
			if (!run())
				fail_msg("%s at steps %lu and %lu", problem, first, second);
		}
	}
}

static void test_random(void **state)
{
	const unsigned int seed = getenv("SEED") ? (unsigned int)atoi(getenv("SEED")) : (unsigned int)time(NULL);
	const unsigned int nr = schedules(50000);

	print_message("# SEED=%u\n", seed);
	srand(seed);
	if (!interrupt_at_random(nr))
		fail_msg("%s", problem);
}

/* ------------------------------------------------------------------------ mutants */

/* The two functions, with the bounds of their sequences. */
static struct section {
	const char *name;
	const void *begin, *end;	/* of the code */
	uint64_t from, to;
} sections[] = {
	{ "ktrace_write", ktrace_write, ktrace_commit, 0, 0 }, { "ktrace_commit", ktrace_commit, ktrace_probe, 0, 0 },
};

/* From the table for the kernel. */
static void find_sections(void)
{
	extern const uint64_t __start___rseq_cs_ptr_array[], __stop___rseq_cs_ptr_array[];

	for (const uint64_t *at = __start___rseq_cs_ptr_array; at < __stop___rseq_cs_ptr_array; at++) {
		const struct sequence *s = (const struct sequence *)*at;

		for (size_t i = 0; i < 2; i++) {
			if (s->start > (uint64_t)sections[i].begin && s->start < (uint64_t)sections[i].end) {
				sections[i].from = s->start;
				sections[i].to = s->start + s->length;
			}
		}
	}
	assert_true(sections[0].from && sections[1].from);
}

/* In a process of its own: a mutant may write anywhere, or crash, which is noticed, too. */
static bool is_found(void)
{
	const pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		_exit(!interrupt_each() || !interrupt_at_random(5000));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/*
 * No ring is missing in this scene, so nobody misses the test of its address.  Every event has arguments, and those of an
 * even number of words may copy the first word twice.
 */
static bool is_equivalent(uint64_t ip)
{
	const uint64_t test = machine_find(sections[0].from, "test r10, r10"),
		       is_odd = machine_find(sections[0].from, "cmp r9d, -1");
	bool is_jump;

	return ip == test || ip == machine_next(test, &is_jump) || ip == machine_next(is_odd, &is_jump);
}

/* Leave out each instruction of the sequences in turn. */
static void test_missing_instruction(void **state)
{
	unsigned int nr = 0;
	bool is_jump;

	assert_false(is_found());
	for (size_t i = 0; i < 2; i++) {
		for (uint64_t ip = sections[i].from; ip < sections[i].to; ip = machine_next(ip, &is_jump)) {
			if (is_equivalent(ip))
				continue;
			machine_skipped = ip;
			if (!is_found())
				fail_msg("nobody misses the instruction at %s+0x%lx", sections[i].name,
					 (unsigned long)(ip - (uint64_t)sections[i].begin));
			nr++;
		}
	}
	machine_skipped = 0;
	print_message("# %u mutants\n", nr);
}

/* One of the sequences begins or ends elsewhere. */
static void must_find(uint64_t from, uint64_t to)
{
	mutant_start = from;
	mutant_end = to;
	if (!is_found())
		fail_msg("nobody misses what is not in a sequence from ktrace_write+0x%lx to +0x%lx",
			 (unsigned long)(from - (uint64_t)ktrace_write), (unsigned long)(to - (uint64_t)ktrace_write));
	mutant_start = mutant_end = 0;
}

/* The sequence begins behind any instruction before the ring's word is read; or it ends before its last store. */
static void test_wrong_bounds(void **state)
{
	const struct section *write = &sections[0], *commit = &sections[1];
	const uint64_t word = machine_find(write->from, "mov r11, qword ptr [r10]"),
		       write_store = machine_find(write->from, "mov qword ptr [r10], rdx"),
		       compared = machine_find(commit->from, "mov r8d, dword ptr [rdi + 4]"),
		       commit_store = machine_find(commit->from, "mov qword ptr [rcx], rax");
	bool is_jump;

	assert_false(is_found());
	assert_true(word && write_store && compared && commit_store);
	/* The first instruction compares the CPUs: they may change before it. */
	for (uint64_t ip = machine_next(write->from, &is_jump); ip <= word; ip = machine_next(ip, &is_jump))
		must_find(machine_next(ip, &is_jump), write->to);
	must_find(write->from, write_store);
	must_find(compared, commit->to);
	must_find(commit->from, commit_store);
}

static void test_kernel_that_forgets(void **state)
{
	assert_false(is_found());
	kernel_restarts = false;
	assert_true(is_found());
	kernel_restarts = true;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each), cmocka_unit_test(test_end), cmocka_unit_test(test_two), cmocka_unit_test(test_random),
		cmocka_unit_test(test_missing_instruction), cmocka_unit_test(test_wrong_bounds),
		cmocka_unit_test(test_kernel_that_forgets),
	};

	find_sections();
	return cmocka_run_group_tests(tests, make_scene, drop_scene);
}
