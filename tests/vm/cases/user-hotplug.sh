#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: CPUs go offline and online while programs with libktrace write events: none is lost without being counted
# long: 60 s
# vm: --smp 3 --timeout 900 --built user/test_stress
. /lab/lib.sh

static_node

# Both other CPUs go and come, never both at once, until /tmp/stop exists.  A line for each round.
plug() {
	while [ ! -e /tmp/stop ]; do
		for cpu in 1 2; do
			cpu_down $cpu && usleep 20000 && cpu_up $cpu || touch /tmp/failed
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
plugged test_of test_stress "EVENTS=${EVENTS:-60000}"

# write COUNT: the process writes so many events, numbered from 0; $written and $times are those of all calls of this
written=0 times=0
write() {
	ask a go "$1"
	written=$((written + $1))
	times=$((times + 1))
	wait_until 60 answered a "^done $1 $written\$"
}

# A process that begins while CPU 2 is offline, and is recorded: the ring of that CPU is made when it comes.
ok cpu_down 2
mkfifo /tmp/a
userevents serve </tmp/a >/tmp/a.out &
a=$!
exec 7>/tmp/a
fd_a=7
wait_until 20 answered a '^ready$'
begin_record /tmp/one --events user:truth:number --pid $a
wait_until 20 says a on '^on$'
write 1000
ok cpu_up 2
ok taskset -p 4 $a
write 1000
# Its only CPU goes: the kernel lets it run elsewhere.
ok cpu_down 2
write 1000
ok cpu_up 2
ok taskset -p 7 $a
wait_until 20 says a how '^sequences$'

# While CPUs go and come: read + lost = written.
busy() {
	while [ "$(wc -l </tmp/rounds)" -lt 10 ]; do
		write 100000
	done
}
plugged busy
end_record
expect_eq "read + lost" $((events + lost)) $written
echo "$events read, $lost lost"
ok ktrace -i /tmp/one print
expect_eq "printed" "$(count_matches "$out" "^truth:number .*  vpid $a  vtid $a  i=[0-9]+\$")" "$events"
# The numbers of each call are in their order: only a new call may begin with a lower one.
begins=$(printf '%s\n' "$out" | sed -n 's/^truth:number .*  i=//p' | awk '$1 <= last { n++ } { last = $1 } END { print n + 0 }')
[ "$begins" -le $times ] || fail "the numbers begin $begins times anew, in place of $times times"
well
