#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: code that a CPU runs before it has an interrupt table is refused; tracing around it does no harm
# long: 35 s
# vm: --smp 3
. /lab/lib.sh

# Entry points of a starting CPU, and what the kernel runs on its way into another one.
for name in $(cat /lab/arch/early); do
	grep -q " [tT] $name\$" /proc/kallsyms || continue
	run ktrace trace $name PID
	expect_status 1
	run ktrace explain $name
	expect_match "what is said of $name" "$out" '^  \+0x0 +no '
	good=$(traceable)
	[ -z "$good" ] || fail "a place in $name can be traced: $good"
done

# All functions with such names, by breakpoints.
kinds='cpu|common|smp|setup|set_cpu|load|early|secondary|start|startup|verify|memset|memcpy|identify|rcutree|rcu_cpu|notify_cpu'
kinds="$kinds|calibrate|@early_kinds@"
awk '$2 ~ /[tT]/ && NF == 3 { print $3 }' /proc/kallsyms |
	grep -E "^($kinds)_[a-z0-9_]*\$|^mem(set|cpy)\$" |
	sort | uniq -u >/tmp/names
places=$(accepted $(cat /tmp/names))
rawtext save /tmp/text || fail "no text to compare"
for place in $places; do
	echo "$place METHOD breakpoint"
done | tr '\n' ' ' | sed 's/^/trace /' >/tmp/script
ok ktrace -q -f /tmp/script
echo "$(printf '%s\n' $places | wc -l) are traced"
for round in 1 2 3; do
	for cpu in 1 2; do
		cpu_down $cpu
		cpu_up $cpu
	done
done
expect_eq "CPUs" "$(cat /sys/devices/system/cpu/online)" 0-2
ok ktrace delete '*'
ok sites drain 60
text_restored
well
