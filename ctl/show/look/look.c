// SPDX-License-Identifier: GPL-2.0-or-later
/* look.c - see look.h. */
#include "ctl/show/look/look.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/base/device/desc.h"
#include "ctl/ask/expr/expr_int.h"
#include "ctl/ask/lang/compile.h"
#include "ctl/ask/lang/option.h"
#include "ctl/base/device/memory_read.h"
#include "ctl/live/session/session_target.h"
#include "symbols/index/type.h"

/* -------------------------------------------------------------------- tasks */

/* Where struct task_struct and struct signal_struct have what leads to a task. */
struct task_layout {
	uint64_t tasks, pid, tgid, thread_node, signal, thread_head;
};

#define MOST_TASKS	(4 << 20)	/* the kernel's own limit of pids */

static bool member_at(struct look *look, const char *composite, const char *name, uint64_t *offset, struct error *err)
{
	const struct dbindex *ix;
	struct type_member member;
	uint32_t number;

	if (!vars_type(&look->vars, composite, &ix, &number, err))
		return false;
	if (!type_member(ix, number, name, &member))
		return error_set(err, STATUS_FAILURE, "%s of this kernel has no member '%s'", composite, name);
	*offset = member.bit_offset / 8;
	return true;
}

static bool find_layout(struct look *look, struct task_layout *t, struct error *err)
{
	return member_at(look, "struct task_struct", "tasks", &t->tasks, err) &&
	       member_at(look, "struct task_struct", "pid", &t->pid, err) &&
	       member_at(look, "struct task_struct", "tgid", &t->tgid, err) &&
	       member_at(look, "struct task_struct", "thread_node", &t->thread_node, err) &&
	       member_at(look, "struct task_struct", "signal", &t->signal, err) &&
	       member_at(look, "struct signal_struct", "thread_head", &t->thread_head, err);
}

static bool read_word(const struct look *look, uint64_t addr, uint64_t *out)
{
	return memory_read(look->memory, addr, out, sizeof(*out));
}

static bool has_number(const struct look *look, uint64_t task, uint64_t at, uint64_t pid)
{
	uint32_t number;

	return memory_read(look->memory, task + at, &number, sizeof(number)) && number == pid;
}

/* The task of a ring of struct list_head with this number at `number`; head is not part of a task.  0: there is none. */
static uint64_t find_in_ring(const struct look *look, uint64_t head, uint64_t node_at, uint64_t number, uint64_t pid)
{
	uint64_t node;

	if (!read_word(look, head, &node))
		return 0;
	for (int i = 0; node != head && i < MOST_TASKS; i++) {
		if (has_number(look, node - node_at, number, pid))
			return node - node_at;
		if (!read_word(look, node, &node))
			return 0;
	}
	return 0;
}

/* The id of the process of a thread.  0: there is no such thread. */
static uint64_t process_of(uint64_t pid)
{
	AUTO_FREE char *path = mem_printf("/proc/%" PRIu64 "/status", pid), *line = NULL;
	AUTO_CLOSE FILE *file = fopen(path, "re");
	uint64_t tgid = 0;
	size_t room = 0;

	while (file && !tgid && getline(&line, &room, file) > 0)
		sscanf(line, "Tgid: %" SCNu64, &tgid);
	return tgid;
}

/* Another thread of the process. */
static uint64_t find_thread(const struct look *look, const struct task_layout *t, uint64_t leader, uint64_t pid)
{
	uint64_t signal;

	if (has_number(look, leader, t->pid, pid))
		return leader;
	if (!read_word(look, leader + t->signal, &signal))
		return 0;
	return find_in_ring(look, signal + t->thread_head, t->thread_node, t->pid, pid);
}

/* The list may change while it is read: then the task may be missed, so try again. */
static uint64_t find_task(const struct look *look, const struct task_layout *t, uint64_t init, uint64_t pid)
{
	const uint64_t tgid = process_of(pid);
	uint64_t leader, task = 0;

	for (int tries = 0; tgid && !task && tries < 3; tries++) {
		leader = find_in_ring(look, init + t->tasks, t->tasks, t->tgid, tgid);
		task = leader ? find_thread(look, t, leader, pid) : 0;
	}
	return task;
}

static bool task_address(void *arg, uint64_t *addr, struct error *err)
{
	struct look *look = arg;
	const uint64_t pid = look->pid ? look->pid : (uint64_t)getpid();
	const struct sym *const *init;
	struct task_layout layout;

	if (!find_layout(look, &layout, err))
		return false;
	if (!symtab_by_name(look->target.tab, "init_task", "", &init))
		return error_set(err, STATUS_FAILURE, "show: this kernel does not list init_task, which leads to the tasks");
	*addr = find_task(look, &layout, (*init)->addr, pid);
	return *addr || error_set(err, STATUS_FAILURE, "show --pid %" PRIu64 ": no such thread: 'ps -eL' lists them", pid);
}

bool look_same_task(struct look *look, struct error *err)
{
	uint64_t at;

	if (!look->machine.current || !look->pid)
		return true;
	if (!member_at(look, "struct task_struct", "pid", &at, err))
		return false;
	return has_number(look, look->machine.current, at, look->pid) ||
	       error_set(err, STATUS_FAILURE, "show --pid %" PRIu64 ": the thread has ended meanwhile", look->pid);
}

/* --------------------------------------------------------------------- open */

void look_open(struct look *look, struct session *s, uint64_t pid)
{
	*look = (struct look){ .s = s, .pid = pid, .target = session_target(s), .dev = s->dev };
	/* per_cpu() needs it; the module may not be loaded. */
	if (!s->connected)
		look->dev.hello.nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	look->target.dev = &look->dev;
	look->nowhere.name = mem_strdup("show");
	vars_init(&look->vars, &look->target, &look->nowhere);
	/* No place in the code: there are no local variables. */
	look->vars.opened = true;
	error_set(&look->vars.why, STATUS_FAILURE, "local ones exist only at a tracepoint");
	look->machine = (struct machine){ .task = task_address, .arg = look };
}

static bool need_memory(struct look *look, struct error *err)
{
	if (look->memory)
		return true;
	look->memory = memory_open(look->s->root ? look->s->root : "", err);
	look->machine.memory = look->memory;
	if (look->memory)
		memory_of_process(look->memory, look->pid);
	return look->memory;
}

void look_close(struct look *look)
{
	memory_close(look->memory);
	vars_free(&look->vars);
	probe_point_free(&look->nowhere);
}

/* The first name of an expression may be a variable of a module: then its types are known, too. */
static void choose_module(struct look *look, const char *text)
{
	const struct sym *const *first;
	size_t len;

	while (*text && !isalpha((unsigned char)*text) && *text != '_')
		text++;
	for (len = 0; isalnum((unsigned char)text[len]) || text[len] == '_'; len++)
		;
	AUTO_FREE char *module = mem_strndup(text, text[len] == ':' ? len : 0);
	AUTO_FREE char *name = mem_strndup(text + (*module ? len + 1 : 0),
					   *module ? strcspn(text + len + 1, " .-[)+") : len);
	look->nowhere.sym = look->target.tab && symtab_by_name(look->target.tab, name, *module ? module : NULL, &first) ? *first : NULL;
}

/* ------------------------------------------------------------------- values */

static struct expr *resolved(struct look *look, const char *text, struct error *err)
{
	const struct expr_names names = { .arch = &arch_native, .tab = look->target.tab, .vars = &look->vars };
	size_t used;
	struct expr *e;

	choose_module(look, text);
	e = expr_parse("show", text, &used, err);
	if (e && (!text[used] || expr_error(err, "show", text, used, "the expression ends here")) &&
	    expr_resolve(e, "show", text, &names, err))
		return e;
	expr_free(e);
	return NULL;
}

static bool compile_item(struct look *look, struct compiler *c, const struct look_item *item, struct error *err)
{
	AUTO_EXPR struct expr *e = resolved(look, item->text, err);

	return e && compile_value(c, item->name, e, err);
}

/* As VAR does: a label may stand before the expression, a form behind it. */
static bool compile_typed(struct look *look, struct compiler *c, const char *text, struct error *err)
{
	struct option_row row = *option_find("VAR");
	size_t used;

	row.name = "show";
	choose_module(look, text);
	if (!option_expression_length(&row, text, &used, err))
		return false;
	if (text[used])
		return expr_error(err, "show", text, used, "the expression ends here");
	return row.encode(c, &row, text, look->target.tab, err);
}

static bool compile_items(struct look *look, struct desc *desc, const struct look_item *items, size_t n, struct error *err)
{
	struct compiler c = { .arch = &arch_native, .vars = &look->vars, .desc = desc };
	bool ok = true;

	if (n == 1 && items->name == items->text)
		ok = compile_typed(look, &c, items->text, err);
	else
		for (size_t i = 0; ok && i < n; i++)
			ok = compile_item(look, &c, &items[i], err);
	if (ok)
		return compile_finish(&c, err);
	compile_drop(&c);
	return false;
}

bool look_values(struct look *look, const struct look_item *items, size_t n, struct looked *out, struct error *err)
{
	int bytes = -1;

	out->desc = mem_zalloc(1, sizeof(*out->desc));
	out->desc->name = mem_strdup("show");
	if (compile_items(look, out->desc, items, n, err) && need_memory(look, err))
		bytes = machine_run(&look->machine, out->desc->prog, out->desc->prog_len, out->payload, err);
	if (bytes < 0) {
		looked_free(out);
		return false;
	}
	out->record = (struct record){ .type = RECORD_HIT, .desc = out->desc, .payload = out->payload, .payload_len = bytes };
	return true;
}

void looked_free(struct looked *looked)
{
	desc_free(looked->desc);
	looked->desc = NULL;
}

/* ------------------------------------------------------------ objects, types */

/* A value of eight bytes. */
static bool word_of(struct look *look, const char *text, uint64_t *out, struct error *err)
{
	AUTO_FREE char *cast = mem_printf("(u64)(%s)", text);
	const struct look_item item = { "address", cast };
	struct looked value;
	size_t mask;

	if (!look_values(look, &item, 1, &value, err))
		return false;
	mask = desc_mask(value.desc);
	memcpy(out, value.payload + mask, sizeof(*out));
	for (size_t i = 0; i < mask; i++)
		mask = value.payload[i] ? 0 : mask;
	if (!mask && desc_mask(value.desc))
		*out = 0;
	looked_free(&value);
	return *out || error_set(err, STATUS_FAILURE, "show %s: it is not readable, or NULL", text);
}

bool look_object(struct look *look, const char *text, uint64_t *addr, const struct dbindex **ix, uint32_t *number,
		 char *spelling, size_t size, struct error *err)
{
	AUTO_EXPR struct expr *e = resolved(look, text, err);
	AUTO_FREE char *address = NULL;
	struct expr_type type;
	bool is_object;

	if (!e)
		return false;
	is_object = !e->type.stars && e->type.shape == SHAPE_COMPOSITE;
	type = is_object ? e->type : e->type.stars == 1 ? expr_target(e->type) : (struct expr_type){ 0 };
	if (type.shape != SHAPE_COMPOSITE || type.stars || !type.ix)
		return error_set(err, STATUS_USAGE, "show %s: neither a struct nor a pointer to one: cast it", text);
	*ix = type.ix;
	*number = type.number;
	expr_spell(type, spelling, size);
	address = is_object ? mem_printf("&(%s)", text) : mem_strdup(text);
	return word_of(look, address, addr, err);
}

bool look_type(struct look *look, const char *name, const struct dbindex **ix, uint32_t *number, char *spelling, size_t size,
	       struct error *err)
{
	snprintf(spelling, size, "%s", name);
	if (vars_type(&look->vars, name, ix, number, NULL))
		return true;
	snprintf(spelling, size, "struct %s", name);
	if (!strchr(name, ' ') && vars_type(&look->vars, spelling, ix, number, NULL))
		return true;
	return vars_type(&look->vars, name, ix, number, err);
}
