#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: instructions of programs in processes that come and go, misbehave, and outlive the module
# long: 40 s
. /lab/lib.sh

# hits: print the hits of the only tracepoint
hits() {
	ktrace --json list | sed 's/.*"hits":\([0-9]*\).*/\1/'
}

# A file has one number, whatever it is called.
cp "$(which usertruth)" /tmp/one
ln /tmp/one /tmp/two
ok ktrace -q trace /tmp/one:user_square VAR n
ok ktrace trace /tmp/two:user_square VAR n PID
expect_match "the same file" "$err" 'already exists, updating'
ok /tmp/two 2
ok ktrace printclear
expect_eq "by either name" "$(count_matches "$out" '^/tmp/two:user_square .* pid ')" 2
ok ktrace delete '*'

# Two processes of one file.
mkfifo /tmp/a /tmp/b
usertruth hold 3 </tmp/a >/tmp/a.out &
a=$!
usertruth hold 5 </tmp/b >/tmp/b.out &
b=$!
exec 7>/tmp/a 8>/tmp/b
ok ktrace -q trace usertruth:user_square PID VAR n ONLYTGID $a
wait_until 20 grep -q . /tmp/a.out
wait_until 20 grep -q . /tmp/b.out
echo go >&8
wait $b || fail "the other process failed"
expect_eq "the other process has no breakpoint" "$(hits)" 0
# A second process needs one: the site is extended.
usertruth hold 4 </tmp/b >/tmp/c.out &
c=$!
exec 8>/tmp/b
ok ktrace -q trace usertruth:user_square PID VAR n ONLYTGID $a ONLYTGID $c
echo go >&8
echo go >&7
wait $a || fail "the first process failed"
wait $c || fail "the third process failed"
expect_eq "both" "$(hits)" 7
ok ktrace printclear
expect_eq "records of the first" "$(count_matches "$out" "pid $a ")" 3
expect_eq "records of the third" "$(count_matches "$out" "pid $c ")" 4
exec 7>&- 8>&-
ok ktrace delete '*'
run ktrace trace usertruth:user_square ONLYTGID 99999
expect_status 0
ok ktrace delete '*'

# fork, exec, and a command with its children.
ok ktrace -q trace usertruth:user_square VAR n PID
ok usertruth fork 3
expect_eq "fork" "$(hits)" 6
ok usertruth exec 3
expect_eq "exec" "$(hits)" 12
ok ktrace -e 'delete *; clear'
ok ktrace run 'trace usertruth:user_square VAR n' -- usertruth fork 2
expect_eq "run" "$(count_matches "$out" '^usertruth:user_square .* n=[12]$')" 4
ok ktrace list
expect_eq "run leaves nothing" "$out" ""

# A process that does what it likes with its text: the records are those of its calls, and nobody else suffers.
ok ktrace clear
ok ktrace -q trace userhostile:hostile_call STR '$@arg1@' VAR '*(u64*)$@arg1@' usertruth:user_square VAR n
ok userhostile 30
calls=$out
ok usertruth 3
expect_eq "the sum" "$out" 27
ok ktrace print
[ "$(count_matches "$out" '^userhostile:hostile_call ')" -ge "$calls" ] || fail "less than $calls calls"
expect_eq "memory that is not the program's" "$(printf '%s\n' "$out" | grep hostile | grep -Evc '\(unreadable\)  \*\(u64\*\)\$@arg1@=\?$')" 0
expect_eq "the other program" "$(count_matches "$out" '^usertruth:user_square .* n=[123]$')" 3
ok ktrace -e 'delete *; clear'

# The module is unloaded while processes run.
mkfifo /tmp/d
ok ktrace -q trace usertruth:user_square VAR n usertruth-pie:user_square VAR n ONLYPID $$
usertruth hold 6 </tmp/d >/tmp/d.out &
d=$!
exec 7>/tmp/d
ok ktrace -q trace usertruth:user_text STR '$@arg1@' EVERY 2
wait_until 20 grep -q . /tmp/d.out
ok rmmod ktrace
echo go >&7
wait $d || fail "the process failed"
expect_match "the process goes on" "$(cat /tmp/d.out)" '^104$'
ok modprobe ktrace
