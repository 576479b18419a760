// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_flow.c - print the changes of control of one thread, line by line: docs/report.md. */
#include <inttypes.h>
#include <stdlib.h>

#include "ctl/base/duration.h"
#include "ctl/base/escape.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/style.h"
#include "ctl/show/report/trace_report.h"

#define NS_PER_S	1e9

/* In JSON and CSV, and for people. */
static const struct {
	const char *key, *text;
} doings[NR_DOINGS] = {
	[DOING_USER] = { "user", "user" },
	[DOING_CALL] = { "syscall", "system call" },
	[DOING_FAULT] = { "fault", "page fault" },
	[DOING_IRQ] = { "irq", "interrupt" },
	[DOING_SOFTIRQ] = { "softirq", "softirq" },
	[DOING_KERNEL] = { "other_kernel", "kernel" },
	[DOING_EITHER] = { "user_or_kernel", "user or kernel" },
	[DOING_WAIT_CPU] = { "wait_cpu", "waits for a CPU" },
	[DOING_WAIT_IO] = { "wait_io", "waits for I/O" },
	[DOING_BLOCKED] = { "blocked", "blocked" },
	[DOING_SLEEP] = { "sleep", "asleep" },
	[DOING_STOPPED] = { "stopped", "stopped" },
	[DOING_DEAD] = { "dead", "dead" },
	[DOING_UNKNOWN] = { "unknown", "not known" },
	[DOING_IDLE] = { "idle", "idle" },
};

const char *trace_doing_key(enum doing doing)
{
	return doings[doing].key;
}

const char *trace_doing_text(enum doing doing)
{
	return doings[doing].text;
}

static char *task_text(const struct analysis *a, const struct task *task)
{
	const char *name = names_text(&a->names, task->name);

	return mem_printf("%s (%d)", name ? name : "?", task->tid);
}

static char *work_text(const struct analysis *a, const struct work *work)
{
	const char *kind = trace_work_kind(work), *name = trace_work_name(a, work);

	if (name)
		return mem_printf("%s %s", kind, name);
	return work->number >= 0 ? mem_printf("%s %" PRId64, kind, work->number) : mem_strdup(kind);
}

char *trace_agent_text(const struct analysis *a, const struct agent *agent)
{
	switch (agent->kind) {
	case AGENT_TASK:
		return task_text(a, a->tasks[agent->number]);
	case AGENT_WORK:
		return work_text(a, &a->works[agent->number]);
	default:
		return mem_strdup(agent->kind == AGENT_IDLE ? "idle" : "?");
	}
}

/* What the step is named: the system call, the interrupt.  NULL: it has no name.  The caller frees it. */
static char *step_name(const struct analysis *a, const struct flow_step *step)
{
	if (step->on_cpu && step->in.kind == AGENT_WORK)
		return trace_agent_text(a, &step->in);
	return step->name ? mem_strdup(names_text(&a->names, step->name)) : NULL;
}

static double ns_behind(const struct trace_report *r, uint64_t ticks)
{
	return (double)(ticks - r->a->zero) * r->ns_per_tick;
}

/* ------------------------------------------------------------------------ text */

static void print_more(const struct analysis *a, const struct flow_step *step, FILE *out)
{
	const bool woken = step->woken_by.kind != AGENT_UNKNOWN;
	const struct agent *agent = woken ? &step->woken_by : &step->in;
	AUTO_FREE char *who = trace_agent_text(a, agent);

	if (step->on_cpu || agent->kind == AGENT_UNKNOWN)
		return;
	fprintf(out, "  (%s %s, CPU %u)", woken ? "woken by" : "next:", escape_shown(who), agent->cpu);
}

static void print_step(const struct flow_printer *p, const struct flow_step *step)
{
	const struct trace_report *r = p->r;
	AUTO_FREE char *name = step_name(r->a, step);
	char text[DURATION_SIZE], cpu[16] = "-";

	if (step->on_cpu)
		snprintf(cpu, sizeof(cpu), "%u", step->cpu);
	fprintf(p->out, "%15.9f  %10s  %4s  %*s", ns_behind(r, step->from) / NS_PER_S,
		duration_text((step->to - step->from) * r->ns_per_tick, text), cpu, 2 * (int)step->depth, "");
	style_put(p->out, r->colour, step->on_cpu ? STYLE_NAME : STYLE_DIM,
		  step->in.kind == AGENT_WORK && step->on_cpu ? name : doings[step->doing].text, 0);
	if (name && !(step->in.kind == AGENT_WORK && step->on_cpu))
		fprintf(p->out, " %s", escape_shown(name));
	print_more(r->a, step, p->out);
	fputc('\n', p->out);
}

static void print_heading(const struct flow_printer *p)
{
	style_set(p->out, p->r->colour, STYLE_DIM);
	fprintf(p->out, "%15s  %10s  %4s\n", "begins (s)", "takes", "cpu");
	style_set(p->out, p->r->colour, STYLE_PLAIN);
}

/* ------------------------------------------------------------------ JSON and CSV */

static void put_agent(struct json *j, const struct analysis *a, const char *key, const struct agent *agent)
{
	AUTO_FREE char *text = trace_agent_text(a, agent);

	json_text(j, key, agent->kind == AGENT_UNKNOWN ? NULL : text);
}

static void put_step(const struct flow_printer *p, const struct flow_step *step)
{
	const struct trace_report *r = p->r;
	AUTO_FREE char *name = step_name(r->a, step);
	const struct agent none = { .kind = AGENT_UNKNOWN };
	struct json j = { .out = p->out };

	json_open(&j, NULL);
	json_text(&j, "type", "flow");
	json_number(&j, "v", TRACE_REPORT_VERSION);
	json_time(&j, "at_ns", ns_behind(r, step->from));
	json_time(&j, "for_ns", (step->to - step->from) * r->ns_per_tick);
	if (step->on_cpu)
		json_number(&j, "cpu", step->cpu);
	else
		json_null(&j, "cpu");
	json_number(&j, "depth", step->depth);
	json_text(&j, "doing", doings[step->doing].key);
	json_text(&j, "name", name);
	put_agent(&j, r->a, "next", step->on_cpu ? &none : &step->in);
	put_agent(&j, r->a, "woken_by", &step->woken_by);
	json_end(&j);
}

static void print_field(FILE *out, const char *text)
{
	fputs(",\"", out);
	escape_csv(out, text);
	fputc('"', out);
}

static void print_values(const struct flow_printer *p, const struct flow_step *step)
{
	const struct trace_report *r = p->r;
	AUTO_FREE char *name = step_name(r->a, step);
	AUTO_FREE char *woken = step->woken_by.kind ? trace_agent_text(r->a, &step->woken_by) : mem_strdup("");

	fprintf(p->out, "%.3f,%.3f,", ns_behind(r, step->from), (step->to - step->from) * r->ns_per_tick);
	if (step->on_cpu)
		fprintf(p->out, "%u", step->cpu);
	fprintf(p->out, ",%u,%s", step->depth, doings[step->doing].key);
	print_field(p->out, name ? name : "");
	print_field(p->out, woken);
	fputc('\n', p->out);
}

void flow_print(void *arg, const struct flow_step *step)
{
	static void (*const formats[])(const struct flow_printer *p, const struct flow_step *step) = {
		[PRINT_TEXT] = print_step, [PRINT_JSON] = put_step, [PRINT_CSV] = print_values,
	};
	struct flow_printer *p = arg;

	if (!p->begun && p->format == PRINT_TEXT)
		print_heading(p);
	if (!p->begun && p->format == PRINT_CSV)
		fputs("at_ns,for_ns,cpu,depth,doing,name,woken_by\n", p->out);
	p->begun = true;
	formats[p->format](p, step);
}
