// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * debug_server.c - ask debuginfod servers.  See debug_server.h.
 *
 * The client library is loaded when it is first needed, in a process of its own: it contains a web client.  The first
 * Ctrl-C lets the client end, which removes what it has of the file; the second one ends the process at any point.
 */
#include "symbols/query/debug_server.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "symbols/base/sandbox.h"

#define PATIENCE	30	/* seconds without a byte, unless DEBUGINFOD_TIMEOUT is set */

struct client {
	void *(*begin)(void);
	void (*watch)(void *client, int (*progress)(void *client, long done, long all));
	int (*find)(void *client, const unsigned char *id, int len, char **path);
};

static bool load(struct client *client)
{
	void *lib = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!lib)
		return false;
	*(void **)&client->begin = dlsym(lib, "debuginfod_begin");
	*(void **)&client->watch = dlsym(lib, "debuginfod_set_progressfn");
	*(void **)&client->find = dlsym(lib, "debuginfod_find_debuginfo");
	return client->begin && client->watch && client->find;
}

/* ----------------------------------------------------------------- patience */

/* The client's own time limit does not cover servers that never answer. */
static struct {
	long limit, done;
	time_t since;
} patience;

static time_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

static void begin_patience(void)
{
	const char *seconds = getenv("DEBUGINFOD_TIMEOUT");

	patience.limit = seconds && atol(seconds) > 0 ? atol(seconds) : PATIENCE;
	patience.since = now();
}

static bool is_over(void)
{
	return now() - patience.since >= patience.limit;
}

/* What has arrived; the process that waits for it reads it. */
struct arrived {
	uint64_t done, of;
};

static struct arrived *arrived;
static volatile sig_atomic_t stopped_by;

static void stop(int sig)
{
	stopped_by = sig;
}

/* The second signal ends the process. */
static void catch_first(int sig)
{
	const struct sigaction action = { .sa_handler = stop, .sa_flags = (int)SA_RESETHAND };

	sigaction(sig, &action, NULL);
}

/* Before the first byte the client counts its own rounds: an increase by one is no progress, and there is no whole. */
static int progress(void *client, long done, long all)
{
	if (done < patience.done || done > patience.done + 1)
		patience.since = now();
	patience.done = done;
	if (all > 0 && done >= 0) {
		__atomic_store_n(&arrived->of, all, __ATOMIC_RELAXED);
		__atomic_store_n(&arrived->done, done, __ATOMIC_RELAXED);
	}
	return stopped_by || is_over();
}

/* --------------------------------------------------------------- the client's cache */

/* The file is empty if a server had none. */
static void remove_empty(const struct build_id *id, const char *variable, const char *below)
{
	const char *dir = getenv(variable);
	char path[1024], text[2 * BUILD_ID_MAX + 1];
	struct stat st;

	if (dir && snprintf(path, sizeof(path), "%s%s/%s/debuginfo", dir, below, build_id_text(id, text)) < (int)sizeof(path) &&
	    !lstat(path, &st) && S_ISREG(st.st_mode) && !st.st_size)
		unlink(path);
}

/*
 * A client that was stopped notes for ten minutes that there is no such file.  It looks for its cache in these places; an empty
 * file says nothing else anywhere.
 */
static void forget_absence(const struct build_id *id)
{
	remove_empty(id, "DEBUGINFOD_CACHE_PATH", "");
	remove_empty(id, "XDG_CACHE_HOME", "/debuginfod_client");
	remove_empty(id, "HOME", "/.cache/debuginfod_client");
	remove_empty(id, "HOME", "/.debuginfod_client_cache");
}

/* ---------------------------------------------------------------------- ask */

/* After a stop or its own time limit the client may also report that there is no such file. */
static bool refused(int error, struct debug_error *err)
{
	if (is_over() || error == ETIME || error == ETIMEDOUT)
		return debug_fail(err, "the servers of DEBUGINFOD_URLS do not answer: are they the right ones, and is the network up?");
	if (error != ENOENT)
		return debug_fail(err, "the servers of DEBUGINFOD_URLS cannot be asked (%s): are they the right ones, and is the network up?",
				  strerror(error));
	debug_fail(err, "the servers of DEBUGINFOD_URLS have no debug information of this build");
	err->is_absence = true;
	return false;
}

struct request {
	const struct build_id *id;
	const struct debug_fetch *fetch;
	struct arrived *arrived;
};

static bool ask(const void *arg, int fd, struct debug_error *err)
{
	const struct request *request = arg;
	struct client client;
	char *path = NULL;
	void *handle;
	int found;

	if (!load(&client))
		return debug_fail(err, "DEBUGINFOD_URLS is set, but its client is missing: install libdebuginfod1");
	handle = client.begin();
	if (!handle)
		return debug_fail(err, "no memory to ask the servers of DEBUGINFOD_URLS: free some");
	begin_patience();
	/* If ktrace ends, by Ctrl-C for instance, the client still removes what it has. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	arrived = request->arrived;
	catch_first(SIGINT);
	catch_first(SIGTERM);
	catch_first(SIGHUP);
	client.watch(handle, progress);
	found = client.find(handle, request->id->bytes, request->id->len, &path);
	if (found < 0 && (stopped_by || is_over()))
		forget_absence(request->id);
	if (stopped_by && found < 0) {
		signal(stopped_by, SIG_DFL);
		raise(stopped_by);
	}
	if (found < 0 || !path)
		return refused(-found, err);
	return write(fd, path, strlen(path)) > 0 || debug_fail(err, "no memory for a file name: free some");
}

/* In the process that waits. */
static void show(const void *arg)
{
	const struct request *request = arg;
	const uint64_t of = __atomic_load_n(&request->arrived->of, __ATOMIC_RELAXED);

	if (of && request->fetch->show)
		request->fetch->show(request->fetch->arg, __atomic_load_n(&request->arrived->done, __ATOMIC_RELAXED), of);
}

static bool fetch(const struct request *request, int fd, struct debug_error *err)
{
	switch (sandbox_run(ask, request, fd, show, err)) {
	case SANDBOX_DONE:
		return true;
	case SANDBOX_FAILED:
		return false;
	case SANDBOX_INTERRUPTED:
		return debug_fail(err, "asking the servers of DEBUGINFOD_URLS was interrupted: unset it to do without");
	default:
		return debug_fail(err, "the client of DEBUGINFOD_URLS failed: unset it to do without");
	}
}

bool debug_server_named(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && urls[strspn(urls, " ")];
}

bool debug_server_may(const struct debug_fetch *fetch, struct debug_error *err)
{
	struct debug_error unused;

	return debug_server_named() && fetch && fetch->may && fetch->may(fetch->arg, err ? err : &unused);
}

/* The name of the file, from the client. */
static bool take_path(const struct request *request, char *path, size_t size, struct debug_error *err)
{
	int fd = memfd_create("ktrace-path", MFD_CLOEXEC);
	ssize_t n = -1;

	if (fd < 0)
		return debug_fail(err, "no memory to ask the servers of DEBUGINFOD_URLS: free some");
	if (fetch(request, fd, err)) {
		n = pread(fd, path, size - 1, 0);
		path[n > 0 ? n : 0] = '\0';
		if (n <= 0)
			debug_fail(err, "the client of DEBUGINFOD_URLS failed: unset it to do without");
	}
	close(fd);
	return n > 0;
}

bool debug_server_ask(const struct build_id *id, const struct debug_fetch *fetch, char *path, size_t size, struct debug_error *err)
{
	struct request request = { .id = id, .fetch = fetch };
	bool ok;

	request.arrived = mmap(NULL, sizeof(*request.arrived), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (request.arrived == MAP_FAILED)
		return debug_fail(err, "no memory to ask the servers of DEBUGINFOD_URLS: free some");
	ok = take_path(&request, path, size, err);
	munmap(request.arrived, sizeof(*request.arrived));
	if (fetch->end)
		fetch->end(fetch->arg);
	return ok;
}
