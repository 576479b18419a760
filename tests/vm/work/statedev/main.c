// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read the state of the system from /dev/ktrace, without a controller:
 *
 *   statedev tasks|files|maps|end	print the entries
 *   statedev compare			all kinds, beside what /proc says before and after; "KIND: N, missing M"
 *   statedev time [ROOM]		print for each kind: entries, calls, microseconds of all calls, of the longest
 *   statedev loop			read all kinds until killed; say "began" after each round
 *   statedev bad			make calls with bad arguments: each must fail as core/abi_state.h says
 *
 * `compare` also names what was in /proc both times and is missing. Exit status 1 if anything is.
 */
#include "statedev.h"

static int do_time(void)
{
	for (unsigned int kind = 0; kind < KT_NR_STATES; kind++) {
		const struct cost cost = read_kind(kind, NULL);

		printf("%s: %llu entries, %llu calls, %llu us, longest %llu us\n", kinds[kind], (unsigned long long)cost.entries,
		       (unsigned long long)cost.calls, (unsigned long long)cost.sum / 1000,
		       (unsigned long long)cost.longest / 1000);
	}
	return 0;
}

static int do_loop(void)
{
	do {
		for (unsigned int kind = 0; kind < KT_NR_STATES; kind++)
			read_kind(kind, NULL);
	} while (puts("began") >= 0 && !fflush(stdout));
	return 1;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} commands[] = { { "compare", do_compare }, { "time", do_time }, { "loop", do_loop }, { "bad", do_bad } };
	const char *const name = argc > 1 ? argv[1] : "";

	if (argc > 2)
		room = atoi(argv[2]);
	device = device_open(NULL);
	for (unsigned int kind = 0; kind < KT_NR_STATES; kind++)
		if (!strcmp(name, kinds[kind]))
			return read_kind(kind, prints[kind]).entries == 0;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(name, commands[i].name))
			return commands[i].run();
	die("usage: statedev tasks|files|maps|end|compare|time|loop|bad [ROOM]");
}
