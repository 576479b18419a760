#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: functions with an indirect jump: a jump of ktrace where it is proven that the function's own leads elsewhere, else a breakpoint
# arch: x86: a jump of arm64 replaces one instruction
# long: 60 s
# vm: --smp 2
. /lab/lib.sh

# method NAME: print the method of the site, and why it is no jump
method() {
	ktrace list -v | awk -F '  +' -v name="$1" '$1 == name { print $2 }'
}

leaves_is_jump() {
	[ "$(method ktruth:ktruth_planted_leaves)" = jump ]
}

no_breakpoint() {
	! ktrace list -v | grep -q ' breakpoint'
}

# apart FUNCTION FIRST: print the addresses of the function that can have a jump, from the one with the number FIRST, so that
# no two jumps overlap
apart() {
	ktrace explain "$1" 2>/dev/null | awk -v name="$1" -v first="$2" '
		function number(text,   i, n) {
			for (i = 4; i <= length(text); i++)
				n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
			return n
		}
		$1 ~ /^\+0x/ && $2 == "jump" && n++ >= first && (!some || number($1) >= last + 15) { print name $1; last = number($1); some = 1 }'
}

# all_over FUNCTION PASSES COMMAND...: the command goes well while jumps are in many addresses of the function, in each pass in others
all_over() {
	function=$1
	passes=$2
	shift 2
	for pass in $(seq 0 $((passes - 1))); do
		sites=$(apart "$function" "$pass")
		[ -n "$sites" ] || fail "no jump in $function"
		# The addresses are separate words.
		# shellcheck disable=SC2086
		ok ktrace -q trace $sites PID METHOD jump
		wait_until 60 no_breakpoint
		"$@"
		hits=$(ktrace list -v | awk -F '  +' '$2 == "jump" { n += $3 } END { print n + 0 }')
		[ "$hits" -gt 100 ] || fail "$function: $hits hits"
		ok ktrace -q delete '*'
	done
}

# An address inside the first five bytes, wherever it is. A pointer names the instruction; other addresses only the function.
modprobe ktruth
names="pointers unaligned distances relative bytes operands apart text leaves"
# The names are separate words.
# shellcheck disable=SC2046
ok ktrace -q trace $(for name in $names; do echo "ktruth_planted_$name" PID; done)
wait_until 20 leaves_is_jump
for name in $names; do
	case $name in
	pointers | unaligned)	why="breakpoint (a branch may lead inside)" ;;
	leaves)			why=jump ;;
	*)			why="breakpoint (an indirect jump may lead inside)" ;;
	esac
	expect_eq "$name" "$(method "ktruth:ktruth_planted_$name")" "$why"
done
truth jumps 100
ok ktrace explain ktruth_planted_distances
expect_match "explain" "$out" '^ +\+0x0 +breakpoint .*# no jump: an indirect jump may lead inside'
ok ktrace -q delete '*'

# What the compiler makes of a switch and of labels as values: each function has jumps.
all_over ktruth:ktruth_switch 3 truth jumps 100
all_over ktruth:ktruth_labels 3 truth jumps 100

# The interpreter of BPF, if this kernel has it.
if grep -q ' ___bpf_prog_run$' /proc/kallsyms && echo 0 2>/dev/null >/proc/sys/net/core/bpf_jit_enable; then
	all_over ___bpf_prog_run 2 ok filter 2000
fi

# Every entry of these is a jump, and file systems still work. The search for branches may see one where there is none.
all_jumps() {
	ktrace list -v >/tmp/entries &&
		[ "$(grep -c ' jump ' /tmp/entries)" -ge 50 ] &&
		[ "$(grep -c ' breakpoint' /tmp/entries)" -le 1 ] &&
		! grep ' breakpoint' /tmp/entries | grep -qv '(a branch may lead inside)'
}

ok ktrace -q trace 'vfs_*' PID
wait_until 20 all_jumps
mkdir /tmp/files
mount -t tmpfs none /tmp/files
for i in $(seq 20); do
	dd if=/dev/zero of=/tmp/files/$i bs=4k count=20 conv=fsync 2>/dev/null
	ln -s $i /tmp/files/link$i
	[ "$(cat /tmp/files/link$i | wc -c)" = 81920 ] || fail "a file of another length"
	stat -L /tmp/files/link$i >/dev/null
	truncate -s 100 /tmp/files/$i
	mv /tmp/files/$i /tmp/files/moved$i
	rm /tmp/files/link$i
done
rm -r /tmp/files/*
umount /tmp/files
all_jumps || fail "a jump became a breakpoint: $(cat /tmp/entries)"
ok ktrace -q delete '*'
ok rmmod ktruth
ok rmmod ktrace
