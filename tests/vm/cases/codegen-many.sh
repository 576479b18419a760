#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: jumps with machine code of their own at functions all over the kernel, under load: the text is as before
# long: 30 s
# vm: --smp 2 --module-args brake=0
# SEED=, COUNT=6000: which functions, and how many.
. /lab/lib.sh

count=${COUNT:-800} seed=${SEED:-$(date +%s)}
echo "# SEED=$seed"
awk -v seed="$seed" 'BEGIN { srand(seed) } $2 ~ /^[tT]$/ && NF == 3 && $3 !~ /[.]/ { print rand(), $3 }' /proc/kallsyms |
	sort -n | head -n "$count" | awk '{ print $2 }' >/tmp/chosen
# shellcheck disable=SC2046
accepted $(cat /tmp/chosen) >/tmp/names
rawtext save /tmp/text || fail "no text to compare"

# Each line is a command with a tracepoint, so each has code: of a record, of a filter, or of a count.
awk 'NR % 3 == 0 { print "trace", $1, "PID" }
	NR % 3 == 1 { print "trace", $1, "IF $@arg1@ != 1 VAR $@arg2@" }
	NR % 3 == 2 { print "trace", $1, "COUNT BY PID" }' /tmp/names >/tmp/script
ok ktrace -q -f /tmp/script
ok sites jumps 120
echo "$out jumps at $(wc -l </tmp/names) functions"
family writes 100000000 2000 &
load=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
	syscalls read 20000 >/dev/null
	ls -lR /proc/self /sys/class /sys/block >/dev/null 2>&1
	sh -c 'cat /proc/meminfo /proc/interrupts' >/dev/null
done
ok ktrace --json list
echo "$(printf '%s\n' "$out" | grep -c '"hits":[1-9]') functions have hits"
ok sites hits
[ "$out" -ge 10000 ] || fail "$out hits"
well
ok ktrace -q delete '*'
ok sites drain 120
kill $load
text_restored
well
