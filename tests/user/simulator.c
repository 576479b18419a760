// SPDX-License-Identifier: GPL-2.0-or-later
/* simulator.c - threads that write by the real bytes of section.S, and a reader.  See simulator.h. */
#include "user/internal.h"
#include "user/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/user/user_file.h"
#include "machine.h"
#include "pending.h"
#include "sim_events.h"
#include "simulator.h"
#include "tests/unit/unit.h"

#define DEPTH		2		/* handlers that interrupt one another */
#define STORAGE		65536		/* of a thread */
#define RSEQ_AT		0x100		/* from the thread's pointer */
#define STACK		65536
#define SUB		4096U
#define TID(n)		(1000 + (n))
#define SUBBUFS	16
/* Writers use only so many units of a sub-buffer, so that they often begin a new packet. */
#define UNITS		(sizeof(struct ktu_packet) / 4 + 20 + sim_longer())
#define LIMIT		20000		/* steps of a schedule: more mean that nobody gets on */
#define FIRST_PACKET	((1ULL << 32) + SUBBUFS - 2)	/* so that sub-buffers are used again, and the number is long */
#define CLOCK_BEGIN	((5ULL << 32) + (1 << KTU_TS_BITS) - 100)	/* the bits that are not in short headers change soon */
#define MOST		64		/* events of a thread, with those of handlers */
/* While a reader is at work at the same time, packets are smaller: each has room for one long event, or for some short ones. */
#define FEW_SUBBUFS	2
#define FEW_UNITS	(sizeof(struct ktu_packet) / 4 + 16 + sim_longer())

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
	struct { uint8_t ring[KTU_PAGE + SUBBUFS * SUB]; } rings[SIM_CPUS];
} image __attribute__((aligned(4096))), fresh __attribute__((aligned(4096)));

static struct writer writers[SIM_THREADS], *now;
static struct ktu_process process;
static struct ktu_lane fresh_lanes[SIM_CPUS], no_lane = { .number = UINT32_MAX };
static struct user_file file;
static ucontext_t scheduler;
static uint64_t clock_ticks;

struct sim sim = { .kernel_restarts = true };

/* What the test decides before each step. */
static void decide(void);
static int next_thread;		/* that runs */

static void wrong(const char *what)
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
	if (next_thread == now - writers && !now->lost_cpu && !*sim.problem && sim.steps <= LIMIT)
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
	if ((uint8_t *)to >= (uint8_t *)&image && (uint8_t *)to < (uint8_t *)(&image + 1))
		pending_store(now->cpu, to, value, bytes, release);
	else
		memcpy(to, &value, bytes);
}

/* The C code at `leave` is to get the same arguments; c only if it is not 0. */
static void look_at_arguments(const struct thread *m, uint64_t a, uint64_t b, uint64_t c)
{
	if (machine_argument(m, 0) != a || machine_argument(m, 1) != b || (c && (uint32_t)machine_argument(m, 2) != c))
		wrong("C code gets other arguments");
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
		wrong("long registers that are not cleared");
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
	const uint32_t n = now->begun++, number = (uint32_t)(now - writers) << 16 | n;
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
		wrong("a time before the call");
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

/* ------------------------------------------------------------------------ the reader */

struct seen {
	uint64_t events, lost;
	uint8_t numbers[SIM_THREADS][MOST];	/* how often each event was read */
};

static void look_at(const struct user_ring *ring, struct seen *seen)
{
	uint32_t number, words[SIM_MOST_WORDS], n, who;

	memcpy(&number, ring->payload, sizeof(number));
	who = number >> 16;
	n = number & 0xffff;
	if (who >= SIM_THREADS || n >= writers[who].begun || ring->site != sim_read_site_of(number)) {
		wrong("an event that nobody wrote");
		return;
	}
	if (memcmp(ring->payload, words, 4 * sim_fill(words, number)))
		wrong("a torn event");
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
	while (more && !*sim.problem) {
		if (!user_ring_next(&ring, &more, &err))
			wrong(err.text);
		seen->lost += ring.lost;
		if (more && !*sim.problem)
			look_at(&ring, seen);
	}
	user_ring_end(&ring);
}

static bool is_zero(const uint8_t *at, const uint8_t *end)
{
	while (at < end && !*at)
		at++;
	return at == end;
}

/* Nobody writes behind the used part of a sub-buffer; and in a packet that is complete, nothing old is behind its events. */
static void look_behind(uint32_t cpu)
{
	const uint32_t newest = ((const struct ktu_ring *)image.rings[cpu].ring)->word >> 32;

	for (uint32_t i = 0; i < SUBBUFS; i++) {
		const uint8_t *start = image.rings[cpu].ring + KTU_PAGE + i * SUB;
		const struct ktu_packet *packet = (const struct ktu_packet *)start;

		if (!is_zero(start + 4 * UNITS, start + 4 * UNITS + 64))
			wrong("something behind a packet");
		if (packet->magic == KTU_PACKET_MAGIC && packet->seq < newest && !is_zero(start + packet->content_bits / 8, start + 4 * UNITS))
			wrong("something behind the events of a packet");
	}
}

static void find_ends(void)
{
	free(file.ends);
	user_file_find_ends(&file);
}

static void read_rings(struct seen *seen)
{
	for (uint32_t cpu = 0; cpu < SIM_CPUS && !*sim.problem; cpu++) {
		read_ring(cpu, seen);
		look_behind(cpu);
	}
}

/* Between the moments when the ends are found and when the rings are read, anything may happen. */
static void look_meanwhile(void)
{
	struct seen seen = { 0 };

	pending_hide();
	if (!file.ends || rand() % 2)
		find_ends();
	if (rand() % 2)
		read_rings(&seen);
	pending_show();
}

/* Packets may have been overwritten. */
static void check_total(void)
{
	struct seen seen = { 0 };
	uint64_t written = 0;

	find_ends();
	read_rings(&seen);
	for (int i = 0; i < SIM_THREADS; i++)
		written += writers[i].begun;
	if (seen.events + seen.lost != written)
		wrong("events that are neither read nor counted as lost");
}

/* As if the process ended now: what has returned is there, once. */
static void check(void)
{
	struct seen seen = { 0 };

	find_ends();
	read_rings(&seen);
	for (int i = 0; i < SIM_THREADS && !*sim.problem; i++)
		for (uint32_t n = 0; n < writers[i].begun; n++)
			if (writers[i].returned[n] && !seen.numbers[i][n])
				wrong("an event is missing");
	if (seen.lost)
		wrong("events are counted as lost");
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
		beside[1] = &writers[(now - writers + 1) % SIM_THREADS];
		beside[1]->cpu = now->cpu;
		beside[1]->lost_cpu = true;
	}
	if (means == SIM_OTHER_CPU || means == SIM_BESIDE) {
		now->cpu = (now->cpu + 1) % SIM_CPUS;
		now->lost_cpu = true;
	}
	if (means == SIM_OTHER_THREAD || means == SIM_HANDLER_AND_THREAD)
		next_thread = (now - writers + 1) % SIM_THREADS;
}

static void decide(void)
{
	next_thread = now - writers;
	sim.steps++;
	if (beside[0] && (beside[0]->done || beside[1]->done))
		beside[0] = NULL;
	if (beside[0] && sim.steps % sim.plan.turn == 0)
		next_thread = (now == beside[0] ? beside[1] : beside[0]) - writers;
	if (sim.plan.looks == SIM_AS_IF_IT_ENDED)
		check();
	if (sim.plan.looks == SIM_MEANWHILE && rand() % 3 == 0)
		look_meanwhile();
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
		if (&writers[i] != w && writers[i].cpu == w->cpu)
			writers[i].lost_cpu = true;
	now = w;
	swapcontext(&scheduler, &w->context);
}

static struct writer *choose(void)
{
	for (int i = 0; i < SIM_THREADS; i++) {
		struct writer *w = &writers[(next_thread + i) % SIM_THREADS];

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
		.ring = (void *)image.rings[cpu].ring, .data = image.rings[cpu].ring + KTU_PAGE, .sub_bytes = SUB,
		.tid = KTU_NOBODY, .mask = subbufs - 1, .sub_units = units, .last_unit = units - 1, .number = cpu,
	};
}

/* As they are when the process begins. */
static void make_rings(uint32_t subbufs, uint32_t units)
{
	static uint32_t units_before;

	if (file.head.nr_subbufs != subbufs || units_before != units) {
		memset(&fresh, 0, sizeof(fresh));
		for (uint32_t cpu = 0; cpu < SIM_CPUS; cpu++)
			make_lane(cpu, subbufs, units);
		file.head.nr_subbufs = subbufs;
		units_before = units;
	}
	image = fresh;
	memcpy(process.lanes, fresh_lanes, sizeof(fresh_lanes));
	pending_forget();
	free(file.ends);
	file.ends = NULL;
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
		begin_writer(&writers[i], i);
	next_thread = 0;
	while ((w = choose()) && !*sim.problem) {
		run_on(w);
		if (sim.steps > LIMIT)
			wrong("nobody gets on");
	}
	if (!*sim.problem && sim.plan.looks == SIM_MEANWHILE)
		check_total();
	else if (!*sim.problem)
		check();
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
	file = (struct user_file){
		.path = (char *)"image", .map = (const uint8_t *)&image, .bytes = sizeof(image), .sites = sim_read_sites,
		.nr_sites = SIM_SITES, .by_id = by_id, .nr_ids = SIM_SITES + 1,
		.head = { .subbuf_bytes = SUB, .nr_cpus = SIM_CPUS, .ring_stride = sizeof(image.rings[0]) },
	};
	return 0;
}

int sim_drop(void **state)
{
	ktu.recording = false;
	return 0;
}
