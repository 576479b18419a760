/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mixload.h - the actions of mixload, and what they share.  An action returns whether the kernel did what it should. */
#ifndef MIXLOAD_H
#define MIXLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PAGE 4096

extern char out[8192], in[8192];

/* Start with this seed. */
void throw_dice(unsigned int seed);
unsigned int roll(unsigned int sides);

/* Fill `out` with data that must come back unchanged. */
size_t message(size_t most);
bool came_back(ssize_t got, size_t n);
/* Write to one descriptor and read from the other; close both. */
bool through(int to, int from, size_t most);
bool ended_well(pid_t child);

/* Delete the file that actions of files.c leave. */
void remove_scratch(void);

/* descriptors.c */
bool do_pipe(void);
bool do_socketpair(void);
bool do_pty(void);
bool do_epoll(void);
bool do_poll(void);
bool do_vectors(void);

/* processes.c */
bool do_futex(void);
bool do_fork(void);
bool do_exec(void);
bool do_ptrace(void);
bool do_semaphore(void);
bool do_scheduler(void);
bool do_ask(void);
bool do_perf(void);

/* times.c */
bool do_itimer(void);
bool do_timerfd(void);
bool do_signalfd(void);
bool do_sleep(void);
bool do_clocks(void);

/* memory.c */
bool do_mmap(void);
bool do_fault(void);
bool do_bad_pointer(void);
bool do_shm(void);
bool do_memfd(void);

/* files.c */
bool do_file(void);
bool do_mapped_file(void);
bool do_rename(void);
bool do_directory(void);
bool do_sendfile(void);
bool do_locks(void);
bool do_inotify(void);
bool do_xattr(void);
bool do_read_some(void);
bool do_mount(void);

/* network.c */
bool do_udp(void);
bool do_tcp(void);
bool do_netlink(void);
bool do_packet(void);

#endif
