// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare displaced instructions with the same instructions in place: arch/arm64/kmod/relocate.c, unchanged, in
 * user space.
 *
 *   relocate [--seed N] [--count N]
 *
 * All memory that an instruction may lead to is filled with breakpoints. Every run begins and ends in their
 * signal handler: it sets all registers, and reads them at the next breakpoint. An instruction is run in place,
 * and from slots far before it, near it and far behind it. Each run must end at the same address with the same
 * registers.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <linux/types.h>

#include "encode.h"
#include "insn.h"

#define MIB		(1UL << 20)
#define PLACE_BYTES	(4 * MIB)	/* the range of all branches but b and bl, in both directions */

/* Code is executed here; each has reserved memory of its own. */
static uint8_t *place;			/* the instructions in place: in its middle */
static uint8_t *far_away;		/* only b and bl reach it from there */
static uint8_t *slots[3];

static uint64_t state = 1;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dULL;
}

static uint32_t below(uint32_t n)
{
	return next_random() % n;
}

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
	va_list args;

	fputs("relocate: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

/* ------------------------------------------------------------ one execution */

#define NR_VECTORS	8	/* vector registers to compare */

struct machine {
	uint64_t x[31], sp, pc, flags;
	unsigned __int128 v[NR_VECTORS];
};

static struct machine before, after;
static ucontext_t harness;
static volatile enum { IDLE, START, RUNNING } phase;

static struct fpsimd_context *vectors(ucontext_t *context)
{
	struct _aarch64_ctx *at = (struct _aarch64_ctx *)context->uc_mcontext.__reserved;

	while (at->magic != FPSIMD_MAGIC)
		at = (struct _aarch64_ctx *)((char *)at + at->size);
	return (struct fpsimd_context *)at;
}

static void put_machine(ucontext_t *context, const struct machine *m)
{
	mcontext_t *to = &context->uc_mcontext;

	memcpy(to->regs, m->x, sizeof(m->x));
	to->sp = m->sp;
	to->pc = m->pc;
	to->pstate = (to->pstate & ~0xf0000000UL) | m->flags;
	memcpy(vectors(context)->vregs, m->v, sizeof(m->v));
	/* The records behind may have the longer vectors, of which these are parts. */
	memset(vectors(context) + 1, 0, sizeof(struct _aarch64_ctx));
}

static void get_machine(ucontext_t *context, struct machine *m)
{
	mcontext_t *from = &context->uc_mcontext;

	memcpy(m->x, from->regs, sizeof(m->x));
	m->sp = from->sp;
	m->pc = from->pc;
	m->flags = from->pstate & 0xf0000000;
	memcpy(m->v, vectors(context)->vregs, sizeof(m->v));
}

static void on_trap(int signal, siginfo_t *info, void *arg)
{
	ucontext_t *context = arg;

	if (phase == START && signal == SIGTRAP) {
		harness.uc_mcontext = context->uc_mcontext;
		phase = RUNNING;
		put_machine(context, &before);
	} else if (phase == RUNNING) {
		get_machine(context, &after);
		if (signal != SIGTRAP)
			after.pc |= (uint64_t)signal << 56;	/* the run ends there by a fault */
		phase = IDLE;
		context->uc_mcontext = harness.uc_mcontext;
		context->uc_mcontext.pc += KT_INSN_BYTES;
	} else {
		_Exit(3);
	}
}

static void execute(const void *at)
{
	before.pc = (uintptr_t)at;
	phase = START;
	__asm__ __volatile__("brk #0" ::: "memory");
}

/* -------------------------------------------------------------------- memory */

/* Different breakpoints, so that they are good literals, too. */
static void fill(uint8_t *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += KT_INSN_BYTES) {
		uint32_t trap = KT_BRK(below(0x10000));

		memcpy(at + i, &trap, sizeof(trap));
	}
	__builtin___clear_cache((char *)at, (char *)at + bytes);
}

static uint8_t *code_at(uint8_t *at, size_t bytes)
{
	if (mmap(at, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at)
		die("no memory: %s", strerror(errno));
	fill(at, bytes);
	return at;
}

static void lay_out(void)
{
	uint8_t *room = mmap(NULL, 512 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED)
		die("no room: %s", strerror(errno));
	place = code_at(room + 200 * MIB, PLACE_BYTES);
	far_away = code_at(room + 320 * MIB, MIB);
	slots[0] = code_at(room + 85 * MIB, 8192) + 4096;
	slots[1] = code_at(room + 206 * MIB, 8192) + 4096;
	slots[2] = code_at(room + 315 * MIB, 8192) + 4096;
}

/* ----------------------------------------------------------- the instructions */

/* A branch to any distance of `bits` bits in words, but inside the existing memory. */
static uint32_t field(unsigned int bits, unsigned int shift)
{
	int32_t most = (int32_t)(PLACE_BYTES / 2 / KT_INSN_BYTES) - 2, limit = 1 << (bits - 1);
	int32_t words;

	do {
		words = (int32_t)below(2 * limit) - limit;
	} while (words >= most || words < -most || !words);
	return ((uint32_t)words & ((1U << bits) - 1)) << shift;
}

static uint32_t reg(void)
{
	return below(32);
}

static uint32_t general(void)
{
	return below(31);
}

static uint32_t make_adr(void)
{
	return 0x10000000 | below(2) << 31 | below(4) << 29 | below(1 << 19) << 5 | reg();
}

static uint32_t make_literal(void)
{
	static const uint32_t kinds[] = {
		0x18000000, 0x58000000, 0x98000000, 0xd8000000, 0x1c000000, 0x5c000000, 0x9c000000,
	};
	uint32_t kind = kinds[below(7)];

	return kind | field(19, 5) | (kind & 0x04000000 ? below(NR_VECTORS) : reg());
}

static uint32_t make_b(void)
{
	uint32_t op = below(2) << 31 | 0x14000000;

	if (below(4))
		return op | field(26, 0);
	return op | ((uint32_t)((far_away - (place + PLACE_BYTES / 2)) / KT_INSN_BYTES) + below(MIB / 8));
}

static uint32_t make_conditional(void)
{
	return 0x54000000 | field(19, 5) | below(16);
}

static uint32_t make_compare(void)
{
	return 0x34000000 | below(2) << 31 | below(2) << 24 | field(19, 5) | reg();
}

static uint32_t make_test(void)
{
	return 0x36000000 | below(2) << 31 | below(2) << 24 | below(32) << 19 | field(14, 5) | reg();
}

static uint32_t make_register_branch(void)
{
	static const uint32_t kinds[] = { 0xd61f0000, 0xd63f0000, 0xd65f0000 };

	return kinds[below(3)] | general() << 5;
}

/* An instruction that does not depend on its address is copied unchanged. */
static uint32_t make_arithmetic(void)
{
	static const uint32_t ops[] = {
		0x8b000000, 0xab000000, 0xcb000000, 0xeb000000, 0xca000000, 0x9b000000, 0x9ac00800, 0x9a800000,
	};

	return ops[below(sizeof(ops) / sizeof(ops[0]))] | general() << 16 | general() << 5 | general();
}

/* nop, paciasp, autiasp, bti, isb; mrs and msr of nzcv; add, movz, ubfx with an immediate. */
static uint32_t make_other(void)
{
	static const uint32_t whole[] = { 0xd503201f, 0xd503233f, 0xd50323bf, 0xd503245f, 0xd5033fdf };

	switch (below(4)) {
	case 0:	 return whole[below(sizeof(whole) / sizeof(whole[0]))];
	case 1:	 return 0xd51b4200 | below(2) << 21 | general();
	case 2:	 return 0x91000000 | below(4096) << 10 | general() << 5 | general();
	default: return 0xd3400000 | below(64) << 16 | below(64) << 10 | general() << 5 | general();
	}
}

static const struct {
	const char *name;
	uint32_t (*make)(void);
} kinds[] = {
	{ "adr, adrp", make_adr },	     { "literals", make_literal },   { "b, bl", make_b },
	{ "b.cond", make_conditional },	     { "cbz, cbnz", make_compare },  { "tbz, tbnz", make_test },
	{ "br, blr, ret", make_register_branch }, { "arithmetic", make_arithmetic }, { "others", make_other },
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* --------------------------------------------------------------- comparison */

static void random_machine(uint32_t insn)
{
	static uint8_t stack[8192] __attribute__((aligned(16)));
	uint32_t rn = insn >> 5 & 31;

	for (int i = 0; i < 31; i++)
		before.x[i] = below(4) ? next_random() : below(3) - 1ULL;
	for (int i = 0; i < NR_VECTORS; i++)
		before.v[i] = (unsigned __int128)next_random() << 64 | next_random();
	before.sp = (uintptr_t)stack + 4096;
	before.flags = (uint64_t)below(16) << 28;
	/* Some registers hold addresses of memory. */
	if (insn >> 25 == 0x6b)
		before.x[rn] = (uintptr_t)place + below(PLACE_BYTES / KT_INSN_BYTES) * KT_INSN_BYTES;
}

static const uint8_t *install(uint8_t *slot, const uint8_t *code)
{
	memcpy(slot, code, KT_SLOT_BYTES);
	__builtin___clear_cache((char *)slot, (char *)slot + KT_SLOT_BYTES);
	return slot;
}

/* A far call may change the registers that veneers of the linker use. */
static bool same(const struct machine *in_place, bool far)
{
	if (far)
		after.x[KT_IP0] = in_place->x[KT_IP0];
	return !memcmp(in_place, &after, sizeof(after));
}

static void tell(const char *kind, uint32_t insn, int slot, const struct machine *in_place)
{
	fprintf(stderr, "%s: %08x at %p, slot %d\n", kind, insn, (void *)(place + PLACE_BYTES / 2), slot);
	for (int i = 0; i < 31; i++)
		if (in_place->x[i] != after.x[i])
			fprintf(stderr, "  x%d: in place %#lx, displaced %#lx\n", i, in_place->x[i], after.x[i]);
	for (int i = 0; i < NR_VECTORS; i++)
		if (in_place->v[i] != after.v[i])
			fprintf(stderr, "  v%d: in place %#lx, displaced %#lx (low halves)\n", i, (uint64_t)in_place->v[i],
				(uint64_t)after.v[i]);
	fprintf(stderr, "  pc %#lx, %#lx; sp %#lx, %#lx; flags %lx, %lx\n", in_place->pc, after.pc, in_place->sp, after.sp,
		in_place->flags, after.flags);
}

/* Returns false if relocate.c refuses it. */
static bool try_one(const char *kind, uint32_t insn)
{
	uint8_t *at = place + PLACE_BYTES / 2, code[KT_SLOT_BYTES];
	struct machine in_place;
	uint32_t was;
	unsigned int len;

	random_machine(insn);
	memcpy(&was, at, sizeof(was));
	memcpy(at, &insn, sizeof(insn));
	__builtin___clear_cache((char *)at, (char *)at + sizeof(insn));
	execute(at);
	in_place = after;
	memcpy(at, &was, sizeof(was));
	__builtin___clear_cache((char *)at, (char *)at + sizeof(was));
	for (int i = 0; i < 3; i++) {
		if (kt_arm64_relocate(insn, (uintptr_t)at, (uintptr_t)slots[i], code, &len))
			return false;
		execute(install(slots[i], code));
		if (!same(&in_place, len > 3 * KT_INSN_BYTES || kt_is_b(insn))) {
			tell(kind, insn, i, &in_place);
			exit(1);
		}
	}
	return true;
}

/* ----------------------------------------------------------------- refusals */

static const struct {
	uint32_t insn;
	enum kt_refusal refusal;
	const char *what;
} verdicts[] = {
	{ 0x00000000, KT_REFUSE_TRAP, "udf" },
	{ 0xd4000001, KT_REFUSE_TRAP, "svc" },
	{ 0xd4000002, KT_REFUSE_SYSTEM, "hvc" },
	{ 0xd4000003, KT_REFUSE_SYSTEM, "smc" },
	{ 0xd4210000, KT_REFUSE_TRAP, "brk" },
	{ 0xd4400000, KT_REFUSE_TRAP, "hlt" },
	{ 0xd69f03e0, KT_REFUSE_SYSTEM, "eret" },
	{ 0xd69f0bff, KT_REFUSE_SYSTEM, "eretaa" },
	{ 0xd518c000, KT_REFUSE_SYSTEM, "msr vbar_el1" },
	{ 0xd5182020, KT_REFUSE_SYSTEM, "msr ttbr1_el1" },
	{ 0xd5181000, KT_REFUSE_SYSTEM, "msr sctlr_el1" },
	{ 0xd5184000, KT_REFUSE_SYSTEM, "msr spsr_el1" },
	{ 0xd5184020, KT_REFUSE_SYSTEM, "msr elr_el1" },
	{ 0xd51c1100, KT_REFUSE_SYSTEM, "msr hcr_el2" },
	{ 0xd5100240, KT_REFUSE_SYSTEM, "msr mdscr_el1" },
	{ 0xd50040bf, KT_REFUSE_SYSTEM, "msr spsel" },
	{ 0xd503477f, KT_REFUSE_SYSTEM, "smstart" },
	{ 0xd50342df, KT_REFUSE_NONE, "msr daifset" },
	{ 0xd50342ff, KT_REFUSE_NONE, "msr daifclr" },
	{ 0xd500419f, KT_REFUSE_NONE, "msr pan" },
	{ 0xd51b4220, KT_REFUSE_NONE, "msr daif" },
	{ 0xd53b4220, KT_REFUSE_NONE, "mrs daif" },
	{ 0xd5384240, KT_REFUSE_NONE, "mrs currentel" },
	{ 0xd5184600, KT_REFUSE_NONE, "msr icc_pmr_el1" },
	{ 0xd518d080, KT_REFUSE_NONE, "msr tpidr_el1" },
	{ 0xd50b7e20, KT_REFUSE_NONE, "dc civac" },
	{ 0xd508831f, KT_REFUSE_NONE, "tlbi vmalle1is" },
	{ 0xd503207f, KT_REFUSE_NONE, "wfi" },
	{ 0xd503205f, KT_REFUSE_NONE, "wfe" },
	{ 0xd50324df, KT_REFUSE_NONE, "bti jc" },
	{ 0xd50320ff, KT_REFUSE_NONE, "xpaclri" },
	{ 0xd50324ff, KT_REFUSE_UNKNOWN_INSN, "pacm" },
	{ 0xd5033fdf, KT_REFUSE_NONE, "isb" },
	{ 0xd5033bbf, KT_REFUSE_NONE, "dmb ish" },
	{ 0xd50330ff, KT_REFUSE_NONE, "sb" },
	{ 0xd503305f, KT_REFUSE_NONE, "clrex" },
	{ 0xd503307f, KT_REFUSE_UNKNOWN_INSN, "tcommit" },
	{ 0xc85f7c20, KT_REFUSE_EXCLUSIVE, "ldxr" },
	{ 0xc85ffc20, KT_REFUSE_EXCLUSIVE, "ldaxr" },
	{ 0xc8007c20, KT_REFUSE_EXCLUSIVE, "stxr" },
	{ 0xc87f0820, KT_REFUSE_EXCLUSIVE, "ldxp" },
	{ 0xc8200820, KT_REFUSE_EXCLUSIVE, "stxp" },
	{ 0x085f7c20, KT_REFUSE_EXCLUSIVE, "ldxrb" },
	{ 0xc8dffc20, KT_REFUSE_NONE, "ldar" },
	{ 0xc89ffc20, KT_REFUSE_NONE, "stlr" },
	{ 0xc8a07c41, KT_REFUSE_NONE, "cas" },
	{ 0x48207c82, KT_REFUSE_NONE, "casp" },
	{ 0xf8200041, KT_REFUSE_NONE, "ldadd" },
	{ 0x19010440, KT_REFUSE_UNKNOWN_INSN, "cpyfp" },
	{ 0xd63f03c0, KT_REFUSE_UNKNOWN_INSN, "blr x30" },
	{ 0xd73f0bc1, KT_REFUSE_UNKNOWN_INSN, "blraa x30, x1" },
	{ 0xd73f083e, KT_REFUSE_UNKNOWN_INSN, "blraa x1, x30" },
	{ 0xd73f0822, KT_REFUSE_NONE, "blraa x1, x2" },
	{ 0xd61f083f, KT_REFUSE_NONE, "braaz x1" },
	{ 0xd65f0bff, KT_REFUSE_NONE, "retaa" },
	{ 0x5500001f, KT_REFUSE_UNKNOWN_INSN, "retaasppc" },
	{ 0xf380001f, KT_REFUSE_UNKNOWN_INSN, "autiasppc" },
	{ 0xdac1a3fe, KT_REFUSE_UNKNOWN_INSN, "paciasppc" },
	{ 0xdac10041, KT_REFUSE_NONE, "pacia" },
	{ 0xdc000000, KT_REFUSE_UNKNOWN_INSN, "a literal of no kind" },
	{ 0x02000000, KT_REFUSE_UNDECODABLE, "unallocated" },
	{ 0x66000000, KT_REFUSE_UNDECODABLE, "unallocated" },
	{ 0x74000000, KT_REFUSE_UNKNOWN_INSN, "compare and branch of two registers" },
};

static int wrong_verdicts(void)
{
	uint8_t code[KT_SLOT_BYTES];
	unsigned int len;
	int wrong = 0;

	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		enum kt_refusal got = kt_arm64_relocate(verdicts[i].insn, 0x10000000, 0x10100000, code, &len);

		if (got == verdicts[i].refusal)
			continue;
		fprintf(stderr, "%s (%08x): refusal %d where %d is expected\n", verdicts[i].what, verdicts[i].insn, got,
			verdicts[i].refusal);
		wrong++;
	}
	return wrong;
}

/* From beyond the range of a branch or adrp, none may be accepted. */
static int wrong_ranges(void)
{
	uint8_t code[KT_SLOT_BYTES];
	unsigned int len;

	return kt_arm64_relocate(KT_NOP, 0x20000000, 0x10000000, code, &len) != KT_REFUSE_RANGE ||
	       kt_arm64_relocate(0x90000000, 0x200000000, 0x10000000, code, &len) != KT_REFUSE_RANGE;
}

/* -------------------------------------------------------------------- main */

static void listen(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
	static const int signals[] = { SIGTRAP, SIGSEGV, SIGBUS, SIGILL };

	sigaltstack(&stack, NULL);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

int main(int argc, char **argv)
{
	unsigned long count = 200000, done[NR_KINDS] = { 0 };

	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seed"))
			state = strtoull(argv[i + 1], NULL, 0) * 2 + 1;
		else if (!strcmp(argv[i], "--count"))
			count = strtoul(argv[i + 1], NULL, 0);
		else
			die("usage: relocate [--seed N] [--count N]");
	}
	if (wrong_verdicts() + wrong_ranges())
		die("wrong verdicts");
	lay_out();
	listen();
	for (unsigned long i = 0; i < count; i++)
		done[i % NR_KINDS] += try_one(kinds[i % NR_KINDS].name, kinds[i % NR_KINDS].make());
	for (size_t i = 0; i < NR_KINDS; i++)
		printf("%-14s %lu as in place, from 3 slots each\n", kinds[i].name, done[i]);
	return 0;
}
