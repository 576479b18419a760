#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a recording tells how many hits the brake turned away and what it switched off, and so does its report
# long: 25 s
# vm: --smp 2 --module-args brake=10
. /lab/lib.sh

modprobe ktruth
calls=200000
ok ktrace --json record -o /tmp/braked --events sched --trace 'ktruth_run PID BACKTRACE 16 METHOD breakpoint' -- \
	sh -c "echo time run 7 $calls >/proc/ktruth"
echo "$out"
echo "$err"
braked=$(field braked) off=$(field off) lost=$(field lost)
[ "$braked" -gt 0 ] || fail "the brake turned no hit away"
recorded=$(ktrace --json -i /tmp/braked print | grep -c '"name":"ktruth:ktruth_run"')
# When the brake has switched a tracepoint off, later hits there are not even counted.
known=$((recorded + lost + braked))
echo "$calls calls: $recorded recorded, $lost lost, $braked turned away, $off tracepoints off"
if [ "$off" = 0 ]; then
	[ "$known" -ge "$calls" ] || fail "$calls calls, of which $known are accounted for"
else
	[ "$off" = 1 ] || fail "$off tracepoints are off"
fi
ok ktrace report /tmp/braked
expect_match "the report" "$out" 'the brake turned away [0-9,.]* hits since the recording began'
ok ktrace --json report /tmp/braked
expect_eq "the report's count" "$(field braked)" "$braked"
expect_eq "the report's tracepoints" "$(field off)" "$off"
grep -q "ktrace_braked = $braked;" /tmp/braked/metadata || fail "the metadata: $(grep ktrace /tmp/braked/metadata)"
# For people, in the last lines.
ok ktrace record -o /tmp/again --trace 'ktruth_run PID BACKTRACE 16 METHOD breakpoint' -- \
	sh -c "echo time run 7 $calls >/proc/ktruth"
expect_match "what record says" "$(echo "$err" | tail -n 1)" '^ktrace: the brake turned away [0-9,]* hits?.*, besides the lost events: '
# Nothing is said where nothing was turned away.
ok ktrace --json record -o /tmp/calm --events sched -- true
expect_eq "a calm recording" "$(field braked) $(field off)" "0 0"
well
