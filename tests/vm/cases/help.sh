#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: the examples of `help`: each works as it stands
# vm: --smp 2
. /lab/lib.sh

# Not run: they need debug information of the kernel (index, lines), end only by Ctrl-C (top), end the script (quit), need a
# recording in memory (snapshot), or tell by their status what the machine lacks (doctor). Other cases run these commands.
left_out="index lines top quit snapshot doctor"
# Some kernels list no variables.
data_symbols || left_out="$left_out LOC show"

ok ktrace help
names="$(sed -n 's/^  \([a-zA-Z!]*\) .*/\1/p' /tmp/out) address expressions numbers"
for name in $left_out; do
	expect_match "left out" "$(echo "$names" | tr ' ' '\n')" "^$name\$"
done

# +50 and +40 are places in the code of some kernel; here are those of this one.  FRAME needs one behind the prologue.
inside=$(places vfs_write | sed -n 12p)
later=$(places ksys_write | sed -n 3p)
[ "$inside" ] && [ "$later" ] || fail "no place inside vfs_write or ksys_write"

echo status >/tmp/measure.kt
ok ktrace -q record -o /tmp/recording --for 0.5s
for name in $names; do
	case " $left_out " in *" $name "*) continue ;; esac
	ok ktrace help "$name"
	example=$(sed -n "s/^example: //p" /tmp/out |
		sed "s/--for [0-9]*s/--for 0.5s/; s/ 5\$/ 0.5/; s/vfs_write+50/$inside/; s/ksys_write+40/$later/; s/measure.kt/\/tmp\/&/")
	[ "$example" ] || fail "help $name has no example"
	printf '!echo "== %s"; rm -rf /tmp/trace\n' "$name"
	case $name in delete | list | print | save) printf 'trace vfs_write PID %s\n!date >/dev/null\n' "$inside" ;; esac
	printf '%s\n' "$example"
	case $example in trace*) printf '!date >/dev/null\nprint 3\n' ;; esac
	echo 'delete *; clear; unfreeze'
done >/tmp/examples.kt
[ "$(grep -c '^!echo' /tmp/examples.kt)" -ge 80 ] || fail "examples: $(cat /tmp/examples.kt)"

# Something to measure.
while :; do
	dd if=/dev/zero of=/dev/null bs=1 count=20 2>/dev/null
	usleep 20000
done &
load=$!
run ktrace --yes --no-pager -f /tmp/examples.kt
kill $load
[ "$status" = 0 ] || {
	grep '^== ' /tmp/out | tail -n 1 >&2
	cat /tmp/err >&2
	fail "this example of help: status $status"
}
ok ktrace list
expect_eq "tracepoints left" "$out" ""
well
