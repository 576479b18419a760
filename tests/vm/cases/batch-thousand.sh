#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: set 1000 tracepoints by one command, remove them by one: few synchronisations, one second at most, jumps
# long: 20 s
# vm: --smp 2
. /lab/lib.sh

# timed WHAT COMMAND...: set $took to its milliseconds on a CPU without other users
timed() {
	what=$1
	shift
	ok share "$@"
	took=${out#* }
	echo "1000 $what by one command: ${out% *} ms, $took ms without the others on this machine"
}

less() {
	[ "$1" -lt "$2" ] && echo "$1" || echo "$2"
}

sed -n 's/^\([a-z0-9_]*\)$/\1/p' /sys/kernel/tracing/available_filter_functions |
	grep -E '^(vfs|ext4|tcp|do|sys|kmem|ip|sk|generic|blk|bio|udp|inet|@sys@)_' | sort | uniq -u | head -1100 >/tmp/names
echo "trace $(accepted $(cat /tmp/names) | head -1000 | tr '\n' ' ')" >/tmp/script
rawtext save /tmp/text || fail "no text to compare"
ok ktrace -q -f /tmp/script
expect_eq "tracepoints" "$(sites count)" 1000
ok sites jumps 60
[ "$out" -ge 800 ] || fail "only $out of 1000 are jumps"
ok syscalls -p 2 write 500
ok ktrace -q delete '*'
expect_eq "tracepoints left" "$(sites count)" 0

# The whole command: the best of five runs.
set=100000 removed=100000
for round in 1 2 3 4 5; do
	timed set ktrace -q -f /tmp/script
	set=$(less "$took" $set)
	expect_eq "tracepoints" "$(sites count)" 1000
	timed removed ktrace -q delete '*'
	removed=$(less "$took" $removed)
	ok sites drain 60
done
[ "$set" -le 1000 ] && [ "$removed" -le 1000 ] || fail "it takes $set ms and $removed ms"

# Without a controller: the longest times and the synchronisations.
ok ktrace -q -f /tmp/script
ok sites cycle -m breakpoint 3
echo "$out"
ok sites cycle -j 2
echo "$out"
set -- $out
# N sites: set in T ms, S synchronisations; removed in T ms, S synchronisations; J jumps
[ "$7" -le 3 ] || fail "$7 synchronisations to set 1000"
[ "${13}" -le 3 ] || fail "${13} synchronisations to remove 1000"
ok sites drain 60
text_restored
well
