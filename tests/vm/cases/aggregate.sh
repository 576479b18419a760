#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: COUNT, SUM, HIST ...: what commands do with their tables; values; every command of docs/count.md
# vm: --smp 2 --put docs/count.md:/tmp/count.md
. /lab/lib.sh

# rows: the keys and counts of the last run(), sorted
rows() {
	sed -nE 's/^aggregate,"[^"]*","[^"]*",(".*=.*"),([0-9]+),.*/\1,\2/p' /tmp/out | sort
}

# The values of planted calls: ktruth_square(n) for n = 0, 1, 2 ... is not enough to distinguish them, so write sizes.
ok ktrace -q trace vfs_write COUNT BY COMM, '$@arg3@' ONLYCOMM counts
ok counts 200 10
ok ktrace --csv print
expect_eq "rows" "$(rows | wc -l)" 10
expect_eq "a row" "$(rows | head -1)" '"comm=""counts"";$@arg3@=1",20'
ok ktrace list
expect_eq "list" "$out" 'vfs_write  COUNT BY COMM, $@arg3@ ONLYCOMM counts'
ok ktrace list -v
expect_match "list -v counts the hits" "$out" '^vfs_write +[a-z]+ '
# It writes no records; another tracepoint at the address does.
ok ktrace -e 'run "trace vfs_write COMM" -- counts 2 1'
expect_match "records beside it" "$out" '^vfs_write .*"counts"'
ok ktrace --csv print
expect_eq "records, only of the other one" "$(grep -c '^record' /tmp/out)" 2

# freeze stops it, unfreeze continues; clear empties it; the same options again begin anew.
ok ktrace -q -e 'clear; freeze'
ok counts 200 10
ok ktrace --csv print
expect_eq "frozen" "$(rows)" ""
ok ktrace -q unfreeze
ok counts 20 1
ok ktrace --csv print
expect_eq "unfrozen" "$(rows)" '"comm=""counts"";$@arg3@=1",20'
ok ktrace -q trace vfs_write COUNT BY COMM, '$@arg3@' ONLYCOMM counts
ok ktrace --csv print
expect_eq "set again" "$(rows)" ""
ok ktrace -q trace vfs_write COUNT ONLYCOMM counts LIMIT 7
ok counts 20 1
ok ktrace print
expect_match "LIMIT" "$out" '^ *7$'
ok ktrace -q trace vfs_write COUNT ONLYCOMM counts FREEZE
ok counts 20 1
ok ktrace print
expect_match "FREEZE" "$out" '^ *[12]$'
ok ktrace -q unfreeze
ok ktrace -q delete vfs_write
ok ktrace print
expect_eq "deleted" "$out" ""

# Values: extreme ones, ranges, a key and a value that cannot be read.
ok ktrace -q trace vfs_write MIN '$@arg3@' ONLYCOMM counts
ok counts 40 10
ok ktrace --json print
expect_match "MIN" "$out" '"rows":\[{"key":\[\],"count":40,"min":1}\]'
ok ktrace -q trace vfs_write AVG '$@arg3@' ONLYCOMM counts
ok counts 40 10
ok ktrace --json print
expect_match "AVG" "$out" '"count":40,"sum":220,"avg":5.5}'
ok ktrace -q trace vfs_write LHIST '$@arg3@' 2 8 3 ONLYCOMM counts
ok counts 40 10
ok ktrace --json print
expect_match "LHIST" "$out" \
	'"buckets":\[{"low":null,"high":2,"count":4},{"low":2,"high":5,"count":12},{"low":5,"high":8,"count":12},{"low":8,"high":null,"count":12}\]'
ok ktrace -q -e 'trace vfs_write HIST *(u32*)8 ONLYCOMM counts'
ok counts 40 10
ok ktrace --json print
expect_match "unreadable values" "$out" '"rows":\[\],"keys":512,"lost":0,"unreadable":40'
ok ktrace -q -e 'trace vfs_write COUNT BY *(u32*)8, PID ONLYCOMM counts'
ok counts 40 10
ok ktrace --json print
expect_match "unreadable keys" "$out" '"value":null'
expect_match "unreadable keys" "$out" '"count":20'

# Longest keys; a breakpoint, an event, all ends of a function; ELAPSED.
ok ktrace -q -e 'trace vfs_write COUNT BY BACKTRACE 64, COMM, STR $@arg2@:200 ONLYCOMM counts METHOD breakpoint'
ok counts 40 1
ok ktrace print
expect_match "one stack" "$out" '^comm +str'
expect_match "one stack" "$out" '^ +from ksys_write'
ok ktrace -q -e 'trace vfs_write%return MAX ELAPSED BY COMM ONLYCOMM counts'
ok counts 40 1
ok ktrace print
expect_match "ELAPSED" "$out" '^counts +[0-9.]+ [mun]?s +40$'
ok ktrace -q -e 'delete *'

# Bad input sets nothing.
for bad in 'COUNT PID' 'BY COMM' 'LHIST 1 0 10 3' 'COUNT BY COMM, ' 'HIST COMM' 'COUNT KEYS 1048576 BY BACKTRACE 64'; do
	run ktrace -q -e "trace vfs_write $bad"
	[ "$status" != 0 ] || fail "accepted: $bad"
	expect_eq "lines about '$bad'" "$(wc -l </tmp/err)" 1
done
ok ktrace list
expect_eq "nothing set" "$out" ""

# follow: a table each second and one at the end; what comes meanwhile has a rate.
ok ktrace -q trace vfs_write COUNT BY COMM ONLYCOMM counts
ok counts 40 1
# On a busy machine the second may end too late for its table: then once more.
for _ in 1 2 3 4 5; do
	ok ktrace follow 1.5
	tables=$(count_matches "$out" '^vfs_write COUNT BY COMM')
	[ "$tables" != 2 ] || break
done
expect_eq "tables" "$tables" 2
expect_match "rate" "$out" '^comm +count +per s$'
ok ktrace -q -e 'delete *'

# The examples of the page.
awk '/^```sh$/ { inside = 1; n++; next } /^```$/ { inside = 0 } inside { print >"/tmp/example-" n }' /tmp/count.md
n=1
while [ -e /tmp/example-$n ]; do
	run sh -e /tmp/example-$n
	[ "$status" = 0 ] || {
		last_run
		fail "example $n of docs/count.md"
	}
	expect_match "example $n" "$out" 'count'
	expect_eq "example $n: tracepoints left" "$(ktrace list)" ""
	n=$((n + 1))
done
[ $n -gt 6 ] || fail "only $n examples"
ok ktrace run 'trace vfs_write SUM $@arg3@ BY COMM' --html /tmp/page.html -- counts 40 10
expect_match "page" "$(cat /tmp/page.html)" '<h2>vfs_write SUM .@arg3@ BY COMM</h2>'
expect_match "page" "$(cat /tmp/page.html)" '<td class="l">counts</td><td>220</td><td>40</td>'
well
