#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: fields of static tracepoints by name, compared with ftrace's records of the same hits; system calls by name
# long: 60 s
# vm: --disk --smp 1
# No brake, so that ktrace sees all hits. One CPU, so that both tracers see the same values: with two, the parent on the
# other CPU can change the state of a task that exits (EXIT_ZOMBIE to EXIT_DEAD) between them.
. /lab/lib.sh

[ -e /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
tracing=/sys/kernel/tracing
echo 4096 >$tracing/buffer_size_kb
ok ktrace -q buffer 16M

# values KEY...: for each line of the input, print the values of KEY=VALUE
values() {
	awk -v keys="$*" 'BEGIN { n = split(keys, key, " ") }
	{
		line = ""
		for (i = 1; i <= n; i++)
			if (match($0, " " key[i] "=[^ ]*"))
				line = line " " substr($0, RSTART + length(key[i]) + 2, RLENGTH - length(key[i]) - 2)
		if (line)
			print substr(line, 2)
	}'
}

# record SYSTEM EVENT COMMAND...: run the command under ktrace and, meanwhile, under ftrace: /tmp/k and /tmp/f
record() {
	system=$1 event=$2
	shift 2
	ok ktrace -q trace "$system:$event" ARGS
	ok ktrace clear
	echo >$tracing/trace
	echo 1 >$tracing/events/$system/$event/enable
	ok "$@"
	echo 0 >$tracing/events/$system/$event/enable
	ok ktrace -q printclear
	cp /tmp/out /tmp/k
	grep " $event: " $tracing/trace >/tmp/f
	ok ktrace -q delete "event:$event"
	expect_no_match "$event: unknown values" "$(cat /tmp/k)" '=\?( |$)'
}

# same LEAST: the lines of /tmp/theirs must all be in /tmp/ours, and at least so many.  An interrupt between the two
# tracers changes their order.
same() {
	awk -v least="$1" 'NR == FNR { theirs[$0]++; n++; next } { ours[$0]++ }
		END { for (line in theirs) if (theirs[line] > ours[line]) { print "missing: " line; bad = 1 }
			print n " lines"; exit bad || n < least }' /tmp/theirs /tmp/ours ||
		fail "$system:$event: ftrace has other values"
}

# The states by their letters; a preempted task (R+) is runnable.
record sched sched_switch forkstorm 20 2
values prev_pid prev_prio prev_state next_pid next_prio </tmp/f | awk '
	BEGIN { n["R"] = n["R+"] = 0; n["S"] = 1; n["D"] = 2; n["T"] = 4; n["t"] = 8; n["X"] = 16; n["Z"] = 32
		n["P"] = 64; n["I"] = 128 }
	{ print $1, $2 - 100, n[$3], $4, $5 - 100 }' >/tmp/theirs
values prev_tid prev_prio prev_state next_tid next_prio </tmp/k >/tmp/ours
same 20

for event in sched_waking sched_wakeup sched_wakeup_new; do
	record sched $event forkstorm 20 2
	values pid prio target_cpu </tmp/f | awk '{ print $1, $2 - 100, $3 + 0 }' >/tmp/theirs
	values tid prio target_cpu </tmp/k >/tmp/ours
	same 10
done

# Processes: a fork, an exec of a known file, and the exit of the same task.
record sched sched_process_fork forkstorm 20 2
values pid child_pid </tmp/f >/tmp/theirs
values parent_tid child_tid </tmp/k >/tmp/ours
same 20
record sched sched_process_exec /bin/busybox true
values filename pid old_pid </tmp/f >/tmp/theirs
values filename tid old_tid </tmp/k | tr -d '"' >/tmp/ours
same 1
expect_match "exec" "$(cat /tmp/ours)" '^/bin/busybox '
record sched sched_process_exit forkstorm 20 2
values pid prio </tmp/f | awk '{ print $1, $2 - 100 }' >/tmp/theirs
values tid prio </tmp/k >/tmp/ours
same 20

# A signal from a process, with its details.
sleep 100 &
record signal signal_generate kill -USR1 $!
values sig errno code pid grp res </tmp/f >/tmp/theirs
values sig errno code pid group result </tmp/k >/tmp/ours
same 1
expect_match "signal" "$(cat /tmp/ours)" "^10 0 0 $! "

# Interrupts and their delayed parts, timers, pages, by a job that writes to the disk.
job() {
	dd if=/dev/zero of=/mnt/file bs=64k count=16 conv=fsync 2>/dev/null
}
for event in softirq_raise softirq_entry softirq_exit; do
	record irq $event job
	values vec </tmp/f >/tmp/theirs
	values vec </tmp/k >/tmp/ours
	same 3
done
record irq irq_handler_entry job
values irq </tmp/f >/tmp/theirs
values irq </tmp/k >/tmp/ours
same 1
expect_match "name of the interrupt" "$(cat /tmp/k)" ' name="[a-z]'
record timer hrtimer_start usleep 2000
values expires softexpires </tmp/f >/tmp/theirs
values expires softexpires </tmp/k >/tmp/ours
same 1
record kmem mm_page_alloc /bin/busybox true
values order migratetype </tmp/f >/tmp/theirs
values order migratetype </tmp/k >/tmp/ours
same 10

# Requests to the disk: the device and the flags as ftrace shows them.
record block block_rq_issue job
sed -n 's/.*: \([0-9]*,[0-9]*\) \([A-Z]*\) \([0-9]*\) (.*) \([0-9]*\) + \([0-9]*\) .*/\1 \2 \3 \4 \5/p' /tmp/f >/tmp/theirs
values dev rwbs bytes sector nr_sector </tmp/k | sed 's/:/,/' >/tmp/ours
same 1

# Packets.
ok ifconfig lo up
record net net_dev_queue ping -c 2 127.0.0.1
values dev len </tmp/f >/tmp/theirs
values name len </tmp/k | tr -d '"' >/tmp/ours
same 2
expect_match "IPv4" "$(cat /tmp/k)" '  protocol=2048'

# Every event of every set that is a static tracepoint: all at once, and none of the essential values is missing.
ok ktrace events
printf '%s\n' "$out" | awk 'NF == 3 && $1 ~ /:/ || NF == 4 && $1 ~ /:/ { print $1 }' >/tmp/all
[ "$(wc -l </tmp/all)" -ge 40 ] || fail "only $(wc -l </tmp/all) events have a set"
# Words on purpose.
# shellcheck disable=SC2046
ok ktrace -q trace $(sed 's/$/ ARGS/' /tmp/all)
ok forkstorm 50 4
ok job
ok ktrace -q printclear
expect_no_match "unknown values" "$(grep -E '^event:(sched|softirq|hrtimer|sys)_' /tmp/out)" '=\?( |$)'
ok ktrace -q delete '*'
for set in sched irq softirq syscalls faults timers workqueue process signals fs block mm swap net ipc power core; do
	ok ktrace events -v $set
	echo "$out"
done

# Forms of the address, and what is refused.
ok ktrace -q trace event:sched:sched_switch PID sched:sched_waking PID
ok ktrace list
expect_match "by system" "$out" '^event:sched_switch +PID$'
expect_match "by system" "$out" '^event:sched_waking +PID$'
ok ktrace -q delete '*'
run ktrace trace sched:sched_swich PID
expect_status 1
expect_match "misspelt" "$err" 'did you mean sched_switch'
run ktrace trace event:irq:sched_switch PID
expect_match "other system" "$err" 'write sched:sched_switch$'
ok ktrace explain sched:sched_switch
expect_match "explained" "$out" '^  next_tid +'

# Fields by the names of ARGS and of tracefs.
ok ktrace -q trace sched:sched_switch VAR next_pid VAR next_tid VAR 'next->pid' \
	IF next_pid == $$ '&&' next_comm '!=' '"nobody"'
ok usleep 1000
ok ktrace -q printclear
expect_match "fields by name" "$out" "^event:sched_switch .*next_pid=$$  next_tid=$$  next->pid=$$\$"
ok ktrace -q delete '*'
run ktrace trace sched:sched_switch IF 'next_prio < 100'
expect_status 2
expect_match "two values" "$err" 'write next->prio or next->prio - 100$'
ok ktrace -q trace sys_openat VAR dfd IF 'filename =~ "/etc/pass*"' ONLYCOMM busybox \
	sys_openat%return RETVAL ONLYCOMM busybox
ok ktrace clear
ok /bin/busybox cat /etc/passwd /etc/group
ok ktrace -q printclear
expect_match "the call by its C name" "$out" '^syscall:openat .*  dfd=AT_FDCWD$'
expect_eq "filtered by its argument" "$(printf '%s\n' "$out" | grep -c ' dfd=')" 1
expect_match "its return" "$out" '^syscall:openat.*  retval=3$'
ok ktrace -q delete '*'

# System calls by name, several at once, with their arguments and results.
ok ktrace -q trace syscall:openat ARGS ONLYCOMM busybox syscall:openat%return RETVAL ONLYCOMM busybox syscall:read ARGS ONLYCOMM busybox
ok ktrace clear
ok /bin/busybox dd if=/etc/passwd of=/dev/null bs=77 count=1
run /bin/busybox cat /no/such/file
ok ktrace -q printclear
expect_match "the file's name" "$out" '^syscall:openat .*  filename="/etc/passwd"  flags=O_[A-Z|_]+ '
expect_match "the count" "$out" '^syscall:read .*  fd=[0-9]+  .*  count=77'
expect_match "the descriptor" "$out" '^syscall:openat.*  retval=3$'
expect_match "the error" "$out" '^syscall:openat.*  retval=-ENOENT$'
ok ktrace -q delete '*'
ok ktrace -q trace syscall:openat%return COUNT BY RETVAL ONLYCOMM busybox
run /bin/busybox cat /no/such/file
ok ktrace print
expect_match "errors by name" "$out" '^ *-ENOENT +1'
ok ktrace -q delete '*'
ok ktrace -q trace syscall:openat%return ELAPSED ONLYCOMM busybox
ok /bin/busybox cat /etc/passwd
ok ktrace -q printclear
expect_match "how long" "$out" '^syscall:openat.*  elapsed='
ok ktrace -q delete '*'
run ktrace trace syscall:opnat PID
expect_status 1
expect_match "misspelt" "$err" 'the kernel has no such system call: did you mean openat'
well
