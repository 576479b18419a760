#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: timers, polls, ioctls, SysV IPC, sockets, packets, signals and waits are recorded with the values of a known program
# vm: --smp 1 --timeout 300 --module-args brake=0
. /lab/lib.sh

ok ktrace status
ok ktrace record -o /tmp/trace --events process,signals,timers,syscalls,net,ipc -- kinds
expect_match "none lost" "$err" 'none lost'
value() {
	sed -n "s/^$1 //p" /tmp/kinds
}
printf '%s\n' "$out" >/tmp/kinds
ktrace -i /tmp/trace print >/tmp/text.out || fail "cannot print it"

# seen WHAT PATTERN: an event with these values is there
seen() {
	grep -E -q -e "$2" /tmp/text.out || missing="$missing
$1: $2
$(grep -E "^${2%%[^a-z_^]*}" /tmp/text.out | tail -n 3)"
}
missing=
self=$(value self) child=$(value child)
seen "setitimer" '^syscall_entry_setitimer .* which=(0|ITIMER_REAL)'
seen "its timer expires" "^timer_itimer_expire .* pid=$self"
seen "its signal" "^signal_generate .* sig=(14|SIGALRM) .* pid=$self "
seen "poll" '^syscall_entry_poll .* nfds=0  timeout_msecs=12$'
seen "select, as the C library calls it" "^syscall_entry_pselect6 .* n=0 "
seen "ioctl" '^syscall_entry_ioctl .* fd=3  cmd=(0x541b|21531|FIONREAD)'
seen "message queue" '^ipc_msg_create .* key=(4369|0x1111) '
seen "its id" "^ipc_msg_created .* id=$(value msg)\$"
seen "semaphores" '^ipc_sem_create .* key=(8738|0x2222) .* nsems=3$'
seen "their id" "^ipc_sem_created .* id=$(value sem)\$"
seen "shared memory" '^ipc_shm_create .* key=(13107|0x3333) .* size=8192$'
seen "its id" "^ipc_shm_created .* id=$(value shm)\$"
seen "a socket" "^socket_create .* ret=$(value socket)\$"
seen "sent" "^syscall_exit_sendto .* ret=321\$"
seen "to be received" '^socket_receive .* family=2  protocol=17  type=2  size=321$'
seen "received" '^socket_received .* ret=321$'
# 20 bytes of IP's header and 8 of UDP's; the driver adds 14 of its own.
seen "a packet goes out" '^net_dev_queue .* len=363  name="lo"  protocol=2048$'
seen "a packet comes in" '^net_if_receive_skb .* len=349  name="lo"  protocol=2048$'
seen "a fork" "^sched_process_fork .* parent_tid=$self .* child_tid=$child "
seen "a signal of a process" "^signal_generate .* sig=(12|SIGUSR2) .* pid=$child "
seen "a wait" "^sched_process_wait .* tid=$child "
seen "an exit" "^sched_process_exit .* tid=$child "
[ -z "$missing" ] || fail "not seen: $missing"
well
ok rmmod ktrace
