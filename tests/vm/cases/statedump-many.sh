#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: the state of 500 processes with 1,000 files each: nothing is missing, and how long it takes beside forks
# long: 600 s
# vm: --smp 2 --mem 2G --timeout 3000
# PROCESSES=N FILES=N
. /lab/lib.sh

PROCESSES=${PROCESSES:-500}
FILES=${FILES:-1000}

echo 2000000 >/proc/sys/fs/file-max
statework "$PROCESSES" "$FILES" >/tmp/ready 2>&1 &
many=$!
wait_until 600 grep -q . /tmp/ready
expect_eq "the processes" "$(cat /tmp/ready)" ready

ok statedev compare
echo "$out"
expect_eq "missing" "$(count_matches "$out" ', missing 0$')" 3
files=$(printf '%s\n' "$out" | sed -n 's/^files: \([0-9]*\),.*/\1/p')
[ "$files" -gt $((PROCESSES * FILES)) ] || fail "only $files files"

# How long others are kept from running: a process that sleeps for a millisecond again and again.
for what in alone with; do
	stall >/tmp/stall &
	sleeper=$!
	reader=
	if [ $what = with ]; then
		statedev loop >/dev/null &
		reader=$!
	fi
	began=$(cut -d' ' -f1 /proc/uptime)
	forkstorm 5000
	echo "5000 forks, $what: $(cut -d' ' -f1 /proc/uptime | awk -v began="$began" '{ print $1 - began }') s"
	[ -z "$reader" ] || kill -9 "$reader"
	kill $sleeper
	wait $sleeper
	echo "naps and the longest in ms, $what: $(cat /tmp/stall)"
done
ok statedev time
echo "$out"
kill $many
wait
well
