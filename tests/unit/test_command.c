// SPDX-License-Identifier: GPL-2.0-or-later
/* test_command.c - the table of commands, scripts, completion, the start file. */
#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/base/paths.h"
#include "ctl/cmd/command.h"
#include "ctl/cmd/script.h"
#include "ctl/ui/complete.h"
#include "fake_setup.h"

static void test_abbreviations(void **state)
{
	static const struct {
		const char *typed, *name;
	} rows[] = {
		{ "trace", "trace" }, { "t", "trace" },	    { "d", "delete" },	 { "lis", "list" }, { "lin", "lines" }, { "la", "latency" }, { "r", "run" }, { "rec", "record" },
		{ "p", "print" },     { "print", "print" }, { "printc", "printclear" },
		{ "c", "clear" },     { "fo", "follow" },   { "fr", "freeze" },	 { "u", "unfreeze" },
		{ "st", "status" },   { "so", "source" },   { "h", "help" },	 { "q", "quit" },
		{ "!", "!" },
	};
	struct error err;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct command *c = command_find(rows[i].typed, &err);

		if (!c)
			fail_msg("%s: %s", rows[i].typed, err.text);
		assert_string_equal(c->name, rows[i].name);
	}
	assert_null(command_find("f", &err));
	assert_contains(err.text, "follow, freeze");
	assert_null(command_find("tarce", &err));
	assert_contains(err.text, "did you mean trace?");
	assert_null(command_find("", &err));
	assert_null(command_find("TRACE", &err));
	assert_int_equal(err.status, STATUS_USAGE);
}

static void refused(const char *line, enum exit_status status, const char *said)
{
	assert_int_equal(fake_run(fake, line), status);
	assert_contains(fake_error(), said);
	assert_one_line(fake_error());
}

static void test_buffer(void **state)
{
	assert_int_equal(fake_run(fake, "buffer 3m Discard"), STATUS_OK);
	assert_contains(fake->out, "4 MiB for each of ");
	assert_contains(fake->out, "a full buffer discards new records\n");
	assert_int_equal(fake_run(fake, "buffer overwrite 512KiB"), STATUS_OK);
	assert_contains(fake->out, "512 KiB for each of ");
	assert_contains(fake->out, "new records overwrite old ones\n");
	assert_contains(fake->messages, "7 unprinted records did not fit in the smaller buffer");
	refused("buffer 5", STATUS_USAGE, "the unit is missing: write 5K, 5M or 5G");
	refused("buffer 4K", STATUS_USAGE, "out of range: from 8K to 1G");
	refused("buffer 2G", STATUS_USAGE, "out of range");
	refused("buffer 18446744073709551616K", STATUS_USAGE, "out of range");
	refused("buffer big", STATUS_USAGE, "neither a size nor a mode: write a size such as 512K or 4M");
	refused("buffer discrad", STATUS_USAGE, "buffer discrad: neither a size nor a mode: did you mean discard?");
	refused("buffer 4M 8M", STATUS_USAGE, "two sizes or two modes");
	refused("buffer discard overwrite", STATUS_USAGE, "two sizes or two modes");
	refused("buffer 128M", STATUS_FAILURE, "not enough memory, nothing was changed");
}

static void test_follow_words(void **state)
{
	refused("follow -o", STATUS_USAGE, "follow -o needs its DIR (");
	refused("follow 5 -o", STATUS_USAGE, "follow -o needs its DIR (");
	refused("follow -o a -o", STATUS_USAGE, "follow -o needs its DIR (");
}

/* -i: commands that work on a saved trace, and commands that do not. */
static void test_input(void **state)
{
	fake->session.input = "/nonexistent";
	refused("freeze", STATUS_USAGE, "not on a saved trace: leave out -i");
	refused("print", STATUS_FAILURE, "no such directory");
	refused("status", STATUS_FAILURE, "no such directory");
	refused("list", STATUS_FAILURE, "no such directory");
	fake->session.input = NULL;
}

static void test_usage(void **state)
{
	refused("trace", STATUS_USAGE, "too few arguments");
	refused("delete", STATUS_USAGE, "too few arguments");
	refused("print x", STATUS_USAGE, "not understood");
	refused("print 0", STATUS_USAGE, "not understood");
	refused("print 3 -4", STATUS_USAGE, "not understood");
	refused("print IF pid ==", STATUS_USAGE, "at column 7: a value is expected");
	refused("print -o", STATUS_USAGE, "print -o needs its FILE (print into this file)");
	refused("list !|", STATUS_USAGE, "!| needs a shell command");
	refused("list !| exit 3", STATUS_FAILURE, "status 3");
	refused("printclear 3", STATUS_USAGE, "printclear takes no arguments");
	refused("list -v -v -v -v", STATUS_USAGE, "too many arguments");
	refused("follow x", STATUS_USAGE, "not a time");
	refused("follow -1", STATUS_USAGE, "not a time");
	refused("follow 1e99", STATUS_USAGE, "number too large");
	refused("follow 1 2", STATUS_USAGE, "too many arguments");
	refused("source", STATUS_USAGE, "too few arguments");
	refused("help nonsense", STATUS_USAGE, "no help on 'nonsense'");
	refused("nonsense", STATUS_USAGE, "unknown command 'nonsense'");
	refused("source /nonexistent", STATUS_FAILURE, "/nonexistent: No such file or directory");
	refused("!exit 3", STATUS_FAILURE, "status 3");
	refused("list 'x", STATUS_USAGE, "a closing quote is missing");
}

/* Which recording is asked, and what is said when none can be. */
static void test_snapshot(void **state)
{
	(void)state;
	refused("snapshot", STATUS_FAILURE, "there is no flight recording: 'record --mode flight' starts one");
	refused("snapshot build", STATUS_FAILURE, "build: no recording has this name");
	refused("snapshot build tiny", STATUS_USAGE, "tiny: one recording at a time");
	fake->has_recordings = true;
	refused("snapshot tiny", STATUS_FAILURE, "tiny: is written to a directory already");
	refused("snapshot", STATUS_FAILURE, "build: its recorder does not answer: Connection refused");
	refused("snapshot build -o /tmp/x", STATUS_FAILURE, "build: its recorder does not answer");
	refused("record --mode fast", STATUS_USAGE, "--mode fast: choose disk or flight");
	refused("record --ctf 3", STATUS_USAGE, "--ctf 3: not a version of CTF that ktrace writes: choose 1.8 or 2");
	refused("record --mode flight --rotate 2M", STATUS_USAGE, "has a size of its own");
	refused("record --rotate 2M --max-size 3M", STATUS_USAGE, "room for two parts");
}

/* The calibration takes the same path (fast or slow) as the hits of the measurement. */
static void test_calibrated_alike(void **state)
{
	static const char line[] = "latency vfs_write vfs_writev --for 1ms";

	for (int is_long = 0; is_long < 2; is_long++) {
		const uint32_t slow = KT_ROLE_THREAD | (is_long ? KT_ROLE_SLOW_PATH : 0);

		fake->slow_path = is_long;
		fake->scratch_what[0] = fake->scratch_what[1] = 0;
		fake_run(fake, line);
		assert_int_equal(fake->scratch_what[0] & (KT_ROLE_BEGIN | KT_ROLE_SLOW_PATH | KT_ROLE_THREAD), KT_ROLE_BEGIN | slow);
		assert_int_equal(fake->scratch_what[1] & (KT_ROLE_END | KT_ROLE_SLOW_PATH | KT_ROLE_THREAD), KT_ROLE_END | slow);
		assert_int_equal(fake->nr_sites, 0);
		assert_false(fake->runs);
	}
}

/* Each function of a pattern gets a measurement; nothing stays set. */
static void test_latency_of_pattern(void **state)
{
	static const char *const refused[] = { "--by comm", "--top 3", "--count 5", "--html /tmp/x", "--across" };

	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		AUTO_FREE char *line = mem_printf("latency vfs_w* %s", refused[i]);
		AUTO_FREE char *option = mem_strndup(refused[i], strcspn(refused[i], " "));

		assert_int_equal(fake_run(fake, line), STATUS_USAGE);
		assert_contains(fake_error(), option);
	}
	assert_int_equal(fake_run(fake, "latency none_* --for 1ms"), STATUS_FAILURE);
	assert_contains(fake_error(), "'none_*' matches no function");
	assert_int_equal(fake->nr_trace, 0);
	fake_run(fake, "latency vfs_w* IF '$rdx > 1' --for 1ms");
	assert_true(fake->measure.id >= 3);	/* that of the calibration, and two */
	assert_int_equal(fake->nr_sites, 0);
	assert_false(fake->runs);
}

/* Modules come and go between two steps of each command: what it has found before must stay valid until its end. */
static void test_symbols_change(void **state)
{
	static const char *const lines[] = {
		"latency vfs_w* --for 1ms", "latency vfs_write --by EXIT --for 1ms", "latency vfs_write vfs_writev --key '$rdi' --for 1ms",
		"run 'trace vfs_write PID; trace vfs_writev' --for 1ms", "lines vfs_write --for 1ms", "pairs vfs_write vfs_writev --by '$rdi' --for 1ms",
		"trace vfs_write COUNT", "list -v", "explain vfs_write", "show jiffies", "counts", "delete *", "events", "status",
	};
	struct session *s = &fake->session;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		fake_run(fake, lines[i]);
		assert_null(s->old);
	}
}

/* However often modules come and go, a command keeps few tables. */
static void test_symbols_are_bounded(void **state)
{
	struct session *s = &fake->session;
	struct kt_status status;
	unsigned int nr = 0;

	for (int i = 0; i < 100; i++) {
		const struct symtab *const before = s->tab;

		device_status(&s->dev, &status, NULL, NULL);
		assert_true(session_symbols(s, NULL));
		nr += s->tab != before;
	}
	assert_in_range(nr, 2, 20);
	session_drop_old(s);
	device_status(&s->dev, &status, NULL, NULL);
	assert_true(session_symbols(s, NULL));
	assert_non_null(s->old);
	session_drop_old(s);
}

/* The key of the groups is what the end of a call saves, or the return that it takes. */
static void test_latency_by_end(void **state)
{
	static const char *const refused[][2] = {
		{ "latency vfs_write vfs_writev --by EXIT", "name one, not two places" },
		{ "latency vfs_write --by EXIT --top 3", "leave out --top" },
		{ "latency vfs_write --by exits", "syscall, RETVAL, EXIT or 'VAR expression'" },
		{ "latency vfs_w* --by RETVAL", "name one function" },
		{ "latency vfs_write vfs_writev --by RETVAL --across", "leave out --across" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		assert_int_equal(fake_run(fake, refused[i][0]), STATUS_USAGE);
		assert_contains(fake_error(), refused[i][1]);
	}
	assert_int_equal(fake->nr_trace, 0);
	fake_run(fake, "latency vfs_writev --by EXIT --for 1ms");
	assert_int_equal(fake->nr_sites, 0);
	assert_false(fake->runs);
	assert_int_equal(fake->roles[0].what, KT_ROLE_BEGIN | KT_ROLE_SILENT);
	assert_int_equal(fake->roles[0].saved, 8);
	for (size_t i = 1; i < 3; i++) {
		assert_int_equal(fake->roles[i].what, KT_ROLE_END | KT_ROLE_TALLY | KT_ROLE_SILENT);
		assert_int_equal(fake->roles[i].saved, 8);
		assert_int_equal(fake->roles[i].by, 8);
		assert_int_equal(fake->roles[i].by_at, 0);
	}
}

static void test_first_failure_ends_a_script(void **state)
{
	refused("trace vfs_write; trace nowhere_at_all; trace plain_fn", STATUS_FAILURE, "nowhere");
	assert_int_equal(fake->nr_sites, 1);
	assert_int_equal(fake_run(fake, "quit; trace plain_fn"), STATUS_OK);
	assert_int_equal(fake->nr_sites, 1);
}

static bool stream(const char *text, struct error *err)
{
	AUTO_CLOSE FILE *file = fmemopen((char *)text, strlen(text), "r");

	return script_stream(&fake->session, file, "x.kt", err);
}

static void test_stream(void **state)
{
	struct error err = { 0 };

	assert_true(stream("#!/usr/bin/ktrace -f\n# why\ntrace vfs_write \\\n  PID\n\ntrace plain_fn", &err));
	assert_int_equal(fake->nr_sites, 2);
	assert_false(stream("list\n\ntrace \\\nnowhere\nlist\n", &err));
	assert_contains(err.text, "x.kt:4: unknown symbol");
	assert_int_equal(err.status, STATUS_FAILURE);
}

static void test_keep_going(void **state)
{
	struct error err = { 0 };

	fake->session.keep_going = true;
	assert_true(stream("trace nowhere PID\ntrace \"vfs_write\nprint x; trace vfs_write\ntrace plain_fn", &err));
	assert_int_equal(fake->nr_sites, 2);
	assert_int_equal(fake->session.failed, STATUS_FAILURE);
	assert_int_equal(fake_run(fake, "trace nowhere; trace plain_fn+4"), STATUS_OK);
	assert_int_equal(fake->nr_sites, 3);
}

static void test_source_of_itself(void **state)
{
	char path[] = "/tmp/ktrace-unit-XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	AUTO_FREE char *line = mem_printf("source %s", path);

	fprintf(file, "source %s\n", path);
	fclose(file);
	assert_int_equal(fake_run(fake, line), STATUS_USAGE);
	assert_contains(fake_error(), "does it source itself?");
	unlink(path);
}

/* No line is wider than a terminal, and all summaries begin in one column. */
static void test_help(void **state)
{
	static const char *const words[] = { "addresses", "expression", "numbers", "latency", "FRAME" };
	const struct command *c = commands;

	assert_int_equal(fake_run(fake, "help"), STATUS_OK);
	for (const char *line = fake->out; *line; line += strcspn(line, "\n") + 1)
		assert_in_range(strcspn(line, "\n"), 0, 80);
	for (; c->name; c++) {
		AUTO_FREE char *summary = mem_printf("%s\n", c->summary);
		const char *at = strstr(fake->out, summary), *start = at;

		assert_non_null(at);
		while (start > fake->out && start[-1] != '\n')
			start--;
		assert_int_equal(at - start, 29);
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		AUTO_FREE char *line = mem_printf("help %s", words[i]);

		assert_int_equal(fake_run(fake, line), STATUS_OK);
		assert_contains(fake->out, "\nexample: ");
	}
	refused("help add", STATUS_USAGE, "no help on 'add'");
}

/* The output of `list`, pasted behind `trace` at the prompt. */
static void test_paste(void **state)
{
	static const char pasted[] = "trace vfs_write  PID\nplain_fn CONST 3\n\n# why\ndup_fn#2\n";

	refused(pasted, STATUS_USAGE,
		"unknown command 'plain_fn': 'trace plain_fn' sets a tracepoint there");
	assert_int_equal(fake->nr_sites, 1);
	fake->session.interactive = true;
	assert_int_equal(fake_run(fake, pasted), STATUS_OK);
	assert_int_equal(fake->nr_sites, 3);
	assert_int_equal(fake_run(fake, "delete vfs_write\nplain_fn\nlist"), STATUS_OK);
	assert_string_equal(fake->out, "dup_fn#2\n");
	refused("list;\nplain_fn", STATUS_USAGE, "unknown command 'plain_fn'");
	refused("!true\nplain_fn+5 PID", STATUS_USAGE, "'trace plain_fn+5'");
}

/* ----------------------------------------------------------------- list -o */

static void write_text(const char *path, const char *text)
{
	FILE *out = fopen(path, "we");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

/* `source` sets again what `list -o` has written, each option included. */
static void test_list_script(void **state)
{
	char path[] = "/tmp/ktrace-unit-XXXXXX";
	AUTO_FREE char *write = NULL, *source = NULL, *before = NULL;

	close(mkstemp(path));
	write = mem_printf("list -o %s", path);
	source = mem_printf("source %s", path);
	assert_int_equal(fake_run(fake, "trace vfs_write PID COMM IF \"$rdx == 'a' && $rsi > 3\" STR $rsi:100 EVERY 3 LIMIT 7 "
					"plain_fn+1 CONST -7 ONLYCOMM 'a b' LATEFREEZE 4 dup_fn#2 METHOD breakpoint BASE"), STATUS_OK);
	assert_int_equal(fake_run(fake, "list"), STATUS_OK);
	before = mem_strdup(fake->out);
	assert_int_equal(fake_run(fake, write), STATUS_OK);
	assert_string_equal(fake->out, "");
	assert_int_equal(fake_run(fake, "delete *; list"), STATUS_OK);
	assert_string_equal(fake->out, "");
	fake->session.quiet = true;
	assert_int_equal(fake_run(fake, source), STATUS_OK);
	assert_int_equal(fake_run(fake, "list"), STATUS_OK);
	assert_string_equal(fake->out, before);
	/* Its own files it replaces, others it leaves alone. */
	assert_int_equal(fake_run(fake, write), STATUS_OK);
	write_text(path, "precious\n");
	refused(write, STATUS_FAILURE, "the file exists, and 'list -o' has not written it");
	refused("list -o /nowhere/at/all", STATUS_FAILURE, "list -o /nowhere/at/all: No such file");
	unlink(path);
}

static void test_json_error(void **state)
{
	const struct error err = { .status = STATUS_USAGE, .text = "a \"b\"" };
	struct session *s = &fake->session;

	fake_run(fake, "list");
	s->format = PRINT_JSON;
	session_complain(s, "f.kt:3", &err);
	fflush(s->messages);
	assert_string_equal(fake->messages, "{\"type\":\"error\",\"v\":3,\"where\":\"f.kt:3\",\"status\":2,\"text\":\"a \\\"b\\\"\"}\n");
	s->format = PRINT_TEXT;
}

/* ------------------------------------------------------------- completion */

static char offered[65536];

static void collect(const char *word, void *arg)
{
	strcat(offered, word);
	strcat(offered, " ");
}

static const char *completions(const char *before, const char *word)
{
	offered[0] = '\0';
	if (!complete(&fake->session, before, word, collect, NULL))
		return "files";
	return offered;
}

static void test_completion(void **state)
{
	assert_string_equal(completions("", "pri"), "print printclear ");
	assert_string_equal(completions("list; ", "tr"), "trace ");
	assert_string_equal(completions("list;", "tr"), "trace ");
	assert_string_equal(completions("trace ", "vfs_w"), "vfs_write vfs_writev ");
	assert_string_equal(completions("t ", "jif"), "");
	assert_string_equal(completions("trace vfs_write ", "ONLYP"), "ONLYPID ONLYPGRP ");
	assert_string_equal(completions("trace vfs_write VAR ", "$rd"), "$rdx $rdi ");
	assert_string_equal(completions("trace vfs_write IF ", "*(u64*)($p"), "*(u64*)($pid *(u64*)($pgrp ");
	assert_string_equal(completions("trace vfs_write IF $rdx == 5 && ", "$cp"), "$cpu ");
	assert_contains(completions("trace vfs_write STR ", ""), "$rsi ");
	assert_string_equal(completions("trace vfs_write ", "plain"), "plain_fn ");
	assert_contains(completions("trace vfs_write ", ""), "LATEFREEZE");
	assert_null(strstr(completions("trace vfs_write ", ""), "plain_fn"));
	assert_string_equal(completions("trace vfs_write REG ", "rd"), "rdx rdi ");
	assert_string_equal(completions("trace vfs_write REG ", "r10"), "r10 ");
	assert_string_equal(completions("trace vfs_write REG ", "a"), "ax al ah ");
	assert_string_equal(completions("trace ", ""), "");
	assert_string_equal(completions("list ", ""), "-v -o ");
	assert_string_equal(completions("list -o ", "x"), "files");
	assert_string_equal(completions("trace vfs_write LOC ", "jif"), "jiffies ");
	assert_string_equal(completions("trace vfs_write CONST ", "P"), "");
	assert_string_equal(completions("trace vfs_write CONST 1 ", "PI"), "PID ");
	assert_string_equal(completions("trace ", "ext4:"), "ext4:ext4_sync_fs ext4:dup_fn ");
	assert_string_equal(completions("trace ", "vmlinux:plain"), "vmlinux:plain_fn ");
	assert_string_equal(completions("help ", "LOC"), "LOC ");
	assert_string_equal(completions("help ", "add"), "address ");
	assert_string_equal(completions("source ", "x"), "files");
	assert_string_equal(completions("nonsense ", "x"), "");
	assert_string_equal(completions("trace ", "vfs_write+0x15"), "vfs_write+0x15 ");
	assert_string_equal(completions("trace ", "vfs_write+15"), "vfs_write+15 ");
	assert_contains(completions("trace ", "vfs_write+"),
			"vfs_write+0x9 vfs_write+0xa vfs_write+0xd vfs_write+0xf vfs_write+0x14 ");
	assert_string_equal(completions("trace ", "jiffies+"), "");
	assert_string_equal(completions("trace ", "nonsense+"), "");
	fake_run(fake, "trace vfs_write plain_fn+1");
	assert_string_equal(completions("delete ", ""), "* vfs_write plain_fn+0x1 ");
	assert_string_equal(completions("delete vfs_write ", "pl"), "plain_fn+0x1 ");
}

/* ------------------------------------------------------------ start file */

static void test_trust(void **state)
{
	char path[] = "/tmp/ktrace-unit-XXXXXX";
	const char *why;

	close(mkstemp(path));
	assert_true(path_is_trusted(path, &why));
	chmod(path, 0666);
	assert_false(path_is_trusted(path, &why));
	assert_contains(why, "others may write it");
	if (!geteuid() && !chown(path, 12345, 12345)) {
		chmod(path, 0600);
		assert_false(path_is_trusted(path, &why));
		assert_contains(why, "another user");
	}
	unlink(path);
	assert_false(path_is_trusted(path, &why));
	assert_null(why);
	assert_false(path_is_trusted("/tmp", &why));
	assert_non_null(why);
}

static void test_paths(void **state)
{
	AUTO_FREE char *given = NULL, *home = NULL, *relative = NULL;

	setenv("HOME", "/home/u", 1);
	setenv("XDG_CONFIG_HOME", "/cfg", 1);
	given = path_of("XDG_CONFIG_HOME", ".config", "rc");
	assert_string_equal(given, "/cfg/ktrace/rc");
	setenv("XDG_CONFIG_HOME", ".", 1);
	relative = path_of("XDG_CONFIG_HOME", ".config", "rc");
	assert_string_equal(relative, "/home/u/.config/ktrace/rc");
	unsetenv("XDG_CONFIG_HOME");
	home = path_of("XDG_CONFIG_HOME", ".config", "rc");
	assert_string_equal(home, "/home/u/.config/ktrace/rc");
	unsetenv("HOME");
	assert_null(path_of("XDG_CONFIG_HOME", ".config", "rc"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_abbreviations),
		TEST(test_usage),
		TEST(test_buffer),
		TEST(test_follow_words),
		TEST(test_input),
		TEST(test_snapshot),
		TEST(test_calibrated_alike), TEST(test_latency_of_pattern), TEST(test_latency_by_end), TEST(test_symbols_change),
		TEST(test_symbols_are_bounded), TEST(test_first_failure_ends_a_script), TEST(test_keep_going),
		TEST(test_stream),
		TEST(test_source_of_itself),
		TEST(test_help), TEST(test_paste),
		TEST(test_list_script),
		TEST(test_json_error),
		TEST(test_completion),
		TEST(test_trust),
		TEST(test_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
