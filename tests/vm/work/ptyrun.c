// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run a command on its own terminal, and type there:
 *
 *   ptyrun [-c CHARACTER] [-n TIMES] WORD -- COMMAND...
 *   ptyrun -k KEYS WORD -- COMMAND...
 *   ptyrun -r LINE WORD -- COMMAND...
 *
 * When WORD appears, type the character with this number (3: Ctrl-C) TIMES times, or each of KEYS, half a second
 * apart. With -r, type nothing, and run LINE in a shell. The terminal's output goes to standard output. How the command
 * ended follows: [status N] or [signal N].
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char seen[1 << 20];
static size_t len;

static int open_terminal(void)
{
	int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY);

	if (fd < 0 || grantpt(fd) || unlockpt(fd)) {
		perror("ptyrun: /dev/ptmx");
		exit(2);
	}
	return fd;
}

static pid_t start(int terminal, char **argv)
{
	const char *name = ptsname(terminal);
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	setsid();
	fd = open(name, O_RDWR);
	ioctl(fd, TIOCSCTTY, 0);
	dup2(fd, 0);
	dup2(fd, 1);
	dup2(fd, 2);
	close(terminal);
	execvp(argv[0], argv);
	_exit(127);
}

/* False when the terminal is closed. */
static int take(int terminal, int ms)
{
	struct pollfd in = { .fd = terminal, .events = POLLIN };
	ssize_t n;

	if (poll(&in, 1, ms) <= 0)
		return 1;
	n = read(terminal, seen + len, sizeof(seen) - len - 1);
	if (n <= 0)
		return 0;
	fwrite(seen + len, 1, n, stdout);
	len += n;
	return 1;
}

int main(int argc, char **argv)
{
	int key = 3, times = 1, option, status, terminal, waited = 0;
	const char *word, *keys = "", *line = NULL;
	pid_t pid;

	while ((option = getopt(argc, argv, "+c:k:n:r:")) > 0) {
		if (option == 'c')
			key = atoi(optarg);
		else if (option == 'k')
			times = strlen(keys = optarg);
		else if (option == 'r')
			line = optarg;
		else
			times = atoi(optarg);
	}
	if (argc - optind < 3) {
		fputs("usage: ptyrun [-c CHARACTER] [-n TIMES] [-k KEYS] [-r LINE] WORD -- COMMAND...\n", stderr);
		return 2;
	}
	word = argv[optind];
	terminal = open_terminal();
	pid = start(terminal, argv + optind + 2);
	while (take(terminal, 100)) {
		if (!times || !strstr(seen, word) || waited++ < 5)
			continue;
		if (line ? system(line) : write(terminal, &(char){ *keys ? *keys++ : key }, 1) != 1)
			break;
		times--;
		waited = 0;
	}
	waitpid(pid, &status, 0);
	printf("\n[%s %d]\n", WIFSIGNALED(status) ? "signal" : "status",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return 0;
}
