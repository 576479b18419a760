#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: examples of the manual on terminals of 80x24 and 200x50: they work, and no line is wrapped by the terminal
# long: 340 s
# vm: --smp 2 --timeout 2400 --put man/ktrace.1:/tmp/man-1 --put man/ktrace-latency.1:/tmp/man-2 --put man/ktrace-run.1:/tmp/man-3 --put man/ktrace-record.1:/tmp/man-4 --put man/ktrace-pairs.1:/tmp/man-5
. /lab/lib.sh

export TERM=xterm PAGER=""
ok ktrace status

# example COLUMNS COMMAND: run an example of the manual on_terminal; it must work
example() {
	on_terminal "$1" "$2"
	grep -qx '\[status 0\]' /tmp/out || {
		cat /tmp/seen >&2
		fail "an example of the manual: $2"
	}
}

# What the manual shows, but for builds, endless recordings, debug information and output for programs.
cat /tmp/man-* | sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' |
	sed -n '/^\.Bd -literal/,/^\.Ed/{/^\./d;p}' | grep -v -e make -e sess_get -e '--rotate' -e flight -e '--json' -e '^#' |
	sed 's/--for [0-9]*s/--for 1s/; s/follow 5/follow 1/; s/tcp_sendmsg/vfs_read/; s/-i .tmp.build/-i \/tmp\/writes/; s/-o .*--trace/-o \/tmp\/writes --trace/
		s/REG [a-z]* STACK/REG @arg1@ STACK/' >/tmp/examples
[ "$(wc -l </tmp/examples)" -ge 60 ] || fail "examples: $(cat /tmp/examples)"
# Some kernels list no variables.
data_symbols || sed -i '/per_cpu(/d; /show .*\(init_task\|modules\|--pid\)/d' /tmp/examples
# What stands in its text, for the prompt.
sed -n 's/^\.Dl //p' /tmp/man-1 >/tmp/text.kt
[ "$(wc -l </tmp/text.kt)" -ge 7 ] || fail "in the text: $(cat /tmp/text.kt)"
data_symbols || sed -i '/init_task\|modules\|--pid/d' /tmp/text.kt
cat >>/tmp/examples <<'END'
ktrace record -o /tmp/recording --for 1s
ktrace -e 'trace vfs_write COMM VAR count vfs_read%return ELAPSED' -e '!dd if=/dev/zero of=/dev/null count=3 2>/dev/null' -f /tmp/text.kt -e 'delete *; clear'
END

# Something to measure.
while :; do
	cat /proc/version >/dev/null
	dd if=/dev/zero of=/dev/null bs=1 count=20 2>/dev/null
	usleep 20000
done &
load=$!

# A program whose name, arguments and calls make long lines.
cat >/tmp/more <<'END'
ktrace latency vfs_write -- dd if=/dev/zero of=/dev/null bs=1 count=2000
ktrace latency vfs_read --by comm --top 3 -- dd if=/dev/zero of=/dev/null bs=1 count=2000
ktrace record -o /tmp/recording --for 1s
ktrace report /tmp/recording
ktrace report /tmp/recording --by thread
ktrace report /tmp/recording --by process-syscall
ktrace report /tmp/recording --by file
ktrace report /tmp/recording --by cpu
ktrace -i /tmp/recording print 20 IF name == sched_switch
ktrace -i /tmp/recording status
ktrace -e 'trace vfs_write PID COMM BACKTRACE ALLREGS VAR file->f_path STR $@arg2@:64 LIMIT 3'
ktrace -e '!echo 1 >/dev/null' -e 'list -v; print 20; status'
ktrace -e 'delete *; clear' -e 'trace vfs_write COUNT BY COMM, BACKTRACE' -e '!echo 1 >/dev/null' -e 'print; delete *'
ktrace doctor
ktrace help
ktrace --help
ktrace help expressions
ktrace events -v sched
ktrace explain vfs_write
ktrace explain vfs_write+5
ktrace show file
ktrace show init_task.comm
ktrace where 1
ktrace trace no_such_function_at_all_with_a_name_that_is_long_enough_for_a_line
ktrace -e 'trace memcpy PID' -e 'delete *; clear'
END
for command in trace delete list print follow save buffer explain events show where index run latency lines pairs record snapshot report export top status doctor bugreport; do
	echo "ktrace help $command"
done >>/tmp/more

for columns in 80 200; do
	rm -rf /tmp/recording /tmp/writes /tmp/who /tmp/trace /tmp/records
	while read -r command <&3; do
		example $columns "$command"
	done 3</tmp/examples
	expect_eq "tracepoints left by the examples" "$(ktrace list)" ""
	while read -r command <&3; do
		on_terminal $columns "$command"
	done 3</tmp/more
	expect_match "a note" "$(tr '\n' ' ' <"/tmp/seen-$columns" | tr -s ' ')" "read it by 'ktrace report /tmp/recording' or 'ktrace print /tmp/recording'"
	expect_match "a report" "$(cat "/tmp/seen-$columns")" '^ *pid  process '
	expect_match "records" "$(cat "/tmp/seen-$columns")" '^sched_switch '
done
expect_match "broken" "$(cat /tmp/seen-80)" '^    [a-z(].*; uncorrected mean [0-9.]+ .s$'
expect_match "cut" "$(cat /tmp/seen-80)" '>$'

kill $load

# A pager shows what is longer than the screen; the command's own output does not go there.
for command in "latency vfs_write" "run 'trace vfs_write COMM'" "pairs vfs_open __fput --by file"; do
	on_terminal 80 "stty rows 5; export PAGER='sed s/^/paged:/'; ktrace $command -- sh -c 'echo own >/dev/tty; dd if=/dev/zero of=/tmp/o count=9'"
	expect_match "paged: $command" "$(cat /tmp/seen)" '^paged:.*vfs_'
	expect_match "not paged: $command" "$(cat /tmp/seen)" '^own$'
	expect_match "status of $command" "$(cat /tmp/seen)" '^\[status 0\]$'
done

# Tracepoints with other values: side by side where they fit, else each has a heading of its own.
ok ktrace clear
ok ktrace -q trace vfs_write COMM VAR count vfs_write%return COMM ELAPSED RETVAL
ok dd if=/dev/zero of=/dev/null count=3
ok ktrace -q freeze
on_terminal 80 'ktrace print IF comm == dd'
expect_match "a heading" "$(cat /tmp/seen)" '^vfs_write +time +difference +comm +count$'
expect_match "a heading" "$(cat /tmp/seen)" '^vfs_write[+]0x[0-9a-f]+ +time +difference +comm +elapsed +retval$'
expect_match "values" "$(cat /tmp/seen)" '^vfs_write +[0-9:.]+ +[(].*[)] +"dd" +512$'
on_terminal 200 'ktrace print IF comm == dd'
expect_match "one heading" "$(cat /tmp/seen)" '^name +time +difference +comm +count +elapsed +retval$'
expect_match "a blank" "$(cat /tmp/seen)" '^vfs_write[+]0x[0-9a-f]+ +[0-9:.]+ +[(].*[)]  "dd" {9,}[0-9.]+ .s +512$'
ok ktrace -e 'delete *; clear; unfreeze'

# Into a pipe and with --wide a note stays one line.
ok sh -c 'ktrace latency vfs_write -- dd if=/dev/zero of=/dev/null bs=1 count=2000 | cat'
expect_match "piped" "$out" '^corrected by .*; uncorrected mean'
echo 'stty cols 80 rows 24; ktrace --wide latency vfs_write -- dd if=/dev/zero of=/dev/null bs=1 count=2000' >/tmp/wide
ok ptyrun 'never shown' -- sh /tmp/wide
expect_match "--wide" "$(tr -d '\r' </tmp/out)" '^corrected by .*; uncorrected mean'
well
