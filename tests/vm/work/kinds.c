// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Let events of known values happen, which other programs of the lab do not cause, and print the ids that the
 * kernel chose, as NAME VALUE: kinds
 */
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void check(long result, const char *what)
{
	if (result < 0) {
		perror(what);
		exit(1);
	}
}

static volatile sig_atomic_t alarms;

static void on_alarm(int signal)
{
	(void)signal;
	alarms++;
}

static void timers(void)
{
	const struct itimerval once = { .it_value = { .tv_sec = 0, .tv_usec = 3210 } };

	signal(SIGALRM, on_alarm);
	check(setitimer(ITIMER_REAL, &once, NULL), "setitimer");
	while (!alarms)
		pause();
}

static void waits(void)
{
	struct timeval time = { .tv_usec = 4321 };
	int room;

	check(poll(NULL, 0, 12), "poll");
	check(select(0, NULL, NULL, NULL, &time), "select");
	check(pipe((int[2]) { 0 }), "pipe");
	check(ioctl(3, FIONREAD, &room), "ioctl");
}

static void ids(void)
{
	int msg = msgget(0x1111, IPC_CREAT | IPC_EXCL | 0600), sem = semget(0x2222, 3, IPC_CREAT | IPC_EXCL | 0600);
	int shm = shmget(0x3333, 8192, IPC_CREAT | IPC_EXCL | 0600);

	check(msg, "msgget");
	check(sem, "semget");
	check(shm, "shmget");
	printf("msg %d\nsem %d\nshm %d\n", msg, sem, shm);
	msgctl(msg, IPC_RMID, NULL);
	semctl(sem, 0, IPC_RMID);
	shmctl(shm, IPC_RMID, NULL);
}

static void sockets(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(to);
	char text[321] = "";
	int in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0);

	check(in, "socket");
	check(bind(in, (struct sockaddr *)&to, sizeof(to)), "bind");
	check(getsockname(in, (struct sockaddr *)&to, &len), "getsockname");
	check(sendto(out, text, sizeof(text), 0, (struct sockaddr *)&to, len), "sendto");
	check(recv(in, text, sizeof(text), 0), "recv");
	printf("socket %d\n", out);
}

static void children(void)
{
	pid_t child = fork();

	check(child, "fork");
	if (!child) {
		pause();
		_exit(0);
	}
	kill(child, SIGUSR2);
	check(waitpid(child, NULL, 0), "waitpid");
	printf("child %d\n", child);
}

int main(void)
{
	printf("self %d\n", getpid());
	timers();
	waits();
	ids();
	sockets();
	fflush(stdout);
	children();
	return 0;
}
