#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: run: input, output and exit status of the command are unchanged, only it is traced, nothing stays set
# long: 31 s
# vm: --smp 2
. /lab/lib.sh

# Another process writes all the time.
family writes 100000000 2000 >/dev/null &
load=$!

# Exactly the writes of the command, not a record more.
ok ktrace run 'trace vfs_write PID COMM' -- family writes 1000
expect_eq "records" "$(count_matches "$out" '^vfs_write .* pid +[0-9]+ +comm="family"$')" 1000
expect_no_match "records" "$out" 'comm="[^f]'
expect_match "what is said" "$err" '^ktrace: 1,00[0-9] records in '
expect_no_match "losses" "$err" 'lost'

# Status, streams.
for status_wanted in 0 1 7 126 127 255; do
	run ktrace -q run 'trace vfs_write PID' -- sh -c "exit $status_wanted"
	expect_status $status_wanted
done
printf 'one\ntwo\n' >/tmp/in
ktrace -q --json run 'trace vfs_write PID' -- sh -c 'cat; echo to-err >&2' </tmp/in >/tmp/out 2>/tmp/err || fail "status $?"
expect_eq "its output" "$(head -2 /tmp/out)" "one
two"
expect_match "its standard error" "$(cat /tmp/err)" '^to-err$'
expect_match "records behind it" "$(sed -n '3,$p' /tmp/out)" '^\{"type":"record",.*"name":"vfs_write"'
expect_eq "the summary" "$(tail -1 /tmp/out | grep -c '^{"type":"run",')" 1

# A program that checks its arguments, with options of its own.
ok ktrace -q run 'trace vfs_write PID' -- sh -c 'echo "$#:$1:$2"' x --json '--for=1 "s"'
expect_eq "its arguments" "$(head -1 /tmp/out)" '2:--json:--for=1 "s"'

# Several tracepoints, in one word and in several; options of tracepoints.
ok ktrace -q run 'trace vfs_write CONST 5 vfs_read CONST 6' 'trace vfs_open COMM; trace vfs_statx PID' -- sh -c 'read a </etc/passwd; echo x >/dev/null'
expect_match "all of them" "$out" '^vfs_write .*const 5'
expect_match "all of them" "$out" '^vfs_read .*const 6'
expect_match "all of them" "$out" '^vfs_open .*comm="sh"'

# --count and --for; the command continues to its end.
ok ktrace -q run 'trace vfs_write PID' --count 10 -- sh -c 'family writes 1000; echo whole'
expect_eq "--count" "$(count_matches "$out" '^vfs_write ')" 10
expect_match "the command's end" "$out" '^whole$'
ok ktrace -q run 'trace vfs_write PID' --for 200ms -- sh -c 'family writes 5; sleep 1; family writes 7; echo whole'
expect_match "the command's end" "$out" '^whole$'
[ "$(count_matches "$out" '^vfs_write ')" -le 12 ] || fail "--for: it went on"

# All processes; one process.
ok ktrace -q run 'trace vfs_write PID' --count 20
expect_eq "everywhere" "$(count_matches "$out" "pid +$load\$")" 20
ok ktrace -q run 'trace vfs_write PID' --pid $load --for 0.3
expect_match "one process" "$out" "pid +$load\$"

# One process, and a command that is only the load.
busy='family writes 5; usleep 300000; exit 5'
run ktrace -q run 'trace vfs_write PID' --pid $load -- sh -c "$busy"
expect_status 5
expect_match "the process" "$out" "^vfs_write .*pid +$load\$"
expect_no_match "others" "$(printf '%s\n' "$out" | grep -v -E "pid +$load\$")" '^vfs_write'
run ktrace -q latency vfs_write --pid $load --json -- sh -c "$busy"
expect_status 5
[ "$(field count)" -ge 10 ] || fail "latency of one process: $(field count) calls"
run ktrace -q latency ksys_write vfs_write --key 1 --pid $load --json -- sh -c "$busy"
expect_status 5
[ "$(field count)" -ge 10 ] || fail "latency --key of one process: $(field count) calls"
run ktrace -q record -o /tmp/load --trace 'vfs_write PID' --pid $load -- sh -c "$busy"
expect_status 5
ok ktrace -i /tmp/load print
expect_match "recorded" "$out" "pid +$load\$"
expect_no_match "recorded of others" "$(printf '%s\n' "$out" | grep -v -E "pid +$load\$")" '^vfs_write'

# Pending records of other tracepoints stay; an existing tracepoint is not replaced.
ok ktrace -q trace vfs_read PID
ok syscalls read 50
before=$(counted pending)
ok ktrace -q run 'trace vfs_write PID' -- family writes 100
expect_eq "records" "$(count_matches "$out" '^vfs_write ')" 100
[ "$(counted pending)" -ge "$before" ] || fail "records that others wait for are gone"
ok ktrace -q printclear
[ "$(count_matches "$out" '^vfs_read ')" -ge 50 ] || fail "records that others wait for cannot be printed"
ok ktrace -q run 'trace vfs_read PID' -- dd if=/dev/zero of=/dev/null bs=1 count=20
[ "$(count_matches "$out" '^vfs_read ')" -ge 20 ] || fail "a tracepoint that is set keeps another from being"
ok ktrace list
expect_match "a tracepoint that is set" "$out" '^vfs_read +PID$'
ok ktrace -q delete vfs_read

# From ktrace's own commands, and a dry run.
ok ktrace -q -e "run 'trace vfs_write PID' -- sh -c 'exit 0'; status"
ok ktrace -n run 'trace vfs_write PID' -- sh -c 'echo executed'
expect_no_match "a dry run" "$out" executed
expect_eq "tracepoints left" "$(ktrace list)" ""
kill $load
ok rmmod ktrace
well
