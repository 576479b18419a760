#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: ktrace top on a terminal: its keys, and the terminal afterwards
# long: 110 s
# vm: --smp 2
. /lab/lib.sh

export TERM=xterm
ok ktrace status
esc=$(printf '\033')
enter="$esc\\[?1049h"
leave="$esc\\[?1049l"
# on_screen OPTION... WORD: run the shell script on standard input on a terminal, as ptyrun does; /tmp/seen is its text
on_screen() {
	cat >/tmp/on-screen
	ok ptyrun "$@" -- sh /tmp/on-screen
	tr '\r' '\n' </tmp/out | sed "s/$esc\[[?0-9;]*[A-Za-z]//g" >/tmp/seen
	expect_eq "the terminal's modes" "$(cat /tmp/after)" "$(cat /tmp/before)"
	entered=$(grep -o "$enter" /tmp/out | wc -l)
	[ "$entered" -gt 0 ] || fail "no screen"
	expect_eq "back to the first screen" "$(grep -o "$leave" /tmp/out | wc -l)" "$entered"
	expect_eq "nothing is left" "$(ktdev recordings)" ""
}
seen() {
	expect_match "the screen" "$(cat /tmp/seen)" "$1"
}

# Each key that chooses a table, sorts, shows the help; the last one quits.
on_screen -k 'tcusaifdneWSLhq' 'Processes, in' <<'END'
stty -g >/tmp/before
ktrace -q top --delay 0.5
echo "ended with $?"
stty -g >/tmp/after
END
for title in Threads Commands CPUs 'System calls' 'System calls of each process' Interrupts Files Disks 'Network interfaces' Events; do
	seen "^$title"
done
seen 'ended with 0'
seen 'sort by system calls'
expect_match "the end" "$out" '\[status 0\]'

# Sorted by system calls: a process that makes many is the first one.
sh -c 'while :; do
	i=0
	while [ $i -lt 100 ]; do : >/dev/null; i=$((i + 1)); done
	usleep 100000
done' &
caller=$!
on_screen -k 'SSq' 'Processes, in' <<'END'
stty -g >/tmp/before
ktrace -q top --delay 2
stty -g >/tmp/after
END
kill $caller
expect_match "the first row" "$(grep -v '^$' /tmp/seen | grep -A 2 '^Processes.*, by system calls')" "^ *$caller  sh "

# Ended by signals: the terminal is as before.
for signal in TERM INT QUIT HUP; do
	on_screen -r "kill -$signal \$(pidof ktrace)" 'Processes, in' <<'END'
stty -g >/tmp/before
ktrace -q top --delay 0.5
stty -g >/tmp/after
END
	seen 'Processes, in'
done

# Ctrl-Z: the screen of before, until it continues.
on_screen -c 26 -n 1 'Processes, in' <<'END'
stty -g >/tmp/before
(while ! grep -q 'State:.*stopped' /proc/$(pidof ktrace)/status 2>/dev/null; do usleep 200000; done
stty -g </dev/tty >/tmp/stopped; usleep 500000; kill -CONT $(pidof ktrace)
usleep 3000000; kill -TERM $(pidof ktrace)) &
ktrace -q top --delay 0.5
stty -g >/tmp/after
END
expect_eq "modes while it is stopped" "$(cat /tmp/stopped)" "$(cat /tmp/before)"
[ "$entered" -ge 2 ] || fail "it did not come back"
