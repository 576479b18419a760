#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: text that must not be patched is refused with the true reason; the next good address is traced, hit, restored
# long: 25 s
# vm: --smp 2 --disk
. /lab/lib.sh

# refused ADDRESS NAME MESSAGE: one line that gives the reason
refused() {
	run ktrace trace "$1" PID
	expect_status 1
	expect_eq "lines for $1" "$(printf '%s\n' "$err" | wc -l)" 1
	expect_match "refusal of $1" "$err" "^ktrace: $2: $3"
}

load() {
	mixload -d /mnt 2 >/dev/null && forkstorm 20 && netload tcp 50 && syscalls -p 2 write 200 >/dev/null || fail "the load"
}

# Inside functions, found by asking the module: refusal (of enum kt_refusal), prefix of functions, reason.
while read -r refusal functions message; do
	place=$(ktdev find "$refusal" "$functions") || fail "nothing in $functions* is refused as $refusal"
	set -- $place
	refused "$2" "$1(\+0x[0-9a-f]+)?" "$message"
	echo "refused: $err"
	near=$(printf '%s\n' "$err" | sed -n 's/.*: the nearest good address is //p')
	[ -z "$near" ] || ok ktrace --dry-run trace "$near"
	goods="$goods $3 PID"
done </lab/arch/refused-inside

# The controller skips ftrace's nop; the module refuses it.
ok ktdev find 11 vfs_write

# Whole functions, and addresses that are no function; not every kernel has all of them.
found=0
while read -r name message; do
	grep -q " $name\$" /proc/kallsyms || continue
	found=$((found + 1))
	refused "$name" "$name" "$message"
	echo "refused: $err"
done </lab/arch/refused-whole
[ $found -ge 6 ] || fail "only $found of them are there"

# The text of a module, after it was unloaded.
ok modprobe ktruth
gone=0x$(sed -n 's/^\([0-9a-f]*\) . ktruth_five\t.*/\1/p' /proc/kallsyms)
ok rmmod ktruth
refused "$gone" "[^ ]+" "(data, not code|not kernel code)"
refused 0xffffffffffffff00 "[^ ]+" "(data, not code|not kernel code)"
refused 0x8000000000000000 0x8000000000000000 "not kernel code"

# All good neighbours at once, under load, then deleted.
ok ktrace trace $goods
load
ok ktrace list -v
echo "$out"
ok ktrace delete '*'
load
expect_eq "left" "$(ktdev count | sed 's/ slots.*//')" "sites=0"
