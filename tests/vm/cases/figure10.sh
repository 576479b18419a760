#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: what a report tells of the program of LTT's Figure 10 is what the kernel has counted: schedstat; exact user and system time
# rare: 5 min
# vm: --icount --mem 2G --timeout 1200
# vm: --smp 2 --parallel --mem 2G --append nohz_full=1 --timeout 1200
# The first guest counts instructions: nothing of its host disturbs times. The second accounts time at each change between
# user and kernel on CPU 1, instead of sampling by the clock's tick.
. /lab/lib.sh

ok ktrace status

# figure KEY: of the process, in ns
figure() {
	sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" /tmp/row
}

# measure COMMAND...: what the kernel has counted (ran waited user system), and the report (running waiting own kernel)
measure() {
	rm -rf /tmp/trace
	ok ktrace record -o /tmp/trace --events sched,process,syscalls,irq,softirq --buffer 64M -- spent /tmp/spent "$@"
	expect_match "none lost" "$err" 'none lost'
	read -r pid ran waited user system _ </tmp/spent
	ktrace --json report /tmp/trace --by process | grep -o "{\"pid\":$pid,[^}]*}" >/tmp/row || fail "no process $pid"
	running=$(figure running_ns) waiting=$(figure wait_cpu_ns) own=$(figure user_ns)
	kernel=$(($(figure kernel_ns) + $(figure interrupts_ns)))
	calls=$(figure syscalls)
	echo "$*: in us: running $((running / 1000)), kernel $((ran / 1000)); waiting $((waiting / 1000)), kernel $((waited / 1000));" \
		"user $((own / 1000)), kernel $((user / 1000)); system $((kernel / 1000)), kernel $((system / 1000)); $calls calls"
}

# off WHAT GOT EXPECTED LIMIT: print it if the difference, in ns, is larger
off() {
	[ $(($2 - $3)) -le "$4" ] && [ $(($3 - $2)) -le "$4" ] || echo "$1: $2 ns where the kernel has $3 ns; "
}

# tries COMMAND...: one of five tries must print nothing. A host that takes the CPU away for a moment moves time from one
# state to another; a wrong figure is wrong each time.
tries() {
	for try in 1 2 3 4 5; do
		wrong=$("$@") || fail "$*"
		[ "$wrong" ] || return 0
	done
	fail "$wrong"
}

if [ ! -s /sys/devices/system/cpu/nohz_full ] || ! grep -q 1 /sys/devices/system/cpu/nohz_full; then
	measure figure10
	switches=$(ktrace -i /tmp/trace print | grep -c "^sched_switch.* next_tid=$pid ")
	echo "    $switches switches"
	# Both see the same life. The kernel divides it by the clock of the run queue, which it reads some instructions before
	# the tracepoint of the switch.
	wrong=$(off "running and waiting" $((running + waiting)) $((ran + waited)) 10000
		off running "$running" "$ran" $((10000 + 1000 * switches))
		off waiting "$waiting" "$waited" $((10000 + 1000 * switches)))
	[ ! "$wrong" ] || fail "$wrong"
	well
	ok rmmod ktrace
	exit 0
fi

# percent WHAT GOT EXPECTED: off(), with a limit of 1 %
percent() {
	off "$1" "$2" "$3" $(($3 / 100))
}

# The paper's program, on the CPU with exact accounting: all that it ran, and what user and system time are together.
paper() {
	measure taskset 2 figure10 >&2
	echo "    user time of the report has $(((own - user) / calls)) ns more for each call" >&2
	percent running "$running" "$ran"
	percent "user and system" $((own + kernel)) $((user + system))
	[ "$own" -ge "$user" ] || echo "user: $own ns is less than the kernel's $user ns; "
}

# A program that nearly only computes, and one that is nearly only in the kernel.
computes() {
	measure taskset 2 figure10 200000000 100 >&2
	percent running "$running" "$ran"
	percent user "$own" "$user"
}

copies() {
	measure taskset 2 dd if=/dev/zero of=/dev/null bs=16M count=200 status=none >&2
	percent running "$running" "$ran"
	percent system "$kernel" "$system"
}

for program in paper computes copies; do
	tries $program
done
well
ok rmmod ktrace
