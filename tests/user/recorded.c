// SPDX-License-Identifier: GPL-2.0-or-later
/* recorded.c - run a recorded program, and read what it has recorded.  See recorded.h. */
#include "recorded.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/base/device/clockmap.h"
#include "ctl/base/memory.h"
#include "ctl/trace/print/print.h"
#include "ctl/trace/saved/saved.h"
#include "tests/unit/unit.h"

#define MARK	"--recorded"

char recorded_errors[4096], recorded_dir[64];

void recorded_main(int argc, char **argv, const struct recorded_mode *modes, size_t nr)
{
	if (argc != 3 || strcmp(argv[1], MARK))
		return;
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(modes[i].name, argv[2]))
			exit(modes[i].run());
	fprintf(stderr, "no mode %s\n", argv[2]);
	exit(99);
}

static void run_child(const char *mode, const char *const *variables, int errors)
{
	dup2(errors, STDERR_FILENO);
	setenv("KTRACE_FILE", recorded_dir, 1);
	unsetenv("CMOCKA_MESSAGE_OUTPUT");
	for (; variables && *variables; variables++)
		putenv(strdup(*variables));
	execl("/proc/self/exe", "recorded", MARK, mode, NULL);
	_exit(98);
}

int recorded_run(const char *mode, const char *const *variables)
{
	int pipes[2], status;
	ssize_t n, at = 0;
	pid_t pid;

	recorded_drop();
	strcpy(recorded_dir, "/tmp/ktrace-user-XXXXXX");
	assert_non_null(mkdtemp(recorded_dir));
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		run_child(mode, variables, pipes[1]);
	close(pipes[1]);
	while ((n = read(pipes[0], recorded_errors + at, sizeof(recorded_errors) - 1 - at)) > 0)
		at += n;
	recorded_errors[at] = '\0';
	close(pipes[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool is_rings(const struct dirent *entry)
{
	const char *end = strstr(entry->d_name, USER_FILE_SUFFIX);

	return end && !strcmp(end, USER_FILE_SUFFIX);
}

static void read_ring(const struct user_file *file, uint32_t number, void (*each)(const struct recorded *event, void *arg),
		      void *arg, struct recorded_totals *totals)
{
	struct recorded event = { .pid = file->head.pid, .sites = file->nr_sites };
	struct user_ring ring;
	struct error err;
	bool more;

	if (!user_ring_begin(&ring, file, number, &err))
		fail_msg("%s", err.text);
	do {
		if (!user_ring_next(&ring, &more, &err))
			fail_msg("%s", err.text);
		totals->lost += ring.lost;
		if (!more)
			break;
		totals->events++;
		event.thread = ring.thread;
		event.ticks = ring.ticks;
		event.name = ring.site->name;
		event.lost = ring.lost;
		event.first = 0;
		if (ring.payload_len)
			memcpy(&event.first, ring.payload, sizeof(event.first));
		if (each)
			each(&event, arg);
	} while (true);
	user_ring_end(&ring);
}

void recorded_read(void (*each)(const struct recorded *event, void *arg), void *arg, struct recorded_totals *totals)
{
	DIR *dir = opendir(recorded_dir);
	struct dirent *entry;

	*totals = (struct recorded_totals){ 0 };
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		AUTO_FREE char *path = mem_printf("%s/%s", recorded_dir, entry->d_name);
		struct user_file *file;
		struct error err;

		if (!is_rings(entry) || !user_file_is_begun(path))
			continue;
		file = user_file_open(path, &err);
		if (!file)
			fail_msg("%s", err.text);
		totals->files++;
		totals->lost += file->head.lost;
		for (uint32_t i = 0; i < user_file_rings(file); i++)
			read_ring(file, i, each, arg, totals);
		user_file_close(file);
	}
	closedir(dir);
}

/* "NAME  14:03:11.482913207  (   0.000000361)  DATA" to "NAME  DATA", and ids to "vpid P". */
static char *without_times(char *text)
{
	char *to = text;

	for (char *at = text, *end; *at; at = end + 1) {
		char *data = strstr(at, ")  ");

		end = strchr(at, '\n');
		if (data && data < end) {
			const size_t name = strcspn(at, " ");

			memmove(to, at, name);
			to += name;
			at = data + 1;
			for (int i = 0; i < 2; i++)
				at = strchr(at + 2, ' ') + 1, at += strspn(at, "0123456789");
		}
		memmove(to, at, end + 1 - at);
		to += end + 1 - at;
	}
	*to = '\0';
	return text;
}

char *recorded_text(void)
{
	struct clockmap *map;
	struct printer *printer;
	struct snapshot *snap;
	struct saved *saved;
	struct error err;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	saved = saved_open(recorded_dir, &err);
	if (!saved)
		fail_msg("%s", err.text);
	map = clockmap_create(&saved_info(saved)->clock, saved_info(saved)->anchors);
	printer = printer_create(out, PRINT_TEXT, false);
	printer_clock(printer, map);
	while (saved_next(saved, &snap, &err) && snap) {
		printer_snapshot(printer, snap);
		snapshot_free(snap);
	}
	printer_free(printer);
	clockmap_free(map);
	saved_close(saved);
	fclose(out);
	return without_times(text);
}

void recorded_drop(void)
{
	DIR *dir = *recorded_dir ? opendir(recorded_dir) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(recorded_dir);
	recorded_dir[0] = '\0';
}
