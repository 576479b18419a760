// SPDX-License-Identifier: GPL-2.0-or-later
/* value_names.c - names of values, from the C library's headers for this architecture.  See value_names.h. */
#include "ctl/ask/events/value_names.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ctl/base/memory.h"

/* -------------------------------------------------------------------- names */

struct word {
	uint64_t value;
	const char *name;
};

#define W(name)	{ (uint32_t)(name), #name }

/* Of several flags, those with more bits come first. */
static const struct word open_flags[] = {
	W(O_RDONLY), W(O_WRONLY), W(O_RDWR), W(O_TMPFILE), W(O_SYNC), W(O_CREAT), W(O_EXCL), W(O_NOCTTY), W(O_TRUNC),
	W(O_APPEND), W(O_NONBLOCK), W(O_DSYNC), W(O_DIRECT), W(O_DIRECTORY), W(O_NOFOLLOW), W(O_NOATIME), W(O_CLOEXEC),
	W(O_PATH), { 0100000, "O_LARGEFILE" },
};
/* Only words for expressions: such values are shown in the form of ls. */
static const struct word file_modes[] = {
	W(S_IFMT), W(S_IFSOCK), W(S_IFLNK), W(S_IFREG), W(S_IFBLK), W(S_IFDIR), W(S_IFCHR), W(S_IFIFO), W(S_ISUID), W(S_ISGID),
	W(S_ISVTX), W(S_IRWXU), W(S_IRUSR), W(S_IWUSR), W(S_IXUSR), W(S_IRWXG), W(S_IRGRP), W(S_IWGRP), W(S_IXGRP), W(S_IRWXO),
	W(S_IROTH), W(S_IWOTH), W(S_IXOTH),
};
static const struct word masks[] = { W(O_ACCMODE), W(MAP_TYPE) };
static const struct word mmap_flags[] = {
	W(MAP_SHARED), W(MAP_PRIVATE), W(MAP_SHARED_VALIDATE), W(MAP_FIXED), W(MAP_ANONYMOUS), W(MAP_GROWSDOWN),
	W(MAP_LOCKED), W(MAP_NORESERVE), W(MAP_POPULATE), W(MAP_NONBLOCK), W(MAP_STACK), W(MAP_HUGETLB),
	W(MAP_FIXED_NOREPLACE), { 0x800, "MAP_DENYWRITE" },
};
static const struct word protections[] = { W(PROT_READ), W(PROT_WRITE), W(PROT_EXEC) };
static const struct word advices[] = {
	W(MADV_NORMAL), W(MADV_RANDOM), W(MADV_SEQUENTIAL), W(MADV_WILLNEED), W(MADV_DONTNEED), W(MADV_FREE), W(MADV_REMOVE),
	W(MADV_DONTFORK), W(MADV_DOFORK), W(MADV_HUGEPAGE), W(MADV_NOHUGEPAGE), W(MADV_DONTDUMP), W(MADV_DODUMP),
	W(MADV_COLD), W(MADV_PAGEOUT),
};
static const struct word clone_flags[] = {
	W(CLONE_VM), W(CLONE_FS), W(CLONE_FILES), W(CLONE_SIGHAND), W(CLONE_PTRACE), W(CLONE_VFORK), W(CLONE_PARENT),
	W(CLONE_THREAD), W(CLONE_NEWNS), W(CLONE_SYSVSEM), W(CLONE_SETTLS), W(CLONE_PARENT_SETTID), W(CLONE_CHILD_CLEARTID),
	W(CLONE_UNTRACED), W(CLONE_CHILD_SETTID), W(CLONE_NEWCGROUP), W(CLONE_NEWUTS), W(CLONE_NEWIPC), W(CLONE_NEWUSER),
	W(CLONE_NEWPID), W(CLONE_NEWNET), W(CLONE_IO), { SIGCHLD, "SIGCHLD" },
};
static const struct word at_flags[] = {
	W(AT_SYMLINK_NOFOLLOW), W(AT_REMOVEDIR), W(AT_SYMLINK_FOLLOW), W(AT_NO_AUTOMOUNT), W(AT_EMPTY_PATH),
};
static const struct word at_directories[] = { W(AT_FDCWD) };
static const struct word accesses[] = { W(R_OK), W(W_OK), W(X_OK) };
static const struct word whences[] = { W(SEEK_SET), W(SEEK_CUR), W(SEEK_END), W(SEEK_DATA), W(SEEK_HOLE) };
static const struct word fcntls[] = {
	W(F_DUPFD), W(F_GETFD), W(F_SETFD), W(F_GETFL), W(F_SETFL), W(F_GETLK), W(F_SETLK), W(F_SETLKW), W(F_SETOWN),
	W(F_GETOWN), W(F_OFD_GETLK), W(F_OFD_SETLK), W(F_OFD_SETLKW), W(F_DUPFD_CLOEXEC), W(F_SETPIPE_SZ), W(F_GETPIPE_SZ),
	W(F_ADD_SEALS), W(F_GET_SEALS),
};
static const struct word domains[] = {
	W(AF_UNSPEC), W(AF_UNIX), W(AF_INET), W(AF_INET6), W(AF_NETLINK), W(AF_PACKET), W(AF_ALG), W(AF_VSOCK),
};
static const struct word socket_types[] = {
	W(SOCK_STREAM), W(SOCK_DGRAM), W(SOCK_RAW), W(SOCK_SEQPACKET), W(SOCK_NONBLOCK), W(SOCK_CLOEXEC),
};
static const struct word message_flags[] = {
	W(MSG_OOB), W(MSG_PEEK), W(MSG_DONTROUTE), W(MSG_CTRUNC), W(MSG_TRUNC), W(MSG_DONTWAIT), W(MSG_EOR), W(MSG_WAITALL),
	W(MSG_ERRQUEUE), W(MSG_NOSIGNAL), W(MSG_MORE), W(MSG_CMSG_CLOEXEC),
};
static const struct word futexes[] = {
	W(FUTEX_WAIT), W(FUTEX_WAKE), W(FUTEX_REQUEUE), W(FUTEX_CMP_REQUEUE), W(FUTEX_WAKE_OP), W(FUTEX_LOCK_PI),
	W(FUTEX_UNLOCK_PI), W(FUTEX_TRYLOCK_PI), W(FUTEX_WAIT_BITSET), W(FUTEX_WAKE_BITSET), W(FUTEX_PRIVATE_FLAG),
	W(FUTEX_CLOCK_REALTIME),
};
static const struct word clocks[] = {
	W(CLOCK_REALTIME), W(CLOCK_MONOTONIC), W(CLOCK_PROCESS_CPUTIME_ID), W(CLOCK_THREAD_CPUTIME_ID),
	W(CLOCK_MONOTONIC_RAW), W(CLOCK_REALTIME_COARSE), W(CLOCK_MONOTONIC_COARSE), W(CLOCK_BOOTTIME),
};
static const struct word wait_options[] = {
	W(WNOHANG), W(WUNTRACED), W(WCONTINUED), W(WEXITED), W(WNOWAIT), { 0x40000000, "__WALL" },
};
static const struct word mask_operations[] = { W(SIG_BLOCK), W(SIG_UNBLOCK), W(SIG_SETMASK) };
static const struct word epoll_operations[] = { W(EPOLL_CTL_ADD), W(EPOLL_CTL_DEL), W(EPOLL_CTL_MOD) };
static const struct word prctls[] = {
	W(PR_SET_PDEATHSIG), W(PR_GET_PDEATHSIG), W(PR_GET_DUMPABLE), W(PR_SET_DUMPABLE), W(PR_SET_NAME), W(PR_GET_NAME),
	W(PR_SET_SECCOMP), W(PR_SET_NO_NEW_PRIVS), W(PR_CAPBSET_READ), W(PR_CAPBSET_DROP), W(PR_SET_VMA),
};

/* The names of one kind of value.  The bits of `choice` together have one of the names, each other bit has its own. */
struct vocabulary {
	uint64_t choice;
	const struct word *words;
	size_t nr;
};

#define CHOICE(words)			{ ~0ULL, words, ARRAY_SIZE(words) }
#define FLAGS(words)			{ 0, words, ARRAY_SIZE(words) }
#define CHOICE_AND_FLAGS(mask, words)	{ mask, words, ARRAY_SIZE(words) }

enum vocabulary_id {
	OPEN_FLAGS, MMAP_FLAGS, PROTECTIONS, ADVICES, CLONE_FLAGS, AT_FLAGS, AT_DIRECTORIES, ACCESSES, WHENCES, FCNTLS,
	DOMAINS, SOCKET_TYPES, MESSAGE_FLAGS, FUTEXES, CLOCKS, WAIT_OPTIONS, MASK_OPERATIONS, EPOLL_OPERATIONS, PRCTLS,
	FILE_MODES, MASKS,
	/* Not by words: */
	SIGNALS, PERMISSIONS, DEVICES, NR_VOCABULARIES,
};

static const struct vocabulary vocabularies[NR_VOCABULARIES] = {
	[OPEN_FLAGS] = CHOICE_AND_FLAGS(O_ACCMODE, open_flags),
	[MMAP_FLAGS] = CHOICE_AND_FLAGS(MAP_TYPE, mmap_flags),
	[PROTECTIONS] = FLAGS(protections),
	[ADVICES] = CHOICE(advices),
	[CLONE_FLAGS] = CHOICE_AND_FLAGS(0xff, clone_flags),
	[AT_FLAGS] = FLAGS(at_flags),
	[AT_DIRECTORIES] = CHOICE(at_directories),
	[ACCESSES] = FLAGS(accesses),
	[WHENCES] = CHOICE(whences),
	[FCNTLS] = CHOICE(fcntls),
	[DOMAINS] = CHOICE(domains),
	[SOCKET_TYPES] = CHOICE_AND_FLAGS(0xf, socket_types),
	[MESSAGE_FLAGS] = FLAGS(message_flags),
	[FUTEXES] = CHOICE_AND_FLAGS(0x7f, futexes),
	[CLOCKS] = CHOICE(clocks),
	[WAIT_OPTIONS] = FLAGS(wait_options),
	[MASK_OPERATIONS] = CHOICE(mask_operations),
	[EPOLL_OPERATIONS] = CHOICE(epoll_operations),
	[PRCTLS] = CHOICE(prctls),
	[FILE_MODES] = FLAGS(file_modes),
	[MASKS] = FLAGS(masks),
};

/* --------------------------------------------------------------------- fields */

/* The arguments of system calls.  call NULL: of every call that has an argument of this name. */
static const struct {
	const char *call, *field;
	enum vocabulary_id vocabulary;
} arguments[] = {
	{ "open", "flags", OPEN_FLAGS }, { "openat", "flags", OPEN_FLAGS }, { "pipe2", "flags", OPEN_FLAGS },
	{ "dup3", "flags", OPEN_FLAGS }, { "mmap", "flags", MMAP_FLAGS }, { "mmap", "prot", PROTECTIONS },
	{ "mprotect", "prot", PROTECTIONS }, { "madvise", "behavior", ADVICES }, { "clone", "clone_flags", CLONE_FLAGS },
	{ "unshare", "unshare_flags", CLONE_FLAGS }, { "newfstatat", "flag", AT_FLAGS }, { "statx", "flags", AT_FLAGS },
	{ "unlinkat", "flag", AT_FLAGS }, { "linkat", "flags", AT_FLAGS }, { "fchownat", "flag", AT_FLAGS },
	{ "faccessat2", "flags", AT_FLAGS }, { "execveat", "flags", AT_FLAGS },
	{ NULL, "dfd", AT_DIRECTORIES }, { NULL, "olddfd", AT_DIRECTORIES }, { NULL, "newdfd", AT_DIRECTORIES },
	{ "access", "mode", ACCESSES }, { "faccessat", "mode", ACCESSES }, { "faccessat2", "mode", ACCESSES },
	{ NULL, "whence", WHENCES }, { "fcntl", "cmd", FCNTLS }, { "socket", "family", DOMAINS },
	{ "socketpair", "family", DOMAINS }, { "socket", "type", SOCKET_TYPES }, { "socketpair", "type", SOCKET_TYPES },
	{ "accept4", "flags", SOCKET_TYPES }, { "sendto", "flags", MESSAGE_FLAGS }, { "recvfrom", "flags", MESSAGE_FLAGS },
	{ "sendmsg", "flags", MESSAGE_FLAGS }, { "recvmsg", "flags", MESSAGE_FLAGS }, { "futex", "op", FUTEXES },
	{ NULL, "which_clock", CLOCKS }, { "wait4", "options", WAIT_OPTIONS }, { "waitid", "options", WAIT_OPTIONS },
	{ "rt_sigprocmask", "how", MASK_OPERATIONS }, { "epoll_ctl", "op", EPOLL_OPERATIONS }, { "prctl", "option", PRCTLS },
	{ "kill", "sig", SIGNALS }, { "tkill", "sig", SIGNALS }, { "tgkill", "sig", SIGNALS },
	{ "rt_sigaction", "sig", SIGNALS }, { "open", "mode", PERMISSIONS }, { "openat", "mode", PERMISSIONS },
	{ "creat", "mode", PERMISSIONS }, { "chmod", "mode", PERMISSIONS }, { "fchmod", "mode", PERMISSIONS },
	{ "fchmodat", "mode", PERMISSIONS }, { "fchmodat2", "mode", PERMISSIONS }, { "mkdir", "mode", PERMISSIONS },
	{ "mkdirat", "mode", PERMISSIONS }, { "mknod", "mode", PERMISSIONS }, { "mknodat", "mode", PERMISSIONS },
	{ "umask", "mask", PERMISSIONS }, { "mknod", "dev", DEVICES }, { "mknodat", "dev", DEVICES },
};

/* -------------------------------------------------------------------- saying */

static void add(char *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *buf, const char *format, ...)
{
	const size_t len = strlen(buf);
	va_list args;

	if (len && len + 1 < VALUE_NAMES_SIZE)
		strcpy(buf + len, "|");
	va_start(args, format);
	vsnprintf(buf + strlen(buf), VALUE_NAMES_SIZE - strlen(buf), format, args);
	va_end(args);
}

static bool say_choice(const struct vocabulary *from, uint64_t value, char *buf)
{
	for (size_t i = 0; i < from->nr; i++) {
		if (from->words[i].value != value || from->words[i].value & ~from->choice)
			continue;
		add(buf, "%s", from->words[i].name);
		return true;
	}
	return false;
}

/* Returns the bits that have no name. */
static uint64_t say_flags(const struct vocabulary *from, uint64_t value, char *buf)
{
	for (size_t i = 0; i < from->nr; i++) {
		const uint64_t bits = from->words[i].value;

		if (!(bits & ~from->choice) || (value & bits) != bits)
			continue;
		add(buf, "%s", from->words[i].name);
		value &= ~bits;
	}
	return value;
}

static bool say(const struct vocabulary *from, uint64_t value, char *buf)
{
	const uint64_t choice = value & from->choice;
	const bool chosen = from->choice && say_choice(from, choice, buf);
	const uint64_t rest = say_flags(from, value & ~from->choice, buf) | (chosen ? 0 : choice);

	if (*buf && rest)
		add(buf, "0x%llx", (unsigned long long)rest);
	return *buf;
}

static bool say_name(const char *prefix, const char *name, char *buf)
{
	if (name)
		add(buf, "%s%s", prefix, name);
	return name;
}

#define MAX_ERRNO	4095

/* The kernel's own errors, which a program sees only as the call's repetition or EINTR. */
static const char *errno_name(int number)
{
	static const char *const restarts[] = { "ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", "ENOIOCTLCMD", "ERESTART_RESTARTBLOCK" };

	return number >= 512 && number < 512 + (int)ARRAY_SIZE(restarts) ? restarts[number - 512] : strerrorname_np(number);
}

/* One of 64 bits for all fields whose names begin with these two characters. */
static uint64_t bit_of(const char *field)
{
	return 1ULL << ((*field ? 2 * *field + 17 * field[1] : 0) & 63);
}

/* Most fields are none of the arguments: they need not be compared with each. */
static bool may_be_argument(const char *field)
{
	static _Thread_local uint64_t bits;	/* of all arguments; 0: not known yet */

	if (!bits)
		for (size_t i = 0; i < ARRAY_SIZE(arguments); i++)
			bits |= bit_of(arguments[i].field);
	return bits & bit_of(field);
}

/* Which names the values of this argument have.  NR_VOCABULARIES: they have none. */
static enum vocabulary_id vocabulary_of(const char *call, const char *field)
{
	if (!may_be_argument(field))
		return NR_VOCABULARIES;
	for (size_t i = 0; i < ARRAY_SIZE(arguments); i++)
		if (*arguments[i].field == *field && !strcmp(arguments[i].field, field) &&
		    (!arguments[i].call || !strcmp(arguments[i].call, call)))
			return arguments[i].vocabulary;
	return NR_VOCABULARIES;
}

static bool say_argument(const char *call, const char *field, uint64_t value, char *buf)
{
	const enum vocabulary_id id = vocabulary_of(call, field);

	if (id == SIGNALS)
		return say_name("SIG", sigabbrev_np((int)value), buf);
	if (value && id == PERMISSIONS)
		add(buf, "0%o", (unsigned int)value);
	if (value && id == DEVICES)
		add(buf, "%u:%u", gnu_dev_major((uint32_t)value), gnu_dev_minor((uint32_t)value));
	if (id == PERMISSIONS || id == DEVICES)
		return value;
	return id != NR_VOCABULARIES && say(&vocabularies[id], (uint32_t)value, buf);
}

/* The bits of a request as rows.c says, in the order of ftrace's letters.  Before the last four: the operation. */
static const struct {
	uint8_t bit;
	char letter;
} letters[] = {
	{ 10, 'F' }, { 0, 'W' }, { 1, 'D' }, { 7, 'E' }, { 8, 'F' }, { 2, 'R' }, { 9, 'F' }, { 3, 'A' },
	{ 5, 'S' }, { 6, 'M' },
};

#define BEFORE_FLAGS	5	/* the last letter of the operation */
#define OPERATIONS	(1 << 0 | 1 << 1 | 1 << 8 | 1 << 2)

void value_rwbs(uint64_t bits, char buf[VALUE_NAMES_SIZE])
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(letters); i++) {
		if (bits >> letters[i].bit & 1)
			buf[n++] = letters[i].letter;
		if (i == BEFORE_FLAGS && !(bits & OPERATIONS))
			buf[n++] = 'N';
	}
	buf[n] = '\0';
}

static bool is_request(const char *event, const char *field)
{
	static const char *const starts[] = { "block_", "event:block_", "event:block:block_" };

	if (strcmp(field, "rwbs"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		if (!strncmp(event, starts[i], strlen(starts[i])))
			return true;
	return false;
}

#define COMPAT	"compat_"		/* of a 32-bit program */
#define EXIT	"syscall_exit_"

/* The event as it is called for 64-bit programs. */
static const char *without_compat(const char *event)
{
	return strncmp(event, COMPAT, strlen(COMPAT)) ? event : event + strlen(COMPAT);
}

/* The call in whose arguments the fields of the event are; NULL: it is no such event. */
static const char *call_of(const char *event)
{
	static const char *const entries[] = { "syscall_entry_", "syscall:" };

	/* An expression of `show` belongs to no event. */
	if (!event)
		return NULL;
	event = without_compat(event);
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		if (!strncmp(event, entries[i], strlen(entries[i])))
			return event + strlen(entries[i]);
	return NULL;
}

bool value_names(const char *event, const char *field, uint64_t value, char buf[VALUE_NAMES_SIZE])
{
	const char *call = call_of(event);

	*buf = '\0';
	if (call)
		return say_argument(call, field, value, buf);
	if (!event)
		return false;
	if (is_request(event, field)) {
		value_rwbs(value, buf);
		return true;
	}
	if (strncmp(without_compat(event), EXIT, strlen(EXIT)) || strcmp(field, "ret") || -value > MAX_ERRNO || !value)
		return false;
	return say_name("-", errno_name((int)-value), buf);
}

/* The kernel declares most of these unsigned, and every call refuses a negative one. */
static const char *const descriptors[] = {
	"fd", "dfd", "fildes", "oldfd", "newfd", "olddfd", "newdfd", "epfd", "ufd", "pidfd", "group_fd", "in_fd", "out_fd", "fd_in",
	"fd_out", "fdin", "fdout", "from_dfd", "to_dfd", "mqdes", "ruleset_fd",
};

bool value_is_descriptor(const char *event, const char *field)
{
	if (!call_of(event))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(descriptors); i++)
		if (!strcmp(field, descriptors[i]))
			return true;
	return false;
}

bool value_has_names(const char *event, const char *field)
{
	const char *call = call_of(event);

	return call && vocabulary_of(call, field) != NR_VOCABULARIES;
}

const char *value_error(uint64_t number)
{
	return number && number <= MAX_ERRNO ? errno_name((int)number) : NULL;
}

/* ------------------------------------------------------------------- by name */

static bool find_word(const struct vocabulary *in, const char *name, int32_t *value)
{
	for (size_t i = 0; i < in->nr; i++) {
		if (strcmp(in->words[i].name, name))
			continue;
		*value = (int32_t)in->words[i].value;
		return true;
	}
	return false;
}

static const char *signal_name(int number)
{
	return sigabbrev_np(number);
}

/* The number below `most` that has that name. */
static bool find_number(const char *(*name_of)(int number), const char *name, int most, int32_t *value)
{
	for (*value = 1; *value < most; ++*value) {
		const char *found = name_of(*value);

		if (found && !strcmp(found, name))
			return true;
	}
	return false;
}

bool value_named(const char *name, int32_t *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(vocabularies); i++)
		if (find_word(&vocabularies[i], name, value))
			return true;
	if (!strncmp(name, "SIG", 3))
		return find_number(signal_name, name + 3, NSIG, value);
	return *name == 'E' && find_number(errno_name, name, MAX_ERRNO, value);
}
