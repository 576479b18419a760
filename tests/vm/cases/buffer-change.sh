#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: the buffer's size and mode change: records stay; with 4 CPUs hitting and two readers the counts balance
# long: 34 s
# vm: --smp 4 --parallel
# No brake: every CPU hits all the time.
# CHANGES=N: changes under load.
. /lab/lib.sh

CHANGES=${CHANGES:-18}
modprobe ktruth

# ---- output and refusals
ok ktrace buffer
expect_eq "as loaded" "$out" "1 MiB for each of 4 CPUs; new records overwrite old ones"
ok ktrace buffer 512K
expect_eq "smaller" "$out" "512 KiB for each of 4 CPUs; new records overwrite old ones"
ok ktrace buffer discard
expect_eq "discard" "$out" "512 KiB for each of 4 CPUs; a full buffer discards new records"
ok ktrace buffer overwrite 3M
expect_eq "rounded up" "$out" "4 MiB for each of 4 CPUs; new records overwrite old ones"
ok ktrace --json buffer
expect_eq "JSON" "$out" \
	'{"type":"buffer","v":3,"buffer_bytes":4194304,"cpus":4,"overwrite":true,"dropped":0}'
ok ktrace status
expect_match "status" "$out" '^buffer       4 MiB for each of 4 CPUs; new records overwrite old ones$'
for wrong in 12 4K 2G M 4X 8K,discard; do
	run ktrace buffer "$wrong"
	expect_status 2
	expect_match "buffer $wrong" "$err" '^ktrace: buffer'
done
run ktrace buffer 1G
expect_status 1
expect_eq "too large" "$err" "ktrace: buffer: not enough memory, nothing was changed: choose a smaller size"
ok ktrace buffer
expect_match "unchanged" "$out" '^4 MiB '

# timeless FILE: its records without time; a later print knows the rate of the clock better, to the nanosecond
timeless() {
	sed -E 's/^([^ ]+) .*\) /\1 /' /tmp/out >"$1"
}

# ---- records stay: in a larger buffer, in a smaller one with enough room, in another mode
ok ktrace -q -e 'buffer 64K; trace ktruth_hit PID CPU REG @arg1@'
for cpu in 0 1 2 3; do
	taskset $((1 << cpu)) sh -c 'echo hit 500 >/proc/ktruth'
done
ok ktrace print
timeless /tmp/before
expect_eq "hits" "$(wc -l </tmp/before)" 2000
for change in 256K discard 4M '16M overwrite' 1M; do
	ok ktrace buffer $change
	expect_eq "buffer $change: said" "$err" ""
	ok ktrace print
	timeless /tmp/after
	cmp /tmp/after /tmp/before || fail "buffer $change: other records"
done
# In a buffer that is too small the newest records stay; the others are reported.
ok ktrace buffer 8K
expect_match "those without room" "$err" \
	'^ktrace: warning: [0-9]* unprinted records did not fit in the smaller buffer: counted as lost$'
ok ktrace print
lost=$(sed -n 's/^ktrace: warning: \([0-9]*\) traces lost$/\1/p' /tmp/out | awk '{ n += $1 } END { print n + 0 }')
expect_eq "kept and lost" $(($(grep -c ' pid ' /tmp/out) + lost)) 2000
expect_eq "lost" "$(counted lost)" "$lost"
expect_match "those without room" "$err$(ktrace buffer)" '8 KiB'
# On each CPU at least one sub-buffer is full: these records take less than 48 bytes each.
timeless /tmp/after
for cpu in 0 1 2 3; do
	grep " cpu $cpu " /tmp/before | grep -v traces >/tmp/all
	grep " cpu $cpu " /tmp/after | grep -v traces >/tmp/kept
	kept=$(wc -l </tmp/kept)
	echo "CPU $cpu: $kept of $(wc -l </tmp/all) records stay in 8K"
	[ "$kept" -ge 80 ] || fail "CPU $cpu: $kept records in two sub-buffers of 4 KiB"
	tail -n "$kept" /tmp/all | cmp - /tmp/kept || fail "CPU $cpu: not the newest"
done
ok ktrace clear
# A few records fit into any buffer: none is lost.
ok ktrace buffer 1M
echo hit 58 >/proc/ktruth
ok ktrace print
timeless /tmp/before
for change in 8K 64K 8K; do
	ok ktrace buffer $change
	expect_eq "58 records, buffer $change: said" "$err" ""
	ok ktrace print
	timeless /tmp/after
	cmp /tmp/after /tmp/before || fail "58 records, buffer $change: other records"
done
ok ktrace clear
ok ktrace -q trace ktruth_hit PID

# ---- under load: one reader saves, one prints
planted() {
	awk '$1 == "cpu" { print $2, $4 }' /proc/ktruth
}

planted >/tmp/planted-before
ktrace follow -o /tmp/f 2>/tmp/followed &
reader=$!
wait_until 20 test -d /tmp/f.part
(while [ ! -e /tmp/stop ]; do ktrace print >/dev/null || touch /tmp/print-failed; done) &
looker=$!
for cpu in 0 1 2 3; do
	(while [ ! -e /tmp/stop ]; do taskset $((1 << cpu)) sh -c 'echo hit 5000 >/proc/ktruth'; done) 2>/dev/null &
	hitters="$hitters $!"
done
n=0
while [ $n -lt "$CHANGES" ]; do
	for change in 8K 1M '64K discard' 4M 256K '16K overwrite' '128K discard' 2M overwrite; do
		ok ktrace buffer $change
		n=$((n + 1))
	done
	# A CPU with a ring goes offline and online in between.
	cpu_down 3
	ok ktrace buffer 32K
	cpu_up 3
done
touch /tmp/stop
wait $hitters $looker
[ ! -e /tmp/print-failed ] || fail "print"
planted >/tmp/planted-after
kill -INT $reader
wait $reader || fail "follow: $(cat /tmp/followed)"
ok ctfcount /tmp/f 1
echo "$n changes; $(cat /tmp/followed)"
echo "$out"
printf '%s\n' "$out" | awk '{ print $2, $4 + $6 }' >/tmp/counted
awk 'NR == FNR { before[$1] = $2; next } { print $1, $2 - before[$1] }' \
	/tmp/planted-before /tmp/planted-after >/tmp/planted
cmp /tmp/planted /tmp/counted || fail "planted $(cat /tmp/planted), counted $out"
expect_eq "recursed" "$(counted recursed)" 0
expect_eq "pending" "$(counted pending)" 0
well
