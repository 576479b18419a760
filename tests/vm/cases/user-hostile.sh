#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: hostile processes register anything while controllers switch: nobody else is disturbed, quotas hold, nothing stays
# long: 60 s
# vm: --smp 2 --no-module --timeout 3000
# SEED=N COUNT=N ROUNDS=N (`make check-register`: 1000000 calls, 200 rounds)
. /lab/lib.sh

SEED=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
COUNT=${COUNT:-20000}
ROUNDS=${ROUNDS:-8}
echo "SEED=$SEED COUNT=$COUNT ROUNDS=$ROUNDS"
module=/lib/modules/$(uname -r)/updates/ktrace_user.ko

# pinned: print how many pages of processes are pinned
pinned() {
	cat /proc/sys/vm/stat_refresh
	awk '/^nr_foll_pin_acquired/ { n += $2 } /^nr_foll_pin_released/ { n -= $2 } END { print n }' /proc/vmstat
}

no_pins() {
	[ "$(pinned)" = 0 ]
}

# shared_kb: print the memory of tmpfs and memfd files
shared_kb() {
	awk '/^Shmem:/ { print $2 }' /proc/meminfo
}

load() {
	ok insmod "$module" "$@"
	chmod 666 /dev/ktrace-user
}

# The kernel log tells each program that the fuzzer's mistakes kill.
[ ! -e /proc/sys/debug/exception-trace ] || echo 0 >/proc/sys/debug/exception-trace

# Random calls; ktrace itself reads meanwhile what they register.
load user_processes=6 user_sites=3000 user_pages=200
# From the first command on, ktrace keeps the kernel's symbols in memory.
ok ktrace status
before=$(shared_kb)
(while :; do ktrace events 'user:*'; ktrace record -o /tmp/some --events 'user:*' --for 50ms; ktrace status; rm -rf /tmp/some; done >/dev/null 2>/tmp/readers) &
readers=$!
run fuzz-register --seed "$SEED" --count "$COUNT" --max-processes 6 --max-sites 3000
echo "$out"
[ "$status" = 0 ] || fail "$err"
kill $readers
wait $readers
# The one that ran then goes on to its end, and may leave a recording in memory.
wait_until 60 no_process '^ktrac[e]'
rm -rf /tmp/some
expect_no_match "the readers" "$(cat /tmp/readers)" 'Segmentation|Bus error|Aborted'
for outcome in ok ENOENT EBADF EFAULT EEXIST EINVAL EDQUOT; do
	expect_match "outcomes" "$out" " $outcome [1-9]"
done
wait_until 60 no_pins
wait_until 60 sh -c "[ \$(awk '/^Shmem:/ { print \$2 }' /proc/meminfo) -le $((before + 512)) ]"
ok ktrace status
expect_no_match "status" "$out" '[1-9][0-9]* process(es)? registered'
ok rmmod ktrace_user

# A huge page counts as a whole: all of it stays in memory.
load user_pages=1500
ok fuzz-register --huge 8
echo "$out"
expect_match "huge pages" "$out" '^(2 of 8 huge pages|no huge pages)'
wait_until 60 no_pins
ok rmmod ktrace_user

# The module goes while processes that are registered end.
round=0
while [ $round -lt "$ROUNDS" ]; do
	load
	ok fuzz-register --seed $((SEED % 1000000 + round)) --leave 20
	until rmmod ktrace_user 2>/dev/null; do
		usleep 1000
	done
	round=$((round + 1))
done
wait_until 60 no_pins
wait_until 60 sh -c "[ \$(awk '/^Shmem:/ { print \$2 }' /proc/meminfo) -le $((before + 512)) ]"
well
