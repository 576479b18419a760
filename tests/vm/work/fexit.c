// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Observe the returns of kernel functions by BPF programs at their exit, to compare with ktrace:
 *
 *   fexit can FILE			which functions in FILE, a line each (NAME or MODULE:NAME), allow that?
 *   fexit values FILE ARM COMMAND...	print the values that they return in a process that runs COMMAND
 *   fexit times FILE ARM COMMAND...	print how long their calls take there, in nanoseconds, one call in each
 * 					thread at a time; no other process gets its CPU while it can run
 *   fexit call COUNT			let the kernel call its bpf_fentry_test1(), which only adds one, COUNT times
 *
 * The process of COMMAND waits while half of the programs are attached, `ARM PID` runs, and the others are
 * attached: all are ready before its first call. Its output goes to standard error. Only its calls are counted.
 * Lines:
 *
 *   can NAME BYTES			the size of its return value, 0: none
 *   cannot NAME REASON
 *   value NAME HEX COUNT		COUNT calls returned this value, in the width of its type
 *   missed NAME COUNT			calls without a program: one was running on that CPU, or there was no room
 *   time NAME COUNT TOTAL LEAST UNPAIRED
 *
 * Exit status 77: this kernel has no such programs.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "btf.h"

#define MAX_FUNCTIONS	4096
#define MAX_MODULES	32
#define MAX_VALUES	(1U << 18)	/* different values of all functions */
#define MAX_THREADS	4096
#define MAX_ARGS	6		/* arguments in registers: BPF allows no more */

struct function {
	char name[128], module[64];
	const char *why_not;
	uint32_t id;
	int btf_fd;	/* the types of its module */
	int width, nr_args;
	int exit_fd;
};

static struct function functions[MAX_FUNCTIONS];
static size_t nr_functions;
static char log_text[65536];

static void __attribute__((noreturn)) give_up(const char *what, int status)
{
	fprintf(stderr, "fexit: %s: %s\n%s", what, strerror(errno), log_text);
	exit(status);
}

/* ------------------------------------------------------------------------- functions */

static bool in_kernel(const struct function *f)
{
	return strcmp(f->module, "vmlinux") == 0;
}

static void say(const char *what, const struct function *f)
{
	printf("%s %s%s%s", what, in_kernel(f) ? "" : f->module, in_kernel(f) ? "" : ":", f->name);
}

static void read_functions(const char *path)
{
	FILE *file = fopen(path, "r");
	char word[128];

	if (!file)
		give_up(path, 1);
	while (nr_functions < MAX_FUNCTIONS && fscanf(file, "%127s", word) == 1) {
		struct function *f = &functions[nr_functions++];
		const char *colon = strchr(word, ':');

		snprintf(f->module, sizeof(f->module), "%.*s", colon ? (int)(colon - word) : 63, colon ? word : "vmlinux");
		snprintf(f->name, sizeof(f->name), "%s", colon ? colon + 1 : word);
		f->why_not = "no-type";
	}
	fclose(file);
}

static int by_module_and_name(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	int order = strcmp(x->module, y->module);

	return order ? order : strcmp(x->name, y->name);
}

static const char *unfit(struct function *f, const struct btf *btf, const struct btf_type *type)
{
	const struct btf_type *proto = btf_type(btf, type->type);
	const struct btf_param *params = (const void *)(proto + 1);

	f->width = btf_width(btf, proto->type);
	f->nr_args = BTF_INFO_VLEN(proto->info);
	if (f->width < 0)
		return "returns-no-scalar";
	if (f->nr_args > MAX_ARGS)
		return "too-many-arguments";
	for (int i = 0; i < f->nr_args; i++)
		if (btf_width(btf, params[i].type) <= 0)
			return "argument-is-no-scalar";
	return NULL;
}

static void find_in(const struct btf *btf, const char *module, int fd)
{
	struct function key, *f;

	snprintf(key.module, sizeof(key.module), "%s", module);
	for (uint32_t i = 0; i < btf->nr_types; i++) {
		if (BTF_INFO_KIND(btf->types[i]->info) != BTF_KIND_FUNC)
			continue;
		snprintf(key.name, sizeof(key.name), "%s", btf_string(btf, btf->types[i]->name_off));
		f = bsearch(&key, functions, nr_functions, sizeof(key), by_module_and_name);
		if (!f)
			continue;
		f->why_not = f->id ? "twice-in-types" : unfit(f, btf, btf->types[i]);
		f->id = btf->types_from + i;
		f->btf_fd = fd;
	}
}

/* A descriptor of a module's types; 0: there are none. */
static int module_types(const char *module)
{
	uint32_t id = 0;

	for (;;) {
		struct bpf_btf_info info = { 0 };
		char name[64] = "";
		union bpf_attr next = { .start_id = id };
		union bpf_attr open_it, ask;
		int fd;

		if (bpf(BPF_BTF_GET_NEXT_ID, &next))
			return 0;
		id = next.next_id;
		open_it = (union bpf_attr){ .btf_id = id };
		fd = bpf(BPF_BTF_GET_FD_BY_ID, &open_it);
		if (fd < 0)
			continue;
		info.name = (uintptr_t)name;
		info.name_len = sizeof(name);
		ask = (union bpf_attr){ .info = { .bpf_fd = fd, .info_len = sizeof(info), .info = (uintptr_t)&info } };
		if (bpf(BPF_OBJ_GET_INFO_BY_FD, &ask) == 0 && info.kernel_btf && strcmp(name, module) == 0)
			return fd;
		close(fd);
	}
}

static void find_functions(const char *path)
{
	static struct btf kernel, modules[MAX_MODULES];
	const char *last = "vmlinux";
	size_t n = 0;

	read_functions(path);
	qsort(functions, nr_functions, sizeof(functions[0]), by_module_and_name);
	if (!btf_read(&kernel, "vmlinux", NULL))
		give_up("/sys/kernel/btf/vmlinux", 77);
	find_in(&kernel, "vmlinux", 0);
	for (size_t i = 0; i < nr_functions; i++) {
		if (in_kernel(&functions[i]) || strcmp(functions[i].module, last) == 0 || n == MAX_MODULES)
			continue;
		last = functions[i].module;
		if (btf_read(&modules[n], last, &kernel))
			find_in(&modules[n++], last, module_types(last));
	}
}

/* -------------------------------------------------------------------------- programs */

#define INSN(c, d, s, o, i)	{ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }
#define MOVE(d, s)		INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define SET(d, i)		INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define PLACE(d, off)		MOVE(d, 10), INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, off)	/* on the stack */
#define LOAD(d, s, off)		INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, off, 0)
#define STORE(d, off, s)	INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, off, 0)
#define STORE_NUMBER(d, off, i)	INSN(BPF_ST | BPF_MEM | BPF_DW, d, 0, off, i)
#define ADD_TO(d, off, s)	INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, off, BPF_ADD)
#define MAP(d, fd)		INSN(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_FD, 0, fd), INSN(0, 0, 0, 0, 0)
#define CALL(function)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, function)
#define IF_ZERO(r, o)		INSN(BPF_JMP | BPF_JEQ | BPF_K, r, 0, o, 0)
#define IF_OTHER(r, i, o)	INSN(BPF_JMP | BPF_JNE | BPF_K, r, 0, o, i)
#define SKIP(o)			INSN(BPF_JMP | BPF_JA, 0, 0, o, 0)
#define EXIT()			SET(0, 0), INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define LENGTH(code)		(sizeof(code) / sizeof((code)[0]))

static int make_map(enum bpf_map_type type, uint32_t key, uint32_t value, uint32_t entries)
{
	union bpf_attr attr = { .map_type = type, .key_size = key, .value_size = value, .max_entries = entries };
	int fd = bpf(BPF_MAP_CREATE, &attr);

	if (fd < 0)
		give_up("map", 77);
	return fd;
}

static int load(const struct function *f, const struct bpf_insn *code, size_t n, enum bpf_attach_type type)
{
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_TRACING, .insns = (uintptr_t)code, .insn_cnt = n, .license = (uintptr_t)"GPL",
		.attach_btf_id = f->id, .attach_btf_obj_fd = f->btf_fd, .expected_attach_type = type,
	};
	int fd = bpf(BPF_PROG_LOAD, &attr);

	if (fd >= 0)
		return fd;
	/* Repeat, to get the reason. */
	attr.log_buf = (uintptr_t)log_text;
	attr.log_size = sizeof(log_text);
	attr.log_level = 1;
	return bpf(BPF_PROG_LOAD, &attr);
}

static int attach(const struct function *f, const struct bpf_insn *code, size_t n, enum bpf_attach_type type)
{
	union bpf_attr link = { .raw_tracepoint = { .name = 0 } };
	int fd = load(f, code, n, type);

	if (fd < 0)
		give_up(f->name, 1);
	link.raw_tracepoint.prog_fd = fd;
	if (bpf(BPF_RAW_TRACEPOINT_OPEN, &link) < 0)
		give_up(f->name, 1);
	return fd;
}

/* ---------------------------------------------------------------------------- values */

struct key {
	uint32_t function, none;
	uint64_t value;
};

static int values, full;	/* maps: count by struct key; count of values without room, by function */

/* Load the return value in the width of its type; the arguments precede it. */
static struct bpf_insn load_value(const struct function *f)
{
	struct bpf_insn load = LOAD(1, 6, f->nr_args * 8), none = SET(1, 0);

	return f->width ? load : none;
}

/* Cut it to its width; the verifier does not allow that for a pointer. */
static struct bpf_insn cut_value(const struct function *f)
{
	struct bpf_insn cut = INSN(BPF_ALU64 | BPF_AND | BPF_K, 1, 0, 0, f->width == 1 ? 0xff : 0xffff);
	struct bpf_insn half = INSN(BPF_ALU | BPF_MOV | BPF_X, 1, 1, 0, 0), whole = SKIP(0);

	return f->width == 4 ? half : f->width == 1 || f->width == 2 ? cut : whole;
}

static void watch_values(struct function *f, pid_t pid)
{
	const struct bpf_insn code[] = {
		MOVE(6, 1),
		CALL(BPF_FUNC_get_current_pid_tgid),
		INSN(BPF_ALU64 | BPF_RSH | BPF_K, 0, 0, 0, 32),
		IF_OTHER(0, pid, 33),
		load_value(f),
		cut_value(f),
		STORE(10, -8, 1),
		STORE_NUMBER(10, -16, f - functions),
		STORE_NUMBER(10, -24, 0),
		PLACE(2, -16), MAP(1, values),
		CALL(BPF_FUNC_map_lookup_elem),
		IF_OTHER(0, 0, 20),
		PLACE(2, -16), PLACE(3, -24), SET(4, BPF_NOEXIST), MAP(1, values),
		CALL(BPF_FUNC_map_update_elem),
		/* Another CPU may have added the key first. */
		PLACE(2, -16), MAP(1, values),
		CALL(BPF_FUNC_map_lookup_elem),
		IF_OTHER(0, 0, 6),
		PLACE(2, -16), MAP(1, full),
		CALL(BPF_FUNC_map_lookup_elem),
		IF_ZERO(0, 2),
		SET(1, 1),
		ADD_TO(0, 0, 1),
		EXIT(),
	};

	f->exit_fd = attach(f, code, LENGTH(code), BPF_TRACE_FEXIT);
}

static uint64_t look_up(int map, const void *key)
{
	uint64_t value = 0;
	union bpf_attr attr = { .map_fd = map, .key = (uintptr_t)key, .value = (uintptr_t)&value };

	return bpf(BPF_MAP_LOOKUP_ELEM, &attr) ? 0 : value;
}

/* Calls during which a program of this function was already running on that CPU. */
static uint64_t met(int program)
{
	struct bpf_prog_info info = { 0 };
	union bpf_attr attr = { .info = { .bpf_fd = program, .info_len = sizeof(info), .info = (uintptr_t)&info } };

	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &attr))
		give_up("misses", 1);
	return info.recursion_misses;
}

static void tell_values(void)
{
	struct key key, next;
	union bpf_attr attr = { .map_fd = values, .next_key = (uintptr_t)&next };

	while (bpf(BPF_MAP_GET_NEXT_KEY, &attr) == 0) {
		key = next;
		attr.key = (uintptr_t)&key;
		say("value", &functions[key.function]);
		printf(" %016llx %llu\n", (unsigned long long)key.value, (unsigned long long)look_up(values, &key));
	}
	for (uint32_t i = 0; i < nr_functions; i++) {
		say("missed", &functions[i]);
		printf(" %llu\n", (unsigned long long)(met(functions[i].exit_fd) + look_up(full, &i)));
	}
}

/* ----------------------------------------------------------------------------- times */

struct sums {
	uint64_t count, total, least, unpaired;
};

static int began, sums;		/* maps: the begin of each thread's call; struct sums of each function */

static void watch_times(struct function *f, pid_t pid)
{
	const struct bpf_insn entry[] = {
		CALL(BPF_FUNC_get_current_pid_tgid),
		STORE(10, -8, 0),
		INSN(BPF_ALU64 | BPF_RSH | BPF_K, 0, 0, 0, 32),
		IF_OTHER(0, pid, 10),
		CALL(BPF_FUNC_ktime_get_ns),
		STORE(10, -16, 0),
		PLACE(2, -8), PLACE(3, -16), SET(4, BPF_ANY), MAP(1, began),
		CALL(BPF_FUNC_map_update_elem),
		EXIT(),
	};
	const struct bpf_insn exit[] = {
		CALL(BPF_FUNC_ktime_get_ns),
		MOVE(6, 0),
		CALL(BPF_FUNC_get_current_pid_tgid),
		STORE(10, -8, 0),
		INSN(BPF_ALU64 | BPF_RSH | BPF_K, 0, 0, 0, 32),
		IF_OTHER(0, pid, 31),
		STORE_NUMBER(10, -16, f - functions),
		PLACE(2, -16), MAP(1, sums),
		CALL(BPF_FUNC_map_lookup_elem),
		IF_ZERO(0, 24),
		MOVE(7, 0),
		PLACE(2, -8), MAP(1, began),
		CALL(BPF_FUNC_map_lookup_elem),
		IF_OTHER(0, 0, 3),
		SET(1, 1),
		ADD_TO(7, 24, 1),
		SKIP(14),
		LOAD(1, 0, 0),
		INSN(BPF_ALU64 | BPF_SUB | BPF_X, 6, 1, 0, 0),
		SET(1, 1),
		ADD_TO(7, 0, 1),
		ADD_TO(7, 8, 6),
		LOAD(1, 7, 16),
		IF_ZERO(1, 1),
		INSN(BPF_JMP | BPF_JGE | BPF_X, 6, 1, 1, 0),
		STORE(7, 16, 6),
		PLACE(2, -8), MAP(1, began),
		CALL(BPF_FUNC_map_delete_elem),
		EXIT(),
	};

	attach(f, exit, LENGTH(exit), BPF_TRACE_FEXIT);
	attach(f, entry, LENGTH(entry), BPF_TRACE_FENTRY);
}

static void tell_times(void)
{
	for (uint32_t i = 0; i < nr_functions; i++) {
		struct sums of = { 0 };
		union bpf_attr attr = { .map_fd = sums, .key = (uintptr_t)&i, .value = (uintptr_t)&of };

		bpf(BPF_MAP_LOOKUP_ELEM, &attr);
		say("time", &functions[i]);
		printf(" %llu %llu %llu %llu\n", (unsigned long long)of.count, (unsigned long long)of.total,
		       (unsigned long long)of.least, (unsigned long long)of.unpaired);
	}
}

/* ---------------------------------------------------------------------- what is asked */

/* Wait until the process sleeps, and a little longer: then all its calls are behind the gate. */
static void wait_asleep(pid_t pid)
{
	char path[64], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (state != 'S') {
		FILE *file = fopen(path, "r");

		if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
			give_up(path, 1);
		fclose(file);
		usleep(20000);
	}
}

/*
 * A process that waits for a byte at its gate. With is_first, no other process gets its CPU while it can run.
 */
static pid_t held(char **argv, bool is_first, int *gate)
{
	const struct sched_param least = { .sched_priority = 1 };
	int ends[2];
	pid_t pid;
	char go;

	if (pipe(ends))
		give_up("pipe", 1);
	pid = fork();
	if (pid < 0)
		give_up("fork", 1);
	if (pid == 0) {
		dup2(2, 1);
		close(ends[1]);
		if (is_first && sched_setscheduler(0, SCHED_FIFO, &least))
			_exit(126);
		if (read(ends[0], &go, 1) == 1)
			execvp(argv[0], argv);
		_exit(127);
	}
	close(ends[0]);
	*gate = ends[1];
	wait_asleep(pid);
	return pid;
}

static void run(const char *program, pid_t pid)
{
	char number[16];
	int status;
	pid_t child;

	snprintf(number, sizeof(number), "%d", pid);
	child = fork();
	if (child == 0) {
		execlp(program, program, number, NULL);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		give_up(program, 1);
}

static int watch(char **argv, void (*attach_to)(struct function *f, pid_t pid), void (*tell)(void))
{
	int gate, status;
	pid_t pid;

	find_functions(argv[0]);
	for (size_t i = 0; i < nr_functions; i++) {
		if (functions[i].why_not)
			give_up(functions[i].name, 1);
	}
	values = make_map(BPF_MAP_TYPE_HASH, sizeof(struct key), 8, MAX_VALUES);
	full = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, MAX_FUNCTIONS);
	began = make_map(BPF_MAP_TYPE_HASH, 8, 8, MAX_THREADS);
	sums = make_map(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct sums), MAX_FUNCTIONS);
	pid = held(argv + 2, tell == tell_times, &gate);
	for (size_t i = 0; i < nr_functions; i += 2)
		attach_to(&functions[i], pid);
	run(argv[1], pid);
	for (size_t i = 1; i < nr_functions; i += 2)
		attach_to(&functions[i], pid);
	if (write(gate, "g", 1) != 1 || waitpid(pid, &status, 0) != pid)
		give_up("the command", 1);
	tell();
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static const char *refusal(const struct function *f)
{
	const struct bpf_insn nothing[] = { EXIT() };
	int fd = load(f, nothing, LENGTH(nothing), BPF_TRACE_FEXIT);

	if (fd < 0)
		return "refused-by-BPF";
	close(fd);
	return NULL;
}

static int can(const char *path)
{
	find_functions(path);
	for (size_t i = 0; i < nr_functions; i++) {
		struct function *f = &functions[i];

		if (!f->why_not)
			f->why_not = refusal(f);
		say(f->why_not ? "cannot" : "can", f);
		if (f->why_not)
			printf(" %s\n", f->why_not);
		else
			printf(" %d\n", f->width);
	}
	return 0;
}

/* A test run of a program lets the kernel call its test functions; bpf_fentry_test1() is the first. */
static int call(unsigned long count)
{
	const struct bpf_insn nothing[] = { EXIT() };
	union bpf_attr attr;
	struct btf kernel;
	int fd;

	strcpy(functions[0].name, "bpf_fentry_test1");
	strcpy(functions[0].module, "vmlinux");
	nr_functions = 1;
	if (!btf_read(&kernel, "vmlinux", NULL))
		give_up("/sys/kernel/btf/vmlinux", 77);
	find_in(&kernel, "vmlinux", 0);
	fd = load(&functions[0], nothing, LENGTH(nothing), BPF_TRACE_FENTRY);
	if (fd < 0)
		give_up("bpf_fentry_test1", 77);
	while (count--) {
		attr = (union bpf_attr){ .test = { .prog_fd = fd } };
		if (bpf(BPF_PROG_TEST_RUN, &attr))
			give_up("calling", 1);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "can") == 0)
		return can(argv[2]);
	if (argc == 3 && strcmp(argv[1], "call") == 0)
		return call(strtoul(argv[2], NULL, 0));
	if (argc >= 5 && strcmp(argv[1], "values") == 0)
		return watch(argv + 2, watch_values, tell_values);
	if (argc >= 5 && strcmp(argv[1], "times") == 0)
		return watch(argv + 2, watch_times, tell_times);
	fputs("usage: fexit can FILE | values FILE ARM COMMAND... | times FILE ARM COMMAND... | call COUNT\n", stderr);
	return 2;
}
