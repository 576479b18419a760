// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program whose names are hostile to terminals, and a reader of what others print about it.
 *
 *	strange copy FILE	write this program with the marks in its names replaced: then functions, arguments, types, files of
 *				DWARF, SDT markers and events of libktrace have bytes that no output may have
 *	strange run N		do N times what can be traced, under a hostile name, in two threads that wake each other
 *	strange hold		get that name, print "ready", and sleep
 *	strange host		give this machine a hostile name
 *	strange check [+] FILE...	exit status 1, and a line, for the first byte that no output may have; +: ktrace's own colours may
 *				be there
 *
 * The marks and their replacements are of the same length: ESC, CSI of C1 and a byte that is no UTF-8, an override of direction.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktrace/ktrace.h>

#include "tests/unit/strangers.h"

#define HOSTILE_COMM	"=\033[7m\302\233K\377\342\200\256\r"
#define HOSTILE_FILE	"/tmp/\033]0;x\007\302\2332J\377\342\201\246\n=1,\"<b>"

/* -------------------------------------------------------------- what has names */

struct zESCz_type {
	int zCONz_member;
	const char *zBIDz_text;
};

enum zESCz_enum { zCONz_one = 1, zBIDz_two };

/* The file that its lines are of, in DWARF. */
#line 1 "/tmp/zESCz/zCONz-zBIDz.c"
__attribute__((noinline)) int strange_call(const struct zESCz_type *zESCz_arg, enum zESCz_enum zCONz_kind, const char *zBIDz_name)
{
	int zESCz_sum = zESCz_arg->zCONz_member + (int)zCONz_kind;

	for (const char *at = zBIDz_name; *at; at++)
		zESCz_sum += *at;
	__asm__ volatile("" : "+r"(zESCz_sum));
	return zESCz_sum;
}

__attribute__((noinline)) int zESCz_caller(int i)
{
	const struct zESCz_type zCONz_local = { i, HOSTILE_COMM };
	const int sum = strange_call(&zCONz_local, i & 1 ? zCONz_one : zBIDz_two, HOSTILE_FILE);

	__asm__ volatile("" : : "r"(sum) : "memory");
	return sum;
}

__asm__(".pushsection .stapsdt.base,\"aG\",%progbits,.stapsdt.base,comdat\n"
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n");

__attribute__((noinline)) void strange_marked(int value, const char *text)
{
	__asm__ volatile("990: nop\n"
			 ".pushsection .note.stapsdt,\"\",%%note\n.balign 4\n"
			 ".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"
			 "993: .8byte 990b, _.stapsdt.base, 0\n"
			 ".asciz \"zESCz\"\n.asciz \"marked_zCONz\"\n.asciz \"-4@%0 8@%1\"\n994: .balign 4\n.popsection\n"
			 : : "r"(value), "r"(text));
}

static void event(int zESCz_number)
{
	const char *zBIDz_text = HOSTILE_FILE;

	KTRACE(zESCz, zCONz_event, zESCz_number, zBIDz_text);
}

/* ------------------------------------------------------------------ its copy */

static void write_copy(const char *to)
{
	static const char marks[][6] = { "zESC_", "zCON_", "zBID_" }, with[][6] = { "z\033[7m", "\302\233K\377z", "\342\200\256zz" };
	static char all[8 << 20];
	const int in = open("/proc/self/exe", O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0755);
	const ssize_t len = in < 0 ? -1 : read(in, all, sizeof(all));

	if (out < 0 || len <= 0)
		exit(2);
	for (size_t i = 0; i < 3; i++) {
		char mark[6];
		char *at = all;

		/* So that it is not found in the marks themselves. */
		memcpy(mark, marks[i], 6);
		mark[4] = 'z';
		while ((at = memmem(at, all + len - at, mark, 5)))
			memcpy(at, with[i], 5);
	}
	if (write(out, all, len) != len || close(out))
		exit(2);
}

/* ------------------------------------------------------------------- its work */

static void work(int n)
{
	int there[2], back[2];
	char c = 0;

	prctl(PR_SET_NAME, HOSTILE_COMM);
	if (pipe(there) || pipe(back))
		exit(2);
	if (!fork()) {
		prctl(PR_SET_NAME, "@\033[7mchild\177");
		for (int i = 0; i < n; i++)
			if (read(there[0], &c, 1) != 1 || write(back[1], &c, 1) != 1)
				_exit(2);
		_exit(0);
	}
	mkdir("/tmp/\033[7mdir", 0755);
	for (int i = 0; i < n; i++) {
		const int fd = open(HOSTILE_FILE, O_RDWR | O_CREAT, 0600);

		if (write(fd, HOSTILE_COMM, 4) != 4 || close(fd))
			exit(2);
		zESCz_caller(i);
		strange_marked(i, HOSTILE_FILE);
		event(i);
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			exit(2);
	}
	wait(NULL);
}

/* --------------------------------------------------------------------- checks */

/* Blank out ktrace's own colours. */
static void without_colours(char *text)
{
	static const char *const own[] = { "\033[0m", "\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[33m", "\033[K" };

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		for (char *at = text; (at = strstr(at, own[i])); )
			memset(at, ' ', strlen(own[i]));
}

static int check(const char *file, int has_colours)
{
	static char text[32 << 20];
	FILE *in = fopen(file, "r");
	const size_t len = in ? fread(text, 1, sizeof(text) - 1, in) : 0;
	const char *bad;

	if (!in)
		return 2;
	fclose(in);
	text[len] = '\0';
	if (has_colours)
		without_colours(text);
	bad = strangers_find(text, len);
	if (bad) {
		printf("%s: byte %td is 0x%02x, behind '", file, bad - text, (unsigned char)*bad);
		for (const char *at = bad - text > 60 ? bad - 60 : text; at < bad + 4 && at < text + len; at++)
			printf(*at >= ' ' && *at <= '~' ? "%c" : "<%02x>", (unsigned char)*at);
		puts("'");
	}
	return bad != NULL;
}

static int check_all(char **files)
{
	const int has_colours = *files && !strcmp(*files, "+");
	int status = 0;

	for (files += has_colours; *files && !status; files++)
		status = check(*files, has_colours);
	return status;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "copy") && argc == 3) {
		write_copy(argv[2]);
	} else if (!strcmp(what, "run") && argc == 3) {
		work(atoi(argv[2]));
	} else if (!strcmp(what, "hold")) {
		prctl(PR_SET_NAME, HOSTILE_COMM);
		puts("ready");
		fflush(stdout);
		pause();
	} else if (!strcmp(what, "host")) {
		return sethostname("host\033[7m\302\233\377<b>", 14) ? 2 : 0;
	} else if (!strcmp(what, "check")) {
		return check_all(argv + 2);
	} else {
		return 2;
	}
	return 0;
}
