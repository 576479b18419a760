// SPDX-License-Identifier: GPL-2.0-or-later
/* where.c - see where.h. */
#include "ctl/show/look/where.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/resolve/debuginfo.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/base/sheet/sheet.h"
#include "ctl/base/style.h"
#include "ctl/live/session/session.h"
#include "ctl/live/session/session_target.h"

#define TRIES	20
#define LONGEST	192

struct frame {
	char symbol[LONGEST];	/* "ext4:ext4_sync_fs+0x20", as everywhere in ktrace */
	char line[LONGEST];	/* ""; "fs/read_write.c:468" */
};

struct thread {
	const char *root;
	uint64_t pid;
	char state;
	char comm[64];
	uint64_t switches;
	struct frame *frames;
	size_t nr_frames;
};

/* ------------------------------------------------------------------- reading */

static FILE *open_file(const struct thread *t, const char *name)
{
	AUTO_FREE char *path = mem_printf("%s/proc/%" PRIu64 "/%s", t->root, t->pid, name);

	return fopen(path, "re");
}

/* State, name and the number of context switches. */
static bool read_state(struct thread *t)
{
	AUTO_CLOSE FILE *file = open_file(t, "status");
	AUTO_FREE char *line = NULL;
	size_t room = 0;
	uint64_t n;

	t->state = '\0';
	t->switches = 0;
	while (file && getline(&line, &room, file) > 0) {
		if (sscanf(line, "State: %c", &t->state) == 1 || sscanf(line, "Name: %63[^\n]", t->comm) == 1)
			continue;
		if (sscanf(line, "voluntary_ctxt_switches: %" SCNu64, &n) == 1 ||
		    sscanf(line, "nonvoluntary_ctxt_switches: %" SCNu64, &n) == 1)
			t->switches += n;
	}
	return t->state;
}

/* "[<0>] ext4_sync_fs+0x20/0x90 [ext4]" */
static void add_frame(struct thread *t, const char *line)
{
	char name[LONGEST / 2], module[64] = "";
	uint64_t offset;
	struct frame *frame;

	if (sscanf(line, "[<%*x>] %95[^+]+0x%" SCNx64 "/0x%*x [%63[^]]]", name, &offset, module) < 2)
		return;
	t->frames = MEM_MORE(t->frames, t->nr_frames);
	frame = &t->frames[t->nr_frames++];
	*frame = (struct frame){ .line = "" };
	snprintf(frame->symbol, sizeof(frame->symbol), "%s%s%s+0x%" PRIx64, module, *module ? ":" : "", name, offset);
}

static bool read_stack(struct thread *t, struct error *err)
{
	AUTO_CLOSE FILE *file = open_file(t, "stack");
	AUTO_FREE char *line = NULL;
	size_t room = 0;
	int no = file ? 0 : errno;

	t->nr_frames = 0;
	while (file && getline(&line, &room, file) > 0)
		add_frame(t, line);
	if (file && ferror(file))
		no = errno;
	if (!no || no == ESRCH)
		return true;
	if (no == ENOENT)
		return error_set(err, STATUS_FAILURE, "where: this kernel does not show stacks (CONFIG_STACKTRACE)");
	return error_set(err, no == EACCES || no == EPERM ? STATUS_NO_ACCESS : STATUS_FAILURE, "where %" PRIu64 ": %s: run as root",
			 t->pid, strerror(no));
}

static bool may_run(char state)
{
	return state == 'R';
}

static bool has_ended(char state)
{
	return state == 'Z' || state == 'X';
}

/* *known: the stack is that of a thread which stood still meanwhile. */
static bool read_still(struct thread *t, bool *known, struct error *err)
{
	uint64_t before;

	*known = false;
	for (int i = 0; i < TRIES && !*known && !interrupt_pending(); i++) {
		if (!read_state(t))
			return error_set(err, STATUS_FAILURE, "where %" PRIu64 ": no such thread: 'ps -eL' lists them", t->pid);
		if (has_ended(t->state))
			return true;
		before = t->switches;
		if (!may_run(t->state) && !read_stack(t, err))
			return false;
		*known = !may_run(t->state) && read_state(t) && !may_run(t->state) && t->switches == before && t->nr_frames;
		if (!*known)
			interrupt_nap(1);
	}
	return true;
}

/* ------------------------------------------------------------------- showing */

/* The line of the call: the address behind it belongs to the next one. */
static void find_line(struct session *s, const struct target *target, struct frame *frame)
{
	const char *colon = strchr(frame->symbol, ':'), *name = colon ? colon + 1 : frame->symbol, *plus = strchr(name, '+');
	AUTO_FREE char *module = mem_strndup(frame->symbol, colon ? colon - frame->symbol : 0);
	AUTO_FREE char *plain = mem_strndup(name, plus - name);
	const struct sym *const *first;

	if (s->tab && symtab_by_name(s->tab, plain, module, &first) == 1)
		addr_info_line(target, (*first)->addr + strtoull(plus, NULL, 16) - 1, frame->line, sizeof(frame->line));
}

static const char *state_text(char state)
{
	static const struct {
		char state;
		const char *text;
	} rows[] = {
		{ 'R', "runs, or waits for a CPU" }, { 'S', "sleeps" }, { 'D', "sleeps, and signals do not wake it" },
		{ 'T', "is stopped by a signal" }, { 't', "is stopped by a debugger" }, { 'Z', "has ended" }, { 'X', "has ended" },
		{ 'I', "is idle" }, { 'P', "is parked" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].state == state)
			return rows[i].text;
	return "is in a state that ktrace does not know";
}

static const char *why_not(const struct thread *t, bool known)
{
	if (known)
		return NULL;
	return has_ended(t->state) ? "it has none any more" : may_run(t->state) ? "its stack is not known while it runs" :
		"its stack changes too often to be read: try again";
}

static struct sheet frames_of(const struct thread *t, bool known)
{
	struct sheet sheet = { .key = "frames" };

	for (size_t i = 0; known && i < t->nr_frames; i++) {
		const struct frame *frame = &t->frames[i];

		sheet_row(&sheet);
		cell_format(&sheet, NULL, "", "    %s", frame->symbol);
		cell_text(&sheet, NULL, "", frame->line);
		cell_text(&sheet, "symbol", NULL, frame->symbol);
		cell_text(&sheet, "line", NULL, *frame->line ? frame->line : NULL);
	}
	return sheet;
}

static void show(struct session *s, const struct thread *t, bool known)
{
	const char state[] = { t->state, '\0' }, *why = why_not(t, known);
	AUTO_SHEET struct sheet sheet = { .key = "stack" };
	struct sheet frames = frames_of(t, known);

	if (s->format == PRINT_TEXT) {
		style_put(s->out, s->colour, STYLE_NAME, t->comm, 0);
		fprintf(s->out, "  %" PRIu64 "  %s%s%s\n", t->pid, state_text(t->state), why ? ": " : "", why ? why : "");
		sheet_print(&frames, SIZE_MAX, s->out, false);
	} else if (s->format == PRINT_CSV) {
		sheet_csv(&frames, s->out);
	}
	sheet_row(&sheet);
	cell_id(&sheet, "pid", NULL, t->pid);
	cell_text(&sheet, "comm", NULL, t->comm);
	cell_text(&sheet, "state", NULL, state);
	cell_sheet(&sheet, &frames);
	cell_text(&sheet, "why_not", NULL, why);
	if (s->format == PRINT_JSON)
		sheet_write(&sheet, s->format, s->out, false);
}

bool where_show(struct session *s, uint64_t pid, struct error *err)
{
	struct thread t = { .root = s->root ? s->root : "", .pid = pid };
	const struct target target = session_target(s);
	bool known, ok = read_still(&t, &known, err);

	for (size_t i = 0; ok && known && i < t.nr_frames; i++)
		find_line(s, &target, &t.frames[i]);
	if (ok)
		show(s, &t, known);
	free(t.frames);
	return ok;
}
