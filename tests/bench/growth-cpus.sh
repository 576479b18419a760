#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest with eight CPUs and an ordinary clock: the time that a tracepoint adds to so many calls, spread over 1, 2, 4 and 8
# CPUs at once.  A line for each: row cpus CPUS PICOSECONDS, of each hit.
set -eu

calls=8000000

# In hundredths of a second.
uptime() {
	cut -d ' ' -f 1 /proc/uptime | tr -d .
}

# on CPUS: how long the calls take, the same number on each
on() {
	began=$(uptime)
	for cpu in $(seq 0 $(($1 - 1))); do
		taskset -c "$cpu" sh -c "echo hit $((calls / $1)) >/proc/ktruth" &
	done
	wait
	echo $(($(uptime) - began))
}

# least CPUS: of three
least() {
	for _ in 1 2 3; do
		on "$1"
	done | sort -n | head -1
}

modprobe ktruth
for cpus in 1 2 4 8; do
	least $cpus >/tmp/bare-$cpus
done
ktrace -q trace ktruth_hit PID METHOD jump
sites jumps 60 >/dev/null
for cpus in 1 2 4 8; do
	ticks=$(($(least $cpus) - $(cat /tmp/bare-$cpus)))
	echo "row cpus $cpus $((ticks * 10000000 / (calls / 1000)))"
done
