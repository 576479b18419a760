#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: text is read correctly while jump labels change it: always the same returns and instructions
# long: 22 s
# vm: --smp 2
. /lab/lib.sh

# RUNS=N (`make check-robust`: 200); explain takes long.
runs=${RUNS:-8}
long_runs=${RUNS:-2}
tracing=/sys/kernel/tracing
schedstats=/proc/sys/kernel/sched_schedstats

# The present state of a jump label may vary; everything else must stay the same.
said() {
	sed -E 's/^( +\+0x[0-9a-f]+ +no +).*  # a jump label/\1# a jump label/'
}

# blocks: count the blocks that end with ==, the different ones, and the lines with an address or an instruction
# in each
blocks() {
	awk '/^==$/ { n++; if (!(block in kinds)) { kinds[block]; nr++; lines = m }; block = ""; m = 0; next }
		/\(not set|^ +\+0x/ { m++ }
		{ block = block "\n" $0 }
		END { print n, nr, lines }'
}

# same RUNS LINES COMMAND: run it RUNS times: it must succeed and print the same LINES lines each time
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

# The result without changes. The compiler of 7.2 makes one return of these functions.
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

# First only read the text while it changes, then set tracepoints.
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
