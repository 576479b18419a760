#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: print of a recording says who ran: as tracepoints that record it, through execs of threads, renames and lost records
# long: 200 s
# vm: --smp 2
. /lab/lib.sh

# The tracepoints record who runs.  An exec gives up the old memory when the thread has its new number already, but the old
# name.
load='family threads 4 200; family exec family writes 100; family vfork family writes 50; family storm 60; taskset 2 family writes 40'

# compare DIR: "records wrong pids tids names", the last three: not known
compare() {
	ktrace --json print "$1" >/tmp/json || fail "$1 cannot be read"
	sed -n 's/.*"cpu":\([0-9]*\),"number".*,"pid":\([^,]*\),"tid":\([^,]*\),"comm":\(.*\),"data":\[{"name":"pid","value":\([0-9]*\)},{"name":"tgid","value":\([0-9]*\)},{"name":"cpu","value":\([0-9]*\)},{"name":"comm","value":\("[^"]*"\)}.*/\1|\2|\3|\4|\7|\6|\5|\8/p' /tmp/json >/tmp/both
	awk -F'|' '
		$1 != $5 || ($2 != "null" && $2 != $6) || ($3 != "null" && $3 != $7) || ($4 != "null" && $4 != $8) {
			wrong++
			print "wrong: " $0 >"/dev/stderr"
		}
		{ pids += $2 == "null"; tids += $3 == "null"; names += $4 == "null" }
		END { print NR, wrong + 0, pids + 0, tids + 0, names + 0 }' /tmp/both
}
# recorded WHAT MOST OPTION...: the load, of which at most so many per cent of each are not known
n=0
recorded() {
	what=$1 most=$2 n=$((n + 1))
	shift 2
	ok ktrace record -o "/tmp/r$n" "$@" --trace "vfs_write PID TGID CPU COMM" --trace "unmap_vmas PID TGID CPU COMM" -- sh -c "$load"
	found=$(compare "/tmp/r$n")
	echo "$what: $found"
	set -- $found
	[ "$1" -ge 1000 ] && [ "$2" = 0 ] || fail "$what: $found"
	[ $((100 * $3)) -le $(($1 * most)) ] && [ $((100 * $4)) -le $(($1 * most)) ] && [ $((100 * $5)) -le $(($1 * most)) ] ||
		fail "$what: too much is not known: $found"
}

recorded "default" 15 --events core,sched,process
recorded "without calls" 15 --events sched,process
recorded "core" 100 --events core
recorded "switches" 100 --events sched
recorded "lost" 100 --events all --buffer 64K
ktrace --json print /tmp/r5 | grep -q '"type":"lost"' || fail "nothing was lost"

# By what the task that ran is called; all of them ran on this CPU.
ok ktrace record -o /tmp/pinned --events core,sched,process -- sh -c 'echo $$ >/tmp/pid; exec taskset 2 family writes 40'
writes=$(ktrace --json print /tmp/pinned IF "pid == $(cat /tmp/pid) && comm == family && name == syscall_entry_write" | tee /tmp/json | grep -c '"fd","value":3')
expect_eq "its writes" "$writes" 40
expect_eq "its CPU" "$(grep '"fd","value":3' /tmp/json | grep -c '"cpu":1,')" 40
expect_eq "the same by -i" "$(ktrace -i /tmp/pinned --json print IF "pid == $(cat /tmp/pid) && comm == family && name == syscall_entry_write" | cmp - /tmp/json && echo same)" same
ok ktrace print /tmp/pinned -200
expect_match "text" "$out" '^sched_switch +[0-9:.]+  \( *[0-9.]*\)  cpu [01]  pid +[0-9]+  tid +[0-9]+  comm "[^"]*" +prev_comm='
run ktrace print /tmp/none
expect_match "no directory" "$err" '^ktrace: /tmp/none: no such directory: give one that .record. or .save. made'
