#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a million hits on four CPUs, counted by ten thousand keys: exact; and a table that is full: counted + lost = hits
# long: 60 s
# vm: --smp 4
. /lab/lib.sh

hits=1000000 keys=10000 each=100

# Each size is written as often: the rows must be alike, and no row may be missing.
ok ktrace -q trace vfs_write COUNT BY '$@arg3@' ONLYCOMM counts KEYS $keys
ok counts $hits $keys
ok ktrace --csv print
expect_eq "rows" "$(grep -c '^aggregate,.*=' /tmp/out)" $keys
expect_eq "rows with another count" "$(grep '^aggregate,.*=' /tmp/out | cut -d, -f5 | grep -vcx $each)" 0
expect_eq "lost, unreadable, braked" "$(tail -1 /tmp/out | cut -d, -f9-)" 0,0,0
ok ktrace printclear
ok ktrace print
expect_match "nothing after clear" "$out" 'nothing was counted'

# The sum of all sizes, on four CPUs, exactly; and at another place, how many sizes have 1 bit, 2 bits, and so on.
ok ktrace -q trace vfs_write SUM '$@arg3@' BY CPU ONLYCOMM counts
ok ktrace -q trace ksys_write HIST '$@arg3@' ONLYCOMM counts
ok counts $hits $keys
ok ktrace --csv print
expect_eq "CPUs" "$(grep -c 'cpu=' /tmp/out)" 4
expect_eq "count and sum of each" "$(grep 'cpu=' /tmp/out | cut -d, -f5,6 | sort -u)" \
	"$((hits / 4)),$((hits / 4 / keys * (keys * (keys + 1) / 2)))"
low=1 buckets=
while [ $low -le $keys ]; do
	high=$((low * 2))
	buckets="$buckets $(((keys < high ? keys + 1 - low : low) * each)),,$low,$high"
	low=$high
done
expect_eq "buckets" "$(grep '^aggregate,"ksys_write".*,[0-9]*,[0-9]*,,,$' /tmp/out | cut -d, -f5-8 | tr '\n' ' ')" "${buckets# } "
ok ktrace -q delete ksys_write

# Too little room: what is counted and what is lost are all hits, and the rows that exist are complete.
ok ktrace -q trace vfs_write COUNT BY '$@arg3@' ONLYCOMM counts KEYS 1000
ok counts $hits $keys
ok ktrace --csv print
counted=$(awk -F, '/^aggregate,.*=/ { n += $5 } END { print n }' /tmp/out)
rows=$(grep -c '^aggregate,.*=' /tmp/out)
lost=$(tail -1 /tmp/out | cut -d, -f9)
[ "$rows" -ge 1000 ] && [ "$rows" -le 2048 ] || fail "$rows rows"
[ "$lost" -gt 0 ] || fail "nothing was lost"
expect_eq "counted + lost" "$((counted + lost))" $hits
expect_eq "counted" "$counted" "$((rows * each))"
ok ktrace print
expect_match "the loss is said" "$out" 'warning: [0-9,]+ hits lost, because their keys found no room: .* KEYS, now 1000'

# Print and clear while the hits come: nothing is counted twice or lost.
ok ktrace -q trace vfs_write COUNT BY '$@arg3@' ONLYCOMM counts KEYS $keys
counts $hits $keys &
sum=0
for _ in 1 2 3 4 5 6; do
	ok ktrace --csv printclear
	sum=$((sum + $(awk -F, '/^aggregate,.*=/ { n += $5 } END { print n + 0 }' /tmp/out)))
done
wait
ok ktrace --csv printclear
sum=$((sum + $(awk -F, '/^aggregate,.*=/ { n += $5 } END { print n + 0 }' /tmp/out)))
expect_eq "hits over all" "$sum" $hits
well
