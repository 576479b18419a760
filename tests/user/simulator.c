// SPDX-License-Identifier: GPL-2.0-or-later
/* simulator.c - threads that write by the real bytes of section.S.  See simulator.h. */
#include "user/internal.h"
#include "user/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "pending.h"
#include "sim_int.h"
#include "tests/unit/unit.h"

#define DEPTH		2		/* handlers that interrupt one another */
#define RSEQ_AT		0x100		/* from the thread's pointer */
#define LIMIT		20000		/* steps of a schedule: more mean that nobody gets on */
#define FIRST_PACKET	((1ULL << 32) + SUBBUFS - 2)	/* so that sub-buffers are used again, and the number is long */
#define CLOCK_BEGIN	((5ULL << 32) + (1 << KTU_TS_BITS) - 100)	/* the bits that are not in short headers change soon */
/* While a reader is at work at the same time, packets are smaller: each has room for one long event, or for some short ones. */
#define FEW_SUBBUFS	2
#define FEW_UNITS	(sizeof(struct ktu_packet) / 4 + 16 + sim_longer())

struct sim_image sim_image;
struct writer sim_writers[SIM_THREADS];
struct user_file sim_file;
static struct sim_image fresh;
static struct writer *now;
static struct ktu_process process;
static struct ktu_lane fresh_lanes[SIM_CPUS], no_lane = { .number = UINT32_MAX };
static ucontext_t scheduler;
static uint64_t clock_ticks;

struct sim sim = { .kernel_restarts = true };

/* What the test decides before each step. */
static void decide(void);
static int next_thread;		/* that runs */

void sim_wrong(const char *what)
{
	if (!*sim.problem)
		snprintf(sim.problem, sizeof(sim.problem), "%s", what);
}

/* ------------------------------------------------------------------------ the kernel */

static struct ktu_rseq *rseq_of(struct writer *w)
{
	return (struct ktu_rseq *)(w->machine.pointer + RSEQ_AT);
}

/* The mutant has the bounds of one of the two sequences, and overlaps the real ones. */
static struct sequence bounds(uint64_t at)
{
	struct sequence s = *(const struct sequence *)at;

	if (sim.mutant_end && sim.mutant_start < s.start + s.length && sim.mutant_end > s.start) {
		s.start = sim.mutant_start;
		s.length = sim.mutant_end - sim.mutant_start;
	}
	return s;
}

/* The thread gets the CPU again, or a handler interrupts it. */
static void restart(struct writer *w)
{
	struct ktu_rseq *rseq = rseq_of(w);

	rseq->cpu_start = rseq->cpu = w->cpu;
	if (rseq->sequence && sim.kernel_restarts) {
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
	if (next_thread == now - sim_writers && !now->lost_cpu && !*sim.problem && sim.steps <= LIMIT)
		return;
	swapcontext(&now->context, &scheduler);
	if (now->lost_cpu)
		restart(now);
	now->lost_cpu = false;
}

/* ------------------------------------------------------------------------ the code */

uint64_t machine_clock(bool in_order)
{
	if (!in_order)
		return now->last_clock = clock_ticks - 5;
	clock_ticks += sim.gaps && !(clock_ticks * 2654435761U % sim.gaps) ? 1ULL << 25 : 3;
	now->last_clock = clock_ticks;
	return clock_ticks;
}

void machine_next_group(void)
{
	pending_next_group(now->cpu);
}

void machine_store(void *to, uint64_t value, unsigned int bytes, bool release)
{
	if ((uint8_t *)to >= (uint8_t *)&sim_image && (uint8_t *)to < (uint8_t *)(&sim_image + 1))
		pending_store(now->cpu, to, value, bytes, release);
	else
		memcpy(to, &value, bytes);
}

/* The C code at `leave` is to get the same arguments; c only if it is not 0. */
static void look_at_arguments(const struct thread *m, uint64_t a, uint64_t b, uint64_t c)
{
	if (machine_argument(m, 0) != a || machine_argument(m, 1) != b || (c && (uint32_t)machine_argument(m, 2) != c))
		sim_wrong("C code gets other arguments");
}

static uint64_t call(const void *function, uint64_t a, uint64_t b, uint64_t c, const void *leave)
{
	struct thread *m = &now->machine;

	machine_call(m, function, a, b, c, now->stack + STACK - 4096 - 1024 * now->depth);
	while (machine_step(m)) {
		if (m->ip == (uint64_t)leave) {
			look_at_arguments(m, a, b, c);
			return 1;
		}
		step();
	}
	m->ip = 0;
	if (m->is_wide)
		sim_wrong("long registers that are not cleared");
	return leave ? 0 : machine_result(m);
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
	return machine_clock(true);
}

static struct ktu_self *sim_self(void)
{
	return (struct ktu_self *)(now->machine.pointer + (uint64_t)&ktrace_self - (uint64_t)__builtin_thread_pointer());
}

static void sim_write_slow(struct ktrace_site *site, const void *payload, unsigned int words);

static void sim_write(struct ktrace_site *site, const void *payload, unsigned int words)
{
	if (call(ktrace_write, (uint64_t)site, (uint64_t)payload, words, ktrace_write_slow))
		sim_write_slow(site, payload, words);
	else
		sim.fast++;
}

/* The C code, with what it uses replaced. */
#define ktu_load(from)		sim_load(from)
#define ktu_ticks()		sim_ticks()
#define ktu_rseq()		rseq_of(now)
#define ktrace_commit(c)	sim_commit(c)
#define ktrace_self		(*sim_self())
#define ktrace_write		sim_write
#define ktrace_write_slow	sim_write_slow
#define ktrace_write_word_slow	sim_write_word_slow
#define ktrace_write_parts_slow	sim_write_parts_slow
#define ktrace_write_parts	sim_write_parts
#include "user/write.c"
#undef ktrace_commit
#undef ktrace_self
#undef ktrace_write
#undef ktrace_write_slow
#undef ktrace_write_word_slow
#undef ktrace_write_parts_slow
#undef ktrace_write_parts

static void write_word(struct ktrace_site *site, unsigned int word)
{
	if (call(ktrace_write_word, (uint64_t)site, word, 0, ktrace_write_word_slow)) {
		sim_write_word_slow(site, word);
	} else {
		sim.fast++;
		sim.fast_word++;
	}
}

static void write_parts(struct ktrace_site *site, const struct ktrace_parts *parts)
{
#if KTU_HAS_PARTS
	if (call(ktrace_write_parts, (uint64_t)site, (uint64_t)parts, 0, ktrace_write_parts_slow)) {
		sim_write_parts_slow(site, parts);
	} else {
		sim.fast++;
		sim.fast_parts++;
	}
#else
	sim_write_parts(site, parts);
#endif
}

static void write_event(void)
{
	const uint32_t n = now->begun++, number = (uint32_t)(now - sim_writers) << 16 | n;
	struct ktrace_site *site = sim_site_of(number);
	struct sim_parts event;
	uint32_t payload[SIM_MOST_WORDS], words;
	const uint64_t called = clock_ticks;
	struct writer *me = now;

	if (n >= MOST) {
		now->begun--;
		return;
	}
	words = sim_fill(payload, number);
	/* As KTRACE() does; one word goes through ktrace_write(), too, as programs in other languages write it. */
	if (sim_fill_parts(&event, number))
		write_parts(site, &event.parts);
	else if (words == 1 && sim.group == SIM_WORD)
		write_word(site, payload[0]);
	else
		sim_write(site, payload, words);
	if (me->last_clock <= called)
		sim_wrong("a time before the call");
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
	for (int i = 0; i < SIM_EVENTS; i++)
		write_event();
	now->done = true;
	swapcontext(&now->context, &scheduler);
}

/* ------------------------------------------------------------------------ schedules */

/* Run at the same time, if not NULL. */
static struct writer *beside[2];

static void act(enum sim_means means)
{
	if (means == SIM_HANDLER || means == SIM_HANDLER_AND_THREAD)
		interrupt();
	if (means == SIM_BESIDE) {
		beside[0] = now;
		beside[1] = &sim_writers[(now - sim_writers + 1) % SIM_THREADS];
		beside[1]->cpu = now->cpu;
		beside[1]->lost_cpu = true;
	}
	if (means == SIM_OTHER_CPU || means == SIM_BESIDE) {
		now->cpu = (now->cpu + 1) % SIM_CPUS;
		now->lost_cpu = true;
	}
	if (means == SIM_OTHER_THREAD || means == SIM_HANDLER_AND_THREAD)
		next_thread = (now - sim_writers + 1) % SIM_THREADS;
}

static void decide(void)
{
	next_thread = now - sim_writers;
	sim.steps++;
	if (beside[0] && (beside[0]->done || beside[1]->done))
		beside[0] = NULL;
	if (beside[0] && sim.steps % sim.plan.turn == 0)
		next_thread = (now == beside[0] ? beside[1] : beside[0]) - sim_writers;
	if (sim.plan.looks == SIM_AS_IF_IT_ENDED)
		sim_check();
	if (sim.plan.looks == SIM_MEANWHILE && rand() % 3 == 0)
		sim_look_meanwhile();
	if (sim.plan.at_random) {
		if (sim.plan.left && !beside[0] && !(rand() % 20)) {
			sim.plan.left--;
			act(1 + rand() % (SIM_NR_MEANS - 1));
		}
	} else if (sim.steps == sim.plan.first) {
		act(sim.plan.means);
	} else if (sim.steps == sim.plan.first + sim.plan.second) {
		act(SIM_OTHER_THREAD);
	}
}

static void begin_writer(struct writer *w, int n)
{
	memset(w->storage, 0, sizeof(w->storage));
	w->machine = (struct thread){ .pointer = (uint64_t)w->storage + STORAGE - 4096 };
	*(uint64_t *)w->machine.pointer = w->machine.pointer;
	w->cpu = sim.plan.at_random ? (uint32_t)rand() % SIM_CPUS : sim.plan.cpu;
	w->lost_cpu = true;
	w->done = false;
	w->depth = 0;
	w->begun = 0;
	memset(w->returned, 0, sizeof(w->returned));
	now = w;
	sim_self()->tid = TID(n);
	sim_self()->lane = &no_lane;
	getcontext(&w->context);
	w->context.uc_stack = (stack_t){ .ss_sp = w->host, .ss_size = sizeof(w->host) };
	makecontext(&w->context, run_writer, 0);
}

/* A thread that gets the CPU takes it from the one that had it. */
static void run_on(struct writer *w)
{
	for (int i = 0; i < SIM_THREADS; i++)
		if (&sim_writers[i] != w && sim_writers[i].cpu == w->cpu)
			sim_writers[i].lost_cpu = true;
	now = w;
	swapcontext(&scheduler, &w->context);
}

static struct writer *choose(void)
{
	for (int i = 0; i < SIM_THREADS; i++) {
		struct writer *w = &sim_writers[(next_thread + i) % SIM_THREADS];

		if (!w->done)
			return w;
	}
	return NULL;
}

static void make_lane(uint32_t cpu, uint32_t subbufs, uint32_t units)
{
	struct ktu_ring *ring = (void *)fresh.rings[cpu].ring;

	*(struct ktu_packet *)(fresh.rings[cpu].ring + KTU_PAGE + FIRST_PACKET % subbufs * SUB) = (struct ktu_packet){
		.magic = KTU_PACKET_MAGIC, .ts_begin = CLOCK_BEGIN, .packet_bits = 8 * SUB, .cpu = cpu,
		.seq = FIRST_PACKET,
	};
	*ring = (struct ktu_ring){
		.word = FIRST_PACKET << 32 | sizeof(struct ktu_packet) / 4 << 16, .last_ts = CLOCK_BEGIN,
		.oldest = FIRST_PACKET, .used = 1,
	};
	fresh_lanes[cpu] = (struct ktu_lane){
		.ring = (void *)sim_image.rings[cpu].ring, .data = sim_image.rings[cpu].ring + KTU_PAGE, .sub_bytes = SUB,
		.tid = KTU_NOBODY, .mask = subbufs - 1, .sub_units = units, .last_unit = units - 1, .number = cpu,
	};
}

/* As they are when the process begins. */
static void make_rings(uint32_t subbufs, uint32_t units)
{
	static uint32_t units_before;

	if (sim_file.head.nr_subbufs != subbufs || units_before != units) {
		memset(&fresh, 0, sizeof(fresh));
		for (uint32_t cpu = 0; cpu < SIM_CPUS; cpu++)
			make_lane(cpu, subbufs, units);
		sim_file.head.nr_subbufs = subbufs;
		units_before = units;
	}
	sim_image = fresh;
	memcpy(process.lanes, fresh_lanes, sizeof(fresh_lanes));
	pending_forget();
	free(sim_file.ends);
	sim_file.ends = NULL;
}

/* Run all writers.  False: sim.problem says what is wrong. */
bool sim_run(void)
{
	struct writer *w;

	if (sim.plan.looks == SIM_MEANWHILE)
		make_rings(FEW_SUBBUFS, FEW_UNITS);
	else
		make_rings(SUBBUFS, UNITS);
	*sim.problem = '\0';
	sim.steps = sim.fast = sim.fast_word = sim.fast_parts = 0;
	beside[0] = NULL;
	clock_ticks = CLOCK_BEGIN;
	for (int i = 0; i < SIM_THREADS; i++)
		begin_writer(&sim_writers[i], i);
	next_thread = 0;
	while ((w = choose()) && !*sim.problem) {
		run_on(w);
		if (sim.steps > LIMIT)
			sim_wrong("nobody gets on");
	}
	if (!*sim.problem && sim.plan.looks == SIM_MEANWHILE)
		sim_check_total();
	else if (!*sim.problem)
		sim_check();
	return !*sim.problem;
}

/* ------------------------------------------------------------------------ the scene */

int sim_make(void **state)
{
	static struct ktu_file head;
	static uint32_t by_id[SIM_SITES + 1];

	sim_make_sites();
	process.alive = KTU_HAS_FILE;
	ktu.process = &process;
	ktu.file = &head;
	ktu.recording = ktu.restartable = true;
	ktu.nr_cpus = SIM_CPUS;
	ktrace_lanes = process.lanes;
	ktrace_rseq_offset = RSEQ_AT;
	for (uint32_t i = 0; i < SIM_SITES; i++)
		by_id[i + 1] = i + 1;
	sim_file = (struct user_file){
		.path = (char *)"image", .map = (const uint8_t *)&sim_image, .bytes = sizeof(sim_image), .sites = sim_read_sites,
		.nr_sites = SIM_SITES, .by_id = by_id, .nr_ids = SIM_SITES + 1,
		.head = { .subbuf_bytes = SUB, .nr_cpus = SIM_CPUS, .ring_stride = sizeof(sim_image.rings[0]) },
	};
	return 0;
}

int sim_drop(void **state)
{
	ktu.recording = false;
	return 0;
}
