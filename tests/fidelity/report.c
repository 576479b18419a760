// SPDX-License-Identifier: GPL-2.0-or-later
/* report.c - see report.h. */
#include <signal.h>
#include <string.h>

#include <linux/kernel.h>

#include "report.h"
#include "text.h"
#include "vector.h"

#define SHOWN	16

static const char *const gpr_name[NR_GPR] = {
	"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};

static void print_bytes(FILE *to, const u8 *bytes, unsigned int n, unsigned int width)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		fprintf(to, "%02x ", bytes[i]);
	for (; i < width; i++)
		fprintf(to, "   ");
}

static void print_insn(FILE *to, const char *title, const u8 *bytes, unsigned int n, u64 at)
{
	char text[128];

	if (text_insn(bytes, n, at, text, sizeof(text)) != n)
		snprintf(text, sizeof(text), "(not known to the disassembler)");
	fprintf(to, "  %-10s %012llx: ", title, (unsigned long long)at);
	print_bytes(to, bytes, n, MAX_INSN_SIZE);
	fprintf(to, "%s\n", text);
}

static void print_subject(FILE *to, const struct trial *trial)
{
	unsigned int i;

	for (i = 0; i < trial->subject.count; i++)
		print_insn(to, i ? "" : "in place", trial->subject.bytes + trial->subject.start[i],
			   trial->subject.insn[i].length, trial->at + trial->subject.start[i]);
}

/* Print it as the disassembler shows it. */
static void print_code(FILE *to, const char *title, const u8 *code, unsigned int n, u64 at)
{
	char text[128];
	size_t i, len;

	for (i = 0; i < n; i += len) {
		len = text_insn(code + i, n - i, at + i, text, sizeof(text));
		print_insn(to, i ? "" : title, code + i, len, at + i);
	}
}

/* The rest of a slot is int3. */
static unsigned int used(const struct displaced *displaced)
{
	unsigned int n = displaced->len;

	while (n > 1 && displaced->code[n - 1] == 0xcc)
		n--;
	return n;
}

void report_code(FILE *to, const struct trial *trial, const struct displaced *displaced)
{
	print_subject(to, trial);
	if (displaced)
		print_code(to, "displaced", displaced->code, used(displaced), trial->slot);
}

static void print_word(FILE *to, const char *name, u64 before, u64 a, u64 b)
{
	fprintf(to, "%c %-10s %016llx  %016llx  %016llx\n", a == b ? ' ' : '*', name, (unsigned long long)before,
		(unsigned long long)a, (unsigned long long)b);
}

static void describe_ending(const struct outcome *outcome, char *text, size_t size)
{
	if (!outcome->signal)
		snprintf(text, size, outcome->lost ? "went on at an unknown place" : "went on");
	else
		snprintf(text, size, "SIG%s code %d address %llx (exception %llu, error code %llx)",
			 sigabbrev_np(outcome->signal), outcome->code, (unsigned long long)outcome->address,
			 (unsigned long long)outcome->trap, (unsigned long long)outcome->error);
}

static void print_endings(FILE *to, const struct outcome *a, const struct outcome *b, bool different)
{
	char text[128];

	describe_ending(a, text, sizeof(text));
	fprintf(to, "%c %-10s in place: %s\n", different ? '*' : ' ', "ending", text);
	describe_ending(b, text, sizeof(text));
	fprintf(to, "%c %-10s displaced: %s\n", different ? '*' : ' ', "", text);
}

static void print_stretch(FILE *to, const char *title, const u8 *bytes, int at, int end)
{
	fprintf(to, "             %-10s ", title);
	print_bytes(to, bytes + at, end - at < SHOWN ? end - at : SHOWN, 0);
	fprintf(to, "\n");
}

static void print_memory(FILE *to, const struct result *a, const struct result *b, int at)
{
	fprintf(to, "* memory     from offset 0x%x of the window on\n", at);
	print_stretch(to, "before", window_image(), at, WINDOW_BYTES);
	print_stretch(to, "in place", a->changed ? a->memory : window_image(), at, WINDOW_BYTES);
	print_stretch(to, "displaced", b->changed ? b->memory : window_image(), at, WINDOW_BYTES);
}

static void print_vectors(FILE *to, const struct result *a, const struct result *b, int at)
{
	char name[40];

	vector_name(at, name, sizeof(name));
	fprintf(to, "* vectors    from %s on\n", name);
	print_stretch(to, "in place", a->vectors, at, vector_size);
	print_stretch(to, "displaced", b->vectors, at, vector_size);
}

static void print_segments(FILE *to, const struct state *before, const struct state *a, const struct state *b)
{
	static const char *const name[NR_SELECTORS] = { "ds", "es", "fs", "gs" };
	unsigned int i;

	print_word(to, "fs base", before->fs_base, a->fs_base, b->fs_base);
	print_word(to, "gs base", before->gs_base, a->gs_base, b->gs_base);
	for (i = 0; i < NR_SELECTORS; i++)
		print_word(to, name[i], before->selector[i], a->selector[i], b->selector[i]);
}

void report_states(FILE *to, const struct trial *trial, const struct result *in_place,
		   const struct result *displaced, const struct differences *differences)
{
	const struct state *before = &trial->state, *a = &in_place->outcome.state, *b = &displaced->outcome.state;
	unsigned int i;

	fprintf(to, "             %-16s  %-16s  %s\n", "before", "in place", "displaced");
	for (i = 0; i < NR_GPR; i++)
		print_word(to, gpr_name[i], before->gpr[i], a->gpr[i], b->gpr[i]);
	print_word(to, "rip", trial->at, a->rip, b->rip);
	print_word(to, "flags", before->flags, a->flags, b->flags);
	if (differences->segments)
		print_segments(to, before, a, b);
	print_endings(to, &in_place->outcome, &displaced->outcome, differences->ending);
	if (differences->memory >= 0)
		print_memory(to, in_place, displaced, differences->memory);
	if (differences->vectors >= 0)
		print_vectors(to, in_place, displaced, differences->vectors);
}
