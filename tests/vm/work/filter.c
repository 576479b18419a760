// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter COUNT: attach a filter to a socket, send it COUNT packets, and check that each has the length that the filter computes.
 * Without its compiler for filters (sysctl net.core.bpf_jit_enable=0) the kernel interprets the filter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <linux/filter.h>

static struct sock_filter code[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
	BPF_STMT(BPF_MISC | BPF_TAX, 0),
	BPF_STMT(BPF_ALU | BPF_MUL | BPF_K, 7),
	BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0),
	BPF_STMT(BPF_ST, 3),
	BPF_STMT(BPF_ALU | BPF_XOR | BPF_K, 0x55),
	BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 300, 0, 1),
	BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, 100),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 4, 1, 0),
	BPF_STMT(BPF_ALU | BPF_OR | BPF_K, 2),
	BPF_STMT(BPF_LDX | BPF_MEM, 3),
	BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0),
	BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 1),
	BPF_STMT(BPF_ALU | BPF_MOD | BPF_K, 31),
	BPF_STMT(BPF_ALU | BPF_ADD | BPF_K, 1),
	BPF_STMT(BPF_RET | BPF_A, 0),
};

static unsigned int expected(unsigned int length)
{
	unsigned int sum = length * 7 + length, a = sum ^ 0x55, result;

	if (a > 300)
		a -= 100;
	if (!(a & 4))
		a |= 2;
	result = ((a + sum) >> 1) % 31 + 1;
	return result < length ? result : length;
}

int main(int argc, char **argv)
{
	const struct sock_fprog program = { sizeof(code) / sizeof(*code), code };
	char packet[128] = "";
	int ends[2];

	if (argc != 2 || socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) ||
	    setsockopt(ends[1], SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program))) {
		perror("filter");
		return 1;
	}
	for (long i = 0, count = atol(argv[1]); i < count; i++) {
		const unsigned int length = i % sizeof(packet) + 1;
		ssize_t got;

		if (send(ends[0], packet, length, 0) != (ssize_t)length) {
			perror("send");
			return 1;
		}
		got = recv(ends[1], packet, sizeof(packet), 0);
		if (got != (ssize_t)expected(length)) {
			fprintf(stderr, "filter: %zd of %u bytes instead of %u\n", got, length, expected(length));
			return 1;
		}
	}
	return 0;
}
