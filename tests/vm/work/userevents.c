// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program with libktrace, and one that registers what is wrong.
 *
 *	userevents serve	print "ready", then do as the lines of standard input say:
 *		go N		N events truth:number, n=0 ...; print "done N WRITTEN", WRITTEN by ktrace_counts()
 *		fork N		the same in a child, and wait for it
 *		exec		execute this program again
 *		on		print whether the process is recorded
 *		how		print how this thread writes: "sequences" on rings of CPUs, or "slots"
 *	userevents hostile SEED N	in N children one after the other: random registrations, ends at any moment
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktrace/ktrace.h>

#include "core/abi_user.h"
#include "user/file.h"

/* ------------------------------------------------------------------------ serve */

static void emit(unsigned int n)
{
	struct ktrace_counts counts;

	for (unsigned int i = 0; i < n; i++)
		KTRACE(truth, number, i);
	ktrace_counts(&counts);
	printf("done %u %llu\n", n, counts.recorded + counts.lost);
	fflush(stdout);
}

static void emit_in_child(unsigned int n)
{
	const pid_t pid = fork();

	if (pid == 0) {
		emit(n);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static int serve(char **argv)
{
	char line[64];

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (!strncmp(line, "go ", 3)) {
			emit(atoi(line + 3));
		} else if (!strncmp(line, "fork ", 5)) {
			emit_in_child(atoi(line + 5));
		} else if (!strncmp(line, "on", 2)) {
			puts(ktrace_recording() ? "on" : "off");
			fflush(stdout);
		} else if (!strncmp(line, "how", 3)) {
			puts(ktrace_is_restartable() ? "sequences" : "slots");
			fflush(stdout);
		} else if (!strncmp(line, "exec", 4)) {
			execv("/proc/self/exe", argv);
		}
	}
	KTRACE(truth, quit);
	return 0;
}

/* ------------------------------------------------------------------------ hostile */

static uint64_t state;

static uint64_t roll(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

static uint64_t odd(void)
{
	static const uint64_t odds[] = { 0, 1, 4095, 65535, 65536, INT32_MAX, UINT32_MAX, 1ULL << 47, INT64_MAX, UINT64_MAX };

	return roll(3) ? odds[roll(sizeof(odds) / sizeof(*odds))] : state;
}

#define MEMORY	(KTU_PAGE + 65536 + 4 * (KTU_PAGE + 2 * KTU_SUBBUF_MIN))

/* Mostly right: a header and rings, with some bytes changed. */
static void fill(uint8_t *at)
{
	struct ktu_file *head = (void *)at;

	*head = (struct ktu_file){
		.magic = KTU_MAGIC, .version = KTU_VERSION, .pid = roll(2) ? (uint32_t)getpid() : 1, .subbuf_bytes = KTU_SUBBUF_MIN,
		.nr_subbufs = 2, .nr_cpus = 4, .desc_off = KTU_PAGE, .desc_bytes = 65536, .rings_off = KTU_PAGE + 65536,
		.ring_stride = KTU_PAGE + 2 * KTU_SUBBUF_MIN, .desc_used = 128,
	};
	strcpy(head->program, roll(2) ? "../../hostile" : "truth");
	*(struct ktu_desc *)(at + KTU_PAGE) = (struct ktu_desc){ .magic = KTU_DESC_SITE, .bytes = 64, .id = 1 };
	memcpy(at + KTU_PAGE + sizeof(struct ktu_desc), "truth\0forged\0\0here", 19);
	for (int ring = 0; ring < 4; ring++) {
		uint8_t *control = at + head->rings_off + ring * head->ring_stride;

		*(struct ktu_ring *)control = (struct ktu_ring){ .used = 1, .word = odd() };
		*(struct ktu_packet *)(control + KTU_PAGE) = (struct ktu_packet){ .magic = KTU_PACKET_MAGIC, .cpu = ring };
	}
	for (uint64_t n = roll(20); n; n--)
		at[roll(roll(2) ? sizeof(*head) : MEMORY)] = state >> 40;
}

static int some_memory(void)
{
	static const char *const files[] = { "/dev/null", "/tmp/file", "/dev/shm/file", KT_USER_DEVICE, "/proc/self/mem", "/" };
	const int kind = roll(10);
	int fd;
	void *map;

	if (kind == 0)
		return odd();
	if (kind == 1)
		return open(files[roll(sizeof(files) / sizeof(*files))], O_RDWR | O_CREAT, 0600);
	fd = memfd_create("hostile", MFD_ALLOW_SEALING);
	if (ftruncate(fd, kind == 2 ? 0 : kind == 3 ? roll(10000) : MEMORY) == 0 && kind > 3) {
		map = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (map != MAP_FAILED)
			fill(map);
	}
	if (kind > 4)
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
	return fd;
}

static uint8_t own[4 * 4096] __attribute__((aligned(4096)));

static uint64_t some_address(void)
{
	static uint8_t *shared;

	if (!shared)
		shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	switch (roll(12)) {
	case 0: return odd();
	case 1: return (uintptr_t)shared + roll(4096);
	case 2: return (uintptr_t)"text" + roll(4);
	case 3: return 0xffffffff81000000ULL + roll(1 << 20);
	case 4: return (uintptr_t)&state;
	default: return (uintptr_t)own + roll(sizeof(own));
	}
}

static void step(int fd)
{
	static struct kt_user_site sites[300];
	struct kt_user_register reg = { .size = roll(20) ? sizeof(reg) : odd(), .flags = roll(8) ? 0 : roll(4),
					.reserved = !roll(30) };
	struct kt_user_sites add = {
		.size = roll(20) ? sizeof(add) : odd(), .nr = roll(20) ? roll(300) : odd(),
		.sites = roll(20) ? (uintptr_t)sites : odd(), .part = roll(3),
	};
	struct kt_user_forget forget = { .size = sizeof(forget), .part = roll(4), .reserved = !roll(30) };
	const uint64_t bad = roll(4) ? 0 : 1;

	for (size_t i = 0; i < sizeof(sites) / sizeof(*sites); i++)
		sites[i] = (struct kt_user_site){ .address = bad ? some_address() : (uintptr_t)own + roll(sizeof(own)),
						  .id = bad ? odd() : roll(65536), .reserved = bad && !roll(100) };
	switch (roll(8)) {
	case 0: case 1:
		reg.memory = some_memory();
		ioctl(fd, KT_USER_IOC_REGISTER, &reg);
		if (roll(2))
			close(reg.memory);
		break;
	case 2: case 3: case 4: ioctl(fd, KT_USER_IOC_SITES, &add); break;
	case 5: ioctl(fd, KT_USER_IOC_FORGET, &forget); break;
	case 6: ioctl(fd, roll(2) ? odd() : KT_USER_IOC_SITES + 1000, roll(2) ? odd() : (uintptr_t)&add); break;
	default: mprotect(own + 4096 * roll(4), 4096, roll(2) ? PROT_READ : PROT_READ | PROT_WRITE);
	}
}

static void be_hostile(void)
{
	const int fd = open(KT_USER_DEVICE, O_RDWR);

	if (roll(2))
		close_range(3, roll(2) ? 3 : 100, 0);
	for (uint64_t n = roll(60); n; n--) {
		mprotect(own, sizeof(own), PROT_READ | PROT_WRITE);
		step(fd);
		if (!roll(40))
			munmap(own + 4096, 4096);
		if (!roll(40) && fork() == 0)
			_exit(0);
	}
	usleep(roll(3000));
	if (!roll(4))
		execl("/bin/busybox", "true", NULL);
	if (!roll(3))
		kill(getpid(), SIGKILL);
	_exit(0);
}

static int hostile(uint64_t seed, unsigned int n)
{
	int status;

	signal(SIGCHLD, SIG_DFL);
	for (unsigned int i = 0; i < n; i++) {
		const pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (pid == 0) {
			/* What it maps fixed or writes into may be its own undoing. */
			state = (seed + i + 1) * 0x9e3779b97f4a7c15ULL;
			be_hostile();
		}
		waitpid(pid, &status, 0);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "serve"))
		return serve(argv);
	if (argc == 4 && !strcmp(argv[1], "hostile"))
		return hostile(strtoull(argv[2], NULL, 0), atoi(argv[3]));
	fputs("usage: userevents serve | hostile SEED N\n", stderr);
	return 2;
}
