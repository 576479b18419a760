#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: one call for the state of the system is short: counted in instructions, with many files, maps and threads
# long: 20 s
# vm: --icount
. /lab/lib.sh

statework 50 1000 >/tmp/ready 2>&1 &
many=$!
statework odd >/tmp/odd 2>&1 &
odd=$!
wait_until 120 grep -q ready /tmp/ready
wait_until 120 grep -q ready /tmp/odd

# With --icount a nanosecond is an instruction. The smallest part has one batch of files or maps, and some paths. So it
# takes longer than any lock inside it.
ok statedev time 8192
echo "$out"
for kind in tasks files maps; do
	longest=$(printf '%s\n' "$out" | sed -n "s/^$kind: .* longest \([0-9]*\) us\$/\1/p")
	[ "$longest" -le 1000 ] || fail "$kind: one call took $longest thousand instructions"
done
kill $many $odd
wait
well
