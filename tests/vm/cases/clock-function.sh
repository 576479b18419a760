#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: if the clock is a function, it can be measured and traced: its hits are counted, never nested
# long: 35 s
# vm: --smp 2
. /lab/lib.sh

# The system's clock runs through more code than the CPU's clock, and any of this code may have tracepoints.
clock=/sys/devices/system/clocksource/clocksource0
other=$(tr ' ' '\n' <$clock/available_clocksource | grep -E 'hpet|acpi_pm' | head -1)
[ -n "$other" ] || skip "there is no clock but the CPU's"
rmmod ktrace
echo "$other" >$clock/current_clocksource
modprobe ktrace brake=0
expect_match "the clock" "$(ktrace status)" '^clock  *mono'

# ktrace calls the first function for the time of each record and of each end of a call; the first calls the
# second.
names=$(accepted ktime_get_mono_fast_ns "read_$other" ktime_get vfs_write)
expect_match "the clock's function can be traced" "$names" '^ktime_get_mono_fast_ns$'
while [ ! -e /tmp/stop ]; do
	syscalls write 50
done >/dev/null 2>&1 &

# Measure each once, by breakpoints and by the default method. Apart from ktrace, its callers are unknown.
for method in "" "METHOD breakpoint"; do
	for name in $names; do
		run ktrace latency $name $method --for 1 --json
		[ "$status:$name" = 5:ktime_get_mono_fast_ns ] || expect_status 0
		expect_eq "$name $method: lost" "$(field lost)" 0
	done
done

# Several measurements at one address, which begin and end calls there, set and deleted while it is called.
for turn in 1 2 3; do
	them=
	for name in $names; do
		ktrace latency $name --for 1 --json >/tmp/one.$name 2>&1 &
		them="$them $!"
	done
	ok ktrace -q trace $names PID
	usleep 500000
	ok ktrace delete '*'
	for one in $them; do
		wait $one || [ $? = 5 ] || fail "one of several: status $?"
	done
	for name in $names; do
		grep -q "\"count\"" /tmp/one.$name || fail "$name with others: $(cat /tmp/one.$name)"
	done
done

# And no hit is lost.
ktrace clear
base=$(sites base)
ok ktrace -q trace $names PID
sleep 1
touch /tmp/stop
wait
ok sites sums $base
expect_match "recorded, and met on the way of a hit" "$out" ' [1-9][0-9]* recursed'
well
