// SPDX-License-Identifier: GPL-2.0-or-later
/* index_job.c - see index_job.h. */
#include "symbols/query/index_job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbols/base/kept.h"

#define PATH_SIZE	1100
#define EVERY_MS	100
#define SOON_MS		200	/* after which the work has begun */
#define AHEAD_NICE	10
#define TRIES		100	/* to open a file that another process removes meanwhile */

enum job_state { STATE_RUNNING, STATE_MADE, STATE_FAILED };

/* The content of PATH.job. */
struct job_file {
	uint64_t done, of;
	uint32_t state;
	struct debug_error why;
};

/* ---------------------------------------------------------------------- file */

static bool name_file(const char *path, const char *end, char *out)
{
	return snprintf(out, PATH_SIZE, "%s%s", path, end) < PATH_SIZE;
}

static int open_trusted(const char *name, int flags)
{
	int fd = open(name, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);

	if (fd >= 0 && !kept_is_trusted(fd, S_IFREG)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The process that held the lock may have removed the file before we got it. */
static bool has_name(int fd, const char *name)
{
	struct stat st, named;

	return !fstat(fd, &st) && !stat(name, &named) && st.st_ino == named.st_ino && st.st_dev == named.st_dev;
}

/* Open the job's file, and try to get the lock.  -1: it cannot be opened. */
static int claim(const char *name, bool *is_ours)
{
	for (unsigned int tries = 0; tries < TRIES; tries++) {
		int fd = open_trusted(name, O_CREAT);

		if (fd < 0)
			return -1;
		*is_ours = !flock(fd, LOCK_EX | LOCK_NB);
		if (has_name(fd, name))
			return fd;
		close(fd);
	}
	return -1;
}

static struct job_file read_job(int fd)
{
	struct job_file job = { 0 };

	if (pread(fd, &job, sizeof(job), 0) != sizeof(job))
		job = (struct job_file){ 0 };
	job.why.text[sizeof(job.why.text) - 1] = '\0';
	return job;
}

/* ---------------------------------------------------------------------- work */

struct writing {
	int fd;
	struct job_file file;
	const struct dbindex_watch *watch;	/* of this process; NULL: none */
};

/* Others go on without what is not written. */
static void tell(const struct writing *writing)
{
	if (pwrite(writing->fd, &writing->file, sizeof(writing->file), 0) < 0)
		return;
}

static void note_progress(void *arg, uint64_t done, uint64_t of)
{
	struct writing *writing = arg;

	writing->file.done = done;
	writing->file.of = of;
	tell(writing);
	if (writing->watch && writing->watch->show)
		writing->watch->show(writing->watch->arg, done, of);
}

static enum index_job_end unwritten(const struct index_job *job, struct debug_error *err)
{
	if (!err)
		return JOB_IMPOSSIBLE;
	debug_fail(err, "%s: %s: the index cannot be kept there: give another file with 'ktrace index -o'", job->path, strerror(errno));
	err->is_unwritten = true;
	return JOB_IMPOSSIBLE;
}

/* Only one process writes here, so what is left of a killed one is overwritten. */
static enum index_job_end build(const struct index_job *job, struct writing *writing, struct debug_error *err)
{
	const struct dbindex_watch watch = { note_progress, writing, writing->watch ? writing->watch->worker : NULL };
	enum index_job_end end = JOB_MADE;
	char made[PATH_SIZE];
	int fd;

	fd = name_file(job->path, ".new", made) ? open_trusted(made, O_CREAT | O_TRUNC) : -1;
	if (fd < 0)
		return unwritten(job, err);
	fchmod(fd, 0644);
	if (!dbindex_build(job->image, NULL, job->threads, fd, &watch, err))
		end = err->is_unwritten ? JOB_IMPOSSIBLE : JOB_FAILED;
	else if (rename(made, job->path))
		end = unwritten(job, err);
	if (end != JOB_MADE)
		unlink(made);
	close(fd);
	return end;
}

/* The one who has the lock: make the index, tell it, and remove the file. */
static enum index_job_end work(const struct index_job *job, const char *name, int fd, const struct dbindex_watch *watch,
			       struct debug_error *err)
{
	struct writing writing = { .fd = fd, .watch = watch };
	enum index_job_end end;

	tell(&writing);
	end = build(job, &writing, &writing.file.why);
	writing.file.state = end == JOB_MADE ? STATE_MADE : STATE_FAILED;
	tell(&writing);
	unlink(name);
	if (end != JOB_MADE)
		debug_fail(err, "%s", writing.file.why.text);
	return end;
}

/* ---------------------------------------------------------------- background */

/*
 * The image is read from regular files.  All else must not stay open longer than ktrace runs: the device, the terminal,
 * pipes to other programs.
 */
static void let_go(void)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	struct stat st;

	while (dir && (entry = readdir(dir))) {
		const int fd = atoi(entry->d_name);

		if (*entry->d_name != '.' && fd > STDERR_FILENO && fd != dirfd(dir) && (fstat(fd, &st) || !S_ISREG(st.st_mode)))
			close(fd);
	}
	if (dir)
		closedir(dir);
}

static void leave_terminal(void)
{
	const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(nowhere, fd);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int sig = 1; sig <= SIGSYS; sig++)
		signal(sig, SIG_DFL);
}

/* The two processes of the background, in shared memory: the second one, a sandbox, does the work. */
struct makers {
	int32_t maker, worker;
};

static void background(const struct index_job *job, const char *name, int fd, struct makers *makers)
{
	const struct dbindex_watch watch = { .worker = &makers->worker };

	makers->maker = getpid();
	prctl(PR_SET_NAME, "ktrace-index");
	leave_terminal();
	let_go();
	if (job->is_ahead)
		setpriority(PRIO_PROCESS, 0, AHEAD_NICE);
	work(job, name, fd, &watch, NULL);
	_exit(0);
}

/*
 * By a process between, so that the parent of the background process is init, and that it has left our group and terminal when
 * this returns.
 */
static bool start_makers(const struct index_job *job, const char *name, int fd, struct makers *makers)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		setsid();
		pid = fork();
		if (!pid)
			background(job, name, fd, makers);
		_exit(pid < 0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void tell_began(const struct index_job *job, const struct makers *makers)
{
	int32_t worker = 0;

	for (int ms = 0; !worker && ms < SOON_MS; ms++) {
		poll(NULL, 0, 1);
		worker = __atomic_load_n(&makers->worker, __ATOMIC_ACQUIRE);
	}
	if (!worker)
		return;
	job->began(job->watch.arg, makers->maker);
	job->began(job->watch.arg, worker);
}

static bool start(const struct index_job *job, const char *name, int fd)
{
	struct makers *makers = mmap(NULL, sizeof(*makers), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool ok;

	if (makers == MAP_FAILED)
		return false;
	ok = start_makers(job, name, fd, makers);
	if (ok && job->began)
		tell_began(job, makers);
	munmap(makers, sizeof(*makers));
	return ok;
}

/* ------------------------------------------------------------------- waiting */

static enum index_job_end judge(const struct index_job *job, const struct job_file *file, struct debug_error *err)
{
	if (file->state == STATE_MADE)
		return JOB_MADE;
	if (file->state == STATE_FAILED)
		debug_fail(err, "%s", file->why.text);
	else
		debug_fail(err, "the process that made the index of %s was killed: try again", job->image->path);
	return file->why.is_unwritten ? JOB_IMPOSSIBLE : JOB_FAILED;
}

/* fd: the job's file, opened by this process: the lock can be had when the other process has ended. */
static enum index_job_end wait_for(const struct index_job *job, int fd, struct debug_error *err)
{
	struct job_file file = read_job(fd);
	bool left = false;

	while (!left && flock(fd, LOCK_SH | LOCK_NB)) {
		poll(NULL, 0, EVERY_MS);
		file = read_job(fd);
		if (job->watch.show && file.of)
			job->watch.show(job->watch.arg, file.done < file.of ? file.done : file.of - 1, file.of);
		left = job->stops && job->stops(job->watch.arg);
	}
	if (job->watch.show)
		job->watch.show(job->watch.arg, 1, 1);
	if (left) {
		debug_fail(err, "the index of %s goes on in the background: ask again when it is made", job->image->path);
		return JOB_LEFT;
	}
	file = read_job(fd);
	return judge(job, &file, err);
}

/* Open the file a second time, so that its lock is not ours; the first one then belongs to the background process. */
static int begin(const struct index_job *job, bool *is_busy)
{
	char name[PATH_SIZE];
	bool is_ours;
	int fd, again;

	fd = name_file(job->path, ".job", name) ? claim(name, &is_ours) : -1;
	*is_busy = fd >= 0 && !is_ours;
	if (fd < 0 || !is_ours)
		return fd;
	again = open_trusted(name, 0);
	if (again >= 0 && !start(job, name, fd)) {
		unlink(name);
		close(again);
		again = -1;
	}
	close(fd);
	return again;
}

bool index_job_begin(const struct index_job *job)
{
	bool is_busy;
	int fd = begin(job, &is_busy);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

enum index_job_end index_job_run(const struct index_job *job, struct debug_error *err)
{
	enum index_job_end end;
	bool is_busy;
	int fd = begin(job, &is_busy);

	if (fd < 0)
		return unwritten(job, err);
	end = wait_for(job, fd, err);
	close(fd);
	return end;
}

enum index_job_end index_job_here(const struct index_job *job, struct debug_error *err)
{
	enum index_job_end end;
	char name[PATH_SIZE];
	bool is_ours;
	int fd;

	fd = name_file(job->path, ".job", name) ? claim(name, &is_ours) : -1;
	if (fd < 0)
		return unwritten(job, err);
	end = is_ours ? work(job, name, fd, &job->watch, err) : wait_for(job, fd, err);
	close(fd);
	return end;
}

bool index_job_is_running(const char *path)
{
	char name[PATH_SIZE];
	int fd = name_file(path, ".job", name) ? open_trusted(name, 0) : -1;
	bool is_running = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return is_running;
}
