#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: programs that are refused by name: of 32 bits, of another machine, on a file system that a process serves (FUSE)
# vm: --modprobe fuse --modprobe overlay
. /lab/lib.sh

# refused FILE SENTENCE: each way to name it says so in one line, and nothing is set
refused() {
	run ktrace trace "$1:user_square" PID
	expect_status 1
	expect_match "$1" "$err" "^ktrace: .*$2"
	[ "$(printf '%s\n' "$err" | wc -l)" = 1 ] || fail "more than one line: $err"
	run ktrace explain "$1:user_square"
	[ "$status" != 0 ] || [ "$3" ] || fail "explain: $out"
	ok ktrace list
	expect_eq "set" "$out" ""
}

program=/usr/local/bin/usertruth
# byte FILE OFFSET OCTAL: change a byte
byte() {
	printf '%b' "\\0$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# The class and the machine are bytes 4 and 18 of the file.
cp $program /tmp/narrow
byte /tmp/narrow 4 001
refused /tmp/narrow '/tmp/narrow.*32-bit program'
cp $program /tmp/foreign
byte /tmp/foreign 18 000
byte /tmp/foreign 19 000
refused /tmp/foreign '/tmp/foreign.*machine'

# On FUSE: it runs, but is not traced; a copy is.
[ -e /sys/fs/fuse ] || skip "no FUSE in this kernel"
[ -e /dev/fuse ] || mknod /dev/fuse c 10 229
mkdir /tmp/served
fusefile /tmp/served $program >/tmp/fusefile.out 2>&1 &
server=$!
wait_until 20 grep -q ready /tmp/fusefile.out
cmp /tmp/served/usertruth $program || fail "the served file differs"
ok /tmp/served/usertruth 4
refused /tmp/served/usertruth '/tmp/served/usertruth.*FUSE.*copy it' explained
# A file that it lies under, too.
if grep -q overlay /proc/filesystems; then
	mkdir /tmp/over /tmp/lower
	mount -t overlay -o lowerdir=/tmp/served:/tmp/lower overlay /tmp/over 2>/dev/null &&
		refused /tmp/over/usertruth 'FUSE.*copy it' explained
	umount /tmp/over 2>/dev/null
fi
cp /tmp/served/usertruth /tmp/copy
ok ktrace -q trace /tmp/copy:user_square PID
ok /tmp/copy 4
ok ktrace print
expect_match "the copy" "$out" '^/tmp/copy:user_square '
# Nothing holds the file system.
ok umount /tmp/served
kill $server 2>/dev/null
well
