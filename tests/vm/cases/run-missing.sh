#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: run: missing commands, hits that never come, wrong requests: one clear line and the right exit status
# long: 45 s
# vm: --smp 1
. /lab/lib.sh

# wrong STATUS PATTERN ARGUMENT...: no command is executed
wrong() {
	status_wanted=$1 pattern=$2
	shift 2
	rm -f /tmp/executed
	run ktrace run "$@"
	expect_status "$status_wanted"
	expect_match "$*" "$err" "$pattern"
	expect_eq "$*: lines said" "$(printf '%s\n' "$err" | wc -l)" 1
	[ ! -e /tmp/executed ] || fail "$*: the command was executed"
	expect_eq "$*: tracepoints left" "$(ktrace list)" ""
}

wrong 1 "unknown symbol 'vfs_nonsense'" 'trace vfs_nonsense PID' -- touch /tmp/executed
wrong 1 'not kernel code|data' 'trace jiffies PID' -- touch /tmp/executed
wrong 1 'middle of an instruction' 'trace vfs_write+1' -- touch /tmp/executed
wrong 2 'it takes trace commands' 'print' -- touch /tmp/executed
wrong 2 'it takes trace commands' 'trace vfs_write; delete *' -- touch /tmp/executed
wrong 2 'tracepoints are missing' --for 1 -- touch /tmp/executed
wrong 2 'too few arguments'
wrong 2 'give a command after --' 'trace vfs_write' --
wrong 2 'unknown option --cuont: did you mean --count' 'trace vfs_write' --cuont 3 -- touch /tmp/executed
wrong 2 'unknown option --across' 'trace vfs_write' --across -- touch /tmp/executed
wrong 2 '--count needs its N' 'trace vfs_write' --count -- touch /tmp/executed
wrong 2 'not a number' 'trace vfs_write' --count x -- touch /tmp/executed
wrong 2 'not a time' 'trace vfs_write' --for 5x -- touch /tmp/executed
wrong 2 'a time needs its unit' 'trace vfs_write' --fail-if 'p99>5' -- touch /tmp/executed
wrong 2 "there is no figure 'p98'" 'trace vfs_write' --fail-if 'p98>5us' -- touch /tmp/executed
wrong 127 'there is no such command' 'trace vfs_write' -- /nonexistent
wrong 127 'there is no such command' 'trace vfs_write' -- nonexistent-command
wrong 126 'cannot be executed: check its mode' 'trace vfs_write' -- /etc/passwd

# No hit: a message, and the command's status; 5 without a command.
run ktrace -q run 'trace vfs_rmdir PID' -- true
expect_status 0
expect_match "never" "$err" '^ktrace: vfs_rmdir was never reached by true'
run ktrace -q run 'trace vfs_rmdir PID' -- sh -c 'exit 3'
expect_status 3
expect_match "never" "$err" '^ktrace: vfs_rmdir was never reached by sh'
run ktrace -q run 'trace vfs_rmdir PID' --for 0.2
expect_status 5

# It was reached, but nothing was recorded: by a filter, by other tasks, while recording was stopped. The function of the test
# module has no other callers.
ok modprobe ktruth
square="sh -c 'echo call square 3 >/proc/ktruth'"
run eval "ktrace -q run 'trace ktruth_square PID IF \$@arg1@ > 100000000' -- $square"
expect_eq "a filter" "$err" "ktrace: ktruth_square was reached 3 times, all left out: by IF, or in tasks other than those of sh"
run ktrace -q run 'trace ktruth_square PID' -- true
expect_match "not reached" "$err" '^ktrace: ktruth_square was never reached by true: is it the right function'
is_set() {
	ktrace -q list | grep -q ktruth_square
}
(wait_until 60 is_set; truth square 1; touch /tmp/go) &
run ktrace -q run 'trace ktruth_square PID' -- sh -c 'until [ -e /tmp/go ]; do usleep 50000; done'
wait
expect_eq "other tasks" "$err" "ktrace: ktruth_square was never reached by sh, but once by other tasks"
run eval "ktrace -q run 'trace ktruth_square PID' --pid 1 -- $square"
expect_eq "another process" "$err" "ktrace: ktruth_square was never reached by process 1, but 3 times by other tasks"
ok ktrace -q freeze
run eval "ktrace -q run 'trace ktruth_square COUNT' -- $square"
expect_match "stopped" "$err" "^ktrace: ktruth_square was reached 3 times while recording was stopped: 'unfreeze' starts it"
run eval "ktrace -q pairs ktruth_square vfs_rmdir --by 1 -- $square"
expect_match "pairs" "$err" "^ktrace: ktruth_square or vfs_rmdir was reached 3 times while recording was stopped"
stopped="^ktrace: recording is stopped since [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{9} by 'freeze': hits are only counted until 'unfreeze', or a hit with UNFREEZE$"
for command in 'trace ktruth_square PID' 'follow 0.1' print; do
	ok ktrace -q -e "$command"
	expect_match "$command" "$err" "$stopped"
done
ok ktrace -q -e 'trace ktruth_square PID UNFREEZE; delete *; unfreeze; print'
expect_eq "not stopped" "$err" ""

# A condition.
run ktrace -q run 'trace vfs_write PID' --fail-if 'count>99' -- family writes 100
expect_status 4
expect_match "the condition" "$err" "^ktrace: vfs_write: count is 100: --fail-if 'count>99' holds"
run ktrace -q run 'trace vfs_write PID' --fail-if 'count>100 || lost>0' -- family writes 100
expect_status 0
run ktrace -q run 'trace vfs_write PID' --fail-if 'max>0.001us' -- sh -c 'family writes 100; exit 7'
expect_status 7
run ktrace -q run 'trace vfs_rmdir PID' --fail-if 'count==0' -- true
expect_status 4

# A page that cannot be written.
run ktrace -q run 'trace vfs_write PID' --html /nonexistent/page.html -- family writes 1
expect_status 1
expect_match "the page" "$err" '/nonexistent/page.html: No such file'
well
