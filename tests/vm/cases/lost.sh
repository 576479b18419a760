#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: tracepoints lose their place: a module is unloaded, a program is replaced; said once, in `list`, and at the end
. /lab/lib.sh

went="^ktrace: warning: module ktruth was unloaded, and the tracepoints in it went with it: ktruth:ktruth_run, ktruth:ktruth_[a-z_]*$"
replaced="^ktrace: warning: /tmp/program was replaced or removed: /tmp/program:user_square see only processes that run the old file; "

# lines TEXT PATTERN: how many lines match
lines() {
	printf '%s\n' "$1" | grep -cE "$2" || true
}

# A module: in each list, and not again at the end.
ok modprobe ktruth
ok ktrace -e 'trace ktruth_run PID ktruth_square PID' -e '!rmmod ktruth' -e 'list' -e 'list'
expect_eq "in both lists" "$(lines "$err" "$went")" 2
expect_eq "nothing is set" "$(ktrace list)" ""
# Without a list, at the end.
ok modprobe ktruth
ok ktrace -e 'trace ktruth_run PID ktruth_square PID' -e '!rmmod ktruth'
expect_eq "at the end" "$(lines "$err" "$went")" 1
# At the prompt: before the next one, and again at the end, which Ctrl-D makes.
ok modprobe ktruth
mkdir -p /tmp/config/ktrace
printf 'trace ktruth_run PID ktruth_square PID\n!rmmod ktruth\n!true\n' >/tmp/config/ktrace/rc
ok env XDG_CONFIG_HOME=/tmp/config TERM=xterm ptyrun -c 4 '(ktrace) ' -- ktrace
expect_eq "at the prompt" "$(lines "$out" 'module ktruth was unloaded')" 2
# One that was deleted before is not lost; neither is one of a module that stays.
ok modprobe ktruth
ok ktrace -e 'trace ktruth_run PID vfs_rmdir PID' -e 'delete ktruth_run' -e '!rmmod ktruth' -e 'list' -e 'delete *'
expect_eq "nothing is lost" "$(lines "$err" warning)" 0

# A program: an upgrade renames the new file over the old one, which a process still runs.
cp /usr/local/bin/usertruth /tmp/program
cp /usr/local/bin/usertruth /tmp/new
ok ktrace -e 'trace /tmp/program:user_square PID' -e '!mv -f /tmp/new /tmp/program' -e '!/tmp/program 4' -e 'list' -e 'print' -e 'delete /tmp/program:user_square' -e 'list'
expect_eq "in the list where it is set" "$(lines "$err" "$replaced")" 1
expect_match "it is still set" "$out" '^/tmp/program:user_square'
expect_eq "the new file has no hits" "$(printf '%s\n' "$out" | grep -c '^/tmp/program:user_square .*[0-9]:[0-9]' || true)" 0
ok ktrace -q -e 'trace /tmp/program:user_square PID' -e '!/tmp/program 4' -e 'print' -e 'delete *'
expect_match "set again" "$out" '^/tmp/program:user_square .*[0-9]:[0-9]'
expect_eq "no warning" "$err" ""

# What measures says the same at its end, once, and nothing of it in the next command.
upgrade='/tmp/program 4; cp /tmp/program /tmp/new; mv -f /tmp/new /tmp/program; /tmp/program 4'
old="^ktrace: warning: /tmp/program was replaced or removed after [0-9.]+ [mu]?s: /tmp/program:user_square.* saw only processes that ran the old file$"
ok ktrace -e "latency /tmp/program:user_square -- sh -c '$upgrade'" -e 'list'
expect_eq "latency" "$(lines "$err" "$old")" 1
ok ktrace -e "run 'trace /tmp/program:user_square COUNT' -- sh -c '$upgrade'" -e 'list'
expect_eq "run" "$(lines "$err" "$old")" 1
ok ktrace record -o /tmp/rec --events sched --trace '/tmp/program:user_square PID' -- sh -c "$upgrade"
expect_eq "record" "$(lines "$err" "$old")" 1
ok ktrace -e "latency /tmp/program:user_square -- /tmp/program 4" -e "!cp /tmp/program /tmp/new" -e "!mv -f /tmp/new /tmp/program" -e 'list'
expect_eq "after it" "$(lines "$err" warning)" 0
well
