// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * user_record.c - see user_record.h.
 *
 * The module switches all off when its node is closed, however this program ends, and keeps the memory of processes that end
 * before.  So a round has only to look for processes that are new, and to write those that have ended.
 */
#include "ctl/live/recorder/user_record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/duration.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/trace/user/user_copy.h"
#include "ctl/trace/user/user_event.h"

/* A process that we have switched. */
struct process {
	struct kt_user_entry entry;
	uint32_t changes;		/* when it was switched; 0: a child, which the module has switched */
	bool is_written;
	struct user_base base;
};

struct totals {
	uint64_t processes, events, lost;
};

struct user_recording {
	const struct oneshot *o;
	const char *dir;
	struct registrar registrar;
	struct process *v;
	size_t n;
	uint64_t *ignored;		/* registrations that cannot be switched, or have no such event */
	uint32_t *ignored_changes;	/* as many as they had then */
	size_t nr_ignored;
	bool is_on;
	struct ktu_anchor began;
	int64_t began_ms, ended_ms;
	struct totals totals;		/* of what is written */
};

bool user_record_is(const struct oneshot *o)
{
	return o->events && (user_event_is(o->events) || user_event_is(o->events + (*o->events == '-')) ||
			     strstr(o->events, "," USER_EVENT) || strstr(o->events, ",-" USER_EVENT));
}

static bool check_options(const struct oneshot *o, struct error *err)
{
	bool others = o->bare || o->recording || o->mode || o->nr_specs || o->buffer || o->rotate.bytes || o->rotate.ms ||
		      o->max_bytes || o->caller[0] || o->ctf2 || o->compress || o->no_state || o->tasks.children;

	if (!user_event_are(o->events))
		return error_set(err, STATUS_USAGE, "--events %s: each name must be user:PATTERN, or none: events of the kernel and of processes are recorded by two commands at the same time",
				 o->events);
	for (size_t i = 0; i < o->tasks.n; i++)
		others |= o->tasks.v[i].kind != KT_TASK_TGID;
	return !others || error_set(err, STATUS_USAGE, "record: --events %s goes only with -o, --pid, --for and a command: the process has rings of its own",
				    o->events);
}

/* ------------------------------------------------------------------------ which processes */

static bool is_wanted(const struct oneshot *o, const struct kt_user_entry *entry)
{
	for (size_t i = 0; i < o->tasks.n; i++)
		if (o->tasks.v[i].value[0] == (uint64_t)entry->pid)
			return true;
	return !o->tasks.n || entry->flags & KT_USER_OWN;
}

static struct process *find(struct user_recording *r, uint64_t id)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].entry.id == id)
			return &r->v[i];
	return NULL;
}

static bool is_ignored(const struct user_recording *r, const struct kt_user_entry *entry)
{
	for (size_t i = 0; i < r->nr_ignored; i++)
		if (r->ignored[i] == entry->id && r->ignored_changes[i] == entry->changes)
			return true;
	return false;
}

static void ignore(struct user_recording *r, const struct kt_user_entry *entry)
{
	r->ignored_changes = mem_grow(r->ignored_changes, r->nr_ignored + 1, sizeof(*r->ignored_changes));
	r->ignored = mem_grow(r->ignored, r->nr_ignored + 1, sizeof(*r->ignored));
	r->ignored_changes[r->nr_ignored] = entry->changes;
	r->ignored[r->nr_ignored++] = entry->id;
}

static struct process *add(struct user_recording *r, const struct kt_user_entry *entry)
{
	r->v = mem_grow(r->v, r->n + 1, sizeof(*r->v));
	r->v[r->n] = (struct process){ .entry = *entry };
	return &r->v[r->n++];
}

/* ------------------------------------------------------------------------ writing */

/* Once, and then the module forgets it if it has ended.  What cannot be read concerns only its own events. */
static bool write_one(struct session *s, struct user_recording *r, struct process *process, struct error *err)
{
	struct user_copy copy = { .base = &process->base, .pid = process->entry.pid, .anchors = { r->began, user_anchor() } };
	uint64_t events = 0, lost = 0;
	struct user_file *file;
	struct error why;

	if (process->is_written)
		return true;
	process->is_written = true;
	file = user_event_open(&r->registrar, &process->entry, &copy.fd, &why);
	copy.file = file;
	if (file && user_copy_write(&copy, r->dir, &events, &lost, &why))
		r->totals.processes++;
	else
		session_warn(s, "the events of process %d cannot be read: %s", process->entry.pid, *why.text ? why.text : "it is gone");
	r->totals.events += events;
	r->totals.lost += lost;
	if (file)
		close(copy.fd);
	user_file_close(file);
	return registered_release(&r->registrar, process->entry.id, err) != SWITCH_FAILED;
}

/* ------------------------------------------------------------------------ switching */

/* The ids of the events that are wanted; behind 0, which says that something is on.  The caller frees them. */
static uint32_t *choose(const struct user_file *file, const char *list, size_t *n)
{
	uint32_t *ids = mem_zalloc(file->nr_sites + 1, sizeof(*ids));

	*n = 1;
	for (size_t i = 0; i < file->nr_sites; i++)
		if (user_event_matches(list, &file->sites[i]))
			ids[(*n)++] = file->sites[i].id;
	return ids;
}

/* Where all processes are recorded, one that cannot be concerns only its own events: say it, and go on. */
static bool skip(struct session *s, struct user_recording *r, const struct kt_user_entry *entry, const char *why,
		 struct error *err)
{
	ignore(r, entry);
	if (r->o->tasks.n)
		return error_set(err, STATUS_FAILURE, "process %d is not recorded: %s", entry->pid, why);
	session_warn(s, "process %d is not recorded: %s", entry->pid, why);
	return true;
}

static bool switch_on(struct session *s, struct user_recording *r, const struct kt_user_entry *entry, const struct user_file *file,
		      int fd, struct error *err)
{
	struct process *process = find(r, entry->id);
	struct user_base base = { 0 };
	struct error why;
	size_t n;
	AUTO_FREE uint32_t *ids = choose(file, r->o->events, &n);
	enum switched done = SWITCH_GONE;
	bool ok = true;

	if (n > 1 && !process && !user_base_read(file, fd, &base, &why))
		ok = skip(s, r, entry, why.text, err);
	else if (n > 1)
		done = registered_switch(&r->registrar, entry->id, ids, n, err);
	if (done == SWITCH_BUSY)
		ok = skip(s, r, entry, "another ktrace records it", err);
	if (done == SWITCH_DONE && !process) {
		process = add(r, entry);
		process->base = base;
		base.rings = NULL;
	}
	if (done == SWITCH_DONE)
		process->changes = entry->changes;
	else
		ignore(r, entry);
	free(base.rings);
	return ok && done != SWITCH_FAILED;
}

static bool look_at(struct session *s, struct user_recording *r, const struct kt_user_entry *entry, struct error *err)
{
	struct process *known = find(r, entry->id);
	struct user_file *file;
	struct error why;
	int fd;
	bool ok;

	if (!known && entry->flags & KT_USER_OWN)
		known = add(r, entry);
	if (entry->flags & KT_USER_ENDED)
		return !known || write_one(s, r, known, err);
	if (!is_wanted(r->o, entry) || (known && known->changes == entry->changes) || is_ignored(r, entry))
		return true;
	file = user_event_open(&r->registrar, entry, &fd, &why);
	if (!file)
		return !*why.text || skip(s, r, entry, why.text, err);
	ok = switch_on(s, r, entry, file, fd, err);
	close(fd);
	user_file_close(file);
	return ok;
}

static bool look(struct session *s, struct user_recording *r, struct error *err)
{
	struct registered all;
	bool ok = registered_list(&r->registrar, &all, err);

	for (size_t i = 0; ok && i < all.n; i++)
		ok = look_at(s, r, &all.v[i], err);
	free(all.v);
	return ok;
}

/* ------------------------------------------------------------------------ the course */

static bool has_pid(const struct user_recording *r, uint64_t pid)
{
	for (size_t i = 0; i < r->n; i++)
		if ((uint64_t)r->v[i].entry.pid == pid)
			return true;
	return false;
}

/* Each process that was named must have such an event. */
static bool check_pids(const struct user_recording *r, struct error *err)
{
	for (size_t i = 0; i < r->o->tasks.n; i++) {
		const uint64_t pid = r->o->tasks.v[i].value[0];

		if (!has_pid(r, pid))
			return error_set(err, STATUS_FAILURE, "process %" PRIu64 " has no event that matches '%s': see 'ktrace events -p %" PRIu64 "'",
					 pid, r->o->events, pid);
	}
	return true;
}

static bool arm(struct session *s, struct oneshot *o, void *arg, struct error *err)
{
	struct user_recording *r = arg;

	(void)o;
	r->began = user_anchor();
	r->is_on = true;
	r->began_ms = now_ms();
	return look(s, r, err) && check_pids(r, err);
}

static bool round_once(struct session *s, void *arg, struct progress *progress, struct error *err)
{
	struct user_recording *r = arg;

	(void)progress;
	return !r->is_on || look(s, r, err);
}

static bool disarm(struct session *s, void *arg, struct error *err)
{
	struct user_recording *r = arg;

	(void)s;
	if (!r->is_on)
		return true;
	r->is_on = false;
	r->ended_ms = now_ms();
	for (size_t i = 0; i < r->n; i++)
		if (!r->v[i].is_written && registered_switch(&r->registrar, r->v[i].entry.id, NULL, 0, err) == SWITCH_FAILED)
			return false;
	return true;
}

/* ------------------------------------------------------------------------ the end */

/* Children that the module has switched may have come behind the last look. */
static bool find_children(struct user_recording *r, struct error *err)
{
	struct registered all;

	if (!registered_list(&r->registrar, &all, err))
		return false;
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i].flags & KT_USER_OWN && !find(r, all.v[i].id) &&
		    registered_switch(&r->registrar, all.v[i].id, NULL, 0, err) != SWITCH_FAILED)
			add(r, &all.v[i]);
	free(all.v);
	return true;
}

static void say(struct session *s, const struct user_recording *r)
{
	const struct totals *totals = &r->totals;
	char processes[DURATION_SIZE], events[DURATION_SIZE], lost[DURATION_SIZE], time[DURATION_SIZE];
	struct json j;

	if (s->format != PRINT_JSON) {
		session_note(s, "%s: %s event%s of %s process%s in %s, %s lost: 'ktrace print %s' prints them", r->dir,
			     count_text(totals->events, events), totals->events == 1 ? "" : "s",
			     count_text(totals->processes, processes), totals->processes == 1 ? "" : "es",
			     duration_text((r->ended_ms - r->began_ms) * 1e6, time),
			     totals->lost ? count_text(totals->lost, lost) : "none", r->dir);
		return;
	}
	j = json_typed(s->out, "recorded");
	json_text(&j, "directory", r->dir);
	json_number(&j, "events", totals->events);
	json_number(&j, "lost", totals->lost);
	json_number(&j, "processes", totals->processes);
	json_number(&j, "ms", r->ended_ms - r->began_ms);
	json_end(&j);
}

static bool finish(struct session *s, struct user_recording *r, struct error *err)
{
	if (!find_children(r, err))
		return false;
	for (size_t i = 0; i < r->n; i++)
		if (!write_one(s, r, &r->v[i], err))
			return false;
	if (!r->totals.processes)
		return error_set(err, STATUS_FAILURE, "%s: no process has an event that matches '%s': see 'ktrace events user:*'",
				 r->dir, r->o->events);
	say(s, r);
	return true;
}

/* A directory of its own: files of another recording would be merged with these. */
static bool make_dir(const char *dir, struct error *err)
{
	return !mkdir(dir, 0700) ||
	       error_set(err, STATUS_FAILURE, "%s: %s: give a directory that is not there", dir, strerror(errno));
}

static bool run(struct session *s, struct oneshot *o, struct user_recording *r, struct error *err)
{
	struct oneshot_ops ops = { .arm = arm, .round = round_once, .disarm = disarm, .longest_ms = 20, .everywhere = true, .arg = r };

	return oneshot_measure(s, o, &ops, err) && finish(s, r, err) && session_flush(s, err) &&
	       oneshot_conclude(s, o, NULL, err);
}

bool user_record_run(struct session *s, struct oneshot *o, const char *dir, struct error *err)
{
	struct user_recording r = { .o = o, .dir = dir };
	bool ok;

	if (!check_options(o, err))
		return false;
	if (s->dry_run)
		return true;
	if (!registrar_open(&r.registrar, err))
		return false;
	ok = make_dir(dir, err);
	if (ok) {
		ok = run(s, o, &r, err);
		if (!ok)
			rmdir(dir);
	}
	registrar_close(&r.registrar);
	for (size_t i = 0; i < r.n; i++)
		free(r.v[i].base.rings);
	free(r.v);
	free(r.ignored);
	free(r.ignored_changes);
	return ok;
}
