// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Do things with known values, and print these values as one JSON object: ktrace must find the same values in
 * the kernel. Must be root, on CPU 1, with the loopback device up.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <linux/openat2.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FIRST	4321	/* bytes: the test recognises its calls by this count */
#define REFUSED	4322
#define PWRITE	4323
#define AS_USER	4324
#define MAPPED	((void *)0x12340000)

static const char text[8192] = "a text of the user's";
static FILE *out;
static char *said;
static size_t said_len;

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "values: %s: %s\n", what, strerror(errno));
	exit(1);
}

#define OK(call)	check((call), #call)

static void say(const char *name, int64_t value)
{
	fprintf(out, ",\n\"%s\":%" PRId64, name, value);
}

static void say_text(const char *name, const char *value)
{
	fprintf(out, ",\n\"%s\":\"%s\"", name, value);
}

/* The first line of a file. */
static const char *line_of(const char *path)
{
	static char line[4096];
	FILE *file = fopen(path, "re");

	OK(file && fgets(line, sizeof(line), file));
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

/* --------------------------------------------------------------------- task */

static void caught(int number)
{
}

static void set_task(void)
{
	struct rlimit files = { 123, 456 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(1, &cpus);
	OK(!sched_setaffinity(0, sizeof(cpus), &cpus));
	OK(!setpriority(PRIO_PROCESS, 0, 7));
	OK(!setrlimit(RLIMIT_NOFILE, &files));
	OK(!setpgid(0, 0));
	OK(!sethostname("truth-host", 10));
	OK(!setresgid(44, 45, 46));
	umask(027);
	signal(SIGUSR1, caught);
	OK(mkdir("/tmp/values-dir", 0755) == 0 && chdir("/tmp/values-dir") == 0);
}

static void say_task(void)
{
	struct utsname name;

	uname(&name);
	say("pid", getpid());
	say("ppid", getppid());
	say("tid", gettid());
	say("cpu", sched_getcpu());
	say("nice", getpriority(PRIO_PROCESS, 0));
	say("umask", 027);
	say("brk", (intptr_t)sbrk(0));
	say("pgrp", getpgrp());
	say("handler", (intptr_t)caught);
	say_text("release", name.release);
	say_text("nodename", name.nodename);
	say_text("sysname", name.sysname);
	say_text("version", name.version);
	say("nproc", sysconf(_SC_NPROCESSORS_CONF));
	say("pid_max", atoi(line_of("/proc/sys/kernel/pid_max")));
	say("printk", atoi(line_of("/proc/sys/kernel/printk")));
	say("overflowuid", atoi(line_of("/proc/sys/kernel/overflowuid")));
	say("overcommit_ratio", atoi(line_of("/proc/sys/vm/overcommit_ratio")));
	say_text("cmdline", line_of("/proc/cmdline"));
	say_text("banner", line_of("/proc/version"));
}

/* -------------------------------------------------------------------- files */

static int make_file(void)
{
	const struct timespec times[2] = { { 111111111, 500 }, { 222222222, 999999999 } };
	struct open_how how = { .flags = O_RDWR | O_CREAT | O_NOATIME, .mode = 0640, .resolve = 4 };
	int fd = syscall(SYS_openat2, AT_FDCWD, "values-file", &how, sizeof(how));

	OK(fd >= 0);
	say("openat2", fd);
	OK(!fchown(fd, 1234, 2345));
	OK(!fchmod(fd, 0741));
	OK(!link("values-file", "values-link"));
	OK(!ftruncate(fd, 123456));
	OK(!posix_fallocate(fd, 200000, 5000));
	OK(lseek(fd, 1000, SEEK_SET) == 1000);
	OK(!futimens(fd, times));
	return fd;
}

static void say_file(int fd)
{
	struct stat st;

	OK(!fstat(fd, &st));
	say("fd", fd);
	say("file_flags", fcntl(fd, F_GETFL));
	say("ino", st.st_ino);
	say("mode", st.st_mode);
	say("uid", st.st_uid);
	say("gid", st.st_gid);
	say("nlink", st.st_nlink);
	say("size", st.st_size);
	say("atime", st.st_atim.tv_sec);
	say("atime_ns", st.st_atim.tv_nsec);
	say("mtime", st.st_mtim.tv_sec);
	say("mtime_ns", st.st_mtim.tv_nsec);
	say("blksize", st.st_blksize);
	say("dev", (int64_t)major(st.st_dev) << 20 | minor(st.st_dev));
	say("pos", lseek(fd, 0, SEEK_CUR));
	say("buf", (intptr_t)text);
	say_text("text", text);
}

static void write_all(int fd)
{
	int readable = open("values-link", O_RDONLY | O_CLOEXEC);

	OK(readable >= 0);
	OK(write(fd, text, FIRST) == FIRST);
	OK(pwrite(fd, text, PWRITE, 70000) == PWRITE);
	OK(write(readable, text, REFUSED) == -1 && errno == EBADF);
	OK(!setresuid(1001, 0, 1003));
	OK(write(fd, text, AS_USER) == AS_USER);
	OK(!setresuid(0, 0, 0));
	close(readable);
	sync();
}

static void use_pipe(void)
{
	int ends[2];

	OK(!pipe(ends));
	say("pipe_size", fcntl(ends[1], F_SETPIPE_SZ, 131072));
	OK(write(ends[1], text, 333) == 333);
	OK(write(ends[1], text, 777) == 777);
	OK(!close(ends[0]) && !close(ends[1]));
}

/* ------------------------------------------------------------------ sockets */

static void set_option(int fd, int option, int value)
{
	OK(!setsockopt(fd, SOL_SOCKET, option, &value, sizeof(value)));
}

static void loopback_up(int fd)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING };

	OK(!ioctl(fd, SIOCSIFFLAGS, &request));
}

static void use_socket(void)
{
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) }, there;
	int fd = socket(AF_INET, SOCK_DGRAM, 0), sndbuf;
	socklen_t len = sizeof(here);
	struct stat st;

	OK(fd >= 0);
	loopback_up(fd);
	set_option(fd, SO_REUSEADDR, 1);
	set_option(fd, SO_REUSEPORT, 1);
	set_option(fd, SO_PRIORITY, 5);
	set_option(fd, SO_MARK, 0x1234abcd);
	set_option(fd, SO_SNDBUF, 20000);
	OK(!bind(fd, (struct sockaddr *)&here, sizeof(here)));
	OK(!getsockname(fd, (struct sockaddr *)&here, &len) && !fstat(fd, &st));
	len = sizeof(sndbuf);
	OK(!getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &sndbuf, &len));
	there = here;
	there.sin_port = htons(9);
	OK(sendto(fd, text, 210, MSG_DONTWAIT, (struct sockaddr *)&there, sizeof(there)) == 210);
	say("socket", fd);
	say("socket_ino", st.st_ino);
	say("port", ntohs(here.sin_port));
	say("port_be", here.sin_port);
	say("address_be", here.sin_addr.s_addr);
	say("there_be", there.sin_port);
	say("sndbuf", sndbuf);
}

static void use_listener(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	OK(fd >= 0 && !listen(fd, 17));
	close(fd);
}

/* -------------------------------------------------------- time, signals, memory */

static void use_signals(void)
{
	const union sigval value = { .sival_int = 4711 };

	OK(!sigqueue(getpid(), SIGUSR1, value));
}

static void use_times(void)
{
	const struct timespec wait = { 0, 1234567 };
	const struct itimerspec when = { { 3, 4 }, { 1000, 2000 } };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);

	OK(!syscall(SYS_nanosleep, &wait, NULL));
	OK(fd >= 0 && !timerfd_settime(fd, 0, &when, NULL));
	close(fd);
}

static void use_memory(int fd)
{
	static uint32_t word = 99;

	OK(mmap(MAPPED, 5 * 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 2 * 4096) == MAPPED);
	OK(syscall(SYS_futex, &word, FUTEX_WAKE, 3, NULL, NULL, 0) == 0);
	say("futex", (intptr_t)&word);
}

static void use_epoll(int fd)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.u64 = 0x1122334455667788 };
	int pipes[2], epoll = epoll_create1(0);

	OK(epoll >= 0 && !pipe(pipes) && !epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[0], &event));
	say("epoll", epoll);
	say("epoll_fd", pipes[0]);
}

static void use_child(void)
{
	pid_t child = fork();

	if (!child)
		_exit(42);
	OK(child > 0 && waitpid(child, NULL, 0) == child);
	say("child", child);
}

int main(void)
{
	int fd;

	out = open_memstream(&said, &said_len);
	OK(out);
	fputs("{\"is\":\"values\"", out);
	set_task();
	fd = make_file();
	say_task();
	say_file(fd);
	write_all(fd);
	use_pipe();
	use_socket();
	use_listener();
	use_signals();
	use_times();
	use_memory(fd);
	use_epoll(fd);
	use_child();
	fclose(out);
	printf("%s}\n", said);
	return 0;
}
