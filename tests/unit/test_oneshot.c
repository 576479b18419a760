// SPDX-License-Identifier: GPL-2.0-or-later
/* test_oneshot.c - the words of a measurement, its command, and completions for a shell. */
#include "unit.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/live/session/child.h"
#include "ctl/live/measure/condition.h"
#include "ctl/live/measure/oneshot.h"
#include "ctl/ui/shell_complete.h"
#include "fake_kernel.h"

/* ------------------------------------------------------------------- words */

static bool parse(const char *line, const struct flags *taker, struct session *s, struct words *words, struct oneshot *o,
		  struct error *err)
{
	assert_int_equal(lex_command(&line, words, err), LEX_COMMAND);
	return oneshot_parse(s, words, taker, o, err);
}

static void test_words(void **state)
{
	AUTO_WORDS struct words words = { 0 };
	AUTO_ONESHOT struct oneshot o = { 0 };
	struct session s = { 0 };
	struct error err;

	assert_true(parse("latency --for 250ms vfs_write IF '$rdx > 4' --count=10 --by 'VAR x' --fail-if 'p99>5us' --json --pid 7 --top 3 "
			  "--across --raw --html /tmp/x -- dd --count 5 --",
			  &latency_flags, &s, &words, &o, &err));
	assert_int_equal(o.nr_subjects, 3);
	assert_string_equal(o.subjects[2], "$rdx > 4");
	assert_true(o.for_ms == 250 && o.count == 10 && o.pid == 7 && o.top == 3 && o.across && o.raw);
	assert_string_equal(o.by, "VAR x");
	assert_string_equal(o.html, "/tmp/x");
	assert_string_equal(condition_text(o.fail_if), "p99>5us");
	assert_int_equal(s.format, PRINT_JSON);
	assert_string_equal(o.command[0], "dd");
	assert_string_equal(o.command[3], "--");
	assert_null(o.command[4]);
}

static void test_pairs_words(void **state)
{
	AUTO_WORDS struct words words = { 0 }, more = { 0 };
	AUTO_ONESHOT struct oneshot o = { 0 }, run = { 0 };
	struct session s = { 0 };
	struct error err;

	assert_true(parse("pairs a ARGS b --by p --by 'next->pid' --for 1s", &pairing_flags, &s, &words, &o, &err));
	assert_int_equal(o.nr_subjects, 3);
	assert_string_equal(o.keys[0], "p");
	assert_string_equal(o.keys[1], "next->pid");
	assert_true(parse("run 'trace a FREEZE' --until-frozen --last 20", &run_flags, &s, &more, &run, &err));
	assert_true(run.until_frozen && run.last == 20);
}

/* An option whose argument has two words. */
static void test_two_words(void **state)
{
	static const char *const right[] = {
		"record --caller depth 2 --for 1s -- true", "record --caller=depth 2 -- true", "record --for 1s --caller depth 2",
		"record --caller in x --caller depth 2",
	};
	static const char *const wrong[] = {
		"record --caller", "record --caller depth", "record --caller= 2", "record --caller depth -- 2", "record --for 1s --caller -- x",
	};

	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		AUTO_WORDS struct words words = { 0 };
		AUTO_ONESHOT struct oneshot o = { 0 };
		struct session s = { 0 };
		struct error err;

		assert_true(parse(right[i], &record_flags, &s, &words, &o, &err));
		assert_string_equal(o.caller[0], "depth");
		assert_string_equal(o.caller[1], "2");
		assert_int_equal(o.nr_subjects, 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		AUTO_WORDS struct words words = { 0 };
		AUTO_ONESHOT struct oneshot o = { 0 };
		struct session s = { 0 };
		struct error err;

		assert_false(parse(wrong[i], &record_flags, &s, &words, &o, &err));
		assert_contains(err.text, "--caller needs its WHO (depth N or in RANGE: what made");
		assert_one_line(err.text);
	}
}

/* A word behind the key, beside two places, is the key at B; otherwise it is a place or an argument. */
static void test_second_key(void **state)
{
	static const struct {
		const char *line, *second;
		size_t subjects;
	} rows[] = {
		{ "latency a b --key p->pid next->pid --for 1s", "next->pid", 2 },
		{ "latency a IF 'x > 1' b --key p->pid next->pid -- ls", "next->pid", 4 },
		{ "latency --key p next a b", "next", 2 },
		{ "latency a --key p b", NULL, 2 },
		{ "latency a --key p IF 'x > 1' b", NULL, 4 },
		{ "latency a b --key p IF 'x > 1'", NULL, 4 },
		{ "latency a b --key p q IF 'x > 1'", NULL, 5 },
		{ "latency a b --key p --key q c", "q", 3 },
		{ "latency a b c --key p", NULL, 3 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_WORDS struct words words = { 0 };
		AUTO_ONESHOT struct oneshot o = { 0 };
		struct session s = { 0 };
		struct error err;

		assert_true(parse(rows[i].line, &latency_flags, &s, &words, &o, &err));
		assert_string_equal(o.keys[1] ? o.keys[1] : "none", rows[i].second ? rows[i].second : "none");
		assert_int_equal(o.nr_subjects, rows[i].subjects);
		assert_true(o.subjects[0][0] == 'a');
	}
}

/* Refused before anything is measured. */
static void test_unwritable_page(void **state)
{
	static const char *const rows[][2] = {
		{ "run x --html /nowhere/page.html", "/nowhere/page.html: No such file or directory: choose another file for --html" },
		{ "run x --html /tmp", "/tmp: Is a directory" }, { "run x --html /dev/null/x", "Not a directory" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_WORDS struct words words = { 0 };
		AUTO_ONESHOT struct oneshot o = { 0 };
		struct session s = { 0 };
		struct error err;

		assert_false(parse(rows[i][0], &run_flags, &s, &words, &o, &err));
		assert_contains(err.text, rows[i][1]);
		assert_int_equal(err.status, STATUS_FAILURE);
		assert_one_line(err.text);
	}
}

static void test_wrong_words(void **state)
{
	static const struct {
		const char *line, *says;
	} wrong[] = {
		{ "run x --", "give a command after --" }, { "run x --for", "needs its TIME" }, { "run x --for -- ls", "needs its TIME" },
		{ "run x --for 5m", "not a time" }, { "run x --for -5", "not a time" }, { "run x --for 1e300", "too long" },
		{ "run x --count 0", "not a number" }, { "run x --count 18446744073709551616", "too large" }, { "run x --json=1", "takes no argument" },
		{ "run x --across", "unknown option --across" }, { "run x --cuont 5", "did you mean --count" }, { "run x --fail-if p99", "a comparison" },
		{ "run x --pid=", "needs its PID" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		AUTO_WORDS struct words words = { 0 };
		AUTO_ONESHOT struct oneshot o = { 0 };
		struct session s = { 0 };
		struct error err;

		if (parse(wrong[i].line, &run_flags, &s, &words, &o, &err))
			fail_msg("'%s' is accepted", wrong[i].line);
		assert_int_equal(err.status, STATUS_USAGE);
		assert_contains(err.text, wrong[i].says);
	}
}

static void test_run_wrong(void **state)
{
	struct fake_kernel *fake = fake_create();

	assert_int_equal(fake_run(fake, "run 'print'"), STATUS_USAGE);
	assert_contains(fake_error(), "it takes trace commands");
	assert_int_equal(fake_run(fake, "run --for 1"), STATUS_USAGE);
	assert_int_equal(fake_run(fake, "run 'trace vfs_write BOGUS' -- true"), STATUS_USAGE);
	assert_int_equal(fake_run(fake, "run 'trace vfs_wriet' -- true"), STATUS_FAILURE);
	assert_int_equal(fake_run(fake, "run 'trace vfs_write PID' --until-frozen --for 1ms"), STATUS_USAGE);
	assert_contains(fake_error(), "no tracepoint stops recording: add FREEZE");
	assert_int_equal(fake_run(fake, "pairs vfs_write --by '$rdi'"), STATUS_USAGE);
	assert_contains(fake_error(), "give two places");
	assert_int_equal(fake_run(fake, "pairs vfs_write add"), STATUS_USAGE);
	assert_contains(fake_error(), "Give --by KEY");
	assert_int_equal(fake_run(fake, "pairs vfs_write add --by a --by b --by c"), STATUS_USAGE);
	assert_contains(fake_error(), "there are two already");
	assert_int_equal(fake_run(fake, "pairs vfs_write add COUNT --by '$rdi'"), STATUS_USAGE);
	assert_int_equal(fake_run(fake, "latency vfs_write --key '$rdi'"), STATUS_USAGE);
	assert_contains(fake_error(), "latency A B --key KEY");
	assert_int_equal(fake_run(fake, "latency vfs_write add --key '$rdi' --across"), STATUS_USAGE);
	assert_contains(fake_error(), "--across: not with --key");
	assert_int_equal(fake_run(fake, "latency vfs_write add --off-cpu"), STATUS_USAGE);
	assert_contains(fake_error(), "name one, not two places");
	assert_int_equal(fake_run(fake, "latency vfs_write --top 3 --off-cpu"), STATUS_USAGE);
	assert_contains(fake_error(), "--top: not with --off-cpu: leave one out");
	assert_int_equal(fake_run(fake, "latency vfs_write ARGS add --key '$rdi'"), STATUS_USAGE);
	assert_contains(fake_error(), "ARGS: of no use with --key: leave it out");
	assert_int_equal(fake_run(fake, "latency vfs_write add --key a --key b --key c"), STATUS_USAGE);
	assert_contains(fake_error(), "--key c: there are two already");
	assert_int_equal(fake->nr_sites, 0);
	fake->session.dry_run = true;
	assert_int_equal(fake_run(fake, "run 'trace vfs_write PID; trace add' --pid 5 --count 3 -- /nonexistent"), STATUS_OK);
	assert_int_equal(fake->flags & KT_TRACE_DRYRUN, KT_TRACE_DRYRUN);
	fake_free(fake);
}

/* -------------------------------------------------------------- the command */

/* The signal, if any, comes when the file `ready` is there, and again and again until the process ends by it. */
static int run_child(const char *script, int sig, const char *ready)
{
	char *argv[] = { "sh", "-c", (char *)script, NULL };
	struct child child;
	struct error err;
	int status;

	assert_true(child_start(&child, argv, &err));
	assert_false(child_ended(&child, false));
	assert_true(child_release(&child, argv[0], &err));
	while (ready && access(ready, F_OK))
		usleep(1000);
	while (sig) {
		struct pollfd end = { .fd = child.fd, .events = POLLIN };

		raise(sig);
		if (poll(&end, 1, 100) > 0)
			break;
	}
	while (!child_ended(&child, true))
		;
	status = child.status;
	child_drop(&child);
	return status;
}

static void test_status(void **state)
{
	AUTO_FREE char *ready = mem_printf("/tmp/ktrace-unit-ready-%d", getpid());
	AUTO_FREE char *script = mem_printf("trap 'exit 5' INT; : >%s; while :; do sleep 0.02; done", ready);

	unlink(ready);
	assert_int_equal(child_shell_status(run_child("exit 0", 0, NULL)), 0);
	assert_int_equal(child_shell_status(run_child("exit 42", 0, NULL)), 42);
	assert_int_equal(child_shell_status(run_child("kill -KILL $$", 0, NULL)), 128 + SIGKILL);
	assert_int_equal(child_shell_status(run_child("exec sleep 600", SIGTERM, NULL)), 128 + SIGTERM);
	assert_int_equal(child_shell_status(run_child(script, SIGINT, ready)), 5);
	assert_true(child_signals() > 0);
	unlink(ready);
}

static void test_not_executable(void **state)
{
	static const struct {
		char *name;
		int status;
	} cases[] = { { "/nonexistent/x", 127 }, { "no-such-command-here", 127 }, { "/etc/passwd", 126 }, { "/", 126 }, { "", 127 } };
	struct sigaction before, after;

	sigaction(SIGINT, NULL, &before);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *argv[] = { cases[i].name, NULL };
		struct child child;
		struct error err;

		assert_true(child_start(&child, argv, &err));
		assert_false(child_release(&child, argv[0], &err));
		assert_int_equal(err.status, cases[i].status);
		assert_one_line(err.text);
		assert_int_equal(kill(child.pid, 0), -1);
		child_drop(&child);
	}
	sigaction(SIGINT, NULL, &after);
	assert_true(before.sa_handler == after.sa_handler);
}

/* A command is followed, unless a process is named: then it is only the load. */
static void test_load(void **state)
{
	static const struct {
		const char *line;
		unsigned int trees;
		bool in_tree;
	} cases[] = {
		{ "latency vfs_write", 1, true },	   { "latency vfs_write --pid 1", 0, false },
		{ "latency vfs_write ONLYTGID 1", 1, false }, { "latency vfs_write ONLYPID 1", 1, false },
		{ "latency vfs_write ONLYCOMM x", 1, true },  { "latency vfs_w*", 1, true },
		{ "latency vfs_w* --pid 1", 0, false },	   { "latency vfs_write vfs_writev --pid 1", 0, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *line = mem_printf("%s -- sh -c 'exit 3'", cases[i].line);
		struct fake_kernel *fake = fake_create();

		assert_int_equal(fake_run(fake, line), STATUS_OK);
		assert_int_equal(fake->nr_trees, cases[i].trees);
		assert_int_equal(fake->desc_flags & KT_DESC_TASKS, cases[i].in_tree ? KT_DESC_TASKS : 0);
		assert_int_equal(child_shell_status(fake->session.wait_status), 3);
		assert_int_equal(fake->nr_sites, 0);
		fake_free(fake);
	}
}

/* The fake module has no records, so these end here: the case run-child goes on. */
static void test_load_with_records(void **state)
{
	static const char *const lines[] = { "latency vfs_write add --key '$rdi'", "pairs vfs_write add --by '$rdi'", "run 'trace vfs_write PID'" };
	struct fake_kernel *fake = fake_create();

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		AUTO_FREE char *followed = mem_printf("%s -- true", lines[i]), *load = mem_printf("%s --pid 1 -- true", lines[i]);

		fake_run(fake, load);
		assert_int_equal(fake->nr_trees, i);
		fake_run(fake, followed);
		assert_int_equal(fake->nr_trees, i + 1);
	}
	fake_free(fake);
}

/* A held command that is never released leaves nothing, whichever process ends first. */
static void test_held(void **state)
{
	char *argv[] = { "touch", "/tmp/ktrace-unit-executed", NULL };
	struct child child;
	struct error err;

	unlink(argv[1]);
	assert_true(child_start(&child, argv, &err));
	child_drop(&child);
	assert_int_equal(access(argv[1], F_OK), -1);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* Ends as main() does, in a process of its own. */
static void test_alike(void **state)
{
	static const int signals[] = { SIGTERM, SIGSEGV, SIGKILL };
	int status;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		pid_t pid = fork();

		if (!pid)
			child_end_alike(signals[i]);
		waitpid(pid, &status, 0);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i] && !WCOREDUMP(status));
	}
}

/* ------------------------------------------------------------- completion */

static const char *offered(struct fake_kernel *fake, const char *line)
{
	AUTO_WORDS struct words words = { 0 };

	fake_run(fake, "");
	for (const char *at = line; *at; at += strcspn(at, " "), at += *at == ' ')
		words_add(&words, at, strcspn(at, " "));
	if (!*line || line[strlen(line) - 1] == ' ')
		words_add(&words, "", 0);
	shell_complete(&fake->session, words.v, words.n);
	fflush(fake->session.out);
	return fake->out;
}

static void test_shell(void **state)
{
	struct fake_kernel *fake = fake_create();

	assert_contains(offered(fake, ""), "trace\n");
	assert_string_equal(offered(fake, "pr"), "print\nprintclear\n");
	assert_string_equal(offered(fake, "--form"), "--format\n");
	assert_string_equal(offered(fake, "--format=j"), "--format=json\n");
	assert_string_equal(offered(fake, "--color n"), "never\n");
	assert_string_equal(offered(fake, "-f /et"), ":files\n");
	assert_string_equal(offered(fake, "-q --format json pri"), "print\nprintclear\n");
	assert_string_equal(offered(fake, "trace vfs_writ"), "vfs_write\nvfs_writev\n");
	assert_string_equal(offered(fake, "trace ext4:ext4_s"), "ext4:ext4_sync_fs\n");
	assert_string_equal(offered(fake, "trace vfs_write ONLYP"), "ONLYPID\nONLYPGRP\n");
	assert_string_equal(offered(fake, "run x --co"), "--count\n");
	assert_string_equal(offered(fake, "run x --html "), ":files\n");
	assert_string_equal(offered(fake, "run x --fail-if ma"), "max>\n");
	assert_string_equal(offered(fake, "record --events co"), "core\n");
	assert_string_equal(offered(fake, "record --events core,-i"), "core,-irq\ncore,-ipc\ncore,-irq_handler_entry\n"
			    "core,-irq_handler_exit\ncore,-irq_softirq_entry\ncore,-irq_softirq_exit\ncore,-irq_softirq_raise\n"
			    "core,-ipc_msg_create\ncore,-ipc_msg_created\ncore,-ipc_sem_create\ncore,-ipc_sem_created\n"
			    "core,-ipc_shm_create\ncore,-ipc_shm_created\n");
	assert_string_equal(offered(fake, "top --events irq,ne"), "irq,net\nirq,net_dev_queue\nirq,net_dev_xmit\nirq,net_if_receive_skb\n"
			    "irq,net_if_rx\n");
	assert_string_equal(offered(fake, "run x --for "), "");
	assert_string_equal(offered(fake, "run x -- l"), ":files\n");
	assert_string_equal(offered(fake, "save "), ":files\n");
	fake_free(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words), cmocka_unit_test(test_pairs_words), cmocka_unit_test(test_wrong_words), cmocka_unit_test(test_two_words),
		cmocka_unit_test(test_second_key), cmocka_unit_test(test_unwritable_page), cmocka_unit_test(test_run_wrong),
		cmocka_unit_test(test_status), cmocka_unit_test(test_not_executable), cmocka_unit_test(test_held), cmocka_unit_test(test_load), cmocka_unit_test(test_load_with_records),
		cmocka_unit_test(test_alike),  cmocka_unit_test(test_shell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
