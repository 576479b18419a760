#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: read memory of every kind, mostly unmapped or of devices: a value or ?, and nothing in the kernel's log
# long: 25 s
# vm: --smp 2
. /lab/lib.sh

ok modprobe ktruth
places() {
	sed -n 's/^place \([0-9]*\) \(.*\)/\1 \2/p' /proc/ktruth
}
expect_eq places "$(places | wc -l)" 25
# Freed memory may belong to somebody else now, and a CPU may ignore the upper byte of an address: only a fault would be wrong.
unknown='freed\|tagged' most=9

# The expected results of eight bytes at this address, of one byte, and of the string.
expected() {
	case $1 in
	user-mapped|kmalloc|vmalloc|stack|module-data) echo '7741528794663559275 107 "k a look"' ;;
	last-of-page) echo '? 101 "end"' ;;
	*) echo '? ? ?' ;;
	esac
}

armed() {
	! ktrace list -v | grep -q soon
}

# The bytes of the word are 0x6b6f6f6c2061206b.
for method in breakpoint jump; do
	# Chance may forbid the jump at the function's first place: bytes elsewhere in the module that look like a branch to there.
	place=ktruth_look
	[ $method = breakpoint ] || place=ktruth_look$(ktrace explain ktruth_look | awk '$2 == "jump" { print $1; exit }')
	ok ktrace -q trace $place VAR '$@arg2@' VAR '(s64)*(u64*)$@arg1@' VAR '*(u8*)$@arg1@' STR '$@arg1@:12' METHOD $method
	wait_until 20 armed
	truth look 1
	ok ktrace printclear
	places | grep -v "$unknown" | while read -r number name; do
		set -f
		set -- $(expected "$name")
		line=$(printf '%s\n' "$out" | grep -F " \$@arg2@=$number ")
		string=$(printf '%s\n' "$line" | sed 's/.*  \$@arg1@=//')
		expect_match "$name word $method" "$line" "\\\$@arg1@=$([ "$1" = '?' ] && echo '\?' || echo "$1")  "
		expect_match "$name byte $method" "$line" "\*\(u8\*\)\\\$@arg1@=$([ "$2" = '?' ] && echo '\?' || echo "$2")  "
		# A string that cannot be read shows its address.
		[ "$3" != '?' ] || string=$(printf '%s\n' "$string" | sed 's/^0x[0-9a-f]* (unreadable)$/?/')
		expect_eq "$name string $method" "$string" "$(expected "$name" | cut -d' ' -f3-)"
	done || exit 1
	# Through such a pointer, in a chain, in a filter, and in all widths.
	ok ktrace -q trace $place VAR '$@arg2@' VAR '**(u64**)$@arg1@' VAR '*(u64*)(*(u64*)(*(u64*)$@arg1@))' \
		VAR '*(s16*)$@arg1@ + *(u32*)($@arg1@+4)' STR '*(u64*)$@arg1@' METHOD $method
	wait_until 20 armed
	truth look 20
	ok ktrace printclear
	expect_eq "records $method" "$(count_matches "$out" '^ktruth:ktruth_look')" 500
	[ "$(count_matches "$out" '\*\*\(u64\*\*\)\$@arg1@=\?  ')" -ge 440 ] || fail "what is nowhere was read"
	ok ktrace -q trace $place IF '*(u8*)$@arg1@ == 107 || *(u8*)$@arg1@ != 107' VAR '$@arg2@' METHOD $method
	truth look 1
	ok ktrace printclear
	known=$(count_matches "$out" '^ktruth:ktruth_look')
	[ "$known" -ge 6 ] && [ "$known" -le $most ] || fail "$known are known, not 6 and what is in $unknown"
	ok ktrace -q -e 'delete *'
done

# Meanwhile interrupts on all CPUs read the same pages.
ok ktrace -q trace ktruth_look VAR '*(u64*)$@arg1@' STR '$@arg1@:64' \
	hrtimer_interrupt VAR '*(u64*)8' STR '$@sp@-0x2000000' BACKTRACE 64
for cpu in 0 1; do
	(for _ in 1 2 3 4 5 6 7 8; do echo "call look 2000" >/proc/ktruth; done) &
done
wait
expect_eq "all were right" "$(grep -o 'call look .*wrong 0' /proc/ktruth | wc -l)" 1
ok ktrace -q -e 'delete *; clear'
well
