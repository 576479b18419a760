// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attach BPF programs to the entry and the return of a kernel function while a command runs; print how often
 * each ran:
 *
 *   fentry FUNCTION COMMAND...
 *
 * Exit status 77: this kernel does not support it.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "btf.h"

static char log_text[65536];

static void __attribute__((noreturn)) give_up(const char *what)
{
	fprintf(stderr, "fentry: %s: %s\n%s", what, strerror(errno), log_text);
	exit(77);
}

static uint32_t find_function(const char *name)
{
	struct btf kernel;

	if (!btf_read(&kernel, "vmlinux", NULL))
		give_up("/sys/kernel/btf/vmlinux");
	for (uint32_t i = 0; i < kernel.nr_types; i++) {
		const struct btf_type *type = kernel.types[i];

		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC && strcmp(btf_string(&kernel, type->name_off), name) == 0)
			return kernel.types_from + i;
	}
	errno = ENOENT;
	give_up(name);
}

static int make_map(void)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 2 };
	int fd = bpf(BPF_MAP_CREATE, &attr);

	if (fd < 0)
		give_up("map");
	return fd;
}

static uint64_t read_map(int map, uint32_t key)
{
	uint64_t value = 0;
	union bpf_attr attr = { .map_fd = map, .key = (uintptr_t)&key, .value = (uintptr_t)&value };

	bpf(BPF_MAP_LOOKUP_ELEM, &attr);
	return value;
}

/* A program that adds one to the map's element. */
static int attach(int map, uint32_t key, uint32_t function, enum bpf_attach_type type)
{
	struct bpf_insn code[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = 10, .off = -4, .imm = key },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 2, .src_reg = 10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 2, .imm = -4 },
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_FD, .imm = map },
		{ 0 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_map_lookup_elem },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = 0, .off = 2 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 1, .imm = 1 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = 0, .src_reg = 1, .imm = BPF_ADD },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_TRACING, .insns = (uintptr_t)code, .insn_cnt = sizeof(code) / sizeof(code[0]),
		.license = (uintptr_t)"GPL", .log_buf = (uintptr_t)log_text, .log_size = sizeof(log_text), .log_level = 1,
		.attach_btf_id = function, .expected_attach_type = type,
	};
	union bpf_attr link = { .raw_tracepoint = { .name = 0 } };
	int fd = bpf(BPF_PROG_LOAD, &load);

	if (fd < 0)
		give_up("program");
	link.raw_tracepoint.prog_fd = fd;
	fd = bpf(BPF_RAW_TRACEPOINT_OPEN, &link);
	if (fd < 0)
		give_up("attaching");
	return fd;
}

int main(int argc, char **argv)
{
	uint32_t function;
	int map, status;

	if (argc < 3) {
		fputs("usage: fentry FUNCTION COMMAND...\n", stderr);
		return 2;
	}
	function = find_function(argv[1]);
	map = make_map();
	attach(map, 0, function, BPF_TRACE_FENTRY);
	attach(map, 1, function, BPF_TRACE_FEXIT);
	if (fork() == 0) {
		dup2(2, 1);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	wait(&status);
	printf("%llu %llu\n", (unsigned long long)read_map(map, 0), (unsigned long long)read_map(map, 1));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
