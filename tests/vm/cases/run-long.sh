#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: run: more records than fit into the ring: it is emptied meanwhile; all are printed or reported as lost
# long: 30 s
# vm: --smp 2 --timeout 900
# No brake: the records come without a pause; each must be printed or reported.
. /lab/lib.sh

# The records fill the ring several times, but slowly: the reader loses none even if it waits for a second on a busy machine.
ok ktrace buffer 1M
ok ktrace run 'trace vfs_write PID ALLREGS' -- family writes 20000 300
expect_eq "records" "$(count_matches "$out" '^vfs_write ')" 20000
expect_match "what is said" "$err" '^ktrace: 20,0[0-9]* records in '
expect_no_match "losses" "$err" 'lost'

# As fast as possible, into the smallest ring: printed + lost = all.
ok ktrace buffer 8K
ok ktrace run 'trace vfs_write PID ALLREGS' -- family writes 200000
printed=$(count_matches "$out" '^vfs_write ')
lost=$(printf '%s\n' "$err" | sed -n 's/^ktrace: warning: \([0-9,]*\) traces lost, .*/\1/p' | tr -d ,)
expect_eq "one line of it" "$(count_matches "$err" 'lost')" 1
expect_eq "printed + lost" $((printed + lost)) 200000
echo "of 200000 in rings of 8 KiB $printed were printed, $lost lost"

# The same with a ring that discards; other tracepoints' pending records are not thrown away.
ok ktrace buffer 8K discard
ok ktrace clear
ok ktrace run 'trace vfs_write PID ALLREGS' -- family writes 100000
printed=$(count_matches "$out" '^vfs_write ')
lost=$(printf '%s\n' "$err" | sed -n 's/^ktrace: warning: \([0-9,]*\) traces lost, .*/\1/p' | tr -d ,)
expect_eq "discard: printed + lost" $((printed + ${lost:-0})) 100000
ok ktrace -q trace vfs_read PID
ok syscalls read 10
ok ktrace -q delete vfs_read
run ktrace -q run 'trace vfs_write PID' -- family writes 10
expect_status 1
expect_match "unseen records" "$err" 'unseen records'
ok ktrace clear
ok ktrace buffer 1M overwrite

# The rings change meanwhile.
ktrace -q run 'trace vfs_write PID' -- family writes 10000 200 >/tmp/first 2>&1 &
first=$!
sleep 1
ok ktrace buffer 256K
sleep 1
ok ktrace buffer 2M
wait $first || fail "$(cat /tmp/first)"
expect_eq "rings that change" "$(grep -c '^vfs_write ' /tmp/first)" 10000
well
