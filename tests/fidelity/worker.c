// SPDX-License-Identifier: GPL-2.0-or-later
/* worker.c - run a share of the trials. See worker.h. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <linux/kernel.h>

#include "cpu.h"
#include "directed.h"
#include "machine.h"
#include "worker.h"

#define TRIALS_A_FILL		256	/* this many trials use the same random memory */
#define MAX_PLANT_TRIALS	2000000

static struct progress *current;
static struct judgement judgement;

/* ------------------------------------------------------------------- set-up */

/* Each worker stays on its CPU: some instructions return the CPU's number. */
static void pin(unsigned int id)
{
	cpu_set_t allowed, one;
	int cpu, left;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	left = id % CPU_COUNT(&allowed);
	for (cpu = 0; !CPU_ISSET(cpu, &allowed) || left--; cpu++)
		;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/*
 * Turn a system call from below 4 GiB, or by a 32-bit gate, into a signal: the code under test may do anything.
 */
static bool forbid_system_calls(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = ARRAY_SIZE(rules), .filter = rules };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

void worker_crashed(int signal, u64 rip)
{
	char text[160];
	int n = snprintf(text, sizeof(text), "fidelity: the harness itself got signal %d at %llx in trial %llu\n",
			 signal, (unsigned long long)rip, (unsigned long long)current->number);

	if (write(STDERR_FILENO, text, n) < 0)
		_exit(1);
}

static int start(const struct run *run, unsigned int id, struct progress *progress)
{
	const char *lacks;

	current = progress;
	pin(id);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lacks = machine_init(window_create(), WINDOW_BYTES);
	if (!lacks)
		lacks = cpu_init();
	if (!lacks && !forbid_system_calls())
		lacks = "system calls of the code under test cannot be forbidden (seccomp)";
	progress->lacks = lacks;
	if (lacks)
		return WORKER_SKIPPED;
	cpu_fill_vectors(run->seed);
	return 0;
}

/* ------------------------------------------------------------------- trials */

static void carry_out(const struct run *run, u64 number, const struct plant *plant, struct trial *trial)
{
	static u64 filled = ~0ull;

	memset(trial, 0, sizeof(*trial));
	trial->number = current->number = number;
	rng_seed(&trial->rng, run->seed, number);
	if (filled != number / TRIALS_A_FILL) {
		filled = number / TRIALS_A_FILL;
		window_fill(run->seed, filled);
	}
	judgement.verdict = VERDICT_UNDECODABLE;
	judgement.executed = false;
	judgement.why = NULL;
	if (!source_choose(&run->sources, trial))
		return;
	memcpy(current->bytes, trial->subject.bytes, sizeof(current->bytes));
	judge(trial, plant, &judgement);
}

static void show(FILE *to, const struct trial *trial, const char *title)
{
	fprintf(to, "%s: trial %llu, %s", title, (unsigned long long)trial->number, trial->method->name);
	if (trial->directed)
		fprintf(to, " (%s)", trial->directed->what);
	fprintf(to, "%s%s\n", judgement.why ? ": " : "", judgement.why ? judgement.why : "");
	if (judgement.verdict == VERDICT_UNDECODABLE)
		return;
	report_code(to, trial, judgement.refusal ? NULL : &judgement.displaced);
	if (judgement.executed)
		report_states(to, trial, &judgement.in_place, &judgement.moved, &judgement.differences);
	fprintf(to, "\n");
}

int worker_run(const struct run *run, unsigned int id, struct progress *progress, FILE *to)
{
	u64 share = run->count / run->workers + (id < run->count % run->workers), number;
	struct trial trial;
	int status = start(run, id, progress);

	if (status)
		return status;
	/* Every run has all directed trials, however small it is. */
	for (number = id; progress->tally.executed < share || number < source_nr_directed(); number += run->workers) {
		carry_out(run, number, NULL, &trial);
		tally_count(&progress->tally, &trial, &judgement);
		if (judgement.verdict == VERDICT_DIFFERENT && progress->findings_shown < run->show) {
			progress->findings_shown++;
			show(to, &trial, "difference");
		}
		window_unpatch();
	}
	return 0;
}

int worker_show(const struct run *run, u64 number, struct progress *progress, FILE *to)
{
	static const char *const verdict[] = {
		[VERDICT_SAME] = "the same", [VERDICT_TOLERATED] = "different, and accepted",
		[VERDICT_UNSTABLE] = "not the same twice", [VERDICT_DIFFERENT] = "different",
		[VERDICT_REFUSED] = "refused", [VERDICT_EXCLUDED] = "excluded",
		[VERDICT_UNDECODABLE] = "no instruction",
	};
	struct trial trial;
	int status = start(run, 0, progress);

	if (status)
		return status;
	carry_out(run, number, NULL, &trial);
	show(to, &trial, verdict[judgement.verdict]);
	if (judgement.verdict == VERDICT_REFUSED)
		fprintf(to, "%s\n", displace_refusal(judgement.refusal));
	return judgement.verdict == VERDICT_DIFFERENT;
}

/* ----------------------------------------------------------------- self-test */

/* Without the fault there must be no difference. */
static bool is_right_without(const struct run *run, u64 number)
{
	struct trial trial;

	carry_out(run, number, NULL, &trial);
	window_unpatch();
	return judgement.verdict == VERDICT_SAME;
}

/* The number of trials with the planted fault until it was found; 0: it was not found. */
static u64 hunt(const struct run *run, const struct plant *plant)
{
	struct run here = *run;
	struct trial trial;
	u64 number, planted = 0;

	here.sources.method = &displace_methods[plant->method];
	for (number = 0; number < MAX_PLANT_TRIALS; number++) {
		carry_out(&here, number, plant, &trial);
		window_unpatch();
		planted += judgement.executed;
		if (judgement.verdict == VERDICT_DIFFERENT && judgement.executed &&
		    is_right_without(&here, number))
			return planted;
	}
	return 0;
}

int worker_self_test(const struct run *run, struct progress *progress, FILE *to)
{
	unsigned int i, found = 0;
	int status = start(run, 0, progress);

	if (status)
		return status;
	for (i = 0; i < nr_plants; i++) {
		const char *method = displace_methods[plants[i].method].name;
		u64 trials = hunt(run, &plants[i]);

		found += trials != 0;
		if (trials)
			fprintf(to, "found in case %-6llu %s: %s\n", (unsigned long long)trials, method, plants[i].what);
		else
			fprintf(to, "NOT FOUND            %s: %s\n", method, plants[i].what);
	}
	fprintf(to, "self-test: %u wrong relocations planted, %u found\n", nr_plants, found);
	return found != nr_plants;
}
