#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: hostile names of tasks, files, functions' arguments, markers, events and the host: no output has a byte that a terminal obeys
# long: 80 s
# vm: --smp 2 --timeout 1800
. /lab/lib.sh
modprobe ktruth
ok strange host
ok strange copy /tmp/odd
hostile=$(printf '/tmp/\033\302\233\377prog')
ok strange copy "$hostile"

# clean COMMAND...: whatever it does, what it prints is harmless
clean() {
	run "$@"
	[ "$status" -lt 126 ] || fail "$*: status $status"
	strange check + /tmp/out /tmp/err || fail "$*: harmful bytes"
	# What shows nothing tests nothing.
	cat /tmp/out /tmp/err >>/tmp/all
	tests=$((tests + 1))
}

# formats COMMAND...: in all formats
formats() {
	for format in --color=always --json --csv; do
		clean ktrace $format "$@"
	done
}

# page COMMAND: what the last run() has written as a page is harmless, too
page() {
	[ -s /tmp/page.html ] || {
		last_run
		fail "$1: no page"
	}
	strange check /tmp/page.html || fail "the page of $1"
	! grep '<b>' /tmp/page.html || fail "markup in the page of $1"
	rm /tmp/page.html
}

tests=0
: >/tmp/all

strange hold >/tmp/held &
held=$!
wait_until 20 grep -q ready /tmp/held
clean ktrace where $held
clean ktrace --json where $held
expect_match "where shows it" "$out" '"comm":"=\\u001b\[7m\\u009bK'
kill $held

# Programs: their debug information, markers and events.
for program in /tmp/odd "$hostile"; do
	formats explain "$program:strange_call"
	formats events -v "$program:sdt:*"
	clean ktrace run "trace $program:strange_call ARGS COMM BACKTRACE" -- "$program" run 5
	clean ktrace -q trace "$program:strange_call" ARGS COMM BACKTRACE
	clean ktrace -q trace "$program:sdt:*" ARGS
done
# Calls of one of them, in all forms.
formats show /tmp/odd:strange_call
clean ktrace latency /tmp/odd:strange_call --by comm --top 3 ARGS BACKTRACE --html /tmp/page.html -- /tmp/odd run 30
page latency
for format in --json --csv; do
	clean ktrace latency /tmp/odd:strange_call $format --by 'VAR zBIDz_name' -- /tmp/odd run 30
	clean ktrace lines /tmp/odd:strange_call $format -- /tmp/odd run 30
done
clean ktrace lines /tmp/odd:strange_call -- /tmp/odd run 30
clean ktrace -q trace vfs_write COMM STR '$@arg2@:16' ONLYCOMM odd
clean ktrace -q trace do_filp_open VAR 'pathname->name' COMM
clean ktrace -q trace vfs_read COUNT BY comm
clean /tmp/odd run 20
formats list -v
formats print
formats status
expect_match "records of it" "$(ktrace print)" 'strange_call|do_filp_open'
clean ktrace -q save /tmp/saved
formats -i /tmp/saved print
formats -i /tmp/saved status
clean ktrace -e 'delete *; clear'

# What waits and wakes.
clean ktrace latency pipe_read --off-cpu -- /tmp/odd run 30
expect_match "who woke it" "$out" 'x1b\[7mchild|u009b'
clean ktrace latency pipe_read --off-cpu --json -- /tmp/odd run 30
clean ktrace latency pipe_read --off-cpu --csv -- /tmp/odd run 30

# A recording, and all reports of it.
ok ktrace -q record -o /tmp/rec --events all -- /tmp/odd run 20
thread=$(ktrace --csv report /tmp/rec --by thread | grep 'x1b' | head -1 | cut -d, -f1)
[ "$thread" ] || fail "no hostile thread in the report: $(ktrace --csv report /tmp/rec --by thread | head)"
formats report /tmp/rec
for by in thread command process-syscall file disk network; do
	clean ktrace report /tmp/rec --by $by
	clean ktrace --csv report /tmp/rec --by $by
done
clean ktrace report /tmp/rec --tree
formats report /tmp/rec --flow $thread
clean ktrace report /tmp/rec --critical $thread
formats -i /tmp/rec status
formats -i /tmp/rec print 300
clean ktrace report /tmp/rec --html /tmp/page.html
page report
clean ktrace export /tmp/rec --perfetto -o /tmp/rec.pftrace
clean ktrace export /tmp/rec --ctf 2 -o /tmp/rec.ctf

# Events of libktrace, recorded and listed while the program runs.
for program in "$(which strange)" /tmp/odd; do
	clean ktrace record -o /tmp/user --events 'user:*' -- $program run 200
	[ $program = /tmp/odd ] || expect_eq "events of libktrace" "$status" 0
	formats -i /tmp/user print
	clean ktrace export /tmp/user --perfetto -o /tmp/user.pftrace
	rm -rf /tmp/user /tmp/user.pftrace
done

# The live view, and a terminal.
/tmp/odd run 500 &
clean ktrace top --count 2 --delay 0.3
clean ktrace top --count 1 --delay 0.3 --json
ok ptyrun -c 113 CPU -- ktrace --no-pager report /tmp/rec --by thread
tr -d '\r' </tmp/out >/tmp/terminal
strange check + /tmp/terminal || fail "on a terminal"
wait

grep -q 'x1b\[7m' /tmp/all && grep -q 'u001b' /tmp/all && grep -q '\\xff' /tmp/all && grep -q 'u202e' /tmp/all ||
	fail "no output had hostile names"
echo "$tests outputs"
