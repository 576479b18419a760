#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: commands from -e, -f, a #! script, standard input and the shell; where a script ends
. /lab/lib.sh
ok modprobe ktruth

# One command from the shell, in full and shortened; several with -e.
ok ktrace t ktruth_args6 PID
ok ktrace -e 'trace ktruth_square; l' -e 'd *' -e 'list'
expect_match "in order" "$out" '^ktruth:ktruth_args6   PID$'
expect_eq "output" "$(printf '%s\n' "$out" | wc -l)" 3
ok ktrace list
expect_eq "deleted" "$out" ""

# A file, an executable script, standard input.
cat >/tmp/set.kt <<'END'
#!/usr/local/bin/ktrace -f
# comment
trace ktruth_args6 PID \
      REG @arg1@   # and that
trace ktruth_square; list
quit
trace ktruth_chain
END
chmod +x /tmp/set.kt
for how in "ktrace -f /tmp/set.kt" "ktrace -f - </tmp/set.kt" "ktrace </tmp/set.kt" "cat /tmp/set.kt | ktrace" /tmp/set.kt "ktrace -e 'source /tmp/set.kt'"; do
	ok sh -c "$how"
	expect_eq "$how" "$(printf '%s\n' "$out" | tail -2)" "ktruth:ktruth_args6   PID REG @arg1@
ktruth:ktruth_square"
	ok ktrace delete '*'
done

# The first command that fails ends the script, names its line, and gives its status.
printf 'list\n\ntrace nosuchthing\ntrace ktruth_chain\n' >/tmp/bad.kt
run ktrace -f /tmp/bad.kt -e 'trace ktruth_square'
expect_status 1
expect_match "where" "$err" '^ktrace: /tmp/bad.kt:3: unknown symbol'
run ktrace -e 'frobnicate; trace ktruth_square'
expect_status 2
run sh -c 'echo "print x" | ktrace'
expect_status 2
expect_match "where" "$err" '^ktrace: stdin:1: print x: not understood'
ok ktrace list
expect_eq "nothing behind it ran" "$out" ""
run ktrace -q --keep-going -f /tmp/bad.kt -e 'print x; trace ktruth_square'
expect_status 1
expect_match "the first" "$err" '^ktrace: /tmp/bad.kt:3: unknown symbol'
expect_match "the second" "$err" '^ktrace: print x: not understood'
ok ktrace list
expect_eq "what is behind them ran" "$out" "$(printf 'ktruth:ktruth_chain\nktruth:ktruth_square')"
ok ktrace delete '*'

# Quiet, dry run, colour only on demand.
ok ktrace -q trace ktruth_args6
expect_eq "quiet" "$out$err" ""
ok ktrace -q trace ktruth_args6 CPU
expect_eq "quiet" "$out$err" ""
ok ktrace -n trace ktruth_square
expect_match "dry run" "$out" '\(not set: dry run\)$'
ok ktrace list
expect_eq "dry run" "$out" "ktruth:ktruth_args6  CPU"
truth args6 1
escape=$(printf '\033')
ok ktrace -e 'list -v; print; status'
expect_no_match "colour" "$out" "$escape"
ok env NO_COLOR=1 ktrace --color=always print
expect_match "colour" "$out" "$escape\[1mktruth:ktruth_args6"
ok ktrace --color=never print
expect_no_match "colour" "$out" "$escape"

# lines: records on the standard input without the time of day. The newest anchor may come between two prints; a time after
# the anchor before it may then differ by a nanosecond.
lines() {
	sed 's/ [0-9:]*\.[0-9]*  (/ (/'
}

final_clock
# Some of the records: by number, by condition, into a file, into a shell command.
ok ktrace -e 'delete *; clear; trace ktruth_args6 CPU COMM; trace ktruth_square PID' -q
truth args6 30
truth square 5
ok ktrace print 3
expect_eq "first" "$(printf '%s\n' "$out" | grep -c '^ktruth:ktruth_args6 .* comm="sh"$')" 3
ok ktrace print
printf '%s\n' "$out" >/tmp/all
expect_eq "all" "$(grep -c '^ktruth' /tmp/all)" 35
ok ktrace print -4
expect_eq "last" "$(printf '%s\n' "$out" | lines)" "$(tail -4 /tmp/all | lines)"
ok ktrace print -2 IF comm == sh
expect_eq "two of a condition" "$(printf '%s\n' "$out" | grep -c '^ktruth:ktruth_args6 ')" 2
expect_eq "last of a condition" "$(printf '%s\n' "$out" | lines | tail -1 | tr -s ' ')" "$(lines </tmp/all | sed -n 30p | tr -s ' ')"
ok ktrace print IF pid == $pid '&&' name =~ '*square'
expect_eq "condition" "$(printf '%s\n' "$out" | grep -c "^ktruth:ktruth_square .*pid $pid$")" 5
run ktrace print IF pdi == 3
expect_status 1
expect_match "misspelt" "$err" "^ktrace: print IF: no record has 'pdi'"
ok ktrace print 1000 -o /tmp/printed
expect_eq "nothing printed" "$out" ""
expect_eq "file" "$(lines </tmp/printed)" "$(lines </tmp/all)"
run ktrace print -o /nonexistent/file
expect_status 1
ok ktrace -e 'print !| grep -c "square .*pid; *" ; true' -e 'list !| sed "s/^/piped: /"'
expect_eq "piped" "$out" "0
piped: ktruth:ktruth_args6   CPU COMM
piped: ktruth:ktruth_square  PID"
run ktrace -e 'print !| exit 7'
expect_status 1
expect_match "piped" "$err" "the shell command ended with status 7"

# The shell, its status, and output that cannot be written.
ok ktrace -e '!echo "from the shell; $HOME"'
expect_eq "shell" "$out" "from the shell; $HOME"
run ktrace -e '!exit 3'
expect_status 1
run sh -c 'ktrace status >/dev/full'
expect_status 1
expect_match "full" "$err" '^ktrace: the output cannot be written'
ok sh -c 'ktrace --help; ktrace --version'
expect_match version "$out" '^ktrace [0-9]+\.[0-9]+\.[0-9]+$'

# A reader that stops reading ends ktrace without a message.
truth args6 2000
ok sh -c 'ktrace print | head -1'
expect_eq "broken pipe" "$err" ""
