#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: status shows the cost of tracepoints that latency subtracts; it adds no counts and disturbs no measurement
# long: 25 s
# vm: --icount --append tsc=reliable
. /lab/lib.sh
modprobe ktruth

# cost METHOD: print it from the last run() of status, in whole nanoseconds; empty if there is none
cost() {
	printf '%s\n' "$out" | sed -n "s/.*\"$1\":{\"cost_ns\":\([0-9]*\)[.0-9]*,.*/\1/p"
}

# Tracepoints of others stay unchanged.
ok ktrace -q trace ktruth_square PID
wait_until 60 sh -c '! ktrace --json list | grep "\"method\":\"breakpoint\",\"planned\":\"jump\""'
ok ktrace --json list
listed=$out
ok ktrace status
expect_match "calibration" "$out" '^calibration  jump [0-9.]+ [nu]s \([0-9.]+ [nu]s to [0-9.]+ [nu]s\), breakpoint [0-9.]+ [nu]s \('
expect_eq "idle" "$(count_matches "$out" '^[0-9]+ CPUs? met no tracepoint')" 1
ok ktrace --json status
jump=$(cost jump) breakpoint=$(cost breakpoint)
[ "$jump" -gt 0 ] && [ "$breakpoint" -gt "$jump" ] || fail "costs: $jump, $breakpoint"
expect_match "its own hits" "$out" '"all":{[^}]*"measured":0}'
ok ktrace --json list
expect_eq "others" "$out" "$listed"
ok ktrace delete ktruth_square

# A measurement is corrected by this cost, within a tenth, and counts only its own hits.
for method in jump breakpoint; do
	ok ktrace latency ktruth_run METHOD $method --json -- sh -c 'echo time run 10 50 >/proc/ktruth'
	told=$(printf '%s\n' "$out" | sed -n 's/.*"correction":{[^}]*"cost_ns":\([0-9]*\).*/\1/p')
	[ $method = jump ] && shown=$jump || shown=$breakpoint
	echo "$method: status $shown ns, latency $told ns"
	[ $((10 * (told - shown))) -le $shown ] && [ $((10 * (shown - told))) -le $shown ] ||
		fail "$method: $shown is shown, $told taken off"
done
ok ktrace --json status
expect_match "hits of measurements" "$out" '"all":{[^}]*"measured":200}'

# While a measurement runs there is no calibration, and the measurement counts correctly.
ok ktrace latency ktruth_run --json -- sh -c 'echo time run 10 50 >/proc/ktruth; ktrace status >/tmp/beside; ktrace --json status >/tmp/beside.json'
expect_eq "count" "$(field count)" 50
expect_match "beside" "$(cat /tmp/beside)" '^calibration  none: it would disturb a running measurement$'
expect_match "beside" "$(cat /tmp/beside.json)" '"calibration":{"why_not":"[^"]+","calls":0,"jump":null,"breakpoint":null}'

# Measurements that begin meanwhile wait.
(while [ ! -e /tmp/enough ]; do ktrace -e 'status; status' >/tmp/always || exit 1; done) &
for i in 1 2; do
	ok ktrace latency ktruth_run --json -- sh -c 'echo time run 10 20 >/proc/ktruth'
	expect_eq "count" "$(field count)" 20
done
touch /tmp/enough
wait $! || fail "status beside latency"
expect_match "nothing is left" "$(ktrace --json status)" '"tracepoints":0,'
