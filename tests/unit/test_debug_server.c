// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_debug_server.c - debuginfod: servers that have the file, another one or none; that do not exist; that
 * never answer; Debian's own server; and nothing without consent.
 */
#include "unit.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "symbols/query/debug_find.h"
#include "symbols/query/debug_server.h"

static char dir[64];
static struct build_id own;

static int command(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static int command(const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return system(text);
}

/* ------------------------------------------------------------------ servers */

/* A port that nobody else uses, with its socket, which does not listen yet. */
static int take_port(uint16_t *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	*port = ntohs(at.sin_port);
	return fd;
}

static void name_server(uint16_t port)
{
	char url[64];

	snprintf(url, sizeof(url), "http://127.0.0.1:%u", port);
	setenv("DEBUGINFOD_URLS", url, 1);
	/* Earlier answers are cached there. */
	assert_int_equal(command("rm -rf %s/cache && mkdir %s/cache", dir, dir), 0);
}

/* Python's own server, for the files in a folder, on a free port.  It says "Serving HTTP on 127.0.0.1 port N" when it listens. */
static pid_t serve(void)
{
	char said[128] = "";
	uint16_t port;
	FILE *out;
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		if (!freopen("/dev/null", "w", stderr) || dup2(fds[1], STDOUT_FILENO) < 0)
			_exit(1);
		execlp("python3", "python3", "-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", dir, "0",
		       (char *)NULL);
		_exit(1);
	}
	close(fds[1]);
	out = fdopen(fds[0], "r");
	assert_non_null(fgets(said, sizeof(said), out));
	assert_int_equal(sscanf(said, "Serving HTTP on 127.0.0.1 port %hu", &port), 1);
	fclose(out);
	name_server(port);
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
}

static void put_file(const struct build_id *id, const char *from)
{
	char text[2 * BUILD_ID_MAX + 1];

	build_id_text(id, text);
	assert_int_equal(command("mkdir -p %s/buildid/%s && cp %s %s/buildid/%s/debuginfo", dir, text, from, dir, text), 0);
}

/* --------------------------------------------------------------------- ask */

static void keep(void *arg, const char *text)
{
	snprintf(arg, 256, "%s", text);
}

/* What the user says, and what was shown. */
static struct consent {
	bool given;
	unsigned int asked, ended;
	uint64_t done, of;
} consent;

static bool may(void *arg, struct debug_error *err)
{
	consent.asked++;
	return consent.given || debug_fail(err, "the user does not want it");
}

static void show(void *arg, uint64_t done, uint64_t of)
{
	consent.done = done;
	consent.of = of;
}

static void end(void *arg)
{
	consent.ended++;
}

static const struct debug_fetch fetch = { .may = may, .show = show, .end = end };

static struct image *find(const struct build_id *id, bool is_casual, struct debug_error *err)
{
	static char told[256];
	struct debug_wish wish = {
		.root = dir, .release = "6.1.0-test", .id = *id, .note = keep, .arg = told, .is_casual = is_casual, .fetch = fetch,
	};
	struct image *image;

	*told = '\0';
	consent = (struct consent){ .given = true };
	image = debug_find(&wish, err);
	assert_int_equal(consent.asked, !is_casual);
	assert_int_equal(consent.ended, !is_casual);
	if (is_casual)
		assert_string_equal(told, "");
	else
		assert_contains(told, "asking the servers");
	if (!image)
		assert_one_line(err->text);
	return image;
}

static struct build_id other_id(uint8_t first)
{
	struct build_id id = { .len = 20, .bytes = { first, 2, 3 } };

	return id;
}

static bool has_client(void)
{
	return dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
}

static int setup(void **state)
{
	char cache[96];

	strcpy(dir, "/tmp/ktrace-server-XXXXXX");
	if (!mkdtemp(dir) || !image_id_of_file("/proc/self/exe", &own))
		return -1;
	snprintf(cache, sizeof(cache), "%s/cache", dir);
	setenv("DEBUGINFOD_CACHE_PATH", cache, 1);
	unsetenv("DEBUGINFOD_TIMEOUT");
	unsetenv("http_proxy");
	setenv("no_proxy", "127.0.0.1", 1);
	return 0;
}

static int teardown(void **state)
{
	return command("rm -rf %s", dir);
}

static void test_found(void **state)
{
	struct debug_error err = { .text = "" };
	struct image *image;
	pid_t server;
	char exe[64];

	snprintf(exe, sizeof(exe), "/proc/%d/exe", getpid());
	put_file(&own, exe);
	server = serve();
	assert_null(find(&own, true, &err));
	image = find(&own, false, &err);
	stop(server);
	if (!image)
		fail_msg("%s", err.text);
	assert_true(build_id_equal(&image->id, &own));
	image_close(image);
}

static void test_not_there(void **state)
{
	const struct build_id id = other_id(1);
	struct debug_error err;
	pid_t server = serve();

	assert_null(find(&id, false, &err));
	assert_contains(err.text, "no debug information of kernel 6.1.0-test");
	assert_true(err.is_absence);
	stop(server);
}

/* The file is this program, so its build differs. */
static void test_wrong_build(void **state)
{
	const struct build_id id = other_id(2);
	struct debug_error err;
	pid_t server;
	char exe[64];

	snprintf(exe, sizeof(exe), "/proc/%d/exe", getpid());
	put_file(&id, exe);
	server = serve();
	assert_null(find(&id, false, &err));
	assert_contains(err.text, "another build");
	assert_false(err.is_absence);
	stop(server);
}

static void test_not_elf(void **state)
{
	const struct build_id id = other_id(3);
	struct debug_error err;
	pid_t server;

	put_file(&id, "/etc/passwd");
	server = serve();
	assert_null(find(&id, false, &err));
	assert_contains(err.text, "not an ELF file");
	stop(server);
}

static void test_refused(void **state)
{
	const struct build_id id = other_id(4);
	struct debug_error err;
	uint16_t port;
	/* Nobody listens, and nobody else can. */
	int fd = take_port(&port);

	name_server(port);
	assert_null(find(&id, false, &err));
	assert_contains(err.text, "cannot be asked (Connection refused)");
	close(fd);
}

/* It accepts the connection and sends nothing. */
static void test_silent(void **state)
{
	const struct build_id id = other_id(5);
	struct debug_error err;
	time_t began = time(NULL);
	uint16_t port;
	int fd = take_port(&port);

	assert_int_equal(listen(fd, 4), 0);
	name_server(port);
	setenv("DEBUGINFOD_TIMEOUT", "2", 1);
	assert_null(find(&id, false, &err));
	assert_contains(err.text, "do not answer");
	assert_true(time(NULL) - began < 60);
	unsetenv("DEBUGINFOD_TIMEOUT");
	close(fd);
}

/* Ctrl-C goes to all processes of the terminal; a process that catches it, such as the prompt, survives. */
static void catch(int sig)
{
}

static void interrupted(void)
{
	const struct build_id id = other_id(6);
	char path[256];
	struct debug_error err = { .text = "" };

	signal(SIGINT, catch);
	_exit(!debug_server_ask(&id, &fetch, path, sizeof(path), &err) && strstr(err.text, "was interrupted") ? 0 : 1);
}

static void test_interrupted(void **state)
{
	uint16_t port;
	int fd = take_port(&port), status, client;
	pid_t pid;

	assert_int_equal(listen(fd, 4), 0);
	name_server(port);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		interrupted();
	}
	/* The client waits for an answer. */
	client = accept(fd, NULL, NULL);
	assert_true(client >= 0);
	assert_int_equal(kill(-pid, SIGINT), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(client);
	close(fd);
}

/* It sends the begin of a large file, and waits. */
static void send_a_part(int client, size_t of)
{
	char head[256], part[4096] = "";

	assert_true(read(client, head, sizeof(head)) > 0);
	snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: %zu\r\n"
		 "X-DEBUGINFOD-SIZE: %zu\r\n\r\n", of, of);
	assert_true(write(client, head, strlen(head)) > 0);
	for (int i = 0; i < 16; i++)
		assert_int_equal(write(client, part, sizeof(part)), sizeof(part));
}

static void wait_for_file(const char *fmt, const char *what)
{
	for (int i = 0; i < 600 && command(fmt, dir); i++)
		usleep(100000);
	if (command(fmt, dir))
		fail_msg("no %s", what);
}

/* Ctrl-C while the file arrives: what came of it does not stay. */
static void test_interrupted_fetch(void **state)
{
	uint16_t port;
	int fd = take_port(&port), status, client;
	pid_t pid;

	assert_int_equal(listen(fd, 4), 0);
	name_server(port);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		interrupted();
	}
	client = accept(fd, NULL, NULL);
	assert_true(client >= 0);
	send_a_part(client, 1 << 30);
	wait_for_file("test -n \"$(find %s/cache -size +1k -name 'debuginfo*')\"", "part of the file");
	assert_int_equal(kill(-pid, SIGINT), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* Neither a part nor a note that there is no such file. */
	assert_int_equal(command("test -z \"$(find %s/cache -name 'debuginfo*')\"", dir), 0);
	close(client);
	close(fd);
}

/* How far it is, while it goes on. */
static void test_progress(void **state)
{
	const struct build_id id = other_id(7);
	struct debug_error err;
	uint16_t port;
	int fd = take_port(&port), client;
	pid_t pid;

	assert_int_equal(listen(fd, 4), 0);
	name_server(port);
	setenv("DEBUGINFOD_TIMEOUT", "3", 1);
	pid = fork();
	if (!pid) {
		client = accept(fd, NULL, NULL);
		send_a_part(client, 1 << 20);
		pause();
	}
	assert_null(find(&id, false, &err));
	unsetenv("DEBUGINFOD_TIMEOUT");
	assert_contains(err.text, "do not answer");
	assert_int_equal(consent.of, 1 << 20);
	assert_int_equal(consent.done, 1 << 16);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
}

/* Nothing reaches the server: nobody connects. */
static void test_without_consent(void **state)
{
	const struct build_id id = other_id(8);
	struct debug_wish wish = { .root = dir, .release = "6.1.0-test", .id = id, .fetch = fetch };
	struct debug_error err;
	uint16_t port;
	int fd = take_port(&port);

	assert_int_equal(listen(fd, 4), 0);
	name_server(port);
	consent = (struct consent){ .given = false };
	assert_null(debug_find(&wish, &err));
	assert_int_equal(consent.asked, 1);
	assert_contains(err.text, "; the user does not want it");
	assert_one_line(err.text);
	assert_true(err.is_absence);
	/* Where nobody can be asked. */
	wish.fetch = (struct debug_fetch){ .may = NULL };
	assert_null(debug_find(&wish, &err));
	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(accept(fd, NULL, NULL), -1);
	assert_int_equal(errno, EAGAIN);
	close(fd);
}

/* The server of elfutils, which indexes a directory. */
static pid_t serve_by_debuginfod(void)
{
	char port_text[8], files[96];
	uint16_t port;
	pid_t pid;

	close(take_port(&port));
	name_server(port);
	snprintf(port_text, sizeof(port_text), "%u", port);
	snprintf(files, sizeof(files), "%s/files", dir);
	pid = fork();
	if (!pid) {
		unsetenv("DEBUGINFOD_URLS");
		if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout))
			_exit(1);
		execlp("debuginfod", "debuginfod", "-d", ":memory:", "-p", port_text, "-F", files, (char *)NULL);
		_exit(1);
	}
	return pid;
}

static void test_debuginfod(void **state)
{
	const struct build_id id = other_id(9);
	struct debug_error err = { .text = "" };
	struct image *image = NULL;
	pid_t server;

	assert_int_equal(command("mkdir -p %s/files && cp /proc/%d/exe %s/files/program", dir, getpid(), dir), 0);
	server = serve_by_debuginfod();
	/* It answers when it has read the directory; what it did not have is remembered in the client's cache. */
	for (int i = 0; i < 600 && !image; i++) {
		usleep(100000);
		assert_int_equal(command("rm -rf %s/cache && mkdir %s/cache", dir, dir), 0);
		image = find(&own, false, &err);
	}
	if (!image)
		fail_msg("%s", err.text);
	assert_true(build_id_equal(&image->id, &own));
	image_close(image);
	assert_null(find(&id, false, &err));
	assert_true(err.is_absence);
	stop(server);
}

static void test_unnamed(void **state)
{
	unsetenv("DEBUGINFOD_URLS");
	assert_false(debug_server_named());
	setenv("DEBUGINFOD_URLS", " ", 1);
	assert_false(debug_server_named());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found), cmocka_unit_test(test_not_there), cmocka_unit_test(test_wrong_build),
		cmocka_unit_test(test_not_elf), cmocka_unit_test(test_refused), cmocka_unit_test(test_silent),
		cmocka_unit_test(test_interrupted), cmocka_unit_test(test_interrupted_fetch), cmocka_unit_test(test_progress),
		cmocka_unit_test(test_without_consent), cmocka_unit_test(test_debuginfod), cmocka_unit_test(test_unnamed),
	};

	if (!has_client()) {
		fprintf(stderr, "libdebuginfod1 is not installed\n");
		return 1;
	}
	return cmocka_run_group_tests(tests, setup, teardown);
}
