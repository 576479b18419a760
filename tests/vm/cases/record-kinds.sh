#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: each kind of event of the Linux Trace Toolkit (its Figure 2) is seen to happen, with its true values
# long: 40 s
# vm: --disk --smp 2 --modprobe loop --modprobe brd --timeout 900
. /lab/lib.sh

# A small disk to swap to, in memory: there a page is written, and so freed, at once.
dd if=/dev/zero of=/mnt/image bs=1M count=1 2>/dev/null
mkswap /dev/ram0 >/dev/null
swapon /dev/ram0 || fail "no swapping"
ifconfig lo 127.0.0.1 up 2>/dev/null || ip link set lo up
sync
echo 3 >/proc/sys/vm/drop_caches

ok ktrace record -o /tmp/kinds --events all -- kinds /mnt swap
echo "$err"
facts=$out
fact() {
	printf '%s\n' "$facts" | awk -v name="$1" '$1 == name { print $2 }'
}
ktrace -i /tmp/kinds print >/tmp/text.out || fail "cannot print"
# seen PATTERN [LEAST]
seen() {
	n=$(grep -c -E -e "$1" /tmp/text.out)
	[ "$n" -ge "${2:-1}" ] && return
	grep -E -e "${1%% *}" /tmp/text.out | tail -n 20
	fail "$1: $n"
}
self=$(fact self) child=$(fact child)

# System calls, with arguments and results; traps; interrupts; bottom halves; timers of the kernel.
seen "^syscall_entry_(fork|clone) "
seen "^syscall_exit_(fork|clone) .*ret=$child\$"
seen '^trap_entry .*sig=(SIGILL|4) '
seen '^mm_fault_exit ' 64
seen '^(mm_fault_entry .* ip=[0-9a-f]+|[a-z0-9_]*page_fault_user )' 64
seen '^(ipi|[a-z0-9_]*_vectors_[a-z_]*)_entry '
seen '^(ipi|[a-z0-9_]*_vectors_[a-z_]*)_exit '
seen '^irq_handler_entry .*irq=[0-9]+ .*name="virtio'
# 2: it has woken its thread, as most do under PREEMPT_RT.
seen '^irq_handler_exit .*ret=[12]'
seen '^irq_softirq_entry .*vec=[0-9]'
seen '^irq_softirq_exit .*vec=[0-9]'
seen '^workqueue_execute_start .*function='
seen '^timer_(hrtimer_)?expire_entry .*function='

# The scheduler and processes.
seen "^sched_switch .*prev_tid=$self .*prev_state=1 "
seen "^sched_switch .*next_tid=$self "
seen "^sched_process_fork .*parent_tid=$self .*child_tid=$child "
seen "^sched_process_exec .*filename=\"/bin/true\".* tid=$(fact exec) "
seen "^sched_process_exit .*tid=$child "
seen "^sched_process_wait .*tid=$child "
seen "^syscall_exit_wait4 .*ret=$child\$"
seen "^sched_waking .*tid=$self .*state=1\$"
seen "^signal_generate .*sig=(SIGUSR1|10) .*pid=$self "
seen "^signal_deliver .*sig=(SIGUSR1|10) "
seen "^signal_generate .*sig=(SIGILL|4) .*pid=$(fact trapped) "

# Files: open, close, read, write, seek, ioctl, select, poll; waits for buffers and pages.
fd=$(fact fd)
seen '^file_open .*filename="/mnt/a-file-of-kinds"'
seen "^syscall_entry_openat .*filename=\"/mnt/a-file-of-kinds\".*flags=O_RDWR\|O_SYNC\|O_CREAT\|O_TRUNC "
seen "^syscall_exit_openat .*ret=$fd\$"
seen "^syscall_entry_write .*fd=$fd .*count=3333\$"
seen "^syscall_exit_write .*ret=3333\$"
seen "^syscall_entry_lseek .*fd=$fd .*offset=77 "
seen "^syscall_entry_read .*fd=$fd .*count=2222\$"
seen "^syscall_entry_ioctl .*fd=$fd .*cmd=(0x541b|21531|FIONREAD)"
seen "^syscall_entry_close .*fd=$fd\$"
seen '^syscall_entry_(select|pselect6) '
seen '^syscall_entry_(poll|ppoll) '
seen '^page_wait_start '
seen '^page_wait_end '
seen '^block_rq_issue .*rwbs='
seen '^block_rq_complete .*error=0'

# Timers of processes, memory, swap.
seen '^timer_itimer_state .*value_nsec=20011000 '
seen "^timer_itimer_expire .*pid=$self "
seen '^timer_hrtimer_start '
seen '^kmem_mm_page_alloc .*order=0 ' 64
seen '^kmem_mm_page_free .*order=0'
seen "^mm_fault_entry .*address=(0x)?0*$(fact memory | sed 's/^0x//') "
seen '^swap_out ' 32
seen '^swap_in '

# Sockets, System V IPC, packets.
seen '^syscall_entry_socket .*family='
seen '^syscall_entry_msgget .*key='
seen "^socket_create .*ret=$(fact socket)\$"
seen '^socket_send .*family=2 .*type=2 .*size=555$'
seen '^socket_receive .*size=777$'
# Not every architecture has a function for it: there only the system call tells.
if ktrace events socket_received >/dev/null 2>&1; then
	seen '^socket_received .*ret=555$'
else
	seen '^syscall_exit_recvfrom .*ret=555$'
fi
seen '^ipc_msg_create .*key=4369 '
seen "^ipc_msg_created .*id=$(fact msg)\$"
seen '^ipc_sem_create .*key=8738 .*nsems=3$'
seen "^ipc_sem_created .*id=$(fact sem)\$"
seen '^ipc_shm_create .*key=13107 .*size=12345$'
seen "^ipc_shm_created .*id=$(fact shm)\$"
seen '^net_dev_queue .*len=597 .*name="lo" .*protocol=2048  network_header=ipv4 127\.0\.0\.1 > 127\.0\.0\.1 udp [0-9]+ > [0-9]+ len=563$'
seen '^net_if_receive_skb .*name="lo" .*protocol=2048  network_header=ipv4 .* len=563$'

# Kernel threads that start meanwhile.
ktrace record -o /tmp/threads --events process 2>/tmp/threads.err &
recorder=$!
wait_until 30 test -s /tmp/threads/state
losetup /dev/loop1 /mnt/image
losetup -d /dev/loop1
modprobe ktruth
echo "call chain 1" >/proc/ktruth
sleep 3
kill -INT $recorder
wait $recorder || fail "$(cat /tmp/threads.err)"
ktrace -i /tmp/threads print >/tmp/text.out
seen '^kthread_start .*tid=[0-9]+ .*function='
# A request that fails, as an errno; the module's number of the error is another. Its disk is full.
mkdir /tmp/small
mount -t tmpfs -o size=64k none /tmp/small
dd if=/dev/zero of=/tmp/small/image bs=1 count=1 seek=1M 2>/dev/null
losetup /dev/loop1 /tmp/small/image
ok ktrace record -o /tmp/failing --events block -- sh -c 'dd if=/dev/zero of=/dev/loop1 bs=64k count=8 oflag=direct || true'
losetup -d /dev/loop1
umount /tmp/small
ktrace -i /tmp/failing print >/tmp/text.out
seen '^block_rq_complete .*error=-(5|28) '
# A wait for a buffer of the file system; a disk may be so fast that one mount waits for none.
mounts='for i in 1 2 3 4 5 6 7 8; do umount /mnt; echo 3 >/proc/sys/vm/drop_caches; mount /dev/vda /mnt; ls -R /mnt; done'
ok ktrace record -o /tmp/buffers --events fs -- sh -c "$mounts"
ktrace -i /tmp/buffers print >/tmp/text.out
seen '^buffer_wait_start .*dev=.*block=[0-9]+ .*size=[0-9]+'
seen '^buffer_wait_end '
well
