#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: each command in a kernel that is locked down later, against the table of docs/install.md; what is set stays, and can be deleted
# long: 60 s
# vm: --put docs/install.md:/lab/install.md
. /lab/lib.sh

# The hostcase secure-boot runs this, too, in guests that are locked down from the beginning: with "only", it tries no further level.
only=${1:-}
lockdown=/sys/kernel/security/lockdown
locked="the kernel is locked down (confidentiality), and then allows neither tracing nor reading its memory: boot it without lockdown=confidentiality"
level=$(sed 's/.*\[\(.*\)\].*/\1/' $lockdown)
begun=$level

# The table: a row for each command, with what it may in each level.
sed -n 's/^| `\([a-z!]*\)` | \([a-z]*\) | \([a-z]*\) | \([a-z]*\) |.*/\1 \2 \3 \4/p' /lab/install.md >/tmp/table
ktrace help | sed -n '/^ *$/q; s/^  \([a-z!][a-z]*\) .*/\1/p' | sort >/tmp/commands
cut -d ' ' -f 1 /tmp/table | sort >/tmp/rows
expect_eq "the commands of docs/install.md" "$(cat /tmp/rows)" "$(cat /tmp/commands)"

echo status >/tmp/script.kt
# call COMMAND: a use of it that succeeds in a kernel that is not locked down
call() {
	case $1 in
	trace) echo "-q trace vfs_read PID" ;;
	delete) echo "delete *" ;;
	print | clear | printclear | list | buffer | status | doctor | freeze | unfreeze | help | quit) echo "$1" ;;
	follow) echo "follow 0.2" ;;
	save) echo "save /tmp/saved" ;;
	explain) echo "explain vfs_write" ;;
	events) echo "events sched:*" ;;
	show) echo "show jiffies" ;;
	where) echo "where 1" ;;
	run) echo "run@trace vfs_write PID@--@true" ;;
	latency) echo "latency vfs_write -- dd if=/dev/zero of=/tmp/null count=3" ;;
	pairs) echo "pairs vfs_open __fput --by file -- cat /proc/version" ;;
	record) echo "-q record --events sched -o /tmp/recorded-$level --for 0.2s" ;;
	snapshot) echo "snapshot -o /tmp/snapshot-$level" ;;
	report) echo "report /tmp/before" ;;
	export) echo "export /tmp/before --perfetto -o /tmp/exported-$level" ;;
	top) echo "-q top --events sched --delay 0.5 --count 1" ;;
	bugreport) echo "bugreport --yes /tmp/bug-$level" ;;
	source) echo "source /tmp/script.kt" ;;
	!) echo "-e !true" ;;
	esac
}

# left_out COMMAND: it needs debug information, or what must have begun before the kernel was locked down
left_out() {
	case $1 in
	index | lines) true ;;
	show) ! data_symbols ;;
	report | export | snapshot) [ "$begun" = confidentiality ] ;;
	*) false ;;
	esac
}

# try_all LEVEL: each command does what its row says
try_all() {
	level=$1
	while read -r command none integrity confidentiality; do
		left_out "$command" && continue
		eval "expected=\$$level"
		words=$(call "$command")
		[ "$words" ] || fail "no call of $command"
		set -f
		case $words in
		*@*) old=$IFS; IFS=@ ;;
		*) old=$IFS ;;
		esac
		# shellcheck disable=SC2086
		set -- $words
		IFS=$old
		set +f
		run ktrace "$@"
		if [ "$expected" = yes ]; then
			[ "$status" = 0 ] || [ "$command $level" = "doctor confidentiality" ] || {
				last_run
				fail "$level: $command: status $status"
			}
			expect_no_match "$level: $command" "$err" 'locked down'
		else
			expect_status 3
			expect_match "$level: $command" "$err" "^ktrace: .*: $(echo "$locked" | sed 's/[()]/\\&/g')\$"
			expect_eq "$level: lines of $command" "$(printf '%s\n' "$err" | wc -l)" 1
		fi
		echo "$level: $command: $expected, as it is" >>/tmp/tried
	done </tmp/table
	grep -c "^$level: " /tmp/tried
}

# Before the kernel is locked down: a recording, a flight recorder, a follower, tracepoints of which one counts.
if [ "$level" != confidentiality ]; then
	ok ktrace -q record --events sched -o /tmp/before --for 0.3s
	ktrace -q record --events sched --mode flight --name flying -o /tmp/flown >/tmp/flight.out 2>&1 &
	flight=$!
	wait_until 20 sh -c 'ktrace status | grep -q flying'
	if [ "$level" = none ]; then
		try_all none
		echo integrity >$lockdown
		ok ktrace -q trace vfs_read PID
		ok ktrace delete vfs_read
	else
		try_all integrity
	fi
	[ -z "$only" ] || exit 0
	ok ktrace -q trace ksys_write PID
	(while sleep 0.2; do echo written >/tmp/written; done) &
	writer=$!
	ktrace follow >/tmp/followed 2>&1 &
	follower=$!
	wait_until 20 grep -q '^ksys_write' /tmp/followed
	# A prompt that has the device and its records open.
	mkfifo /tmp/prompt
	ktrace </tmp/prompt >/tmp/prompted 2>&1 &
	prompt=$!
	exec 7>/tmp/prompt
	printf 'print -1\n!echo before >/tmp/before-lockdown\n' >&7
	wait_until 20 test -s /tmp/before-lockdown
	echo confidentiality >$lockdown
	expect_match "set" "$(ktrace list)" '^ksys_write'
fi

# What began before goes on: as a kprobe event, and who has tracefs open.
if [ "${follower:-}" ]; then
	seen=$(wc -l </tmp/followed)
	wait_until 20 sh -c "[ \$(wc -l </tmp/followed) -gt $((seen + 5)) ]"
	# A kprobe asks each time one is set, whoever has opened what.
	printf 'print -1\ntrace vfs_read PID\n' >&7
	exec 7>&-
	wait "$prompt"
	expect_eq "refused at the prompt" "$(grep -Ec "^ktrace: .*: $(echo "$locked" | sed 's/[()]/\\&/g')\$" /tmp/prompted)" 1
	expect_match "the prompt" "$(cat /tmp/prompted)" '^ksys_write '
	kill "$writer"
	kill -INT "$follower"
	wait "$follower" || fail "follow: $(tail -n 3 /tmp/followed)"
	run ktrace print
	expect_status 3
	ok ktrace delete ksys_write
	expect_no_match "tracepoints" "$(ktrace list)" '^ksys_write'
fi
try_all confidentiality
if [ "${flight:-}" ]; then
	kill -INT "$flight"
	wait "$flight" || fail "the flight recorder: $(cat /tmp/flight.out)"
	ok ktrace -q print /tmp/flown
	ok ktrace report /tmp/snapshot-confidentiality
fi
expect_match "doctor" "$(ktrace doctor 2>&1)" '^missing +kprobes +the kernel is locked down \(confidentiality\)'
# The module itself refuses, whatever a program thinks; what shows nothing and sets nothing works.
address=$(sed -n 's/^\([0-9a-f]*\) T vfs_write$/\1/p' /proc/kallsyms)
run ktdev trace "$address"
expect_status 1
expect_match "ktdev" "$err" 'Operation not permitted$'
run ktdev record another 65536 0 "$address"
expect_status 1
expect_match "ktdev" "$err" 'Operation not permitted$'
ok ktdev count
expect_match "set" "$out" '^sites=0 '
ok ktdev delete
# Whoever loads the module must have signed it; to remove it is always allowed.
ok rmmod ktrace
if [ "$begun" = none ]; then
	run ktrace list
	expect_status 3
	expect_match "unsigned" "$err" "^ktrace: the module cannot be loaded: only signed modules are accepted; ktrace's is not signed: "
fi
