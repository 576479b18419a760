// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print the kernel functions that a process calls while a command runs, as the kernel's function tracer sees
 * them:
 *
 *   called COMMAND...
 *
 * A line for each function: CALLS ADDRESS. The command's output goes to standard error. Exit status 77: there
 * is no function tracer.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACING	"/sys/kernel/tracing/"
#define KIB_PER_CPU	"131072"

static void __attribute__((noreturn)) give_up(const char *what, int status)
{
	fprintf(stderr, "called: %s: %s\n", what, strerror(errno));
	exit(status);
}

static void set(const char *file, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), TRACING "%s", file);
	fd = open(path, O_WRONLY | O_TRUNC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		give_up(path, 77);
	close(fd);
}

/* ------------------------------------------------------------------------ counting */

#define SLOTS	(1U << 17)	/* more than there are functions */

static struct slot {
	uint64_t address, calls;
} slots[SLOTS];

static void count(uint64_t address)
{
	size_t at = (address * 0x9e3779b97f4a7c15) >> 40;

	while (slots[at % SLOTS].address && slots[at % SLOTS].address != address)
		at++;
	slots[at % SLOTS].address = address;
	slots[at % SLOTS].calls++;
}

/* The record of the function tracer: TRACE_FN, its first type. */
struct function_entry {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	uint64_t ip, parent_ip;
};

enum { PADDING = 29, TIME_EXTEND, TIME_STAMP };	/* include/linux/ring_buffer.h; smaller values are lengths */

/* Count the events of a sub-buffer: it has a time, the length of its events, and the events. */
static void count_page(const char *page)
{
	uint64_t len = *(const uint64_t *)(page + 8) & 0xfffff;
	const char *at = page + 16, *end = at + len;

	while (at < end) {
		const uint32_t *head = (const uint32_t *)at;
		uint32_t type = *head & 31, size = type * 4;
		const struct function_entry *entry = (const void *)(head + 1);

		if (type == PADDING || type == 0) {
			size = head[1];
			entry = (const void *)(head + 2);
		} else if (type >= TIME_EXTEND) {
			size = 4;
		}
		if (type < PADDING && entry->type == 1)
			count(entry->ip);
		at += 4 + size;
	}
}

static void count_cpu(int cpu)
{
	static char page[65536];
	char path[128];
	int fd;

	snprintf(path, sizeof(path), TRACING "per_cpu/cpu%d/trace_pipe_raw", cpu);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		give_up(path, 1);
	while (read(fd, page, getpagesize()) > 0)
		count_page(page);
	close(fd);
}

/* Fail if events were lost: no page has them. */
static void all_there(int cpu)
{
	char path[128], line[256];
	unsigned long long lost;
	FILE *file;

	snprintf(path, sizeof(path), TRACING "per_cpu/cpu%d/stats", cpu);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		if ((sscanf(line, "overrun: %llu", &lost) == 1 || sscanf(line, "dropped events: %llu", &lost) == 1) && lost) {
			fprintf(stderr, "called: %llu calls were lost on CPU %d\n", lost, cpu);
			exit(1);
		}
	}
	if (file)
		fclose(file);
}

int main(int argc, char **argv)
{
	int cpus = sysconf(_SC_NPROCESSORS_CONF), gate[2], status;
	char number[16], go;
	pid_t pid;

	if (argc < 2) {
		fputs("usage: called COMMAND...\n", stderr);
		return 2;
	}
	if (pipe(gate))
		give_up("pipe", 1);
	pid = fork();
	if (pid == 0) {
		dup2(2, 1);
		close(gate[1]);
		if (read(gate[0], &go, 1) == 1)
			execvp(argv[1], argv + 1);
		_exit(127);
	}
	set("buffer_size_kb", KIB_PER_CPU);
	snprintf(number, sizeof(number), "%d", pid);
	set("set_ftrace_pid", number);
	set("current_tracer", "function");
	if (write(gate[1], "g", 1) != 1 || waitpid(pid, &status, 0) != pid)
		give_up("the command", 1);
	set("tracing_on", "0");
	for (int cpu = 0; cpu < cpus; cpu++) {
		all_there(cpu);
		count_cpu(cpu);
	}
	set("current_tracer", "nop");
	set("set_ftrace_pid", " ");
	set("buffer_size_kb", "1408");
	set("tracing_on", "1");
	for (size_t i = 0; i < SLOTS; i++)
		if (slots[i].calls)
			printf("%llu %016llx\n", (unsigned long long)slots[i].calls, (unsigned long long)slots[i].address);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
