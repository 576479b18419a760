#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: nested calls, calls from interrupts and of many threads, on several CPUs: every call is paired
# long: 18 s
# vm: --smp 4
# No brake: the calls come without a pause, and each must be counted.
. /lab/lib.sh
modprobe ktruth

balanced() {
	expect_eq "$1: unpaired" "$(field unpaired)" 0
	expect_eq "$1: lost" "$(field lost)" 0
}

work='for i in 1 2 3 4; do (for j in 1 2 3 4 5; do echo time nest 20 400 >/proc/ktruth; done) & done; wait'
for options in "" "METHOD breakpoint" "--by pid" "IF \$@arg1@ < 3"; do
	ok ktrace latency ktruth_nest $options --json -- sh -c "$work"
	balanced "recursion $options"
	case $options in
	IF*)
		expect_eq "calls at depths 0 to 2" "$(field count)" 24000
		expect_eq "at others" "$(field filtered)" 16000
		;;
	*) expect_eq "calls $options" "$(field count)" 40000 ;;
	esac
done

# Calls in a timer interrupt, whatever task it interrupts, and in four sleeping threads at once.
ktrace latency ktruth_in_timer --count 200 --json >/tmp/timer &
while kill -0 $! 2>/dev/null; do
	echo call timer 20 >/proc/ktruth
done
wait $! || fail "in a timer's interrupt: $(cat /tmp/timer)"
out=$(cat /tmp/timer)
expect_eq "in a timer's interrupt" "$(field count)" 200
balanced "in a timer's interrupt"
ok ktrace latency ktruth_slept --json -- sh -c 'for i in 1 2 3 4; do echo time slept 2000 50 >/proc/ktruth & done; wait'
expect_eq "slept" "$(field count)" 200
balanced slept
well
