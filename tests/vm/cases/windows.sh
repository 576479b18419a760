#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: functions that a starting CPU runs without an interrupt table: traced, and disarmed while a CPU starts
# long: 60 s
# vm: --smp 3
# ROUNDS=1000: so many CPUs go down and come up (`make check-windows`).
. /lab/lib.sh

rounds=${ROUNDS:-6}
cpus=/sys/devices/system/cpu

# windows: print what the records of windows say, one line each
windows() {
	ktrace --csv print >/tmp/records || fail "no records"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["name"] == "\"window\"" { print $at["window"], $at["why"], $at["cpu"], $at["sites"] }' /tmp/records
}

pattern=$(tr -s ' \n' '|' </lab/arch/windowed)
# Several functions may have the same name, and the compiler may have made others of them.
grep -E " [tTwW] (${pattern%|})(\.[^ ]*)?\$" /proc/kallsyms | awk '{ n[$3]++ }
	END { for (name in n) for (i = 1; i <= n[name]; i++) print name (n[name] > 1 ? "#" i : "") }' | sort >/tmp/present
# shellcheck disable=SC2046
accepted $(cat /tmp/present) >/tmp/names
grep -q . /tmp/names || skip "no function is disarmed in windows here"
echo "disarmed in windows: $(tr '\n' ' ' </tmp/names)"
first=$(head -n 1 /tmp/names)

# What is said of them: one clause of the function, and of one place.
ok ktrace explain "$first"
expect_match "explain" "$out" '^tracepoints here are off while a CPU starts or the machine sleeps$'
rawtext save /tmp/text || fail "no text to compare"

# Each instruction of each of them, by breakpoints, while CPUs go down and come up.
# shellcheck disable=SC2046
accepted $(cat /tmp/names) $(for name in $(cat /tmp/names); do inside "$name"; done) >/tmp/places
sed 's/$/ METHOD breakpoint CONST 1/' /tmp/places | tr '\n' ' ' | sed 's/^/trace /' >/tmp/script
ok ktrace -q -f /tmp/script
sites=$(wc -l </tmp/places)
echo "$sites places"
ok ktrace list -v
expect_eq "marked" "$(grep -c 'off while a CPU starts or the machine sleeps' /tmp/out)" "$sites"
ok ktrace -q clear
cpu_down 1
cpu_up 1
windows >/tmp/windows
expect_eq "a window" "$(cat /tmp/windows)" "begins cpu 1 $sites
ends cpu 1 $sites"
expect_match "status" "$(ktrace status)" \
	'^windows +tracepoints were disarmed 1 time, while a CPU started or the machine slept$'
round=0
while [ $round -lt "$rounds" ]; do
	round=$((round + 1))
	cpu=$((1 + round % 2))
	cpu_down $cpu && cpu_up $cpu || fail "CPU $cpu, round $round"
done
expect_eq "CPUs" "$(cat $cpus/online)" 0-2
expect_match "status" "$(ktrace --json status)" "\"windows\":{\"times\":$((rounds + 1)),\"open\":false}"
ok ktrace delete '*'
ok sites drain 60
text_restored

# The same with jumps where they are possible: they are jumps again after a window.
sed 's/$/ CONST 1/' /tmp/names | tr '\n' ' ' | sed 's/^/trace /' >/tmp/script
ok ktrace -q -f /tmp/script
ok sites jumps 60
jumps=$(ktrace list -v | grep -c ' jump (off while')
round=0
while [ $round -lt "$rounds" ]; do
	round=$((round + 1))
	cpu_down 2 && cpu_up 2 || fail "CPU 2, round $round"
done
wait_until 60 sh -c "[ \"\$(ktrace list -v | grep -c ' jump (off while')\" = $jumps ]"
echo "$jumps jumps"

# A start that fails before the CPU is online: it may still come, so the window stays open until the next one succeeds.
runs=$(sed -n 's/^ *\([0-9]*\): ktrace:runs$/\1/p' $cpus/hotplug/states)
before=$(awk -v runs="$runs" '$1 + 0 < runs { last = $1 + 0 } END { print last }' $cpus/hotplug/states)
cpu_down 1
echo "$before" >$cpus/cpu1/hotplug/fail
! cpu_up 1 2>/dev/null || fail "the start did not fail"
expect_match "a place" "$(ktrace list -v)" "^$first  +off: window  "
expect_match "status" "$(ktrace status)" '; they still are: a CPU that was started has not come up$'
# What is set or deleted meanwhile is armed at the end, or not at all.
last=$(tail -n 1 /tmp/names)
ok ktrace -q delete "$last"
ok ktrace -q trace "$last" CONST 2
cpu_up 1
expect_no_match "a place" "$(ktrace list -v)" 'off: window'
expect_match "status" "$(ktrace --json status)" '"open":false'
ok ktrace delete '*'
ok sites drain 60
text_restored

# Exact counts on both sides of a window, by either method.
modprobe ktruth
for name in memset memset_erms; do
	method=$(ktrace explain $name | awk '$1 == "+0x0" { print $2 }')
	grep -qx $name /tmp/names && [ "$method" != no ] || continue
	ok ktrace -q trace $name METHOD "$method" IF '$@arg3@ == 61' CONST 61
	ok sites jumps 60
	ok ktrace -q clear
	echo call fill 100 >/proc/ktruth
	cpu_down 2
	cpu_up 2
	echo call fill 100 >/proc/ktruth
	ktrace --csv print >/tmp/records
	expect_eq "$name, $method: before, in and after" "$(awk -F, '/"window"/ { print n + 0; n = 0; next } /"memset/ { n++ }
		END { print n }' /tmp/records | tr '\n' ' ')" "100 0 100 "
	ok ktrace delete '*'
done

# A call that is open when a window begins is counted, and not timed; outside windows it is.
if grep -qx start_secondary /tmp/names; then
	run ktrace latency ktruth_square start_secondary --across --json -- \
		sh -c "echo call square 1 >/proc/ktruth; echo 0 >$cpus/cpu2/online; echo 1 >$cpus/cpu2/online"
	expect_match "open at the window" "$out" '"spanned":1,'
	expect_match "timed" "$out" '"count":0,'
fi

# No kretprobe: the kernel would leave it armed.
for name in $(cat /tmp/names); do
	ktrace explain "$name" | grep -q 'a tail call' || continue
	run ktrace trace "$name%return" PID
	expect_status 1
	expect_match "$name%return" "$err" 'where no breakpoint can be handled'
	break
done
well
ok rmmod ktrace
