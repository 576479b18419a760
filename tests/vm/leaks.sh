#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sh /lab/leaks.sh COMMAND [ARGUMENT ...]: run it; then, in a kernel with kmemleak, look for memory that ktrace has allocated and that
# nothing refers to any more. Status 99: there is some.
"$@"
status=$?
leaks=/sys/kernel/debug/kmemleak
[ -e $leaks ] || mount -t debugfs none /sys/kernel/debug 2>/dev/null
[ -e $leaks ] || exit $status
# An object counts once it is five seconds old and two scans have seen the same in it.
sleep 6
echo scan >$leaks
echo scan >$leaks
found=$(cat $leaks)
case $found in
*ktrace* | *ktruth*)
	printf '%s\n' "lab: memory leaked:" "$found" >&2
	exit 99
	;;
esac
exit $status
