#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: latency --off-cpu: which calls slept, how long, where, woken by whom; all calls are accounted for
# long: 10 s
# vm: --smp 2
. /lab/lib.sh
modprobe ktruth

# A timer wakes it.
ok ktrace latency ktruth_slept --off-cpu --json -- sh -c 'echo time slept 3000 20 >/proc/ktruth; echo time run 5 9 >/proc/ktruth'
echo "$out"
expect_eq "calls" "$(field count)" 20
expect_eq "slept" "$(field slept)" 20
expect_eq "not known" "$(field unknown)" 0
expect_match "who" "$out" '"rows":\[\{"times":[0-9]+,"total_ns":[0-9.]+,"max_ns":[0-9.]+,"at":"[^"(]*ktruth[^"]* in [^"]+","woken":"interrupt","comm":null,"tid":null,"by":"an interrupt: hrtimer_wakeup'
awk -v took="$(field total_ns)" -v asleep="$(printf '%s' "$out" | grep -o '"asleep_ns":[0-9.]*' | sed 's/.*://')" 'BEGIN { exit !(asleep >= 58e6 && asleep < took) }' ||
	fail "asleep for 20 times 3 ms: $out"

# Nothing sleeps.
ok ktrace latency ktruth_run --off-cpu -- sh -c 'echo alone run 500 30 >/proc/ktruth'
expect_match "none slept" "$out" '^slept +0  '
expect_match "all ran" "$out" '^ran +30  never left the CPU$'

# A thread wakes it: the other end of a pipe.
ok ktrace latency pipe_read --off-cpu -- sh -c '(for i in 1 2 3 4 5; do usleep 20000; echo $i; done) | cat >/dev/null'
echo "$out"
expect_match "heading" "$out" '^latency pipe_read --off-cpu -- sh '
expect_match "by the writer" "$out" '^ *5 .* in [^ ]+  *sh [0-9]+: pipe_write|^ *5 .* in .*  sh: pipe_write|^ *[1-5] .*  sh( [0-9]+)?: pipe_write'

# Recording stops in the middle: the calls of that time are not known, and the others are right.
cat >/tmp/stopped.sh <<'END'
echo time slept 3000 5 >/proc/ktruth
usleep 500000
ktrace -q freeze
echo time slept 3000 4 >/proc/ktruth
ktrace -q unfreeze
usleep 500000
echo time slept 3000 3 >/proc/ktruth
END
ok ktrace latency ktruth_slept --off-cpu --json -- sh /tmp/stopped.sh
echo "$out"
expect_eq "calls" "$(field count)" 12
expect_eq "slept" "$(field slept)" 8
expect_eq "ran" "$(field ran)" 0
expect_eq "not known" "$(field unknown)" 4
[ "$(field missed)" -gt 0 ] || fail "nothing is missed"
ok ktrace latency ktruth_slept --off-cpu -- sh /tmp/stopped.sh
expect_match "slept" "$out" '^slept +8  '
expect_match "not known" "$out" '^not known +4  records of them are missing$'
expect_match "why" "$out" '^[0-9,]+ hits of tracepoints were not recorded, as recording was stopped'

# A sleep that goes on at the end.
(ktrace latency pipe_read --off-cpu --for 3s >/tmp/flight 2>&1; echo $? >/tmp/flight-status) &
wait_until 20 sh -c 'ktrace list | grep -q pipe_read'
usleep 1000000
sh -c 'sleep 6 | cat' &
wait_until 20 test -e /tmp/flight-status
cat /tmp/flight
grep -Eq 'asleep at .* (cat|busybox) [0-9]+$' /tmp/flight || fail "the call that sleeps at the end: $(cat /tmp/flight)"
wait

# What makes no sense.
for wrong in 'ktruth_run ktruth_square' 'ktruth_run --by comm' 'ktruth_run --top 3' 'ktruth_r*' 'ktruth_run --html /tmp/x' 'ktruth_run --csv'; do
	run ktrace latency $wrong --off-cpu --for 10ms
	expect_status 2
	expect_eq "one line for $wrong" "$(printf '%s\n' "$err" | wc -l)" 1
done
expect_eq "tracepoints left" "$(ktrace list)" ""
