// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * debug_server.c - ask debuginfod servers.  See debug_server.h.
 *
 * The client library is loaded when it is first needed, in a process of its own: it contains a web client, and
 * Ctrl-C ends that process at any point.
 */
#include "symbols/query/debug_server.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/* Before the first byte the client counts its own rounds: an increase by one is no progress. */
static int progress(void *client, long done, long all)
{
	if (done < patience.done || done > patience.done + 1)
		patience.since = now();
	patience.done = done;
	return is_over();
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

static bool ask(const void *arg, int fd, struct debug_error *err)
{
	const struct build_id *id = arg;
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
	client.watch(handle, progress);
	found = client.find(handle, id->bytes, id->len, &path);
	if (found < 0 || !path)
		return refused(-found, err);
	return write(fd, path, strlen(path)) > 0 || debug_fail(err, "no memory for a file name: free some");
}

static bool fetch(const struct build_id *id, int fd, struct debug_error *err)
{
	switch (sandbox_run(ask, id, fd, NULL, err)) {
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

bool debug_server_ask(const struct build_id *id, char *path, size_t size, struct debug_error *err)
{
	int fd = memfd_create("ktrace-path", MFD_CLOEXEC);
	ssize_t n = -1;

	if (fd < 0)
		return debug_fail(err, "no memory to ask the servers of DEBUGINFOD_URLS: free some");
	if (fetch(id, fd, err)) {
		n = pread(fd, path, size - 1, 0);
		path[n > 0 ? n : 0] = '\0';
		if (n <= 0)
			debug_fail(err, "the client of DEBUGINFOD_URLS failed: unset it to do without");
	}
	close(fd);
	return n > 0;
}
