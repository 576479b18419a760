#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest whose clock counts instructions: how costs grow with what there is.  A line for each figure:
#
#	row NAME SIZE FIGURE	FIGURE in instructions, bytes or KiB; `tests/bench/growth` says which
#
# /tmp/few.tar and /tmp/many.tar are recordings with FEW and MANY records.
set -eu

few=$1 many=$2
hits=1000000 pairs=200000

row() {
	echo "row $*"
}

# used: KiB that the kernel has taken for itself
used() {
	sleep 1
	awk '/^(SUnreclaim|VmallocUsed|Percpu):/ { sum += $2 } END { print sum }' /proc/meminfo
}

# A second measurement: the first one fills caches of the software.
write_call() {
	tsc 3000 >/dev/null
	tsc 3000
}

# run COMMAND...: $ticks are the instructions of the whole machine, $peak the KiB that were resident
run() {
	took /tmp/ticks spent /tmp/spent "$@"
	ticks=$(cat /tmp/ticks)
	peak=$(cut -d ' ' -f 6 /tmp/spent)
}

# ------------------------------------------------------------------- other tracepoints

hit_beside() {
	for method in jump breakpoint; do
		ktrace -q trace vfs_write PID METHOD $method
		[ $method = breakpoint ] || sites jumps 60 >/dev/null
		row hit-$method "$1" $(($(write_call) - base))
		ktrace -q delete vfs_write
	done
}

# The addresses of tracepoints whose line of `list` matches.
addresses() {
	sed -n "$1"'s/.*"addr":"\([^"]*\)".*/\1/p' /tmp/list
}

# delete_some SIZE ADDRESS...
delete_some() {
	size=$1
	shift
	run ktrace -q delete "$@"
	row delete "$size" $((ticks / size))
}

# set_some SIZE ADDRESS...: from nothing, and back
set_some() {
	size=$1 before=$(used)
	shift
	run ktrace -q trace "$@" PID METHOD breakpoint
	row set "$size" $((ticks / size))
	# Memory of those before may come back meanwhile.
	[ "$size" = 30000 ] || row module "$size" $(($(used) - before))
	row controller-set "$size" "$peak"
	run ktrace --json list >/tmp/list
	row list "$size" $((ticks / size))
	row controller-list "$size" "$peak"
	ktrace -q delete '*'
	sites drain 60
	rm /tmp/list
	row kept "$size" $(($(used) - before))
}

# Those on the way of the write are deleted, so that only its own tracepoint is hit.
others() {
	ktrace -q trace vfs_write PID
	ktrace -q delete '*'
	hit_beside 0
	before=$(used)
	ktrace -q trace '?*' PID METHOD breakpoint
	all=$(sites count)
	row module "$all" $(($(used) - before))
	write_call >/dev/null
	ktrace --json list >/tmp/list
	addresses '/"hits":0,/' >/tmp/all-idle
	head -n 30000 /tmp/all-idle >/tmp/idle
	{
		tail -n +30001 /tmp/all-idle
		addresses '/"hits":0,/!'
	} >/tmp/more
	rm /tmp/list
	[ "$(wc -l </tmp/idle)" = 30000 ]
	# shellcheck disable=SC2046
	ktrace -q delete $(cat /tmp/more)
	hit_beside 30000
	# shellcheck disable=SC2046
	delete_some 29000 $(tail -n 29000 /tmp/idle)
	hit_beside 1000
	# shellcheck disable=SC2046
	delete_some 1000 $(head -n 1000 /tmp/idle)
	for size in 1000 30000; do
		# shellcheck disable=SC2046
		set_some $size $(head -n $size /tmp/idle)
	done
}

# --------------------------------------------------------------------- open intervals

field() {
	sed -n "s/.*\"$1\":\([0-9]*\),.*/\1/p" "$2"
}

# The key of a call is the stack, so other processes find other places of the table.
cat >/tmp/calls <<'END'
#!/bin/sh
sites jumps 60 >/dev/null
tsc 3000 >/dev/null
for _ in 1 2 3 4 5 6 7 8; do
	tsc 1000
done
END
chmod +x /tmp/calls

open_calls() {
	echo 40000 >/proc/sys/kernel/threads-max
	for size in 0 1000 8000 16000; do
		ktrace latency vfs_write METHOD jump --json -- blocked /tmp/waiting $size /tmp/calls >/tmp/answer
		sum=$(awk '/^[0-9]+$/ { sum += $1; n++ } END { print int(sum / n) }' /tmp/answer)
		row open $size $((sum - base))
		row overflow $size $(($(field overflow /tmp/answer) * 1000 / $(field entered /tmp/answer)))
	done
}

# The argument of ktruth_hit counts down to 0.  So each end is that of the begin that many hits ago.  The hits leave the reader
# no time: all records must find room.
open_pairs() {
	ktrace -q buffer 128M
	for end in 6 7 8 9 a b c d e f none; do
		! ktrace --dry-run -q trace ktruth_hit "ktruth_hit+$end" PID >/dev/null 2>&1 || break
	done
	for size in 1000 30000 1000000; do
		echo "echo hit $((pairs + size)) >/proc/ktruth" >/tmp/load
		run ktrace latency ktruth_hit "ktruth_hit+$end" --key "$first" "$first + $size" --json -- sh /tmp/load >/tmp/answer
		[ "$(field count /tmp/answer)" = $pairs ]
		row pairs $size $((ticks / (pairs + size)))
		row controller-pairs $size "$peak"
	done
	ktrace -q buffer 1M
}

# -------------------------------------------------------------------- keys of a table

keys() {
	for size in 1000 100000 1000000; do
		took /tmp/bare counts $hits $size
		before=$(used)
		ktrace -q trace vfs_write COUNT BY "$third" ONLYCOMM counts KEYS $size METHOD jump
		sites jumps 60 >/dev/null
		took /tmp/new counts $hits $size
		took /tmp/ticks counts $hits $size
		row table $size $(($(used) - before))
		row keys $size $((($(cat /tmp/ticks) - $(cat /tmp/bare)) / hits))
		ktrace --csv print >/dev/null
		run ktrace --csv print >/tmp/answer
		[ "$(grep -c = /tmp/answer)" -ge $size ]
		row print-keys $size $((ticks / size))
		row controller-keys $size "$peak"
		ktrace -q delete '*'
	done
	rm /tmp/answer
}

# ------------------------------------------------------------------------- recordings

# recording NAME RECORDS
recording() {
	ktrace -q record -o "/traces/$1" --events sched_kthread_stop --trace "ktruth_hit VAR $first" --buffer 256M -- \
		sh -c "sites jumps 60 >/dev/null; echo hit $2 >/proc/ktruth"
	tar cf "/tmp/$1.tar" -C /traces "$1"
	rm -r "/traces/${1:?}"
}

case $(uname -m) in
x86_64) first=\$rdi third=\$rdx ;;
aarch64) first=\$x0 third=\$x2 ;;
esac
mkdir /traces
mount -t tmpfs -o size=60% traces /traces
modprobe ktruth
base=$(write_call)
recording few "$few"
recording many "$many"
open_pairs
keys
open_calls
others
