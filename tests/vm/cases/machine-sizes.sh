#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a machine with 128 CPUs, with one, with 256 MB: exact counts on each CPU, a recording, a measurement, CPUs that go and come
# rare: 15 min (`make check-sizes`)
# vm: --smp 128 --mem 6G --timeout 3600
# vm: --smp 1
# vm: --smp 2 --mem 256M
. /lab/lib.sh

cpus=$(nproc)
memory=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)
echo "$cpus CPUs, $memory MB"
# The file system of a small guest has no room for a copy of the kernel's text.
[ "$memory" -lt 512 ] || rawtext save /tmp/text || fail "no text to compare"
ok modprobe ktruth

# Each CPU runs through the probe site so often.
each=20
everywhere() {
	cpu=0
	while [ $cpu -lt "$cpus" ]; do
		taskset -c $cpu sh -c "echo call args6 $each >/proc/ktruth" || fail "CPU $cpu"
		cpu=$((cpu + 1))
	done
}

base=$(sites base)
ok ktrace -q trace ktruth_args6 PID
ok sites jumps 60
everywhere
ok sites sums $base
expect_eq "hits" "$(sites hits)" $((each * cpus))
ok ktrace --json printclear
expect_eq "CPUs of the records" "$(printf '%s\n' "$out" | sed -n 's/.*"cpu":\([0-9]*\).*/\1/p' | sort -u | wc -l)" "$cpus"
expect_eq "records" "$(count_matches "$out" '"type":"record"')" $((each * cpus))

# Counted in the kernel: a table has a part for each CPU.
ok ktrace -q trace ktruth_args6 COUNT BY CPU
everywhere
ok ktrace --csv print
expect_eq "rows of the table" "$(count_matches "$out" "\"cpu=[0-9]+\",$each,")" "$cpus"
ok ktrace delete '*'

# The last CPU goes and comes back while tracepoints are there.
if [ "$cpus" -gt 1 ]; then
	ok ktrace -q trace vfs_write PID
	cpu_down $((cpus - 1))
	ok syscalls write 100
	cpu_up $((cpus - 1))
	ok taskset -c $((cpus - 1)) syscalls write 100
	ok ktrace delete '*'
fi

ok ktrace record -o /tmp/recording -- sh -c 'forkstorm 20 4; ls -lR /sys/class >/dev/null'
expect_match "nothing is lost" "$err" 'none lost'
ok ktrace report /tmp/recording
ok ktrace latency vfs_write -- syscalls write 500
expect_match "calls" "$out" '500'
ok ktrace status
ok sites drain 120
ok rmmod ktruth
[ "$memory" -lt 512 ] || text_restored
well
