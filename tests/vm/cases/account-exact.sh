#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: hits of four writers = printed + reported lost: with room and without, with a reader and without
# long: 67 s
# vm: --smp 4 --parallel --no-module
# RUNS=N: do N of the runs below, again and again (`make check-account`: 20).
. /lab/lib.sh

WRITERS=4
WRITES=50000
module=/lib/modules/$(uname -r)/updates/ktrace.ko

# counted: print the sums of `status` as shell assignments
counted() {
	ktrace -e status >/tmp/status || fail "status"
	awk '/^records / { for (i = 2; i <= NF; i++) name[i] = $i }
		/^all / { gsub(",", ""); for (i = 2; i <= NF; i++) print name[i] "=" $i }
		/^none / { gsub(",", ""); for (i = 2; i <= NF; i++) if ($i != "or") print $i "=0" }' /tmp/status
}

# printed: print the counts of /tmp/printed as shell assignments; of_writers counts records of the pids in
# /tmp/pids
printed() {
	awk 'NR == FNR { writer[$1] = 1; next }
		/ traces? lost$/ { lost += $(NF - 2); next }
		$(NF - 1) == "pid" { records++; if ($NF in writer) of_writers++ }
		END { printf "told=%d records=%d of_writers=%d\n", lost, records, of_writers }' /tmp/pids /tmp/printed
}

# Readers that run beside the writers. The readers of a run end before it is counted.
reader_none() {
	:
}

reader_follow() {
	ktrace -e follow >>/tmp/printed &
	reader=$!
	sleep 1
}

reader_printclear() {
	while [ ! -e /tmp/stop ]; do
		ktrace -e printclear >>/tmp/printed || exit 1
	done &
	reader=$!
}

end_reader_none() {
	:
}

nothing_pending() {
	eval "$(counted)"
	[ "$pending" = 0 ]
}

end_reader_follow() {
	ktrace -e freeze
	wait_until 120 nothing_pending
	kill -INT $reader
	wait $reader
}

end_reader_printclear() {
	touch /tmp/stop
	wait $reader
}

# one RING_KB READER FUNCTION: every hit must be printed or reported as lost
one() {
	rm -f /tmp/stop
	: >/tmp/printed
	# No brake: the writers do nothing but write.
	ok insmod "$module" ring_kb="$1" brake=0
	ok ktrace -e "trace $3 PID"
	"reader_$2"
	syscalls -p $WRITERS write $WRITES >/tmp/pids || fail "the writers"
	"end_reader_$2"
	# Hits of other processes from here on do not count.
	ktrace -e freeze || fail "freeze"
	ktrace -e printclear >>/tmp/printed || fail "printclear"
	eval "$(counted)" "$(printed)"
	said="ring $1 KiB, reader $2, $3: recorded $recorded, printed $records, told $told, discarded $discarded, recursed $recursed"
	echo "$said"
	expect_eq "$said: printed + told of as lost" $((records + told)) $((recorded + discarded))
	expect_eq "$said: recorded = cleared + lost" $((cleared + lost)) "$recorded"
	expect_eq "$said: inside its own code" "$recursed" 0
	expect_eq "$said: still to be printed" "$pending" 0
	# Only the writers write to /dev/null.
	[ "$3" != write_null ] || expect_eq "$said: hits" $((records + told)) $((WRITERS * WRITES))
	[ "$told" != 0 ] || expect_eq "$said: of the writers" "$of_writers" $((WRITERS * WRITES))
	[ "$told" != 0 ] || [ "$1" -gt 64 ] || fail "$said: nothing was lost, which this run is for"
	[ "$told" = 0 ] || [ "$1" -lt 1024 ] || fail "$said: something was lost where there is room"
	ok rmmod ktrace
}

done=0
while [ $done -lt "${RUNS:-4}" ]; do
	while read -r ring reader function; do
		[ $done -lt "${RUNS:-4}" ] || break
		one "$ring" "$reader" "$function"
		done=$((done + 1))
	done <<-RUNS
		16 none write_null
		2048 follow vfs_write
		64 printclear write_null
		16 follow vfs_write
		2048 none vfs_write
		2048 printclear write_null
		64 follow write_null
		8 none vfs_write
	RUNS
done
echo "$done of ${RUNS:-4} runs"
