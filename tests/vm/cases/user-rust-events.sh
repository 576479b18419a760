#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a Rust program's own tracepoints: found, switched on and off while it runs, read, exact from several threads
# arch: x86: Debian has no standard library of Rust for another architecture that can be installed beside this machine's
# long: 30 s
# vm: --smp 2 --built vm/languages/served
. /lab/lib.sh

static_node

mkfifo /tmp/asked
served </tmp/asked >/tmp/said &
served=$!
exec 7>/tmp/asked

# said LINE: that is its last line
said() {
	tail -n 1 /tmp/said | grep -qx "$1"
}

# switched STATE: the process says so, which is asked again until then
switched() {
	echo how >&7
	said "$1"
}

# record DIR: begin, and wait until the process knows it
record() {
	begin_record "$1" --events user:rs:number --pid $served
	wait_until 20 switched on
}

# end: end that, and wait until the process knows it
end() {
	end_record
	wait_until 20 switched off
}

wait_until 20 said ready
ok ktrace events -v -p $served
expect_match "found, with its line" "$out" "^user:rs:number +served \\($served\\) +thread, i, name, part .*served\\.rs:[0-9]+\$"
echo go 5 >&7
wait_until 20 said "done 5 0"

record /tmp/one
echo go 1000 >&7
wait_until 20 said "done 1000 1000"
end
expect_eq "read and lost" "$events $lost" "1000 0"
echo go 7 >&7
wait_until 20 said "done 7 1000"
ok ktrace -i /tmp/one print
expect_eq "printed" "$(count_matches "$out" "^rs:number .*  vpid $served  vtid $served  thread=0  i=[0-9]+  name=\"turn\"  part=[0-9.]+\$")" 1000
expect_match "the last of them" "$out" '  i=999  name="turn"  part=499\.5$'
expect_eq "in order" "$(printf '%s\n' "$out" | sed -n 's/.*  i=\([0-9]*\) .*/\1/p' | awk '$1 != NR - 1' | head -n 1)" ""

# Four threads on two CPUs: all of the events, each thread's in order.
record /tmp/two
echo threads 4 500 >&7
wait_until 20 said "done 2000 3000"
end
expect_eq "read and lost" "$events $lost" "2000 0"
ok ktrace -i /tmp/two print
expect_eq "out of order" "$(printf '%s\n' "$out" | sed -n 's/.*  thread=\([0-9]*\)  i=\([0-9]*\) .*/\1 \2/p' | awk '$2 != n[$1]++' | head -n 1)" ""
expect_eq "of each thread" "$(printf '%s\n' "$out" | sed -n 's/.*  thread=\([0-9]*\) .*/\1/p' | sort | uniq -c | awk '{ print $1 "*" $2 }' | xargs)" "500*0 500*1 500*2 500*3"

# More than a ring holds, and the program is killed: read + lost = written.
record /tmp/three
echo go 300000 >&7
wait_until 60 said "done 300000 303000"
kill -9 $served
end_record
expect_eq "read + lost" $((events + lost)) 300000
[ "$lost" -gt 0 ] || fail "the ring held all events"
