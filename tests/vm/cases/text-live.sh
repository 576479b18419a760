#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: text is read whole while jump labels change it: always all returns and instructions
# vm: --smp 2 --timeout 600
. /lab/lib.sh

# RUNS=N (`make check-robust`: 200); explanations take long.
runs=${RUNS:-8}
long_runs=${RUNS:-2}
tracing=/sys/kernel/tracing
schedstats=/proc/sys/kernel/sched_schedstats

# What a jump label says at the moment is its own affair; all else is always the same.
said() {
	sed -E 's/^( +\+0x[0-9a-f]+ +no +).*  # a jump label/\1# a jump label/'
}

# blocks: how many of those that end with ==, of how many kinds, with how many lines of a place or an instruction each
blocks() {
	awk '/^==$/ { n++; if (!(block in kinds)) { kinds[block]; nr++; lines = m }; block = ""; m = 0; next }
		/\(not set|^ +\+0x/ { m++ }
		{ block = block "\n" $0 }
		END { print n, nr, lines }'
}

# same RUNS LINES COMMAND: run so often, it succeeds and says the same each time, in so many lines
same() {
	for same_run in $(seq "$1"); do
		printf '%s\n!echo ==\n' "$3"
	done >/tmp/script
	ok ktrace -n -f /tmp/script
	expect_eq "$3: runs, kinds, lines" "$(said </tmp/out | blocks)" "$1 1 $2"
}

flip() {
	while :; do
		echo 1
		echo 0
	done >$schedstats
}

# What there is when nothing changes. The compiler of 7.2 makes one return of these functions.
least=2
case $(uname -r) in [789].*) least=1 ;; esac
ok ktrace -n trace enqueue_task_rt%return
rt=$(count_matches "$out" '^enqueue_task_rt')
ok ktrace -n trace set_next_task_dl%return
dl=$(count_matches "$out" '^set_next_task_dl')
ok ktrace explain try_to_wake_up
ttwu=$(count_matches "$out" '^ +\+0x')
ok ktrace -n trace __schedule%return
address=$(printf '%s\n' "$out" | sed -n '$s/ .*//p')
[ "$rt" -ge $least ] && [ "$dl" -ge $least ] && [ "$ttwu" -ge 100 ] && [ "$address" ] || fail "only $rt, $dl, $ttwu, $address"

# Only looked at while it changes, and set.
flip &
flipping=$!
same $runs "$rt" 'trace enqueue_task_rt%return'
same $runs "$dl" 'trace set_next_task_dl%return'
same $long_runs "$ttwu" 'explain try_to_wake_up'
same $runs 1 "trace $address"
for run in $(seq "$runs"); do
	printf 'trace set_next_task_dl%%return\ndelete *\n'
done >/tmp/script
ok ktrace -f /tmp/script
expect_eq "set" "$(count_matches "$out" '^set_next_task_dl')" $((runs * dl))
kill $flipping
wait $flipping || :
echo 0 >$schedstats

well
ok rmmod ktrace
