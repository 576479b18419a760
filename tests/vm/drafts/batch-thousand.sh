#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a thousand tracepoints by one command, removed by one: few synchronisations, quickly, and jumps where they can be
# vm: --smp 2 --one-thread --timeout 400
. /lab/lib.sh

sed -n 's/^\([a-z0-9_]*\)$/\1/p' /sys/kernel/tracing/available_filter_functions |
	grep -E '^(vfs|ext4|tcp|do|sys|kmem|ip|sk|generic|blk|bio|udp|inet|__x64_sys)_' | sort | uniq -u | head -1100 >/tmp/names
echo "trace $(accepted $(cat /tmp/names) | head -1000 | tr '\n' ' ')" >/tmp/script
rawtext save /tmp/text || fail "no text to compare"
ok ktrace -q -f /tmp/script
expect_eq "tracepoints" "$(sites count)" 1000
ok sites jumps 60
[ "$out" -ge 800 ] || fail "only $out of 1000 are jumps"
ok syscalls -p 2 write 500
ok ktrace -q delete '*'
expect_eq "tracepoints left" "$(sites count)" 0

# Without a controller: synchronisations and times.
ok ktrace -q -f /tmp/script
ok sites cycle -j 2
echo "$out"
set -- $out
# N sites: set in T ms, S synchronisations; removed in T ms, S synchronisations; J jumps
[ "$7" -le 3 ] || fail "$7 synchronisations to set 1000"
[ "${13}" -le 3 ] || fail "${13} synchronisations to remove 1000"
[ "$5" -le 10000 ] && [ "${11}" -le 10000 ] || fail "it took $5 and ${11} ms"
ok sites drain 60
run rawtext compare /tmp/text
expect_eq "text that is not restored" "$out" ""
well
