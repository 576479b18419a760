#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: the names and types that are kept in /run/ktrace: used as long as nothing changed, and never believed if they may be wrong
# long: 65 s
# vm: --smp 2
. /lab/lib.sh
kept=/run/ktrace/symbols

# number FILE: print its inode number: another file has another
number() {
	stat -c %i "$1" 2>/dev/null || echo none
}

# is_used / is_made WHAT: a command finds vfs_read by the file that is there / makes it anew
is_used() {
	before=$(number "$kept")
	ok ktrace -n trace vfs_read PID
	expect_eq "$1: used" "$(number "$kept")" "$before"
}
is_made() {
	before=$(number "$kept")
	ok ktrace -n trace vfs_read PID
	expect_match "$1" "$out" '^vfs_read  '
	[ "$(number "$kept")" != "$before" ] || fail "$1: the old file was used"
	is_used "$1, once more"
}

# flip FILE OFFSET: change one bit
flip() {
	byte=$(dd if="$1" bs=1 skip="$2" count=1 2>/dev/null | od -An -tu1 | tr -d ' ')
	printf "\\$(printf %o $((byte ^ 16)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

rm -rf /run/ktrace
is_made "the first time"
expect_eq "rights" "$(stat -c '%a %u' /run/ktrace "$kept")" "700 0
600 0"

# What is found is the same.
ok ktrace -n -e 'trace vfs_write ARGS' -e 'explain vfs_write'
first=$out
rm -r /run/ktrace
ok ktrace -n -e 'trace vfs_write ARGS' -e 'explain vfs_write'
expect_eq "with what is kept as without" "$out" "$first"

# Modules come and go, also one that was there before.
is_used "before"
ok modprobe ktruth
ok ktrace -n trace ktruth_five PID
is_used "with a module"
ok rmmod ktruth
run ktrace -n trace ktruth_five PID
expect_status 1
is_used "without it"
ok modprobe ktruth
ok ktrace -n trace ktruth_five PID
five=$(sed -n 's/^\([0-9a-f]*\) . ktruth_five\t.*/\1/p' /proc/kallsyms)
ok ktrace -n trace "0x$five"
expect_match "where it is now" "$out" '^ktruth:ktruth_five  '

# A BPF program has symbols, too.
before=$(number "$kept")
if fentry vfs_fsync ktrace -n trace vfs_read PID >/dev/null 2>&1; then
	[ "$(number "$kept")" != "$before" ] || fail "a BPF program came, and the old names were used"
fi
ok ktrace -n trace vfs_read PID

# Damage, anywhere.
size=$(stat -c %s "$kept")
for part in 0 1 2 3 4 5 6 7; do
	flip "$kept" $((size * part / 8 + part))
	is_made "a bit at $part eighths"
done
flip "$kept" $((size - 1))
is_made "the last bit"
truncate -s $((size - 4096)) "$kept"
is_made "cut off"
: >"$kept"
is_made "empty"
ok ktrace -n trace vfs_write ARGS
types=/run/ktrace/types-
if [ -e "$types" ]; then
	before=$(number "$types")
	flip "$types" $(($(stat -c %s "$types") / 2))
	ok ktrace -n trace vfs_write ARGS
	[ "$(number "$types")" != "$before" ] || fail "damaged types were used"
fi

# Another user's.
chown nobody "$kept"
is_made "of nobody"
chmod 666 "$kept"
is_made "that anybody may write"
mv "$kept" /tmp/elsewhere
ln -s /tmp/elsewhere "$kept"
is_made "a symbolic link"
chmod 777 /run/ktrace
before=$(number "$kept")
ok ktrace -n trace vfs_read PID
expect_eq "in a directory of anybody nothing is written" "$(number "$kept")" "$before"
chmod 700 /run/ktrace

# Where nothing can be kept, all works.
rm -r /run/ktrace
: >/run/ktrace
ok ktrace -n trace vfs_read PID
expect_eq "says nothing" "$err" ""
rm /run/ktrace
mount -t tmpfs -o size=64k none /mnt
ok ktrace -n trace vfs_read PID
mkdir -p /run/ktrace
mount --bind /mnt /run/ktrace
chmod 700 /run/ktrace
ok ktrace -n trace vfs_read PID
expect_eq "no room: nothing is left" "$(ls -A /run/ktrace)" ""
umount /run/ktrace

# Addresses that the kernel hides are not told by what is kept; they may be told again later.
ok ktrace -n trace vfs_read PID
echo 2 >/proc/sys/kernel/kptr_restrict
run ktrace -n trace vfs_read PID
expect_status 1
expect_match "hidden" "$err" 'hides the addresses'
echo 0 >/proc/sys/kernel/kptr_restrict
is_used "told again"

# Many at once.
rm -r /run/ktrace
for _ in 1 2 3 4 5 6; do
	ktrace -n trace vfs_read PID >>/tmp/many 2>&1 &
done
wait
expect_eq "all of six" "$(grep -c '^vfs_read ' /tmp/many)" 6
expect_eq "nothing is left" "$(ls -A /run/ktrace)" "symbols"

# A writer is killed at different times: the next one leaves no temporary file.
for ms in 5 10 15 20 25 30 40 50 60 80; do
	rm -f "$kept"
	timeout -s KILL "0.$(printf %03d $((ms * 10)))" ktrace -n trace vfs_read PID >/dev/null 2>&1
done
rm -f "$kept"
is_made "after killed ones"
expect_eq "nothing is left by killed ones" "$(ls -A /run/ktrace)" "symbols"

# A session sees that a module was loaded again, also if the module has the same address as before.
mkfifo /tmp/commands
ktrace -n </tmp/commands >/tmp/answers 2>&1 &
exec 4>/tmp/commands
echo 'trace ktruth_five PID' >&4
wait_until 20 grep -q '^ktruth:ktruth_five ' /tmp/answers
ok rmmod ktruth
ok modprobe ktruth
echo 'trace ktruth_five PID' >&4
exec 4>&-
wait
expect_eq "found again" "$(grep -c '^ktruth:ktruth_five ' /tmp/answers)" 2
