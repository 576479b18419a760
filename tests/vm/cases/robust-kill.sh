#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: kill -9 a controller in follow, at the prompt and while it sets 100 tracepoints: all or none, all else works
# long: 55 s
# vm: --smp 2 --timeout 3000
# KILLS=N (`make check-robust`: 200)
. /lab/lib.sh

KILLS=${KILLS:-24}

below() {
	echo $((RANDOM * 32768 + RANDOM)) | awk -v n="$1" '{ print $1 % n }'
}

# A hundred functions that can be traced on this kernel.
hundred() {
	sed -n 's/^[0-9a-f]* T \(\(vfs\|ksys\|tcp\|do\|ip\|sock\)_[a-z_0-9]*\)$/\1/p' /proc/kallsyms | sort | uniq -u | head -200 >/tmp/names
	ktrace --dry-run trace $(sed 's/$/ PID/' /tmp/names) >/dev/null 2>/tmp/refused
	sed -n 's/^ktrace: \([^:+]*\).*/\1/p' /tmp/refused | sort -u >/tmp/bad
	grep -vxFf /tmp/bad /tmp/names | head -100
}

sites() {
	ktdev count | sed 's/sites=\([0-9]*\) .*/\1/'
}

# How to run each kind, and what may be set afterwards.
kill_follow() {
	ktdev trace "$write"
	killer "$(below 2500000)" ktrace follow >/tmp/killed
	allowed="1"
}

kill_prompt() {
	killer -t -i 'trace vfs_read PID\nlist\nprint\nfollow\n' "$(below 5000000)" ktrace >/tmp/killed
	allowed="0 1"
}

kill_trace() {
	killer -r 0x4b01 "$(below 300000)" ktrace trace $names >/tmp/killed 2>&1
	allowed="0 100"
}

works() {
	ok ktrace trace vfs_write PID
	ok syscalls write 100
	ok ktrace printclear
	[ "$(count_matches "$out" '^vfs_write .* pid ')" -ge 100 ] || fail "a new controller does not print"
	ok ktrace delete vfs_write
}

kept() {
	awk '/^(SUnreclaim|Percpu|VmallocUsed):/ { sum += $2 } END { print sum }' /proc/meminfo
}

names=$(hundred | sed 's/$/ PID/')
expect_eq "functions" "$(echo "$names" | wc -l)" 100
write=$(sed -n 's/^\([0-9a-f]*\) T vfs_write$/\1/p' /proc/kallsyms)
syscalls -w 200 write 100000000 >/dev/null &
load=$!

i=0
while [ $i -lt "$KILLS" ]; do
	for kind in follow prompt trace; do
		"kill_$kind"
		now=$(sites)
		case " $allowed " in
		*" $now "*) ;;
		*) fail "$now tracepoints after a controller was killed ($kind), not one of: $allowed" ;;
		esac
		eval "seen_${kind}_$now=\$((seen_${kind}_$now + 1))"
		ok ktdev delete
		i=$((i + 1))
		[ $i -lt "$KILLS" ] || break
	done
	[ $((i % 12)) != 0 ] || works
	[ $i -gt 12 ] || before=$(kept)
done
works
wait_until 60 sh -c '[ "$(ktdev count | sed "s/.*slots=\([0-9]*\).*/\1/")" = 0 ]'
after=$(kept)
kill $load
echo "$i controllers killed; of those setting 100, $seen_trace_100 had set them all and $((seen_trace_0)) none;" \
	"kernel memory $before KiB, then $after KiB"
[ $((after - before)) -lt 4096 ] || fail "$((after - before)) KiB are not given back"
ok rmmod ktrace
