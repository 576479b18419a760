#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: CPUs go offline and online while programs with libktrace write events: none is lost without being counted
# long: 60 s
# vm: --smp 3 --timeout 900 --built user/test_stress
. /lab/lib.sh

# set_cpu CPU STATE: 0 takes it offline
set_cpu() {
	echo "$2" >/sys/devices/system/cpu/cpu$1/online || touch /tmp/failed
}

# Both other CPUs go and come, never both at once, until /tmp/stop exists.  A line for each round.
plug() {
	while [ ! -e /tmp/stop ]; do
		for cpu in 1 2; do
			set_cpu $cpu 0
			usleep 20000
			set_cpu $cpu 1
			usleep 20000
		done
		echo round >>/tmp/rounds
	done
}

# plugged COMMAND...: run it meanwhile; at least five rounds must fall into it
plugged() {
	rm -f /tmp/stop
	: >/tmp/rounds
	plug &
	plugger=$!
	"$@"
	touch /tmp/stop
	wait $plugger
	[ ! -e /tmp/failed ] || fail "a CPU could not be switched"
	expect_eq "CPUs" "$(cat /sys/devices/system/cpu/online)" 0-2
	rounds=$(wc -l </tmp/rounds)
	[ "$rounds" -ge 5 ] || fail "only $rounds rounds of CPUs"
	echo "$rounds rounds"
}

# Eight threads with signals that trace, too, in all modes: each number is read or counted as lost, in its order.
plugged ok env CMOCKA_MESSAGE_OUTPUT=TAP EVENTS="${EVENTS:-60000}" test_stress
expect_no_match "the tests" "$out" '^not ok|# SKIP'
expect_match "the tests" "$out" '^ok 1 '
printf '%s\n' "$out" | grep '^# '

# ask WORDS...: a line for the process
ask() {
	echo "$*" >&7
}

# answered PATTERN: its last answer matches
answered() {
	tail -n 1 /tmp/a.out | grep -Eq -e "$1"
}

# says PATTERN: it says so of its event
says() {
	said=$(wc -l </tmp/a.out)
	ask on
	for _ in $(seq 1000); do
		[ "$(wc -l </tmp/a.out)" = "$said" ] || break
		usleep 10000
	done
	answered "$1"
}

# A process that begins while CPU 2 is offline, and is recorded: the ring of that CPU is made when it comes.
set_cpu 2 0
mkfifo /tmp/a
userevents serve </tmp/a >/tmp/a.out &
a=$!
exec 7>/tmp/a
wait_until 20 grep -q ready /tmp/a.out
ktrace --json record -o /tmp/one --events user:truth:number --pid $a >/tmp/one.out 2>/tmp/one.err &
recorder=$!
wait_until 20 says '^on$'
ask go 1000
wait_until 20 answered '^done 1000 1000$'
set_cpu 2 1
ok taskset -p 4 $a
ask go 1000
wait_until 20 answered '^done 1000 2000$'
# Its only CPU goes: the kernel lets it run elsewhere.
set_cpu 2 0
ask go 1000
wait_until 20 answered '^done 1000 3000$'
set_cpu 2 1
ok taskset -p 7 $a
ask how
wait_until 20 answered '^sequences$'

# While CPUs go and come: read + lost = written.
times=3
busy() {
	while [ "$(wc -l </tmp/rounds)" -lt 10 ]; do
		ask go 100000
		times=$((times + 1))
		written=$((3000 + (times - 3) * 100000))
		wait_until 60 answered "^done 100000 $written\$"
	done
}
plugged busy
kill -INT $recorder
wait $recorder || fail "record: $(cat /tmp/one.err)"
events=$(sed -n 's/.*"events":\([0-9]*\).*/\1/p' /tmp/one.out)
lost=$(sed -n 's/.*"lost":\([0-9]*\).*/\1/p' /tmp/one.out)
expect_eq "read and lost" $((events + lost)) $written
echo "$events read, $lost lost"
ok ktrace -i /tmp/one print
expect_eq "printed" "$(count_matches "$out" "^truth:number .*  vpid $a  vtid $a  i=[0-9]+\$")" "$events"
# They begin again each time.
begins=$(printf '%s\n' "$out" | sed -n 's/^truth:number .*  i=//p' | awk '$1 <= last { n++ } { last = $1 } END { print n + 0 }')
[ "$begins" -le $times ] || fail "the numbers begin $begins times anew, in place of $times times"
[ ! -e /tmp/failed ] || fail "a CPU could not be switched"
ask quit
well
