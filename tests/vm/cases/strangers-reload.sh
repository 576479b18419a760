#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: commands built with the address sanitizer, while a module comes and goes: no symbol is used after its table is gone
# long: 200 s
# arch: x86: the build with sanitizers is made for the machine that builds
# vm: --smp 2 --mem 1500M --built asan/ktrace
. /lab/lib.sh
export ASAN_OPTIONS=detect_leaks=0:exitcode=99

while [ ! -e /tmp/stop ]; do
	modprobe ktruth
	rmmod ktruth
	echo >>/tmp/rounds
done 2>/dev/null &

# beside COMMAND...: it may find what it asks for, or not: the module may have gone
beside() {
	run timeout 300 ktrace -q "$@"
	if [ "$status" -ge 99 ] || printf '%s\n' "$err" | grep -q -e Sanitizer -e 'runtime error'; then
		last_run
		fail "ktrace $*: status $status"
	fi
}

for _ in 1 2 3; do
	beside latency 'vfs_*' --for 100ms
done
beside latency 'ktruth_*' --for 100ms
beside latency vfs_write --by EXIT --top 3 ARGS -- sh -c 'echo >/dev/null'
beside latency vfs_read vfs_write --key '$@arg1@' --for 100ms
beside latency ktruth_run --off-cpu --for 100ms
beside run 'trace vfs_write ARGS CALLER STACK 4; trace ktruth:* PID' -- sh -c 'echo >/dev/null; echo call square 2 >/proc/ktruth'
beside lines ktruth_run --for 200ms
beside pairs ktruth_run ktruth_square --by 1 --for 100ms
beside record -o /tmp/rec --events core --trace 'ktruth_run' --for 300ms
beside report /tmp/rec
beside print -i /tmp/rec
beside -e 'trace vfs_write COUNT BY CALLER; trace ktruth:ktruth_r* PID; list -v; counts; print; explain vfs_write; where; show jiffies; delete *'
beside -e 'trace ktruth:*; list; explain ktruth_run; delete *'
beside events
beside status
beside doctor
beside save -o /tmp/saved
touch /tmp/stop
wait
[ "$(wc -l </tmp/rounds)" -ge 20 ] || fail "the module came and went only $(wc -l </tmp/rounds) times"
