// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Do a little of everything that a kernel does for programs, and check the results:
 *
 *   mixload [-s SEED] [-d DIRECTORY] SECONDS
 *   mixload [-s SEED] [-d DIRECTORY] -n ACTIONS
 *
 * Files are made in DIRECTORY (default: the current one). With 0 seconds it runs until it is killed; with -n it
 * ends after ACTIONS actions, which the seed chooses. Errors go to standard error, with exit status 1. Prints
 * the number of actions.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

static unsigned int dice;
static char out[8192], in[8192];

static unsigned int roll(unsigned int sides)
{
	dice = dice * 1103515245 + 12345;
	return (dice >> 16) % sides;
}

/* Fill `out` with data that must come back unchanged. */
static size_t message(size_t most)
{
	size_t n = 1 + roll(most), i;

	for (i = 0; i < n; i++)
		out[i] = roll(256);
	return n;
}

static bool came_back(ssize_t got, size_t n)
{
	return got == (ssize_t)n && memcmp(in, out, n) == 0;
}

/* Write to one descriptor and read from the other; close both. */
static bool through(int to, int from, size_t most)
{
	size_t n = message(most);
	bool ok = write(to, out, n) == (ssize_t)n && came_back(read(from, in, n), n);

	close(to);
	close(from);
	return ok;
}

static bool ended_well(pid_t child)
{
	int status;

	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ------------------------------------------------- between processes and threads */

static bool do_pipe(void)
{
	int ends[2];

	return pipe(ends) == 0 && through(ends[1], ends[0], PAGE);
}

static bool do_socketpair(void)
{
	static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET };
	int ends[2];

	return socketpair(AF_UNIX, types[roll(3)], 0, ends) == 0 && through(ends[0], ends[1], PAGE);
}

static bool do_pty(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	char name[64];
	bool ok;

	if (master < 0 || unlockpt(master) || ptsname_r(master, name, sizeof(name)))
		return false;
	slave = open(name, O_RDWR | O_NOCTTY);
	ok = slave >= 0 && write(master, "line\n", 5) == 5 && read(slave, in, sizeof(in)) == 5;
	close(slave);
	close(master);
	return ok;
}

static void *wake(void *word)
{
	__atomic_store_n((int *)word, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
	return NULL;
}

static bool do_futex(void)
{
	pthread_t thread;
	int word = 0;

	if (pthread_create(&thread, NULL, wake, &word))
		return false;
	while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0)
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
	return pthread_join(thread, NULL) == 0;
}

static bool do_fork(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(getppid() == 1);
	return ended_well(child);
}

static bool do_exec(void)
{
	pid_t child = vfork();

	if (child == 0) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	return ended_well(child);
}

static bool do_ptrace(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(child, &status, 0);
	for (int i = 0; i < 5; i++) {
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) < 0 || waitpid(child, &status, 0) != child ||
		    !WIFSTOPPED(status))
			return false;
	}
	ptrace(PTRACE_CONT, child, NULL, NULL);
	return ended_well(child);
}

static bool do_semaphore(void)
{
	struct sembuf up = { 0, 1, 0 }, down = { 0, -1, 0 };
	int id = semget(IPC_PRIVATE, 1, 0600);
	bool ok = id >= 0 && semop(id, &up, 1) == 0 && semop(id, &down, 1) == 0;

	semctl(id, 0, IPC_RMID);
	return ok;
}

/* ------------------------------------------------------------------ time and signals */

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
	signals++;
}

static bool do_itimer(void)
{
	struct itimerval soon = { .it_value.tv_usec = 1000 };
	sigset_t alarm, before;
	int had = signals;

	signal(SIGALRM, count_signal);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarm, &before);
	setitimer(ITIMER_REAL, &soon, NULL);
	sigsuspend(&before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return signals > had;
}

static bool do_timerfd(void)
{
	struct itimerspec soon = { .it_value.tv_nsec = 500000 };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t times = 0;
	bool ok = fd >= 0 && timerfd_settime(fd, 0, &soon, NULL) == 0 && read(fd, &times, 8) == 8 && times >= 1;

	close(fd);
	return ok;
}

static bool do_signalfd(void)
{
	struct signalfd_siginfo info;
	sigset_t one, before;
	int fd;
	bool ok;

	sigemptyset(&one);
	sigaddset(&one, SIGUSR2);
	sigprocmask(SIG_BLOCK, &one, &before);
	fd = signalfd(-1, &one, 0);
	ok = fd >= 0 && kill(getpid(), SIGUSR2) == 0 && read(fd, &info, sizeof(info)) == sizeof(info) &&
	     info.ssi_signo == SIGUSR2;
	close(fd);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ok;
}

static bool do_sleep(void)
{
	struct timespec moment = { .tv_nsec = 1000 + roll(100000) };

	return nanosleep(&moment, NULL) == 0;
}

static bool do_clocks(void)
{
	static const clockid_t clocks[] = { CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_PROCESS_CPUTIME_ID, CLOCK_TAI };
	clockid_t clock = clocks[roll(4)];
	struct timespec a, b;

	if (syscall(SYS_clock_gettime, clock, &a) || syscall(SYS_clock_gettime, clock, &b))
		return false;
	return b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec >= a.tv_nsec);
}

/* ---------------------------------------------------------------------------- memory */

static bool do_mmap(void)
{
	size_t pages = 1 + roll(64), i;
	char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool ok = p != MAP_FAILED;

	for (i = 0; ok && i < pages; i++)
		p[i * PAGE] = i;
	for (i = 0; ok && i < pages; i++)
		ok = p[i * PAGE] == (char)i;
	ok = ok && madvise(p, PAGE, MADV_DONTNEED) == 0 && p[0] == 0 && mprotect(p, pages * PAGE, PROT_READ) == 0;
	p = ok ? mremap(p, pages * PAGE, 2 * pages * PAGE, MREMAP_MAYMOVE) : p;
	return ok && p != MAP_FAILED && munmap(p, 2 * pages * PAGE) == 0;
}

static bool do_fault(void)
{
	volatile char *nothing = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child = fork();
	int status;

	if (child == 0) {
		*nothing = 1;
		_exit(0);
	}
	munmap((void *)nothing, PAGE);
	return waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

static bool do_bad_pointer(void)
{
	return syscall(SYS_read, -1, NULL, 1) < 0 && errno == EBADF &&
	       syscall(SYS_uname, (void *)8) < 0 && errno == EFAULT;
}

static bool do_shm(void)
{
	int id = shmget(IPC_PRIVATE, PAGE, 0600);
	char *p = shmat(id, NULL, 0);
	bool ok = p != (void *)-1;

	shmctl(id, IPC_RMID, NULL);
	if (ok)
		p[0] = 1;
	return ok && shmdt(p) == 0;
}

static bool do_memfd(void)
{
	int fd = memfd_create("mixload", MFD_ALLOW_SEALING);
	size_t n = message(PAGE);
	bool ok = fd >= 0 && pwrite(fd, out, n, 3) == (ssize_t)n && came_back(pread(fd, in, n, 3), n) &&
		  fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) == 0 && pwrite(fd, out, n, 3) < 0;

	close(fd);
	return ok;
}

/* ----------------------------------------------------------------------------- files */

static char file_name[64];

static int scratch(int flags)
{
	snprintf(file_name, sizeof(file_name), "mixload.%d", getpid());
	return open(file_name, O_RDWR | O_CREAT | flags, 0600);
}

/* Keep errno: it tells the first error. */
static void drop(int fd)
{
	int error = errno;

	close(fd);
	errno = error;
}

static bool do_file(void)
{
	int fd = scratch(O_TRUNC);
	size_t n = message(sizeof(out));
	off_t at = roll(65536);
	bool ok = fd >= 0 && pwrite(fd, out, n, at) == (ssize_t)n && (roll(4) || fdatasync(fd) == 0) &&
		  came_back(pread(fd, in, n, at), n);

	drop(fd);
	return ok;
}

static bool do_mapped_file(void)
{
	int fd = scratch(O_TRUNC);
	char *p;
	bool ok;

	if (fd < 0 || ftruncate(fd, 4 * PAGE))
		return false;
	p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ok = p != MAP_FAILED;
	if (ok)
		memset(p, 7, 3 * PAGE);
	ok = ok && msync(p, 4 * PAGE, MS_SYNC) == 0 && pread(fd, in, 2, 3 * PAGE - 1) == 2 && in[0] == 7 && in[1] == 0;
	munmap(p, 4 * PAGE);
	close(fd);
	return ok;
}

static bool do_rename(void)
{
	char other[80];
	int fd = scratch(0);

	close(fd);
	snprintf(other, sizeof(other), "%s.new", file_name);
	return fd >= 0 && rename(file_name, other) == 0 && symlink(other, file_name) == 0 &&
	       readlink(file_name, in, sizeof(in)) > 0 && unlink(file_name) == 0 && unlink(other) == 0;
}

static bool do_directory(void)
{
	char dir[64];

	snprintf(dir, sizeof(dir), "mixload.dir.%d", getpid());
	return mkdir(dir, 0700) == 0 && access(dir, X_OK) == 0 && chmod(dir, 0755) == 0 && rmdir(dir) == 0;
}

static bool do_sendfile(void)
{
	int fd = scratch(O_TRUNC), ends[2];
	size_t n = message(PAGE);
	bool ok = fd >= 0 && pipe(ends) == 0 && pwrite(fd, out, n, 0) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0 &&
		  splice(fd, NULL, ends[1], NULL, n, 0) == (ssize_t)n;

	close(fd);
	ok = ok && came_back(read(ends[0], in, n), n);
	close(ends[0]);
	close(ends[1]);
	return ok;
}

static bool do_locks(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_len = 10 };
	int fd = scratch(0);
	bool ok = fd >= 0 && fcntl(fd, F_SETLK, &lock) == 0 && flock(fd, LOCK_EX) == 0 &&
		  fcntl(fd, F_OFD_GETLK, &(struct flock){ .l_type = F_WRLCK }) == 0;

	close(fd);
	return ok;
}

static bool do_inotify(void)
{
	int fd = inotify_init1(0), file;
	bool ok = fd >= 0 && inotify_add_watch(fd, ".", IN_CREATE | IN_CLOSE | IN_OPEN) >= 0;

	file = scratch(0);
	ok = ok && file >= 0 && read(fd, in, sizeof(in)) > 0;
	close(file);
	close(fd);
	return ok;
}

static bool do_xattr(void)
{
	int fd = scratch(0);
	bool ok = fd >= 0 && (fsetxattr(fd, "user.mixload", "x", 1, 0) == 0 ? fgetxattr(fd, "user.mixload", in, 8) == 1
									   : errno == EOPNOTSUPP);

	close(fd);
	return ok;
}

static bool do_read_some(void)
{
	static const char *const files[] = {
		"/proc/self/maps", "/proc/self/status", "/proc/meminfo", "/proc/vmstat", "/proc/interrupts", "/proc/stat",
		"/proc/self/stat", "/proc/net/tcp", "/proc/net/dev", "/proc/mounts", "/proc/self/smaps_rollup",
		"/proc/schedstat", "/proc/timer_list", "/proc/modules", "/proc/slabinfo", "/proc/zoneinfo", "/proc/locks",
		"/sys/devices/system/cpu/online", "/sys/kernel/mm/transparent_hugepage/enabled", "/proc/sys/kernel/osrelease",
	};
	int fd = open(files[roll(sizeof(files) / sizeof(files[0]))], O_RDONLY);
	bool ok;

	if (fd < 0)
		return errno == ENOENT || errno == EACCES;
	do
		ok = read(fd, in, sizeof(in)) >= 0;
	while (ok && roll(4));
	close(fd);
	return ok;
}

static bool do_mount(void)
{
	char dir[64];
	bool ok;

	snprintf(dir, sizeof(dir), "/tmp/mixload.mnt.%d", getpid());
	if (mkdir(dir, 0700) && errno != EEXIST)
		return false;
	if (mount("none", dir, "tmpfs", 0, "size=64k") < 0)
		return errno == EPERM;
	ok = statfs(dir, &(struct statfs){ 0 }) == 0;
	return umount2(dir, MNT_DETACH) == 0 && ok;
}

/* --------------------------------------------------------------------------- network */

static bool do_udp(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t len = sizeof(to);
	size_t n = message(4000);
	bool ok = bind(a, (struct sockaddr *)&to, len) == 0 && getsockname(a, (struct sockaddr *)&to, &len) == 0 &&
		  sendto(b, out, n, 0, (struct sockaddr *)&to, len) == (ssize_t)n && came_back(recv(a, in, n, 0), n);

	close(a);
	close(b);
	return ok;
}

static bool do_tcp(void)
{
	struct sockaddr_in6 to = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int server = socket(AF_INET6, SOCK_STREAM, 0), client, served;
	socklen_t len = sizeof(to);
	bool ok = bind(server, (struct sockaddr *)&to, len) == 0 && listen(server, 1) == 0 &&
		  getsockname(server, (struct sockaddr *)&to, &len) == 0;

	client = socket(AF_INET6, SOCK_STREAM, 0);
	ok = ok && connect(client, (struct sockaddr *)&to, len) == 0;
	served = ok ? accept(server, NULL, NULL) : -1;
	ok = ok && setsockopt(served, SOL_SOCKET, SO_SNDBUF, &(int){ 65536 }, sizeof(int)) == 0;
	close(server);
	return ok && through(client, served, 1000);
}

static bool do_netlink(void)
{
	struct {
		struct nlmsghdr head;
		struct rtgenmsg body;
	} ask = { { sizeof(ask), RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, 1, 0 }, { AF_UNSPEC } };
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	bool ok = fd >= 0 && send(fd, &ask, sizeof(ask), 0) == sizeof(ask) && recv(fd, in, sizeof(in), 0) > 0;

	close(fd);
	return ok;
}

/* This switches static keys of the network on and off again. */
static bool do_packet(void)
{
	int fd = socket(AF_PACKET, SOCK_RAW, htons(3));

	if (fd < 0)
		return errno == EPERM || errno == EAFNOSUPPORT;
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMP, &(int){ 1 }, sizeof(int));
	return close(fd) == 0;
}

/* ----------------------------------------------------------------------- and the rest */

static bool do_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int events = epoll_create1(0), fd = eventfd(0, 0);
	uint64_t one = 1;
	bool ok = epoll_ctl(events, EPOLL_CTL_ADD, fd, &event) == 0 && epoll_wait(events, &event, 1, 0) == 0 &&
		  write(fd, &one, 8) == 8 && epoll_wait(events, &event, 1, 1000) == 1 && read(fd, &one, 8) == 8 && one == 1;

	close(fd);
	close(events);
	return ok;
}

static bool do_poll(void)
{
	struct pollfd none = { .fd = -1 };

	return poll(&none, 1, 1) == 0 && select(0, NULL, NULL, NULL, &(struct timeval){ 0, 500 }) == 0;
}

static bool do_scheduler(void)
{
	cpu_set_t set;
	/* CPU 2 may go offline and online. */
	int cpu = roll(sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 2 : 1);
	bool ok;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	ok = sched_setaffinity(0, sizeof(set), &set) == 0 && sched_getcpu() == cpu;
	memset(&set, 0xff, sizeof(set));
	return sched_setaffinity(0, sizeof(set), &set) == 0 && sched_yield() == 0 && ok;
}

static bool do_ask(void)
{
	struct utsname name;
	struct sysinfo info;
	struct rusage usage;
	struct tms ticks;

	return uname(&name) == 0 && sysinfo(&info) == 0 && getrusage(RUSAGE_SELF, &usage) == 0 && times(&ticks) >= 0 &&
	       getpriority(PRIO_PROCESS, 0) >= -20 && syscall(SYS_gettid) > 0 && prctl(PR_GET_DUMPABLE) >= 0 &&
	       getrandom(in, 16, 0) == 16;
}

static bool do_vectors(void)
{
	struct iovec parts[2] = { { out, 100 }, { out + 100, 50 } }, back[2] = { { in, 7 }, { in + 7, 143 } };
	int ends[2];
	bool ok;

	message(1);
	ok = pipe(ends) == 0 && writev(ends[1], parts, 2) == 150 && came_back(readv(ends[0], back, 2), 150);
	close(ends[0]);
	close(ends[1]);
	return ok;
}

/* A software event: it uses perf without hardware. */
static bool do_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	uint64_t count;
	bool ok;

	if (fd < 0)
		return true;
	ok = sched_yield() == 0 && read(fd, &count, 8) == 8;
	close(fd);
	return ok;
}

static const struct action {
	const char *name;
	bool (*act)(void);
} actions[] = {
	{ "pipe", do_pipe }, { "socketpair", do_socketpair }, { "pty", do_pty }, { "futex", do_futex },
	{ "fork", do_fork }, { "exec", do_exec }, { "ptrace", do_ptrace }, { "semaphore", do_semaphore },
	{ "itimer", do_itimer }, { "timerfd", do_timerfd }, { "signalfd", do_signalfd }, { "sleep", do_sleep },
	{ "clocks", do_clocks }, { "mmap", do_mmap }, { "fault", do_fault }, { "bad pointer", do_bad_pointer },
	{ "shm", do_shm }, { "memfd", do_memfd }, { "file", do_file }, { "mapped file", do_mapped_file },
	{ "rename", do_rename }, { "directory", do_directory }, { "sendfile", do_sendfile }, { "locks", do_locks },
	{ "inotify", do_inotify }, { "xattr", do_xattr }, { "read", do_read_some }, { "mount", do_mount },
	{ "udp", do_udp }, { "tcp", do_tcp }, { "netlink", do_netlink }, { "packet", do_packet }, { "epoll", do_epoll },
	{ "poll", do_poll }, { "scheduler", do_scheduler }, { "ask", do_ask }, { "vectors", do_vectors },
	{ "perf", do_perf },
};

#define NR_ACTIONS (sizeof(actions) / sizeof(actions[0]))

/* Is it done: after `most` actions, or at the time `end`? 0 for both: never. */
static bool is_over(unsigned long done, unsigned long most, time_t end)
{
	return most ? done >= most : done >= NR_ACTIONS && end && time(NULL) >= end;
}

/* Do each action once, however long that takes, then choose at random. */
static int work(unsigned long most, time_t end)
{
	unsigned long done = 0;

	for (; !is_over(done, most, end); done++) {
		const struct action *action = &actions[done < NR_ACTIONS ? done : roll(NR_ACTIONS)];

		errno = 0;
		if (!action->act()) {
			fprintf(stderr, "mixload: %s went wrong: %s\n", action->name, strerror(errno));
			return 1;
		}
	}
	printf("%lu actions\n", done);
	return 0;
}

int main(int argc, char **argv)
{
	const char *dir = ".";
	unsigned long most = 0;
	int option, status;
	long seconds;

	while ((option = getopt(argc, argv, "s:d:n:")) != -1) {
		if (option == 's')
			dice = strtoul(optarg, NULL, 0);
		else if (option == 'd')
			dir = optarg;
		else if (option == 'n')
			most = strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	if (argc - optind != !most) {
		fputs("usage: mixload [-s SEED] [-d DIRECTORY] SECONDS | -n ACTIONS\n", stderr);
		return 2;
	}
	if (chdir(dir) < 0) {
		perror(dir);
		return 1;
	}
	signal(SIGPIPE, SIG_IGN);
	seconds = most ? 0 : atol(argv[optind]);
	status = work(most, seconds ? time(NULL) + seconds : 0);
	/* A process of another user may get this process id, and this file name, later. */
	unlink(file_name);
	return status;
}
